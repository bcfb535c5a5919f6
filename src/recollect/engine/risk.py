"""Risk: how much attention each change of a diff deserves, as a number from 0 to 1 and in words.

    score = what the change is · (0.4 + 0.6 · how many use it)  + what makes it worse

A changed signature that twelve functions call is worth a look before a new constant. The parts are few and rough on
purpose: the order is what counts, and the words say what made it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from recollect.code.diff.changed import SymbolChange
from recollect.code.record import Risk
from recollect.text.display import plural

# What kind of change it is: users of what is gone or is called otherwise break for certain.
WEIGHTS: Mapping[str, float] = {
    "removed": 0.9, "signature": 0.8, "renamed": 0.7, "moved": 0.6, "body": 0.5, "added": 0.1, "cosmetic": 0.0,
}  # fmt: skip
# Direct users that make half of a full score.
HALF = 3
# A test that changes breaks nobody else; what a file does when it is loaded is mostly imports.
TEST, LOADING = 0.3, 0.6
# What makes a change worse.
ENDPOINT, UNTESTED, PUBLIC, RULED = 0.15, 0.1, 0.1, 0.15
# Changes that external callers notice.
OUTSIDE = frozenset({"removed", "signature", "renamed", "moved"})

LEVELS: tuple[tuple[float, Risk], ...] = ((0.6, "high"), (0.3, "medium"), (0.001, "low"))

_TOLD: Mapping[str, str] = {
    "removed": "removed", "signature": "signature changed", "renamed": "renamed", "moved": "moved",
    "body": "body changed", "added": "new", "cosmetic": "only comments or whitespace changed",
}  # fmt: skip


class Weighed(NamedTuple):
    """What is known about the surroundings of a change; `users` are direct ones, without tests."""

    users: int = 0
    files: int = 0
    reached: int = 0
    tests: int = 0
    is_known: bool = True
    rules: int = 0


def risk(change: SymbolChange, around: Weighed) -> tuple[float, Risk, str]:
    """Return the score of a change, its level, and why in one line."""
    row = change.row
    score = WEIGHTS[change.how]
    if change.how == "cosmetic":
        return 0.0, "none", _TOLD["cosmetic"]
    words = [_TOLD[change.how] if row else "module-level code changed"]
    if row is None:
        score *= LOADING
    elif row.test:
        score *= TEST
    score *= 0.4 + 0.6 * (around.users / (around.users + HALF))
    words.append(_users(around))
    if row and row.endpoint:
        score += ENDPOINT
        words.append(f"handles {row.endpoint}")
    if row and row.visibility == "public" and change.how in OUTSIDE and not row.test:
        score += PUBLIC
        words.append("public")
    if around.is_known and change.how != "added" and not around.tests and not (row and row.test):
        score += UNTESTED
        words.append("untested")
    if around.rules:
        score += RULED
        words.append("a memory has a rule about it")
    score = round(min(score, 1.0), 3)
    level: Risk = next((name for least, name in LEVELS if score >= least), "none")
    return score, level, "; ".join(word for word in words if word)


def _users(around: Weighed) -> str:
    if not around.is_known:
        return "callers unknown"
    if not around.users and not around.reached:
        return f"used only by {plural(around.tests, 'test')}" if around.tests else "no callers found"
    files = f" in {plural(around.files, 'file')}" if around.files else ""
    parts = [f"{plural(around.users, 'caller')}{files}"]
    if around.reached > around.users:
        parts.append(f"{around.reached:,} reached indirectly")
    if around.tests:
        parts.append(plural(around.tests, "test"))
    return ", ".join(parts)
