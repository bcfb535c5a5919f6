"""Complexity: how much there is to keep in mind while reading a symbol.

    score = lines / 10 + 2 · branches + depth

Branches are keywords that choose or repeat; depth is the deepest indentation below the symbol's own, in levels.
Below 5 is low, below 15 medium, else high.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

Level = Literal["low", "medium", "high"]

MEDIUM_FROM, HIGH_FROM = 5.0, 15.0


def level(score: float) -> Level:
    """Return the word for a score."""
    return "low" if score < MEDIUM_FROM else "medium" if score < HIGH_FROM else "high"


def score(*, lines: int, branches: int, depth: int) -> float:
    """Return the score, to one decimal."""
    return round(lines / 10 + branches * 2 + depth, 1)


def depths(
    spans: list[tuple[int, int]], line_starts: NDArray[np.int64], indents: NDArray[np.int64]
) -> list[int]:
    """Return for each span (in bytes) by how many levels its deepest line is indented below its first.

    `line_starts` and `indents` say where the code of each line begins and behind how much white space.
    """
    if not len(line_starts) or not spans:
        return [0] * len(spans)
    bounds = np.searchsorted(line_starts, np.array(spans, np.int64))
    first, after = bounds[:, 0], bounds[:, 1]
    # reduceat takes the maximum of each slice [first, after); it cannot take an empty one, nor one at the very end.
    padded = np.append(indents, 0)
    deepest = np.maximum.reduceat(padded, np.stack([first, np.maximum(after, first + 1)], 1).ravel().clip(max=len(indents)))[::2]
    own = padded[first.clip(max=len(indents))]
    levels = (deepest - own) // indent_unit(indents)
    return np.where(after > first, levels.clip(min=0), 0).tolist()


def indent_unit(indents: NDArray[np.int64]) -> int:
    """Return how wide one level is: the most frequent step to a deeper line, 1 where tabs are used."""
    steps = np.diff(indents, prepend=0)
    steps = steps[(steps > 0) & (steps <= 8)]
    return int(np.bincount(steps).argmax()) if len(steps) else 4
