"""`recollect migrate`: all rows arrive, there and back is the same store, and an interrupted copy continues."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import numpy as np
import pytest
from tests.conformance.surfaces import run
from tests.postgres_server import empty_schema

from recollect import Engine
from recollect.errors import Conflict
from recollect.model import Memory
from recollect.store import store_copy
from recollect.store.postgres import Postgres
from recollect.store.sql import Store
from recollect.store.sqlite import Sqlite
from recollect.store.store_values import Vectors

# Tables that a database derives from others, or that belong to its kind.
NOT_COPIED = {"settings", "memory_days", "sqlite_sequence"}


@pytest.fixture
def url() -> Iterator[str]:
    with empty_schema() as made:
        yield made


@pytest.fixture
def source(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A database with memories, history, vectors and code."""
    monkeypatch.setenv("RECOLLECT_EMBED_PROVIDER", "off")
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "parser.py").write_text("def parse_file():\n    return 1\n", encoding="utf-8")
    with Engine() as engine:
        made = [engine.memories.store(f"The parser of part {n} uses rule {n}", tags=["parser"]) for n in range(30)]
        engine.memories.delete(made[3].memory.id)
        engine.code.index(str(tmp_path / "project"), namespace="app")
        rows = engine.store.find(Memory)
        vectors = np.eye(40, dtype=np.float32)
        engine.store.put_vectors("m/40", [Vectors(row.id, row.rev, vectors[n][None]) for n, row in enumerate(rows)])
    return home / "recollect.db"


def exported(database: str) -> str:
    with Engine(database=database) as engine:
        assert engine.store.check(thorough=True) == []
        return str(engine.archive.export().content)


@pytest.mark.promise("B12")
def test_there_and_back_is_the_same_store(source: Path, url: str, tmp_path: Path) -> None:
    back = str(tmp_path / "back.db")
    status, out, _ = run("migrate", "--to", url, "--json")
    assert status == 0
    there = json.loads(out)
    with closing(Postgres(url, tmp_path)) as target:
        counted = "SELECT reltuples FROM pg_class WHERE oid = 'memory_postings'::regclass"
        assert next(iter(target.connection().execute(counted)))[0] > 0, "the planner knows the copied words"
    assert run("migrate", "--database", url, "--to", back)[0] == 0
    assert exported(str(source)) == exported(url) == exported(back)
    tables = {row["table"]: row["rows"] for row in there["tables"]}
    assert (tables["memories"], tables["changes"], tables["memory_embeddings"]) == (29, 31, 29)
    with Engine(database=url) as engine:
        engine.memories.store("After the move")
        assert engine.admin.undo().restored == 1, "new changes follow the copied ones"


def test_a_target_with_data_of_its_own_is_refused(source: Path, url: str) -> None:
    with Engine(database=url) as engine:
        engine.memories.store("Already here")
    status, out, _ = run("migrate", "--to", url, "--json")
    assert (status, json.loads(out)["error"]["code"]) == (4, "CONFLICT")
    status, out, _ = run("migrate", "--to", str(source), "--json")
    assert (status, json.loads(out)["error"]["code"]) == (2, "INVALID_INPUT")


def test_an_interrupted_copy_continues_and_notices_what_changed_since(
    source: Path, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_copy, "PAGE", 10)
    pages = iter(range(5))
    write = store_copy._write

    def stopped(*given: object) -> None:
        if next(pages, None) is None:
            raise KeyboardInterrupt
        write(*given)  # type: ignore[arg-type]

    with closing(Sqlite(source)) as old, closing(Postgres(url, source.parent)) as new:
        monkeypatch.setattr(store_copy, "_write", stopped)
        with suppress(KeyboardInterrupt):
            store_copy.copy_store(old, new)
        monkeypatch.setattr(store_copy, "_write", write)
        with Store(old).transaction("test") as transaction:
            first = transaction.find(Memory, limit=1)[0]
            transaction.update(Memory, first.id, {"content": "changed between two attempts"})
        with closing(Sqlite(source.with_name("other.db"))) as third, pytest.raises(Conflict):
            store_copy.copy_store(third, new)
        store_copy.copy_store(old, new)
    assert exported(url) == exported(str(source))
    with Engine(database=url) as engine:
        assert engine.recall.search("changed attempts").hits[0].memory.id == first.id


def test_every_table_is_copied_or_derived(source: Path) -> None:
    with closing(Sqlite(source)) as dialect:
        rows = dialect.connection().execute("SELECT name, sql FROM sqlite_master WHERE type = 'table'")
        virtual = {name for name, sql in rows if sql and sql.startswith("CREATE VIRTUAL")}
        rows = dialect.connection().execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        names = {name for (name,) in rows if not any(name.startswith(f"{each}_") for each in virtual)}
        copied = {table.name: set(table.columns) for table in (*store_copy.COPIED, *store_copy.TEXTS.values())}
        assert names - virtual - NOT_COPIED == copied.keys() - virtual
        for table, columns in copied.items():
            info = dialect.connection().execute(f"PRAGMA table_info({table})")
            assert {row[1] for row in info} == columns - {"rowid"}, table
