"""Report signals: what tells the right file from others by the parts of a long text.

Scale-free like those of signals.py: shares, scores relative to the best candidate, yes and no.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from recollect.code.search.pointers import matched
from recollect.code.search.pool import Candidate, Pool
from recollect.code.search.question import Question
from recollect.code.search.report import Report
from recollect.store.code_protocol import SymbolRow
from recollect.text.identifiers import code_terms

Column = NDArray[np.float64]

# A name that one file defines counts one; a file that defines many of them is no surer than one that defines three.
MOST_DEFINED = 3.0
# What is written before a name: the class or module that has it, and one around that.
OWNERS = 2
# The best pieces of a file by the words of the headline.
SEVERAL = 3

_SEPARATOR = re.compile(r"::|->|[.#:/\\]")


def measure_report(
    question: Question, report: Report, pool: Pool, weights: Mapping[str, float], scores: Column
) -> dict[str, Column]:
    """Return each signal of a report as a column over the candidates.

    weights: of the terms, by how rare they are; scores: of the candidates by all words, relative to the best
    """
    asked = _Asked(question, weights, pool.definers)
    rows = [_file_signals(asked, report, candidate) for candidate in pool.candidates]
    columns = {name: np.array([row[name] for row in rows], np.float64) for name in rows[0]}
    for name in ("led", "led_several", "told", "phrase"):
        columns[name] = relative(columns[name])
    return {**columns, **_pointed(report, pool), "near": _near(pool, scores)}


def relative(values: Column) -> Column:
    """Return values by the largest of them."""
    best = values.max(initial=0.0)
    return values / best if best > 0 else values


class _Asked:
    """A report with the weights of its terms and where its names stand."""

    def __init__(self, question: Question, weights: Mapping[str, float], definers: Mapping[str, int]) -> None:
        # What is said twice is meant more than what is said once.
        self.said, self.shown = (
            {term: weights[term] * (1 + math.log(count)) for term, count in counts.items()}
            for counts in (question.said, question.shown)
        )
        self.prose = self.said.keys() | question.lead
        self.places = dict(zip(map(str.lower, reversed(question.names)), reversed(question.places), strict=True))
        owners = zip(question.names, question.owners, strict=True)
        self.owners = {name.lower(): frozenset(before[-OWNERS:]) for name, before in owners if before}
        self.rare = {name: 1 / count for name, count in definers.items()}


def _file_signals(asked: _Asked, report: Report, candidate: Candidate) -> dict[str, float]:
    path = candidate.file.path
    stem = frozenset(code_terms(path.rsplit("/", 1)[-1].rsplit(".", 1)[0]))
    texts = [{*piece.body, *piece.names} for piece in candidate.pieces]
    everything = set().union(*texts, code_terms(path))
    return {
        "led": max(candidate.led, default=0.0),
        "led_several": sum(candidate.led[:SEVERAL]),
        "told": max(candidate.told, default=0.0),
        "said": _share(asked.said, everything),
        "said_best": max((_share(asked.said, text) for text in texts), default=0.0),
        "shown": _share(asked.shown, everything),
        "stem_said": len(asked.prose & stem) / max(1, len(stem)),
        "phrase": _phrases(report, candidate),
        **_definitions(asked, [symbol for piece in candidate.pieces for symbol in piece.symbols], path),
    }


def _share(weights: Mapping[str, float], terms: Iterable[str]) -> float:
    return sum(weights[term] for term in weights.keys() & set(terms)) / (sum(weights.values()) or 1.0)


def _phrases(report: Report, candidate: Candidate) -> float:
    """Return how many words in a row a piece has as the report has them: messages, lines of code; as a logarithm."""
    most = 0
    for piece in candidate.pieces:
        body, terms = f" {' '.join(piece.body)} ", set(piece.body)
        most = max(most, sum(phrase in body for first, phrase in report.phrases if first in terms))
    return math.log1p(most)


def _definitions(asked: _Asked, symbols: Sequence[SymbolRow], path: str) -> dict[str, float]:
    """Signals of the report's names that a file defines: by where they stand, and with what is written before them."""
    folders = frozenset(path.lower().rsplit(".", 1)[0].split("/"))
    found = dict.fromkeys(("lead", "said", "shown"), 0.0)
    for name in asked.places.keys() & {symbol.name.lower() for symbol in symbols}:
        found[asked.places[name]] += asked.rare.get(name, 0.0)
    owned = {
        symbol.name.lower()
        for symbol in symbols
        for owners in (asked.owners.get(symbol.name.lower(), frozenset()),)
        if owners & folders or owners.intersection(_SEPARATOR.split(symbol.qualified.lower())[:-1])
    }
    return {
        "defines_said": min(found["lead"] + found["said"], MOST_DEFINED),
        "defines_shown": min(found["shown"], MOST_DEFINED),
        "owned": math.log1p(len(owned)),
    }


def _pointed(report: Report, pool: Pool) -> dict[str, Column]:
    """Signals of the files that a report points to: the innermost frame counts one, the next a half; named files."""
    paths = [candidate.file.path for candidate in pool.candidates]
    frame, cited, module = (np.zeros(len(paths)) for _ in range(3))
    matches = matched(report, paths)
    depth = 0
    for fitting in matches.frames:
        fresh = [place for place in fitting if not frame[place]]
        frame[fresh] = 1 / (1 + depth)
        depth += bool(fresh)
    for column, pointers in ((cited, matches.cited), (module, matches.modules)):
        for fitting in pointers:
            for place in fitting:
                column[place] = max(column[place], 1 / len(fitting))
    return {"frame": frame, "cited": cited, "module": module}


def _near(pool: Pool, scores: Column) -> Column:
    """Return how well the other files of the same folder match, relative to the best."""
    folders: dict[str, float] = {}
    own = [candidate.file.path.rpartition("/")[0] for candidate in pool.candidates]
    for folder, score in zip(own, scores, strict=True):
        folders[folder] = folders.get(folder, 0.0) + float(score)
    return relative(np.array([folders[folder] - score for folder, score in zip(own, scores, strict=True)]))
