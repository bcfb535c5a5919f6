"""Times in arguments and questions: 2026-11-15, 2w, yesterday, Unix seconds; "... as of March 2024?".

A day, week, month or year is its first second in UTC, or its last: "since May" begins with May, "until May" includes
it. A weekday is the last one before today.
"""

from __future__ import annotations

import re
from functools import cache

# Longer texts are no dates.
MAX_CHARACTERS = 60

# A year, a month or a day.
_WHOLE = re.compile("([0-9]{4})(?:-([0-9]{2})(?:-([0-9]{2}))?)?")
_AGE = re.compile(
    r"(?:([0-9]{1,6}) ?|an? )(seconds?|s|minutes?|min|m|hours?|h|days?|d|weeks?|w|months?|mo|years?|y)(?: ago)?",
    re.IGNORECASE,
)
# Seconds of a unit, by its first letters.
_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800, "mo": 2_592_000, "y": 31_536_000}


def read_moment(text: str, now: int, *, last: bool = False) -> int | None:
    """Return the Unix time that a text names; None if it names none.

    last: the last second of a day, week, month or year instead of the first
    """
    text = text.strip()
    if len(text) > MAX_CHARACTERS:
        return None
    if text.lower() == "now":
        return now
    if (age := read_age(text)) is not None:
        return now - age
    iso = _iso(text, last=last)
    return iso if iso is not None else _said(text, now, last=last)


def read_age(text: str) -> int | None:
    """Return the seconds of an age such as 90d, 2w or a month; None for other text."""
    age = _AGE.fullmatch(text.strip()[:MAX_CHARACTERS])
    if age is None:
        return None
    unit = age[2].lower()
    return int(age[1] or 1) * _UNITS["mo" if unit.startswith("mo") else unit[0]]


def _iso(text: str, *, last: bool) -> int | None:
    """Return the Unix time of a number or an ISO 8601 date.

    Four digits are a year.
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
    """Return the first or last second of a year, a month or a day. Raises ValueError."""
    from recollect.text.dates import DAY
    from recollect.text.days import EPOCH, months, on

    first, end = on(int(year), int(month or 1), int(day or 1))
    if day is None:
        end = months(int(year), int(month or 1), 1 if month else 12)[1]
    return (end - EPOCH) * DAY - 1 if last else (first - EPOCH) * DAY


def _said(text: str, now: int, *, last: bool) -> int | None:
    """Return the first or last second of a time in words; None for anything else."""
    from recollect.text.dates import asked_times

    spans = asked_times(text, now)
    if len(spans) != 1 or spans[0].words != text:
        return None
    return spans[0].end - 1 if last else spans[0].start


_pattern = cache(re.compile)
_SAID = r"(?i)\bas\s{1,3}of\b"
_NOW = r"(?i)\bas\s{1,3}of\s{1,3}(?:right\s{1,3})?now\b"


def without_as_of(text: str, now: int) -> tuple[str, int | None]:
    """Return a question without "as of March", and the last second of March; None for the present.

    A future time stays in the question: plans name it.
    """
    if not _pattern(_SAID).search(text):
        return text, None
    if found := _pattern(_NOW).search(text):
        return _cut(text, found.start(), found.end()), None
    from recollect.text.dates import AS_OF, AS_OF_REACH, asked_times

    for span in asked_times(text, now):
        words = _pattern("(?i)" + AS_OF).search(text, max(0, span.at - AS_OF_REACH), span.at)
        if words and span.start <= now:
            rest = _cut(text, words.start(), span.stop)
            last = span.start if (words["edge"] or "").lower() in ("start", "beginning") else span.end - 1
            return rest, last if last < now and rest != text else None
    return text, None


def _cut(text: str, start: int, stop: int) -> str:
    """Return a text without some words, unless nothing else is left."""
    before, after = text[:start].rstrip(" ,"), text[stop:].lstrip(" ,")
    rest = f"{before} {after}".strip() if after[:1].isalnum() else before + after
    return rest if any(character.isalnum() for character in rest) else text
