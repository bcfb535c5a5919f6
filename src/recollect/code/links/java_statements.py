"""Statements of Java: assignments and evaluated expressions.

Order and conditions do not matter; blocks do, since each has names of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from recollect.code.links.java_library import FAMILIES
from recollect.code.links.java_types import ARRAY, Type, declared, text, type_of
from recollect.code.links.java_values import (  # fmt: skip
    PATTERNS,
    arguments,
    array,
    bind,
    cast,
    position,
    take_apart,
    use,
    value,
    value_for,
    written,
)
from recollect.code.links.java_writer import DEEPEST, OPAQUE, Value, Writer, is_idle
from recollect.code.links.program import Assign, Call, Either, Expression, Item, Member, Name, Return, Super

if TYPE_CHECKING:
    from tree_sitter import Node

IDLE = frozenset({"line_comment", "block_comment", "modifiers", "break_statement", "continue_statement", ";"})


def statement(w: Writer, node: Node) -> None:
    """Write what a statement does."""
    kind = node.type
    if kind in IDLE or w.depth >= DEEPEST:
        return
    w.depth += 1
    reader = w.tables.statements.get(kind)
    if reader is not None:
        reader(w, node)
    elif kind in w.tables.values:
        w.do(value(w, node).code)
    else:
        for each in node.named_children:
            statement(w, each)
    w.depth -= 1


def block(w: Writer, node: Node) -> None:
    """Write the statements of a block, which has names of its own."""
    function = w.function()
    function.blocks.append({})
    for each in node.named_children:
        statement(w, each)
    function.blocks.pop()


def _expression(w: Writer, node: Node) -> None:
    for each in node.named_children:
        w.do(value(w, each).code)


def _declaration(w: Writer, node: Node) -> None:
    for each in node.children_by_field_name("declarator"):
        name, given_node = each.child_by_field_name("name"), each.child_by_field_name("value")
        if name is None:
            continue
        type = w.solid(declared(w.page, node, each))
        if given_node is None:
            w.function().declare(text(w.page, name), type)
            continue
        given = array(w, given_node, type) if given_node.type == "array_initializer" else value_for(w, given_node, type)
        is_said = type is not None and (given.type is None or given.type.name != type.name or type.arguments)
        unique = w.function().declare(text(w.page, name), type if is_said else given.type)
        if w.is_final(type):
            w.do(given.code)
        elif not is_idle(given.code):
            w.emit(Assign(Name(unique), cast(w, given.code, type, given.type)))


def _return(w: Writer, node: Node) -> None:
    for each in node.named_children:
        function = w.function()
        given = value_for(w, each, function.returns)
        if w.is_final(function.returns):
            w.do(given.code)
        elif not is_idle(given.code):
            w.emit(Return(given.code))


def _each(w: Writer, node: Node) -> None:
    """Write `for (Foo foo : all)`: elements of a collection, else of its iterator."""
    w.function().blocks.append({})
    over = value(w, node.child_by_field_name("value"))
    name = node.child_by_field_name("name")
    type = type_of(w.page, node.child_by_field_name("type"))
    held = over.type.element() if over.type else None
    if name is not None:
        element: Expression = Item(over.code) if not is_idle(over.code) else OPAQUE
        if over.type is not None and over.type.name != ARRAY and not _holds(w, over.type):
            element = Either((element, _iterated(w, over.code, node)))
        bind(w, text(w.page, name), element, type or held)
    body = node.child_by_field_name("body")
    if body is not None:
        statement(w, body)
    w.function().blocks.pop()


def _holds(w: Writer, type: Type) -> bool:
    return type.name.rpartition(".")[2] in FAMILIES and w.find_class(type.name) is None


def _iterated(w: Writer, code: Expression, node: Node) -> Expression:
    """Return what an object's own iterator gives."""
    line, column = position(node)
    iterator = Call(Member(code, "iterator", line), (), line, column)
    w.do(Call(Member(iterator, "hasNext", line), (), line, column))
    return Call(Member(iterator, "next", line), (), line, column)


def _if(w: Writer, node: Node) -> None:
    """Write an `if` with all its branches, each in a block of its own."""
    function = w.function()
    rest: Node | None = node
    while rest is not None and rest.type == "if_statement":  # else if, else if, …
        condition, holds = rest.child_by_field_name("condition"), rest.child_by_field_name("consequence")
        w.do(value(w, condition).code)
        function.blocks.append({})
        if holds is not None:
            statement(w, holds)
        function.blocks.pop()
        rest = rest.child_by_field_name("alternative")
    if rest is not None:
        statement(w, rest)


def _for(w: Writer, node: Node) -> None:
    w.function().blocks.append({})
    for each in node.named_children:
        statement(w, each)
    w.function().blocks.pop()


def _try(w: Writer, node: Node) -> None:
    function = w.function()
    function.blocks.append({})
    for each in node.named_children:
        if each.type == "resource_specification":
            for resource in each.named_children:
                _resource(w, resource)
        else:
            statement(w, each)
    function.blocks.pop()


def _resource(w: Writer, node: Node) -> None:
    """Write a resource, which is closed in the end."""
    if node.type != "resource":
        return
    name = node.child_by_field_name("name")
    line, column = position(node)
    if name is None:
        held = value(w, node.named_children[0]).code if node.named_children else OPAQUE
    else:
        type = w.solid(type_of(w.page, node.child_by_field_name("type")))
        given = value_for(w, node.child_by_field_name("value"), type)
        bind(w, text(w.page, name), given.code, type or given.type)
        held = value(w, name).code
    if not is_idle(held):
        w.do(Call(Member(held, "close", line), (), line, column))


def _catch(w: Writer, node: Node) -> None:
    w.function().blocks.append({})
    for each in node.named_children:
        if each.type != "catch_formal_parameter":
            statement(w, each)
            continue
        name = each.child_by_field_name("name")
        caught = next((child for child in each.named_children if child.type == "catch_type"), None)
        types = [type_of(w.page, child) for child in caught.named_children] if caught else []
        for type in types:
            use(w, type, each)
        if name is not None:
            bind(w, text(w.page, name), OPAQUE, types[0] if len(types) == 1 else None)
    w.function().blocks.pop()


def _constructor_call(w: Writer, node: Node) -> None:
    """Write `this(…)` and `super(…)`."""
    which = node.child_by_field_name("constructor")
    given = [value_for(w, each, None) for each in written(node.child_by_field_name("arguments"))]
    line, column = position(node)
    owner = Super() if which is not None and which.type == "super" else w.this()
    w.do(Call(Member(owner, "<init>", line), arguments(w, given), line, column))


def switch(w: Writer, node: Node) -> Value:
    """Write a switch; its value is that of one branch."""
    matched = value(w, node.child_by_field_name("condition"))
    w.do(matched.code)
    function = w.function()
    function.blocks.append({})
    function.yields.append([])
    body = node.child_by_field_name("body")
    for branch in body.named_children if body else ():
        _branch(w, branch, matched)
    function.blocks.pop()
    given = function.yields.pop()
    busy = tuple(each.code for each in given if not is_idle(each.code))
    type = next((each.type for each in given if each.type), None)
    return Value(Either(busy) if busy else OPAQUE, type)


def _branch(w: Writer, branch: Node, matched: Value) -> None:
    function = w.function()
    if branch.type == "switch_rule":
        function.blocks.append({})
    for each in branch.named_children:
        if each.type == "switch_label":
            _label(w, each, matched)
        elif branch.type == "switch_rule" and each.type == "expression_statement":
            function.yields[-1] += [value(w, inner) for inner in each.named_children]
            w.do(function.yields[-1][-1].code)
        else:
            statement(w, each)
    if branch.type == "switch_rule":
        function.blocks.pop()


def _label(w: Writer, node: Node, matched: Value) -> None:
    for each in node.named_children:
        if each.type in PATTERNS or each.type == "pattern":
            take_apart(w, each, matched)
        elif each.type != "identifier":  # a constant of an enum is no variable here
            w.do(value(w, each).code)


def _yield(w: Writer, node: Node) -> None:
    function = w.function()
    for each in node.named_children:
        found = value(w, each)
        if function.yields:
            function.yields[-1].append(found)
        w.do(found.code)


def _switch(w: Writer, node: Node) -> None:
    switch(w, node)


STATEMENTS: dict[str, Callable[[Writer, Node], None]] = {
    "block": block,
    "constructor_body": block,
    "expression_statement": _expression,
    "local_variable_declaration": _declaration,
    "return_statement": _return,
    "enhanced_for_statement": _each,
    "for_statement": _for,
    "if_statement": _if,
    "try_statement": _try,
    "try_with_resources_statement": _try,
    "catch_clause": _catch,
    "explicit_constructor_invocation": _constructor_call,
    "switch_expression": _switch,
    "yield_statement": _yield,
}
