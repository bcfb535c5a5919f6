"""Statements of Python: assignments, conditions, loops, handlers, `match`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.code.links.program import (
    Argument,
    Assign,
    Call,
    Elements,
    Expression,
    Instance,
    Member,
    Name,
    Return,
    Table,
    Use,
)
from recollect.code.links.python_expressions import either, target
from recollect.code.links.python_reader import Handler, Reader
from recollect.code.links.python_types import annotation, declared
from recollect.code.links.tree_reader import NOTHING, nothing

if TYPE_CHECKING:
    import tree_sitter


def block(r: Reader, node: tree_sitter.Node) -> Expression:
    """Read statements one after the other."""
    value = r.value
    for child in node.named_children:
        found = value(child)
        if found is not NOTHING:
            r.do(found)
    return NOTHING


# --- assignments ---


def assignment(r: Reader, node: tree_sitter.Node) -> Expression:
    """Read `a = b`, `a = b = c`, `a: T = b`."""
    fields = r.fields
    targets: list[tree_sitter.Node] = []
    at: tree_sitter.Node | None = node
    annotated = None
    while at is not None and r.kind(at) == "assignment":
        left = at.child_by_field_id(fields.left)
        if left is not None:
            targets.append(left)
        annotated = annotated or at.child_by_field_id(fields.type)
        at = at.child_by_field_id(fields.right)
    value = r.value(at) if at is not None else NOTHING
    if len(targets) > 1:
        value = r.kept(value)
    for left in targets:
        to = target(r, left)
        if value is not NOTHING or (at is not None and isinstance(to, Name | Table)):
            r.emit(Assign(to, value))
        if annotated is not None:
            _declare(r, to, annotated, has_value=value is not NOTHING)
    return NOTHING


def _declare(r: Reader, to: Expression, annotated: tree_sitter.Node, *, has_value: bool) -> None:
    found = annotation(r, annotated, r.frame)
    if found is None:
        return
    value = declared(found)
    if isinstance(value, Instance) or not has_value:
        r.emit(Assign(to, value))


def augmented(r: Reader, node: tree_sitter.Node) -> Expression:
    """Read `a += b`: what a was, or b."""
    left, right = node.child_by_field_id(r.fields.left), node.child_by_field_id(r.fields.right)
    if left is None or right is None:
        return r.parts(node.named_children)
    value, to = r.value(right), target(r, left)
    if value is NOTHING:
        return NOTHING
    r.emit(Assign(to, either([to, value])))
    return NOTHING


def return_(r: Reader, node: tree_sitter.Node) -> Expression:
    """Read `return x`."""
    value = r.parts_of(node) if node.named_child_count else NOTHING
    if value is not NOTHING:
        r.emit(Return(value))
    return NOTHING


def raise_(r: Reader, node: tree_sitter.Node) -> Expression:
    """Read `raise X`: a class is made an instance of."""
    for child in node.named_children:
        value = r.value(child)
        if r.kind(child) in ("identifier", "attribute"):
            line, column = r.place(child)
            value = Call(value, (), line, column, is_new=True, is_implied=True)
        r.do(value)
    return NOTHING


def global_(r: Reader, node: tree_sitter.Node) -> Expression:
    """Read `global a, b` and `nonlocal a`."""
    names = [r.cut(child) for child in node.named_children if r.kind(child) == "identifier"]
    if r.kind(node) == "global_statement":
        r.frame.global_names |= dict.fromkeys(names)
    else:
        r.frame.outer_names |= dict.fromkeys(names)
    return NOTHING


def type_alias(r: Reader, node: tree_sitter.Node) -> Expression:
    """Read `type A = B`."""
    left, right = node.child_by_field_id(r.fields.left), node.child_by_field_id(r.fields.right)
    found = annotation(r, right, r.frame)
    if left is not None and found is not None and r.cut(left).isidentifier():
        r.emit(Assign(r.name(r.cut(left)), found))
    return NOTHING


# --- control flow ---


def for_(r: Reader, node: tree_sitter.Node) -> Expression:
    """Read a loop over elements."""
    left, right = node.child_by_field_id(r.fields.left), node.child_by_field_id(r.fields.right)
    source = r.value(right) if right is not None else NOTHING
    if source is not NOTHING:
        source = r.kept(source)
    if left is not None:
        r.emit(Assign(target(r, left), Elements(source)))
    for field in (r.fields.body, r.fields.alternative):
        inner = node.child_by_field_id(field)
        if inner is not None:
            block(r, inner)
    return NOTHING


def handler(r: Reader, node: tree_sitter.Node) -> Expression:
    """Read an `except` clause."""
    for child in node.named_children:
        kind = r.kind(child)
        if kind == "block":
            block(r, child)
        elif kind == "as_pattern":
            parts = child.named_children
            types = _caught(r, parts[0])
            alias = child.child_by_field_id(r.fields.alias)
            if alias is not None and types:
                r.emit(Assign(target(r, alias), declared(either(types))))
        elif kind != "comment":
            _caught(r, child)
    return NOTHING


def _caught(r: Reader, node: tree_sitter.Node) -> list[Expression]:
    """Return the types that a handler catches, and write that they are used."""
    nodes = node.named_children if r.kind(node) == "tuple" else [node]
    found = [r.value(each) for each in nodes if r.kind(each) in ("identifier", "attribute")]
    for each in found:
        r.emit(Use(each, r.line(node)))
    return found


def with_(r: Reader, node: tree_sitter.Node) -> Expression:
    """Read `with a as b`: what entering a gives is b."""
    is_async = r.text.startswith("async", node.start_byte)
    for clause in node.named_children:
        if r.kind(clause) == "with_clause":
            for item in clause.named_children:
                if r.kind(item) == "with_item":
                    _with(r, item, is_async=is_async)
        elif r.kind(clause) == "block":
            block(r, clause)
    return NOTHING


def _with(r: Reader, item: tree_sitter.Node, *, is_async: bool) -> None:
    node = item.child_by_field_id(r.fields.value)
    if node is None:
        return
    alias = None
    if r.kind(node) == "as_pattern" and node.named_children:
        alias = node.child_by_field_id(r.fields.alias)
        node = node.named_children[0]
    line, column = r.place(node)
    held = r.kept(r.value(node))
    if held is NOTHING:
        return
    enter, leave = ("__aenter__", "__aexit__") if is_async else ("__enter__", "__exit__")
    entered = Call(Member(held, enter, line), (), line, column, is_implied=True)
    if alias is not None:
        r.emit(Assign(target(r, alias), entered))
    else:
        r.do(entered)
    r.do(Call(Member(held, leave, line), (Argument(NOTHING),) * 3, line, column, is_implied=True))


def class_pattern(r: Reader, node: tree_sitter.Node) -> Expression:
    """Read `case Point(x=a)`: the class is used; what the pattern binds is not followed."""
    for child in node.named_children:
        if r.kind(child) == "dotted_name":
            first, *rest = r.cut(child).split(".")
            found: Expression = r.name(first)
            for name in rest:
                found = Member(found, name)
            r.emit(Use(found, r.line(child)))
    return NOTHING


READERS: dict[str, Handler] = {
    "module": block,
    "block": block,
    "expression_statement": block,
    "assignment": assignment,
    "augmented_assignment": augmented,
    "return_statement": return_,
    "raise_statement": raise_,
    **dict.fromkeys(("pass_statement", "break_statement", "continue_statement"), nothing),
    **dict.fromkeys(("global_statement", "nonlocal_statement"), global_),
    "type_alias_statement": type_alias,
    **dict.fromkeys(("except_clause", "except_group_clause"), handler),
    "for_statement": for_,
    "with_statement": with_,
    "class_pattern": class_pattern,
    **dict.fromkeys(
        """if_statement elif_clause else_clause while_statement try_statement finally_clause match_statement case_clause
        if_clause""".split(),
        block,
    ),
}
