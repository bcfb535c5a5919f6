"""Every operation answers the same on PostgreSQL as on SQLite, and leaves the same rows behind."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.conformance.test_operations import CASES, Bench, Case, bench, prepared
from tests.postgres_server import empty_schema, run_sql, schema_of

from recollect.store.sqlite import Sqlite
from recollect.store.store_copy import copy_store

__all__ = ["bench", "prepared"]

# Copies every row of the schema named by the setting `prepared.source` into the current one.
FILL = """
DO $$ DECLARE found record; BEGIN
  SET LOCAL session_replication_role = replica;
  FOR found IN SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema LOOP
    EXECUTE format('DELETE FROM %I', found.name);
    EXECUTE format('INSERT INTO %I SELECT * FROM {source}.%I', found.name, found.name);
  END LOOP;
  FOR found IN SELECT sequencename AS name FROM pg_sequences WHERE schemaname = current_schema LOOP
    EXECUTE format('SELECT setval(%L, last_value, is_called) FROM {source}.%I', found.name, found.name);
  END LOOP;
END $$
"""
# What names the database or its size, and the files in the folder of the test, of which SQLite's are some.
DIFFERENT = ("database", "database_bytes", "size_bytes", "read", "read_bytes", "skipped")


@pytest.fixture(scope="module")
def source(prepared: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A schema with the rows of the prepared home."""
    from recollect.store.postgres import Postgres

    with empty_schema() as url:
        with closing(Sqlite(prepared / "recollect.db")) as old, closing(Postgres(url, prepared)) as new:
            copy_store(old, new)
        yield url


@pytest.fixture(scope="module")
def target() -> Iterator[str]:
    from recollect.store.postgres import Postgres

    with empty_schema() as url:
        with closing(Postgres(url, Path())) as made:
            made.describe()
        yield url


def same(told: Any) -> Any:
    """Return an answer without what names the database."""
    if isinstance(told, dict):
        if told.get("name") == "storage":
            return told["status"]
        return {name: same(value) for name, value in told.items() if name not in DIFFERENT}
    return [same(value) for value in told] if isinstance(told, list) else told


@pytest.mark.parametrize("case", CASES, ids=[f"{case.operation}-{number}" for number, case in enumerate(CASES)])
def test_an_operation_does_the_same_on_postgresql(
    case: Case, bench: Bench, source: str, target: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = bench.call(case, "library")
    run_sql(target, FILL.format(source=schema_of(source)))
    monkeypatch.setenv("RECOLLECT_DATABASE_URL", target)
    found = bench.call(case, "library")
    for part, value in expected.items():
        assert same(found[part]) == same(value), part
