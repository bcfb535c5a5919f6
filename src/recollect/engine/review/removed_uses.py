"""Uses of symbols that a diff removed or renamed, in an index that is newer than the diff.

own tree       unresolved uses of the name; outside names that end like its key: `<builtin>.f`, `crate::totals::f`
other trees    the links across repositories, found as if the symbol still existed
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from recollect.code.diff.changed_symbols import SymbolChange
from recollect.code.index.languages import detect
from recollect.code.links.library_table import BUILTIN
from recollect.code.links.module_finder import family
from recollect.engine.code.implicit_uses import BY_NAME, COMMON, LEAVING, MOST_FILES, SAME, using_files
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
    known = set(part.names[: part.size]) if part is not None else set()
    gone: dict[str, SymbolChange] = {}
    for change in changes:
        plain = change.old_key.partition("#")[0]  # of several overloads the others keep the name
        node = code_node_id(tree.root, change.old_path, plain)
        if plain and change.how in LEAVING and node not in known:
            gone.setdefault(node, change)
    if not gone or part is None:
        return Removed([], [], set())
    across = [row for row in crossings(store, [*part.names[: part.size], *gone]) if row.dst in gone]
    uses = [Further(row.src, row.dst, row.relation, row.confidence) for row in across]
    names = {_key(change)[-1] for change in gone.values()}
    open_uses = [use for use in _open_uses(store, tree) if use.name[-1] in names or use.relation == "IMPORTS"]
    for node, change in gone.items():
        uses += _own(tree, files, node, change, open_uses)
    return Removed(list(gone), list(dict.fromkeys(uses)), {row.file >> FILE_BITS for row in across})


class _Open(NamedTuple):
    """A use without a link: its file, the symbol around it, the parts of the name, and the relationship."""

    path: str
    family: str
    source: str
    name: tuple[str, ...]
    relation: str


def _open_uses(store: Store, tree: Tree) -> Iterator[_Open]:
    """Yield the uses of a tree that are unresolved, and those of names outside of it."""
    rows = store.columns(File, ("id", "path", "language"), {"tree": tree.id, "skipped": ""})
    files = {number: (path, family(language)) for number, path, language in rows}
    for number, sites in store.file_sites(sorted(files)[:MOST_FILES]).items():
        for loose in sites.unresolved:
            yield _Open(*files[number], loose.source, (NAME_PARTS.split(loose.name)[-1],), "CALLS")
        for site in sites.outside:
            yield _Open(*files[number], site.source, tuple(NAME_PARTS.split(site.name)), site.relation)


def _own(tree: Tree, files: FileLinks, node: str, change: SymbolChange, uses: Sequence[_Open]) -> Iterator[Further]:
    """Yield the uses of a removed symbol in its own tree, surer in its file, its folder and their users."""
    path, key = change.old_path, _key(change)
    folder, _, file = path.rpartition("/")
    module = {file.partition(".")[0], folder.rpartition("/")[2]}
    language, is_method = detect(path, b""), change.before is not None and change.before.kind == "Method"
    near = {path, *using_files(tree, files, path)}
    near |= {use.path for use in uses if use.relation == "IMPORTS" and use.name[-1] in module}
    for use in uses:
        head, rest = use.name[0], use.name[1:]
        if use.family != family(language.name if language else None) or use.name[-1] != key[-1]:
            continue
        is_near = use.path in near or use.path.rpartition("/")[0] == folder
        if head == BUILTIN:  # a name that nothing in sight defines; a method is named alone only in its own file
            is_it = rest == key[-len(rest) :] and (use.path == path or not is_method or len(rest) > 1)
        elif rest:
            is_it, is_near = not module.isdisjoint(use.name[:-1]), True
        else:
            is_it = is_near or use.name[-1] not in COMMON
        if is_it:
            source = code_node_id(tree.root, use.path, use.source)
            yield Further(source, node, use.relation, SAME if is_near else BY_NAME)


def _key(change: SymbolChange) -> tuple[str, ...]:
    return tuple(KEY_PARTS.split(change.old_key.partition("#")[0]))
