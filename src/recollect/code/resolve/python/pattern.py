"""Pattern: `match` and what its cases bind."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from recollect.code.resolve.program import Assign, Elements, Expression, Item, Member, Text, Use
from recollect.code.resolve.python.reader import NOTHING, Handler, Reader
from recollect.code.resolve.python.statement import block

if TYPE_CHECKING:
    import tree_sitter


def match(r: Reader, node: tree_sitter.Node) -> Expression:
    """Read a match statement."""
    body = node.child_by_field_id(r.fields.body)
    subjects = node.children_by_field_name("subject")
    subject = r.kept(r.value(subjects[0])) if len(subjects) == 1 else r.parts(subjects)
    r.do(subject)
    for case in body.named_children if body is not None else ():
        if r.kind(case) == "case_clause":
            _case(r, case, subject)
    return NOTHING


def _case(r: Reader, node: tree_sitter.Node, subject: Expression) -> None:
    for child in node.named_children:
        kind = r.kind(child)
        if kind == "case_pattern":
            _bind(r, child, subject)
        elif kind == "if_clause":
            r.do(r.parts(child.named_children))
        elif kind == "block":
            block(r, child)


def _bind(r: Reader, node: tree_sitter.Node, value: Expression) -> None:
    """Bind the names of a pattern to what they stand for in a value."""
    binder = _BINDERS.get(r.kind(node))
    if binder is not None:
        binder(r, node, value)


def _inner(r: Reader, node: tree_sitter.Node, value: Expression) -> None:
    for child in node.named_children:
        _bind(r, child, value)


def _name(r: Reader, node: tree_sitter.Node, value: Expression) -> None:
    """Bind a name; one with dots is compared, not bound."""
    if node.named_child_count <= 1:
        r.emit(Assign(r.name(r.cut(node).lstrip("*")), value))


def _elements(r: Reader, node: tree_sitter.Node, value: Expression) -> None:
    for child in node.named_children:
        _bind(r, child, Elements(value))


def _class(r: Reader, node: tree_sitter.Node, value: Expression) -> None:
    """Bind what `Point(x=a)` says; positions depend on the class and are not followed."""
    for child in node.named_children:
        if r.kind(child) == "dotted_name":
            first, *rest = [r.cut(part) for part in child.named_children] or [r.cut(child)]
            found: Expression = r.name(first)
            for name in rest:
                found = Member(found, name)
            r.emit(Use(found, r.line(child)))
            continue
        for part in child.named_children:
            if r.kind(part) == "keyword_pattern" and part.named_child_count == 2:
                attribute, inner = part.named_children
                _bind(r, inner, Member(value, r.cut(attribute)))
            else:
                _bind(r, part, NOTHING)


def _dict(r: Reader, node: tree_sitter.Node, value: Expression) -> None:
    key: Expression = NOTHING
    for place, child in enumerate(node.children):
        field = node.field_name_for_child(place)
        if field == "key":
            key = r.value(child)
        elif field == "value":
            _bind(r, child, Item(value, key.value if isinstance(key, Text) and key.value != "" else None))
        elif child.is_named:
            _bind(r, child, value)


_BINDERS: dict[str, Callable[[Reader, tree_sitter.Node, Expression], None]] = {
    "identifier": _name,
    "dotted_name": _name,
    "splat_pattern": _name,
    "as_pattern": _inner,
    "case_pattern": _inner,
    "union_pattern": _inner,
    "list_pattern": _elements,
    "tuple_pattern": _elements,
    "class_pattern": _class,
    "dict_pattern": _dict,
}
READERS: dict[str, Handler] = {"match_statement": match}
