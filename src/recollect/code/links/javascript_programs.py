"""Programs of JavaScript and TypeScript files: the entry of the front end, and statements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from recollect.code.index import page as grammars
from recollect.code.index.languages import detect
from recollect.code.index.page import Page, parse
from recollect.code.index.symbols import Symbol
from recollect.code.links import (
    javascript_expressions,
    javascript_functions,
    javascript_modules,
)
from recollect.code.links.javascript_functions import bind, bound, hoist
from recollect.code.links.javascript_reader import FIELDS, Handler, Reader
from recollect.code.links.javascript_types import annotation, declared
from recollect.code.links.program import Assign, Elements, Expression, Return, Unit
from recollect.code.links.tree_reader import NOTHING, Block, by_end, grammar, in_block, nothing

if TYPE_CHECKING:
    from collections.abc import Iterable

    import tree_sitter

HOISTED = ("function_declaration", "generator_function_declaration")
BEFORE = frozenset((*HOISTED, "export_statement"))


def statements(r: Reader, nodes: Iterable[tree_sitter.Node]) -> None:
    """Read the statements of a block, its functions first."""
    every = list(nodes)
    kinds = r.kinds
    if any(kinds[node.kind_id] in BEFORE for node in every):
        _hoist(r, every)
    value = r.value
    for node in every:
        found = value(node)
        if found is not NOTHING:
            r.do(found)


def _hoist(r: Reader, nodes: Iterable[tree_sitter.Node]) -> None:
    functions: dict[str, tree_sitter.Node] = {}
    for node in nodes:
        inner: tree_sitter.Node | None = node
        if r.kind(node) == "export_statement":
            inner = node.child_by_field_id(r.fields.declaration)
        if inner is not None and r.kind(inner) in HOISTED:
            own = inner.child_by_field_id(r.fields.name)
            functions[r.cut(own) if own is not None else ""] = inner
    for inner in functions.values():
        hoist(r, inner)


def block(r: Reader, node: tree_sitter.Node) -> Expression:
    """Read a block; the body of a function shares the names of its parameters."""
    if r.block is r.frame.block and not r.frame.is_begun:
        r.frame.is_begun = True
        statements(r, node.named_children)
        return NOTHING
    outer = r.block
    r.block = Block(outer)
    statements(r, node.named_children)
    r.block = outer
    return NOTHING


def program(r: Reader, node: tree_sitter.Node) -> Expression:
    """Read a whole file."""
    r.frame.is_begun = True
    statements(r, node.named_children)
    return NOTHING


def expression(r: Reader, node: tree_sitter.Node) -> Expression:
    """Read an expression that stands alone."""
    for child in node.named_children:
        kind = r.kind(child)
        if kind != "comment":
            r.is_used = kind != "assignment_expression"
            r.do(r.value(child))
            r.is_used = True
    return NOTHING


# --- declarations -----------------------------------------------------------------------------------------------------


def variables(r: Reader, node: tree_sitter.Node) -> Expression:
    """Read `const a = b, c = d`."""
    kind = r.text[node.start_byte : node.start_byte + 5].split()[0]
    kind = kind if kind in ("var", "let", "const") else "let"
    for child in node.named_children:
        if r.kind(child) == "variable_declarator":
            _declarator(r, child, kind)
    return NOTHING


def _declarator(r: Reader, node: tree_sitter.Node, kind: str) -> None:
    target, value = node.child_by_field_id(r.fields.name), node.child_by_field_id(r.fields.value)
    annotated = node.child_by_field_id(r.fields.type)
    if target is None:
        return
    is_name = r.kind(target) == "identifier"
    name = r.cut(target) if is_name else ""
    is_again = kind == "var" and value is None and name in r.frame.block.names
    if is_again:
        return
    found = bound(r, value, name, is_variable=True) if value is not None else NOTHING
    bind(r, target, found, kind)
    type_ = annotation(r, annotated) if annotated is not None else None
    if type_ is not None and is_name:
        r.emit(Assign(r.read(name), declared(type_)))


def type_alias(r: Reader, node: tree_sitter.Node) -> Expression:
    """Read `type A = B`."""
    own, value = node.child_by_field_id(r.fields.name), node.child_by_field_id(r.fields.value)
    annotated = annotation(r, value) if value is not None else None
    if own is not None and annotated is not None:
        r.emit(Assign(r.name(r.declare(r.cut(own)).name), annotated))
    return NOTHING


def ambient(r: Reader, node: tree_sitter.Node) -> Expression:
    """Read `declare …`."""
    statements(r, node.named_children)
    return NOTHING


# --- control flow -----------------------------------------------------------------------------------------------------


def for_in(r: Reader, node: tree_sitter.Node) -> Expression:
    """Read `for (a of b)` and `for (a in b)`; keys are worth nothing."""
    fields = r.fields
    left, right = node.child_by_field_id(fields.left), node.child_by_field_id(fields.right)
    kind, operator = node.child_by_field_id(fields.kind), node.child_by_field_id(fields.operator)
    body = node.child_by_field_id(fields.body)
    if left is None or right is None:
        return r.parts(node.named_children)
    value = r.value(right)
    outer = r.block
    r.block = Block(outer)
    is_of = operator is not None and operator.type == "of"
    if not is_of:
        r.do(value)
    bind(r, left, Elements(value) if is_of else NOTHING, r.cut(kind) if kind is not None else "")
    if body is not None:
        r.do(r.value(body))
    r.block = outer
    return NOTHING


def case(r: Reader, node: tree_sitter.Node) -> Expression:
    """Read a case of a `switch`, whose cases share one block."""
    value = node.child_by_field_id(r.fields.value)
    if value is not None:
        r.do(r.value(value))
    statements(r, node.named_children[value is not None :])
    return NOTHING


def switch_body(r: Reader, node: tree_sitter.Node) -> Expression:
    """Read the cases of a `switch`."""
    for child in node.named_children:
        r.do(r.value(child))
    return NOTHING


def catch(r: Reader, node: tree_sitter.Node) -> Expression:
    """Read a handler."""
    caught, inner = node.child_by_field_id(r.fields.parameter), node.child_by_field_id(r.fields.body)
    outer = r.block
    r.block = Block(outer)
    if caught is not None:
        bind(r, caught, NOTHING, "let")
    if inner is not None:
        r.value(inner)
    r.block = outer
    return NOTHING


def return_(r: Reader, node: tree_sitter.Node) -> Expression:
    """Read `return`."""
    for child in node.named_children:
        if r.kind(child) != "comment":
            value = r.value(child)
            if r.frame.kind == "function":
                r.emit(Return(value))
            else:
                r.do(value)
            break
    return NOTHING


LANGUAGES = ("javascript", "typescript", "tsx")
HEAD_BYTES = 128  # a first line that names an interpreter
READERS: tuple[tuple[str, Handler], ...] = tuple(
    {
        **javascript_expressions.READERS,
        **javascript_functions.READERS,
        **javascript_modules.READERS,
        "program": program,
        "statement_block": block,
        "expression_statement": expression,
        "variable_declaration": variables,
        "lexical_declaration": variables,
        "type_alias_declaration": type_alias,
        "ambient_declaration": ambient,
        "for_in_statement": for_in,
        "switch_body": switch_body,
        "switch_case": case,
        "switch_default": case,
        "catch_clause": catch,
        "return_statement": return_,
        **dict.fromkeys(
            "if_statement else_clause while_statement do_statement for_statement switch_statement try_statement "
            "finally_clause labeled_statement".split(),
            in_block,
        ),
        **dict.fromkeys(("break_statement", "continue_statement"), nothing),
    }.items()
)


def unit(source: bytes, path: str, symbols: Sequence[Symbol], language: str = "") -> Unit:
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
    return Unit(language, tuple([frame.scope() for frame in reader.frames]), notes=tuple(page.notes))
