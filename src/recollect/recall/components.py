"""Components: the nine parts of document 002's hybrid score, each from 0 to 1, one column over the passages of a pool.

    vector      cosine of the passage with the question
    graph       how central the memory's node is: PageRank, betweenness, degree, cluster
    token       BM25 of the passage, relative to the best of the pool
    temporal    how well the memory's time fits the time the question speaks of
    tags        how many of the memory's tags the question names
    importance  as judged when it was stored
    confidence  as judged when it was stored
    recency     how lately somebody came back to it
    freshness   whether it still holds, by what was said since and by the code it speaks of

The first and the third say how well a memory matches; the others say what it is worth beside that. Passages of one
memory share what is the memory's. What a component has nothing to say about has no column: vector without vectors,
temporal without a time in the question. How the columns become one score is for a profile (profiles.py).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from recollect.recall.measure import rarity
from recollect.recall.query import Query
from recollect.recall.tag import named
from recollect.store.protocol import Passage, Standing, TermCounts
from recollect.text.dates import DAY, Span

Column = NDArray[np.float64]

# Okapi BM25 as document 002 prints it. The fitted model has values of its own (measure.py), for shorter texts.
K1 = 1.2
B = 0.75

# After a week without anybody coming back to it a memory is half as recent: a week is what document 000 calls recent.
RECENCY_HALF_LIFE_S = 7 * DAY

# A tag that is named makes half of what is missing good, the second half of the rest: one is what matters, and a
# memory must not lose for having other tags as well, as those have that a tool tagged.
TAG_STEP = 0.5


def vector(passages: Sequence[Passage], cosines: Mapping[int, float]) -> Column:
    """Return the cosine of each passage; what points the other way, or has no vector, is 0."""
    return np.array([min(1.0, max(0.0, cosines.get(passage.pid, 0.0))) for passage in passages])


def token(query: Query, passages: Sequence[Passage], counts: TermCounts) -> Column:
    """Return BM25 over the pool, relative to its best passage."""
    weights = rarity(query, counts)
    place_of = {term: place for place, term in enumerate(query.terms)}
    frequency = np.zeros((len(passages), len(query.terms)))
    for row, passage in enumerate(passages):
        for each in passage.tokens:
            if each in place_of:
                frequency[row, place_of[each]] += 1
    lengths = np.array([max(1, len(passage.tokens)) for passage in passages], np.float64)
    relative = (lengths / lengths.mean())[:, None] if len(lengths) else np.ones((0, 1))
    scores: Column = (frequency * (K1 + 1) / (frequency + K1 * (1 - B + B * relative))) @ weights
    best = scores.max(initial=0.0)
    return scores / best if best > 0 else scores


def temporal(passages: Sequence[Passage], asked: Sequence[Span]) -> Column:
    """Return how well each passage's time fits a time the question speaks of: 1 within it, half one length of it away.

    What happened in May is often told in June, what happened on Monday on Tuesday.
    """
    at = np.array([passage.at for passage in passages], np.float64)
    best = np.zeros(len(passages))
    for span in asked:
        apart = np.maximum(np.maximum(span.start - at, at - span.end), 0.0) / max(span.end - span.start, DAY)
        best = np.maximum(best, np.exp2(-apart))
    return best


def tags(asked: Collection[str], standings: Sequence[Standing]) -> Column:
    """Return how much the tags say what the question says: 0 for none of them named, 1/2 for one, 3/4 for two, …"""
    words = frozenset(asked)
    return np.array([1 - TAG_STEP ** len(named(each.tags, words)) if each.tags else 0.0 for each in standings])


def importance(standings: Sequence[Standing]) -> Column:
    """Return how important each memory is."""
    return np.array([each.importance for each in standings]).clip(0.0, 1.0)


def confidence(standings: Sequence[Standing]) -> Column:
    """Return how sure each memory is."""
    return np.array([each.confidence for each in standings]).clip(0.0, 1.0)


def recency(standings: Sequence[Standing], moment: int) -> Column:
    """Return how lately somebody came back to each memory, as of a moment.

    Being new is no merit (recall/supersede.py says why): a memory that was only stored has not been come back to.
    """
    ages = np.array([np.nan if each.accessed_at is None else moment - each.accessed_at for each in standings])
    return np.where(ages >= 0, np.exp2(-np.abs(ages) / RECENCY_HALF_LIFE_S), 0.0)


def freshness(standings: Sequence[Standing], moment: int) -> Column:
    """Return whether each memory holds at a moment: 1 unless it was replaced or has expired by then."""
    return np.array([float(each.ends_at is None or each.ends_at > moment) for each in standings])


def held(passages: Sequence[Passage], worth: Mapping[str, float]) -> Column:
    """Return how far each memory holds by the code it speaks of: 1 unless that changed or is gone.

    worth: by memory id, of those that hold less. The column is the other half of freshness.
    """
    return np.array([worth.get(passage.memory_id, 1.0) for passage in passages]).clip(0.0, 1.0)


def graph(passages: Sequence[Passage], centralities: Mapping[str, float]) -> Column:
    """Return how central the memory of each passage is in the graph; 0 for one that is not linked.

    centralities: by memory id, as cached in the graph (graph/strength.py: PageRank 40 %, betweenness 30 %, degree 20 %,
    cluster 10 %).
    """
    return np.array([centralities.get(passage.memory_id, 0.0) for passage in passages]).clip(0.0, 1.0)
