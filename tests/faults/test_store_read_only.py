"""Read-only files and folders: reading and searching go on, writing is refused, and health says so."""

from __future__ import annotations

import shutil
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.fakes import HashingEmbedder
from tests.faults.child import Child, ask

from recollect.engine import Engine

FRUIT = ["the apple is a red fruit", "the banana is a yellow fruit"]


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that another user can reach, unlike the temporary folders of a test."""
    with tempfile.TemporaryDirectory(prefix="recollect-test-") as name:
        Path(name).chmod(0o755)
        made = Path(name) / "kept"
        made.mkdir(mode=0o755)
        yield made
        made.chmod(0o755)


@pytest.fixture
def database(folder: Path) -> Path:
    """A database with two memories and their vectors, properly closed."""
    path = folder / "memory.db"
    with Engine(database=str(path), embedder=HashingEmbedder()) as engine:
        for content in FRUIT:
            engine.memories.store(content)
        engine.embedding.catch_up()
    path.chmod(0o444)
    return path


def close_to_writing(folder: Path) -> None:
    folder.chmod(0o555)


def assert_readable_only(answer: dict[str, object]) -> None:
    assert answer["list"] == FRUIT
    assert answer["search"][0] == FRUIT[0]  # type: ignore[index]
    assert answer["mode"] == "hybrid"
    assert sorted(answer["get"]) == FRUIT  # type: ignore[call-overload]
    assert answer["store"] == "STORE_UNWRITABLE"
    assert answer["health"]["status"] == "degraded"  # type: ignore[index]
    assert answer["health"]["storage"][0] == "degraded"  # type: ignore[index]


def test_a_read_only_file_in_a_read_only_folder_is_read_and_searched(database: Path) -> None:
    close_to_writing(database.parent)
    before = database.read_bytes()
    assert_readable_only(ask("use", database=database))
    assert database.read_bytes() == before
    assert list(database.parent.iterdir()) == [database]


def test_a_read_only_file_in_a_writable_folder_is_read_and_searched(database: Path) -> None:
    database.parent.chmod(0o777)
    before = database.read_bytes()
    assert_readable_only(ask("use", database=database))
    assert database.read_bytes() == before


def test_a_writable_file_in_a_read_only_folder_is_read_and_searched(database: Path) -> None:
    # SQLite keeps a log beside the file; where it cannot, a file that could be written cannot be written safely.
    database.chmod(0o666)
    close_to_writing(database.parent)
    assert_readable_only(ask("use", database=database))


def test_no_vectors_are_made_where_they_cannot_be_kept(database: Path) -> None:
    with Engine(database=str(database), embedder=HashingEmbedder()) as engine:
        engine.memories.store("the cherry is a red fruit, too")
    close_to_writing(database.parent)
    answer = ask("use", database=database)
    assert answer["health"]["vectors"] == ["degraded", "2 of 3 memories are embedded with hashing/64+lean"]
    assert answer["mode"] == "hybrid"


def test_a_log_left_behind_by_a_killed_process_is_read_in_a_read_only_folder(folder: Path) -> None:
    path = folder / "memory.db"
    with Child("write_and_stay", database=path, contents=FRUIT) as writer:
        writer.hear()
        writer.kill()
    assert (folder / "memory.db-wal").stat().st_size
    for file in folder.iterdir():
        file.chmod(0o444)
    close_to_writing(folder)
    answer = ask("use", database=path)
    assert answer["list"] == FRUIT
    assert answer["search"][0] == FRUIT[0]
    assert answer["store"] == "STORE_UNWRITABLE"
    assert answer["health"]["storage"][0] == "degraded"


def test_a_log_that_cannot_be_read_is_an_error_and_never_a_memory_less(database: Path) -> None:
    # Without the -shm file SQLite cannot read the -wal in a read-only folder, and the file alone lacks what is in it.
    with Child("write_and_stay", database=database, contents=["the cherry is a red fruit, too"]) as writer:
        writer.hear()
        writer.kill()
    (database.parent / "memory.db-shm").unlink()
    (database.parent / "memory.db-wal").chmod(0o444)
    close_to_writing(database.parent)
    answer = ask("use", database=database)
    assert {answer[verb] for verb in ("list", "search", "get", "store")} == {"STORE_UNWRITABLE"}
    assert answer["health"]["storage"][0] == "failed"
    database.parent.chmod(0o755)
    with Engine(database=str(database), embed_provider="off") as engine:
        assert engine.memories.list().total == 3


@pytest.mark.parametrize("kind", ["hidden", "forbidden", "missing"])
def test_a_database_that_cannot_be_reached_or_created_is_unwritable(folder: Path, kind: str) -> None:
    path = folder / "memory.db"
    if kind == "hidden":  # The file is there, in a folder that cannot be entered.
        path.touch()
        folder.chmod(0o000)
    elif kind == "forbidden":  # The folder is there, and nothing can be made in it.
        folder.chmod(0o555)
    else:  # Not even the folder is there, and it cannot be made.
        path = folder / "deep" / "down" / "memory.db"
        folder.chmod(0o555)
    answer = ask("use", database=path)
    assert {answer[verb] for verb in ("list", "search", "get", "store")} == {"STORE_UNWRITABLE"}
    assert answer["health"]["status"] == "failed"
    assert answer["health"]["storage"][0] == "failed"
    assert answer["health"]["storage"][1].startswith("STORE_UNWRITABLE")


def test_a_file_that_cannot_be_read_is_unwritable(database: Path) -> None:
    database.chmod(0o000)
    answer = ask("use", database=database)
    assert {answer[verb] for verb in ("list", "search", "get", "store")} == {"STORE_UNWRITABLE"}
    assert answer["health"]["storage"][0] == "failed"


def test_a_home_that_cannot_be_entered_is_a_setting_to_correct(database: Path) -> None:
    home = database.parent / "home"
    home.mkdir()
    home.chmod(0o000)
    answer = ask("use", database=database, home=str(home))
    assert set(answer.values()) == {"BAD_SETTING"}


def test_a_link_in_a_read_only_folder_leads_to_a_writable_database(folder: Path) -> None:
    target = folder / "target"
    target.mkdir()
    target.chmod(0o777)
    (folder / "memory.db").symlink_to(target / "real.db")
    close_to_writing(folder)
    answer = ask("use", database=folder / "memory.db")
    assert answer["store"] is True
    assert answer["health"]["storage"][0] == "ok"
    assert stat.S_IMODE((target / "real.db").stat().st_mode) == 0o600


def test_a_new_database_and_its_folder_are_private(tmp_path: Path) -> None:
    path = tmp_path / "new" / "home" / "memory.db"
    with Engine(database=str(path), embed_provider="off") as engine:
        engine.memories.store("private")
        modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in path.parent.iterdir()}
    assert modes == {"memory.db": 0o600, "memory.db-wal": 0o600, "memory.db-shm": 0o600}
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_a_copy_of_file_and_log_is_the_whole_database(folder: Path, tmp_path: Path) -> None:
    path = folder / "memory.db"
    with Child("write_and_stay", database=path, contents=FRUIT) as writer:
        writer.hear()
        for name in ("memory.db", "memory.db-wal"):
            shutil.copy(folder / name, tmp_path / name)
    with Engine(database=str(tmp_path / "memory.db"), embed_provider="off") as engine:
        assert sorted(memory.content for memory in engine.memories.list().memories) == FRUIT
