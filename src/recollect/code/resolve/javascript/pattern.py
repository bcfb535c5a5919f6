"""Pattern: values given to names, members and whatever takes objects and arrays apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.code.resolve.javascript.reader import NOTHING, Reader, number, word
from recollect.code.resolve.program import Assign, Either, Entry, Expression, Key, Name, Spread, Table, Text

if TYPE_CHECKING:
    import tree_sitter

# Defaults, which are read when all names of the pattern are known.
Late = list[tuple[Expression, "tree_sitter.Node"]]
IDENTIFIERS = ("identifier", "shorthand_property_identifier_pattern", "shorthand_property_identifier", "undefined")
TRANSPARENT = ("parenthesized_expression", "non_null_expression", "as_expression", "satisfies_expression")


def bind(r: Reader, node: tree_sitter.Node, value: Expression, kind: str = "") -> None:
    """Write a value to what a pattern names; `kind` is the word of the declaration, "" for an assignment."""
    late: Late = []
    target = _target(r, node, kind, late)
    if target is not NOTHING:
        r.emit(Assign(target, value))
    for each, default in late:
        value = r.value(default)
        r.emit(Assign(each, Either((each, value)) if isinstance(each, Name) else value))


def _target(r: Reader, node: tree_sitter.Node, kind: str, late: Late) -> Expression:
    what = r.kind(node)
    if what in IDENTIFIERS:
        return _name(r, r.cut(node), kind)
    if what == "array_pattern":
        return _array(r, node, kind, late)
    if what == "object_pattern":
        return _object(r, node, kind, late)
    if what in ("assignment_pattern", "object_assignment_pattern"):
        left, right = node.child_by_field_id(r.fields.left), node.child_by_field_id(r.fields.right)
        if left is None or right is None:
            return NOTHING
        target = _target(r, left, kind, late)
        late.append((target, right))
        return target
    if what == "rest_pattern" and node.named_child_count:
        return Spread(_target(r, node.named_children[0], kind, late))
    if what in TRANSPARENT and node.named_child_count:
        return _target(r, node.named_children[0], kind, late)
    return r.value(node)  # a member, an item


def _name(r: Reader, name: str, kind: str) -> Expression:
    if kind:
        r.declare(name, kind=kind)
    variable = r.block.find(name)
    if variable is None:
        if r.frame is not r.module:
            r.frame.global_names[name] = None
        return r.name(name)
    return r.name(r.frame.written(variable))


def _array(r: Reader, node: tree_sitter.Node, kind: str, late: Late) -> Table:
    entries: list[Entry] = []
    place = 0
    is_hole = True
    for child in node.children:  # with the commas: holes count
        if not child.is_named:
            if child.type == ",":
                entries += [Entry(place, NOTHING)] if is_hole else []
                place, is_hole = place + 1, True
        elif r.kind(child) != "comment":
            target = _target(r, child, kind, late)
            entries.append(Entry(None if isinstance(target, Spread) else place, target))
            is_hole = False
    return Table(tuple(entries))


def _object(r: Reader, node: tree_sitter.Node, kind: str, late: Late) -> Table:
    entries: list[Entry] = []
    for child in node.named_children:
        what = r.kind(child)
        if what == "pair_pattern":
            name, value = child.child_by_field_id(r.fields.key), child.child_by_field_id(r.fields.value)
            if name is not None and value is not None:
                entries.append(Entry(key(r, name), _target(r, value, kind, late)))
        elif what == "rest_pattern":
            entries.append(Entry(None, _target(r, child, kind, late)))
        elif what == "object_assignment_pattern":
            left = child.child_by_field_id(r.fields.left)
            target = _target(r, child, kind, late)
            if left is not None:
                entries.append(Entry(word(r.cut(left)), target))
        elif what in IDENTIFIERS:
            entries.append(Entry(word(r.cut(child)), _target(r, child, kind, late)))
    return Table(tuple(entries))


def key(r: Reader, node: tree_sitter.Node) -> Key | None:
    """Return the key that a property's name is; None for one that is worked out."""
    what = r.kind(node)
    if what == "string":
        return word(r.cut(node)[1:-1])
    if what == "number":
        return number(r.cut(node))
    if what == "computed_property_name":
        inner = node.named_children
        text = r.cut(inner[0]) if inner else ""
        if text.startswith("Symbol."):
            return f"[{text}]"
        value = r.value(inner[0]) if inner else NOTHING
        if isinstance(value, Text):
            return value.value
        r.do(value)
        return None
    return r.cut(node)
