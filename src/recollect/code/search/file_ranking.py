"""Rank candidate files by a linear model over their signals.

A query is a name, a description or a report. Each has its own weights (ranking_weights.py, made by
scripts/fit_code_search.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from recollect.code.search.pool import Candidate, Pool
from recollect.code.search.question import Question
from recollect.code.search.ranking_weights import BY_HAND, MODELS, RELEVANCE, Term
from recollect.code.search.signals import SEMANTIC, measure

# Relevance of the only file that defines the name; several files share it. The labelled names are mostly classes in
# files named alike, so the fit trusts other definitions too little.
SURE = 0.95


class Ranked(NamedTuple):
    """A file of the answer: its relevance, its signals and what each added to its score."""

    candidate: Candidate
    relevance: float
    signals: Mapping[str, float]
    shares: Mapping[str, float]


def rank(
    question: Question, pool: Pool, *, least: float = 0.0, leave_out: frozenset[str] = frozenset()
) -> list[Ranked]:
    """Return the files whose relevance is at least `least`, best first."""
    if not pool.candidates:
        return []
    columns = {name: column for name, column in measure(question, pool).items() if name not in leave_out}
    kind = model_of(question, columns)
    shares = _shares(columns, MODELS[kind])
    scores = sum(shares.values(), np.zeros(len(pool.candidates)))
    likely = _relevance(scores, columns, RELEVANCE[kind])
    relevance = np.round(np.maximum(likely, _defined(question, columns, len(scores))), 4)
    return [
        Ranked(
            pool.candidates[place],
            float(relevance[place]),
            {name: float(column[place]) for name, column in columns.items()},
            {name: float(share[place]) for name, share in shares.items()},
        )
        for place in np.argsort(-scores, kind="stable").tolist()
        if relevance[place] >= least
    ]


def model_of(question: Question, columns: Mapping[str, NDArray[np.float64]]) -> str:
    """Return the name of the weights for a query."""
    kind = "name" if question.by_name else "report" if question.is_report else "description"
    return kind + ("" if SEMANTIC.isdisjoint(columns) else "_hybrid")


def _shares(columns: Mapping[str, NDArray[np.float64]], terms: Mapping[str, Term]) -> dict[str, NDArray[np.float64]]:
    return {
        name: term.weight * (columns[name] - term.mean) / term.deviation
        for name, term in {**terms, **BY_HAND}.items()
        if name in columns
    }


def _defined(question: Question, columns: Mapping[str, NDArray[np.float64]], count: int) -> NDArray[np.float64]:
    """Return the relevance of files that define the name, if the query is one name."""
    if "defines" not in columns or len(question.text.split()) != 1:
        return np.zeros(count)
    exact = columns["defines"] >= 1.0
    return np.where(exact, SURE / max(1, int(exact.sum())), 0.0)


def _relevance(
    scores: NDArray[np.float64], columns: Mapping[str, NDArray[np.float64]], line: Mapping[str, float]
) -> NDArray[np.float64]:
    logits = line["offset"] + line["score"] * scores
    for name, weight in line.items():
        if name in columns:
            logits = logits + weight * columns[name]
    likely: NDArray[np.float64] = 1 / (1 + np.exp(-np.clip(logits, -60, 60)))
    return likely
