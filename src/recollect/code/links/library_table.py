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
ELEMENT = f"index{MADE}"
UNKNOWN = "<outside>"
EVERY = -1  # all arguments, by position


class Row(NamedTuple):
    """The effects of a library function.

    calls: arguments that it calls, by position or name; EVERY for all that are functions
    takes: what it calls them with: "elements" of its receiver, or of its other arguments; "folded": what it begins
        with, and elements; "rest": the arguments after the function
    gives: "list" of what the called functions return; "flat": of what that holds; "elements": a collection of its
        receiver's, or other arguments', elements; "each": one of them; "pairs"; "receiver"; "first", "second": its
        arguments; "partial": the first with more arguments; "create": an object that inherits from it
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


def _rows(row: Row, names: str, before: str = "") -> dict[str, Row]:
    return {before + name: row for name in names.split()}


_FOLD = Row((0,), "folded")
# Methods of functions.
OF_FUNCTIONS = frozenset(("call", "apply", "bind"))
# Methods of tables, whatever the language calls them.
METHODS: dict[str, Row] = {
    # what puts something in
    **_rows(Row(puts=(0,)), "append appendleft add"),
    **_rows(Row(puts=(EVERY,)), "push unshift"),
    **_rows(Row(puts=(-2,)), "extend update addAll putAll"),
    **_rows(Row(puts=(0,), gives="each"), "offer addFirst addLast lazySet getAndSet setValue orElse"),
    **_rows(Row(puts=(1,), gives="each", key=0), "setdefault put putIfAbsent replace"),
    "insert": Row(puts=(1,)),
    "set": Row(puts=(1,), gives="receiver", key=0),
    "concat": Row(puts=(-2,), gives="receiver"),
    # what gives one of its elements
    **_rows(Row(gives="each", key=0), "get pop getOrDefault __getitem__"),
    **_rows(
        Row(gives="each"),
        """popleft shift at next call send result remove poll pollFirst pollLast peek peekFirst peekLast getFirst
        getLast removeFirst removeLast first last element take orElseThrow getValue firstElement lastElement ceiling
        floor higher lower join getNow nextElement findFirst findAny previous __next__ __enter__ __aenter__""",
    ),
    # what gives it again, or a part of it
    **_rows(
        Row(gives="receiver"),
        """copy slice splice reverse stream parallelStream iterator listIterator subList reversed sorted distinct limit
        skip toList collect parallel sequential boxed headMap tailMap headSet tailSet descendingMap descendingIterator
        toArray elements __iter__""",
    ),
    **_rows(Row(gives="elements"), "values popitem flat"),
    **_rows(Row(gives="pairs"), "items entries entrySet"),
    # what calls a function with its elements
    **_rows(_each("list"), "map mapToObj thenApply"),
    "flatMap": _each("flat"),
    **_rows(_each("receiver"), "filter takeWhile dropWhile"),
    **_rows(_each("each"), "find findLast"),
    **_rows(
        _each(),
        """forEach findIndex some every anyMatch allMatch noneMatch removeIf ifPresent
        forEachOrdered mapToInt mapToLong mapToDouble thenAccept add_done_callback""",
    ),
    **_rows(_FOLD, "reduce reduceRight"),
    "sort": Row(("key", 0), "elements", "receiver"),
    # what calls a function without any
    "orElseGet": Row((0,), "", "each"),
    "computeIfAbsent": Row((1,), "", "each"),
}

EXTERNALS: dict[str, Row] = {
    # Python
    f"{BUILTIN}.map": _each("list", EVERY),
    f"{BUILTIN}.filter": _each("elements", EVERY),
    f"{BUILTIN}.sorted": Row(("key",), "elements", "elements"),
    **_rows(Row(("key",), "elements", "each"), "min max", f"{BUILTIN}."),
    **_rows(
        Row(gives="elements"), "list tuple set frozenset reversed iter Map Set WeakMap Object.values", f"{BUILTIN}."
    ),
    **_rows(Row(gives="pairs"), "enumerate zip Object.entries", f"{BUILTIN}."),
    f"{BUILTIN}.next": Row(gives="each"),
    "functools.partial": Row(gives="partial"),
    "functools.reduce": _FOLD,
    "typing.cast": Row(gives="second"),
    **_rows(Row(("target", 1), "", ""), "threading.Thread multiprocessing.Process"),
    "threading.Timer": Row((1, "function"), "", ""),
    "atexit.register": Row((0,), "rest", "first"),
    # what gives back its first argument
    **_rows(Row(gives="first"), "dict Object.assign Object.freeze Promise.resolve", f"{BUILTIN}."),
    **_rows(
        Row(gives="first"),
        """functools.cache functools.update_wrapper contextlib.contextmanager contextlib.asynccontextmanager
        abc.abstractmethod typing.overload asyncio.create_task asyncio.run java.util.Objects.requireNonNull
        com.google.common.base.Preconditions.checkNotNull util.promisify""",
    ),
    # JavaScript
    **_rows(
        Row((0,), "rest", ""),
        "setTimeout setInterval setImmediate queueMicrotask requestAnimationFrame process.nextTick",
        f"{BUILTIN}.",
    ),
    f"{BUILTIN}.Object.create": Row(gives="create"),
    f"{BUILTIN}.Array.from": Row((1,), "elements", "elements"),
    f"{BUILTIN}.Promise": Row((0,)),
}
# Methods of unknown libraries that call the callbacks they are given.
CALLBACKS = frozenset(
    """on once addListener addEventListener subscribe then catch finally forEach map filter use get post put delete
    describe it test beforeEach afterEach before after setTimeout submit apply_async add_done_callback connect register
    run_in_executor call_soon call_later start_new_thread""".split()
)

# Members that a language calls by itself.
CALLED, INDEXED = "__call__", "__getitem__"
ITERATED = ("__iter__", "[Symbol.iterator]")
