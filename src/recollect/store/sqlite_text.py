"""The full-text index of memories in SQLite: one table in use, and a spare one during a rebuild.

    memory_text          every passage of every memory, by rowid = seq * 1024 + its place
    memory_text_spare    the same in the making; takes the other's place when it is complete

A spare table that somebody left unfinished is in nobody's way: the next rebuild begins it again.
"""

from __future__ import annotations

from collections.abc import Iterable

from recollect.model import Memory
from recollect.store import full_text
from recollect.store.dialect import Connection, TextRow
from recollect.text.passages import MAX_PASSAGES, passages
from recollect.text.shape import shape
from recollect.text.tokens import terms

TEXT = "memory_text"
SPARE = "memory_text_spare"


class SqliteText:
    """The part of the dialect that keeps memories searchable by words."""

    def text_rows(self, memory: Memory) -> list[TextRow]:
        scope, author = full_text.scope_term(memory.namespace), " ".join(terms(memory.author or ""))
        labels = " ".join(terms(" ".join(part for part in (memory.title, memory.category, *memory.tags) if part)))
        parts = passages(memory.content)
        said = memory.created_at if memory.valid_from is None else memory.valid_from
        return [
            (
                memory.seq * MAX_PASSAGES + part,
                scope,
                author,
                labels,
                " ".join(terms(passage)),
                shape(passage, parts=len(parts), at=said).packed(),
            )
            for part, passage in enumerate(parts)
        ]

    def index_text(self, connection: Connection, memory: Memory) -> None:
        _put(connection, TEXT, self.text_rows(memory))

    def unindex_text(self, connection: Connection, seq: int) -> None:
        _remove(connection, TEXT, seq)

    def count_text(self, connection: Connection) -> int:
        sql = f"SELECT count(*) FROM {TEXT}_docsize WHERE id % {MAX_PASSAGES} = 0"
        return int(next(iter(connection.execute(sql)))[0])

    # --- rebuild ---

    def begin_spare(self, connection: Connection) -> None:
        self.drop_spare(connection)
        (create,) = next(iter(connection.execute("SELECT sql FROM sqlite_master WHERE name = ?", (TEXT,))))
        connection.execute(f"CREATE VIRTUAL TABLE {SPARE} {create[create.index('USING') :]}")

    def put_spare(self, connection: Connection, seq: int, rows: Iterable[TextRow]) -> None:
        _remove(connection, SPARE, seq)
        _put(connection, SPARE, rows)

    def use_spare(self, connection: Connection) -> None:
        orphans = f"SELECT id FROM {SPARE}_docsize WHERE id / {MAX_PASSAGES} NOT IN (SELECT seq FROM memories)"
        connection.executemany(f"DELETE FROM {SPARE} WHERE rowid = ?", list(connection.execute(orphans)))
        _drop(connection, TEXT)
        connection.execute(f"ALTER TABLE {SPARE} RENAME TO {TEXT}")

    def drop_spare(self, connection: Connection) -> None:
        if list(connection.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (SPARE,))):
            _drop(connection, SPARE)


def _put(connection: Connection, table: str, rows: Iterable[TextRow]) -> None:
    sql = f"INSERT INTO {table} (rowid, scope, author, labels, body, shape) VALUES (?, ?, ?, ?, ?, ?)"
    connection.executemany(sql, rows)


def _remove(connection: Connection, table: str, seq: int) -> None:
    first = seq * MAX_PASSAGES
    connection.execute(f"DELETE FROM {table} WHERE rowid BETWEEN ? AND ?", (first, first + MAX_PASSAGES - 1))


def _drop(connection: Connection, table: str) -> None:
    """Drop a full text, damaged or not: where these three rows are missing SQLite would not even open it."""
    connection.execute(f"INSERT OR IGNORE INTO {table}_config VALUES ('version', 4)")
    connection.execute(f"INSERT OR IGNORE INTO {table}_data VALUES (1, x''), (10, x'00000000000000')")
    connection.execute(f"DROP TABLE {table}")


def newest_is_found(connection: Connection) -> bool:
    """Return whether the last memory in the full text is found by its namespace: a quick look at a large index."""
    for seq, scope in list(connection.execute(f"SELECT rowid, scope FROM {TEXT} ORDER BY rowid DESC LIMIT 1")):
        found = connection.execute(
            f"SELECT 1 FROM {TEXT} WHERE {TEXT} MATCH ? AND rowid = ?",
            (f"scope : {full_text.any_of([scope])}", seq),
        )
        return bool(list(found))
    return True
