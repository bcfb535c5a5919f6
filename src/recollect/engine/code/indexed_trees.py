"""Trees: which indexed projects a question about code as a whole is about."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from recollect.model import Tree

if TYPE_CHECKING:
    from recollect.engine.root import Engine


def trees_meant(engine: Engine, namespace: str | None) -> list[Tree]:
    """Return the trees of a namespace; without one the tree this process runs in, or all if that is not indexed."""
    scope = engine.code.scope(namespace)
    trees = engine.store.find(Tree)
    if scope.trees is not None:
        return [tree for tree in trees if tree.id in scope.trees]
    here = tree_at(trees, Path())
    return [here] if here is not None else trees


def tree_at(trees: list[Tree], path: Path) -> Tree | None:
    """Return the innermost tree that a path lies in."""
    try:
        place = path.resolve()
    except OSError:  # the folder is gone
        return None
    around = [tree for tree in trees if place.is_relative_to(tree.root)]
    return max(around, key=lambda tree: len(tree.root), default=None)


def roots(trees: list[Tree]) -> str:
    """Return the root of one tree, or what several have in common in short."""
    return trees[0].root if len(trees) == 1 else f"{len(trees)} projects" if trees else ""
