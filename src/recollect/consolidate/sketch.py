"""Sketch: vectors of texts by their words alone, for a store that has no others.

    texts ─► terms, weighed by their rarity ─► a short vector each, to find what may be alike ─► compared term by term

Every term adds its weight to the place that its hash names. Two terms may share a place, so that sketches only say what
to compare: the likeness of a pair is that of its terms.
"""

from __future__ import annotations

import math
import zlib
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from recollect.consolidate.likeness import Pair
from recollect.text.terms import terms

# Cosines of sketches so long are off by 0.06 in the mean, and by more than 0.15 in few.
LENGTH = 256
SLACK = 0.15

Weights = Mapping[str, float]


def weighed(texts: Sequence[str]) -> list[Weights]:
    """Return the terms of each text with their weights, of length 1 together: rare ones count most."""
    held = [Counter(terms(text)) for text in texts]
    spread: Counter[str] = Counter()
    for counts in held:
        spread.update(counts.keys())
    rarity = {term: math.log(1 + len(texts) / number) for term, number in spread.items()}
    found: list[Weights] = []
    for counts in held:
        weights = {term: rarity[term] * (1 + math.log(number)) for term, number in counts.items()}
        length = math.sqrt(sum(weight * weight for weight in weights.values())) or 1.0
        found.append({term: weight / length for term, weight in weights.items()})
    return found


def sketches(weights: Sequence[Weights]) -> NDArray[np.float32]:
    """Return a unit vector of each text by its weighed terms."""
    found = np.zeros((len(weights), LENGTH), np.float32)
    places: dict[str, tuple[int, int]] = {}
    for row, own in enumerate(weights):
        for term, weight in own.items():
            at, sign = places.get(term) or places.setdefault(term, _place(term))
            found[row, at] += sign * weight
    lengths = np.linalg.norm(found, axis=1, keepdims=True)
    unit: NDArray[np.float32] = found / np.maximum(lengths, 1e-9)
    return unit


def compared(pairs: Sequence[Pair], weights: Sequence[Weights], least: float) -> list[Pair]:
    """Return the pairs that are alike by their terms, the nearest first."""
    exact = (pair._replace(likeness=_likeness(weights[pair.first], weights[pair.second])) for pair in pairs)
    alike = [pair for pair in exact if pair.likeness >= least]
    return sorted(alike, key=lambda pair: (-pair.likeness, pair.first, pair.second))


def _likeness(one: Weights, other: Weights) -> float:
    shorter, longer = sorted((one, other), key=len)
    # In a fixed order: a sum must not hang on which text is the shorter.
    shared = sorted(shorter.keys() & longer.keys())
    return round(math.fsum(shorter[term] * longer[term] for term in shared), 3)


def _place(term: str) -> tuple[int, int]:
    number = zlib.crc32(term.encode())
    return number % LENGTH, 1 if number & 0x8000_0000 else -1
