"""Signals of candidate files, as one column each: the input of the ranking model.

Signals are scale-free, as in recollect.recall.score: shares of the query weighted by term rarity, scores relative to
the best candidate, yes or no. The same weights serve a library of ten files and a monorepo.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from recollect.code.search import SIGNALS
from recollect.code.search.pool import DATA, ELSEWHERE, ENTRY, EXAMPLE, PROSE, TEST, Candidate, Pool
from recollect.code.search.question import Question
from recollect.code.search.report import Report, matched
from recollect.code.search.symbol_lookup import is_alias
from recollect.store.code_rows import SymbolRow
from recollect.text.identifiers import code_terms

Column = NDArray[np.float64]

# Signals that need vectors; a search without vectors uses the others.
SEMANTIC = SIGNALS["vectors"]

# A chunk that scores at least half of the file's best one is about the same subject.
MANY_SHARE = 0.5
# The best chunks of a file that are added up.
SEVERAL = 3
# A name that one file defines counts one; a file that defines more than three is no more certain.
MOST_DEFINED = 3.0
# Qualifiers of a name that count: the class or module that has it, and the one around that.
OWNERS = 2

_LEADING = frozenset({"Class", "Interface", "Module", "Type", "Function", "Endpoint"})
_SEPARATOR = re.compile(r"::|->|[.#:/\\]")


def measure(question: Question, pool: Pool) -> dict[str, Column]:
    """Return each signal as a column over the candidates."""
    if not pool.candidates:
        return {}
    weights = rarity(question, pool)
    query = _Query(question, weights, pool.definers)
    columns = _columns([_file_signals(query, candidate) for candidate in pool.candidates])
    for name in ("best", "several", "total"):
        columns[name] = relative(columns[name])
    for name in ("named", "names", "stem", "defines_rare"):
        columns[f"{name}_relative"] = relative(columns[name])
    # A report about a program in one language seldom leads to a file in another.
    languages = Counter(candidate.file.language for candidate in pool.candidates)
    count = len(pool.candidates)
    columns["language"] = np.array([languages[one.file.language] / count for one in pool.candidates])
    if question.report is not None:
        columns.update(_measure_report(query, question.report, pool, columns["several"]))
    known = sum(weight for term, weight in weights.items() if pool.frequency.get(term))
    columns["known"] = np.full(count, known / query.terms.total)
    if pool.has_vectors:
        cosines = np.array([max(candidate.cosines.values(), default=0.0) for candidate in pool.candidates])
        columns["cosine"] = cosines
        columns["cosine_relative"] = relative(np.maximum(cosines, 0.0))
        columns["cosine_spread"] = (cosines - cosines.mean()) / (cosines.std() + 1e-9)
    return columns


def rarity(question: Question, pool: Pool) -> dict[str, float]:
    """Return the weight of each term: rare terms distinguish files."""
    return {
        term: math.log(1 + (pool.pieces - count + 0.5) / (count + 0.5))
        for term in question.terms
        for count in (min(pool.frequency.get(term, 0), pool.pieces),)
    }


def relative(values: Column) -> Column:
    """Return values divided by the largest of them."""
    best = values.max(initial=0.0)
    return values / best if best > 0 else values


def _columns(rows: Sequence[Mapping[str, float]]) -> dict[str, Column]:
    return {name: np.array([row[name] for row in rows], np.float64) for name in rows[0]}


class _Terms:
    """Weighted terms of a query, or of a part of it."""

    def __init__(self, weights: Mapping[str, float]) -> None:
        self.weights = weights
        self.total = sum(weights.values()) or 1.0

    def share(self, terms: Iterable[str]) -> float:
        """Return the share of the weight that is among these terms."""
        return sum(self.weights[term] for term in self.weights.keys() & set(terms)) / self.total


class _Query:
    """A query with the weights of its terms, ready to be compared with many files."""

    def __init__(self, question: Question, weights: Mapping[str, float], definers: Mapping[str, int]) -> None:
        self.question = question
        self.terms = _Terms(weights)
        self.lead = _Terms({term: weight for term, weight in weights.items() if term in question.lead})
        # What is said twice is meant more than what is said once.
        self.said, self.shown = (
            _Terms({term: weights[term] * (1 + math.log(count)) for term, count in counts.items()})
            for counts in (question.said, question.shown)
        )
        self.prose = self.said.weights.keys() | question.lead
        # A name that one file defines points there; one that forty define points nowhere.
        self.rare = {name: 1 / count for name, count in definers.items()}
        self.names = frozenset(question.names)
        self.lowered = frozenset(name.lower() for name in question.names)
        self.places = dict(zip(map(str.lower, reversed(question.names)), reversed(question.places), strict=True))
        owners = zip(question.names, question.owners, strict=True)
        self.owners = {name.lower(): frozenset(before[-OWNERS:]) for name, before in owners if before}


def _file_signals(query: _Query, candidate: Candidate) -> dict[str, float]:
    path = candidate.file.path
    *folders, name = path.split("/")
    stem, folder = _path_terms(name.rsplit(".", 1)[0]), _path_terms(" ".join(folders[-3:]))
    texts = [{*piece.body, *piece.names} for piece in candidate.pieces]
    everything = set().union(*texts, stem, folder)
    symbols = [symbol for piece in candidate.pieces for symbol in piece.symbols]
    scores = candidate.scores
    best = scores[0] if scores else 0.0
    named_stem = query.terms.share(stem)
    return {
        "best": best,
        "several": sum(scores[:SEVERAL]),
        "many": math.log1p(sum(score >= MANY_SHARE * best for score in scores)),
        "covered_best": max((query.terms.share(text) for text in texts), default=0.0),
        "covered": query.terms.share(everything),
        "lead_best": max((query.lead.share(text) for text in texts), default=0.0),
        "lead": query.lead.share(everything),
        "lead_path": query.lead.share(stem | folder),
        "total": sum(scores),
        "stem": named_stem,
        "stem_whole": len(query.terms.weights.keys() & stem) / max(1, len(stem)) if named_stem else 0.0,
        "folder": query.terms.share(folder),
        **_definitions(query, symbols, [term for piece in candidate.pieces for term in piece.names]),
        **_file_kind(query.question, candidate, path),
    }


def _definitions(query: _Query, symbols: Sequence[SymbolRow], names: Sequence[str]) -> dict[str, float]:
    """Return signals of what a file defines: names like the query's words, or the exact name."""
    named = 0.0
    for symbol in symbols:
        parts = _path_terms(symbol.name)
        shared = len(query.terms.weights.keys() & parts)
        if shared:
            named = max(named, query.terms.share(parts) * shared / len(parts))
    exact = [symbol for symbol in symbols if symbol.name.lower() in query.lowered]
    docs = (query.terms.share(_path_terms(symbol.doc[:300])) for symbol in symbols if symbol.doc)
    return {
        "names": query.terms.share(names),
        "named": named,
        "defines": max(
            (0.5 if symbol.name not in query.names or is_alias(symbol) else 1.0 for symbol in exact), default=0.0
        ),
        "defines_rare": sum(query.rare.get(name, 0.0) for name in {symbol.name.lower() for symbol in exact}),
        "defines_here": float(
            any(symbol.parent < 0 and symbol.kind in _LEADING and not is_alias(symbol) for symbol in exact)
        ),
        "doc": max(docs, default=0.0),
    }


def _file_kind(question: Question, candidate: Candidate, path: str) -> dict[str, float]:
    """Return signals of what kind of file it is; a kind that the query asks for is not a penalty."""
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


# --- reports ---


def _measure_report(query: _Query, report: Report, pool: Pool, scores: Column) -> dict[str, Column]:
    """Return the signals that only a report has; scores: of the candidates by all words, relative to the best."""
    columns = _columns([_report_signals(query, report, candidate) for candidate in pool.candidates])
    for name in ("led", "led_several", "told", "phrase"):
        columns[name] = relative(columns[name])
    return {**columns, **_pointed(report, pool), "near": _near(pool, scores)}


def _report_signals(query: _Query, report: Report, candidate: Candidate) -> dict[str, float]:
    path = candidate.file.path
    stem = frozenset(code_terms(path.rsplit("/", 1)[-1].rsplit(".", 1)[0]))
    texts = [{*piece.body, *piece.names} for piece in candidate.pieces]
    everything = set().union(*texts, code_terms(path))
    return {
        "led": max(candidate.led, default=0.0),
        "led_several": sum(candidate.led[:SEVERAL]),
        "told": max(candidate.told, default=0.0),
        "said": query.said.share(everything),
        "said_best": max((query.said.share(text) for text in texts), default=0.0),
        "shown": query.shown.share(everything),
        "stem_said": len(query.prose & stem) / max(1, len(stem)),
        "phrase": _phrases(report, candidate),
        **_named_definitions(query, [symbol for piece in candidate.pieces for symbol in piece.symbols], path),
    }


def _phrases(report: Report, candidate: Candidate) -> float:
    """Return how many phrases of the report a chunk has at most (messages, lines of code), as a logarithm."""
    most = 0
    for piece in candidate.pieces:
        body, terms = f" {' '.join(piece.body)} ", set(piece.body)
        most = max(most, sum(phrase in body for first, phrase in report.phrases if first in terms))
    return math.log1p(most)


def _named_definitions(query: _Query, symbols: Sequence[SymbolRow], path: str) -> dict[str, float]:
    """Return signals of the report's names that a file defines: by their part of the report, and by their owners."""
    folders = frozenset(path.lower().rsplit(".", 1)[0].split("/"))
    found = dict.fromkeys(("lead", "said", "shown"), 0.0)
    for name in query.places.keys() & {symbol.name.lower() for symbol in symbols}:
        found[query.places[name]] += query.rare.get(name, 0.0)
    owned = {
        symbol.name.lower()
        for symbol in symbols
        for owners in (query.owners.get(symbol.name.lower(), frozenset()),)
        if owners & folders or owners.intersection(_SEPARATOR.split(symbol.qualified.lower())[:-1])
    }
    return {
        "defines_said": min(found["lead"] + found["said"], MOST_DEFINED),
        "defines_shown": min(found["shown"], MOST_DEFINED),
        "owned": math.log1p(len(owned)),
    }


def _pointed(report: Report, pool: Pool) -> dict[str, Column]:
    """Return signals of the files that a report names: the innermost frame counts one, the next a half."""
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
