"""What a change reaches: callers, importers, heirs, conclusions, and what builds on those in turn.

Which way a change goes along a link is a matter of its relationship (meaning.py): who calls a function is affected by
it, what a decision leads to is affected by the decision; what is merely similar is not affected at all.
"""

from __future__ import annotations

from collections.abc import Sequence

from recollect.graph.arrays import EVERYTHING, Graph, Sieve
from recollect.graph.meaning import affecting
from recollect.graph.walk import UNBOUNDED, Walk, breadth_first


def impact(graph: Graph, changed: Sequence[int], *, most_depth: int = UNBOUNDED, through: Sieve = EVERYTHING) -> Walk:
    """Return what a change of these nodes reaches, nearest first, with how far and by which link.

    The changed nodes themselves have depth 0. A sieve can narrow it further, by nodes and by relationships.
    """
    along, against = affecting("target"), affecting("source")
    if through.relations is not None:
        along, against = along & through.relations, against & through.relations
    sieve = Sieve(through.nodes, along, against)
    return breadth_first(graph, changed, most_depth=most_depth, direction="both", through=sieve)
