"""Face: as much of a program as others can see of it, in place of the whole where only that matters.

    kept        names of the file, classes with their members and bases, parameters, declared types
                what functions return and yield, what they give to attributes, and the variables that this is made of
    left out    everything else that functions do, types that are only named, and all lines

A change inside of a function that leaves its face as it is concerns nobody else.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from recollect.code.resolve import program
from recollect.code.resolve.program import (
    Assign,
    Export,
    Import,
    Member,
    Name,
    Return,
    Scope,
    Statement,
    Unit,
    Use,
    Yield,
)

# Rounds in which variables of variables are followed back.
ROUNDS = 3
# Fields that say where something stands, and those that hold no parts of a program.
_PLACES = frozenset(("line", "column"))
_ATOMS = frozenset(
    "name key scope kind module alias level is_whole is_export is_new is_implied symbol parent marks "
    "outer_names global_names arity".split()
)
_LEAVING: frozenset[type] = frozenset((Return, Yield, Import, Export))


def face(unit: Unit) -> Unit:
    """Return a program reduced to what others can see of it; scopes keep their places."""
    scopes = tuple([_scope(scope) for scope in unit.scopes])
    return msgspec.structs.replace(unit, scopes=scopes, notes=())


def _scope(scope: Scope) -> Scope:
    is_function = scope.kind == "function" or "block" in scope.marks
    if is_function and "constructor" not in scope.marks:
        body = _seen(scope.body)
    else:
        body = tuple([each for each in scope.body if type(each) is not Use])
    return Scope(
        scope.kind,
        scope.name,
        scope.symbol,
        scope.parent,
        _several(scope.parameters),
        _several(scope.bases),
        _several(scope.implements),
        _several(scope.decorators),
        _several(body),
        scope.marks,
        scope.outer_names,
        scope.global_names,
        _placeless(scope.returns),
        scope.arity,
    )


def _seen(body: tuple[Statement, ...]) -> tuple[Statement, ...]:
    """Return the statements of a function by which something leaves it, and those that this is made of."""
    chosen: set[int] = set()
    assigned: dict[str, list[int]] = {}
    for place, each in enumerate(body):
        kind = type(each)
        if kind in _LEAVING:
            chosen.add(place)
        elif isinstance(each, Assign):
            if isinstance(each.target, Member):
                chosen.add(place)
            elif isinstance(each.target, Name):
                assigned.setdefault(each.target.name, []).append(place)
    fresh = chosen
    for _ in range(ROUNDS if assigned else 0):
        wanted: set[str] = set()
        for place in fresh:
            _add_names(body[place], wanted)
        fresh = {place for name in wanted & assigned.keys() for place in assigned[name]} - chosen
        if not fresh:
            break
        chosen |= fresh
    return tuple([body[place] for place in sorted(chosen)])


# --- by kind of part: what it holds, and what it is without its places ---


def _fields(kind: type[msgspec.Struct]) -> tuple[str, ...]:
    """Return the fields of a kind of part that may hold others."""
    atoms = _PLACES | _ATOMS | ({"value"} if kind is program.Text else frozenset())
    return tuple(each for each in kind.__struct_fields__ if each not in atoms)


_KINDS: tuple[type[msgspec.Struct], ...] = tuple(
    each for each in vars(program).values()
    if isinstance(each, type) and issubclass(each, program._Part) and each not in (program._Part, Scope, Unit)
)  # fmt: skip
# By kind of part, the fields that may hold others.
HOLDING: dict[type, tuple[str, ...]] = {kind: _fields(kind) for kind in _KINDS}


# By kind of part, how it is made without its places.
_PLACELESS: dict[type, Callable[[Any], Any]] = {}


def _add_names(part: Any, found: set[str]) -> None:
    """Add all names that a part of a program asks for."""
    waiting = [part]
    while waiting:
        each = waiting.pop()
        kind = type(each)
        if kind is Name:
            found.add(each.name)
        elif kind is tuple:
            waiting += each
        elif each is not None:
            for field in HOLDING[kind]:
                waiting.append(getattr(each, field))


def _several(parts: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple([_placeless(part) for part in parts]) if parts else parts


def _placeless(part: Any) -> Any:
    """Return a part of a program without the lines and columns it stands at; one that has none is the same."""
    make = _PLACELESS.get(type(part))
    return make(part) if make is not None else part


def _making(kind: type[msgspec.Struct]) -> Callable[[Any], Any]:
    """Return how a kind of part is made without its places."""
    fields = kind.__struct_fields__
    places = tuple(place for place, field in enumerate(fields) if field in _PLACES)
    inner = tuple(place for place, field in enumerate(fields) if field in HOLDING[kind])
    taken, of = msgspec.structs.astuple, _PLACELESS.get

    def make(part: Any) -> Any:
        values = list(taken(part))
        for place in places:
            values[place] = 0
        for place in inner:
            make = of(type(values[place]))
            if make is not None:
                values[place] = make(values[place])
        return kind(*values)

    return make


# What holds no other part and stands at no place of its own is as it is.
_PLACELESS |= {tuple: _several}
_PLACELESS |= {kind: _making(kind) for kind in _KINDS if HOLDING[kind] or _PLACES & {*kind.__struct_fields__}}
