"""Seen: uses of one thing, counted by session, and made a pattern of."""

from __future__ import annotations

from collections.abc import Iterable

from recollect.model import Observed, Pattern, PatternType

# Sessions and observations that a pattern names: enough to look it up, too few to fill an answer.
NAMED = 5


def sessions(rows: Iterable[Observed]) -> list[str]:
    """Return the sessions of observations, the latest first; what belongs to none counts as one of its day."""
    latest: dict[str, int] = {}
    for row in rows:
        name = row.session_id or f"day-{row.at // 86_400}"
        latest[name] = max(latest.get(name, 0), row.at)
    return sorted(latest, key=lambda name: (-latest[name], name))


def pattern(kind: PatternType, subject: str, told: str, confidence: float, rows: list[Observed]) -> Pattern:
    """Return a pattern with what shows it."""
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
