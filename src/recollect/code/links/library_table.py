"""Library functions of Python and JavaScript: what they do with the functions and tables they are given.

Only what matters to who calls whom: `map(f, rows)` calls f with the elements of rows and gives what it returns. Rows
are data; what their words mean is in `library_calls`.
"""

from __future__ import annotations

from typing import NamedTuple

BUILTIN = "<builtin>"
OBJECT = "object"  # the kind of a table that has no methods but its entries
# After the name of something outside: what it makes or returns. Of that the members are known by name, and no more.
MADE = "()"
UNKNOWN = "<outside>"
PROMISE = "promise"  # the kind of a table that holds what a promise or a coroutine gives in the end
TYPES = frozenset(("list", "tuple", "set", "dict", "generator"))
EVERY = -1  # all arguments, by position


class Row(NamedTuple):
    """The effects of a library function.

    calls: arguments that it calls, by position or name; EVERY for all that are functions
    takes: what it calls them with: "elements" of its receiver, or of its other arguments; "rest": the arguments after
        the function; "fold": elements and what it returned before; "fulfil": a function that keeps the promise it gives
    gives: "returns" of what it called; "list" of that; "flat": a list of what that holds; "elements": a collection of
        its receiver's, or other arguments', elements; "each": one of them; "receiver"; "first": its first argument;
        "promise" of its first argument; "partial": its first argument with more arguments; "pairs"
    puts: arguments that become elements of its receiver; EVERY for all; below that, the elements of arguments
    key: the position of an argument that is a key of its receiver
    """

    calls: tuple[int | str, ...] = ()
    takes: str = ""
    gives: str = ""
    puts: tuple[int, ...] = ()
    key: int | None = None


def _each(gives: str = "", *calls: int | str) -> Row:
    return Row(calls or (0,), "elements", gives)


# Methods of functions.
OF_FUNCTIONS = frozenset(("call", "apply", "bind"))
# Methods of tables and of promises, whatever the language calls them.
METHODS: dict[str, Row] = {
    # lists, sets and dictionaries of Python
    "append": Row(puts=(0,)),
    "appendleft": Row(puts=(0,)),
    "add": Row(puts=(0,)),
    "insert": Row(puts=(1,)),
    "extend": Row(puts=(-2,)),
    "update": Row(puts=(-2,)),
    "setdefault": Row(puts=(1,), gives="each", key=0),
    "get": Row(gives="each", key=0, puts=()),
    "pop": Row(gives="each", key=0),
    "popleft": Row(gives="each"),
    "popitem": Row(gives="elements"),
    "values": Row(gives="elements"),
    "items": Row(gives="pairs"),
    "copy": Row(gives="receiver"),
    "sort": Row(("key", 0), "elements", "receiver"),
    # arrays, maps and sets of JavaScript
    "push": Row(puts=(EVERY,)),
    "unshift": Row(puts=(EVERY,)),
    "set": Row(puts=(1,), gives="receiver", key=0),
    "shift": Row(gives="each"),
    "at": Row(gives="each"),
    "concat": Row(puts=(-2,), gives="receiver"),
    "slice": Row(gives="receiver"),
    "splice": Row(gives="receiver"),
    "reverse": Row(gives="receiver"),
    "flat": Row(gives="elements"),
    "entries": Row(gives="pairs"),
    "next": Row(gives="each"),
    "map": _each("list"),
    "flatMap": _each("flat"),
    "forEach": _each(),
    "filter": _each("receiver"),
    "find": _each("each"),
    "findLast": _each("each"),
    "findIndex": _each(),
    "some": _each(),
    "every": _each(),
    "reduce": Row((0,), "fold", "returns"),
    "reduceRight": Row((0,), "fold", "returns"),
    # containers of Java
    **dict.fromkeys(
        """stream parallelStream iterator listIterator subList reversed sorted distinct limit skip toList collect
        parallel sequential boxed headMap tailMap headSet tailSet descendingMap descendingIterator toArray
        elements""".split(),
        Row(gives="receiver"),
    ),
    **dict.fromkeys(
        """remove poll pollFirst pollLast peek peekFirst peekLast getFirst getLast removeFirst removeLast first
        last element take orElseThrow getValue firstElement lastElement ceiling floor higher lower join getNow
        nextElement findFirst findAny previous""".split(),
        Row(gives="each"),
    ),
    **dict.fromkeys("put putIfAbsent replace".split(), Row(puts=(1,), gives="each", key=0)),
    **dict.fromkeys("offer addFirst addLast lazySet getAndSet setValue".split(), Row(puts=(0,), gives="each")),
    **dict.fromkeys("addAll putAll".split(), Row(puts=(-2,))),
    **dict.fromkeys(
        """anyMatch allMatch noneMatch removeIf ifPresent forEachOrdered mapToInt mapToLong mapToDouble
        thenAccept""".split(),
        _each(),
    ),
    **dict.fromkeys("mapToObj thenApply".split(), _each("list")),
    **dict.fromkeys("takeWhile dropWhile".split(), _each("receiver")),
    "entrySet": Row(gives="pairs"),
    "getOrDefault": Row(gives="each", key=0),
    "orElse": Row(puts=(0,), gives="each"),
    "orElseGet": Row((0,), "", "returns or each"),
    "computeIfAbsent": Row((1,), "", "returns or each"),
    "call": Row(gives="each"),
    "__iter__": Row(gives="receiver"),
    "__next__": Row(gives="each"),
    "__enter__": Row(gives="each"),
    "__aenter__": Row(gives="each"),
    "__getitem__": Row(gives="each", key=0),
    "same": Row(gives="first"),
    "wraps": Row(gives="first and each"),
    "send": Row(gives="each"),
    # promises, coroutines and futures
    "then": Row((0, 1), "elements", "list"),
    "catch": Row((0,), "", "receiver"),
    "finally": Row((0,), "", "receiver"),
    "add_done_callback": _each(),
    "result": Row(gives="each"),
}

EXTERNALS: dict[str, Row] = {
    # Python
    f"{BUILTIN}.map": _each("list", EVERY),
    f"{BUILTIN}.filter": _each("elements", EVERY),
    f"{BUILTIN}.sorted": Row(("key",), "elements", "elements"),
    **{f"{BUILTIN}.{name}": Row(("key",), "elements", "each") for name in ("min", "max")},
    **{
        f"{BUILTIN}.{name}": Row(gives="elements")
        for name in ("list", "tuple", "set", "frozenset", "reversed", "iter")
    },
    f"{BUILTIN}.dict": Row(gives="first"),
    f"{BUILTIN}.next": Row(gives="each"),
    f"{BUILTIN}.enumerate": Row(gives="pairs"),
    f"{BUILTIN}.zip": Row(gives="pairs"),
    "functools.partial": Row(gives="partial"),
    # A wrapper that says whose wrapper it is: who calls it means the other.
    "functools.wraps": Row(gives="wraps"),
    "functools.update_wrapper": Row(gives="first and second"),
    "functools.lru_cache": Row(gives="same"),
    "functools.cache": Row(gives="first"),
    "functools.reduce": Row((0,), "fold", "returns"),
    "contextlib.contextmanager": Row(gives="first"),
    "contextlib.asynccontextmanager": Row(gives="first"),
    "dataclasses.dataclass": Row(gives="same"),
    "abc.abstractmethod": Row(gives="first"),
    "typing.overload": Row(gives="first"),
    "typing.cast": Row(gives="second"),
    "threading.Thread": Row(("target", 1), "", ""),
    "threading.Timer": Row((1, "function"), "", ""),
    "multiprocessing.Process": Row(("target", 1), "", ""),
    "atexit.register": Row((0,), "rest", "first"),
    "asyncio.run": Row(gives="awaited"),
    "asyncio.create_task": Row(gives="first"),
    # Java
    **{
        name: Row(gives="first")
        for name in ("java.util.Objects.requireNonNull", "com.google.common.base.Preconditions.checkNotNull")
    },
    # JavaScript
    **{
        name: Row((0,), "rest", "")
        for name in (
            f"{BUILTIN}.setTimeout", f"{BUILTIN}.setInterval", f"{BUILTIN}.setImmediate",
            f"{BUILTIN}.queueMicrotask", f"{BUILTIN}.requestAnimationFrame", f"{BUILTIN}.process.nextTick",
        )
    },
    f"{BUILTIN}.Object.assign": Row(gives="first"),
    f"{BUILTIN}.Object.create": Row(gives="create"),
    f"{BUILTIN}.Object.freeze": Row(gives="first"),
    f"{BUILTIN}.Object.values": Row(gives="elements"),
    f"{BUILTIN}.Object.entries": Row(gives="pairs"),
    f"{BUILTIN}.Array.from": Row((1,), "elements", "elements"),
    f"{BUILTIN}.Array.of": Row(gives="all"),
    f"{BUILTIN}.Promise": Row((0,), "fulfil"),
    f"{BUILTIN}.Promise.resolve": Row(gives="promise"),
    f"{BUILTIN}.Map": Row(gives="elements"),
    f"{BUILTIN}.Set": Row(gives="elements"),
    f"{BUILTIN}.WeakMap": Row(gives="elements"),
    f"{BUILTIN}.Array": Row(gives="all"),
    f"{BUILTIN}.Object": Row(gives="all"),
    "util.promisify": Row(gives="first"),
}  # fmt: skip
# Methods of unknown libraries that call the callbacks they are given.
CALLBACKS = frozenset(
    """on once addListener addEventListener subscribe then catch finally forEach map filter use get post put delete
    describe it test beforeEach afterEach before after setTimeout submit apply_async add_done_callback connect register
    run_in_executor call_soon call_later start_new_thread""".split()
)

# Members that a language calls by itself.
CALLED, INDEXED = "__call__", "__getitem__"
ITERATED = ("__iter__", "[Symbol.iterator]")
