"""Types and declarations of Java classes, read before any code, since Java allows forward references.

    class Shop<T extends Item> {      Shape("Shop", fields={"items": List<T>}, methods={"sell": […]},
        List<T> items;                      classes={"Till": …}, variables={"T": Item})
        void sell(T item) { … }
        class Till { … }
    }

A type is a name as it is written, with its arguments; an array is the type `[]` of its elements, the class itself (what
`Shop` is in `Shop.open()`) the type `class` of its instances.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import msgspec

from recollect.code.index.page import Page
from recollect.code.links.program import Expression, Member

if TYPE_CHECKING:
    from tree_sitter import Node

# Fields and methods have names apart: a record has both of each.
FIELD = "#"
ARRAY = "[]"
CLASS = "class"

TYPES = frozenset(
    {"class_declaration", "interface_declaration", "enum_declaration", "record_declaration",
     "annotation_type_declaration"}
)  # fmt: skip
# A type that is declared inside a class but has no instance of that class around it.
STATIC_TYPES = TYPES - {"class_declaration"}
INTERFACES = frozenset({"interface_declaration", "annotation_type_declaration"})
NAMED = frozenset({"type_identifier", "identifier", "integral_type", "floating_point_type", "boolean_type"})
# Types nested deeper than this are not written by people.
DEEPEST_TYPE = 20


class Type(msgspec.Struct, frozen=True, gc=False):
    """A type as it is written, without annotations."""

    name: str
    arguments: tuple[Type | None, ...] = ()

    def element(self) -> Type | None:
        """Return the element type: the last argument, so values of a map."""
        return self.arguments[-1] if self.arguments else None


class Method(NamedTuple):
    """A method as it is declared."""

    name: str
    parameters: tuple[Type | None, ...]
    returns: Type | None
    is_static: bool
    is_varargs: bool
    has_body: bool

    def takes(self, count: int) -> bool:
        """Tell whether it can be called with so many arguments."""
        return count == len(self.parameters) or (self.is_varargs and count >= len(self.parameters) - 1)


class Field(NamedTuple):
    """A field as it is declared."""

    type: Type | None
    is_static: bool


class Shape:
    """The declarations of a class; `reference` names it, None for an anonymous class."""

    __slots__ = (
        "bases", "classes", "fields", "implements", "is_interface", "is_static", "methods", "name", "outer",
        "reference", "variables",
    )  # fmt: skip

    def __init__(self, name: str, outer: Shape | None, reference: Expression | None) -> None:
        self.name = name
        self.outer = outer
        self.reference = reference
        self.fields: dict[str, Field] = {}
        self.methods: dict[str, list[Method]] = {}
        self.classes: dict[str, Shape] = {}
        self.variables: dict[str, Type | None] = {}
        self.bases: tuple[Type, ...] = ()
        self.implements: tuple[Type, ...] = ()
        self.is_interface = False
        self.is_static = False

    def supers(self) -> tuple[Type, ...]:
        """Return what it extends and implements."""
        return self.bases + self.implements

    def only_method(self) -> Method | None:
        """Return the one method of a functional interface."""
        found = [each for methods in self.methods.values() for each in methods if not each.has_body]
        return found[0] if self.is_interface and len(found) == 1 else None


def text(page: Page, node: Node) -> str:
    """Return the text of a node."""
    return page.cut(node.start_byte, node.end_byte)


def type_of(page: Page, node: Node | None, depth: int = 0) -> Type | None:
    """Return the type at a node; None for `var` and `void`."""
    if node is None or depth > DEEPEST_TYPE:
        return None
    kind = node.type
    if kind in NAMED:
        name = text(page, node)
        return None if name == "var" else Type(name)
    if kind == "generic_type":
        inner = type_of(page, node.named_children[0], depth + 1)
        listed = node.named_children[-1]
        arguments = [_argument(page, each, depth + 1) for each in listed.named_children if each.type != "annotation"]
        return Type(inner.name, tuple(arguments)) if inner else None
    if kind in ("scoped_type_identifier", "scoped_identifier"):
        parts = [type_of(page, each, depth + 1) for each in node.named_children if "annotation" not in each.type]
        return Type(".".join(part.name for part in parts if part))
    if kind == "array_type":
        return _array(
            page, type_of(page, node.child_by_field_name("element"), depth + 1), node.child_by_field_name("dimensions")
        )
    if kind == "annotated_type":
        return type_of(page, node.named_children[-1], depth + 1)
    return None


def _argument(page: Page, node: Node, depth: int) -> Type | None:
    """Return the type of a type argument: Foo for `? extends Foo`."""
    if node.type != "wildcard":
        return type_of(page, node, depth)
    bounds = node.named_children
    return type_of(page, bounds[-1], depth) if bounds and bounds[-1].type != "super" else None


def _array(page: Page, element: Type | None, dimensions: Node | None) -> Type | None:
    found = element
    for _ in range(text(page, dimensions).count("[") if dimensions else 0):
        found = Type(ARRAY, (found,))
    return found


def declared(page: Page, node: Node, declarator: Node) -> Type | None:
    """Return the type of one declarator of a declaration: `int a, b[]` declares two."""
    return _array(page, type_of(page, node.child_by_field_name("type")), declarator.child_by_field_name("dimensions"))


def modifiers(node: Node) -> Node | None:
    """Return the modifiers and annotations before a declaration."""
    children = node.named_children
    return children[0] if children and children[0].type == "modifiers" else None


def words(found: Node | None) -> frozenset[str]:
    """Return the modifiers of a declaration as words."""
    return frozenset(child.type for child in found.children if not child.is_named) if found else frozenset()


class Parameters(NamedTuple):
    """Names and types of parameters; the last of a method with varargs is an array."""

    names: tuple[str, ...]
    types: tuple[Type | None, ...]
    is_varargs: bool


def parameters(page: Page, node: Node | None) -> Parameters:
    """Return the parameters that a list of them declares."""
    names: list[str] = []
    types: list[Type | None] = []
    is_varargs = False
    for each in node.named_children if node else ():
        if each.type == "formal_parameter":
            name = each.child_by_field_name("name")
            names.append(text(page, name) if name else "")
            types.append(declared(page, each, each))
        elif each.type == "spread_parameter":
            inner = [child for child in each.named_children if child.type != "modifiers"]
            name = inner[-1].child_by_field_name("name") if inner else None
            names.append(text(page, name) if name else "")
            types.append(Type(ARRAY, (type_of(page, inner[0]) if inner else None,)))
            is_varargs = True
    return Parameters(tuple(names), tuple(types), is_varargs)


def variables(page: Page, node: Node) -> dict[str, Type | None]:
    """Return the type variables of a class or a method with their first bounds."""
    listed = node.child_by_field_name("type_parameters")
    found: dict[str, Type | None] = {}
    for each in listed.named_children if listed else ():
        inner = each.named_children
        if each.type == "type_parameter" and inner:
            bound = inner[-1] if inner[-1].type == "type_bound" else None
            name = next((text(page, child) for child in inner if child.type in NAMED), "")
            found[name] = type_of(page, bound.named_children[0]) if bound and bound.named_children else None
    return found


def members(body: Node | None) -> list[Node]:
    """Return the members of a class, of enums and syntax errors included."""
    found: list[Node] = []
    for each in body.named_children if body else ():
        found += each.named_children if each.type in ("enum_body_declarations", "ERROR") else [each]
    return found


def read(page: Page, node: Node, shape: Shape, body: Node | None, depth: int = 0) -> Shape:
    """Fill a shape from a declaration or an anonymous class body."""
    kind = node.type
    shape.is_interface = kind in INTERFACES
    shape.is_static = kind in STATIC_TYPES or shape.outer is None or "static" in words(modifiers(node))
    if kind in TYPES:
        shape.variables = variables(page, node)
        shape.bases, shape.implements = _supers(page, node)
    if kind == "record_declaration":
        listed = parameters(page, node.child_by_field_name("parameters"))
        for name, each in zip(listed.names, listed.types, strict=True):
            shape.fields[name] = Field(each, is_static=False)
            shape.methods[name] = [Method(name, (), each, is_static=False, is_varargs=False, has_body=True)]
    if kind == "enum_declaration":
        own = Type(shape.name)
        for name, takes, returns in (("values", (), Type(ARRAY, (own,))), ("valueOf", (Type("String"),), own)):
            shape.methods[name] = [Method(name, takes, returns, is_static=True, is_varargs=False, has_body=True)]
    for member in members(body):
        reader = _READERS.get(member.type)
        if reader:
            reader(page, shape, member)
        elif member.type in TYPES and depth < DEEPEST_TYPE:
            _nested(page, shape, member, depth)
    return shape


def _supers(page: Page, node: Node) -> tuple[tuple[Type, ...], tuple[Type, ...]]:
    bases: list[Type | None] = []
    implements: list[Type | None] = []
    for each in node.named_children:
        if each.type == "superclass":
            bases += [type_of(page, child) for child in each.named_children]
        elif each.type in ("super_interfaces", "extends_interfaces"):
            found = [type_of(page, child) for listed in each.named_children for child in listed.named_children]
            if each.type == "extends_interfaces":
                bases += found
            else:
                implements += found
    return tuple(each for each in bases if each), tuple(each for each in implements if each)


def _nested(page: Page, shape: Shape, node: Node, depth: int) -> None:
    named = node.child_by_field_name("name")
    if named is None:
        return
    name = text(page, named)
    reference = Member(shape.reference, name) if shape.reference is not None else None
    inner = Shape(name, shape, reference)
    shape.classes[name] = inner
    read(page, node, inner, node.child_by_field_name("body"), depth + 1)
    inner.is_static = inner.is_static or shape.is_interface


def _field(page: Page, shape: Shape, node: Node) -> None:
    is_static = shape.is_interface or "static" in words(modifiers(node))
    for each in node.children_by_field_name("declarator"):
        name = each.child_by_field_name("name")
        if name is not None:
            shape.fields[text(page, name)] = Field(declared(page, node, each), is_static)


def _method(page: Page, shape: Shape, node: Node) -> None:
    named = node.child_by_field_name("name")
    if named is None:
        return
    name = text(page, named)
    listed = parameters(page, node.child_by_field_name("parameters"))
    method = Method(
        name,
        listed.types,
        declared(page, node, node),
        is_static="static" in words(modifiers(node)),
        is_varargs=listed.is_varargs,
        has_body=node.child_by_field_name("body") is not None or node.type == "annotation_type_element_declaration",
    )
    shape.methods.setdefault(name, []).append(method)


def _constant(page: Page, shape: Shape, node: Node) -> None:
    name = node.child_by_field_name("name")
    if name is not None:
        shape.fields[text(page, name)] = Field(Type(shape.name), is_static=True)


_READERS = {
    "field_declaration": _field,
    "constant_declaration": _field,
    "method_declaration": _method,
    "annotation_type_element_declaration": _method,
    "enum_constant": _constant,
}
