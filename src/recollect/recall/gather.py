"""Gather: the candidates worth ranking, from every arm of the search."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.model import Signals
from recollect.recall.fuse import combine
from recollect.recall.query import Query
from recollect.store.protocol import Filter, Store

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# Candidates each arm contributes beyond what was asked for: the top 50 of a good ranking hold nine tenths of what a
# perfect one would return, and ranking more than that costs time for little.
POOL = 50


def gather(
    store: Store, query: Query, vector: NDArray[np.float32] | None, *, model: str, where: Filter | None, limit: int
) -> dict[str, Signals]:
    """Return every candidate with the score and rank of the arms that found it."""
    wanted = max(limit, POOL)
    lexical = store.search_text(query.terms, where, wanted)
    semantic = store.search_vectors(model, vector, where, wanted) if vector is not None else []
    return combine(lexical, semantic)
