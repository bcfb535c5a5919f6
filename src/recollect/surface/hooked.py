"""Operations that can be used as hooks, as in document 002: session_context, submit_prompt, summarize_session.

Given the payload of a hook, their commands print what the hook must print: the text in the form of its assistant, or
nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from recollect.errors import InvalidInput
from recollect.model import Context, Record
from recollect.parsing import parse_json
from recollect.surface.assistants.reply import reply

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
    if not isinstance(record, Context):
        return b""
    event = str(given.get("event") or _named(payload) or EVENTS[operation])
    said = reply(record.text, event=event, assistant=record.assistant)
    return said + b"\n" if said else b""


def _named(payload: str) -> str:
    """Return what a payload calls its event."""
    try:
        value = parse_json(payload)
    except InvalidInput:
        return ""
    name = value.get("hook_event_name") if isinstance(value, dict) else ""
    return name if isinstance(name, str) else ""
