"""File hotspots: files that work comes back to, far more often than to the others of the project.

What counts is in how many sessions a file was changed or read: ten edits in an afternoon are one task. It is compared
with the project's own base rate, the mean of its other files, since in a small project every file is touched often.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from recollect.model import Observed, Pattern
from recollect.patterns.chance import beyond, luck
from recollect.patterns.seen import pattern, sessions

# Fewer sessions are a task, not a habit.
LEAST_SESSIONS = 4
# Times the base rate: work is never spread evenly, and twice the mean is nothing remarkable.
LEAST_LIFT = 3.0
# A project of some hundred files has some that are touched often by luck: one false one in a hundred looks is fine.
LUCK = 0.01
# With fewer files there is no base rate to speak of.
LEAST_FILES = 3

CHANGING = frozenset({"edit", "write", "patch"})


def file_hotspots(rows: Iterable[Observed]) -> list[Pattern]:
    """Return the files that were used in far more sessions than the others, surest first. All of one project."""
    uses: dict[str, list[Observed]] = defaultdict(list)
    for row in rows:
        if row.event == "tool" and row.target and row.outcome != "failed" and row.tool in (*CHANGING, "read"):
            uses[row.target].append(row)
    if len(uses) < LEAST_FILES:
        return []
    among = {path: len(sessions(found)) for path, found in uses.items()}
    total = sum(among.values())
    # A hotspot must not hide another by raising the mean: those that stand out are left out of it.
    ordinary = {path for path in among if among[path] < LEAST_LIFT * total / len(among)}
    usual = sum(among[path] for path in ordinary) / max(1, len(ordinary))
    found = []
    for path, times in among.items():
        is_often = times >= LEAST_SESSIONS and times >= LEAST_LIFT * usual
        if is_often and luck(times, usual) * len(among) < LUCK:
            shown = path.removeprefix(f"{uses[path][0].namespace}/")
            changed = sum(row.tool in CHANGING for row in uses[path])
            told = f"{shown} was used in {times} sessions (changed {changed}×, read {len(uses[path]) - changed}×)"
            told += f"; average file: {usual:.1f} sessions"
            found.append(pattern("file_hotspot", shown, told, beyond(times, usual), uses[path]))
    return sorted(found, key=lambda row: (-row.confidence, row.subject))
