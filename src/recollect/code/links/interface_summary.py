"""Interface summaries: as much of a program as other files can see of it.

    kept        names of the file, classes with members and bases, parameters, declared types, what functions return,
                yield and assign to attributes, and the variables that this is made of
    left out    everything else that functions do, types that are only named

Lines do not count. A summary of a language of APART has pieces, so that an edit of one concerns only groups that name
it:

    piece    a plain function or method with all inside of it: it does nothing until it is called by its name, or until
             an attribute is read that it assigns
    rest     the file, its classes, constructors, decorated functions, methods that the language calls by itself

A group reaches a piece by names that it mentions, or that something it reaches mentions. Names are kept as numbers; two
names with one number only make a piece count that need not.
"""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Iterable, Mapping, Sequence
from operator import attrgetter
from typing import Any, TypeGuard
from zlib import crc32

import msgspec

from recollect.code.links import program as ir

# Rounds in which variables of variables are followed back.
ROUNDS = 3
_LEAVING: frozenset[type] = frozenset((ir.Return, ir.Yield, ir.Import, ir.Export))


def summary(unit: ir.Unit) -> ir.Unit:
    """Return the interface summary of a program; scopes keep their places."""
    scopes = tuple([_scope(scope) for scope in unit.scopes])
    return msgspec.structs.replace(unit, scopes=scopes, notes=())


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

_KINDS: tuple[type[msgspec.Struct], ...] = tuple(
    each for each in vars(ir).values()
    if isinstance(each, type) and issubclass(each, ir._Part) and each not in (ir._Part, ir.Unit)
)  # fmt: skip
# By kind of part, its fields but lines and columns.
_FIELDS: dict[type, tuple[str, ...]] = {
    kind: tuple(field for field in kind.__struct_fields__ if field not in ("line", "column")) for kind in _KINDS
}


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
        elif kind in _FIELDS:
            waiting += msgspec.structs.astuple(each)


# Languages whose functions are reached by nothing but their names, the names that their front ends write though no
# source does, and what words look like in a source.
APART = frozenset(("python", "javascript", "typescript", "tsx", "java"))
IMPLIED = frozenset(("iterator", "hasNext", "next", "close"))
_NO_WORD = bytes(each if chr(each).isalnum() or each == 0x5F or each >= 0x80 else 0x20 for each in range(256))
_SEEN = ("parameters", "bases", "implements", "decorators", "marks", "outer_names", "global_names", "returns")
# Numbers of kinds of parts, none of which is a number of entries.
_TAGS = {kind: -2 - number for number, kind in enumerate(_FIELDS)}
# The class twice: with two names and more, the getter gives a tuple.
_CONTENTS = {kind: attrgetter("__class__", "__class__", *fields) for kind, fields in _FIELDS.items()}

_encode = msgspec.msgpack.Encoder().encode


class Piece(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A piece of a summary: names that reach it, names it mentions, its hash."""

    names: bytes
    mentioned: bytes
    digest: bytes


class Pieces(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A summary in pieces, with the names that the program and the rest mention."""

    mentioned: bytes = b""
    mentioned_by_rest: bytes = b""
    rest: bytes = b""
    parts: tuple[Piece, ...] = ()


def words(source: bytes) -> bytes:
    """Return all words of a source as numbers."""
    return _numbers(set(source.translate(_NO_WORD).split()))


def numbers(packed: bytes) -> Sequence[int]:
    """Return names as they were packed."""
    return memoryview(packed).cast("I")


def _numbers(names: Iterable[bytes]) -> bytes:
    return array("I", sorted({crc32(name) for name in names})).tobytes()


def _mentioned(names: Iterable[str]) -> bytes:
    return _numbers([name.encode("utf-8", "surrogatepass") for name in names])


def pieces(shown: ir.Unit, keys: Sequence[str], source: bytes) -> Pieces:
    """Return a summary in pieces; other languages than those of APART have one."""
    constants = [each for constant in shown.constants for each in (constant.name, constant.scope)]
    if shown.language not in APART:
        return Pieces(rest=_digest(shown, keys, range(len(shown.scopes)), set(), constants))
    names = _names(shown.scopes)
    places: dict[int, list[int]] = {}
    for place, of in enumerate(_roots(shown.scopes, names)):
        places.setdefault(of, []).append(place)
    rest = places.pop(-1, [])
    mentioned: set[str] = set()
    functions = {names[place] for place in places if shown.scopes[place].parent == 0}
    exported = frozenset([each.name for each in shown.scopes[0].body if _is_own_export(each)]) & functions
    digest = _digest(shown, keys, rest, mentioned, [bool(exported), *constants], exported)
    parts = [_piece(shown, keys, inside, names[place], names[place] in exported) for place, inside in places.items()]
    return Pieces(words(source), _mentioned(mentioned), digest, tuple(parts))


def _names(scopes: Sequence[ir.Scope]) -> dict[int, str]:
    """Return the functions of files and classes that are given to a name, by their places."""
    return {
        each.value.scope: each.target.name
        for scope in scopes
        if scope.kind != "function"
        for each in scope.body
        if isinstance(each, ir.Assign) and isinstance(each.value, ir.Code) and isinstance(each.target, ir.Name)
    }


def _roots(scopes: Sequence[ir.Scope], names: Mapping[int, str]) -> list[int]:
    """Return the piece that each scope belongs to, -1 for the rest."""
    root: list[int] = []
    for place, scope in enumerate(scopes):
        found = root[scope.parent] if 0 <= scope.parent < place else -1
        if found < 0 and _is_apart(scope, names.get(place, "")):
            found = place
        root.append(found)
    return root


def _is_apart(scope: ir.Scope, name: str) -> bool:
    """Tell whether a function does nothing before it is called by its name."""
    return (
        scope.kind == "function"
        and not scope.decorators
        and name.isidentifier()
        and not name.startswith("__")
        and name not in IMPLIED
        and not {"constructor", "property", "setter"} & {*scope.marks}
    )


def _is_own_export(statement: ir.Statement) -> TypeGuard[ir.Export]:
    """Tell whether a name is exported as itself."""
    return isinstance(statement, ir.Export) and statement.value == ir.Name(statement.name)


def _piece(shown: ir.Unit, keys: Sequence[str], places: Sequence[int], name: str, is_exported: bool) -> Piece:
    mentioned: set[str] = set()
    digest = _digest(shown, keys, places, mentioned, [name, is_exported])
    names = {name}
    for place in places:
        for each in shown.scopes[place].body:
            if isinstance(each, ir.Assign) and isinstance(each.target, ir.Member):
                names.add(each.target.name)
    return Piece(_mentioned(names), _mentioned(mentioned), digest)


def _digest(
    shown: ir.Unit,
    keys: Sequence[str],
    places: Sequence[int],
    mentioned: set[str],
    head: Sequence[object] = (),
    exported: frozenset[str] = frozenset(),
) -> bytes:
    """Return a hash of some scopes alone, and collect the names they mention.

    head: what else is hashed; exported: functions that are pieces: that each of them is exported belongs to it
    """
    own = {place: number for number, place in enumerate(places)}
    atoms: list[object] = [shown.package, *head]
    for place in places:
        scope = shown.scopes[place]
        body = tuple([each for each in scope.body if not _is_elsewhere(each, own, exported)])
        key = keys[scope.symbol] if 0 <= scope.symbol < len(keys) else ""
        atoms += (key, own.get(scope.parent, -1))
        name = "" if scope.name.startswith("<") else scope.name  # it is numbered among its siblings
        _take_apart((name, scope.kind, scope.arity, *[getattr(scope, each) for each in _SEEN], body), own, atoms)
    mentioned.update([each for each in atoms if type(each) is str])
    return hashlib.sha256(_encode(atoms)).digest()[:16]


def _is_elsewhere(statement: ir.Statement, own: dict[int, int], exported: frozenset[str]) -> bool:
    """Tell whether a statement binds or exports a function that is a piece of its own."""
    if _is_own_export(statement):
        return statement.name in exported
    return type(statement) is ir.Assign and type(statement.value) is ir.Code and statement.value.scope not in own


def _take_apart(part: object, own: dict[int, int], atoms: list[object]) -> None:
    """Add the content and form of a part; scopes are numbered among themselves."""
    waiting = [part]
    while waiting:
        each = waiting.pop()
        kind = type(each)
        if kind is tuple:
            atoms.append(len(each))  # type: ignore[arg-type]
            waiting += each  # type: ignore[arg-type]
        elif kind is ir.Code:
            atoms.append(own.get(each.scope, -1))  # type: ignore[attr-defined]
        elif kind in _TAGS:
            atoms.append(_TAGS[kind])
            waiting += _CONTENTS[kind](each)[2:]
        else:
            atoms.append(each)
