"""Choose the lines of a file to show, and the symbol that they belong to.

A name leads to its definition. Any other query leads to the chunk with most of its words, weighted by rarity, and in it
to the function or class with the most similar name or documentation.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from recollect.code.index.chunks import CALLED, HOLDERS
from recollect.code.search.pool import Candidate
from recollect.code.search.question import Question
from recollect.store.code_rows import ChunkRow, SymbolRow
from recollect.text.identifiers import code_terms

_SEPARATOR = re.compile(r"::|->|[.#:/\\]")


class Span(NamedTuple):
    """Lines of a file, both included, and the symbol that they are or lie in."""

    start_line: int
    end_line: int
    symbol: SymbolRow | None


def choose(
    question: Question, candidate: Candidate, weights: Mapping[str, float], kind: str | None = None
) -> Span | None:
    """Return what to show of a file; with a kind, a symbol of that kind, or None.

    weights: of the query's terms, by rarity
    """
    symbols = [symbol for piece in candidate.pieces for symbol in _symbols(piece) if kind in (None, symbol.kind)]
    # A report mentions names in passing: its words show 15 of 26 functions to edit, the names in it 11.
    if not question.is_report:
        named = max(symbols, key=lambda symbol: _named(question, symbol, candidate.file.path), default=None)
        if named is not None and _named(question, named, candidate.file.path) > 0:
            return Span(named.start_line, named.end_line, named)
    if kind is not None:
        alike = max(symbols, key=lambda symbol: _likeness(symbol, weights), default=None)
        return Span(alike.start_line, alike.end_line, alike) if alike is not None else None
    return _within(max(candidate.pieces, key=lambda piece: _match(piece, candidate, weights)), weights)


def _match(piece: ChunkRow, candidate: Candidate, weights: Mapping[str, float]) -> tuple[float, ...]:
    """Return the rank of a chunk: its share of the query, its best symbol, its similarity of meaning.

    Comments above its symbols count, although they end the chunk before.
    """
    documented = code_terms(" ".join(symbol.doc for symbol in piece.symbols))
    best = max((_likeness(symbol, weights) for symbol in piece.symbols), default=0.0)
    said = _weight((*piece.body, *piece.names, *documented), weights)
    return said, best, candidate.cosines.get(piece.id, 0.0)


def _within(piece: ChunkRow, weights: Mapping[str, float]) -> Span:
    """Return the symbol of a chunk that is most like the query, or the whole chunk."""
    if not piece.symbols:
        return Span(piece.start_line, piece.end_line, piece.around)
    symbol = max(piece.symbols, key=lambda symbol: _likeness(symbol, weights))
    if len(piece.symbols) > 1 and not _likeness(symbol, weights):
        return Span(piece.start_line, piece.end_line, _head_of(piece))
    # A function is shown whole, a class that goes on and a constant with the lines of the chunk.
    if symbol.kind in CALLED or (symbol.kind in HOLDERS and symbol.end_line <= piece.end_line):
        return Span(symbol.start_line, symbol.end_line, symbol)
    return Span(piece.start_line, piece.end_line, symbol)


def _head_of(piece: ChunkRow) -> SymbolRow:
    """Return the innermost class or module that goes on after the chunk, else its first symbol."""
    goes_on = [symbol for symbol in piece.symbols if symbol.kind in HOLDERS and symbol.end_line > piece.end_line]
    return goes_on[-1] if goes_on else piece.symbols[0]


def _symbols(piece: ChunkRow) -> Iterable[SymbolRow]:
    return piece.symbols if piece.around is None else (*piece.symbols, piece.around)


def _named(question: Question, symbol: SymbolRow, path: str) -> int:
    """Return how exactly a symbol matches a name of the query: 0 for none, more with its case and owners."""
    best = 0
    for name, owners in zip(question.names, question.owners, strict=True):
        if symbol.name.lower() != name.lower():
            continue
        before = {*_SEPARATOR.split(path.lower()), *_SEPARATOR.split(symbol.qualified.lower())[:-1]}
        best = max(best, 1 + 2 * len(before.intersection(owners)) + (symbol.name == name))
    return best


def _likeness(symbol: SymbolRow, weights: Mapping[str, float]) -> float:
    """Return the weight of the query in a symbol's name and documentation; its name counts twice."""
    return 2 * _weight(code_terms(symbol.name), weights) + _weight(
        code_terms(f"{symbol.signature} {symbol.doc}"), weights
    )


def _weight(terms: Iterable[str], weights: Mapping[str, float]) -> float:
    return sum(weights[term] for term in weights.keys() & set(terms))
