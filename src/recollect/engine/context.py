"""The context that nouns share: settings, the store, and on whose behalf they write; and their worker threads."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

from recollect.errors import ConfigError, Conflict
from recollect.settings import Settings

if TYPE_CHECKING:
    from recollect.model import Source
    from recollect.store.dialect import Dialect
    from recollect.store.sql import Store

# Whether the caller of this thread or task may see some projects only: notes then name and count no other one.
is_confined: ContextVar[bool] = ContextVar("is_confined", default=False)


def dialect_of(settings: Settings) -> Dialect:
    """Return the database that settings name; nothing is read or written yet. Raises ConfigError."""
    if settings.database_url:
        try:
            from recollect.store.postgres import Postgres
        except ImportError as problem:
            raise ConfigError(
                f"a PostgreSQL database needs the driver psycopg ({problem})",
                hint="Install it: pip install 'recollect[postgres]'",
            ) from None
        url, replica = settings.database_url, settings.database_read_url
        return Postgres(url, settings.home_path, busy_timeout_ms=settings.busy_timeout_ms, replica=replica)
    from recollect.store.sqlite import Sqlite

    return Sqlite(settings.database_path, busy_timeout_ms=settings.busy_timeout_ms)


class Context:
    """Settings and the store of one engine. The store is opened on first use; threads can share it.

    writes_as: the source of memories stored without one: a person, or an assistant that calls a tool
    write_roots: folders below which an operation may write files that its caller names; None: anywhere
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._writer: Source = "user"
        self._thread_writer = threading.local()
        self.write_roots: tuple[str, ...] | None = None
        self._store: Store | None = None
        self._closed = False
        self._opening = threading.Lock()

    @property
    def writes_as(self) -> Source:
        source: Source = getattr(self._thread_writer, "source", self._writer)
        return source

    @writes_as.setter
    def writes_as(self, source: Source) -> None:
        self._writer = source

    @contextmanager
    def writing_as(self, source: Source) -> Iterator[None]:
        """Write on behalf of another in this block, in this thread only."""
        self._thread_writer.source = source
        try:
            yield
        finally:
            del self._thread_writer.source

    @property
    def store(self) -> Store:
        """The store, opened on first use."""
        with self._opening:
            if self._closed:
                raise Conflict("this engine is closed", hint="Create a new Engine.")
            if self._store is None:
                from recollect.store.sql import Store

                self._store = Store(dialect_of(self.settings))
            return self._store

    @property
    def is_open(self) -> bool:
        """Whether the store was opened and not closed since."""
        return self._store is not None

    def close(self) -> None:
        """Close the store for good."""
        with self._opening:
            self._closed = True
            store, self._store = self._store, None
        if store is not None:
            store.close()


class Worker:
    """A noun that works in a thread of this process, from `start` until `stop`.

    thread_name: the name of the thread; stop_s: how long closing waits for what it is doing; None: until it ends
    """

    thread_name = "recollect"
    stop_s: float | None = 5.0

    def __init__(self) -> None:
        self._stop = threading.Event()
        self._starting = threading.Lock()
        self._thread: threading.Thread | None = None

    @property
    def running(self) -> bool:
        """Whether its thread is at work in this process."""
        return self._thread is not None and self._thread.is_alive()

    @property
    def stopping(self) -> bool:
        """Whether what its thread is doing should stop."""
        return self._stop.is_set()

    def start(self) -> None:
        """Start the thread, once."""
        with self._starting:
            if self._thread is None and not self._stop.is_set():
                self._thread = threading.Thread(target=self._work, name=self.thread_name, daemon=True)
                self._thread.start()

    def stop(self) -> None:
        """Stop the thread; the next process does what is unfinished."""
        self._stop.set()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join(timeout=self.stop_s)

    def _work(self) -> None:
        """Work until `_stop` is set."""
        raise NotImplementedError
