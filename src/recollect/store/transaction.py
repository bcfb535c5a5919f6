"""Write transactions: every change is logged with the row as it was, and can be undone.

    row ──► change (before) ──► seq ──► row.rev, memory.seq ──► search terms ──► commit

A row's `rev` is the number of the change that last touched it and a memory's `seq` the number of the one that made it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from recollect import clock
from recollect.errors import Conflict, NotFound, Purged
from recollect.model import Change, Edge, Memory, Node, Record
from recollect.store.dialect import Connection, Dialect
from recollect.store.full_text import marks
from recollect.store.passage_search import text_rows
from recollect.store.row_queries import Rows, chunks, newest_change
from recollect.store.store_values import Filter, R, Range
from recollect.store.tables import (
    BY_NAME,
    DEPENDENTS,
    EMBEDDED_FIELDS,
    SEARCHED_FIELDS,
    TABLES,
    Table,
    comparable,
    encode,
    to_row,
    with_derived,
)
from recollect.text.passages import MAX_PASSAGES


class Transaction(Rows):
    """An open write transaction: rows, their log entries and their search terms change together."""

    def __init__(self, connection: Connection, dialect: Dialect, operation: str, batch: str) -> None:
        super().__init__(lambda: connection, dialect)
        self._open = connection
        self._operation = operation
        self._at = clock.now()
        self._newest: int | None = None
        self.batch = batch

    def insert(self, record: R) -> R:
        """Add a row; returns it as stored, numbered by the change log. Raises Conflict if its id exists."""
        table = TABLES[type(record)]
        row_id = getattr(record, table.key)
        # Before the first question: it is answered when the transaction has its turn, and others wait from then on.
        texts = text_rows(record) if isinstance(record, Memory) else []
        # Together with the newest change: writers take turns, and each waits for the answers of all before it.
        sql = f"SELECT coalesce(max(seq), 0), EXISTS (SELECT 1 FROM {table.name} WHERE {table.key} = ?) FROM changes"
        ((newest, is_taken),) = self._rows(sql, [row_id])
        self._newest = int(newest)
        if is_taken:
            raise Conflict(f"{table.name} already has {row_id}", entity=table.name, id=row_id)
        if table.logged:
            seq = self._log(table, row_id, "insert", None)
            numbered = {"rev": seq}
            if "seq" in table.columns and not getattr(record, "seq"):  # noqa: B009 - not every record has one
                numbered["seq"] = seq
            record = msgspec.structs.replace(record, **numbered)
        names = ", ".join(table.columns)
        sql = f"INSERT INTO {table.name} ({names}) VALUES ({marks(table.columns)})"
        self._open.execute(sql, to_row(table, record))
        if isinstance(record, Memory):
            first = record.seq * MAX_PASSAGES
            rows = [(first + part, *row[1:]) for part, row in enumerate(texts)]
            self._dialect.index_rows(self._open, rows)
        return record

    def update(self, kind: type[R], row_id: str | int, values: Mapping[str, Any]) -> R:
        """Change fields of a row; returns it as stored. Raises NotFound. No change, no log entry."""
        table = TABLES[kind]
        current = self._existing(kind, row_id)
        given = {field: with_derived(table, field, value, current) for field, value in values.items()}
        changed = {field: value for field, value in given.items() if getattr(current, field) != value}
        if not changed:
            return current
        if table.logged:
            changed["rev"] = self._log(table, str(row_id), "update", current)
        assignments = ", ".join(f"{field} = ?" for field in changed)
        bound = [encode(table, field, value) for field, value in changed.items()]
        self._open.execute(f"UPDATE {table.name} SET {assignments} WHERE {table.key} = ?", [*bound, row_id])
        updated = msgspec.structs.replace(current, **changed)
        if isinstance(updated, Memory):
            self._refresh_derived(updated, changed.keys())
        return updated

    def delete(self, kind: type[Record], where: Filter) -> int:
        """Remove rows and their dependents (logged one by one); returns how many of `kind` were removed.

        A memory that was superseded by a removed one holds again, or is superseded by what superseded that one.
        """
        table = TABLES[kind]
        doomed: list[Record] = self.find(kind, where)
        for record in doomed:
            row_id = getattr(record, table.key)
            if isinstance(record, Memory):
                self._give_back(record)
            self._release_dependents(kind, row_id)
            if table.logged:
                self._log(table, row_id, "delete", record)
            if isinstance(record, Memory):
                self._dialect.unindex_text(self._open, record.seq)
            self._open.execute(f"DELETE FROM {table.name} WHERE {table.key} = ?", (row_id,))
        return len(doomed)

    def undo(self, batch: str) -> int:
        """Restore what `batch` changed, except rows purged since; returns the number of rows.

        Raises NotFound for an unknown batch, Purged if no row of it can be restored, Conflict if a row has changed
        since.
        """
        changes = self.find(Change, {"batch": batch}, order="-seq")
        if not changes:
            raise NotFound(f"no change has the id {batch}", batch=batch)
        rows = sum(self._take_back(change) for change in changes)
        if not rows:
            raise Purged(f"cannot undo {batch}: its memories were purged", batch=batch)
        return rows

    def purge(self, kind: type[Record], ids: Sequence[str], *, keep: bool = False) -> int:
        """Remove rows, their dependents and their earlier versions; returns the number of emptied log entries.

        A row that exists only in the log is removed there. An emptied entry stays without its row: the log still shows
        that a change happened, and it cannot be undone. Deleted bytes may stay in the database file until `scrub`.

        keep: keep the current rows and empty the log only
        """
        table = TABLES[kind]
        traces: dict[str, set[str]] = defaultdict(set)
        for row_id in ids:
            self._trace(kind, row_id, traces)
        if not keep:
            self.delete(kind, {table.key: tuple(ids)})
        emptied = 0
        for entity, names in traces.items():
            for chunk in chunks(sorted(names)):
                found = f"entity = ? AND entity_id IN ({marks(chunk)}) AND before IS NOT NULL"
                counted = self._open.execute(f"SELECT count(*) FROM changes WHERE {found}", [entity, *chunk])
                emptied += int(next(iter(counted))[0])
                self._open.execute(f"UPDATE changes SET before = NULL WHERE {found}", [entity, *chunk])
        return emptied

    def _trace(self, kind: type[Record], row_id: str, traces: dict[str, set[str]]) -> None:
        """Add a row and its present and former dependents to `traces`, by table: all that the log may contain of it."""
        known = traces[TABLES[kind].name]
        if row_id in known:
            return
        known.add(row_id)
        for dependent in DEPENDENTS.get(kind, ()):
            table = TABLES[dependent.record]
            if not table.logged:
                continue
            rows = self.find(table.record, {dependent.field: row_id})
            rows += self.logged(table.record, dependent.field, row_id)
            for row in rows:
                if dependent.fate == "delete" or getattr(row, "kind", "") == "Memory":
                    self._trace(table.record, getattr(row, table.key), traces)

    def _take_back(self, change: Change) -> bool:
        """Restore a row as it was before a change; return False if that state was purged."""
        table = BY_NAME[change.entity]
        current = next(iter(self.get(table.record, [change.entity_id])), None)
        if self._is_purged(change):
            return False
        if comparable(table, current) != comparable(table, self._left_behind(table, change, current)):
            raise Conflict(
                f"cannot undo {change.batch}: {change.entity} {change.entity_id} has changed since",
                hint="Undo the later changes first. `recollect changes` lists them.",
                entity=change.entity,
                id=change.entity_id,
            )
        before = msgspec.convert(change.before, table.record) if change.before is not None else None
        if before is None:
            self.delete(table.record, {table.key: change.entity_id})
        elif current is None:
            self.insert(before)
        else:
            self.update(table.record, change.entity_id, comparable(table, before) or {})
        return True

    def _is_purged(self, change: Change) -> bool:
        """Return whether the row of a change was purged; for an insert, the next change decides."""
        if change.action != "insert":
            return change.before is None
        later = self._next(change)
        return later is not None and self._is_purged(later)

    def _next(self, change: Change) -> Change | None:
        """Return the next change of the same row."""
        where = {"entity": change.entity, "entity_id": change.entity_id, "seq": Range(at_least=change.seq + 1)}
        return next(iter(self.find(Change, where, order="seq", limit=1)), None)

    def _left_behind(self, table: Table, change: Change, current: Record | None) -> Record | None:
        """Return the row after `change`: the state before the next change, or the current row if there is none."""
        if change.action == "delete":
            return None
        later = self._next(change)
        if later is None:
            return current
        return msgspec.convert(later.before, table.record) if later.before is not None else None

    def _existing(self, kind: type[R], row_id: str | int) -> R:
        found = self.get(kind, [row_id])
        if not found:
            raise NotFound(f"no {TABLES[kind].name} row {row_id}", id=row_id)
        return found[0]

    def _give_back(self, gone: Memory) -> None:
        """End the supersessions by a memory that is about to be removed, or hand them to what superseded it."""
        own = tuple(node.id for node in self.find(Node, {"memory_id": gone.id, "kind": "Memory"}))
        for edge in self.find(Edge, {"src": own, "relationship": "SUPERSEDES"}) if own else ():
            (node,) = self.get(Node, [edge.dst])
            for old in self.find(Memory, {"id": node.memory_id, "superseded_by": gone.id}):
                newer = gone.superseded_by if gone.superseded_by not in (None, old.id) else ""
                heirs = self.find(Node, {"memory_id": newer, "kind": "Memory"}, limit=1)
                ends = (gone.superseded_by, gone.valid_to) if heirs else (None, None)
                self.update(Memory, old.id, dict(zip(("superseded_by", "valid_to"), ends, strict=True)))
                for heir in heirs:
                    self.update(Edge, edge.id, {"src": heir.id})

    def _release_dependents(self, kind: type[Record], row_id: str) -> None:
        for dependent in DEPENDENTS.get(kind, ()):
            pointing = {dependent.field: row_id}
            if dependent.fate == "delete":
                self.delete(dependent.record, pointing)
                continue
            # The node of the memory itself is deleted with it; any other node only loses the reference.
            self.delete(Node, {**pointing, "kind": "Memory"})
            for node in self.find(Node, pointing):
                self.update(Node, node.id, {dependent.field: None})

    def _refresh_derived(self, memory: Memory, changed: Iterable[str]) -> None:
        fields = set(changed)
        if fields & SEARCHED_FIELDS:
            self._dialect.unindex_text(self._open, memory.seq)
            self._dialect.index_rows(self._open, text_rows(memory))
        if fields & EMBEDDED_FIELDS:
            self._open.execute("DELETE FROM memory_embeddings WHERE memory_id = ?", (memory.id,))

    def _log(self, table: Table, row_id: str, action: str, before: Record | None) -> int:
        image = msgspec.json.encode(before).decode() if before is not None else None
        self._newest = (newest_change(self._open) if self._newest is None else self._newest) + 1
        row = (self._newest, self.batch, self._at, self._operation, table.name, row_id, action, image)
        sql = (
            "INSERT INTO changes (seq, batch, at, operation, entity, entity_id, action, before) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
        )
        self._open.execute(sql, row)
        return self._newest
