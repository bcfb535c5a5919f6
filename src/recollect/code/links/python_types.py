"""Types of Python as expressions of what they are instances of.

Server            Name("Server")
Server | None     Name("Server")
list[Server]      a table of any number of them
"pkg.Server"      Member(Name("pkg"), "Server")
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import lru_cache

from recollect.code.links.program import Either, Entry, Expression, Member, Name, Table
from recollect.code.links.tree_reader import declared

LONGEST = 300  # characters of a quoted type; longer ones are made by programs
DEEPEST = 12

SAME = frozenset(
    """Optional Annotated Final ClassVar Required NotRequired ReadOnly InitVar Awaitable TypeGuard TypeIs Unpack
    ContextManager AbstractContextManager AsyncContextManager AbstractAsyncContextManager""".split()
)
MANY = frozenset(
    """list List Sequence MutableSequence Iterable Iterator Collection Set AbstractSet MutableSet FrozenSet set
    frozenset deque Deque Generator AsyncIterator AsyncIterable AsyncGenerator Reversible KeysView ValuesView""".split()
)
KEYED = frozenset("dict Dict Mapping MutableMapping defaultdict DefaultDict OrderedDict ChainMap".split())
UNKNOWN = frozenset("Callable Literal type Type Any object None TypeVar Self LiteralString Never NoReturn".split())


@lru_cache(maxsize=20_000)
def parsed(text: str) -> ast.expr | None:
    """Return the tree of the type in a text; None if it is none."""
    if len(text) > LONGEST:
        return None
    try:
        return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def type_of(node: ast.expr, depth: int = 0) -> Expression | None:
    """Return the type that an annotation means; None if it leads to no class."""
    reading = _TYPES.get(type(node))
    return reading(node, depth + 1) if reading is not None and depth < DEEPEST else None


def _attribute(node: ast.Attribute, depth: int) -> Expression | None:
    of = type_of(node.value, depth)
    return Member(of, node.attr) if of is not None and node.attr not in UNKNOWN else None


def _constant(node: ast.Constant, depth: int) -> Expression | None:
    inner = parsed(node.value) if isinstance(node.value, str) else None
    return type_of(inner, depth) if inner is not None else None


def _either(found: list[Expression | None]) -> Expression | None:
    known = tuple(dict.fromkeys(each for each in found if each is not None))
    return Either(known) if len(known) > 1 else known[0] if known else None


def _union(node: ast.BinOp, depth: int) -> Expression | None:
    return _either([type_of(node.left, depth), type_of(node.right, depth)]) if isinstance(node.op, ast.BitOr) else None


def _generic(node: ast.Subscript, depth: int) -> Expression | None:
    of = node.value
    name = of.id if isinstance(of, ast.Name) else of.attr if isinstance(of, ast.Attribute) else ""
    inner = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    if name == "Union":
        return _either([type_of(each, depth) for each in inner])
    if name in UNKNOWN or not inner:
        return None
    if name in SAME:
        return type_of(inner[0], depth)
    if name == "Coroutine":
        return type_of(inner[-1], depth)
    if name in ("tuple", "Tuple"):
        return _tuple(inner, depth)
    if name in MANY or name in KEYED:
        annotated = type_of(inner[-1 if name in KEYED else 0], depth)
        entries = (Entry(None, declared(annotated)),) if annotated is not None else ()
        return Table(entries, kind="dict" if name in KEYED else "list")
    return type_of(of, depth)


def _tuple(inner: list[ast.expr], depth: int) -> Expression:
    is_any = len(inner) == 2 and isinstance(inner[1], ast.Constant) and inner[1].value is Ellipsis
    found = [type_of(each, depth) for each in (inner[:1] if is_any else inner)]
    return Table(
        tuple([Entry(None if is_any else place, declared(each)) for place, each in enumerate(found) if each]), "tuple"
    )


_TYPES: dict[type[ast.expr], Callable[..., Expression | None]] = {
    ast.Name: lambda node, depth: None if node.id in UNKNOWN else Name(node.id),
    ast.Attribute: _attribute,
    ast.Constant: _constant,
    ast.BinOp: _union,
    ast.Subscript: _generic,
}
