"""Creative: memories of different types that say something alike are linked, so that one leads to the other.

An insight that is like a decision, a habit that is like a preference: a search finds the one by its words, and the link
brings the other. Memories of one type that are alike are nothing new; a search finds both.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

from recollect.consolidate.candidate import Candidate
from recollect.consolidate.likeness import Marks, Pair
from recollect.model.consolidation import Plan, PlanStep
from recollect.model.vocabulary import Relation

# Links that one memory gets at most, its nearest; further ones would say that everything is like everything.
LINKS = 3
# Neighbours looked at to find those of another type.
NEIGHBOURS = 16


def creative(
    candidates: Sequence[Candidate], pairs: Sequence[Pair], linked: Collection[tuple[str, str]], marks: Marks
) -> Plan:
    """Return the links that are missing.

    pairs: what is alike, the nearest first. linked: pairs of ids that are linked already, whichever way
    """
    steps: list[PlanStep] = []
    # Links that are there count: however often it runs, nobody gets more than so many.
    links: Counter[int] = Counter()
    for pair in pairs:
        one, other = candidates[pair.first], candidates[pair.second]
        if one.memory_type == other.memory_type or pair.likeness < marks.theme:
            continue
        if max(links[pair.first], links[pair.second]) >= LINKS:
            continue
        links.update((pair.first, pair.second))
        if (one.id, other.id) not in linked and (other.id, one.id) not in linked:
            steps.append(_step(one, other, pair.likeness, marks))
    return Plan(cycle="creative", considered=len(candidates), steps=tuple(steps))


def _step(one: Candidate, other: Candidate, likeness: float, marks: Marks) -> PlanStep:
    is_similar = likeness >= marks.similar
    relation: Relation = "SIMILAR_TO" if is_similar else "SHARES_THEME"
    what = "are similar" if is_similar else "share a topic"
    why = f"{one.memory_type} and {other.memory_type} {what} (similarity {likeness:.2f})"
    return PlanStep(
        action="link", memory_ids=(one.id, other.id), relationship=relation, weight=min(1.0, likeness), why=why
    )
