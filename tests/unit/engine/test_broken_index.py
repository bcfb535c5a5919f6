"""A full text that is damaged or lost rows: never an empty answer that looks like one, and always a way to mend it."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.trees import write

from recollect import Engine
from recollect.errors import StoreCorrupt

pytestmark = pytest.mark.promise("B11")

ASK: dict[str, Callable[[Engine], tuple[bool, tuple[str, ...]]]] = {
    "memory_text": lambda engine: _answer(engine.recall.search("billing")),
    "code_text": lambda engine: _answer(engine.code.search("billing total")),
    "symbol_text": lambda engine: _found(engine.code.symbols("billing_total")),
}


def _answer(told: object) -> tuple[bool, tuple[str, ...]]:
    return bool(told.hits), told.notes  # type: ignore[attr-defined]


def _found(told: object) -> tuple[bool, tuple[str, ...]]:
    return bool(told.symbols), told.notes  # type: ignore[attr-defined]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = Path(os.path.realpath(tmp_path)) / "app"
    write(root, {"src/bill.py": "def billing_total(bills):\n    return sum(bills)\n", "src/other.py": "OTHER = 1\n"})
    return root


@pytest.fixture
def reopened(home: Path, project: Path) -> Iterator[Callable[[str], Engine]]:
    """Breaks the store of a project by SQL, as no operation would, and opens it again."""
    with Engine(embed_provider="off", index_workers=1) as engine:
        engine.memories.store("We use PostgreSQL for billing")
        engine.code.index(str(project))
        database = engine.settings.database_path
    opened: list[Engine] = []

    def broken_by(sql: str) -> Engine:
        connection = sqlite3.connect(database)
        with connection:
            connection.execute(sql)
        connection.close()
        opened.append(Engine(embed_provider="off", index_workers=1))
        return opened[-1]

    yield broken_by
    for engine in opened:
        engine.close()


@pytest.mark.parametrize("table", ASK)
def test_lost_index_rows_are_reported_with_an_empty_answer_and_repaired(
    table: str, reopened: Callable[[str], Engine], project: Path
) -> None:
    engine = reopened(f"DELETE FROM {table}")
    found, notes = ASK[table](engine)
    assert not found
    assert any("full-text index has 0 of" in note and "recollect admin rebuild" in note for note in notes)
    _is_failed_and_can_be_mended(engine, table, project)


@pytest.mark.parametrize("table", ASK)
def test_a_damaged_full_text_is_an_error_and_not_an_empty_answer(
    table: str, reopened: Callable[[str], Engine], project: Path
) -> None:
    engine = reopened(f"DELETE FROM {table}_data")
    with pytest.raises(StoreCorrupt, match="damaged") as caught:
        ASK[table](engine)
    assert "recollect admin rebuild" in caught.value.hint
    _is_failed_and_can_be_mended(engine, table, project)


@pytest.mark.parametrize("table", ASK)
def test_nothing_is_noted_where_a_sound_index_finds_nothing(table: str, reopened: Callable[[str], Engine]) -> None:
    engine = reopened("SELECT 1")
    asked = {
        "memory_text": lambda: engine.recall.search("zebra").notes,
        "code_text": lambda: engine.code.search("zebra").notes,
        "symbol_text": lambda: engine.code.symbols("zebra").notes,
    }
    assert not [note for note in asked[table]() if "full-text" in note]
    assert engine.admin.health().status != "failed"


def _is_failed_and_can_be_mended(engine: Engine, table: str, project: Path) -> None:
    (storage,) = [check for check in engine.admin.health().checks if check.name == "storage"]
    assert storage.status == "failed"
    assert "full-text" in storage.detail
    assert "recollect admin rebuild" in storage.mend
    engine.admin.rebuild()
    if table != "memory_text":  # code is not kept as text: it has to be read again, which is told until it is
        (code,) = [check for check in engine.admin.health().checks if check.name == "code"]
        assert (code.status, code.mend) == ("degraded", "Run `recollect index` in the project.")
        found, notes = ASK[table](engine)
        assert not found
        assert any("re-indexing" in note for note in notes)
    engine.code.index(str(project))
    assert engine.admin.health(thorough=True).status != "failed"
    found, _ = ASK[table](engine)
    assert found
