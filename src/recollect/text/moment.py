"""A point in time as a person types it: 2026-11-15, 2026-11-15T13:56, 2w, yesterday, last week, or Unix seconds.

A day, week, month or year stands for its first second, in UTC, or for its last one where that is asked for: "since May"
begins with May, "until May" includes it. A weekday is the last one before today.
"""

from __future__ import annotations

import re

# Longer than any date; the patterns below never see more.
MAX_CHARACTERS = 60

# A year, a month or a day.
_WHOLE = re.compile("([0-9]{4})(?:-([0-9]{2})(?:-([0-9]{2}))?)?")
_AGE = re.compile(
    r"(?:([0-9]{1,6}) ?|an? )(seconds?|s|minutes?|min|hours?|h|days?|d|weeks?|w|months?|m|years?|y)(?: ago)?",
    re.IGNORECASE,
)
# Seconds of a unit, by its first letters; a month and a year are as long as most are.
_UNITS = {"s": 1, "mi": 60, "h": 3600, "d": 86_400, "w": 604_800, "m": 2_592_000, "y": 31_536_000}


def read_moment(text: str, now: int, *, last: bool = False) -> int | None:
    """Return the Unix time that a text names; None: it names none.

    last: of a day, week, month or year, its last second instead of its first
    """
    text = text.strip()
    if len(text) > MAX_CHARACTERS:
        return None
    if text.lower() == "now":
        return now
    if age := _AGE.fullmatch(text):
        unit = age[2].lower()
        return now - int(age[1] or 1) * (_UNITS["mi"] if unit.startswith("mi") else _UNITS[unit[0]])
    iso = _iso(text, last=last)
    return iso if iso is not None else _said(text, now, last=last)


def _iso(text: str, *, last: bool) -> int | None:
    """Return the Unix time of a number or an ISO 8601 date.

    Four digits are a year: as seconds they would be an hour of 1970, which nobody writes.
    """
    from datetime import UTC, datetime

    try:
        if whole := _WHOLE.fullmatch(text):
            return _edge(*whole.groups(), last=last)
        if text.removeprefix("-").isdecimal():
            return int(text)
        parsed = datetime.fromisoformat(text)
    except ValueError:
        return None
    return int((parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)).timestamp())


def _edge(year: str, month: str | None, day: str | None, *, last: bool) -> int:
    """Return the first or the last second of a year, a month or a day. Raises ValueError if there is none."""
    from recollect.text.dates import DAY
    from recollect.text.days import EPOCH, months, on

    first, end = on(int(year), int(month or 1), int(day or 1))
    if day is None:
        end = months(int(year), int(month or 1), 1 if month else 12)[1]
    return (end - EPOCH) * DAY - 1 if last else (first - EPOCH) * DAY


def _said(text: str, now: int, *, last: bool) -> int | None:
    """Return the first or last second of the time that the words name; they must name one time and nothing else."""
    from recollect.text.dates import asked_times

    spans = asked_times(text, now)
    if len(spans) != 1 or spans[0].words != text:
        return None
    return spans[0].end - 1 if last else spans[0].start
