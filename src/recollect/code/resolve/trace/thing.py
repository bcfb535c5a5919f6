"""Thing: the values of a run. What may be one of several is a tuple of them; an empty one is nothing to be called."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from recollect.code.resolve.program import Key, Scope

Place = tuple[str, int]
Values = tuple["Thing", ...]
NONE: Values = ()

# Values that one expression may have; a run with more is no run of a small program.
MOST = 64


class Long(Exception):
    """The program is too long to be run."""


class Thing:
    """An object: properties by key, those whose key nobody knows, and what it inherits from."""

    __slots__ = ("any", "kind", "parents", "properties")

    def __init__(self, kind: str = "object", parents: Values = NONE) -> None:
        self.kind = kind
        self.properties: dict[Key, Values] = {}
        self.any: Values = NONE
        self.parents = parents


class Constant(Thing):
    """A text or a number."""

    __slots__ = ("value",)

    def __init__(self, value: Key) -> None:
        super().__init__("constant")
        self.value = value


class Closure(Thing):
    """A function with the names around it; an arrow has the `this` of where it was made."""

    __slots__ = ("around", "home", "place", "scope", "this")

    def __init__(self, place: tuple[str, int], scope: Scope, around: Names, this: Values, home: Thing | None) -> None:
        super().__init__("function")
        self.place, self.scope, self.around, self.this, self.home = place, scope, around, this, home


class Class(Closure):
    """A class: its properties are the static ones, `prototype` holds the others."""

    __slots__ = ("bases",)

    def __init__(self, place: tuple[str, int], scope: Scope, around: Names, this: Values) -> None:
        super().__init__(place, scope, around, this, None)
        self.kind = "class"
        self.bases: Values = NONE


class Native(Thing):
    """A function of the language itself: what it does is a row of a table."""

    __slots__ = ("name", "receiver")

    def __init__(self, name: str, receiver: Values = NONE) -> None:
        super().__init__("native")
        self.name, self.receiver = name, receiver


class Bound(Thing):
    """A function with its receiver and its first arguments."""

    __slots__ = ("arguments", "function", "receiver")

    def __init__(self, function: Thing, receiver: Values, arguments: tuple[Values, ...]) -> None:
        super().__init__("bound")
        self.function, self.receiver, self.arguments = function, receiver, arguments


class Unknown(Thing):
    """Something from outside: whatever is done with it, nobody knows what comes of it."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__("unknown")


class Names:
    """The names of one call of a function, or of a file."""

    __slots__ = ("around", "known", "live")

    def __init__(self, around: Names | None = None) -> None:
        self.around = around
        self.known: dict[str, Values] = {}
        self.live: dict[str, Callable[[], Values]] = {}  # imported: read where it comes from, whenever it is read

    def find(self, name: str) -> Values | None:
        """Return what a name holds; None if nothing around has it."""
        names: Names | None = self
        while names is not None:
            if name in names.known:
                return names.known[name]
            if name in names.live:
                return names.live[name]()
            names = names.around
        return None

    def owner(self, name: str) -> Names:
        """Return where a name belongs that is not declared here: the nearest that has it, else the outermost."""
        names = self
        while names.around is not None:
            names = names.around
            if name in names.known:
                break
        return names


def union(parts: Iterable[Values]) -> Values:
    """Return all that several may be, each once, in order."""
    found = dict.fromkeys([value for part in parts for value in part])
    if len(found) > MOST:
        raise Long
    return tuple(found)


class Site(NamedTuple):
    """Where a call is written."""

    place: Place
    line: int
    column: int


class Context(NamedTuple):
    """What is around an expression: its scope, the names, `this`, the object that `super` is above of, and results."""

    place: Place
    names: Names
    this: Values
    home: Thing | None
    returned: list[Values]
    yielded: list[Values]


def keys(values: Values) -> list[Key | None]:
    """Return the keys that values are; None if one of them is no constant."""
    found: list[Key | None] = [value.value for value in values if isinstance(value, Constant)]
    return found if found and len(found) == len(values) else [None]


def put(owner: Thing, key: Key, values: Values) -> None:
    """Add to a property."""
    owner.properties[key] = union([owner.properties.get(key, NONE), values])
