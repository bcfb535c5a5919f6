"""Replies: what a hook says, in the form that each assistant reads.

Where an assistant has no row, nothing is said to it. Seen to arrive at the model: Claude Code, Codex, Gemini CLI,
OpenCode (through our plugin), Copilot CLI. From their documentation: Cursor, Cline.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

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
    """Return what a hook prints to put a text before an assistant; empty: nothing."""
    import json

    form = FORMS.get(assistant)
    return json.dumps(form(text, event)).encode() if text and form else b""
