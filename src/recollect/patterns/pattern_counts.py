"""Statistics of patterns: Wilson and Poisson bounds, session counts, and the record of a pattern."""

from __future__ import annotations

import math
from collections.abc import Iterable

from recollect.model import Observed, Pattern, PatternType

# Two standard deviations.
Z = 1.96


def surely(successes: int, of: int) -> float:
    """Return the lower bound of Wilson's interval for a share of successes.

    9 of 9 and 18 of 20 give 0.70, 3 of 3 only 0.44.
    """
    if of <= 0:
        return 0.0
    share = successes / of
    centre = share + Z * Z / (2 * of)
    spread = Z * math.sqrt(share * (1 - share) / of + Z * Z / (4 * of * of))
    return max(0.0, (centre - spread) / (1 + Z * Z / of))


def beyond(seen: int, expected: float) -> float:
    """Return the share of a count that exceeds the expected count, 0 to 1."""
    return max(0.0, 1.0 - expected / seen) if seen > 0 else 0.0


def rate(mean: float) -> float:
    """Return the rate of a zero-truncated Poisson distribution with this mean.

    What was never seen is not counted, so the mean is at least 1.
    """
    low, high = 0.0, max(mean, 0.0)
    if mean <= 1.0:
        return 0.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if middle / -math.expm1(-middle) < mean else (low, middle)
    return high


def luck(seen: int, expected: float) -> float:
    """Return the Poisson probability of at least so many where so many are expected."""
    if seen <= 0:
        return 1.0
    if expected <= 0:
        return 0.0
    below = math.fsum(
        math.exp(number * math.log(expected) - expected - math.lgamma(number + 1)) for number in range(seen)
    )
    return max(0.0, 1.0 - below)


# Sessions and observations that a pattern names.
NAMED = 5


def sessions(rows: Iterable[Observed]) -> list[str]:
    """Return the sessions of observations, latest first; those without one are grouped by day."""
    latest: dict[str, int] = {}
    for row in rows:
        name = row.session_id or f"day-{row.at // 86_400}"
        latest[name] = max(latest.get(name, 0), row.at)
    return sorted(latest, key=lambda name: (-latest[name], name))


def pattern(kind: PatternType, subject: str, told: str, confidence: float, rows: list[Observed]) -> Pattern:
    """Return a pattern with its evidence."""
    ordered = sorted(rows, key=lambda row: (row.at, row.id))
    among = sessions(ordered)
    return Pattern(
        pattern_type=kind,
        subject=subject,
        told=told,
        confidence=round(confidence, 3),
        count=len(ordered),
        session_count=len(among),
        sessions=tuple(name for name in among if not name.startswith("day-"))[:NAMED],
        evidence=tuple(row.id for row in ordered[: -NAMED - 1 : -1]),
        namespace=ordered[-1].namespace,
        first_at=ordered[0].at,
        last_at=ordered[-1].at,
    )
