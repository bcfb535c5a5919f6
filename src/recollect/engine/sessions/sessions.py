"""Sessions of assistants: list them, show one, summarize one."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import msgspec

from recollect.engine.records import input_checks
from recollect.engine.records.memory_rows import full_id, headline
from recollect.errors import InvalidInput, NotFound, RecollectError
from recollect.model import (
    Injected,
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
from recollect.recall.feedback import sign
from recollect.store.store_values import Range
from recollect.text.token_count import tokens

if TYPE_CHECKING:
    from recollect.engine.context import Context
    from recollect.engine.models.embedding_queue import Embedding
    from recollect.engine.records.scope import Scope
    from recollect.engine.sessions.capture import Capture
    from recollect.engine.sessions.model_summaries import ModelSummaries


# Characters of a memory that are injected, about: hook_responses/context_block.py.
INJECTED_CHARACTERS = 280


class Sessions(msgspec.Struct, eq=False):
    """Sessions as hooks recorded them."""

    context: "Context"
    scope: "Scope"
    capture: "Capture"
    embedding: "Embedding"
    summaries: "ModelSummaries"

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
        """
        self.capture.catch_up()
        where = self.scope.where(namespace, all_projects=all_projects)
        if active is not None:
            where["ended_at"] = None if active else Range(at_least=0)
        most = input_checks.whole("limit", limit, least=1, most=1000)
        skip = input_checks.whole("offset", offset, least=0, most=2**53)
        rows = self.context.store.find(Session, where, order="-started_at", limit=most, offset=skip)
        return SessionPage(sessions=tuple(rows), total=self.context.store.count(Session, where), offset=skip)

    @operation("get_session", "session", read_only=True)
    def get(self, session_id: str, *, limit: Limit = 100) -> SessionView:
        """Show the summary and the events of one session.

        session_id: id from list_sessions
        limit: maximum number of events, the latest
        """
        self.capture.catch_up()
        session = self._existing(session_id)
        most = input_checks.whole("limit", limit, least=1, most=1000)
        where = {"session_id": session.id}
        rows = self.context.store.find(Observed, where, order="-id", limit=most)
        total = self.context.store.count(Observed, where)
        injected = self.context.store.find(Injection, where, order="-at", limit=most)
        return SessionView(
            session=session,
            observations=tuple(reversed(rows)),
            total=total,
            injected=tuple(self._injected(injected[::-1])),
            injected_total=self.context.store.count(Injection, where),
        )

    def _injected(self, rows: Sequence[Injection]) -> Iterator[Injected]:
        """Yield injected memories with how they were used; deleted ones by their id."""
        known = {row.id: row for row in self.context.store.get(Memory, [row.memory_id for row in rows])}
        for row in rows:
            memory = known.get(row.memory_id)
            yield Injected(
                memory_id=row.memory_id,
                label=headline(memory) if memory is not None else "deleted",
                at=row.at,
                event=row.event,
                why=row.why,
                evidence=row.evidence,
                outcome=sign(row.evidence).words,
                tokens=tokens(memory.content[:INJECTED_CHARACTERS]) if memory is not None else 0,
            )

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
        """
        from recollect.engine.sessions.session_state import write_summary

        if payload is not None and payload.strip():
            session_id = self._ended_by(input_checks.text("payload", payload), event or "Stop", assistant or "")
        self.capture.catch_up()
        if session_id is not None:
            session = self._existing(session_id)
        else:
            where = self.scope.where(namespace)
            found = self.context.store.find(Session, where, order="-started_at", limit=1)
            if not found:
                raise NotFound(
                    "there is no session yet", hint="Hooks create sessions: connect an assistant with `recollect init`."
                )
            session = found[0]
        with self.context.store.transaction("summarize_session") as transaction:
            memory, created = write_summary(transaction, session)
            (session,) = transaction.get(Session, [session.id])
        self.embedding.wake()
        summed = Summed(session=session, memory=memory, created=created)
        return self._by_model(summed) if memory is not None and self.context.settings.summaries == "model" else summed

    def _ended_by(self, payload: str, event: str, assistant: str) -> str:
        """Ingest a hook's payload, and return the id of its session. Raises InvalidInput."""
        from recollect.capture.observation import BadPayload

        raw = payload.encode("utf-8", "replace")
        try:
            found = self.capture.parse(raw, event=event, assistant=assistant)
        except BadPayload as problem:
            raise InvalidInput(f"the payload is not a hook event: {problem}") from None
        if found is None or not found.row.session_id:
            raise InvalidInput("the payload has no session id")
        self.capture.put(raw, event=event, assistant=assistant)
        self.capture.drain()
        return found.row.session_id

    def _by_model(self, summed: Summed) -> Summed:
        """Return a summary by the language model; by rules, with a note, where that fails."""
        try:
            why_not = self.summaries.summarise_session(summed.session.id).why_not
        except RecollectError as problem:
            why_not = problem.message
        rows = self.context.store.get(Session, [summed.session.id])
        memories = self.context.store.get(Memory, [summed.memory.id]) if summed.memory else []
        if not rows or not memories:  # deleted by another process a moment ago
            return summed
        notes = (f"summarized by built-in rules: {why_not}",) if why_not else ()
        return Summed(session=rows[0], memory=memories[0], created=summed.created, notes=notes)

    def _existing(self, session_id: str) -> Session:
        store, given = self.context.store, input_checks.text("session_id", session_id)
        found = store.get(Session, [given]) or store.get(Session, [full_id(store, Session, "id", given) or ""])
        if not found:
            raise NotFound(
                f"no session has the id {session_id}",
                hint="`recollect session list` lists sessions.",
                session_id=session_id,
            )
        return found[0]
