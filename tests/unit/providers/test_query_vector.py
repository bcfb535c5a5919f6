"""The vector of a question without the model: its tokens, its arithmetic, and how near it is to the model's."""

from __future__ import annotations

import json
from pathlib import Path
from zlib import crc32

import numpy as np
import pytest
import tokenizers
from hypothesis import given
from hypothesis import strategies as st

from recollect.providers import query_vector as table
from recollect.providers.local import DIMENSIONS, LocalEmbedder

NOTES = Path(__file__).parents[3] / "bench" / "notes" / "memories.jsonl"
QUESTIONS = (
    "how do we deploy to production?",
    "which database does the billing service use?",
    "why did the nightly import fail?",
    "add a migration for the invoices table",
    "where are the backups stored?",
)
AWKWARD = (
    "",
    "  \n\t",
    "user_id != None && a->b",
    "Zürich, café, naïve, Ærø, straße",
    "x" * 101,
    "C++ and F# in node_modules/.bin/tsc --noEmit",
    "don't won't it's 3.14 1,000",
    "qzxv" * 20,
)


@pytest.fixture(scope="module")
def tokenizer() -> tokenizers.Tokenizer:
    found = tokenizers.Tokenizer.from_file(str(table.TABLE.with_name("tokenizer.json")))
    found.no_padding()
    found.no_truncation()
    return found


def test_the_tokens_are_those_of_the_tokenizer(tokenizer: tokenizers.Tokenizer) -> None:
    notes = [json.loads(line)["text"] for line in NOTES.read_text(encoding="utf-8").splitlines()][:400]
    with table.TABLE.open("rb") as file:
        opened = table.open_table(file)
        for text in (*notes, *AWKWARD, *QUESTIONS):
            expected = tokenizer.encode(text, add_special_tokens=False).tokens
            found = [opened.tokens[token] for token in table.tokens(text, opened)]
            assert found == [crc32(token.encode()) for token in expected if token != "[UNK]"], text


def test_every_token_of_latin_script_is_in_the_table(tokenizer: tokenizers.Tokenizer) -> None:
    with table.TABLE.open("rb") as file:
        opened = table.open_table(file)
        ascii_tokens = [token for token in tokenizer.get_vocab() if token.isascii() and token[0] != "["]
        assert len(ascii_tokens) > 25_000
        assert len({opened.find(token) for token in ascii_tokens} - {None}) == len(ascii_tokens)
        assert opened.find("[unused7]") is None


def test_a_question_is_near_to_its_vector_by_the_model() -> None:
    exact = LocalEmbedder().embed(QUESTIONS)
    found = np.array([table.query_vector(text) for text in QUESTIONS])
    assert np.allclose(np.linalg.norm(found, axis=1), 1)
    cosines = found @ exact.T
    assert np.diag(cosines).mean() > 0.65
    assert (cosines.argmax(axis=1) == np.arange(len(QUESTIONS))).all()


@pytest.mark.parametrize("text", ["", "...".replace(".", " "), "日本語", "x" * 101])
def test_a_text_without_known_words_has_no_vector(text: str) -> None:
    assert table.query_vector(text) is None


def test_cosines_are_those_of_the_stored_vectors() -> None:
    chance = np.random.default_rng(0)
    rows = chance.normal(size=(300, DIMENSIONS))
    rows[:100] += rows[0]  # some that are near to the first
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    found = table.cosines(rows[0].tolist(), [row.astype("<f2").tobytes() for row in rows])
    assert np.abs(np.array(found) - rows @ rows[0]).max() < 0.02


def test_numbers_that_are_none_count_as_nothing() -> None:
    broken = np.array([np.nan, np.inf, -np.inf, 0.0] * 96, "<f2").tobytes()
    (found,) = table.cosines([0.05] * DIMENSIONS, [broken])
    assert abs(found) < 1


@given(st.lists(st.tuples(st.floats(-1e3, 1e3), st.binary(min_size=5, max_size=5)), min_size=1, max_size=40))
def test_sums_with_weights_are_those_of_numpy(rows: list[tuple[float, bytes]]) -> None:
    weights = [weight for weight, _ in rows]
    bytes_ = np.array([list(row) for _, row in rows], float) - 128
    found = table.weighted_sum(weights, (row for _, row in rows), 5)
    assert np.allclose(found, np.array(weights) @ bytes_, atol=1e-3 + 1e-4 * sum(map(abs, weights)))


def test_the_vectors_are_of_the_shipped_model() -> None:
    assert LocalEmbedder.model_id == table.model_id("off")
