"""Decay and forget: lower the importance of unused memories, and archive the least important.

    importance = floor + (judged - floor) · ½ ^ (days unused beyond the threshold / half-life of its type)

Decay depends on the given importance and the time since the last use. It does not depend on how often the cycle runs:
one run after a year gives the same result as daily runs. The given importance is stored, so decay can be reversed.

Forget runs on request only. An archived memory keeps its content and links, and exports contain it. Recall leaves it
out until the memory or the whole run is restored.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable

from recollect.consolidate.candidate import Candidate, is_pinned, judged
from recollect.model.consolidation import Plan, PlanStep
from recollect.text.display import plural

# Unused for a month is when a memory begins to fade: people come back to work after holidays.
THRESHOLD_DAYS = 30
# Nothing fades below this. It is not nothing: in recall, importance only orders what matches alike, so that a faded
# memory is still found.
FLOOR = 0.05
# Half of it is gone after a quarter; for decisions and preferences after a year, since they hold until they are
# changed.
HALF_LIFE_DAYS = 90
LASTING_HALF_LIFE_DAYS = 365
LASTING = frozenset({"decision", "preference"})
# Smaller changes are not written: no ranking shows them, and the log keeps the whole row for each. So a memory is
# written 19 times at most until it is at the floor, however often the cycle runs.
LEAST_CHANGE = 0.05

# Below what an ordinary memory fades to within nine months without use; twice what nothing fades below.
IMPORTANCE_THRESHOLD = 0.1

DAY_S = 86_400


def decay(candidates: Iterable[Candidate], now: int, *, threshold_days: int = THRESHOLD_DAYS) -> Plan:
    """Return the plan that lowers unused memories and restores used ones."""
    steps: list[PlanStep] = []
    spared: Counter[str] = Counter()
    considered = 0
    for candidate in sorted(candidates, key=lambda row: row.seq):
        considered += 1
        if is_pinned(candidate.tags, candidate.metadata):
            spared["pinned"] += 1
            continue
        step = _step(candidate, max(0, now - candidate.used_at) // DAY_S, threshold_days)
        if step is not None:
            steps.append(step)
    return Plan(cycle="decay", considered=considered, steps=tuple(steps), spared=dict(spared))


def faded(importance: float, memory_type: str, idle_days: int, threshold_days: int) -> float:
    """Return an importance after so many days without use."""
    over = max(0, idle_days - threshold_days)
    if importance <= FLOOR or not over:
        return importance
    half_life = LASTING_HALF_LIFE_DAYS if memory_type in LASTING else HALF_LIFE_DAYS
    # Two digits: a number that people read, and that is the same on every machine.
    return round(FLOOR + (importance - FLOOR) * math.pow(0.5, over / half_life), 2)


def _step(candidate: Candidate, idle_days: int, threshold_days: int) -> PlanStep | None:
    given = judged(candidate.importance, candidate.metadata)
    after = faded(given, candidate.memory_type, idle_days, threshold_days)
    change = after - candidate.importance
    # The last step to the floor, or back to what it was, may be a small one.
    is_last = after in (given, FLOOR)
    if change == 0 or (abs(change) < LEAST_CHANGE and not is_last):
        return None
    if change > 0:
        why = f"used {plural(idle_days, 'day')} ago" if idle_days else "used today"
        back = "importance restored" if after == given else f"original importance {given:.2f}"
        return PlanStep(action="revive", memory_ids=(candidate.id,), before=candidate.importance, after=after,
                    why=f"{why}: {back}")  # fmt: skip
    why = f"not used for {plural(idle_days, 'day')}; original importance {given:.2f}"
    return PlanStep(action="fade", memory_ids=(candidate.id,), before=candidate.importance, after=after, why=why)


def forget(candidates: Iterable[Candidate], now: int, *, importance_threshold: float = IMPORTANCE_THRESHOLD) -> Plan:
    """Return the plan that archives memories below the threshold, unless pinned or in use."""
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
        ago = f"{plural(idle_days, 'day')} ago" if idle_days else "today"
        why = f"importance {candidate.importance:.2f} is below {importance_threshold:.2f}; last used {ago}"
        steps.append(PlanStep(action="archive", memory_ids=(candidate.id,), before=candidate.importance, why=why))
    return Plan(cycle="forget", considered=considered, steps=tuple(steps), spared=dict(spared))


def _sparing(candidate: Candidate, now: int) -> str:
    """Return why a memory below the threshold is kept; empty if it is not."""
    if is_pinned(candidate.tags, candidate.metadata):
        return "pinned"
    # Recent use says more about the worth of a memory than any number.
    if candidate.access_count and now - candidate.used_at < THRESHOLD_DAYS * DAY_S:
        return "in use"
    return ""
