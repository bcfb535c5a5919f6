"""Weigh: the score that ranks, from the fitted one and the nine components, by the weights in force.

    documented   score = sum over components of weight · component
    default      score = fitted score, each of its signals weighed by the component that it belongs to
                         + sum over components beside the match of PRIOR · weight · (component - neutral)

The default profile ranks by what was fitted on labelled questions, which no table of nine numbers comes near; the other
components break ties: of memories that match alike, the important, linked and certain one comes first. Where they do
not vary the order is exactly that of the fitted model. In both profiles relevance, the probability that a hit answers,
stays that of the fitted model: weights say what comes first, not what is true.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from recollect.recall import components as component
from recollect.recall.components import Column
from recollect.recall.gather import Pool
from recollect.recall.measure import SEMANTIC
from recollect.recall.profiles import COMPONENTS, Profile
from recollect.recall.query import Query
from recollect.recall.score import Scored
from recollect.recall.use import likely
from recollect.store.protocol import ORDINARY

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


def matching(query: Query, pool: Pool) -> dict[str, Column]:
    """Return how well each passage matches the question, by the two components of that."""
    columns = {"token": component.token(query, pool.passages, pool.counts)}
    if pool.cosines is not None:
        columns["vector"] = component.vector(pool.passages, pool.cosines)
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
            "tags": component.tags(query.terms, standings),
            "importance": component.importance(standings),
            "confidence": component.confidence(standings),
            "recency": component.recency(standings, moment),
            "freshness": component.freshness(standings, moment),
        }
    if held:
        columns["freshness"] = component.held(pool.passages, held) * columns.get("freshness", 1.0)
    if centralities:
        columns["graph"] = component.graph(pool.passages, centralities)
    if query.times:
        columns["temporal"] = component.temporal(pool.passages, query.times)
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
