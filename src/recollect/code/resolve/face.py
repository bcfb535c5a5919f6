"""Face: as much of a program as others can see of it, in place of the whole where only that matters.

    kept        names of the file, classes with their members and bases, parameters, declared types
                what functions return and yield, what they give to attributes, and the variables that this is made of
    left out    everything else that functions do, and all lines

A change inside of a function that leaves its face as it is concerns nobody else.
"""

from __future__ import annotations

from typing import Any

import msgspec

from recollect.code.resolve.program import Assign, Export, Import, Member, Name, Return, Scope, Statement, Unit, Yield

# Rounds in which variables of variables are followed back.
ROUNDS = 3
_PLACES = ("line", "column")


def face(unit: Unit) -> Unit:
    """Return a program reduced to what others can see of it; scopes keep their places."""
    # What is left of a body is out of order: which of two assignments holds is not known any more.
    scopes = tuple(_scope(scope) for scope in unit.scopes)
    return msgspec.structs.replace(unit, scopes=scopes, notes=(), is_ordered=False)


def _scope(scope: Scope) -> Scope:
    is_function = scope.kind == "function" or "block" in scope.marks
    body = _seen(scope.body) if is_function and "constructor" not in scope.marks else scope.body
    kept = {
        field: _without_places(getattr(scope, field))
        for field in ("parameters", "bases", "implements", "decorators", "returns")
    }
    return msgspec.structs.replace(scope, body=_without_places(body), ways=(), line=0, **kept)


def _seen(body: tuple[Statement, ...]) -> tuple[Statement, ...]:
    """Return the statements of a function by which something leaves it, and those that this is made of."""
    chosen = {
        place
        for place, each in enumerate(body)
        if isinstance(each, Return | Yield | Import | Export)
        or (isinstance(each, Assign) and isinstance(each.target, Member))
    }
    for _ in range(ROUNDS):
        wanted = {name for place in chosen for name in _names(body[place])}
        more = {
            place
            for place, each in enumerate(body)
            if place not in chosen
            and isinstance(each, Assign)
            and isinstance(each.target, Name)
            and each.target.name in wanted
        }
        if not more:
            break
        chosen |= more
    return tuple(body[place] for place in sorted(chosen))


def _names(part: Any) -> set[str]:
    found: set[str] = set()
    waiting = [part]
    while waiting:
        each = waiting.pop()
        if isinstance(each, Name):
            found.add(each.name)
        elif isinstance(each, msgspec.Struct):
            waiting += [getattr(each, field) for field in each.__struct_fields__]
        elif isinstance(each, tuple):
            waiting += each
    return found


def _without_places(part: Any) -> Any:
    """Return a part of a program without the lines and columns it stands at."""
    if isinstance(part, tuple):
        return tuple([_without_places(each) for each in part])
    if not isinstance(part, msgspec.Struct):
        return part
    values = [0 if field in _PLACES else _without_places(getattr(part, field)) for field in part.__struct_fields__]
    return type(part)(*values)
