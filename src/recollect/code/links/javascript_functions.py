"""Functions, parameters, patterns and classes of JavaScript.

A function without a name is `<arrow1>` or `<function1>`, counted in the scope around; so is an arrow that only a
variable names. Fields of a class are evaluated by its constructor if it has one, else where the class stands.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from recollect.code.links import program as ir
from recollect.code.links.javascript_reader import OBJECT, Frame, Handler, Reader, annotation, number, word
from recollect.code.links.tree_reader import NOTHING, PLAIN, declared

if TYPE_CHECKING:
    import tree_sitter

# Defaults, which are read when all names of the pattern are known.
Late = list[tuple[ir.Expression, "tree_sitter.Node"]]
# Initial values of fields, by name.
Fields = list[tuple[str, "tree_sitter.Node"]]
IDENTIFIERS = ("identifier", "shorthand_property_identifier_pattern", "shorthand_property_identifier", "undefined")
TRANSPARENT = ("parenthesized_expression", "non_null_expression", "as_expression", "satisfies_expression")
FUNCTIONS = ("function_expression", "generator_function", "arrow_function", "function")
CLASSES = ("class", "class_declaration", "abstract_class_declaration")
# `exports.f`, `this.f` and `A.prototype.f` are pointed at as f, f and A.f.
OWNERLESS = re.compile(r"^(?:(?:module\.)?exports|this|self|window|globalThis|global)(?:\.|$)|\.prototype(?=\.|$)")
DOTTED = re.compile(r"[\w$.#]+$")


# --- patterns ---


def bind(r: Reader, node: tree_sitter.Node, value: ir.Expression, kind: str = "") -> None:
    """Assign a value to a pattern; `kind` is the declaring word, "" for none."""
    late: Late = []
    target = _target(r, node, kind, late)
    if target is not NOTHING:
        r.emit(ir.Assign(target, value))
    for each, default in late:
        value = r.value(default)
        r.emit(ir.Assign(each, ir.Either((each, value)) if isinstance(each, ir.Name) else value))


def _target(r: Reader, node: tree_sitter.Node, kind: str, late: Late) -> ir.Expression:
    what = r.kind(node)
    if what in IDENTIFIERS:
        if kind:
            r.declare(r.cut(node), kind=kind)
        return r.written(r.cut(node))
    if what == "array_pattern":
        return _array(r, node, kind, late)
    if what == "object_pattern":
        return _object(r, node, kind, late)
    if what in ("assignment_pattern", "object_assignment_pattern"):
        target = _target(r, r.child(node, r.fields.left), kind, late)
        late.append((target, r.child(node, r.fields.right)))
        return target
    if what == "rest_pattern" and node.named_child_count:
        return ir.Spread(_target(r, node.named_children[0], kind, late))
    if what in TRANSPARENT and node.named_child_count:
        return _target(r, node.named_children[0], kind, late)
    return r.value(node)  # a member, an item


def _array(r: Reader, node: tree_sitter.Node, kind: str, late: Late) -> ir.Table:
    entries: list[ir.Entry] = []
    place = 0
    for child in node.children:  # with the commas: holes count
        if child.type == ",":
            place += 1
        elif child.is_named and r.kind(child) != "comment":
            target = _target(r, child, kind, late)
            entries.append(ir.Entry(None if isinstance(target, ir.Spread) else place, target))
    return ir.Table(tuple(entries))


def _object(r: Reader, node: tree_sitter.Node, kind: str, late: Late) -> ir.Table:
    entries: list[ir.Entry] = []
    for child in r.children(node):
        what = r.kind(child)
        if what == "pair_pattern":
            target = _target(r, r.child(child, r.fields.value), kind, late)
            entries.append(ir.Entry(key(r, r.child(child, r.fields.key)), target))
        elif what == "rest_pattern":
            entries.append(ir.Entry(None, _target(r, child, kind, late)))
        else:
            name = r.field_text(child, r.fields.left) or r.cut(child)
            entries.append(ir.Entry(word(name), _target(r, child, kind, late)))
    return ir.Table(tuple(entries))


def key(r: Reader, node: tree_sitter.Node) -> ir.Key | None:
    """Return the key of a property; None for a computed one."""
    what = r.kind(node)
    if what == "string":
        return word(r.cut(node)[1:-1])
    if what == "number":
        return number(r.cut(node))
    if what != "computed_property_name":
        return r.cut(node)
    text = r.cut(node)[1:-1].strip()
    if text.startswith("Symbol."):
        return f"[{text}]"
    value = r.maybe(next(iter(node.named_children), None))
    if isinstance(value, ir.Text):
        return value.value
    r.do(value)
    return None


# --- functions ---


def bound(r: Reader, node: tree_sitter.Node, name: str, label: str = "", *, is_variable: bool = False) -> ir.Expression:
    """Return the value of a node that gets a name; a function is called so.

    name: the last part, by which symbols know it; label: with what stands before
    """
    inner = node
    while r.kind(inner) in TRANSPARENT and inner.named_child_count:
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


def label_of(text: str) -> str:
    """Return what a function is called that is assigned to this: `A.prototype.run` makes A.run."""
    return OWNERLESS.sub("", text).strip(".") if DOTTED.match(text) else ""


def function(r: Reader, node: tree_sitter.Node, name: str, label: str, *, is_variable: bool = False) -> ir.Code:
    """Return the code of a function whose body is read later."""
    own = r.field_text(node, r.fields.name)
    is_arrow = r.kind(node) == "arrow_function"
    symbol = name or own
    if own:
        label = own
    elif is_arrow and (is_variable or not label):
        label = r.frame.numbered("arrow")
    elif not label:
        label = r.frame.numbered("function")
    frame = r.open("function", r.frame.prefix + label, node, symbol=symbol)
    if frame.symbol < 0 and own:
        frame.symbol = r.symbols.get((node.end_byte, own), -1)
    frame.marks = _marks(r, node)
    if own:  # a named expression knows itself
        frame.body.append(ir.Assign(ir.Name(frame.declare(frame.block, own).name), ir.Code(frame.place)))
    wait(r, frame, node)
    return ir.Code(frame.place)


def _marks(r: Reader, node: tree_sitter.Node) -> list[str]:
    kind = r.kind(node)
    marks = ["arrow"] if kind == "arrow_function" else []
    if r.text.startswith("async", node.start_byte):
        marks.append("async")
    if kind in ("generator_function", "generator_function_declaration"):
        marks.append("generator")
    return marks


def anonymous(r: Reader, node: tree_sitter.Node) -> ir.Expression:
    """Read a function expression that nothing gives a name."""
    return function(r, node, "", "")


def hoist(r: Reader, node: tree_sitter.Node) -> None:
    """Declare a function and give it its value, where its block begins."""
    name = r.field_text(node, r.fields.name)
    frame = r.open("function", r.frame.prefix + name, node, symbol=name)
    frame.marks = _marks(r, node)
    r.define(name, ir.Code(frame.place))
    wait(r, frame, node)


def wait(r: Reader, frame: Frame, node: tree_sitter.Node, fields: Sequence[tuple[str, tree_sitter.Node]] = ()) -> None:
    """Read a function after the scope around it, when all names are known.

    fields: initial values that its instance gets first
    """
    r.wait(partial(_body, r, node, fields), frame)


def _body(r: Reader, node: tree_sitter.Node, fields: Sequence[tuple[str, tree_sitter.Node]]) -> None:
    parameters(r, node)
    returned = node.child_by_field_id(r.fields.return_type)
    if returned is not None:
        r.frame.returns = annotation(r, returned)
    for name, value in fields:
        r.emit(ir.Assign(ir.Member(ir.This(), name), bound(r, value, name)))
    block = node.child_by_field_id(r.fields.body)
    if block is not None:
        result = r.value(block)
        if r.kind(block) != "statement_block":
            r.emit(ir.Return(result))


def parameters(r: Reader, node: tree_sitter.Node) -> None:
    """Read the parameters of a function into the scope, which is entered already."""
    single = node.child_by_field_id(r.fields.parameter)
    for child in [single] if single is not None else r.children(node.child_by_field_id(r.fields.parameters)):
        kind = r.kind(child)
        if kind in ("required_parameter", "optional_parameter"):
            pattern = r.child(child, r.fields.pattern)
            if r.kind(pattern) == "this":
                continue
            _parameter(r, pattern, child.child_by_field_id(r.fields.value), child.child_by_field_id(r.fields.type))
            if any(each.type in PROPERTY_WORDS for each in child.children):  # `constructor(private store: Store)`
                r.emit(ir.Assign(ir.Member(ir.This(), r.cut(pattern)), r.read(r.cut(pattern))))
        elif kind != "decorator":
            _parameter(r, child, None, None)


PROPERTY_WORDS = ("accessibility_modifier", "readonly", "override_modifier")


def _parameter(
    r: Reader, node: tree_sitter.Node, default: tree_sitter.Node | None, type_: tree_sitter.Node | None
) -> None:
    annotated = annotation(r, type_) if type_ is not None else None
    if r.kind(node) == "assignment_pattern":
        node, default = r.child(node, r.fields.left), r.child(node, r.fields.right)
    kind = ""
    if r.kind(node) == "rest_pattern" and node.named_child_count:
        node, kind = node.named_children[0], "*"
    is_name = r.kind(node) == "identifier"
    plain = annotated if isinstance(annotated, ir.Name | ir.Member) and not kind else None
    value = r.value(default) if default is not None else None
    name = r.declare(r.cut(node)).name if is_name else r.temporary()
    is_plain = value is None or isinstance(value, PLAIN)
    r.frame.parameters.append(ir.Parameter(name, kind, value if is_plain else None, plain))
    if value is not None and not is_plain:
        r.emit(ir.Assign(r.name(name), ir.Either((r.name(name), value))))
    if annotated is not None and plain is None:
        r.emit(ir.Assign(r.name(name), declared(annotated)))
    if not is_name:
        bind(r, node, ir.Name(name), "let")


# --- classes ---

METHOD_WORDS = {"static": "static", "async": "async", "get": "property", "set": "setter", "*": "generator"}
SIGNATURES = ("method_signature", "abstract_method_signature", "function_signature")
FIELDS = ("field_definition", "public_field_definition", "property_signature")


def class_value(r: Reader, node: tree_sitter.Node, name: str, label: str) -> ir.Code:
    """Return the class that a node defines; bodies of methods wait."""
    own = r.field_text(node, r.fields.name)
    bases, implements = _heritage(r, node)
    frame = r.open("class", r.frame.prefix + (label or own or r.frame.numbered("class")), node, symbol=name or own)
    frame.bases, frame.implements = bases, implements
    if r.kind(node) == "abstract_class_declaration":
        frame.marks = ["abstract"]
    for child in node.named_children:
        if r.kind(child) == "decorator":
            decorator(r, child, ir.Code(frame.place))
    before = r.enter(frame)
    _members(r, r.children(node.child_by_field_id(r.fields.body)))
    r.back(before)
    return ir.Code(frame.place)


def _heritage(r: Reader, node: tree_sitter.Node) -> tuple[list[ir.Expression], list[ir.Expression]]:
    bases: list[ir.Expression] = []
    implements: list[ir.Expression] = []
    heads = [each for each in node.named_children if r.kind(each) == "class_heritage"]
    for child in [child for head in heads for child in r.children(head)]:
        kind = r.kind(child)
        if kind == "implements_clause":
            implements += _types(r, child)
        else:
            bases.append(r.value(r.child(child, r.fields.value) if kind == "extends_clause" else child))
    return bases, implements


def _types(r: Reader, node: tree_sitter.Node) -> list[ir.Expression]:
    return [annotated for each in node.named_children if (annotated := annotation(r, each)) is not None]


def decorator(r: Reader, node: tree_sitter.Node, code: ir.Expression) -> None:
    """Write the call of a decorator: it is given what it stands before."""
    for child in r.children(node)[:1]:
        r.do(ir.Call(r.value(child), (ir.Argument(code),), *r.place(node)))


def _members(r: Reader, nodes: list[tree_sitter.Node]) -> None:
    has_constructor = any(r.kind(node) == "method_definition" and _is_constructor(r, node) for node in nodes)
    fields: Fields = []
    constructor: tuple[Frame, tree_sitter.Node] | None = None
    decorators: list[tree_sitter.Node] = []
    for node in nodes:
        kind = r.kind(node)
        if kind == "decorator":
            decorators.append(node)
            continue
        code: ir.Expression = NOTHING
        if kind == "method_definition":
            frame = _method(r, node)
            code = ir.Code(frame.place)
            if "constructor" in frame.marks:
                constructor = (frame, node)
            else:
                wait(r, frame, node)
        elif kind in FIELDS:
            _field(r, node, fields if has_constructor else None)
        elif kind == "abstract_method_signature":
            _signature(r, node)
        elif kind == "class_static_block":
            r.do(r.value(node))
        for each in [*decorators, *[child for child in node.named_children if r.kind(child) == "decorator"]]:
            decorator(r, each, code)
        decorators = []
    if constructor is not None:
        wait(r, *constructor, fields)


def _is_constructor(r: Reader, node: tree_sitter.Node) -> bool:
    name = r.child(node, r.fields.name)
    return r.cut(name) == "constructor" and "static" not in _words(r, node, name)


def _words(r: Reader, node: tree_sitter.Node, name: tree_sitter.Node) -> list[str]:
    return r.text[node.start_byte : name.start_byte].replace("*", " * ").split()


def _method(r: Reader, node: tree_sitter.Node) -> Frame:
    """Return a method of a class after binding its name."""
    name = r.child(node, r.fields.name)
    text = str(key(r, name))
    frame = _open(r, node, name, text, text)
    if _is_constructor(r, node):
        frame.marks.append("constructor")
    r.emit(ir.Assign(r.name(text), ir.Code(frame.place)))
    return frame


def _open(r: Reader, node: tree_sitter.Node, name: tree_sitter.Node, text: str, label: str) -> Frame:
    frame = r.open("function", label, node, symbol=text)
    words = _words(r, node, name)
    frame.marks = [mark for each, mark in METHOD_WORDS.items() if each in words]
    return frame


def method_entry(r: Reader, node: tree_sitter.Node, prefix: str) -> ir.Entry | None:
    """Return a method of an object as an entry; None for a setter."""
    name = r.child(node, r.fields.name)
    text = key(r, name)
    shown = str(text) if text is not None else r.cut(name)
    frame = _open(r, node, name, shown, r.frame.prefix + prefix + shown)
    wait(r, frame, node)
    return None if "setter" in frame.marks else ir.Entry(text, ir.Code(frame.place))


def _field(r: Reader, node: tree_sitter.Node, waiting: Fields | None) -> None:
    name = node.child_by_field_id(r.fields.name) or r.child(node, r.fields.property)
    value, type_ = node.child_by_field_id(r.fields.value), node.child_by_field_id(r.fields.type)
    text = str(key(r, name))
    annotated = annotation(r, type_) if type_ is not None else None
    if annotated is not None:
        r.emit(ir.Assign(r.name(text), declared(annotated)))
    if value is None:
        return
    if waiting is not None and "static" not in _words(r, node, name) and r.kind(value) not in FUNCTIONS:
        waiting.append((text, value))
    else:
        r.emit(ir.Assign(r.name(text), bound(r, value, text)))


def _signature(r: Reader, node: tree_sitter.Node) -> None:
    """Read a method that has no body."""
    text = str(key(r, r.child(node, r.fields.name)))
    frame = r.open("function", text, node)
    frame.marks = ["abstract"]
    r.emit(ir.Assign(r.name(text), ir.Code(frame.place)))
    wait(r, frame, node)


def class_expression(r: Reader, node: tree_sitter.Node) -> ir.Expression:
    """Read a class that nothing gives a name."""
    return class_value(r, node, "", "")


def class_declaration(r: Reader, node: tree_sitter.Node) -> ir.Expression:
    """Read a class declaration."""
    name = r.field_text(node, r.fields.name) or "default"
    variable = r.declare(name)
    r.emit(ir.Assign(r.name(variable.name), class_value(r, node, name, name)))
    return NOTHING


def interface(r: Reader, node: tree_sitter.Node) -> ir.Expression:
    """Read an interface: what it extends, its methods, and the types of its properties."""
    name = r.field_text(node, r.fields.name)
    variable = r.declare(name)
    frame = r.open("interface", r.frame.prefix + name, node, symbol=name)
    for clause in node.named_children:
        if r.kind(clause) in ("extends_type_clause", "extends_clause"):
            frame.bases += _types(r, clause)
    r.emit(ir.Assign(r.name(variable.name), ir.Code(frame.place)))
    before = r.enter(frame)
    for member in r.children(node.child_by_field_id(r.fields.body)):
        kind = r.kind(member)
        if kind in SIGNATURES:
            _signature(r, member)
        elif kind == "property_signature":
            type_ = member.child_by_field_id(r.fields.type)
            if any(r.kind(each) == "function_type" for each in r.children(type_)):
                _signature(r, member)
            else:
                _field(r, member, None)
    r.back(before)
    return NOTHING


def enumeration(r: Reader, node: tree_sitter.Node) -> ir.Expression:
    """Read an enum: a table of its constants."""
    entries: list[ir.Entry] = []
    for place, child in enumerate(r.children(node.child_by_field_id(r.fields.body))):
        value = child.child_by_field_id(r.fields.value)
        name = child.child_by_field_id(r.fields.name) or child
        entries.append(ir.Entry(key(r, name), r.value(value) if value is not None else ir.Text(place)))
    r.define(r.field_text(node, r.fields.name), ir.Table(tuple(entries), OBJECT))
    return NOTHING


READERS: dict[str, Handler] = {
    **dict.fromkeys(FUNCTIONS, anonymous),
    "class": class_expression,
    "class_declaration": class_declaration,
    "abstract_class_declaration": class_declaration,
    "interface_declaration": interface,
    "enum_declaration": enumeration,
}
