"""Payloads as assistants hand them to their hooks: the same fields in the same places, about a project of our own."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.fakes import FrozenClock

    from recollect import Engine

ROOT = "/nowhere/shop"
SOURCE = '"""Prices of the shop."""\n\nTAX = 19\n\n\ndef gross(net):\n    return net * (100 + TAX) / 100\n'


def claude(event: str, *, session_id: str = "c-1", **fields: Any) -> bytes:
    """Return what Claude Code hands over."""
    return _json(
        session_id=session_id,
        transcript_path="/home/me/.claude/projects/-nowhere-shop/c-1.jsonl",
        cwd=ROOT,
        hook_event_name=event,
        **fields,
    )


def used(tool: str, given: Any, response: Any, *, call: str = "", **fields: Any) -> bytes:
    """Return a use of a tool as Claude Code tells it."""
    identity = {"tool_use_id": call} if call else {}
    return claude("PostToolUse", tool_name=tool, tool_input=given, tool_response=response, **identity, **fields)


def ran(command: str, output: str = "", **fields: Any) -> bytes:
    """Return a command that worked, in Claude Code."""
    return used("Bash", {"command": command}, {"stdout": output, "stderr": "", "interrupted": False}, **fields)


def failed(command: str, error: str, *, call: str = "", **fields: Any) -> bytes:
    """Return a command that failed, in Claude Code."""
    identity = {"tool_use_id": call} if call else {}
    given = {"command": command}
    return claude("PostToolUseFailure", tool_name="Bash", tool_input=given, error=error, **identity, **fields)


def looked(path: str = "price.py", text: str = SOURCE, **fields: Any) -> bytes:
    """Return a file that was read, in Claude Code."""
    lines = text.count("\n") + 1
    file = {"filePath": f"{ROOT}/{path}", "content": text, "numLines": lines, "startLine": 1, "totalLines": lines}
    return used("Read", {"file_path": f"{ROOT}/{path}"}, {"type": "text", "file": file}, **fields)


def edited(old: str, new: str, *, path: str = "price.py", text: str = SOURCE, **fields: Any) -> bytes:
    """Return an edit, in Claude Code."""
    given = {"file_path": f"{ROOT}/{path}", "old_string": old, "new_string": new, "replace_all": False}
    return used("Edit", given, {"filePath": f"{ROOT}/{path}", "originalFile": text, "structuredPatch": []}, **fields)


def codex(event: str, **fields: Any) -> bytes:
    """Return what Codex hands over."""
    transcript = "/home/me/.codex/sessions/2026/01/02/rollout-x.jsonl"
    return _json(
        session_id="x-1",
        turn_id="t-1",
        transcript_path=transcript,
        cwd=ROOT,
        hook_event_name=event,
        model="m",
        **fields,
    )


def gemini(event: str, **fields: Any) -> bytes:
    """Return what Gemini CLI hands over."""
    transcript = "/home/me/.gemini/tmp/shop/chats/session-1.jsonl"
    return _json(
        session_id="g-1",
        transcript_path=transcript,
        cwd=ROOT,
        hook_event_name=event,
        timestamp="2026-01-02T03:04:05.678Z",
        **fields,
    )


def copilot(**fields: Any) -> bytes:
    """Return what Copilot CLI hands over: the event is not in it."""
    return _json(sessionId="p-1", timestamp=1_767_000_000_000, cwd=ROOT, **fields)


def opencode(hook: str, given: Any, output: Any = None) -> bytes:
    """Return what our plugin for OpenCode hands over."""
    return _json(hook=hook, input=given, output=output, directory=ROOT)


def _json(**fields: Any) -> bytes:
    return json.dumps(fields).encode()


def in_session(session: str, raw: bytes) -> bytes:
    """Return the same event in another session."""
    return json.dumps({**json.loads(raw), "session_id": session}).encode()


def take(engine: Engine, time: FrozenClock, *raw: bytes) -> None:
    """Queue events a second apart and process them."""
    for each in raw:
        time.advance(1)
        engine.capture.put(each)
    assert engine.capture.drain().bad == 0
