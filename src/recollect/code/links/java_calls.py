"""Calls and object creation of Java; calls of the library are written as what its table describes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from recollect.code.links.java_library import FAMILIES, INHERITED, STATIC, Row
from recollect.code.links.java_types import ARRAY, CLASS, Method, Shape, Type, text, type_of
from recollect.code.links.java_values import (  # fmt: skip
    FUNCTION,
    FUNCTIONS,
    arguments,
    cast,
    key_of,
    named,
    position,
    value,
    value_for,
    written,
)
from recollect.code.links.java_writer import NOTHING, OPAQUE, Reader, Value, Writer, is_idle, is_pure
from recollect.code.links.program import (  # fmt: skip
    Argument,
    Assign,
    Call,
    Either,
    Entry,
    Expression,
    Item,
    Key,
    Member,
    Name,
    Opaque,
    Super,
    Table,
)

if TYPE_CHECKING:
    from tree_sitter import Node


# A call with a receiver: receiver, point, type arguments, name, arguments. `Shop.super.sell()` has more parts.
ORDINARY = 5


def invocation(w: Writer, node: Node) -> Value:
    """Return a call of a method."""
    name_node, listed = node.child_by_field_name("name"), written(node.child_by_field_name("arguments"))
    object_node = node.child_by_field_name("object")
    if name_node is None:
        return NOTHING
    name = text(w.page, name_node)
    if object_node is None:
        return _unqualified(w, name, name_node, listed)
    if object_node.type == "super":
        return _plain(w, Super(), name_node, listed, [])
    if node.child_count > ORDINARY and any(child.type == "super" for child in node.children):
        return _plain(w, w.reference(text(w.page, object_node)), name_node, listed, [])
    receiver = value(w, object_node)
    if w.is_final(receiver.type):
        return _on_text(w, receiver, listed, name_node)
    row = _row(w, receiver.type, name)
    if row is not None:
        return _Library(w, row, receiver, listed, name_node).value()
    shape = _shape(w, receiver.type)
    methods = _taking(w.find_methods(shape, name), len(listed)) if shape else []
    found = _plain(w, receiver.code, name_node, listed, methods)
    if shape is not None and not methods:
        _inherited(w, shape, receiver.code, name, name_node)
    bound = _bound(shape, receiver.type, found.type)
    return found if bound is found.type else Value(cast(w, found.code, bound), bound)


def _on_text(w: Writer, receiver: Value, listed: list[Node], node: Node) -> Value:
    """Return a call on a text or a number; only function arguments are called."""
    parts = [receiver.code]
    line, column = position(node)
    for each in listed:
        given = value(w, each)
        is_function = each.type in FUNCTIONS
        parts.append(Call(Member(given.code, "apply", line), (), line, column) if is_function else given.code)
    busy = tuple([part for part in parts if not is_pure(part)])
    return Value(Opaque(busy) if busy else OPAQUE, receiver.type)


def _shape(w: Writer, type: Type | None) -> Shape | None:
    if type is not None and type.name == CLASS:
        type = type.element()
    return w.find_class(type.name) if type is not None and type.name not in (ARRAY, FUNCTION) else None


def _taking(methods: list[Method], count: int) -> list[Method]:
    return [method for method in methods if method.takes(count)]


def _bound(shape: Shape | None, receiver: Type | None, returned: Type | None) -> Type | None:
    """Return a result type with the type arguments of the receiver."""
    if shape is None or receiver is None or returned is None or returned.name not in shape.variables:
        return returned
    place = list(shape.variables).index(returned.name)
    return receiver.arguments[place] if place < len(receiver.arguments) else shape.variables[returned.name]


def _unqualified(w: Writer, name: str, node: Node, listed: list[Node]) -> Value:
    """Return a call without a receiver: of an enclosing class, or imported."""
    for frame in reversed(w.frames):
        shape = frame.shape
        methods = w.find_methods(shape, name) if shape is not None else []
        if shape is not None and methods:
            fitting = _taking(methods, len(listed)) or methods
            owner = w.receiver(shape, is_static=all(method.is_static for method in fitting))
            return _plain(w, owner, node, listed, fitting)
    callee = w.unknown(name, name)
    around = w.class_around()
    if around is not None and callee is None:
        _inherited(w, around, w.this(), name, node)
    given = _given(w, listed, [])
    return Value(Call(callee or Name(name), arguments(w, given), *position(node)))


def _inherited(w: Writer, shape: Shape, receiver: Expression, name: str, node: Node) -> None:
    """Write the call that an inherited library method makes on the object."""
    for each in w.lineage(shape):
        for type in each.supers():
            called = INHERITED.get(type.name, {}).get(name)
            if called:
                line, column = position(node)
                w.do(Call(Member(receiver, called, line), (), line, column))


def _plain(w: Writer, owner: Expression, node: Node, listed: list[Node], methods: list[Method]) -> Value:
    """Return the call of a member, with its type if all overloads agree."""
    given = arguments(w, _given(w, listed, methods)) if listed else ()
    line, column = node.start_point
    line += 1
    call = Call(Member(owner, text(w.page, node), line), given, line, column)
    if not methods:
        return Value(call)
    returns = methods[0].returns
    is_sure = len(methods) == 1 or all(method.returns == returns for method in methods)
    return Value(call, w.solid(returns) if is_sure else None)


def _given(w: Writer, listed: list[Node], methods: list[Method]) -> list[Value]:
    """Return the values of arguments; lambdas get the types of the parameters."""
    given: list[Value] = []
    for place, each in enumerate(listed):
        if each.type in FUNCTIONS:
            wanted = {_wanted(method, place) for method in methods}
            given.append(value_for(w, each, wanted.pop() if len(wanted) == 1 else None))
        else:
            given.append(value(w, each))
    return given


def _wanted(method: Method, place: int) -> Type | None:
    if method.is_varargs and place >= len(method.parameters) - 1:
        last = method.parameters[-1]
        return last.element() if last else None
    return method.parameters[place] if place < len(method.parameters) else None


# --- objects ----------------------------------------------------------------------------------------------------------


def creation(w: Writer, node: Node) -> Value:
    """Return an object that is made, with the class that is written with it."""
    type_node = node.child_by_field_name("type")
    type = type_of(w.page, type_node)
    listed = written(node.child_by_field_name("arguments"))
    body = next((each for each in node.named_children if each.type == "class_body"), None)
    if type is None or type_node is None:
        return NOTHING
    outer = next((each for each in node.children if each.is_named), None)
    if outer is not None and outer.start_byte < type_node.start_byte and outer.type not in ANNOTATIONS:
        return _inner(w, outer, type, listed, node)
    if body is not None:
        callee, made = w.tables.anonymous(w, node, type, body)
        given = _given(w, listed, [])
        return Value(Call(callee, arguments(w, given), *position(node), is_new=True), made)
    row = STATIC.get(_short(type.name))
    if row is not None and w.is_library(type.name):
        found = _Library(w, row, Value(OPAQUE, type), listed, type_node).value()
        return Value(found.code, type)
    given = _given(w, listed, [])
    return Value(Call(w.reference(type.name), arguments(w, given), *position(type_node), is_new=True), type)


ANNOTATIONS = frozenset({"annotation", "marker_annotation", "type_arguments"})


def _inner(w: Writer, outer: Node, type: Type, listed: list[Node], node: Node) -> Value:
    """Return `outer.new Inner()`."""
    around = value(w, outer)
    shape = _shape(w, around.type)
    inner = shape.classes.get(type.name) if shape else None
    w.do(around.code)
    callee = inner.reference if inner and inner.reference is not None else Member(around.code, type.name)
    given = _given(w, listed, [])
    full = Type(f"{shape.name}.{type.name}", type.arguments) if shape and inner else type
    return Value(Call(callee, arguments(w, given), *position(node), is_new=True), full)


# --- the library ------------------------------------------------------------------------------------------------------


def _short(name: str) -> str:
    """Return the name of a type of the library without its package."""
    return name.rpartition(".")[2] if name.startswith(("java.", "javax.")) else name


def _row(w: Writer, type: Type | None, name: str) -> Row | None:
    """Return the row of a library method."""
    if type is None:
        return None
    if type.name == CLASS:
        inner = type.element()
        short = _short(inner.name) if inner else ""
        row = STATIC.get(f"{short}.{name}")
        return row if row is not None and w.find_class(short) is None else None
    rows = FAMILIES.get(_short(type.name))
    row = rows.get(name) if rows else None
    return row if row is not None and w.find_class(type.name) is None else None


class _Library:
    """One call of a method of the library, written as what it does."""

    def __init__(self, w: Writer, row: Row, receiver: Value, listed: list[Node], node: Node) -> None:
        self.w = w
        self.row = row
        self.receiver = receiver
        self.listed = listed
        self.line, self.column = position(node)
        self.key: Key | None = key_of(w, listed[0]) if row.keyed and listed else None
        self.given: list[Value] = []
        self.made: list[Value] = []

    def value(self) -> Value:
        """Return what the call gives; write what it calls and keeps."""
        w, row = self.w, self.row
        is_collected = row.gives == "self" and len(self.listed) == 1
        if is_collected:
            w.collected.append(self.word("item"))
        self.given = [self._argument(place, each) for place, each in enumerate(self.listed)]
        if is_collected:
            w.collected.pop()
        for which, method, inputs in row.calls:
            self._called(which, method, inputs)
        if row.puts:
            self._put()
        for each in self.given:
            w.do(each.code)
        if not row.gives:
            return NOTHING
        found = self.word(row.gives)
        if is_idle(found.code):
            w.do(self.receiver.code)
        return self._given_type(found)

    def _given_type(self, found: Value) -> Value:
        family = self.row.family
        if not family:
            return found
        if family == ARRAY:
            return Value(found.code, Type(ARRAY, (found.type.element() if found.type else None,)))
        if family == "Entries":
            return Value(found.code, Type("Set", (Type("Map.Entry", self._arguments()),)))
        if family in ("Map", "Map.Entry"):
            return Value(found.code, Type(family, self._arguments()))
        if self.row.gives[:1] == "[":
            return Value(found.code, Type(family, (found.type,)))
        held = found.type.element() if found.type else None
        return Value(found.code, Type(family, (held,)))

    def _arguments(self) -> tuple[Type | None, ...]:
        return self.receiver.type.arguments if self.receiver.type else ()

    def _argument(self, place: int, node: Node) -> Value:
        """Return an argument; a lambda gets the types it is called with."""
        if node.type not in FUNCTIONS:
            return value(self.w, node)
        for which, _, inputs in self.row.calls:
            if _place(which, len(self.listed)) == place:
                types = [self.word(word).type for word in inputs]
                return self.w.tables.function(self.w, node, None, types)
        held = self.receiver.type.element() if self.receiver.type else None
        return self.w.tables.function(self.w, node, None, [held, held] if self.row.family == "Function" else None)

    def _called(self, which: str, method: str, inputs: tuple[str, ...]) -> None:
        callee = self.word(which)
        if is_idle(callee.code):
            return
        given = tuple([Argument(self.word(word).code) for word in inputs])
        call = Call(Member(callee.code, method, self.line), given, self.line, self.column)
        returned = callee.type.element() if callee.type and callee.type.name == FUNCTION else None
        self.made.append(Value(call, returned))
        self.w.do(call)

    def _put(self) -> None:
        kept = self.word(self.row.puts)
        target = self.given[0].code if is_idle(self.receiver.code) and self.given else self.receiver.code
        if isinstance(self.receiver.type, Type) and self.receiver.type.name == CLASS and self.given:
            target = self.given[0].code
        if not is_idle(kept.code):
            self.w.emit(Assign(Item(target, self.key), kept.code))

    def word(self, word: str) -> Value:
        """Return what a word of a row stands for here."""
        if word[:1] == "[":
            return self._new(word[1:])
        if "|" in word:
            found = [self.word(each) for each in word.split("|")]
            busy = tuple(each.code for each in found if not is_idle(each.code))
            return Value(Either(busy) if busy else OPAQUE, next((each.type for each in found if each.type), None))
        if word in _WORDS:
            return _WORDS[word](self)
        if word.startswith("items"):
            return self._inside(self._at(word[5:]))
        return self._at(word)

    def _inside(self, found: Value) -> Value:
        """Return what a value holds."""
        held = self.w.solid(found.type.element()) if found.type else None
        return Value(OPAQUE if is_idle(found.code) else cast(self.w, Item(found.code), held), held)

    def _at(self, word: str) -> Value:
        place = _place(word, len(self.listed))
        if place is None or place >= len(self.listed):
            return NOTHING
        # Asked for a type before it is read, an argument that is no variable has none.
        if place >= len(self.given):
            node = self.listed[place]
            return named(self.w, text(self.w.page, node)) if node.type == "identifier" else NOTHING
        return self.given[place]

    def _item(self) -> Value:
        type = self.receiver.type
        if type is None or type.name == CLASS:
            return self.w.collected[-1] if self.w.collected else NOTHING
        held = self.w.solid(type.element())
        return Value(cast(self.w, Item(self.receiver.code, self.key), held), held)

    def _new(self, word: str) -> Value:
        if word == "args":
            entries = [Entry(place, each.code) for place, each in enumerate(self.given) if not is_idle(each.code)]
            type = next((each.type for each in self.given if each.type), None)
            return Value(Table(tuple(entries), self.line, self.column), type)
        found = self.word(word)
        entries = [] if is_idle(found.code) else [Entry(None, found.code)]
        return Value(Table(tuple(entries), self.line, self.column), found.type)


def _place(word: str, count: int) -> int | None:
    if word == "-1":
        return count - 1
    return int(word) if word.isdigit() else None


def _made(call: _Library) -> Value:
    busy = tuple([each.code for each in call.made])
    type = next((each.type for each in call.made if each.type), None)
    if not busy:
        return NOTHING
    return Value(busy[0] if len(busy) == 1 else Either(busy), type)


def _held(call: _Library) -> Value:
    type = call.receiver.type
    return Value(OPAQUE, type.element() if type else None)


_WORDS: dict[str, Callable[[_Library], Value]] = {
    "item": _Library._item,
    "self": lambda call: call.receiver,
    "made": _made,
    "mades": lambda call: call._inside(_made(call)),
    "held": _held,
    "?": lambda call: NOTHING,
}

READERS: dict[str, Reader] = {"method_invocation": invocation, "object_creation_expression": creation}
