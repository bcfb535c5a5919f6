"""Types of Java as expressions of what they are instances of.

    Shop            Name("Shop")                       int, String      Name("int"): overloads are chosen by it
    List<Shop>      a table of any number of them      Map<K, Shop>     the same; keys are not followed
    Shop[]          a table of kind "[]"               T extends Shop   Shop

A type that leads to no class, such as `var`, is None.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.code.links.java_reader import Reader, is_plain
from recollect.code.links.program import Either, Entry, Expression, Name, Table
from recollect.code.links.tree_reader import declared

if TYPE_CHECKING:
    import tree_sitter

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
    AtomicReference ThreadLocal SoftReference WeakReference Supplier Callable""".split()
)
OBJECT = Name("Object")
DEEPEST = 12


def type_of(r: Reader, node: tree_sitter.Node | None, depth: int = 0) -> Expression | None:
    """Return the type at a node; None where it leads to no class."""
    if node is None or depth > DEEPEST:
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
        found = [type for child in inner if (type := type_of(r, child, depth + 1)) is not None]
        return Either(tuple(found)) if len(found) > 1 else found[0] if found else None
    return None


def _named(r: Reader, name: str) -> Expression | None:
    if name in r.variables:
        return r.variables[name]
    return None if name == "var" else r.reference("".join(name.split()))


def _generic(r: Reader, node: tree_sitter.Node, depth: int) -> Expression | None:
    name = r.cut(node.named_children[0])
    if not is_container(r, name):
        return type_of(r, node.named_children[0], depth + 1)
    arguments = node.named_children[-1].named_children
    held = type_of(r, arguments[-1], depth + 1) if arguments else None
    entries = (Entry(None, declared(held)),) if held is not None and not is_plain(held) else ()
    return Table(entries, kind=name.rpartition(".")[2])


def is_container(r: Reader, name: str) -> bool:
    """Tell whether a name means a type of the library that holds values."""
    return name.rpartition(".")[2] in CONTAINERS and r.is_library(name)


def _array(r: Reader, element: Expression | None, node: tree_sitter.Node) -> Expression | None:
    """Return a type with the dimensions that a declaration gives it."""
    dimensions = node.child_by_field_id(r.fields.dimensions)
    found = element
    for _ in range(r.cut(dimensions).count("[") if dimensions is not None else 0):
        entry = Entry(None, OBJECT if found is None else found if is_plain(found) else declared(found))
        found = Table((entry,), kind=ARRAY)
    return found


def declarator_type(r: Reader, node: tree_sitter.Node, declarator: tree_sitter.Node) -> Expression | None:
    """Return the type of one declarator of a declaration: `int a, b[]` declares two."""
    return _array(r, type_of(r, node.child_by_field_id(r.fields.type)), declarator)


def declare_variables(r: Reader, node: tree_sitter.Node) -> None:
    """Note the type variables of a class or a method with their first bounds."""
    listed = node.child_by_field_id(r.fields.type_parameters)
    for each in listed.named_children if listed is not None else ():
        inner = [child for child in each.named_children if "annotation" not in r.kind(child)]
        if inner:
            bound = inner[-1].named_children[0] if r.kind(inner[-1]) == "type_bound" else None
            r.variables[r.cut(inner[0])] = type_of(r, bound)
