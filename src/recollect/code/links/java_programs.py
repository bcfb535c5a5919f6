"""Programs of Java files: the entry of the front end, imports, and classes with their members.

    class Shop {                      Scope(class, "Shop", body=(
        Till till = new Till();           #till = Instance(Till)         what it is declared to be
        static Shop only = open();
        Shop(int size) { … }              <init> = Code(…)
        void sell() { … }                 sell = Code(…)
        class Till { … }                  Till = Code(…)
    }                                 ))

Field initialisers run in functions of their own, as in the JVM: `<init>` for each object, `<clinit>` once for the
class. Accessors of a record are implicit. Bodies wait until all classes of the file are known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from recollect.code.index.symbols import Symbol
from recollect.code.links import java_expressions
from recollect.code.links import program as ir
from recollect.code.links.java_expressions import CONSTRUCTOR, anonymous, arguments, as_type, base, function_body
from recollect.code.links.java_reader import FIELD, Reader, declarator_type, declare_variables, is_plain
from recollect.code.links.tree_reader import NOTHING, Handler, ScopeWriter, declared, nothing

if TYPE_CHECKING:
    import tree_sitter

INITIALISER = "<clinit>"
INTERFACES = frozenset(("interface_declaration", "annotation_type_declaration"))
TYPES = frozenset(("class_declaration", "enum_declaration", "record_declaration", *INTERFACES))


# --- imports and the file ---


def program(r: Reader, node: tree_sitter.Node) -> ir.Expression:
    """Read a file: first the names of its classes, then the classes; their bodies wait."""
    nodes = list(node.named_children)
    for each in nodes:
        kind = r.kind(each)
        if kind == "package_declaration":
            r.package = next((r.cut(child) for child in each.named_children if "identifier" in r.kind(child)), "")
        elif kind == "import_declaration":
            _import(r, each)
        elif kind == "ERROR":
            nodes += each.named_children
    _declare_classes(r, nodes, None)
    for each in nodes:
        if r.kind(each) in TYPES:
            class_declaration(r, each)
    return NOTHING


def _import(r: Reader, node: tree_sitter.Node) -> None:
    path = next((r.cut(each) for each in node.named_children if "identifier" in r.kind(each)), "")
    is_static = any(child.type == "static" for child in node.children)
    is_star = any(child.type == "asterisk" for child in node.children)
    owner, _, name = path.rpartition(".")
    if is_star and (is_static or _has_class(path)):
        r.star_statics.append(r.named_in_full(path))
    elif is_star:
        r.emit(ir.Import(path, "*", line=r.line(node)))
    elif is_static:
        r.statics[name] = r.named_in_full(owner)
        r.emit(ir.Assign(r.name(name), ir.Member(r.statics[name], name)))
    elif _has_class(owner):
        r.imported[name] = owner
        r.emit(ir.Assign(r.name(name), r.named_in_full(path)))
    else:
        r.imported[name] = owner
        r.emit(ir.Import(owner, name, name, line=r.line(node)))


def _has_class(path: str) -> bool:
    """Tell whether a path names a class: it has a capitalised part."""
    return any(part[:1].isupper() for part in path.split("."))


def _declare_classes(r: Reader, nodes: Iterable[tree_sitter.Node], owner: ir.Expression | None) -> None:
    """Declare classes of a scope before they are read."""
    for each in nodes:
        if r.kind(each) in TYPES:
            name = r.field_text(each, r.fields.name)
            r.declare_type(name, ir.Member(owner, name) if owner is not None else r.name(name))


def _members(r: Reader, body: tree_sitter.Node | None) -> list[tree_sitter.Node]:
    """Return the members of a class, those of enums and syntax errors included."""
    found: list[tree_sitter.Node] = []
    for each in body.named_children if body is not None else ():
        found += each.named_children if r.kind(each) in ("enum_body_declarations", "ERROR") else [each]
    return found


# --- classes ---


def class_(r: Reader, node: tree_sitter.Node, name: str, reference: ir.Expression | None) -> ir.Code:
    """Read a class; bodies of its functions wait."""
    kind = r.kind(node)
    frame = r.open("interface" if kind in INTERFACES else "class", node if kind in TYPES else None, name)
    r.classes[frame.place] = reference
    with r.inside(frame):
        members = _members(r, node.child_by_field_id(r.fields.body) or node)
        _declare_classes(r, members, reference)
        if kind in TYPES:
            declare_variables(r, node)
            _derive(r, node, frame)
            if "abstract" in _words(r, node):
                frame.marks.append("abstract")
        if kind == "record_declaration":
            _record(r, node, members)
        for each in members:
            reader = MEMBERS.get(r.kind(each))
            if reader is not None:
                reader(r, each)
    return ir.Code(frame.place)


def _words(r: Reader, node: tree_sitter.Node) -> frozenset[str]:
    """Return the modifiers of a declaration."""
    found = next((each for each in node.named_children[:1] if r.kind(each) == "modifiers"), None)
    return frozenset(child.type for child in found.children) if found is not None else frozenset()


def _derive(r: Reader, node: tree_sitter.Node, frame: ScopeWriter) -> None:
    for each in node.named_children:
        kind, inner = r.kind(each), each.named_children
        if kind == "superclass":
            frame.bases += [r.reference(base(r, child)) for child in inner]
        elif kind in ("super_interfaces", "extends_interfaces"):
            listed = frame.bases if kind == "extends_interfaces" else frame.implements
            listed += [r.reference(base(r, child)) for several in inner for child in several.named_children]


def class_declaration(r: Reader, node: tree_sitter.Node) -> ir.Expression:
    """Read a class of the file, of another class, or of a function."""
    name = r.field_text(node, r.fields.name)
    if f"<{name}>" not in r.block.names:
        _declare_classes(r, [node], None)
    r.emit(ir.Assign(r.name(name), class_(r, node, name, r.type_of(f"<{name}>"))))
    return NOTHING


def anonymous_class(r: Reader, node: tree_sitter.Node) -> ir.Expression:
    """Read a class without a name; its base is added by what it is written with."""
    r.anonymous += 1
    return class_(r, node, f"${r.anonymous}", None)


# --- members ---


def _method(r: Reader, node: tree_sitter.Node) -> None:
    name, words = r.field_text(node, r.fields.name), _words(r, node)
    function = _function(r, node, name)
    if "static" in words:
        function.marks.append("static")
    if node.child_by_field_id(r.fields.body) is None and "native" not in words and r.kind(node) == "method_declaration":
        function.marks.append("abstract")
    r.declare_member(f"{name}()", function.returns, is_static="static" in words)


def _constructor(r: Reader, node: tree_sitter.Node) -> None:
    function = _function(r, node, CONSTRUCTOR)
    function.marks.append("constructor")
    statements = r.children(node.child_by_field_id(r.fields.body))
    is_chained = any(r.kind(each) == "explicit_constructor_invocation" for each in statements)
    if r.frame.bases and not is_chained:
        line, column = r.place(node)
        function.body.append(ir.Do(ir.Call(ir.Member(ir.Super(), CONSTRUCTOR, line), (), line, column)))


def _function(r: Reader, node: tree_sitter.Node, name: str) -> ScopeWriter:
    """Return a method or a constructor, whose parameters and body wait."""
    function = r.open("function", node, name)
    listed = node.child_by_field_id(r.fields.parameters)
    if r.kind(node) == "compact_constructor_declaration" and node.parent is not None and node.parent.parent is not None:
        listed = node.parent.parent.child_by_field_id(r.fields.parameters)  # those of the record
    function.arity = sum(r.kind(each).endswith("parameter") for each in r.children(listed))
    r.emit(ir.Assign(r.name(name), ir.Code(function.place)))
    r.wait(partial(function_body, r, node, listed), function)
    with r.inside(function):
        declare_variables(r, node)
        function.returns = declarator_type(r, node, node)
    return function


def _initial(r: Reader, *, is_static: bool) -> ScopeWriter:
    """Return the function that initialises the class, or its objects."""
    name = INITIALISER if is_static else CONSTRUCTOR
    key = (r.frame.place, name)
    if key not in r.initial:
        made = r.initial[key] = r.open("function", None, name)
        made.symbol, made.line = r.frame.symbol, r.frame.line
        if is_static:
            made.marks.append("static")
    return r.initial[key]


def _field(r: Reader, node: tree_sitter.Node) -> None:
    is_static = r.frame.kind == "interface" or "static" in _words(r, node)
    for each in node.children_by_field_id(r.fields.declarator):
        name, value = r.field_text(each, r.fields.name), each.child_by_field_id(r.fields.value)
        type = declarator_type(r, node, each)
        _declare(r, name, type, is_static=is_static)
        if value is not None:
            r.wait(partial(_initialise, r, name, value, type), _initial(r, is_static=is_static))


def _declare(r: Reader, name: str, type: ir.Expression | None, *, is_static: bool = False) -> None:
    """Write that a class has a field of a type."""
    field = r.declare_member(name, type, is_static=is_static)
    if type is not None and not is_plain(type):
        r.emit(ir.Assign(r.name(field), declared(type)))


def _initialise(r: Reader, name: str, node: tree_sitter.Node, type: ir.Expression | None) -> None:
    value, of = r.value(node), next(r.around())
    if value is NOTHING or is_plain(type) or of.owner is NOTHING:
        r.do(value)
    else:
        r.emit(ir.Assign(ir.Member(of.owner, FIELD + name), as_type(value, type)))


def _block(r: Reader, node: tree_sitter.Node) -> None:
    r.wait(lambda: r.do(r.value(node)), _initial(r, is_static=r.kind(node) == "static_initializer"))


def _constant(r: Reader, node: tree_sitter.Node) -> None:
    """Read a constant of an enum, with a class of its own if it has a body."""
    name, of = r.field_text(node, r.fields.name), r.classes[r.frame.place]
    if of is not None:
        _declare(r, name, of, is_static=True)
        r.wait(partial(_made_constant, r, node, name, of), _initial(r, is_static=True))


def _made_constant(r: Reader, node: tree_sitter.Node, name: str, of: ir.Expression) -> None:
    body = node.child_by_field_id(r.fields.body)
    callee = anonymous(r, body, of) if body is not None else of
    made = ir.Call(callee, arguments(r, node.child_by_field_id(r.fields.arguments)), *r.place(node), is_new=True)
    r.emit(ir.Assign(ir.Member(of, FIELD + name), made))


def _record(r: Reader, node: tree_sitter.Node, members: list[tree_sitter.Node]) -> None:
    """Write the fields of a record, and the accessors that the source omits."""
    written = {r.field_text(each, r.fields.name) for each in members if r.kind(each) == "method_declaration"}
    for each in r.children(node.child_by_field_id(r.fields.parameters)):
        name, type = r.field_text(each, r.fields.name), declarator_type(r, each, each)
        _declare(r, name, type)
        if name not in written:
            accessor = r.open("function", None, name)
            accessor.marks.append("implicit")
            accessor.arity, accessor.returns = 0, type
            r.emit(ir.Assign(r.name(name), ir.Code(accessor.place)))


MEMBERS: dict[str, Callable[[Reader, tree_sitter.Node], object]] = {
    **dict.fromkeys(("method_declaration", "annotation_type_element_declaration"), _method),
    **dict.fromkeys(("constructor_declaration", "compact_constructor_declaration"), _constructor),
    **dict.fromkeys(("field_declaration", "constant_declaration"), _field),
    **dict.fromkeys(("block", "static_initializer"), _block),
    "enum_constant": _constant,
    **dict.fromkeys(TYPES, class_declaration),
}
READERS: dict[str, Handler] = {
    **java_expressions.READERS,
    "program": program,
    **dict.fromkeys(TYPES, class_declaration),
    "class_body": anonymous_class,
    "ERROR": nothing,
}


def unit(source: bytes, path: str, symbols: Sequence[Symbol]) -> ir.Unit:
    """Return the program of a Java file.

    symbols: those of the same file, whose places the scopes refer to
    Never raises for the content of the file.
    """
    reader = Reader(source, READERS, symbols)
    reader.read_tree()
    return ir.Unit("java", reader.scopes(), reader.package)
