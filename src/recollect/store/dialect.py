"""What differs between databases: connections, locking, full text, and the meaning of their errors."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

from recollect.model import Memory
from recollect.store.protocol import Passage, StoreFacts, TermCounts

# A row found by a search over derived state: the passage's number and its score, higher is better.
SearchRow = tuple[int, float]


class Connection(Protocol):
    """The one verb used of a database connection; parameters are written as `?`."""

    def execute(self, sql: str, parameters: Sequence[Any] = (), /) -> Iterable[tuple[Any, ...]]: ...


class Dialect(Protocol):
    """A database as SqlStore sees it."""

    def connection(self) -> Connection:
        """Return this thread's connection, opened and migrated on first use."""
        ...

    def write(self, *, patiently: bool = True) -> AbstractContextManager[Connection]:
        """Hold the write lock for a block: committed at its end, rolled back if it raises."""
        ...

    def snapshot(self) -> AbstractContextManager[Connection]:
        """Read several times from one consistent state."""
        ...

    def errors(self) -> AbstractContextManager[None]:
        """Turn the driver's errors of a block into ours."""
        ...

    def contains(self, field: str) -> str:
        """Return SQL that is true when the JSON list in `field` contains the bound value."""
        ...

    def index_text(self, connection: Connection, memory: Memory) -> None: ...

    def unindex_text(self, connection: Connection, seq: int) -> None: ...

    def clear_text(self, connection: Connection) -> None: ...

    def count_text(self, connection: Connection) -> int: ...

    def search_text(
        self, connection: Connection, terms: Sequence[str], scopes: Sequence[str | None] | None, limit: int
    ) -> list[SearchRow]:
        """Return the best rows by BM25, of these namespaces only if `scopes` is given."""
        ...

    def search_times(
        self, connection: Connection, times: Sequence[tuple[int, int]], scopes: Sequence[str | None] | None, limit: int
    ) -> list[SearchRow]:
        """Return the first passages of memories from these times, newest first; the score is the time."""
        ...

    def passages(self, connection: Connection, pids: Sequence[int]) -> list[Passage]:
        """Return the passages with these numbers, in order."""
        ...

    def session_neighbours(self, connection: Connection, seqs: Sequence[int], reach: int) -> dict[int, tuple[int, ...]]:
        """Return the memories up to `reach` before and after each of these in its session, in order."""
        ...

    def term_counts(
        self,
        connection: Connection,
        terms: Sequence[str],
        names: Sequence[str],
        scopes: Sequence[str | None] | None,
    ) -> TermCounts:
        """Return how frequent terms are, which names are authors', and which terms these namespaces hold."""
        ...

    def check(self, connection: Connection, *, thorough: bool) -> list[str]: ...

    def describe(self) -> StoreFacts: ...

    def close(self) -> None: ...
