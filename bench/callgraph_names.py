"""What functions are called in a call graph that somebody else wrote down.

Suites agree that a module is its path with dots, that a function follows what it lies in, and on little else: whether
a folder's index file is named, what a function without a name is called, what a constructor is. These are conventions,
not findings: that is used which names most nodes of a case, and of those the one that names most of the whole suite.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from itertools import product
from typing import NamedTuple

from recollect.code.resolve.java import naming
from recollect.code.resolve.program import Scope, Unit

Names = tuple[str, ...]  # by place of the scope; "" for what a suite has no name for

ANONYMOUS = re.compile(r"<([a-zA-Z]+)\d*>$")
INDEX = ("__init__", "index")
INITIAL = "<init>"

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
    """

    indexes: tuple[str, ...] = INDEX[:1]
    anonymous: str = ""
    constructor: str = INITIAL
    way: str = ""


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
    return [Convention(indexes, word) for indexes, word in product((INDEX[:1], INDEX), anonymous)]


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
        return naming.signed(unit)
    if convention.way == "package":
        found = naming.dotted(unit)
        return tuple([_made(name, convention) for name in found])
    return _plain(path, unit, convention)


def _plain(path: str, unit: Unit, convention: Convention) -> Names:
    """Return the names of scopes by file: each after the one it lies in."""
    module = path.rpartition(".")[0].replace("/", ".")
    folder, _, last = module.rpartition(".")
    found = [folder if last in convention.indexes and folder else module]
    counts: dict[int, int] = {}
    for place, scope in enumerate(unit.scopes[1:], 1):
        around = found[scope.parent] if 0 <= scope.parent < place else found[0]
        if "block" in scope.marks:
            found.append(around)
            continue
        name = _own(scope, place, counts, convention)
        joint = "" if name.startswith("[") else "."
        found.append(_made(f"{around}{joint}{name}", convention) if name else around)
    return tuple(found)


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
