"""The interface of a database driver: connections, locking, full text, errors. One class per database."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from recollect.store import full_text
from recollect.store.code_rows import FieldWeights
from recollect.store.store_values import PassageVectors, StoreFacts, T, TermCounts

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# A row found by a search over derived state: the passage's number and its score, higher is better.
SearchRow = tuple[int, float]

# A passage in the full text: its number, the terms of its namespace, author, labels and body, and its shape.
TextRow = tuple[int, str, str, str, str, str]

# A piece of code in the full text: its number, and the terms of its names, of those around it, of its path and body.
CodeTextRow = tuple[int, str, str, str, str]


class Connection(full_text.Connection, Protocol):
    """The methods of a database connection that are used; parameters are written as `?`."""

    def executemany(self, sql: str, parameters: Iterable[Sequence[Any]], /) -> object: ...


class VectorSearch(Protocol):
    """Nearest neighbours by cosine among the vectors of one model."""

    def nearest(self, query: NDArray[np.float32], scopes: Sequence[str | None] | None, limit: int) -> list[SearchRow]:
        """Return the `limit` nearest passages as (number, cosine), of these namespaces only if `scopes` is given."""
        ...

    def vectors(self, pids: Sequence[int], width: int) -> PassageVectors:
        """Return the vectors of these passages, of those that have one of this width."""
        ...


class Dialect(Protocol):
    """A database as Store sees it. Methods with a body are what most databases need."""

    @property
    def path(self) -> Path:
        """The database file, or where files that belong to the database may be kept."""
        ...

    def connection(self) -> Connection:
        """Return this thread's connection, opened and migrated on first use."""
        ...

    def write(self, *, patiently: bool = True) -> AbstractContextManager[Connection]:
        """Hold the write lock for a block: committed at its end, rolled back if it raises."""
        ...

    def snapshot(self) -> AbstractContextManager[Connection]:
        """Read several times from one consistent state."""
        ...

    def from_replica(self, work: Callable[[], T]) -> T:
        """Return the result of work that mostly reads, from a replica if there is one that is not behind."""
        return work()

    def errors(self) -> AbstractContextManager[None]:
        """Turn the driver's errors of a block into ours."""
        ...

    def contains(self, field: str) -> str:
        """Return SQL that is true when the JSON list in `field` contains the bound value."""
        ...

    def index_rows(self, connection: Connection, rows: Sequence[TextRow]) -> None:
        """Add rows to the full-text index."""
        ...

    def load_text(self, connection: Connection, pages: Iterable[Sequence[TextRow]]) -> None:
        """Fill an empty full-text index with all of its rows."""
        for rows in pages:
            self.index_rows(connection, rows)

    def unindex_text(self, connection: Connection, seq: int) -> None: ...

    def begin_spare(self, connection: Connection) -> None:
        """Create an empty spare full-text index; an unfinished one is dropped."""
        ...

    def put_spare(self, connection: Connection, seq: int, rows: Sequence[TextRow]) -> None:
        """Replace the rows of a memory in the spare full-text index."""
        ...

    def use_spare(self, connection: Connection) -> None:
        """Replace the full-text index, damaged or not, by the spare one, without rows of deleted memories."""
        ...

    def drop_spare(self, connection: Connection) -> None:
        """Drop the spare full-text index, if there is one."""
        ...

    def count_text(self, connection: Connection) -> int: ...

    def search_text(
        self,
        connection: Connection,
        terms: Sequence[str],
        scopes: Sequence[str | None] | None,
        limit: int,
        frequencies: Mapping[str, int] | None = None,
    ) -> list[SearchRow]:
        """Return the best rows by BM25, of these namespaces only if `scopes` is given.

        frequencies: the number of passages with each known term; counted here if not given
        """
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
        *,
        known: bool = False,
    ) -> TermCounts:
        """Return term frequencies, which names are authors, and which terms these namespaces contain.

        known: of rare terms, count passages of known memories only
        """
        ...

    def vector_value(self, blob: bytes) -> Any:
        """Return a vector, given as little-endian float16, as a value that can be bound."""
        return blob

    def vector_search(self, model: str) -> VectorSearch | None:
        """Return the search of a model's vectors in the database; None: a process searches a copy."""
        return None

    def index_vectors(self, connection: Connection, model: str, stamp: int, added: int) -> None:
        """Build what a large number of vectors needs, after an addition with this number, of so many."""
        return

    def index_code(self, connection: Connection, rows: Sequence[CodeTextRow]) -> None:
        """Index chunks of code, given by number and terms per field."""
        ...

    def load_code(self, connection: Connection, pages: Iterable[Sequence[CodeTextRow]]) -> None:
        """Fill an empty full-text index of code with all of its rows."""
        for rows in pages:
            self.index_code(connection, rows)

    def unindex_code(self, connection: Connection, first: int, last: int) -> None:
        """Remove the chunks from number `first` to `last`, both included."""
        ...

    def merge_code(self, connection: Connection) -> bool:
        """Merge some segments of the full-text index of code; return whether there were any to merge."""
        return False

    def index_names(self, connection: Connection, rows: Sequence[tuple[int, str, str]]) -> None:
        """Index the names of the symbols of files, and their initials."""
        ...

    def unindex_names(self, connection: Connection, files: Sequence[int]) -> None: ...

    def search_code(
        self,
        connection: Connection,
        terms: Sequence[str],
        within: tuple[int, int] | None,
        limit: int,
        weights: FieldWeights,
        *,
        every: bool = False,
    ) -> list[SearchRow]:
        """Return the best chunks by BM25 with any of the terms, or `every` one; within: only of these numbers."""
        ...

    def code_frequencies(self, connection: Connection, terms: Sequence[str]) -> dict[str, int]:
        """Return the number of chunks with each term; unknown terms are left out."""
        ...

    def names_from(
        self, connection: Connection, prefix: str, *, humps: bool, limit: int | None
    ) -> list[tuple[str, int]]:
        """Return the names, or humps, that begin with a prefix, in order, with the number of files that have them."""
        ...

    def files_with(
        self, connection: Connection, names: Sequence[str], *, humps: bool, within: tuple[int, int] | None, limit: int
    ) -> list[int]:
        """Return files that have a symbol of one of these names, or humps."""
        ...

    def code_problems(self, connection: Connection, *, thorough: bool = True) -> list[str]:
        """Return the problems of the full-text index of code as sentences; a thorough check needs to write."""
        ...

    def count_code(self, connection: Connection) -> tuple[int, int]:
        """Return how many chunks of code are indexed, and of how many files the symbol names are."""
        ...

    def clear_code(self, connection: Connection) -> None:
        """Empty the full-text index of code, damaged or not."""
        ...

    def check(self, connection: Connection, *, thorough: bool) -> list[str]: ...

    def scrub(self) -> None:
        """Rewrite the database files, so that no deleted data remains in them."""
        ...

    def insert_rows(
        self, connection: Connection, table: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]
    ) -> None:
        """Insert many rows of a table."""
        ...

    def finish_copy(self, connection: Connection) -> None:
        """Bring up to date what rows with given numbers do not change: counters and indexes."""
        return

    def release(self) -> None:
        """Release memory that caches pages of the database."""
        return

    def describe(self) -> StoreFacts: ...

    def close(self) -> None: ...
