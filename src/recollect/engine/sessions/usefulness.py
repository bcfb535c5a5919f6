"""Usefulness: how often injected memories were used or contradicted, and what that changed."""

from typing import TYPE_CHECKING, NamedTuple

import msgspec

from recollect import clock
from recollect.engine.records import input_checks
from recollect.engine.records.identity import namespace_of
from recollect.engine.records.memory_rows import existing, headline
from recollect.engine.retrieval.scoring import UseCounters, told
from recollect.errors import InvalidInput
from recollect.model import Memory, MemoryUse, Usefulness, UsefulnessReport
from recollect.operations import operation
from recollect.recall import feedback

if TYPE_CHECKING:
    from recollect.engine.context import Context
    from recollect.engine.sessions.capture import Capture
    from recollect.store.store_values import Filter

# Memories in a report, chosen from the latest rows.
SHOWN = 10
READ = 500


class Totals(NamedTuple):
    """Counts of injected memories, by session, and of those used or contradicted."""

    offered: int = 0
    used: int = 0
    contradicted: int = 0


class MemoryUsefulness:
    """Reports on injected memories."""

    def __init__(self, context: "Context", *, counters: UseCounters, capture: "Capture") -> None:
        self._context = context
        self._counters = counters
        self._capture = capture

    @operation("memory_usefulness", "usefulness", positional=("memory_id",), listed=("memory_id", "project"))
    def usefulness(
        self,
        memory_id: str | None = None,
        *,
        namespace: str | None = None,
        reset: bool = False,
        useless: bool = False,
    ) -> UsefulnessReport:
        """Show the usefulness of each memory: used or contradicted.

        It counts memories that were injected into sessions. A used memory gains confidence, a contradicted one loses
        some. Types of memories that a project uses often rank a little higher there. An unused memory keeps its
        confidence. All counts stay on this machine.

        memory_id: only this memory
        reset: delete counts and restore confidences; `undo` reverts it
        useless: do not inject it again until it is used
        """
        from recollect.engine.sessions.injection_outcomes import count, mark_useless

        scope = namespace_of(namespace)
        self._capture.catch_up()
        count(self._context.store)
        where: dict[str, object] = {} if scope is None else {"namespace": scope}
        if memory_id is not None:
            where["id"] = existing(self._context.store, input_checks.text("memory_id", memory_id)).id
        if useless and memory_id is None:
            raise InvalidInput("useless needs memory_id", hint="Name the memory.", argument="memory_id")
        deleted, batch = self._reset(where) if reset else (0, "")
        if useless:
            batch = mark_useless(self._context.store, str(where["id"]))
        report = self._report(scope, where)
        return msgspec.structs.replace(report, reset=deleted, batch=batch)

    def _report(self, scope: str | None, where: "Filter") -> UsefulnessReport:
        store = self._context.store
        totals = self.totals(where)
        said = store.find(Usefulness, where, order="-at", limit=READ)
        best = sorted(said, key=lambda row: (-(row.used + row.contradicted), -row.offered, row.id))[:SHOWN]
        labels = {memory.id: headline(memory) for memory in store.get(Memory, [row.id for row in best])}
        learnt = self._counters.learnt(scope)
        return UsefulnessReport(
            namespace=scope,
            offered=totals.offered,
            used=totals.used,
            contradicted=totals.contradicted,
            share=round(totals.used / totals.offered, 4) if totals.offered else 0.0,
            weights=dict(learnt.kinds) if learnt is not None else {},
            enough=feedback.ENOUGH,
            memories=tuple(MemoryUse(counts=row, told=told(row), label=labels.get(row.id, "")) for row in best),
        )

    def totals(self, where: "Filter | None" = None) -> Totals:
        """Return how often memories were offered, used and contradicted in all."""
        rows = self._context.store.columns(Usefulness, Totals._fields, where)
        return Totals(*(sum(column) for column in zip(*rows, strict=True))) if rows else Totals()

    def _reset(self, where: "Filter") -> tuple[int, str]:
        """Delete counts and restore confidences; returns how many, and the batch."""
        from recollect.engine.sessions.injection_outcomes import BATCH, learn

        store = self._context.store
        batch, deleted = clock.new_id(), 0
        scopes: set[str | None] = {value for (value,) in store.columns(Usefulness, ("namespace",), where)}
        while rows := store.find(Usefulness, where, limit=BATCH):
            with store.transaction("reset_usefulness", batch=batch) as transaction:
                for row in rows:
                    memory = next(iter(transaction.get(Memory, [row.id])), None)
                    if memory is not None and memory.confidence == row.confidence:
                        transaction.update(Memory, row.id, {"confidence": row.given})
                    deleted += transaction.delete(Usefulness, {"id": row.id})
        for scope in scopes:
            learn(store, scope)
        return deleted, batch if deleted else ""
