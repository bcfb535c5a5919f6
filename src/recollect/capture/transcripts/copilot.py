"""Copilot CLI transcripts: a folder per session with a file of events."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from recollect.capture.transcripts.transcript_turn import Call, Line, Reading, Turn, text_of, thing, words
from recollect.parsing import parse_json


class _Event(msgspec.Struct):
    sessionId: Any = None  # noqa: N815 - its name
    context: Any = None
    content: Any = None
    toolCallId: Any = None  # noqa: N815
    toolName: Any = None  # noqa: N815
    arguments: Any = None
    mcpServerName: Any = None  # noqa: N815
    parentToolCallId: Any = None  # noqa: N815
    success: Any = None
    result: Any = None
    error: Any = None
    shellExecution: Any = None  # noqa: N815


class _Row(msgspec.Struct):
    type: Any = None
    timestamp: Any = None
    data: _Event | None = None


_TALKING = (b"session.", b"user.message", b"assistant.message", b"tool.execution_")
_FRONT = 60


def turns(line: Line, reading: Reading) -> Iterator[Turn]:
    """Yield the turns that an event completes."""
    if not any(mark in line.raw[:_FRONT] for mark in _TALKING) or b"session.usage" in line.raw[:_FRONT]:
        return
    row = parse_json(line.raw, kind=_Row)
    event = row.data
    if event is None:
        return
    reading.moment(row.timestamp)
    if row.type in ("session.start", "session.resume", "session.context_changed"):
        reading.session = words(event.sessionId) or reading.session
        reading.cwd = words(thing(event.context).get("cwd")) or reading.cwd
    elif row.type in ("user.message", "assistant.message"):
        role: Any = "user" if row.type == "user.message" else "assistant"
        yield from reading.said(role, text_of(event.content), line)
    elif row.type == "tool.execution_start":
        agent = words(event.parentToolCallId)
        call = Call(
            words(event.toolName), _given(event.arguments), reading.cwd, agent, line, words(event.mcpServerName)
        )
        reading.open(words(event.toolCallId), call)
    elif row.type == "tool.execution_complete":
        begun = reading.calls.pop(words(event.toolCallId), None)
        if begun is not None:
            yield _ended(begun, event, line, reading)


def _given(arguments: Any) -> dict[str, Any]:
    return thing(arguments) or ({"input": arguments} if isinstance(arguments, str) else {})


def _ended(call: Call, event: _Event, line: Line, reading: Reading) -> Turn:
    said = text_of(thing(event.result).get("content"))
    error = words(thing(event.error).get("message")) or words(event.error)
    output: dict[str, Any] = {"textResultForLlm": said} if said else {}
    code = thing(event.shellExecution).get("exitCode")
    if isinstance(code, int):
        output["exitCode"] = code
    failed = None if event.success is not False else True
    turn = reading.used(call, "", line, output=output or None, error=error, failed=failed)
    # Its hooks give no call id, so duplicates are recognised by content.
    return turn._replace(key=f"{words(event.toolCallId)}:{call.line.start}")
