"""Reader of Java syntax trees: the classes around a place, and what a name means there.

    a local                        x
    a field or method of ours      this.x, or Shop.x where it is static
    … of the object around         a member of any Shop
    what no class here declares    one of: inherited from a class of another file, imported statically, a type

Fields have a mark before their name in the program, since a method may have the same name. Types are expressions of
what they are instances of; one that leads to no class, such as `var`, is None:

    Shop            Name("Shop")                       int, String      Name("int"): overloads are chosen by it
    List<Shop>      a table of any number of them      Map<K, Shop>     the same; keys are not followed
    Shop[]          a table of kind "[]"               T extends Shop   Shop
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from typing import TYPE_CHECKING, NamedTuple

from recollect.code.index.symbols import Symbol
from recollect.code.links import program as ir
from recollect.code.links.tree_reader import (
    NOTHING,
    BlockFrame,
    Handler,
    ScopeWriter,
    TreeReader,
    Variable,
    declared,
    either,
)

if TYPE_CHECKING:
    import tree_sitter

FIELD = "#"
# No object of a program is held by a variable of these types, so its values need not be followed.
PLAIN = frozenset(
    "byte short int long char float double boolean Byte Short Integer Long Character Float Double Boolean String "
    "StringBuilder BigDecimal BigInteger void Void".split()
)
# Names of these packages are known without being read.
LIBRARY = ("java.", "javax.", "kotlin.")


class Shape:
    """The declarations of a class; its fields, methods and classes are names of its block.

    reference: how the program names it, None for an anonymous class
    dynamic: fields and methods of its objects
    initial: functions that initialise its objects and itself
    has_bases: it may inherit members from other files
    """

    def __init__(self, name: str, reference: ir.Expression | None) -> None:
        self.name, self.reference = name, reference
        self.dynamic: set[str] = set()
        self.initial: dict[str, BlockFrame] = {}
        self.has_bases = False


class Around(NamedTuple):
    """A class around a place; `is_static`: the place has no object of it."""

    frame: ScopeWriter
    shape: Shape
    is_static: bool
    is_innermost: bool


class Reader(TreeReader):
    """A Java file on its way to a program.

    shapes: classes by the places of their scopes; imported: packages of imported names
    statics: names that are imported from classes, with those classes; star_statics: classes of which all are
    """

    def __init__(self, source: bytes, readers: Mapping[str, Handler], symbols: Sequence[Symbol]) -> None:
        super().__init__(source, "java", readers, symbols)
        self.shapes: dict[int, Shape] = {}
        self.imported: dict[str, str] = {}
        self.statics: dict[str, ir.Expression] = {}
        self.star_statics: list[ir.Expression] = []
        self.package = ""
        self.anonymous = 0

    # --- classes ---

    def around(self) -> Iterator[Around]:
        """Yield the classes around this place, innermost first."""
        is_static, is_innermost = False, True
        frame: ScopeWriter | None = self.frame
        while frame is not None:
            shape = self.shapes.get(frame.place)
            if shape is not None:
                yield Around(frame, shape, is_static, is_innermost)
                is_innermost = False
            is_static, frame = "static" in frame.marks, frame.parent

    def reference(self, name: str) -> ir.Expression:
        """Return how the program names the class of a name as it is written."""
        head, *rest = name.split(".")
        known = self.type_of(f"<{head}>")
        if known is None and rest and head[:1].islower():
            return self.named_in_full(name)
        if known is not None:
            return reduce(ir.Member, rest, known)
        found: ir.Expression = ir.Member(self.statics[head], head) if head in self.statics else self.name(head)
        return reduce(ir.Member, rest, found)

    def named_in_full(self, name: str) -> ir.Expression:
        """Return a class that is named with its package, which imports it: `a.b.Shop.Till`."""
        parts = name.split(".")
        cut = next((place for place, part in enumerate(parts) if part[:1].isupper()), len(parts) - 1)
        package, first = ".".join(parts[:cut]), parts[cut]
        alias = f"{package}.{first}" if package else first
        if package and alias not in self.imported:
            self.imported[alias] = package
            self.module.body.append(ir.Import(package, first, alias))
        found: ir.Expression = self.name(alias)
        return reduce(ir.Member, parts[cut + 1 :], found)

    def is_library(self, name: str) -> bool:
        """Tell whether a name means a type of Java's library in this file."""
        head = name.partition(".")[0]
        if head in self.imported:
            return self.imported[head].startswith(LIBRARY)
        return name.startswith(LIBRARY) or self.block.find(f"<{head}>") is None

    # --- members ---

    def receiver(self, of: Around, *, is_static: bool) -> ir.Expression:
        """Return what a member of a class around is a member of."""
        if of.is_innermost and not is_static and not of.is_static:
            return ir.This()
        reference = of.shape.reference or NOTHING
        return reference if is_static or of.is_static else ir.Instance(reference)

    def inherited(self, name: str, member: str) -> ir.Expression | None:
        """Return a member that comes from another file: inherited, or imported from a class."""
        if name in self.statics:
            return ir.Member(self.statics[name], member)
        owners = [self.receiver(each, is_static=False) for each in self.around() if each.shape.has_bases]
        found = either([ir.Member(owner, member) for owner in (*owners, *self.star_statics)])
        return None if found is NOTHING else found

    def declare_type(self, name: str, type: ir.Expression | None) -> None:
        """Declare a class, or a variable for one with what it has to be."""
        self.block.names[f"<{name}>"] = Variable(name, self.frame, type)

    def declare_member(self, shape: Shape, key: str, type: ir.Expression | None, *, is_static: bool) -> str:
        """Return the name of a field or a method, `f()`, of the class that is being read, after declaring it."""
        name = key.removesuffix("()") if key.endswith("()") else FIELD + key
        known = self.block.names.get(key)
        is_new = known is None or known.type == type  # of overloads that differ, no type is known
        self.block.names[key] = Variable(name, self.frame, type if is_new else None)
        if not is_static:
            shape.dynamic.add(name)
        return name

    def find(self, key: str) -> ir.Expression | None:
        """Return a local, or a field or a method, `f()`, of a class around."""
        variable = self.block.find(key)
        if variable is None or variable.frame.place not in self.shapes:
            return self.name(variable.name) if variable is not None else None
        of = next(each for each in self.around() if each.frame is variable.frame)
        return ir.Member(self.receiver(of, is_static=variable.name not in of.shape.dynamic), variable.name)

    def type_of(self, key: str) -> ir.Expression | None:
        """Return the declared type of a variable, of what a method, `f()`, returns, or the class of `<Shop>`."""
        variable = self.block.find(key)
        return variable.type if variable is not None else None


def is_plain(type: ir.Expression | None) -> bool:
    """Tell whether a type never holds objects of the program: numbers, texts, arrays of them."""
    while isinstance(type, ir.Table) and type.entries:
        type = type.entries[0].value
    return isinstance(type, ir.Name) and type.name in PLAIN


# --- types ---

ARRAY = "[]"
NAMED = frozenset(("type_identifier", "identifier", "scoped_type_identifier", "scoped_identifier"))
PRIMITIVE = frozenset(("integral_type", "floating_point_type", "boolean_type", "void_type"))
# Types of the library that hold values of their last argument, and give them back.
CONTAINERS = frozenset(
    """Collection List ArrayList LinkedList Vector Stack Set HashSet LinkedHashSet TreeSet SortedSet NavigableSet
    EnumSet Queue Deque ArrayDeque PriorityQueue BlockingQueue LinkedBlockingQueue ArrayBlockingQueue TreeMap
    ConcurrentLinkedQueue CopyOnWriteArrayList CopyOnWriteArraySet Iterable Iterator ListIterator Enumeration
    Map HashMap LinkedHashMap SortedMap NavigableMap ConcurrentMap ConcurrentHashMap WeakHashMap EnumMap Hashtable
    IdentityHashMap ConcurrentSkipListMap Entry Optional Stream CompletableFuture CompletionStage Future
    AtomicReference ThreadLocal SoftReference WeakReference Supplier Callable Arrays""".split()
)
OBJECT = ir.Name("Object")
DEEPEST_TYPE = 12


def type_of(r: Reader, node: tree_sitter.Node | None, depth: int = 0) -> ir.Expression | None:
    """Return the type at a node; None where it leads to no class."""
    if node is None or depth > DEEPEST_TYPE:
        return None
    kind = r.kind(node)
    if kind in NAMED or kind in PRIMITIVE:
        return _named(r, r.cut(node))
    if kind == "generic_type":
        return _generic(r, node, depth)
    if kind == "array_type":
        return _array(r, type_of(r, node.child_by_field_id(r.fields.element), depth + 1), node)
    if kind in ("annotated_type", "wildcard", "catch_type", "type_bound"):
        inner = [child for child in node.named_children if "annotation" not in r.kind(child)]
        found = either([type for child in inner if (type := type_of(r, child, depth + 1)) is not None])
        return None if found is NOTHING else found
    return None


def _named(r: Reader, name: str) -> ir.Expression | None:
    variable = r.block.find(f"<{name}>")
    if variable is not None:
        return variable.type
    return None if name == "var" else r.reference("".join(name.split()))


def _generic(r: Reader, node: tree_sitter.Node, depth: int) -> ir.Expression | None:
    name = r.cut(node.named_children[0])
    if not is_container(r, name):
        return type_of(r, node.named_children[0], depth + 1)
    arguments = node.named_children[-1].named_children
    held = type_of(r, arguments[-1], depth + 1) if arguments else None
    entries = (ir.Entry(None, declared(held)),) if held is not None and not is_plain(held) else ()
    return ir.Table(entries, kind=name.rpartition(".")[2])


def is_container(r: Reader, name: str) -> bool:
    """Tell whether a name means a type of the library that holds values."""
    return name.rpartition(".")[2] in CONTAINERS and r.is_library(name)


def array_of(element: ir.Expression | None) -> ir.Table:
    """Return the type of an array."""
    held = OBJECT if element is None else element if is_plain(element) else declared(element)
    return ir.Table((ir.Entry(None, held),), kind=ARRAY)


def _array(r: Reader, element: ir.Expression | None, node: tree_sitter.Node) -> ir.Expression | None:
    """Return a type with the dimensions that a declaration gives it."""
    found = element
    for _ in range(r.field_text(node, r.fields.dimensions).count("[")):
        found = array_of(found)
    return found


def declarator_type(r: Reader, node: tree_sitter.Node, declarator: tree_sitter.Node) -> ir.Expression | None:
    """Return the type of one declarator of a declaration: `int a, b[]` declares two."""
    return _array(r, type_of(r, node.child_by_field_id(r.fields.type)), declarator)


def declare_variables(r: Reader, node: tree_sitter.Node) -> None:
    """Note the type variables of a class or a method with their first bounds."""
    listed = node.child_by_field_id(r.fields.type_parameters)
    for each in listed.named_children if listed is not None else ():
        inner = [child for child in each.named_children if "annotation" not in r.kind(child)]
        if inner:
            bound = inner[-1].named_children[0] if r.kind(inner[-1]) == "type_bound" else None
            r.declare_type(r.cut(inner[0]), type_of(r, bound))
