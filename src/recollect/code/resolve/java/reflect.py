"""Reflect: classes and methods that are named by constants, which makes them references like others.

    Shop.class, Class.forName("a.Shop")                     the class itself, as a value
    type.getDeclaredMethod("sell", int.class)               (shop, p0) → shop.sell(p0), or Shop.sell(p0)
    lookup.findStatic(Shop.class, "sell", descriptor)       (p0) → Shop.sell(p0)
    lookup.findVirtual(Shop.class, "sell", descriptor)      (shop, p0) → shop.sell(p0)
    type.getField("till"), lookup.findGetter(…)             shop → shop.till

What is named by anything but a constant is not followed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.code.resolve.java.function import made_function
from recollect.code.resolve.java.shape import FIELD, Type
from recollect.code.resolve.java.value import cast, key_of, position, type_code, value
from recollect.code.resolve.java.writer import OPAQUE, Value, Writer, is_idle
from recollect.code.resolve.program import Argument, Call, Cast, Either, Expression, Member, Name, Parameter

if TYPE_CHECKING:
    from tree_sitter import Node

# Named in full, since a program may have a class of its own that is called Class.
CLASS_OBJECT = "java.lang.Class"
DESCRIPTOR = "MethodType"
LOOKUP = "Lookup"

METHODS = frozenset({"getMethod", "getDeclaredMethod"})
FIELDS = frozenset({"getField", "getDeclaredField"})
CONSTRUCTORS = frozenset({"getConstructor", "getDeclaredConstructor", "asSubclass"})
HANDLES = frozenset({"findStatic", "findVirtual", "findSpecial", "bind"})
GETTERS = frozenset({"findGetter", "findStaticGetter", "findVarHandle"})


def reflected(w: Writer, receiver: Value, name: str, listed: list[Node], node: Node) -> Value | None:
    """Return what a method that looks up classes and members by name gives; None for other methods."""
    type = receiver.type
    if type is None:
        return None
    if type.name == CLASS_OBJECT or (type.name == "Class" and w.find_class("Class") is None):
        return _of_class(w, receiver, name, listed, node)
    if type.name == LOOKUP and name in HANDLES | GETTERS and len(listed) >= 2:
        return _of_lookup(w, name, listed, node)
    owner = type.element()
    if type.name == "class" and owner is not None:
        return _of_name(w, f"{owner.name}.{name}", listed)
    return None


def _of_name(w: Writer, path: str, listed: list[Node]) -> Value | None:
    """Return what a static method of the library gives that reflection begins with."""
    if path == "MethodHandles.lookup":
        return Value(OPAQUE, Type(LOOKUP))
    if path == "MethodType.methodType":
        types = [value(w, each).type for each in listed]
        return Value(OPAQUE, Type(DESCRIPTOR, tuple(each.element() if each else None for each in types)))
    named = _constant(w, listed[0]) if path == "Class.forName" and listed else None
    if named is None:
        return None
    return Value(w.named_in_full(named), Type(CLASS_OBJECT, (Type(named),)))


def _constant(w: Writer, node: Node) -> str | None:
    found = key_of(w, node)
    return found.strip('"') if isinstance(found, str) and node.type == "string_literal" else None


def _of_class(w: Writer, receiver: Value, name: str, listed: list[Node], node: Node) -> Value | None:
    instance = receiver.type.element() if receiver.type else None
    line, column = position(node)
    if is_idle(receiver.code):
        return None
    if name == "cast" and len(listed) == 1:
        return Value(Cast(value(w, listed[0]).code, receiver.code), instance)
    if name in CONSTRUCTORS:
        return receiver
    if name == "newInstance":
        given = tuple([Argument(found.code, None, type_code(w, found.type)) for found in (value(w, n) for n in listed)])
        return Value(Call(receiver.code, given, line, column, is_new=True), instance)
    member = _constant(w, listed[0]) if listed else None
    if member is None:
        return None
    if name in METHODS:
        types = [found.element() if found else None for found in (value(w, each).type for each in listed[1:])]
        return _method(w, receiver, member, types, line, form="either")
    return _getter(w, receiver, member, line) if name in FIELDS else None


def _of_lookup(w: Writer, name: str, listed: list[Node], node: Node) -> Value | None:
    owner, member = value(w, listed[0]), _constant(w, listed[1])
    line = position(node)[0]
    if member is None or is_idle(owner.code):
        return None
    if name in GETTERS:
        return _getter(w, owner, member, line, is_static=name == "findStaticGetter")
    descriptor = value(w, listed[2]).type if len(listed) > 2 else None
    types = list(descriptor.arguments[1:]) if descriptor and descriptor.name == DESCRIPTOR else []
    return _method(w, owner, member, types, line, form=name)


def _method(w: Writer, owner: Value, name: str, types: list[Type | None], line: int, *, form: str) -> Value:
    """Return a method as a function; one that is not static takes its object first."""
    listed = [Parameter(f"p{place}") for place in range(len(types))]
    given = tuple([Argument(Name(f"p{place}"), None, type_code(w, type)) for place, type in enumerate(types)])
    direct: Expression = Call(Member(owner.code, name, line), given, line)
    if form == "findStatic":
        return made_function(w, tuple(listed), direct, line)
    instance = owner.type.element() if owner.type else None
    through: Expression = Call(Member(cast(w, Name("first"), instance), name, line), given, line)
    code = {"findSpecial": direct, "either": _static_or_not(w, instance, name, direct, through)}.get(form, through)
    return made_function(w, (Parameter("first"), *listed), code, line)


def _static_or_not(
    w: Writer, owner: Type | None, name: str, direct: Expression, through: Expression
) -> Expression:  # fmt: skip
    shape = w.find_class(owner.name) if owner else None
    methods = w.find_methods(shape, name) if shape else []
    if not methods:
        return Either((direct, through))
    return direct if all(method.is_static for method in methods) else through


def _getter(w: Writer, owner: Value, name: str, line: int, *, is_static: bool = False) -> Value:
    first: Expression = (
        owner.code if is_static else cast(w, Name("first"), owner.type.element() if owner.type else None)
    )
    listed = () if is_static else (Parameter("first"),)
    return made_function(w, listed, Member(first, FIELD + name, line), line)
