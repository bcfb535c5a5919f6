"""Database: an SQLite file of another program, opened so that nothing of it is changed, and all that it holds is seen.

How depends on what lies beside it, since a write-ahead log holds rows that the file itself has not got yet:

    log and its index there     the program may be running: read beside it, as SQLite has several read at once
    log without index           the program died: a copy of both is recovered, and read
    journal                     likewise
    marked for a log, none      closed properly: read as a file that nobody changes, or SQLite would make a log
    neither                     read under SQLite's own locks
"""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

from recollect.errors import InvalidInput, StorageError, StoreCorrupt, StoreLocked
from recollect.files import open_file
from recollect.migrate.found import Left

MAGIC = b"SQLite format 3\0"
# Long enough for a program that writes now and then, short enough for whoever waits.
BUSY_S = 5.0
# Rows of one reach into a table.
_PAGE = 500


class Database:
    """An open database: its tables with their columns, and their rows; every read sees the same state."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._opened = ExitStack()
        try:
            with self.errors():
                self._connection = self._connect()
                self._virtual = self._virtual_tables()
                self.tables: Mapping[str, frozenset[str]] = self._tables()
        except BaseException:
            self._opened.close()
            raise

    def rows(self, table: str, order: str = "rowid") -> Iterator[dict[str, Any]]:
        """Yield the rows of a table; text that is no UTF-8 comes with marks where it is broken."""
        with self.errors():
            cursor = self._connection.execute(f"SELECT * FROM {_name(table)} ORDER BY {_name(order)}")
            names = [column[0] for column in cursor.description]
        while True:
            with self.errors():
                page = cursor.fetchmany(_PAGE)
            if not page:
                return
            for row in page:
                yield dict(zip(names, row, strict=True))

    def count(self, table: str) -> int:
        """Return how many rows a table has; one that needs the program's own extension is counted by what it keeps."""
        for name in (table, f"{table}_rowids"):
            try:
                return int(self._connection.execute(f"SELECT count(*) FROM {_name(name)}").fetchone()[0])
            except sqlite3.OperationalError:
                continue
        return 0

    def others(self, read: Mapping[str, str]) -> Iterator[Left]:
        """Yield what is not read: tables with a reason in `read` (empty: it is read), and those nobody knows.

        Tables in which a virtual table keeps what it has are part of that one.
        """
        for table in sorted(self.tables):
            is_part = any(table.startswith(f"{name}_") for name in self._virtual)
            why = read.get(table, "unknown table")
            if why and not is_part and (found := self.count(table)):
                yield Left(table, why, found)

    def value(self, query: str) -> Any:
        """Return the one value of a query, None where there is none."""
        with self.errors():
            row = self._connection.execute(query).fetchone()
        return row[0] if row else None

    def close(self) -> None:
        self._opened.close()

    @contextmanager
    def errors(self) -> Iterator[None]:
        """Turn what SQLite says into an error that names the file and what can be done."""
        try:
            yield
        except sqlite3.Error as problem:
            raise self._translated(problem) from problem

    def _translated(self, problem: sqlite3.Error) -> Exception:
        name = getattr(problem, "sqlite_errorname", "")
        where = {"path": str(self.path)}
        if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED", "SQLITE_PROTOCOL")):
            hint = "Close that program and import again. Nothing was imported."
            return StoreLocked(f"another program has locked {self.path}", hint=hint, **where)
        if name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")):
            hint = "`sqlite3 FILE .recover` may recover most of it. Nothing was imported."
            return StoreCorrupt(f"{self.path} is damaged or truncated", hint=hint, **where)
        if name.startswith(("SQLITE_CANTOPEN", "SQLITE_PERM", "SQLITE_AUTH")):
            return InvalidInput(
                f"{self.path} cannot be opened: {problem}", hint="Check owner and permissions.", **where
            )
        return StorageError(f"{self.path} cannot be read: {problem}", hint="Nothing was imported.", **where)

    def _connect(self) -> sqlite3.Connection:
        log, index, journal = (self.path.with_name(self.path.name + end) for end in ("-wal", "-shm", "-journal"))
        if log.exists() and index.exists():
            try:
                return self._begin(self.path, "mode=ro")
            except sqlite3.OperationalError as problem:
                # The index has to be made anew, which only a writer may do.
                if "READONLY" not in getattr(problem, "sqlite_errorname", "READONLY"):
                    raise
                return self._begin(self._copied(log), "mode=rw")
        if _size(log):
            return self._begin(self._copied(log), "mode=rw")
        if _size(journal):
            return self._begin(self._copied(journal), "mode=rw")
        with open_file(self.path) as file:
            is_logged = file.read(20)[18:20] == b"\2\2"
        return self._begin(self.path, "immutable=1" if is_logged else "mode=ro")

    def _copied(self, beside: Path) -> Path:
        folder = Path(self._opened.enter_context(tempfile.TemporaryDirectory(prefix="recollect-import-")))
        for file in (self.path, beside):
            shutil.copyfile(file, folder / file.name)
        return folder / self.path.name

    def _begin(self, path: Path, how: str) -> sqlite3.Connection:
        connection = sqlite3.connect(
            f"file:{quote(str(path.absolute()))}?{how}", uri=True, timeout=BUSY_S, isolation_level=None
        )
        self._opened.callback(connection.close)
        connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
        connection.execute("PRAGMA query_only = ON")
        connection.execute("BEGIN")
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        return connection

    def _virtual_tables(self) -> list[str]:
        query = "SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE 'CREATE VIRTUAL%'"
        return [row[0] for row in self._connection.execute(query)]

    def _tables(self) -> dict[str, frozenset[str]]:
        names = [row[0] for row in self._connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        found: dict[str, frozenset[str]] = {}
        for name in names:
            try:
                columns = self._connection.execute(f"PRAGMA table_info({_name(name)})").fetchall()
            except sqlite3.OperationalError:  # of an extension that is not loaded
                columns = []
            found[name] = frozenset(column[1] for column in columns)
        return {name: columns for name, columns in found.items() if not name.startswith("sqlite_")}


def _name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
