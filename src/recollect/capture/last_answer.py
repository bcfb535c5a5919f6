"""Last answer: the text that a turn ended with, from the session file of Copilot, whose hooks do not tell it.

Copilot writes the answer to its file before it runs the hook. Only the end of the file is read. A file that cannot be
read leaves the answer empty.
"""

from __future__ import annotations

import os
from contextlib import suppress
from typing import Any

from recollect.capture.observation import Observation
from recollect.errors import InvalidInput
from recollect.files import open_file
from recollect.parsing import parse_json

# What is read of the end of a file: an answer, with the usage records and the tool outputs around it.
TAIL_BYTES = 1 << 20
FILE = "events.jsonl"
# The type of an event stands in front.
_FRONT = 60
_ANSWER, _PROMPT = b'"assistant.message"', b'"user.message"'


def with_answer(seen: Observation) -> Observation:
    """Return the end of a turn with its answer; anything else, and a turn that has one, as it is."""
    if seen.event != "turn_end" or seen.text or not seen.transcript:
        return seen
    return seen._replace(text=last_answer(seen.transcript))


def last_answer(path: str) -> str:
    """Return the last answer in a session file of Copilot, after the last prompt; "" if there is none."""
    if not os.path.isabs(path) or os.path.basename(path) != FILE:  # noqa: PTH117, PTH119
        return ""
    try:
        with open_file(path, follows=False) as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - TAIL_BYTES))
            rows = file.read(TAIL_BYTES).split(b"\n")
    except OSError:
        return ""
    for row in reversed(rows):
        if _PROMPT in row[:_FRONT]:
            break
        if _ANSWER in row[:_FRONT]:
            with suppress(InvalidInput):
                if text := _content(parse_json(row)):
                    return text
    return ""


def _content(row: Any) -> str:
    data = row.get("data") if isinstance(row, dict) else None
    content = data.get("content") if isinstance(data, dict) else None
    return content.strip() if isinstance(content, str) else ""
