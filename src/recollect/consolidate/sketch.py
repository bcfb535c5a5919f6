"""Sketch: vectors of texts by their words alone, for a store that has no others.

Every term adds its rarity to the place that its hash names; what shares rare words is near. Two terms may share a
place, which makes cosines a little wrong, and what is alike by half of its words stays far from what is not.
"""

from __future__ import annotations

import math
import zlib
from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from recollect.text.tokens import terms

# Cosines of sketches so long are off by 0.06 or less, mostly; a text of a hundred different words still fits.
LENGTH = 256


def sketches(texts: Sequence[str]) -> NDArray[np.float32]:
    """Return a unit vector of each text by its terms, the rare ones first."""
    held = [Counter(terms(text)) for text in texts]
    spread: Counter[str] = Counter()
    for counts in held:
        spread.update(counts.keys())
    places = {term: _place(term) for term in spread}
    found = np.zeros((len(texts), LENGTH), np.float32)
    for row, counts in enumerate(held):
        for term, number in counts.items():
            # What stands in one text alone says nothing about likeness to others, but about difference from them.
            rarity = math.log(1 + len(texts) / spread[term])
            at, sign = places[term]
            found[row, at] += sign * rarity * (1 + math.log(number))
    lengths = np.linalg.norm(found, axis=1, keepdims=True)
    unit: NDArray[np.float32] = found / np.maximum(lengths, 1e-9)
    return unit


def _place(term: str) -> tuple[int, int]:
    number = zlib.crc32(term.encode())
    return number % LENGTH, 1 if number & 0x8000_0000 else -1
