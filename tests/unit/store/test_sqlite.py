"""SQLite as we use it: pragmas, the mark on our files, private files, connections per thread."""

from __future__ import annotations

import sqlite3
import stat
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from recollect import Engine
from recollect.errors import SchemaTooNew, StorageError, StoreForeign
from recollect.model import Edge, Memory
from recollect.store import full_text, passage_search, sqlite
from recollect.store.full_text import POSTINGS_BUDGET
from recollect.store.migrations import MIGRATIONS
from recollect.store.sql import Store
from recollect.store.sqlite import APPLICATION_ID, IMPATIENT_MS, Sqlite
from recollect.store.tables import TABLES


@pytest.fixture
def dialect(tmp_path: Path) -> Iterator[Sqlite]:
    opened = Sqlite(tmp_path / "new" / "store.db", busy_timeout_ms=1234)
    yield opened
    opened.close()


def pragma(connection: sqlite3.Connection, name: str) -> object:
    return connection.execute(f"PRAGMA {name}").fetchone()[0]


@pytest.mark.promise("E5")
def test_every_connection_is_set_up_as_documented(dialect: Sqlite) -> None:
    found: list[dict[str, object]] = []

    def look() -> None:
        names = ("journal_mode", "cache_size", "mmap_size", "foreign_keys", "synchronous", "busy_timeout")
        found.append({name: pragma(dialect.connection(), name) for name in names})

    look()
    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    expected = {
        "journal_mode": "wal",
        "cache_size": -64 * 1024,
        "mmap_size": 256 * 1024 * 1024,
        "foreign_keys": 1,
        "synchronous": 1,
        "busy_timeout": 1234,
    }
    assert found == [expected, expected]


@pytest.mark.promise("E5")
def test_there_is_one_database_in_the_home_of_the_user(home: Path) -> None:
    with Engine(embed_provider="off") as engine:
        engine.memories.store("x")
        engine.workspaces.init("app")
        kept = {path.name for path in home.iterdir()}
    assert kept <= {"recollect.db", "recollect.db-wal", "recollect.db-shm"}


def test_our_files_carry_our_mark_and_the_number_of_migrations(dialect: Sqlite) -> None:
    assert pragma(dialect.connection(), "application_id") == APPLICATION_ID == int.from_bytes(b"reco")
    assert pragma(dialect.connection(), "user_version") == len(MIGRATIONS)
    assert dialect.describe().schema_version == len(MIGRATIONS)


def test_files_and_folder_are_private(dialect: Sqlite, tmp_path: Path) -> None:
    store = Store(dialect)
    with store.transaction("test") as transaction:
        transaction.insert(Memory(id="a", content="x"))
    folder = tmp_path / "new"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()}
    assert modes == dict.fromkeys(["store.db", "store.db-wal", "store.db-shm"], 0o600)


def test_each_thread_has_a_connection_of_its_own(dialect: Sqlite) -> None:
    here = dialect.connection()
    assert dialect.connection() is here
    there: list[sqlite3.Connection] = []
    thread = threading.Thread(target=lambda: there.append(dialect.connection()))
    thread.start()
    thread.join()
    assert there[0] is not here


def test_threads_write_and_read_side_by_side(dialect: Sqlite) -> None:
    store = Store(dialect)

    def write(name: str) -> None:
        for number in range(20):
            with store.transaction("test") as transaction:
                transaction.insert(Memory(id=f"{name}{number}", content="x"))
            store.find(Memory)

    threads = [threading.Thread(target=write, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert store.count(Memory) == 80
    assert store.check(thorough=True) == []


def test_a_statistic_does_not_wait_for_a_writer_and_the_patience_of_others_stays(
    dialect: Sqlite, tmp_path: Path
) -> None:
    store = Store(dialect)
    with store.transaction("test") as transaction:
        transaction.insert(Memory(id="a", content="x"))
    with closing(sqlite3.connect(tmp_path / "new" / "store.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        store.touch(["a"])
        assert store.get(Memory, ["a"])[0].access_count == 0
        other.execute("ROLLBACK")
    assert pragma(dialect.connection(), "busy_timeout") == 1234
    assert IMPATIENT_MS < 1234
    store.touch(["a"])
    assert store.get(Memory, ["a"])[0].access_count == 1


def test_a_database_of_a_newer_version_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    first = Sqlite(path)
    first.connection()
    first.close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    before = path.read_bytes()
    with pytest.raises(SchemaTooNew) as refusal:
        Store(Sqlite(path)).find(Memory)
    assert refusal.value.details["schema_version"] == len(MIGRATIONS) + 1
    assert path.read_bytes() == before


@pytest.mark.parametrize("version", range(1, len(MIGRATIONS)))
def test_a_database_of_an_older_version_is_brought_up_to_date_with_what_it_holds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: int
) -> None:
    path = tmp_path / "store.db"
    with monkeypatch.context() as older:
        older.setattr(sqlite, "MIGRATIONS", MIGRATIONS[:version])
        old = Sqlite(path)
        with old.write() as connection:
            connection.execute(
                "INSERT INTO memories (id, content, memory_type, content_hash, created_at, updated_at, "
                "last_accessed_at, seq, rev) VALUES ('a', 'kept', 'context', '', 0, 0, 0, 1, 1)"
            )
        old.close()
    store = Store(Sqlite(path))
    assert [memory.content for memory in store.find(Memory)] == ["kept"]
    assert store.describe().schema_version == len(MIGRATIONS)
    store.close()


def test_a_database_of_another_program_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "theirs.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE recipes (name TEXT)")
    before = path.read_bytes()
    with pytest.raises(StoreForeign):
        Store(Sqlite(path)).find(Memory)
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["theirs.db"]


def test_a_store_can_be_opened_again_after_it_was_closed(dialect: Sqlite) -> None:
    store = Store(dialect)
    with store.transaction("test") as transaction:
        transaction.insert(Memory(id="a", content="x"))
    store.close()
    assert [row.id for row in store.find(Memory)] == ["a"]


def test_a_transaction_inside_a_transaction_is_an_error_of_ours_and_undoes_nothing(dialect: Sqlite) -> None:
    store = Store(dialect)
    with store.transaction("outer") as outer:
        outer.insert(Memory(id="a", content="x"))
        with pytest.raises(StorageError), store.transaction("inner"):
            pass
        outer.insert(Memory(id="b", content="y"))
    assert store.count(Memory) == 2


def test_where_there_is_too_much_to_rank_the_rarest_words_are_kept(dialect: Sqlite) -> None:
    store = Store(dialect)
    with store.transaction("test") as transaction:
        for number in range(1 + POSTINGS_BUDGET // 3):
            transaction.insert(Memory(id=str(number), content="alpha beta gamma"))
        transaction.insert(Memory(id="wanted", content="alpha beta gamma and then some more words and the needle"))
    found = store.search_text(["alpha", "beta", "gamma", "needl"], None, 3)
    assert found[0].id == "wanted"


def test_of_frequent_words_only_what_has_all_of_them_is_ranked_if_that_is_enough(
    dialect: Sqlite, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(full_text, "POSTINGS_BUDGET", 10)
    store = Store(dialect)
    texts = {"short": "alpha", "both": "alpha and beta, and many other words besides", "other": "beta"}
    with store.transaction("test") as transaction:
        for number in range(8):
            for name, text in texts.items():
                transaction.insert(Memory(id=f"{name}{number}", content=text))

    def found(limit: int) -> set[str]:
        return {match.id.rstrip("01234567") for match in store.search_text(["alpha", "beta"], None, limit)}

    monkeypatch.setattr(passage_search, "WIDENING", 0)
    assert found(8) == {"both"}
    assert found(24) == {"short", "both", "other"}


@pytest.mark.parametrize(
    ("where", "index"),
    [
        ({"src": "a", "relationship": "SUMMARIZES"}, "idx_graph_edges_src"),
        ({"dst": ("a", "b"), "relationship": "SUMMARIZES"}, "idx_graph_edges_dst"),
        ({"relationship": ("SUMMARIZES", "SUPERSEDES")}, "idx_graph_edges_relationship"),
    ],
)
def test_edges_are_looked_for_by_their_ends_where_those_are_known(
    dialect: Sqlite, where: dict[str, object], index: str
) -> None:
    condition, values = Store(dialect)._condition(TABLES[Edge], where)
    plan = dialect.connection().execute(f"EXPLAIN QUERY PLAN SELECT * FROM graph_edges WHERE {condition}", values)
    assert index in " ".join(str(row[-1]) for row in plan)


def test_a_filter_that_nothing_passes_does_not_widen_a_search(dialect: Sqlite) -> None:
    store = Store(dialect)
    with store.transaction("test") as transaction:
        for number in range(200):
            transaction.insert(Memory(id=f"m{number}", content="needle"))
    asked: list[str] = []
    dialect.connection().set_trace_callback(asked.append)
    assert store.search_text(["needl"], {"memory_type": "preference"}, 1) == []
    assert sum("bm25(" in sql for sql in asked) == 1
    assert len(store.search_text(["needl"], {"observed": False}, 1)) == 1
