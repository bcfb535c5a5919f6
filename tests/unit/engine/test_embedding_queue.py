"""Vectors catch up with memories by themselves, and search stays honest while they have not."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from tests.fakes import HashingEmbedder
from tests.waiting import PATIENCE_S, until

from recollect import Engine, progress
from recollect.engine.models.embedding_queue import NEWEST, Embedding
from recollect.engine.models.similarity_calibration import texts
from recollect.errors import Cancelled, EmbeddingFailed


def fill(engine: Engine, count: int) -> None:
    for number in range(count):
        engine.memories.store(f"needle number {number}")


def statuses(engine: Engine) -> dict[str, str]:
    return {check.name: check.status for check in engine.admin.health().checks}


# --- on demand ---


def test_storing_and_changing_never_ask_the_embedder(engine: Engine, embedder: HashingEmbedder) -> None:
    embedder.failing = True
    memory = engine.memories.store("x").memory
    engine.memories.update(memory.id, content="y")
    engine.memories.delete(memory.id)
    assert embedder.embedded == []
    assert engine.embedding.failure is None


def test_a_search_makes_the_vectors_that_are_missing_and_uses_them(engine: Engine, embedder: HashingEmbedder) -> None:
    fill(engine, 3)
    found = engine.recall.search("needle number 1")
    assert (found.mode, found.notes) == ("hybrid", ())
    assert found.hits[0].memory.content == "needle number 1"
    assert found.hits[0].signals.semantic == pytest.approx(1, abs=1e-3)
    assert engine.embedding.coverage() == (3, 3)
    embedder.embedded.clear()
    engine.recall.search("needle number 2")
    assert embedder.embedded == ["needle number 2"]


def test_newest_memories_are_embedded_first_by_headline_and_content(engine: Engine, embedder: HashingEmbedder) -> None:
    engine.memories.store("first", title="Headline")
    engine.memories.store("second")
    assert engine.embedding.catch_up() == 2
    assert embedder.embedded == ["second", "Headline\nfirst"]


def test_a_search_makes_no_more_vectors_than_it_may_and_says_what_is_missing(
    open_engine: Callable[..., Engine], embedder: HashingEmbedder
) -> None:
    engine = open_engine(embedder=embedder, embed_on_demand=3)
    fill(engine, 5)
    first = engine.recall.search("needle", min_score=0.0)
    assert first.mode == "hybrid"
    assert first.notes == ("2 of 5 memories are not embedded yet",)
    assert len(first.hits) == 5
    assert len(set(embedder.embedded) - set(texts())) == 4  # three memories and the question
    second = engine.recall.search("needle")
    assert (second.mode, second.notes) == ("hybrid", ())


def test_a_memory_without_a_vector_ranks_above_a_worse_match_with_one(
    open_engine: Callable[..., Engine], embedder: HashingEmbedder
) -> None:
    engine = open_engine(embedder=embedder, embed_on_demand=0)
    engine.memories.store("reads the format")
    engine.embedding.catch_up()
    newer = engine.memories.store("the tokenizer which came in June also reads the other format").memory
    found = engine.recall.search("tokenizer reads the format", min_score=0.0)
    assert found.mode == "hybrid"
    assert found.notes == ("1 of 2 memories are not embedded yet",)
    assert found.hits[0].memory.id == newer.id


def test_searches_make_vectors_once_most_memories_have_one(
    open_engine: Callable[..., Engine], embedder: HashingEmbedder
) -> None:
    engine = open_engine(embedder=embedder, embed_on_demand=2)
    fill(engine, 5)
    first = engine.recall.search("needle", min_score=0.0)
    assert first.mode == "lexical"
    assert first.notes[0] == "5 of 5 memories are not embedded yet"
    assert len(first.hits) == 5
    assert embedder.embedded == [], "no search embeds what it cannot use"
    engine.embedding.catch_up(1)
    assert engine.recall.search("needle").mode == "hybrid"
    assert engine.embedding.coverage() == (3, 5)


def test_a_changed_memory_is_embedded_again(engine: Engine, embedder: HashingEmbedder) -> None:
    memory = engine.memories.store("old words").memory
    engine.embedding.catch_up()
    engine.memories.update(memory.id, content="new words")
    engine.memories.update(memory.id, importance=0.1)
    assert engine.embedding.coverage() == (0, 1)
    assert engine.embedding.catch_up() == 1
    assert embedder.embedded == ["old words", "new words"]
    assert engine.embedding.catch_up() == 0


def test_catching_up_can_be_bounded_and_reports_how_far_it_is(engine: Engine) -> None:
    fill(engine, 80)
    heard: list[int] = []
    with progress.reporting_to(lambda done, total, message: heard.append(done)):
        assert engine.embedding.catch_up(40) == 40
        assert engine.embedding.coverage() == (40, 80)
        engine.embedding.catch_up()
    assert heard == sorted(heard[:2]) + sorted(heard[2:])
    assert heard[1] == 40
    assert engine.embedding.coverage() == (80, 80)


def test_catching_up_that_is_withdrawn_keeps_what_it_made(engine: Engine) -> None:
    fill(engine, 80)

    def withdraw(done: int, total: int | None, message: str) -> None:
        raise Cancelled("enough")

    with pytest.raises(Cancelled), progress.reporting_to(withdraw):
        engine.embedding.catch_up()
    made, total = engine.embedding.coverage()
    assert (0 < made < total, total) == (True, 80)


# --- long memories ---


def long_text(parts: int) -> str:
    """A text of as many passages, each of which begins with its number."""
    return "\n\n".join(f"{number} " + "word " * 190 for number in range(parts))


def test_every_passage_of_a_long_memory_is_embedded_under_its_headline(
    engine: Engine, embedder: HashingEmbedder
) -> None:
    engine.memories.store(long_text(4), title="Headline")
    assert engine.embedding.catch_up() == 1
    assert [text.split()[:2] for text in embedder.embedded] == [["Headline", str(number)] for number in range(4)]
    assert engine.embedding.coverage() == (1, 1)
    stats = engine.admin.stats()
    assert (stats.memories, stats.embeddings, stats.pending_embeddings) == (1, 1, 0)


def test_a_bound_on_catching_up_counts_passages_and_a_memory_that_does_not_fit_is_made_in_parts(
    engine: Engine, embedder: HashingEmbedder
) -> None:
    for number in (3, 4, 2):
        engine.memories.store(long_text(number))
    assert engine.embedding.catch_up(5) == 2
    assert len(embedder.embedded) == 5
    assert engine.embedding.coverage() == (2, 3)
    assert engine.embedding.catch_up(3) == 0
    assert engine.embedding.catch_up(4) == 1
    assert len(embedder.embedded) == 9


def test_when_the_embedder_fails_amid_long_memories_those_that_were_whole_are_kept(
    engine: Engine, embedder: HashingEmbedder
) -> None:
    for number in range(60):
        engine.memories.store(f"{number} {long_text(3)}")

    def fail_later() -> None:
        embedder.failing = len(embedder.embedded) >= 60

    embedder.when_called = fail_later
    with pytest.raises(EmbeddingFailed):
        engine.embedding.catch_up()
    made, total = engine.embedding.coverage()
    assert (made >= 10, total) == (True, 60)


def test_a_memory_whose_vectors_are_not_all_made_does_not_count(engine: Engine, embedder: HashingEmbedder) -> None:
    engine.memories.store(long_text(40))
    embedder.when_called = lambda: setattr(embedder, "failing", bool(embedder.embedded))
    with pytest.raises(EmbeddingFailed):
        engine.embedding.catch_up()
    assert len(embedder.embedded) < 40
    assert engine.embedding.coverage() == (0, 1)
    assert engine.store.count_vectors(engine.embedding.model_id) == 0


# --- degraded ---


def test_without_an_embedder_search_is_by_words_and_says_so(open_engine: Callable[..., Engine]) -> None:
    engine = open_engine(embed_provider="off")
    fill(engine, 2)
    found = engine.recall.search("needle")
    assert (found.mode, len(found.hits)) == ("lexical", 2)
    assert found.notes == ("embeddings are off: search is keyword-only",)
    assert engine.admin.stats().pending_embeddings == 0
    assert statuses(engine) == {
        "storage": "ok", "vectors": "degraded", "graph": "ok", "code": "ok", "embeddings": "ok", "language model": "ok",
        "disk": "ok", "consolidation": "ok", "capture": "ok",
    }  # fmt: skip


def test_while_the_embedder_fails_search_is_by_words_and_says_why(engine: Engine, embedder: HashingEmbedder) -> None:
    fill(engine, 2)
    embedder.failing = True
    found = engine.recall.search("needle")
    assert (found.mode, len(found.hits)) == ("lexical", 2)
    assert "2 of 2 memories are not embedded yet" in found.notes
    failure = engine.embedding.failure
    assert failure is not None
    assert failure.code == "EMBEDDING_FAILED"


def test_a_question_that_cannot_be_embedded_is_searched_by_words(engine: Engine, embedder: HashingEmbedder) -> None:
    fill(engine, 2)
    engine.recall.search("needle")
    embedder.failing = True
    found = engine.recall.search("needle number")
    assert (found.mode, len(found.hits)) == ("lexical", 2)
    assert any("the fake provider is down" in note for note in found.notes)
    assert statuses(engine)["embeddings"] == "degraded"


def test_an_embedder_that_failed_is_left_alone_for_a_while(engine: Engine, embedder: HashingEmbedder) -> None:
    fill(engine, 2)
    calls: list[int] = []
    embedder.when_called = lambda: calls.append(1)
    embedder.failing = True
    for _ in range(5):
        assert engine.recall.search("needle").mode == "lexical"
    assert len(calls) == 2, "the memories, and a text of our own that tells whether the embedder is down"
    with pytest.raises(EmbeddingFailed):
        engine.embedding.catch_up()
    assert len(calls) == 2


def test_an_embedder_that_answers_again_is_used_again(engine: Engine, embedder: HashingEmbedder) -> None:
    fill(engine, 2)
    embedder.failing = True
    assert engine.recall.search("needle").mode == "lexical"
    assert statuses(engine)["embeddings"] == "degraded"
    embedder.failing = False
    assert statuses(engine)["embeddings"] == "ok"
    assert engine.embedding.failure is None
    assert engine.recall.search("needle").mode == "hybrid"


class Broken(HashingEmbedder):
    """An embedder that does not keep to the protocol."""

    def __init__(self, answer: Callable[[Sequence[str]], Any]) -> None:
        super().__init__()
        self._answer = answer

    def embed(self, texts: Sequence[str]) -> Any:
        return self._answer(texts)


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(lambda texts: 1 / 0, id="raises"),
        pytest.param(lambda texts: np.ones((len(texts) + 1, 4), np.float32), id="too many"),
        pytest.param(lambda texts: np.ones((0, 4), np.float32), id="none"),
    ],
)
def test_whatever_an_embedder_does_a_search_answers(
    open_engine: Callable[..., Engine], answer: Callable[[Sequence[str]], Any]
) -> None:
    engine = open_engine(embedder=Broken(answer))
    fill(engine, 2)
    found = engine.recall.search("needle")
    assert (found.mode, len(found.hits)) == ("lexical", 2)
    assert statuses(engine)["embeddings"] == "degraded"


# --- another model ---


def test_after_a_change_of_model_search_is_by_words_until_most_vectors_are_new(
    engine: Engine, open_engine: Callable[..., Engine]
) -> None:
    fill(engine, 4)
    engine.embedding.catch_up()
    other = open_engine(embedder=HashingEmbedder(16, model_id="another"), embed_on_demand=1)
    assert other.admin.stats().pending_embeddings == 4
    found = other.recall.search("needle")
    assert (found.mode, len(found.hits)) == ("lexical", 4)
    assert statuses(other)["vectors"] == "degraded"
    other.embedding.catch_up()
    assert other.recall.search("needle").mode == "hybrid"
    assert statuses(other)["vectors"] == "ok"
    # The process that still has the first model is not disturbed.
    assert engine.recall.search("needle").mode == "hybrid"
    assert engine.embedding.coverage() == (4, 4)


# --- in the background ---


def test_a_long_lived_process_makes_vectors_by_itself_until_it_is_closed(
    open_engine: Callable[..., Engine], embedder: HashingEmbedder
) -> None:
    called = threading.Event()
    embedder.when_called = called.set
    engine = open_engine(embedder=embedder)
    fill(engine, 3)
    engine.start_background()
    assert called.wait(PATIENCE_S)
    assert engine.embedding.running
    engine.close()
    assert not engine.embedding.running
    later = open_engine(embedder=embedder)
    assert later.embedding.coverage() == (3, 3)


def test_the_worker_is_woken_by_what_is_stored(open_engine: Callable[..., Engine], embedder: HashingEmbedder) -> None:
    engine = open_engine(embedder=embedder)
    engine.start_background()
    called = threading.Event()
    embedder.when_called = called.set
    engine.memories.store("something new")
    assert called.wait(PATIENCE_S)


def test_a_worker_survives_a_failing_embedder(open_engine: Callable[..., Engine], embedder: HashingEmbedder) -> None:
    called = threading.Event()
    embedder.when_called = called.set
    embedder.failing = True
    engine = open_engine(embedder=embedder)
    fill(engine, 1)
    engine.start_background()
    assert called.wait(PATIENCE_S)
    assert engine.embedding.running
    assert engine.recall.search("needle").mode == "lexical"


def test_starting_twice_starts_one_worker_of_each_kind_and_after_closing_none(
    open_engine: Callable[..., Engine], embedder: HashingEmbedder
) -> None:
    engine = open_engine(embedder=embedder)
    before = {*threading.enumerate()}
    engine.start_background()
    engine.start_background()
    started = {*threading.enumerate()} - before
    assert len(started) == 4  # the spool, vectors, centrality and consolidation
    engine.close()
    until(lambda: not any(thread.is_alive() for thread in started))
    engine.start_background()
    assert not engine.embedding.running


@pytest.mark.parametrize(("stored", "mode", "made"), [(3 * NEWEST, "lexical", 0), (1, "hybrid", 1)])
def test_beside_a_worker_a_search_makes_the_vectors_that_it_can_use_at_once(
    open_engine: Callable[..., Engine], embedder: HashingEmbedder, stored: int, mode: str, made: int
) -> None:
    engine = open_engine(embedder=embedder)
    entered, gate = threading.Event(), threading.Event()

    def wait() -> None:
        if threading.current_thread().name == Embedding.thread_name:
            entered.set()
            gate.wait(PATIENCE_S)

    embedder.when_called = wait
    fill(engine, stored)
    engine.start_background()
    assert entered.wait(PATIENCE_S)
    found = engine.recall.search("needle")
    assert found.mode == mode
    assert len([text for text in embedder.embedded if text.startswith("needle number")]) == made
    gate.set()


@pytest.mark.parametrize("while_embedding", ["another short memory", "long " * 40_000], ids=["short", "long"])
def test_what_was_just_stored_is_found_by_its_meaning_however_busy_the_worker_is(
    while_embedding: str, open_engine: Callable[..., Engine], embedder: HashingEmbedder
) -> None:
    engine = open_engine(embedder=embedder)
    entered, gate = threading.Event(), threading.Event()

    def wait() -> None:
        if threading.current_thread().name == Embedding.thread_name:
            entered.set()
            gate.wait(PATIENCE_S)

    fill(engine, 3)
    engine.embedding.catch_up()
    engine.memories.store(while_embedding)
    embedder.when_called = wait
    engine.start_background()
    assert entered.wait(PATIENCE_S)
    stored = engine.memories.store("staging is torn down at night").memory
    embedder.embedded.clear()
    best = engine.recall.search("staging is torn down at night").hits[0]
    assert best.memory.id == stored.id
    assert best.signals.semantic == pytest.approx(1, abs=1e-3)
    assert not any("long" in text for text in embedder.embedded)
    gate.set()


def worker_held_up(engine: Engine, embedder: HashingEmbedder, memories: int) -> threading.Event:
    """Start a worker that waits inside of the embedder, until the event is set, after so many memories have vectors."""
    entered, gate = threading.Event(), threading.Event()

    def wait() -> None:
        if threading.current_thread().name == Embedding.thread_name:
            entered.set()
            gate.wait(PATIENCE_S)

    fill(engine, memories)
    engine.embedding.catch_up()
    engine.memories.store("short")
    embedder.when_called = wait
    engine.start_background()
    assert entered.wait(PATIENCE_S)
    return gate


def test_a_search_beside_a_worker_embeds_a_few_of_the_newest_short_memories(
    open_engine: Callable[..., Engine], embedder: HashingEmbedder
) -> None:
    engine = open_engine(embedder=embedder)
    gate = worker_held_up(engine, embedder, 3 * NEWEST)
    for number in range(2 * NEWEST):
        engine.memories.store(f"late number {number}")
    embedder.embedded.clear()
    engine.recall.search("needle")
    made = [text for text in embedder.embedded if text.startswith("late")]
    assert made == [f"late number {number}" for number in reversed(range(NEWEST, 2 * NEWEST))]
    gate.set()


def test_what_hooks_saw_since_does_not_keep_a_stored_memory_from_its_vector(
    open_engine: Callable[..., Engine], embedder: HashingEmbedder
) -> None:
    engine = open_engine(embedder=embedder)
    gate = worker_held_up(engine, embedder, 6 * NEWEST)
    decision = engine.memories.store("staging is torn down at night").memory
    for number in range(2 * NEWEST):
        assert engine.memories.store(f"What is number {number}?").memory.observed
    best = engine.recall.search("staging is torn down at night").hits[0]
    assert best.memory.id == decision.id
    assert best.signals.semantic == pytest.approx(1, abs=1e-3)
    gate.set()


def test_an_import_ends_with_its_memories_embedded(engine: Engine) -> None:
    lines = "\n".join(f'{{"content": "Fact number {number} about the harbour"}}' for number in range(20))
    engine.archive.import_(content=lines)
    assert engine.embedding.coverage() == (20, 20)
