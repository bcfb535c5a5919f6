"""Captured: months of work in several projects, told by hooks as Claude Code would tell it, day by day.

Sessions are those of bench/patterns.py: prompts, searches, reads, edits, commands, errors and what mended them. They go
through the capture of hooks, which keeps of them what it keeps of anybody's.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from patterns import DAYS, ROOT, START, Event, Month
from recollect import Engine

DAY = 86_400


class Sitting(NamedTuple):
    """A session: its name, the folder it works in, when it begins after the first day, and what happens in it."""

    name: str
    folder: str
    begins_s: int
    events: Sequence[Event]


def sittings(*, projects: int, months: int, first: int = 1) -> list[Sitting]:
    """Return the sessions of so many months in so many projects, in the order in which they begin.

    first: the seed of the first month
    """
    found = list(_sittings(projects, months, first))
    return sorted(found, key=lambda sitting: (sitting.begins_s, sitting.name))


def _sittings(projects: int, months: int, first: int) -> Iterator[Sitting]:
    for project in range(projects):
        for number in range(months):
            seed = first + project * months + number
            month = Month(seed)
            for place, (start, events) in enumerate(zip(month.starts, month.sessions, strict=True)):
                begins_s = number * DAYS * DAY + start - START
                yield Sitting(f"p{project}-m{seed}-s{place:03}", f"{ROOT}-{project}", begins_s, events)


def capture(engine: Engine, sitting: Sitting, begin: int) -> None:
    """Take in what hooks were told in a session; begin: the moment of the first day."""
    reader = engine.capture.reader()
    notices = []
    for place, event in enumerate(sitting.events):
        at = begin + sitting.begins_s + 40 * place
        identity = {"session_id": sitting.name, "cwd": sitting.folder, "tool_use_id": f"{sitting.name}-{place}"}
        # The folder of the month is that of the project: paths in payloads are told below it.
        raw = json.dumps({**event.payload, **identity}).replace(f"{ROOT}/", f"{sitting.folder}/").encode()
        notice = reader.parse(raw, f"{at:020}{sitting.name}{place:06}", event="", assistant="claude", at=at)
        if notice is not None:
            notices.append(notice)
    engine.session_updates.write(notices)
