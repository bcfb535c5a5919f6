"""The full-text index of memories in SQLite, and the days that texts name: current tables, and spares for a rebuild.

    memory_text          every passage of every memory, by rowid = seq * 1024 + its place
    memory_days          the days that passages name, by the same number
    memory_text_spare, memory_days_spare
                         the same while a rebuild fills them; they replace the others when they are complete

The next rebuild drops spare tables that were left unfinished.
"""

from __future__ import annotations

from collections.abc import Sequence

from recollect.store import full_text
from recollect.store.dialect import Connection, TextRow
from recollect.store.passage_rows import named_days
from recollect.text.passages import MAX_PASSAGES

TEXT = "memory_text"
DAYS = "memory_days"
# What the name of a spare table ends with.
SPARE = "_spare"


class SqliteText:
    """The part of the SQLite dialect that indexes memories by words."""

    def index_rows(self, connection: Connection, rows: Sequence[TextRow]) -> None:
        _put(connection, "", rows)

    def unindex_text(self, connection: Connection, seq: int) -> None:
        _remove(connection, "", seq)

    def count_text(self, connection: Connection) -> int:
        sql = f"SELECT count(*) FROM {TEXT}_docsize WHERE id % {MAX_PASSAGES} = 0"
        return int(next(iter(connection.execute(sql)))[0])

    # --- rebuild ---

    def begin_spare(self, connection: Connection) -> None:
        self.drop_spare(connection)
        for table in (TEXT, DAYS):
            (create,) = next(iter(connection.execute("SELECT sql FROM sqlite_master WHERE name = ?", (table,))))
            connection.execute(create.replace(table, table + SPARE, 1))

    def put_spare(self, connection: Connection, seq: int, rows: Sequence[TextRow]) -> None:
        _remove(connection, SPARE, seq)
        _put(connection, SPARE, rows)

    def use_spare(self, connection: Connection) -> None:
        gone = f"/ {MAX_PASSAGES} NOT IN (SELECT seq FROM memories)"
        orphans = list(connection.execute(f"SELECT id FROM {TEXT}{SPARE}_docsize WHERE id {gone}"))
        connection.executemany(f"DELETE FROM {TEXT}{SPARE} WHERE rowid = ?", orphans)
        connection.execute(f"DELETE FROM {DAYS}{SPARE} WHERE pid {gone}")
        _drop(connection, "")
        for table in (TEXT, DAYS):
            connection.execute(f"ALTER TABLE {table}{SPARE} RENAME TO {table}")

    def drop_spare(self, connection: Connection) -> None:
        if list(connection.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (TEXT + SPARE,))):
            _drop(connection, SPARE)


def _put(connection: Connection, end: str, rows: Sequence[TextRow]) -> None:
    """Write passages, and the days they name, to the tables with this suffix."""
    sql = f"INSERT INTO {TEXT}{end} (rowid, scope, author, labels, body, shape) VALUES (?, ?, ?, ?, ?, ?)"
    connection.executemany(sql, rows)
    if days := named_days(rows):
        sql = f"INSERT OR IGNORE INTO {DAYS}{end} (pid, scope, first_day, end_day) VALUES (?, ?, ?, ?)"
        connection.executemany(sql, days)


def _remove(connection: Connection, end: str, seq: int) -> None:
    first = seq * MAX_PASSAGES
    for table, key in ((TEXT, "rowid"), (DAYS, "pid")):
        sql = f"DELETE FROM {table}{end} WHERE {key} BETWEEN ? AND ?"
        connection.execute(sql, (first, first + MAX_PASSAGES - 1))


def _drop(connection: Connection, end: str) -> None:
    """Drop the tables with this suffix. SQLite cannot open a damaged index that lacks these three rows."""
    connection.execute(f"INSERT OR IGNORE INTO {TEXT}{end}_config VALUES ('version', 4)")
    connection.execute(f"INSERT OR IGNORE INTO {TEXT}{end}_data VALUES (1, x''), (10, x'00000000000000')")
    connection.execute(f"DROP TABLE {TEXT}{end}")
    connection.execute(f"DROP TABLE IF EXISTS {DAYS}{end}")


def newest_is_found(connection: Connection) -> bool:
    """Return whether a search by namespace finds the last indexed memory: a quick check of a large index."""
    for seq, scope in list(connection.execute(f"SELECT rowid, scope FROM {TEXT} ORDER BY rowid DESC LIMIT 1")):
        found = connection.execute(
            f"SELECT 1 FROM {TEXT} WHERE {TEXT} MATCH ? AND rowid = ?",
            (f"scope : {full_text.any_of([scope])}", seq),
        )
        return bool(list(found))
    return True
