"""Statements of Python: assignments, imports, loops, handlers. Conditions and blocks are read by their parts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.code.links import program as ir
from recollect.code.links.python_expressions import target
from recollect.code.links.python_reader import Handler, Reader
from recollect.code.links.python_types import annotation
from recollect.code.links.tree_reader import NOTHING, declared, either, first, nothing, statements

if TYPE_CHECKING:
    import tree_sitter

STAR = "*"


# --- imports ---


def import_(r: Reader, node: tree_sitter.Node) -> ir.Expression:
    """Read `import a.b, c as d`."""
    for child in node.named_children:
        module, alias = _named(r, child)
        if alias:
            r.emit(ir.Import(module, None, alias, line=r.line(child)))
        elif module:
            top, _, below = module.partition(".")
            r.emit(ir.Import(module, None, top, line=r.line(child), is_whole=not below))
    return NOTHING


def import_from(r: Reader, node: tree_sitter.Node) -> ir.Expression:
    """Read `from ..a import b as c, d` and `from a import *`."""
    source = r.child(node, r.fields.module_name)
    text = r.cut(source).replace(" ", "")
    module = text.lstrip(".")
    level = len(text) - len(module)
    for child in node.named_children:
        if child.start_byte <= source.start_byte:
            continue
        name, alias = (STAR, None) if r.kind(child) == "wildcard_import" else _named(r, child)
        if name:
            r.emit(ir.Import(module, name, None if name == STAR else alias or name, level, r.line(child)))
    return NOTHING


def _named(r: Reader, node: tree_sitter.Node) -> tuple[str, str]:
    """Return a name and its alias, "" where there is none."""
    if r.kind(node) == "aliased_import":
        return r.field_text(node, r.fields.name), r.field_text(node, r.fields.alias)
    return (r.cut(node).replace(" ", "") if r.kind(node) == "dotted_name" else "", "")


# --- assignments ---


def assignment(r: Reader, node: tree_sitter.Node) -> ir.Expression:
    """Read `a = b`, `a = b = c`, `a: T = b`."""
    targets: list[tree_sitter.Node] = []
    at: tree_sitter.Node | None = node
    annotated = None
    while at is not None and r.kind(at) == "assignment":
        targets.append(r.child(at, r.fields.left))
        annotated = annotated or at.child_by_field_id(r.fields.type)
        at = at.child_by_field_id(r.fields.right)
    value = r.maybe(at)
    if len(targets) > 1:
        value = r.kept(value)
    for left in targets:
        to = target(r, left)
        if value is not NOTHING or (at is not None and isinstance(to, ir.Name | ir.Table)):
            r.emit(ir.Assign(to, value))
        type_ = annotation(r, annotated, r.frame)
        known = declared(type_) if type_ is not None else None
        if known is not None and (isinstance(known, ir.Instance) or value is NOTHING):
            r.emit(ir.Assign(to, known))
    return NOTHING


def augmented(r: Reader, node: tree_sitter.Node) -> ir.Expression:
    """Read `a += b`: what a was, or b."""
    value, to = r.value(r.child(node, r.fields.right)), target(r, r.child(node, r.fields.left))
    if value is not NOTHING:
        r.emit(ir.Assign(to, either([to, value])))
    return NOTHING


def return_(r: Reader, node: tree_sitter.Node) -> ir.Expression:
    """Read `return x`."""
    value = first(r, node)
    if value is not NOTHING:
        r.emit(ir.Return(value))
    return NOTHING


def raise_(r: Reader, node: tree_sitter.Node) -> ir.Expression:
    """Read `raise X`: a class is made an instance of."""
    for child in node.named_children:
        value = r.value(child)
        if r.kind(child) in ("identifier", "attribute"):
            value = ir.Call(value, (), *r.place(child), is_new=True, is_implied=True)
        r.do(value)
    return NOTHING


def global_(r: Reader, node: tree_sitter.Node) -> ir.Expression:
    """Read `global a, b` and `nonlocal a`."""
    is_global = r.kind(node) == "global_statement"
    names = r.frame.global_names if is_global else r.frame.outer_names
    names |= dict.fromkeys(r.cut(child) for child in node.named_children if r.kind(child) == "identifier")
    return NOTHING


def type_alias(r: Reader, node: tree_sitter.Node) -> ir.Expression:
    """Read `type A = B`."""
    found = annotation(r, r.child(node, r.fields.right), r.frame)
    name = r.cut(r.child(node, r.fields.left))
    if found is not None and name.isidentifier():
        r.emit(ir.Assign(r.name(name), found))
    return NOTHING


# --- control flow ---


def for_(r: Reader, node: tree_sitter.Node) -> ir.Expression:
    """Read a loop over elements."""
    source = r.kept(r.value(r.child(node, r.fields.right)))
    r.emit(ir.Assign(target(r, r.child(node, r.fields.left)), ir.Elements(source)))
    for field in (r.fields.body, r.fields.alternative):
        r.do(r.maybe(node.child_by_field_id(field)))
    return NOTHING


def handler(r: Reader, node: tree_sitter.Node) -> ir.Expression:
    """Read an `except` clause."""
    for child in r.children(node):
        if r.kind(child) == "block":
            r.value(child)
            continue
        alias = child.child_by_field_id(r.fields.alias) if r.kind(child) == "as_pattern" else None
        caught = child.named_children[0] if alias is not None else child
        nodes = caught.named_children if r.kind(caught) == "tuple" else [caught]
        types = [r.value(each) for each in nodes if r.kind(each) in ("identifier", "attribute")]
        for each in types:
            r.emit(ir.Use(each, r.line(child)))
        if alias is not None and types:
            r.emit(ir.Assign(target(r, alias), declared(either(types))))
    return NOTHING


def with_item(r: Reader, node: tree_sitter.Node) -> ir.Expression:
    """Read `with a as b`: what entering a gives is b."""
    value = r.child(node, r.fields.value)
    alias = value.child_by_field_id(r.fields.alias) if r.kind(value) == "as_pattern" else None
    source = value.named_children[0] if alias is not None else value
    line, column = r.place(source)
    held = r.kept(r.value(source))
    if held is NOTHING:
        return NOTHING
    clause = node.parent
    is_async = clause is not None and clause.parent is not None and r.text.startswith("async", clause.parent.start_byte)
    enter, leave = ("__aenter__", "__aexit__") if is_async else ("__enter__", "__exit__")
    entered = ir.Call(ir.Member(held, enter, line), (), line, column, is_implied=True)
    if alias is not None:
        r.emit(ir.Assign(target(r, alias), entered))
    else:
        r.do(entered)
    return ir.Call(ir.Member(held, leave, line), (ir.Argument(NOTHING),) * 3, line, column, is_implied=True)


READERS: dict[str, Handler] = {
    "import_statement": import_,
    "import_from_statement": import_from,
    "assignment": assignment,
    "augmented_assignment": augmented,
    "return_statement": return_,
    "raise_statement": raise_,
    **dict.fromkeys(
        ("pass_statement", "break_statement", "continue_statement", "future_import_statement", "keyword_pattern"),
        nothing,
    ),
    **dict.fromkeys(("global_statement", "nonlocal_statement"), global_),
    "type_alias_statement": type_alias,
    **dict.fromkeys(("except_clause", "except_group_clause"), handler),
    "for_statement": for_,
    "with_item": with_item,
    **dict.fromkeys(
        """module block expression_statement if_statement elif_clause else_clause while_statement try_statement
        finally_clause with_statement with_clause match_statement case_clause if_clause""".split(),
        statements,
    ),
}
