"""The tables as data: the record of each table, how changes to it are treated, and its dependents.

Column names and the form of values come from the record's fields, so SQL and records cannot drift apart; a test
compares them with the migrated database.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from types import UnionType
from typing import Any, NamedTuple, Union, get_args, get_origin

import msgspec

from recollect import model
from recollect.errors import StoreCorrupt
from recollect.store.passage import ORDINARY, Standing, Written


class FieldKinds(NamedTuple):
    """Fields kept as JSON text with their types, those that are kept as 1 and 0, and those that may be absent."""

    json: dict[str, Any]
    flags: list[str]
    optional: frozenset[str]


class Table(NamedTuple):
    """One table: its record, its name, and how changes to it are treated."""

    record: type[model.Record]
    name: str
    # Logged tables hold what cannot be rebuilt; the others are derived, statistics, or the log itself.
    logged: bool = False
    # Statistics and derived columns: an undo ignores them when it compares a row with the state after a change.
    volatile: frozenset[str] = frozenset()
    key: str = "id"
    # Derived keys of JSON fields: like volatile fields, and an update that does not name them keeps them.
    derived: Mapping[str, frozenset[str]] = {}
    # Fields whose index must not be used together with one of these, which are far more selective. Without statistics
    # a database uses either, and a hundred thousand edges can have one relationship.
    broad: Mapping[str, frozenset[str]] = {}

    @property
    def columns(self) -> tuple[str, ...]:
        return self.record.__struct_fields__

    @property
    def kinds(self) -> FieldKinds:
        """The form in which its fields are stored."""
        return _kinds(self.record)


TABLES: dict[type[model.Record], Table] = {
    table.record: table
    for table in (
        Table(model.Memory, "memories", True, frozenset({"rev", "seq", "access_count", "last_accessed_at"})),
        Table(
            model.Node,
            "graph_nodes",
            True,
            frozenset({"rev", "centrality"}),
            derived={"payload": frozenset({"centrality"})},
        ),
        Table(
            model.Edge,
            "graph_edges",
            True,
            frozenset({"rev"}),
            broad={"relationship": frozenset({"id", "src", "dst"})},
        ),
        Table(model.Session, "sessions", True, frozenset({"rev"})),
        Table(model.Workspace, "workspaces", True, frozenset({"rev"})),
        # Fields that indexing fills in later must not make an undo of the memory fail.
        Table(model.Anchor, "anchors", True, frozenset({"rev", "hash", "taken_at", "kind", "sketch"})),
        Table(model.AnchorState, "anchor_states"),
        Table(model.Mention, "mentions"),
        Table(model.Tree, "trees"),
        Table(model.File, "files"),
        Table(model.Observed, "observations"),
        Table(model.Fix, "fixes"),
        Table(model.Injection, "injections"),
        Table(model.Usefulness, "usefulness", True, frozenset({"rev"})),
        Table(model.Transcript, "transcripts"),
        Table(model.Change, "changes", key="seq"),
        Table(model.Consolidation, "consolidation_log"),
        Table(model.Usage, "model_usage"),
        Table(model.Judgement, "judgements"),
        Table(model.Errand, "errands"),
        Table(model.AccessToken, "access_tokens", volatile=frozenset({"last_used_at"})),
        Table(model.SharedFile, "shared_files"),
        Table(model.TeamWrite, "team_writes"),
        Table(model.TokenCall, "token_calls"),
    )
}

BY_NAME: dict[str, Table] = {table.name: table for table in TABLES.values()}


class Dependent(NamedTuple):
    """Rows that refer to a deleted row: they are deleted too, or their reference is cleared."""

    record: type[model.Record]
    field: str
    fate: str


# Deleting follows this table instead of the database's cascades, so that every deleted row is logged and can be undone.
# The foreign keys stay as a safeguard.
DEPENDENTS: dict[type[model.Record], tuple[Dependent, ...]] = {
    model.Memory: (
        Dependent(model.Anchor, "memory_id", "delete"),
        Dependent(model.Mention, "memory_id", "delete"),
        Dependent(model.Fix, "memory_id", "delete"),
        Dependent(model.Injection, "memory_id", "delete"),
        Dependent(model.Usefulness, "id", "delete"),
        Dependent(model.Node, "memory_id", "release"),
    ),
    model.Anchor: (Dependent(model.AnchorState, "id", "delete"),),
    model.Node: (Dependent(model.Edge, "src", "delete"), Dependent(model.Edge, "dst", "delete")),
}

# A change to one of these makes a memory's vector stale: they are what is embedded, or what a search is scoped by.
EMBEDDED_FIELDS = frozenset({"content", "title", "memory_type", "tags", "category", "namespace"})

# A change to one of these changes the search terms of a memory, or the times that its words mean.
SEARCHED_FIELDS = frozenset({"content", "author", "title", "tags", "category", "namespace", "valid_from"})


@lru_cache
def _kinds(record: type[model.Record]) -> FieldKinds:
    types = {field.name: field.type for field in msgspec.structs.fields(record)}
    unions = (Union, UnionType)
    parts = {name: get_args(kind) if get_origin(kind) in unions else (kind,) for name, kind in types.items()}
    return FieldKinds(
        json={
            name: types[name] for name, kinds in parts.items() if {get_origin(kind) for kind in kinds} & {tuple, dict}
        },
        flags=[name for name, kind in types.items() if kind is bool],
        optional=frozenset(name for name, kinds in parts.items() if type(None) in kinds),
    )


def to_row(table: Table, record: model.Record) -> tuple[Any, ...]:
    """Return the record's values in column order, JSON fields encoded."""
    return tuple(encode(table, name, getattr(record, name)) for name in table.columns)


def encode(table: Table, field: str, value: Any) -> Any:
    """Return one value as it is stored."""
    if field in table.kinds.json and value is not None:
        return msgspec.json.encode(value, order="sorted").decode()
    return value


def comparable(table: Table, record: model.Record | None) -> dict[str, Any] | None:
    """Return the fields of a record that an undo compares: without statistics and derived fields."""
    if record is None:
        return None
    fields = {field: getattr(record, field) for field in table.columns if field not in table.volatile}
    for field, keys in table.derived.items():
        fields[field] = {key: value for key, value in fields[field].items() if key not in keys}
    return fields


def with_derived(table: Table, field: str, value: Any, current: model.Record) -> Any:
    """Return the new value of a field with the derived keys of the row that the value does not name."""
    keys = table.derived.get(field, frozenset()) - set(value if isinstance(value, dict) else ())
    have = {key: kept for key, kept in getattr(current, field).items() if key in keys} if keys else {}
    return {**value, **have} if have else value


def from_row(table: Table, row: tuple[Any, ...]) -> Any:
    """Return the record of a row given in column order."""
    values = dict(zip(table.columns, row, strict=True))
    kinds = table.kinds
    try:
        for field, kind in kinds.json.items():
            if values[field] is not None:
                values[field] = msgspec.json.decode(values[field], type=kind)
    except (msgspec.DecodeError, TypeError) as problem:
        row_id = values[table.key]
        raise StoreCorrupt(f"{table.name} row {row_id}: {field} cannot be read ({problem})", id=row_id) from None
    for field in kinds.flags:
        values[field] = bool(values[field])
    return table.record(**values)


# --- what ranking reads of a memory besides its text; the same in every dialect ---

# Columns of `memories m`. A memory that was only stored has no last access; one that was superseded at an unknown time
# counts as never valid.
STANDING_COLUMNS = (
    "m.importance, m.confidence, m.tags, CASE WHEN m.access_count > 0 THEN m.last_accessed_at END, "
    "CASE WHEN m.superseded_by IS NULL THEN m.valid_to ELSE coalesce(m.valid_to, 0) END, m.expires_at, "
    "m.branch, CASE WHEN m.branch IS NOT NULL THEN m.head END, CASE WHEN m.branch IS NOT NULL THEN m.namespace END"
)

# Lists of tags repeat, and decoding one takes as long as reading its row.
TAG_CACHE = 8_192

_ORDINARY_ROW = (ORDINARY.importance, ORDINARY.confidence, "[]", None, None, None, None, None, None)

StandingRow = tuple[float, float, str, int | None, int | None, int | None, str | None, str | None, str | None]


def standing(row: StandingRow) -> Standing:
    """Return the standing from these columns; one shared value for memories with defaults only."""
    if row == _ORDINARY_ROW:
        return ORDINARY
    importance, confidence, tags, accessed_at, replaced_at, expires_at, branch, head, namespace = row
    if replaced_at is None or expires_at is None:
        ends_at = replaced_at if expires_at is None else expires_at
    else:
        ends_at = min(replaced_at, expires_at)
    written = Written(namespace, branch, head or "") if branch else None
    return Standing(importance, confidence, _tags(tags), accessed_at, ends_at, written)


@lru_cache(maxsize=TAG_CACHE)
def _tags(text: str) -> tuple[str, ...]:
    """Return a stored list of tags; an unreadable one is empty here and reported when its memory is read."""
    try:
        return msgspec.json.decode(text, type=tuple[str, ...])
    except msgspec.DecodeError:
        return ()
