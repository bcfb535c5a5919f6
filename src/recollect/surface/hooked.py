"""Hooked: commands that may be hooks themselves, as document 002 has them: context, prompt, summarize.

Given the payload of a hook they print what a hook prints: the text in the form that its assistant reads, or nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from recollect.errors import InvalidInput
from recollect.model import Context, Record
from recollect.parsing import parse_json
from recollect.surface.assistants.reply import reply

# What the event is called where neither the command line nor the payload says so.
EVENTS: Mapping[str, str] = {"context": "SessionStart", "prompt": "UserPromptSubmit", "summarize": "Stop"}


def printed(command: str, given: Mapping[str, Any], record: Record) -> bytes | None:
    """Return what a command prints that was called as a hook; None: it was not, and its answer is shown."""
    payload = given.get("payload")
    if command not in EVENTS or not isinstance(payload, str) or not payload.strip():
        return None
    if not isinstance(record, Context):
        return b""
    event = str(given.get("event") or _named(payload) or EVENTS[command])
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
