"""Blast radius: what changes of code reach over the links of a project, and the tests among it.

    changed symbols ─► nodes ─► who uses them, and who uses those ─► code, endpoints
                                                                  └► tests: reached by calls, then by imports alone

What runs although no link says so counts, too (unseen.py). A call that may mean several things is followed to each of
them, the less surely the more there are; `may call` says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from recollect.code.diff.changed import SymbolChange
from recollect.code.record import Affected
from recollect.code.testing import is_test_file
from recollect.engine.code_nodes import CodeNode, code_nodes
from recollect.engine.code_places import code_place
from recollect.engine.readers import readers
from recollect.engine.unseen import CONSTRUCTORS, LEAST_SURE, MAYBE, OWNER, unseen
from recollect.graph.arrays import EVERYTHING, KIND_CODES, RELATION_CODES, Graph
from recollect.graph.impact import Reach, affected, reach
from recollect.graph.project import USES, FileLinks, Project, between_files, only, project
from recollect.model import RELATIONS, File, Tree
from recollect.store.code_protocol import SymbolRow

if TYPE_CHECKING:
    from recollect.graph.code_graph import CodePart
    from recollect.store.link_protocol import LinkStore

# How far tests may be from what they test: a test of the command line passes a dozen calls.
TEST_DEPTH = 15
# A test that only imports what changed, over how many files, is named last; so sure is that, halved with every file.
BY_IMPORT = 0.1
MOST_IMPORTS = 3
# A test that is reached so surely shows that the ways into its file are known.
CERTAIN = 0.25
# Test files whose fixtures are read.
MOST_TEST_FILES = 5_000

_VERBS: Mapping[str, str] = {
    "CALLS": "calls", "IMPORTS": "imports", "INHERITS": "inherits from", "IMPLEMENTS": "implements",
    "EXTENDS": "extends", "DEPENDS_ON": "uses",
}  # fmt: skip


class Terrain(NamedTuple):
    """The code of a tree: who uses what, the same between files, and the numbers of the files that hold tests.

    is_linked: whether anything is known of that, besides what test frameworks do
    """

    tree: Tree
    store: LinkStore
    found: Project
    uses: Graph
    files: FileLinks
    suites: frozenset[int]
    is_linked: bool


class Radius(NamedTuple):
    """What changes reach: code and endpoints within the depth asked for, and tests however far, nearest first."""

    affected: list[Affected]
    tests: list[Affected]
    endpoints: list[Affected]
    files: list[str]


class Around(NamedTuple):
    """What one change reaches, in numbers."""

    users: int
    files: int
    reached: int
    tests: int


def terrain(store: LinkStore, part: CodePart | None, tree: Tree, changes: Sequence[SymbolChange] = ()) -> Terrain:
    """Return the code of a tree with its links, and those that are not kept: of test frameworks, of calls that may mean
    several things, and of whoever reads a constant that is among the changes.
    """
    kept = project(part, [tree.id])
    files = between_files(kept)
    suites = _suites(store, tree)
    further = [*unseen(store, tree, kept, suites.python), *readers(tree, files, changes)]
    found = project(part, [tree.id], further) if further else kept
    is_linked = bool(np.isin(kept.graph.relations, [RELATION_CODES[name] for name in USES]).any())
    return Terrain(tree, store, found, only(found.graph, USES), files, suites.files, is_linked)


class _Suites(NamedTuple):
    """Files that hold tests, by number; and the symbols of those of Python, with what stands beside them, by path."""

    files: frozenset[int]
    python: dict[str, list[SymbolRow]]


def _suites(store: LinkStore, tree: Tree) -> _Suites:
    rows = store.columns(File, ("id", "path", "language"), {"tree": tree.id, "skipped": ""})
    known = {number: (path, language) for number, path, language in rows if is_test_file(language, path)}
    contents = store.file_contents(sorted(known)[:MOST_TEST_FILES])
    holding = {number for number, (symbols, _) in contents.items() if any(map(is_test, symbols))}
    python = {known[number][0]: rows for number, (rows, _) in contents.items() if known[number][1] == "python"}
    return _Suites(frozenset(holding), python)


def is_test(row: SymbolRow) -> bool:
    """Tell whether a symbol is a test."""
    return row.test or row.kind == "Test"


# --- from changes to nodes ---


def seeds(land: Terrain, change: SymbolChange) -> list[int]:
    """Return the nodes that a change is a change of; none where the index does not know them."""
    found: dict[int, None] = {}
    for path, key in ((change.path, change.key), (change.old_path, change.old_key)):
        names = [f"sym:{land.tree.root}/{path}::{key}" if key else f"file:{land.tree.root}/{path}"]
        names += [f"sym:{land.tree.root}/{path}::{owner}" for owner in _owners(land, path, key, change)]
        if change.row is not None and change.row.kind == "Class":  # whoever makes an instance uses its constructor
            names += [f"{names[0]}.{name}" for name in CONSTRUCTORS]
        found.update((land.uses.index[name], None) for name in names if name in land.uses.index)
    return list(found)


def _owners(land: Terrain, path: str, key: str, change: SymbolChange) -> Iterator[str]:
    """Yield what changes with a symbol: the function around it, or the class it makes instances of or adds to."""
    row = change.row
    owner = OWNER.match(key)
    if row is None or owner is None:
        return
    number = land.uses.index.get(f"sym:{land.tree.root}/{path}::{owner[1]}")
    if number is None:
        return
    kind = int(land.uses.points.kinds[number])
    is_code = kind in (KIND_CODES["Function"], KIND_CODES["Method"])
    is_new = change.how == "added" and row.kind == "Method"
    if is_code or is_new or row.name in CONSTRUCTORS:
        yield owner[1]


# --- what is reached ---


def around(land: Terrain, starts: Sequence[int], depth: int) -> Around:
    """Return what a change of nodes reaches, in numbers."""
    way = affected(land.uses, starts, most_depth=TEST_DEPTH, least=LEAST_SURE, through=EVERYTHING)
    numbers = [number for number in way.order.tolist() if way.depth[number] > 0]
    nodes = code_nodes(land.store, (land.uses.points.ids[number] for number in numbers))
    is_trial = {number: _is_trial(land, nodes.get(land.uses.points.ids[number])) for number in numbers}
    users = [number for number in numbers if way.depth[number] == 1 and not is_trial[number]]
    reached = [number for number in numbers if way.depth[number] <= depth and not is_trial[number]]
    files = {int(land.found.files[number]) for number in users}
    return Around(len(users), len(files), len(reached), sum(is_trial.values()))


def radius(land: Terrain, starts: Sequence[int], changed_files: Iterable[str], depth: int) -> Radius:
    """Return what a change of nodes reaches.

    changed_files: paths of files with changes that matter, whose importers are named after all else
    """
    way = affected(land.uses, starts, most_depth=TEST_DEPTH, least=LEAST_SURE, through=EVERYTHING)
    numbers = way.order.tolist()
    nodes = code_nodes(land.store, (land.uses.points.ids[number] for number in numbers))
    rows: list[Affected] = []
    tests: list[Affected] = []
    by_import: list[Affected] = []
    for number in numbers:
        node = nodes.get(land.uses.points.ids[number])
        if node is None:
            continue
        told = _affected(land, way, number, node, nodes)
        if _is_trial(land, node):
            is_import = way.edge[number] >= 0 and land.uses.relations[way.edge[number]] == RELATION_CODES["IMPORTS"]
            (by_import if is_import else tests).append(told)
        elif 0 < told.depth <= depth:
            rows.append(told)
    # A file that imports what changed says nothing new where it is known what in it uses it.
    named = {row.place.path for row in rows if row.place.symbol}
    rows = [row for row in rows if row.place.symbol or row.place.path not in named]
    rows.sort(key=lambda row: (row.depth, not row.place.symbol, -row.confidence))
    tests += sorted(by_import, key=lambda row: (row.depth, row.place.path))
    tests = _leaves(tests)
    # Where calls lead to a file of tests, its others are not affected; a doubtful way to some says nothing of the rest.
    covered = {row.place.path for row in tests if row.confidence >= CERTAIN or not row.place.symbol}
    tests += [row for row in _importers(land, changed_files) if row.place.path not in covered]
    endpoints = [row for row in (*rows, *tests) if row.endpoint]
    return Radius(rows, tests, endpoints, sorted({row.place.path for row in rows}))


def _is_trial(land: Terrain, node: CodeNode | None) -> bool:
    """Tell whether a node is a test, or a whole file of tests."""
    if node is None:
        return False
    return node.file.id in land.suites if node.symbol is None else is_test(node.symbol)


def _leaves(tests: Sequence[Affected]) -> list[Affected]:
    """Return tests without classes of which single tests are named, and without those of files that are run whole."""
    whole = {row.place.path for row in tests if not row.place.symbol and not row.why.startswith(_VERBS["IMPORTS"])}
    owners = {(row.place.path, match[1]) for row in tests if (match := OWNER.match(row.place.symbol))}
    kept = []
    for row in tests:
        if row.place.symbol and (row.place.path in whole or (row.place.path, row.place.symbol) in owners):
            continue
        kept.append(row)
    return kept


def _affected(land: Terrain, way: Reach, number: int, node: CodeNode, nodes: Mapping[str, CodeNode]) -> Affected:
    why = "changed directly"
    if way.parent[number] >= 0:
        edge = int(way.edge[number])
        verb = _VERBS.get(RELATIONS[int(land.uses.relations[edge])], "uses")
        verb = "may call" if verb == "calls" and land.uses.weights[edge] <= MAYBE else verb
        used = nodes.get(land.uses.points.ids[int(way.parent[number])])
        why = f"{verb} {used.key or used.file.path}" if used else verb
    return Affected(
        place=code_place(node),
        depth=int(way.depth[number]),
        confidence=round(float(way.confidence[number]), 3),
        why=why,
        endpoint=node.symbol.endpoint if node.symbol else None,
    )


def _importers(land: Terrain, paths: Iterable[str]) -> list[Affected]:
    """Return the test files that use some files, over others, as far as files that use each other tell."""
    graph = land.files.graph
    index = {name.removeprefix(f"file:{land.tree.root}/"): number for number, name in enumerate(graph.points.ids)}
    starts = [index[path] for path in paths if path in index]
    way = reach(graph, starts, most_depth=MOST_IMPORTS, direction="in")
    names = [graph.points.ids[number] for number in way.order.tolist() if way.depth[number] > 0]
    nodes = code_nodes(land.store, names)
    found = []
    for number in way.order.tolist():
        node = nodes.get(graph.points.ids[number])
        if node is None or not _is_trial(land, node):
            continue
        depth = int(way.depth[number])
        used = graph.points.ids[int(way.parent[number])].removeprefix(f"file:{land.tree.root}/")
        sure = round(BY_IMPORT / 2 ** (depth - 1), 3)
        found.append(Affected(place=code_place(node), depth=depth, confidence=sure, why=f"its file imports {used}"))
    return found
