"""Function: what is called: declarations, expressions, arrows, methods, and their parameters.

Functions are named as people would point at them. Where nothing names one, arrows are `<arrow1>`, `<arrow2>` in the
order of the scope around, other functions `<function1>`; so are arrows that only a variable names, like a lambda of
Python.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from recollect.code.resolve.javascript.declared import annotation, declared
from recollect.code.resolve.javascript.pattern import bind
from recollect.code.resolve.javascript.reader import NOTHING, PLAIN, Function, Handler, Reader
from recollect.code.resolve.program import Assign, Code, Either, Expression, Member, Name, Parameter, Return, This

if TYPE_CHECKING:
    import tree_sitter

    from recollect.code.resolve.javascript.binding import Frame

FUNCTIONS = ("function_expression", "generator_function", "arrow_function", "function")
WRAPPED = ("parenthesized_expression", "as_expression", "satisfies_expression", "non_null_expression")
CLASSES = ("class", "class_declaration", "abstract_class_declaration")
# `exports.f`, `this.f` and `A.prototype.f` are pointed at as f, f and A.f.
OWNERLESS = re.compile(r"^(?:(?:module\.)?exports|this|self|window|globalThis|global)(?:\.|$)|\.prototype(?=\.|$)")
DOTTED = re.compile(r"[\w$.#]+$")


def bound(r: Reader, node: tree_sitter.Node, name: str, label: str = "", *, is_variable: bool = False) -> Expression:
    """Return what a node is worth that gets a name: a function is called so.

    name: the last part, by which symbols know it; label: with what stands before
    """
    inner = node
    while r.kind(inner) in WRAPPED and inner.named_child_count:
        inner = inner.named_children[0]
    kind = r.kind(inner)
    if kind in FUNCTIONS:
        return function(r, inner, name, label or name, is_variable=is_variable)
    if kind in CLASSES:
        from recollect.code.resolve.javascript.classes import class_value

        return class_value(r, inner, name, label or name)
    if kind in ("call_expression", "object"):
        r.hint, r.label = name, label or name
        value = r.value(node)
        r.hint = r.label = ""
        return value
    return r.value(node)


def label_of(text: str) -> str:
    """Return what a function is called that is assigned to this: `A.prototype.run` makes A.run."""
    return OWNERLESS.sub("", text).strip(".") if DOTTED.match(text) else ""


def function(r: Reader, node: tree_sitter.Node, name: str, label: str, *, is_variable: bool = False) -> Code:
    """Return the code of a function whose body is read later."""
    own = node.child_by_field_id(r.fields.name)
    is_arrow = r.kind(node) == "arrow_function"
    symbol = name
    if own is not None:
        label = name = r.cut(own)
        symbol = symbol or name
    elif is_arrow and (is_variable or not label):
        label = r.frame.numbered("arrow")
    elif not label:
        label = r.frame.numbered("function")
    frame = r.open("function", r.frame.prefix + label, node, symbol=symbol)
    if frame.symbol < 0 and own is not None:
        frame.symbol = r.symbols.get((node.end_byte, name), -1)
    body = node.child_by_field_id(r.fields.body)
    frame.marks = _marks(r, node, body, is_arrow=is_arrow)
    if own is not None:  # a named expression knows itself
        variable = frame.declare(frame.block, name)
        frame.body.append(Assign(Name(variable.name), Code(frame.place)))
    r.queue.append(Function(frame, node))
    return Code(frame.place)


def _marks(r: Reader, node: tree_sitter.Node, body: tree_sitter.Node | None, *, is_arrow: bool) -> tuple[str, ...]:
    kind = r.kind(node)
    marks = ["arrow"] if is_arrow else []
    if r.text.startswith("async", node.start_byte):
        marks.append("async")
    if kind in ("generator_function", "generator_function_declaration"):
        marks.append("generator")
    return tuple(marks)


def anonymous(r: Reader, node: tree_sitter.Node) -> Expression:
    """Read a function expression that nothing gives a name."""
    return function(r, node, "", "")


def declaration(r: Reader, node: tree_sitter.Node) -> Expression:
    """Read a function declaration; the block around has declared its name when it began, see `hoist`."""
    return NOTHING


def hoist(r: Reader, node: tree_sitter.Node, *, name: str = "") -> None:
    """Declare a function and give it its value, where its block begins."""
    own = node.child_by_field_id(r.fields.name)
    name = r.cut(own) if own is not None else name
    frame = r.open("function", r.frame.prefix + name, node, symbol=name)
    frame.marks = _marks(r, node, None, is_arrow=False)
    variable = r.declare(name)
    r.emit(Assign(r.name(variable.name), Code(frame.place)))
    r.queue.append(Function(frame, node))


def method(r: Reader, node: tree_sitter.Node, name: str, label: str, marks: tuple[str, ...]) -> Frame:
    """Return the scope of a method; whoever calls this puts it in the queue."""
    frame = r.open("function", label, node, symbol=name)
    frame.marks = marks
    return frame


def body(r: Reader, waiting: Function) -> None:
    """Read the parameters and the body of a function."""
    frame, node, fields = waiting
    before = r.enter(frame)
    parameters(r, node)
    returned = node.child_by_field_id(r.fields.return_type)
    if returned is not None:
        frame.returns = annotation(r, returned)
    for name, value in fields:
        r.emit(Assign(Member(This(), name), bound(r, value, name)))
    block = node.child_by_field_id(r.fields.body)
    if block is not None:
        result = r.value(block)
        if r.kind(block) != "statement_block":
            r.emit(Return(result))
    r.back(before)


# --- parameters -------------------------------------------------------------------------------------------------------


def parameters(r: Reader, node: tree_sitter.Node) -> None:
    """Read the parameters of a function into the scope, which is entered already."""
    single = node.child_by_field_id(r.fields.parameter)
    if single is not None:
        _parameter(r, single, None, None)
        return
    several = node.child_by_field_id(r.fields.parameters)
    for child in several.named_children if several is not None else ():
        kind = r.kind(child)
        if kind in ("required_parameter", "optional_parameter"):
            pattern = child.child_by_field_id(r.fields.pattern)
            value = child.child_by_field_id(r.fields.value)
            said = child.child_by_field_id(r.fields.type)
            if pattern is None or r.kind(pattern) == "this":
                continue
            _parameter(r, pattern, value, annotation(r, said) if said is not None else None)
            if r.kind(pattern) == "identifier" and child.start_byte < pattern.start_byte:
                _property(r, child, r.cut(pattern))
        elif kind != "comment" and kind != "decorator":
            _parameter(r, child, None, None)


def _parameter(r: Reader, node: tree_sitter.Node, default: tree_sitter.Node | None, said: Expression | None) -> None:
    if r.kind(node) == "assignment_pattern":
        left, default = node.child_by_field_id(r.fields.left), node.child_by_field_id(r.fields.right)
        if left is None:
            return
        node = left
    kind = ""
    if r.kind(node) == "rest_pattern" and node.named_child_count:
        node, kind = node.named_children[0], "*"
    name = r.cut(node) if r.kind(node) == "identifier" else r.temporary()
    plain = said if isinstance(said, (Name, Member)) else None
    value = r.value(default) if default is not None else None
    is_plain = value is None or isinstance(value, PLAIN)
    if r.kind(node) == "identifier":
        name = r.declare(name).name
    r.frame.parameters.append(Parameter(name, kind, value if is_plain else None, plain if kind == "" else None))
    if value is not None and not is_plain:
        r.emit(Assign(r.name(name), Either((r.name(name), value))))
    if said is not None and (plain is None or kind):
        r.emit(Assign(r.name(name), declared(said)))
    if r.kind(node) != "identifier":
        bind(r, node, Name(name), "let")


def _property(r: Reader, node: tree_sitter.Node, name: str) -> None:
    """Write what `constructor(private store: Store)` does beside taking an argument."""
    for child in node.children:
        if child.type in ("accessibility_modifier", "readonly", "override_modifier"):
            r.emit(Assign(Member(This(), name), r.read(name)))
            return


READERS: dict[str, Handler] = {
    **dict.fromkeys(FUNCTIONS, anonymous),
    "function_declaration": declaration,
    "generator_function_declaration": declaration,
    "function_signature": declaration,
}
