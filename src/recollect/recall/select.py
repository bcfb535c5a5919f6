"""Select: from scored passages to memories, best first, duplicates folded.

    passages by score ─► one per memory ─► similar pairs by terms ─► (their texts are read) ─► fold duplicates

Similarity by search terms is cheap. Only similar pairs need their texts to be compared (recollect.text.paraphrases).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from recollect.recall.score import Scored
from recollect.store.store_values import Passage

# The share of common terms that makes passages similar. Tags and titles are terms too, so that copies of one sentence
# differ a little; the texts decide.
ALIKE = 0.75
# The most hits that are compared: each further one would be compared with all.
COMPARED = 100
# Points that a hit loses for each hit of its session above it, up to so many: an answer that is spread over several
# sessions is found as a whole. More where the question asks for several things.
SAME_SESSION = {False: 0.2, True: 0.6}
MOST_OF_SESSION = 3
# How many places a hit may move up.
SPREAD_REACH = 25


class Selected(NamedTuple):
    """A selected memory: the place of its best passage, its relevance, and similar better hits."""

    memory_id: str
    place: int
    relevance: float
    like: tuple[str, ...] = ()


def select(
    passages: Sequence[Passage], scored: Scored, *, limit: int, least: float, least_share: float = 0.0
) -> list[Selected]:
    """Return at most `limit` memories whose relevance is at least `least`, and that share of the best one's.

    Best first. Hits that are similar to a better one do not count, up to as many again: they may be folded.
    """
    chosen: dict[str, Selected] = {}
    held: dict[str, frozenset[str]] = {}
    different = 0
    for place in np.argsort(-scored.scores, kind="stable").tolist():
        passage = passages[place]
        if not passage.eligible or passage.memory_id in chosen:
            continue
        if different == limit or len(chosen) == 2 * limit:
            break
        relevance = round(float(scored.relevance[place]), 4)
        if relevance < least:
            continue
        least = max(least, least_share * relevance)
        like: tuple[str, ...] = ()
        if len(chosen) < COMPARED:
            terms = held[passage.memory_id] = frozenset(passage.tokens)
            like = tuple(
                name for name, hit in chosen.items() if _alike(passage, terms, passages[hit.place], held[name])
            )
        chosen[passage.memory_id] = Selected(passage.memory_id, place, relevance, like)
        different += not like
    return list(chosen.values())


def _alike(passage: Passage, terms: frozenset[str], other: Passage, others: frozenset[str]) -> bool:
    """Tell whether two passages have one author, the same days and most terms in common."""
    common = len(terms & others)
    if common < ALIKE * (len(terms) + len(others) - common):
        return False
    return passage.author == other.author and passage.shape.times == other.shape.times


def fold(
    chosen: Iterable[Selected], same: Callable[[Selected, Selected], bool]
) -> tuple[list[Selected], dict[str, tuple[str, ...]]]:
    """Return the distinct hits, and by memory the ids of its duplicates.

    same: whether the second hit is a duplicate of the first and may be folded under it
    """
    kept: dict[str, Selected] = {}
    folded: dict[str, tuple[str, ...]] = {}
    for hit in chosen:
        better = next((kept[name] for name in hit.like if name in kept and same(kept[name], hit)), None)
        if better is not None:
            folded[better.memory_id] = (*folded.get(better.memory_id, ()), hit.memory_id)
        else:
            kept[hit.memory_id] = hit
    return list(kept.values()), folded


def spread(
    chosen: Sequence[Selected], scores: Mapping[str, float], sessions: Mapping[str, str], *, several: bool
) -> list[Selected]:
    """Return the hits with repeated ones of a session a little lower.

    sessions: by memory, the session of a turn between people. several: whether the question asks for several things
    """
    if not sessions:
        return list(chosen)
    left, ordered, seen = list(chosen), list[Selected](), Counter[str]()

    def worth(hit: Selected) -> float:
        of_session = seen[sessions[hit.memory_id]] if hit.memory_id in sessions else 0
        return scores[hit.memory_id] - SAME_SESSION[several] * min(MOST_OF_SESSION, of_session)

    while left:
        best = max(left[:SPREAD_REACH], key=worth)
        left.remove(best)
        ordered.append(best)
        seen[sessions.get(best.memory_id, "")] += 1
    return ordered
