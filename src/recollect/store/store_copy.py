"""Copy a whole store into another database: every row, then the full text. It can be stopped and repeated.

Tables are read in the order of their keys from one snapshot, and written in pages: a repetition goes on after the last
key that the target has. Then both sides are read again and compared by number and hash of rows; a table that differs,
because the source changed between two attempts, is copied once more. Only then the copy counts as finished.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any, NamedTuple

import msgspec

from recollect import progress
from recollect.errors import Conflict, StoreCorrupt
from recollect.store.dialect import Connection, Dialect
from recollect.store.full_text import marks
from recollect.store.row_queries import read_setting, write_setting
from recollect.store.tables import TABLES

# Rows that are read at once and written under one lock.
PAGE = 1_000
# The setting of an unfinished target: where its rows come from.
KEY = "copied_from"
# Settings that belong to the files and processes of one database.
LOCAL_SETTINGS = ("vector_file/", "text_rebuild", KEY)


class CopiedTable(NamedTuple):
    """A table: its name, its key, and its other columns."""

    name: str
    key: tuple[str, ...]
    others: tuple[str, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        return (*self.key, *self.others)


class TableCopy(NamedTuple):
    """The number of rows of a table, and their hash, the same on both sides."""

    name: str
    rows: int
    sha256: str


def _copied(name: str, key: str, others: str) -> CopiedTable:
    return CopiedTable(name, tuple(key.split()), tuple(others.split()))


# Tables that other tables refer to come first.
COPIED: tuple[CopiedTable, ...] = (
    *(
        CopiedTable(row.name, (row.key,), tuple(name for name in row.columns if name != row.key))
        for row in TABLES.values()
    ),
    _copied("memory_embeddings", "memory_id model part", "embedding stamp"),
    _copied("file_contents", "file", "symbols chunks"),
    _copied("file_programs", "file", "path hash outline face content"),
    _copied("file_links", "file", "stamp digest edges sites"),
    _copied("linked_trees", "tree", "fingerprint generation linked_at"),
    _copied("manifests", "file", "content"),
    _copied("packages", "id", "folder ecosystem name label version manifest mark workspace provides dependencies"),
    _copied("settled_trees", "tree", ""),
    _copied("code_embeddings", "model hash", "embedding stamp"),
)
# The rows of the full text; each database derives its index from them.
TEXTS = {
    "memories": _copied("memory_text", "rowid", "scope author labels body shape"),
    "code": _copied("code_text", "rowid", "names around path body"),
    "names": _copied("symbol_text", "rowid", "names humps"),
}


def copy_store(source: Dialect, target: Dialect) -> list[TableCopy]:
    """Copy all rows; return the tables with what both sides have now.

    Raises Conflict if the target has memories of its own, StoreCorrupt if a copied table differs from its source.
    """
    place = source.describe().location
    with source.errors(), target.errors(), source.snapshot() as reader:
        _claim(target, place)
        total = sum(_count(reader, table.name) for table in (*COPIED, *TEXTS.values()))
        reported = _Reported(total)
        for table in COPIED:
            for rows in reported.pages(table, _pages(reader, table, _last_key(target.connection(), table))):
                _write(target, table, rows)
        with target.write() as writer:
            for key, value in _settings(reader).items():
                write_setting(writer, key, value)
            target.finish_copy(writer)
        compared = [_compared(reader, target, table) for table in COPIED]
        if _settings(reader) != _settings(target.connection()):
            raise _different("settings")
        # Last, and at once with the end of the copy: an interrupted one has no full text of rows that may change.
        with target.write() as writer:
            texts = {name: reported.pages(table, _pages(reader, table, None)) for name, table in TEXTS.items()}
            target.load_text(writer, texts["memories"])
            target.load_code(writer, texts["code"])
            for rows in texts["names"]:
                target.index_names(writer, rows)
            writer.execute("DELETE FROM settings WHERE key = ?", (KEY,))
    return compared


class _Reported:
    """Reports progress while pages of rows are taken."""

    def __init__(self, total: int) -> None:
        self._total, self._done = total, 0

    def pages(self, table: CopiedTable, pages: Iterable[list[Any]]) -> Iterator[list[Any]]:
        for rows in pages:
            yield rows
            self._done += len(rows)
            progress.report(min(self._done, self._total), self._total, f"copying {table.name}")


def _claim(target: Dialect, place: str) -> None:
    """Mark an empty target; raises Conflict for one with rows that are not from this source."""
    with target.write() as connection:
        begun = read_setting(connection, KEY)
        if begun is None and any(_count(connection, name) for name in ("changes", "memories", "trees")):
            raise Conflict(
                f"{target.describe().location} already has data",
                hint="Name an empty database. `recollect export` and `recollect import` merge memories.",
            )
        if begun not in (None, place):
            raise Conflict(
                f"the target is an unfinished copy of {begun}", hint="Finish that copy, or use another target."
            )
        write_setting(connection, KEY, place)


def _pages(connection: Connection, table: CopiedTable, after: Sequence[Any] | None) -> Iterator[list[tuple[Any, ...]]]:
    """Yield the rows of a table in pages, in the order of its key, from a key on."""
    key = ", ".join(table.key)
    select = f"SELECT {', '.join(table.columns)} FROM {table.name}"
    while True:
        beyond = f" WHERE ({key}) > ({marks(table.key)})" if after is not None else ""
        sql = f"{select}{beyond} ORDER BY {key} LIMIT {PAGE}"
        rows = list(connection.execute(sql, after or ()))
        if not rows:
            return
        yield rows
        after = rows[-1][: len(table.key)]


def _last_key(connection: Connection, table: CopiedTable) -> tuple[Any, ...] | None:
    order = ", ".join(f"{name} DESC" for name in table.key)
    rows = connection.execute(f"SELECT {', '.join(table.key)} FROM {table.name} ORDER BY {order} LIMIT 1")
    return next(iter(rows), None)


def _write(target: Dialect, table: CopiedTable, rows: Sequence[tuple[Any, ...]]) -> None:
    with target.write() as connection:
        if table.name == "memory_embeddings":
            place = table.columns.index("embedding")
            rows = [(*row[:place], target.vector_value(row[place]), *row[place + 1 :]) for row in rows]
        target.insert_rows(connection, table.name, table.columns, rows)


def _compared(reader: Connection, target: Dialect, table: CopiedTable) -> TableCopy:
    """Return what both sides have of a table; one that differs is copied again first. Raises StoreCorrupt."""
    wanted = _digest(reader, table)
    if _digest(target.connection(), table) != wanted:
        with target.write() as connection:
            connection.execute(f"DELETE FROM {table.name}")
        for rows in _pages(reader, table, None):
            _write(target, table, rows)
        if _digest(target.connection(), table) != wanted:
            raise _different(table.name)
    return wanted


def _digest(connection: Connection, table: CopiedTable) -> TableCopy:
    count, digest = 0, sha256()
    for rows in _pages(connection, table, None):
        count += len(rows)
        digest.update(msgspec.msgpack.encode(rows))
    return TableCopy(table.name, count, digest.hexdigest())


def _settings(connection: Connection) -> Mapping[str, str]:
    rows = connection.execute("SELECT key, value FROM settings ORDER BY key")
    return {key: value for key, value in rows if not key.startswith(LOCAL_SETTINGS)}


def _count(connection: Connection, table: str) -> int:
    return int(next(iter(connection.execute(f"SELECT count(*) FROM {table}")))[0])


def _different(name: str) -> StoreCorrupt:
    return StoreCorrupt(
        f"the copy of {name} differs from its source",
        hint="Run the same command again; it continues. The source is unchanged.",
        table=name,
    )
