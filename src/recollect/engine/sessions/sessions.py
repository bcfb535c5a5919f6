"""Sessions: sittings of assistants, from what hooks saw of them; what was done in each, and what fixed what.

    event ─► begun, gone on with, or ended ─► fixes found ─► summed up, as an insight

The end of a turn ends a session, and whatever comes later opens it again: nobody knows which turn is the last. One that
is never heard of again, because its assistant was killed, is ended by silence.
"""

import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from recollect import clock
from recollect.engine.records import input_checks
from recollect.engine.records.memory_rows import full_id
from recollect.errors import InvalidInput, NotFound, RecollectError, StorageError
from recollect.model import (
    Injection,
    Limit,
    Memory,
    Observed,
    Offset,
    Session,
    SessionPage,
    SessionView,
    Summed,
)
from recollect.operations import operation
from recollect.store.protocol import Range

if TYPE_CHECKING:
    from recollect.engine.root import Engine
    from recollect.engine.sessions.hook_ingest import Notice, Written
    from recollect.store.protocol import Transaction

# Nobody thinks for longer between two prompts: a session without a sign for so long is over.
SILENT_S = 4 * 3600
# How often a process looks for silent sessions, and how many it ends at a time.
LOOK_S = 600
# Every turn ends a session until the next; a language model tells what it was about once it has been quiet for so long.
RETOLD_AFTER_S = 600
ENDED_AT_ONCE = 20
# When another session of the same assistant starts, one that was not heard of for so long was left or killed.
LEFT_S = 600
# Open sessions of a project that are summarized when another one starts: the latest.
SETTLED_AT_ONCE = 5
# Kept of what hooks saw; fixes and summaries stay. Patterns are looked for within a season.
KEPT_S = 120 * 86_400

# When it is looked at what was made of what was put before an assistant: an answer is there, or the window is lost.
JUDGED_AT = frozenset({"turn_end", "agent_end", "session_end", "before_compact"})
_ENDING = {"session_end": "end", "turn_end": "turn"}
# Beginnings after which an assistant knows nothing any more of what was said before, ours included.
FORGETTING = frozenset({"compact", "clear"})


class Sessions:
    """What was done when."""

    def __init__(self, engine: "Engine") -> None:
        self._engine = engine
        self._looked_at = 0.0

    @operation("list_sessions", "sessions", read_only=True, listed=("project", "limit"))
    def list(
        self,
        *,
        namespace: str | None = None,
        all_projects: bool = False,
        active: bool | None = None,
        limit: Limit = 20,
        offset: Offset = 0,
    ) -> SessionPage:
        """List recent sessions with their summaries. Answers "what did we do last time?".

        namespace: project path or name; default: this project
        all_projects: list sessions of all projects
        active: true: still open; false: ended; default: both
        limit: maximum number of results
        offset: number of results to skip
        """
        self._engine.capture.catch_up()
        where = self._engine.scope.where(namespace, all_projects=all_projects)
        if active is not None:
            where["ended_at"] = None if active else Range(at_least=0)
        most = input_checks.whole("limit", limit, least=1, most=1000)
        skip = input_checks.whole("offset", offset, least=0, most=2**53)
        rows = self._engine.store.find(Session, where, order="-started_at", limit=most, offset=skip)
        return SessionPage(sessions=tuple(rows), total=self._engine.store.count(Session, where), offset=skip)

    @operation("get_session", "session", read_only=True)
    def get(self, session_id: str, *, limit: Limit = 100) -> SessionView:
        """Show the summary and the events of one session.

        session_id: id from list_sessions
        limit: maximum number of events, the latest
        """
        session = self._existing(session_id)
        most = input_checks.whole("limit", limit, least=1, most=1000)
        where = {"session_id": session.id}
        rows = self._engine.store.find(Observed, where, order="-id", limit=most)
        total = self._engine.store.count(Observed, where)
        return SessionView(session=session, observations=tuple(reversed(rows)), total=total)

    @operation("summarize_session", "summarize", idempotent=True, positional=("session_id",), listed=("session_id",))
    def summarize(
        self,
        session_id: str | None = None,
        *,
        namespace: str | None = None,
        payload: str | None = None,
        event: str | None = None,
        assistant: str | None = None,
    ) -> Summed:
        """Summarize a session: requests, changes, errors and fixes.

        The summary is stored as one memory of type insight. It is rewritten when the session goes on.

        session_id: session id; default: the latest session
        namespace: project path or name; default: this project
        payload: JSON of the assistant's stop hook; ends its session
        event: event name, if the payload has none
        assistant: such as claude or codex, if unclear
        """
        from recollect.engine.sessions.session_state import sum_up

        if payload is not None and payload.strip():
            session_id = self._ended_by(input_checks.text("payload", payload), event or "Stop", assistant or "")
        self._engine.capture.catch_up()
        if session_id is not None:
            session = self._existing(session_id)
        else:
            where = self._engine.scope.where(namespace)
            found = self._engine.store.find(Session, where, order="-started_at", limit=1)
            if not found:
                raise NotFound(
                    "there is no session yet", hint="Hooks create sessions: connect an assistant with `recollect init`."
                )
            session = found[0]
        with self._engine.store.transaction("summarize_session") as transaction:
            memory, created = sum_up(transaction, session)
            (session,) = transaction.get(Session, [session.id])
        self._engine.embedding.wake()
        summed = Summed(session=session, memory=memory, created=created)
        return self._retold(summed) if memory is not None and self._engine.settings.summaries == "model" else summed

    def _ended_by(self, payload: str, event: str, assistant: str) -> str:
        """Take in what a hook was given, and return which session it is about. Raises InvalidInput."""
        from recollect.capture.observation import BadPayload
        from recollect.engine.sessions.hook_ingest import Noticing

        raw = payload.encode("utf-8", "replace")
        try:
            notice = Noticing(self._engine).of_bytes(raw, "", event=event, assistant=assistant, at=clock.now())
        except BadPayload as problem:
            raise InvalidInput(f"the payload is not a hook event: {problem}") from None
        if notice is None or not notice.row.session_id:
            raise InvalidInput("the payload has no session id")
        self._engine.capture.put(raw, event=event, assistant=assistant)
        self._engine.capture.drain()
        return notice.row.session_id

    def _retold(self, summed: Summed) -> Summed:
        """Return a summary in the words of the language model; by rules, with a note, where it cannot do it."""
        from recollect.engine.sessions.session_llm_summary import retell

        try:
            why_not = retell(self._engine, summed.session.id).why_not
        except RecollectError as problem:  # the summary by rules is there whatever happens to the other
            why_not = problem.message
        rows = self._engine.store.get(Session, [summed.session.id])
        memories = self._engine.store.get(Memory, [summed.memory.id]) if summed.memory else []
        if not rows or not memories:  # forgotten by another process a moment ago
            return summed
        notes = (f"summarized by built-in rules: {why_not}",) if why_not else ()
        return Summed(session=rows[0], memory=memories[0], created=summed.created, notes=notes)

    def _existing(self, session_id: str) -> Session:
        store, given = self._engine.store, input_checks.text("session_id", session_id)
        found = store.get(Session, [given]) or store.get(Session, [full_id(store, Session, "id", given) or ""])
        if not found:
            raise NotFound(
                f"no session has the id {session_id}",
                hint="`recollect sessions` lists sessions.",
                session_id=session_id,
            )
        return found[0]

    # --- what hooks saw ---

    def write(self, notices: Sequence["Notice"]) -> Sequence["Written"]:
        """Write observations and everything derived from them in one transaction; returns the outcome of each."""
        from recollect.engine.sessions.hook_ingest import write

        done: list[Written] = []
        with self._engine.store.transaction("ingest") as transaction:
            fresh: list[Notice] = []
            made: Counter[str] = Counter()
            for notice in notices:
                written = write(transaction, notice, self._engine.anchoring.write)
                done.append(written)
                if written not in ("twice", "known"):
                    fresh.append(notice)
                    made[notice.row.session_id or ""] += written == "stored"
            for session_id in dict.fromkeys(notice.row.session_id or "" for notice in fresh):
                rows = [notice for notice in fresh if (notice.row.session_id or "") == session_id]
                self._follow(transaction, session_id, rows, made[session_id])
        return done

    def _follow(self, transaction: "Transaction", session_id: str, notices: Sequence["Notice"], made: int) -> None:
        """Bring a session up to date with what was just seen in it."""
        from recollect.engine.sessions.session_state import begun, note_fixes

        session = begun(transaction, session_id, notices)
        values: dict[str, Any] = {"memory_count": session.memory_count + made}
        ended_at, ended_by = session.ended_at, session.ended_by
        for notice in notices:
            at = notice.row.at
            if notice.row.event in _ENDING:
                if ended_at is None or at >= ended_at:
                    reason = notice.seen.reason if notice.row.event == "session_end" else ""
                    ended_at, ended_by = at, reason or _ENDING[notice.row.event]
            elif ended_at is not None and (at > ended_at or (notice.row.event == "session_start" and at == ended_at)):
                ended_at, ended_by = None, ""
            if notice.row.event == "session_start" and notice.seen.reason in FORGETTING:
                values["window_at"] = max(session.window_at, at, values.get("window_at", 0))
        values |= {"ended_at": ended_at, "ended_by": ended_by}
        values["seen_at"] = max(session.seen_at, *(notice.row.at for notice in notices))
        if notices[-1].branch:
            values["branch"] = notices[-1].branch
        session = transaction.update(Session, session.id, values)
        if any(notice.row.outcome for notice in notices):
            note_fixes(transaction, session)
        self._look_back(transaction, session, notices)

    def _look_back(self, transaction: "Transaction", session: Session, notices: Sequence["Notice"]) -> None:
        """Sum up a session that has ended, or whose window is lost, and judge what was made of what it was told."""
        from recollect.engine.sessions import injection_outcomes
        from recollect.engine.sessions.session_state import keep_snapshot, sum_up

        rows = [notice.row for notice in notices]
        # What is seen late belongs into the summary, too.
        compacting = any(row.event == "before_compact" for row in rows)
        if session.ended_at is not None or compacting:
            sum_up(transaction, session)
            self._engine.errands.leave(transaction, "summarise", session.id, wait_s=RETOLD_AFTER_S)
        if compacting:
            keep_snapshot(transaction, session.id)
        if session.ended_at is not None or any(row.event in JUDGED_AT for row in rows):
            injection_outcomes.note(transaction, session, notices, over=any(row.event == "session_end" for row in rows))

    def settle_open(self, namespace: str | None, assistant: str, own: str) -> None:
        """Summarize the sessions of a project that never ended, when another one starts.

        One of the same assistant ends if it was not heard of for minutes, the others after hours. Any later event opens
        it again. What cannot be written now is left to the next start.
        """
        if namespace is None:
            return
        where = {"namespace": namespace, "ended_at": None, "memory_count": Range(at_least=1)}
        with suppress(StorageError):
            for session in self._engine.store.find(Session, where, order="-seen_at", limit=SETTLED_AT_ONCE):
                quiet_s = LEFT_S if session.assistant == assistant else SILENT_S
                is_left = session.seen_at < clock.now() - quiet_s
                if session.id == own or (not is_left and self._is_summed_up(session)):
                    continue
                from recollect.engine.sessions.session_state import sum_up

                with self._engine.store.transaction("end_session") as transaction:
                    found = transaction.get(Session, [session.id])
                    if found and found[0].ended_at is None and found[0].seen_at == session.seen_at:
                        ended = {"ended_at": session.seen_at, "ended_by": "left"} if is_left else {}
                        sum_up(transaction, transaction.update(Session, session.id, ended))
                        self._engine.errands.leave(transaction, "summarise", session.id, wait_s=RETOLD_AFTER_S)

    def _is_summed_up(self, session: Session) -> bool:
        """Tell whether the summary of a session has all that was seen of it."""
        known = self._engine.store.get(Memory, [session.insight_id]) if session.insight_id else []
        return bool(known) and known[0].updated_at >= session.seen_at

    def close_silent(self) -> int:
        """End sessions that were not heard of for hours, and sum them up; returns how many. Looks now and then only."""
        from recollect.engine.sessions.session_state import sum_up

        if time.monotonic() - self._looked_at < LOOK_S and self._looked_at:
            return 0
        self._looked_at = time.monotonic()
        edge = clock.now() - SILENT_S
        where = {"ended_at": None, "seen_at": Range(at_least=1, below=edge)}
        silent = self._engine.store.find(Session, where, order="seen_at", limit=ENDED_AT_ONCE)
        for session in silent:
            with self._engine.store.transaction("end_session") as transaction:
                found = transaction.get(Session, [session.id])
                # Another process may have ended it, or heard of it, a moment ago.
                if found and found[0].ended_at is None and found[0].seen_at < edge:
                    ended = {"ended_at": found[0].seen_at, "ended_by": "silence"}
                    sum_up(transaction, transaction.update(Session, session.id, ended))
                    self._engine.errands.leave(transaction, "summarise", session.id)
        self._judge_silent()
        self._forget_old()
        return len(silent)

    def _judge_silent(self) -> None:
        """Judge what was put before assistants that were not heard of since."""
        from recollect.engine.sessions import injection_outcomes

        with self._engine.store.transaction("judge_offers") as transaction:
            injection_outcomes.settle(transaction, silent_s=SILENT_S, limit=ENDED_AT_ONCE)
        self._engine.usefulness.count()

    def _forget_old(self) -> None:
        edge = Range(below=clock.now() - KEPT_S)
        for kind in (Observed, Injection):
            moments = [at for (at,) in self._engine.store.columns(kind, ("at",), {"at": edge})]
            if moments:
                # Some at a time: a first look after years must not hold the lock for long.
                until = sorted(moments)[:1_000][-1]
                with self._engine.store.transaction("forget_observations") as transaction:
                    transaction.delete(kind, {"at": Range(below=until + 1)})
