"""Convert a file of an older library to a recollect database, in place; a copy is kept beside it.

    older file, locked ─► a new database beside it ─► copy of the older file ─► the database takes its place

If it stops before the last step, the older file stays. Other processes wait for the lock, and then find it done. Rows
and JSON without text stay in the copy.
"""

from __future__ import annotations

import itertools
import os
import shutil
import sqlite3
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

from recollect.engine.library_store import LibraryStore
from recollect.errors import InvalidInput, RecollectError, StoreForeign, StoreLocked, StoreUnwritable
from recollect.files import PRIVATE_FILE, open_file
from recollect.importing.episodic import turns
from recollect.importing.fields import clean, listed, moment, plain
from recollect.importing.import_source import MAGIC, Database, SourceFile, document
from recollect.importing.memory_lib import MemoryLib
from recollect.parsing import parse_json

# As long as any write of ours waits for others.
BUSY_S = 30.0
# Rows of one transaction.
BATCH = 500
# The first bytes of a JSON document; a database begins with a word.
OPENINGS = (b"[", b"{")

# The required column of each table; rows without it stay in the copy.
SPOKEN = {"memories": "text", "code_memories": "code_snippet", "non_code_memories": "content"}


class Older(NamedTuple):
    """The older file, open for reading."""

    database: Database

    def rows(self, table: str) -> Iterator[dict[str, Any]]:
        """Yield the rows of a table that have text, oldest first; none if there is no such table."""
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
        """Return the JSON object in a column; another value is returned under the column's name."""
        value = row.get(column)
        with suppress(InvalidInput):
            value = parse_json(value) if isinstance(value, str) else value
        if isinstance(value, dict):
            return dict(plain(value))
        return {column: plain(value)} if value else {}

    @staticmethod
    def list(row: Mapping[str, Any], column: str) -> list[str]:
        """Return the texts of the JSON array in a column."""
        return [clean(text) for text in listed(row.get(column))]


Rows = Callable[[Older], Iterator[Mapping[str, Any]]]
Turns = Sequence[Mapping[str, Any]]
TurnRows = Callable[[Turns], Iterator[Mapping[str, Any]]]


def adopt(path: str | Path, shelves: Mapping[str, Rows]) -> Path | None:
    """Convert a file of the older library; return the path of its copy, None for other files.

    shelves: by namespace, makes the rows that go there
    """
    file = Path(path).expanduser().absolute()
    if not _is_older(file):
        return None
    with _alone(file):
        if not _is_older(file):
            return None  # another process was faster
        with _locked(file):
            return _put_in_place(file, lambda made: _fill_from(file, made, shelves))


def _put_in_place(file: Path, fill: Callable[[Path], None]) -> Path:
    """Replace a file by a database that `fill` makes; return the path of its copy."""
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
    """Tell whether a file has the tables of the older library."""
    try:
        with open_file(path) as file:
            if file.read(len(MAGIC)) != MAGIC:
                return False
        with closing(Database(path)) as database:
            return MemoryLib.fits(SourceFile(path, "database", database))
    except (OSError, RecollectError):
        return False  # opening it reports the error


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Lock a file for programs that write to it, with nothing left in its write-ahead log."""
    with closing(sqlite3.connect(path, timeout=BUSY_S, isolation_level=None)) as connection:
        try:
            connection.execute("PRAGMA journal_mode = DELETE")
            connection.execute("BEGIN IMMEDIATE")
        except sqlite3.Error as problem:
            hint = "Close the program that uses it and try again. Nothing was changed."
            raise StoreLocked(f"{path} cannot be converted: {problem}", hint=hint, path=str(path)) from problem
        yield


def _fill_from(file: Path, made: Path, shelves: Mapping[str, Rows]) -> None:
    with closing(Database(file)) as database:
        for namespace, rows in shelves.items():
            _fill(made, namespace, rows(Older(database)))


def _fill(made: Path, namespace: str, rows: Iterator[Mapping[str, Any]]) -> None:
    with closing(LibraryStore(made, namespace)) as library:
        while batch := list(itertools.islice(rows, BATCH)):
            library.add(batch)


def _copied(file: Path) -> Path:
    """Copy a file beside itself, under a name that is free."""
    for number in itertools.count(1):
        saved = file.with_name(f"{file.name}.backup" + (f"-{number}" if number > 1 else ""))
        if not saved.exists():
            shutil.copy2(file, saved)
            saved.chmod(PRIVATE_FILE)
            return saved
    raise AssertionError("numbers do not end")


# --- JSON files of conversations ---


class Adopted(NamedTuple):
    """The path of the copy, and how many records were no turns of a conversation."""

    saved: Path
    left: int


def adopt_document(path: str | Path, namespace: str, rows: TurnRows) -> Adopted | None:
    """Convert a JSON file of conversations to a database; None for other files.

    rows: makes rows of its turns. Raises StoreForeign for JSON of another kind.
    """
    file = Path(path).expanduser().absolute()
    if not _is_document(file):
        return None
    with _alone(file):
        if not _is_document(file):
            return None  # another process was faster
        try:
            found, left = turns(document(file))
        except InvalidInput as problem:
            raise StoreForeign(problem.message, path=str(file)) from problem
        if left and not found:
            raise StoreForeign(f"{file} is JSON, but not a conversation memory file", path=str(file))
        return Adopted(_put_in_place(file, lambda made: _fill(made, namespace, rows(found))), left)


def document_turns(path: str | Path) -> Turns:
    """Return the conversation turns of a JSON file. Raises InvalidInput for another kind of file."""
    file = Path(path).expanduser().absolute()
    found, left = turns(document(file))
    if left and not found:
        raise InvalidInput(f"{file} has no conversation turns", hint="Choose a file of export_records.", path=str(file))
    return found


def _is_document(path: Path) -> bool:
    try:
        with open_file(path) as file:
            return file.read(4096).removeprefix(b"\xef\xbb\xbf").lstrip().startswith(OPENINGS)
    except OSError:
        return False  # opening it reports the error


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Keep others from converting files of this folder.

    Who waits must not have the older file open: after it was replaced, SQLite takes the log of the new one for its own.
    """
    if sys.platform == "win32":
        yield
        return
    import fcntl

    folder = os.open(path.parent, os.O_RDONLY)
    try:
        with suppress(OSError):  # a file system without locks
            fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)
