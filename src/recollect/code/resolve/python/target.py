"""Target: what is assigned to: names, members, items, and patterns of these."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from recollect.code.resolve.program import Entry, Expression, Spread, Table
from recollect.code.resolve.python.reader import Reader

if TYPE_CHECKING:
    import tree_sitter

PATTERNS = frozenset(("pattern_list", "tuple_pattern", "list_pattern", "tuple", "list", "expression_list"))
SPLATS = frozenset(("list_splat_pattern", "list_splat"))
WRAPPED = frozenset(("parenthesized_expression", "as_pattern_target", "dotted_name"))


def target(r: Reader, node: tree_sitter.Node) -> Expression:
    """Return a target; parts of a pattern have their positions as keys, those after a star have none."""
    kind = r.kind(node)
    if kind in PATTERNS:
        return _pattern(r, node)
    if kind in SPLATS:
        return Spread(_inner(r, node))
    if kind in WRAPPED and node.named_child_count == 1:
        return _inner(r, node)
    return r.value(node)


def _inner(r: Reader, node: tree_sitter.Node) -> Expression:
    children = node.named_children
    return target(r, children[0]) if children else r.value(node)


def _pattern(r: Reader, node: tree_sitter.Node) -> Table:
    parts = [target(r, child) for child in node.named_children if r.kind(child) != "comment"]
    star = next((place for place, part in enumerate(parts) if isinstance(part, Spread)), len(parts))
    return Table(tuple([Entry(place if place < star else None, part) for place, part in enumerate(parts)]))


def names_of(r: Reader, node: tree_sitter.Node) -> Iterator[str]:
    """Yield the names that a target binds."""
    kind = r.kind(node)
    if kind == "identifier":
        yield r.cut(node)
    elif kind in PATTERNS or kind in SPLATS or kind in WRAPPED:
        for child in node.named_children:
            yield from names_of(r, child)
