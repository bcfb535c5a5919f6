"""The migrated database has the documented tables, and records and tables have the same columns."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from recollect.model import Record
from recollect.store import migrations
from recollect.store.migrations import MIGRATIONS, split
from recollect.store.tables import DEPENDENTS, TABLES


def columns(database: sqlite3.Connection, table: str) -> dict[str, tuple[str, bool, str | None]]:
    """Return type, NOT NULL and default of each column."""
    rows = database.execute(f"PRAGMA table_info({table})")
    return {name: (kind, bool(required), default) for _, name, kind, required, default, _ in rows}


def indexes(database: sqlite3.Connection, table: str) -> set[tuple[str, ...]]:
    """Return the columns of every index of a table."""
    return {
        tuple(row[2] for row in database.execute(f"PRAGMA index_info({name})"))
        for _, name, *_ in database.execute(f"PRAGMA index_list({table})")
    }


@pytest.mark.parametrize("kind", TABLES, ids=lambda kind: kind.__name__)
def test_a_record_has_the_columns_of_its_table(database: sqlite3.Connection, kind: type[Record]) -> None:
    table = TABLES[kind]
    assert list(columns(database, table.name)) == list(table.columns)
    assert table.key in table.columns
    assert set(table.kinds.json) <= set(table.columns)
    assert table.volatile <= set(table.columns)


# Document 002, section 8: table → its columns with their type, and its indexes.
DOCUMENTED: dict[str, tuple[dict[str, str], set[tuple[str, ...]]]] = {
    "memories": (
        {
            "id": "TEXT",
            "content": "TEXT NOT NULL",
            "memory_type": "TEXT NOT NULL",
            "importance": "REAL",
            "confidence": "REAL",
            "access_count": "INTEGER",
            "content_hash": "TEXT",
            "tags": "TEXT",
            "metadata": "TEXT",
            "namespace": "TEXT",
            "created_at": "INTEGER",
            "updated_at": "INTEGER",
            "last_accessed_at": "INTEGER",
        },
        {("memory_type",), ("content_hash",), ("importance",), ("created_at",), ("namespace",)},
    ),
    "memory_embeddings": ({"memory_id": "TEXT", "embedding": "BLOB NOT NULL", "model": "TEXT"}, set()),
    "graph_nodes": (
        {
            "id": "TEXT",
            "kind": "TEXT NOT NULL",
            "label": "TEXT",
            "payload": "TEXT",
            "centrality": "REAL",
            "memory_id": "TEXT",
            "namespace": "TEXT",
        },
        {("kind",), ("memory_id",)},
    ),
    "graph_edges": (
        {
            "id": "TEXT",
            "src": "TEXT NOT NULL",
            "dst": "TEXT NOT NULL",
            "relationship": "TEXT NOT NULL",
            "weight": "REAL",
            "properties": "TEXT",
            "created_at": "INTEGER",
        },
        {("src",), ("dst",), ("relationship",)},
    ),
    "consolidation_log": (
        {
            "id": "INTEGER",
            "cycle_type": "TEXT NOT NULL",
            "run_at": "INTEGER NOT NULL",
            "affected_count": "INTEGER NOT NULL",
        },
        {("cycle_type", "run_at")},
    ),
    "sessions": (
        {
            "id": "TEXT",
            "namespace": "TEXT",
            "started_at": "INTEGER NOT NULL",
            "ended_at": "INTEGER",
            "memory_count": "INTEGER",
            "summary": "TEXT",
        },
        {("namespace",), ("started_at",)},
    ),
}


@pytest.mark.promise("E1", "E3", "E4")
@pytest.mark.parametrize("table", DOCUMENTED)
def test_a_documented_table_has_its_documented_columns_and_indexes(database: sqlite3.Connection, table: str) -> None:
    wanted, wanted_indexes = DOCUMENTED[table]
    found = columns(database, table)
    for name, spelled in wanted.items():
        kind, required, _ = found[name]
        assert kind == spelled.removesuffix(" NOT NULL"), name
        assert required or not spelled.endswith("NOT NULL"), name
    # An index that begins with a column serves it, too.
    assert wanted_indexes <= {index[:1] for index in indexes(database, table)} | indexes(database, table)


@pytest.mark.promise("E1", "E3")
@pytest.mark.parametrize(
    ("table", "column", "default"),
    [
        ("memories", "importance", "0.5"),
        ("memories", "confidence", "1.0"),
        ("memory_embeddings", "model", "'all-MiniLM-L6-v2'"),
        ("graph_nodes", "centrality", "0.0"),
        ("graph_edges", "weight", "1.0"),
        ("sessions", "memory_count", "0"),
    ],
)
def test_documented_defaults_hold(database: sqlite3.Connection, table: str, column: str, default: str) -> None:
    assert columns(database, table)[column][2] == default


@pytest.mark.promise("E3", "E4")
def test_foreign_keys_cascade_or_let_go_as_documented(database: sqlite3.Connection) -> None:
    def keys(table: str) -> set[tuple[str, str, str]]:
        rows = database.execute(f"PRAGMA foreign_key_list({table})")
        return {(column, f"{parent}.{target}", action) for _, _, parent, column, target, _, action, _ in rows}

    assert keys("memory_embeddings") == {("memory_id", "memories.id", "CASCADE")}
    assert keys("graph_nodes") == {("memory_id", "memories.id", "SET NULL")}
    assert keys("graph_edges") == {("src", "graph_nodes.id", "CASCADE"), ("dst", "graph_nodes.id", "CASCADE")}


def test_every_foreign_key_of_a_logged_table_is_followed_by_us_so_that_it_is_logged(
    database: sqlite3.Connection,
) -> None:
    in_database = {
        (parent, table.name, column)
        for table in TABLES.values()
        for _, _, parent, column, *_ in database.execute(f"PRAGMA foreign_key_list({table.name})")
    }
    followed = {
        (TABLES[kind].name, TABLES[row.record].name, row.field) for kind, rows in DEPENDENTS.items() for row in rows
    }
    assert followed == in_database


def test_migrations_are_numbered_without_gaps_and_every_file_is_used() -> None:
    assert [int(migration.name[:4]) for migration in MIGRATIONS] == list(range(1, len(MIGRATIONS) + 1))
    folder = Path(migrations.__file__).parent
    known = {migration.name for migration in MIGRATIONS}
    assert {path.name.split(".")[0] for path in folder.glob("*.sql")} == known


def test_a_script_is_split_at_its_semicolons_and_comments_are_left_out() -> None:
    script = "-- a comment; with a semicolon\nCREATE TABLE a (\n  b TEXT -- c;\n);\n\nDROP TABLE a;\n-- end\n"
    assert list(split(script)) == ["CREATE TABLE a (\n  b TEXT\n);", "DROP TABLE a;"]
