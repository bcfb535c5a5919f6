"""Programs of JavaScript and TypeScript files: the entry of the front end, and statements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from recollect.code.index import page as grammars
from recollect.code.index.languages import detect
from recollect.code.index.page import Page, parse
from recollect.code.index.symbols import Symbol
from recollect.code.links import javascript_expressions, javascript_functions, javascript_modules
from recollect.code.links import program as ir
from recollect.code.links.javascript_functions import bind
from recollect.code.links.javascript_reader import FIELDS, Handler, Reader, annotation
from recollect.code.links.tree_reader import (
    NOTHING,
    Block,
    by_end,
    declared,
    first,
    grammar,
    in_block,
    nothing,
    statements,
)

if TYPE_CHECKING:
    import tree_sitter


def variables(r: Reader, node: tree_sitter.Node) -> ir.Expression:
    """Read `const a = b, c = d`."""
    kind = "var" if r.text.startswith("var", node.start_byte) else "let"
    for child in node.named_children:
        if r.kind(child) == "variable_declarator":
            _declarator(r, child, kind)
    return NOTHING


def _declarator(r: Reader, node: tree_sitter.Node, kind: str) -> None:
    target, value = r.child(node, r.fields.name), node.child_by_field_id(r.fields.value)
    type_ = node.child_by_field_id(r.fields.type)
    bind(r, target, r.maybe(value), kind)
    annotated = annotation(r, type_) if type_ is not None and r.kind(target) == "identifier" else None
    if annotated is not None:
        r.emit(ir.Assign(r.value(target), declared(annotated)))


def type_alias(r: Reader, node: tree_sitter.Node) -> ir.Expression:
    """Read `type A = B`."""
    annotated = annotation(r, r.child(node, r.fields.value))
    if annotated is not None:
        r.define(r.field_text(node, r.fields.name), annotated)
    return NOTHING


def for_in(r: Reader, node: tree_sitter.Node) -> ir.Expression:
    """Read `for (a of b)` and `for (a in b)`; keys are worth nothing."""
    left, right = r.child(node, r.fields.left), r.child(node, r.fields.right)
    operator = node.child_by_field_id(r.fields.operator)
    value = r.value(right)
    outer = r.block
    r.block = Block(outer)
    is_of = operator is not None and operator.type == "of"
    if not is_of:
        r.do(value)
    bind(r, left, ir.Elements(value) if is_of else NOTHING, r.field_text(node, r.fields.kind))
    r.do(r.maybe(node.child_by_field_id(r.fields.body)))
    r.block = outer
    return NOTHING


def catch(r: Reader, node: tree_sitter.Node) -> ir.Expression:
    """Read a handler."""
    caught = node.child_by_field_id(r.fields.parameter)
    outer = r.block
    r.block = Block(outer)
    if caught is not None:
        bind(r, caught, NOTHING, "let")
    r.do(r.maybe(node.child_by_field_id(r.fields.body)))
    r.block = outer
    return NOTHING


def return_(r: Reader, node: tree_sitter.Node) -> ir.Expression:
    """Read `return`."""
    if node.named_child_count:
        r.emit(ir.Return(first(r, node)))
    return NOTHING


LANGUAGES = ("javascript", "typescript", "tsx")
HEAD_BYTES = 128  # a first line that names an interpreter
READERS: tuple[tuple[str, Handler], ...] = tuple(
    {
        **javascript_expressions.READERS,
        **javascript_functions.READERS,
        **javascript_modules.READERS,
        "variable_declaration": variables,
        "lexical_declaration": variables,
        "type_alias_declaration": type_alias,
        "for_in_statement": for_in,
        "catch_clause": catch,
        "return_statement": return_,
        **dict.fromkeys(
            ("expression_statement", "ambient_declaration", "switch_body", "switch_case", "switch_default"), statements
        ),
        **dict.fromkeys(
            "if_statement else_clause while_statement do_statement for_statement switch_statement try_statement "
            "finally_clause labeled_statement".split(),
            in_block,
        ),
        **dict.fromkeys(("break_statement", "continue_statement"), nothing),
    }.items()
)


def unit(source: bytes, path: str, symbols: Sequence[Symbol], language: str = "") -> ir.Unit:
    """Return the program of a JavaScript, TypeScript or TSX file.

    symbols: those of the same file, whose places the scopes refer to
    language: default: the one that the path implies
    Never raises for the content of the file.
    """
    if not language:
        found = detect(path, source[:HEAD_BYTES])
        language = found.name if found is not None and found.name in LANGUAGES else LANGUAGES[0]
    page = Page(source)
    parsed = grammars.parsed(language)
    tree = parse(page, language)
    reader = Reader(page, grammar(parsed, READERS, FIELDS), by_end(page, symbols))
    reader.read_tree(tree.root_node)
    javascript_modules.close(reader)
    return ir.Unit(language, tuple([frame.scope() for frame in reader.frames]), notes=tuple(page.notes))
