"""tests/promises.toml and the tests say the same: read from the tests' source, so any selection of tests may run."""

from __future__ import annotations

import ast
import tomllib
from pathlib import Path
from typing import Any

import pytest

SOURCES = {"000", "001", "002", "003", "004", "recollect"}


def marks_in(source: str) -> tuple[set[str], list[int]]:
    """Return the promise ids named by `….mark.promise(…)` and the lines where one is not a plain string."""
    named: set[str] = set()
    unreadable: list[int] = []
    for node in ast.walk(ast.parse(source)):
        if not (isinstance(node, ast.Call) and ast.unparse(node.func).endswith("mark.promise")):
            continue
        values = [argument.value if isinstance(argument, ast.Constant) else None for argument in node.args]
        named.update(value for value in values if isinstance(value, str))
        if not values or not all(isinstance(value, str) for value in values):
            unreadable.append(node.lineno)
    return named, unreadable


@pytest.fixture(scope="module")
def promises(root: Path) -> dict[str, dict[str, Any]]:
    sections = tomllib.loads((root / "tests" / "promises.toml").read_text(encoding="utf-8"))
    for letter, rows in sections.items():
        assert all(name.startswith(letter) for name in rows), f"section {letter} holds a promise of another"
    found = {name: row for rows in sections.values() for name, row in rows.items()}
    assert len(found) >= 132, f"{len(found)} promises: promises are appended, never removed"
    return found


@pytest.fixture(scope="module")
def named(root: Path) -> dict[str, list[str]]:
    """Promise id → the test files that name it."""
    found: dict[str, list[str]] = {}
    files = sorted((root / "tests").rglob("test_*.py"))
    assert len(files) >= 10, f"only {len(files)} test files found"
    for path in files:
        ids, unreadable = marks_in(path.read_text(encoding="utf-8"))
        place = str(path.relative_to(root))
        assert not unreadable, f"{place}:{unreadable}: a promise is named by plain strings, so that it can be read here"
        for name in ids:
            found.setdefault(name, []).append(place)
    return found


def test_every_promise_has_a_text_a_source_and_a_status(promises: dict[str, dict[str, Any]]) -> None:
    for name, row in promises.items():
        assert set(row) == {"status", "source", "promise"}, name
        assert row["status"] in ("kept", "planned"), name
        assert row["source"] in SOURCES, name
        assert row["promise"].strip() and "\n" not in row["promise"], name


def test_tests_name_only_promises_that_exist(promises: dict[str, dict[str, Any]], named: dict[str, list[str]]) -> None:
    assert {name: files for name, files in named.items() if name not in promises} == {}


def test_every_kept_promise_has_a_test(promises: dict[str, dict[str, Any]], named: dict[str, list[str]]) -> None:
    assert [name for name, row in promises.items() if row["status"] == "kept" and name not in named] == []


def test_no_planned_promise_is_already_tested(promises: dict[str, dict[str, Any]], named: dict[str, list[str]]) -> None:
    ready = {name: named[name] for name, row in promises.items() if row["status"] == "planned" and name in named}
    assert ready == {}, f"ready to be moved to kept in tests/promises.toml: {' '.join(ready)}"


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ('@pytest.mark.promise("X1", "X2")\ndef test_a(): ...', ({"X1", "X2"}, [])),
        ('pytestmark = [pytest.mark.promise("X1")]', ({"X1"}, [])),
        ('CASES = [pytest.param(1, marks=pytest.mark.promise("X1"))]', ({"X1"}, [])),
        ("@pytest.mark.promise(name)\ndef test_a(): ...", (set(), [1])),
        ("@pytest.mark.promise()\ndef test_a(): ...", (set(), [1])),
        ('# pytest.mark.promise("X1")', (set(), [])),
    ],
)
def test_marks_are_read_wherever_they_are_written(source: str, expected: tuple[set[str], list[int]]) -> None:
    assert marks_in(source) == expected
