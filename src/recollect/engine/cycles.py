"""Cycles of a project: files that import each other, functions that call each other, and where to cut."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from recollect.code.record import CodePlace, Cycle, CycleLink, Cycles
from recollect.engine.code_nodes import CodeNode, code_nodes
from recollect.engine.code_places import code_place
from recollect.graph.arrays import Graph
from recollect.graph.cycles import Circle, circles
from recollect.graph.project import between_files, only, project
from recollect.model import Tree

if TYPE_CHECKING:
    from recollect.graph.code import CodePart
    from recollect.store.link_protocol import LinkStore

# Members of a cycle that are named; the way round has those that matter.
MOST_MEMBERS = 20
# A call that is less sure than this makes no cycle.
LEAST_SURE = 0.5
# By these, one file needs another when it is loaded.
LOADING = ("IMPORTS",)
CALLING = ("CALLS",)


class Asked(NamedTuple):
    """What is asked for: cycles of imports or of calls, in which trees, with a member below which folder, how many."""

    of: str
    trees: list[Tree]
    below: str
    kinds: tuple[str, ...]
    limit: int


def cycles(store: LinkStore, part: CodePart | None, asked: Asked, notes: Sequence[str]) -> Cycles:
    """Return the cycles of trees, largest first; tests are part of it as everything else."""
    found = project(part, [tree.id for tree in asked.trees])
    if asked.of == "imports":
        graph = between_files(found, LOADING).graph
    else:
        graph = only(found.graph, CALLING, least=LEAST_SURE)
    every = circles(graph)
    nodes = code_nodes(store, (graph.points.ids[number] for circle in every for number in circle.nodes))
    wanted = [circle for circle in every if _is_wanted(graph, circle, nodes, asked)]
    return Cycles(
        of=asked.of,  # type: ignore[arg-type]
        cycles=tuple(_cycle(graph, circle, nodes) for circle in wanted[: asked.limit]),
        total=len(wanted),
        nodes=sum(len(circle.nodes) for circle in wanted),
        notes=tuple(notes),
    )


def _is_wanted(graph: Graph, circle: Circle, nodes: dict[str, CodeNode], asked: Asked) -> bool:
    names = [graph.points.ids[number] for number in circle.nodes]
    if any(name not in nodes for name in names):  # it was indexed anew a moment ago
        return False
    members = [nodes[name] for name in names]
    return any(
        node.file.path.startswith(asked.below)
        and (not asked.kinds or (node.symbol.kind if node.symbol else "File") in asked.kinds)
        for node in members
    )


def _cycle(graph: Graph, circle: Circle, nodes: dict[str, CodeNode]) -> Cycle:
    def place(number: int) -> CodePlace:
        return code_place(nodes[graph.points.ids[number]])

    pairs = zip(circle.way, [*circle.way[1:], circle.way[0]], strict=True)
    weights = _weights(graph, circle.nodes)
    cut = circle.cut
    return Cycle(
        members=tuple(place(number) for number in circle.nodes[:MOST_MEMBERS]),
        size=len(circle.nodes),
        links=circle.links,
        way=tuple(_link(place(src), place(dst), weights.get((src, dst), 1.0)) for src, dst in pairs),
        cut=_link(place(cut.src), place(cut.dst), cut.weight),
        left=cut.left if cut.left > 1 else 0,
    )


def _link(source: CodePlace, target: CodePlace, weight: float) -> CycleLink:
    """Return a link; between files a weight counts uses, between symbols it is a confidence."""
    if source.kind == "File":
        return CycleLink(source=source, target=target, uses=round(weight))
    return CycleLink(source=source, target=target, confidence=round(min(weight, 1.0), 3))


def _weights(graph: Graph, numbers: Iterable[int]) -> dict[tuple[int, int], float]:
    found: dict[tuple[int, int], float] = {}
    for number in numbers:
        rows = graph.outgoing
        for place in range(int(rows.starts[number]), int(rows.starts[number + 1])):
            pair = (number, int(rows.ends[place]))
            found[pair] = found.get(pair, 0.0) + float(graph.weights[rows.edges[place]])
    return found
