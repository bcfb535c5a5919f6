"""Recall pipeline: from a question to hits: query → gather → score → weigh → select → order → explain.

Making one loads none of the stages: they need numpy, and most processes never ask.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from recollect import clock
from recollect.engine.memory.amendments import doubted
from recollect.engine.memory.freshness import freshness_of
from recollect.engine.records.branches import Branches, written_on
from recollect.engine.retrieval.query_arguments import ANSWERED, Asked
from recollect.model import Branched, Hit, Memory, Recall
from recollect.model.recall_answer import NEAREST
from recollect.store.store_values import Filter, NotBefore, Range

if TYPE_CHECKING:
    from recollect.engine.context import Context
    from recollect.engine.memory.amendments import Amendments
    from recollect.engine.models.embedding_queue import Embedding
    from recollect.engine.models.similarity_calibration import CalibrationCache
    from recollect.engine.retrieval.scoring import Scoring, UseCounters
    from recollect.recall.gather import Pool
    from recollect.recall.score import Ranking

# Passages gathered from each arm when most may be too new for the moment asked about.
AS_OF_POOL = 240
# A memory is at least half as relevant as what it replaces, though it may lack words of the question.
REPLACING_SHARE = 0.5
# Below a tenth of the best hit's relevance nothing of bench/notes_recall.py is lost, and a quarter of the hits go.
WEAK_SHARE = 0.1


class RecallPipeline(NamedTuple):
    """Answers questions from the stored memories."""

    context: Context
    embedding: Embedding
    calibration: CalibrationCache
    amendments: Amendments
    branches: Branches
    scoring: Scoring
    counters: UseCounters

    def answer(self, asked: Asked) -> Recall:
        """Return the memories that answer a question, best first."""
        return self.context.store.from_replica(lambda: self._answer(asked))

    def _answer(self, asked: Asked) -> Recall:
        from recollect.engine.retrieval.hit_order import FIRST, HitOrder
        from recollect.recall.explain import LOOSE, explained, replies
        from recollect.recall.score import select

        store = self.context.store
        ranking = self.rank(asked)
        if not ranking.pool.passages or (asked.hides_weak and ranking.answered < ANSWERED):
            # Nothing found is said of a sound index only.
            gaps = () if ranking.pool.passages else store.text_gaps()
            notes = (*ranking.notes, *(f"{gap}: run `recollect admin rebuild`" for gap in gaps))
            return Recall(query=asked.text, hits=(), mode=ranking.mode, notes=notes)
        found = (ranking.pool.passages, ranking.scored)
        share = WEAK_SHARE if asked.hides_weak else 0.0
        chosen = select(*found, limit=max(asked.limit, FIRST), least=asked.least, least_share=share)
        memories = {memory.id: memory for memory in store.get(Memory, [hit.memory_id for hit in chosen])}
        # A memory deleted since the search began is simply not there any more.
        present = [hit for hit in chosen if hit.memory_id in memories and _holds(memories[hit.memory_id], asked)]
        newer = doubted(store, memories) if asked.as_of is None else {}
        ranking = ranking._replace(away=self._unmerged(ranking, memories, newer, asked))
        doubts = {name: row.id for name, row in newer.items() if row.holds(clock.now())}
        if asked.as_of is None:  # what replaced a memory on an unmerged branch may replace it here
            doubts |= {row.id: by for row in memories.values() if (by := row.superseded_by) in ranking.away}
        order = HitOrder(store, self.amendments, ranking, memories, asked, doubts).ordered(present)
        shown = order.hits[: asked.limit]
        ids = [hit.memory_id for hit in shown]
        answers = replies(store, [memories[name] for name in ids], as_of=asked.as_of)
        fresh = freshness_of(store, ids)
        used = self.counters.told(ids) if asked.explain else {}
        replaced_by = order.replaced_by
        lifted = {
            by: REPLACING_SHARE * row.relevance for row in present[::-1] if (by := replaced_by.get(row.memory_id))
        }
        hits: list[Hit] = []
        for row in shown:
            name = row.memory_id
            hit = explained(memories[name], row, ranking, replaced_by.get(name), explain=asked.explain)
            # Some were moved after they were scored: none is shown with a higher score than the one above it.
            score = min(max(hit.score, lifted.get(name, 0.0)), hits[-1].score if hits else 1.0)
            beside = {
                "reply": answers.get(name),
                "doubted_by": doubts.get(name),
                "folded": order.folded.get(name, ()),
                "use": used.get(name, ""),
            }
            hits.append(msgspec.structs.replace(hit, score=score, freshness=fresh.get(name, hit.freshness), **beside))
        strong = {row.memory_id for row in present if row.relevance >= ANSWERED}
        is_weak = asked.hides_weak and bool(hits) and hits[0].score < ANSWERED
        if is_weak and strong and strong <= replaced_by.keys():
            hits = []  # only what does not hold any more answers the question
        is_nearest = bool(hits) and ((is_weak and not strong) or all(hit.reason == LOOSE for hit in hits))
        notes = (*ranking.notes, NEAREST) if is_nearest else ranking.notes
        return Recall(query=asked.text, hits=tuple(hits), mode=ranking.mode, notes=notes)

    def rank(self, asked: Asked) -> Ranking:
        """Return the passages that may answer a question, each with its score."""
        import numpy as np

        from recollect.engine.models.similarity_calibration import comparable
        from recollect.recall.gather import POOL, gather
        from recollect.recall.hybrid_score import BRANCH_POINTS, overlaid
        from recollect.recall.query import neutral, understand
        from recollect.recall.score import Ranking, answered, measure, near_ones, ranked_after, score

        store, model = self.context.store, self.embedding.model_id
        query = understand(asked.text, now=clock.now() if asked.as_of is None else asked.as_of)
        counts = store.term_counts(query.terms, query.name_terms, asked.where)
        wording = query.text if "neutral" in asked.leave_out else neutral(query, counts.authors)
        vector, notes = self.embedding.of_query(wording)
        directions = self.embedding.directions(wording) if vector is not None and query.is_question else None
        core = AS_OF_POOL if asked.as_of is not None else asked.pool or POOL
        where = self._in_force(asked)

        def measured(limit: int) -> tuple[Pool, dict[str, np.ndarray], Mapping[int, float]]:
            pool = gather(store, query, counts, vector, model=model, where=where, limit=limit, directions=directions)
            if (moment := asked.as_of) is not None:
                until = [row._replace(eligible=row.eligible and row.at <= moment) for row in pool.passages]
                pool = pool._replace(passages=until)
            cosines = pool.cosines and comparable(pool.cosines, self.calibration.of(model))
            columns = measure(query, pool.passages, counts, cosines, pool.uneven) if pool.passages else {}
            return pool, {name: row for name, row in columns.items() if name not in asked.leave_out}, cosines or {}

        pool, signals, cosines = measured(core)
        fitted = score(signals, unasked=asked.unasked)
        fitted = near_ones(fitted, signals, asked.stated) if asked.stated else fitted
        likely = answered(fitted, signals)
        if asked.limit > core:
            near = {passage.pid for passage in pool.passages}
            pool, signals, cosines = measured(asked.limit)
            places = np.array([place for place, passage in enumerate(pool.passages) if passage.pid in near], np.int64)
            fitted = ranked_after(fitted, places, score(signals, unasked=asked.unasked))
        scored, profile = self.scoring.weighed(query, pool, fitted, asked)
        branches = self._standings(pool, asked)
        if asked.as_of is None:  # what was learnt or merged since says nothing about a moment of the past
            if "useful" not in asked.leave_out:
                scored = self.counters.weighed(profile, scored, pool, asked)
            points = {name: BRANCH_POINTS.get(row.standing, 0.0) for name, row in branches.items()}
            scored = overlaid(profile, scored, pool, points, "branch")
        talk = frozenset(row.pid for row, note in zip(pool.passages, signals.get("note", ()), strict=True) if not note)
        return Ranking(
            query,
            pool,
            scored,
            fitted,
            profile,
            cosines,
            "lexical" if vector is None else "hybrid",
            notes,
            talk,
            likely,
            branches,
        )

    def _in_force(self, asked: Asked) -> Filter | None:
        """Return the filter of a question without expired and archived memories.

        Mostly nothing is, and a filter costs time.
        """
        now = clock.now()
        expired = {"expires_at": Range(below=now + 1)}
        if (
            asked.as_of is not None
            or asked.archived
            or not self.context.store.columns(Memory, ("id",), expired, limit=1)
        ):
            return asked.where
        return {**(asked.where or {}), "expires_at": NotBefore(now + 1)}

    def _standings(self, pool: Pool, asked: Asked) -> dict[str, Branched]:
        """Return the standings of the branches of a pool's memories, by memory id."""
        written = {row.memory_id: row.standing.written for row in pool.passages if row.standing.written is not None}
        stands = self.branches.standings(written.values(), asked.near) if written else {}
        return {memory_id: stands[place] for memory_id, place in written.items()}

    def _unmerged(
        self, ranking: Ranking, memories: Mapping[str, Memory], newer: Mapping[str, Memory], asked: Asked
    ) -> frozenset[str]:
        """Return the memories of unmerged branches, replacements of hits included, also the possible ones."""
        away = {name for name, row in ranking.branches.items() if row.standing == "elsewhere"}
        replacing = {row.superseded_by for row in memories.values() if row.superseded_by} - set(memories)
        rows = [*self.context.store.get(Memory, sorted(replacing)), *newer.values()]
        written = {row.id: place for row in rows if (place := written_on(row))}
        if written:
            stands = self.branches.standings(written.values(), asked.near)
            away |= {name for name, place in written.items() if stands[place].standing == "elsewhere"}
        return frozenset(away)


def _holds(memory: Memory, asked: Asked) -> bool:
    """Tell whether a memory may be part of an answer: not expired, or in force at the moment asked about."""
    if asked.as_of is None:
        return asked.archived or not memory.is_expired(clock.now())
    return memory.valid_to is None or memory.valid_to > asked.as_of
