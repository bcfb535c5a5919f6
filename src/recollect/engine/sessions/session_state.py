"""Sitting: how a session stands after what was just seen in it, what fixed what, and what it was about.

It runs in the caller's transaction and is idempotent.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from recollect import clock
from recollect.capture.fixes import pairs
from recollect.capture.summary import summarise
from recollect.engine.records.memory_rows import content_hash, store_in
from recollect.model import Fix, Memory, Observed, Session
from recollect.store.protocol import Range

if TYPE_CHECKING:
    from recollect.capture.fixes import Pair
    from recollect.engine.sessions.hook_ingest import Notice
    from recollect.store.protocol import Transaction

# Observations of a session that are read for its summary, the latest: more would be a week without an end.
READ = 5_000
# What a summary is worth among other memories, and a fix: both are what the next session needs first.
SUMMARY_IMPORTANCE = 0.7
# Who a summary is by, in the metadata of its memory: rules, or the id of a language model.
TOLD_BY = "summary_by"
BY_RULES = "rules"
FIX_IMPORTANCE = 0.8


def begun(transaction: Transaction, session_id: str, notices: Sequence[Notice]) -> Session:
    """Return a session, begun with the first that was seen of it."""
    first = notices[0]
    started = min(notice.row.at for notice in notices)
    known = transaction.get(Session, [session_id])
    if known:
        # Two drainers may meet its events in another order than they happened.
        if started < known[0].started_at:
            return transaction.update(Session, session_id, {"started_at": started})
        return known[0]
    return transaction.insert(
        Session(
            id=session_id,
            namespace=first.row.namespace,
            started_at=started,
            assistant=first.row.assistant,
            branch=first.branch,
            seen_at=first.row.at,
        )
    )


def note_fixes(transaction: Transaction, session: Session) -> None:
    """Keep what made failures of a session go away; looking again changes nothing."""
    if not transaction.find(Observed, {"session_id": session.id, "outcome": "failed"}, limit=1):
        return
    for pair in pairs(_rows(transaction, session)):
        steps = tuple(step.told for step in pair.steps)
        known = transaction.get(Fix, [pair.failure.id])
        if known and known[0].steps == steps:
            continue
        memory = _fix_memory(transaction, session, pair, steps)
        if known:
            transaction.update(Fix, known[0].id, {"steps": steps, "memory_id": memory})
            if not transaction.find(Fix, {"memory_id": known[0].memory_id}, limit=1):
                transaction.delete(Memory, {"id": known[0].memory_id})
            continue
        fix = Fix(
            id=pair.failure.id,
            fingerprint=pair.failure.fingerprint,
            namespace=session.namespace,
            memory_id=memory,
            error=pair.failure.told,
            steps=steps,
            seen_at=pair.success.at,
        )
        transaction.insert(fix)


def _fix_memory(transaction: Transaction, session: Session, pair: Pair, steps: tuple[str, ...]) -> str:
    """Return the memory that tells a fix: the one of the same steps for the same error, or a new one."""
    same = {"fingerprint": pair.failure.fingerprint, "namespace": session.namespace}
    for fix in transaction.find(Fix, same, limit=100):
        if fix.steps == steps:
            return fix.memory_id
    content = f"{pair.failure.told}\nWhat fixed it: " + "; ".join(steps)
    memory = Memory(
        id=clock.new_id(),
        content=content,
        content_hash=content_hash(content),
        memory_type="insight",
        importance=FIX_IMPORTANCE,
        category="fix",
        tags=("fix", f"error:{pair.failure.fingerprint}"),
        metadata={"fingerprint": pair.failure.fingerprint, "assistant": session.assistant},
        namespace=session.namespace,
        created_at=pair.success.at,
        updated_at=pair.success.at,
        last_accessed_at=pair.success.at,
        source="hook",
        session_id=session.id,
    )
    return store_in(transaction, memory).memory.id


def sum_up(
    transaction: Transaction, session: Session, decided: Sequence[Memory] | None = None
) -> tuple[Memory | None, bool]:
    """Write the summary of a session into its memory; returns that, and whether it is new.

    decided: what is told as decided in it; None: what was stored on purpose while it went on
    """
    rows = _rows(transaction, session)
    prefix = f"{session.namespace}/" if session.namespace else ""
    remembered = _remembered(transaction, session) if decided is None else decided
    found = summarise(rows, remembered, lambda path: path.removeprefix(prefix))
    if found is None:
        return None, False
    day = time.strftime("%Y-%m-%d", time.gmtime(session.started_at))
    content = f"Session of {day}: {found.headline}\n{found.text}"
    values: dict[str, Any] = {"content": content, "content_hash": content_hash(content), "title": found.headline}
    known = transaction.get(Memory, [session.insight_id]) if session.insight_id else []
    if known:
        if known[0].content_hash == values["content_hash"]:
            return known[0], False  # nothing new; a language model may have told it in better words since
        values["updated_at"] = max(known[0].updated_at, session.seen_at)
        values["metadata"] = {**known[0].metadata, TOLD_BY: BY_RULES}
        memory = transaction.update(Memory, known[0].id, values)
    else:
        memory = transaction.insert(_insight(session, values))
    transaction.update(Session, session.id, {"summary": found.text, "insight_id": memory.id})
    return memory, not known


def keep_snapshot(transaction: Transaction, session_id: str) -> None:
    """Keep how a session stands, for the moment when its assistant has forgotten it; what was summed up is current."""
    (session,) = transaction.get(Session, [session_id])
    if session.summary and session.snapshot != session.summary:
        transaction.update(Session, session.id, {"snapshot": session.summary})


def _rows(transaction: Transaction, session: Session) -> list[Observed]:
    return transaction.find(Observed, {"session_id": session.id}, order="-id", limit=READ)


def _remembered(transaction: Transaction, session: Session) -> list[Memory]:
    """Return what was stored on purpose during a session: by its id, or in its project while it went on."""
    kinds = ("decision", "preference", "style", "habit", "insight", "pattern")
    during = Range(session.started_at, (session.ended_at or session.seen_at or session.started_at) + 1)
    rows = transaction.find(Memory, {"session_id": session.id, "memory_type": kinds}, order="seq", limit=100)
    if session.namespace is not None:
        also = {"namespace": session.namespace, "created_at": during, "memory_type": kinds}
        rows += transaction.find(Memory, {**also, "source": ("user", "assistant")}, order="seq", limit=100)
    return [*{row.id: row for row in rows if row.source in ("user", "assistant")}.values()]


def _insight(session: Session, values: dict[str, Any]) -> Memory:
    at = session.seen_at or session.started_at
    return Memory(
        id=clock.new_id(),
        memory_type="insight",
        importance=SUMMARY_IMPORTANCE,
        category="session",
        tags=("session-summary",),
        metadata={"session": session.id, "assistant": session.assistant, TOLD_BY: BY_RULES},
        namespace=session.namespace,
        created_at=at,
        updated_at=at,
        last_accessed_at=at,
        source="hook",
        session_id=session.id,
        observed=True,
        **values,
    )
