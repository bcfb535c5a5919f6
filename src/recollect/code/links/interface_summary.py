"""Interface summaries: as much of a program as other files can see of it.

    kept        names of the file, classes with members and bases, declared types, what functions return, yield and
                assign to attributes, and the variables and parameters that this is made of
    left out    everything else that functions do and take, types that are only named

Lines do not count for its hash: an edit that other files do not see concerns no other group.
"""

from __future__ import annotations

import hashlib
from collections.abc import Container, Sequence
from operator import attrgetter
from typing import Any

import msgspec

from recollect.code.links import program as ir

# Rounds in which variables of variables are followed back.
ROUNDS = 3
# A parameter in whose place is another one that is seen.
UNSEEN = ir.Parameter("")
_LEAVING: frozenset[type] = frozenset((ir.Return, ir.Yield, ir.Import, ir.Export))


def summary(unit: ir.Unit) -> ir.Unit:
    """Return the interface summary of a program; scopes keep their places."""
    scopes = [_scope(scope) for scope in unit.scopes]
    inner: dict[int, list[int]] = {}
    for place, scope in enumerate(scopes):
        inner.setdefault(scope.parent if scope.parent < place else -1, []).append(place)
    for place, scope in enumerate(scopes):
        if len(scope.parameters) > 1 and scope.arity < 0:
            asked: set[str] = set()
            waiting = [place]
            for each in waiting:
                add_names(scopes[each], asked)
                waiting += inner.get(each, ())
            scopes[place] = msgspec.structs.replace(scope, parameters=_seen_parameters(scope, asked))
    return msgspec.structs.replace(unit, scopes=tuple(scopes))


def _seen_parameters(scope: ir.Scope, asked: Container[str]) -> tuple[ir.Parameter, ...]:
    """Return the parameters of a function whose values others can see, and the first, which may be the receiver."""
    if any(each.kind == "**" and each.name in asked for each in scope.parameters):
        return scope.parameters  # what no other has the name of is in it
    kept: list[ir.Parameter] = []
    is_counted = False  # whether the place of those before counts
    for each in reversed(scope.parameters[1:]):
        if each.name in asked:
            kept.append(each)
            is_counted = is_counted or each.kind in ("", "*")
        elif is_counted and each.kind == "":
            kept.append(UNSEEN)
    return (scope.parameters[0], *reversed(kept))


def _scope(scope: ir.Scope) -> ir.Scope:
    is_plain = scope.kind == "function" and "constructor" not in scope.marks
    body = _seen(scope.body) if is_plain else tuple([each for each in scope.body if type(each) is not ir.Use])
    return msgspec.structs.replace(scope, body=body)


def _seen(body: tuple[ir.Statement, ...]) -> tuple[ir.Statement, ...]:
    """Return the statements of a function that others can see the effect of."""
    chosen: set[int] = set()
    assigned: dict[str, list[int]] = {}
    for place, each in enumerate(body):
        kind = type(each)
        if kind in _LEAVING:
            chosen.add(place)
        elif isinstance(each, ir.Assign):
            if isinstance(each.target, ir.Member):
                chosen.add(place)
            elif isinstance(each.target, ir.Name):
                assigned.setdefault(each.target.name, []).append(place)
    fresh = chosen
    for _ in range(ROUNDS if assigned else 0):
        wanted: set[str] = set()
        for place in fresh:
            add_names(body[place], wanted)
        fresh = {place for name in wanted & assigned.keys() for place in assigned[name]} - chosen
        if not fresh:
            break
        chosen |= fresh
    return tuple([body[place] for place in sorted(chosen)])


# --- parts of programs, whatever their kind ---

_KINDS = [each for each in vars(ir).values() if isinstance(each, type) and issubclass(each, ir._Part)]
# Numbers of kinds of parts, none of which is a number of entries.
_TAGS: dict[type, int] = {kind: -2 - number for number, kind in enumerate(_KINDS)}
# By kind, the fields that count for others. The class twice: with two names and more, the getter gives a tuple.
_CONTENTS: dict[type, attrgetter[tuple[Any, ...]]] = {
    kind: attrgetter("__class__", "__class__", *sorted({*kind.__struct_fields__} - {"line", "column", "symbol"}))
    for kind in _KINDS
}

_encode = msgspec.msgpack.Encoder().encode


def add_names(part: Any, found: set[str]) -> None:
    """Add all names whose values a part of a program asks for."""
    waiting = [part]
    while waiting:
        each = waiting.pop()
        kind = type(each)
        if kind is ir.Name:
            found.add(each.name)
        elif kind is tuple:
            waiting += each
        elif kind in _CONTENTS:
            waiting += _CONTENTS[kind](each)[2:]


def digest(shown: ir.Unit, keys: Sequence[str]) -> bytes:
    """Return a hash of the content and form of a summary; keys: of the file's symbols."""
    symbols = [scope.symbol for scope in shown.scopes]
    atoms: list[object] = [shown.package, [keys[place] if 0 <= place < len(keys) else "" for place in symbols]]
    waiting: list[object] = [shown.scopes, shown.constants]
    while waiting:
        each = waiting.pop()
        kind = type(each)
        if kind is tuple:
            atoms.append(len(each))  # type: ignore[arg-type]
            waiting += each  # type: ignore[arg-type]
        elif kind in _TAGS:
            atoms.append(_TAGS[kind])
            waiting += _CONTENTS[kind](each)[2:]
        else:
            atoms.append(each)
    return hashlib.sha256(_encode(atoms)).digest()[:16]
