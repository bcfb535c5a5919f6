"""Reranking by a cross-encoder: the last stage of a search, where the setting `rerank` names a model.

On any failure the answer keeps its order, with a note that says why.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence

import msgspec

from recollect.errors import EmbeddingFailed
from recollect.model import Hit, Recall
from recollect.providers.local import open_cross_encoder

# Hits that are reranked: the first 30 hold nearly all answers, and each costs 20 to 30 ms of CPU.
RERANKED = 30


def reranked(found: Recall, folder: str, limit: int) -> Recall:
    """Return the first `limit` hits of an answer after its best ones were reranked; relevance stays as it is."""
    first, rest = found.hits[:RERANKED], found.hits[RERANKED:]
    try:
        scores = open_cross_encoder(folder).scores(found.query, [hit.memory.content for hit in first])
    except EmbeddingFailed as problem:
        note = f"not reranked: {problem.message}"
        return msgspec.structs.replace(found, hits=found.hits[:limit], notes=(*found.notes, note))
    ordered = [first[place] for place in blended(scores)]
    for hit in tuple(ordered):
        newer = next((other for other in ordered if other.memory.id == hit.superseded_by), hit)
        if ordered.index(newer) > ordered.index(hit):  # nothing stands above what replaced it
            ordered.remove(newer)
            ordered.insert(ordered.index(hit), newer)
    hits: list[Hit] = []
    for hit in (*ordered, *rest)[:limit]:
        # None is shown with a higher relevance than the hit above it.
        hits.append(msgspec.structs.replace(hit, score=min(hit.score, hits[-1].score) if hits else first[0].score))
    return msgspec.structs.replace(found, hits=tuple(hits))


def blended(scores: Sequence[float]) -> list[int]:
    """Return places, best first: by the sum of score and minus log rank, each scaled to deviation 1.

    The model alone ranks worse than the search: it does not know authors, times and sessions.
    """
    ranks = [-math.log(place + 1) for place in range(len(scores))]
    units = [(statistics.pstdev(values) if values else 0.0) or math.inf for values in (scores, ranks)]
    return sorted(range(len(scores)), key=lambda place: -scores[place] / units[0] - ranks[place] / units[1])
