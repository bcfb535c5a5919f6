"""Code nodes: files and symbols of the index by their graph ids, and back.

sym:/home/me/app/src/server.py::Server.start      tree /home/me/app, file src/server.py, key Server.start
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple, cast

from recollect.code.code_records import CodePlace, SymbolHit
from recollect.engine.records.memory_rows import batches
from recollect.model import File, NodeKind, Tree

if TYPE_CHECKING:
    from recollect.code.search.symbol_lookup import How
    from recollect.store.code_rows import FoundSymbol, SymbolRow
    from recollect.store.sql import Store

SYMBOL, FILE = "sym:", "file:"


class CodeNode(NamedTuple):
    """A file or a symbol of the index; `key` is "" for a file."""

    id: str
    tree: Tree
    file: File
    key: str = ""
    symbol: SymbolRow | None = None

    @property
    def line(self) -> int:
        """Its first line; 1 for a file."""
        return self.symbol.start_line if self.symbol else 1

    @property
    def is_test(self) -> bool:
        """Whether it is a test, or a whole file of tests."""
        if self.symbol is None:
            return self._is_in_test_file
        return self.symbol.test or self.symbol.kind == "Test"

    @property
    def is_in_tests(self) -> bool:
        """Whether it is a test, or helps the tests of its file."""
        return self.is_test or self._is_in_test_file

    @property
    def _is_in_test_file(self) -> bool:
        from recollect.code.index.symbol_properties import is_test_file  # every hook imports this module

        return is_test_file(self.file.language, self.file.path)


class Address(NamedTuple):
    """An id taken apart."""

    tree: Tree
    path: str
    key: str


def code_node_id(root: str, path: str, key: str) -> str:
    """Return the graph id of a symbol, or of its file without a key."""
    return f"{SYMBOL}{root}/{path}::{key}" if key else f"{FILE}{root}/{path}"


def is_code(node_id: str) -> bool:
    """Tell whether an id is written like that of a file or symbol."""
    return node_id.startswith((SYMBOL, FILE))


def address(trees: Sequence[Tree], node_id: str) -> Address | None:
    """Return the parts of an id; None if it is of no file or symbol of these trees."""
    kind = SYMBOL if node_id.startswith(SYMBOL) else FILE if node_id.startswith(FILE) else None
    if kind is None:
        return None
    rest = node_id[len(kind) :]
    # One tree may lie in another: the innermost is meant.
    tree = max(
        (tree for tree in trees if rest.startswith(tree.root + "/")), key=lambda tree: len(tree.root), default=None
    )
    if tree is None:
        return None
    path, _, key = (
        rest[len(tree.root) + 1 :].partition("::") if kind == SYMBOL else (rest[len(tree.root) + 1 :], "", "")
    )
    return Address(tree, path, key)


def code_nodes(store: Store, ids: Iterable[str]) -> dict[str, CodeNode]:
    """Return the indexed files and symbols of ids, without those that do not exist."""
    from recollect.store.code_rows import symbol_keys

    trees = store.find(Tree)
    wanted = {node_id: found for node_id in ids if (found := address(trees, node_id)) is not None}
    files: dict[tuple[int, str], File] = {}
    for tree in {found.tree.id for found in wanted.values()}:
        paths = sorted({found.path for found in wanted.values() if found.tree.id == tree})
        for batch in batches(paths):
            files |= {(tree, file.path): file for file in store.find(File, {"tree": tree, "path": batch})}
    with_symbols = {files[place].id for found in wanted.values() if found.key and (place := _place(found)) in files}
    symbols = {
        number: dict(zip(symbol_keys(rows), rows, strict=True))
        for number, (rows, _) in store.file_contents(sorted(with_symbols)).items()
    }
    nodes: dict[str, CodeNode] = {}
    for node_id, found in wanted.items():
        known = files.get(_place(found))
        if known is None:
            continue
        if not found.key:
            nodes[node_id] = CodeNode(node_id, found.tree, known)
        elif (symbol := symbols.get(known.id, {}).get(found.key)) is not None:
            nodes[node_id] = CodeNode(node_id, found.tree, known, found.key, symbol)
    return nodes


def target_of(node: CodeNode) -> str:
    """Return a node as the links of its own tree name it (Edges.targets)."""
    return f"s{node.file.path}::{node.key}" if node.key else f"f{node.file.path}"


def _place(found: Address) -> tuple[int, str]:
    return found.tree.id, found.path


def code_place(node: CodeNode) -> CodePlace:
    """Return where a node of code is."""
    kind = cast(NodeKind, node.symbol.kind if node.symbol else "File")
    return CodePlace(id=node.id, path=node.file.path, line=node.line, symbol=node.key, kind=kind)


def file_place(root: str, path: str, line: int, symbol: str = "") -> CodePlace:
    """Return a line of a file, and the symbol around it if that is known."""
    return CodePlace(id=f"file:{root}/{path}", path=path, line=line, symbol=symbol)


def symbol_hit(found: FoundSymbol, match: How = "exact") -> SymbolHit:
    """Return a symbol of the index; match: how its name matched the query."""
    row = found.symbol
    return SymbolHit(
        id=found.node,
        name=row.name,
        qualified=row.qualified,
        kind=cast(NodeKind, row.kind),
        path=found.file.path,
        start_line=row.start_line,
        end_line=row.end_line,
        language=found.file.language or "",
        signature=row.signature,
        doc=row.doc,
        visibility=row.visibility,
        root=found.tree.root,
        namespace=found.tree.namespace,
        match=match,
    )
