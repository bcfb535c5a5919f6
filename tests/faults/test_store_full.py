"""No space left: the write is refused as a whole, what was there stays, and it goes on once there is space."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.fakes import HashingEmbedder
from tests.faults.child import ask

from recollect.engine import Engine
from recollect.errors import RecollectError, StoreFull

FILLER = "filler " * 800
DISK_BYTES = 8 << 20


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system that holds a new database and little more."""
    if os.getuid() != 0 or shutil.which("mount") is None:
        pytest.skip("mounting a small file system needs root")
    folder = tmp_path / "disk"
    folder.mkdir(mode=0o700)
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={DISK_BYTES},mode=700", "tmpfs", str(folder)],
        capture_output=True,
        check=False,
    )
    if mounted.returncode:
        pytest.skip(f"no small file system here: {mounted.stderr.decode().strip()}")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def fill(engine: Engine) -> tuple[list[str], str]:
    """Store until it is refused; return the ids stored and the code of the refusal."""
    stored: list[str] = []
    while True:
        try:
            stored.append(engine.memories.store(f"{len(stored)} {FILLER}").memory.id)
        except RecollectError as problem:
            return stored, problem.code


def assert_intact(database: Path, stored: list[str]) -> None:
    """Everything acknowledged is there, in the full text too, and nothing else."""
    with Engine(database=str(database), embed_provider="off") as engine:
        assert [engine.memories.get(row).content[: len(str(at))] for at, row in enumerate(stored)] == [
            str(at) for at in range(len(stored))
        ]
        assert engine.store.check(thorough=True) == []
        assert engine.admin.changes().total == engine.memories.list().total


@pytest.mark.promise("B7")
def test_a_full_disk_refuses_a_memory_as_a_whole_and_takes_it_once_there_is_space(small_disk: Path) -> None:
    database, ballast = small_disk / "memory.db", small_disk / "ballast"
    ballast.write_bytes(bytes(1 << 20))
    with Engine(database=str(database), embedder=HashingEmbedder()) as engine:
        stored, code = fill(engine)
        assert code == "STORE_FULL"
        assert stored
        # The same engine still reads, says what is wrong, and refuses again.
        assert engine.memories.get(stored[-1]).content.startswith(str(len(stored) - 1))
        assert engine.recall.search("filler", limit=3).hits
        with pytest.raises(StoreFull):
            engine.memories.store(f"again {FILLER}")
        disk = next(check for check in engine.admin.health().checks if check.name == "disk")
        assert disk.status == "degraded"
        ballast.unlink()
        engine.memories.store("there is space again")
    with Engine(database=str(database), embed_provider="off") as engine:
        assert engine.memories.list().total == len(stored) + 1
    assert_intact(database, stored)


def test_a_disk_without_space_for_a_new_database_says_so(small_disk: Path) -> None:
    (small_disk / "ballast").write_bytes(bytes(DISK_BYTES - 8192))
    database = small_disk / "memory.db"
    with Engine(database=str(database), embed_provider="off") as engine:
        with pytest.raises(StoreFull):
            engine.memories.store("no space for this")
        assert engine.admin.health().status == "failed"
    (small_disk / "ballast").unlink()
    with Engine(database=str(database), embed_provider="off") as engine:
        assert engine.memories.store("space for this").created


@pytest.mark.promise("B7")
def test_vectors_that_do_not_fit_do_not_harm_memories_or_recall(small_disk: Path) -> None:
    database, ballast = small_disk / "memory.db", small_disk / "ballast"
    embedder = HashingEmbedder(4096)
    with Engine(database=str(database), embedder=embedder) as engine:
        for number in range(100):
            engine.memories.store(f"memory number {number}")
        free = shutil.disk_usage(small_disk).free
        ballast.write_bytes(bytes(max(0, free - 64 * 1024)))
        answer = engine.recall.search("memory number 7")
        assert answer.hits
        made, total = engine.embedding.coverage()
        assert made < total == 100
        ballast.unlink()
        engine.embedding.catch_up()
        assert engine.recall.search("memory number 7").mode == "hybrid"
        assert engine.embedding.coverage() == (100, 100)
    assert_intact(database, [])


@pytest.mark.promise("B7")
def test_a_file_that_may_not_grow_refuses_a_memory_as_a_whole(tmp_path: Path) -> None:
    database = tmp_path / "memory.db"
    answer = ask("fill", database=database, limit_bytes=2 << 20)
    # A quota or a limit is not told apart from other trouble with the disk.
    assert answer["code"] in ("STORE_FULL", "STORAGE_ERROR")
    assert answer["stored"] == answer["read"] > 0
    assert answer["again"] is True
    with Engine(database=str(database), embed_provider="off") as engine:
        assert engine.memories.list().total == answer["stored"] + 2
    assert_intact(database, [])


@pytest.mark.promise("B7")
def test_a_database_at_its_page_limit_refuses_a_memory_as_a_whole(tmp_path: Path) -> None:
    database = tmp_path / "memory.db"
    with Engine(database=str(database), embed_provider="off") as engine:
        engine.memories.store("stored while there was room")
        # The one way to SQLITE_FULL that needs no disk of its own; the limit belongs to the connection.
        connection = engine.store._dialect.connection()  # type: ignore[attr-defined]
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count = {pages + 50}")
        stored, code = fill(engine)
        assert code == "STORE_FULL"
        connection.execute("PRAGMA max_page_count = 1000000")
        again = engine.memories.store("stored after space was freed").memory.id
        assert engine.memories.list().total == len(stored) + 2
        assert engine.memories.get(again)
    assert_intact(database, stored)
