from __future__ import annotations

import hashlib
import math
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from tests.waiting import PATIENCE_S

import recollect.providers
from recollect.errors import EmbeddingFailed
from recollect.providers.local import (
    DIMENSIONS,
    DIRECTIONS,
    MAX_QUESTION_TOKENS,
    MAX_TOKENS,
    PLAIN_ROWS,
    SESSION_ENTRIES,
    LocalEmbedder,
    without_language,
)

SHIPPED = Path(recollect.providers.__file__).with_name("minilm")

CHECKSUMS = {
    "model.onnx": "c18bf35b149e1f8febf8e5ec5792de39af110dbd3300ff4350c0a2535b2ba3d9",
    "tokenizer.json": "07805d116826679de90b4edeb2222269c4b8753bc0981be4399f732b2708e904",
}

TEXTS = (
    "The deploy fails when the database is locked.",
    "x",
    "Use tabs in Makefiles and spaces everywhere else; the linter checks both before every commit.",
    "def retry(call, times=3):\n    for _ in range(times):\n        call()",
    "the quick brown fox " * 40,
)

# No network: every attempt to name or reach a host fails, in a process with an empty environment.
OFFLINE = """
import sys
def refuse(event, arguments):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.sendto", "socket.bind"):
        raise RuntimeError(event)
sys.addaudithook(refuse)
from recollect import settings
from recollect.providers.choose import open_embedder
embedder = open_embedder(settings.load(environment={"RECOLLECT_HOME": sys.argv[1]}))
query, near, far = embedder.embed([
    "how do we sign in users?", "Authentication is done with a session cookie.", "The chart is drawn in dark blue.",
])
print(embedder.model_id, query @ near > query @ far + 0.2)
"""


GERMAN = (
    "Die Waage wird über RS-232 ausgelesen.",
    "Passwörter werden mit argon2id gehasht.",
    "Das Testsystem wird abends um acht abgeschaltet.",
    "Preise werden erst am Ende kaufmännisch gerundet.",
)
ENGLISH = (
    "The scale is read over RS-232.",
    "Passwords are hashed with argon2id.",
    "The test system is shut down at eight in the evening.",
    "Prices are rounded at the end.",
)


@pytest.fixture(scope="module")
def embedder() -> LocalEmbedder:
    return LocalEmbedder()


@pytest.mark.parametrize(("name", "expected"), CHECKSUMS.items())
def test_the_shipped_files_are_the_ones_that_were_built(name: str, expected: str) -> None:
    assert hashlib.sha256((SHIPPED / name).read_bytes()).hexdigest() == expected
    assert expected in (SHIPPED / "ORIGIN.md").read_text(encoding="utf-8")


def test_the_model_travels_with_its_licence() -> None:
    assert "Apache License" in (SHIPPED / "LICENSE").read_text(encoding="utf-8")
    assert "all-MiniLM-L6-v2" in (SHIPPED / "NOTICE").read_text(encoding="utf-8")


@pytest.mark.promise("B1")
def test_meaning_is_found_without_network_key_or_service(tmp_path: Path) -> None:
    command = [sys.executable, "-I", "-c", OFFLINE, str(tmp_path / "home")]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path, env={})
    assert done.stdout.split() == ["all-MiniLM-L6-v2/notes-3", "True"]


@pytest.mark.promise("B1")
def test_embedding_leaves_nothing_in_the_home_of_its_user(tmp_path: Path) -> None:
    """The runtime keeps a device id and reports with it, unless it is told not to before it is imported."""
    program = "from recollect.providers.local import LocalEmbedder; LocalEmbedder().embed(['a'])"
    environment = {**os.environ, "HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    environment.pop("ORT_DISABLE_TELEMETRY", None)
    subprocess.run([sys.executable, "-c", program], env=environment, check=True, timeout=PATIENCE_S)
    assert list(tmp_path.rglob("*")) == []


@pytest.mark.promise("E10")
@pytest.mark.parametrize(
    ("query", "near", "far"),
    [
        ("the build is broken", "compilation failed with errors", "the cat sleeps on the sofa"),
        ("How are passwords stored?", "Credentials are hashed with bcrypt.", "Invoices are sent on Mondays."),
        ("read a file in Python", "with open(path) as f:\n    text = f.read()", "SELECT count(*) FROM orders"),
        ("sqlite3.OperationalError: database is locked", "two writers block each other", "the logo is green"),
    ],
)
def test_a_paraphrase_is_nearer_than_an_unrelated_text(
    embedder: LocalEmbedder, query: str, near: str, far: str
) -> None:
    vectors = embedder.embed([query, near, far])
    assert vectors[0] @ vectors[1] > vectors[0] @ vectors[2] + 0.1


@pytest.mark.promise("E10")
def test_vectors_have_unit_length(embedder: LocalEmbedder) -> None:
    vectors = embedder.embed(["", " ", "x", "\x00", "\ud800", "東京 😀", *TEXTS])
    assert vectors.shape == (6 + len(TEXTS), DIMENSIONS) and vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


@pytest.mark.promise("E10")
def test_a_vector_is_the_mean_of_the_token_states_weighted_by_the_attention_mask(embedder: LocalEmbedder) -> None:
    import onnxruntime
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(SHIPPED / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    encoding = tokenizer.encode(TEXTS[0])
    options = onnxruntime.SessionOptions()
    for entry, value in SESSION_ENTRIES.items():
        options.add_session_config_entry(entry, value)
    session = onnxruntime.InferenceSession(str(SHIPPED / "model.onnx"), options, providers=["CPUExecutionProvider"])
    names = {"input_ids": encoding.ids, "attention_mask": encoding.attention_mask, "token_type_ids": encoding.type_ids}
    states = session.run(None, {name: np.array([values], dtype=np.int64) for name, values in names.items()})[0][0]
    mean = np.average(states, axis=0, weights=encoding.attention_mask)
    assert np.allclose(embedder.embed([TEXTS[0]])[0], mean / np.linalg.norm(mean), atol=1e-3)


def test_a_text_has_the_same_vector_alone_and_in_any_company(embedder: LocalEmbedder) -> None:
    """To the bit: no other text takes part in the run that makes it, so quantisation cannot leak between texts."""
    together = embedder.embed(TEXTS)
    assert np.array_equal(together, np.concatenate([embedder.embed([text]) for text in TEXTS]))
    assert np.array_equal(together[::-1], embedder.embed(TEXTS[::-1]))


@pytest.mark.promise("E10")
def test_what_follows_token_512_is_not_read(embedder: LocalEmbedder) -> None:
    read = MAX_TOKENS - 2  # the model's own marks stand at both ends
    words, last, beyond = embedder.embed(
        ["dog " * read, "dog " * (read - 1) + "engine", "dog " * read + "engine " * 1000]
    )
    assert np.array_equal(words, beyond)
    assert not np.array_equal(words, last)


def test_a_megabyte_of_text_is_embedded_by_its_beginning(embedder: LocalEmbedder) -> None:
    start, whole = embedder.embed(["the cat " * 300, "the cat " * 131_072])
    assert np.array_equal(start, whole)


def test_nothing_in_gives_nothing_out_and_loads_nothing(tmp_path: Path) -> None:
    assert LocalEmbedder(folder=tmp_path).embed([]).shape == (0, DIMENSIONS)


def test_threads_may_share_an_embedder_from_its_first_use(embedder: LocalEmbedder) -> None:
    fresh = LocalEmbedder()
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda _: fresh.embed(TEXTS[:2]), range(8)))
    expected = embedder.embed(TEXTS[:2])
    assert all(np.array_equal(answer, expected) for answer in answers)


def test_more_threads_give_the_same_meaning(embedder: LocalEmbedder) -> None:
    """Sums may be taken in another order, and int8 rounding makes the most of it: alike, not equal."""
    cosines = (LocalEmbedder(threads=2).embed(TEXTS) * embedder.embed(TEXTS)).sum(axis=1)
    assert cosines.min() > 0.98


@pytest.mark.parametrize("missing", ["model.onnx", "tokenizer.json"])
def test_a_missing_model_file_is_said_with_what_to_do(tmp_path: Path, missing: str) -> None:
    for name in CHECKSUMS.keys() - {missing}:
        (tmp_path / name).symlink_to(SHIPPED / name)
    with pytest.raises(EmbeddingFailed) as caught:
        LocalEmbedder(folder=tmp_path).embed(["text"])
    assert missing in caught.value.message and "Reinstall" in caught.value.hint


@pytest.mark.parametrize("damaged", ["model.onnx", "tokenizer.json"])
def test_a_damaged_model_file_is_said_with_what_to_do(tmp_path: Path, damaged: str) -> None:
    for name in CHECKSUMS.keys() - {damaged}:
        (tmp_path / name).symlink_to(SHIPPED / name)
    (tmp_path / damaged).write_bytes((SHIPPED / damaged).read_bytes()[:1000])
    with pytest.raises(EmbeddingFailed) as caught:
        LocalEmbedder(folder=tmp_path).embed(["text"])
    assert "cannot be loaded" in caught.value.message and "Reinstall" in caught.value.hint


@pytest.mark.parametrize(
    ("lasting", "passing"),
    [
        ("from now on run ruff before every commit", "run ruff on this file once more"),
        ("the staging database is wiped every sunday", "the staging database is down at the moment"),
        ("i hate nested ternaries", "this ternary looks odd"),
        ("we went with sqlite, no extra service", "open the sqlite file"),
    ],
)
def test_the_classifier_tells_what_lasts(embedder: LocalEmbedder, lasting: str, passing: str) -> None:
    alone = " … "
    assert embedder.classify(lasting, alone).lasts > 1 > -1 > embedder.classify(passing, alone).lasts


def test_the_classifier_tells_which_statement_replaces_another(embedder: LocalEmbedder) -> None:
    old = "The nightly backup goes to the NAS in the office."
    new, other = "Backups are written to an S3 bucket in Frankfurt, the NAS is gone.", "The NAS in the office has 8 TB."
    assert embedder.classify(new, old).replaces > 1 > -1 > embedder.classify(other, old).replaces


@pytest.mark.parametrize("text", ["", "\x00", "\ud800", "東京 😀", "word " * 20_000])
def test_the_classifier_answers_for_any_text(embedder: LocalEmbedder, text: str) -> None:
    answers = embedder.classify(text, text)
    assert len(answers.kinds) == 6 and all(map(math.isfinite, (answers.lasts, *answers.kinds, answers.replaces)))


def test_a_missing_classifier_is_said_with_what_to_do(tmp_path: Path) -> None:
    for name in CHECKSUMS:
        (tmp_path / name).symlink_to(SHIPPED / name)
    with pytest.raises(EmbeddingFailed) as caught:
        LocalEmbedder(folder=tmp_path).classify("one", "other")
    assert "classifier.onnx" in caught.value.message and "Reinstall" in caught.value.hint


def test_directions_give_the_deviation_of_the_words_of_a_text(embedder: LocalEmbedder) -> None:
    other = embedder.embed(["The deploy fails at night."])[0]
    directions = embedder.directions("green tea tastes")  # as many directions as words: nothing is left out
    assert directions.shape == (DIRECTIONS, DIMENSIONS)
    tokens = embedder._last[1][1:-1]
    cosines = tokens @ other / np.linalg.norm(tokens, axis=1)
    assert len(cosines) == 3
    assert float(((directions @ other) ** 2).sum() ** 0.5) == pytest.approx(float(cosines.std()), abs=1e-6)
    assert embedder.directions("tea").shape == (0, DIMENSIONS)


def test_long_questions_have_the_directions_of_the_largest_deviations(embedder: LocalEmbedder) -> None:
    text = " ".join(TEXTS[:4])
    directions = embedder.directions(text)
    tokens = embedder._last[1][1:-1][:MAX_QUESTION_TOKENS]
    assert len(tokens) > PLAIN_ROWS
    unit = tokens / np.linalg.norm(tokens, axis=1, keepdims=True)
    deviations = np.linalg.svd(unit - unit.mean(axis=0), compute_uv=False)[:DIRECTIONS] / len(unit) ** 0.5
    assert sorted(np.linalg.norm(directions, axis=1), reverse=True) == pytest.approx(deviations, rel=1e-5)
    assert directions @ directions.T == pytest.approx(np.diag(np.linalg.norm(directions, axis=1) ** 2), abs=1e-6)


def test_the_directions_of_the_text_embedded_last_cost_no_run(
    embedder: LocalEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    embedder.embed([TEXTS[0]])
    expected = embedder.directions(TEXTS[0])
    monkeypatch.setattr(embedder, "_vector", None)
    assert np.array_equal(embedder.directions(TEXTS[0]), expected)


def test_a_question_is_near_to_what_it_is_about_and_not_to_all_that_is_said_in_its_language(
    embedder: LocalEmbedder,
) -> None:
    def cosines(question: str, texts: tuple[str, ...]) -> tuple[np.ndarray, np.ndarray]:
        (vector,) = embedder.embed([question])
        known = embedder.embed(texts)
        return known @ vector, known @ without_language(vector)

    whole, plain = cosines("mach den Knopf größer", GERMAN)
    assert whole.mean() > 0.25
    assert plain.max() < 0.2
    whole, plain = cosines("wie hashen wir Passwörter?", GERMAN)
    assert plain.argmax() == 1
    assert plain[1] > np.delete(plain, 1).max() + 0.1
    whole, plain = cosines("how do we hash passwords?", ENGLISH)
    assert np.abs(whole - plain).max() < 0.05
