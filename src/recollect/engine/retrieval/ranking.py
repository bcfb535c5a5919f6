"""Ranking: the passages of a question with their scores: query → gather → measure → score → weigh."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from recollect import clock
from recollect.model import Branched, Memory
from recollect.recall.calibration import comparable
from recollect.recall.gather import POOL, Pool, gather
from recollect.recall.hybrid_score import BRANCH_POINTS, overlaid
from recollect.recall.measure import Column, measure
from recollect.recall.profiles import Profile
from recollect.recall.query import Query, neutral, understand
from recollect.recall.score import Scored, answered, ranked_after, score
from recollect.store.protocol import Filter, NotBefore, Passage, Range, Store

if TYPE_CHECKING:
    from recollect.engine.models.embedding_queue import Embedding
    from recollect.engine.models.similarity_calibration import CalibrationCache
    from recollect.engine.records.branches import Branches
    from recollect.engine.retrieval.query_arguments import Asked
    from recollect.engine.retrieval.scoring import Scoring
    from recollect.engine.retrieval.use_counters import UseCounters

# Passages gathered from each arm when most may be too new for the moment asked about.
AS_OF_POOL = 240

# So much of a question, by the rarity of its words, names tags of one memory where it is a question for these tags.
ALL_TAGS = 0.9


class Ranking(NamedTuple):
    """A question with its scored pool: what the later stages and the explanation look at.

    fitted: the scores before the weights in force were applied; distances between them mean the same for everybody.
    closeness: cosines as the shipped model would have them, by passage.
    talk: the passages that are turns between people. answered: how likely the question is answered at all.
    branches: where memories were written that were not on the default branch, by their id. away: those of them, and
    of what replaced others, that are not merged here: on this branch they replace nothing.
    """

    query: Query
    pool: Pool
    scored: Scored
    fitted: Scored
    profile: Profile
    closeness: Mapping[int, float]
    mode: Literal["hybrid", "lexical"]
    notes: tuple[str, ...]
    talk: frozenset[int]
    answered: float
    branches: Mapping[str, Branched] = {}
    away: frozenset[str] = frozenset()


def rank(
    asked: Asked,
    leave_out: frozenset[str],
    *,
    store: Store,
    embedding: Embedding,
    calibration: CalibrationCache,
    branches: Branches,
    scoring: Scoring,
    counters: UseCounters,
) -> Ranking:
    """Return the pool of a question with the score of every passage."""
    query = understand(asked.text, now=clock.now() if asked.as_of is None else asked.as_of)
    counts = store.term_counts(query.terms, query.name_terms, asked.where)
    wording = query.text if "neutral" in leave_out else neutral(query, counts.authors)
    vector, notes = embedding.of_query(wording)
    directions = embedding.directions(wording) if vector is not None and query.is_question else None
    core = AS_OF_POOL if asked.as_of is not None else asked.pool or POOL
    where = _in_force(store, asked)

    def measured(wanted: int) -> tuple[Pool, Mapping[str, Column], Mapping[int, float]]:
        pool = gather(
            store,
            query,
            counts,
            vector,
            model=embedding.model_id,
            where=where,
            limit=wanted,
            directions=directions,
        )
        if asked.as_of is not None:
            pool = pool._replace(passages=_until(pool.passages, asked.as_of))
        cosines = pool.cosines and comparable(pool.cosines, calibration.of(embedding.model_id))
        columns = measure(query, pool.passages, counts, cosines, pool.uneven) if pool.passages else {}
        return pool, {name: column for name, column in columns.items() if name not in leave_out}, cosines or {}

    pool, signals, cosines = measured(core)
    fitted = score(signals, unasked=asked.unasked)
    likely = _answered(fitted, signals)
    if asked.limit > core:
        near = {passage.pid for passage in pool.passages}
        pool, signals, cosines = measured(asked.limit)
        places = np.array([place for place, passage in enumerate(pool.passages) if passage.pid in near], np.int64)
        fitted = ranked_after(fitted, places, score(signals, unasked=asked.unasked))
    scored, profile = scoring.weighed(query, pool, fitted, asked)
    stands = _standings(branches, pool, asked)
    if asked.as_of is None:  # what was learnt or merged since says nothing about a moment of the past
        if "useful" not in leave_out:
            scored = counters.weighed(profile, scored, pool, asked)
        if stands:
            points = {name: BRANCH_POINTS.get(row.standing, 0.0) for name, row in stands.items()}
            scored = overlaid(profile, scored, pool, points, "branch")
    mode: Literal["hybrid", "lexical"] = "lexical" if vector is None else "hybrid"
    return Ranking(query, pool, scored, fitted, profile, cosines, mode, notes, _talk(pool, signals), likely, stands)


def _standings(branches: Branches, pool: Pool, asked: Asked) -> dict[str, Branched]:
    """Return the standings of the branches of a pool's memories, by memory id."""
    written = {row.memory_id: row.standing.written for row in pool.passages if row.standing.written is not None}
    stands = branches.standings(written.values(), asked.near) if written else {}
    return {memory_id: stands[place] for memory_id, place in written.items()}


def _talk(pool: Pool, signals: Mapping[str, Column]) -> frozenset[int]:
    """Return the passages that are turns between people."""
    notes = signals["note"] if signals else ()
    return frozenset(row.pid for row, note in zip(pool.passages, notes, strict=bool(signals)) if not note)


def _answered(fitted: Scored, signals: Mapping[str, Column]) -> float:
    """Return the probability that a question is answered; 1 if it names tags only."""
    if not signals:
        return 0.0
    tagged = "labelled" in signals and signals["labelled"][signals["eligible"] > 0].max(initial=0.0) > ALL_TAGS
    return 1.0 if tagged else answered(fitted, signals)


def _until(passages: Sequence[Passage], moment: int) -> list[Passage]:
    """Return the passages with those from after a moment marked as not eligible."""
    return [passage._replace(eligible=passage.eligible and passage.at <= moment) for passage in passages]


def _in_force(store: Store, asked: Asked) -> Filter | None:
    """Return the filter of a question without expired and archived memories.

    Mostly nothing is, and a filter costs time.
    """
    now = clock.now()
    expired = {"expires_at": Range(below=now + 1)}
    if asked.as_of is not None or asked.archived or not store.columns(Memory, ("id",), expired, limit=1):
        return asked.where
    return {**(asked.where or {}), "expires_at": NotBefore(now + 1)}
