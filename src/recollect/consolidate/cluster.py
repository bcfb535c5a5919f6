"""Creative and cluster: link pairs of similar memories, and summarise groups of them.

Creative links similar memories of different types: a search finds one by its words, and the link leads to the other.
Similar memories of one type need no link, since a search finds both.

A cluster is a central memory and its nearest neighbours. Every member is near the centre, so a chain of small steps
does not join unrelated memories. Members stay unchanged and are in one cluster only. A later memory near the centre
joins the cluster, and the summary is rewritten: a topic has one summary, not one per month.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from recollect.consolidate.candidate import Candidate
from recollect.consolidate.group_summary import common_tags, summary
from recollect.consolidate.similar_pairs import Marks, Pair
from recollect.model.consolidation import Plan, PlanStep
from recollect.model.vocabulary import Relation

# The most links of one memory, to its nearest; with more, everything would be linked to everything.
LINKS = 3
# Neighbours among which those of another type are looked for.
NEIGHBOURS = 16
# Two similar memories are read as quickly as a summary; one of more than twenty would say nothing of each.
LEAST_MEMBERS = 3
MOST_MEMBERS = 20
# What a summary is tagged with besides what its members share.
TAG = "summary"


def creative(
    candidates: Sequence[Candidate], pairs: Sequence[Pair], linked: Collection[tuple[str, str]], marks: Marks
) -> Plan:
    """Return the plan of missing links.

    pairs: similar memories, the nearest first. linked: pairs of ids that have a link, in either direction
    """
    steps: list[PlanStep] = []
    # Existing links count, so that repeated runs keep within the limit.
    links: Counter[int] = Counter()
    for pair in pairs:
        one, other = candidates[pair.first], candidates[pair.second]
        if one.memory_type == other.memory_type or pair.likeness < marks.theme:
            continue
        if max(links[pair.first], links[pair.second]) >= LINKS:
            continue
        links.update((pair.first, pair.second))
        if (one.id, other.id) not in linked and (other.id, one.id) not in linked:
            steps.append(_link(one, other, pair.likeness, marks))
    return Plan(cycle="creative", considered=len(candidates), steps=tuple(steps))


def _link(one: Candidate, other: Candidate, likeness: float, marks: Marks) -> PlanStep:
    is_similar = likeness >= marks.similar
    relation: Relation = "SIMILAR_TO" if is_similar else "SHARES_THEME"
    what = "are similar" if is_similar else "share a topic"
    why = f"{one.memory_type} and {other.memory_type} {what} (similarity {likeness:.2f})"
    return PlanStep(
        action="link", memory_ids=(one.id, other.id), relationship=relation, weight=min(1.0, likeness), why=why
    )


class Group(NamedTuple):
    """An existing summary and its members, the central one first."""

    summary_id: str
    members: tuple[Candidate, ...]

    @property
    def middle(self) -> str:
        """The id of the member that all others are near."""
        return self.members[0].id


def cluster(candidates: Sequence[Candidate], pairs: Sequence[Pair], marks: Marks, groups: Sequence[Group] = ()) -> Plan:
    """Return the summaries to extend, and those to create.

    candidates: what no summary covers, and the middles of `groups`, which more may join. pairs: what of it is alike
    """
    middles = {group.middle: group for group in groups}
    held = {place: middles[row.id] for place, row in enumerate(candidates) if row.id in middles}
    joined = _joined(pairs, marks.group, held)
    steps = [
        _extension(group, [(candidates[place], likeness) for place, likeness in joined[group.summary_id].items()])
        for group in groups
        if group.summary_id in joined
    ]
    taken = {place for near in joined.values() for place in near}.union(held)
    around = _around((pair for pair in pairs if pair.first not in taken and pair.second not in taken), marks.group)
    free = set(around)
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
    considered = len(candidates) - len(held)
    spared = {"alone": considered - sum(len(step.memory_ids) for step in steps)}
    return Plan(cycle="cluster", considered=considered, steps=tuple(steps), spared=spared)


def _joined(pairs: Iterable[Pair], least: float, held: Mapping[int, Group]) -> dict[str, dict[int, float]]:
    """Return the new members of each summary with their similarity; pairs: nearest first."""
    joined: dict[str, dict[int, float]] = defaultdict(dict)
    taken: set[int] = set()
    for pair in pairs:
        middle, other = (pair.first, pair.second) if pair.first in held else (pair.second, pair.first)
        if pair.likeness < least or middle not in held or other in held or other in taken:
            continue
        group = held[middle]
        if len(group.members) + len(joined[group.summary_id]) < MOST_MEMBERS:
            joined[group.summary_id][other] = pair.likeness
            taken.add(other)
    return {summary: near for summary, near in joined.items() if near}


def _around(pairs: Iterable[Pair], least: float) -> dict[int, dict[int, float]]:
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
        why=f"{len(members)} memories about one topic (similarity to the first: at least {least:.2f})",
        title=title,
        content=content,
        tags=(*common_tags(members), TAG),
    )


def _extension(group: Group, near: Sequence[tuple[Candidate, float]]) -> PlanStep:
    new = [row for row, _ in sorted(near, key=lambda each: each[0].seq)]
    title, content = summary([*group.members, *new])
    least = min(likeness for _, likeness in near)
    return PlanStep(
        action="extend",
        memory_ids=tuple(row.id for row in new),
        why=f"same topic as {len(group.members)} memories (similarity to their centre: at least {least:.2f})",
        title=title,
        content=content,
        summary_id=group.summary_id,
    )
