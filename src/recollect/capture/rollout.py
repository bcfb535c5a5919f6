"""Rollout: the exit code of a command from the session file of Codex, whose hooks do not tell it.

Codex writes a row when a command ends, before it runs the hook; the row of its output follows after the hook. Either
holds the code. Only the end of the file is read, and a file that cannot be read leaves the outcome unknown.
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

# What is read of the end of a file: some hundred commands, in a few milliseconds.
TAIL_BYTES = 8 << 20
# A longer row holds an output of megabytes; the row that follows it holds the code, too.
ROW_BYTES = 2 << 20

_NAME = re.compile(r"rollout-[\w.\-]{1,200}\.jsonl")


def with_rollout(seen: Observation) -> Observation:
    """Return the run of a command with the exit code of its transcript; as it is where that is not needed or known."""
    is_open = seen.tool == "shell" and seen.failed is None and seen.exit_code is None
    if not is_open or not seen.transcript or not seen.call_id:
        return seen
    code = exit_code(seen.transcript, seen.call_id)
    return seen if code is None else with_exit_code(seen, code)


def exit_code(path: str, call_id: str) -> int | None:
    """Return the exit code of a call by a rollout file; None if it does not hold it, or is no regular file."""
    if not os.path.isabs(path) or not _NAME.fullmatch(os.path.basename(path)):  # noqa: PTH117, PTH119
        return None
    try:
        with open_file(path, follows=False) as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - TAIL_BYTES))
            tail = file.read(TAIL_BYTES)
    except OSError:
        return None
    return code_in(tail, call_id)


def code_in(tail: bytes, call_id: str) -> int | None:
    """Return the exit code of a call by the rows at the end of a rollout file; None if they do not hold it."""
    for row in _rows_naming(tail, json.dumps(call_id).encode()):
        with suppress(InvalidInput):
            code = _code(parse_json(row), call_id)
            if code is not None:
                return code
    return None


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
