"""Function: lambdas and method references, which are objects with one method.

    x -> x.run()       a function that takes x
    Task::run          x → x.run(), or Task.run(x) where run is static
    this::go, t::go    … → this.go(…), t.go(…)
    Task::new          … → new Task(…)

A method reference is written as the lambda that it abbreviates.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.code.links.java_library import TAKES
from recollect.code.links.java_types import ARRAY, CLASS, Method, Shape, Type, parameters, text, type_of
from recollect.code.links.java_values import FUNCTION, cast, class_named, held_class, position, type_code, value
from recollect.code.links.java_writer import NOTHING, Frame, Value, Writer, is_idle
from recollect.code.links.program import (  # fmt: skip
    Argument,
    Assign,
    Call,
    Cast,
    Code,
    Either,
    Expression,
    Member,
    Name,
    Parameter,
    Return,
    Scope,
    Spread,
    Super,
    Table,
)

if TYPE_CHECKING:
    from tree_sitter import Node

LAMBDA = "<lambda>"


def function(w: Writer, node: Node, target: Type | None, inputs: list[Type | None] | None) -> Value:
    """Return a lambda or a method reference.

    target: the type that its place wants; inputs: the types that it will be called with, where those are known better
    """
    wanted = w.solid(target)
    shape = w.find_class(wanted.name) if wanted else None
    takes = inputs if inputs is not None else _taken(w, wanted, shape)
    found = (_lambda if node.type == "lambda_expression" else _reference)(w, node, takes)
    only = shape.only_method() if shape else None
    if shape is not None and only is not None and _has_defaults(w, shape) and shape.reference is not None:
        return Value(_object(w, found.code, shape.reference, only.name), found.type)
    return found


def _taken(w: Writer, target: Type | None, shape: Shape | None) -> list[Type | None]:
    if target is None:
        return []
    if shape is None:
        places = TAKES.get(target.name, ())
        return [target.arguments[place] if place < len(target.arguments) else None for place in places]
    only = shape.only_method()
    return [w.solid(each) for each in only.parameters] if only else []


def _has_defaults(w: Writer, shape: Shape) -> bool:
    """Tell whether an interface has methods that the function does not replace."""
    return any(
        method.has_body and not method.is_static
        for each in w.lineage(shape)
        for methods in each.methods.values()
        for method in methods
    )


def _object(w: Writer, code: Expression, interface: Expression, method: str) -> Expression:
    """Return a lambda as an object that inherits the default methods of its interface."""
    place = w.reserve()
    body = (Assign(Name(method), code),)
    w.scopes[place] = Scope("class", LAMBDA, parent=w.parent(), implements=(interface,), body=body, marks=("implicit",))
    return Call(Code(place), is_new=True)


# --- lambdas ----------------------------------------------------------------------------------------------------------


def _lambda(w: Writer, node: Node, takes: list[Type | None]) -> Value:
    names, types = _parameters(w, node.child_by_field_name("parameters"), takes)
    frame = _opened(w)
    listed = tuple([parameter(w, frame, name, type) for name, type in zip(names, types, strict=True)])
    body = node.child_by_field_name("body")
    returns: Type | None = None
    if body is not None and body.type == "block":
        w.tables.statements["block"](w, body)
    else:
        found = value(w, body)
        returns = found.type
        if not is_idle(found.code):
            w.emit(Return(found.code))
    return _closed(w, frame, listed, position(node)[0], returns)


def parameter(w: Writer, frame: Frame, name: str, type: Type | None, *, kind: str = "") -> Parameter:
    """Return a parameter, whose name is cast to its type."""
    solid = w.solid(type)
    unique = frame.declare(name, solid)
    to = held_class(w, solid) if not kind else None
    if to is not None:
        frame.body.append(Assign(Name(frame.declare(name, solid)), Cast(Name(unique), to)))
    return Parameter(unique, kind, None, type_code(w, solid))


def _parameters(w: Writer, node: Node | None, takes: list[Type | None]) -> tuple[list[str], list[Type | None]]:
    if node is None:
        return [], []
    if node.type == "formal_parameters":
        listed = parameters(w.page, node)
        names, types = list(listed.names), list(listed.types)
    else:
        names = (
            [text(w.page, node)] if node.type == "identifier" else [text(w.page, each) for each in node.named_children]
        )
        types = [None] * len(names)
    known = [*takes, *([None] * len(names))]
    return names, [type or known[place] for place, type in enumerate(types)]


def _opened(w: Writer) -> Frame:
    """Begin a function that is a value."""
    around = w.function()
    frame = Frame(w.reserve(), is_static=around.is_static, is_lambda=True)
    w.frames.append(frame)
    return frame


def _closed(w: Writer, frame: Frame, listed: tuple[Parameter, ...], line: int, returns: Type | None) -> Value:
    w.frames.pop()
    w.scopes[frame.place] = Scope(
        "function", LAMBDA, -1, w.parent(), listed, body=tuple(frame.body), marks=("functional",), line=line
    )  # fmt: skip
    return Value(Code(frame.place), Type(FUNCTION, (returns,)))


# --- method references ------------------------------------------------------------------------------------------------


def _reference(w: Writer, node: Node, takes: list[Type | None]) -> Value:
    children = [each for each in node.children if each.type not in ("::", "type_arguments")]
    if len(children) < 2:
        return NOTHING
    owner, last = children[0], children[-1]
    line = position(last)[0]
    frame = _opened(w)
    if last.type == "new":
        listed, code, returns = _made(w, owner, line)
    else:
        listed, code, returns = _named(w, owner, text(w.page, last), line, takes)
    w.emit(Return(code))
    return _closed(w, frame, listed, line, returns)


Written = tuple[tuple[Parameter, ...], Expression, Type | None]
REST = (Parameter("rest", "*"),)
ALL = (Argument(Spread(Name("rest"))),)


def _made(w: Writer, owner: Node, line: int) -> Written:
    type = type_of(w.page, owner)
    if type is None or type.name == ARRAY:
        return REST, Table((), line), type
    return REST, Call(w.reference(type.name), ALL, line, is_new=True), type


def _named(w: Writer, owner: Node, name: str, line: int, takes: list[Type | None]) -> Written:
    if owner.type == "super":
        return REST, Call(Member(Super(), name, line), ALL, line), None
    found = value(w, owner)
    type = found.type
    if type is None or type.name != CLASS:
        methods = _methods(w, type, name)
        return REST, Call(Member(found.code, name, line), ALL, line), _returned(methods)
    instance = type.element()
    methods = _methods(w, instance, name)
    forms: list[Expression] = []
    statics = [method for method in methods if method.is_static]
    first = Parameter("first", "", None, class_named(w, instance))
    listed: tuple[Parameter, ...] = (first, *REST)
    arities = {len(method.parameters) for method in statics}
    if statics and len(statics) == len(methods) and len(arities) == 1 and not any(m.is_varargs for m in statics):
        listed = tuple([Parameter(f"p{place}") for place in range(arities.pop())])
        given = tuple([
            Argument(Name(each.name), None, type_code(w, takes[place] if place < len(takes) else None))
            for place, each in enumerate(listed)
        ])  # fmt: skip
        forms.append(Call(Member(found.code, name, line), given, line))
    elif statics or not methods:
        forms.append(Call(Member(found.code, name, line), (Argument(Name("first")), *ALL), line))
    if not methods or len(statics) < len(methods):
        forms.append(Call(Member(cast(w, Name("first"), instance), name, line), ALL, line))
    return listed, forms[0] if len(forms) == 1 else Either(tuple(forms)), _returned(methods)


def _methods(w: Writer, type: Type | None, name: str) -> list[Method]:
    shape = w.find_class(type.name) if type else None
    return w.find_methods(shape, name) if shape else []


def _returned(methods: list[Method]) -> Type | None:
    found = {method.returns for method in methods}
    return found.pop() if len(found) == 1 else None
