"""Sizes in bytes, and ages, as text."""

from __future__ import annotations

from recollect.text.display import day
from recollect.text.display import plural as plural  # for the surfaces, which show what is rendered

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


def since(at: int, now: int | None = None) -> str:
    """Return the distance of `at` from `now` where that is given, else its UTC day: one short column."""
    return day(at) if now is None else ago(at, now)


def dated(at: int, now: int | None) -> str:
    """Return the UTC day of `at`, followed by its distance from `now` where that is given."""
    return day(at) if now is None else f"{day(at)} ({ago(at, now)})"


def size(number: int) -> str:
    """Return a number of bytes in the unit people would use."""
    amount = float(number)
    for unit in ("bytes", "KiB", "MiB"):
        if amount < 1024:
            return f"{amount:.0f} bytes" if unit == "bytes" else f"{amount:.1f} {unit}"
        amount /= 1024
    return f"{amount:.1f} GiB"
