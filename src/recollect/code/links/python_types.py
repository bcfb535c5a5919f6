"""Types of Python as expressions of what they are instances of.

    Server            Name("Server")
    Server | None     Name("Server")
    list[Server]      a table of any number of them
    "pkg.Server"      Member(Name("pkg"), "Server")

A type is parsed from its text, quoted or not; one file repeats the same text many times.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING

from recollect.code.links.program import Either, Entry, Expression, Instance, Member, Name, Table, Use
from recollect.code.links.python_reader import Frame, Reader
from recollect.code.links.tree_reader import declared

if TYPE_CHECKING:
    import tree_sitter

LONGEST = 300  # characters of a type; longer ones are made by programs
DEEPEST = 12

SAME = frozenset(
    """Optional Annotated Final ClassVar Required NotRequired ReadOnly InitVar Awaitable TypeGuard TypeIs Unpack
    ContextManager AbstractContextManager AsyncContextManager AbstractAsyncContextManager""".split()
)
LAST = frozenset(("Coroutine",))
MANY = frozenset(
    """list List Sequence MutableSequence Iterable Iterator Collection Set AbstractSet MutableSet FrozenSet set
    frozenset deque Deque Generator AsyncIterator AsyncIterable AsyncGenerator Reversible KeysView ValuesView""".split()
)
KEYED = frozenset("dict Dict Mapping MutableMapping defaultdict DefaultDict OrderedDict ChainMap".split())
UNKNOWN = frozenset("Callable Literal type Type Any object None TypeVar Self LiteralString Never NoReturn".split())
BUILTIN_TYPES = frozenset("str int float bool bytes complex bytearray memoryview range slice".split())


def annotation(r: Reader, node: tree_sitter.Node | None, user: Frame) -> Expression | None:
    """Return the type of an annotation, and record its use by a scope."""
    if node is None or node.end_byte - node.start_byte > LONGEST:
        return None
    found = parsed(r.cut(node))
    if found is not None:
        leaves = tuple(dict.fromkeys(_leaves(found)))
        if leaves:
            user.body.append(Use(leaves[0] if len(leaves) == 1 else Either(leaves), r.line(node)))
    return found


_known: dict[str, Expression | None] = {}
_MOST_KNOWN = 20_000


def parsed(text: str) -> Expression | None:
    """Return the type in a text; None if it leads to no class."""
    if text in _known:
        return _known[text]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text.strip(), mode="eval").body
        found = _type(tree, 0)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        found = None
    if len(_known) >= _MOST_KNOWN:
        _known.clear()
    _known[text] = found
    return found


def _type(node: ast.expr, depth: int) -> Expression | None:
    reading = _TYPES.get(type(node))
    return reading(node, depth + 1) if reading is not None and depth < DEEPEST else None


def _name(node: ast.Name, depth: int) -> Expression | None:
    return None if node.id in UNKNOWN else Name(node.id)


def _attribute(node: ast.Attribute, depth: int) -> Expression | None:
    of = _type(node.value, depth)
    return Member(of, node.attr) if of is not None and node.attr not in UNKNOWN else None


def _constant(node: ast.Constant, depth: int) -> Expression | None:
    return parsed(node.value) if isinstance(node.value, str) and len(node.value) <= LONGEST else None


def _either(found: list[Expression | None]) -> Expression | None:
    known = tuple(dict.fromkeys(each for each in found if each is not None))
    return Either(known) if len(known) > 1 else known[0] if known else None


def _union(node: ast.BinOp, depth: int) -> Expression | None:
    return _either([_type(node.left, depth), _type(node.right, depth)]) if isinstance(node.op, ast.BitOr) else None


def _generic(node: ast.Subscript, depth: int) -> Expression | None:
    of = node.value
    name = of.id if isinstance(of, ast.Name) else of.attr if isinstance(of, ast.Attribute) else ""
    inner = list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]
    if name in SAME:
        return _type(inner[0], depth) if inner else None
    if name == "Union":
        return _either([_type(each, depth) for each in inner])
    if name in LAST:
        return _type(inner[-1], depth)
    if name in ("tuple", "Tuple"):
        return _tuple(inner, depth)
    if name in MANY or name in KEYED:
        annotated = _type(inner[-1 if name in KEYED else 0], depth) if inner else None
        entries = (Entry(None, declared(annotated)),) if annotated is not None else ()
        return Table(entries, kind="dict" if name in KEYED else "list")
    return None if name in UNKNOWN else _type(of, depth)


def _tuple(inner: list[ast.expr], depth: int) -> Expression:
    is_any = len(inner) == 2 and isinstance(inner[1], ast.Constant) and inner[1].value is Ellipsis
    found = [
        (None if is_any else place, _type(each, depth)) for place, each in enumerate(inner[:1] if is_any else inner)
    ]
    return Table(
        tuple([Entry(key, declared(annotated)) for key, annotated in found if annotated is not None]), kind="tuple"
    )


_TYPES: dict[type[ast.expr], Callable[..., Expression | None]] = {
    ast.Name: _name,
    ast.Attribute: _attribute,
    ast.Constant: _constant,
    ast.BinOp: _union,
    ast.Subscript: _generic,
}


def _leaves(annotated: Expression) -> list[Expression]:
    """Return the classes that a type names."""
    if isinstance(annotated, Either):
        return [leaf for option in annotated.options for leaf in _leaves(option)]
    if isinstance(annotated, Table):
        return [leaf for entry in annotated.entries for leaf in _leaves(entry.value)]
    if isinstance(annotated, Instance):
        return _leaves(annotated.of)
    return [] if isinstance(annotated, Name) and annotated.name in BUILTIN_TYPES else [annotated]
