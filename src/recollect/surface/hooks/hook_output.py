"""The output of a hook, in the format of its assistant.

A server answers hooks that ask through its socket, with the engine it has. A hook that finds no server answers itself:
at a prompt, where a person waits, with a fast search of the database, else with an engine without vectors.
The commands of session_context, submit_prompt and summarize_session can be used as hooks, as in document 002.

Tested with the program itself: Claude Code, Codex, Gemini CLI, OpenCode (through our plugin), Copilot CLI. From their
documentation: Cursor, Cline. Other assistants get no reply.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from recollect.engine import Engine
    from recollect.model import Record

Form = Callable[[str, str], dict[str, Any]]


def _specific(text: str, event: str) -> dict[str, Any]:
    return {"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}}


def _bare(text: str, _event: str) -> dict[str, Any]:
    return {"additionalContext": text}


FORMS: Mapping[str, Form] = {
    "claude": _specific,
    "codex": _specific,
    "gemini": _specific,
    "copilot": _bare,
    "opencode": _bare,
    "cursor": lambda text, _event: {"additional_context": text},
    "cline": lambda text, _event: {"cancel": False, "contextModification": text},
}


def reply(text: str | None, *, event: str, assistant: str) -> bytes:
    """Return what a hook prints so that the model reads the text; empty for no reply."""
    import json

    form = FORMS.get(assistant)
    return json.dumps(form(text, event)).encode() if text and form else b""


# --- hooks that ask ---


def answered(
    engine: Engine,
    payload: bytes,
    event: str,
    assistant: str,
    *,
    lexical: bool = False,
    wanted: Callable[[], bool] = lambda: True,
) -> bytes:
    """Return what a hook prints for a payload; empty: nothing.

    wanted: returns whether the hook still waits; otherwise no injection is recorded
    """
    text = engine.presence.answer(payload, event=event, assistant=assistant, lexical=lexical, wanted=wanted)
    return reply(text, event=event, assistant=assistant)


def by_fast_path(payload: bytes, home: str, event: str, assistant: str) -> bytes:
    """Return what a hook prints for a prompt, by the fast path and without an engine; empty: nothing."""
    from recollect.engine import fast_answer

    return reply(fast_answer(payload, home=home, event=event, assistant=assistant), event=event, assistant=assistant)


def by_engine(payload: bytes, home: str, event: str, assistant: str) -> bytes:
    """Return what a hook prints for any payload, with a new engine."""
    from recollect.engine import Engine
    from recollect.processes import start_detached

    with Engine(home=home) as engine:
        engine.branches.asks_git = False  # starting git takes too long while a person waits
        said = answered(engine, payload, event, assistant, lexical=True)
        is_unfinished = engine.capture.is_unfinished
    if is_unfinished and sys.executable:
        start_detached([sys.executable, "-I", "-S", "-c", _FINISH.format(sys.path, home)], os.environ)
    return said


# What the start of a session leaves to a process of its own: other queued events, and vectors.
_FINISH = (
    "import os, sys; sys.path[:] = {!r}; getattr(os, 'nice', int)(10); "
    "from recollect.engine import Engine; engine = Engine(home={!r}); engine.capture.finish(); engine.close()"
)


# --- commands used as hooks ---


# The name of the event where neither the command line nor the payload has one.
EVENTS: Mapping[str, str] = {
    "session_context": "SessionStart",
    "submit_prompt": "UserPromptSubmit",
    "summarize_session": "Stop",
}


def printed(operation: str, given: Mapping[str, Any], record: Record) -> bytes | None:
    """Return what a command prints as a hook; None: it was not called as one, and its answer is shown."""
    payload = given.get("payload")
    if operation not in EVENTS or not isinstance(payload, str) or not payload.strip():
        return None
    from recollect.model import Context

    if not isinstance(record, Context):
        return b""
    event = str(given.get("event") or _event_named(payload) or EVENTS[operation])
    said = reply(record.text, event=event, assistant=record.assistant)
    return said + b"\n" if said else b""


def _event_named(payload: str) -> str:
    """Return the event that a payload names."""
    from recollect.errors import InvalidInput
    from recollect.parsing import parse_json

    try:
        value = parse_json(payload)
    except InvalidInput:
        return ""
    name = value.get("hook_event_name") if isinstance(value, dict) else ""
    return name if isinstance(name, str) else ""
