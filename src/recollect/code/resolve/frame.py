"""Frame: the names of one scope, and where a name is looked for that is not among them."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from recollect.code.resolve.program import Assign, Expression, Import, Name, Scope, Spread, Table
from recollect.code.resolve.values import Class, Function, Variable, Work

if TYPE_CHECKING:
    from recollect.code.resolve.program import Key

STAR = "*"


class Frame:
    """A scope at work: its names, the scope around it, and the function and class that its code belongs to.

    stars: imports of everything from elsewhere, in which names that are nowhere else are looked for
    exports: what the file offers to others, where it says so itself
    caller: the function around as a place, or the file; module: the frame of the whole file
    is_odd: some names of it belong to scopes around
    """

    __slots__ = (
        "caller", "exports", "function", "is_class", "is_filled", "is_odd", "module", "names", "owner", "parent",
        "path", "place", "scope", "stars", "work",
    )  # fmt: skip

    def __init__(self, work: Work, path: str, place: int, scope: Scope, parent: Frame | None) -> None:
        self.work, self.path, self.place, self.scope, self.parent = work, path, place, scope, parent
        self.names: dict[str, Variable] = {}
        self.function: Function | None = parent.function if parent else None
        self.owner: Class | None = parent.owner if parent else None
        self.caller: tuple[str, int] = parent.caller if parent else (path, 0)
        self.module: Frame = parent.module if parent else self
        self.is_class = scope.kind in ("class", "interface")
        self.is_odd = bool(scope.global_names or scope.outer_names)
        self.is_filled = False
        self.stars: list[Import] = []
        self.exports: dict[str, Variable] = {}

    def fill(self) -> None:
        """Make the variables of all names that the scope binds, if that was not done."""
        if self.is_filled:
            return
        self.is_filled = True
        names, work = self.names, self.work
        for name in bound(self.scope):
            if name not in names:
                names[name] = Variable(work)

    def name(self, name: Key) -> Variable:
        """Return the variable of a name of this very scope, made if it is new."""
        found = self.names.get(str(name))
        if found is None:
            found = self.names[str(name)] = Variable(self.work)
        return found

    def find(self, name: str) -> Variable | None:
        """Return the variable that a name means here; None if no scope of the file has it.

        The names of a class are seen by its body alone, not by the functions in it.
        """
        if self.is_odd and name in self.scope.global_names:
            return self.module.name(name)
        found = None if self.is_odd and name in self.scope.outer_names else self.names.get(name)
        frame = self.parent
        while found is None and frame is not None:
            if not frame.is_class and not (frame.is_odd and name in frame.scope.outer_names):
                is_global = frame.is_odd and name in frame.scope.global_names
                found = frame.module.name(name) if is_global else frame.names.get(name)
            frame = frame.parent
        return found


def bound(scope: Scope) -> list[str]:
    """Return the names that a scope binds: parameters, what it assigns to, what it imports."""
    found: list[str] = []
    for statement in scope.body:
        kind = type(statement)
        if kind is Assign:
            add_targets(statement.target, found)  # type: ignore[union-attr]
        elif kind is Import:
            found += _imported(cast(Import, statement))
    elsewhere = {*scope.global_names, *scope.outer_names}
    if elsewhere:
        found = [name for name in found if name not in elsewhere]
    return [*[parameter.name for parameter in scope.parameters], *found]


def _imported(statement: Import) -> tuple[str, ...]:
    name = statement.alias or statement.name
    return (name,) if name and statement.name != STAR and not statement.is_export else ()


def add_targets(target: Expression, found: list[str]) -> None:
    """Add the names that a target means to a list."""
    kind = type(target)
    if kind is Name:
        found.append(target.name)  # type: ignore[union-attr]
    elif isinstance(target, Spread):
        add_targets(target.of, found)
    elif isinstance(target, Table):
        for entry in target.entries:
            add_targets(entry.value, found)
