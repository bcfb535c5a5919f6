"""The hybrid score: the fitted score and the nine components of document 002, by the weights in force.

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
from collections.abc import Collection, Mapping, Sequence

import numpy as np

from recollect.recall.feedback import likely
from recollect.recall.gather import Pool
from recollect.recall.lexical import bm25, named_tags, rarity, relative
from recollect.recall.measure import SEMANTIC, Column
from recollect.recall.profiles import COMPONENTS, Profile
from recollect.recall.query import Query
from recollect.recall.score import Scored
from recollect.store.protocol import ORDINARY, Passage, Standing, TermCounts
from recollect.text.dates import DAY, Span

# Okapi BM25 as document 002 prints it. The fitted model has values of its own (measure.py), for shorter texts.
K1 = 1.2
B = 0.75

# After a week without anybody coming back to it a memory is half as recent: a week is what document 000 calls recent.
RECENCY_HALF_LIFE_S = 7 * DAY

# A tag that is named makes half of what is missing good, the second half of the rest: one is what matters, and a
# memory must not lose for having other tags as well, as those have that a tool tagged.
TAG_STEP = 0.5

# What an ordinary memory has: as stored without being judged, tagged, linked or come back to. A question that speaks of
# no time is answered equally well from any: halfway.
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

# Points for the branch that a memory was written on, as it stands to the one that is checked out. The best and the
# second hit are a point apart in the median: what belongs to other work must match clearly better to be first, and what
# was learnt on this very branch comes first unless something else matches clearly better.
BRANCH_POINTS: Mapping[str, float] = {"here": 0.5, "elsewhere": -1.0}

# Which component a signal of the fitted model belongs to; all others are ways to match by words.
BELONGS: Mapping[str, str] = {**dict.fromkeys(SEMANTIC, "vector"), "dated": "temporal", "labelled": "tags"}


# --- components ---


def vector(passages: Sequence[Passage], cosines: Mapping[int, float]) -> Column:
    """Return the cosine of each passage; what points the other way, or has no vector, is 0."""
    return np.array([min(1.0, max(0.0, cosines.get(passage.pid, 0.0))) for passage in passages])


def token(query: Query, passages: Sequence[Passage], counts: TermCounts) -> Column:
    """Return BM25 over the pool, relative to its best passage."""
    place_of = {term: place for place, term in enumerate(query.terms)}
    held = [Counter(map(place_of.__getitem__, filter(place_of.__contains__, row.tokens))) for row in passages]
    lengths = [max(1, len(passage.tokens)) for passage in passages]
    return np.array(relative(bm25(held, lengths, rarity(query, counts), k1=K1, b=B)))


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
    return np.array([1 - TAG_STEP ** len(named_tags(each.tags, words)) if each.tags else 0.0 for each in standings])


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


def held_by_code(passages: Sequence[Passage], worth: Mapping[str, float]) -> Column:
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


# --- scores ---


def matching(query: Query, pool: Pool) -> dict[str, Column]:
    """Return how well each passage matches the question, by the two components of that."""
    columns = {"token": token(query, pool.passages, pool.counts)}
    if pool.cosines is not None:
        columns["vector"] = vector(pool.passages, pool.cosines)
    return columns


def worth(
    query: Query, pool: Pool, centralities: Mapping[str, float], moment: int, held: Mapping[str, float] = {}
) -> dict[str, Column]:
    """Return what each passage's memory is worth beside its match, as of a moment, where memories differ in it.

    held: how far memories still hold by the code they speak of, by memory id; all others do
    """
    columns: dict[str, Column] = {}
    standings = [passage.standing for passage in pool.passages]
    if any(each is not ORDINARY for each in standings):
        columns = {
            "tags": tags(query.terms, standings),
            "importance": importance(standings),
            "confidence": confidence(standings),
            "recency": recency(standings, moment),
            "freshness": freshness(standings, moment),
        }
    if held:
        columns["freshness"] = held_by_code(pool.passages, held) * columns.get("freshness", 1.0)
    if centralities:
        columns["graph"] = graph(pool.passages, centralities)
    if query.times:
        columns["temporal"] = temporal(pool.passages, query.times)
    return columns


def weigh(profile: Profile, weights: Mapping[str, float], fitted: Scored, columns: Mapping[str, Column]) -> Scored:
    """Return a pool scored by a profile with these weights; each share is what one signal or component adds.

    columns: the components in which the memories of the pool differ; the others are neutral. The default profile has no
    use for those of matching.
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
    # Only relations between weights mean anything, so everything is told in units of what matching weighs: the fitted
    # score keeps its size, and with it the distances that later stages go by.
    unit = (weights["vector"] + weights["token"]) / (usual["vector"] + usual["token"])
    # Next to nothing is nothing: dividing by it would be infinite.
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
    """Return a pool with what was found useful when it was told raised, and kinds of memories that were not lowered.

    gains: points of memories in the order, by their id; leans: what is added to the logits of their relevance, where it
    is to be how likely they are worth telling (recall/use.py)
    """
    share = profile.point * np.array([gains.get(passage.memory_id, 0.0) for passage in pool.passages])
    if share.any():
        scored = scored._replace(scores=scored.scores + share, shares={**scored.shares, "useful": share})
    if leans:
        pairs = zip(scored.relevance.tolist(), pool.passages, strict=True)
        relevance = np.array([likely(each, leans.get(passage.memory_id, 0.0)) for each, passage in pairs])
        scored = scored._replace(relevance=relevance)
    return scored


def overlaid(profile: Profile, scored: Scored, pool: Pool, standings: Mapping[str, str]) -> Scored:
    """Return a pool with what was written on the branch that is checked out raised, and on unmerged ones lowered.

    standings: how the branch stands that a memory was written on, by memory id
    """
    points = [BRANCH_POINTS.get(standings.get(passage.memory_id, ""), 0.0) for passage in pool.passages]
    if not any(points):
        return scored
    share = profile.point * np.array(points)
    return scored._replace(scores=scored.scores + share, shares={**scored.shares, "branch": share})
