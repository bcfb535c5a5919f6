"""Signals: what tells the right file from others, as one matrix over the candidates.

Scale-free, as in recollect.recall.measure: shares of the question weighted by how rare its words are, scores relative
to the best candidate, yes and no. The same weights serve a library of ten files and a monorepo.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

import numpy as np

from recollect.code.search.kinds import DATA, ELSEWHERE, ENTRY, EXAMPLE, PROSE, TEST
from recollect.code.search.pool import Candidate, Pool
from recollect.code.search.question import Question
from recollect.code.search.report_signals import Column, measure_report, relative
from recollect.store.code_protocol import SymbolRow
from recollect.text.identifiers import code_terms

# Signals that need vectors; a search without vectors uses the others.
SEMANTIC = frozenset({"cosine", "cosine_relative", "cosine_spread"})
# Signals that a short text has as well, but of which it only says again what others say.
OF_REPORTS = frozenset({"lead", "lead_best", "lead_path", "total", "defines_rare", "defines_rare_relative", "language"})
# Signals that mean the same whatever else was found: they say whether the best file is any good.
ABSOLUTE = ("cosine", "covered", "covered_best", "known")

# A piece that scores at least half of the file's best one is about the same matter.
MANY_SHARE = 0.5
SEVERAL = 3

_LEADING = frozenset({"Class", "Interface", "Module", "Type", "Function"})


def measure(question: Question, pool: Pool) -> dict[str, Column]:
    """Return each signal as a column over the candidates."""
    weights = rarity(question, pool)
    asked = _Asked(question, weights, pool.definers)
    rows = [_file_signals(asked, candidate) for candidate in pool.candidates]
    columns = {name: np.array([row[name] for row in rows], np.float64) for name in (rows[0] if rows else ())}
    if not rows:
        return columns
    for name in ("best", "several", "total"):
        columns[name] = relative(columns[name])
    for name in ("named", "names", "stem", "defines_rare"):
        columns[f"{name}_relative"] = relative(columns[name])
    # What a report about a program in one language leads to is seldom written in another.
    languages = Counter(candidate.file.language for candidate in pool.candidates)
    columns["language"] = np.array([languages[one.file.language] / len(rows) for one in pool.candidates])
    if question.report is not None:
        columns.update(measure_report(question, question.report, pool, weights, columns["several"]))
    known = sum(weight for term, weight in weights.items() if pool.frequency.get(term))
    columns["known"] = np.full(len(rows), known / (sum(weights.values()) or 1.0))
    if pool.has_vectors:
        cosines = np.array([max(candidate.cosines.values(), default=0.0) for candidate in pool.candidates])
        columns["cosine"] = cosines
        columns["cosine_relative"] = relative(np.maximum(cosines, 0.0))
        columns["cosine_spread"] = (cosines - cosines.mean()) / (cosines.std() + 1e-9)
    return columns


def rarity(question: Question, pool: Pool) -> dict[str, float]:
    """Return the weight of each term: rare ones tell files apart."""
    return {
        term: math.log(1 + (pool.pieces - count + 0.5) / (count + 0.5))
        for term in question.terms
        for count in (min(pool.frequency.get(term, 0), pool.pieces),)
    }


class _Asked:
    """A question with the weights of its terms, ready to be compared with many files."""

    def __init__(self, question: Question, weights: Mapping[str, float], definers: Mapping[str, int]) -> None:
        self.question = question
        self.weights = weights
        self.lead = {term: weight for term, weight in weights.items() if term in question.lead}
        # A name that one file defines points there; one that forty define points nowhere.
        self.rare = {name: 1 / count for name, count in definers.items()}
        self.total = sum(weights.values()) or 1.0
        self.names = frozenset(question.names)
        self.lowered = frozenset(name.lower() for name in question.names)

    def covered(self, terms: Iterable[str]) -> float:
        """Return the share of the question, by rarity, that is among these terms."""
        return sum(self.weights[term] for term in self.weights.keys() & set(terms)) / self.total

    def led(self, terms: Iterable[str]) -> float:
        """Return the share of the headline that is among these terms."""
        return sum(self.lead[term] for term in self.lead.keys() & set(terms)) / (sum(self.lead.values()) or 1.0)


def _file_signals(asked: _Asked, candidate: Candidate) -> dict[str, float]:
    path = candidate.file.path
    *folders, name = path.split("/")
    stem, folder = _path_terms(name.rsplit(".", 1)[0]), _path_terms(" ".join(folders[-3:]))
    texts = [{*piece.body, *piece.names} for piece in candidate.pieces]
    everything = set().union(*texts, stem, folder)
    symbols = [symbol for piece in candidate.pieces for symbol in piece.symbols]
    scores = candidate.scores
    best = scores[0] if scores else 0.0
    named_stem = asked.covered(stem)
    return {
        "best": best,
        "several": sum(scores[:SEVERAL]),
        "many": math.log1p(sum(score >= MANY_SHARE * best for score in scores)),
        "covered_best": max((asked.covered(text) for text in texts), default=0.0),
        "covered": asked.covered(everything),
        "lead_best": max((asked.led(text) for text in texts), default=0.0),
        "lead": asked.led(everything),
        "lead_path": asked.led(stem | folder),
        "total": sum(scores),
        "stem": named_stem,
        "stem_whole": len(asked.weights.keys() & stem) / max(1, len(stem)) if named_stem else 0.0,
        "folder": asked.covered(folder),
        **_definitions(asked, symbols, [term for piece in candidate.pieces for term in piece.names]),
        **_standing(asked.question, candidate, path),
    }


def _definitions(asked: _Asked, symbols: Sequence[SymbolRow], names: Sequence[str]) -> dict[str, float]:
    """Signals of what a file defines: names like the question's words, or the very name that was asked for."""
    named = 0.0
    for symbol in symbols:
        parts = _path_terms(symbol.name)
        shared = len(asked.weights.keys() & parts)
        if shared:
            named = max(named, asked.covered(parts) * shared / len(parts))
    exact = [symbol for symbol in symbols if symbol.name.lower() in asked.lowered]
    return {
        "names": asked.covered(names),
        "named": named,
        "defines": max((1.0 if symbol.name in asked.names else 0.5 for symbol in exact), default=0.0),
        "defines_rare": sum(asked.rare.get(name, 0.0) for name in {symbol.name.lower() for symbol in exact}),
        "defines_here": float(any(symbol.parent < 0 and symbol.kind in _LEADING for symbol in exact)),
        "doc": max((asked.covered(_path_terms(symbol.doc[:300])) for symbol in symbols if symbol.doc), default=0.0),
    }


def _standing(question: Question, candidate: Candidate, path: str) -> dict[str, float]:
    """Signals of what kind of file it is; what was asked for by its kind is not held against it."""
    language = candidate.file.language or ""
    tests = [symbol.test for piece in candidate.pieces for symbol in piece.symbols]
    is_test = bool(TEST.search(path)) or (bool(tests) and all(tests))
    return {
        "test": float(is_test and not question.wants_tests),
        "example": float(bool(EXAMPLE.search(path)) and not (question.wants_examples or question.wants_prose)),
        "prose": float(language in PROSE and not question.wants_prose),
        "data": float(language in DATA and not question.wants_data),
        "copied": float(bool(candidate.file.mark)),
        "elsewhere": float(bool(ELSEWHERE.search(path)) and not ELSEWHERE.search(question.text.replace(" ", "/"))),
        "entry": float(bool(ENTRY.search(path))),
        "length": math.log1p(candidate.file.chunk_count),
    }


@lru_cache(maxsize=65_536)
def _path_terms(text: str) -> frozenset[str]:
    return frozenset(code_terms(text))
