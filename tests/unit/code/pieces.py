"""Pieces of code made by hand, and files of them, as a store would give them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from recollect.code.search.pool import Candidate, Pool
from recollect.code.search.question import understand
from recollect.code.search.signals import measure
from recollect.model import File, Tree
from recollect.store.code_rows import PLACE_BITS, ChunkRow, SymbolRow
from recollect.text.identifiers import code_terms

TREE = Tree(id=1, root="/app", namespace="app")


def symbol(qualified: str, start: int = 1, end: int = 4, **fields: Any) -> SymbolRow:
    """A symbol with these lines; a public function unless said otherwise."""
    name = qualified.replace("::", ".").rsplit(".", 1)[-1]
    row = SymbolRow(
        name=name, qualified=qualified, kind="Function", signature=f"def {name}()", doc="", visibility="public",
        decorators=(), parent=-1, start_line=start, end_line=end, start_byte=0, end_byte=0, complexity=1.0, test=False,
        endpoint=None, hash="",
    )  # fmt: skip
    return row._replace(**fields)


def piece(
    text: str = "",
    symbols: Sequence[SymbolRow] = (),
    *,
    lines: tuple[int, int] = (1, 20),
    around: SymbolRow | None = None,
) -> ChunkRow:
    """A piece of a file with this text and the symbols that begin in it; `candidate` gives it its place."""
    return ChunkRow(
        id=0, file=file("?"), tree=TREE, start_line=lines[0], end_line=lines[1], symbols=tuple(symbols), around=around,
        hash=text.encode(), names=[term for row in symbols for term in code_terms(row.name)],
        around_terms=code_terms(around.name) if around else [], path_terms=[], body=code_terms(text),
    )  # fmt: skip


def file(path: str, number: int = 1, **fields: Any) -> File:
    known = {"hash": "h", "mtime_ns": 0, "size_bytes": 1, "language": "python", **fields}
    return File(id=number, tree=1, path=path, **known)


def candidate(
    path: str,
    *pieces: ChunkRow,
    number: int = 1,
    scores: Sequence[float] = (1.0,),
    cosines: Sequence[float] = (),
    **fields: Any,
) -> Candidate:
    """A file with these pieces, found by words with these scores, and by meaning with these cosines."""
    mine = file(path, number, **{"chunk_count": len(pieces), **fields})
    placed = [
        row._replace(id=(number << PLACE_BITS) + place, file=mine, path_terms=code_terms(path))
        for place, row in enumerate(pieces)
    ]
    return Candidate(mine, placed, scores, {row.id: cosine for row, cosine in zip(placed, cosines, strict=False)})


def pool(*candidates: Candidate, definers: Mapping[str, int] | None = None) -> Pool:
    """What a store that holds these files and no others would give."""
    pieces = [row for one in candidates for row in one.pieces]
    held = Counter(term for row in pieces for term in {*row.body, *row.names, *row.path_terms})
    defining = Counter(name for one in candidates for name in {s.name.lower() for p in one.pieces for s in p.symbols})
    return Pool(
        candidates=candidates,
        pieces=len(pieces),
        frequency=held,
        definers=dict(defining) if definers is None else definers,
        has_vectors=any(one.cosines for one in candidates),
    )


def signals(question: str, *candidates: Candidate) -> dict[str, list[float]]:
    """What is measured for a question, each signal as a list over the files."""
    measured = measure(understand(question), pool(*candidates))
    return {name: column.tolist() for name, column in measured.items()}
