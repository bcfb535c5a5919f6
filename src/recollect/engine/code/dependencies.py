"""Dependencies and impact of code: paths from the graph, lines from the links of files."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple, cast

import numpy as np

from recollect.code.index.symbol_properties import is_test_file
from recollect.code.links.file_programs import has_program
from recollect.code.links.module_finder import family
from recollect.code.links.solution import STANDARD
from recollect.code.manifests.importable_names import provided
from recollect.engine.code.implicit_uses import CONSTRUCTORS
from recollect.engine.graph.code_nodes import CodeNode, code_node_id, code_nodes, target_of
from recollect.engine.graph.cross_links import KEY_PARTS, NAME_PARTS
from recollect.engine.graph.graph_view import node_views
from recollect.engine.records.memory_rows import batches
from recollect.graph.arrays import KIND_CODES, Flags, Graph, Sieve
from recollect.graph.impact import Reach, affected, contained, reach
from recollect.graph.walk import Direction, neighbours
from recollect.model import RELATIONS, Anchor, File, Relation, Tree
from recollect.model.graph_answer import Dependencies, Doubt, Impact, NodeView, OutsideUse, Use
from recollect.store.code_rows import MAX_PLACES, FoundSymbol, symbol_keys
from recollect.store.link_rows import Crossing, Edges, Sites, target_node
from recollect.text.display import plural

if TYPE_CHECKING:
    from recollect.store.sql import Store

# Dependencies between code, besides containment.
DERIVING = ("INHERITS", "IMPLEMENTS", "EXTENDS")
CODE_RELATIONS: tuple[str, ...] = ("CALLS", "IMPORTS", "INHERITS", "IMPLEMENTS", "EXTENDS", "DEPENDS_ON")
# Lines of a link that are shown.
MOST_LINES = 10
# Files and doubts that are shown.
MOST_SHOWN = 20
# Files whose links are read for the callers of a symbol.
MOST_LINKING_FILES = 2_000
# Users of a name that are looked through for doubts: `get` is called everywhere.
MOST_MENTIONS = 2_000


def crossings(graph: Graph) -> tuple[Crossing, ...]:
    """Return the links of a graph from one repository to another."""
    return graph.code.crossings if graph.code is not None else ()


class Asked(NamedTuple):
    """A query: its nodes, the first of which is shown, how much to show, and the nodes whose memories count."""

    nodes: Sequence[int]
    depth: int
    limit: int
    through: Sieve
    own: Flags | None = None


# --- what is used, or uses ---


def dependencies(store: Store, graph: Graph, asked: Asked, direction: Direction) -> Dependencies:
    """Return what some code uses, or is used by."""
    starts = contained(graph, asked.nodes)
    way = reach(graph, starts, most_depth=asked.depth, direction=direction, through=asked.through)
    found = [number for number in way.order.tolist() if way.depth[number] > 0]
    shown = found[: asked.limit]
    views = node_views(store, graph, [asked.nodes[0], *shown])
    inside = _Inside(store, [graph.points.ids[number] for number in starts.tolist()], crossings(graph))
    outside = inside.outside() if direction != "in" else []
    doubts = inside.doubts() if direction != "in" else []
    return Dependencies(
        node=views[asked.nodes[0]],
        direction=direction,
        depth=asked.depth,
        uses=_uses(store, graph, way, shown, views),
        total=len(found),
        outside=tuple(outside[: asked.limit]),
        outside_total=len(outside),
        doubts=tuple(doubts[:MOST_SHOWN]),
        doubts_total=len(doubts),
        unresolved=inside.unresolved() if direction != "in" else 0,
    )


class _Inside:
    """Uses in some code that did not become links, from the links of its files."""

    def __init__(self, store: Store, ids: Iterable[str], crossed: Iterable[Crossing]) -> None:
        self._crossed = {(row.file, row.name) for row in crossed}
        self._nodes = list(code_nodes(store, ids).values())
        keys: dict[int, set[str]] = {}
        for node in self._nodes:
            keys.setdefault(node.file.id, set()).add(node.key)
        self._files = {node.file.id: node for node in self._nodes}
        self._keys = keys
        self._sites = store.file_sites(sorted(keys))

    def outside(self) -> list[OutsideUse]:
        """Return what is used of code that is not indexed, most often first."""
        lines: dict[tuple[str, str], list[int]] = {}
        for file, sites in self._sites.items():
            for site in sites.outside:
                if site.source in self._keys[file] and (file, site.name) not in self._crossed:
                    lines.setdefault((site.name, site.relation), []).extend(site.lines)
        rows = sorted(lines.items(), key=lambda row: (-len(row[1]), row[0]))
        return [
            OutsideUse(name=name, relationship=cast(Relation, relation), lines=tuple(sorted(set(at)))[:MOST_LINES])
            for (name, relation), at in rows
        ]

    def doubts(self) -> list[Doubt]:
        """Return the places that may mean several things, in the order of the files."""
        return [
            _doubt(self._files[file], site.name, site.line, site.candidates)
            for file, sites in self._sites.items()
            for site in sites.ambiguous
            if site.source in self._keys[file]
        ]

    def unresolved(self) -> int:
        """Return how many places there are of which nothing is known."""
        return sum(site.source in self._keys[file] for file, sites in self._sites.items() for site in sites.unresolved)


def _doubt(node: CodeNode, name: str, line: int, candidates: Iterable[str]) -> Doubt:
    ids = tuple(target_node(node.tree.root, target) for target in candidates)
    return Doubt(name=name, path=node.file.path, line=line, candidates=ids)


def _uses(
    store: Store, graph: Graph, way: Reach, numbers: Sequence[int], views: dict[int, NodeView]
) -> tuple[Use, ...]:
    """Return nodes with the link that led to each, and its lines."""
    ids = graph.points.ids
    edges = [int(way.edge[number]) for number in numbers]
    ends = [(ids[int(graph.src[edge])], ids[int(graph.dst[edge])], int(graph.relations[edge])) for edge in edges]
    places = _places(store, ends) | {
        (row.src, row.dst, RELATIONS.index(row.relation)): (row.lines[:MOST_LINES], "package")
        for row in crossings(graph)
    }
    endpoints = code_nodes(store, (ids[number] for number in numbers))
    rows: list[Use] = []
    for number, end in zip(numbers, ends, strict=True):
        lines, how = places.get(end, ((), ""))
        symbol = endpoints[ids[number]].symbol if ids[number] in endpoints else None
        rows.append(
            Use(
                node=views[number],
                relationship=cast(Relation, RELATIONS[end[2]]),
                depth=int(way.depth[number]),
                confidence=round(float(way.confidence[number]), 3),
                via=ids[int(way.parent[number])],
                lines=lines,
                how=how,
                endpoint=symbol.endpoint if symbol else None,
            )
        )
    return tuple(rows)


End = tuple[str, str, int]


def _places(store: Store, ends: Iterable[End]) -> dict[End, tuple[tuple[int, ...], str]]:
    """Return the lines of links, and how the surest of each was found."""
    wanted = set(ends)
    sources = code_nodes(store, {src for src, _, _ in wanted})
    files = sorted({node.file.id for node in sources.values()})
    edges, sites = store.file_edges(files), store.file_sites(files)
    ways = ((end, node) for end in wanted if (node := sources.get(end[0])) is not None and node.file.id in edges)
    return {end: _place(edges[node.file.id], sites[node.file.id], node, end) for end, node in ways}


def _place(edges: Edges, sites: Sites, node: CodeNode, end: End) -> tuple[tuple[int, ...], str]:
    targets = [target_node(node.tree.root, target) for target in edges.targets]
    if node.key not in edges.sources or end[1] not in targets:
        return (), ""
    source = np.frombuffer(edges.source, np.int32) == edges.sources.index(node.key)
    target = np.frombuffer(edges.target, np.int32) == targets.index(end[1])
    places = np.flatnonzero(source & target & (np.frombuffer(edges.relation, np.uint8) == end[2]))
    mine = np.flatnonzero(np.isin(np.frombuffer(sites.edge, np.int32), places))
    if not len(mine):
        return (), ""
    lines = np.unique(np.frombuffer(sites.line, np.int32)[mine])
    surest = mine[int(np.argmax(np.frombuffer(sites.confidence, np.uint8)[mine]))]
    shown = tuple(line for line in lines.tolist() if line > 0)[:MOST_LINES]
    return shown, sites.hows[np.frombuffer(sites.how, np.uint8)[surest]]


# --- what a change reaches ---


def impact(store: Store, graph: Graph, asked: Asked, least: float) -> Impact:
    """Return what a change of some code reaches, and how far that can be known."""
    way = affected(graph, asked.nodes, most_depth=asked.depth, least=least, through=asked.through)
    kinds = graph.points.kinds
    starts = [number for number in way.order.tolist() if way.depth[number] == 0]
    found = [number for number in way.order.tolist() if way.depth[number] > 0 and kinds[number] != KIND_CODES["Memory"]]
    nodes = code_nodes(store, (graph.points.ids[number] for number in (*starts, *found)))
    of = {number: node for number in found if (node := nodes.get(graph.points.ids[number])) is not None}
    found.sort(key=lambda number: (way.depth[number], number in of and of[number].is_in_tests))
    tests = [number for number in found if number in of and of[number].is_in_tests]
    tests.sort(key=lambda number: not of[number].is_test)
    endpoints = [number for number, node in of.items() if node.symbol is not None and node.symbol.endpoint]
    memories = _memories(store, graph, [*starts, *found], nodes, asked.own)
    shown = dict.fromkeys(number for part in (found, tests, endpoints) for number in part[: asked.limit])
    views = node_views(store, graph, [asked.nodes[0], *shown, *memories[: asked.limit]])
    uses = dict(zip(shown, _uses(store, graph, way, list(shown), views), strict=True))
    own = [nodes[name] for number in starts if (name := graph.points.ids[number]) in nodes]
    home = {node.tree.id for node in own}
    paths = ((node, node.file.path) for node in of.values())
    files = list(dict.fromkeys(path if node.tree.id in home else f"{node.tree.root}/{path}" for node, path in paths))
    doubts = _mentions(store, own, crossings(graph))
    is_complete, verdict = _verdict(store, own, [number for number in found if way.depth[number] == 1], doubts)
    return Impact(
        node=views[asked.nodes[0]],
        depth=asked.depth,
        affected=tuple(uses[number] for number in found[: asked.limit]),
        total=len(found),
        by_depth=tuple(np.bincount(way.depth[found], minlength=2)[1:].tolist()) if found else (),
        files=tuple(files[:MOST_SHOWN]),
        files_total=len(files),
        tests=tuple(uses[number] for number in tests[: asked.limit]),
        tests_total=len(tests),
        endpoints=tuple(uses[number] for number in endpoints[: asked.limit]),
        endpoints_total=len(endpoints),
        memories=tuple(views[number] for number in memories[: asked.limit]),
        memories_total=len(memories),
        doubts=tuple(doubts[:MOST_SHOWN]),
        doubts_total=len(doubts),
        is_complete=is_complete,
        verdict=verdict,
    )


def _memories(
    store: Store, graph: Graph, numbers: Sequence[int], nodes: dict[str, CodeNode], inside: Flags | None
) -> list[int]:
    """Return the memories linked with, or anchored in, some code; nearest first."""
    memory = KIND_CODES["Memory"]
    found: dict[int, None] = {}
    only = Sieve(graph.points.kinds == memory)
    for number in numbers:
        if graph.points.memory_ids[number] is not None:
            found.update(dict.fromkeys(graph.of_memory[graph.points.memory_ids[number] or ""]))
        found.update(dict.fromkeys(neighbours(graph, number, direction="both", through=only).tolist()))
    paths = {path for node in nodes.values() for path in (node.file.path, f"{node.tree.root}/{node.file.path}")}
    for batch in batches(sorted(paths)):
        for anchor in store.find(Anchor, {"path": batch}):
            found.update(dict.fromkeys(graph.of_memory.get(anchor.memory_id, ())))
    # Projects have files of the same path: a project's code is not what another project's memory means.
    return [number for number in found if graph.points.kinds[number] == memory and (inside is None or inside[number])]


def _mentions(store: Store, nodes: Sequence[CodeNode], crossed: Iterable[Crossing]) -> list[Doubt]:
    """Return possible uses of some code: ambiguous ones, and unresolved ones of its name.

    Of other repositories, the files that use this one are looked through.
    """
    found: dict[Doubt, None] = {}
    targets = {target_of(node): node for node in nodes}
    names = {node.symbol.name for node in nodes if node.symbol is not None}
    methods = {node.symbol.name for node in nodes if node.symbol is not None and node.symbol.kind == "Method"}
    # A name in a language that cannot call it means something else.
    families = {family(node.file.language) for node in nodes}
    own = {node.file.id for node in nodes}
    trees = {node.tree.id: node.tree for node in nodes}
    files: dict[int, str] = {}
    for tree in trees.values():
        texts = [*(target for target, node in targets.items() if node.tree.id == tree.id), *names]
        files.update(dict.fromkeys(store.files_mentioning(tree.id, texts, MOST_MENTIONS), tree.root))
    roots = tuple(f"{kind}:{tree.root}/" for tree in trees.values() for kind in ("sym", "file"))
    using = sorted({row.file for row in crossed if row.dst.startswith(roots)})[:MOST_MENTIONS]
    files.update(dict.fromkeys(using, ""))
    rows = {row.id: row for row in store.get(File, sorted(files))}
    elsewhere = {tree.id: tree.root for tree in store.find(Tree)}
    for file, sites in store.file_sites(sorted(files)).items():
        row, root = rows[file], files[file]
        if family(row.language) not in families:
            continue
        for site in sites.ambiguous if root else ():
            if targets.keys() & set(site.candidates):
                ids = tuple(target_node(root, target) for target in site.candidates)
                found[Doubt(name=site.name, path=row.path, line=site.line, candidates=ids)] = None
        for loose in sites.unresolved:
            if loose.name.rpartition(".")[2] in names and (file not in own or loose.source):
                path = row.path if root else f"{elsewhere[row.tree]}/{row.path}"
                found[Doubt(name=loose.name, path=path, line=loose.line)] = None
        for outer in sites.outside if root and methods else ():
            *_, holder, name = ["", *NAME_PARTS.split(outer.name)]
            # What a function of another library returns may be an object of this code; of a class it is none.
            if outer.relation == "CALLS" and name in methods and holder[:1].islower() and not _is_standard(outer.name):
                known = {doubt.line for doubt in found if doubt.path == row.path}
                lines = [line for line in outer.lines if line not in known]
                found |= {Doubt(name=name, path=row.path, line=line): None for line in lines}
    # Places that name it among few come before those that only share its name.
    return sorted(found, key=lambda doubt: (not doubt.candidates, len(doubt.candidates), doubt.path, doubt.line))


def _is_standard(name: str) -> bool:
    """Tell whether a name is of a standard library, or no more than a function of a module: `requests.get`."""
    head, *rest = NAME_PARTS.split(name)
    return len(rest) < 2 or name.startswith(STANDARD) or head in sys.stdlib_module_names


def _verdict(
    store: Store, nodes: Sequence[CodeNode], direct: Sequence[int], doubts: Sequence[Doubt]
) -> tuple[bool, str]:
    """Return whether all users are known, and that in words."""
    if not nodes:
        return False, "This is not indexed code: only manual links are known."
    files = {node.file.id for node in nodes if has_program(node.file.language)}
    if len(store.file_edges(sorted(files))) < len(files):
        return False, "Its file is not linked yet, so callers in other files may be missing."
    reasons: list[str] = []
    named = sum(len(doubt.candidates) > 1 for doubt in doubts)
    if named:
        reasons.append(f"{plural(named, 'place')} may mean it or another symbol with the same name")
    if len(doubts) > named:
        unknown = len(doubts) - named
        reasons.append(f"{plural(unknown, 'place uses', 'places use')} its name on objects of unknown type")
    reasons += _unseen(store, nodes[0], is_used=bool(direct))
    if direct:
        return not reasons, "; ".join(reasons)
    if not reasons:
        return True, "No callers: no indexed code uses it."
    return False, "No callers found, but " + "; ".join(reasons) + "."


def _unseen(store: Store, node: CodeNode, *, is_used: bool) -> list[str]:
    """Return why there may be users of a symbol that were not looked at."""
    head, reasons = node.symbol, []
    places = provided(store, [node.tree.id]).values() if head is None or head.visibility == "public" else ()
    if any(node.file.path.startswith(place.folder.lstrip(".")) for several in places for place in several):
        reasons.append("its package can be imported, so code that is not indexed may use it")
    elif head is not None and head.visibility == "public" and not is_used:
        reasons.append("it is public, so code that is not indexed may use it")
    if head is not None and head.endpoint:
        reasons.append(f"it handles {head.endpoint}, so clients use it")
    if head is not None and head.kind == "Constant":
        reasons.append("not every use of a constant is linked")
    if _derives_from_outside(store, node):
        reasons.append("its class derives from code outside of its project, which may call it")
    return reasons + unread(store, node.file)


def _derives_from_outside(store: Store, node: CodeNode) -> bool:
    """Tell whether the class of a method has a base in another project."""
    owner = KEY_PARTS.split(node.key or "")[:-1]
    sites = store.file_sites([node.file.id]).get(node.file.id) if owner else None
    bases = (site for site in sites.outside if site.relation in DERIVING) if sites else ()
    return any(KEY_PARTS.split(site.source) == owner for site in bases)


def unread(store: Store, file: File) -> list[str]:
    """Return what could not be read of a file and of the others of its language, so that uses may be missing."""
    where = {"tree": file.tree, "skipped": ("", "too large", "unreadable", "failed")}
    rows = store.columns(File, ("path", "skipped", "notes"), where)
    same = [row for row in rows if _ending(row[0]) == _ending(file.path)]
    reasons = [f"part of its file could not be read ({note})" for note in file.notes if "syntax error" in note]
    left_out = sum(bool(skipped) for _, skipped, _ in same)
    partly = sum("syntax error" in str(notes) for path, _, notes in same if path != file.path)
    reasons += [f"{plural(left_out, 'file')} of its language could not be read"] if left_out else []
    reasons += [f"{plural(partly, 'file')} of its language could be read only in part"] if partly else []
    return reasons


def _ending(path: str) -> str:
    return path.rpartition(".")[2]


# --- callers and callees of one symbol, read from the links of files: no linking and, in one repository, no graph ---

CALLS = RELATIONS.index("CALLS")


class Calls(NamedTuple):
    """The ids of callers and callees of a symbol: callers in tests last, else the most certain first."""

    callers: list[str]
    callees: list[str]


def calls(store: Store, found: FoundSymbol, crossed: Iterable[Crossing] = ()) -> Calls | None:
    """Return the calls of a symbol, of a class those of its constructors; None if its file is not linked.

    crossed: links from one repository to another
    """
    root, file = found.tree.root, found.file
    keys = symbol_keys(store.file_contents([file.id])[file.id][0])
    own_key = keys[found.id % MAX_PLACES]
    makers = {f"{own_key}.{name}" for name in (*CONSTRUCTORS, found.symbol.name)}
    called_keys = {own_key} | (makers.intersection(keys) if found.symbol.kind == "Class" else set())
    own = store.file_edges([file.id]).get(file.id)
    if own is None:
        return None
    targets = {f"s{file.path}::{key}" for key in called_keys}
    nodes = {target_node(root, target) for target in targets}
    across = sorted((row for row in crossed if row.relation == "CALLS"), key=lambda row: -row.confidence)
    callees = [target_node(root, name) for source, name in _called(own) if source in called_keys]
    callees += [row.dst for row in across if row.src in nodes]
    edges = store.file_edges(store.files_linking(found.tree.id, sorted(targets), MOST_LINKING_FILES))
    users = [row for row in across if row.dst in nodes]
    callers: list[str] = []
    files = store.get(File, [*edges, *dict.fromkeys(row.file for row in users)])
    for file in sorted(files, key=lambda file: is_test_file(file.language, file.path)):
        called = _called(edges[file.id]) if file.id in edges else []
        callers += [code_node_id(root, file.path, source) for source, name in called if name in targets]
        callers += [row.src for row in users if row.file == file.id]
    return Calls(list(dict.fromkeys(callers)), list(dict.fromkeys(callees)))


def _called(edges: Edges) -> list[tuple[str, str]]:
    """Return the calls of a file as (key of the caller, target), most certain first."""
    places = np.flatnonzero(np.frombuffer(edges.relation, np.uint8) == CALLS)
    sure = np.frombuffer(edges.confidence, np.uint8)[places]
    places = places[np.argsort(-sure.astype(np.int16), kind="stable")]
    source, target = np.frombuffer(edges.source, np.int32)[places], np.frombuffer(edges.target, np.int32)[places]
    return [
        (edges.sources[one], edges.targets[other]) for one, other in zip(source.tolist(), target.tolist(), strict=True)
    ]
