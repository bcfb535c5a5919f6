"""Use counters: how often injected memories were used, read for ranking and for explanations.

`sessions.usefulness` counts; the weights that it computes per project are settings of the store.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from recollect.engine.records.memory_rows import batches
from recollect.engine.records.scope import project_of
from recollect.model import Memory, Usefulness
from recollect.recall import feedback

if TYPE_CHECKING:
    from recollect.engine.context import Context
    from recollect.engine.retrieval.query_arguments import Asked
    from recollect.recall.gather import Pool
    from recollect.recall.profiles import Profile
    from recollect.recall.score import Scored

# Passages of a pool beyond those asked for that are weighed, the best: what was learnt moves nothing past more.
WEIGHED = 20


class Lifts(NamedTuple):
    """Use of a memory relative to others, in logits: of its kind, and its own."""

    kind: float
    own: float

    @property
    def leaning(self) -> float:
        """The logits added when it may be injected."""
        return feedback.leaning(self.kind, self.own)


class UseCounters:
    """Reads how often injected memories were used, and what that says about others."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def learnt(self, scope: str | None) -> feedback.Learnt | None:
        """Return the weights of a project, None until enough is known; a look-up by key."""
        return feedback.read(self._context.store.setting(feedback.key(scope)))

    def lifts(self, scope: str | None, memory_ids: Iterable[str]) -> Mapping[str, Lifts]:
        """Return how much more often memories are used than others, by id; empty until known."""
        learnt = self.learnt(scope)
        if learnt is None:
            return {}
        store, found = self._context.store, {}
        for batch in batches(list(dict.fromkeys(memory_ids))):
            piece = {"id": batch}
            counts = {row[0]: row[1:] for row in store.columns(Usefulness, ("id", "offered", "used"), piece)}
            for memory_id, *about in store.columns(Memory, ("id", "memory_type", "category", "source"), piece):
                kind, (offered, used) = feedback.kind_of(*about), counts.get(memory_id, (0, 0))
                own = feedback.own(used, offered, learnt, kind) if offered else 0.0
                found[memory_id] = Lifts(learnt.kinds.get(kind, 0.0), own)
        return found

    def weighed(self, profile: Profile, scored: Scored, pool: Pool, asked: Asked) -> Scored:
        """Return the scores of a pool, moved by how often its memories were used in the project asked about."""
        from recollect.recall.hybrid_score import leaning

        scope = project_of(asked.where)
        if scope is None:
            return scored
        best = scored.scores.argsort()[::-1][: WEIGHED + asked.limit].tolist()
        rows = self.lifts(scope, (pool.passages[place].memory_id for place in best))
        if not rows:
            return scored
        gains = {memory_id: feedback.points(row.kind, row.own) for memory_id, row in rows.items()}
        leans = {memory_id: row.leaning for memory_id, row in rows.items()} if asked.unasked else {}
        return leaning(profile, scored, pool, gains, leans)

    def useless(self, memory_ids: Sequence[str]) -> set[str]:
        """Return the memories that a person marked as useless to inject, and that were not used since."""
        return {row.id for row in self._context.store.get(Usefulness, memory_ids) if row.last == "useless"}

    def told(self, memory_ids: Sequence[str]) -> dict[str, str]:
        """Return how injected memories were used, as text, by id."""
        return {row.id: told(row) for row in self._context.store.get(Usefulness, memory_ids)}


def told(row: Usefulness) -> str:
    """Return how an injected memory was used, as text, with the change of its confidence."""
    said = feedback.told(row.offered, row.used, row.contradicted, row.last)
    moved = f"; confidence {row.given:.2f} → {row.confidence:.2f}" if row.confidence != row.given else ""
    return said + moved
