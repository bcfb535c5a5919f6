"""Holders: objects that functions are put into, and so most likely are called on where nobody is seen to call them.

app.listen = function () { this.handle() }        listen is called on app
const app = { listen() { this.handle() } }         … likewise
App.prototype.listen = function () { … }           … on an instance of App
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from recollect.code.resolve.program import Assign, Code, Expression, Member, Name, Table, Unit

Place = tuple[str, int]

PROTOTYPE = "prototype"
# Objects inside of objects inside of …: data goes deeper, functions do not.
DEEPEST = 4


class Held(NamedTuple):
    """A function in an object: the object as an expression of a scope; `is_prototype`: of what has that prototype."""

    function: Place
    scope: Place
    holder: Expression
    is_prototype: bool = False


# Languages without a word for what a function is called on: there it is a parameter like others.
WITHOUT_THIS = frozenset(("python",))


def held(units: Mapping[str, Unit]) -> Iterator[Held]:
    """Yield the functions that programs put into objects, in languages where that says what they are called on."""
    for path, unit in units.items():
        if unit.language in WITHOUT_THIS:
            continue
        for place, scope in enumerate(unit.scopes):
            if scope.kind == "class":
                continue
            for statement in scope.body:
                if isinstance(statement, Assign) and isinstance(statement.target, Name | Member):
                    yield from _held(path, place, statement.target, statement.value)


def _held(path: str, place: int, target: Name | Member, value: Expression) -> Iterator[Held]:
    if isinstance(value, Code) and isinstance(target, Member):
        yield _into(path, place, target.of, value)
    elif isinstance(value, Table):
        yield from _inside(path, place, target, value, 0)


def _inside(path: str, place: int, holder: Expression, table: Table, depth: int) -> Iterator[Held]:
    for entry in table.entries:
        if isinstance(entry.value, Code):
            yield _into(path, place, holder, entry.value)
        elif isinstance(entry.value, Table) and isinstance(entry.key, str) and depth < DEEPEST:
            yield from _inside(path, place, Member(holder, entry.key), entry.value, depth + 1)


def _into(path: str, place: int, holder: Expression, code: Code) -> Held:
    is_prototype = isinstance(holder, Member) and holder.name == PROTOTYPE
    of = holder.of if isinstance(holder, Member) and is_prototype else holder
    return Held((path, code.scope), (path, place), of, is_prototype)
