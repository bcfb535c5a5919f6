"""Alike: which memories are near one another, by the vectors there are, or by their words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from recollect.consolidate.similar_pairs import MEANING, WORDS, Marks, Pair, alike
from recollect.engine.embedding import MIN_COVERAGE
from recollect.recall.calibration import LEAST_SPREAD, REFERENCE, Calibration
from recollect.text.plural import plural

if TYPE_CHECKING:
    from recollect.consolidate.candidate import Candidate
    from recollect.engine.root import Engine


class Alike(NamedTuple):
    """Memories, the pairs of them that are similar, the thresholds used, and notes."""

    candidates: Sequence[Candidate]
    pairs: Sequence[Pair]
    marks: Marks
    notes: tuple[str, ...] = ()


def find(engine: Engine, candidates: Sequence[Candidate], *, k: int) -> Alike:
    """Return the pairs of memories that share a theme or a group at least, for each its best `k`."""
    import numpy as np

    model = engine.embedding.model_id
    ids, vectors = engine.store.memory_vectors(model) if model else ((), np.empty((0, 0), np.float32))
    place = {name: number for number, name in enumerate(ids)}
    having = [candidate for candidate in candidates if candidate.id in place]
    if not having or len(having) < MIN_COVERAGE * len(candidates):
        return _by_words(candidates, k)
    rows = np.fromiter((place[candidate.id] for candidate in having), np.int64, len(having))
    marks = _on_scale(MEANING, engine.rulers.of(model))
    pairs = alike(having, vectors[rows], k=k, least=min(marks.theme, marks.group))
    lacking = len(candidates) - len(having)
    notes = (f"{plural(lacking, 'memory is', 'memories are')} not embedded yet and were skipped",) if lacking else ()
    return Alike(having, pairs, marks, notes)


def _by_words(candidates: Sequence[Candidate], k: int) -> Alike:
    from recollect.consolidate.similar_pairs import SLACK, compared, sketches, weighed

    weights = weighed([" ".join((row.title or "", row.content)) for row in candidates])
    least = min(WORDS.theme, WORDS.group)
    pairs = compared(alike(candidates, sketches(weights), k=k, least=least - SLACK), weights, least)
    return Alike(candidates, pairs, WORDS, ("compared by words: memories are not embedded",))


def _on_scale(marks: Marks, ruler: Calibration) -> Marks:
    """Return marks of the shipped model as cosines of the model in use."""
    if ruler == REFERENCE or ruler.related - ruler.unrelated < LEAST_SPREAD:
        return marks
    slope = (ruler.related - ruler.unrelated) / (REFERENCE.related - REFERENCE.unrelated)
    # Never at or above 1: two memories that say the same are alike by any ruler.
    return Marks(*(min(0.99, ruler.unrelated + slope * (mark - REFERENCE.unrelated)) for mark in marks))
