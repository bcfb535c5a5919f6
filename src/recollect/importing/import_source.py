"""Source files of other programs: a folder, a Markdown page, an SQLite database, JSON or JSON Lines; and their readers.

A database is opened so that nothing of it changes and all rows are seen. A write-ahead log holds rows that the file
does not have yet, so the way depends on the files beside it:

    log and its index         the program may be running: read beside it
    log without index         the program died: a copy of both is recovered and read
    journal                   likewise
    log mode without a log    closed properly: read as immutable, or SQLite would create a log
    neither                   read under SQLite's own locks
"""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Literal, NamedTuple
from urllib.parse import quote

from recollect.errors import InvalidInput, NotFound, StorageError, StoreCorrupt, StoreLocked
from recollect.files import open_file, read_file
from recollect.importing.import_records import Found, Left
from recollect.parsing import parse_json

MAGIC = b"SQLite format 3\0"
# How long a lock of the other program is waited for.
BUSY_S = 5.0
# Rows that are fetched at once.
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
        """Yield the rows of a table; invalid UTF-8 becomes replacement characters."""
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
        """Return the number of rows; a table that needs an extension is counted by its shadow table."""
        for name in (table, f"{table}_rowids"):
            try:
                return int(self._connection.execute(f"SELECT count(*) FROM {_name(name)}").fetchone()[0])
            except sqlite3.OperationalError:
                continue
        return 0

    def others(self, read: Mapping[str, str]) -> Iterator[Left]:
        """Yield the tables that are not read: those with a reason in `read`, and unknown ones.

        An empty reason means that the table is read. Shadow tables are part of their virtual table.
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
        """Turn an error of SQLite into one that names the file and a remedy."""
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
                # Only a writer can rebuild the index.
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


# How much of a file is read to recognise it.
HEAD_BYTES = 1 << 20
# A JSON document is held in memory as a whole.
MAX_DOCUMENT_BYTES = 1 << 30
MARKDOWN = (".md", ".markdown")
# Folders of programs, not of people.
_SKIPPED = {"node_modules", "__pycache__", "venv"}

Kind = Literal["folder", "page", "database", "lines", "document", "unknown"]


class SourceFile(NamedTuple):
    """A path and the kind of data that it holds.

    database: open, if it is one. first: the first of JSON Lines, or a whole JSON document
    """

    path: Path
    kind: Kind
    database: Database | None = None
    first: Any = None

    def has(self, table: str, *columns: str) -> bool:
        """Tell whether it is a database that has this table with these columns."""
        tables = self.database.tables if self.database is not None else {}
        return table in tables and tables[table].issuperset(columns)


def inspect_source(path: Path) -> SourceFile:
    """Return the kind of data at a path; raises NotFound and InvalidInput if it cannot be read."""
    try:
        if path.is_dir():
            return SourceFile(path, "folder")
        if not path.exists():
            raise NotFound(f"{path} does not exist", hint="Check the path.", path=str(path))
        if not path.is_file():
            return SourceFile(path, "unknown")
        with open_file(path) as file:
            head = file.read(HEAD_BYTES)
    except OSError as problem:
        raise InvalidInput(f"{path} cannot be read: {problem.strerror}", path=str(path)) from None
    if head.startswith(MAGIC):
        return SourceFile(path, "database", Database(path))
    if path.suffix.lower() in MARKDOWN:
        return SourceFile(path, "page")
    return _json(path, head.removeprefix(b"\xef\xbb\xbf").lstrip())


def pages(folder: Path) -> Iterator[Path]:
    """Yield the Markdown files below a folder, by name, without hidden folders and those of programs."""
    try:
        entries = sorted(folder.iterdir())
    except OSError as problem:
        raise InvalidInput(f"{folder} cannot be read: {problem.strerror}", path=str(folder)) from None
    for entry in entries:
        if entry.name.startswith(".") or entry.name in _SKIPPED or entry.is_symlink():
            continue
        if entry.is_dir():
            yield from pages(entry)
        elif entry.suffix.lower() in MARKDOWN:
            yield entry


def document(path: Path) -> Any:
    """Return a JSON document; raises InvalidInput if it is invalid."""
    try:
        raw = read_file(path, most=MAX_DOCUMENT_BYTES)
        return parse_json(raw.removeprefix(b"\xef\xbb\xbf"), what=str(path))
    except OSError as problem:
        raise InvalidInput(f"{path} cannot be read: {problem.strerror}", path=str(path)) from None
    except InvalidInput as problem:
        raise InvalidInput(problem.message, hint="Correct the file; nothing was imported.", path=str(path)) from None


def _json(path: Path, head: bytes) -> SourceFile:
    if not head.startswith((b"{", b"[")):
        return SourceFile(path, "unknown")
    line = head.split(b"\n", 1)[0]
    try:
        first = parse_json(line)
    except InvalidInput:
        first = None
    if isinstance(first, dict) and not _is_whole(first):
        return SourceFile(path, "lines", first=first)
    try:
        return SourceFile(path, "document", first=document(path))
    except InvalidInput:
        return SourceFile(path, "unknown")


def _is_whole(first: dict[str, Any]) -> bool:
    """Tell whether an object on one line is a document that holds all records."""
    return any(isinstance(value, list) and value and isinstance(value[0], dict) for value in first.values()) and not (
        isinstance(first.get("content"), str)
    )


_HINT = "Nothing was imported. Correct or remove the line and import again."


def objects(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the objects of JSON Lines with their line numbers; raises InvalidInput at an invalid line."""
    try:
        with open_file(path) as file:
            for number, line in enumerate(file, 1):
                text = line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line
                if text.strip():
                    yield number, _object(path, number, text)
    except OSError as problem:
        raise InvalidInput(f"{path} cannot be read: {problem.strerror}", path=str(path)) from None


def refused(path: Path, number: int, why: str) -> InvalidInput:
    """Return the error of an invalid line."""
    return InvalidInput(f"line {number} of {path.name} cannot be imported: {why}", hint=_HINT, line=number)


def _object(path: Path, number: int, line: bytes) -> dict[str, Any]:
    try:
        found = parse_json(line, what="it")
    except InvalidInput as problem:
        raise refused(path, number, problem.message) from None
    if not isinstance(found, dict):
        raise refused(path, number, "not a JSON object")
    return found


class Reader:
    """A reader of one program's memory; `fits` tells whether a source is of its kind.

    source_name: what `--from` takes. kept_ids: its keys are globally unique, so that memories keep them
    """

    source_name = ""
    program = ""
    kept_ids = False

    def __init__(self, source: SourceFile) -> None:
        self.source = source

    @property
    def database(self) -> Database:
        """Return the database of a reader that accepts nothing else."""
        assert self.source.database is not None  # noqa: S101 - `fits` has checked it
        return self.source.database

    @staticmethod
    def fits(source: SourceFile) -> bool:
        raise NotImplementedError

    def read(self) -> Iterator[Found]:
        """Yield all records: sessions, then memories, then nodes, then links; the same each time."""
        raise NotImplementedError
