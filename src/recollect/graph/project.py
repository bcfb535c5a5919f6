"""The code of some trees as a graph, by symbol or by file.

symbols     a.py::f ─CALLS→ b.py::g        files     a.py ─→ b.py      weighted by the number of links between them
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np

from recollect.graph.arrays import RELATION_CODES, Codes, Flags, Floats, Graph, Ints, Links, Places, Points, added_up
from recollect.graph.code_graph import NO_FILE, UNKNOWN, CodePart
from recollect.store.code_rows import FILE_BITS

# The relationships by which one piece of code uses another; containing is not using.
USES: tuple[str, ...] = ("CALLS", "IMPORTS", "INHERITS", "IMPLEMENTS", "EXTENDS", "DEPENDS_ON")


class Project(NamedTuple):
    """A graph of code, and the file number of each node."""

    graph: Graph
    files: Places


class Further(NamedTuple):
    """A link that is not stored, between the ids of two nodes."""

    src: str
    dst: str
    relation: str
    weight: float


def using(part: CodePart | None, trees: Collection[int]) -> set[int]:
    """Return the other trees whose code uses these, directly or over others."""
    if part is None or not part.crossings:
        return set()
    names = {name: int(file) >> FILE_BITS for name, file in zip(part.names, part.files.tolist(), strict=False)}
    pairs = {(names.get(row.dst), row.file >> FILE_BITS) for row in part.crossings}
    found = set(trees)
    while more := {user for used, user in pairs if used in found} - found:
        found |= more
    return found - set(trees)


def project(
    part: CodePart | None, trees: Collection[int], further: Sequence[Further] = (), gone: Sequence[str] = ()
) -> Project:
    """Return the files and symbols of trees with the links between them; gone: ids that only further links name."""
    if part is None:
        return Project(_empty(), np.empty(0, np.int64))
    mine: Flags = np.isin(part.files >> FILE_BITS, np.array(sorted(trees), np.int64)) & (part.files >= 0)
    number = np.full(len(part.names), -1, np.int32)
    number[: part.size][mine] = np.arange(int(mine.sum()), dtype=np.int32)
    kept = np.flatnonzero(mine).tolist()
    points = Points(
        [*(part.names[place] for place in kept), *gone],
        np.append(part.kinds[mine], np.full(len(gone), UNKNOWN, np.uint8)),
        np.append(part.scopes[mine], np.zeros(len(gone), np.int32)),
        [None] * (len(kept) + len(gone)),
        part.namespaces,
    )
    links = part.links.renumbered(number)
    if further:
        index = {name: place for place, name in enumerate(points.ids)}
        links = links.joined(_numbered([row for row in further if row.src in index and row.dst in index], index))
    return Project(Graph(points, links, seen=part.seen), np.append(part.files[mine], np.full(len(gone), NO_FILE)))


def _numbered(further: Sequence[Further], index: dict[str, int]) -> Links:
    return Links(
        np.array([index[row.src] for row in further], np.int32),
        np.array([index[row.dst] for row in further], np.int32),
        np.array([RELATION_CODES[row.relation] for row in further], np.uint8),
        np.array([row.weight for row in further], np.float64),
    )


class FileLinks(NamedTuple):
    """Links between files: which, and how many links between their symbols each stands for."""

    graph: Graph
    numbers: Places


def between_files(found: Project, relations: Collection[str] = USES) -> FileLinks:
    """Return the files of a project as a graph, weighted by the number of links."""
    numbers, place = np.unique(found.files, return_inverse=True)
    graph = found.graph
    is_use = graph.related_by(relations)
    one, other = place[graph.src[is_use]].astype(np.int64), place[graph.dst[is_use]].astype(np.int64)
    apart = one != other
    keys, weights = added_up(one[apart] * max(len(numbers), 1) + other[apart], np.ones(int(apart.sum())))
    first = np.full(len(numbers), -1, np.int64)
    first[place[::-1]] = np.arange(len(place))[::-1]
    ids = [graph.points.ids[node] for node in first.tolist()]
    points = Points(
        ids, graph.points.kinds[first], graph.points.scopes[first], [None] * len(ids), graph.points.namespaces
    )
    links = Links(
        (keys // max(len(numbers), 1)).astype(np.int32),
        (keys % max(len(numbers), 1)).astype(np.int32),
        np.full(len(keys), RELATION_CODES["IMPORTS"], np.uint8),
        weights,
    )
    return FileLinks(Graph(points, links), numbers)


def only(graph: Graph, relations: Collection[str], *, least: float = 0.0) -> Graph:
    """Return the graph with only the links of some relationships, of at least a weight."""
    return graph.only(graph.related_by(relations) & (graph.weights >= least))


def _empty() -> Graph:
    none: Ints = np.empty(0, np.int32)
    kinds: Codes = np.empty(0, np.uint8)
    weights: Floats = np.empty(0)
    return Graph(Points([], kinds, none, [], []), Links(none, none, kinds, weights))
