"""Replies of hooks, in the format of each assistant.

An assistant without a row gets no reply. Tested with the program itself: Claude Code, Codex, Gemini CLI, OpenCode
(through our plugin), Copilot CLI. From their documentation: Cursor, Cline.
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
    """Return what a hook prints so that the model reads the text; empty for no reply."""
    import json

    form = FORMS.get(assistant)
    return json.dumps(form(text, event)).encode() if text and form else b""
