"""Code search pipeline: one question through all stages, from words to spans.

question ─► pool ─► signals ─► rank ─► span ─► explain
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import msgspec

from recollect.code.code_records import CodeHits
from recollect.code.search.file_ranking import Ranked, rank
from recollect.code.search.match_reasons import reason, shares_of
from recollect.code.search.pool import gather
from recollect.code.search.question import Question, understand
from recollect.code.search.signals import rarity
from recollect.code.search.span import choose
from recollect.model import CodeHit

if TYPE_CHECKING:
    from recollect.engine.code.code_embedding import CodeEmbedding
    from recollect.store.code_rows import CodeScope
    from recollect.store.sql import Store

# Below this share of pieces with a vector, meaning would only favour those that happen to have one.
MIN_COVERAGE = 0.5
# Where the best place is less likely than this to be right, none may be.
WEAK_RELEVANCE = 0.05


class Sought(NamedTuple):
    """A checked question about code: its words, where, which kind of symbol, how many places, the least relevance."""

    text: str
    scope: CodeScope
    limit: int
    least: float
    kind: str | None = None
    explain: bool = False


def search_code(
    store: Store,
    vectors: CodeEmbedding,
    sought: Sought,
    *,
    by_meaning: bool = True,
    leave_out: frozenset[str] = frozenset(),
) -> CodeHits:
    """Return the places that answer a question about code, best first, one per file.

    by_meaning: false asks nothing of the embedder and of vectors
    """
    question = understand(sought.text)
    vector, notes = _vector(store, vectors, sought) if by_meaning else (None, ())
    model = "" if vector is None else vectors.model
    pool = gather(store, question, sought.scope, vector=vector, model=model)
    weights = rarity(question, pool)
    hits: list[CodeHit] = []
    seen: set[tuple[str, str | int]] = set()
    for ranked in rank(question, pool, least=sought.least, leave_out=leave_out):
        if len(hits) == sought.limit:
            break
        # Work trees of one repository hold the same files: one of each is enough.
        same = (ranked.candidate.file.path, ranked.candidate.file.hash or ranked.candidate.file.id)
        if same not in seen:
            seen.add(same)
            # How likely a file is right is estimated apart from its rank: no printed score may rise again.
            most = hits[-1].score if hits else 1.0
            hits += [
                msgspec.structs.replace(hit, score=min(hit.score, most))
                for hit in _hits(question, ranked, weights, sought)
            ]
    if hits and hits[0].score < WEAK_RELEVANCE:
        notes = ("nothing matches the query well: these are the closest places", *notes)
    mode: Literal["hybrid", "lexical"] = "hybrid" if pool.has_vectors else "lexical"
    return CodeHits(query=sought.text, hits=tuple(hits), mode=mode, notes=notes)


def _vector(store: Store, vectors: CodeEmbedding, sought: Sought) -> tuple[Any, tuple[str, ...]]:
    """Return the question's vector where enough of the code has one, else None and why."""
    model = vectors.model
    if not model:
        return None, ()
    made, lacking = store.code_vector_coverage(model, sought.scope.trees)
    if made < MIN_COVERAGE * (made + lacking):
        now = "" if vectors.embedding.running else "; `recollect index --vectors` embeds the rest"
        return None, (f"search is keyword-only: {made:,} of {made + lacking:,} code chunks are embedded{now}",)
    return vectors.embedding.of_question(sought.text) if made else (None, ())


def _hits(question: Question, ranked: Ranked, weights: Mapping[str, float], sought: Sought) -> list[CodeHit]:
    """Return a file of the ranking as a hit; none where it has no symbol of the kind that is asked for."""
    file, tree = ranked.candidate.file, ranked.candidate.pieces[0].tree
    span = choose(question, ranked.candidate, weights, sought.kind)
    if span is None:
        return []
    symbol = span.symbol
    return [
        CodeHit(
            path=file.path,
            start_line=span.start_line,
            end_line=span.end_line,
            symbol=symbol.qualified if symbol else "",
            kind=symbol.kind if symbol else "",
            signature=symbol.signature if symbol else "",
            doc=symbol.doc if symbol else "",
            language=file.language or "",
            score=ranked.relevance,
            reason=reason(ranked.signals, ranked.shares),
            root=tree.root,
            namespace=tree.namespace,
            shares=shares_of(ranked.shares) if sought.explain else (),
        )
    ]
