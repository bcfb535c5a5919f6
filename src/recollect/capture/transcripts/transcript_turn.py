"""Turn: one message or tool call of a session in any transcript format, and the state of a reader.

---
Lines: the lines of a file that may still be growing, from any place on, however long one is."""

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

# Uses of tools that have begun and not ended: more were abandoned, and their beginnings are given up.
OPEN_CALLS = 64
# What is kept of the output of a failure: errors stand at its end, or at its beginning.
FAILED_CHARACTERS = 8_000
# What is looked at of a text that an edit takes away or puts in.
EDIT_CHARACTERS = 1_000

Role = Literal["user", "assistant", "tool"]


class Line(NamedTuple):
    """One line of a file: what it says, its number from 1, and where it begins and ends."""

    raw: bytes
    number: int
    start: int
    end: int


class Turn(NamedTuple):
    """One thing that was said or done.

    key: the same whenever it is read, and no other of its session has it. line: where it stands, 0 where that says
    nothing. at_ms: when it was; order: what tells two of the same moment. seen: what, in our words
    """

    role: Role
    key: str
    line: int
    at_ms: int
    order: int
    seen: Observation


class Call(NamedTuple):
    """The use of a tool that has begun: what was asked of it, where, and in which line."""

    name: str
    given: Mapping[str, Any]
    cwd: str
    agent: str
    line: Line
    server: str = ""


class Reading:
    """What is known while a file is read: the session, its folder, the moment, and what has not ended yet."""

    def __init__(self, assistant: str, session: str = "", cwd: str = "") -> None:
        self.assistant = assistant
        self.session = session
        self.cwd = cwd
        self.agent = ""
        self.at_ms = 0
        self.calls: dict[str, Call] = {}

    def moment(self, value: Any) -> None:
        """Note when something was: an ISO text or milliseconds; what is neither is as late as what came before."""
        if isinstance(value, str):
            self.at_ms = milliseconds(value) or self.at_ms
        elif isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < 253_402_300_800_000:
            self.at_ms = int(value)

    def open(self, call_id: str, call: Call) -> None:
        """Note that a tool is used; the oldest of too many is given up."""
        if len(self.calls) >= OPEN_CALLS:
            del self.calls[next(iter(self.calls))]
        self.calls[call_id] = call

    def resume(self, line: Line) -> tuple[int, int]:
        """Return where reading may begin again after a line, and how many lines lie before: nothing open is lost."""
        first = min((call.line for call in self.calls.values()), key=lambda each: each.start, default=None)
        return (first.start, first.number - 1) if first is not None else (line.end, line.number)

    def said(self, role: Role, text: str, line: Line, key: str = "") -> Iterator[Turn]:
        """Yield what a person or the assistant said, unless it is nothing."""
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
        """Return the use of a tool that has ended; ended: output, error, failed as an observation has them."""
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
    """Return the use of a tool without what nothing is learnt from: files, and what was printed where all went well.

    Texts are cut between lines, so that no half of a secret is left that nobody would recognise.
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
    """Return whole lines of a text within so many characters; of one line that is longer nothing is left."""
    return text if len(text) <= most else text[: text.rfind("\n", 0, most) + 1]


_ISO = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d")


def milliseconds(moment: str) -> int:
    """Return an ISO time as milliseconds since 1970; 0 for what is none."""
    if not _ISO.match(moment):
        return 0
    try:
        found = datetime.fromisoformat(moment)
        return int((found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp() * 1000)
    except (ValueError, OverflowError):
        return 0


def text_of(value: Any) -> str:
    """Return the text of a message: itself, or those of its parts that are text."""
    if isinstance(value, str):
        return value
    if not isinstance(value, list):
        return ""
    parts = (part.get("text") for part in value if isinstance(part, dict) and _is_text(part))
    return "\n".join(part for part in parts if isinstance(part, str))


def _is_text(part: Mapping[str, Any]) -> bool:
    return part.get("type", "text") in ("text", "input_text", "output_text")


def words(value: Any) -> str:
    """Return a value that should be text; "" for any other."""
    return value if isinstance(value, str) else ""


def thing(value: Any) -> dict[str, Any]:
    """Return a value that should be an object; an empty one for any other."""
    return value if isinstance(value, dict) else {}


# Read at a time: few calls, little memory.
BLOCK = 1 << 20
# A longer line holds an image or a whole archive; it is passed over without being held.
MAX_LINE = 16 << 20


def lines(path: Path, position: int = 0, number: int = 0) -> Iterator[Line]:
    """Yield the whole lines of a file after a place; what is still being written at its end is left for later.

    number: how many lines lie before that place. Raises OSError.
    """
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
    """Return how a file begins; nothing where it cannot be read. Raises OSError."""
    with open_file(path) as file:
        return file.readline(MAX_LINE)
