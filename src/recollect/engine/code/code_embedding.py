"""Code embedding: vectors of code chunks, those of recently edited and of central files first.

Search works without them; the worker of a long-lived process makes them after those of memories, or a command does on
demand. With the documented enrichment, the text that is embedded of a chunk names the links of its symbols:

    -> total (CALLS); <- Checkout (INHERITS)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from recollect import progress
from recollect.model import RELATIONS, File, Tree

if TYPE_CHECKING:
    from recollect.engine.context import Context
    from recollect.engine.graph.centrality import Centrality
    from recollect.engine.models.embedding_queue import Embedding
    from recollect.graph.arrays import Graph, Rows
    from recollect.store.code_rows import ChunkRow

# Chunks per round: small enough that stopping is prompt.
BATCH = 64
# Part of the model's name on vectors of code: what is embedded of a chunk. With another text all are made again.
CARD = "card-1"
# The same of a text with links, which the documented enrichment asks for.
LINKED_CARD = "card-1+links"
# Relationships that say what a symbol does or is, what says most first. Types that are merely named say little, and
# where a symbol stands its card says anyway.
TOLD = {"CALLS": 0, "IMPLEMENTS": 1, "INHERITS": 1, "EXTENDS": 1}


class CodeEmbedding:
    """Makes vectors of indexed code."""

    def __init__(self, context: Context, embedding: Embedding, centrality: Centrality) -> None:
        self._context = context
        self.embedding = embedding
        self._centrality = centrality

    @property
    def model(self) -> str:
        """The name that vectors of code made now carry; empty when embeddings are off."""
        embedder = self.embedding.embedder
        return f"{embedder.model_id}/{LINKED_CARD if self._is_linked else CARD}" if embedder else ""

    @property
    def _is_linked(self) -> bool:
        return bool(self._context.settings.enrichment == "documented")

    def catch_up(self, limit: int | None = None, tree: int | None = None) -> int:
        """Make missing vectors of a tree or of all code, at most `limit`; returns how many. Raises EmbeddingFailed."""
        store, model = self._context.store, self.model
        made = 0
        # Looking for chunks without a vector reads them all; that there are none is known at once, every two seconds.
        if not model or not store.code_vector_coverage(model, None if tree is None else [tree])[1]:
            return 0
        # A few on the side of a search are not worth an order.
        files = self.order(tree) if limit is None else None
        while not self.embedding.stopping and (limit is None or made < limit):
            lacking = store.lacking_code_vectors(model, BATCH if limit is None else min(BATCH, limit - made), files)
            if not lacking or store.describe().read_only:
                break
            rows = store.chunk_rows([one.chunk for one in lacking])
            if not rows:
                break  # the files changed in between: the next look sees what they hold now
            vectors = self.embedding.of_texts(self.cards(rows))
            made += store.put_code_vectors(
                model, [(row.hash, vector) for row, vector in zip(rows, vectors, strict=True)]
            )
            progress.report(made, None, "embedding code")
        return made

    def cards(self, chunks: Sequence[ChunkRow]) -> list[str]:
        """Return what is embedded of chunks; with known links, where the enrichment asks for them."""
        from recollect.code.index.card import card

        if not self._is_linked:
            return [card(chunk) for chunk in chunks]
        graph = self._centrality.graph()
        return [card(chunk, links_of(graph, chunk)) for chunk in chunks]

    def order(self, tree: int | None = None) -> list[int]:
        """Return the indexed files of one tree or of all: recently edited ones, then the most central, then the newest.

        Centrality is known as far as a tree is linked; nothing is linked for this.
        """
        from recollect.engine.code.repo_map import edited_lately, sheets_of
        from recollect.graph.code_graph import load_code
        from recollect.graph.project import project
        from recollect.graph.rank import Seen, file_shares, importance

        store = self._context.store
        trees = store.find(Tree) if tree is None else store.get(Tree, [tree])
        found = project(load_code(store, None), [each.id for each in trees])
        shares = file_shares(found, importance(found, Seen())) if found.graph.size else {}
        recent = {file for each in trees for file in edited_lately(sheets_of(store, [each]))}
        where = {"tree": tuple(each.id for each in trees), "skipped": ""}
        stamps = dict(store.columns(File, ("id", "stamp"), where))
        return sorted(stamps, key=lambda file: (file not in recent, -shares.get(file, 0.0), -stamps[file]))


def links_of(graph: Graph, piece: ChunkRow) -> list[str]:
    """Return up to eight links of the symbols in a chunk, outgoing ones before incoming ones."""
    from recollect.code.index.card import MAX_TIES

    found: dict[str, None] = {}
    for arrow, rows in (("->", graph.outgoing), ("<-", graph.incoming)):
        for symbol in piece.symbols:
            node = graph.index.get(f"sym:{piece.tree.root}/{piece.file.path}::{symbol.qualified}")
            if node is not None:
                found.update(dict.fromkeys(_told(graph, rows, node, arrow)))
    # At most half of the room is left to incoming links, unless the others need less.
    outwards = [each for each in found if each.startswith("->")]
    inwards = [each for each in found if each.startswith("<-")]
    shown = outwards[: max(MAX_TIES // 2, MAX_TIES - len(inwards))]
    return [*shown, *inwards[: MAX_TIES - len(shown)]]


def _told(graph: Graph, rows: Rows, node: int, arrow: str) -> list[str]:
    """Return the links of one node in one direction, the most informative and most certain first."""
    places = range(int(rows.starts[node]), int(rows.starts[node + 1]))
    told: list[tuple[int, float, str]] = []
    for place in places:
        edge, other = int(rows.edges[place]), int(rows.ends[place])
        relation = RELATIONS[graph.relations[edge]]
        name = graph.points.ids[other]
        if relation in TOLD and other != node and name.startswith("sym:"):
            label = name.rpartition("::")[2].partition("#")[0]
            told.append((TOLD[relation], -float(graph.weights[edge]), f"{arrow} {label} ({relation})"))
    return [text for _, _, text in sorted(told)]
