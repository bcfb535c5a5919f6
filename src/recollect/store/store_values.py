"""Arguments and answers of a store: filters, vectors and matches; `recollect.store.sql.Store` has the methods.

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

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeVar

from recollect.model import Record
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


class StoreFacts(NamedTuple):
    """Location, size and schema version of a store.

    enforces_rights: the database itself confines callers to their projects; False only where it should and cannot
    """

    location: str
    size_bytes: int
    schema_version: int
    read_only: bool
    enforces_rights: bool = True
