"""The interface of a store: reads and writes of rows, with filters as values.

Rows are records (recollect.model); the record's type names the table. A filter is a mapping of field to condition:

    {"namespace": "/home/me/app"}              equality; None means absent
    {"memory_type": ("decision", "insight")}   one of
    {"created_at": Range(at_least=1_700_000_000)}
    {"tags": Has(("ext:py", "search"))}        the list contains all of them
    {"category": Without(("prompt",))}         none of them
    {"expires_at": NotBefore(1_700_000_000)}   absent, or not before

Conditions are joined by AND. A read sees a consistent snapshot per call. Writes happen in a transaction: it takes the
write lock first, logs every change with the row as it was, and is all or nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

from recollect.model import Change, Memory, Record
from recollect.store.passage import ORDINARY as ORDINARY
from recollect.store.passage import Match as Match
from recollect.store.passage import Passage as Passage
from recollect.store.passage import Standing as Standing
from recollect.store.passage import TermCounts as TermCounts
from recollect.store.passage import Written as Written

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

R = TypeVar("R", bound=Record)
T = TypeVar("T")

Filter = Mapping[str, object]


class Range(NamedTuple):
    """A half-open interval: at_least <= value < below; None leaves a side open."""

    at_least: float | str | None = None
    below: float | str | None = None


class Has(NamedTuple):
    """The list in this field contains all the values."""

    values: tuple[str, ...]


class Without(NamedTuple):
    """The field holds none of the values; absent is fine."""

    values: tuple[str, ...]


class NotBefore(NamedTuple):
    """The field is absent, or at least this."""

    moment: int


class Vectors(NamedTuple):
    """The vectors of a memory's passages from number `first` on, made for it as it was at revision `rev`."""

    memory_id: str
    rev: int
    values: NDArray[np.float32]
    first: int = 0


class PassageVectors(NamedTuple):
    """The unit vectors of passages, in the order of their numbers."""

    pids: Sequence[int]
    values: NDArray[np.float32]


class MemoryVectors(NamedTuple):
    """One unit vector per memory, the mean of its passages, in the order of the ids."""

    ids: Sequence[str]
    values: NDArray[np.float32]


class Strength(NamedTuple):
    """The centrality of a node: the total and its parts, each from 0 to 1."""

    node_id: str
    whole: float
    pagerank: float
    betweenness: float
    degree: float
    cluster: float


class RowReader(Protocol):
    """Reads of rows, in a store or in a transaction."""

    def get(self, kind: type[R], ids: Sequence[str | int]) -> list[R]:
        """Return the rows with these ids, in the order asked; unknown ids are left out."""
        ...

    def find(
        self, kind: type[R], where: Filter | None = None, *, order: str = "", limit: int | None = None, offset: int = 0
    ) -> list[R]:
        """Return matching rows. order: a field, '-field' for descending; ties break by insertion."""
        ...

    def logged(self, kind: type[R], field: str, value: str) -> list[R]:
        """Return earlier versions of rows from the log, oldest first, where the field had this value."""
        ...


class Transaction(RowReader, Protocol):
    """Writes that are committed together; `batch` is the id to undo them by."""

    @property
    def batch(self) -> str: ...

    def insert(self, record: R) -> R:
        """Add a row; returns it as stored, numbered by the change log. Raises Conflict if its id exists."""
        ...

    def update(self, kind: type[R], row_id: str | int, values: Mapping[str, Any]) -> R:
        """Change fields of a row; returns it as stored. Raises NotFound. No change, no log entry."""
        ...

    def delete(self, kind: type[Record], where: Filter) -> int:
        """Remove rows and their dependents (logged one by one); returns how many of `kind` were removed."""
        ...

    def undo(self, batch: str) -> int:
        """Restore what `batch` changed, except rows purged since; returns the number of rows.

        Raises NotFound for an unknown batch, Purged if no row of it can be restored, Conflict if a row has changed
        since.
        """
        ...

    def purge(self, kind: type[Record], ids: Sequence[str], *, keep: bool = False) -> int:
        """Remove rows, their dependents and their earlier versions; returns the number of emptied log entries.

        A row that exists only in the log is removed there. An emptied entry stays without its row: the log still shows
        that a change happened, and it cannot be undone. Deleted bytes may stay in the database file until `scrub`.

        keep: keep the current rows and empty the log only
        """
        ...


class WordSearch(Protocol):
    """Keyword search: a store, or the reader of the prompt fast path."""

    def search_text(
        self, terms: Sequence[str], where: Filter | None, limit: int, *, counts: TermCounts | None = None
    ) -> list[Match]:
        """Return the passages that contain any of the terms, best BM25 first, a few of each memory at most.

        counts: the result of `term_counts` for these terms, to avoid counting them again
        """
        ...

    def search_times(self, times: Sequence[tuple[int, int]], where: Filter | None, limit: int) -> list[Match]:
        """Return passages of memories from these times, [start, end), or whose text names a day in them, alternating.

        The first passages of memories come newest first; a time of more than a week names no day of a shorter one.
        """
        ...

    def passages(self, pids: Iterable[int], where: Filter | None = None) -> list[Passage]:
        """Return these passages in order of place; with `where`, those of other memories are marked not eligible."""
        ...

    def neighbours(self, pids: Iterable[int], reach: int) -> dict[int, tuple[int, ...]]:
        """Return, by memory number, the numbers of the memories just before and after it in its session."""
        ...


class Store(RowReader, WordSearch, Protocol):
    """Rows, searches over them, and derived state that can be rebuilt at any time."""

    def count(self, kind: type[Record], where: Filter | None = None) -> int:
        """Return how many rows match."""
        ...

    def tally(self, kind: type[Record], field: str, where: Filter | None = None) -> dict[Any, int]:
        """Return how many rows match per value of `field`, largest first."""
        ...

    def snapshot(self) -> AbstractContextManager[None]:
        """Give all reads of this thread in the block one consistent state; the block must not write."""
        ...

    def from_replica(self, work: Callable[[], T]) -> T:
        """Return the result of work that mostly reads, from a replica if there is one that is not behind."""
        ...

    def transaction(
        self, operation: str, *, batch: str | None = None, patiently: bool = True
    ) -> AbstractContextManager[Transaction]:
        """Open a write transaction, logged under `operation`; the same `batch` may span several.

        patiently: false gives up if another process is writing
        """
        ...

    def touch(self, ids: Sequence[str], *, at: int | None = None, read: bool = True) -> None:
        """Record an access of these memories at a time (default: now). A statistic: never logged, never an error.

        read: whether the access counts; a memory that was found and not read only gets a new last access
        """
        ...

    def search_vectors(self, model: str, query: NDArray[np.float32], where: Filter | None, limit: int) -> list[Match]:
        """Return the passages nearest to `query` by cosine, among vectors of `model` alone, a few of each memory."""
        ...

    def vectors(self, model: str, pids: Sequence[int], width: int) -> PassageVectors:
        """Return the vectors of `model` of these passages, of those that have one of this width."""
        ...

    def centralities(self, memory_ids: Iterable[str]) -> dict[str, float]:
        """Return the computed centrality of these memories; {} if the graph has no edges."""
        ...

    def term_counts(self, terms: Sequence[str], names: Sequence[str] = (), where: Filter | None = None) -> TermCounts:
        """Return term frequencies, which of the names are authors, and which terms are known.

        Frequencies are of the whole store; known terms are those in the namespaces of the filter.
        """
        ...

    def columns(
        self, kind: type[Record], fields: Collection[str], where: Filter | None = None, *, limit: int | None = None
    ) -> list[tuple[Any, ...]]:
        """Return these fields of matching rows, undecoded and in no particular order: for very many rows."""
        ...

    def graph_generation(self) -> tuple[int, int]:
        """Return a value that changes with the graph, as a cache key.

        It is (writes of the graph that were not logged, last logged change). While the first number is equal, the log
        has every difference.
        """
        ...

    def graph_changes(self, since: int, limit: int) -> list[Change]:
        """Return logged changes of nodes and edges after a change, oldest first."""
        ...

    def graph_written(self) -> None:
        """Record that nodes or edges were written without the log: a loaded graph must be reloaded."""
        ...

    def put_strengths(
        self, strengths: Iterable[Strength], marks: Mapping[str, str] = {}, *, patiently: bool = True
    ) -> int:
        """Store the centrality of nodes; returns how many nodes exist. Derived state: not logged.

        marks: settings to store after the last one; patiently: false gives up if another process is writing
        """
        ...

    def put_vectors(self, model: str, vectors: Iterable[Vectors]) -> int:
        """Store vectors whose memory has not changed since; returns how many memories became complete.

        A memory is complete when its first passage has a vector, so the first passage is embedded last.
        """
        ...

    def lacking_vectors(
        self, model: str, limit: int, *, longest: int | None = None, without: Mapping[str, int] = {}
    ) -> list[Memory]:
        """Return memories that are not complete in `model`, newest first; after few changes, observed ones last.

        longest: only memories of at most so many characters; if there are none, the shortest of the others.
        without: memories to skip, by revision; a memory that changed since is not skipped
        """
        ...

    def count_lacking(self, model: str) -> int:
        """Return how many memories are not complete in `model`."""
        ...

    def embedded_from(self, model: str, memory_id: str) -> int | None:
        """Return the first passage of a memory that has a vector of `model`; None if none has."""
        ...

    def count_embedded(self, model: str, part: int) -> int:
        """Return how many memories have a vector of `model` for this passage."""
        ...

    def memory_vectors(self, model: str) -> MemoryVectors:
        """Return one vector of every memory that has one of `model`."""
        ...

    def sampled_vectors(self, model: str, where: Filter | None, limit: int) -> tuple[MemoryVectors, int]:
        """Return the vectors of at most `limit` matching memories, evenly spread by age, and how many have one."""
        ...

    def count_vectors(self, model: str) -> int:
        """Return how many memories have a vector of `model`."""
        ...

    def drop_derived(self, *, vectors: bool) -> tuple[int, int]:
        """Rebuild the full-text index; with `vectors`, delete those too. Returns text rows made and vectors dropped.

        Others can read and write meanwhile. An interrupted rebuild leaves the index as it was. Raises Conflict if
        another process started a rebuild.
        """
        ...

    def scrub(self) -> None:
        """Rewrite the files of the store, so that no deleted data remains in them.

        Others can read meanwhile and must wait to write. Raises StoreLocked if another process keeps the old files
        open; deleted rows stay deleted, and `scrub` can be called again.
        """
        ...

    def generation(self) -> tuple[int, int, int]:
        """Return a value that changes with any row or vector, as a cache key."""
        ...

    def setting(self, key: str) -> str | None:
        """Return a setting of the store, or None."""
        ...

    def keep_setting(self, key: str, value: str) -> None:
        """Store a setting."""
        ...

    def swap_setting(self, key: str, before: str | None, value: str) -> bool:
        """Replace a setting if its value is still `before` (None: not set); return whether it was."""
        ...

    def check(self, *, thorough: bool) -> list[str]:
        """Return the problems of the store as sentences; empty if there are none."""
        ...

    def text_gaps(self) -> list[str]:
        """Return what is missing in the full-text index, as sentences."""
        ...

    def describe(self) -> StoreFacts:
        """Return where the store is, how large, and which schema it has."""
        ...

    def close(self) -> None: ...


class StoreFacts(NamedTuple):
    """Location, size and schema version of a store.

    enforces_rights: the database itself confines callers to their projects; False only where it should and cannot
    """

    location: str
    size_bytes: int
    schema_version: int
    read_only: bool
    enforces_rights: bool = True
