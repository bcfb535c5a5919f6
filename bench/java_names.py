"""Naming: what the functions of a Java program are called in a call graph that others wrote down.

    dotted   shop.Cart.add, shop.Cart.<init>, shop.Cart.Line.sum, shop.Cart$1.run
    signed   shop.Cart:add(int,java.lang.String[]), shop.Cart:<init>(), shop.Cart$Line:sum()

Both begin with the package and not with the file, since a file may hold many classes and Java never names it.
`signed` is how the machine's own tools and the published suites of Java tell overloads apart: the class, the method,
and the erased types of its parameters in full. Constructors are `<init>`, static initialisers `<clinit>`; a class
without a name has the number that the compiler gives it. Lambdas have no name in either: what they do is done by
whoever calls them.
"""

from __future__ import annotations

from recollect.code.links.program import (  # fmt: skip
    Assign,
    Code,
    Expression,
    Import,
    Instance,
    Member,
    Name,
    Parameter,
    Scope,
    Table,
    Unit,
)

# The packages of names that Java sees without an import, or that are mostly imported with a star.
PRIMITIVE = frozenset("byte short int long char float double boolean void".split())
PACKAGES: dict[str, str] = {
    name: package
    for package, names in {
        "java.lang": "Object String Integer Long Short Byte Character Boolean Float Double Number Class Thread "
        "Runnable Throwable Exception RuntimeException Error Iterable Comparable CharSequence StringBuilder "
        "StringBuffer Void AutoCloseable Cloneable Enum Record Process ClassLoader System Math "
        "IllegalArgumentException IllegalStateException InterruptedException ThreadLocal Runtime Package",
        "java.util": "List ArrayList LinkedList Map HashMap LinkedHashMap TreeMap Set HashSet LinkedHashSet TreeSet "
        "Collection Collections Iterator ListIterator Queue Deque ArrayDeque PriorityQueue Optional Comparator Arrays "
        "Objects Random Scanner UUID Date Properties StringJoiner Locale Vector Stack",
        "java.util.function": "Function BiFunction Supplier Consumer BiConsumer Predicate BiPredicate UnaryOperator "
        "BinaryOperator IntFunction IntPredicate IntUnaryOperator IntBinaryOperator ToIntFunction IntConsumer",
        "java.util.concurrent": "Callable Future ExecutorService Executor CompletableFuture ConcurrentHashMap "
        "TimeUnit ConcurrentMap CountDownLatch ScheduledExecutorService BlockingQueue",
        "java.util.stream": "Stream IntStream LongStream DoubleStream Collectors",
        "java.io": "File InputStream OutputStream Reader Writer IOException Serializable ObjectInput ObjectOutput "
        "ObjectInputStream ObjectOutputStream PrintStream BufferedReader Externalizable Closeable",
        "java.lang.reflect": "Method Field Constructor InvocationHandler Proxy",
    }.items()
    for name in names.split()
}  # fmt: skip
# Seen without an import only if a package is imported as a whole.
IMPLIED = "java.lang"
OBJECT = "java.lang.Object"


def dotted(unit: Unit) -> tuple[str, ...]:
    """Return the name of every scope: package, classes and method with points between; "" for what has none."""
    classes = _classes(unit, ".")
    return tuple([_dotted(unit, scope, classes, place) for place, scope in enumerate(unit.scopes)])


def signed(unit: Unit) -> tuple[str, ...]:
    """Return the name of every scope with the types of its parameters; "" for what has none."""
    classes = _classes(unit, "$")
    types = _types(unit, classes)
    names: list[str] = []
    for place, scope in enumerate(unit.scopes):
        owner = classes.get(scope.parent, "")
        if scope.kind != "function" or "functional" in scope.marks:
            names.append(classes.get(place, ""))
        else:
            listed = ",".join(_type(each, types) for each in scope.parameters)
            names.append(f"{owner}:{scope.name}({listed})")
    return tuple(names)


def _dotted(unit: Unit, scope: Scope, classes: dict[int, str], place: int) -> str:
    if scope.kind != "function":
        return classes.get(place, "")
    return "" if "functional" in scope.marks else f"{classes.get(scope.parent, '')}.{scope.name}"


def _classes(unit: Unit, separator: str) -> dict[int, str]:
    """Return the full names of the classes by the places of their scopes."""
    found: dict[int, str] = {}
    numbers: dict[str, int] = {}
    for place, scope in enumerate(unit.scopes):
        if scope.kind not in ("class", "interface"):
            continue
        around = _around(unit, scope.parent)
        if around < 0:
            found[place] = f"{unit.package}.{scope.name}" if unit.package else scope.name
        elif scope.name.startswith("$"):
            owner = found[around]
            numbers[owner] = numbers.get(owner, 0) + 1
            found[place] = f"{owner}${numbers[owner]}"
        else:
            found[place] = f"{found[around]}{separator}{scope.name}"
    return found


def _around(unit: Unit, place: int) -> int:
    """Return the nearest class around a scope, -1 at the top."""
    while place > 0 and unit.scopes[place].kind == "function":
        place = unit.scopes[place].parent
    return place if place > 0 else -1


def _types(unit: Unit, classes: dict[int, str]) -> dict[str, str]:
    """Return the full names of the types that a file may name: what it imports, declares, or sees in its package."""
    types: dict[str, str] = {}
    starred = {IMPLIED}
    for each in unit.scopes[0].body:
        if isinstance(each, Import) and each.name == "*":
            starred.add(each.module)
        elif isinstance(each, Import) and each.name:
            types[each.alias or each.name] = f"{each.module}.{each.name}"
        elif isinstance(each, Assign) and isinstance(each.target, Name) and isinstance(each.value, Code):
            types[each.target.name] = classes.get(each.value.scope, each.target.name)
    for name, package in PACKAGES.items():
        if package in starred:
            types.setdefault(name, f"{package}.{name}")
    types[""] = unit.package
    return types


def _type(parameter: Parameter, types: dict[str, str]) -> str:
    return OBJECT if parameter.declared is None else _erased(parameter.declared, types)


def _erased(code: Expression, types: dict[str, str]) -> str:
    if isinstance(code, Instance):
        return _erased(code.of, types)
    if isinstance(code, Table) and code.kind == "[]":
        return (_erased(code.entries[0].value, types) if code.entries else OBJECT) + "[]"
    if isinstance(code, Table):
        return types.get(code.kind, code.kind)
    if isinstance(code, Name):
        if code.name in PRIMITIVE or "." in code.name:
            return types.get(code.name, code.name)
        package = types[""]
        return types.get(code.name) or (f"{package}.{code.name}" if package else code.name)
    if isinstance(code, Member):
        return f"{_erased(code.of, types)}${code.name}"
    return OBJECT
