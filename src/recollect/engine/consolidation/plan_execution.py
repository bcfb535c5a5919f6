"""Run a consolidation plan, logged so that one undo reverts all of it.

    entered in the log ─► a few steps ─► a few steps ─► … ─► finished

Every few steps are one transaction under the same batch. An interrupted run leaves whole steps behind, and the next
plan has only the rest. A step whose memories changed since it was planned is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from recollect import clock, progress
from recollect.consolidate.candidate import ARCHIVED, FADED, judged
from recollect.engine.records.memory_rows import (
    SUMMARY_MARK,
    SUMMARY_SOURCE,
    content_hash,
    ensure_node,
    is_own_summary,
    new_memory,
    node_id,
    summary_mark,
)
from recollect.errors import Cancelled
from recollect.model import Change, Consolidation, Edge, Memory, Plan, PlanStep, RunType, StepAction
from recollect.store.store_values import Range

if TYPE_CHECKING:
    from recollect.store.sql import Store
    from recollect.store.transaction import Transaction


# Metadata of a summary: its central member, and the number of members.
MIDDLE = "middle"
MEMBERS = "members"
# Steps of one transaction: some tenths of a second, so that other writers do not wait long.
STEPS = 200

# Below those of its members: of equal matches they rank first.
SUMMARY_IMPORTANCE = 0.3
SUMMARY_CONFIDENCE = 0.5
SUMMARY = "summary"


def enter(store: Store, cycle: RunType, *, every_s: int = 0, lost_s: int = 0) -> Consolidation | None:
    """Enter a run in the log before it begins, or return None if the cycle ran within `every_s` seconds.

    The write lock decides who is first: of several processes only one gets the run. One that was begun and has not
    finished after `lost_s` does not count.
    """
    with store.transaction("consolidate") as transaction:
        now = clock.now()
        last = transaction.find(Consolidation, {"cycle_type": cycle}, order="-id", limit=1)
        if every_s and last and now - last[0].run_at < (every_s if last[0].finished_at else min(lost_s, every_s)):
            return None
        newest = transaction.find(Consolidation, order="-id", limit=1)
        run = Consolidation(
            id=newest[0].id + 1 if newest else 1,
            cycle_type=cycle,
            run_at=now,
            affected_count=0,
            batch=clock.new_id(),
        )
        return transaction.insert(run)


def apply(
    store: Store, plan: Plan, run: Consolidation, operation: str, *, stopping: Callable[[], bool] = lambda: False
) -> tuple[int, list[str]]:
    """Run a plan; return how many memories it concerned, and the ids of the summaries it wrote.

    stopping: whether to stop before the next transaction; the run then stays unfinished. Raises Cancelled
    """
    concerned: set[str] = set()
    made: list[str] = []
    for start in range(0, len(plan.steps), STEPS):
        if stopping():
            raise Cancelled("consolidation stopped: the engine was closed")
        with store.transaction(operation, batch=run.batch) as transaction:
            for step in plan.steps[start : start + STEPS]:
                new = WRITERS[step.action](transaction, step)
                if new is not None:
                    concerned.update(step.memory_ids)
                    made += [new] if new else []
            transaction.update(Consolidation, run.id, {"affected_count": len(concerned)})
        progress.report(min(start + STEPS, len(plan.steps)), len(plan.steps), f"consolidating: {plan.cycle}")
    with store.transaction(operation, batch=run.batch) as transaction:
        transaction.update(Consolidation, run.id, {"finished_at": clock.now()})
    return len(concerned), made


def _importance(transaction: Transaction, step: PlanStep) -> str | None:
    memory = _current(transaction, step.memory_ids[0])
    if memory is None or memory.importance != step.before or step.after is None:
        return None
    given = judged(memory.importance, memory.metadata)
    metadata = {name: value for name, value in memory.metadata.items() if name != FADED}
    if step.after != given:
        metadata[FADED] = {"from": given, "to": step.after}
    transaction.update(Memory, memory.id, {"importance": step.after, "metadata": metadata})
    return ""


def _link(transaction: Transaction, step: PlanStep) -> str | None:
    ends = [_current(transaction, memory_id) for memory_id in step.memory_ids]
    if step.relationship is None or None in ends:
        return None
    src, dst = (node_id(memory_id) for memory_id in step.memory_ids)
    if any(transaction.find(Edge, {"src": a, "dst": b}, limit=1) for a, b in ((src, dst), (dst, src))):
        return None
    for memory in ends:
        if memory is not None:
            ensure_node(transaction, memory)
    transaction.insert(
        Edge(
            id=clock.new_id(),
            src=src,
            dst=dst,
            relationship=step.relationship,
            weight=step.weight if step.weight is not None else 1.0,
            properties={"by": "creative", "why": step.why},
            created_at=clock.now(),
        )
    )
    return ""


def _summary(transaction: Transaction, step: PlanStep) -> str | None:
    members = [memory for memory_id in step.memory_ids if (memory := _current(transaction, memory_id))]
    summed_up = {"dst": tuple(node_id(name) for name in step.memory_ids), "relationship": "SUMMARIZES"}
    if len(members) < len(step.memory_ids) or transaction.find(Edge, summed_up, limit=1):
        return None
    mark = summary_mark(step.title, step.content)
    made, _ = new_memory(
        clock.now(),
        is_clean=True,
        content=step.content,
        memory_type="insight",
        importance=SUMMARY_IMPORTANCE,
        confidence=SUMMARY_CONFIDENCE,
        tags=step.tags,
        metadata={MEMBERS: len(members), MIDDLE: members[0].id, SUMMARY_MARK: mark},
        namespace=members[0].namespace,
        category=SUMMARY,
        title=step.title,
        source=SUMMARY_SOURCE,
    )
    memory = transaction.insert(made)
    _cover(transaction, memory, members)
    return memory.id


def _extend(transaction: Transaction, step: PlanStep) -> str | None:
    members = [memory for memory_id in step.memory_ids if (memory := _current(transaction, memory_id))]
    summed_up = {"dst": tuple(node_id(name) for name in step.memory_ids), "relationship": "SUMMARIZES"}
    summary = _current(transaction, step.summary_id)
    if summary is None or not is_own_summary(summary) or len(members) < len(step.memory_ids):
        return None
    if transaction.find(Edge, summed_up, limit=1):
        return None
    own = {"src": node_id(summary.id), "relationship": "SUMMARIZES"}
    metadata = {
        **{name: value for name, value in summary.metadata.items() if name != "written_by"},
        MEMBERS: len(transaction.find(Edge, own)) + len(members),
        SUMMARY_MARK: summary_mark(step.title, step.content),
    }
    values = {
        "content": step.content,
        "content_hash": content_hash(step.content),
        "title": step.title,
        "metadata": metadata,
        "updated_at": clock.now(),
    }
    _cover(transaction, transaction.update(Memory, summary.id, values), members)
    return summary.id


def _cover(transaction: Transaction, summary: Memory, members: Sequence[Memory]) -> None:
    """Link a summary with its members."""
    ensure_node(transaction, summary)
    for member in members:
        ensure_node(transaction, member)
        edge = Edge(id=clock.new_id(), src=node_id(summary.id), dst=node_id(member.id), relationship="SUMMARIZES",
                    created_at=clock.now())  # fmt: skip
        transaction.insert(edge)


def _archive(transaction: Transaction, step: PlanStep) -> str | None:
    memory = _current(transaction, step.memory_ids[0])
    if memory is None or memory.importance != step.before:
        return None
    now = clock.now()
    metadata = {**memory.metadata, ARCHIVED: {"at": now, "why": step.why, "expires_at": memory.expires_at}}
    transaction.update(Memory, memory.id, {"expires_at": now, "metadata": metadata})
    return ""


def _current(transaction: Transaction, memory_id: str) -> Memory | None:
    """Return a memory if it is neither superseded nor expired."""
    found = transaction.get(Memory, [memory_id])
    return next((row for row in found if row.superseded_by is None and not row.is_expired(clock.now())), None)


# Each returns None if the step was left out, the id of the memory it wrote, or empty text if it wrote none.
WRITERS: Mapping[StepAction, Callable[[Transaction, PlanStep], str | None]] = {
    "fade": _importance,
    "revive": _importance,
    "link": _link,
    "summarize": _summary,
    "extend": _extend,
    "archive": _archive,
}


# A quarter: runs are not undone after months.
KEPT_DAYS = 90
# Rows dropped in one transaction, so that other writers do not wait long.
ROWS = 500
# The last run of decay whose rows were dropped.
KEY = "consolidation/thinned"

DAY_S = 86_400


def thin(store: Store) -> int:
    """Drop log rows of decay runs older than KEPT_DAYS; return how many.

    Such a run cannot be undone any more. If this is stopped, the next call drops the rest.
    """
    old = {"cycle_type": "decay", "run_at": Range(below=clock.now() - KEPT_DAYS * DAY_S)}
    done = int(store.setting(KEY) or 0)
    dropped = 0
    for run in store.find(Consolidation, {**old, "id": Range(at_least=done + 1)}, order="id"):
        faded = {"batch": run.batch, "entity": "memories", "action": "update"}
        rows = [seq for (seq,) in store.columns(Change, ("seq",), faded)] if run.batch else []
        for start in range(0, len(rows), ROWS):
            with store.transaction("consolidate") as transaction:
                dropped += transaction.delete(Change, {"seq": tuple(rows[start : start + ROWS])})
        store.keep_setting(KEY, str(run.id))
    return dropped
