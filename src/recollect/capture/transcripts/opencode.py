"""OpenCode transcripts: one database of all sessions, with messages and their parts.

A part is rewritten while a tool runs, so a changed session is read again as a whole; keys make each part count once.
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

# A longer part is an image or a file.
MAX_PART = 1 << 20

_NOWHERE = Line(b"", 0, 0, 0)
_PARTS = """
    SELECT part.id, part.time_created, part.data,
        CASE WHEN json_valid(message.data) THEN json_extract(message.data, '$.role') END
    FROM part JOIN message ON message.id = part.message_id
    WHERE part.session_id = ? AND length(part.data) <= ? ORDER BY part.id
"""


class StoredSession(NamedTuple):
    """A session: its id, its folder, whether it is a sub-agent's, and its last change in milliseconds."""

    session: str
    cwd: str
    is_agent: bool
    changed: int


def stored_sessions(path: Path) -> list[StoredSession]:
    """Return the sessions of a database; none if it is another program's."""
    try:
        with closing(_opened(path)) as database:
            rows = database.execute(
                "SELECT id, directory, parent_id, time_updated FROM session ORDER BY time_updated DESC"
            )
            return [StoredSession(str(row[0]), words(row[1]), row[2] is not None, int(row[3] or 0)) for row in rows]
    except (sqlite3.Error, ValueError):
        return []


def turns(path: Path, stored: StoredSession) -> Iterator[Turn]:
    """Yield the turns of a session in order. Raises OSError if the database cannot be read."""
    reading = Reading("opencode", stored.session, stored.cwd)
    reading.agent = "subagent" if stored.is_agent else ""
    try:
        with closing(_opened(path)) as database:
            for part_id, created, data, role in database.execute(_PARTS, (stored.session, MAX_PART)):
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
