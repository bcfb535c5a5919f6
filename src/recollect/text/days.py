"""Calendar days as ordinals; a time is [first, end) of them.

Years before 1 or after 9999 raise ValueError or OverflowError, or give ordinals out of bounds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date

WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")

EPOCH = date(1970, 1, 1).toordinal()
LAST = date.max.toordinal()

# A longer time names no day in particular.
LONGEST_MENTION = 7

Days = tuple[int, int]


def date_of(ordinal: int) -> date:
    """Return the date of a day, clamped to the calendar."""
    return date.fromordinal(min(max(ordinal, 1), LAST))


def one(ordinal: int) -> Days:
    """Return a day as a time."""
    return ordinal, ordinal + 1


def on(year: int, month: int, day: int) -> Days:
    """Return the day of a date as a time."""
    return one(date(year, month, day).toordinal())


def week(ordinal: int) -> Days:
    """Return the week of a day, from Monday on."""
    monday = ordinal - (ordinal - 1) % 7
    return monday, monday + 7


def weekend(ordinal: int) -> Days:
    """Return the Saturday and Sunday of the week of a day."""
    monday, end = week(ordinal)
    return monday + 5, end


def months(year: int, month: int, count: int = 1) -> Days:
    """Return some months as days; months beyond a year belong to other years."""
    return _month_start(12 * year + month - 1), _month_start(12 * year + month - 1 + count)


def _month_start(number: int) -> int:
    """Return the first day of a month counted from the year 0."""
    return LAST + 1 if number == 120_000 else date(number // 12, number % 12 + 1, 1).toordinal()


def _quarter_of(ordinal: int, steps: int) -> Days:
    now = date_of(ordinal)
    return months(now.year, (now.month - 1) // 3 * 3 + 1 + 3 * steps, 3)


def _month_of(ordinal: int, steps: int) -> Days:
    now = date_of(ordinal)
    return months(now.year, now.month + steps)


def _year_of(ordinal: int, steps: int) -> Days:
    return months(date_of(ordinal).year + steps, 1, 12)


# A unit of the calendar, a number of them away from a day.
STEPS: Mapping[str, Callable[[int, int], Days]] = {
    "day": lambda today, steps: one(today + steps),
    "week": lambda today, steps: week(today + 7 * steps),
    "weekend": lambda today, steps: weekend(today + 7 * steps),
    "month": _month_of,
    "quarter": _quarter_of,
    "year": _year_of,
}


def weekday(said: int, name: str, sign: int) -> int:
    """Return the day of that name: in this week, or the nearest before or after."""
    ahead = (WEEKDAYS.index(name) - (said - 1)) % 7
    if sign == 0:
        return week(said)[0] + WEEKDAYS.index(name)
    return said + (ahead or 7) if sign > 0 else said - ((7 - ahead) if ahead else 7)


def is_leap(year: int) -> bool:
    """Tell whether a year has a 29th of February."""
    first, end = months(year, 2)
    return end - first == 29
