"""Counts with their nouns: `1 commit`, `2,300 commits`."""

from __future__ import annotations


def plural(number: int, one: str, many: str = "") -> str:
    """Return a number with the right form of its noun; `many` defaults to `one` with an s."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"
