"""Links of methods that override methods of other repositories.

    library    drain ──► Store.push          Mine.push ──► Store.push    it follows a change of the signature
    program    Mine.push overrides it        drain ──► Mine.push         the caller may run it
               makes an Own of the library   drain ──► Own.push          so it may this one

A type of Go implements every interface whose methods it has, where its repository uses the interface, or code that
names it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from recollect.engine.graph.code_nodes import address, code_node_id, code_nodes
from recollect.model import RELATIONS, File, Tree
from recollect.store.link_rows import Crossing, target_node

if TYPE_CHECKING:
    from recollect.store.sql import Store

DERIVING = ("INHERITS", "IMPLEMENTS", "EXTENDS")
# Confidence that a method follows the one it overrides, that a caller of the latter runs it, and that a type of Go is
# made for an interface; more types than MOST_SHAPED that fit one were not made for it.
OVERRIDES, RUNS, SHAPED = 0.6, 0.6, 0.8
MOST_SHAPED = 12
# Files that call overridden methods.
MOST_FILES = 2_000
# A call through a method that others in its tree override is a use of it.
_RUNNING = ("CALLS", "DEPENDS_ON")


class _Override(NamedTuple):
    """A method, the one of another tree that it overrides, and the link between their classes."""

    method: str
    base: str
    heir: Crossing


def override_links(
    store: Store,
    nodes: Sequence[str],
    links: Sequence[Crossing],
    bases: Callable[[str], list[str]],
    named: Callable[[str], list[str]],
) -> Iterator[Crossing]:
    """Yield the links that follow from classes deriving from those of other trees.

    bases, named: of a symbol, in its tree, the classes it inherits from and the types it uses
    """
    trees = store.find(Tree)
    heirs = [row for row in links if row.relation in DERIVING]
    shaped = list(_shaped(store, trees, nodes, links, named))
    yield from shaped
    above = {row.dst: [row.dst, *bases(row.dst)] for row in heirs}
    members = _members(nodes, {owner for row in heirs for owner in (row.src, *above[row.dst])})
    overrides: dict[tuple[str, str], _Override] = {}
    for row in heirs:
        for base in above[row.dst]:
            for name in members[row.src].keys() & members[base].keys():
                method = members[row.src][name]
                overrides.setdefault((method, row.dst), _Override(method, members[base][name], row))
    implementing = _members(nodes, {row.src for row in shaped} | {row.dst for row in shaped})
    for row in shaped:
        for name, base in implementing[row.dst].items():
            if name in implementing[row.src]:
                method = implementing[row.src][name]
                overrides[method, row.dst] = _Override(method, base, row)
    yield from _followed(store, trees, list(overrides.values()), links)


def _members(nodes: Iterable[str], owners: Iterable[str]) -> dict[str, dict[str, str]]:
    """Return the members of some classes by name."""
    found: dict[str, dict[str, str]] = {owner: {} for owner in owners}
    for node in nodes if found else ():
        cut = max(node.rfind("."), node.rfind("::"))
        if node[:cut] in found:
            found[node[:cut]].setdefault(node[cut:].lstrip(".:").partition("#")[0], node)
    return found


def _shaped(
    store: Store,
    trees: Sequence[Tree],
    nodes: Sequence[str],
    links: Sequence[Crossing],
    types: Callable[[str], list[str]],
) -> Iterator[Crossing]:
    """Yield links from types of Go to the interfaces of other trees whose methods they have."""
    used = {row.dst: row for row in links if ".go::" in row.dst and row.relation in _RUNNING}
    used |= {name: row for node, row in used.items() for name in types(node) if name not in used}
    rows = code_nodes(store, used)
    wanted = {name: used[name] for name, row in rows.items() if row.symbol and row.symbol.kind == "Interface"}
    methods = {name: each.keys() for name, each in _members(nodes, wanted).items() if each}
    named = {name for each in methods.values() for name in each}
    users = {at.tree.id for row in wanted.values() if (at := address(trees, row.src)) is not None}
    having: dict[str, set[str]] = {}
    for node in nodes if named else ():
        owner, _, name = node.rpartition(".")
        if name in named and ".go::" in owner and (at := address(trees, node)) and at.tree.id in users:
            having.setdefault(owner, set()).add(name)
    for interface, names in methods.items():
        fitting = [owner for owner, own in having.items() if names <= own]
        places = code_nodes(store, fitting) if len(fitting) <= MOST_SHAPED else {}
        for owner, place in places.items():
            yield Crossing(owner, interface, "IMPLEMENTS", SHAPED, (place.line,), place.key, place.file.id)


def _followed(
    store: Store, trees: Sequence[Tree], overrides: Sequence[_Override], links: Sequence[Crossing]
) -> Iterator[Crossing]:
    by_base: dict[str, list[str]] = {}
    for each in overrides:
        by_base.setdefault(each.base, []).append(each.method)
        yield each.heir._replace(src=each.method, dst=each.base, confidence=OVERRIDES)
    far = [row for row in links if row.relation in _RUNNING]
    for method, base in _made_elsewhere(store, trees, far):
        by_base.setdefault(base, []).append(method)
    near = list(_users(store, trees, {*by_base, *(row.dst for row in far)}.union(*by_base.values())))
    own: dict[str, list[str]] = {}  # by method of an interface, those that implement it in its own tree
    for row in near:
        if row.relation == "IMPLEMENTS" and _name(row.src) == _name(row.dst):
            own.setdefault(row.dst, []).append(row.src)
    runs = [(row, method) for row in far for method in own.get(row.dst, ())]
    for row in (*far, *near):
        methods = by_base.get(row.dst, ()) if row.relation in _RUNNING else ()
        if row.src not in methods:  # another method that overrides it, and calls it
            runs += [(row, method) for method in methods]
    known = {(row.src, row.dst) for row in near}
    for row, method in runs:
        if (row.src, method) not in known:
            yield row._replace(dst=method, relation="CALLS", confidence=min(row.confidence, RUNS))


def _made_elsewhere(store: Store, trees: Sequence[Tree], far: Iterable[Crossing]) -> Iterator[tuple[str, str]]:
    """Yield the methods of classes that another tree uses, each with a method of its own tree that it overrides."""
    used: dict[int, dict[str, set[str]]] = {}
    for node in {row.dst for row in far}:
        if (at := address(trees, node)) is not None and at.key:
            used.setdefault(at.tree.id, {}).setdefault(at.path, set()).add(at.key)
    for tree in trees:
        keys = used.get(tree.id, {})
        paths = {
            number: path for number, path in store.columns(File, ("id", "path"), {"tree": tree.id}) if path in keys
        }
        for number, edges in store.file_edges(sorted(paths)[:MOST_FILES]).items():
            source, target = (memoryview(each).cast("i") for each in (edges.source, edges.target))
            for one, other, relation in zip(source, target, edges.relation, strict=True):
                key, base = edges.sources[one], target_node(tree.root, edges.targets[other])
                owner = key[: -len(_name(key))].rstrip(".:")
                if RELATIONS[relation] in DERIVING and owner in keys[paths[number]] and _name(base) == _name(key):
                    yield code_node_id(tree.root, paths[number], key), base


def _name(node: str) -> str:
    return node[max(node.rfind("."), node.rfind(":")) + 1 :]


def _users(store: Store, trees: Sequence[Tree], used: Iterable[str]) -> Iterator[Crossing]:
    """Yield the uses of symbols in their own trees: calls, other uses, and what implements them."""
    targets: dict[int, dict[str, str]] = {}
    for node in used:
        if (at := address(trees, node)) is not None and at.key:
            targets.setdefault(at.tree.id, {})[f"s{at.path}::{at.key}"] = node
    roots = {tree.id: tree.root for tree in trees}
    for tree, wanted in targets.items():
        numbers = store.files_linking(tree, sorted(wanted), MOST_FILES)
        paths = {file.id: file.path for file in store.get(File, numbers)}
        for number, edges in store.file_edges(numbers).items():
            source, target = (memoryview(each).cast("i") for each in (edges.source, edges.target))
            for one, other, relation in zip(source, target, edges.relation, strict=True):
                if edges.targets[other] in wanted:
                    node, by = wanted[edges.targets[other]], RELATIONS[relation]
                    user = code_node_id(roots[tree], paths[number], edges.sources[one])
                    yield Crossing(user, node, by, RUNS, (), node.rpartition("::")[2], number)
