"""Recall pipeline: from a question to hits: query → gather → score → select → order → explain.

Making one loads none of the stages: they need numpy, and most processes never ask.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from recollect import clock
from recollect.engine.memory.freshness import freshness_of
from recollect.engine.records.branches import written_on
from recollect.engine.retrieval.query_arguments import ANSWERED
from recollect.model import Hit, Memory, Recall

if TYPE_CHECKING:
    from recollect.engine.context import Context
    from recollect.engine.memory.amendments import Amendments
    from recollect.engine.models.embedding_queue import Embedding
    from recollect.engine.models.similarity_calibration import CalibrationCache
    from recollect.engine.records.branches import Branches
    from recollect.engine.retrieval.query_arguments import Asked
    from recollect.engine.retrieval.ranking import Ranking
    from recollect.engine.retrieval.scoring import Scoring
    from recollect.engine.retrieval.use_counters import UseCounters


class RecallPipeline(NamedTuple):
    """Answers questions from the stored memories."""

    context: Context
    embedding: Embedding
    calibration: CalibrationCache
    amendments: Amendments
    branches: Branches
    scoring: Scoring
    counters: UseCounters

    def answer(self, asked: Asked, *, leave_out: frozenset[str] = frozenset()) -> Recall:
        """Return the memories that answer a question, best first.

        leave_out: signals and stages that do not count, for benchmarks
        """
        return self.context.store.from_replica(lambda: self._answer(asked, leave_out))

    def _answer(self, asked: Asked, leave_out: frozenset[str]) -> Recall:
        from recollect.engine.retrieval.hit_context import explained, replies
        from recollect.engine.retrieval.hit_order import FIRST, HitOrder
        from recollect.recall.select import select

        store = self.context.store
        ranking = self.rank(asked, leave_out)
        if (nothing := self._why_nothing(ranking, asked)) is not None:
            return nothing
        chosen = select(ranking.pool.passages, ranking.scored, limit=max(asked.limit, FIRST), least=asked.least)
        memories = {memory.id: memory for memory in store.get(Memory, [hit.memory_id for hit in chosen])}
        # A memory deleted since the search began is simply not there any more.
        present = [hit for hit in chosen if hit.memory_id in memories and _holds(memories[hit.memory_id], asked)]
        ranking = ranking._replace(away=self._unmerged(ranking, memories, asked))
        order = HitOrder(store, self.amendments, ranking, memories, asked.as_of).ordered(present, leave_out)
        shown = order.hits[: asked.limit]
        ids = [hit.memory_id for hit in shown]
        answers = replies(store, [memories[name] for name in ids], as_of=asked.as_of)
        fresh = freshness_of(store, ids)
        used = self.counters.told(ids) if asked.explain else {}
        hits: list[Hit] = []
        for row in shown:
            name = row.memory_id
            hit = explained(memories[name], row, ranking, order.replaced_by.get(name), explain=asked.explain)
            # Some were moved after they were scored: none is shown with a higher score than the one above it.
            score = min(hit.score, hits[-1].score if hits else 1.0)
            beside = {"reply": answers.get(name), "folded": order.folded.get(name, ()), "use": used.get(name, "")}
            hits.append(msgspec.structs.replace(hit, score=score, freshness=fresh.get(name, hit.freshness), **beside))
        return Recall(query=asked.text, hits=tuple(hits), mode=ranking.mode, notes=ranking.notes)

    def rank(self, asked: Asked, leave_out: frozenset[str] = frozenset()) -> Ranking:
        """Return the passages that may answer a question, each with its score."""
        from recollect.engine.retrieval.ranking import rank

        return rank(
            asked,
            leave_out,
            store=self.context.store,
            embedding=self.embedding,
            calibration=self.calibration,
            branches=self.branches,
            scoring=self.scoring,
            counters=self.counters,
        )

    def _why_nothing(self, ranking: Ranking, asked: Asked) -> Recall | None:
        """Return an empty answer with its reason where nothing matches well enough; else None."""
        if not ranking.pool.passages:
            # Nothing found is said of a sound index only.
            notes = tuple(f"{gap}: run `recollect admin rebuild`" for gap in self.context.store.text_gaps())
        elif asked.hides_weak and ranking.answered < ANSWERED:
            notes = ()
        else:
            return None
        return Recall(query=asked.text, hits=(), mode=ranking.mode, notes=(*ranking.notes, *notes))

    def _unmerged(self, ranking: Ranking, memories: Mapping[str, Memory], asked: Asked) -> frozenset[str]:
        """Return the memories of unmerged branches, replacements of hits included."""
        away = {name for name, row in ranking.branches.items() if row.standing == "elsewhere"}
        newer = {row.superseded_by for row in memories.values() if row.superseded_by} - set(memories)
        rows = self.context.store.get(Memory, sorted(newer))
        written = {row.id: place for row in rows if (place := written_on(row))}
        if written:
            stands = self.branches.standings(written.values(), asked.near)
            away |= {name for name, place in written.items() if stands[place].standing == "elsewhere"}
        return frozenset(away)


def _holds(memory: Memory, asked: Asked) -> bool:
    """Tell whether a memory may be part of an answer: not expired, or in force at the moment asked about."""
    if asked.as_of is None:
        return asked.archived or memory.expires_at is None or memory.expires_at > clock.now()
    return memory.valid_to is None or memory.valid_to > asked.as_of
