"""A month of sessions shows the patterns that were planted in it, and hardly any other."""

from __future__ import annotations

import pytest

import patterns


@pytest.mark.promise("E23", "E-detect_patterns")
def test_every_pattern_planted_in_a_month_is_found_and_hardly_another() -> None:
    found = patterns.measure(7)
    assert found["missed"] == []
    assert found["planted"] == 12
    assert found["false"] <= 0.1 * found["reported"]


def test_a_month_is_the_same_for_the_same_seed_and_another_for_another() -> None:
    one, again, other = patterns.Month(1), patterns.Month(1), patterns.Month(2)
    assert (one.sessions, one.starts, one.planted) == (again.sessions, again.starts, again.planted)
    assert one.planted != other.planted
