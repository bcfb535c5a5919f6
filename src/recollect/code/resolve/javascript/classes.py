"""Classes: classes with their methods and fields, interfaces, enums.

The body of a class holds what instances and the class itself offer. Initial values of fields are evaluated by the
constructor where the class has one, else where the class stands; functions among them are methods like others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.code.resolve.javascript.binding import Block
from recollect.code.resolve.javascript.declared import annotation, declared
from recollect.code.resolve.javascript.function import FUNCTIONS, bound, method
from recollect.code.resolve.javascript.pattern import key
from recollect.code.resolve.javascript.reader import NOTHING, OBJECT, Function, Handler, Reader
from recollect.code.resolve.program import Argument, Assign, Call, Code, Entry, Expression, Table, Text

if TYPE_CHECKING:
    import tree_sitter

    from recollect.code.resolve.javascript.binding import Frame

METHOD_WORDS = {"static": "static", "async": "async", "get": "property", "set": "setter"}
SIGNATURES = ("method_signature", "abstract_method_signature", "function_signature")
FIELDS = ("field_definition", "public_field_definition", "property_signature")


def class_value(r: Reader, node: tree_sitter.Node, name: str, label: str) -> Code:
    """Return the class that a node defines, all of it but the bodies of its methods."""
    own = node.child_by_field_id(r.fields.name)
    symbol = name or (r.cut(own) if own is not None else "")
    label = label or (r.cut(own) if own is not None else r.frame.numbered("class"))
    outer = r.block
    r.block = Block(outer, r.frame)
    if own is not None and r.kind(node) == "class":  # the name of a class expression is known inside of it alone
        label = r.cut(own)
        r.declare(label, kind="const")
    bases, implements = _heritage(r, node)
    frame = r.open("class", r.frame.prefix + label, node, symbol=symbol)
    if own is not None and r.kind(node) == "class":
        r.emit(Assign(r.name(r.block.names[label].name), Code(frame.place)))
    frame.bases, frame.implements = bases, implements
    if r.kind(node) == "abstract_class_declaration":
        frame.marks = ("abstract",)
    _decorate(r, node, Code(frame.place))
    body = node.child_by_field_id(r.fields.body)
    before = r.enter(frame)
    _members(r, frame, body.named_children if body is not None else [])
    r.back(before)
    r.block = outer
    if r.kind(node) == "class":
        static_blocks(r, node, Code(frame.place))
    return Code(frame.place)


def _heritage(r: Reader, node: tree_sitter.Node) -> tuple[list[Expression], list[Expression]]:
    bases: list[Expression] = []
    implements: list[Expression] = []
    for clause in node.named_children:
        if r.kind(clause) != "class_heritage":
            continue
        for child in clause.named_children:
            kind = r.kind(child)
            if kind == "implements_clause":
                implements += [said for each in child.named_children if (said := annotation(r, each)) is not None]
            elif kind == "extends_clause":
                value = child.child_by_field_id(r.fields.value)
                bases += [r.value(value)] if value is not None else []
            elif kind != "comment":
                bases.append(r.value(child))
    return bases, implements


def _decorate(r: Reader, node: tree_sitter.Node, code: Code) -> None:
    """Write the calls of decorators: they are given what they stand before."""
    for child in node.named_children:
        if r.kind(child) == "decorator":
            decorator(r, child, code)


def decorator(r: Reader, node: tree_sitter.Node, code: Expression) -> None:
    """Write the call of one decorator."""
    for child in node.named_children:
        if r.kind(child) != "comment":
            r.do(Call(r.value(child), (Argument(code),), *r.place(node)))
            return


def _members(r: Reader, frame: Frame, nodes: list[tree_sitter.Node]) -> None:
    has_constructor = any(r.kind(node) == "method_definition" and _is_constructor(r, node) for node in nodes)
    fields: list[tuple[str, tree_sitter.Node]] = []
    constructor: Function | None = None
    decorators: list[tree_sitter.Node] = []
    for node in nodes:
        kind = r.kind(node)
        if kind == "decorator":
            decorators.append(node)
            continue
        code: Expression = NOTHING
        if kind == "method_definition":
            waiting = _method(r, node)
            code = Code(waiting.frame.place)
            if "constructor" in waiting.frame.marks:
                constructor = waiting
            else:
                r.queue.append(waiting)
        elif kind in FIELDS:
            _field(r, node, fields if has_constructor else None)
        elif kind == "abstract_method_signature":
            _signature(r, node)
        for each in [*decorators, *[child for child in node.named_children if r.kind(child) == "decorator"]]:
            decorator(r, each, code)
        decorators = []
    if constructor is not None:
        r.queue.append(constructor._replace(fields=tuple(fields)))


def _is_constructor(r: Reader, node: tree_sitter.Node) -> bool:
    name = node.child_by_field_id(r.fields.name)
    return name is not None and r.cut(name) == "constructor" and "static" not in _words(r, node, name)


def _words(r: Reader, node: tree_sitter.Node, name: tree_sitter.Node) -> list[str]:
    return r.text[node.start_byte : name.start_byte].replace("*", " * ").split()


def _method(r: Reader, node: tree_sitter.Node) -> Function:
    """Return a method of a class, which its name in the class's body means from here on."""
    name = node.child_by_field_id(r.fields.name)
    text = str(key(r, name)) if name is not None else ""
    frame = _open(r, node, name, text, text)
    r.emit(Assign(r.name(text), Code(frame.place)))
    return Function(frame, node)


def _open(r: Reader, node: tree_sitter.Node, name: tree_sitter.Node | None, text: str, label: str) -> Frame:
    words = _words(r, node, name) if name is not None else []
    marks = [mark for each, mark in METHOD_WORDS.items() if each in words]
    if "*" in words:
        marks.append("generator")
    if text == "constructor" and "static" not in words and r.frame.kind == "class":
        marks.append("constructor")
    return method(r, node, text, label, tuple(marks))


def entry(r: Reader, node: tree_sitter.Node, prefix: str) -> Entry | None:
    """Return a method of an object as an entry of its table; None for a setter, which is no value."""
    name = node.child_by_field_id(r.fields.name)
    text = key(r, name) if name is not None else None
    shown = str(text) if text is not None else r.cut(name) if name is not None else ""
    frame = _open(r, node, name, shown, r.frame.prefix + prefix + shown)
    r.queue.append(Function(frame, node))
    return None if "setter" in frame.marks else Entry(text, Code(frame.place))


def _field(r: Reader, node: tree_sitter.Node, waiting: list[tuple[str, tree_sitter.Node]] | None) -> None:
    name = node.child_by_field_id(r.fields.name) or node.child_by_field_id(r.fields.property)
    value = node.child_by_field_id(r.fields.value)
    said = node.child_by_field_id(r.fields.type)
    if name is None:
        return
    text = str(key(r, name))
    type_ = annotation(r, said) if said is not None else None
    if type_ is not None:
        r.emit(Assign(r.name(text), declared(type_)))
    if value is None:
        return
    if waiting is not None and "static" not in _words(r, node, name) and r.kind(value) not in FUNCTIONS:
        waiting.append((text, value))
    else:
        r.emit(Assign(r.name(text), bound(r, value, text)))


def _property(r: Reader, node: tree_sitter.Node) -> None:
    _field(r, node, None)


def static_blocks(r: Reader, node: tree_sitter.Node, code: Code) -> None:
    """Read what is done once, with the class as `this`, when the class has its name."""
    body = node.child_by_field_id(r.fields.body)
    for member in body.named_children if body is not None else ():
        if r.kind(member) == "class_static_block":
            receiver, r.receiver = r.receiver, code
            r.value(member)
            r.receiver = receiver


def _signature(r: Reader, node: tree_sitter.Node) -> None:
    """Read a method that has no body."""
    name = node.child_by_field_id(r.fields.name)
    if name is None:
        return
    text = str(key(r, name))
    frame = method(r, node, text, text, ("abstract",))
    r.emit(Assign(r.name(text), Code(frame.place)))
    r.queue.append(Function(frame, node))


def class_expression(r: Reader, node: tree_sitter.Node) -> Expression:
    """Read a class that nothing gives a name."""
    return class_value(r, node, "", "")


def class_declaration(r: Reader, node: tree_sitter.Node) -> Expression:
    """Read a class declaration."""
    own = node.child_by_field_id(r.fields.name)
    name = r.cut(own) if own is not None else "default"
    variable = r.declare(name, kind="const")
    code = class_value(r, node, name, name)
    r.emit(Assign(r.name(variable.name), code))
    static_blocks(r, node, code)
    return NOTHING


def interface(r: Reader, node: tree_sitter.Node) -> Expression:
    """Read an interface: what it extends, its methods, and the types of its properties."""
    own = node.child_by_field_id(r.fields.name)
    name = r.cut(own) if own is not None else ""
    variable = r.declare(name)
    bases = [
        said
        for clause in node.named_children
        if r.kind(clause) in ("extends_type_clause", "extends_clause")
        for each in clause.named_children
        if (said := annotation(r, each)) is not None
    ]
    frame = r.open("interface", r.frame.prefix + name, node, symbol=name)
    frame.bases = bases
    r.emit(Assign(r.name(variable.name), Code(frame.place)))
    body = node.child_by_field_id(r.fields.body)
    before = r.enter(frame)
    for member in body.named_children if body is not None else ():
        kind = r.kind(member)
        if kind in SIGNATURES:
            _signature(r, member)
        elif kind == "property_signature":
            type_ = member.child_by_field_id(r.fields.type)
            is_method = type_ is not None and any(r.kind(each) == "function_type" for each in type_.named_children)
            (_signature if is_method else _property)(r, member)
    r.back(before)
    return NOTHING


def enumeration(r: Reader, node: tree_sitter.Node) -> Expression:
    """Read an enum: a table of its constants."""
    own = node.child_by_field_id(r.fields.name)
    body = node.child_by_field_id(r.fields.body)
    if own is None:
        return NOTHING
    entries: list[Entry] = []
    for place, child in enumerate(body.named_children if body is not None else ()):
        name = child.child_by_field_id(r.fields.name) if r.kind(child) == "enum_assignment" else child
        value = child.child_by_field_id(r.fields.value) if name is not child else None
        if name is not None and r.kind(name) != "comment":
            entries.append(Entry(key(r, name), r.value(value) if value is not None else Text(place)))
    variable = r.declare(r.cut(own))
    r.emit(Assign(r.name(variable.name), Table(tuple(entries), *r.place(node), OBJECT)))
    return NOTHING


READERS: dict[str, Handler] = {
    "class": class_expression,
    "class_declaration": class_declaration,
    "abstract_class_declaration": class_declaration,
    "interface_declaration": interface,
    "enum_declaration": enumeration,
}
