"""Uses of symbols that a diff removed or renamed, in an index that is newer than the diff.

own tree       unresolved uses of the name; outside names that end like its key: `<builtin>.f`, `crate::totals::f`
other trees    the links across repositories, found as if the symbol still existed
moved          of both, those that name the old module or package: a re-export may still lead to it
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from recollect.code.anchors.normalised_file import read
from recollect.code.diff.changed_symbols import BY_PATH, SymbolChange, exports, module_of
from recollect.code.index.languages import detect
from recollect.code.links.library_table import BUILTIN
from recollect.code.links.module_finder import family
from recollect.engine.code import implicit_uses
from recollect.engine.graph.code_nodes import code_node_id
from recollect.engine.graph.cross_links import HEADS, KEY_PARTS, NAME_PARTS, crossings
from recollect.graph.project import FileLinks, Further, Project
from recollect.graph.walk import neighbours
from recollect.model import File, Tree
from recollect.store.code_rows import FILE_BITS

if TYPE_CHECKING:
    from recollect.graph.code_graph import CodePart
    from recollect.store.sql import Store

# Parts of a written name that are no part of a module's: of `./a.js`.
NO_PARTS = frozenset({"", "js", "mjs", "cjs", "jsx", "ts", "tsx"})

# Changes after which calls of a method have to change.
CALLED_OTHERWISE = frozenset({"removed", "renamed", "signature"})


class Removed(NamedTuple):
    """Removed symbols that are no nodes any more, their uses, and the other trees with such uses."""

    nodes: list[str]
    uses: list[Further]
    trees: set[int]


def removed_uses(
    store: Store, part: CodePart | None, tree: Tree, kept: Project, files: FileLinks, changes: Sequence[SymbolChange]
) -> Removed:
    """Return the symbols that changes removed from the index, and the code that still uses them."""
    known = dict.fromkeys(part.names[: part.size] if part is not None else ())
    gone: dict[str, _Gone] = {}
    for change in changes:
        # Of several overloads, `f` and `f#2`, the others keep the name.
        name = change.old_key.partition("#")[0]
        key = KEY_PARTS.split(name) if name else (module_of(change.old_path) or ())[-1:]
        node = code_node_id(tree.root, change.old_path, name)
        is_gone = (change.how in implicit_uses.LEAVING or change.has_moved) and node not in known
        if is_gone and key and not (change.has_moved and _is_passed_on(tree, kept, change)):
            gone[node] = _Gone(tuple(key), change)
    far = list(_far(store, part, tree, changes))
    if not gone:
        return Removed([], far, set())
    # Where both the old and the new place may be meant, the name decides.
    moved = {node: each.change for node, each in gone.items() if each.change.has_moved}
    offered = {code_node_id(tree.root, *change.now): node for node, change in moved.items()}
    offered |= {node: node for node in gone} | dict(_offered(tree, files, gone))
    named = {pair: _is_named(tree, files, *pair) for pair in {(each.old_path, each.path) for each in moved.values()}}
    across = [
        row
        for row in crossings(store, list({**known, **offered}))
        if row.dst in offered
        and (each := gone[offered[row.dst]]).is_meant(_parts(row.name))
        and not named.get((each.change.old_path, each.change.path))
    ]
    uses = far + [Further(row.src, offered[row.dst], row.relation, row.confidence) for row in across]
    names = {each.key[-1] for each in gone.values()}
    loose = [each for each in _loose(store, tree) if each.parts[-1] in names or each.use.relation == "IMPORTS"]
    texts: implicit_uses.Texts = {}
    for node, each in gone.items():
        near = {each.change.old_path, *implicit_uses.using_files(tree, files, each.change.old_path)}
        uses += [use._replace(dst=node) for use in _own(each, near, loose)]
        uses += [
            Further(user, node, "DEPENDS_ON", implicit_uses.OTHER)
            for user in _in_package(tree, files, each.change, texts)
        ]
    return Removed(list(gone), list(dict.fromkeys(uses)), {row.file >> FILE_BITS for row in across})


def _far(store: Store, part: CodePart | None, tree: Tree, changes: Sequence[SymbolChange]) -> Iterator[Further]:
    """Yield the calls of changed methods on unknown objects, in files of other trees that use this one."""
    methods = [change for change in changes if change.how in CALLED_OTHERWISE and change.before]
    named = {change.before.name: change for change in methods if change.before and change.before.kind == "Method"}
    roots = tuple(f"{kind}:{tree.root}/" for kind in ("sym", "file"))
    using = {row.file: row.src for row in (part.crossings if part else ()) if row.dst.startswith(roots)}
    for file, sites in store.file_sites(sorted(using) if named else []).items():
        folder, _, name = using[file].partition("::")[0].partition(":")[2].rpartition("/")
        for site in sites.unresolved:
            if change := named.get(_parts(site.name)[-1]):
                user, used = code_node_id(folder, name, site.source), code_node_id(tree.root, *change.was)
                yield Further(user, used, "CALLS", implicit_uses.BY_NAME)


class _Gone(NamedTuple):
    """A symbol that is no node any more: the parts of its key, of a file the end of its module."""

    key: tuple[str, ...]
    change: SymbolChange

    @property
    def has_left(self) -> bool:
        """Whether it only left its module: its name may still lead to it."""
        return self.change.has_moved or self.change.is_export

    def is_meant(self, name: Sequence[str]) -> bool:
        """Tell whether a full name means it: if it left its module, only one that names this module."""
        module, last = module_of(self.change.old_path), self.key[0]
        if not self.has_left:
            return True
        if module is None:  # what is imported with all of its package has no full name
            return name[0] == BUILTIN or tuple(name[: len(self.key) - 1]) == self.key[:-1]
        if not self.change.old_key:
            return name[-1] == last
        before = name[: len(name) - 1 - name[::-1].index(last)] if last in name else ()
        if not module or module[-1] in HEADS:
            return bool(before)
        return _alike(before, module) >= max(_alike(before, module_of(self.change.path) or ()), 1)


def _alike(one: Sequence[str], other: Sequence[str]) -> int:
    """Return how many parts two names have in common at their ends."""
    pairs = zip(reversed(one), reversed(other), strict=False)
    return next((number for number, (left, right) in enumerate(pairs) if left != right), min(len(one), len(other)))


def _is_passed_on(tree: Tree, kept: Project, change: SymbolChange) -> bool:
    """Tell whether the old file of a moved symbol imports it: users of the old name reach it there."""
    number = kept.graph.index.get(code_node_id(tree.root, change.old_path, ""))
    used = neighbours(kept.graph, number, direction="out") if number is not None else ()
    return kept.graph.index.get(code_node_id(tree.root, *change.now)) in used


def _in_package(tree: Tree, files: FileLinks, change: SymbolChange, texts: implicit_uses.Texts) -> Iterator[str]:
    """Yield what names a moved symbol in its old package of Go, or by that package, which has other files."""
    folder = code_node_id(tree.root, change.old_path, "").rpartition("/")[0]
    nodes = files.graph.points.ids if change.has_moved and change.before and change.old_path.endswith(".go") else ()
    inside = [node.removeprefix(f"file:{tree.root}/") for node in nodes if node.rpartition("/")[0] == folder]
    for path in dict.fromkeys((*inside, *implicit_uses.using_files(tree, files, *inside))):
        package = "" if path in inside else rf"{re.escape(folder.rpartition('/')[2])}\."
        name = re.compile(rf"(?<![\w.\"])(?<!\) ){package}{re.escape(change.old_key)}\b")
        yield from [
            code_node_id(tree.root, path, key)
            for key in implicit_uses.naming(tree.root, path, change.old_key, name, texts)
        ]


def _is_named(tree: Tree, files: FileLinks, old: str, new: str) -> bool:
    """Tell whether a file passes a moved file on under its old name: `export * as a from "./b/a"`."""
    name = (module_of(old) or ("",))[-1]
    users = implicit_uses.using_files(tree, files, new) if not new.endswith(".py") else ()
    return any(name in exports(path, read(tree.root, path, implicit_uses.MOST_BYTES)) for path in users)


def _offered(tree: Tree, files: FileLinks, gone: Mapping[str, _Gone]) -> Iterator[tuple[str, str]]:
    """Yield the other names under which files still offer removed symbols, as nodes: `export { f as g }`."""
    for node, (_, change) in gone.items():
        second = re.compile(rf"(?<![\w$.]){re.escape(change.old_key)}\s++as\s++([\w$]++)")
        for path in implicit_uses.using_files(tree, files, change.old_path) if not change.has_moved else ():
            text = (read(tree.root, path, implicit_uses.MOST_BYTES) or b"").decode("utf-8", "replace")
            yield from [(code_node_id(tree.root, path, match[1]), node) for match in second.finditer(text)]


def _parts(name: str) -> list[str]:
    """Return the parts of a name, without what is no part of a module's: `./a.js`."""
    return [part for part in NAME_PARTS.split(name) if part not in NO_PARTS] or [name]


class _Loose(NamedTuple):
    """A use that is no link, the path and language family of its file, and the parts of the used name."""

    use: Further
    path: str
    family: str
    parts: list[str]


def _loose(store: Store, tree: Tree) -> Iterator[_Loose]:
    """Yield the uses of a tree that are unresolved, and those of names outside of it."""
    rows = store.columns(File, ("id", "path", "language"), {"tree": tree.id, "skipped": ""})
    files = {number: (path, family(language)) for number, path, language in rows}
    for number, sites in store.file_sites(sorted(files)[: implicit_uses.MOST_FILES]).items():
        found = [(site.source, _parts(site.name)[-1:], "CALLS", implicit_uses.SAME) for site in sites.unresolved]
        found += [(site.source, _parts(site.name), site.relation, implicit_uses.SAME) for site in sites.outside]
        # A call on an unknown object is ambiguous where other symbols have the name.
        found += [(site.source, [site.name], "CALLS", implicit_uses.MAYBE) for site in sites.ambiguous]
        for source, parts, relation, sure in found:
            node = code_node_id(tree.root, files[number][0], source)
            yield _Loose(Further(node, "", relation, sure), *files[number], parts)


def _own(gone: _Gone, near: set[str], uses: Sequence[_Loose]) -> Iterator[Further]:
    """Yield the uses of a removed symbol in its own tree, surer in its file, its folder and their users."""
    key, change = gone
    path, (folder, _, file) = change.old_path, change.old_path.rpartition("/")
    module = {file.partition(".")[0], folder.rpartition("/")[2]}
    language, is_method = detect(file, b""), change.before is not None and change.before.kind == "Method"
    near |= {each.path for each in uses if each.use.relation == "IMPORTS" and each.parts[-1] in module}
    for each in uses:
        head, *rest = each.parts
        if each.family != family(language.name if language else None) or each.parts[-1] != key[-1]:
            continue
        is_here = each.path.rpartition("/")[0] == folder
        is_near = each.path in near or is_here
        if head == BUILTIN:  # a name that nothing in sight defines; a method is named alone only in its own file
            is_it = tuple(rest) == key[-len(rest) :] and (each.path == path or not is_method or len(rest) > 1)
            is_it = is_it and (not gone.has_left or each.path == path or (is_here and each.family not in BY_PATH))
        elif gone.has_left:
            is_import, is_near = each.use.relation == "IMPORTS", True
            is_it = gone.is_meant(each.parts) and (each.path != path if is_import else bool(change.old_key))
        elif rest:
            is_it, is_near = not module.isdisjoint(each.parts[:-1]), True
        else:
            is_it = is_near or head not in implicit_uses.COMMON
        if is_it:
            yield each.use if is_near else each.use._replace(weight=implicit_uses.BY_NAME)
