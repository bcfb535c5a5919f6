"""Score: one number per passage, by a printed linear model over its signals, and what that number means.

    score     = sum over signals of weight · (value - mean) / deviation
    relevance = 1 / (1 + exp(-(offset + slope · score + what absolute signals add)))

The weights (weights.py) were fitted so that the right passage stands above the others of its pool, the line so that
relevance is the probability that a hit is relevant, questions that have no answer in the store included. See
docs/benchmarks.md for the corpora, the command and what each signal earns.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from recollect.recall.measure import SEMANTIC
from recollect.recall.weights import (
    BY_HAND,
    HYBRID,
    HYBRID_RELEVANCE,
    IDLE,
    LABELLED,
    LABELLED_SLOPE,
    LEXICAL,
    LEXICAL_RELEVANCE,
    SAME_MEANING,
    SAME_MEANING_SLOPE,
    Term,
)


class Scored(NamedTuple):
    """The scores of a pool, each signal's share in them, and how likely each passage is relevant."""

    scores: NDArray[np.float64]
    shares: Mapping[str, NDArray[np.float64]]
    relevance: NDArray[np.float64]


def score(columns: Mapping[str, NDArray[np.float64]]) -> Scored:
    """Return the score of each passage, higher is better; signals that are not among the columns do not count."""
    hybrid = not SEMANTIC.isdisjoint(columns)
    terms: Mapping[str, Term] = {**(HYBRID if hybrid else LEXICAL), **BY_HAND}
    shares = {
        name: term.weight * (columns[name] - term.mean) / term.deviation
        for name, term in terms.items()
        if name in columns
    }
    count = len(next(iter(columns.values()))) if columns else 0
    scores = sum(shares.values(), np.zeros(count))
    return Scored(scores, shares, _relevance(scores, columns, HYBRID_RELEVANCE if hybrid else LEXICAL_RELEVANCE))


def _relevance(
    scores: NDArray[np.float64], columns: Mapping[str, NDArray[np.float64]], line: Mapping[str, float]
) -> NDArray[np.float64]:
    logits = line["offset"] + line["score"] * scores
    for name, weight in line.items():
        if name in columns:
            logits = logits + weight * columns[name]
    if "cosine" in columns:
        logits = np.maximum(logits, SAME_MEANING_SLOPE * (columns["cosine"] - SAME_MEANING))
    if "labelled" in columns:
        logits = np.maximum(logits, LABELLED - LABELLED_SLOPE * (1 - columns["labelled"]))
    if "idle" in columns:
        logits = logits + IDLE * columns["idle"]
    likely: NDArray[np.float64] = 1 / (1 + np.exp(-np.clip(logits, -60, 60)))
    return likely
