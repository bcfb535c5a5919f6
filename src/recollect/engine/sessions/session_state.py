"""Update sessions after ingesting events: start, end, fixes, summary.

    event ─► session begun, continued or ended ─► fixes found ─► summary, stored as an insight

The end of a turn ends a session, and any later event opens it again: no event tells which turn is the last. A session
whose assistant was killed ends after a time without events. Everything here is idempotent.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import msgspec

from recollect import clock
from recollect.engine.records.memory_rows import content_hash, new_memory, store_in
from recollect.engine.sessions.model_summaries import BY_RULES, SESSION_ROWS, SUMMARY_BY, ModelSummaries
from recollect.errors import StorageError
from recollect.model import Fix, Injection, Memory, Observed, Session
from recollect.store.store_values import Range

if TYPE_CHECKING:
    from recollect.capture.fixes import Pair
    from recollect.engine.context import Context
    from recollect.engine.memory.amendments import Amendments
    from recollect.engine.memory.anchoring import Anchoring
    from recollect.engine.sessions.hook_ingest import OwnAnswer, PreparedEvent, Written
    from recollect.engine.sessions.llm_jobs import LlmJobs
    from recollect.store.transaction import Transaction

# What a summary is worth among other memories, and a fix: both are what the next session needs first.
SUMMARY_IMPORTANCE = 0.7
FIX_IMPORTANCE = 0.8
# The longest pause between two prompts: a session without events for so long is over.
SILENT_S = 4 * 3600
# How often a process looks for silent sessions, and how many it ends at a time.
LOOK_S = 600
ENDED_AT_ONCE = 20
# Every turn ends a session until the next; the language model summarises it once it has been quiet for so long.
SUMMARISED_AFTER_S = 600
# When another session of the same assistant starts, one without a sign for so long was left or killed.
LEFT_S = 600
# Open sessions of a project that are summarized when another one starts: the latest.
SETTLED_AT_ONCE = 5
# How long events and injections are kept; fixes and summaries stay. Patterns are looked for within a season.
KEPT_S = 120 * 86_400
# Events after which injections are judged: an answer is there, or the context window is lost.
JUDGED_AT = frozenset({"turn_end", "agent_end", "session_end", "before_compact"})
_ENDING = {"session_end": "end", "turn_end": "turn"}
# Reasons for a start after which the assistant has lost its context, injected memories included.
FORGETTING = frozenset({"compact", "clear"})


class SessionUpdates(msgspec.Struct, eq=False):
    """Writes events, and keeps their sessions up to date. looked_at: when it last looked for silent sessions"""

    context: Context
    anchoring: Anchoring
    amendments: Amendments
    summaries: ModelSummaries
    llm_jobs: LlmJobs
    looked_at: float = 0.0

    def write(self, events: Sequence[PreparedEvent]) -> Sequence[Written]:
        """Write events and everything derived from them in one transaction; returns the outcome of each."""
        from recollect.engine.sessions.hook_ingest import compared, write

        events = [compared(event, self.amendments, self.anchoring) for event in events]
        done: list[Written] = []
        with self.context.store.transaction("ingest") as transaction:
            fresh: list[PreparedEvent] = []
            made: Counter[str] = Counter()
            for event in events:
                written = write(transaction, event, self.anchoring.write)
                done.append(written)
                if written not in ("twice", "known"):
                    fresh.append(event)
                    made[event.row.session_id or ""] += written == "stored"
            for session_id in dict.fromkeys(event.row.session_id or "" for event in fresh):
                rows = [event for event in fresh if (event.row.session_id or "") == session_id]
                self._update(transaction, session_id, rows, made[session_id])
        self._queue_compression([event for event, written in zip(events, done, strict=True) if written == "stored"])
        return done

    def _queue_compression(self, events: Sequence[PreparedEvent]) -> None:
        """Queue jobs that shorten long observations. If this process dies before, they stay long."""
        tools = [event.memory for event in events if event.row.event == "tool" and event.memory is not None]
        long = [memory.id for memory in tools if self.summaries.is_compressible(memory)]
        if long:
            with self.context.store.transaction("leave_errands") as transaction:
                for memory_id in long:
                    self.llm_jobs.put(transaction, "compress", memory_id)

    def _update(self, transaction: Transaction, session_id: str, events: Sequence[PreparedEvent], made: int) -> None:
        """Update a session after its events were written."""
        session = started_session(transaction, session_id, events)
        values: dict[str, Any] = {"memory_count": session.memory_count + made}
        ended_at, ended_by = session.ended_at, session.ended_by
        for event in events:
            at = event.row.at
            if event.row.event in _ENDING:
                if ended_at is None or at >= ended_at:
                    reason = event.seen.reason if event.row.event == "session_end" else ""
                    ended_at, ended_by = at, reason or _ENDING[event.row.event]
            elif ended_at is not None and (at > ended_at or (event.row.event == "session_start" and at == ended_at)):
                ended_at, ended_by = None, ""
            if event.row.event == "session_start" and event.seen.reason in FORGETTING:
                values["window_at"] = max(session.window_at, at, values.get("window_at", 0))
        values |= {"ended_at": ended_at, "ended_by": ended_by}
        values["seen_at"] = max(session.seen_at, *(event.row.at for event in events))
        if events[-1].branch:
            values["branch"] = events[-1].branch
        session = transaction.update(Session, session.id, values)
        if any(event.row.outcome for event in events):
            store_fixes(transaction, session)
        self._look_back(transaction, session, events)

    def _look_back(self, transaction: Transaction, session: Session, events: Sequence[PreparedEvent]) -> None:
        """Summarise a session that ended or lost its context, and judge its injected memories."""
        from recollect.engine.sessions import injection_outcomes

        rows = [event.row for event in events]
        # Late events belong into the summary, too.
        compacting = any(row.event == "before_compact" for row in rows)
        if session.ended_at is not None or compacting:
            write_summary(transaction, session)
            self.llm_jobs.put(transaction, "summarise", session.id, wait_s=SUMMARISED_AFTER_S)
        if compacting:
            keep_snapshot(transaction, session.id)
        if session.ended_at is not None or any(row.event in JUDGED_AT for row in rows):
            injection_outcomes.judge(transaction, session, events, over=any(row.event == "session_end" for row in rows))

    def record_answers(self, answers: Sequence[OwnAnswer]) -> None:
        """Record the memories in recollect's own answers as injected."""
        from recollect.engine.sessions import injection_outcomes

        if answers:
            with self.context.store.transaction("present") as transaction:
                injection_outcomes.record_answers(transaction, answers)

    def settle_open(self, namespace: str | None, assistant: str, own: str) -> None:
        """Summarize the sessions of a project that never ended, when another one starts.

        Those of the same assistant end after minutes without a sign, others after hours. Any later event opens them
        again. A store that cannot be written is no error: the next start tries again.
        """
        if namespace is None:
            return
        where = {"namespace": namespace, "ended_at": None, "memory_count": Range(at_least=1)}
        with suppress(StorageError):
            for session in self.context.store.find(Session, where, order="-seen_at", limit=SETTLED_AT_ONCE):
                quiet_s = LEFT_S if session.assistant == assistant else SILENT_S
                is_left = session.seen_at < clock.now() - quiet_s
                if session.id == own or (not is_left and self._is_summarised(session)):
                    continue
                self._end(session, "left" if is_left else "", wait_s=SUMMARISED_AFTER_S)

    def _is_summarised(self, session: Session) -> bool:
        """Tell whether the summary of a session covers its latest event."""
        known = self.context.store.get(Memory, [session.insight_id]) if session.insight_id else []
        return bool(known) and known[0].updated_at >= session.seen_at

    def close_silent(self) -> int:
        """End and summarise sessions without a sign for hours; returns how many. Looks every LOOK_S only."""
        if time.monotonic() - self.looked_at < LOOK_S and self.looked_at:
            return 0
        self.looked_at = time.monotonic()
        from recollect.engine.sessions import injection_outcomes

        store = self.context.store
        where = {"ended_at": None, "seen_at": Range(at_least=1, below=clock.now() - SILENT_S)}
        silent = store.find(Session, where, order="seen_at", limit=ENDED_AT_ONCE)
        for session in silent:
            self._end(session, "silence", wait_s=0)
        with store.transaction("judge_offers") as transaction:
            injection_outcomes.judge_silent(transaction, silent_s=SILENT_S, limit=ENDED_AT_ONCE)
        injection_outcomes.count(store)
        self._forget_old()
        return len(silent)

    def _end(self, session: Session, ended_by: str, *, wait_s: int) -> None:
        """Summarise a session, and end it with its last event if there is a reason."""
        with self.context.store.transaction("end_session") as transaction:
            found = transaction.get(Session, [session.id])
            # Another process may have ended it, or written an event of it, a moment ago.
            if found and found[0].ended_at is None and found[0].seen_at == session.seen_at:
                ended = {"ended_at": session.seen_at, "ended_by": ended_by} if ended_by else {}
                write_summary(transaction, transaction.update(Session, session.id, ended))
                self.llm_jobs.put(transaction, "summarise", session.id, wait_s=wait_s)

    def _forget_old(self) -> None:
        edge = Range(below=clock.now() - KEPT_S)
        for kind in (Observed, Injection):
            moments = [at for (at,) in self.context.store.columns(kind, ("at",), {"at": edge})]
            if moments:
                # Some at a time: a first look after years must not hold the lock for long.
                until = sorted(moments)[:1_000][-1]
                with self.context.store.transaction("forget_observations") as transaction:
                    transaction.delete(kind, {"at": Range(below=until + 1)})


def started_session(transaction: Transaction, session_id: str, events: Sequence[PreparedEvent]) -> Session:
    """Return a session, which starts with its first event."""
    first = events[0]
    started = min(event.row.at for event in events)
    known = transaction.get(Session, [session_id])
    if known:
        # Two drainers may write events in another order than they happened.
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


def store_fixes(transaction: Transaction, session: Session) -> None:
    """Store the steps that resolved failures of a session."""
    from recollect.capture.fixes import pairs

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
    """Return the id of the memory of a fix: a known one with the same steps, or a new one."""
    same = {"fingerprint": pair.failure.fingerprint, "namespace": session.namespace}
    for fix in transaction.find(Fix, same, limit=100):
        if fix.steps == steps:
            return fix.memory_id
    content = f"{pair.failure.told}\nWhat fixed it: " + "; ".join(steps)
    memory, _ = new_memory(
        pair.success.at,
        is_clean=True,
        content=content,
        memory_type="insight",
        importance=FIX_IMPORTANCE,
        category="fix",
        tags=("fix", f"error:{pair.failure.fingerprint}"),
        metadata={"fingerprint": pair.failure.fingerprint, "assistant": session.assistant},
        namespace=session.namespace,
        source="hook",
        session_id=session.id,
    )
    return store_in(transaction, memory).memory.id


def write_summary(
    transaction: Transaction, session: Session, decided: Sequence[Memory] | None = None
) -> tuple[Memory | None, bool]:
    """Write the summary of a session into its memory; returns that, and whether it is new.

    decided: decisions to mention; None: those that were stored during the session
    """
    from recollect.capture.summary import summarise

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
            return known[0], False  # nothing new; the language model may have rewritten it since
        values["updated_at"] = max(known[0].updated_at, session.seen_at)
        values["metadata"] = {**known[0].metadata, SUMMARY_BY: BY_RULES}
        memory = transaction.update(Memory, known[0].id, values)
    else:
        memory = transaction.insert(_insight(session, values))
    transaction.update(Session, session.id, {"summary": found.text, "insight_id": memory.id})
    return memory, not known


def keep_snapshot(transaction: Transaction, session_id: str) -> None:
    """Keep the summary of a session for the moment when its assistant has lost its context."""
    (session,) = transaction.get(Session, [session_id])
    if session.summary and session.snapshot != session.summary:
        transaction.update(Session, session.id, {"snapshot": session.summary})


def _rows(transaction: Transaction, session: Session) -> list[Observed]:
    return transaction.find(Observed, {"session_id": session.id}, order="-id", limit=SESSION_ROWS)


def _remembered(transaction: Transaction, session: Session) -> list[Memory]:
    """Return memories that were stored on purpose during a session: by its id, or in its project by no session."""
    kinds = ("decision", "preference", "style", "habit", "insight", "pattern")
    during = Range(session.started_at, (session.ended_at or session.seen_at or session.started_at) + 1)
    rows = transaction.find(Memory, {"session_id": session.id, "memory_type": kinds}, order="seq", limit=100)
    if session.namespace is not None:
        also = {"namespace": session.namespace, "session_id": None, "created_at": during, "memory_type": kinds}
        rows += transaction.find(Memory, {**also, "source": ("user", "assistant")}, order="seq", limit=100)
    return [*{row.id: row for row in rows if row.source in ("user", "assistant")}.values()]


def _insight(session: Session, values: dict[str, Any]) -> Memory:
    made, _ = new_memory(
        session.seen_at or session.started_at,
        is_clean=True,
        memory_type="insight",
        importance=SUMMARY_IMPORTANCE,
        category="session",
        tags=("session-summary",),
        metadata={"session": session.id, "assistant": session.assistant, SUMMARY_BY: BY_RULES},
        namespace=session.namespace,
        source="hook",
        session_id=session.id,
        observed=True,
        **values,
    )
    return made
