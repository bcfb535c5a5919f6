"""The graph of indexed files and symbols, computed from the store's rows: what a loaded graph is compared with."""

from __future__ import annotations

from collections.abc import Iterator

from recollect.model import File, Tree
from recollect.store.code_rows import SymbolRow, file_node, symbol_nodes
from recollect.store.sql import Store


def code_nodes(store: Store) -> Iterator[tuple[str, str, str, str | None]]:
    """Yield (node id, kind, label, namespace) of every indexed file and symbol."""
    for tree, path, symbols in _files(store):
        yield file_node(tree.root, path), "File", path, tree.namespace
        for node, symbol in zip(symbol_nodes(tree.root, path, symbols), symbols, strict=True):
            yield node, symbol.kind, symbol.name, tree.namespace


def code_links(store: Store) -> Iterator[tuple[str, str]]:
    """Yield (container, member) for files with their symbols, and for symbols with those in them."""
    for tree, path, symbols in _files(store):
        nodes = symbol_nodes(tree.root, path, symbols)
        for node, symbol in zip(nodes, symbols, strict=True):
            yield nodes[symbol.parent] if symbol.parent >= 0 else file_node(tree.root, path), node


def _files(store: Store) -> Iterator[tuple[Tree, str, list[SymbolRow]]]:
    trees = {tree.id: tree for tree in store.find(Tree)}
    for file in store.find(File, order="id"):
        for symbols, _ in store.file_contents([file.id]).values():
            yield trees[file.tree], file.path, symbols
