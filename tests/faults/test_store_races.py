"""What happens between two looks: others delete, undo, fork and end at the worst moment."""

from __future__ import annotations

import functools
import gc
import itertools
import os
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.waiting import PATIENCE_S

from recollect import progress
from recollect.engine import Engine
from recollect.engine.admin import archive as archives
from recollect.errors import Conflict, InvalidInput, MemoryNotFound, StoreLocked

# A process that forks while a thread of it is in the middle of a write; the child uses the same engine and ends.
FORKING = """
import os, sys, threading
from recollect.engine import Engine

engine = Engine(database=sys.argv[1], embed_provider="off")
engine.memories.store("stored by the parent")
inside, forked = threading.Event(), threading.Event()

def write():
    with engine.store.transaction("held") as transaction:
        from recollect.model import Workspace
        transaction.insert(Workspace(id="w", name="stored while the other forked"))
        inside.set()
        forked.wait()

writer = threading.Thread(target=write)
writer.start()
inside.wait()
child = os.fork()
if child == 0:
    found = engine.memories.list().memories[0].content
    os._exit(0 if found == "stored by the parent" else 1)
assert os.waitpid(child, 0)[1] == 0
forked.set()
writer.join()
grandchild = os.fork()
if grandchild == 0:
    engine.memories.store("stored by the child")
    engine.close()
    os._exit(0)
assert os.waitpid(grandchild, 0)[1] == 0
assert engine.memories.list().total == 2
assert engine.workspaces.retrieve("w").workspace.name == "stored while the other forked"
assert engine.store.check(thorough=True) == []
engine.close()
"""


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


def opened(path: Path) -> Engine:
    return Engine(database=str(path), embed_provider="off")


def test_a_memory_deleted_by_another_cannot_be_linked_changed_or_deleted(database: Path) -> None:
    with opened(database) as engine, opened(database) as other:
        kept, gone = (engine.memories.store(content).memory.id for content in ("kept", "gone"))
        other.memories.delete(gone)
        for use in (
            lambda: engine.memories.associate(kept, gone),
            lambda: engine.memories.update(gone, content="new"),
            lambda: engine.memories.delete(gone),
            lambda: engine.memories.get(gone),
        ):
            with pytest.raises(MemoryNotFound):
                use()
        assert engine.admin.stats().nodes == 0


def test_a_memory_deleted_while_it_is_being_linked_is_not_found(
    database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(database) as engine, opened(database) as other:
        kept, gone = (engine.memories.store(content).memory.id for content in ("kept", "gone"))
        begin = engine.store.transaction

        def begin_late(*words: Any, **values: Any) -> Any:
            other.memories.delete(gone)
            return begin(*words, **values)

        monkeypatch.setattr(engine.store, "transaction", begin_late)
        with pytest.raises(MemoryNotFound):
            engine.memories.associate(kept, gone)


def test_a_database_that_another_is_creating_is_never_taken_for_a_foreign_one(
    database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    meddling: list[Callable[[], object]] = []

    class Interrupted(sqlite3.Connection):
        def execute(self, sql: str, *values: Any) -> Any:
            if sql == "PRAGMA user_version" and meddling:
                meddling.pop()()
            return super().execute(sql, *values)

    def create() -> None:
        with Engine(database=str(database), embed_provider="off", busy_timeout_ms=0) as other:
            try:
                other.memories.store("stored by the other")
            except StoreLocked:
                return  # Ours is looking: the other has to wait, which is as good.

    monkeypatch.setattr(sqlite3, "connect", functools.partial(sqlite3.connect, factory=Interrupted))
    meddling.append(create)
    with opened(database) as engine:
        assert engine.memories.store("stored by us").created
    assert meddling == []


@pytest.mark.promise("B7")
def test_processes_that_link_and_delete_the_same_memories_leave_no_loose_end(database: Path) -> None:
    """Threads with engines of their own stand for processes: SQLite locks both the same way."""
    with opened(database) as engine:
        ids = [engine.memories.store(f"memory number {number}").memory.id for number in range(60)]
    problems: list[BaseException] = []

    def link() -> None:
        try:
            with opened(database) as mine:
                for first, second in itertools.pairwise(ids):
                    try:
                        mine.memories.associate(first, second)
                    except MemoryNotFound:
                        continue
        except BaseException as problem:
            problems.append(problem)

    def delete() -> None:
        try:
            with opened(database) as mine:
                for row in reversed(ids):
                    mine.memories.delete(row)
        except BaseException as problem:
            problems.append(problem)

    threads = [threading.Thread(target=work) for work in (link, delete, link)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE_S)
    assert problems == []
    with opened(database) as engine:
        stats = engine.admin.stats()
        assert (stats.memories, stats.nodes, stats.edges) == (0, 0, 0)
        assert engine.store.check(thorough=True) == []


def test_an_undo_that_would_link_to_a_memory_gone_since_is_a_conflict_and_changes_nothing(database: Path) -> None:
    with opened(database) as engine:
        first, second = (engine.memories.store(content).memory.id for content in ("first", "second"))
        engine.memories.associate(first, second)
        batch = engine.memories.delete(first).batch
        later = engine.memories.delete(second).batch
        changes = engine.admin.changes().total
        with pytest.raises(Conflict):
            engine.admin.undo(batch)
        assert engine.memories.list().total == 0
        assert engine.admin.changes().total == changes
        engine.admin.undo(later)
        engine.admin.undo(batch)
        assert engine.memories.list().total == 2
        assert engine.admin.stats().edges == 1


def test_an_import_with_a_link_to_nowhere_is_invalid_and_imports_nothing(database: Path) -> None:
    edge = '{"kind": "edge", "edge": {"id": "e", "src": "x", "dst": "y", "relationship": "CALLS"}}'
    with opened(database) as engine:
        with pytest.raises(InvalidInput):
            engine.archive.import_(content='{"content": "a memory"}\n' + edge)
        assert engine.memories.list().total == 0


@pytest.mark.promise("B7")
def test_an_export_is_of_one_moment_whatever_others_do_meanwhile(database: Path, tmp_path: Path) -> None:
    count, archive = 2 * archives.BATCH, tmp_path / "saved.jsonl"
    with opened(database) as engine, opened(database) as other:
        engine.archive.import_(content="\n".join(f'{{"content": "memory number {n}"}}' for n in range(count)))
        first, *_, last = (memory.id for memory in engine.memories.list(order="oldest", limit=1000).memories)
        engine.memories.associate(first, last)
        deleting = [first, last]

        def delete(*_: object) -> None:
            while deleting:
                other.memories.delete(deleting.pop())

        with progress.reporting_to(delete):
            assert engine.archive.export(str(archive)).memories == count
        assert deleting == []
        assert engine.memories.list().total == count - 2
    with opened(tmp_path / "new.db") as engine:
        assert engine.archive.import_(str(archive)).created == count + 3  # and the two nodes and the edge
        assert engine.admin.stats().edges == 1


def test_a_forked_child_neither_uses_nor_closes_its_parents_connections(database: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", FORKING, str(database)], check=False, timeout=PATIENCE_S
    )
    assert done.returncode == 0


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="open files are counted in /proc")
def test_a_thread_that_ends_takes_its_connection_with_it(database: Path) -> None:
    def files() -> int:
        links = (Path("/proc/self/fd") / name for name in os.listdir("/proc/self/fd"))  # noqa: PTH208
        return sum(os.path.realpath(link).startswith(str(database)) for link in links)

    with opened(database) as engine:
        engine.memories.store("one memory")
        before = files()
        for _ in range(20):
            thread = threading.Thread(target=engine.memories.list)
            thread.start()
            thread.join(PATIENCE_S)
        gc.collect()
        assert files() <= before + 3  # of at most one thread that is not quite gone
    assert files() == 0


def test_a_closed_engine_says_so(database: Path) -> None:
    engine = opened(database)
    engine.memories.store("one memory")
    engine.close()
    with pytest.raises(Conflict):
        engine.memories.list()
    engine.close()


def test_a_number_too_large_for_the_database_is_invalid(database: Path) -> None:
    with opened(database) as engine:
        engine.memories.store("one memory")
        with pytest.raises(InvalidInput):
            engine.memories.list(since=10**30)
        with pytest.raises(InvalidInput):
            engine.archive.import_(content='{"content": "x", "created_at": 1000000000000000000000000}')
        assert engine.memories.list().total == 1
