"""Code vectors: pieces of code get theirs behind the search, of files edited lately and of the most central ones first.

Search is good before they are there; they are made when memories have theirs, by the worker of a long-lived process,
or on demand.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from recollect import progress
from recollect.model import File, Tree

if TYPE_CHECKING:
    from recollect.engine.root import Engine
    from recollect.store.code_protocol import ChunkRow
    from recollect.store.link_protocol import LinkStore

# Pieces per round: small enough that stopping is prompt.
BATCH = 64
# Part of the model's name on vectors of code: what is embedded of a piece. With another card all are made anew.
CARD = "card-1"
# The same of a card with links on it, which the documented enrichment asks for.
TIED = "card-1+links"


def code_model(engine: Engine) -> str:
    """Return the name that vectors of code made now carry; empty when embeddings are off."""
    embedder = engine.embedding.embedder
    return f"{embedder.model_id}/{TIED if _is_tied(engine) else CARD}" if embedder else ""


def _is_tied(engine: Engine) -> bool:
    return bool(engine.settings.enrichment == "documented")


def catch_up(engine: Engine, limit: int | None = None) -> int:
    """Make missing vectors of code, at most `limit`; returns how many. Raises EmbeddingFailed."""
    store, model = engine.code_store, code_model(engine)
    made = 0
    # Looking for pieces without a vector reads them all; that there are none is known at once, every two seconds.
    if not model or not store.code_vector_coverage(model)[1]:
        return 0
    # A few on the side of a search are not worth an order.
    files = order(engine) if limit is None else None
    while not engine.embedding.stopping and (limit is None or made < limit):
        lacking = store.lacking_code_vectors(model, BATCH if limit is None else min(BATCH, limit - made), files)
        if not lacking or engine.store.describe().read_only:
            break
        rows = store.chunk_rows([one.chunk for one in lacking])
        if not rows:
            break  # the files changed in between: the next look sees what they hold now
        vectors = engine.embedding.of_texts(cards(engine, rows))
        made += store.put_code_vectors(model, [(row.hash, vector) for row, vector in zip(rows, vectors, strict=True)])
        progress.report(made, None, "embedding code")
    return made


def cards(engine: Engine, pieces: Sequence[ChunkRow]) -> list[str]:
    """Return what is embedded of pieces; with the links that are known, where the enrichment asks for them."""
    from recollect.code.card import card

    if not _is_tied(engine):
        return [card(piece) for piece in pieces]
    from recollect.engine.ties import ties

    graph = engine.centrality.graph()
    return [card(piece, ties(graph, piece)) for piece in pieces]


def order(engine: Engine) -> list[int]:
    """Return the numbers of all indexed files: those edited lately, then the most central ones, then the newest.

    How central a file is, is known as far as its tree was linked; nothing is linked for this.
    """
    from recollect.engine.repo_map import edited_lately, sheets_of
    from recollect.graph.code_graph import load_code
    from recollect.graph.project import project
    from recollect.graph.rank import Seen, file_shares, importance

    trees = engine.store.find(Tree)
    found = project(load_code(cast("LinkStore", engine.code_store), None), [tree.id for tree in trees])
    shares = file_shares(found, importance(found, Seen())) if found.graph.size else {}
    recent = {file for tree in trees for file in edited_lately(sheets_of(engine.code_store, [tree]))}
    stamps = dict(engine.store.columns(File, ("id", "stamp"), {"skipped": ""}))
    return sorted(stamps, key=lambda file: (file not in recent, -shares.get(file, 0.0), -stamps[file]))
