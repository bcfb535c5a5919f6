"""Functions, parameters, patterns and classes of JavaScript.

A function without a name is `<arrow1>` or `<function1>`, counted in the scope around; so is an arrow that only a
variable names. Fields of a class are evaluated by its constructor if it has one, else where the class stands.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from recollect.code.links.javascript_reader import OBJECT, Handler, Reader, number, word
from recollect.code.links.javascript_types import annotation, declared
from recollect.code.links.program import (
    Argument,
    Assign,
    Call,
    Code,
    Either,
    Entry,
    Expression,
    Key,
    Member,
    Name,
    Parameter,
    Return,
    Spread,
    Table,
    Text,
    This,
)
from recollect.code.links.tree_reader import NOTHING, PLAIN, Block

if TYPE_CHECKING:
    import tree_sitter

    from recollect.code.links.javascript_reader import Frame

# Defaults, which are read when all names of the pattern are known.
Late = list[tuple[Expression, "tree_sitter.Node"]]
IDENTIFIERS = ("identifier", "shorthand_property_identifier_pattern", "shorthand_property_identifier", "undefined")
TRANSPARENT = ("parenthesized_expression", "non_null_expression", "as_expression", "satisfies_expression")


def bind(r: Reader, node: tree_sitter.Node, value: Expression, kind: str = "") -> None:
    """Assign a value to a pattern; `kind` is the declaring word, "" for none."""
    late: Late = []
    target = _target(r, node, kind, late)
    if target is not NOTHING:
        r.emit(Assign(target, value))
    for each, default in late:
        value = r.value(default)
        r.emit(Assign(each, Either((each, value)) if isinstance(each, Name) else value))


def _target(r: Reader, node: tree_sitter.Node, kind: str, late: Late) -> Expression:
    what = r.kind(node)
    if what in IDENTIFIERS:
        return _declared_name(r, r.cut(node), kind)
    if what == "array_pattern":
        return _array(r, node, kind, late)
    if what == "object_pattern":
        return _object(r, node, kind, late)
    if what in ("assignment_pattern", "object_assignment_pattern"):
        left, right = node.child_by_field_id(r.fields.left), node.child_by_field_id(r.fields.right)
        if left is None or right is None:
            return NOTHING
        target = _target(r, left, kind, late)
        late.append((target, right))
        return target
    if what == "rest_pattern" and node.named_child_count:
        return Spread(_target(r, node.named_children[0], kind, late))
    if what in TRANSPARENT and node.named_child_count:
        return _target(r, node.named_children[0], kind, late)
    return r.value(node)  # a member, an item


def _declared_name(r: Reader, name: str, kind: str) -> Expression:
    if kind:
        r.declare(name, kind=kind)
    return r.written(name)


def _array(r: Reader, node: tree_sitter.Node, kind: str, late: Late) -> Table:
    entries: list[Entry] = []
    place = 0
    is_hole = True
    for child in node.children:  # with the commas: holes count
        if not child.is_named:
            if child.type == ",":
                entries += [Entry(place, NOTHING)] if is_hole else []
                place, is_hole = place + 1, True
        elif r.kind(child) != "comment":
            target = _target(r, child, kind, late)
            entries.append(Entry(None if isinstance(target, Spread) else place, target))
            is_hole = False
    return Table(tuple(entries))


def _object(r: Reader, node: tree_sitter.Node, kind: str, late: Late) -> Table:
    entries: list[Entry] = []
    for child in node.named_children:
        what = r.kind(child)
        if what == "pair_pattern":
            name, value = child.child_by_field_id(r.fields.key), child.child_by_field_id(r.fields.value)
            if name is not None and value is not None:
                entries.append(Entry(key(r, name), _target(r, value, kind, late)))
        elif what == "rest_pattern":
            entries.append(Entry(None, _target(r, child, kind, late)))
        elif what == "object_assignment_pattern":
            left = child.child_by_field_id(r.fields.left)
            target = _target(r, child, kind, late)
            if left is not None:
                entries.append(Entry(word(r.cut(left)), target))
        elif what in IDENTIFIERS:
            entries.append(Entry(word(r.cut(child)), _target(r, child, kind, late)))
    return Table(tuple(entries))


def key(r: Reader, node: tree_sitter.Node) -> Key | None:
    """Return the key of a property; None for a computed one."""
    what = r.kind(node)
    if what == "string":
        return word(r.cut(node)[1:-1])
    if what == "number":
        return number(r.cut(node))
    if what == "computed_property_name":
        inner = node.named_children
        text = r.cut(inner[0]) if inner else ""
        if text.startswith("Symbol."):
            return f"[{text}]"
        value = r.value(inner[0]) if inner else NOTHING
        if isinstance(value, Text):
            return value.value
        r.do(value)
        return None
    return r.cut(node)


FUNCTIONS = ("function_expression", "generator_function", "arrow_function", "function")
WRAPPED = ("parenthesized_expression", "as_expression", "satisfies_expression", "non_null_expression")
CLASSES = ("class", "class_declaration", "abstract_class_declaration")
# `exports.f`, `this.f` and `A.prototype.f` are pointed at as f, f and A.f.
OWNERLESS = re.compile(r"^(?:(?:module\.)?exports|this|self|window|globalThis|global)(?:\.|$)|\.prototype(?=\.|$)")
DOTTED = re.compile(r"[\w$.#]+$")


def bound(r: Reader, node: tree_sitter.Node, name: str, label: str = "", *, is_variable: bool = False) -> Expression:
    """Return the value of a node that gets a name; a function is called so.

    name: the last part, by which symbols know it; label: with what stands before
    """
    inner = node
    while r.kind(inner) in WRAPPED and inner.named_child_count:
        inner = inner.named_children[0]
    kind = r.kind(inner)
    if kind in FUNCTIONS:
        return function(r, inner, name, label or name, is_variable=is_variable)
    if kind in CLASSES:
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
    wait(r, Function(frame, node))
    return Code(frame.place)


def _marks(r: Reader, node: tree_sitter.Node, body: tree_sitter.Node | None, *, is_arrow: bool) -> list[str]:
    kind = r.kind(node)
    marks = ["arrow"] if is_arrow else []
    if r.text.startswith("async", node.start_byte):
        marks.append("async")
    if kind in ("generator_function", "generator_function_declaration"):
        marks.append("generator")
    return marks


def anonymous(r: Reader, node: tree_sitter.Node) -> Expression:
    """Read a function expression that nothing gives a name."""
    return function(r, node, "", "")


def declaration(r: Reader, node: tree_sitter.Node) -> Expression:
    """Read a function declaration, which its block has hoisted."""
    return NOTHING


def hoist(r: Reader, node: tree_sitter.Node, *, name: str = "") -> None:
    """Declare a function and give it its value, where its block begins."""
    own = node.child_by_field_id(r.fields.name)
    name = r.cut(own) if own is not None else name
    frame = r.open("function", r.frame.prefix + name, node, symbol=name)
    frame.marks = _marks(r, node, None, is_arrow=False)
    variable = r.declare(name)
    r.emit(Assign(r.name(variable.name), Code(frame.place)))
    wait(r, Function(frame, node))


def method(r: Reader, node: tree_sitter.Node, name: str, label: str, marks: list[str]) -> Frame:
    """Return the scope of a method, not queued yet."""
    frame = r.open("function", label, node, symbol=name)
    frame.marks = marks
    return frame


class Function(NamedTuple):
    """A body that waits; `fields`: initial values that its instance gets first."""

    frame: Frame
    node: tree_sitter.Node
    fields: tuple[tuple[str, tree_sitter.Node], ...] = ()


def wait(r: Reader, waiting: Function) -> None:
    """Read a function after the scope around it, when all names are known."""
    r.queue.append(lambda: _body(r, waiting))


def _body(r: Reader, waiting: Function) -> None:
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
            annotated = child.child_by_field_id(r.fields.type)
            if pattern is None or r.kind(pattern) == "this":
                continue
            _parameter(r, pattern, value, annotation(r, annotated) if annotated is not None else None)
            if r.kind(pattern) == "identifier" and child.start_byte < pattern.start_byte:
                _parameter_property(r, child, r.cut(pattern))
        elif kind != "comment" and kind != "decorator":
            _parameter(r, child, None, None)


def _parameter(
    r: Reader, node: tree_sitter.Node, default: tree_sitter.Node | None, annotated: Expression | None
) -> None:
    if r.kind(node) == "assignment_pattern":
        left, default = node.child_by_field_id(r.fields.left), node.child_by_field_id(r.fields.right)
        if left is None:
            return
        node = left
    kind = ""
    if r.kind(node) == "rest_pattern" and node.named_child_count:
        node, kind = node.named_children[0], "*"
    name = r.cut(node) if r.kind(node) == "identifier" else r.temporary()
    plain = annotated if isinstance(annotated, (Name, Member)) else None
    value = r.value(default) if default is not None else None
    is_plain = value is None or isinstance(value, PLAIN)
    if r.kind(node) == "identifier":
        name = r.declare(name).name
    r.frame.parameters.append(Parameter(name, kind, value if is_plain else None, plain if kind == "" else None))
    if value is not None and not is_plain:
        r.emit(Assign(r.name(name), Either((r.name(name), value))))
    if annotated is not None and (plain is None or kind):
        r.emit(Assign(r.name(name), declared(annotated)))
    if r.kind(node) != "identifier":
        bind(r, node, Name(name), "let")


def _parameter_property(r: Reader, node: tree_sitter.Node, name: str) -> None:
    """Write what `constructor(private store: Store)` does beside taking an argument."""
    for child in node.children:
        if child.type in ("accessibility_modifier", "readonly", "override_modifier"):
            r.emit(Assign(Member(This(), name), r.read(name)))
            return


METHOD_WORDS = {"static": "static", "async": "async", "get": "property", "set": "setter"}
SIGNATURES = ("method_signature", "abstract_method_signature", "function_signature")
FIELDS = ("field_definition", "public_field_definition", "property_signature")


def class_value(r: Reader, node: tree_sitter.Node, name: str, label: str) -> Code:
    """Return the class that a node defines; bodies of methods wait."""
    own = node.child_by_field_id(r.fields.name)
    symbol = name or (r.cut(own) if own is not None else "")
    label = label or (r.cut(own) if own is not None else r.frame.numbered("class"))
    outer = r.block
    r.block = Block(outer)
    if own is not None and r.kind(node) == "class":  # the name of a class expression is known inside of it alone
        label = r.cut(own)
        r.declare(label)
    bases, implements = _heritage(r, node)
    frame = r.open("class", r.frame.prefix + label, node, symbol=symbol)
    if own is not None and r.kind(node) == "class":
        r.emit(Assign(r.name(r.block.names[label].name), Code(frame.place)))
    frame.bases, frame.implements = bases, implements
    if r.kind(node) == "abstract_class_declaration":
        frame.marks = ["abstract"]
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
                implements += [
                    annotated for each in child.named_children if (annotated := annotation(r, each)) is not None
                ]
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
                wait(r, waiting)
        elif kind in FIELDS:
            _field(r, node, fields if has_constructor else None)
        elif kind == "abstract_method_signature":
            _signature(r, node)
        for each in [*decorators, *[child for child in node.named_children if r.kind(child) == "decorator"]]:
            decorator(r, each, code)
        decorators = []
    if constructor is not None:
        wait(r, constructor._replace(fields=tuple(fields)))


def _is_constructor(r: Reader, node: tree_sitter.Node) -> bool:
    name = node.child_by_field_id(r.fields.name)
    return name is not None and r.cut(name) == "constructor" and "static" not in _words(r, node, name)


def _words(r: Reader, node: tree_sitter.Node, name: tree_sitter.Node) -> list[str]:
    return r.text[node.start_byte : name.start_byte].replace("*", " * ").split()


def _method(r: Reader, node: tree_sitter.Node) -> Function:
    """Return a method of a class after binding its name."""
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
    return method(r, node, text, label, marks)


def method_entry(r: Reader, node: tree_sitter.Node, prefix: str) -> Entry | None:
    """Return a method of an object as an entry; None for a setter."""
    name = node.child_by_field_id(r.fields.name)
    text = key(r, name) if name is not None else None
    shown = str(text) if text is not None else r.cut(name) if name is not None else ""
    frame = _open(r, node, name, shown, r.frame.prefix + prefix + shown)
    wait(r, Function(frame, node))
    return None if "setter" in frame.marks else Entry(text, Code(frame.place))


def _field(r: Reader, node: tree_sitter.Node, waiting: list[tuple[str, tree_sitter.Node]] | None) -> None:
    name = node.child_by_field_id(r.fields.name) or node.child_by_field_id(r.fields.property)
    value = node.child_by_field_id(r.fields.value)
    annotated = node.child_by_field_id(r.fields.type)
    if name is None:
        return
    text = str(key(r, name))
    type_ = annotation(r, annotated) if annotated is not None else None
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
    """Read static blocks, with the class as `this`."""
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
    frame = method(r, node, text, text, ["abstract"])
    r.emit(Assign(r.name(text), Code(frame.place)))
    wait(r, Function(frame, node))


def class_expression(r: Reader, node: tree_sitter.Node) -> Expression:
    """Read a class that nothing gives a name."""
    return class_value(r, node, "", "")


def class_declaration(r: Reader, node: tree_sitter.Node) -> Expression:
    """Read a class declaration."""
    own = node.child_by_field_id(r.fields.name)
    name = r.cut(own) if own is not None else "default"
    variable = r.declare(name)
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
        annotated
        for clause in node.named_children
        if r.kind(clause) in ("extends_type_clause", "extends_clause")
        for each in clause.named_children
        if (annotated := annotation(r, each)) is not None
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
    **dict.fromkeys(FUNCTIONS, anonymous),
    "function_declaration": declaration,
    "generator_function_declaration": declaration,
    "function_signature": declaration,
    "class": class_expression,
    "class_declaration": class_declaration,
    "abstract_class_declaration": class_declaration,
    "interface_declaration": interface,
    "enum_declaration": enumeration,
}
