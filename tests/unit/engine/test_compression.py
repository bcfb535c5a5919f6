"""Long observations are shortened by a language model where that is wanted, and stay as they are where it is not."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests import payloads
from tests.fakes import FrozenClock, ScriptedModel
from tests.waiting import until

from recollect import Engine
from recollect.engine.records.memory_rows import content_hash
from recollect.engine.sessions import llm_jobs as module
from recollect.errors import ModelFailed
from recollect.model import Errand, Ingested, Memory, Observed

OpenEngine = Callable[..., Engine]

PAGE = " ".join(
    f"Rule {number} of the shop in tax_table_{number % 3}.md is that prices are gross." for number in range(9)
)
SHORT = "The web page on tax says that all prices in tax_table_0.md, tax_table_1.md and tax_table_2.md are gross."


def fetched(page: str = PAGE, url: str = "https://shop.example/tax") -> bytes:
    """Return a page that was fetched, in Claude Code."""
    return payloads.used("WebFetch", {"url": url, "prompt": "What is the tax?"}, {"result": page})


@pytest.fixture
def model() -> ScriptedModel:
    return ScriptedModel(SHORT)


@pytest.fixture
def engine(open_engine: OpenEngine, model: ScriptedModel, frozen: FrozenClock) -> Engine:
    return open_engine(model=model, embed_provider="off", compress_provider="llm", compress_min_characters=300)


def only(engine: Engine) -> Memory:
    (memory,) = engine.store.find(Memory)
    return memory


def take(engine: Engine, *raw: bytes) -> Ingested:
    for each in raw:
        engine.capture.put(each)
    return engine.capture.ingest()


def raw_of(open_engine: OpenEngine, tmp_path: Path, payload: bytes) -> Memory:
    """Return what is stored of a payload where nothing is shortened."""
    plain = open_engine(home=str(tmp_path / "plain"), embed_provider="off")
    take(plain, payload)
    return only(plain)


@pytest.mark.promise("E21")
def test_nothing_is_shortened_unless_it_is_wanted(open_engine: OpenEngine, model: ScriptedModel) -> None:
    engine = open_engine(model=model, embed_provider="off", compress_min_characters=1)
    assert take(engine, fetched()).compressed == 0
    assert model.asked == [] and engine.store.count(Errand) == 0
    assert "compressed" not in only(engine).metadata and PAGE[:100] in only(engine).content


@pytest.mark.promise("E21")
def test_a_long_observation_is_shortened_and_says_how_long_it_was(
    engine: Engine, model: ScriptedModel, open_engine: OpenEngine, tmp_path: Path
) -> None:
    raw = raw_of(open_engine, tmp_path, fetched())
    assert take(engine, fetched()) == Ingested(taken=1, stored=1, compressed=1)
    memory = only(engine)
    assert memory.content == SHORT
    assert memory.metadata["compressed"] is True and memory.metadata["original_len"] == len(raw.content)
    assert memory.metadata["compressed_by"] == model.model_id
    assert (memory.content_hash, memory.tags, memory.memory_type) == (
        content_hash(raw.content),
        raw.tags,
        raw.memory_type,
    )
    assert engine.recall.search("prices gross").hits[0].memory.id == memory.id
    assert engine.llm_jobs.waiting() == {}


@pytest.mark.promise("E21")
def test_the_same_observation_again_stays_one_memory_by_the_hash_of_what_was_seen(
    engine: Engine, model: ScriptedModel, frozen: FrozenClock
) -> None:
    take(engine, fetched())
    frozen.at += 3600
    answer = take(engine, payloads.used("WebFetch", {"url": "https://shop.example/tax", "prompt": "What is the tax?"},
                                        {"result": PAGE}, call="again"))  # fmt: skip
    assert (answer.stored, answer.merged, answer.compressed) == (0, 1, 0)
    assert only(engine).content == SHORT and only(engine).metadata["compressed"] is True
    assert len(model.asked) == 1


def test_a_short_observation_and_a_prompt_are_left_alone(engine: Engine, model: ScriptedModel) -> None:
    take(engine, payloads.looked(), payloads.claude("UserPromptSubmit", prompt=PAGE))
    assert engine.store.count(Memory) == 2
    assert model.asked == [] and engine.store.count(Errand) == 0


def test_what_was_seen_is_stored_before_a_model_is_asked_and_searching_does_not_wait_for_it(
    engine: Engine, model: ScriptedModel
) -> None:
    engine.capture.put(fetched())
    engine.recall.search("prices")
    assert model.asked == [] and PAGE[:100] in only(engine).content
    assert engine.llm_jobs.waiting() == {"compress": 1}
    assert engine.capture.ingest().compressed == 1


def test_undo_brings_back_what_was_seen(engine: Engine) -> None:
    take(engine, fetched())
    (change,) = [row for row in engine.admin.changes(limit=50).changes if row.operation == "compress_memory"]
    engine.admin.undo(change.batch)
    assert PAGE[:100] in only(engine).content and "compressed" not in only(engine).metadata


def test_taking_back_the_last_change_does_not_mean_what_was_shortened_unasked(engine: Engine) -> None:
    engine.capture.put(fetched())
    engine.capture.drain()
    engine.memories.store("Prices are gross.")
    assert engine.llm_jobs.run() == {"compress": 1}
    engine.admin.undo()
    assert only(engine).content == SHORT


@pytest.mark.parametrize(
    "answer", ["", "Done.", PAGE, "made_up_name.py is what prices are gross in, says tax_table_0.md"]
)
def test_an_answer_of_no_use_leaves_the_observation_as_it_is(engine: Engine, model: ScriptedModel, answer: str) -> None:
    model.says = answer
    assert take(engine, fetched()).compressed == 0
    assert PAGE[:100] in only(engine).content and "compressed" not in only(engine).metadata


def test_a_model_that_gives_its_prompt_back_changes_nothing(engine: Engine, model: ScriptedModel) -> None:
    model.says = lambda prompt: prompt
    assert take(engine, fetched()).compressed == 0
    assert PAGE[:100] in only(engine).content and engine.llm_jobs.waiting() == {}


def test_a_model_that_fails_is_tried_again_and_given_up_after_some_tries(
    engine: Engine, model: ScriptedModel, frozen: FrozenClock
) -> None:
    model.failure = ModelFailed("nobody answers")
    answer = take(engine, fetched())
    assert (answer.stored, answer.compressed, answer.notes) == (1, 0, ())
    assert engine.llm_jobs.waiting() == {"compress": 1}
    engine.capture.ingest()
    assert len(model.asked) == 1  # it is left alone for a while
    for _ in range(module.TRIES + 2):
        frozen.at += 400
        engine.capture.ingest()
    assert len(model.asked) == module.TRIES
    assert engine.llm_jobs.waiting() == {} and PAGE[:100] in only(engine).content


def test_a_model_that_comes_back_does_what_was_left(engine: Engine, model: ScriptedModel, frozen: FrozenClock) -> None:
    model.failure = ModelFailed("nobody answers")
    take(engine, fetched())
    model.failure = None
    frozen.at += 400
    assert engine.capture.ingest() == Ingested(compressed=1)
    assert only(engine).content == SHORT


def test_a_prompt_that_is_refused_concerns_its_observation_alone(engine: Engine, model: ScriptedModel) -> None:
    model.says = lambda prompt: refuse(prompt) if "Bitcoin" in prompt else SHORT
    answer = take(engine, fetched(PAGE + " Bitcoin is not taken."), fetched(url="https://shop.example/other"))
    assert (answer.stored, answer.compressed) == (2, 1)
    assert engine.llm_jobs.waiting() == {}


def refuse(_: str) -> str:
    raise ModelFailed("too long", status=413)


def test_what_the_budget_does_not_cover_waits_for_the_next_day(
    open_engine: OpenEngine, model: ScriptedModel, frozen: FrozenClock
) -> None:
    options = {"compress_provider": "llm", "compress_min_characters": 300, "llm_max_calls_per_day": 1}
    engine = open_engine(model=model, embed_provider="off", **options)
    assert take(engine, *(fetched(url=f"https://shop.example/{number}") for number in range(3))).compressed == 1
    assert engine.llm_jobs.waiting() == {"compress": 2}
    check = next(row for row in engine.admin.health().checks if row.name == "language model")
    assert check.status == "degraded" and "daily limit" in check.detail and "2 to compress" in check.detail
    frozen.at += 86_400
    assert engine.capture.ingest().compressed == 1
    frozen.at += module.KEPT_S + 86_400
    engine.capture.ingest()
    assert engine.llm_jobs.waiting() == {}  # too old: it stays as it is


def test_tokens_are_within_the_budget_too(open_engine: OpenEngine, model: ScriptedModel) -> None:
    options = {"compress_provider": "llm", "compress_min_characters": 300, "llm_max_tokens_per_day": 400}
    engine = open_engine(model=model, embed_provider="off", **options)
    assert take(engine, fetched()).compressed == 0
    assert model.asked == [] and engine.llm_jobs.waiting() == {"compress": 1}
    assert engine.store.find(Errand)[0].tries == 0


def test_no_secret_is_sent_even_if_it_is_stored(engine: Engine, model: ScriptedModel) -> None:
    key = "sk-ant-api03-" + "Ab3dE9fGh1" * 9 + "-AAAA"
    take(engine, fetched(f"{PAGE} The key is {key}."))
    engine.llm.complete(f"Is {key} a key?", max_tokens=5)
    assert len(model.asked) == 2
    assert key not in repr(model.asked) and key not in repr(engine.store.find(Memory))


def test_a_memory_that_was_changed_meanwhile_keeps_the_change(engine: Engine, model: ScriptedModel) -> None:
    def change(_: str) -> str:
        engine.memories.update(only(engine).id, content="Prices are net.")
        return SHORT

    model.says = change
    assert take(engine, fetched()).compressed == 0
    assert only(engine).content == "Prices are net."


def test_a_memory_that_was_deleted_meanwhile_stays_deleted(engine: Engine, model: ScriptedModel) -> None:
    engine.capture.put(fetched())
    engine.capture.drain()
    engine.memories.delete(only(engine).id)
    assert engine.capture.ingest().compressed == 0
    assert model.asked == [] and engine.store.count(Memory) == 0 and engine.llm_jobs.waiting() == {}


def test_an_errand_is_taken_by_one_process_and_comes_back_if_that_dies(
    engine: Engine, model: ScriptedModel, frozen: FrozenClock
) -> None:
    engine.capture.put(fetched())
    engine.capture.drain()
    model.failure = KeyboardInterrupt()  # type: ignore[assignment]
    with pytest.raises(KeyboardInterrupt):
        engine.llm_jobs.run()
    model.failure = None
    assert sum(engine.llm_jobs.run().values()) == 0  # whoever took it may still be at it
    frozen.at += module.LEASE_S
    assert engine.llm_jobs.run() == {"compress": 1}
    assert only(engine).content == SHORT


def test_a_server_shortens_in_the_background(
    open_engine: OpenEngine, model: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "POLL_S", 0.01)
    engine = open_engine(model=model, embed_provider="off", compress_provider="llm", compress_min_characters=300)
    engine.llm_jobs.start()
    assert engine.llm_jobs.running
    assert take(engine, fetched()).compressed == 0  # not by whoever takes it in
    until(lambda: engine.llm_jobs.waiting() == {})
    assert only(engine).content == SHORT


def test_without_anything_to_do_for_a_model_no_thread_is_started(open_engine: OpenEngine) -> None:
    engine = open_engine(embed_provider="off")
    engine.llm_jobs.start()
    assert not engine.llm_jobs.running


def test_a_shortened_memory_is_recognised_after_export_and_import(
    engine: Engine, open_engine: OpenEngine, tmp_path: Path
) -> None:
    take(engine, fetched())
    file = tmp_path / "out.jsonl"
    engine.archive.export(str(file))
    other = open_engine(home=str(tmp_path / "other"), embed_provider="off")
    other.archive.import_(str(file))
    assert only(other).content_hash == only(engine).content_hash != content_hash(SHORT)
    assert take(other, fetched()).merged == 1


def test_each_observation_is_still_noted_once(engine: Engine) -> None:
    take(engine, fetched(), fetched(), fetched(url="https://shop.example/other"))
    assert engine.store.count(Observed) == 2 and engine.store.count(Memory) == 2
