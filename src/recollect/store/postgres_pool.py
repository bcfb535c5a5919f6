"""Connections to PostgreSQL: a small pool, and one connection object that uses it for every thread.

A statement outside a transaction borrows a connection for as long as it runs, so a hundred threads need few of them. A
connection that was cut is replaced; a statement that only reads is repeated, and a transaction that has not begun yet
begins again.

Writers take turns, so the time that a transaction waits for answers counts for all of them. Its statements without an
answer are therefore sent without waiting (pipeline mode). An error of one is raised by the next statement with an
answer, or at the commit.

psycopg_pool is not used: it opens connections in threads of its own, which keep the reason of a failure
to themselves until a timeout.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import lru_cache
from typing import Any, TypeVar

import psycopg
from psycopg.pq import PipelineStatus, TransactionStatus

from recollect.store.confinement import caller_projects

T = TypeVar("T")


class Session(psycopg.Connection[tuple[Any, ...]]):
    """A connection, the projects whose rows it sees now, and those before its transaction; empty: all rows."""

    projects: tuple[str, ...] = ()
    projects_before: tuple[str, ...] = ()


# Connections of one process: more threads wait. A server allows 100 by default, for all of its clients.
MAX_CONNECTIONS = 8
# How long a process that had a connection waits for a server that restarts.
RECONNECT_S = 15.0
# The role that sees the rows of some projects only.
CONFINED = "recollect_confined"
# SQLSTATE of a connection that the server ended, and of a server that starts or stops.
_CUT = ("08", "57P01", "57P02", "57P03")

# Connections of the process we were forked from: closing them would end sessions that are still in use.
_INHERITED: list[Session] = []


def is_cut(problem: psycopg.Error) -> bool:
    """Return whether an error means that there is no connection any more, or none yet."""
    if not isinstance(problem, psycopg.OperationalError):
        return False
    return problem.sqlstate is None or problem.sqlstate.startswith(_CUT)


class Pool:
    """Open connections of this process, and the one that a transaction of a thread is bound to."""

    def __init__(self, connect: Callable[[], Session], *, patience_s: float) -> None:
        self._connect, self._patience_s = connect, patience_s
        # Whether the server has the role that sees the rows of a caller's projects only.
        self.can_confine = False
        self._reset()

    def _reset(self) -> None:
        self._pid = os.getpid()
        self._local = threading.local()
        self._idle: list[Session] = []
        self._free = threading.BoundedSemaphore(MAX_CONNECTIONS)
        self._was_connected = False

    @property
    def bound(self) -> Session | None:
        """The connection of this thread's transaction, if it is in one."""
        if self._pid != os.getpid():
            _INHERITED.extend(self._idle)
            self._reset()
        session: Session | None = getattr(self._local, "bound", None)
        return session

    @property
    def reader(self) -> Session | None:
        """The connection to a replica that this thread reads from now, if there is one."""
        session: Session | None = getattr(self._local, "reader", None)
        return session

    @reader.setter
    def reader(self, session: Session | None) -> None:
        self._local.reader = session

    @contextmanager
    def bind(self, session: Session) -> Iterator[None]:
        """Use one connection for all statements of this thread in a block, and wait for them at its end."""
        with ExitStack() as self._local.waiting:
            self._local.bound = session
            try:
                yield
            finally:
                self._local.bound = None

    def queue(self, session: Session) -> None:
        """Send what follows in this block without waiting for answers."""
        if session.info.pipeline_status == PipelineStatus.OFF:
            self._local.waiting.enter_context(session.pipeline())

    def settle(self) -> None:
        """Wait for every statement that was sent in this block."""
        self._local.waiting.close()

    def take(self) -> Session:
        """Return a connection for the caller alone, who gives it back."""
        if not self._free.acquire(timeout=self._patience_s):
            raise psycopg.errors.TooManyConnections("all connections of this process are in use")
        try:
            session = self._idle.pop() if self._idle else self._connect()
        except BaseException:
            self._free.release()
            raise
        self._was_connected = True
        return session

    def give(self, session: Session) -> None:
        """Take a connection back; an open transaction is rolled back, and an unusable connection is closed."""
        try:
            with suppress(psycopg.Error):
                if not session.closed and session.info.transaction_status != TransactionStatus.IDLE:
                    session.execute("ROLLBACK")
                    session.projects = session.projects_before  # settings are rolled back, too
            if not session.closed and session.info.transaction_status == TransactionStatus.IDLE:
                self._idle.append(session)
            else:
                session.close()
        finally:
            self._free.release()

    def confine(self, session: Session) -> None:
        """Let a connection see what the caller of this thread may see."""
        wanted = caller_projects() if self.can_confine else ()
        if session.projects != wanted:
            sql = "SELECT set_config('role', %s, false), set_config('recollect.projects', %s, false)"
            session.execute(sql, (CONFINED if wanted else "none", "\x1f".join(wanted)))
            session.projects = wanted

    def begin(self, sql: str) -> Session:
        """Return a connection after these statements, which begin a transaction."""

        def attempt() -> Session:
            session = self.take()
            session.projects_before = session.projects
            try:
                session.execute(sql.encode())
            except BaseException:
                self.give(session)
                raise
            return session

        return self.retrying(attempt)

    def retrying(self, attempt: Callable[[], T]) -> T:
        """Return what `attempt` returns, again with a new connection if the old one was cut."""
        deadline = time.monotonic() + RECONNECT_S
        while True:
            try:
                return attempt()
            except psycopg.Error as problem:
                if not self._was_connected or not is_cut(problem) or time.monotonic() >= deadline:
                    raise
            was_idle, self._idle = self._idle, []
            for session in was_idle:
                session.close()
            if not was_idle:
                time.sleep(0.05)

    def close(self) -> None:
        """Close the connections that are not in use."""
        if self._pid == os.getpid():
            while self._idle:
                with suppress(psycopg.Error):
                    self._idle.pop().close()


class PooledConnection:
    """The connection of every thread: that of its transaction, otherwise any for one statement."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    def execute(self, sql: str, parameters: Sequence[Any] = (), /) -> list[tuple[Any, ...]]:
        """Return the rows of a statement; parameters are written as `?`."""
        if (session := self._pool.bound) is not None:
            if not has_answer(sql):
                self._pool.queue(session)
            self._pool.confine(session)
            return _run(session, sql, parameters)

        if (session := self._pool.reader) is not None:
            self._pool.confine(session)
            return _run(session, sql, parameters)

        def read() -> list[tuple[Any, ...]]:
            session = self._pool.take()
            try:
                self._pool.confine(session)
                return _run(session, sql, parameters)
            finally:
                self._pool.give(session)

        return self._pool.retrying(read)

    def executemany(self, sql: str, parameters: Iterable[Sequence[Any]], /) -> None:
        """Run a statement for each row of parameters; in a transaction only."""
        with self._writing().cursor() as cursor:
            cursor.executemany(translated(sql), parameters)

    def copy(self, table: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
        """Insert many rows; in a transaction only."""
        session, names = self._writing(), ", ".join(columns)
        self._pool.settle()
        with session.cursor() as cursor:
            # The columns' types: binary values need no parsing, which takes most of the time of a vector.
            kinds = cursor.execute(f"SELECT {names} FROM {table} LIMIT 0".encode()).description or ()
            with cursor.copy(f"COPY {table} ({names}) FROM STDIN (FORMAT BINARY)".encode()) as copy:
                copy.set_types([kind.type_code for kind in kinds])
                for row in rows:
                    copy.write_row(row)

    def _writing(self) -> Session:
        session = self._pool.bound
        assert session is not None  # noqa: S101 - the store writes in transactions only
        self._pool.confine(session)
        return session


def _run(session: Session, sql: str, parameters: Sequence[Any]) -> list[tuple[Any, ...]]:
    with session.cursor(binary=True) as cursor:
        cursor.execute(translated(sql), parameters)
        return cursor.fetchall() if has_answer(sql) else []


def has_answer(sql: str) -> bool:
    """Return whether a statement returns rows."""
    if sql.startswith("WITH"):
        return "(INSERT " not in sql and "(DELETE " not in sql
    return " RETURNING " in sql or sql.startswith(("SELECT", "EXPLAIN"))


@lru_cache(maxsize=512)
def translated(sql: str) -> bytes:
    """Return a statement with the placeholders of psycopg; no statement of the store has a `?` in a text."""
    return sql.replace("%", "%%").replace("?", "%s").encode()
