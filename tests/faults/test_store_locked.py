"""Locks held by others: waited for as long as the settings say, then told as something to try again."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import pytest
from tests.fakes import HashingEmbedder
from tests.faults.child import Child

from recollect.engine import Engine
from recollect.errors import StoreLocked
from recollect.store.migrations import MIGRATIONS

PROCESSES = 6

MIGRATION = (
    "CREATE TABLE later (x INTEGER PRIMARY KEY); INSERT INTO later VALUES (1); ALTER TABLE memories ADD mood TEXT"
)


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "memory.db"
    with Engine(database=str(path), embedder=HashingEmbedder()) as engine:
        engine.memories.store("stored before")
        engine.embedding.catch_up()
    return path


def impatient(path: Path) -> Engine:
    return Engine(database=str(path), busy_timeout_ms=10, embedder=HashingEmbedder())


def test_an_exclusive_lock_is_told_as_locked_to_readers_and_writers_until_it_is_released(database: Path) -> None:
    with Child("hold_lock", database=database) as holder, impatient(database) as engine:
        holder.hear()
        uses: tuple[Callable[[], object], ...] = (
            lambda: engine.memories.store("x"),
            lambda: engine.memories.list(),
            lambda: engine.recall.search("stored"),
            lambda: engine.admin.rebuild(),
        )
        for use in uses:
            with pytest.raises(StoreLocked) as caught:
                use()
            assert (caught.value.code, caught.value.retryable) == ("STORE_LOCKED", True)
        health = engine.admin.health()
        assert health.status == "failed"
        assert health.checks[0].detail.startswith("STORE_LOCKED")
        holder.tell()
        assert holder.hear() == "released"
        assert engine.memories.store("stored after").created
        assert engine.memories.list().total == 2
        assert engine.admin.health().checks[0].status == "ok"


def test_a_writer_stops_other_writers_but_no_reader(database: Path) -> None:
    with Child("hold_write", database=database) as holder, impatient(database) as engine:
        holder.hear()
        with pytest.raises(StoreLocked):
            engine.memories.store("x")
        (memory,) = engine.memories.list().memories
        assert engine.memories.get(memory.id).content == "stored before"
        assert [hit.memory.id for hit in engine.recall.search("stored before").hits] == [memory.id]
        assert engine.admin.health().checks[0].status == "ok"
        holder.tell()
        assert holder.hear() == "released"
        assert engine.memories.store("stored after").created


def test_a_patient_writer_gets_the_lock_when_it_is_released(database: Path) -> None:
    with (
        Child("hold_write", database=database) as holder,
        Child("open_first", database=database, content="b") as writer,
    ):
        assert holder.hear() == "held"
        assert writer.hear() == "ready"
        writer.tell()  # It waits for the lock now, or will in a moment: either way it gets it.
        holder.tell()
        assert holder.hear() == "released"
        stored = writer.hear()
    with Engine(database=str(database), embed_provider="off") as engine:
        assert engine.memories.get(stored).content == "b"


@pytest.mark.promise("B7")
def test_a_lock_dies_with_the_process_that_held_it(database: Path) -> None:
    with Child("hold_write", database=database) as holder, impatient(database) as engine:
        holder.hear()
        holder.kill()
        assert engine.memories.store("stored after").created


def all_at_once(path: Path, **options: str) -> list[str]:
    """Let many processes use a database at the same moment; return what each of them stored."""
    with ExitStack() as stack:
        children = [
            stack.enter_context(Child("open_first", database=path, content=f"memory of process {number}", **options))
            for number in range(PROCESSES)
        ]
        for child in children:
            assert child.hear() == "ready"
        for child in children:
            child.tell()
        return [child.hear() for child in children]


@pytest.mark.promise("B7")
def test_many_processes_create_one_database_together(tmp_path: Path) -> None:
    path = tmp_path / "home" / "memory.db"
    stored = all_at_once(path)
    with Engine(database=str(path), embed_provider="off") as engine:
        assert sorted(memory.id for memory in engine.memories.list(limit=100).memories) == sorted(stored)
        assert engine.admin.stats().schema_version == len(MIGRATIONS)
        assert engine.store.check(thorough=True) == []


@pytest.mark.promise("B7")
def test_many_processes_migrate_one_database_together_and_once(database: Path) -> None:
    stored = all_at_once(database, migrate=MIGRATION)
    rows = sqlite3.connect(database)
    assert rows.execute("PRAGMA user_version").fetchone() == (len(MIGRATIONS) + 1,)
    assert rows.execute("SELECT x FROM later").fetchall() == [(1,)]
    assert rows.execute("SELECT count(*) FROM memories").fetchone() == (PROCESSES + 1,)
    assert {row for (row,) in rows.execute("SELECT id FROM memories")} > set(stored)
    rows.close()


def test_a_migration_that_fails_leaves_the_database_as_it_was(database: Path) -> None:
    with Child("open_first", database=database, content="x", migrate=f"{MIGRATION}; NO SUCH STATEMENT") as child:
        child.hear()
        child.tell()
        assert child.hear() == "STORAGE_ERROR"
    with Engine(database=str(database), embed_provider="off") as engine:
        assert engine.admin.stats().schema_version == len(MIGRATIONS)
        assert engine.memories.list().total == 1
        assert engine.memories.store("stored after").created
