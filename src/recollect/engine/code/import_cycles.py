"""Import and call cycles of a project, and where to cut them.

An import inside a function, or for a type checker alone, does not run when a file is loaded: it breaks cycles and makes
none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from recollect.code.anchors.normalised_file import read
from recollect.code.code_records import CodePlace, Cycle, CycleLink, Cycles
from recollect.engine.graph.code_nodes import CodeNode, code_nodes, code_place
from recollect.graph.arrays import RELATION_CODES, Graph
from recollect.graph.components import Circle, circles
from recollect.graph.project import FileLinks, between_files, only, project
from recollect.model import Tree
from recollect.store.code_rows import SymbolRow
from recollect.store.link_rows import Edges, Sites, target_node

if TYPE_CHECKING:
    from recollect.graph.code_graph import CodePart
    from recollect.store.sql import Store

# Members of a cycle that are named; the way round has those that matter.
MOST_MEMBERS = 20
# A call that is less sure than this makes no cycle.
LEAST_SURE = 0.5
# By these, one file needs another when it is loaded.
LOADING = ("IMPORTS",)
CALLING = ("CALLS",)
# Bytes of a file that are read to find its imports.
MOST_BYTES = 2_000_000
FUNCTIONS = frozenset({"Function", "Method", "Test", "Endpoint"})
# Python's block for type checkers, and imports of TypeScript that leave no trace in what is run.
CHECKING = re.compile(r"^(?>.*?\bif\b).*\bTYPE_CHECKING\b")
TYPES_ALONE = re.compile(r"(?:import|export)\s+type\b")


class Asked(NamedTuple):
    """A query: cycles of imports or calls, trees, folder of a member, kinds, limit."""

    of: str
    trees: list[Tree]
    below: str
    kinds: tuple[str, ...]
    limit: int


def cycles(store: Store, part: CodePart | None, asked: Asked, notes: Sequence[str]) -> Cycles:
    """Return the cycles of trees, largest first; tests are part of it as everything else."""
    found = project(part, [tree.id for tree in asked.trees])
    told = list(notes)
    if asked.of == "imports":
        links = between_files(found, LOADING)
        every = circles(links.graph)
        graph = _loading(store, links, every)
        before, every = len(every), circles(graph)
        if before and len(every) < before:
            told.append(
                "imports inside functions and imports for type checking are ignored: they cannot cause an import cycle"
            )
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
        notes=tuple(told),
    )


def _loading(store: Store, links: FileLinks, every: Sequence[Circle]) -> Graph:
    """Return a graph of files without links of cycles that do not run at import."""
    graph = links.graph
    inside = sorted({number for circle in every for number in circle.nodes})
    nodes = code_nodes(store, (graph.points.ids[number] for number in inside))
    numbers = [int(links.numbers[number]) for number in inside]
    edges, sites, contents = store.file_edges(numbers), store.file_sites(numbers), store.file_contents(numbers)
    later: set[tuple[int, int]] = set()
    for number, file in zip(inside, numbers, strict=True):
        node = nodes.get(graph.points.ids[number])
        if node is None or file not in edges:
            continue
        late = LateLines(read(node.tree.root, node.file.path, MOST_BYTES) or b"", contents.get(file, ([], []))[0])
        for target, lines in _imports(edges[file], sites[file]).items():
            other = graph.index.get(target_node(node.tree.root, target))
            if other is not None and lines and all(line in late for line in lines):
                later.add((number, other))
    pairs = zip(graph.src.tolist(), graph.dst.tolist(), strict=True)
    keep = np.array([pair not in later for pair in pairs], np.bool_)
    return graph.only(keep)


def _imports(edges: Edges, sites: Sites) -> dict[str, list[int]]:
    """Return the lines on which a file imports each target."""
    found: dict[str, list[int]] = {}
    targets = np.frombuffer(edges.target, np.int32)
    relations = np.frombuffer(edges.relation, np.uint8)
    lines = np.frombuffer(sites.line, np.int32)
    for edge, line in zip(np.frombuffer(sites.edge, np.int32).tolist(), lines.tolist(), strict=True):
        if relations[edge] == RELATION_CODES["IMPORTS"]:
            target = edges.targets[int(targets[edge])]
            # An import of a symbol is one of its file.
            path = target[1:].partition("::")[0]
            found.setdefault(f"f{path}" if target[0] in "sf" else target, []).append(line)
    return found


class LateLines:
    """The lines of a file that do not run at import: in functions, or for type checkers."""

    def __init__(self, source: bytes, symbols: Sequence[SymbolRow]) -> None:
        self._lines = source.decode("utf-8", "replace").split("\n")
        self._spans = [(row.start_line, row.end_line) for row in symbols if row.kind in FUNCTIONS]

    def __contains__(self, line: int) -> bool:
        if any(first <= line <= last for first, last in self._spans):
            return True
        if not 0 < line <= len(self._lines):
            return False
        text = self._lines[line - 1]
        indent = len(text) - len(text.lstrip())
        if TYPES_ALONE.match(text.lstrip()):
            return True
        for above in reversed(self._lines[: line - 1]):
            outer = len(above) - len(above.lstrip())
            if above.strip() and outer < indent:
                if CHECKING.search(above):
                    return True
                indent = outer
            if not indent:
                break
        return False


def _is_wanted(graph: Graph, circle: Circle, nodes: dict[str, CodeNode], asked: Asked) -> bool:
    names = [graph.points.ids[number] for number in circle.nodes]
    if any(name not in nodes for name in names):  # it was re-indexed a moment ago
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
