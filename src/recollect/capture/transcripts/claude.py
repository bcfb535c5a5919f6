"""Claude Code transcripts: a file per session and per sub-agent, a row per block of a message."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from recollect.capture.transcripts.transcript_turn import Call, Line, Reading, Turn, text_of, thing, words
from recollect.parsing import parse_json


class _Row(msgspec.Struct):
    """The fields that are decoded; msgspec skips the others, which hold whole files."""

    type: Any = None
    message: Any = None
    timestamp: Any = None
    cwd: Any = None
    sessionId: Any = None  # noqa: N815 - its name
    isSidechain: Any = None  # noqa: N815
    isMeta: Any = None  # noqa: N815
    isCompactSummary: Any = None  # noqa: N815
    agentId: Any = None  # noqa: N815


# Only rows with one of these are decoded.
_TALKING = (b'"role":"user"', b'"role":"assistant"', b'"role": "user"', b'"role": "assistant"')
# The result of a call that was only started.
_STARTED = ("Command running in background", "Async agent launched")


def turns(line: Line, reading: Reading) -> Iterator[Turn]:
    """Yield the turns that a row completes."""
    if not any(mark in line.raw for mark in _TALKING):
        return
    row = parse_json(line.raw, kind=_Row)
    message = thing(row.message)
    if row.type not in ("user", "assistant") or not message:
        return
    reading.moment(row.timestamp)
    reading.session = words(row.sessionId) or reading.session
    reading.cwd = words(row.cwd) or reading.cwd
    reading.agent = words(row.agentId)
    content = message.get("content")
    if row.type == "assistant":
        yield from _answered(content, line, reading)
        return
    yield from _ended(content, line, reading)
    # Prompts of sub-agents, notes and summaries are written by the program.
    if not row.isSidechain and not row.isMeta and not row.isCompactSummary:
        yield from reading.said("user", text_of(content), line)


def _answered(content: Any, line: Line, reading: Reading) -> Iterator[Turn]:
    yield from reading.said("assistant", text_of(content), line)
    for block in content if isinstance(content, list) else ():
        if isinstance(block, dict) and block.get("type") == "tool_use":
            call = Call(words(block.get("name")), thing(block.get("input")), reading.cwd, reading.agent, line)
            reading.open(words(block.get("id")), call)


def _ended(content: Any, line: Line, reading: Reading) -> Iterator[Turn]:
    for block in content if isinstance(content, list) else ():
        if not isinstance(block, dict) or block.get("type") != "tool_result":
            continue
        call_id = words(block.get("tool_use_id"))
        call = reading.calls.pop(call_id, None)
        said = text_of(block.get("content"))
        if call is None or said.startswith(_STARTED):
            continue
        failed = block.get("is_error") is True
        yield reading.used(call, call_id, line, output=None if failed else said, error=said if failed else "",
                           failed=failed or None)  # fmt: skip
