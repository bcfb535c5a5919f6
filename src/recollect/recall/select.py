"""Select: from scored passages to the memories of an answer, best first, each by its best passage."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from recollect.recall.score import Scored
from recollect.store.protocol import Passage


class Selected(NamedTuple):
    """A memory of the answer: the place of its best passage in the pool, and its relevance."""

    memory_id: str
    place: int
    relevance: float


def select(passages: Sequence[Passage], scored: Scored, *, limit: int, least: float) -> list[Selected]:
    """Return at most `limit` memories whose relevance is at least `least`, best first."""
    chosen: dict[str, Selected] = {}
    for place in np.argsort(-scored.scores, kind="stable").tolist():
        passage = passages[place]
        if not passage.eligible or passage.memory_id in chosen:
            continue
        if len(chosen) == limit:
            break
        relevance = round(float(scored.relevance[place]), 4)
        if relevance < least:
            continue
        chosen[passage.memory_id] = Selected(passage.memory_id, place, relevance)
    return list(chosen.values())
