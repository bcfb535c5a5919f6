"""Cluster: groups of memories about one thing get a summary that leads to all of them.

A group is a memory with its nearest: every member is near the one in the middle, so that a chain of small steps does
not join what has nothing in common. Members stay as they are, and are summed up once.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from recollect.consolidate.candidate import Candidate
from recollect.consolidate.extract import common_tags, summary
from recollect.consolidate.likeness import Marks, Pair
from recollect.model.consolidation import Plan, PlanStep

# Two memories alike need no summary, they need reading. More than twenty would say nothing of each.
LEAST_MEMBERS = 3
MOST_MEMBERS = 20
# What a summary is tagged with besides what its members share.
TAG = "summary"


def cluster(candidates: Sequence[Candidate], pairs: Sequence[Pair], marks: Marks) -> Plan:
    """Return the summaries that are missing; candidates: what no summary covers. pairs: what of it is alike."""
    around = _around(pairs, marks.group)
    free = set(around)
    steps: list[PlanStep] = []
    # Who has most neighbours first, of equals the older: fixed for all, so that one pass is enough.
    for middle in sorted(around, key=lambda place: (-len(around[place]), place)):
        if middle not in free:
            continue
        near = [other for other in around[middle] if other in free][: MOST_MEMBERS - 1]
        if len(near) + 1 < LEAST_MEMBERS:
            continue
        members = (middle, *near)
        free.difference_update(members)
        steps.append(_step([candidates[place] for place in members], around[middle], near))
    spared = {"alone": len(candidates) - sum(len(step.memory_ids) for step in steps)}
    return Plan(cycle="cluster", considered=len(candidates), steps=tuple(steps), spared=spared)


def _around(pairs: Sequence[Pair], least: float) -> dict[int, dict[int, float]]:
    """Return the neighbours of each memory with their likeness, the nearest first."""
    around: dict[int, dict[int, float]] = defaultdict(dict)
    for pair in pairs:
        if pair.likeness >= least:
            around[pair.first][pair.second] = pair.likeness
            around[pair.second][pair.first] = pair.likeness
    return around


def _step(members: Sequence[Candidate], likeness: dict[int, float], near: Sequence[int]) -> PlanStep:
    title, content = summary(members)
    least = min(likeness[place] for place in near)
    return PlanStep(
        action="summarize",
        memory_ids=tuple(member.id for member in members),
        why=f"{len(members)} memories about one thing: likeness to the first at least {least:.2f}",
        title=title,
        content=content,
        tags=(*common_tags(members), TAG),
    )
