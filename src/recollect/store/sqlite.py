"""SQLite as a dialect: one file, many processes, no extension beyond the stock FTS5.

A missing or empty file becomes a recollect database (0600, its folder 0700). An older one is migrated under the write
lock; a newer one, and any other file, is refused and not changed. A new file appears with its first page, so a file of
0 bytes next to other files of ours is a lost database, and storing into it would hide the loss.

Writers take the lock first (BEGIN IMMEDIATE): a transaction that reads and then asks for the lock fails at once if
another has written in between, and no timeout helps (2,077 of 2,400 such transactions failed; 0 of 2,400 this way).
"""

from __future__ import annotations

import errno
import os
import random
import sqlite3
import stat
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote
from weakref import WeakSet

from recollect.errors import (
    Conflict,
    InvalidInput,
    RecollectError,
    SchemaTooNew,
    StorageError,
    StoreCorrupt,
    StoreForeign,
    StoreFull,
    StoreLocked,
    StoreUnwritable,
)
from recollect.files import PRIVATE_FILE, private_folder
from recollect.store import full_text
from recollect.store.dialect import Connection, Dialect
from recollect.store.migrations import APPLICATION_ID as APPLICATION_ID
from recollect.store.migrations import MIGRATIONS
from recollect.store.sqlite_text import SqliteCode, SqliteText, newest_is_found
from recollect.store.store_values import StoreFacts, T
from recollect.store.text_rebuild import forget_rebuild

# Document 002: WAL, 64 MB cache, 256 MB memory map, foreign keys. NORMAL survives the death of any process; only a
# power cut can lose the last commits, never the file. The size limit frees the space of the log.
PRAGMAS = (
    "journal_mode = WAL",
    "synchronous = NORMAL",
    "cache_size = -65536",
    "mmap_size = 268435456",
    "foreign_keys = ON",
    "temp_store = MEMORY",
    "journal_size_limit = 67108864",
)

# How long a statistic may wait for the lock before it is dropped.
IMPATIENT_MS = 50

# Result codes for a held lock; PROTOCOL is the same after very many attempts by SQLite.
_BUSY = ("SQLITE_BUSY", "SQLITE_LOCKED", "SQLITE_PROTOCOL")

_TEXT_DAMAGED = "the full-text index is damaged"

# Result code of the driver, or its prefix → our error.
_ERRORS: tuple[tuple[str, type[RecollectError], str], ...] = (
    *((name, StoreLocked, "database locked by another process") for name in _BUSY),
    ("SQLITE_CONSTRAINT", Conflict, "a referenced row is missing, or the row already exists"),
    ("SQLITE_NOTADB", StoreForeign, "not an SQLite database"),
    ("SQLITE_CORRUPT_VTAB", StoreCorrupt, _TEXT_DAMAGED),
    ("SQLITE_CORRUPT", StoreCorrupt, "the database is damaged"),
    ("SQLITE_FULL", StoreFull, "disk full"),
    ("SQLITE_IOERR_SHMSIZE", StoreFull, "disk full: no space for the shared-memory file"),
    ("SQLITE_READONLY", StoreUnwritable, "the database is read-only"),
    ("SQLITE_CANTOPEN", StoreUnwritable, "the database file cannot be opened"),
    ("SQLITE_PERM", StoreUnwritable, "access to the database file was denied"),
)
_HINTS = {
    _TEXT_DAMAGED: "Run `recollect admin rebuild` to rebuild the full-text index, then `recollect index` for the code."
}

# Files of a home folder that appear with use.
_OF_A_HOME = ("config.toml", "backups/ledger.json", "spool/new", "spool/work", "spool/bad", "spool/stuck")

# Connections of the process we were forked from: closing them would clean up files that are still in use.
_INHERITED: list[sqlite3.Connection] = []


class _Held:
    """A connection that is closed with its thread, but not in a forked child, where it is the parent's."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection
        self._pid = os.getpid()

    def __del__(self) -> None:
        if self._pid == os.getpid():
            self.connection.close()
        else:
            _INHERITED.append(self.connection)


class Sqlite(SqliteText, SqliteCode, Dialect):
    """One SQLite database file: a connection per thread, opened when first needed."""

    def __init__(self, path: Path, *, busy_timeout_ms: int = 30_000) -> None:
        self._path = path
        self._busy_ms = busy_timeout_ms
        self._local = threading.local()
        self._opening = threading.Lock()
        self._held: WeakSet[_Held] = WeakSet()
        self._verified = False
        self._read_only = False
        self._pid = os.getpid()

    @property
    def path(self) -> Path:
        return self._path

    # --- connections and transactions ---

    def connection(self) -> sqlite3.Connection:
        if self._pid != os.getpid():
            # A forked child must neither use nor close its parent's connections; a lock could be held forever.
            self._local, self._held, self._pid = threading.local(), WeakSet(), os.getpid()
            self._opening = threading.Lock()
        held: _Held | None = getattr(self._local, "held", None)
        if held is None:
            with self._opening:
                held = self._local.held = _Held(self._open())
                self._held.add(held)
        return held.connection

    @contextmanager
    def write(self, *, patiently: bool = True) -> Iterator[Connection]:
        connection = self.connection()
        if self._read_only:
            raise StoreUnwritable(f"{self._path} is read-only", path=str(self._path))
        if not patiently:
            connection.execute(f"PRAGMA busy_timeout = {IMPATIENT_MS}")
        try:
            self._patiently(lambda: connection.execute("BEGIN IMMEDIATE"), self._busy_ms if patiently else IMPATIENT_MS)
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                _roll_back(connection)
                raise
        finally:
            if not patiently:
                connection.execute(f"PRAGMA busy_timeout = {self._busy_ms}")

    @contextmanager
    def snapshot(self) -> Iterator[Connection]:
        connection = self.connection()
        if connection.in_transaction:
            yield connection
            return
        connection.execute("BEGIN")
        try:
            yield connection
        finally:
            _roll_back(connection)

    @contextmanager
    def errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as problem:
            raise self._translated(problem) from problem
        except OverflowError as problem:
            raise InvalidInput(f"number too large for the database ({problem})") from None

    def close(self) -> None:
        for held in list(self._held):
            held.connection.close()
        self._held.clear()
        self._local = threading.local()

    # --- full text ---

    def contains(self, field: str) -> str:
        return f"EXISTS (SELECT 1 FROM json_each({field}) WHERE value = ?)"

    search_text = staticmethod(full_text.search_terms)
    session_neighbours = staticmethod(full_text.session_neighbours)
    term_counts = staticmethod(full_text.term_counts)

    # --- looking after the file ---

    def check(self, connection: Connection, *, thorough: bool) -> list[str]:
        pragma = "integrity_check" if thorough else "quick_check"
        problems = [str(row[0]) for row in connection.execute(f"PRAGMA {pragma}(10)") if row[0] != "ok"]
        problems += [
            f"{table} row {row} points to a missing {parent}"
            for table, row, parent, _ in connection.execute("PRAGMA foreign_key_check")
        ]
        try:
            if thorough and not self._read_only:
                with self.write() as writing:
                    problems += self.code_problems(writing)
                    writing.execute("INSERT INTO memory_text (memory_text) VALUES ('integrity-check')")
            else:
                problems += self.code_problems(connection, thorough=False)
                if not newest_is_found(connection):
                    problems.append("full-text index: the newest memory is missing")
        except sqlite3.DatabaseError as problem:
            problems.append(f"full-text index: {problem}")
        return problems

    def scrub(self) -> None:
        # Deleted terms stay in the full text until its segments are merged.
        with self.write() as writing:
            forget_rebuild(self, writing)
            writing.execute("INSERT INTO memory_text (memory_text) VALUES ('optimize')")
        connection = self.connection()
        # Free pages may contain old data, and the copy may be larger than memory.
        during = {"secure_delete": "ON", "temp_store": "FILE"}
        before = {name: connection.execute(f"PRAGMA {name}").fetchone()[0] for name in during}
        try:
            for name, value in during.items():
                connection.execute(f"PRAGMA {name} = {value}")
            self._patiently(lambda: connection.execute("VACUUM"), self._busy_ms)
            self._patiently(lambda: _empty_log(connection), self._busy_ms)
        finally:
            for name, value in before.items():
                connection.execute(f"PRAGMA {name} = {value}")

    def insert_rows(
        self, connection: Connection, table: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]
    ) -> None:
        sql = f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({full_text.marks(columns)})"
        connection.executemany(sql, rows)

    def release(self) -> None:
        connection = self.connection()
        (mapped,) = connection.execute("PRAGMA mmap_size").fetchone()
        for size in (0, mapped):  # unmapped, then mapped again: only pages read from now on count
            connection.execute(f"PRAGMA mmap_size = {size}")

    def describe(self) -> StoreFacts:
        version = self.connection().execute("PRAGMA user_version").fetchone()[0]
        files = (self._path, self._path.with_name(self._path.name + "-wal"))
        size = sum(file.stat().st_size for file in files if file.exists())
        return StoreFacts(str(self._path), size, int(version), self._read_only)

    # --- opening ---

    def _open(self) -> sqlite3.Connection:
        if not self._verified:
            self._prepare_file()
        with self._translating_os_errors():
            connection = self._connect()
        try:
            if not self._verified:
                self._verify(connection)
            for pragma in PRAGMAS:
                if not (self._read_only and pragma.startswith("journal")):
                    self._patiently(lambda pragma=pragma: connection.execute(f"PRAGMA {pragma}"), self._busy_ms)  # type: ignore[misc]
            if not self._verified:
                self._migrate(connection)
                self._verified = True
        except (StoreForeign, SchemaTooNew):
            self._leave_untouched(connection)
            raise
        except BaseException:
            connection.close()
            raise
        return connection

    def _leave_untouched(self, connection: sqlite3.Connection) -> None:
        """Close a connection to a file that is not ours to change.

        The last connection to a file writes what is left in its log into it; one that can only read does not.
        """
        if self._unsaved_bytes():
            with closing(sqlite3.connect(f"file:{quote(str(self._path))}?mode=ro", uri=True)) as reader:
                reader.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone()
                connection.close()
        connection.close()

    def _unsaved_bytes(self) -> int:
        """Return the size of the log: commits that are not yet in the file itself."""
        log = Path(f"{os.path.realpath(self._path)}-wal")
        return log.stat().st_size if log.exists() else 0

    def _connect(self) -> sqlite3.Connection:
        def connect(options: str) -> sqlite3.Connection:
            connection = sqlite3.connect(
                f"file:{quote(str(self._path))}{options}",
                uri=True,
                timeout=self._busy_ms / 1000,
                isolation_level=None,
                check_same_thread=False,
                cached_statements=256,
            )
            try:
                connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone()
            except BaseException:
                connection.close()
                raise
            return connection

        if not self._read_only:
            return connect("")
        try:
            return connect("?mode=ro")
        except sqlite3.OperationalError as problem:
            if not _name(problem).startswith(("SQLITE_CANTOPEN", "SQLITE_READONLY")):
                raise
            # SQLite cannot create its shared memory in a read-only folder. A file without a log is read as it is;
            # with one, memories would be missing without an error.
            if self._unsaved_bytes():
                raise StoreUnwritable(
                    f"{self._path} has a -wal file that cannot be read in a read-only folder",
                    hint="Copy the database and its -wal file to a writable folder and use that copy.",
                    path=str(self._path),
                ) from problem
            return connect("?immutable=1")

    def _prepare_file(self) -> None:
        path = self._path
        with self._translating_os_errors():
            if path.is_dir():
                raise StoreForeign(f"{path} is a folder, not a database file", path=str(path))
            if not path.parent.is_dir():
                private_folder(path.parent)
            if not path.exists():
                with self.errors():
                    _create(path)
            elif not stat.S_ISREG(path.stat().st_mode):
                raise StoreForeign(f"{path} is not a regular file", path=str(path))
            elif not path.stat().st_size and (signs := _signs_of_loss(path)):
                raise StoreCorrupt(
                    f"{path} is empty, but {', '.join(signs)} beside it show that it had data",
                    hint="Restore a backup or an export. If no data was lost, move the empty file away.",
                    path=str(path),
                )
        # SQLite keeps its log beside the file itself, wherever a link to it lies.
        folder = Path(os.path.realpath(path)).parent
        self._read_only = not (os.access(path, os.W_OK) and os.access(folder, os.W_OK))

    def _verify(self, connection: sqlite3.Connection) -> None:
        """Refuse a file of another program or a newer version, before anything is written to it."""
        # One transaction: between two reads, another process may initialize the file.
        connection.execute("BEGIN")
        application = connection.execute("PRAGMA application_id").fetchone()[0]
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        connection.execute("COMMIT")
        if application != APPLICATION_ID and (tables or application or version):
            raise StoreForeign(f"{self._path} belongs to another program", path=str(self._path))
        if version > len(MIGRATIONS):
            raise SchemaTooNew(
                f"{self._path} has schema version {version}; this recollect supports up to {len(MIGRATIONS)}",
                path=str(self._path),
                schema_version=version,
            )

    def _migrate(self, connection: sqlite3.Connection) -> None:
        if connection.execute("PRAGMA user_version").fetchone()[0] == len(MIGRATIONS):
            return
        if self._read_only:
            raise StoreUnwritable(f"{self._path} needs a schema migration but is read-only", path=str(self._path))
        self._patiently(lambda: connection.execute("BEGIN IMMEDIATE"), self._busy_ms)
        try:
            # Another process may have done it while we waited for the lock.
            version = connection.execute("PRAGMA user_version").fetchone()[0]
            for migration in MIGRATIONS[version:]:
                for statement in migration.statements("sqlite"):
                    connection.execute(statement)
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")
            connection.execute("COMMIT")
        except BaseException:
            _roll_back(connection)
            raise

    def _patiently(self, attempt: Callable[[], T], patience_ms: int) -> T:
        """Return what `attempt` returns, trying again while the database is busy, for as long as the settings allow.

        SQLite waits by itself for most locks but not for all (switching to WAL, recovery after a crash).
        """
        deadline = time.monotonic() + patience_ms / 1000
        pause = 0.001
        while True:
            try:
                return attempt()
            except sqlite3.OperationalError as problem:
                if not _name(problem).startswith(_BUSY) or time.monotonic() >= deadline:
                    raise
            time.sleep(pause * random.random())  # noqa: S311 - jitter, not a secret
            pause = min(pause * 2, 0.05)

    def _translated(self, problem: sqlite3.Error) -> RecollectError:
        name = _name(problem)
        for prefix, kind, meaning in _ERRORS:
            if name.startswith(prefix):
                hint = _HINTS.get(meaning, "")
                return kind(f"{self._path}: {meaning} ({problem})", hint=hint, path=str(self._path), sqlite=name)
        if "decode to UTF-8" in str(problem):
            return StoreCorrupt(f"{self._path}: text is not valid UTF-8 ({problem})", path=str(self._path))
        return StorageError(f"{self._path}: {problem}", path=str(self._path), sqlite=name)

    @contextmanager
    def _translating_os_errors(self) -> Iterator[None]:
        try:
            yield
        except OSError as problem:
            kinds = {errno.ENOSPC: StoreFull, errno.EDQUOT: StoreFull, errno.ENOTDIR: StoreForeign}
            kind = kinds.get(problem.errno or 0, StoreUnwritable)
            raise kind(f"{self._path}: {problem.strerror}", path=str(self._path)) from problem


def _roll_back(connection: sqlite3.Connection) -> None:
    """Roll back the transaction, unless SQLite did: it does that when the disk is full or fails."""
    if connection.in_transaction:
        connection.execute("ROLLBACK")


def _empty_log(connection: sqlite3.Connection) -> None:
    """Write the log into the file and truncate it; raises SQLITE_BUSY if another process still reads it."""
    (is_busy, _, _) = connection.execute("PRAGMA wal_checkpoint (TRUNCATE)").fetchone()
    if is_busy:
        problem = sqlite3.OperationalError("another process still reads the deleted data")
        problem.sqlite_errorname = "SQLITE_BUSY"
        raise problem


def _name(problem: sqlite3.Error) -> str:
    return getattr(problem, "sqlite_errorname", "") or ""


# --- a new file ---


def _create(path: Path) -> None:
    """Create a database file; one that another process creates meanwhile stays. Raises OSError."""
    target = Path(os.path.realpath(path))  # of a link, the file that it leads to
    made = target.with_name(f".{target.name}.{os.getpid()}-{os.urandom(4).hex()}")
    os.close(os.open(made, os.O_CREAT | os.O_EXCL | os.O_RDWR, PRIVATE_FILE))
    try:
        with closing(sqlite3.connect(made)) as connection:
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        try:
            with suppress(FileExistsError):
                os.link(made, target)
        except OSError:  # a file system without hard links
            if not target.exists():
                made.rename(target)
    finally:
        made.unlink(missing_ok=True)


def _signs_of_loss(path: Path) -> list[str]:
    """Return files next to an empty database file that show it had data; empty for a new one."""
    import glob

    target = Path(os.path.realpath(path))
    names = [f"{target.name}-wal", f"{target.name}-journal"]
    found = [name for name in names if _size(target.with_name(name))]
    found += sorted(each.name for each in target.parent.glob(f"{glob.escape(target.name)}.backup*"))
    if path.name == "recollect.db":
        found += [name for name in _OF_A_HOME if _size(path.parent / name)]
    return found


def _size(path: Path) -> int:
    """Return the bytes of a file, or the number of files in a folder."""
    try:
        return len(os.listdir(path)) if path.is_dir() else path.stat().st_size  # noqa: PTH208 - a number is wanted
    except OSError:
        return 0
