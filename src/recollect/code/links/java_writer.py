"""Writer of Java programs, and what a name means at the place that is read.

Places are nested: classes in functions in classes. A name is looked for from the inside out, as Java does: the locals
of a function, then the fields, methods and types of a class with what it inherits, then the function around it.

    a local                        x
    a field or method of ours      this.x, or Shop.x where it is static
    … of the object around         this.x with the `this` that the method around keeps under a name
    what no class here declares    one of: inherited from a class of another file, imported statically, a type
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from recollect.code.index.page import Page
from recollect.code.links.java_library import FAMILIES, FINAL, FUNCTIONS, PLAIN
from recollect.code.links.java_types import Field, Method, Shape, Type
from recollect.code.links.program import (  # fmt: skip
    Assign,
    Cast,
    Code,
    Do,
    Either,
    Expression,
    Import,
    Instance,
    Item,
    Member,
    Name,
    Opaque,
    Scope,
    Statement,
    Super,
    This,
)

if TYPE_CHECKING:
    from tree_sitter import Node

OPAQUE = Opaque()
# Maximum nesting; deeper expressions are not read.
DEEPEST = 150


class Value(msgspec.Struct, frozen=True, gc=False):
    """An expression of the program, and its type where it is known."""

    code: Expression
    type: Type | None = None


NOTHING = Value(OPAQUE)


class Local(NamedTuple):
    """A local variable: its unique name in the program, and its type."""

    name: str
    type: Type | None


class Frame:
    """A function that is being written, or a class around it."""

    __slots__ = (
        "blocks", "body", "is_lambda", "is_static", "names", "place", "returns", "shape", "types", "variables",
        "yields",
    )  # fmt: skip

    def __init__(self, place: int, *, shape: Shape | None = None, is_static: bool = False, is_lambda: bool = False):
        self.place = place
        self.shape = shape
        self.is_static = is_static
        self.is_lambda = is_lambda
        self.body: list[Statement] = []
        self.blocks: list[dict[str, Local]] = [{}]
        self.names: dict[str, int] = {}
        self.types: dict[str, Shape] = {}  # local classes
        self.variables: dict[str, Type | None] = {}
        self.returns: Type | None = None
        self.yields: list[list[Value]] = []  # what the branches of a switch give

    def declare(self, name: str, type: Type | None) -> str:
        """Add a local variable to the innermost block; return its name in the program."""
        seen = self.names.get(name, 0)
        self.names[name] = seen + 1
        unique = f"{name}#{seen + 1}" if seen else name
        self.blocks[-1][name] = Local(unique, type)
        return unique

    def local(self, name: str) -> Local | None:
        """Return the local variable of a name."""
        for block in reversed(self.blocks):
            found = block.get(name)
            if found is not None:
                return found
        return None


Reader = Callable[["Writer", "Node"], Value]


class Tables(NamedTuple):
    """Readers by kind of node; of functions and anonymous classes by context."""

    values: dict[str, Reader]
    statements: dict[str, Callable[[Writer, Node], None]]
    function: Callable[[Writer, Node, Type | None, list[Type | None] | None], Value]
    anonymous: Callable[[Writer, Node, Type, Node], tuple[Expression, Type]]


class Writer:
    """The scopes of a file's program, and where in them reading is."""

    def __init__(self, page: Page, symbols: dict[tuple[int, str], int], tables: Tables) -> None:
        self.page = page
        self.tables = tables
        self.symbols = symbols
        self.scopes: list[Scope | None] = [None]
        self.module = Frame(0)
        self.frames: list[Frame] = []
        self.top: dict[str, Shape] = {}  # the classes of the file that are no members
        self.imported: dict[str, str] = {}  # the names that are imported, and from which package
        self.packages: list[str] = []  # packages of which all is imported
        self.statics: dict[str, Expression] = {}  # names that are imported from classes, and those classes
        self.star_statics: list[Expression] = []  # classes of which all static names are imported
        self.whole: dict[str, str] = {}  # classes named in full
        self.collected: list[Value] = []  # what the stream holds whose collector is being read
        self.variables: set[str] = set()  # the names of all type variables that were met
        self._references: dict[tuple[int, str], Expression] = {}
        self._library: dict[str, bool] = {}
        self._classes: dict[tuple[int, str], Shape | None] = {}
        self._lineages: dict[Shape, list[Shape]] = {}
        self.anonymous = 0
        self.depth = 0

    # --- scopes ---

    def reserve(self) -> int:
        """Return the place of a scope that is written later."""
        self.scopes.append(None)
        return len(self.scopes) - 1

    def reserve_number(self) -> int:
        """Return the number of the next class without a name."""
        self.anonymous += 1
        return self.anonymous

    def function(self) -> Frame:
        """Return the function, or the module, that statements are written to."""
        for frame in reversed(self.frames):
            if frame.shape is None:
                return frame
        return self.module

    def parent(self) -> int:
        """Return the scope that one written here is inside of."""
        return self.frames[-1].place if self.frames else 0

    def emit(self, statement: Statement) -> None:
        """Add a statement to the current function."""
        self.function().body.append(statement)

    def do(self, code: Expression) -> None:
        """Add an expression for what happens in it, if anything does."""
        if not is_pure(code):
            self.emit(Do(code))

    # --- classes ---

    def class_around(self) -> Shape | None:
        """Return the innermost class."""
        for frame in reversed(self.frames):
            if frame.shape is not None:
                return frame.shape
        return None

    def find_class(self, name: str) -> Shape | None:
        """Return a class of this file by its written name: `Shop.Till`."""
        around = self.class_around()
        key = (id(around), name)
        if key in self._classes:
            return self._classes[key]
        head, _, rest = name.partition(".")
        found = self._near(head)
        while found is not None and rest:
            head, _, rest = rest.partition(".")
            found = self._nested(found, head)
        self._classes[key] = found
        return found

    def declare_class(self, name: str, shape: Shape) -> None:
        """Add a class to those that the function knows which is being written."""
        self.function().types[name] = shape
        self.forget()

    def forget(self) -> None:
        """Forget what names of classes meant, where they mean others now."""
        self._classes.clear()
        self._references.clear()
        self._library.clear()
        self._lineages.clear()

    def _near(self, name: str) -> Shape | None:
        for frame in reversed(self.frames):
            shape = frame.shape
            found = frame.types.get(name) if shape is None else self._nested(shape, name)
            if found is not None:
                return found
            if shape is not None and shape.name == name:
                return shape
        return self.top.get(name)

    def _nested(self, shape: Shape, name: str) -> Shape | None:
        for each in self.lineage(shape):
            found = each.classes.get(name)
            if found is not None:
                return found
        return None

    def lineage(self, shape: Shape) -> list[Shape]:
        """Return a class and those of this file that it derives from, nearest first."""
        known = self._lineages.get(shape)
        if known is not None:
            return known
        found = [shape]
        for each in found:  # grows while it is read
            for type in each.supers():
                base = self._class_beside(each, type.name)
                if base is not None and base not in found:
                    found.append(base)
        self._lineages[shape] = found
        return found

    def _class_beside(self, shape: Shape, name: str) -> Shape | None:
        """Return the class that a class means by a name in its own head."""
        head, _, rest = name.partition(".")
        around: Shape | None = shape.outer
        found: Shape | None = None
        while around is not None and found is None:
            found = around.classes.get(head) or (around if around.name == head else None)
            around = around.outer
        if found is None:
            found = next((frame.types[head] for frame in self.frames if head in frame.types), self.top.get(head))
        while found is not None and rest:
            head, _, rest = rest.partition(".")
            found = found.classes.get(head)
        return found

    def is_open(self, shape: Shape) -> bool:
        """Tell whether a class may inherit from a class of another file."""
        return any(
            self._class_beside(each, type.name) is None and not self.is_library(type.name)
            for each in self.lineage(shape)
            for type in each.supers()
        )

    def is_library(self, name: str) -> bool:
        """Tell whether a name means a type of Java's library in this file."""
        known = self._library.get(name)
        if known is None:
            origin = self.imported.get(name.partition(".")[0])
            if name.startswith(("java.", "javax.")):
                known = True
            elif origin is not None:
                known = origin.startswith(("java.", "javax."))
            else:
                known = (name in FAMILIES or name in PLAIN or name in FUNCTIONS) and self.find_class(name) is None
            self._library[name] = known
        return known

    def is_final(self, type: Type | None) -> bool:
        """Tell whether a type never holds objects of the program: numbers, texts."""
        return type is not None and type.name in FINAL and self.is_library(type.name)

    def variable(self, name: str) -> tuple[bool, Type | None]:
        """Tell whether a name is a type variable here, and return its bound."""
        for frame in reversed(self.frames):
            variables = frame.variables if frame.shape is None else frame.shape.variables
            if name in variables:
                return True, variables[name]
        return False, None

    def solid(self, type: Type | None) -> Type | None:
        """Return a type without variables: the bound in place of `T`."""
        if type is None or type.name not in self.variables:
            return type
        is_variable, bound = self.variable(type.name)
        return bound if is_variable else type

    def reference(self, name: str) -> Expression:
        """Return how the program names the class of a name as it is written."""
        key = (id(self.class_around()), name)
        found = self._references.get(key)
        if found is None:
            found = self._references[key] = self._reference(name)
        return found

    def _reference(self, name: str) -> Expression:
        shape = self.find_class(name)
        if shape is not None and shape.reference is not None:
            return shape.reference
        head, _, rest = name.partition(".")
        if rest and head[:1].islower() and not self.find_class(head):
            return self.named_in_full(name)
        code: Expression = Member(self.statics[head], head) if head in self.statics else Name(head)
        for part in rest.split(".") if rest else ():
            code = Member(code, part)
        return code

    def named_in_full(self, name: str) -> Expression:
        """Return a class that is named with its package, which imports it: `a.b.Shop.Till`."""
        parts = name.split(".")
        cut = next((place for place, part in enumerate(parts) if part[:1].isupper()), len(parts) - 1)
        package, first = ".".join(parts[:cut]), parts[cut]
        alias = f"{package}.{first}" if package else first
        if package and alias not in self.whole:
            self.whole[alias] = package
            self.module.body.append(Import(package, first, alias))
        code: Expression = Name(alias)
        for part in parts[cut + 1 :]:
            code = Member(code, part)
        return code

    # --- this ---

    def this(self, shape: Shape | None = None) -> Expression:
        """Return the object of an enclosing class: `this`, or a captured one."""
        is_inner = is_captured = False
        method: Frame | None = None
        for frame in reversed(self.frames):
            if frame.shape is None:
                method = frame
                is_captured = is_captured or frame.is_lambda
                continue
            if shape is None or frame.shape is shape:
                return self._kept(frame.shape, method, is_inner=is_inner, is_captured=is_captured)
            is_inner, method = True, None
        return OPAQUE

    def _kept(self, shape: Shape, method: Frame | None, *, is_inner: bool, is_captured: bool) -> Expression:
        if method is None or method.is_static:
            return Instance(shape.reference) if method is None and shape.reference is not None else OPAQUE
        if not is_inner and not is_captured:
            return This()
        name = f"{shape.name}.this"
        if name not in method.names:
            method.names[name] = 1
            method.body.append(Assign(Name(name), This()))
        return Name(name)

    def is_static_here(self, shape: Shape) -> bool:
        """Tell whether the current place is static for a class."""
        inner: Frame | None = None
        for frame in reversed(self.frames):
            if frame.shape is shape:
                return inner is not None and inner.is_static
            inner = frame if frame.shape is None else None
        return True

    # --- names ---

    def find_field(self, shape: Shape, name: str) -> Field | None:
        """Return a field of a class, inherited ones of this file included."""
        for each in self.lineage(shape):
            if name in each.fields:
                return each.fields[name]
        return None

    def find_methods(self, shape: Shape, name: str) -> list[Method]:
        """Return the methods of a name, inherited ones of this file included."""
        lineage = self.lineage(shape)
        if len(lineage) == 1:
            return shape.methods.get(name) or []
        return [method for each in lineage for method in each.methods.get(name, ())]

    def receiver(self, shape: Shape, *, is_static: bool) -> Expression:
        """Return what a member of a class around is a member of."""
        if is_static and shape.reference is not None:
            return shape.reference
        found = self.this(shape)
        if isinstance(found, Opaque) and shape.reference is not None:
            return shape.reference
        return found

    def unknown(self, name: str, member: str) -> Expression | None:
        """Return a member that is inherited from another file or imported.

        member: what it is called among the members of a class
        """
        if name in self.statics:
            return Member(self.statics[name], member)
        owners = [
            self.receiver(frame.shape, is_static=self.is_static_here(frame.shape))
            for frame in reversed(self.frames)
            if frame.shape is not None and self.is_open(frame.shape)
        ]
        members: list[Expression] = [Member(owner, member) for owner in dict.fromkeys(owners + self.star_statics)]
        if len(members) > 1:
            return Either(tuple(members))
        return members[0] if members else None


def is_pure(code: Expression) -> bool:
    """Tell whether an expression only reads."""
    while isinstance(code, Member | Item | Cast):
        code = code.of
    return isinstance(code, Name | This | Super | Code | Instance) or is_idle(code)


def is_idle(code: Expression) -> bool:
    """Tell whether an expression is the empty one."""
    return code is OPAQUE
