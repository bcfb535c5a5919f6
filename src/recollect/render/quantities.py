"""Counts with their noun, sizes in bytes, days in UTC and ages, as text."""

from __future__ import annotations

import time

# (seconds, name), largest first. A month and a year are averages.
_UNITS = (
    (31_556_952, "year"),
    (2_629_746, "month"),
    (604_800, "week"),
    (86_400, "day"),
    (3_600, "hour"),
    (60, "minute"),
)


def ago(at: int, now: int) -> str:
    """Return the distance from `now` in its largest unit: `3 days ago`, `in 2 hours`, `just now`."""
    distance = abs(now - at)
    for seconds, name in _UNITS:
        if distance >= seconds:
            count = distance // seconds
            words = f"{count} {name}{'' if count == 1 else 's'}"
            return f"{words} ago" if at <= now else f"in {words}"
    return "just now"


def day(at: int, now: int | None = None) -> str:
    """Return the UTC day of `at`, followed by its distance from `now` where that is given."""
    try:
        text = time.strftime("%Y-%m-%d", time.gmtime(at))
    except (OverflowError, OSError, ValueError):  # an imported row may carry any number
        return str(at)
    return text if now is None else f"{text} ({ago(at, now)})"


def since(at: int, now: int | None = None) -> str:
    """Return the distance of `at` from `now` where that is given, else its UTC day: one short column."""
    return day(at) if now is None else ago(at, now)


def count(number: int, noun: str) -> str:
    """Return `1 memory`, `2 memories`: the number with its noun."""
    if number == 1:
        return f"1 {noun}"
    return f"{number:,} {noun[:-1] + 'ies' if noun.endswith('y') else noun + 's'}"


def size(number: int) -> str:
    """Return a number of bytes in the unit people would use."""
    amount = float(number)
    for unit in ("bytes", "KiB", "MiB"):
        if amount < 1024:
            return f"{amount:.0f} bytes" if unit == "bytes" else f"{amount:.1f} {unit}"
        amount /= 1024
    return f"{amount:.1f} GiB"
