"""Uses of symbols that a diff removed or renamed, in an index that is newer than the diff.

own tree       unresolved uses of the name; outside names that end like its key: `<builtin>.f`, `crate::totals::f`
other trees    the links across repositories, found as if the symbol still existed
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from recollect.code.anchors.normalised_file import read
from recollect.code.diff.changed_symbols import SymbolChange
from recollect.code.index.languages import detect
from recollect.code.links.library_table import BUILTIN
from recollect.code.links.module_finder import family
from recollect.engine.code.implicit_uses import (
    BY_NAME,
    COMMON,
    LEAVING,
    MAYBE,
    MOST_BYTES,
    MOST_FILES,
    SAME,
    using_files,
)
from recollect.engine.graph.code_nodes import code_node_id
from recollect.engine.graph.cross_links import KEY_PARTS, NAME_PARTS, crossings
from recollect.graph.project import FileLinks, Further
from recollect.model import File, Tree
from recollect.store.code_rows import FILE_BITS

if TYPE_CHECKING:
    from recollect.graph.code_graph import CodePart
    from recollect.store.sql import Store


class Removed(NamedTuple):
    """Removed symbols that are no nodes any more, their uses, and the other trees with such uses."""

    nodes: list[str]
    uses: list[Further]
    trees: set[int]


def removed_uses(
    store: Store, part: CodePart | None, tree: Tree, files: FileLinks, changes: Sequence[SymbolChange]
) -> Removed:
    """Return the symbols that changes removed from the index, and the code that still uses them."""
    known = dict.fromkeys(part.names[: part.size] if part is not None else ())
    # Of several overloads, `f` and `f#2`, the others keep the name.
    named = [(change.old_key.partition("#")[0], change) for change in changes if change.how in LEAVING]
    gone = {code_node_id(tree.root, change.old_path, key): (key, change) for key, change in named if key}
    gone = {node: row for node, row in gone.items() if node not in known}
    if not gone:
        return Removed([], [], set())
    offered = dict.fromkeys(gone, "") | dict(_offered(tree, files, gone))
    across = [row for row in crossings(store, [*known, *offered]) if row.dst in offered]
    uses = [Further(row.src, offered[row.dst] or row.dst, row.relation, row.confidence) for row in across]
    names = {KEY_PARTS.split(key)[-1] for key, _ in gone.values()}
    loose = [each for each in _loose(store, tree) if each.parts[-1] in names or each.use.relation == "IMPORTS"]
    for node, (key, change) in gone.items():
        near = {change.old_path, *using_files(tree, files, change.old_path)}
        uses += [each._replace(dst=node) for each in _own(tuple(KEY_PARTS.split(key)), change, near, loose)]
    return Removed(list(gone), list(dict.fromkeys(uses)), {row.file >> FILE_BITS for row in across})


def _offered(tree: Tree, files: FileLinks, gone: Mapping[str, tuple[str, SymbolChange]]) -> Iterator[tuple[str, str]]:
    """Yield the other names under which files still offer removed symbols, as nodes: `export { f as g }`."""
    for node, (key, change) in gone.items():
        second = re.compile(rf"(?<![\w$.]){re.escape(key)}\s++as\s++([\w$]++)")
        for path in using_files(tree, files, change.old_path):
            text = (read(tree.root, path, MOST_BYTES) or b"").decode("utf-8", "replace")
            yield from [(code_node_id(tree.root, path, match[1]), node) for match in second.finditer(text)]


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
    for number, sites in store.file_sites(sorted(files)[:MOST_FILES]).items():
        found = [(site.source, NAME_PARTS.split(site.name)[-1:], "CALLS", SAME) for site in sites.unresolved]
        found += [(site.source, NAME_PARTS.split(site.name), site.relation, SAME) for site in sites.outside]
        # A call on an unknown object is ambiguous where other symbols have the name.
        found += [(site.source, [site.name], "CALLS", MAYBE) for site in sites.ambiguous]
        for source, parts, relation, sure in found:
            node = code_node_id(tree.root, files[number][0], source)
            yield _Loose(Further(node, "", relation, sure), *files[number], parts)


def _own(key: tuple[str, ...], change: SymbolChange, near: set[str], uses: Sequence[_Loose]) -> Iterator[Further]:
    """Yield the uses of a removed symbol in its own tree, surer in its file, its folder and their users."""
    path, (folder, _, file) = change.old_path, change.old_path.rpartition("/")
    module = {file.partition(".")[0], folder.rpartition("/")[2]}
    language, is_method = detect(file, b""), change.before is not None and change.before.kind == "Method"
    near |= {each.path for each in uses if each.use.relation == "IMPORTS" and each.parts[-1] in module}
    for each in uses:
        head, *rest = each.parts
        if each.family != family(language.name if language else None) or each.parts[-1] != key[-1]:
            continue
        is_near = each.path in near or each.path.rpartition("/")[0] == folder
        if head == BUILTIN:  # a name that nothing in sight defines; a method is named alone only in its own file
            is_it = tuple(rest) == key[-len(rest) :] and (each.path == path or not is_method or len(rest) > 1)
        elif rest:
            is_it, is_near = not module.isdisjoint(each.parts[:-1]), True
        else:
            is_it = is_near or head not in COMMON
        if is_it:
            yield each.use if is_near else each.use._replace(weight=BY_NAME)
