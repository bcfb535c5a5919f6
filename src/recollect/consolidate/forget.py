"""Forget: what matters less than a threshold is archived, never deleted.

Only ever on request. An archived memory keeps its words, its links and its place in every export; recall leaves it out
until it is restored, alone or with the whole run.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from recollect.consolidate.candidate import Candidate, is_pinned
from recollect.consolidate.decay import DAY_S, THRESHOLD_DAYS
from recollect.model.consolidation import Plan, PlanStep
from recollect.text.display import plural

# Below what an ordinary memory fades to within nine months without use; twice what nothing fades below.
IMPORTANCE_THRESHOLD = 0.1


def forget(candidates: Iterable[Candidate], now: int, *, importance_threshold: float = IMPORTANCE_THRESHOLD) -> Plan:
    """Return which memories are archived: below the threshold, not pinned, and not in use."""
    steps: list[PlanStep] = []
    spared: Counter[str] = Counter()
    considered = 0
    for candidate in sorted(candidates, key=lambda row: row.seq):
        considered += 1
        if candidate.importance >= importance_threshold:
            continue
        reason = _sparing(candidate, now)
        if reason:
            spared[reason] += 1
            continue
        idle_days = max(0, now - candidate.used_at) // DAY_S
        why = f"importance {candidate.importance:.2f} is below {importance_threshold:.2f}; last used {_ago(idle_days)}"
        steps.append(PlanStep(action="archive", memory_ids=(candidate.id,), before=candidate.importance, why=why))
    return Plan(cycle="forget", considered=considered, steps=tuple(steps), spared=dict(spared))


def _sparing(candidate: Candidate, now: int) -> str:
    """Return why a memory is kept although it is below the threshold; empty if there is no reason."""
    if is_pinned(candidate.tags, candidate.metadata):
        return "pinned"
    # Recent use says more about the worth of a memory than any number.
    if candidate.access_count and now - candidate.used_at < THRESHOLD_DAYS * DAY_S:
        return "in use"
    return ""


def _ago(days: int) -> str:
    return "today" if not days else f"{plural(days, 'day')} ago"
