"""Records and rows: what is written to a table is read back as the same record."""

from __future__ import annotations

import sqlite3
from typing import Any, Literal, get_args, get_origin, get_type_hints

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.model import Record
from recollect.store.tables import TABLES, from_row, to_row

text = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
whole = st.integers(-(2**63), 2**63 - 1)
number = st.floats(allow_nan=False, allow_infinity=False)
json_value = st.recursive(
    st.none() | st.booleans() | whole | number | text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(text, inner, max_size=3),
    max_leaves=8,
)


def values(annotation: Any) -> st.SearchStrategy[Any]:
    """Return what a field of this type may hold."""
    if get_origin(annotation) is Literal:
        return st.sampled_from(get_args(annotation))
    if get_origin(annotation) is tuple:
        return st.lists(text, max_size=4).map(tuple)
    if get_origin(annotation) is dict:
        return st.dictionaries(text, json_value, max_size=3)
    if type(None) in get_args(annotation):
        (other,) = [member for member in get_args(annotation) if member is not type(None)]
        return st.none() | values(other)
    return {str: text, int: whole, float: number, bool: st.booleans()}[annotation]


def records(kind: type[Record]) -> st.SearchStrategy[Record]:
    return st.builds(kind, **{name: values(hint) for name, hint in get_type_hints(kind).items()})


@pytest.mark.parametrize("kind", TABLES, ids=lambda kind: kind.__name__)
@settings(max_examples=15)
@given(st.data())
def test_a_record_survives_its_table(kind: type[Record], database: sqlite3.Connection, data: st.DataObject) -> None:
    table = TABLES[kind]
    record = data.draw(records(kind))
    names = ", ".join(table.columns)
    database.execute("PRAGMA foreign_keys = OFF")
    database.execute(f"DELETE FROM {table.name}")
    marks = ", ".join("?" * len(table.columns))
    database.execute(f"INSERT INTO {table.name} ({names}) VALUES ({marks})", to_row(table, record))
    (row,) = database.execute(f"SELECT {names} FROM {table.name}")
    assert from_row(table, row) == record
