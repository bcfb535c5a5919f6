"""What the rest of recollect may ask of a store: row-shaped verbs, with filters as values.

Rows are records (recollect.model); the record's type names the table. A filter is a mapping of field to condition:

    {"namespace": "/home/me/app"}              equality; None means absent
    {"memory_type": ("decision", "insight")}   one of
    {"created_at": Range(at_least=1_700_000_000)}
    {"tags": Has(("ext:py", "search"))}        the list contains all of them
    {"category": Without(("prompt",))}         none of them
    {"expires_at": NotBefore(1_700_000_000)}   absent, or not before

Conditions are joined by AND. Any other question is a pure function over what a filter brings back. Reads see a
consistent snapshot per call; writes happen in a transaction, which takes the write lock first, logs every change with
what was there before, and is all or nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
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


class MemoryVectors(NamedTuple):
    """One unit vector of each memory, the mean of its passages', in order of the ids."""

    ids: Sequence[str]
    values: NDArray[np.float32]


class Strength(NamedTuple):
    """How central a node is: all in all, and the parts of it, each from 0 to 1."""

    node_id: str
    whole: float
    pagerank: float
    betweenness: float
    degree: float
    cluster: float


class Coded(NamedTuple):
    """A column of text: each value once, and for every row the place of its value among them."""

    values: Sequence[str]
    codes: NDArray[np.int32]


class EdgeColumns(NamedTuple):
    """Edges as columns of equal length."""

    src: Coded
    dst: Coded
    relationship: Coded
    weight: NDArray[np.float64]


class Transaction(Protocol):
    """Writes that happen together or not at all; `batch` is the name under which they can be undone."""

    @property
    def batch(self) -> str: ...

    def get(self, kind: type[R], ids: Sequence[str | int]) -> list[R]: ...

    def find(
        self, kind: type[R], where: Filter | None = None, *, order: str = "", limit: int | None = None, offset: int = 0
    ) -> list[R]: ...

    def insert(self, record: R) -> R:
        """Add a row; returns it as stored, numbered by the change log. Raises Conflict if its id exists."""
        ...

    def update(self, kind: type[R], row_id: str | int, values: Mapping[str, Any]) -> R:
        """Change fields of a row; returns it as stored. Raises NotFound. No change, no log entry."""
        ...

    def delete(self, kind: type[Record], where: Filter) -> int:
        """Remove rows and their dependents (logged one by one); returns how many of `kind` were removed."""
        ...

    def logged(self, kind: type[R], field: str, value: str) -> list[R]:
        """Return rows as the log has them, oldest first, where the field had this value."""
        ...

    def undo(self, batch: str) -> int:
        """Put back what `batch` changed, except what was purged since; returns the number of rows.

        Raises NotFound for an unknown batch, Purged if nothing of it is left to put back, and Conflict if a row has
        changed since.
        """
        ...

    def purge(self, kind: type[Record], ids: Sequence[str], *, keep: bool = False) -> int:
        """Remove rows with what hangs on them, and from the log what they ever were; returns the emptied log entries.

        A row that is only in the log is removed there. An emptied entry stays in its place, with no row as it was:
        so the log still tells that something happened, and nobody can take it back. Bytes of what was removed may lie
        in the database until `scrub`.

        keep: leave the rows as they are now, and empty the log only
        """
        ...


class WordSearch(Protocol):
    """What can be searched by words: a store, or less."""

    def search_text(
        self, terms: Sequence[str], where: Filter | None, limit: int, *, counts: TermCounts | None = None
    ) -> list[Match]:
        """Return the passages that hold any of the search terms, best BM25 first, a few of each memory at most.

        counts: what `term_counts` said of these terms, to spare counting them again
        """
        ...

    def search_times(self, times: Sequence[tuple[int, int]], where: Filter | None, limit: int) -> list[Match]:
        """Return passages of memories from these times, [start, end), or whose text names a day of them, in turn.

        The first passages of memories come newest first; a time of more than a week names no day of a shorter one.
        """
        ...

    def passages(self, pids: Iterable[int], where: Filter | None = None) -> list[Passage]:
        """Return these passages in order of place; with `where`, those of other memories are marked not eligible."""
        ...

    def neighbours(self, pids: Iterable[int], reach: int) -> dict[int, tuple[int, ...]]:
        """Return, by memory number, the numbers of the memories just before and after it in its session."""
        ...


class Store(WordSearch, Protocol):
    """Rows, searches over them, and derived state that can always be thrown away."""

    def get(self, kind: type[R], ids: Sequence[str | int]) -> list[R]:
        """Return the rows with these ids, in the order asked; unknown ids are left out."""
        ...

    def find(
        self, kind: type[R], where: Filter | None = None, *, order: str = "", limit: int | None = None, offset: int = 0
    ) -> list[R]:
        """Return matching rows. order: a field, '-field' for descending; ties break by insertion."""
        ...

    def count(self, kind: type[Record], where: Filter | None = None) -> int:
        """Return how many rows match."""
        ...

    def logged(self, kind: type[R], field: str, value: str) -> list[R]:
        """Return rows as the log has them, oldest first, where the field had this value."""
        ...

    def tally(self, kind: type[Record], field: str, where: Filter | None = None) -> dict[Any, int]:
        """Return how many rows match per value of `field`, largest first."""
        ...

    def snapshot(self) -> AbstractContextManager[None]:
        """Let all reads of this thread within the block see one state; writing in it is not allowed."""
        ...

    def transaction(self, operation: str, *, batch: str | None = None) -> AbstractContextManager[Transaction]:
        """Open a write transaction, logged under `operation`; the same `batch` may span several."""
        ...

    def touch(self, ids: Sequence[str], *, at: int | None = None, read: bool = True) -> None:
        """Count an access of these memories, at a moment or now. A statistic: never logged, never an error.

        read: false: they were found and not read, which is their last access and is not counted
        """
        ...

    def search_vectors(self, model: str, query: NDArray[np.float32], where: Filter | None, limit: int) -> list[Match]:
        """Return the passages nearest to `query` by cosine, among vectors of `model` alone, a few of each memory."""
        ...

    def cosines(self, model: str, query: NDArray[np.float32], pids: Sequence[int]) -> dict[int, float]:
        """Return the cosine of each of these passages that has a vector of `model`."""
        ...

    def centralities(self, memory_ids: Iterable[str]) -> dict[str, float]:
        """Return how central these memories are by their nodes, where that was computed; {} where nothing is linked."""
        ...

    def term_counts(self, terms: Sequence[str], names: Sequence[str] = (), where: Filter | None = None) -> TermCounts:
        """Return how frequent terms are, which of the names (as terms) are names of authors, and which terms are known.

        Frequencies are those of the whole store; known is what the namespace of the filter holds at all.
        """
        ...

    def columns(
        self, kind: type[Record], fields: Collection[str], where: Filter | None = None, *, limit: int | None = None
    ) -> list[tuple[Any, ...]]:
        """Return only these fields of matching rows, as they are kept, in no particular order: for very many rows."""
        ...

    def edge_columns(self, sources: Collection[str] | None = None) -> EdgeColumns:
        """Return the edges that start at these nodes, or all, as columns: a million in about a second."""
        ...

    def graph_generation(self) -> tuple[int, int]:
        """Return a value that stays the same while the graph does: what caches of it go by.

        (times the graph was written past the log, last logged change): from one to the other with the same first
        number, the log tells every difference.
        """
        ...

    def graph_changes(self, since: int, limit: int) -> list[Change]:
        """Return what was logged of nodes and edges after a change, oldest first."""
        ...

    def graph_written(self) -> None:
        """Say that nodes or edges were written without the log: a loaded graph must be reloaded."""
        ...

    def put_strengths(
        self, strengths: Iterable[Strength], marks: Mapping[str, str] = {}, *, patiently: bool = True
    ) -> int:
        """Keep how central nodes are; returns how many were there. Derived state: not logged, and no change.

        marks: settings to keep once all are written; patiently: false gives up if another process is writing
        """
        ...

    def put_vectors(self, model: str, vectors: Iterable[Vectors]) -> int:
        """Keep vectors whose memory has not changed since; returns how many memories are complete by that.

        A memory is complete when its first passage has a vector: whoever makes vectors in parts makes that one last.
        """
        ...

    def lacking_vectors(
        self, model: str, limit: int, *, longest: int | None = None, without: Mapping[str, int] = {}
    ) -> list[Memory]:
        """Return memories that are not complete in `model`, newest first; few changes: known before observed ones.

        longest: only memories of so many characters; if there are none, the shortest of the others.
        without: memories to leave out, by their revision; one that has changed since is not
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
        """Return a vector of every memory that has one of `model`: all at once, for what looks at all of them."""
        ...

    def count_vectors(self, model: str) -> int:
        """Return how many memories have a vector of `model`."""
        ...

    def drop_derived(self, *, vectors: bool) -> tuple[int, int]:
        """Throw away and remake the full text; with `vectors`, throw those away too.

        Others read and write meanwhile, and whoever is stopped leaves the full text as it was. Returns the text rows
        made and the vectors dropped. Raises Conflict if another began to do the same.
        """
        ...

    def scrub(self) -> None:
        """Leave no byte of what was removed in the files of the store; it takes as long as writing all of it anew.

        Others can read meanwhile and have to wait to write. Raises StoreLocked if they did not let go of the old files
        in time; what was removed stays removed, and may be scrubbed later.
        """
        ...

    def generation(self) -> tuple[int, int, int]:
        """Return a value that stays the same exactly as long as no row and no vector changed: what caches go by."""
        ...

    def setting(self, key: str) -> str | None:
        """Return a value kept beside the rows, or None."""
        ...

    def keep_setting(self, key: str, value: str) -> None:
        """Keep a value beside the rows."""
        ...

    def swap_setting(self, key: str, before: str | None, value: str) -> bool:
        """Keep a value where the kept one is still `before` (None: there is none); tell whether it was."""
        ...

    def check(self, *, thorough: bool) -> list[str]:
        """Return what is wrong with the store, in sentences; empty when all is well."""
        ...

    def text_gaps(self) -> list[str]:
        """Return what the full text lacks, in sentences: why an answer is empty that should not be."""
        ...

    def describe(self) -> StoreFacts:
        """Return where the store is, how large, and which schema it has."""
        ...

    def close(self) -> None: ...


class StoreFacts(NamedTuple):
    """Where a store is and what it looks like from outside."""

    location: str
    size_bytes: int
    schema_version: int
    read_only: bool
