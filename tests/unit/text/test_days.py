"""Days: the calendar as whole numbers."""

from __future__ import annotations

from datetime import date

import pytest

from recollect.text.days import EPOCH, LAST, STEPS, Days, date_of, is_leap, months, on, week, weekday

TUESDAY = date(2024, 1, 30).toordinal()


def told(days: Days) -> tuple[str, str]:
    """The first day and the last."""
    return date_of(days[0]).isoformat(), date_of(days[1] - 1).isoformat()


@pytest.mark.parametrize(
    ("unit", "steps", "first", "last"),
    [
        ("day", -30, "2023-12-31", "2023-12-31"),
        ("week", 0, "2024-01-29", "2024-02-04"),
        ("weekend", -1, "2024-01-27", "2024-01-28"),
        ("month", 1, "2024-02-01", "2024-02-29"),
        ("month", -13, "2022-12-01", "2022-12-31"),
        ("quarter", -1, "2023-10-01", "2023-12-31"),
        ("year", 1, "2025-01-01", "2025-12-31"),
    ],
)
def test_units_are_those_of_the_calendar(unit: str, steps: int, first: str, last: str) -> None:
    assert told(STEPS[unit](TUESDAY, steps)) == (first, last)


@pytest.mark.parametrize(("sign", "expected"), [(-1, "2024-01-23"), (0, "2024-01-30"), (1, "2024-02-06")])
def test_the_same_weekday_before_and_after_is_a_week_away(sign: int, expected: str) -> None:
    assert date_of(weekday(TUESDAY, "tuesday", sign)).isoformat() == expected
    assert date_of(weekday(TUESDAY, "sunday", -1)).isoformat() == "2024-01-28"
    assert date_of(weekday(TUESDAY, "sunday", 0)).isoformat() == "2024-02-04"


def test_time_ends_with_the_year_9999_and_begins_with_the_year_1() -> None:
    assert months(9999, 12)[1] == LAST + 1
    assert months(1, 1)[0] == 1
    assert week(1)[0] == 1  # it was a Monday
    for beyond in ((0, 12), (9999, 13), (10_000, 2)):
        with pytest.raises(ValueError, match="out of range"):
            months(*beyond)
    assert date_of(-5) == date.min
    assert date_of(LAST + 5) == date.max


def test_days_are_counted_as_dates_are() -> None:
    assert on(1970, 1, 1) == (EPOCH, EPOCH + 1)
    assert [year for year in (1900, 2000, 2023, 2024) if is_leap(year)] == [2000, 2024]
