"""Searching code: one question through all stages, from words to spans.

question ─► pool ─► signals ─► rank
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from recollect.code.record import CodeHit, CodeHits
from recollect.code.search.explain import reason
from recollect.code.search.pool import gather
from recollect.code.search.question import understand
from recollect.code.search.rank import Ranked, rank
from recollect.engine.code_vectors import code_model

if TYPE_CHECKING:
    from recollect.engine.root import Engine
    from recollect.store.code_protocol import CodeScope, SymbolRow

# Below this share of pieces with a vector, meaning would only favour those that happen to have one.
MIN_COVERAGE = 0.5


def search_code(
    engine: Engine,
    text: str,
    scope: CodeScope,
    *,
    kind: str | None,
    limit: int,
    least: float,
    leave_out: frozenset[str] = frozenset(),
) -> CodeHits:
    """Return the places that answer a question about code, best first, one per file."""
    question = understand(text)
    vector, notes = _vector(engine, text)
    pool = gather(engine.code_store, question, scope, vector=vector, model=code_model(engine))
    ranked = rank(
        question, pool, limit=limit if kind is None else len(pool.candidates), least=least, leave_out=leave_out
    )
    hits = [_hit(one, kind) for one in ranked]
    return CodeHits(
        query=text,
        hits=tuple(hit for hit in hits if hit is not None)[:limit],
        mode="hybrid" if pool.has_vectors else "lexical",
        notes=notes,
    )


def _vector(engine: Engine, text: str) -> tuple[Any, tuple[str, ...]]:
    """Return the question's vector where enough of the code has one."""
    model = code_model(engine)
    if not model:
        return None, ()
    made = engine.code_store.count_code_vectors(model)
    total = engine.code_store.code_totals().chunks
    if not total or made < MIN_COVERAGE * total:
        return None, ()
    return engine.embedding.of_question(text)


def _hit(ranked: Ranked, kind: str | None) -> CodeHit | None:
    """Return a file of the ranking as a hit: the span of its best piece and the symbol that it is or lies in."""
    piece, file = ranked.piece, ranked.candidate.file
    symbol = _symbol(ranked, kind)
    if kind is not None and symbol is None:
        return None
    start, end = piece.start_line, piece.end_line
    if symbol is not None and (kind is not None or piece.start_line <= symbol.start_line <= piece.end_line):
        start, end = symbol.start_line, symbol.end_line
    return CodeHit(
        path=file.path,
        start_line=start,
        end_line=end,
        symbol=symbol.qualified if symbol else "",
        kind=symbol.kind if symbol else "",
        signature=symbol.signature if symbol else "",
        doc=symbol.doc if symbol else "",
        language=file.language or "",
        score=ranked.relevance,
        reason=reason(ranked),
        root=piece.tree.root,
        namespace=piece.tree.namespace,
    )


def _symbol(ranked: Ranked, kind: str | None) -> SymbolRow | None:
    """Return the symbol to name: of the wanted kind, else the first of the piece, else the one around it."""
    piece = ranked.piece
    if kind is not None:
        found = (symbol for part in ranked.candidate.pieces for symbol in (*part.symbols, part.around))
        return next((symbol for symbol in found if symbol is not None and symbol.kind == kind), None)
    return next(iter(piece.symbols), None) or piece.around
