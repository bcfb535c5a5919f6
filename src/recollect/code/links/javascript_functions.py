"""Functions, parameters, patterns and classes of JavaScript.

A pattern is read as the expression that it looks like; its names are declared before. A function without a name of its
own is called as its symbol, else `<function1>`, counted in the scope around. Fields of a class are evaluated by its
constructor if it has one, else where the class stands.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from recollect.code.links import program as ir
from recollect.code.links.javascript_reader import OBJECT, Reader, annotation, declared_type
from recollect.code.links.tree_reader import NOTHING, Handler, ScopeWriter, declared, first, nothing, scoped, statements

if TYPE_CHECKING:
    import tree_sitter

IDENTIFIERS = ("identifier", "shorthand_property_identifier", "shorthand_property_identifier_pattern")
PATTERNS = ("array_pattern", "object_pattern", "rest_pattern")
WITH_DEFAULT = ("assignment_pattern", "object_assignment_pattern")
HOISTED = ("function_declaration", "generator_function_declaration")
FUNCTIONS = ("function_expression", "generator_function", "arrow_function")
# Words before the name or the parameters of a function, and what they make of it.
WORDS = {"static": "static", "async": "async", "get": "property", "set": "setter", "*": "generator"}


# --- blocks ---


def body(r: Reader, node: tree_sitter.Node) -> ir.Expression:
    """Read statements, the functions first; those of a function share the names of its parameters."""
    for each in node.named_children:
        is_export = r.kinds[each.kind_id] == "export_statement"
        inner = each.child_by_field_id(r.fields.declaration) if is_export else each
        if inner is not None and r.kinds[inner.kind_id] in HOISTED:
            r.define(r.field_text(inner, r.fields.name), function(r, inner))
    return statements(r, node)


# --- patterns ---


def bind(r: Reader, node: tree_sitter.Node, value: ir.Expression, kind: str = "") -> None:
    """Assign a value to a pattern; `kind` is the declaring word, "" for none."""
    for name in names_of(r, node):
        if kind:
            r.declare(name, kind=kind)
        else:
            r.assigned(name)
    target = r.value(node)
    if target is not NOTHING:
        r.emit(ir.Assign(target, value))


def names_of(r: Reader, node: tree_sitter.Node) -> list[str]:
    """Return the names that a pattern gives values to."""
    found: list[str] = []
    waiting = [node]
    while waiting:
        at = waiting.pop()
        kind = r.kind(at)
        if kind in IDENTIFIERS:
            found.append(r.cut(at))
        elif kind in PATTERNS:
            waiting += at.named_children
        elif kind == "pair_pattern" or kind in WITH_DEFAULT:
            waiting.append(at.child_by_field_id(r.fields.value) or r.child(at, r.fields.left))
    return found


def with_default(r: Reader, node: tree_sitter.Node) -> ir.Expression:
    """Read `a = b` in a pattern."""
    target = r.value(r.child(node, r.fields.left))
    r.emit(ir.Assign(target, r.value(r.child(node, r.fields.right))))
    return target


def key(r: Reader, node: tree_sitter.Node) -> ir.Key | None:
    """Return the key of a property; None for a computed one."""
    is_computed = r.kind(node) == "computed_property_name"
    if not is_computed and r.kind(node) not in ("string", "number"):
        return r.cut(node)
    text = r.cut(node)[1:-1].strip()
    if is_computed and text.startswith("Symbol."):
        return f"[{text}]"
    value = first(r, node) if is_computed else r.value(node)
    if isinstance(value, ir.Text):
        return value.value
    r.do(value)
    return None


# --- functions ---


def function(r: Reader, node: tree_sitter.Node, name: str = "") -> ir.Code:
    """Return the code of a function, which is read after the scope around it, when all names are known."""
    own = r.field_text(node, r.fields.name)
    frame = r.open("function", node, name or own)
    words = words_before(r, node)
    frame.marks += [mark for each, mark in WORDS.items() if each in words]
    if r.kind(node) == "arrow_function":
        frame.marks.append("arrow")
    elif own and r.kind(node) in FUNCTIONS:  # a named expression knows itself
        frame.body.append(ir.Assign(r.name(frame.declare(frame.block, own).name), ir.Code(frame.place)))
    r.wait(partial(_body, r, node), frame)
    return ir.Code(frame.place)


def words_before(r: Reader, node: tree_sitter.Node) -> list[str]:
    """Return the words before the name of a declaration, or before its parameters."""
    fields = (r.fields.name, r.fields.property, r.fields.parameters, r.fields.parameter)
    end = next((child.start_byte for field in fields if (child := node.child_by_field_id(field)) is not None), 0)
    return r.text[node.start_byte : end].replace("*", " * ").split()


def _body(r: Reader, node: tree_sitter.Node) -> None:
    single = node.child_by_field_id(r.fields.parameter)
    for child in [single] if single is not None else r.children(node.child_by_field_id(r.fields.parameters)):
        _parameter(r, child)
    r.frame.returns = annotation(r, node.child_by_field_id(r.fields.return_type))
    inner = node.child_by_field_id(r.fields.body)
    if inner is not None and r.kind(inner) == "statement_block":
        body(r, inner)
    elif inner is not None:
        r.emit(ir.Return(r.value(inner)))


# Words that make a parameter of a constructor a field: `constructor(private store: Store)`.
FIELD_WORDS = ("accessibility_modifier", "readonly", "override_modifier")


def _parameter(r: Reader, child: tree_sitter.Node) -> None:
    node = child.child_by_field_id(r.fields.pattern) or child
    default, annotated = child.child_by_field_id(r.fields.value), declared_type(r, child)
    if r.kind(node) == "assignment_pattern":
        node, default = r.child(node, r.fields.left), r.child(node, r.fields.right)
    is_rest = r.kind(node) == "rest_pattern" and node.named_child_count > 0
    if is_rest:
        node = node.named_children[0]
    if r.kind(node) in ("this", "decorator"):
        return
    plain = annotated if isinstance(annotated, ir.Name | ir.Member) and not is_rest else None
    is_name = r.kind(node) == "identifier"
    name = r.name(r.declare(r.cut(node)).name if is_name else r.temporary())
    r.frame.parameters.append(ir.Parameter(name.name, "*" if is_rest else "", None, plain))
    if default is not None:
        r.emit(ir.Assign(name, r.value(default)))
    if annotated is not None and plain is None:
        r.emit(ir.Assign(name, declared(annotated)))
    if not is_name:
        bind(r, node, name, "let")
    elif any(each.type in FIELD_WORDS for each in child.children):
        r.emit(ir.Assign(ir.Member(ir.This(), r.cut(node)), name))


# --- classes ---

# Members that are methods, by the kind of type; a class repeats its overloads without bodies.
METHODS = {
    "class": ("method_definition", "abstract_method_signature"),
    "interface": ("method_signature", "function_signature"),
}
FIELDS = ("field_definition", "public_field_definition", "property_signature")
INTERFACE = "interface_declaration"


def class_(r: Reader, node: tree_sitter.Node) -> ir.Code:
    """Return the class or the interface that a node defines; bodies of methods wait."""
    kind: ir.ScopeKind = "interface" if r.kind(node) == INTERFACE else "class"
    frame = r.open(kind, node, r.field_text(node, r.fields.name))
    _derive(r, node, frame)
    decorators(r, node)
    if r.kind(node) == "abstract_class_declaration":
        frame.marks.append("abstract")
    with r.inside(frame):
        _members(r, r.children(node.child_by_field_id(r.fields.body)))
    return ir.Code(frame.place)


def _derive(r: Reader, node: tree_sitter.Node, frame: ScopeWriter) -> None:
    for each in r.children(node):
        kind = r.kind(each)
        if kind == "class_heritage":
            _derive(r, each, frame)
        elif kind in ("implements_clause", "extends_type_clause"):
            types = [annotated for child in each.named_children if (annotated := annotation(r, child)) is not None]
            (frame.implements if kind == "implements_clause" else frame.bases).extend(types)
        elif r.kind(node) == "class_heritage":
            frame.bases.append(r.value(r.child(each, r.fields.value) if kind == "extends_clause" else each))


def decorators(r: Reader, node: tree_sitter.Node) -> None:
    """Read the decorators of a declaration."""
    for each in node.named_children:
        if r.kind(each) == "decorator":
            r.do(r.value(each))


def decorator(r: Reader, node: tree_sitter.Node) -> ir.Expression:
    """Read a decorator, which is called; what it is given is not followed."""
    return ir.Call(first(r, node), (), *r.place(node))


def _members(r: Reader, nodes: list[tree_sitter.Node]) -> None:
    methods = [node for node in nodes if r.kind(node) == "method_definition"]
    constructor = next((node for node in methods if r.field_text(node, r.fields.name) == "constructor"), None)
    initial = None
    if constructor is not None:
        initial = method(r, constructor)
        initial.marks.append("constructor")
    for node in nodes:
        kind = r.kind(node)
        is_function = any(r.kind(each) == "function_type" for each in r.children(node.child_by_field_id(r.fields.type)))
        if kind in METHODS[r.frame.kind] or (kind == "property_signature" and is_function):
            if node is not constructor:
                method(r, node)
        elif kind in FIELDS:
            _field(r, node, initial)
        elif kind in ("decorator", "class_static_block"):
            r.do(r.value(node))


def method(r: Reader, node: tree_sitter.Node) -> ScopeWriter:
    """Return a method of a class after binding its name."""
    name = str(key(r, r.child(node, r.fields.name)))
    code = function(r, node, name)
    if r.kind(node) != "method_definition":
        r.frames[code.scope].marks.append("abstract")
    r.emit(ir.Assign(r.name(name), code))
    return r.frames[code.scope]


def _field(r: Reader, node: tree_sitter.Node, initial: ScopeWriter | None) -> None:
    """Read a field, whose value the constructor gives if there is one."""
    name = str(key(r, node.child_by_field_id(r.fields.name) or r.child(node, r.fields.property)))
    value, annotated = node.child_by_field_id(r.fields.value), declared_type(r, node)
    decorators(r, node)
    if annotated is not None:
        r.emit(ir.Assign(r.name(name), declared(annotated)))
    if value is None:
        return
    if initial is None or r.kind(value) in FUNCTIONS or "static" in words_before(r, node):
        r.emit(ir.Assign(r.name(name), r.value(value)))
    else:
        r.wait(lambda: r.emit(ir.Assign(ir.Member(ir.This(), name), r.value(value))), initial)


def class_declaration(r: Reader, node: tree_sitter.Node) -> ir.Expression:
    """Read the declaration of a class or an interface."""
    name = r.field_text(node, r.fields.name) or "default"
    r.declare(name)
    r.define(name, class_(r, node))
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
    "program": body,
    "statement_block": scoped(body),
    **dict.fromkeys((*HOISTED, "function_signature"), nothing),
    **dict.fromkeys(WITH_DEFAULT, with_default),
    **dict.fromkeys(FUNCTIONS, function),
    "decorator": decorator,
    "class": class_,
    **dict.fromkeys(("class_declaration", "abstract_class_declaration", INTERFACE), class_declaration),
    "enum_declaration": enumeration,
}
