"""A database file of the older memory library becomes one of ours, in its place; as it was it stays beside.

    older file, locked for writers ─► a new file beside it ─► copy of the older one ─► the new one takes its place

Whatever stops it before the last step leaves the older file where it was. The lock keeps out whoever opens the file at
the same time: they wait, and then find it done.
"""

from __future__ import annotations

import itertools
import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

from recollect.engine.shelf import Shelf
from recollect.errors import InvalidInput, RecollectError, StoreLocked, StoreUnwritable
from recollect.files import PRIVATE_FILE, open_file
from recollect.importing.fields import clean, listed, moment, plain
from recollect.importing.import_source import MAGIC, Database, SourceFile
from recollect.importing.memory_lib import MemoryLib
from recollect.parsing import parse_json
from recollect.store.sqlite import APPLICATION_ID

# As long as any write of ours waits for others.
BUSY_S = 30.0
# Rows of one transaction.
BATCH = 500

# What must be there to be kept, by table; a row without it stays in the copy.
SPOKEN = {"memories": "text", "code_memories": "code_snippet", "non_code_memories": "content"}


class Older(NamedTuple):
    """The older file, open for reading; what its columns hold is read by those who know what it means."""

    database: Database

    def rows(self, table: str) -> Iterator[dict[str, Any]]:
        """Yield the rows of a table that say something, oldest first; none where there is no such table."""
        if table not in self.database.tables:
            return
        found = (plain(row) for row in self.database.rows(table))
        spoken = [row for row in found if isinstance(row[SPOKEN[table]], str) and row[SPOKEN[table]].strip()]
        yield from sorted(spoken, key=lambda row: str(row.get("timestamp") or ""))

    @staticmethod
    def beside(row: Mapping[str, Any]) -> dict[str, Any]:
        """Return a row's id and time as ours."""
        name = str(row.get("id") or "").strip()
        return {**({"id": name} if name else {}), "created_at": moment(row.get("timestamp"))}

    @staticmethod
    def object(row: Mapping[str, Any], column: str) -> dict[str, Any]:
        """Return a JSON object that a column holds as text; what is something else is kept under the column's name."""
        value = row.get(column)
        with suppress(InvalidInput):
            value = parse_json(value) if isinstance(value, str) else value
        if isinstance(value, dict):
            return dict(plain(value))
        return {column: plain(value)} if value else {}

    @staticmethod
    def list(row: Mapping[str, Any], column: str) -> list[str]:
        """Return the texts of a JSON array that a column holds as text."""
        return [clean(text) for text in listed(row.get(column))]


Rows = Callable[[Older], Iterator[Mapping[str, Any]]]


def adopt(path: str | Path, shelves: Mapping[str, Rows]) -> Path | None:
    """Make the file at a path one of ours if it is the older library's; return where it is kept as it was, else None.

    shelves: by namespace, what of the older file goes there
    """
    file = Path(path).expanduser().absolute()
    if not _is_older(file):
        return None
    try:
        with _locked(file) as is_older:
            return _taken_over(file, shelves) if is_older and _is_older(file) else None
    except StoreLocked:
        if _is_older(file):
            raise
        return None  # another process was faster


def _taken_over(file: Path, shelves: Mapping[str, Rows]) -> Path:
    return put_in_place(file, lambda made: _fill(file, made, shelves))


def put_in_place(file: Path, fill: Callable[[Path], None]) -> Path:
    """Put a database that `fill` makes in the place of a file; return where that is kept as it was."""
    made = file.with_name(f".{file.name}.{os.getpid()}.new")
    try:
        fill(made)
        saved = _copied(file)
        made.replace(file)
    except OSError as problem:
        raise StoreUnwritable(f"{file} cannot be converted: {problem.strerror}", path=str(file)) from problem
    finally:
        for left in (made, made.with_name(made.name + "-wal"), made.with_name(made.name + "-shm")):
            left.unlink(missing_ok=True)
    return saved


def _is_older(path: Path) -> bool:
    """Tell whether a file has the tables of the older library; ours have other columns."""
    try:
        with open_file(path) as file:
            if file.read(len(MAGIC)) != MAGIC:
                return False
        database = Database(path)
    except (OSError, RecollectError):
        return False  # whoever opens it says what is wrong
    try:
        return MemoryLib.fits(SourceFile(path, "database", database))
    finally:
        database.close()


@contextmanager
def _locked(path: Path) -> Iterator[bool]:
    """Keep writers away from a file, and everything that it holds in it: nothing in a log beside it.

    Tells whether it is an older file at all: another may have taken its place, and that one is left as it is. What was
    opened stays what it is, since files are never made ours in place.
    """
    with closing(sqlite3.connect(path, timeout=BUSY_S, isolation_level=None)) as connection:
        try:
            is_older = connection.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID
            if is_older:
                connection.execute("PRAGMA journal_mode = DELETE")
                connection.execute("BEGIN IMMEDIATE")
        except sqlite3.Error as problem:
            hint = "Close the program that uses it and try again. Nothing was changed."
            raise StoreLocked(f"{path} cannot be converted: {problem}", hint=hint, path=str(path)) from problem
        yield is_older


def _fill(file: Path, made: Path, shelves: Mapping[str, Rows]) -> None:
    database = Database(file)
    try:
        for namespace, rows in shelves.items():
            shelf = Shelf(made, namespace)
            try:
                waiting = rows(Older(database))
                while batch := list(itertools.islice(waiting, BATCH)):
                    shelf.add(batch)
            finally:
                shelf.close()
    finally:
        database.close()


def _copied(file: Path) -> Path:
    """Copy a file beside itself, under a name that is free."""
    for number in itertools.count(1):
        saved = file.with_name(f"{file.name}.backup" + (f"-{number}" if number > 1 else ""))
        if not saved.exists():
            shutil.copy2(file, saved)
            saved.chmod(PRIVATE_FILE)
            return saved
    raise AssertionError("numbers do not end")
