"""Another embedding model on a store that is full of vectors: usable at once, honest about it, right in the end."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import numpy as np
import pytest
from tests.fakes import HashingEmbedder
from tests.faults.child import Child
from tests.waiting import PATIENCE_S, until

from recollect.engine import Engine
from recollect.engine.models.embedding_queue import BATCH
from recollect.engine.models.similarity_calibration import texts
from recollect.model import Check, Memory

COUNT = 300

OLD, NEW = 64, 96  # dimensions: models that differ in length can never be mixed up unnoticed


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """A store of some hundred memories, each with a vector of the old model."""
    path = tmp_path / "memory.db"
    lines = [
        json.dumps({"content": f"memory {n} is about thing{n % 17} and part{n % 23} of item{n}"}) for n in range(COUNT)
    ]
    with Engine(database=str(path), embedder=HashingEmbedder(OLD)) as engine:
        engine.archive.import_(content="\n".join(lines))
        engine.embedding.catch_up()
        assert engine.embedding.coverage() == (COUNT, COUNT)
    return path


def opened(path: Path, embedder: HashingEmbedder, **values: object) -> Engine:
    return Engine(database=str(path), embedder=embedder, **values)


def vectors(engine: Engine) -> Check:
    return next(check for check in engine.admin.health().checks if check.name == "vectors")


def assert_neighbours_are_right(engine: Engine, dimensions: int) -> None:
    """The nearest neighbours are those that comparing everything anew gives."""
    memories = engine.store.find(Memory)
    embedder = HashingEmbedder(dimensions)
    everything = embedder.embed([memory.content for memory in memories])
    place = {memory.id: at for at, memory in enumerate(memories)}
    for at in range(0, len(memories), 29):
        cosines = everything @ everything[at]
        found = engine.store.search_vectors(engine.embedding.model_id, everything[at], None, 10)
        assert len(found) == 10
        # Kept in half precision: those closer to each other than this may change places.
        assert all(cosines[place[match.id]] >= np.sort(cosines)[-10] - 0.002 for match in found)


def test_a_new_model_answers_at_once_by_words_and_says_so(database: Path) -> None:
    embedder = HashingEmbedder(NEW)
    with opened(database, embedder, embed_on_demand=0) as engine:
        answer = engine.recall.search("thing5 of item5")
        assert embedder.embedded == []  # It did not wait for a single vector.
        assert (answer.mode, answer.hits[0].memory.content[:9]) == ("lexical", "memory 5 ")
        assert any(str(COUNT) in note for note in answer.notes)
        assert vectors(engine).status == "degraded"
        assert f"0 of {COUNT} " in vectors(engine).detail
        assert engine.admin.health().status == "degraded"
        stats = engine.admin.stats()
        assert (stats.embeddings, stats.pending_embeddings, stats.embedding_model) == (
            0,
            COUNT,
            engine.embedding.model_id,
        )


def test_the_worker_makes_the_vectors_of_the_new_model_for_all(database: Path) -> None:
    embedder = HashingEmbedder(NEW)
    with opened(database, embedder) as engine:
        engine.start_background()
        until(lambda: engine.embedding.coverage() == (COUNT, COUNT))
        assert vectors(engine).status == "ok"
        answer = engine.recall.search("thing5 of item5")
        assert (answer.mode, answer.notes) == ("hybrid", ())
        assert_neighbours_are_right(engine, NEW)
        assert engine.store.check(thorough=True) == []
        # Each memory once: nothing is made twice because something else was written meanwhile.
        assert len([text for text in embedder.embedded if text.startswith("memory ")]) == COUNT


def test_storing_and_searching_go_on_while_a_vector_is_being_made(database: Path) -> None:
    embedder, called, go = HashingEmbedder(NEW), threading.Event(), threading.Event()

    def wait() -> None:
        called.set()
        go.wait(PATIENCE_S)

    embedder.when_called = wait
    with opened(database, embedder) as engine:
        engine.start_background()
        assert called.wait(PATIENCE_S)
        # The embedder does not answer, and nobody but the worker waits for it.
        stored = engine.memories.store("stored while the embedder is busy").memory.id
        answer = engine.recall.search("stored while the embedder is busy")
        assert (answer.mode, answer.hits[0].memory.id) == ("lexical", stored)
        assert engine.admin.stats().pending_embeddings == COUNT + 1
        go.set()
        until(lambda: engine.embedding.coverage() == (COUNT + 1, COUNT + 1))
        assert engine.recall.search("stored while the embedder is busy").hits[0].memory.id == stored


def test_two_models_on_one_store_neither_mix_nor_fight(database: Path) -> None:
    old, new = HashingEmbedder(OLD), HashingEmbedder(NEW)
    with opened(database, old) as first, opened(database, new) as second:
        first.start_background()
        second.start_background()
        stored = [
            engine.memories.store(f"a memory stored through {engine.embedding.model_id}") for engine in (first, second)
        ]
        total = COUNT + len(stored)
        until(lambda: first.embedding.coverage() == second.embedding.coverage() == (total, total))
        assert_neighbours_are_right(first, OLD)
        assert_neighbours_are_right(second, NEW)
        for engine in (first, second):
            answer = engine.recall.search("a memory stored through")
            assert answer.mode == "hybrid"
            assert {hit.memory.id for hit in answer.hits[:2]} == {row.memory.id for row in stored}
            assert vectors(engine).status == "ok"
        # Neither undid the other's work: the old model embedded the two new memories and questions, nothing else.
        assert len([text for text in old.embedded if text.startswith("memory ")]) == 0
        assert len([text for text in new.embedded if text.startswith("memory ")]) == COUNT


def test_going_back_to_the_old_model_finds_its_vectors_still_there(database: Path) -> None:
    with opened(database, HashingEmbedder(NEW)) as engine:
        engine.embedding.catch_up()
    embedder = HashingEmbedder(OLD)
    with opened(database, embedder) as engine:
        assert engine.recall.search("thing5 of item5").mode == "hybrid"
        assert set(embedder.embedded) - set(texts()) == {"thing5 of item5"}


def test_embedding_goes_on_where_a_killed_process_left_off(database: Path) -> None:
    with Child("embed", database=database, dimensions=NEW, batches=3) as child:
        assert child.hear() == "embedding"
        child.kill()
    embedder = HashingEmbedder(NEW)
    with opened(database, embedder, embed_on_demand=0) as engine:
        assert engine.embedding.coverage() == (3 * BATCH, COUNT)
        assert engine.recall.search("thing5 of item5").mode == "lexical"
        engine.start_background()
        until(lambda: engine.embedding.coverage() == (COUNT, COUNT))
        assert len(embedder.embedded) == COUNT - 3 * BATCH
        assert_neighbours_are_right(engine, NEW)


def test_a_memory_that_changes_while_it_is_embedded_gets_the_vector_of_what_it_says_now(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    embedder = HashingEmbedder()
    with opened(path, embedder) as engine, opened(path, HashingEmbedder()) as other:
        changed, deleted = (engine.memories.store(content).memory.id for content in ("old words", "to be deleted"))

        def meddle() -> None:
            embedder.when_called = lambda: None
            other.memories.update(changed, content="entirely different text")
            other.memories.delete(deleted)

        embedder.when_called = meddle
        engine.embedding.catch_up()
        assert engine.embedding.coverage() == (1, 1)
        (match,) = engine.store.search_vectors(
            engine.embedding.model_id, embedder.embed(["entirely different text"])[0], None, 5
        )
        assert (match.id, round(match.score, 2)) == (changed, 1.0)
        assert engine.store.check(thorough=True) == []


def test_a_rebuild_beside_a_worker_ends_with_every_vector(database: Path) -> None:
    with opened(database, HashingEmbedder(NEW)) as engine:
        engine.start_background()
        rebuilt = engine.admin.rebuild()
        assert (rebuilt.text_rows, rebuilt.vectors_made) == (COUNT, 0)
        until(lambda: engine.embedding.coverage() == (COUNT, COUNT))
        assert_neighbours_are_right(engine, NEW)
