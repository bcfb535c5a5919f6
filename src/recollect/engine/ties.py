"""Ties: what the symbols of a piece of code are linked with, as its card can say it.

    -> total (CALLS); <- Checkout (INHERITS)

They are read off the graph as it is: nothing is linked for this, and where nothing is, a piece has none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.code.index.card import MAX_TIES
from recollect.model import RELATIONS

if TYPE_CHECKING:
    from recollect.graph.arrays import Graph, Rows
    from recollect.store.code_protocol import ChunkRow

# Relationships that say what a symbol does or is, what says most first. Types that are merely named say little, and
# where a symbol stands its card says anyway.
TOLD = {"CALLS": 0, "IMPLEMENTS": 1, "INHERITS": 1, "EXTENDS": 1}


def ties(graph: Graph, piece: ChunkRow) -> list[str]:
    """Return up to eight links of the symbols in a piece, what they lead to before what leads to them."""
    found: dict[str, None] = {}
    for arrow, rows in (("->", graph.outgoing), ("<-", graph.incoming)):
        for symbol in piece.symbols:
            node = graph.index.get(f"sym:{piece.tree.root}/{piece.file.path}::{symbol.qualified}")
            if node is not None:
                found.update(dict.fromkeys(_told(graph, rows, node, arrow)))
    # Half of the room at most is left to those that lead here, unless the others need less.
    outwards = [each for each in found if each.startswith("->")]
    inwards = [each for each in found if each.startswith("<-")]
    shown = outwards[: max(MAX_TIES // 2, MAX_TIES - len(inwards))]
    return [*shown, *inwards[: MAX_TIES - len(shown)]]


def _told(graph: Graph, rows: Rows, node: int, arrow: str) -> list[str]:
    """Return the links of one node in one direction, the most telling and the surest first."""
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
