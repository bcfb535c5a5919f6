"""Fixes: what was done between a failure and the success of the same thing, in one session.

    `make test` failed ─ edit a.py ─ pip install x ─ `make test` worked      →  those two steps fixed that error

The same thing is the same command, or the same use of a tool on the same file. A success without a step before it is
luck, and no fix. What is found is a candidate: it counts as verified since the same thing worked, and more the oftener
it did.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from recollect.capture.extract.command import is_looking
from recollect.model import Observed

# Steps that are told: a fix of thirty edits is a rewrite, and no advice.
STEPS = 6
# Between a failure and its end lies an afternoon at most; later than this something else was done.
WITHIN_S = 6 * 3600

# Uses that change something: looking and reading are no steps, except before an edit that failed for want of them.
_CHANGING = frozenset({"edit", "write", "patch", "shell"})
# A command that ends so fails because it was told to.
_TOLD_TO_FAIL = re.compile(r"(?:^|[;&|\n(])[^\S\n]*+(?:exit\s++[1-9]\d*+|false)\s*+\)?+\s*+$")


class Pair(NamedTuple):
    """A failure, the success that ended it, and what was done in between."""

    failure: Observed
    success: Observed
    steps: tuple[Observed, ...]


def pairs(rows: Iterable[Observed]) -> list[Pair]:
    """Return every failure of a session that ended, in the order of their ends.

    Rows may come in any order; their ids tell it. Of several failures of one thing with the same error the last counts:
    what was done before it did not help.
    """
    found: list[Pair] = []
    seen: list[Observed] = []
    open_failures: dict[tuple[str, str, str], int] = {}
    for row in sorted(rows, key=lambda row: row.id):
        if row.event != "tool" or not row.target:
            continue
        thing = (row.tool, row.target)
        if row.outcome == "failed" and row.fingerprint:
            open_failures[(*thing, row.fingerprint)] = len(seen)
        elif row.outcome == "ok":
            ended = [key for key in open_failures if key[:2] == thing]
            for key in ended:
                place = open_failures.pop(key)
                steps = _steps(seen[place], seen[place + 1 :], row)
                if steps and row.at - seen[place].at <= WITHIN_S:
                    found.append(Pair(seen[place], row, steps))
        seen.append(row)
    return found


def unresolved(rows: Iterable[Observed]) -> list[Observed]:
    """Return the failures of a session that did not end, each thing once, as it failed last.

    Commands that only looked and found nothing, or failed because they were told to, left nothing open.
    """
    last: dict[tuple[str, str], Observed] = {}
    for row in sorted(rows, key=lambda row: row.id):
        if row.event == "tool" and row.target and row.outcome:
            last[row.tool, row.target] = row
    return [row for row in last.values() if row.outcome == "failed" and not _is_harmless(row)]


def _is_harmless(row: Observed) -> bool:
    return row.tool == "shell" and (is_looking(row.target) or _TOLD_TO_FAIL.search(row.target) is not None)


def _steps(failure: Observed, between: list[Observed], success: Observed) -> tuple[Observed, ...]:
    """Return what was changed in between and worked; of edits of one file only the last few."""
    wanted = _CHANGING if failure.tool == "shell" else _CHANGING | {"read"}
    steps = [
        row
        for row in between
        if row.tool in wanted
        and row.outcome != "failed"
        and (row.tool, row.target) != (success.tool, success.target)
        and not (row.tool == "shell" and is_looking(row.target))
    ]
    return tuple(steps[-STEPS:])
