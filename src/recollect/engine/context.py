"""The context that nouns share: settings, the store, and on whose behalf they write."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

from recollect.errors import Conflict
from recollect.settings import Settings

if TYPE_CHECKING:
    from recollect.model import Source
    from recollect.store.code_protocol import CodeStore
    from recollect.store.protocol import Store

# Whether the caller of this thread or task may see some projects only: notes then name and count no other one.
is_confined: ContextVar[bool] = ContextVar("is_confined", default=False)


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
        self._store: CodeStore | None = None
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
        """The store of memories."""
        return self.code_store

    @property
    def code_store(self) -> CodeStore:
        """The same store, with the tables of the code index."""
        with self._opening:
            if self._closed:
                raise Conflict("this engine is closed", hint="Create a new Engine.")
            if self._store is None:
                from recollect.store.sql import SqlStore
                from recollect.store.sqlite import Sqlite

                self._store = SqlStore(
                    Sqlite(self.settings.database_path, busy_timeout_ms=self.settings.busy_timeout_ms)
                )
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
