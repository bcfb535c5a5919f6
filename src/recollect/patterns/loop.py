"""Error loops: an error that comes back, within one session or after it was fixed.

    failed ─ failed ─ failed                          in one session: going round in circles
    failed ─ worked │ … │ failed ─ worked             in another one: what was learnt was lost

Errors are told apart by their fingerprint, so that the same one is known again with other numbers and folders. A search
that finds nothing is none.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from itertools import pairwise

from recollect.capture.invocation import is_looking
from recollect.capture.lesson import line
from recollect.model import Observed, Pattern
from recollect.patterns.chance import beyond
from recollect.patterns.seen import pattern, sessions
from recollect.text.plural import plural

# Failing, looking and failing once more is how every error is worked on; the third time is one too many.
LEAST_IN_SESSION = 3
# What an error says in a line; the whole of it is in its memory.
SUBJECT_CHARACTERS = 160


def error_loops(rows: Iterable[Observed]) -> list[Pattern]:
    """Return the errors that come back, surest first."""
    ordered = sorted((row for row in rows if row.event == "tool"), key=lambda row: (row.at, row.id))
    failures: dict[str, list[Observed]] = defaultdict(list)
    worked: dict[tuple[str, str], list[Observed]] = defaultdict(list)
    for row in ordered:
        if row.outcome == "failed" and row.fingerprint and not (row.tool == "shell" and is_looking(row.target)):
            failures[row.fingerprint].append(row)
        elif row.outcome == "ok":
            worked[row.tool, row.target].append(row)
    found = []
    for times in failures.values():
        within = _most_in_one(times)
        after = _after_fix(times, worked)
        if within < LEAST_IN_SESSION and not after:
            continue
        subject = line(times[-1].told, SUBJECT_CHARACTERS)
        told = f"{subject}: {_ways(len(times), len(sessions(times)), within, after)}"
        # The first of each round is an error like any other: what comes after it is the loop.
        sure = max(beyond(within, 1) if within >= LEAST_IN_SESSION else 0.0, beyond(2 * after + 1, 1) if after else 0.0)
        found.append(pattern("error_loop", subject, told, sure, times))
    return sorted(found, key=lambda row: (-row.confidence, row.subject))


def _ways(times: int, among: int, within: int, after: int) -> str:
    """Return in words how an error came back."""
    ways = [f"{plural(times, 'time')} in {plural(among, 'session')}"] if among > 1 else []
    ways += [f"{plural(within, 'time')} in one session"] if within >= LEAST_IN_SESSION else []
    ways += [f"{plural(after, 'time')} again after a fix"] if after else []
    return ", ".join(ways)


def _most_in_one(times: list[Observed]) -> int:
    """Return how often it happened in the session in which it happened most."""
    among: dict[str, int] = defaultdict(int)
    for row in times:
        among[row.session_id or f"day-{row.at // 86_400}"] += 1
    return max(among.values())


def _after_fix(times: list[Observed], worked: dict[tuple[str, str], list[Observed]]) -> int:
    """Return how many sessions met it again after the same thing had worked since it failed in an earlier session."""
    count = 0
    for before, after in pairwise(times):
        if before.session_id == after.session_id:
            continue
        between = worked.get((before.tool, before.target), ())
        count += any(before.at <= row.at <= after.at and row.session_id == before.session_id for row in between)
    return count
