"""OpenCode: one database of all sessions; messages, and the parts of them in the order of their ids.

A part is written again while a tool runs, so that a session of which anything changed is read anew as a whole: keys
make what was read before count once.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

from recollect.capture.transcripts.transcript_turn import Call, Line, Reading, Turn, thing, words
from recollect.errors import InvalidInput
from recollect.parsing import parse_json

# A longer part is an image or a whole file.
MAX_PART = 1 << 20

_NOWHERE = Line(b"", 0, 0, 0)
_PARTS = """
    SELECT part.id, part.time_created, part.data,
        CASE WHEN json_valid(message.data) THEN json_extract(message.data, '$.role') END
    FROM part JOIN message ON message.id = part.message_id
    WHERE part.session_id = ? AND length(part.data) <= ? ORDER BY part.id
"""


class Sitting(NamedTuple):
    """A session: its id, its folder, whether a sub-agent works in it, and when it last changed, in milliseconds."""

    session: str
    cwd: str
    is_agent: bool
    changed: int


def sittings(path: Path) -> list[Sitting]:
    """Return the sessions of a database; none where it is none of OpenCode's."""
    try:
        with closing(_opened(path)) as database:
            rows = database.execute(
                "SELECT id, directory, parent_id, time_updated FROM session ORDER BY time_updated DESC"
            )
            return [Sitting(str(row[0]), words(row[1]), row[2] is not None, int(row[3] or 0)) for row in rows]
    except (sqlite3.Error, ValueError):
        return []


def turns(path: Path, sitting: Sitting) -> Iterator[Turn]:
    """Yield what was said and done in a session, in order. Raises OSError where the database cannot be read."""
    reading = Reading("opencode", sitting.session, sitting.cwd)
    reading.agent = "subagent" if sitting.is_agent else ""
    try:
        with closing(_opened(path)) as database:
            for part_id, created, data, role in database.execute(_PARTS, (sitting.session, MAX_PART)):
                try:
                    part = thing(parse_json(data))
                except (InvalidInput, TypeError):
                    continue
                reading.moment(created)
                yield from _part(part, str(part_id), role, reading)
    except sqlite3.Error as problem:
        raise OSError(f"{path} cannot be read: {problem}") from None


def _part(part: dict[str, Any], part_id: str, role: Any, reading: Reading) -> Iterator[Turn]:
    if part.get("type") == "text" and not part.get("synthetic") and not (role == "user" and reading.agent):
        is_user = role == "user"
        for turn in reading.said("user" if is_user else "assistant", words(part.get("text")), _NOWHERE, part_id):
            yield turn._replace(line=0, order=0)
    elif part.get("type") == "tool":
        state = thing(part.get("state"))
        if state.get("status") not in ("completed", "error"):
            return
        reading.moment(thing(state.get("time")).get("end"))
        call = Call(words(part.get("tool")), thing(state.get("input")), reading.cwd, reading.agent, _NOWHERE)
        output = {"output": words(state.get("output")), "metadata": {"exit": thing(state.get("metadata")).get("exit")}}
        error = words(state.get("error")) if state["status"] == "error" else ""
        turn = reading.used(call, words(part.get("callID")), _NOWHERE, output=output, error=error)
        yield turn._replace(key=part_id, line=0, order=0)


def _opened(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True, timeout=5)
