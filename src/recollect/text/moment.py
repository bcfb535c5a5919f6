"""A point in time as a person types it: 2026-11-15, 2026-11-15T13:56, 2w, yesterday, last week, or Unix seconds.

A day, week, month or year stands for its first second, in UTC. A weekday is the last one before today.
"""

from __future__ import annotations

import re

# Longer than any date; the patterns below never see more.
MAX_CHARACTERS = 60

_YEAR_OR_MONTH = re.compile("[0-9]{4}(-[0-9]{2})?")
_AGE = re.compile(
    r"(?:([0-9]{1,6}) ?|an? )(seconds?|s|minutes?|min|hours?|h|days?|d|weeks?|w|months?|m|years?|y)(?: ago)?",
    re.IGNORECASE,
)
# Seconds of a unit, by its first letters; a month and a year are as long as most are.
_UNITS = {"s": 1, "mi": 60, "h": 3600, "d": 86_400, "w": 604_800, "m": 2_592_000, "y": 31_536_000}


def read_moment(text: str, now: int) -> int | None:
    """Return the Unix time that a text names; None: it names none."""
    text = text.strip()
    if len(text) > MAX_CHARACTERS:
        return None
    if text.lower() == "now":
        return now
    if age := _AGE.fullmatch(text):
        unit = age[2].lower()
        return now - int(age[1] or 1) * (_UNITS["mi"] if unit.startswith("mi") else _UNITS[unit[0]])
    iso = _iso(text)
    return iso if iso is not None else _said(text, now)


def _iso(text: str) -> int | None:
    """Return the Unix time of a number or an ISO 8601 date.

    Four digits are a year: as seconds they would be an hour of 1970, which nobody writes.
    """
    from datetime import UTC, datetime

    try:
        # "2024" and "2024-05" are ISO dates that Python does not read.
        if short := _YEAR_OR_MONTH.fullmatch(text):
            text = text + ("-01" if short[1] else "-01-01")
        if text.removeprefix("-").isdecimal():
            return int(text)
        parsed = datetime.fromisoformat(text)
    except ValueError:
        return None
    return int((parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)).timestamp())


def _said(text: str, now: int) -> int | None:
    """Return the start of the time that the words name; they must name one time and nothing else."""
    from recollect.text.dates import asked_times

    spans = asked_times(text, now)
    return spans[0].start if len(spans) == 1 and spans[0].words == text else None
