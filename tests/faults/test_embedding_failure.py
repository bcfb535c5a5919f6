"""A provider that fails, in whatever way: no write is lost or held up, search answers by words, and health says so."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.fakes import HashingEmbedder
from tests.faults.child import PATIENCE_S

from recollect.engine import Engine
from recollect.engine.models import embedding_queue
from recollect.errors import EmbeddingFailed


def unreachable() -> Any:
    raise EmbeddingFailed("nobody answers")


def broken() -> Any:
    raise RuntimeError("a defect in the provider")


def out_of_memory() -> Any:
    raise MemoryError


FAILURES: dict[str, Callable[[], Any]] = {
    "it cannot be reached": unreachable,
    "it raises something of its own": broken,
    "it runs out of memory": out_of_memory,
    "it gives too few vectors": lambda: np.empty((0, 64), np.float32),
    "it gives nothing": lambda: None,
}


class FailingEmbedder:
    """Fails in a given way until it is mended."""

    model_id = "failing"

    def __init__(self, fail: Callable[[], Any]) -> None:
        self._fail = fail
        self._sound = HashingEmbedder()
        self.is_mended = False
        self.asked = threading.Semaphore(0)

    def embed(self, texts: Sequence[str]) -> Any:
        self.asked.release()
        return self._sound.embed(texts) if self.is_mended else self._fail()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


@pytest.mark.parametrize("fail", FAILURES.values(), ids=FAILURES)
def test_memories_are_kept_and_found_by_words_until_the_provider_answers(path: Path, fail: Callable[[], Any]) -> None:
    embedder = FailingEmbedder(fail)
    with Engine(database=str(path), embedder=embedder) as engine:
        stored = [engine.memories.store(f"memory number {number} about widgets").memory.id for number in range(40)]
        engine.memories.update(stored[0], content="changed: now about gadgets")
        engine.memories.delete(stored[1])
        answer = engine.recall.search("gadgets")
        assert (answer.mode, answer.hits[0].memory.id) == ("lexical", stored[0])
        assert answer.notes
        checks = {check.name: check for check in engine.admin.health().checks}
        assert checks["embeddings"].status == "degraded"
        assert checks["embeddings"].detail.startswith("EMBEDDING_FAILED")
        assert checks["vectors"].status == "degraded"
        assert checks["storage"].status == "ok"
        with pytest.raises(EmbeddingFailed):
            engine.embedding.catch_up()
        assert engine.memories.list().total == 39

        embedder.is_mended = True
        # Asking for health asks the provider: once it answers there, it is asked for vectors again.
        assert {check.name: check.status for check in engine.admin.health().checks}["embeddings"] == "ok"
        assert engine.recall.search("gadgets").mode == "hybrid"
        assert engine.embedding.coverage() == (39, 39)


@pytest.mark.parametrize("fail", FAILURES.values(), ids=FAILURES)
def test_a_worker_outlives_every_failure(path: Path, monkeypatch: pytest.MonkeyPatch, fail: Callable[[], Any]) -> None:
    monkeypatch.setattr(embedding_queue, "FIRST_PAUSE_S", 0.0)
    embedder = FailingEmbedder(fail)
    with Engine(database=str(path), embedder=embedder) as engine:
        engine.start_background()
        for number in range(3):
            engine.memories.store(f"memory number {number}")
            assert embedder.asked.acquire(timeout=PATIENCE_S)
            assert engine.embedding.running
        embedder.is_mended = True
        engine.embedding.wake()
        engine.embedding.catch_up()
        assert engine.embedding.coverage() == (3, 3)


def test_a_provider_that_failed_is_left_alone_for_a_while(path: Path) -> None:
    embedder = FailingEmbedder(unreachable)
    with Engine(database=str(path), embedder=embedder) as engine:
        engine.memories.store("a memory about widgets")
        for _ in range(20):
            assert engine.recall.search("widgets").hits
        asked = 0
        while embedder.asked.acquire(blocking=False):
            asked += 1
        # Twenty recalls did not wait twenty times for a provider that is down: it was asked for the memory, and once
        # more whether it works at all.
        assert asked == 2


def test_a_provider_that_fails_with_most_vectors_made_leaves_a_lexical_search_with_a_note(path: Path) -> None:
    embedder = HashingEmbedder()
    with Engine(database=str(path), embedder=embedder) as engine:
        engine.memories.store("a memory about widgets")
        assert engine.recall.search("widgets").mode == "hybrid"
        embedder.failing = True
        answer = engine.recall.search("widgets")
        assert (answer.mode, len(answer.hits)) == ("lexical", 1)
        assert answer.notes


def test_settings_that_can_never_work_do_not_cost_a_memory(path: Path) -> None:
    with Engine(database=str(path), embed_provider="local", embed_model="no-such-model") as engine:
        stored = engine.memories.store("a memory about widgets").memory.id
        engine.start_background()
        assert engine.memories.get(stored)
        health = engine.admin.health()
        assert {check.name: check.status for check in health.checks}["storage"] == "ok"
        assert health.status != "ok"


def test_an_engine_closes_while_its_worker_waits_for_the_provider(path: Path) -> None:
    called, go = threading.Event(), threading.Event()
    embedder = HashingEmbedder()

    def wait() -> None:
        called.set()
        go.wait(PATIENCE_S)

    embedder.when_called = wait
    engine = Engine(database=str(path), embedder=embedder)
    engine.memories.store("a memory")
    engine.start_background()
    assert called.wait(PATIENCE_S)
    closing = threading.Thread(target=engine.close)
    closing.start()
    go.set()
    closing.join(PATIENCE_S)
    assert not closing.is_alive()
    assert not engine.embedding.running
    with Engine(database=str(path), embedder=HashingEmbedder()) as again:
        assert again.store.check(thorough=True) == []
