"""A memory that is long, or that the embedder cannot take, holds up the vectors of no other."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.fakes import HashingEmbedder
from tests.faults.child import PATIENCE_S, Child

from recollect.engine import Engine
from recollect.engine.models import embedding_queue, pending_vectors
from recollect.engine.models.embedding_queue import AT_ONCE, BATCH, NEWEST
from recollect.engine.models.pending_vectors import MAX_EMBEDDED
from recollect.errors import EmbeddingFailed
from recollect.model import Check

LONG = 3 * BATCH


class Listening(HashingEmbedder):
    """Remembers what it was asked for with each call, and refuses texts that hold the word poison."""

    def __init__(self) -> None:
        super().__init__()
        self.rounds: list[list[str]] = []
        self.after: Callable[[], Any] = lambda: None

    def embed(self, texts: Sequence[str]) -> Any:
        self.rounds.append([text.split()[0] for text in texts])
        if any("poison" in text for text in texts):
            raise EmbeddingFailed("the text cannot be read")
        made = super().embed(texts)
        self.after()
        return made


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


def opened(path: Path, embedder: HashingEmbedder) -> Engine:
    return Engine(database=str(path), embedder=embedder)


def long_text(parts: int) -> str:
    """Return a text of as many passages, each of which begins with its number."""
    return "\n\n".join(f"p{number} " + "word " * 190 for number in range(parts))


def vectors_check(engine: Engine) -> Check:
    return next(check for check in engine.admin.health().checks if check.name == "vectors")


def test_short_memories_get_their_vectors_before_a_long_one_that_is_newer(path: Path) -> None:
    embedder = Listening()
    with opened(path, embedder) as engine:
        for number in range(5):
            engine.memories.store(f"short{number} memory")
        engine.memories.store(long_text(LONG))
        engine.embedding.catch_up()
        first, *others = embedder.rounds
        assert sorted(first) == [f"short{number}" for number in range(5)]
        assert [len(each) for each in others] == [BATCH] * 3
        assert engine.embedding.coverage() == (6, 6)


def test_a_search_that_may_embed_one_passage_embeds_the_short_memory(path: Path) -> None:
    embedder = Listening()
    with opened(path, embedder) as engine:
        engine.memories.store("short memory")
        engine.memories.store(long_text(LONG))
        assert engine.embedding.catch_up(1) == 1
        assert embedder.rounds == [["short"]]


def test_what_is_stored_while_a_long_memory_is_embedded_comes_before_its_next_part(path: Path) -> None:
    embedder = Listening()
    with opened(path, embedder) as engine:
        engine.memories.store(long_text(LONG))

        def store_once() -> None:
            embedder.after = lambda: None
            engine.memories.store("fresh memory")

        embedder.after = store_once
        engine.embedding.catch_up()
        assert [len(each) for each in embedder.rounds] == [BATCH, 1, BATCH, BATCH]
        assert embedder.rounds[1] == ["fresh"]


def test_a_killed_process_leaves_the_parts_it_made_and_the_next_makes_only_the_others(path: Path) -> None:
    with opened(path, HashingEmbedder()) as engine:
        memory = engine.memories.store(long_text(LONG)).memory
    with Child("embed", database=path, dimensions=64, batches=2) as child:
        assert child.hear() == "embedding"
        child.kill()
    embedder = Listening()
    with opened(path, embedder) as engine:
        model = engine.embedding.model_id
        assert engine.store.embedded_from(model, memory.id) == LONG - 2 * BATCH
        assert engine.embedding.coverage() == (0, 1)
        assert engine.embedding.catch_up() == 1
        assert embedder.rounds == [[f"p{number}" for number in range(BATCH)]]
        assert engine.store.count_embedded(model, LONG - 1) == 1


def test_a_memory_that_the_embedder_refuses_is_set_aside_and_the_others_get_their_vectors(path: Path) -> None:
    embedder = Listening()
    with opened(path, embedder) as engine:
        for number in range(40):
            engine.memories.store(f"memory {number}")
        bad = engine.memories.store("poison in a memory").memory
        engine.embedding.catch_up()
        assert engine.embedding.coverage() == (40, 41)
        assert engine.embedding.failure is None
        check = vectors_check(engine)
        assert check.status == "degraded"
        assert bad.id in check.detail
        assert "the text cannot be read" in check.detail
        assert "rebuild" in check.mend
        asked = len(embedder.rounds)
        assert engine.embedding.catch_up() == 0
        assert len(embedder.rounds) == asked, "it is not tried again"

        engine.memories.update(bad.id, content="an antidote in a memory")
        assert engine.embedding.catch_up() == 1
        assert vectors_check(engine).status == "ok"


def test_only_a_newer_version_or_a_rebuild_tries_a_memory_again_that_was_set_aside(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    embedder = Listening()
    with opened(path, embedder) as engine:
        engine.memories.store("poison in a memory")
        engine.embedding.catch_up()
        asked = len(embedder.rounds)
        monkeypatch.setattr(pending_vectors, "__version__", "0.0.9")
        engine.embedding.catch_up()
        assert len(embedder.rounds) == asked
        monkeypatch.setattr(pending_vectors, "__version__", "1000.0")
        engine.embedding.catch_up()
        assert len(embedder.rounds) > asked
        asked = len(embedder.rounds)
        engine.embedding.catch_up()
        assert len(embedder.rounds) == asked
        engine.admin.rebuild()
        assert len(embedder.rounds) > asked + 1, "more than the question whether it works"


def test_an_embedder_that_goes_down_sets_no_memory_aside(path: Path) -> None:
    embedder = HashingEmbedder()
    with opened(path, embedder) as engine:
        for number in range(3):
            engine.memories.store(f"memory {number}")
        embedder.failing = True
        with pytest.raises(EmbeddingFailed):
            engine.embedding.catch_up()
        assert engine.embedding.set_aside() == []


def test_a_memory_that_takes_too_long_is_set_aside_after_the_part_at_hand(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    embedder = Listening()
    monkeypatch.setattr(embedding_queue, "LIMIT_CPU_S", -1.0)
    with opened(path, embedder) as engine:
        memory = engine.memories.store(long_text(LONG)).memory
        engine.embedding.catch_up()
        assert [len(each) for each in embedder.rounds] == [BATCH]
        assert [row.memory_id for row in engine.embedding.set_aside()] == [memory.id]
        assert "CPU time" in vectors_check(engine).detail


def test_a_search_is_answered_while_the_embedding_of_a_long_memory_hangs(path: Path) -> None:
    hangs, go_on = threading.Event(), threading.Event()
    told: list[bool] = []

    class Hanging(HashingEmbedder):
        def embed(self, texts: Sequence[str]) -> Any:
            if any("slow" in text for text in texts):
                hangs.set()
                told.append(go_on.wait(PATIENCE_S))
            return super().embed(texts)

    with opened(path, Hanging()) as engine:
        engine.memories.store("the harbour opens at six")
        engine.embedding.catch_up()
        engine.memories.store("slow " + long_text(AT_ONCE + 1))  # the search itself embeds what is short and new
        engine.embedding.start()
        assert hangs.wait(PATIENCE_S)
        found = engine.recall.search("when does the harbour open")
        assert (found.mode, found.hits[0].memory.content) == ("hybrid", "the harbour opens at six")
        assert told == []
        go_on.set()
    assert told == [True]


def test_a_search_is_keyword_only_where_the_embedder_hangs(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedding_queue, "TEXT_S", 0.0)
    go_on = threading.Event()

    class Hanging(HashingEmbedder):
        def embed(self, texts: Sequence[str]) -> Any:
            go_on.wait(PATIENCE_S)
            return super().embed(texts)

    with Engine(database=str(path), embedder=Hanging(), embed_timeout_s=0.1) as engine:
        engine.memories.store("the harbour opens at six")
        for _ in range(2):  # the second one does not even ask
            found = engine.recall.search("when does the harbour open")
            assert (found.mode, found.hits[0].memory.content) == ("lexical", "the harbour opens at six")
            assert found.notes[-1] == "search is keyword-only: hashing/64 did not answer within 0.1 s"
        go_on.set()


def test_a_short_memory_on_which_the_embedder_hangs_is_set_aside(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedding_queue, "TEXT_S", 0.0)
    hangs, go_on = threading.Event(), threading.Event()

    class Hanging(HashingEmbedder):
        def embed(self, texts: Sequence[str]) -> Any:
            if any("slow" in text for text in texts):
                hangs.set()
                go_on.wait(PATIENCE_S)
            return super().embed(texts)

    # The limit is what a busy machine needs for the other texts; the slow one reaches it whatever it is.
    with Engine(database=str(path), embedder=Hanging(), embed_timeout_s=5) as engine:
        engine.memories.store("the harbour opens at six")
        engine.embedding.catch_up()
        slow = engine.memories.store("slow boats").memory
        found = engine.recall.search("when does the harbour open")
        assert hangs.is_set()
        assert (found.mode, found.hits[0].memory.content) == ("hybrid", "the harbour opens at six")
        assert "1 of 2 memories are not embedded yet" in found.notes
        (aside,) = engine.embedding.set_aside()
        assert (aside.memory_id, aside.why) == (slow.id, "hashing/64 did not answer within 5 s")
        go_on.set()


def test_of_a_very_long_memory_the_first_passages_are_embedded_and_health_says_so(path: Path) -> None:
    embedder = Listening()
    with opened(path, embedder) as engine:
        engine.memories.store(long_text(MAX_EMBEDDED + 40))
        engine.embedding.catch_up()
        made = {name for each in embedder.rounds for name in each}
        assert made == {f"p{number}" for number in range(MAX_EMBEDDED)}
        assert engine.embedding.coverage() == (1, 1)
        check = vectors_check(engine)
        assert check.status == "ok"
        assert f"the first {MAX_EMBEDDED} passages" in check.detail
        assert engine.recall.search(f"p{MAX_EMBEDDED + 20}").hits, "the rest is found by words"


def test_a_search_embeds_only_the_beginning_of_a_very_long_memory(path: Path) -> None:
    embedder = Listening()
    with opened(path, embedder) as engine:
        engine.memories.store(long_text(MAX_EMBEDDED + 40))
        assert engine.recall.search("when does the harbour open").notes == ()
        assert embedder.rounds[:2] == [[f"p{number}" for number in range(NEWEST)], ["when"]]


def test_a_search_begins_no_more_vectors_when_its_time_is_over(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedding_queue, "ON_DEMAND_S", 0.0)
    with opened(path, Listening()) as engine:
        for number in range(NEWEST + 4):
            engine.memories.store(f"boat {number}")
        assert engine.recall.search("boat").notes == (f"4 of {NEWEST + 4} memories are not embedded yet",)
        assert engine.recall.search("boat").notes == ()
