"""One store over any SQL database: rows, the change log, undo. What differs between databases is in the dialect.

    find/get ──► dialect.connection ──► rows ──► records
    transaction ──► BEGIN (write lock first) ──► row + change + search terms ──► COMMIT

Every logged mutation appends to `changes` the whole row as it was. A row's `rev` is the number of the change that
last touched it and a memory's `seq` the number of the one that made it, so the log also serves as clock and as the
counter by which caches notice that they are old.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import msgspec

from recollect import clock
from recollect.errors import Conflict, NotFound, StorageError
from recollect.model import Change, Memory, Node, Record
from recollect.store.counters import advance, generation, keep, kept, newest_change
from recollect.store.dialect import Connection, Dialect, SearchRow
from recollect.store.protocol import Filter, Has, Match, R, Range, StoreFacts, Transaction, Vector
from recollect.store.tables import (
    BY_NAME,
    DEPENDENTS,
    EMBEDDED_FIELDS,
    SEARCHED_FIELDS,
    TABLES,
    Table,
    encode,
    from_row,
    to_row,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from recollect.store.vectors import VectorIndex

# Bound values per statement: SQLite before 3.32 allows 999.
CHUNK = 500

# A limit that no table reaches: SQL has no offset without one.
EVERYTHING = 2**62

# How many more rows than asked a filtered search looks at first. Eight covers filters that keep one row in eight, and
# the search widens by the same factor when that was not enough.
WIDENING = 8

# Looking for memories without a vector starts where it last found none. Remembering that costs a write, so it is done
# once per this many changes.
COMPLETE_STEP = 1_000


class Rows:
    """Reading records through one connection; the part that store and transaction share."""

    def __init__(self, connection: Callable[[], Connection], dialect: Dialect) -> None:
        self._connection = connection
        self._dialect = dialect

    def get(self, kind: type[R], ids: Sequence[str]) -> list[R]:
        table = TABLES[kind]
        found: dict[str, R] = {}
        for chunk in _chunks(list(dict.fromkeys(ids))):
            where = f"{table.key} IN ({', '.join('?' * len(chunk))})"
            for record in self._select(table, where, chunk):
                found[getattr(record, table.key)] = record
        return [found[row_id] for row_id in ids if row_id in found]

    def find(
        self, kind: type[R], where: Filter | None = None, *, order: str = "", limit: int | None = None, offset: int = 0
    ) -> list[R]:
        table = TABLES[kind]
        condition, values = self._condition(table, where)
        tail = f" ORDER BY {_order(table, order)}"
        if limit is not None or offset:
            tail += " LIMIT ? OFFSET ?"
            values += [EVERYTHING if limit is None else limit, offset]
        return self._select(table, condition + tail, values)

    def _select(self, table: Table, condition: str, values: Sequence[Any]) -> list[Any]:
        sql = f"SELECT {', '.join(table.columns)} FROM {table.name} WHERE {condition}"
        return [from_row(table, row) for row in self._connection().execute(sql, values)]

    def _condition(self, table: Table, where: Filter | None) -> tuple[str, list[Any]]:
        """Return a filter as SQL and its bound values."""
        clauses: list[str] = []
        values: list[Any] = []
        for field, wanted in (where or {}).items():
            if field not in table.columns:
                raise ValueError(f"{table.name} has no field {field}")
            clause, bound = self._clause(field, wanted)
            clauses.append(clause)
            values.extend(bound)
        return " AND ".join(clauses) or "1 = 1", values

    def _clause(self, field: str, wanted: object) -> tuple[str, Sequence[Any]]:
        if wanted is None:
            return f"{field} IS NULL", ()
        if isinstance(wanted, Has):
            return " AND ".join([self._dialect.contains(field)] * len(wanted.values)) or "1 = 1", wanted.values
        if isinstance(wanted, Range):
            sides = ((">=", wanted.at_least), ("<", wanted.below))
            given = [(sign, bound) for sign, bound in sides if bound is not None]
            return " AND ".join(f"{field} {sign} ?" for sign, _ in given) or "1 = 1", [bound for _, bound in given]
        if isinstance(wanted, tuple | list | set | frozenset):
            present = [value for value in wanted if value is not None]
            clause = f"{field} IN ({', '.join('?' * len(present))})" if present else "1 = 0"
            return (f"({clause} OR {field} IS NULL)" if len(present) < len(wanted) else clause), present
        return f"{field} = ?", (wanted,)


class SqlTransaction(Rows):
    """An open write transaction: rows, their log entries and their search terms change together."""

    def __init__(self, connection: Connection, dialect: Dialect, operation: str, batch: str) -> None:
        super().__init__(lambda: connection, dialect)
        self._open = connection
        self._operation = operation
        self._at = clock.now()
        self.batch = batch

    def insert(self, record: R) -> R:
        table = TABLES[type(record)]
        row_id = getattr(record, table.key)
        if self.get(type(record), [row_id]):
            raise Conflict(f"{table.name} already has {row_id}", entity=table.name, id=row_id)
        if table.logged:
            seq = self._log(table, row_id, "insert", None)
            numbered = {"rev": seq}
            if "seq" in table.columns and not getattr(record, "seq"):  # noqa: B009 - not every record has one
                numbered["seq"] = seq
            record = msgspec.structs.replace(record, **numbered)
        names = ", ".join(table.columns)
        marks = ", ".join("?" * len(table.columns))
        self._open.execute(f"INSERT INTO {table.name} ({names}) VALUES ({marks})", to_row(table, record))
        if isinstance(record, Memory):
            self._dialect.index_text(self._open, record)
        return record

    def update(self, kind: type[R], row_id: str, values: Mapping[str, Any]) -> R:
        table = TABLES[kind]
        current = self._existing(kind, row_id)
        changed = {field: value for field, value in values.items() if getattr(current, field) != value}
        if not changed:
            return current
        if table.logged:
            changed["rev"] = self._log(table, row_id, "update", current)
        assignments = ", ".join(f"{field} = ?" for field in changed)
        bound = [encode(table, field, value) for field, value in changed.items()]
        self._open.execute(f"UPDATE {table.name} SET {assignments} WHERE {table.key} = ?", [*bound, row_id])
        updated = msgspec.structs.replace(current, **changed)
        if isinstance(updated, Memory):
            self._refresh_derived(updated, changed.keys())
        return updated

    def delete(self, kind: type[Record], where: Filter) -> int:
        table = TABLES[kind]
        doomed: list[Record] = self.find(kind, where)
        for record in doomed:
            row_id = getattr(record, table.key)
            self._release_dependents(kind, row_id)
            if table.logged:
                self._log(table, row_id, "delete", record)
            if isinstance(record, Memory):
                self._dialect.unindex_text(self._open, record.seq)
            self._open.execute(f"DELETE FROM {table.name} WHERE {table.key} = ?", (row_id,))
        return len(doomed)

    def undo(self, batch: str) -> int:
        changes = self.find(Change, {"batch": batch}, order="-seq")
        if not changes:
            raise NotFound(f"no changes are logged under {batch}", batch=batch)
        for change in changes:
            self._take_back(change)
        return len(changes)

    def _take_back(self, change: Change) -> None:
        table = BY_NAME[change.entity]
        current = next(iter(self.get(table.record, [change.entity_id])), None)
        if _comparable(table, current) != _comparable(table, self._left_behind(table, change, current)):
            raise Conflict(
                f"{change.entity} {change.entity_id} was changed after {change.batch}",
                hint="Undo the later changes first; `recollect changes` lists them.",
                entity=change.entity,
                id=change.entity_id,
            )
        before = msgspec.convert(change.before, table.record) if change.before is not None else None
        if before is None:
            self.delete(table.record, {table.key: change.entity_id})
        elif current is None:
            self.insert(before)
        else:
            restored = {field: getattr(before, field) for field in table.columns if field not in table.volatile}
            self.update(table.record, change.entity_id, restored)

    def _left_behind(self, table: Table, change: Change, current: Record | None) -> Record | None:
        """Return the row as `change` left it: what the next change found, or what is there now if there was none."""
        if change.action == "delete":
            return None
        later = self.find(
            Change,
            {"entity": change.entity, "entity_id": change.entity_id, "seq": Range(at_least=change.seq + 1)},
            order="seq",
            limit=1,
        )
        if not later:
            return current
        before = later[0].before
        return msgspec.convert(before, table.record) if before is not None else None

    def _existing(self, kind: type[R], row_id: str) -> R:
        found = self.get(kind, [row_id])
        if not found:
            raise NotFound(f"no {TABLES[kind].name} row {row_id}", id=row_id)
        return found[0]

    def _release_dependents(self, kind: type[Record], row_id: str) -> None:
        for dependent in DEPENDENTS.get(kind, ()):
            pointing = {dependent.field: row_id}
            if dependent.fate == "delete":
                self.delete(dependent.record, pointing)
                continue
            # A node that only stands for the memory goes with it; any other node merely forgets it.
            self.delete(Node, {**pointing, "kind": "Memory"})
            for node in self.find(Node, pointing):
                self.update(Node, node.id, {dependent.field: None})

    def _refresh_derived(self, memory: Memory, changed: Iterable[str]) -> None:
        fields = set(changed)
        if fields & SEARCHED_FIELDS:
            self._dialect.unindex_text(self._open, memory.seq)
            self._dialect.index_text(self._open, memory)
        if fields & EMBEDDED_FIELDS:
            self._open.execute("DELETE FROM memory_embeddings WHERE memory_id = ?", (memory.id,))

    def _log(self, table: Table, row_id: str, action: str, before: Record | None) -> int:
        image = msgspec.json.encode(before).decode() if before is not None else None
        row = (self.batch, self._at, self._operation, table.name, row_id, action, image)
        sql = (
            "INSERT INTO changes (batch, at, operation, entity, entity_id, action, before) "
            "VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING seq"
        )
        return int(next(iter(self._open.execute(sql, row)))[0])


class SqlStore(Rows):
    """The store: reads anywhere, writes in transactions, searches over derived state."""

    def __init__(self, dialect: Dialect) -> None:
        super().__init__(dialect.connection, dialect)
        self._indexes: dict[str, VectorIndex] = {}

    def get(self, kind: type[R], ids: Sequence[str]) -> list[R]:
        with self._dialect.errors():
            return super().get(kind, ids)

    def find(
        self, kind: type[R], where: Filter | None = None, *, order: str = "", limit: int | None = None, offset: int = 0
    ) -> list[R]:
        with self._dialect.errors():
            return super().find(kind, where, order=order, limit=limit, offset=offset)

    def count(self, kind: type[Record], where: Filter | None = None) -> int:
        table = TABLES[kind]
        condition, values = self._condition(table, where)
        return int(self._value(f"SELECT count(*) FROM {table.name} WHERE {condition}", values))

    def tally(self, kind: type[Record], field: str, where: Filter | None = None) -> dict[Any, int]:
        table = TABLES[kind]
        if field not in table.columns:
            raise ValueError(f"{table.name} has no field {field}")
        condition, values = self._condition(table, where)
        sql = f"SELECT {field}, count(*) FROM {table.name} WHERE {condition} GROUP BY {field} ORDER BY 2 DESC, 1"
        with self._dialect.errors():
            return {value: int(count) for value, count in self._connection().execute(sql, values)}

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        with self._dialect.errors(), self._dialect.snapshot():
            yield

    @contextmanager
    def transaction(self, operation: str, *, batch: str | None = None) -> Iterator[Transaction]:
        with self._dialect.errors(), self._dialect.write() as connection:
            yield SqlTransaction(connection, self._dialect, operation, batch or clock.new_id())

    def touch(self, ids: Sequence[str]) -> None:
        now = clock.now()
        try:
            with self._dialect.errors(), self._dialect.write(patiently=False) as connection:
                for chunk in _chunks(list(ids)):
                    marks = ", ".join("?" * len(chunk))
                    connection.execute(
                        "UPDATE memories SET access_count = access_count + 1, last_accessed_at = ? "
                        f"WHERE id IN ({marks})",
                        [now, *chunk],
                    )
        except StorageError:
            # A reader on a busy or read-only store must get its answer; a missed count only makes a statistic older.
            return

    def search_text(self, terms: Sequence[str], where: Filter | None, limit: int) -> list[Match]:
        scopes, rest = _scoped(where)
        if not terms or scopes == ():
            return []
        with self._dialect.errors():
            return self._widening(
                lambda wanted: self._dialect.search_text(self._connection(), terms, scopes, wanted), rest, limit
            )

    def search_vectors(self, model: str, query: NDArray[np.float32], where: Filter | None, limit: int) -> list[Match]:
        scopes, rest = _scoped(where)
        with self._dialect.errors():
            index = self._index(model)
            with self._dialect.snapshot() as connection:
                index.refresh(connection)
            return self._widening(lambda wanted: index.nearest(query, scopes, wanted), rest, limit)

    def put_vectors(self, model: str, vectors: Iterable[Vector]) -> int:
        from recollect.store.vectors import to_blob

        kept = 0
        with self._dialect.errors(), self._dialect.write() as connection:
            stamp = advance(connection, "vector_stamp")
            for vector in vectors:
                current = connection.execute(
                    "SELECT 1 FROM memories WHERE id = ? AND rev = ?", (vector.memory_id, vector.rev)
                )
                if not list(current):
                    continue
                connection.execute(
                    "INSERT INTO memory_embeddings (memory_id, embedding, model, stamp) VALUES (?, ?, ?, ?) "
                    "ON CONFLICT (memory_id, model) "
                    "DO UPDATE SET embedding = excluded.embedding, stamp = excluded.stamp",
                    (vector.memory_id, to_blob(vector.values), model, stamp),
                )
                kept += 1
        return kept

    def lacking_vectors(self, model: str, limit: int) -> list[Memory]:
        condition = (
            "rev > ? AND NOT EXISTS "
            "(SELECT 1 FROM memory_embeddings e WHERE e.memory_id = memories.id AND e.model = ?) "
            "ORDER BY seq DESC LIMIT ?"
        )
        with self._dialect.errors(), self._dialect.snapshot() as connection:
            key, newest = self._complete_key(connection, model)
            complete = int(kept(connection, key) or 0)
            lacking = self._select(TABLES[Memory], condition, [complete, model, limit])
        if not lacking and newest - complete > COMPLETE_STEP:
            self._remember_complete(key, newest)
        return lacking

    def _complete_key(self, connection: Connection, model: str) -> tuple[str, int]:
        """Return where it is kept up to which change every memory has its vector, and the newest change.

        The key names the epoch too: vectors thrown away make what was known about them worthless.
        """
        return f"vectors_complete/{kept(connection, 'vector_epoch') or 0}/{model}", newest_change(connection)

    def _remember_complete(self, key: str, newest: int) -> None:
        try:
            self.keep_setting(key, str(newest))
        except StorageError:
            # Only a short cut for the next look: without it the look is slower, not wrong.
            return

    def count_vectors(self, model: str) -> int:
        return int(self._value("SELECT count(*) FROM memory_embeddings WHERE model = ?", [model]))

    def drop_derived(self, *, vectors: bool) -> tuple[int, int]:
        with self._dialect.errors(), self._dialect.write() as connection:
            self._dialect.clear_text(connection)
            rows = 0
            for record in self._select_all(connection):
                self._dialect.index_text(connection, record)
                rows += 1
            dropped = 0
            if vectors:
                dropped = int(next(iter(connection.execute("SELECT count(*) FROM memory_embeddings")))[0])
                connection.execute("DELETE FROM memory_embeddings")
                advance(connection, "vector_epoch")
        return rows, dropped

    def _select_all(self, connection: Connection) -> Iterator[Memory]:
        table = TABLES[Memory]
        last = -1
        while True:
            sql = f"SELECT {', '.join(table.columns)} FROM memories WHERE seq > ? ORDER BY seq LIMIT ?"
            page = [from_row(table, row) for row in connection.execute(sql, (last, CHUNK))]
            if not page:
                return
            yield from page
            last = page[-1].seq

    def setting(self, key: str) -> str | None:
        with self._dialect.errors():
            return kept(self._connection(), key)

    def keep_setting(self, key: str, value: str) -> None:
        with self._dialect.errors(), self._dialect.write() as connection:
            keep(connection, key, value)

    def generation(self) -> tuple[int, int, int]:
        with self._dialect.errors():
            return generation(self._connection())

    def check(self, *, thorough: bool) -> list[str]:
        with self._dialect.errors():
            problems = self._dialect.check(self._connection(), thorough=thorough)
            texts = self._dialect.count_text(self._connection())
        memories = self.count(Memory)
        if texts != memories:
            problems.append(f"full text holds {texts} of {memories} memories")
        return problems

    def describe(self) -> StoreFacts:
        with self._dialect.errors():
            return self._dialect.describe()

    def close(self) -> None:
        self._indexes.clear()
        self._dialect.close()

    def _index(self, model: str) -> VectorIndex:
        index = self._indexes.get(model)
        if index is None:
            from recollect.store.vectors import VectorIndex

            index = self._indexes.setdefault(model, VectorIndex(model))
        return index

    def _value(self, sql: str, values: Sequence[Any] = ()) -> Any:
        with self._dialect.errors():
            return next(iter(self._connection().execute(sql, values)))[0]

    def _widening(self, search: Callable[[int], Sequence[SearchRow]], where: Filter | None, limit: int) -> list[Match]:
        """Return the best `limit` rows that exist and pass the filter, searching wider while there are too few."""
        wanted = limit * WIDENING if where else limit + WIDENING
        while True:
            ranked = search(wanted)
            ids = self._ids_of([seq for seq, _ in ranked], where)
            matches = [Match(ids[seq], score) for seq, score in ranked if seq in ids]
            if len(matches) >= limit or len(ranked) < wanted:
                return matches[:limit]
            wanted *= WIDENING

    def _ids_of(self, seqs: Sequence[int], where: Filter | None) -> dict[int, str]:
        condition, values = self._condition(TABLES[Memory], where)
        found: dict[int, str] = {}
        for chunk in _chunks(seqs):
            marks = ", ".join("?" * len(chunk))
            sql = f"SELECT seq, id FROM memories WHERE seq IN ({marks}) AND {condition}"
            found.update(self._connection().execute(sql, [*chunk, *values]))
        return found


def _scoped(where: Filter | None) -> tuple[tuple[str | None, ...] | None, Filter | None]:
    """Split a filter into the namespaces a search is scoped by (None: all) and the rest."""
    if not where or "namespace" not in where:
        return None, where
    wanted = where["namespace"]
    rest = {field: value for field, value in where.items() if field != "namespace"}
    if wanted is None or isinstance(wanted, str):
        return (wanted,), rest
    if isinstance(wanted, tuple | list | set | frozenset):
        return tuple(wanted), rest
    return None, where


def _comparable(table: Table, record: Record | None) -> dict[str, Any] | None:
    if record is None:
        return None
    return {field: getattr(record, field) for field in table.columns if field not in table.volatile}


def _order(table: Table, order: str) -> str:
    tie = "seq" if "seq" in table.columns else table.key
    field, direction = order.lstrip("-") or tie, "DESC" if order.startswith("-") else "ASC"
    if field not in table.columns:
        raise ValueError(f"{table.name} has no field {field}")
    return f"{field} {direction}" + (f", {tie} {direction}" if field != tie else "")


def _chunks(values: Sequence[Any]) -> Iterator[Sequence[Any]]:
    for start in range(0, len(values), CHUNK):
        yield values[start : start + CHUNK]
