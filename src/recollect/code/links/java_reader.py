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
from recollect.code.links.tree_reader import NOTHING, Handler, ScopeWriter, TreeReader, Variable, declared, either

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


class Around(NamedTuple):
    """A class around a place; owner: what members of it are members of there."""

    frame: ScopeWriter
    owner: ir.Expression


class Reader(TreeReader):
    """A Java file on its way to a program.

    classes: how the program names a class, by the place of its scope; None for one without a name
    initial: functions that initialise a class or its objects, by the place of its scope and their name
    imported: packages of imported names
    statics: names that are imported from classes, with those classes; star_statics: classes of which all are
    """

    def __init__(self, source: bytes, readers: Mapping[str, Handler], symbols: Sequence[Symbol]) -> None:
        super().__init__(source, "java", readers, symbols)
        self.classes: dict[int, ir.Expression | None] = {}
        self.initial: dict[tuple[int, str], ScopeWriter] = {}
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
            if frame.place in self.classes:
                named = self.classes[frame.place] or NOTHING
                yield Around(frame, named if is_static else ir.This() if is_innermost else ir.Instance(named))
                is_innermost = False
            is_static, frame = "static" in frame.marks, frame.parent

    def reference(self, name: str) -> ir.Expression:
        """Return how the program names the class of a name as it is written."""
        head, *rest = name.split(".")
        known = self.type_of(f"<{head}>")
        if known is None and rest and head[:1].islower():
            return self.named_in_full(name)
        return reduce(ir.Member, rest, known or self.name(head))

    def named_in_full(self, name: str) -> ir.Expression:
        """Return a class that is named with its package, which imports it: `a.b.Shop.Till`."""
        parts = name.split(".")
        cut = next((place for place, part in enumerate(parts) if part[:1].isupper()), len(parts) - 1)
        package, alias = ".".join(parts[:cut]), ".".join(parts[: cut + 1])
        if package and alias not in self.imported:
            self.imported[alias] = package
            self.module.body.append(ir.Import(package, parts[cut], alias))
        found: ir.Expression = self.name(alias)
        return reduce(ir.Member, parts[cut + 1 :], found)

    # --- members ---

    def inherited(self, name: str, member: str) -> ir.Expression | None:
        """Return a member that comes from another file: inherited, or imported from a class."""
        if name in self.statics:
            return ir.Member(self.statics[name], member)
        owners = [each.owner for each in self.around() if each.frame.bases or each.frame.implements]
        found = either([ir.Member(owner, member) for owner in (*owners, *self.star_statics)])
        return None if found is NOTHING else found

    def declare_type(self, name: str, type: ir.Expression | None) -> None:
        """Declare a class, or a variable for one with what it has to be."""
        self.block.names[f"<{name}>"] = Variable(name, self.frame, type)

    def declare_member(self, key: str, type: ir.Expression | None, *, is_static: bool) -> str:
        """Return the name of a field or a method, `f()`, of the class that is being read, after declaring it."""
        name = key.removesuffix("()") if key.endswith("()") else FIELD + key
        known = self.block.names.get(key)
        if known is not None:  # of overloads that differ, no type is known
            type, is_static = type if known.type == type else None, is_static and known.is_static
        self.block.names[key] = Variable(name, self.frame, type, is_static)
        return name

    def find(self, key: str) -> ir.Expression | None:
        """Return a local, or a field or a method, `f()`, of a class around."""
        variable = self.block.find(key)
        if variable is None or variable.frame.place not in self.classes:
            return self.name(variable.name) if variable is not None else None
        owner = next(each.owner for each in self.around() if each.frame is variable.frame)
        return ir.Member((variable.is_static and self.classes[variable.frame.place]) or owner, variable.name)

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
    head = name.partition(".")[0]
    is_library = r.imported.get(head, name).startswith(LIBRARY)
    is_own = head in r.imported or r.block.find(f"<{head}>") is not None
    return name.rpartition(".")[2] in CONTAINERS and (is_library or not is_own)


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
