"""One store over any SQL database. What differs between databases is in the dialect.

row_queries        get and find: filters become SQL, rows become records
transaction        insert, update, delete, undo: logged, all or nothing
passage_search     passages by words and by vectors, over derived state
text_rebuild       rebuild the full-text index while others read and write
code_tables        trees, files, symbols and chunks of source code; code_index_search finds them
link_tables        references between symbols
package_tables     manifests, and the packages of trees
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import Any, NamedTuple

import msgspec

from recollect import clock
from recollect.errors import StorageError
from recollect.model import Change, Edge, Node
from recollect.store.code_index_search import CodeSearches
from recollect.store.dialect import Connection, Dialect
from recollect.store.full_text import marks
from recollect.store.link_tables import CodeLinks
from recollect.store.package_tables import Packages
from recollect.store.passage_search import Searches
from recollect.store.row_queries import (
    CHUNK,
    chunks,
    generation,
    increment,
    newest_change,
    read_setting,
    write_setting,
)
from recollect.store.store_values import StoreFacts, Strength, T
from recollect.store.tables import TABLES, encode
from recollect.store.text_rebuild import rebuild_text
from recollect.store.transaction import Transaction

# What the full-text index must contain, in the order in which dialects count it → the expected number. Files that a
# rebuild marked as unread do not count.
_SEARCHABLE = {
    "memories": "SELECT count(*) FROM memories",
    "code chunks": "SELECT coalesce(sum(chunk_count), 0) FROM files",
    "indexed files": "SELECT count(*) FROM file_contents JOIN files ON id = file WHERE hash <> ''",
}

# Nodes written under one hold of the lock: about 20 ms, so that other writers hardly notice.
STRENGTHS_AT_ONCE = 500


class _Gap(NamedTuple):
    """The number of indexed rows of a kind, and of those that should be."""

    what: str
    held: int
    wanted: int


class Store(Searches, CodeSearches, CodeLinks, Packages):
    """The store: reads anywhere, writes in transactions, searches over derived state."""

    def __init__(self, dialect: Dialect) -> None:
        super().__init__(dialect.connection, dialect)
        self._indexes = {}
        self._code_vectors = {}

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Give all reads of this thread in the block one consistent state; the block must not write."""
        with self._dialect.errors(), self._dialect.snapshot():
            yield

    def from_replica(self, work: Callable[[], T]) -> T:
        """Return the result of work that mostly reads, from a replica if there is one that is not behind."""
        with self._dialect.errors():
            return self._dialect.from_replica(work)

    @contextmanager
    def transaction(self, operation: str, *, batch: str | None = None, patiently: bool = True) -> Iterator[Transaction]:
        """Open a write transaction, logged under `operation`; the same `batch` may span several.

        patiently: false gives up if another process is writing
        """
        with self._dialect.errors(), self._dialect.write(patiently=patiently) as connection:
            yield Transaction(connection, self._dialect, operation, batch or clock.new_id())

    def touch(self, ids: Sequence[str], *, at: int | None = None, read: bool = True) -> None:
        """Record an access of these memories at a time (default: now). A statistic: never logged, never an error.

        read: whether the access counts; a memory that was found and not read only gets a new last access
        """
        now = clock.now() if at is None else at
        counted = "access_count = access_count + 1, " if read else ""
        try:
            with self._dialect.errors(), self._dialect.write(patiently=False) as connection:
                for chunk in chunks(list(ids)):
                    sql = f"UPDATE memories SET {counted}last_accessed_at = ? WHERE id IN ({marks(chunk)})"
                    connection.execute(sql, [now, *chunk])
        except StorageError:
            # A reader of a busy or read-only store must get its answer; a missed count only affects a statistic.
            return

    def drop_derived(self, *, vectors: bool) -> tuple[int, int]:
        """Rebuild the full-text index; with `vectors`, delete those too. Returns text rows made and vectors dropped.

        Others can read and write meanwhile. An interrupted rebuild leaves the index as it was. Raises Conflict if
        another process started a rebuild.
        """
        with self._dialect.errors():
            rows = rebuild_text(self._dialect)
            with self._dialect.write() as connection:
                self._mend_code_text(connection)
            return rows, self._drop_vectors() if vectors else 0

    def _mend_code_text(self, connection: Connection) -> None:
        """Clear the full-text index of code if it is damaged or incomplete."""
        if self._dialect.code_problems(connection) or any(gap.what != "memories" for gap in self._gaps(connection)):
            # The text of files is not stored: the next `index` reads them again.
            self._dialect.clear_code(connection)
            connection.execute("UPDATE files SET hash = '', mtime_ns = -1, chunk_count = 0")
            increment(connection, "code_stamp")

    def _drop_vectors(self) -> int:
        """Delete the present vectors, some at a time; vectors that others make meanwhile stay."""
        dropped = 0
        newest = int(read_setting(self._connection(), "vector_stamp") or 0)
        old = "FROM memory_embeddings WHERE stamp <= ?"
        while names := list(self._connection().execute(f"SELECT DISTINCT memory_id {old} LIMIT ?", (newest, CHUNK))):
            of_these = f"{old} AND memory_id IN ({marks(names)})"
            bound = [newest, *(name for (name,) in names)]
            with self._dialect.write() as connection:
                dropped += int(next(iter(connection.execute(f"SELECT count(*) {of_these}", bound)))[0])
                connection.execute(f"DELETE {of_these}", bound)
                increment(connection, "vector_epoch")
        return dropped

    def scrub(self) -> None:
        """Rewrite the files of the store, so that no deleted data remains in them.

        Others can read meanwhile and must wait to write. Raises StoreLocked if another process keeps the old files
        open; deleted rows stay deleted, and `scrub` can be called again.
        """
        with self._dialect.errors():
            self._forget_files()
            self._dialect.scrub()

    def setting(self, key: str) -> str | None:
        """Return a setting of the store, or None."""
        with self._dialect.errors():
            return read_setting(self._connection(), key)

    def keep_setting(self, key: str, value: str) -> None:
        """Store a setting."""
        with self._dialect.errors(), self._dialect.write() as connection:
            write_setting(connection, key, value)

    def swap_setting(self, key: str, before: str | None, value: str) -> bool:
        """Replace a setting if its value is still `before` (None: not set); return whether it was."""
        with self._dialect.errors(), self._dialect.write() as connection:
            is_same = read_setting(connection, key) == before
            if is_same:
                write_setting(connection, key, value)
        return is_same

    def generation(self) -> tuple[int, int, int]:
        """Return a value that changes with any row or vector, as a cache key."""
        with self._dialect.errors():
            return generation(self._connection())

    def check(self, *, thorough: bool) -> list[str]:
        """Return the problems of the store as sentences; empty if there are none."""
        with self._dialect.errors():
            problems = self._dialect.check(self._connection(), thorough=thorough)
        return problems + self.text_gaps()

    def text_gaps(self) -> list[str]:
        """Return what is missing in the full-text index, as sentences."""
        with self._dialect.errors(), self._dialect.snapshot() as connection:
            gaps = self._gaps(connection)
        return [f"the full-text index has {gap.held:,} of {gap.wanted:,} {gap.what}" for gap in gaps]

    def _gaps(self, connection: Connection) -> list[_Gap]:
        counted = (self._dialect.count_text(connection), *self._dialect.count_code(connection))
        wanted = (int(next(iter(connection.execute(sql)))[0]) for sql in _SEARCHABLE.values())
        gaps = map(_Gap, _SEARCHABLE, counted, wanted)
        return [gap for gap in gaps if gap.held < gap.wanted]

    def describe(self) -> StoreFacts:
        """Return where the store is, how large, and which schema it has."""
        with self._dialect.errors():
            return self._dialect.describe()

    # --- the graph: centrality is derived from all of it, and stored with the node, never logged, never exported ---

    def graph_generation(self) -> tuple[int, int]:
        """Return a value that changes with the graph, as a cache key.

        It is (writes of the graph that were not logged, last logged change). While the first number is equal, the log
        has every difference.
        """
        with self._dialect.errors():
            connection = self._connection()
            return int(read_setting(connection, "graph_epoch") or 0), newest_change(connection)

    def graph_changes(self, since: int, limit: int) -> list[Change]:
        """Return logged changes of nodes and edges after a change, oldest first."""
        # An expression has no index: the one by entity lists every change of the graph ever made, and there are mostly
        # few after `since`.
        recent = "seq > ? AND (entity || '') IN (?, ?) ORDER BY seq LIMIT ?"
        return self._select(TABLES[Change], recent, [since, TABLES[Node].name, TABLES[Edge].name, limit])

    def graph_written(self) -> None:
        """Record that nodes or edges were written without the log: a loaded graph must be reloaded."""
        with self._dialect.errors(), self._dialect.write() as connection:
            increment(connection, "graph_epoch")

    def put_strengths(
        self, strengths: Iterable[Strength], marks: Mapping[str, str] = {}, *, patiently: bool = True
    ) -> int:
        """Store the centrality of nodes; returns how many nodes exist. Derived state: not logged.

        marks: settings to store after the last one; patiently: false gives up if another process is writing
        """
        written = 0
        rest = iter(strengths)
        while some := list(islice(rest, STRENGTHS_AT_ONCE)):
            with self._dialect.errors(), self._dialect.write(patiently=patiently) as connection:
                written += _write_strengths(connection, {row.node_id: row for row in some})
        if marks:
            with self._dialect.errors(), self._dialect.write(patiently=patiently) as connection:
                for key, value in marks.items():
                    write_setting(connection, key, value)
        return written

    def close(self) -> None:
        self._indexes.clear()
        self._code_vectors.clear()
        self._dialect.close()


def _write_strengths(connection: Connection, strengths: dict[str, Strength]) -> int:
    """Store the centrality of existing nodes; returns how many. Unchanged ones are not written."""
    sql = f"SELECT id, centrality, payload FROM graph_nodes WHERE id IN ({marks(strengths)})"
    found = list(connection.execute(sql, list(strengths)))
    for node_id, centrality, payload in found:
        row = strengths[node_id]
        parts = {name: getattr(row, name) for name in ("pagerank", "betweenness", "degree", "cluster")}
        before = msgspec.json.decode(payload, type=dict[str, Any])
        if (centrality, before.get("centrality")) == (row.whole, parts):
            continue
        connection.execute(
            "UPDATE graph_nodes SET centrality = ?, payload = ? WHERE id = ?",
            (row.whole, encode(TABLES[Node], "payload", {**before, "centrality": parts}), node_id),
        )
    return len(found)
