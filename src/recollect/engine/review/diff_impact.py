"""Impact of code changes over the links of a project, and the tests among it.

    changed symbols ─► nodes ─► their users, and users of those ─► code, endpoints
                                                              └► tests: reached by calls, then by imports alone

Uses without a link count, too (implicit_uses.py). An ambiguous call is followed to each symbol that it may mean, with
less confidence the more there are; `may call` says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import msgspec
import numpy as np

from recollect.code.code_records import Affected
from recollect.code.diff.changed_symbols import SymbolChange
from recollect.code.index.symbol_properties import is_test_file
from recollect.code.links.tree_linking import is_linked
from recollect.engine.code.implicit_uses import CONSTRUCTORS, LEAST_SURE, MAYBE, OTHER, OWNER, readers, unseen
from recollect.engine.graph.code_nodes import CodeNode, code_node_id, code_nodes, code_place
from recollect.engine.review.removed_uses import removed_uses
from recollect.graph.arrays import EVERYTHING, KIND_CODES, RELATION_CODES, Graph
from recollect.graph.code_graph import NO_FILE, CodePart
from recollect.graph.impact import Reach, affected, reach
from recollect.graph.project import USES, FileLinks, Further, Project, between_files, only, project, using
from recollect.model import RELATIONS, File, Tree
from recollect.store.code_rows import SymbolRow

if TYPE_CHECKING:
    import numpy.typing as npt

    from recollect.store.sql import Store

# Depth of tests: a test of the command line passes a dozen calls.
TEST_DEPTH = 15
# Confidence of a test that only imports changed code, halved with every file, and the number of files.
BY_IMPORT = 0.1
MOST_IMPORTS = 3
# A test of this confidence shows that the calls into its file are known.
CERTAIN = 0.25
# Test files whose fixtures are read.
MOST_TEST_FILES = 5_000

BROKEN = "broken: "
_VERBS: Mapping[str, str] = {
    "CALLS": "calls", "IMPORTS": "imports", "INHERITS": "inherits from", "IMPLEMENTS": "implements",
    "EXTENDS": "extends", "DEPENDS_ON": "uses",
}  # fmt: skip


class LinkedTree(NamedTuple):
    """The linked code of a tree: uses of symbols and of files, and the numbers of test files.

    is_linked: whether there are any links, besides those of test frameworks, or it was linked and has none
    """

    tree: Tree
    store: Store
    found: Project
    uses: Graph
    files: FileLinks
    test_files: frozenset[int]
    is_linked: bool


class Impact(NamedTuple):
    """The code and endpoints that changes reach within a depth, and tests at any depth, nearest first."""

    affected: list[Affected]
    tests: list[Affected]
    endpoints: list[Affected]
    files: list[str]


class ImpactCounts(NamedTuple):
    """The impact of one change, in numbers."""

    users: int
    files: int
    reached: int
    tests: int


def linked_tree(store: Store, part: CodePart | None, tree: Tree, changes: Sequence[SymbolChange] = ()) -> LinkedTree:
    """Return the code of a tree with its links, and with implicit ones: of test frameworks, of ambiguous calls, and of
    readers of changed constants.
    """
    kept = project(part, [tree.id])
    files = between_files(kept)
    test_files = _test_files(store, tree)
    further = [*unseen(store, tree, kept, test_files.python), *readers(tree, kept, files, changes)]
    gone = removed_uses(store, part, tree, kept, files, changes)
    further += gone.uses
    others = gone.trees | using(part, [tree.id, *gone.trees])
    found = project(part, [tree.id, *others], further, gone.nodes) if further or others or gone.nodes else kept
    if cases := list(_case_users(tree, found, changes)):
        found = project(part, [tree.id, *others], [*further, *cases], gone.nodes)
    has_links = bool(kept.graph.related_by(USES).any()) or is_linked(store, tree, allow_edits=True)
    return LinkedTree(tree, store, found, only(found.graph, USES), files, test_files.files, has_links)


def _case_users(tree: Tree, found: Project, changes: Sequence[SymbolChange]) -> Iterator[Further]:
    """Yield links to enums with a new member, from code that names several others: a match has to handle it."""
    new = {
        (change.path, owner[1]) for change in changes if change.how == "added" and (owner := OWNER.match(change.key))
    }
    graph, is_constant = found.graph, found.graph.points.kinds == KIND_CODES["Constant"]
    for change in changes:
        if change.now not in new or change.row is None or "enum" not in change.row.signature.split():
            continue
        node, users = code_node_id(tree.root, *change.now), dict[int, set[int]]()
        held = [place for place in np.flatnonzero(is_constant).tolist() if _holder(graph.points.ids[place]) == node]
        for edge in np.flatnonzero(np.isin(graph.dst, held)).tolist():
            users.setdefault(int(graph.src[edge]), set()).add(int(graph.dst[edge]))
        for user, named in users.items():
            if len(named) > 1 and graph.points.ids[user] != node:
                yield Further(graph.points.ids[user], node, "DEPENDS_ON", OTHER)


def _holder(node: str) -> str:
    return node[: max(node.rfind("."), node.rfind(":"))].rstrip(":")


class _TestFiles(NamedTuple):
    """Numbers of test files, and the symbols of those of Python, by path."""

    files: frozenset[int]
    python: dict[str, list[SymbolRow]]


def _test_files(store: Store, tree: Tree) -> _TestFiles:
    rows = store.columns(File, ("id", "path", "language"), {"tree": tree.id, "skipped": ""})
    known = {number: (path, language) for number, path, language in rows if is_test_file(language, path)}
    contents = store.file_contents(sorted(known)[:MOST_TEST_FILES])
    holding = {number for number, (symbols, _) in contents.items() if any(map(is_test, symbols))}
    python = {known[number][0]: rows for number, (rows, _) in contents.items() if known[number][1] == "python"}
    return _TestFiles(frozenset(holding), python)


def is_test(row: SymbolRow) -> bool:
    """Tell whether a symbol is a test."""
    return row.test or row.kind == "Test"


# --- from changes to nodes ---


def changed_nodes(linked: LinkedTree, change: SymbolChange) -> list[int]:
    """Return the nodes of a changed symbol; none if it is not indexed."""
    found: dict[int, None] = {}
    for path, key in ((change.path, change.key), (change.old_path, change.old_key)):
        names = [f"sym:{linked.tree.root}/{path}::{key}" if key else f"file:{linked.tree.root}/{path}"]
        names += [f"sym:{linked.tree.root}/{path}::{owner}" for owner in _owners(linked, path, key, change)]
        if change.row is not None and change.row.kind == "Class":  # making an instance uses its constructor
            names += [f"{names[0]}.{name}" for name in CONSTRUCTORS]
        found.update((linked.uses.index[name], None) for name in names if name in linked.uses.index)
    return list(found)


def _owners(linked: LinkedTree, path: str, key: str, change: SymbolChange) -> Iterator[str]:
    """Yield what changes with a symbol: the function or class around it."""
    row = change.row
    owner = OWNER.match(key)
    if row is None or owner is None:
        return
    number = linked.uses.index.get(f"sym:{linked.tree.root}/{path}::{owner[1]}")
    if number is None:
        return
    kind = int(linked.uses.points.kinds[number])
    is_code = kind in [KIND_CODES[name] for name in ("Function", "Method", "Test", "Endpoint")]
    is_new = (change.how == "added" and row.kind == "Method") or change.is_required
    if is_code or is_new or row.name in CONSTRUCTORS:
        yield owner[1]


# --- what is reached ---


def impact_counts(linked: LinkedTree, starts: Sequence[int], depth: int) -> ImpactCounts:
    """Return the impact of changed nodes, in numbers."""
    way = affected(linked.uses, starts, most_depth=TEST_DEPTH, least=LEAST_SURE, through=EVERYTHING)
    numbers = [number for number in way.order.tolist() if way.depth[number] > 0]
    nodes = code_nodes(linked.store, (linked.uses.points.ids[number] for number in numbers))
    is_test_node = {number: _is_test_node(linked, nodes.get(linked.uses.points.ids[number])) for number in numbers}
    near = [number for number in numbers if way.depth[number] <= depth and not is_test_node[number]]
    files, is_file = linked.found.files, linked.uses.points.kinds == KIND_CODES["File"]
    # A file counts where none of its symbols does.
    named = {int(files[number]) for number in near if not is_file[number]}
    reached = [number for number in near if not is_file[number] or int(files[number]) not in named]
    users = {number: int(files[number]) for number in reached if way.depth[number] == 1}
    return ImpactCounts(len(users), len({*users.values()}), len(reached), sum(is_test_node.values()))


def impact_of(
    linked: LinkedTree, starts: Sequence[int], breaking: Mapping[int, bool], changed_files: Iterable[str], depth: int
) -> Impact:
    """Return the impact of changed nodes.

    breaking: those of them whose uses have to change, and whether they are gone, though the index still has them
    changed_files: paths of files with relevant changes, whose importers come last
    """
    way = affected(linked.uses, starts, most_depth=TEST_DEPTH, least=LEAST_SURE, through=EVERYTHING)
    # A changed symbol that uses a removed one is also reached, and what is broken comes before what uses a changed one.
    uses, near = linked.uses, np.isin(way.depth[linked.uses.src], (0, 1))
    is_gone = (linked.found.files[uses.dst] == NO_FILE) & near & (way.depth[uses.dst] == 0)
    is_breaking = np.isin(uses.dst, list(breaking)) & (way.depth[uses.src] == 1) & (uses.weights > MAYBE)
    gone = [number for number, is_gone_too in breaking.items() if is_gone_too]
    is_gone |= is_breaking & np.isin(uses.dst, gone)
    broken = np.concatenate((np.flatnonzero(is_breaking & ~is_gone), np.flatnonzero(is_gone)))
    users = uses.src[broken]
    way.depth[users], way.parent[users], way.edge[users] = 1, uses.dst[broken], broken
    numbers = way.order.tolist()
    nodes = code_nodes(linked.store, (linked.uses.points.ids[number] for number in numbers))
    rows: list[Affected] = []
    tests: list[Affected] = []
    by_import: list[Affected] = []
    for number in numbers:
        node = nodes.get(linked.uses.points.ids[number])
        if node is None:
            continue
        told = _affected(linked, way, number, node, nodes, is_gone)
        if _is_test_node(linked, node):
            is_import = way.edge[number] >= 0 and linked.uses.relations[way.edge[number]] == RELATION_CODES["IMPORTS"]
            (by_import if is_import else tests).append(told)
        elif 0 < told.depth <= depth and (node.symbol or not is_test_file(node.file.language, node.file.path)):
            rows.append(told)
    # A file that imports changed code adds nothing where its using symbols are known.
    named = {row.place.path for row in rows if row.place.symbol}
    rows = [row for row in rows if row.place.symbol or row.place.path not in named]
    first = {uses.points.ids[number] for number in users.tolist()}
    rows.sort(key=lambda row: (row.place.id not in first, not row.place.symbol, -row.confidence))
    rows.sort(key=lambda row: (not row.why.startswith(BROKEN), row.depth))
    tests += sorted(by_import, key=lambda row: (row.depth, row.place.path))
    tests = _without_groups(tests)
    # If calls lead to tests of a file, its other tests are not affected, unless the calls are doubtful.
    covered = {row.place.path for row in tests if row.confidence >= CERTAIN or not row.place.symbol}
    tests += [row for row in _importers(linked, changed_files) if row.place.path not in covered]
    endpoints = [row for row in (*rows, *tests) if row.endpoint]
    return Impact(rows, tests, endpoints, sorted({row.place.path for row in rows}))


def _is_test_node(linked: LinkedTree, node: CodeNode | None) -> bool:
    """Tell whether a node is a test, or a whole file of tests."""
    if node is None:
        return False
    if node.tree.id != linked.tree.id:
        return node.is_test
    return node.file.id in linked.test_files if node.symbol is None else is_test(node.symbol)


def _without_groups(tests: Sequence[Affected]) -> list[Affected]:
    """Return tests, without classes whose tests are listed and tests of files that run whole."""
    whole = {row.place.path for row in tests if not row.place.symbol and not row.why.startswith(_VERBS["IMPORTS"])}
    owners = {(row.place.path, match[1]) for row in tests if (match := OWNER.match(row.place.symbol))}
    kept = []
    for row in tests:
        if row.place.symbol and (row.place.path in whole or (row.place.path, row.place.symbol) in owners):
            continue
        kept.append(row)
    return kept


def _affected(
    linked: LinkedTree,
    way: Reach,
    number: int,
    node: CodeNode,
    nodes: Mapping[str, CodeNode],
    is_gone: npt.NDArray[np.bool_],
) -> Affected:
    why = "changed directly"
    if way.parent[number] >= 0:
        edge = int(way.edge[number])
        verb = _VERBS.get(RELATIONS[int(linked.uses.relations[edge])], "uses")
        verb = "may call" if verb == "calls" and linked.uses.weights[edge] <= MAYBE else verb
        used = nodes.get(linked.uses.points.ids[int(way.parent[number])])
        gone = linked.uses.points.ids[way.parent[number]].removeprefix(f"file:{linked.tree.root}/")
        name = used.key or used.file.path if used else gone.partition("::")[2] or gone
        is_left = used is not None and not (is_gone[edge] and way.depth[number] == 1)
        why = f"{verb} {name}" if is_left else f"{'' if verb == 'may call' else BROKEN}{verb} {name}, which is gone"
    place = code_place(node)
    if node.tree.id != linked.tree.id:
        place = msgspec.structs.replace(place, path=f"{node.tree.root}/{place.path}")
    return Affected(
        place=place,
        depth=int(way.depth[number]),
        confidence=round(float(way.confidence[number]), 3),
        why=why,
        endpoint=node.symbol.endpoint if node.symbol else None,
    )


def _importers(linked: LinkedTree, paths: Iterable[str]) -> list[Affected]:
    """Return the test files that import some files, directly or over others."""
    graph = linked.files.graph
    index = {name.removeprefix(f"file:{linked.tree.root}/"): number for number, name in enumerate(graph.points.ids)}
    starts = [index[path] for path in paths if path in index]
    way = reach(graph, starts, most_depth=MOST_IMPORTS, direction="in")
    names = [graph.points.ids[number] for number in way.order.tolist() if way.depth[number] > 0]
    nodes = code_nodes(linked.store, names)
    found = []
    for number in way.order.tolist():
        node = nodes.get(graph.points.ids[number])
        if node is None or not _is_test_node(linked, node):
            continue
        depth = int(way.depth[number])
        used = graph.points.ids[int(way.parent[number])].removeprefix(f"file:{linked.tree.root}/")
        sure = round(BY_IMPORT / 2 ** (depth - 1), 3)
        found.append(Affected(place=code_place(node), depth=depth, confidence=sure, why=f"its file imports {used}"))
    return found
