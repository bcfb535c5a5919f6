"""Programs of Java files: the entry of the front end, and classes with their members.

    class Shop {                      Scope(class, "Shop", body=(
        Till till = new Till();           till = Instance(Till)          what it is declared to be
        static Shop only = open();
        Shop(int size) { … }              <init> = Code(…)
        void sell() { … }                 sell = Code(…)
        class Till { … }                  Till = Code(…)
    }                                 ))

Field initialisers run in functions of their own, as in the JVM: `<init>` for each object, `<clinit>` once for the
class. Accessors and constructor of a record and `values` of an enum are implicit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from recollect.code.index.page import Page, parse
from recollect.code.index.symbols import Symbol
from recollect.code.links import java_calls, java_statements, java_values
from recollect.code.links.java_functions import function, parameter
from recollect.code.links.java_statements import statement
from recollect.code.links.java_types import (  # fmt: skip
    FIELD,
    INTERFACES,
    TYPES,
    Parameters,
    Shape,
    Type,
    declared,
    members,
    modifiers,
    parameters,
    read,
    text,
    type_of,
    variables,
    words,
)
from recollect.code.links.java_values import (
    arguments,
    array,
    cast,
    class_named,
    position,
    type_code,
    value_for,
    written,
)
from recollect.code.links.java_writer import Frame, Tables, Writer, is_idle
from recollect.code.links.program import (  # fmt: skip
    Assign,
    Call,
    Code,
    Do,
    Entry,
    Expression,
    Import,
    Instance,
    Item,
    Member,
    Name,
    Parameter,
    Return,
    Scope,
    ScopeKind,
    Statement,
    Super,
    Table,
    This,
    Unit,
    Use,
)

if TYPE_CHECKING:
    from tree_sitter import Node

CONSTRUCTOR = "<init>"
INITIALISER = "<clinit>"


class Building:
    """A class that is being written, with the functions that initialise its fields."""

    __slots__ = ("body", "is_record", "node", "objects", "place", "shape", "statics")

    def __init__(self, place: int, shape: Shape, node: Node) -> None:
        self.place = place
        self.shape = shape
        self.node = node
        self.body: list[Statement] = []
        self.objects: Frame | None = None
        self.statics: Frame | None = None

    def bind(self, name: str, place: int) -> None:
        """Add a function or a class to what the class offers."""
        self.body.append(Assign(Name(name), Code(place)))


def class_(w: Writer, node: Node, shape: Shape, body: Node | None) -> int:
    """Write a class; return the place of its scope."""
    place = w.reserve()
    building = Building(place, shape, node)
    parent = w.parent()
    symbol = symbol_of(w, node, shape.name)
    w.variables.update(shape.variables)
    w.frames.append(Frame(place, shape=shape))
    bases = [w.reference(each.name) for each in shape.bases]
    implements = [w.reference(each.name) for each in shape.implements]
    _annotated(w, node, building.body)
    if node.type == "record_declaration":
        _record(w, building)
    if node.type == "enum_declaration":
        _values(w, building)
    for each in members(body):
        reader = MEMBERS.get(each.type)
        if reader is not None:
            reader(w, building, each)
    _initialisers(w, building, symbol)
    w.frames.pop()
    kind: ScopeKind = "interface" if node.type in INTERFACES else "class"
    marks = ("abstract",) if "abstract" in words(modifiers(node)) else ()
    w.scopes[place] = Scope(
        kind, shape.name, symbol, parent, bases=tuple(bases), implements=tuple(implements), body=tuple(building.body),
        marks=marks, line=position(node)[0],
    )  # fmt: skip
    return place


def local_class(w: Writer, node: Node) -> None:
    """Write a class that a function declares."""
    named = node.child_by_field_name("name")
    if named is None:
        return
    name = text(w.page, named)
    shape = Shape(name, w.class_around(), Name(name))
    w.declare_class(name, shape)
    read(w.page, node, shape, node.child_by_field_name("body"))
    w.emit(Assign(Name(name), Code(class_(w, node, shape, node.child_by_field_name("body")))))


def anonymous_class(w: Writer, node: Node, type: Type, body: Node) -> tuple[Expression, Type]:
    """Write an anonymous class; return it and the type of the object."""
    name = f"${w.reserve_number()}"
    shape = Shape(name, w.class_around(), None)
    shape.bases = (type,)
    read(w.page, node, shape, body)
    w.declare_class(name, shape)
    return Code(class_(w, node, shape, body)), Type(name)


def symbol_of(w: Writer, node: Node, name: str) -> int:
    """Return the symbol that a declaration is."""
    start = node.start_byte
    return w.symbols.get((w.page.original(start) if w.page.returns else start, name), -1)


def _annotated(w: Writer, node: Node, body: list[Statement]) -> None:
    """Note the annotations of a declaration."""
    found = modifiers(node)
    for each in found.named_children if found else ():
        name = each.child_by_field_name("name")
        type = type_of(w.page, name)
        code = class_named(w, type) if type and type.name not in UNTOLD else None
        if code is not None:
            body.append(Use(code, position(each)[0]))


UNTOLD = frozenset({"Override", "Deprecated", "SuppressWarnings", "FunctionalInterface", "SafeVarargs"})


# --- methods ----------------------------------------------------------------------------------------------------------


def _method(w: Writer, building: Building, node: Node) -> None:
    named, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    if named is None:
        return
    name = text(w.page, named)
    found = words(modifiers(node))
    is_bare = body is None and "native" not in found and node.type != "annotation_type_element_declaration"
    marks = [each for each, holds in (("static", "static" in found), ("abstract", is_bare)) if holds]
    frame = Frame(w.reserve(), is_static="static" in found)
    frame.returns = declared(w.page, node, node)
    listed = parameters(w.page, node.child_by_field_name("parameters"))
    _function(w, building, node, frame, listed, body, name, marks)
    building.bind(name, frame.place)


def _constructor(w: Writer, building: Building, node: Node) -> None:
    frame = Frame(w.reserve())
    body = node.child_by_field_name("body")
    is_compact = node.type == "compact_constructor_declaration"
    source = building.node if is_compact else node
    listed = parameters(w.page, source.child_by_field_name("parameters"))
    if is_compact:
        frame.body += _kept(listed)
    if not _is_chained(body) and building.shape.bases:
        line, column = position(node)
        frame.body.append(_super_call(line, column))
    _function(w, building, node, frame, listed, body, CONSTRUCTOR, ["constructor"])
    building.bind(CONSTRUCTOR, frame.place)


def _is_chained(body: Node | None) -> bool:
    return any(each.type == "explicit_constructor_invocation" for each in (body.named_children if body else ()))


def _super_call(line: int, column: int) -> Statement:
    return Do(Call(Member(Super(), CONSTRUCTOR, line), (), line, column))


def _function(
    w: Writer, building: Building, node: Node, frame: Frame, listed: Parameters, body: Node | None, name: str,
    marks: list[str],
) -> None:  # fmt: skip
    """Write a method or a constructor."""
    symbol = symbol_of(w, node, building.shape.name if name == CONSTRUCTOR else name)
    parent = w.parent()
    w.frames.append(frame)
    frame.variables = variables(w.page, node)
    w.variables.update(frame.variables)
    scope_parameters = _parameters(w, frame, listed)
    _annotated(w, node, frame.body)
    for each in node.named_children:
        if each.type == "throws":
            for thrown in each.named_children:
                code = class_named(w, type_of(w.page, thrown))
                if code is not None:
                    frame.body.append(Use(code, position(thrown)[0]))
    if body is not None:
        statement(w, body)
    returns = type_code(w, frame.returns)
    w.frames.pop()
    if frame.types:
        w.forget()
    w.scopes[frame.place] = Scope(
        "function", name, symbol, parent, scope_parameters, body=tuple(frame.body), marks=tuple(marks), returns=returns,
        arity=len(listed.names), line=position(node)[0],
    )  # fmt: skip


def _parameters(w: Writer, frame: Frame, listed: Parameters) -> tuple[Parameter, ...]:
    found: list[Parameter] = []
    last = len(listed.names) - 1
    for place, (name, type) in enumerate(zip(listed.names, listed.types, strict=True)):
        kind = "*" if listed.is_varargs and place == last else ""
        found.append(parameter(w, frame, name, type, kind=kind))
    return tuple(found)


# --- fields -----------------------------------------------------------------------------------------------------------


def _initial(w: Writer, building: Building, *, is_static: bool) -> Frame:
    """Return the function that initialises the class, or its objects."""
    found = building.statics if is_static else building.objects
    if found is None:
        found = Frame(w.reserve(), is_static=is_static)
        if is_static:
            building.statics = found
        else:
            building.objects = found
    return found


def _field(w: Writer, building: Building, node: Node) -> None:
    shape = building.shape
    _annotated(w, node, building.body)
    for each in node.children_by_field_name("declarator"):
        name = each.child_by_field_name("name")
        field = shape.fields.get(text(w.page, name)) if name else None
        if name is None or field is None:
            continue
        to = class_named(w, field.type)
        given = each.child_by_field_name("value")
        if to is not None and (given is None or given.type != "object_creation_expression"):
            building.body.append(Assign(Name(FIELD + text(w.page, name)), Instance(to)))
        if given is not None:
            _initialise(w, building, text(w.page, name), given, field.type, is_static=field.is_static)


def _initialise(
    w: Writer, building: Building, name: str, node: Node, type: Type | None, *, is_static: bool
) -> None:  # fmt: skip
    frame = _initial(w, building, is_static=is_static)
    w.frames.append(frame)
    found = array(w, node, type) if node.type == "array_initializer" else value_for(w, node, type)
    if not is_idle(found.code):
        owner = w.receiver(building.shape, is_static=is_static)
        w.emit(Assign(Member(owner, FIELD + name), cast(w, found.code, type)))
    w.frames.pop()


def _block(w: Writer, building: Building, node: Node) -> None:
    frame = _initial(w, building, is_static=node.type == "static_initializer")
    w.frames.append(frame)
    statement(w, node)
    w.frames.pop()


def _initialisers(w: Writer, building: Building, symbol: int) -> None:
    for frame, name, marks in (
        (building.objects, CONSTRUCTOR, ()),
        (building.statics, INITIALISER, ("static",)),
    ):
        if frame is not None:
            line = position(building.node)[0]
            w.scopes[frame.place] = Scope(
                "function", name, symbol, building.place, body=tuple(frame.body), marks=marks, line=line
            )


# --- enums and records ------------------------------------------------------------------------------------------------


def _constant(w: Writer, building: Building, node: Node) -> None:
    """Write a constant of an enum, with a class of its own if it has a body."""
    name = node.child_by_field_name("name")
    if name is None:
        return
    frame = _initial(w, building, is_static=True)
    w.frames.append(frame)
    body = node.child_by_field_name("body")
    shape = building.shape
    callee = w.receiver(shape, is_static=True)
    if body is not None:
        callee = anonymous_class(w, node, Type(shape.name), body)[0]
    given = [value_for(w, each, None) for each in written(node.child_by_field_name("arguments"))]
    line, column = position(name)
    made = Call(callee, arguments(w, given), line, column, is_new=True)
    w.emit(Assign(Member(w.receiver(shape, is_static=True), FIELD + text(w.page, name)), made))
    w.frames.pop()


def _values(w: Writer, building: Building) -> None:
    shape = building.shape
    body = building.node.child_by_field_name("body")
    owner = w.receiver(shape, is_static=True)
    constants = [each for each in (body.named_children if body else ()) if each.type == "enum_constant"]
    names = [text(w.page, name) for each in constants if (name := each.child_by_field_name("name"))]
    held: tuple[Entry, ...] = tuple([Entry(place, Member(owner, FIELD + name)) for place, name in enumerate(names)])
    table = Table(held, position(building.node)[0])
    _implicit(w, building, "values", (), (Return(table),), 0)
    _implicit(w, building, "valueOf", (Parameter("name"),), (Return(Item(table)),), 1)


def _implicit(
    w: Writer, building: Building, name: str, listed: tuple[Parameter, ...], body: tuple[Statement, ...], arity: int,
    *marks: str,
) -> None:  # fmt: skip
    """Write a method that the language adds."""
    place = w.reserve()
    is_static = () if marks else ("static",)
    w.scopes[place] = Scope(
        "function", name, -1, building.place, listed, body=body, marks=(*marks, *is_static, "implicit"), arity=arity,
        line=position(building.node)[0],
    )  # fmt: skip
    building.bind(name, place)


def _kept(listed: Parameters) -> list[Statement]:
    return [Assign(Member(This(), FIELD + name), Name(name)) for name in listed.names]


def _record(w: Writer, building: Building) -> None:
    """Write the accessors and the constructor of a record that the source omits."""
    node = building.node
    listed = parameters(w.page, node.child_by_field_name("parameters"))
    own = members(node.child_by_field_name("body"))
    methods = {
        text(w.page, name)
        for each in own
        if each.type == "method_declaration" and (name := each.child_by_field_name("name"))
        and not written(each.child_by_field_name("parameters"))
    }  # fmt: skip
    taken: list[Parameter] = []
    for field, type in zip(listed.names, listed.types, strict=True):
        taken.append(Parameter(field, "", None, type_code(w, type)))
        to = class_named(w, type)
        if to is not None:
            building.body.append(Assign(Name(FIELD + field), Instance(to)))
        if field not in methods:
            _implicit(w, building, field, (), (Return(Member(This(), FIELD + field)),), 0, "accessor")
    if not any(_is_canonical(w, each, len(taken)) for each in own):
        _implicit(w, building, CONSTRUCTOR, tuple(taken), tuple(_kept(listed)), len(taken), "constructor")


def _is_canonical(w: Writer, node: Node, count: int) -> bool:
    if node.type == "compact_constructor_declaration":
        return True
    return (
        node.type == "constructor_declaration"
        and len(parameters(w.page, node.child_by_field_name("parameters")).names) == count
    )


def _nested(w: Writer, building: Building, node: Node) -> None:
    named = node.child_by_field_name("name")
    shape = building.shape.classes.get(text(w.page, named)) if named else None
    if shape is not None:
        building.bind(shape.name, class_(w, node, shape, node.child_by_field_name("body")))


MEMBERS: dict[str, Callable[[Writer, Building, Node], None]] = {
    "method_declaration": _method,
    "annotation_type_element_declaration": _method,
    "constructor_declaration": _constructor,
    "compact_constructor_declaration": _constructor,
    "field_declaration": _field,
    "constant_declaration": _field,
    "block": _block,
    "static_initializer": _block,
    "enum_constant": _constant,
    **dict.fromkeys(TYPES, _nested),
}

STATEMENTS: dict[str, Callable[[Writer, Node], None]] = dict.fromkeys(TYPES, local_class)


TABLES = Tables(
    values={
        **java_values.READERS,
        **java_calls.READERS,
        "switch_expression": java_statements.switch,
        "lambda_expression": lambda w, node: function(w, node, None, None),
        "method_reference": lambda w, node: function(w, node, None, None),
    },
    statements={**java_statements.STATEMENTS, **STATEMENTS},
    function=function,
    anonymous=anonymous_class,
)


def unit(source: bytes, path: str, symbols: Sequence[Symbol]) -> Unit:
    """Return the program of a Java file without what is not Java.

    symbols: the file's, in their order: scopes say which of them they are
    """
    page = Page(source)
    root = parse(page, "java").root_node
    w = Writer(page, {(each.start_byte, each.name): place for place, each in enumerate(symbols)}, TABLES)
    package = ""
    classes: list[tuple[Node, Shape]] = []
    for node in root.named_children:
        if node.type == "package_declaration":
            package = next((text(w.page, each) for each in node.named_children if "identifier" in each.type), "")
        elif node.type == "import_declaration":
            _import(w, node)
        else:
            classes += _top(w, node)
    for node, shape in classes:
        place = class_(w, node, shape, node.child_by_field_name("body"))
        w.module.body.append(Assign(Name(shape.name), Code(place)))
    w.scopes[0] = Scope("module", "", body=tuple(w.module.body))
    scopes = tuple([each or Scope("function", "", parent=0) for each in w.scopes])
    return Unit("java", scopes, package, tuple(page.notes))


def _top(w: Writer, node: Node) -> list[tuple[Node, Shape]]:
    """Return the classes at the top of a file, syntax errors included."""
    if node.type == "ERROR":
        return [found for each in node.named_children for found in _top(w, each)]
    named = node.child_by_field_name("name") if node.type in TYPES else None
    if named is None:
        return []
    name = text(w.page, named)
    shape = Shape(name, None, Name(name))
    w.top[name] = shape
    return [(node, read(w.page, node, shape, node.child_by_field_name("body")))]


# --- imports ----------------------------------------------------------------------------------------------------------


def _import(w: Writer, node: Node) -> None:
    path = next((text(w.page, each) for each in node.named_children if "identifier" in each.type), "")
    is_static = any(child.type == "static" for child in node.children)
    is_star = any(child.type == "asterisk" for child in node.children)
    line = node.start_point[0] + 1
    if is_static:
        _static(w, path, is_star=is_star)
    elif is_star and not _class_in(path):
        w.packages.append(path)
        w.module.body.append(Import(path, "*", line=line))
    elif is_star:
        w.star_statics.append(w.named_in_full(path))  # the types inside of a class
    else:
        _type(w, path, line)


def _static(w: Writer, path: str, *, is_star: bool) -> None:
    if is_star:
        w.star_statics.append(w.named_in_full(path))
        return
    owner, _, name = path.rpartition(".")
    if owner:
        w.statics[name] = w.named_in_full(owner)


def _type(w: Writer, path: str, line: int) -> None:
    package, _, name = path.rpartition(".")
    w.imported[name] = package
    if _class_in(package):
        inner: Expression = w.named_in_full(path)
        w.module.body.append(Assign(Name(name), inner))
    else:
        w.module.body.append(Import(package, name, name, line=line))


def _class_in(path: str) -> bool:
    """Tell whether a path names a class: it has a capitalised part."""
    return any(part[:1].isupper() for part in path.split("."))
