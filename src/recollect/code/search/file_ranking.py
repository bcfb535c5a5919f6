"""Rank candidate files by a linear model over their signals.

A query is a name, a description or a report. Each has its own weights (ranking_weights.py, made by
scripts/fit_code_search.py).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from recollect.code.search.pool import Candidate, Pool
from recollect.code.search.question import Question
from recollect.code.search.ranking_weights import BY_HAND, MODELS, RELEVANCE, Term
from recollect.code.search.signals import SEMANTIC, measure
from recollect.code.search.symbol_lookup import is_alias

# Relevance of the only file that defines the name; several files share it. The labelled names are mostly classes in
# files named alike, so the fit trusts other definitions too little.
SURE = 0.95
HEADER = re.compile(r"\.(?:h|hh|hpp|hxx|pyi|mli)$|\.d\.[cm]?ts$")
PLATFORM = re.compile(
    r"[_-]?(?:win|win32|win64|windows|mingw|msvc|os390|aix|sunos|haiku|cygwin|unix|posix|linux|darwin|macos|bsd)"
)
# Files of a folder that share this part of the terms of their best chunks are alike. The first so many keep their rank,
# each further one is lowered, among the first of the ranking.
ALIKE, FREE, LOWERED, COMPARED = 0.5, 1, 1.0, 60


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
    first = _only_definer(question, pool.candidates, columns)
    if first is not None:
        relevance[first] = max(relevance[first], SURE)
    return [
        Ranked(
            pool.candidates[place],
            float(relevance[place]),
            {name: float(column[place]) for name, column in columns.items()},
            {name: float(share[place]) for name, share in shares.items()},
        )
        for place in _order(question, pool.candidates, columns, scores, first)
        if relevance[place] >= least
    ]


def _order(
    question: Question,
    candidates: Sequence[Candidate],
    columns: Mapping[str, NDArray[np.float64]],
    scores: NDArray[np.float64],
    first: int | None,
) -> list[int]:
    """Return the places of candidates, best first; first: the one that the query names.

    Generated files come last, except one that defines the name. Of files that look alike each further one ranks lower.
    """
    defines = columns.get("defines", np.zeros(len(scores))) if question.by_name else np.zeros(len(scores))
    last = np.array([each.file.mark == "generated" for each in candidates]) & (defines < 1.0)
    scores = _above_twins(candidates, columns, scores)
    order: list[int] = np.lexsort((-scores, last)).tolist()
    lowered = scores.copy()
    seen: dict[str, list[frozenset[str]]] = {}
    for place in order[:COMPARED]:
        file, terms = candidates[place].file, frozenset(candidates[place].pieces[0].body)
        others = seen.setdefault(f"{file.path.rpartition('/')[0]} {file.language}", [])
        alike = sum(len(terms & other) >= ALIKE * len(terms | other) for other in others)
        lowered[place] -= LOWERED * max(0, alike - FREE)
        others.append(terms)
    final: list[int] = np.lexsort((-lowered, last, np.arange(len(scores)) != first)).tolist()
    return final


def _only_definer(
    question: Question, candidates: Sequence[Candidate], columns: Mapping[str, NDArray[np.float64]]
) -> int | None:
    """Return the place of the only file that is called like the query (`colors.bash`), or that defines it.

    `charge card` means charge_card and ChargeCard, too. Definitions inside other symbols, in tests, examples and copies
    do not count. The fit knows few constants.
    """
    wanted = _joined(question.text)
    tail = "/" + question.text.strip().removeprefix("./")
    named = [place for place, each in enumerate(candidates) if f"/{each.file.path}".endswith(tail)]
    aside = sum((columns[name] for name in ("test", "example", "copied") if name in columns), np.zeros(len(candidates)))
    found = [
        place
        for place, candidate in enumerate(candidates)
        if not aside[place]
        and any(
            _joined(symbol.name) == wanted and symbol.parent < 0 and not is_alias(symbol)
            for piece in candidate.pieces
            for symbol in piece.symbols
        )
    ]
    return (named or found)[0] if len(named or found) == 1 else None


def _above_twins(
    candidates: Sequence[Candidate], columns: Mapping[str, NDArray[np.float64]], scores: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return scores in which a header, or code for a rare platform, is below the file that it is the twin of."""
    elsewhere = columns.get("elsewhere", np.zeros(len(scores)))
    swapped = scores.copy()
    first: dict[str, int] = {}
    for place in np.argsort(-scores, kind="stable").tolist():
        path = candidates[place].file.path
        if not elsewhere[place] and not HEADER.search(path):
            first.setdefault(_twin(path), place)
    for place, candidate in enumerate(candidates):
        other = first.get(_twin(candidate.file.path), place)
        is_second = elsewhere[place] or HEADER.search(candidate.file.path)
        if is_second and swapped[place] > swapped[other]:
            swapped[place], swapped[other] = swapped[other], swapped[place]
    return swapped


def _twin(path: str) -> str:
    """Return a path without its platform and its ending: src/win/fs.c and src/unix/fs.c are twins."""
    *folders, name = path.split("/")
    stem = re.sub(PLATFORM.pattern + "$", "", name.partition(".")[0])
    return "/".join([*(folder for folder in folders if not PLATFORM.fullmatch(folder)), stem])


def _joined(name: str) -> str:
    """Return a name of several words in the form that all ways of writing it share; others as they are."""
    words = re.findall(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])", name)
    return "".join(words).lower() if len(words) > 1 else name.strip()


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
