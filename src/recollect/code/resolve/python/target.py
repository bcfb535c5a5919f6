"""Target: what is assigned to: names, members, items, and patterns of these."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from recollect.code.resolve.program import Assign, Entry, Expression, Part, Spread, Table
from recollect.code.resolve.python.reader import Reader

if TYPE_CHECKING:
    import tree_sitter

PATTERNS = frozenset(("pattern_list", "tuple_pattern", "list_pattern", "tuple", "list", "expression_list"))
SPLATS = frozenset(("list_splat_pattern", "list_splat"))
WRAPPED = frozenset(("parenthesized_expression", "as_pattern_target", "dotted_name"))


def target(r: Reader, node: tree_sitter.Node) -> Expression:
    """Return a target; the parts of a pattern stand at their positions, after a star at those counted from the end."""
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
    entries = [
        Entry(place if place < star else place - len(parts) if place > star else None, part)
        for place, part in enumerate(parts)
    ]
    return Table(tuple(entries))


def assign(r: Reader, to: Expression, value: Expression) -> None:
    """Write an assignment; a pattern with a star is taken apart where what it takes is written down."""
    star = _star(to)
    if star is None or not isinstance(to, Table):
        r.emit(Assign(to, value))
        return
    after = len(to.entries) - star - 1
    length = _length(value)
    held = r.kept(value)
    for place, entry in enumerate(to.entries):
        if place == star:
            of = entry.value.of if isinstance(entry.value, Spread) else entry.value
            r.emit(Assign(of, Part(held, star, length - after if length is not None else None)))
        elif place < star:
            r.emit(Assign(Table((Entry(place, entry.value),)), held))
        else:
            key = length - len(to.entries) + place if length is not None else None
            r.emit(Assign(Table((Entry(key, entry.value),)), held))


def _star(to: Expression) -> int | None:
    if not isinstance(to, Table):
        return None
    return next((place for place, entry in enumerate(to.entries) if isinstance(entry.value, Spread)), None)


def _length(value: Expression) -> int | None:
    """Return how many entries a table has, where they are written down."""
    if not isinstance(value, Table) or any(not isinstance(entry.key, int) for entry in value.entries):
        return None
    return len(value.entries)


def names_of(r: Reader, node: tree_sitter.Node) -> Iterator[str]:
    """Yield the names that a target binds."""
    kind = r.kind(node)
    if kind == "identifier":
        yield r.cut(node)
    elif kind in PATTERNS or kind in SPLATS or kind in WRAPPED:
        for child in node.named_children:
            yield from names_of(r, child)
