"""Gather: the candidate passages of every search, each with its neighbours."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from recollect.recall.query import Query
from recollect.text.passages import MAX_PASSAGES

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from recollect.store.sql import Store
    from recollect.store.store_values import Filter, Match, Passage, PassageVectors, TermCounts, WordSearch

# Passages from each search: the top 50 of a good ranking hold nine tenths of what a perfect one would return, and
# reading more gains little. Further ones are ranked after these, so that the first hits do not depend on the limit.
POOL = 60
# How many neighbours before and after a found passage are read.
REACH = 2
# The newest memories from the time in a question join the pool whatever their words: "what did we do last week" shares
# no word with its answer.
FROM_TIME = 20


class Pool(NamedTuple):
    """The candidates: passages in order of place, their cosines, and term counts.

    lexical and semantic hold the rank of each passage in the arm that found it. uneven: the deviation of the cosines of
    the question's words with a passage; None if the provider has no vectors of words. vectors: those of the passages
    """

    passages: Sequence[Passage]
    counts: TermCounts
    cosines: Mapping[int, float] | None
    lexical: Mapping[int, int]
    semantic: Mapping[int, int]
    uneven: Mapping[int, float] | None = None
    vectors: PassageVectors | None = None


def gather(
    store: Store,
    query: Query,
    counts: TermCounts,
    vector: NDArray[np.float32] | None,
    *,
    model: str,
    where: Filter | None,
    limit: int = POOL,
    directions: NDArray[np.float32] | None = None,
) -> Pool:
    """Return the candidates with their neighbours; those outside the filter are not eligible.

    limit: how many passages each search contributes. directions: in which the words of the question differ
    """
    by_words = store.search_text(query.terms, where, limit, counts=counts)
    by_meaning = store.search_vectors(model, vector, where, limit) if vector is not None else []
    found = {match.pid for match in (*by_words, *by_meaning)}
    passages = _surrounded(store, query, found, where)
    pool = Pool(passages, counts, None, _ranks(by_words), _ranks(by_meaning))
    if vector is None:
        return pool
    held = store.vectors(model, [passage.pid for passage in passages], len(vector))
    cosines = dict(zip(held.pids, products(held.values, vector).tolist(), strict=True))
    uneven = None if directions is None else _uneven(held, directions)
    return pool._replace(cosines=cosines, uneven=uneven, vectors=held)


def _uneven(held: PassageVectors, directions: NDArray[np.float32]) -> dict[int, float]:
    """Return how much the cosines of the question's words with each passage deviate."""
    squares = [0.0] * len(held.pids)
    for direction in directions:
        size, cosines = float(direction @ direction), products(held.values, direction).tolist()
        squares = [square + size * cosine**2 for square, cosine in zip(squares, cosines, strict=True)]
    return {pid: square**0.5 for pid, square in zip(held.pids, squares, strict=True)}


def products(vectors: NDArray[np.float32], query: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the product of every vector with the query; matmul would start the threads of BLAS, which spin."""
    import numpy as np

    found: NDArray[np.float32] = np.einsum("ij,j->i", vectors, query.astype(np.float32))
    return found


def gather_words(store: WordSearch, query: Query, counts: TermCounts, *, where: Filter | None) -> Pool:
    """Return the candidates by words alone."""
    by_words = store.search_text(query.terms, where, POOL, counts=counts)
    passages = _surrounded(store, query, {match.pid for match in by_words}, where)
    return Pool(passages, counts, None, _ranks(by_words), {})


def _surrounded(store: WordSearch, query: Query, found: set[int], where: Filter | None) -> list[Passage]:
    """Return found passages, their neighbours, and passages from the time in the question."""
    passages = store.passages(found, where)
    near = set(_near(passages, store.neighbours(found, REACH)))
    if query.times:
        times = [(span.start, span.end) for span in query.times]
        near.update(match.pid for match in store.search_times(times, where, FROM_TIME))
    if near - found:
        passages = sorted((*passages, *store.passages(near - found, where)), key=lambda passage: passage.pid)
    return passages


def _near(passages: Sequence[Passage], neighbours: Mapping[int, tuple[int, ...]]) -> Iterator[int]:
    """Yield neighbours: in the same text, and the first of each neighbour in the session."""
    for passage in passages:
        if passage.shape.parts > 1:
            first, last = passage.seq * MAX_PASSAGES, passage.seq * MAX_PASSAGES + passage.shape.parts - 1
            yield from range(max(first, passage.pid - REACH), min(last, passage.pid + REACH) + 1)
        yield from (other * MAX_PASSAGES for other in neighbours.get(passage.seq, ()))


def _ranks(matches: Sequence[Match]) -> dict[int, int]:
    return {match.pid: rank for rank, match in enumerate(matches, 1)}
