"""What functions are called in a call graph that somebody else wrote down.

Suites agree that a module is its path with dots, that a function follows what it lies in, and on little else: whether
a folder's index file is named, what a function without a name is called, what a constructor is. These are conventions,
not findings: that is used which names most nodes of a case, and of those the one that names most of the whole suite.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import product
from typing import NamedTuple

from msgspec import Struct

import java_names
from recollect.code.links.program import Assign, Call, Code, Member, Name, Scope, Unit, as_written

Names = tuple[str, ...]  # by place of the scope; "" for what a suite has no name for

ANONYMOUS = re.compile(r"<([a-zA-Z]+)\d*>$")
INDEX = ("__init__", "index")
INITIAL = "<init>"
ARROW = "arrow"
COMPREHENDING = frozenset(
    "map filter forEach flatMap find findLast findIndex some every reduce reduceRight sort from".split()
)

# Types of Python as PyCG writes them.
PYCG_TYPES = {
    "str": "<**PyStr**>", "dict": "<**PyDict**>", "list": "<**PyList**>", "tuple": "<**PyTuple**>",
    "set": "<**PySet**>", "int": "<**PyNum**>",
}  # fmt: skip


class Convention(NamedTuple):
    """A way to name things.

    indexes: names of files that stand for their folder
    anonymous: what functions without a name are called, all in one count; "" as the front end does
    constructor: what Java's constructors are called; "" as the class
    way: for Java, how its classes are named: by "package", "signed", or by "file" like everything else
    is_inline: arrows that are written where a method of an array takes them have no name, like the parts of a
        comprehension: what they call is called by the function around
    is_bound: a function without a name is called like the variable that it is given to
    joint: what stands before a method whose name is worked out, `[Symbol.iterator]`
    """

    indexes: tuple[str, ...] = INDEX[:1]
    anonymous: str = ""
    constructor: str = INITIAL
    way: str = ""
    is_inline: bool = False
    is_bound: bool = False
    joint: str = ""


def conventions(language: str, nodes: Collection[str]) -> list[Convention]:
    """Return the conventions that a suite may follow, the most common first."""
    words = sorted({match[1] for node in nodes if (match := ANONYMOUS.search(node))} - {"init", "clinit", "builtin"})
    anonymous = ["", *words]
    if language == "java":
        ways = ("package", "signed", "file")
        return [
            Convention(anonymous=word, constructor=made, way=way)
            for way, made, word in product(ways, (INITIAL, "", "constructor", "__init__"), anonymous)
        ]
    if language == "python":
        return [Convention()]
    return [
        Convention(indexes, word, is_inline=is_inline, is_bound=is_bound, joint=joint)
        for is_bound, joint, is_inline, indexes, word in product(
            (False, True), ("", "."), (True, False), (INDEX[:1], INDEX), anonymous
        )
    ]


class Choice:
    """The conventions of a suite, and which of them a case follows."""

    def __init__(self, language: str, nodes: Collection[str], cases: Iterable[Mapping[str, Unit]]) -> None:
        units = [(path, unit) for case in cases for path, unit in case.items()]
        order = [(-_named(units, nodes, each), place, each) for place, each in enumerate(conventions(language, nodes))]
        self.ranked = [each for _, _, each in sorted(order)]

    def of(self, nodes: Collection[str], units: Mapping[str, Unit]) -> Convention:
        """Return the convention of a case."""
        return max(self.ranked, key=lambda each: _named(units.items(), nodes, each))


def _named(units: Iterable[tuple[str, Unit]], nodes: Collection[str], convention: Convention) -> int:
    return len({name for path, unit in units for name in names(path, unit, convention)}.intersection(nodes))


def names(path: str, unit: Unit, convention: Convention) -> Names:
    """Return what a suite calls the scopes of a file."""
    if convention.way == "signed":
        return java_names.signed(unit)
    if convention.way == "package":
        return tuple([_made(name, convention) for name in java_names.dotted(unit)])
    return _plain(path, unit, convention)


def _plain(path: str, unit: Unit, convention: Convention) -> Names:
    """Return the names of scopes by file: each after the one it lies in."""
    module = path.rpartition(".")[0].replace("/", ".")
    folder, _, last = module.rpartition(".")
    found = [folder if last in convention.indexes and folder else module]
    inline = inlined(unit) if convention.is_inline else frozenset()
    given = variables(unit) if convention.is_bound else {}
    counts: dict[int, int] = {}
    for place, scope in enumerate(unit.scopes[1:], 1):
        around = found[scope.parent] if 0 <= scope.parent < place else found[0]
        if "block" in scope.marks:
            found.append(around)
            continue
        name = _own(scope, place, counts, convention)
        name = given.get(place, name) if ANONYMOUS.match(name) else name
        joint = convention.joint if name.startswith("[") else "."
        found.append(_made(f"{around}{joint}{name}", convention) if name else around)
    return tuple(["" if place in inline else name for place, name in enumerate(found)])


def inlined(unit: Unit) -> frozenset[int]:
    """Return the arrows that are written where a method of an array takes them."""
    found: set[int] = set()
    for part in _parts(unit):
        if isinstance(part, Call) and isinstance(part.callee, Member) and part.callee.name in COMPREHENDING:
            codes = [each.value.scope for each in part.arguments if isinstance(each.value, Code)]
            found |= {place for place in codes if ARROW in unit.scopes[place].marks}
    return frozenset(found)


def variables(unit: Unit) -> dict[int, str]:
    """Return the variables that functions are given to where they are written."""
    return {
        part.value.scope: as_written(part.target.name)
        for part in _parts(unit)
        if isinstance(part, Assign) and isinstance(part.target, Name) and isinstance(part.value, Code)
    }


def _parts(unit: Unit) -> Iterator[Struct]:
    """Yield every part of a program."""
    waiting: list[object] = [scope.body for scope in unit.scopes]
    while waiting:
        part = waiting.pop()
        if isinstance(part, tuple):
            waiting.extend(part)
        elif isinstance(part, Struct):
            yield part
            waiting.extend([getattr(part, name) for name in part.__struct_fields__])


def _own(scope: Scope, place: int, counts: dict[int, int], convention: Convention) -> str:
    if scope.kind == "function" and ANONYMOUS.match(scope.name) and scope.name != INITIAL and convention.anonymous:
        counts[scope.parent] = counts.get(scope.parent, 0) + 1
        return f"<{convention.anonymous}{counts[scope.parent]}>"
    return scope.name


def _made(name: str, convention: Convention) -> str:
    if not name.endswith(INITIAL) or convention.constructor == INITIAL:
        return name
    owner = name[: -len(INITIAL) - 1]
    return f"{owner}.{convention.constructor or owner.rpartition('.')[2]}"


def external(name: str) -> str:
    """Return what a suite calls something outside the program."""
    first, _, rest = name.partition(".")
    kind, _, method = rest.partition(".")
    return f"{PYCG_TYPES[kind]}.{method}" if first == "<builtin>" and method and kind in PYCG_TYPES else name
