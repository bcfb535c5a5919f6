"""Data that the hooks of Codex and Copilot omit, read from the end of their session files.

Codex writes the exit code of a command before or just after it runs the hook; Copilot writes its answer before. A file
that cannot be read leaves the outcome unknown and the answer empty.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

from recollect.capture.observation import Observation
from recollect.capture.payload import with_exit_code, written_exit_code
from recollect.errors import InvalidInput
from recollect.files import open_file
from recollect.parsing import parse_json
from recollect.text.lazy_patterns import compiled

# How much of the end of a file is read: some hundred commands of Codex; an answer of Copilot and the records around it.
CODEX_BYTES = 8 << 20
COPILOT_BYTES = 1 << 20
# A longer row holds an output of megabytes; the row that follows it has the code too.
ROW_BYTES = 2 << 20
# The type of an event stands at the beginning of its row.
_FRONT = 60

_CODEX_FILE = compiled(r"rollout-[\w.\-]{1,200}\.jsonl")
_COPILOT_FILE = compiled(r"events\.jsonl")
_ANSWER, _PROMPT = b'"assistant.message"', b'"user.message"'


def with_rollout(seen: Observation) -> Observation:
    """Return a run of Codex with the exit code of its session file, if it needs one."""
    is_open = seen.tool == "shell" and seen.failed is None and seen.exit_code is None
    if not is_open or not seen.transcript or not seen.call_id:
        return seen
    code = code_in(_tail(seen.transcript, _CODEX_FILE, CODEX_BYTES), seen.call_id)
    return seen if code is None else with_exit_code(seen, code)


def with_answer(seen: Observation) -> Observation:
    """Return the end of a turn of Copilot with its answer, if it has none."""
    if seen.event != "turn_end" or seen.text or not seen.transcript:
        return seen
    return seen._replace(text=last_answer(seen.transcript))


def last_answer(path: str) -> str:
    """Return the last answer after the last prompt in a session file of Copilot; "" if there is none."""
    for row in reversed(_tail(path, _COPILOT_FILE, COPILOT_BYTES).split(b"\n")):
        if _PROMPT in row[:_FRONT]:
            break
        if _ANSWER in row[:_FRONT]:
            with suppress(InvalidInput):
                content = _object(_object(parse_json(row)).get("data")).get("content")
                if isinstance(content, str) and content.strip():
                    return content.strip()
    return ""


def code_in(tail: bytes, call_id: str) -> int | None:
    """Return the exit code of a call by the rows at the end of a session file of Codex; None if it is missing."""
    for row in _rows_naming(tail, json.dumps(call_id).encode()):
        with suppress(InvalidInput):
            code = _code(parse_json(row), call_id)
            if code is not None:
                return code
    return None


def _tail(path: str, name: re.Pattern[str], size: int) -> bytes:
    """Return the end of a regular file with such a name; nothing of any other."""
    if not os.path.isabs(path) or not name.fullmatch(os.path.basename(path)):  # noqa: PTH117, PTH119
        return b""
    try:
        with open_file(path, follows=False) as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - size))
            return file.read(size)
    except OSError:
        return b""


def _rows_naming(tail: bytes, name: bytes) -> Iterator[bytes]:
    """Yield the rows that hold a JSON string, the last first."""
    end = len(tail)
    while (place := tail.rfind(name, 0, end)) >= 0:
        start = tail.rfind(b"\n", 0, place) + 1
        stop = tail.find(b"\n", place)
        row = tail[start : stop if stop >= 0 else len(tail)]
        if len(row) <= ROW_BYTES:
            yield row
        end = start


def _code(row: Any, call_id: str) -> int | None:
    payload = _object(_object(row).get("payload"))
    item = _object(payload.get("item"))
    if item.get("type") == "CommandExecution" and item.get("id") == call_id:
        return _number(item.get("exit_code"))
    if payload.get("call_id") != call_id:
        return None
    output = payload.get("output")
    written = written_exit_code("codex", output) if isinstance(output, str) else None
    return _number(payload.get("exit_code")) if written is None else written


def _object(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _number(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**31 else None
