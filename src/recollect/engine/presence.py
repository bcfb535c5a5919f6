"""Presence: what is said to an assistant at the moments its hooks tell of, and mostly that is nothing.

    session start ─► context: what is worth knowing before anything is asked
    prompt        ─► what the memory knows of it, if it clearly does
    tool failed   ─► the fix that worked before, or the invocation that works instead
    anything else ─► nothing

Nobody asked, so whatever is said must be worth it: what does not clearly concern the moment costs zero bytes, and
nothing is said twice in a session, until its assistant has forgotten it. Nothing here stores the payload: that goes
through the spool like any other.
"""

from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import msgspec

from recollect import clock
from recollect.capture.observation_lesson import code
from recollect.engine import accept
from recollect.engine.context_block import MOST_BYTES, Block, Line, Section, block, day, flat
from recollect.engine.identity import namespace_of
from recollect.errors import InvalidInput, RecollectError
from recollect.model import Context, Injection, KnownFix, Memory, Session
from recollect.operations import operation
from recollect.store.protocol import Range

if TYPE_CHECKING:
    from recollect.capture.observation import Observation
    from recollect.engine.noticed import Notice
    from recollect.engine.root import Engine
    from recollect.patterns.known_commands import Replacement

# What an answer to a failure may cost, in tokens: an error and the steps that fixed it.
FIX_TOKENS = 400
STEP_CHARACTERS = 300
# Told in one session at most: more is a session of weeks, and a look-up that grows without end.
REMEMBERED = 5_000

Budget = Annotated[int, msgspec.Meta(ge=0, le=100_000)]


class Moment(NamedTuple):
    """What a hook tells of: the event as cleaned up, where it happened, and what of that was told already.

    wanted: whether the hook still waits. budget: in tokens; None: as the settings say
    """

    seen: "Observation"
    session_id: str
    namespace: str | None
    mark: str
    told: frozenset[str]
    session: Session | None
    wanted: Callable[[], bool]
    budget: int | None


class Presence:
    """What is said unasked."""

    def __init__(self, engine: "Engine") -> None:
        self._engine = engine

    @operation("session_context", "context", positional=("payload",), listed=("project", "tokens"))
    def context(
        self,
        payload: str | None = None,
        *,
        event: str | None = None,
        assistant: str | None = None,
        namespace: str | None = None,
        tokens: Budget | None = None,
    ) -> Context:
        """Show the context for the start of a session. Returns preferences, decisions, open work and commands.

        With a payload it is the answer to that session's start hook, and the memories in it count as shown.

        payload: JSON of an assistant's hook; -: standard input
        event: event name, if the payload has none
        assistant: such as claude or codex, if unclear
        namespace: project path or name; default: this project
        tokens: token budget; default: setting context_tokens
        """
        budget = self._engine.settings.context_tokens if tokens is None else tokens
        budget = accept.whole("tokens", budget, least=0, most=100_000)
        if payload is not None and payload.strip():
            return self._taken_in(payload, event or "SessionStart", assistant or "", budget)
        self._engine.capture.catch_up()
        scope = namespace_of(namespace) if namespace is not None else self._here()
        made = self._briefing(scope, budget, _folder(scope, namespace or "."))
        return _context(made.text if made else None, budget)

    @operation("submit_prompt", "prompt", positional=("payload",), listed=())
    def prompt(
        self,
        payload: str | None = None,
        *,
        event: str | None = None,
        assistant: str | None = None,
        tokens: Budget | None = None,
    ) -> Context:
        """Submit a prompt as a hook does; return related memories.

        payload: JSON of an assistant's hook; -: standard input
        event: event name, if the payload has none
        assistant: such as claude or codex, if unclear
        tokens: token budget; default: setting prompt_tokens
        """
        budget = self._engine.settings.prompt_tokens if tokens is None else tokens
        budget = accept.whole("tokens", budget, least=0, most=100_000)
        if payload is None or not payload.strip():
            hint = "Pass the hook's JSON payload; on the command line, pipe it in."
            raise InvalidInput("payload is empty", hint=hint)
        return self._taken_in(payload, event or "UserPromptSubmit", assistant or "", budget)

    def _taken_in(self, payload: str, event: str, assistant: str, budget: int) -> Context:
        """Spool a payload as a hook does, take it in, and return what is said to it."""
        raw = accept.text("payload", payload).encode("utf-8", "replace")
        self._engine.capture.put(raw, event=event, assistant=assistant)
        text = self.answer(raw, event=event, assistant=assistant, budget=budget)
        self._engine.capture.catch_up()
        return _context(text, budget, self._assistant(raw, event, assistant))

    def answer(
        self,
        payload: bytes,
        *,
        event: str = "",
        assistant: str = "",
        lexical: bool = False,
        wanted: Callable[[], bool] = lambda: True,
        budget: int | None = None,
    ) -> str | None:
        """Return the text to put before the assistant for what its hook was given; None: nothing, zero bytes.

        The text is fenced as data, without secrets, and within its limits. Never raises for what a payload holds, nor
        for the state of the store: whoever cannot help stays silent.

        event, assistant: what the hook was told on its command line
        lexical: do without vectors and whatever else is slow to load. A process that wants no more than the answer to
        a prompt, and has no engine, asks recollect.engine.glance instead: that takes half the time
        wanted: asked before anything is said: what nobody waits for any more does not count as said
        budget: tokens of the whole text; none: as the settings say
        """
        from recollect.capture.filter import cleaned, is_noise
        from recollect.capture.observation import BadPayload
        from recollect.capture.payload import read
        from recollect.engine.noticed import Noticing

        # A hook must never disturb a conversation; what is wrong with the store, `health` says.
        with suppress(RecollectError, BadPayload, OSError, ValueError, RecursionError):
            seen = cleaned(read(payload, event=event, assistant=assistant))
            if is_noise(seen) or not _may_be_answered(seen):
                return None
            notice = Noticing(self._engine).of_bytes(payload, "", event=event, assistant=assistant, at=clock.now())
            if notice is not None:
                return self._answer(notice, lexical=lexical, wanted=wanted, budget=budget)
        return None

    def _answer(self, notice: "Notice", *, lexical: bool, wanted: Callable[[], bool], budget: int | None) -> str | None:
        event = notice.seen.event
        if event == "session_start":
            # What the session before this one did lies in the spool, if nobody has looked since.
            self._engine.capture.catch_up()
            said = self._on_start(self._moment(notice, wanted, budget))
        elif event == "prompt":
            said = self._by_words(notice) if lexical else self._on_prompt(self._moment(notice, wanted, budget))
        elif event == "tool" and notice.row.fingerprint:
            said = self._on_failure(self._moment(notice, wanted, budget), notice)
        else:
            return None
        return said

    # --- moments ---

    def _moment(self, notice: "Notice", wanted: Callable[[], bool], budget: int | None) -> Moment:
        session_id = notice.row.session_id or ""
        found = self._engine.store.get(Session, [session_id])
        session = found[0] if found else None
        since = session.window_at if session is not None else 0
        told = self.told(session_id, since)
        return Moment(notice.seen, session_id, notice.row.namespace, notice.row.mark, told, session, wanted, budget)

    def told(self, session_id: str, since: int = 0) -> frozenset[str]:
        """Return the memories that were put before an assistant in a session, since its window was last empty."""
        where = {"session_id": session_id, "at": Range(since)}
        rows = self._engine.store.find(Injection, where, order="-at", limit=REMEMBERED)
        return frozenset(row.memory_id for row in rows)

    def _stated(self, session_id: str) -> frozenset[str]:
        """Return what the user stated in a session: some assistants ask for the briefing after the first prompt."""
        where = {"session_id": session_id, "source": "user", "observed": False}
        return frozenset(row.id for row in self._engine.store.find(Memory, where, limit=REMEMBERED))

    def _is_briefed(self, moment: Moment) -> bool:
        """Tell whether a session had a briefing since its window was last empty; answers to prompts are none."""
        since = moment.session.window_at if moment.session is not None else 0
        where = {"session_id": moment.session_id, "event": "session_start", "at": Range(since)}
        return bool(self._engine.store.find(Injection, where, limit=1))

    def _on_start(self, moment: Moment) -> str | None:
        from recollect.engine.sessions import FORGETTING

        forgot = moment.seen.reason in FORGETTING
        if forgot and moment.session is not None and moment.wanted():
            # Draining says so too, but the next prompt may be faster.
            with self._engine.store.transaction("present") as transaction:
                transaction.update(Session, moment.session_id, {"window_at": clock.now()})
        # A session starts once: what git says of branches is worth some milliseconds.
        self._engine.branches.asks_git = True
        self._engine.sessions.settle_open(moment.namespace, moment.seen.assistant, moment.session_id)
        made = self._briefing(
            moment.namespace,
            self._engine.settings.context_tokens if moment.budget is None else moment.budget,
            _folder(moment.namespace, moment.seen.cwd),
            session=moment.session,
            told=frozenset() if forgot else moment.told | self._stated(moment.session_id),
            briefed=not forgot and self._is_briefed(moment),
            compacted=moment.seen.reason == "compact",
        )
        return self._said(moment, made)

    def _by_words(self, notice: "Notice") -> str | None:
        import sqlite3

        from recollect.engine.glance import answered

        with suppress(sqlite3.Error):
            return answered(self._engine.settings, notice.seen._replace(session=notice.row.session_id or ""))
        return None

    def _on_prompt(self, moment: Moment) -> str | None:
        from recollect.engine.relevant import relevant

        lines = relevant(self._engine, moment.seen.text, moment)
        budget = self._engine.settings.prompt_tokens if moment.budget is None else moment.budget
        made = block([Section("", tuple(lines))], budget=budget)
        return self._said(moment, made)

    def _on_failure(self, moment: Moment, notice: "Notice") -> str | None:
        fix = self._engine.capture.fix_for(notice.row.fingerprint, moment.namespace)
        if fix is not None and fix.memory.id not in moment.told:
            lines = tuple(_fixed(fix))
        else:
            other = self._engine.commands.replacement(notice.row, notice.memory)
            if other is None or other.memory_id in moment.told:
                return None
            lines = (_replaced(other),)
        return self._said(moment, block([Section("", lines)], budget=moment.budget or FIX_TOKENS))

    def _briefing(self, namespace: str | None, budget: int, folder: str, **about: Any) -> Block | None:
        """Return the briefing of a session; about: further fields of `context_sources.Wanted`."""
        from recollect.engine.context_sources import Wanted, sections

        return block(sections(self._engine, Wanted(namespace, budget, folder, **about)), budget=budget, most=MOST_BYTES)

    def _said(self, moment: Moment, made: Block | None) -> str | None:
        """Return the text of a block, after noting which memories it told: what cannot be noted is not said."""
        if made is None or not moment.wanted():
            return None
        self._note(moment, made.lines)
        return made.text

    def _note(self, moment: Moment, lines: Iterable[Line]) -> None:
        now = clock.now()
        with self._engine.store.transaction("present") as transaction:
            for memory_id, why in {line.memory_id: line.why for line in lines if line.memory_id}.items():
                row = Injection(
                    id=clock.new_id(),
                    session_id=moment.session_id,
                    memory_id=memory_id,
                    at=now,
                    event=moment.seen.event,
                    why=why,
                    mark=moment.mark,
                )
                transaction.insert(row)

    def _assistant(self, raw: bytes, event: str, assistant: str) -> str:
        """Return whose payload it is; "" where nobody can tell."""
        from recollect.capture.observation import BadPayload
        from recollect.capture.payload import read

        with suppress(BadPayload):
            return read(raw, event=event, assistant=assistant).assistant
        return ""

    def _here(self) -> str | None:
        return self._engine.scope.current() or namespace_of(".")


def _may_be_answered(seen: "Observation") -> bool:
    """Tell whether something might be said: to uses of tools only if they failed, which commands may tell later."""
    if seen.event == "tool":
        return seen.failed is not False
    return seen.event in ("session_start", "prompt")


def _folder(namespace: str | None, near: str) -> str:
    """Return the folder that a session of a project works in; "" where nobody can tell."""
    if near.startswith(("/", "~", ".")):
        return near
    return namespace if namespace is not None and namespace.startswith("/") else ""


def _replaced(found: "Replacement") -> Line:
    wrong, right = (flat(code(command, STEP_CHARACTERS)) for command in (found.wrong, found.right))
    text = f"{wrong} failed here before; {right} works ({_times(found.times)}, last {day(found.last_at)})."
    return Line(text, found.memory_id, "replacement")


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def _fixed(fix: KnownFix) -> Iterable[Line]:
    times = _times(fix.times)
    yield Line(f"This was seen before: {flat(fix.error, STEP_CHARACTERS)}", fix.memory.id, fix.fingerprint)
    yield Line(f"What fixed it ({times}, last {day(fix.seen_at)}):")
    for step in fix.steps:
        yield Line(f"- {flat(step, STEP_CHARACTERS)}")


def _context(text: str | None, budget: int, assistant: str = "") -> Context:
    from recollect.text.token_count import tokens

    said = text or ""
    return Context(text=said, tokens=tokens(said), bytes=len(said.encode()), budget=budget, assistant=assistant)
