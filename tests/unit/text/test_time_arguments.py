"""A point in time as a person types it."""

from datetime import UTC, datetime

import pytest

from recollect.text.time_arguments import read_moment

NOW = int(datetime(2026, 11, 16, 3, 30, tzinfo=UTC).timestamp())  # a Monday


@pytest.mark.parametrize(
    ("text", "iso"),
    [
        ("now", "2026-11-16T03:30"),
        ("today", "2026-11-16"),
        ("Yesterday", "2026-11-15"),
        ("last week", "2026-11-09"),
        ("last month", "2026-10-01"),
        ("monday", "2026-11-09"),
        ("friday", "2026-11-13"),
        ("12h", "2026-11-15T15:30"),
        ("30min", "2026-11-16T03:00"),
        ("3d", "2026-11-13T03:30"),
        ("2w", "2026-11-02T03:30"),
        ("6mo", "2026-05-20T03:30"),
        ("30m", "2026-11-16T03:00"),
        ("1y", "2025-11-16T03:30"),
        ("2 weeks ago", "2026-11-02T03:30"),
        ("an hour ago", "2026-11-16T02:30"),
        ("2026-11-15", "2026-11-15"),
        ("2026-11", "2026-11-01"),
        ("2026", "2026-01-01"),
        (" 2026-11-15 13:56 ", "2026-11-15T13:56"),
        ("2026-11-15T14:56+01:00", "2026-11-15T13:56"),
        ("15 November 2026", "2026-11-15"),
        ("1794799800", "2026-11-16T03:30"),
    ],
)
def test_a_moment_is_read(text: str, iso: str) -> None:
    assert read_moment(text, NOW) == int(datetime.fromisoformat(iso).replace(tzinfo=UTC).timestamp())


@pytest.mark.parametrize(
    ("text", "iso"),
    [
        ("now", "2026-11-16T03:30"),
        ("2w", "2026-11-02T03:30"),
        ("yesterday", "2026-11-15T23:59:59"),
        ("last week", "2026-11-15T23:59:59"),
        ("2024-02-29", "2024-02-29T23:59:59"),
        ("2024-02", "2024-02-29T23:59:59"),
        ("2026-12", "2026-12-31T23:59:59"),
        ("2024", "2024-12-31T23:59:59"),
        ("9999", "9999-12-31T23:59:59"),
        ("15 November 2026", "2026-11-15T23:59:59"),
        ("2026-11-15T13:56", "2026-11-15T13:56"),
        ("1794799800", "2026-11-16T03:30"),
    ],
)
def test_the_last_second_of_a_day_week_month_or_year_is_read(text: str, iso: str) -> None:
    assert read_moment(text, NOW, last=True) == int(datetime.fromisoformat(iso).replace(tzinfo=UTC).timestamp())


@pytest.mark.parametrize(
    "text", ["", "foo", "yesterday or so", "2026-13-01", "2026-02-30", "w", "2x", "yesterday " * 1000, "9" * 61]
)
def test_what_names_no_moment_is_none(text: str) -> None:
    assert read_moment(text, NOW) is None
