"""Rebuild the full-text index beside the old one, a few memories at a time, while others read and write.

    begin: an empty spare ─► memories as they are now, in order ─► those that changed since, by the log ─► swap

The lock is held to write a few rows, not to compute their terms, which takes most of the time. Searches use the old
index until the swap, which is one transaction with the last changes: a rebuild that stops before it changes nothing.
Of two rebuilds at once the later one continues; the other gets a Conflict.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from recollect import clock, progress
from recollect.errors import Conflict
from recollect.model import Memory
from recollect.store.dialect import Connection, Dialect
from recollect.store.full_text import marks
from recollect.store.passage_search import text_rows
from recollect.store.row_queries import chunks, newest_change, read_setting, write_setting
from recollect.store.tables import TABLES, from_row

# Memories written under one lock: about 20 ms, and other writers run in between.
STEP = 50
# With no more changes left than this, the rest is written under the last lock.
FEW = 20
# The setting with the id of the running rebuild.
KEY = "text_rebuild"


def rebuild_text(dialect: Dialect) -> int:
    """Rebuild the full-text index of all memories; return how many. Raises Conflict if another process does it too."""
    owner = clock.new_id()
    with dialect.write() as connection:
        dialect.begin_spare(connection)
        write_setting(connection, KEY, owner)
        begun = newest_change(connection)
        total = int(next(iter(connection.execute("SELECT count(*) FROM memories")))[0])
    done = 0
    for page in _pages(dialect, begun):
        _write(dialect, owner, page)
        done += len(page)
        progress.report(min(done, total), total, "rebuilding the full-text index")
    seen = begun
    while len(changed := _changed(dialect.connection(), seen, STEP)) > FEW:
        _write(dialect, owner, _memories(dialect.connection(), [name for _, name in changed]))
        seen = changed[-1][0]
    with _step(dialect, owner) as connection:
        left = [name for _, name in _changed(connection, seen)]
        for memory in _memories(connection, left):
            dialect.put_spare(connection, memory.seq, text_rows(memory))
        dialect.use_spare(connection)
        write_setting(connection, KEY, "")
        return dialect.count_text(connection)


def forget_rebuild(dialect: Dialect, connection: Connection) -> None:
    """Drop the spare index of a rebuild, running or not."""
    dialect.drop_spare(connection)
    write_setting(connection, KEY, "")


def _pages(dialect: Dialect, until: int) -> Iterator[list[Memory]]:
    """Yield the memories that were there when the rebuild began, in order."""
    last = -1
    table = TABLES[Memory]
    sql = f"SELECT {', '.join(table.columns)} FROM memories WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ?"
    while page := [from_row(table, row) for row in dialect.connection().execute(sql, (last, until, STEP))]:
        yield page
        last = page[-1].seq


def _write(dialect: Dialect, owner: str, memories: Sequence[Memory]) -> None:
    """Write memories to the spare index. Changes made meanwhile are in the log and follow later."""
    ready = [(memory.seq, text_rows(memory)) for memory in memories]
    with _step(dialect, owner) as connection:
        for seq, rows in ready:
            dialect.put_spare(connection, seq, rows)


@contextmanager
def _step(dialect: Dialect, owner: str) -> Iterator[Connection]:
    with dialect.write() as connection:
        if read_setting(connection, KEY) != owner:
            raise Conflict("another process is rebuilding the full-text index", hint="Wait until it is done.")
        yield connection


def _changed(connection: Connection, since: int, limit: int = 2**62) -> list[tuple[int, str]]:
    """Return changes of memories after one, oldest first: number and memory id."""
    sql = "SELECT seq, entity_id FROM changes WHERE seq > ? AND entity = 'memories' ORDER BY seq LIMIT ?"
    return [(int(seq), str(name)) for seq, name in connection.execute(sql, (since, limit))]


def _memories(connection: Connection, ids: Sequence[str]) -> list[Memory]:
    """Return the memories that still exist; rows of the others are removed from the spare index at the end."""
    table = TABLES[Memory]
    sql = f"SELECT {', '.join(table.columns)} FROM memories WHERE id IN "
    return [
        from_row(table, row)
        for chunk in chunks(list(dict.fromkeys(ids)))
        for row in connection.execute(f"{sql}({marks(chunk)})", chunk)
    ]
