"""Gather: the passages worth ranking, from every arm of the search, each with its surroundings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from recollect.recall.query import Query
from recollect.store.protocol import Filter, Match, Passage, Store, TermCounts
from recollect.text.passages import MAX_PASSAGES

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# Passages each arm contributes at least: the top 50 of a good ranking hold nine tenths of what a perfect one would
# return, and reading more costs time for little.
POOL = 80
# How many passages before and after a found one are read along with it.
REACH = 2


class Pool(NamedTuple):
    """What is ranked: passages in order of place, how near each is, and how frequent the question's terms are.

    lexical and semantic hold the rank of each passage in the arm that found it.
    """

    passages: Sequence[Passage]
    counts: TermCounts
    cosines: Mapping[int, float] | None
    lexical: Mapping[int, int]
    semantic: Mapping[int, int]


def gather(
    store: Store,
    query: Query,
    counts: TermCounts,
    vector: NDArray[np.float32] | None,
    *,
    model: str,
    where: Filter | None,
    limit: int,
) -> Pool:
    """Return the candidates with their neighbours; those outside the filter are only there to be read along."""
    wanted = max(limit, POOL)
    by_words = store.search_text(query.terms, where, wanted)
    by_meaning = store.search_vectors(model, vector, where, wanted) if vector is not None else []
    found = {match.pid for match in (*by_words, *by_meaning)}
    # Neighbours of the same project belong to the answer too, whatever else the filter asks of a hit.
    passages = store.passages(found.union(_near(found, store.neighbours(found, REACH))), where)
    cosines = store.cosines(model, vector, [passage.pid for passage in passages]) if vector is not None else None
    return Pool(passages, counts, cosines, _ranks(by_words), _ranks(by_meaning))


def _near(pids: Iterable[int], neighbours: Mapping[int, tuple[int, ...]]) -> Iterator[int]:
    """Yield the passages around: in the same text, and the first of each neighbour in the session."""
    for pid in pids:
        seq = pid // MAX_PASSAGES
        yield from (near for near in range(pid - REACH, pid + REACH + 1) if near // MAX_PASSAGES == seq)
        yield from (other * MAX_PASSAGES for other in neighbours.get(seq, ()))


def _ranks(matches: Sequence[Match]) -> dict[int, int]:
    return {match.pid: rank for rank, match in enumerate(matches, 1)}
