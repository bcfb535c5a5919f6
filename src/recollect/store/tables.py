"""The tables as data: the record of each table, its JSON fields, and its dependents.

Column names are the record's field names, so SQL and records cannot drift apart; a test compares them with the migrated
database.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

import msgspec

from recollect.errors import StoreCorrupt
from recollect.model import (
    AccessToken,
    Anchor,
    AnchorState,
    Change,
    Consolidation,
    Edge,
    Errand,
    File,
    Fix,
    Injection,
    Judgement,
    Memory,
    Mention,
    Node,
    Observed,
    Record,
    Session,
    SharedFile,
    TeamWrite,
    TokenCall,
    Transcript,
    Tree,
    Usage,
    Usefulness,
    Workspace,
)
from recollect.store.passage import ORDINARY, Standing, Written

_NAMES = tuple[str, ...]
_OBJECT = dict[str, Any]


class Table(NamedTuple):
    """One table: its record, its name, the fields kept as JSON text, and how changes to it are treated."""

    record: type[Record]
    name: str
    json: dict[str, Any]
    # Logged tables hold what cannot be rebuilt; the others are derived, statistics, or the log itself.
    logged: bool
    # Statistics and derived columns: an undo ignores them when it compares a row with the state after a change.
    volatile: frozenset[str]
    key: str = "id"
    # Derived keys of JSON fields: like volatile fields, and an update that does not name them keeps them.
    derived: Mapping[str, frozenset[str]] = {}
    # Fields whose index must not be used together with one of these, which are far more selective. Without statistics
    # a database uses either, and a hundred thousand edges can have one relationship.
    broad: Mapping[str, frozenset[str]] = {}
    # Fields that are true or false; a database keeps them as 1 and 0.
    flags: frozenset[str] = frozenset()

    @property
    def columns(self) -> tuple[str, ...]:
        return self.record.__struct_fields__

    @property
    def optional(self) -> frozenset[str]:
        """The fields that may be absent."""
        return _optional(self.record)


TABLES: dict[type[Record], Table] = {
    table.record: table
    for table in (
        Table(
            Memory,
            "memories",
            {"tags": _NAMES, "metadata": _OBJECT},
            True,
            frozenset({"rev", "seq", "access_count", "last_accessed_at"}),
            flags=frozenset({"observed"}),
        ),
        Table(
            Node,
            "graph_nodes",
            {"payload": _OBJECT},
            True,
            frozenset({"rev", "centrality"}),
            derived={"payload": frozenset({"centrality"})},
        ),
        Table(
            Edge,
            "graph_edges",
            {"properties": _OBJECT},
            True,
            frozenset({"rev"}),
            broad={"relationship": frozenset({"id", "src", "dst"})},
        ),
        Table(Session, "sessions", {}, True, frozenset({"rev"})),
        Table(Workspace, "workspaces", {}, True, frozenset({"rev"})),
        # Fields that indexing fills in later must not make an undo of the memory fail.
        Table(Anchor, "anchors", {}, True, frozenset({"rev", "hash", "taken_at", "kind", "sketch"})),
        Table(AnchorState, "anchor_states", {}, False, frozenset()),
        Table(Mention, "mentions", {}, False, frozenset()),
        Table(Tree, "trees", {}, False, frozenset()),
        Table(File, "files", {"notes": _NAMES}, False, frozenset()),
        Table(Observed, "observations", {}, False, frozenset()),
        Table(Fix, "fixes", {"steps": _NAMES}, False, frozenset()),
        Table(Injection, "injections", {}, False, frozenset()),
        Table(Usefulness, "usefulness", {}, True, frozenset({"rev"})),
        Table(Transcript, "transcripts", {}, False, frozenset()),
        Table(Change, "changes", {"before": _OBJECT | None}, False, frozenset(), key="seq"),
        Table(Consolidation, "consolidation_log", {}, False, frozenset()),
        Table(Usage, "model_usage", {}, False, frozenset()),
        Table(Judgement, "judgements", {}, False, frozenset()),
        Table(Errand, "errands", {}, False, frozenset()),
        Table(AccessToken, "access_tokens", {"projects": _NAMES}, False, frozenset({"last_used_at"})),
        Table(SharedFile, "shared_files", {}, False, frozenset()),
        Table(TeamWrite, "team_writes", {}, False, frozenset()),
        Table(TokenCall, "token_calls", {"memory_ids": _NAMES}, False, frozenset()),
    )
}

BY_NAME: dict[str, Table] = {table.name: table for table in TABLES.values()}


class Dependent(NamedTuple):
    """Rows that refer to a deleted row: they are deleted too, or their reference is cleared."""

    record: type[Record]
    field: str
    fate: str


# Deleting follows this table instead of the database's cascades, so that every deleted row is logged and can be undone.
# The foreign keys stay as a safeguard.
DEPENDENTS: dict[type[Record], tuple[Dependent, ...]] = {
    Memory: (
        Dependent(Anchor, "memory_id", "delete"),
        Dependent(Mention, "memory_id", "delete"),
        Dependent(Fix, "memory_id", "delete"),
        Dependent(Injection, "memory_id", "delete"),
        Dependent(Usefulness, "id", "delete"),
        Dependent(Node, "memory_id", "release"),
    ),
    Anchor: (Dependent(AnchorState, "id", "delete"),),
    Node: (Dependent(Edge, "src", "delete"), Dependent(Edge, "dst", "delete")),
}

# A change to one of these makes a memory's vector stale: they are what is embedded, or what a search is scoped by.
EMBEDDED_FIELDS = frozenset({"content", "title", "memory_type", "tags", "category", "namespace"})

# A change to one of these changes the search terms of a memory, or the times that its words mean.
SEARCHED_FIELDS = frozenset({"content", "author", "title", "tags", "category", "namespace", "valid_from"})


@lru_cache
def _optional(record: type[Record]) -> frozenset[str]:
    return frozenset(
        field.name for field in msgspec.structs.fields(record) if type(None) in getattr(field.type, "__args__", ())
    )


def to_row(table: Table, record: Record) -> tuple[Any, ...]:
    """Return the record's values in column order, JSON fields encoded."""
    return tuple(encode(table, name, getattr(record, name)) for name in table.columns)


def encode(table: Table, field: str, value: Any) -> Any:
    """Return one value as it is stored."""
    if field in table.json and value is not None:
        return msgspec.json.encode(value, order="sorted").decode()
    return value


def comparable(table: Table, record: Record | None) -> dict[str, Any] | None:
    """Return the fields of a record that an undo compares: without statistics and derived fields."""
    if record is None:
        return None
    fields = {field: getattr(record, field) for field in table.columns if field not in table.volatile}
    for field, keys in table.derived.items():
        fields[field] = {key: value for key, value in fields[field].items() if key not in keys}
    return fields


def with_derived(table: Table, field: str, value: Any, current: Record) -> Any:
    """Return the new value of a field with the derived keys of the row that the value does not name."""
    keys = table.derived.get(field, frozenset()) - set(value if isinstance(value, dict) else ())
    have = {key: kept for key, kept in getattr(current, field).items() if key in keys} if keys else {}
    return {**value, **have} if have else value


def from_row(table: Table, row: tuple[Any, ...]) -> Any:
    """Return the record of a row given in column order."""
    values = dict(zip(table.columns, row, strict=True))
    try:
        for field, kind in table.json.items():
            if values[field] is not None:
                values[field] = msgspec.json.decode(values[field], type=kind)
    except (msgspec.DecodeError, TypeError) as problem:
        row_id = values[table.key]
        raise StoreCorrupt(f"{table.name} row {row_id}: {field} cannot be read ({problem})", id=row_id) from None
    for field in table.flags:
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
