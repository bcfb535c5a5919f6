"""Statement: declarations, and the ways through a function that conditions and loops make."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.code.resolve.javascript.binding import Block
from recollect.code.resolve.javascript.declared import annotation, declared
from recollect.code.resolve.javascript.function import bound, hoist
from recollect.code.resolve.javascript.pattern import bind
from recollect.code.resolve.javascript.reader import NOTHING, Handler, Reader
from recollect.code.resolve.program import Assign, Elements, Expression, Return

if TYPE_CHECKING:
    from collections.abc import Iterable

    import tree_sitter

HOISTED = ("function_declaration", "generator_function_declaration")
WHOLE = 1 << 30  # beyond the last statement of any scope
BEFORE = frozenset((*HOISTED, "export_statement"))


def statements(r: Reader, nodes: Iterable[tree_sitter.Node]) -> None:
    """Read the statements of a block, its functions first; of two functions with one name the last counts."""
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
    """Read what stands in braces; the body of a function shares the names of its parameters."""
    if r.block is r.frame.block and not r.frame.is_begun:
        r.frame.is_begun = True
        statements(r, node.named_children)
        return NOTHING
    outer = r.block
    r.block = Block(outer, r.frame)
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
    said = node.child_by_field_id(r.fields.type)
    if target is None:
        return
    is_name = r.kind(target) == "identifier"
    name = r.cut(target) if is_name else ""
    is_again = kind == "var" and value is None and name in r.frame.block.names
    if is_again:
        return
    found = bound(r, value, name, is_variable=True) if value is not None else NOTHING
    bind(r, target, found, kind)
    type_ = annotation(r, said) if said is not None else None
    if type_ is not None and is_name:
        r.emit(Assign(r.read(name), declared(type_)))


def type_alias(r: Reader, node: tree_sitter.Node) -> Expression:
    """Read `type A = B`."""
    own, value = node.child_by_field_id(r.fields.name), node.child_by_field_id(r.fields.value)
    said = annotation(r, value) if value is not None else None
    if own is not None and said is not None:
        r.emit(Assign(r.name(r.declare(r.cut(own)).name), said))
    return NOTHING


def ambient(r: Reader, node: tree_sitter.Node) -> Expression:
    """Read `declare …`."""
    statements(r, node.named_children)
    return NOTHING


# --- ways -------------------------------------------------------------------------------------------------------------


def if_(r: Reader, node: tree_sitter.Node) -> Expression:
    """Read a condition; `else if` goes on beside it, not inside."""
    frame, fields = r.frame, r.fields
    ways = []
    at = node
    while True:
        asked, then = at.child_by_field_id(fields.condition), at.child_by_field_id(fields.consequence)
        if asked is not None:
            r.do(r.value(asked))
        entry, was_over, start = dict(frame.versions), frame.is_over, len(frame.body)
        if then is not None:
            r.do(r.value(then))
        frame.unsure(start)
        ways.append((frame.versions, frame.is_over))
        frame.versions, frame.is_over = entry, was_over
        clause = at.child_by_field_id(fields.alternative)
        inner = [child for child in clause.named_children if r.kind(child) != "comment"] if clause is not None else []
        if inner and r.kind(inner[0]) == "if_statement":
            at = inner[0]
            continue
        start = len(frame.body)
        if inner:
            r.do(r.value(inner[0]))
        frame.unsure(start)
        ways.append((frame.versions, frame.is_over))
        break
    frame.join(ways)
    if any(is_over for _, is_over in ways):  # what follows may not be reached
        frame.ways.append((len(frame.body), WHOLE, False))
    return NOTHING


def _loop(r: Reader, nodes: Iterable[tree_sitter.Node | None]) -> None:
    """Read what may happen any number of times."""
    frame = r.frame
    entry, was_over, start = dict(frame.versions), frame.is_over, len(frame.body)
    frame.exits.append([])
    for node in nodes:
        if node is not None:
            r.do(r.value(node))
    frame.unsure(start, is_repeated=True)
    exits = frame.exits.pop()
    ways = [(entry, was_over), (frame.versions, frame.is_over), *[(versions, False) for versions in exits]]
    for versions, is_over in ways[1:]:
        if not is_over:
            frame.versions = versions
            frame.lead_back(entry)
    frame.join(ways)


def while_(r: Reader, node: tree_sitter.Node) -> Expression:
    """Read `while` and `do`."""
    _loop(r, (node.child_by_field_id(r.fields.condition), node.child_by_field_id(r.fields.body)))
    return NOTHING


def for_(r: Reader, node: tree_sitter.Node) -> Expression:
    """Read `for (;;)`."""
    fields = r.fields
    outer = r.block
    r.block = Block(outer, r.frame)
    begin = node.child_by_field_id(fields.initializer)
    if begin is not None:
        r.do(r.value(begin))
    _loop(r, [node.child_by_field_id(each) for each in (fields.condition, fields.body, fields.increment)])
    r.block = outer
    return NOTHING


def for_in(r: Reader, node: tree_sitter.Node) -> Expression:
    """Read `for (a of b)` and `for (a in b)`; keys are worth nothing."""
    fields = r.fields
    left, right = node.child_by_field_id(fields.left), node.child_by_field_id(fields.right)
    kind, operator = node.child_by_field_id(fields.kind), node.child_by_field_id(fields.operator)
    if left is None or right is None:
        return r.parts(node.named_children)
    value = r.value(right)
    outer = r.block
    r.block = Block(outer, r.frame)
    is_of = operator is not None and operator.type == "of"
    if not is_of:
        r.do(value)
    start = len(r.frame.body)
    bind(r, left, Elements(value) if is_of else NOTHING, r.cut(kind) if kind is not None else "")
    r.frame.unsure(start, is_repeated=True)
    _loop(r, (node.child_by_field_id(fields.body),))
    r.block = outer
    return NOTHING


def switch(r: Reader, node: tree_sitter.Node) -> Expression:
    """Read `switch`: every case may be the first, and may come after the one before."""
    frame, fields = r.frame, r.fields
    asked, body = node.child_by_field_id(fields.value), node.child_by_field_id(fields.body)
    if asked is not None:
        r.do(r.value(asked))
    entry, was_over, start = dict(frame.versions), frame.is_over, len(frame.body)
    frame.exits.append([])
    outer = r.block
    r.block = Block(outer, r.frame)
    has_default = False
    for case in body.named_children if body is not None else ():
        has_default = has_default or r.kind(case) == "switch_default"
        frame.join([(entry, was_over), (frame.versions, frame.is_over)])
        value = case.child_by_field_id(fields.value)
        inner = case.named_children
        if value is not None:
            r.do(r.value(value))
            inner = inner[1:]
        statements(r, inner)
    r.block = outer
    frame.unsure(start)
    ways = [(frame.versions, frame.is_over), *[(versions, False) for versions in frame.exits.pop()]]
    frame.join(ways if has_default else [(entry, was_over), *ways])
    return NOTHING


def try_(r: Reader, node: tree_sitter.Node) -> Expression:
    """Read `try`: what is caught may come from before it or from its end."""
    frame, fields = r.frame, r.fields
    body, handler = node.child_by_field_id(fields.body), node.child_by_field_id(fields.handler)
    entry, was_over, start = dict(frame.versions), frame.is_over, len(frame.body)
    if body is not None:
        r.value(body)
    after = (frame.versions, frame.is_over)
    if handler is not None:
        frame.join([(entry, was_over), (after[0], was_over)])
        outer = r.block
        r.block = Block(outer, r.frame)
        caught, inner = handler.child_by_field_id(fields.parameter), handler.child_by_field_id(fields.body)
        if caught is not None:
            bind(r, caught, NOTHING, "let")
        if inner is not None:
            r.value(inner)
        r.block = outer
        frame.join([after, (frame.versions, frame.is_over)])
    frame.unsure(start)
    last = node.child_by_field_id(fields.finalizer)
    if last is not None:
        was_over = frame.is_over
        r.value(last)
        frame.is_over = frame.is_over or was_over
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
    r.frame.is_over = True
    return NOTHING


def throw(r: Reader, node: tree_sitter.Node) -> Expression:
    """Read `throw`."""
    r.do(r.parts(node.named_children))
    r.frame.is_over = True
    return NOTHING


def jump(r: Reader, node: tree_sitter.Node) -> Expression:
    """Read `break` and `continue`."""
    r.frame.jump()
    return NOTHING


def labeled(r: Reader, node: tree_sitter.Node) -> Expression:
    """Read a statement with a label."""
    body = node.child_by_field_id(r.fields.body)
    if body is not None:
        frame = r.frame
        frame.exits.append([])
        r.do(r.value(body))
        frame.join([(frame.versions, frame.is_over), *[(versions, False) for versions in frame.exits.pop()]])
    return NOTHING


READERS: dict[str, Handler] = {
    "program": program,
    "statement_block": block,
    "expression_statement": expression,
    "variable_declaration": variables,
    "lexical_declaration": variables,
    "type_alias_declaration": type_alias,
    "ambient_declaration": ambient,
    "if_statement": if_,
    "while_statement": while_,
    "do_statement": while_,
    "for_statement": for_,
    "for_in_statement": for_in,
    "switch_statement": switch,
    "try_statement": try_,
    "return_statement": return_,
    "throw_statement": throw,
    "break_statement": jump,
    "continue_statement": jump,
    "labeled_statement": labeled,
}
