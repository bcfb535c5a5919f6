"""Gemini CLI transcripts: a file per session with messages, repeated when they grow, and patches.

Messages and calls have ids, so that repetitions count once.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from recollect.capture.transcripts.transcript_turn import Call, Line, Reading, Turn, milliseconds, text_of, thing, words
from recollect.parsing import parse_json


class _Row(msgspec.Struct, rename={"patch": "$set"}):
    id: Any = None
    timestamp: Any = None
    type: Any = None
    content: Any = None
    toolCalls: Any = None  # noqa: N815 - its name
    sessionId: Any = None  # noqa: N815
    patch: Any = None


def turns(line: Line, reading: Reading) -> Iterator[Turn]:
    """Yield the turns that a row completes."""
    raw = line.raw
    # Patches of the time, and tool results, which the message of the model repeats.
    if raw.startswith(b'{"$set":{"lastUpdated"') or b'"content":[{"functionResponse"' in raw[:300]:
        return
    row = parse_json(raw, kind=_Row)
    reading.session = words(row.sessionId) or reading.session
    messages = thing(row.patch).get("messages")
    for each in messages if isinstance(messages, list) else [msgspec.structs.asdict(row)]:
        if isinstance(each, dict):
            yield from _message(each, line, reading)


def _message(message: dict[str, Any], line: Line, reading: Reading) -> Iterator[Turn]:
    reading.moment(message.get("timestamp"))
    key = words(message.get("id"))
    role: Any = {"user": "user", "gemini": "assistant"}.get(words(message.get("type")))
    if role is None or not key:
        return
    for turn in reading.said(role, text_of(message.get("content")), line, key):
        yield turn._replace(order=0)
    for number, each in enumerate(message.get("toolCalls") or ()):
        if isinstance(each, dict) and each.get("status") in ("success", "error"):
            yield _ended(each, number, line, reading)


def _ended(each: dict[str, Any], number: int, line: Line, reading: Reading) -> Turn:
    responses = [
        thing(thing(part).get("functionResponse")).get("response")
        for part in each.get("result") or ()
        if isinstance(part, dict)
    ]
    response = thing(responses[0]) if responses else {}
    said = words(response.get("output"))
    error = words(response.get("error")) or (words(each.get("resultDisplay")) if each["status"] == "error" else "")
    call = Call(words(each.get("name")), thing(each.get("args")), reading.cwd, "", line)
    turn = reading.used(call, "", line, output={"llmContent": said} if said else None, error=error)
    at_ms = milliseconds(words(each.get("timestamp"))) or turn.at_ms
    # Its hooks give no call id, so duplicates are recognised by content.
    return turn._replace(key=words(each.get("id")) or f"{line.start}.{number}", at_ms=at_ms, order=number,
                         seen=turn.seen._replace(at=at_ms // 1000))  # fmt: skip
