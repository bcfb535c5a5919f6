"""Queries that a store and its transactions share: records by filter, and values kept in `settings`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any

import msgspec

from recollect import clock
from recollect.errors import Conflict
from recollect.model import Memory, Record
from recollect.store.dialect import Connection, Dialect
from recollect.store.full_text import marks
from recollect.store.store_values import Filter, Has, NotBefore, R, Range, Without
from recollect.store.tables import TABLES, Table, from_row

# Bound values per statement: SQLite before 3.32 allows 999.
CHUNK = 500

# A limit that no table reaches: SQL has no offset without one.
EVERYTHING = 2**62


class Rows:
    """Queries through one connection."""

    def __init__(self, connection: Callable[[], Connection], dialect: Dialect) -> None:
        self._connection = connection
        self._dialect = dialect

    def get(self, kind: type[R], ids: Sequence[str | int]) -> list[R]:
        """Return the rows with these ids, in the order asked; unknown ids are left out."""
        table = TABLES[kind]
        found: dict[str | int, R] = {}
        for chunk in chunks(list(dict.fromkeys(ids))):
            for record in self._select(table, f"{table.key} IN ({marks(chunk)})", chunk):
                found[getattr(record, table.key)] = record
        return [found[row_id] for row_id in ids if row_id in found]

    def find(
        self, kind: type[R], where: Filter | None = None, *, order: str = "", limit: int | None = None, offset: int = 0
    ) -> list[R]:
        """Return matching rows. order: a field, '-field' for descending; ties break by insertion."""
        table = TABLES[kind]
        condition, values = self._condition(table, where)
        tail = f" ORDER BY {_order(table, order)}"
        if limit is not None or offset:
            values += [EVERYTHING if limit is None else limit, offset]
            if table.record is Memory:
                # Selected by an index alone, then read: memories are long, and sorting would read all of them.
                condition = f"seq IN (SELECT seq FROM memories WHERE {condition}{tail} LIMIT ? OFFSET ?)"
            else:
                tail += " LIMIT ? OFFSET ?"
        return self._select(table, condition + tail, values)

    def count(self, kind: type[Record], where: Filter | None = None) -> int:
        """Return how many rows match."""
        table = TABLES[kind]
        condition, values = self._condition(table, where)
        return int(self._value(f"SELECT count(*) FROM {table.name} WHERE {condition}", values))

    def tally(self, kind: type[Record], field: str, where: Filter | None = None) -> dict[Any, int]:
        """Return how many rows match per value of `field`, largest first."""
        table = TABLES[kind]
        if field not in table.columns:
            raise ValueError(f"{table.name} has no field {field}")
        condition, values = self._condition(table, where)
        largest_first = f"GROUP BY {field} ORDER BY 2 DESC, 1 NULLS FIRST"
        sql = f"SELECT {field}, count(*) FROM {table.name} WHERE {condition} {largest_first}"
        return {value: int(count) for value, count in self._rows(sql, values)}

    def columns(
        self, kind: type[Record], fields: Collection[str], where: Filter | None = None, *, limit: int | None = None
    ) -> list[tuple[Any, ...]]:
        """Return these fields of matching rows, undecoded and in no particular order: for very many rows."""
        table = TABLES[kind]
        unknown = set(fields) - set(table.columns)
        if unknown:
            raise ValueError(f"{table.name} has no field {', '.join(sorted(unknown))}")
        condition, values = self._condition(table, where)
        sql = f"SELECT {', '.join(fields)} FROM {table.name} WHERE {condition} LIMIT ?"
        return self._rows(sql, [*values, EVERYTHING if limit is None else limit])

    def logged(self, kind: type[R], field: str, value: str) -> list[R]:
        """Return earlier versions of rows from the log, oldest first, where the field had this value."""
        table = TABLES[kind]
        condition, values = "entity_id = ?", [value]
        if field != table.key:
            # As the log writes it; rows that LIKE matches by accident are removed below.
            pair = msgspec.json.encode({field: value}).decode()[1:-1]
            escaped = pair.replace("!", "!!").replace("%", "!%").replace("_", "!_")
            condition, values = "before LIKE ? ESCAPE '!'", [f"%{escaped}%"]
        sql = f"SELECT before FROM changes WHERE entity = ? AND before IS NOT NULL AND {condition} ORDER BY seq"
        found = (msgspec.json.decode(row[0], type=kind) for row in self._rows(sql, [table.name, *values]))
        return [record for record in found if getattr(record, field) == value]

    def _select(self, table: Table, condition: str, values: Sequence[Any]) -> list[Any]:
        sql = f"SELECT {', '.join(table.columns)} FROM {table.name} WHERE {condition}"
        return [from_row(table, row) for row in self._rows(sql, values)]

    def _rows(self, sql: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Return all rows of a query."""
        with self._dialect.errors():
            return list(self._connection().execute(sql, values))

    def _value(self, sql: str, values: Sequence[Any] = ()) -> Any:
        """Return the one value of a query."""
        return self._rows(sql, values)[0][0]

    def _in_chunks(self, sql: str, values: Sequence[Any], end: str = "") -> Iterator[tuple[Any, ...]]:
        """Yield the rows of a query that ends with a column, for the rows with one of these values in it."""
        for chunk in chunks(values):
            yield from self._rows(f"{sql} IN ({marks(chunk)}){end}", chunk)

    def _condition(self, table: Table, where: Filter | None) -> tuple[str, list[Any]]:
        """Return a filter as SQL and its bound values."""
        clauses: list[str] = []
        values: list[Any] = []
        for field, wanted in (where or {}).items():
            if field not in table.columns:
                raise ValueError(f"{table.name} has no field {field}")
            # An expression has no index, in any database.
            is_broad = not table.broad.get(field, frozenset()).isdisjoint(where or ())
            clause, bound = self._clause(f"({field} || '')" if is_broad else field, wanted)
            clauses.append(clause)
            values.extend(bound)
        return " AND ".join(clauses) or "1 = 1", values

    def _clause(self, field: str, wanted: object) -> tuple[str, Sequence[Any]]:
        if wanted is None:
            return f"{field} IS NULL", ()
        if isinstance(wanted, Has):
            return " AND ".join([self._dialect.contains(field)] * len(wanted.values)) or "1 = 1", wanted.values
        if isinstance(wanted, Without):
            return f"({field} IS NULL OR {field} NOT IN ({marks(wanted.values)}))", wanted.values
        if isinstance(wanted, NotBefore):
            return f"({field} IS NULL OR {field} >= ?)", (wanted.moment,)
        if isinstance(wanted, Range):
            sides = ((">=", wanted.at_least), ("<", wanted.below))
            given = [(sign, bound) for sign, bound in sides if bound is not None]
            return " AND ".join(f"{field} {sign} ?" for sign, _ in given) or "1 = 1", [bound for _, bound in given]
        if isinstance(wanted, tuple | list | set | frozenset):
            present = [value for value in wanted if value is not None]
            clause = f"{field} IN ({marks(present)})" if present else "1 = 0"
            return (f"({clause} OR {field} IS NULL)" if len(present) < len(wanted) else clause), present
        return f"{field} = ?", (wanted,)


def _order(table: Table, order: str) -> str:
    tie = "seq" if "seq" in table.columns else table.key
    field, direction = order.lstrip("-") or tie, "DESC" if order.startswith("-") else "ASC"
    if field not in table.columns:
        raise ValueError(f"{table.name} has no field {field}")
    # Absent is less than any value: the default of SQLite, and without it an index of PostgreSQL has another order.
    nulls = (" NULLS LAST" if order.startswith("-") else " NULLS FIRST") if field in table.kinds.optional else ""
    return f"{field} {direction}{nulls}" + (f", {tie} {direction}" if field != tie else "")


def upsert(table: str, columns: Sequence[str], keys: int = 1) -> str:
    """Return an INSERT that replaces the row with the same key; the first columns are the key."""
    changed = ", ".join(f"{name} = excluded.{name}" for name in columns[keys:])
    put = f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({marks(columns)})"
    return f"{put} ON CONFLICT ({', '.join(columns[:keys])}) DO UPDATE SET {changed}"


def chunks(values: Sequence[Any]) -> Iterator[Sequence[Any]]:
    """Yield values in chunks that one statement can bind."""
    for start in range(0, len(values), CHUNK):
        yield values[start : start + CHUNK]


# --- values kept in `settings`; caches compare the counters among them ---


def read_setting(connection: Connection, key: str) -> str | None:
    """Return a setting of the store, or None."""
    rows = list(connection.execute("SELECT value FROM settings WHERE key = ?", (key,)))
    return str(rows[0][0]) if rows else None


def write_setting(connection: Connection, key: str, value: str) -> None:
    """Store a setting."""
    connection.execute(upsert("settings", ("key", "value")), (key, value))


def increment(connection: Connection, key: str) -> int:
    """Increment a counter and return it."""
    sql = (
        "INSERT INTO settings (key, value) VALUES (?, '1') ON CONFLICT (key) DO UPDATE "
        "SET value = CAST(CAST(settings.value AS INTEGER) + 1 AS TEXT) RETURNING value"
    )
    ((value,),) = connection.execute(sql, (key,))
    return int(value)


def newest_change(connection: Connection) -> int:
    """Return the number of the last logged change."""
    return int(next(iter(connection.execute("SELECT coalesce(max(seq), 0) FROM changes")))[0])


def generation(connection: Connection) -> tuple[int, int, int]:
    """Return (times vectors were dropped, times vectors were added, last change): equal while nothing changed."""
    return (
        int(read_setting(connection, "vector_epoch") or 0),
        int(read_setting(connection, "vector_stamp") or 0),
        newest_change(connection),
    )


# --- the claim of the one process that writes the index of a tree ---


def renew_claim(connection: Connection, tree: int, owner: str, lease_s: int) -> None:
    """Extend the claim of a tree; raises Conflict if its owner lost it."""
    sql = "UPDATE trees SET claimed_to = ? WHERE id = ? AND owner = ? RETURNING id"
    if not list(connection.execute(sql, (clock.now() + lease_s, tree, owner))):
        raise claim_lost(tree)


def claim_lost(tree: int) -> Conflict:
    """Return the error for a writer whose claim of a tree has ended."""
    return Conflict(
        "another process is indexing this project now",
        hint="Wait until it is done, then run `recollect index` again.",
        tree=tree,
    )
