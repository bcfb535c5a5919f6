"""Answers to hooks: text for an assistant at the start of a session, after a prompt or a failure.

    session start ─► context: preferences, decisions, open work, commands
    prompt        ─► memories that the prompt is clearly about
    tool failed   ─► the fix that worked before, or the command that works instead
    anything else ─► nothing

Without a clearly relevant memory the answer is empty: zero bytes. No memory is injected twice in a session, until its
assistant has lost its context. The payload is stored through the spool, like any other.
"""

from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import msgspec

from recollect import clock
from recollect.capture.observation_lesson import code
from recollect.engine.hook_responses.context_block import MOST_BYTES, Block, Line, Section, block, flat
from recollect.engine.records import input_checks
from recollect.engine.records.identity import namespace_of
from recollect.errors import InvalidInput, RecollectError
from recollect.model import Context as ContextAnswer
from recollect.model import ContextPreview, Injection, KnownFix, Memory, PreviewLine, Session
from recollect.operations import operation
from recollect.store.store_values import Range
from recollect.text.display import day
from recollect.text.token_count import tokens

if TYPE_CHECKING:
    from recollect.capture.observation import Observation
    from recollect.engine.context import Context
    from recollect.engine.records.branches import Branches
    from recollect.engine.records.scope import Scope
    from recollect.engine.retrieval.recall_pipeline import RecallPipeline
    from recollect.engine.retrieval.scoring import UseCounters
    from recollect.engine.sessions.capture import Capture
    from recollect.engine.sessions.hook_ingest import PreparedEvent
    from recollect.engine.sessions.session_state import SessionUpdates
    from recollect.engine.sessions.working_commands import Commands
    from recollect.patterns.known_commands import Replacement

# Token budget of the answer to a failure: an error and the steps that fixed it.
FIX_TOKENS = 400
STEP_CHARACTERS = 300
# Injected memories of one session that are read: more is a session of weeks.
REMEMBERED = 5_000

Budget = Annotated[int, msgspec.Meta(ge=0, le=100_000)]


class Moment(NamedTuple):
    """A hook event that is answered: what happened, where, and which memories the session has seen.

    wanted: whether the hook still waits. budget: in tokens; None: from the settings
    """

    seen: "Observation"
    session_id: str
    namespace: str | None
    mark: str
    told: frozenset[str]
    session: Session | None
    wanted: Callable[[], bool]
    budget: int | None


class HookResponses:
    """Answers hooks."""

    def __init__(
        self,
        context: "Context",
        *,
        scope: "Scope",
        branches: "Branches",
        pipeline: "RecallPipeline",
        counters: "UseCounters",
        capture: "Capture",
        updates: "SessionUpdates",
        commands: "Commands",
        shared: Callable[[str | None], tuple[str, ...]],
    ) -> None:
        """Take the nouns that answers need; shared reads changed files of shared memories, and returns notes."""
        self._context = context
        self._scope = scope
        self._branches = branches
        self._pipeline = pipeline
        self._counters = counters
        self._capture = capture
        self._updates = updates
        self._commands = commands
        self._shared = shared

    @operation("session_context", "context", positional=("payload",), listed=("project", "tokens"))
    def context(
        self,
        payload: str | None = None,
        *,
        event: str | None = None,
        assistant: str | None = None,
        namespace: str | None = None,
        tokens: Budget | None = None,
    ) -> ContextAnswer:
        """Show the context for the start of a session. Returns preferences, decisions, open work and commands.

        With a payload it is the answer to that session's start hook, and the memories in it count as shown.

        payload: JSON of an assistant's hook; -: standard input
        namespace: project path or name; default: this project
        tokens: token budget; default: setting context_tokens
        """
        budget = self._context.settings.context_tokens if tokens is None else tokens
        budget = input_checks.whole("tokens", budget, least=0, most=100_000)
        if payload is not None and payload.strip():
            return self._ingested(payload, event or "SessionStart", assistant or "", budget)
        self._capture.catch_up()
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
    ) -> ContextAnswer:
        """Submit a prompt as a hook does; return related memories.

        payload: JSON of an assistant's hook; -: standard input
        tokens: token budget; default: setting prompt_tokens
        """
        budget = self._context.settings.prompt_tokens if tokens is None else tokens
        budget = input_checks.whole("tokens", budget, least=0, most=100_000)
        if payload is None or not payload.strip():
            hint = "Pass the hook's JSON payload; on the command line, pipe it in."
            raise InvalidInput("payload is empty", hint=hint)
        if not payload.lstrip().startswith("{"):
            hint = 'To try the text of a prompt: `recollect session preview "TEXT"`.'
            raise InvalidInput("payload is not a JSON object", hint=hint)
        return self._ingested(payload, event or "UserPromptSubmit", assistant or "", budget)

    @operation("preview_context", "preview", read_only=True, positional=("prompt",), listed=())
    def preview(
        self, prompt: str | None = None, *, namespace: str | None = None, tokens: Budget | None = None
    ) -> ContextPreview:
        """Preview the context that an assistant would get. Returns each line with its memory and the reason.

        Nothing is recorded: the memories do not count as injected.

        prompt: text of a prompt; default: the start of a session
        namespace: project path or name; default: this project
        tokens: token budget; default: setting prompt_tokens or context_tokens
        """
        from recollect.capture.observation import Observation

        self._capture.catch_up()
        settings = self._context.settings
        usual = settings.context_tokens if prompt is None else settings.prompt_tokens
        budget = input_checks.whole("tokens", usual if tokens is None else tokens, least=0, most=100_000)
        scope = namespace_of(namespace) if namespace is not None else self._here()
        folder = _folder(scope, namespace or ".")
        if prompt is None:
            made = self._briefing(scope, budget, folder)
        else:
            seen = Observation("", "prompt", cwd=folder, text=input_checks.text("prompt", prompt))
            moment = Moment(seen, "", scope, "", frozenset(), None, lambda: True, budget)
            made = self._relevant(moment, budget)
        shown = _context(made.text if made else None, budget)
        return ContextPreview(
            text=shown.text,
            tokens=shown.tokens,
            bytes=shown.bytes,
            budget=budget,
            namespace=scope,
            lines=tuple(map(_preview_line, made.lines if made else ())),
        )

    def _ingested(self, payload: str, event: str, assistant: str, budget: int) -> ContextAnswer:
        """Spool a payload as a hook does, ingest it, and return its answer."""
        raw = input_checks.text("payload", payload).encode("utf-8", "replace")
        self._capture.put(raw, event=event, assistant=assistant)
        text = self.answer(raw, event=event, assistant=assistant, budget=budget)
        self._capture.catch_up()
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
        """Return the text to inject for a hook's payload; None: nothing, zero bytes.

        The text is fenced as data, without secrets, and within its limits. A bad payload or store is no error: `health`
        reports it.

        event, assistant: from the command line of the hook
        lexical: do without the embedding model and other slow imports. Without an engine, use prompt_fast_path: it
        takes half the time
        wanted: whether the hook still waits, called before the text counts as injected
        budget: tokens of the whole text; None: from the settings
        """
        from recollect.capture.filter import cleaned, is_noise
        from recollect.capture.observation import BadPayload
        from recollect.capture.payload import read

        with suppress(RecollectError, BadPayload, OSError, ValueError, RecursionError):
            seen = cleaned(read(payload, event=event, assistant=assistant))
            if is_noise(seen) or not _may_be_answered(seen):
                return None
            found = self._capture.parse(payload, event=event, assistant=assistant)
            if found is not None:
                if seen.event == "session_start":
                    # Events of the previous session may still be in the spool.
                    self._capture.begin_session(payload)
                return self._answer(found, lexical=lexical, wanted=wanted, budget=budget)
        return None

    def _answer(
        self, found: "PreparedEvent", *, lexical: bool, wanted: Callable[[], bool], budget: int | None
    ) -> str | None:
        event = found.seen.event
        if event == "session_start":
            return self._on_start(self._moment(found, wanted, budget))
        if event == "prompt":
            return self._by_words(found) if lexical else self._on_prompt(self._moment(found, wanted, budget))
        if event == "tool" and found.row.fingerprint:
            return self._on_failure(self._moment(found, wanted, budget), found)
        return None

    # --- moments ---

    def _moment(self, found: "PreparedEvent", wanted: Callable[[], bool], budget: int | None) -> Moment:
        session_id = found.row.session_id or ""
        session = next(iter(self._context.store.get(Session, [session_id])), None)
        told = self.told(session_id, session.window_at if session is not None else 0)
        return Moment(found.seen, session_id, found.row.namespace, found.row.mark, told, session, wanted, budget)

    def told(self, session_id: str, since: int = 0) -> frozenset[str]:
        """Return the memories injected into a session since its context was last empty."""
        where = {"session_id": session_id, "at": Range(since)}
        rows = self._context.store.find(Injection, where, order="-at", limit=REMEMBERED)
        return frozenset(row.memory_id for row in rows)

    def _stated(self, session_id: str) -> frozenset[str]:
        """Return memories stated in a session: some assistants ask for the briefing after the first prompt."""
        where = {"session_id": session_id, "source": "user", "observed": False}
        return frozenset(row.id for row in self._context.store.find(Memory, where, limit=REMEMBERED))

    def _is_briefed(self, moment: Moment) -> bool:
        """Tell whether a session had a briefing since its context was last empty."""
        since = moment.session.window_at if moment.session is not None else 0
        where = {"session_id": moment.session_id, "event": "session_start", "at": Range(since)}
        return bool(self._context.store.find(Injection, where, limit=1))

    def _on_start(self, moment: Moment) -> str | None:
        from recollect.engine.sessions.session_state import FORGETTING

        forgot = moment.seen.reason in FORGETTING
        if forgot and moment.session is not None and moment.wanted():
            # Draining sets it too, but the next prompt may be faster.
            with self._context.store.transaction("present") as transaction:
                transaction.update(Session, moment.session_id, {"window_at": clock.now()})
        # Once per session, asking git about branches may take some milliseconds.
        self._branches.asks_git = True
        self._updates.settle_open(moment.namespace, moment.seen.assistant, moment.session_id)
        made = self._briefing(
            moment.namespace,
            self._context.settings.context_tokens if moment.budget is None else moment.budget,
            _folder(moment.namespace, moment.seen.cwd),
            session=moment.session,
            told=frozenset() if forgot else moment.told | self._stated(moment.session_id),
            briefed=not forgot and self._is_briefed(moment),
            compacted=moment.seen.reason == "compact",
        )
        return self._said(moment, made)

    def _by_words(self, found: "PreparedEvent") -> str | None:
        import sqlite3

        from recollect.engine.hook_responses.prompt_fast_path import answered

        with suppress(sqlite3.Error):
            return answered(self._context.settings, found.seen._replace(session=found.row.session_id or ""))
        return None

    def _on_prompt(self, moment: Moment) -> str | None:
        budget = self._context.settings.prompt_tokens if moment.budget is None else moment.budget
        return self._said(moment, self._relevant(moment, budget))

    def _relevant(self, moment: Moment, budget: int) -> Block | None:
        from recollect.engine.hook_responses.prompt_relevance import relevant

        lines = relevant(self._pipeline, self._counters, moment.seen, moment.namespace, moment.session_id, moment.told)
        return block([Section("", tuple(lines))], budget=budget)

    def _on_failure(self, moment: Moment, found: "PreparedEvent") -> str | None:
        fix = self._capture.fix_for(found.row.fingerprint, moment.namespace)
        if fix is not None and fix.memory.id not in moment.told:
            lines = tuple(_fixed(fix))
        else:
            other = self._commands.replacement(found.row, found.memory)
            if other is None or other.memory_id in moment.told:
                return None
            lines = (_replaced(other),)
        return self._said(moment, block([Section("", lines)], budget=moment.budget or FIX_TOKENS))

    def _briefing(self, namespace: str | None, budget: int, folder: str, **about: Any) -> Block | None:
        """Return the briefing of a session. about: further fields of `Wanted`"""
        from recollect.engine.hook_responses.briefing import Briefing, Wanted

        # Reading comes first: a briefing tells what a colleague has shared since.
        notes = Section("", tuple(Line(flat(note, STEP_CHARACTERS)) for note in self._shared(namespace)))
        briefing = Briefing(self._context.store, branches=self._branches, counters=self._counters)
        # The queue is read before the store: an event waits, or is stored.
        wanted = Wanted(namespace, budget, folder, ending=self._capture.spool.ending(), **about)
        sections = [notes, *briefing.sections(wanted)]
        return block(sections, budget=budget, most=MOST_BYTES)

    def _said(self, moment: Moment, made: Block | None) -> str | None:
        """Return the text of a block, after its memories are recorded as injected."""
        if made is None or not moment.wanted():
            return None
        now = clock.now()
        with self._context.store.transaction("present") as transaction:
            for memory_id, why in {line.memory_id: line.why for line in made.lines if line.memory_id}.items():
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
        return made.text

    def _assistant(self, raw: bytes, event: str, assistant: str) -> str:
        """Return the assistant of a payload; "" if it is unknown."""
        from recollect.capture.observation import BadPayload
        from recollect.capture.payload import read

        with suppress(BadPayload):
            return read(raw, event=event, assistant=assistant).assistant
        return ""

    def _here(self) -> str | None:
        return self._scope.current() or namespace_of(".")


def _preview_line(row: Line) -> PreviewLine:
    text = "\n".join((row.text, *row.below))
    return PreviewLine(section=row.section, text=text, memory_id=row.memory_id or None, why=row.why)


def _may_be_answered(seen: "Observation") -> bool:
    """Tell whether an event may get an answer: of tools, only failures, which may show later."""
    if seen.event == "tool":
        return seen.failed is not False
    return seen.event in ("session_start", "prompt")


def _folder(namespace: str | None, near: str) -> str:
    """Return the folder that a session works in; "" if it is unknown."""
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


def _context(text: str | None, budget: int, assistant: str = "") -> ContextAnswer:
    said = text or ""
    return ContextAnswer(text=said, tokens=tokens(said), bytes=len(said.encode()), budget=budget, assistant=assistant)
