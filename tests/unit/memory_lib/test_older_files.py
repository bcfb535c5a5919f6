"""Files of the older library are converted when opened; the original is kept."""

from __future__ import annotations

import json
import logging
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from memory_lib.codebase import CodeMemoryStorage
from memory_lib.general import MemoryStorage
from recollect.errors import StoreForeign, StoreLocked

# Document 000 prints these.
SCHEMA = """
CREATE TABLE memories (id TEXT PRIMARY KEY, text TEXT NOT NULL, metadata TEXT, timestamp TEXT NOT NULL);
CREATE INDEX idx_timestamp ON memories(timestamp);
CREATE TABLE code_memories (
    id TEXT PRIMARY KEY, file_path TEXT, entity_name TEXT, code_snippet TEXT, docstring TEXT, signature TEXT,
    language TEXT, dependencies TEXT, imports TEXT, complexity TEXT, last_modified TEXT, timestamp TEXT NOT NULL,
    metadata TEXT);
CREATE TABLE non_code_memories (
    id TEXT PRIMARY KEY, category TEXT, title TEXT, content TEXT NOT NULL, file_path TEXT, timestamp TEXT NOT NULL,
    metadata TEXT);
"""


def fill(connection: sqlite3.Connection) -> None:
    connection.executescript(SCHEMA)
    connection.executemany(
        "INSERT INTO memories VALUES (?, ?, ?, ?)",
        [
            ("b", "newer", json.dumps({"a": {"b": [1, None]}}), "2024-01-15T10:30:00.700000+00:00"),
            ("a", "older", None, "2024-01-15T10:30:00.100000"),
            ("c", "newest", "not JSON", "2024-02-01T00:00:00Z"),
        ],
    )
    code = ("e", "src/a.py", "f", "def f(): ...", "Doc.", "f()", "python", '["g"]', '["import x"]', "low")
    connection.execute(
        "INSERT INTO code_memories VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (*code, "2024-01-01T00:00:00Z", "2024-01-02T00:00:00Z", '{"k": 1}'),
    )
    connection.execute(
        "INSERT INTO code_memories (id, code_snippet, timestamp) VALUES ('bare', 'x = 1', '2024-01-01T00:00:00Z')"
    )
    connection.execute(
        "INSERT INTO non_code_memories VALUES ('n', 'runbook', 'Title', 'Text', 'src/a.py', '2024-01-03T00:00:00Z', '')"
    )
    connection.commit()


@pytest.fixture
def older(tmp_path: Path) -> Path:
    path = tmp_path / "memories.db"
    with closing(sqlite3.connect(path)) as connection:
        fill(connection)
    return path


@pytest.mark.promise("G1", "G3", "G4")
def test_an_older_file_opens_with_everything_in_it(older: Path, caplog: pytest.LogCaptureFixture) -> None:
    before = older.read_bytes()
    with caplog.at_level(logging.WARNING), MemoryStorage(str(older)) as storage:
        assert storage.get_all_memories() == [
            {"id": "c", "text": "newest", "metadata": {"metadata": "not JSON"}, "timestamp": "2024-02-01T00:00:00Z"},
            {"id": "b", "text": "newer", "metadata": {"a": {"b": [1, None]}}, "timestamp": "2024-01-15T10:30:00Z"},
            {"id": "a", "text": "older", "metadata": {}, "timestamp": "2024-01-15T10:30:00Z"},
        ]
        assert storage.add_memory("and it goes on")
    assert "memories.db.backup" in caplog.text
    assert (older.parent / "memories.db.backup").read_bytes() == before
    assert sorted(path.name for path in older.parent.iterdir()) == ["memories.db", "memories.db.backup"]
    with MemoryStorage(str(older)) as storage:
        assert storage.count_memories() == 4
    assert sorted(path.name for path in older.parent.iterdir()) == ["memories.db", "memories.db.backup"]


@pytest.mark.promise("C7")
def test_code_and_notes_of_an_older_file_are_there_whichever_class_opens_it_first(older: Path) -> None:
    MemoryStorage(str(older)).close()
    with CodeMemoryStorage(str(older)) as storage:
        rows = {row["id"]: row for row in storage.get_all_memories()}
        assert rows["e"] == {
            "id": "e",
            "type": "code",
            "file_path": "src/a.py",
            "entity_name": "f",
            "code_snippet": "def f(): ...",
            "docstring": "Doc.",
            "signature": "f()",
            "language": "python",
            "dependencies": ["g"],
            "imports": ["import x"],
            "complexity": "low",
            "last_modified": "2024-01-01T00:00:00Z",
            "timestamp": "2024-01-02T00:00:00Z",
            "metadata": {"k": 1},
        }
        assert (rows["bare"]["code_snippet"], rows["bare"]["file_path"]) == ("x = 1", "")
        assert (rows["n"]["category"], rows["n"]["title"], rows["n"]["content"]) == ("runbook", "Title", "Text")
        assert {row["id"] for row in storage.get_memories_by_file("src/a.py")} == {"e", "n"}
        assert storage.delete_memories_by_file("src/a.py") == 2


def test_what_the_log_of_an_older_file_holds_is_not_lost(tmp_path: Path) -> None:
    path = tmp_path / "memories.db"
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode = WAL")
    fill(connection)
    reader = sqlite3.connect(path)  # whoever closes last writes the log into the file: nobody does here
    reader.execute("SELECT count(*) FROM memories").fetchone()
    connection.close()
    reader.close()
    with MemoryStorage(str(path)) as storage:
        assert storage.count_memories() == 3


def test_a_backup_that_is_there_already_is_not_overwritten(older: Path) -> None:
    (older.parent / "memories.db.backup").write_text("precious", encoding="utf-8")
    MemoryStorage(str(older)).close()
    assert (older.parent / "memories.db.backup").read_text(encoding="utf-8") == "precious"
    assert (older.parent / "memories.db.backup-2").exists()


def test_a_file_that_another_program_writes_is_left_alone(older: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("recollect.engine.importing.legacy_files.BUSY_S", 0.05)
    before = older.read_bytes()
    with closing(sqlite3.connect(older)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreLocked):
            MemoryStorage(str(older))
    assert older.read_bytes() == before
    assert [path.name for path in older.parent.iterdir()] == ["memories.db"]


def test_a_failure_half_way_leaves_the_older_file_where_it_was(older: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = older.read_bytes()

    def full(*paths: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("recollect.engine.importing.legacy_files.shutil.copy2", full)
    with pytest.raises(Exception, match="No space left"):
        MemoryStorage(str(older))
    assert older.read_bytes() == before
    assert [path.name for path in older.parent.iterdir()] == ["memories.db"]


def test_of_several_that_open_an_older_file_at_once_one_takes_it_over(older: Path) -> None:
    def opened(number: int) -> str:
        with MemoryStorage(str(older)) as storage:
            return storage.add_memory(f"by {number}")

    with ThreadPoolExecutor(4) as pool:
        made = list(pool.map(opened, range(4)))
    with MemoryStorage(str(older)) as storage:
        assert {row["id"] for row in storage.get_all_memories()} == {"a", "b", "c", *made}
    assert sorted(path.name for path in older.parent.iterdir()) == ["memories.db", "memories.db.backup"]


@pytest.mark.parametrize("storage", [MemoryStorage, CodeMemoryStorage])
def test_a_foreign_database_is_refused_and_unchanged(tmp_path: Path, storage: Callable[[str], object]) -> None:
    path = tmp_path / "theirs.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE memories (id TEXT, body TEXT)")
        connection.commit()
    before = path.read_bytes()
    with pytest.raises(StoreForeign):
        storage(str(path))
    assert path.read_bytes() == before
