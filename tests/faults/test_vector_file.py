"""The file of mapped vectors: whatever happens to it, a search finds what the database holds, and nothing else."""

from __future__ import annotations

import errno
import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from recollect.errors import StoreUnwritable
from recollect.model import Memory
from recollect.store import vector_file, vector_index
from recollect.store.sql import Store
from recollect.store.sqlite import Sqlite
from recollect.store.store_values import Vectors

MODEL = "m/1"
SIDE = 70  # not a multiple of 64: the last word of sign bits is padded
COUNT = 40


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a few vectors have a file, as thousands do."""
    monkeypatch.setattr(vector_index, "EXACT_ROWS", 4)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A database of some memories with vectors, and its file of vectors."""
    made = tmp_path / "memory.db"
    with opened(made) as store:
        for number in range(COUNT):
            add(store, number)
        assert found(store, 3) == "m3"
    assert file_of(made).is_file()
    return made


def opened(path: Path) -> closing[Store]:
    return closing(Store(Sqlite(path)))


def file_of(path: Path) -> Path:
    return vector_file.path_of(path, MODEL)


def vector(number: int) -> Any:
    made = np.random.default_rng(number).standard_normal(SIDE).astype(np.float32)
    return made / np.linalg.norm(made)


def add(store: Store, number: int, model: str = MODEL) -> None:
    with store.transaction("test") as transaction:
        row = transaction.insert(Memory(id=f"m{number}", content=f"note {number}", namespace=f"/{number % 3}"))
    store.put_vectors(model, [Vectors(row.id, row.rev, vector(number)[None])])


def found(store: Store, number: int, model: str = MODEL) -> str | None:
    """Return the memory that has this vector; None: no memory has it."""
    matches = store.search_vectors(model, vector(number), None, 1)
    return matches[0].id if matches and matches[0].score > 0.99 else None


def whole_reads(store: Store) -> list[str]:
    """Return a list that grows by a statement whenever the store reads all vectors from the database."""
    seen: list[str] = []
    connection: Any = store._dialect.connection()

    def trace(sql: str) -> None:
        if "e.embedding FROM" in sql and "stamp >" not in sql and "memory_id IN" not in sql:
            seen.append(sql)

    connection.set_trace_callback(trace)
    return seen


def read_anew(path: Path) -> int:
    """Search in a new process' place, and return how often it read all vectors from the database."""
    with opened(path) as store:
        reads = whole_reads(store)
        assert [found(store, number) for number in range(COUNT)] == [f"m{number}" for number in range(COUNT)]
        assert found(store, 999) is None
        return len(reads)


# --- used ---


def test_the_next_process_maps_the_file_and_reads_no_vectors(path: Path) -> None:
    assert read_anew(path) == 0


def test_the_file_is_its_owners_alone(path: Path) -> None:
    assert stat.S_IMODE(file_of(path).stat().st_mode) == 0o600


def test_what_happened_since_the_file_was_written_is_followed(path: Path) -> None:
    with opened(path) as writer:
        add(writer, 100)
        with writer.transaction("test") as transaction:
            transaction.delete(Memory, {"id": "m5"})
            transaction.update(Memory, "m6", {"content": "another text"})
            transaction.update(Memory, "m7", {"importance": 0.9})
    with opened(path) as store:
        reads = whole_reads(store)
        assert [found(store, number) for number in (100, 4, 5, 6, 7)] == ["m100", "m4", None, None, "m7"]
        assert reads == []


def test_a_search_of_one_namespace_finds_only_that_of_the_file_too(path: Path) -> None:
    with opened(path) as store:
        matches = store.search_vectors(MODEL, vector(3), {"namespace": "/1"}, COUNT)
    assert {int(match.id[1:]) % 3 for match in matches} == {1}
    assert len(matches) == len([number for number in range(COUNT) if number % 3 == 1])


def test_a_file_that_lacks_too_much_is_written_again(path: Path) -> None:
    before = file_of(path).stat().st_ino
    with opened(path) as store:
        for number in range(100, 110):
            add(store, number)
        reads = whole_reads(store)
        assert found(store, 105) == "m105"
        assert len(reads) == 1
    assert file_of(path).stat().st_ino != before
    assert read_anew(path) == 0


def test_few_vectors_get_no_file(tmp_path: Path) -> None:
    with opened(tmp_path / "few.db") as store:
        for number in range(3):
            add(store, number)
        assert found(store, 2) == "m2"
    assert not file_of(tmp_path / "few.db").exists()


def test_each_model_has_a_file_of_its_own(path: Path) -> None:
    with opened(path) as store:
        rows = store.find(Memory)
        store.put_vectors("m/2", [Vectors(row.id, row.rev, vector(int(row.id[1:]) + 500)[None]) for row in rows])
        assert (found(store, 501, "m/2"), found(store, 1, "m/2"), found(store, 1)) == ("m1", None, "m1")
    assert vector_file.path_of(path, "m/2").is_file()
    assert read_anew(path) == 0


# --- not used ---


def cut(file: Path) -> None:
    os.truncate(file, file.stat().st_size - 1)


def empty(file: Path) -> None:
    os.truncate(file, 0)


def flip(place: int) -> Callable[[Path], None]:
    def flipped(file: Path) -> None:
        content = bytearray(file.read_bytes())
        content[place] ^= 0xFF
        file.write_bytes(content)

    return flipped


def swap_for_pipe(file: Path) -> None:
    file.unlink()
    os.mkfifo(file)


def swap_for_link(file: Path) -> None:
    moved = file.rename(file.with_name("moved"))
    file.symlink_to(moved)


DAMAGE = {
    "removed": Path.unlink,
    "cut": cut,
    "empty": empty,
    "magic": flip(0),
    "length": flip(len(vector_file.MAGIC) + 6),
    "header": flip(vector_file.START + 30),
    "numbers": flip(800),
    "pipe": swap_for_pipe,
    "link": swap_for_link,
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE.keys())
def test_a_damaged_file_is_not_used_and_made_again(path: Path, damage: Callable[[Path], None]) -> None:
    damage(file_of(path))
    assert read_anew(path) == 1
    assert read_anew(path) == 0


def test_a_file_of_another_database_is_not_used(path: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.db"
    with opened(other) as store:
        for number in reversed(range(COUNT)):  # the same vectors, of other memories
            add(store, number)
        found(store, 1)
    shutil.copy(file_of(other), file_of(path))
    assert read_anew(path) == 1


def test_a_database_that_was_put_back_from_a_backup_does_not_use_a_later_file(path: Path, tmp_path: Path) -> None:
    backup = tmp_path / "backup.db"
    shutil.copy(path, backup)
    with opened(path) as store:
        for number in range(100, 110):
            add(store, number)
        found(store, 1)  # a new file
    shutil.copy(backup, path)
    with opened(path) as store:
        for number in range(200, 212):  # as many changes as the file knows of, and more
            add(store, number)
        assert [found(store, number) for number in (205, 105, 7)] == ["m205", None, "m7"]


def test_vectors_that_were_dropped_do_not_come_back_from_the_file(path: Path) -> None:
    with opened(path) as store:
        store.drop_derived(vectors=True)
    with opened(path) as store:
        assert found(store, 3) is None


# --- not written ---

CHILD = """
import os, sys
from pathlib import Path
from recollect.store import passage_search, vector_index
from recollect.store.sql import Store
from recollect.store.sqlite import Sqlite
import numpy as np
vector_index.EXACT_ROWS = 4
{killed}
Store(Sqlite(Path(sys.argv[1]))).search_vectors("m/1", np.ones(70, np.float32), None, 1)
"""
KILLED = {
    "while it is written": "os.fsync = lambda file: os._exit(9)",
    "before it is renamed": "Path.replace = lambda part, path: os._exit(9)",
    "before the database knows it": "passage_search.write_setting = lambda *row: os._exit(9)",
}


@pytest.mark.parametrize("killed", KILLED.values(), ids=KILLED.keys())
def test_a_process_that_is_killed_while_it_writes_the_file_does_no_harm(path: Path, killed: str) -> None:
    file_of(path).unlink()
    line = [sys.executable, "-c", CHILD.format(killed=killed), str(path)]
    assert subprocess.run(line, check=False).returncode == 9
    assert read_anew(path) == 1
    assert read_anew(path) == 0
    assert [file.name for file in path.parent.iterdir() if vector_file.PART in file.name] == []


@pytest.fixture
def full_disk(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    def full(_file: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    yield


def test_without_room_for_the_file_a_search_finds_the_same(path: Path, full_disk: None) -> None:
    file_of(path).unlink()
    assert read_anew(path) == 1
    assert [file.name for file in path.parent.iterdir() if vector_file.INFIX in file.name] == []


def test_a_search_that_cannot_write_maps_the_file(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object, **__: object) -> None:
        raise StoreUnwritable("read-only", path=str(path))

    monkeypatch.setattr(Sqlite, "write", refused)
    assert read_anew(path) == 0
    file_of(path).unlink()
    assert read_anew(path) == 1
    assert not file_of(path).exists()


def test_a_file_that_is_removed_while_it_is_mapped_is_still_searched(path: Path) -> None:
    with opened(path) as store:
        assert found(store, 3) == "m3"
        file_of(path).unlink()
        assert [found(store, number) for number in (3, 30)] == ["m3", "m30"]


# --- purged ---


def bytes_of(path: Path) -> bytes:
    files = [file for file in path.parent.iterdir() if vector_file.INFIX in file.name]
    return b"".join(file.read_bytes() for file in files)


def purge(store: Store, name: str) -> None:
    with store.transaction("purge") as transaction:
        transaction.purge(Memory, [name])
    store.scrub()


def test_a_purge_leaves_no_vector_in_any_file(path: Path) -> None:
    secret = vector_index.to_blob(vector(3))
    part = file_of(path).with_name(f"{file_of(path).name}{vector_file.PART}-1-killed")
    shutil.copy(file_of(path), part)
    assert secret in bytes_of(path)
    with opened(path) as store, opened(path) as other:
        assert found(other, 3) == "m3"
        purge(store, "m3")
        assert bytes_of(path) == b""
        assert [found(each, number) for each in (store, other) for number in (3, 4)] == [None, "m4", None, "m4"]
    assert secret not in bytes_of(path)
    assert vector_index.to_blob(vector(4)) in bytes_of(path)


def test_a_file_that_was_begun_before_a_purge_is_thrown_away(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file_of(path).unlink()
    written = vector_file.write

    def write_slowly(*words: Any) -> Path:
        part = written(*words)
        with opened(path) as other:
            monkeypatch.setattr(vector_file, "write", written)
            purge(other, "m3")
        part.write_bytes(b"written after the purge looked for files")
        return part

    monkeypatch.setattr(vector_file, "write", write_slowly)
    with opened(path) as store:
        found(store, 1)
    assert bytes_of(path) == b""
    with opened(path) as store:
        assert [found(store, number) for number in (3, 4)] == [None, "m4"]


def test_a_purge_says_so_if_the_file_cannot_be_removed(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(database: Path) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", str(file_of(database)))

    monkeypatch.setattr(vector_file, "remove_all", refused)
    with opened(path) as store, pytest.raises(StoreUnwritable):
        purge(store, "m3")
