"""Decisions: the records of decisions (ADRs) that a project keeps, one memory each.

What was decided, whether it still holds, and what was turned down. A record that another one replaced is told as what
it is: an approach that was given up.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from recollect import progress
from recollect.history.documents import is_decision, sections
from recollect.history.files import Text, found_in, paths, texts
from recollect.history.found import Found, clipped

# What is kept of a record, its sections in order of what they say: a decision before what led to it.
RECORD_CHARACTERS = 2_400
SECTION_CHARACTERS = 900

_FIRST = ("decision", "outcome", "status", "context", "consequence", "alternativ", "option", "rationale", "why")
_STATUS = re.compile(
    r"^[^\w\n]*+(?:status|state)\W*+(?P<status>[A-Za-z][\w ,.#\-\[\]()/]{2,80})", re.IGNORECASE | re.MULTILINE
)
_DATE = re.compile(r"\b(?P<day>(?:19|20)\d\d-\d\d-\d\d)\b")
_GIVEN_UP = re.compile(r"\b(?:supersed|replac|deprecat|reject|withdraw|abandon|obsolete)", re.IGNORECASE)


class Decisions:
    """Records of decisions; `most`: how many at most."""

    def __init__(self, most: int) -> None:
        self._most = most
        self.left_out: list[str] = []
        self.notes: list[str] = []

    def records(self, root: Path, since: int | None) -> Iterator[Found]:
        """Yield the records of decisions of a project, the latest first."""
        wanted = sorted((path for path in paths(root, self.notes) if is_decision(path)), reverse=True)[: self._most]
        for number, file in enumerate(texts(root, wanted)):
            progress.report(number, len(wanted), "reading decision records")
            for found in found_in(file, _found, self.left_out):
                if since is None or found.at >= since:
                    yield found


def _found(file: Text) -> Iterator[Found]:
    parts = [part for part in sections(file.text, is_rst=file.path.endswith(".rst")) if part.text]
    title = next((part.headings[0] for part in parts if part.headings), file.path)
    status = _status(file.text, [(part.headings, part.text) for part in parts])
    day = _DATE.search(file.text[:2_000])
    is_given_up = bool(_GIVEN_UP.search(status))
    lines = [f"Decision record {file.path}: {title}" + (f" (status: {status})" if status else "")]
    room = RECORD_CHARACTERS
    for part in sorted(parts, key=lambda part: _rank(part.headings)):
        text = clipped(part.text, SECTION_CHARACTERS)
        if len(text) > room:
            break
        room -= len(text)
        lines.append(f"{part.headings[-1]}: {text}" if len(part.headings) > 1 else text)
    yield Found(
        key=file.path,
        rule="given up" if is_given_up else "decision",
        title=clipped(title, 200),
        content="\n\n".join(lines),
        memory_type="decision",
        at=_moment(day["day"]) or file.at if day else file.at,
        importance=0.5 if is_given_up else 0.75,
        tags=("adr", *(("given-up",) if is_given_up else ())),
        metadata={"path": file.path, "status": status},
    )


def _status(text: str, parts: list[tuple[tuple[str, ...], str]]) -> str:
    for headings, body in parts:
        if headings and headings[-1].strip().lower() in ("status", "state"):
            return clipped(body.splitlines()[0].strip(" *_`."), 80)
    found = _STATUS.search(text[:2_000])
    return found["status"].strip(" *_`.|") if found else ""


def _rank(headings: tuple[str, ...]) -> int:
    name = headings[-1].lower() if headings else ""
    return next((place for place, word in enumerate(_FIRST) if word in name), len(_FIRST))


def _moment(day: str) -> int:
    try:
        return int(datetime.fromisoformat(day).replace(tzinfo=UTC).timestamp())
    except ValueError:
        return 0
