"""Card: the text of a chunk that is embedded.

    [public method] File: src/server.py Parent: Server
    server start: start(self, port: int) -> None
    Open the socket and serve until stopped.
    accept, select, register, …

Names are split into words, and the most frequent words of the chunk follow. Embedding models for prose make little of
punctuation, and a card has two thirds of the tokens of the chunk (numbers: docs/adr/0009).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from recollect.store.code_rows import ChunkRow, SymbolRow

_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")

# Symbols per card: a chunk with more holds constants or one-line methods.
MAX_SYMBOLS = 8
# Characters of documentation per symbol: its first sentences.
MAX_DOC = 240
MAX_SIGNATURE = 160
# Links per card, if any are given.
MAX_TIES = 8
# The most frequent terms of the text.
MAX_TERMS = 24


def card(piece: ChunkRow, ties: Sequence[str] = ()) -> str:
    """Return the text to embed for a chunk; ties: links of its symbols, as text."""
    lines = [_heading(piece)]
    if ties:
        lines.append("; ".join(ties[:MAX_TIES]))
    for symbol in piece.symbols[:MAX_SYMBOLS]:
        lines.append(f"{as_words(symbol.qualified)}: {symbol.signature[:MAX_SIGNATURE]}")
        if symbol.doc:
            lines.append(" ".join(symbol.doc.split())[:MAX_DOC])
    used = _used(piece.body)
    if used:
        lines.append(", ".join(used))
    return "\n".join(lines)


def as_words(name: str) -> str:
    """Return the words of an identifier or path, in lower case."""
    return " ".join(_PART.findall(name)).lower()


def _heading(piece: ChunkRow) -> str:
    around = piece.around
    kind = _kind(piece.symbols[0]) if piece.symbols else (f"part of {around.kind.lower()}" if around else "code")
    parent = f" Parent: {as_words(around.qualified)}" if around else ""
    return f"[{kind}] File: {as_words(piece.file.path.rsplit('.', 1)[0])}{parent}"


def _kind(symbol: SymbolRow) -> str:
    return f"{symbol.visibility} {symbol.kind.lower()}"


def _used(terms: Sequence[str]) -> list[str]:
    """Return the plain words among the terms, the most frequent first."""
    counts: dict[str, int] = {}
    for term in terms:
        if term.isalpha() and len(term) > 2:
            counts[term] = counts.get(term, 0) + 1
    return sorted(counts, key=lambda term: -counts[term])[:MAX_TERMS]
