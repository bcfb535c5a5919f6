"""Claude Code: one file for each session, one more for each of its sub-agents; a row for each block of a message."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from recollect.capture.transcripts.transcript_turn import Call, Line, Reading, Turn, text_of, thing, words
from recollect.parsing import parse_json


class _Row(msgspec.Struct):
    """What is looked at of a row. The rest, whole files among it, is passed over without being read."""

    type: Any = None
    message: Any = None
    timestamp: Any = None
    cwd: Any = None
    sessionId: Any = None  # noqa: N815 - its name
    isSidechain: Any = None  # noqa: N815
    isMeta: Any = None  # noqa: N815
    isCompactSummary: Any = None  # noqa: N815
    agentId: Any = None  # noqa: N815


# What only rows have that say something; all others are told by a look at their bytes.
_TALKING = (b'"role":"user"', b'"role":"assistant"', b'"role": "user"', b'"role": "assistant"')
# What a command says that was only started.
_STARTED = ("Command running in background", "Async agent launched")


def turns(line: Line, reading: Reading) -> Iterator[Turn]:
    """Yield what a row of a transcript of Claude Code says or ends."""
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
    # What a sub-agent is asked, the program asks; so is what it says of itself, and what it summed up.
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
