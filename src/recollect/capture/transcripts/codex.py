"""Codex transcripts: a file per session; metadata first, then the messages to and from the model."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from recollect.capture.transcripts.transcript_turn import Call, Line, Reading, Turn, text_of, thing, words
from recollect.errors import InvalidInput
from recollect.parsing import parse_json


class _Payload(msgspec.Struct):
    type: Any = None
    role: Any = None
    content: Any = None
    name: Any = None
    namespace: Any = None
    arguments: Any = None
    input: Any = None
    action: Any = None
    output: Any = None
    call_id: Any = None
    status: Any = None
    cwd: Any = None
    id: Any = None


class _Row(msgspec.Struct):
    timestamp: Any = None
    type: Any = None
    payload: _Payload | None = None


# Only these rows are decoded; events repeat them.
_TALKING = (b'"response_item"', b'"turn_context"', b'"session_meta"')
_FRONT = 200

_CALLS = ("function_call", "custom_tool_call", "local_shell_call")
_OUTPUTS = ("function_call_output", "custom_tool_call_output", "local_shell_call_output")


def turns(line: Line, reading: Reading) -> Iterator[Turn]:
    """Yield the turns that a row completes."""
    if not any(mark in line.raw[:_FRONT] for mark in _TALKING):
        return
    row = parse_json(line.raw, kind=_Row)
    item = row.payload
    if item is None:
        return
    reading.moment(row.timestamp)
    if row.type == "session_meta":
        reading.session = words(item.id) or reading.session
    if row.type in ("session_meta", "turn_context"):
        reading.cwd = words(item.cwd) or reading.cwd
    elif item.type == "message" and item.role in ("user", "assistant"):
        # Each part is a turn: the program puts parts of its own before the prompt.
        parts = item.content if isinstance(item.content, list) else [item.content]
        for number, part in enumerate(parts):
            text = text_of([part]) or words(part)
            yield from reading.said(item.role, text, line, f"{line.start}.{number}" if number else "")
    elif item.type in _CALLS:
        server = words(item.namespace).removeprefix("mcp__")
        call = Call(words(item.name) or "local_shell", _given(item), reading.cwd, "", line, server)
        reading.open(words(item.call_id), call)
    elif item.type in _OUTPUTS:
        call_id = words(item.call_id)
        begun = reading.calls.pop(call_id, None)
        if begun is not None:
            yield _ended(begun, call_id, item.output, line, reading)


def _given(item: _Payload) -> dict[str, Any]:
    if isinstance(item.arguments, str):
        try:
            given = parse_json(item.arguments)
        except InvalidInput:
            given = item.arguments
        return thing(given) or {"input": item.arguments}
    return thing(item.arguments) or thing(item.action) or ({"input": item.input} if item.input else {})


def _ended(call: Call, call_id: str, output: Any, line: Line, reading: Reading) -> Turn:
    """Return a tool call by its output: a text, or {content, success} of older versions."""
    success = thing(output).get("success")
    said = words(output) or text_of(output) or text_of(thing(output).get("content"))
    failed = None if success is None else not success
    if said.startswith(("unsupported ", "failed ", "Failed ", "error: ")):
        failed = True
    head, _, rest = said.partition("\nOutput:\n")
    turn = reading.used(call, call_id, line, output=said, failed=failed)
    if turn.seen.tool != "shell":
        is_bad = failed or (head.startswith("Exit code: ") and not head.startswith("Exit code: 0"))
        return turn._replace(seen=turn.seen._replace(failed=bool(is_bad)))
    # Without the lines that Codex adds.
    return turn._replace(seen=turn.seen._replace(output=rest if rest else said if "\n" not in head else ""))
