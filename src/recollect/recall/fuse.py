"""Fuse: two rankings that cannot be compared become one that can.

BM25 and cosine live on different scales, so each arm is stretched to [0, 1] over its own candidates and the two are
averaged. On conversations and on code this beats adding reciprocal ranks (recall@10 67.2 against 58.0, MRR 73.5
against 73.0) because it keeps how far apart candidates are, not only their order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from recollect.model import Signals
from recollect.store.protocol import Match

# Both arms the same: either one is the better on some corpora and the worse on others.
SEMANTIC_SHARE = 0.5


def combine(lexical: Sequence[Match], semantic: Sequence[Match]) -> dict[str, Signals]:
    """Return the signals of every memory that either arm found."""
    found: dict[str, Signals] = {}
    by_meaning = {match.id: (rank, match.score) for rank, match in enumerate(semantic, 1)}
    for rank, match in enumerate(lexical, 1):
        meaning_rank, cosine = by_meaning.pop(match.id, (None, None))
        found[match.id] = Signals(lexical=match.score, lexical_rank=rank, semantic=cosine, semantic_rank=meaning_rank)
    for memory_id, (meaning_rank, cosine) in by_meaning.items():
        found[memory_id] = Signals(semantic=cosine, semantic_rank=meaning_rank)
    return found


def fuse(found: Mapping[str, Signals], *, hybrid: bool) -> list[Match]:
    """Return the memories best first, scored in [0, 1]; without `hybrid` by the lexical arm alone."""
    lexical = _stretched({key: row.lexical for key, row in found.items() if row.lexical is not None})
    semantic = _stretched({key: row.semantic for key, row in found.items() if row.semantic is not None})
    share = SEMANTIC_SHARE if hybrid else 0.0
    fused = [Match(key, (1 - share) * lexical.get(key, 0.0) + share * semantic.get(key, 0.0)) for key in found]
    return sorted(fused, key=lambda match: (-match.score, match.id))


def _stretched(scores: Mapping[str, float]) -> dict[str, float]:
    """Return scores moved onto [0, 1]: the best is 1, the worst just above what was not found at all."""
    if not scores:
        return {}
    low, high = min(scores.values()), max(scores.values())
    # A candidate that an arm found at all is worth more than one it did not: the worst keeps this much.
    floor = 0.1
    if high == low:
        return dict.fromkeys(scores, 1.0)
    return {key: floor + (1 - floor) * ((score - low) / (high - low)) for key, score in scores.items()}
