"""The hybrid score: the fitted score and nine components, by configurable weights.

    documented   score = sum over components of weight · component
    default      score = fitted score, each of its signals weighted by the component that it belongs to
                         + sum over components beside the match of PRIOR · weight · (component - neutral)

    vector      cosine of the passage with the question
    graph       centrality of the memory: PageRank, betweenness, degree, cluster
    token       BM25 of the passage, relative to the best of the pool
    temporal    distance of the memory's time from the time in the question
    tags        how many of the memory's tags the question names
    importance  as judged when it was stored
    confidence  as judged when it was stored
    recency     how lately it was read
    freshness   whether it still holds, by later memories and by the code it mentions

Each component is a column from 0 to 1 over the passages of a pool. A component that says nothing has no column: vector
without vectors, temporal without a time in the question.

The default profile ranks by weights that were fitted on labelled questions; the components beside the match break ties.
Where they do not vary, the order is exactly that of the fitted model. In both profiles relevance, the probability that
a hit answers, stays that of the fitted model: weights change the order, not the probability.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy as np

from recollect.recall.feedback import likely
from recollect.recall.gather import Pool
from recollect.recall.lexical import bm25, named_tags, rarity, relative
from recollect.recall.profiles import COMPONENTS, Profile
from recollect.recall.query import Query
from recollect.recall.score import SEMANTIC, Column, Scored
from recollect.store.store_values import ORDINARY, Passage, Standing, TermCounts
from recollect.text.dates import DAY, Span

# Okapi BM25 as document 002 prints it. The fitted model has values of its own (measure.py), for shorter texts.
K1 = 1.2
B = 0.75

# After a week without anybody coming back to it a memory is half as recent: a week is what document 000 calls recent.
RECENCY_HALF_LIFE_S = 7 * DAY

# Each named tag adds half of what is missing: the first one matters most, and a memory does not lose by other tags,
# which tools add in numbers.
TAG_STEP = 0.5

# The components of a memory that was stored without importance, tags or links, and not read since. For a question
# without a time, every time is halfway.
NEUTRAL: Mapping[str, float] = {
    "graph": 0.0,
    "temporal": 0.5,
    "tags": 0.0,
    "importance": 0.5,
    "confidence": 1.0,
    "recency": 0.0,
    "freshness": 1.0,
}

# How many points of the fitted score one unit of weight is worth. With the default weights no component moves a memory
# by more than 0.3 points; the best and the second hit are a point apart in the median, less than 0.4 in one question of
# four (docs/adr/0006), so that what matches clearly better stays first.
PRIOR = 10.0
# Matching that weighs less than this share does not count.
LEAST_UNIT = 1e-9

# Points by the branch that a memory was written on. The best and the second hit are a point apart in the median: a
# memory of another branch must match clearly better to be first, and one of this branch comes first unless another
# matches clearly better.
BRANCH_POINTS: Mapping[str, float] = {"here": 0.5, "elsewhere": -1.0}

# Which component a signal of the fitted model belongs to; all others are ways to match by words.
BELONGS: Mapping[str, str] = {
    **dict.fromkeys(SEMANTIC | {"nearest"}, "vector"),
    "dated": "temporal",
    "labelled": "tags",
}


# --- components ---


def _bounded(values: Iterable[float]) -> Column:
    return np.array(list(values), np.float64).clip(0.0, 1.0)


def token(query: Query, passages: Sequence[Passage], counts: TermCounts) -> Column:
    """Return BM25 over the pool, relative to its best passage."""
    place_of = {term: place for place, term in enumerate(query.terms)}
    held = [Counter(map(place_of.__getitem__, filter(place_of.__contains__, row.tokens))) for row in passages]
    lengths = [max(1, len(passage.tokens)) for passage in passages]
    return np.array(relative(bm25(held, lengths, rarity(query, counts), k1=K1, b=B)))


def temporal(passages: Sequence[Passage], asked: Sequence[Span]) -> Column:
    """Return how near each passage is to a time in the question; 1 within it.

    It halves with every length of the time: people tell in June what happened in May.
    """
    at = np.array([passage.at for passage in passages], np.float64)
    best = np.zeros(len(passages))
    for span in asked:
        apart = np.maximum(np.maximum(span.start - at, at - span.end), 0.0) / max(span.end - span.start, DAY)
        best = np.maximum(best, np.exp2(-apart))
    return best


def tags(asked: Collection[str], standings: Sequence[Standing]) -> Column:
    """Return the share for named tags: 0 for none, 1/2 for one, 3/4 for two, …"""
    words = frozenset(asked)
    return np.array([1 - TAG_STEP ** len(named_tags(each.tags, words)) if each.tags else 0.0 for each in standings])


def recency(standings: Sequence[Standing], moment: int) -> Column:
    """Return how recently each memory was read, as of a moment; 0 if it was only stored.

    Being new is no merit; supersede.py says why.
    """
    ages = np.array([np.nan if each.accessed_at is None else moment - each.accessed_at for each in standings])
    return np.where(ages >= 0, np.exp2(-np.abs(ages) / RECENCY_HALF_LIFE_S), 0.0)


# --- scores ---


def matching(query: Query, pool: Pool) -> dict[str, Column]:
    """Return the two components of matching: token, and vector where there are vectors."""
    columns = {"token": token(query, pool.passages, pool.counts)}
    if pool.cosines is not None:
        columns["vector"] = _bounded(pool.cosines.get(passage.pid, 0.0) for passage in pool.passages)
    return columns


def worth(
    query: Query, pool: Pool, centralities: Mapping[str, float], moment: int, held: Mapping[str, float] = {}
) -> dict[str, Column]:
    """Return the other components at a moment, those in which the memories differ.

    centralities: by memory id, as cached in the graph. held: by memory id, how far a memory still holds by the code
    that it mentions; default: 1
    """
    columns: dict[str, Column] = {}
    ids = [passage.memory_id for passage in pool.passages]
    standings = [passage.standing for passage in pool.passages]
    if any(each is not ORDINARY for each in standings):
        columns = {
            "tags": tags(query.terms, standings),
            "importance": _bounded(each.importance for each in standings),
            "confidence": _bounded(each.confidence for each in standings),
            "recency": recency(standings, moment),
            "freshness": _bounded(each.ends_at is None or each.ends_at > moment for each in standings),
        }
    if held:
        columns["freshness"] = _bounded(held.get(name, 1.0) for name in ids) * columns.get("freshness", 1.0)
    if centralities:
        columns["graph"] = _bounded(centralities.get(name, 0.0) for name in ids)
    if query.times:
        columns["temporal"] = temporal(pool.passages, query.times)
    return columns


def weigh(profile: Profile, weights: Mapping[str, float], fitted: Scored, columns: Mapping[str, Column]) -> Scored:
    """Return a pool scored by a profile, with the share of each signal or component.

    columns: the components in which the memories of the pool differ; the others are neutral. The default profile does
    not use those of matching.
    """
    return _tie_broken(profile, weights, fitted, columns) if profile.fitted else _summed(weights, fitted, columns)


def _summed(weights: Mapping[str, float], fitted: Scored, columns: Mapping[str, Column]) -> Scored:
    count = len(fitted.scores)
    shares = {name: weights[name] * column for name, column in columns.items()}
    for name, neutral in NEUTRAL.items():
        if name not in columns:
            shares["timeless" if name == "temporal" else name] = np.full(count, weights[name] * neutral)
    return fitted._replace(scores=sum(shares.values(), np.zeros(count)), shares=shares)


def _tie_broken(
    profile: Profile, weights: Mapping[str, float], fitted: Scored, columns: Mapping[str, Column]
) -> Scored:
    usual = profile.weights
    # Only ratios of weights matter, so everything is in units of the weight of matching: the fitted score keeps its
    # size, and with it the distances that later stages use.
    unit = (weights["vector"] + weights["token"]) / (usual["vector"] + usual["token"])
    # A division by next to nothing would be infinite.
    unit = unit if unit >= LEAST_UNIT else 0.0
    scale = {name: weights[name] / usual[name] / unit if unit else 0.0 for name in COMPONENTS}
    if unit and SEMANTIC.isdisjoint(fitted.shares):
        scale["token"] = 1.0  # without vectors, words are all there is to match by
    scores, shares = fitted.scores, dict(fitted.shares)
    if any(scale[BELONGS.get(name, "token")] != 1.0 for name in shares):
        shares = {name: scale[BELONGS.get(name, "token")] * share for name, share in shares.items()}
        scores = sum(shares.values(), np.zeros(len(scores)))
    for name, neutral in NEUTRAL.items():
        if name in columns:
            share = PRIOR * weights[name] / (unit or 1.0) * (columns[name] - neutral)
            if share.any():
                shares[name] = share
                scores = scores + share
    return fitted._replace(scores=scores, shares=shares)


def leaning(
    profile: Profile, scored: Scored, pool: Pool, gains: Mapping[str, float], leans: Mapping[str, float] = {}
) -> Scored:
    """Return a pool with useful memories ranked higher, and kinds that are rarely used lower.

    gains: points by memory id. leans: by memory id, what is added to the logit of relevance for injected
    context (feedback.py)
    """
    scored = overlaid(profile, scored, pool, gains, "useful")
    if leans:
        pairs = zip(scored.relevance.tolist(), pool.passages, strict=True)
        relevance = np.array([likely(each, leans.get(passage.memory_id, 0.0)) for each, passage in pairs])
        scored = scored._replace(relevance=relevance)
    return scored


def overlaid(profile: Profile, scored: Scored, pool: Pool, points: Mapping[str, float], name: str) -> Scored:
    """Return a pool with some memories ranked higher or lower.

    points: by memory id. name: of the share that they add
    """
    column = np.array([points.get(passage.memory_id, 0.0) for passage in pool.passages])
    if not column.any():
        return scored
    share = profile.point * column
    return scored._replace(scores=scored.scores + share, shares={**scored.shares, name: share})
