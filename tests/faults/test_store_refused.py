"""What is not a database of ours, or newer than we are, is refused by name and left as it is."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.faults.child import Child

from recollect.engine import Engine
from recollect.errors import RecollectError
from recollect.store.sqlite import APPLICATION_ID

# The tables of the memory library that document 000 describes: same name, another shape, nothing to do with ours.
DOCUMENT_000 = """
CREATE TABLE memories (id TEXT PRIMARY KEY, text TEXT NOT NULL, metadata TEXT, timestamp TEXT NOT NULL);
CREATE INDEX idx_timestamp ON memories(timestamp);
INSERT INTO memories VALUES ('1', 'a memory of another library', '{}', '2026-01-01T00:00:00Z');
"""


def make(path: Path, script: str) -> None:
    database = sqlite3.connect(path)
    database.executescript(script)
    database.close()


def newer(path: Path) -> None:
    """A database of ours as a later version would leave it."""
    with Engine(database=str(path), embed_provider="off") as engine:
        engine.memories.store("stored by a later version")
    make(path, "PRAGMA user_version = 99")


FILES: dict[str, tuple[str, Callable[[Path], object]]] = {
    "random bytes": ("STORE_FOREIGN", lambda path: path.write_bytes(os.urandom(20_000))),
    "a text": ("STORE_FOREIGN", lambda path: path.write_text("notes of mine\n" * 500)),
    "a short text": ("STORE_FOREIGN", lambda path: path.write_text("hi")),
    "a database of another program": ("STORE_FOREIGN", lambda path: make(path, "CREATE TABLE t (x)")),
    "an empty one with a version": ("STORE_FOREIGN", lambda path: make(path, "PRAGMA user_version = 1")),
    "one that names its program": (
        "STORE_FOREIGN",
        lambda path: make(path, "PRAGMA application_id = 4711; CREATE TABLE memories (x)"),
    ),
    "one in WAL mode": ("STORE_FOREIGN", lambda path: make(path, "PRAGMA journal_mode = WAL; CREATE TABLE t (x)")),
    "a database of document 000": ("STORE_FOREIGN", lambda path: make(path, DOCUMENT_000)),
    "a newer database of ours": ("SCHEMA_TOO_NEW", newer),
    "a newer one without rows": (
        "SCHEMA_TOO_NEW",
        lambda path: make(path, f"PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = 99"),
    ),
}

OTHER: dict[str, tuple[str, Callable[[Path], object]]] = {
    "a folder": ("STORE_FOREIGN", lambda path: path.mkdir()),
    "a named pipe": ("STORE_FOREIGN", lambda path: os.mkfifo(path)),
    "a device": ("STORE_FOREIGN", lambda path: path.symlink_to("/dev/null")),
    "a link to nowhere": ("STORE_UNWRITABLE", lambda path: path.symlink_to(path.parent / "gone" / "target.db")),
    "a link to itself": ("STORE_UNWRITABLE", lambda path: path.symlink_to(path)),
}


def assert_refused(path: Path, code: str) -> None:
    """Every way to use the database has this code, and health reports it instead of raising it."""
    with Engine(database=str(path), embed_provider="off") as engine:
        uses: dict[str, Callable[[], object]] = {
            "store": lambda: engine.memories.store("x"),
            "list": lambda: engine.memories.list(),
            "search": lambda: engine.recall.search("x"),
            "rebuild": lambda: engine.admin.rebuild(),
            "stats": lambda: engine.admin.stats(),
            "export": lambda: engine.archive.export(),
        }
        codes = {}
        for name, use in uses.items():
            with pytest.raises(RecollectError) as caught:
                use()
            codes[name] = caught.value.code
        assert codes == dict.fromkeys(uses, code)
        health = engine.admin.health(thorough=True)
    storage = next(check for check in health.checks if check.name == "storage")
    assert (health.status, storage.status) == ("failed", "failed")
    assert storage.detail.startswith(code)
    assert storage.mend


@pytest.mark.parametrize(("code", "create"), FILES.values(), ids=FILES)
def test_a_file_of_somebody_else_is_refused_and_left_as_it_is(
    tmp_path: Path, code: str, create: Callable[[Path], object]
) -> None:
    path = tmp_path / "memory.db"
    create(path)
    before, times = path.read_bytes(), path.stat().st_mtime_ns
    assert_refused(path, code)
    assert path.read_bytes() == before
    assert path.stat().st_mtime_ns == times
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(("code", "create"), OTHER.values(), ids=OTHER)
def test_what_is_no_file_is_refused(tmp_path: Path, code: str, create: Callable[[Path], object]) -> None:
    path = tmp_path / "memory.db"
    create(path)
    assert_refused(path, code)
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("script", ["CREATE TABLE t (x)", f"PRAGMA application_id = {APPLICATION_ID}"])
def test_a_log_left_behind_by_another_program_is_left_as_it_is(tmp_path: Path, script: str) -> None:
    # Copied while it was open: the last connection to close such a file usually writes its log into it.
    source, path = tmp_path / "source.db", tmp_path / "memory.db"
    database = sqlite3.connect(source, isolation_level=None)
    database.executescript(f"PRAGMA journal_mode = WAL; {script}; PRAGMA user_version = 99")
    for end in ("", "-wal"):
        Path(f"{path}{end}").write_bytes(Path(f"{source}{end}").read_bytes())
    database.close()
    before = {end: Path(f"{path}{end}").read_bytes() for end in ("", "-wal")}
    assert before["-wal"]
    assert_refused(path, "STORE_FOREIGN" if "TABLE" in script else "SCHEMA_TOO_NEW")
    assert {end: Path(f"{path}{end}").read_bytes() for end in ("", "-wal")} == before


@pytest.mark.parametrize(
    ("name", "code"),
    [("n" * 300, "STORE_UNWRITABLE"), ("file/memory.db", "STORE_UNWRITABLE"), ("file/deep/memory.db", "STORE_FOREIGN")],
)
def test_a_path_that_cannot_be_is_refused(tmp_path: Path, name: str, code: str) -> None:
    (tmp_path / "file").write_text("not a folder")
    assert_refused(tmp_path / name, code)


def test_a_path_with_a_nul_character_is_a_bad_setting(tmp_path: Path) -> None:
    with pytest.raises(RecollectError) as caught:
        Engine(database=f"{tmp_path}/a\0b")
    assert caught.value.code == "BAD_SETTING"


def test_an_empty_file_becomes_a_database(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    path.touch()
    with Engine(database=str(path), embed_provider="off") as engine:
        engine.memories.store("the first")
        assert engine.admin.health(thorough=True).checks[0].status == "ok"


def test_an_empty_database_becomes_one_of_ours(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    make(path, "CREATE TABLE t (x); DROP TABLE t; VACUUM")
    assert path.stat().st_size
    with Engine(database=str(path), embed_provider="off") as engine:
        assert engine.memories.store("the first").created


def test_a_link_to_a_file_that_is_not_there_yet_makes_it(tmp_path: Path) -> None:
    (tmp_path / "memory.db").symlink_to(tmp_path / "real.db")
    with Engine(database=str(tmp_path / "memory.db"), embed_provider="off") as engine:
        engine.memories.store("kept where the link leads")
    with Engine(database=str(tmp_path / "real.db"), embed_provider="off") as engine:
        assert engine.memories.list().total == 1


def test_names_that_mean_something_in_an_address_are_only_names(tmp_path: Path) -> None:
    path = tmp_path / "what? 100% #1 & more;.db"
    with Engine(database=str(path), embed_provider="off") as engine:
        engine.memories.store("found again")
        assert path.stat().st_size
    with Engine(database=str(path), embed_provider="off") as engine:
        assert engine.memories.list().total == 1


def test_a_newer_database_is_refused_while_its_own_version_uses_it(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    newer(path)
    with Child("hold_write", database=path) as child:
        child.hear()
        assert_refused(path, "SCHEMA_TOO_NEW")
        child.tell()
        assert child.hear() == "released"
