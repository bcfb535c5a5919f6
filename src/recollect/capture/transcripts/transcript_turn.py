"""Lines and turns of transcripts: one message or tool call in any format, and the state of a reader."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, NamedTuple

from recollect.capture import tools
from recollect.capture.observation import Observation
from recollect.capture.payload import with_outcome
from recollect.files import open_file

# Calls without a result that are kept; older ones were abandoned.
OPEN_CALLS = 64
# What is kept of the beginning and of the end of a failure's output.
FAILED_CHARACTERS = 8_000
# What is kept of the old and new text of an edit.
EDIT_CHARACTERS = 1_000

Role = Literal["user", "assistant", "tool"]


class Line(NamedTuple):
    """One line of a file: its bytes, its number from 1, its first and last offset."""

    raw: bytes
    number: int
    start: int
    end: int


class Turn(NamedTuple):
    """One message or tool call.

    key: stable, and unique in its session. line: its number, 0 in a database. order: sorts turns of one moment
    """

    role: Role
    key: str
    line: int
    at_ms: int
    order: int
    seen: Observation


class Call(NamedTuple):
    """A tool call without its result: input, folder and line."""

    name: str
    given: Mapping[str, Any]
    cwd: str
    agent: str
    line: Line
    server: str = ""


class Reading:
    """The state of reading a file: session, folder, time, and calls without a result."""

    def __init__(self, assistant: str, session: str = "", cwd: str = "") -> None:
        self.assistant = assistant
        self.session = session
        self.cwd = cwd
        self.agent = ""
        self.at_ms = 0
        self.calls: dict[str, Call] = {}

    def moment(self, value: Any) -> None:
        """Set the time: an ISO text or milliseconds; anything else leaves it."""
        if isinstance(value, str):
            self.at_ms = milliseconds(value) or self.at_ms
        elif isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < 253_402_300_800_000:
            self.at_ms = int(value)

    def open(self, call_id: str, call: Call) -> None:
        """Add a call; the oldest of too many is dropped."""
        if len(self.calls) >= OPEN_CALLS:
            del self.calls[next(iter(self.calls))]
        self.calls[call_id] = call

    def resume(self, line: Line) -> tuple[int, int]:
        """Return the offset and line number to resume at, before the first call without a result."""
        first = min((call.line for call in self.calls.values()), key=lambda each: each.start, default=None)
        return (first.start, first.number - 1) if first is not None else (line.end, line.number)

    def said(self, role: Role, text: str, line: Line, key: str = "") -> Iterator[Turn]:
        """Yield a message, unless it is blank."""
        if text.strip():
            seen = Observation(
                assistant=self.assistant,
                event="prompt" if role == "user" else "turn_end",
                session=self.session,
                cwd=self.cwd,
                at=self.at_ms // 1000,
                agent=self.agent,
                text=text,
            )
            yield Turn(role, key or str(line.start), line.number, self.at_ms, line.number, seen)

    def used(self, call: Call, call_id: str, line: Line, **ended: Any) -> Turn:
        """Return a tool call with its result; ended: output, error, failed of the observation."""
        kind, server = tools.kind(call.name, self.assistant)
        server = call.server or server
        seen = Observation(
            assistant=self.assistant,
            event="tool",
            session=self.session,
            cwd=call.cwd,
            at=self.at_ms // 1000,
            tool="mcp" if server and kind == "other" else kind,
            tool_name=call.name[:200],
            server=server[:200],
            call_id=call_id[:200],
            input=call.given,
            agent=call.agent,
            **ended,
        )
        return Turn("tool", f"{call_id}:{call.line.start}", line.number, self.at_ms, line.number, with_outcome(seen))


def slim(seen: Observation) -> Observation:
    """Return a tool call without files and without the output of a success.

    Texts are cut between lines: half a secret would not be recognised.
    """
    given = {
        key: cut(value, EDIT_CHARACTERS) if isinstance(value, str) and key not in tools.FIELDS["command"] else value
        for key, value in seen.input.items()
    }
    if seen.failed is False or (seen.failed is None and seen.tool != "shell"):
        return seen._replace(input=given, output=None)
    text = seen.error or tools.said(seen.output)
    if len(text) > 2 * FAILED_CHARACTERS:
        _, _, end = text[-FAILED_CHARACTERS:].partition("\n")
        text = cut(text, FAILED_CHARACTERS) + "\n" + end
    return seen._replace(input=given, output=None if seen.error else text, error=text if seen.error else "")


def cut(text: str, most: int) -> str:
    """Return the whole lines within so many characters."""
    return text if len(text) <= most else text[: text.rfind("\n", 0, most) + 1]


_ISO = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d")


def milliseconds(moment: str) -> int:
    """Return an ISO time as milliseconds since 1970; 0 if it is invalid."""
    if not _ISO.match(moment):
        return 0
    try:
        found = datetime.fromisoformat(moment)
        return int((found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp() * 1000)
    except (ValueError, OverflowError):
        return 0


def text_of(value: Any) -> str:
    """Return the text of a message or of its text parts."""
    if isinstance(value, str):
        return value
    if not isinstance(value, list):
        return ""
    parts = (part.get("text") for part in value if isinstance(part, dict) and _is_text(part))
    return "\n".join(part for part in parts if isinstance(part, str))


def _is_text(part: Mapping[str, Any]) -> bool:
    return part.get("type", "text") in ("text", "input_text", "output_text")


def words(value: Any) -> str:
    """Return a text; "" for any other value."""
    return value if isinstance(value, str) else ""


def thing(value: Any) -> dict[str, Any]:
    """Return an object; an empty one for any other value."""
    return value if isinstance(value, dict) else {}


BLOCK = 1 << 20
# A longer line holds an image or an archive and is skipped.
MAX_LINE = 16 << 20


def lines(path: Path, position: int = 0, number: int = 0) -> Iterator[Line]:
    """Yield the complete lines of a file after an offset; number: the lines before. Raises OSError."""
    with open_file(path, buffering=BLOCK) as file:
        file.seek(position)
        while raw := file.readline(MAX_LINE):
            start = position
            position += len(raw)
            is_whole = raw.endswith(b"\n")
            if not is_whole:
                rest = b""
                while not rest.endswith(b"\n") and (rest := file.readline(MAX_LINE)):
                    position += len(rest)
                if not rest.endswith(b"\n"):
                    return  # its end is not written yet
            number += 1
            if is_whole and len(raw) > 2:
                yield Line(raw, number, start, position)


def first_line(path: Path) -> bytes:
    """Return the first line of a file. Raises OSError."""
    with open_file(path) as file:
        return file.readline(MAX_LINE)
