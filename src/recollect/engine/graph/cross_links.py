"""Links across repositories: uses of other indexed trees, by package, version range and exported name.

    outside use     ledger.totals.round_total        in a file of /repos/shop
    package         ledger                           provided by /repos/ledger, which shop's manifest names
    rest            totals.round_total               the symbol whose key ends so, best in a module `totals`

They are found when the graph is read, not when a tree is linked: an edit in one repository changes no link of another.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from recollect.code.index.languages import detect
from recollect.code.links.library_table import BUILTIN, ELEMENT, MADE
from recollect.code.links.signature_types import parameters, result
from recollect.code.manifests.importable_names import Names, Provided, provided
from recollect.code.manifests.version_ranges import fits
from recollect.engine.graph.code_nodes import address, code_node_id, code_nodes
from recollect.engine.graph.override_links import DERIVING, override_links
from recollect.model import RELATIONS, File, Tree
from recollect.store.link_rows import ALIAS, Crossing, OutsideSite, target_node
from recollect.store.package_tables import SPOKEN, PackageIndex

if TYPE_CHECKING:
    from recollect.store.sql import Store

# Confidence of a use by a package that allows the indexed version, by one that does not or names no version, and of a
# method that is found by its name alone.
ALLOWED, OTHER_VERSION, BY_NAME = 0.95, 0.5, 0.5
# Files of a tree that are looked through for uses of other trees, nodes that one name may have, and bases of a class.
MOST_FILES = 20_000
MOST_NAMED = 200
MOST_BASES = 20

NAME_PARTS = re.compile(r"::|[./\\]")
KEY_PARTS = re.compile(r"::|[.#]")
# Parts of a name that stand for what is before them: constructors, and the default export.
_ITSELF = frozenset({"<init>", "__init__", "constructor", "default", "prototype"})
# Parts that stand for what a container or a context manager gives: of a type that its signature names, or itself.
_GIVEN = frozenset({ELEMENT.removesuffix(MADE), "__enter__", "__exit__", "__aenter__", "__aexit__"})
# Files that stand for their folder.
HEADS = frozenset({"__init__", "index", "mod", "lib", "main", "src"})
# Results of Rust that are no types of a package.
_STANDARD = re.compile(
    r"(?:&|'\w++|mut\b|dyn\b|impl\b|\s|\w+::)*+"
    r"(?:\[|(?:str|bool|[iuf]\d+|[iu]size|String|Vec(?:Deque)?|(?:Hash|BTree)(?:Map|Set)|BinaryHeap|Iterator)\b)"
)
_TESTS = frozenset({"test", "tests", "examples", "benches", "docs"})
_TYPES = frozenset({"Class", "Interface", "Type"})
_INHERITS = [RELATIONS.index(name) for name in DERIVING]
_USES = [RELATIONS.index("DEPENDS_ON")]


def crossings(store: Store, nodes: Sequence[str]) -> list[Crossing]:
    """Return the uses of one tree by another; nodes: the ids of all code."""
    trees = store.find(Tree)
    shelf = PackageIndex(store.packages(), trees)
    needs = {tree.id: _needs(shelf, tree.id) for tree in trees}
    if not any(needs.values()):
        return []
    names = provided(store)
    uses = [
        _Use(tree, file, site, meant, needs[tree.id][meant.place.tree])
        for tree in trees
        if needs[tree.id]
        for file, site, written in _outside(store, tree, needs[tree.id], names)
        if (meant := _meant(names, file, site, written, needs[tree.id])) is not None
    ]
    finder = _Finder(store, nodes, trees, uses)
    links = list(dict.fromkeys(link for use in uses for link in finder.links(use)))
    return list(dict.fromkeys([*links, *override_links(store, nodes, links, finder.bases, finder.used)]))


def related_trees(store: Store, tree: int) -> list[Tree]:
    """Return the other trees that a tree needs, or that need it, by their packages."""
    trees = store.find(Tree)
    if len(trees) < 2:
        return []
    shelf = PackageIndex(store.packages(), trees)
    needed = _needs(shelf, tree)
    return [each for each in trees if each.id in needed or tree in _needs(shelf, each.id)]


class _Meant(NamedTuple):
    """A name of another tree: the place of its package, the package's own name, and the parts that follow."""

    place: Provided
    package: str
    rest: tuple[str, ...]


class _Use(NamedTuple):
    tree: Tree
    file: File
    site: OutsideSite
    meant: _Meant
    sure: float


def _needs(shelf: PackageIndex, tree: int) -> dict[int, float]:
    """Return the other trees whose packages a tree needs, also over others, with the confidence in their version."""
    found: dict[int, float] = {}
    waiting = [(row, ALLOWED) for row in shelf.rows if row.tree == tree]
    seen: set[tuple[int, str, str]] = set()
    while waiting:
        row, sure = waiting.pop()
        for needed in row.dependencies:
            for other in shelf.providers(row, needed):
                fitting = not needed.range or not other.version or fits(row.ecosystem, other.version, needed.range)
                here = min(sure, OTHER_VERSION if fitting is False else ALLOWED)
                if other.tree != tree:
                    found[other.tree] = max(found.get(other.tree, 0.0), here)
                key = (other.tree, other.folder, other.label)
                if key not in seen:
                    seen.add(key)
                    waiting.append((other, here))
    return found


def _outside(
    store: Store, tree: Tree, needed: Mapping[int, float], names: Names
) -> Iterator[tuple[File, OutsideSite, str]]:
    """Yield what the files of a tree use of others, as far as a package of these is named in it, and its full name.

    A name that nothing defines may be of any package that is imported as a whole: `import ledger.*`.
    """
    wanted = sorted({name for (_, name), places in names.items() if any(place.tree in needed for place in places)})
    numbers = store.files_mentioning(tree.id, wanted, MOST_FILES)
    files = {file.id: file for file in store.get(File, numbers)}
    for number, sites in store.file_sites(numbers).items():
        stars = [site.name[:-1] for site in sites.outside if site.relation == "IMPORTS" and site.name.endswith("*")]
        for site in sites.outside if number in files else ():
            head, _, rest = site.name.partition(".")
            for written in [star + rest for star in stars] if head == BUILTIN else [site.name]:
                yield files[number], site, written


def _meant(names: Names, file: File, site: OutsideSite, written: str, needed: Mapping[int, float]) -> _Meant | None:
    """Return what a name means: the longest beginning that a needed tree provides, and the rest.

    Calling a package calls what it exports by default.
    """
    ecosystem = SPOKEN.get(file.language or "", "")
    cuts = [len(written), *(match.start() for match in reversed(list(NAME_PARTS.finditer(written))))]
    for cut in cuts if ecosystem else ():
        places = [place for place in names.get((ecosystem, written[:cut]), ()) if place.tree in needed]
        if places:
            best = max(places, key=lambda place: needed[place.tree])
            rest = tuple(part for part in NAME_PARTS.split(written[cut:]) if part not in ("", "*"))
            return _Meant(best, written[:cut], rest or (("default",) if site.relation == "CALLS" else ()))
    return None


def _module(path: str) -> tuple[str, ...]:
    """Return the parts of a path that name a module: without the ending, and files that stand for their folder."""
    *folders, name = path.split("/")
    return tuple(part for part in (*folders, name.partition(".")[0]) if part not in HEADS)


class _Node(NamedTuple):
    """A symbol: its id, the parts of its module and of its key."""

    id: str
    path: tuple[str, ...]
    key: tuple[str, ...]


class _Finder:
    """Finds the symbols of trees by the parts of their names."""

    def __init__(self, store: Store, nodes: Iterable[str], trees: Sequence[Tree], uses: Sequence[_Use]) -> None:
        self._store = store
        self._trees = trees
        self._found: dict[tuple[_Meant, str, int], tuple[tuple[str, float], ...]] = {}
        self._makers: set[str] = set()  # constructors
        self._types: dict[tuple[str, bool], list[str]] = {}  # by symbol, what it is or returns, or what that holds
        self._kinds: dict[tuple[int, str], bool] = {}  # by tree and name, whether it is a type
        wanted = {part for use in uses for part in use.meant.rest}
        self._named: dict[tuple[int, str], list[_Node]] = defaultdict(list)
        self._files: dict[tuple[int, tuple[str, ...]], str] = {}
        providing = {use.meant.place.tree for use in uses}
        for node in nodes:
            if node.startswith("file:") and (at := address(trees, node)) and at.tree.id in providing:
                self._files.setdefault((at.tree.id, _module(at.path)), node)
            *around, name = KEY_PARTS.split(node)
            name = KEY_PARTS.split(node.rpartition("#")[0])[-1] if name.isdigit() else name
            if name in _ITSELF or around[-1:] == [name]:
                self._makers.add(node)
            place = address(trees, node) if name in wanted and node.startswith("sym:") else None
            language = detect(place.path, b"") if place is not None else None
            if place is None or language is None or language.name not in SPOKEN:  # a manifest exports nothing
                continue
            key = tuple(part for part in KEY_PARTS.split(place.key) if not part.isdigit())
            known = self._named[place.tree.id, name]
            if len(known) < MOST_NAMED:
                known.append(_Node(node, _module(place.path), key))
        for tree in trees:
            if tree.id in providing:
                self._add_aliases(tree, [name for name in sorted(wanted) if (tree.id, name) not in self._named])

    def _add_aliases(self, tree: Tree, names: Sequence[str]) -> None:
        """Add what the files of a tree offer under names that no symbol there has."""
        numbers = self._store.files_mentioning(tree.id, [ALIAS + name for name in names], MOST_FILES)
        paths = {file.id: file.path for file in self._store.get(File, numbers)}
        for number, sites in self._store.file_sites(numbers).items():
            for marked, target in sites.aliases:
                if number in paths and (name := marked.removeprefix(ALIAS)) in names:
                    node = _Node(target_node(tree.root, target), _module(paths[number]), (name,))
                    self._named[tree.id, name].append(node)

    def links(self, use: _Use) -> Iterator[Crossing]:
        """Yield the links of a use."""
        key = (use.meant, use.site.relation, use.site.count)
        found = self._found.get(key)
        if found is None:
            found = self._found[key] = tuple(self._targets(*key))
        source = code_node_id(use.tree.root, use.file.path, use.site.source)
        for target, sure in found:
            yield Crossing(
                source, target, use.site.relation, min(use.sure, sure), use.site.lines, use.site.name, use.file.id
            )

    def _targets(self, meant: _Meant, relation: str, count: int) -> Iterator[tuple[str, float]]:
        rest = meant.rest
        while rest and rest[-1] in _ITSELF:
            if rest[-1] == "default" and (main := self._exported(meant, rest)) is not None:
                yield main.id, 1.0
                return
            rest = rest[:-1]
        file = self._files.get((meant.place.tree, (*_module(meant.place.at), *rest)))
        named = self._exported(meant, rest) if rest else None
        # A class whose key begins with its package is meant, not the file of its name. A file cannot be called.
        is_code = named is not None and (relation != "IMPORTS" or named.key == (*meant.package.split("."), *rest))
        if file is not None and not is_code:
            yield file, 1.0
            return
        for end in range(len(rest), 0, -1):
            head = self._exported(meant, rest[:end])
            if head is None:
                continue
            walked = self._walked(meant.place.tree, head, rest[end:], relation)
            if walked is None:
                return
            found, sure = walked
            joints = (".", "::") if relation == "CALLS" else ()
            made = [f"{found.id}{joint}{name}" for joint in joints for name in (*_ITSELF, found.key[-1])]
            maker = next((maker for maker in made if maker in self._makers), "")
            target = _Node(maker, found.path, (*found.key, KEY_PARTS.split(maker)[-1])) if maker else found
            yield self._overload(meant.place.tree, target, count), sure
            return

    def _walked(self, tree: int, found: _Node, names: Sequence[str], relation: str) -> tuple[_Node, float] | None:
        """Return what a chain of members leads to: `open().header().size()`, each of what the one before returns."""
        sure, through, is_held = 1.0, False, False
        for place, name in enumerate(names, 1):
            member = self._member(tree, found, name, through, is_held)
            if name in _GIVEN and (member is None or member[1] <= BY_NAME):
                is_held = True
                continue
            if member is None and relation == "DEPENDS_ON" and not self._is_run(found):
                break  # a field of a type; one of what a function returns is no use of the function
            if member is None and not through and place < len(names):
                through = True  # a field, which is no symbol
                continue
            if member is None:
                return None
            found, sure, through, is_held = member[0], min(sure, member[1]), False, False
        return found, sure

    def _overload(self, tree: int, found: _Node, count: int) -> str:
        """Return the function of the name that takes as many arguments."""
        known = self._named[tree, found.key[-1]] if count >= 0 else ()
        same = [node.id for node in known if (node.path, node.key) == (found.path, found.key)]
        rows = code_nodes(self._store, same) if len(same) > 1 else {}
        for node, row in rows.items():
            if row.symbol is not None and len(parameters(row.symbol.signature, found.key[-1])) == count:
                return node
        return found.id

    def _exported(self, meant: _Meant, parts: tuple[str, ...]) -> _Node | None:
        """Return the symbol whose key ends a name; of several the one whose path has most of what precedes it.

        Then one in the folder of the package precedes others, and code precedes tests. What a file has precedes the
        declaration of the file as a module: `mod astar; pub use astar::astar;`
        """
        found: list[tuple[int, bool, bool, int, _Node]] = []
        package, folder = tuple(meant.package.split(".")), _module(meant.place.folder)
        for node in self._named.get((meant.place.tree, parts[-1]), ()):
            key = node.key[len(package) :] if node.key[: len(package)] == package else node.key
            if key == parts[-len(key) :]:
                missing = [part for part in parts[: -len(key)] if part not in node.path and part not in HEADS]
                if len(key) == 1 and any(self._is_type(meant.place.tree, part) for part in missing):
                    continue  # a field of the type is meant, or a method
                is_inside = node.path[: len(folder)] == folder
                found.append((-len(missing), is_inside, not _TESTS & set(node.path), -len(node.path), node))
        files = {node.path for *_, node in found if ".rs::" in node.id}
        found = [row for row in found if (*row[-1].path, *row[-1].key) not in files]
        return max(found)[-1] if found else None

    def _is_run(self, node: _Node) -> bool:
        row = code_nodes(self._store, [node.id]).get(node.id)
        return row is not None and row.symbol is not None and row.symbol.kind in ("Function", "Method")

    def _is_type(self, tree: int, name: str) -> bool:
        known = self._named.get((tree, name), ())
        if (tree, name) not in self._kinds:
            rows = code_nodes(self._store, [node.id for node in known]).values() if known else ()
            self._kinds[tree, name] = any(row.symbol is not None and row.symbol.kind in _TYPES for row in rows)
        return self._kinds[tree, name]

    def _member(self, tree: int, owner: _Node, name: str, through: bool, is_held: bool) -> tuple[_Node, float] | None:
        """Return a member of what a symbol is or returns: of the class, its bases, the types of a signature.

        through: a member of one of its fields, which is of a type that the class or its constructor uses
        is_held: a member of what is in the container that it is or returns
        """
        known = self._named.get((tree, name), ())
        if through:
            used = {KEY_PARTS.split(each)[-1] for each in self.used(owner.id)}
            held = [node for node in known if len(node.key) > 1 and node.key[-2] in used]
            return (held[0], BY_NAME) if len(held) == 1 else None
        types = self._types.get((owner.id, is_held))
        if types is None:
            classes = [KEY_PARTS.split(each)[-1] for each in (owner.id, *self.bases(owner.id))]
            returned = self._returned(owner, is_held)
            types = [*classes, *returned] if returned or not self._is_run(owner) else []
            self._types[owner.id, is_held] = types
        if not types:
            return None
        for each in types:
            for node in known:
                if len(node.key) > 1 and node.key[-2] == each:
                    return node, ALLOWED
        members = [node for node in known if len(node.key) > 1]
        return (members[0], BY_NAME) if len(members) == 1 else None

    def _returned(self, owner: _Node, is_held: bool) -> list[str]:
        """Return the types that a function's signature names, those at its end first, and the type it belongs to.

        What follows an arrow is all that is returned. Of a type of the standard library no member is in the tree.
        """
        row = code_nodes(self._store, [owner.id]).get(owner.id)
        signature = row.symbol.signature if row is not None and row.symbol is not None else ""
        written = result(signature, owner.key[-1], "colon") if "->" in signature else ""
        if not is_held and _STANDARD.match(written):
            return []
        words = [word for word in re.findall(r"\w+", written or signature) if word != owner.key[-1]]
        return [*reversed(words), *(owner.key[-2:-1] if not written or "Self" in words else ())]

    def bases(self, owner: str) -> list[str]:
        """Return the classes that a class inherits from in its own tree, nearest first."""
        found: list[str] = []
        waiting = [owner]
        while waiting and len(found) < MOST_BASES:
            bases = self._linked(waiting.pop(0), _INHERITS)
            found += bases
            waiting += bases
        return found

    def used(self, owner: str) -> list[str]:
        """Return what a symbol uses in its own tree, without calls; a class with its constructor."""
        return self._linked(owner, _USES)

    def _linked(self, owner: str, relations: Sequence[int]) -> list[str]:
        """Return what a class is linked with in its own tree; by uses, also its constructor."""
        at = address(self._trees, owner)
        rows = self._store.find(File, {"tree": at.tree.id, "path": at.path}, limit=1) if at else []
        keys = {at.key, *(f"{at.key}.{name}" for name in _ITSELF if relations is _USES)} if at else set()
        found: list[str] = []
        for edges in self._store.file_edges([file.id for file in rows]).values():
            source_numbers, target_numbers = (memoryview(each).cast("i") for each in (edges.source, edges.target))
            for source, target, relation in zip(source_numbers, target_numbers, edges.relation, strict=True):
                if relation in relations and at is not None and edges.sources[source] in keys:
                    found.append(target_node(at.tree.root, edges.targets[target]))
        return found
