"""Interface summaries: as much of a program as other files can see of it.

    kept        names of the file, classes with members and bases, parameters, declared types, what functions return,
                yield and assign to attributes, and the variables that this is made of
    left out    everything else that functions do, types that are only named, and all lines

A summary is divided into pieces, so that an edit of one concerns only groups that name it:

    piece    a plain function or method with all inside of it: it does nothing until it is called by its name, or until
             an attribute is read that it assigns
    rest     the file, its classes, constructors, decorated functions, methods that the language calls by itself

A group reaches a piece by names that it mentions, or that something it reaches mentions. Names are kept as numbers; two
names with one number only make a piece count that need not.
"""

from __future__ import annotations

import hashlib
import re
from array import array
from collections.abc import Callable, Iterable, Sequence
from typing import Any
from zlib import crc32

import msgspec

from recollect.code.links import program
from recollect.code.links.program import (
    Assign,
    Code,
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
# Fields with positions, and fields that contain no parts of a program.
_PLACES = frozenset(("line", "column"))
_ATOMS = frozenset(
    "name key scope kind module alias level is_whole is_export is_new is_implied symbol parent marks "
    "outer_names global_names arity".split()
)
_LEAVING: frozenset[type] = frozenset((Return, Yield, Import, Export))


def summary(unit: Unit) -> Unit:
    """Return the interface summary of a program; scopes keep their places."""
    scopes = tuple([_scope(scope) for scope in unit.scopes])
    return msgspec.structs.replace(unit, scopes=scopes, notes=())


def _scope(scope: Scope) -> Scope:
    is_function = scope.kind == "function"
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
    """Return the statements of a function that others can see the effect of."""
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
    """Return a part of a program without lines and columns."""
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


# Languages whose functions are reached by nothing but their names, and what its own words look like in a source.
APART = frozenset(("python",))
_NO_WORD = bytes(each if chr(each).isalnum() or each == 0x5F or each >= 0x80 else 0x20 for each in range(256))
# Strings side by side are one, which may name a member: where one ends and the next begins, and words at either side.
_SIDE_BY_SIDE = re.compile(rb"""["'](?:\s|\\\n)*[rRuU]?["']""")
_AFTER = re.compile(rb"\w*")
_WORD = bytes(each for each in range(128) if chr(each).isalnum() or each == 0x5F)
LONGEST = 64  # characters of a text that may be a name

_SEEN = ("parameters", "bases", "implements", "decorators", "marks", "outer_names", "global_names", "returns")
# Numbers of kinds of parts, none of which is a number of entries.
_TAGS = {kind: -2 - number for number, kind in enumerate(HOLDING)}

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
    found = set(source.translate(_NO_WORD).split())
    joined, end = b"", -1
    for match in _SIDE_BY_SIDE.finditer(source):
        start, stop = match.span()
        before = joined if start == end else _before(source, start)
        after = _AFTER.match(source, stop, stop + LONGEST)[0]  # type: ignore[index]
        joined, end = before + after, stop + len(after)
        found.add(joined)
    return _numbers(found)


def _before(source: bytes, end: int) -> bytes:
    """Return the word that ends at a place."""
    if source[end - 1 : end] == b"\n":
        end -= 1
    text = source[max(end - LONGEST, 0) : end]
    return text[len(text.rstrip(_WORD)) :]


def numbers(packed: bytes) -> Sequence[int]:
    """Return names as they were packed."""
    return memoryview(packed).cast("I")


def _numbers(names: Iterable[bytes]) -> bytes:
    return array("I", sorted({crc32(name) for name in names})).tobytes()


def _mentioned(names: Iterable[str]) -> bytes:
    return _numbers([name.encode("utf-8", "surrogatepass") for name in names])


def pieces(shown: Unit, keys: Sequence[str], source: bytes) -> Pieces:
    """Return a summary in pieces; other languages than those of APART have none."""
    if shown.language not in APART:
        return Pieces()
    root = _roots(shown.scopes)
    places: dict[int, list[int]] = {}
    for place, of in enumerate(root):
        places.setdefault(of, []).append(place)
    rest = places.pop(-1, [])
    mentioned: set[str] = set()
    digest = _digest(shown, keys, rest, mentioned)
    parts = [_piece(shown, keys, inside) for inside in places.values()]
    return Pieces(words(source), _mentioned(mentioned), digest, tuple(parts))


def _roots(scopes: Sequence[Scope]) -> list[int]:
    """Return the piece that each scope belongs to, -1 for the rest."""
    root: list[int] = []
    for place, scope in enumerate(scopes):
        around = scope.parent if 0 <= scope.parent < place else -1
        found = root[around] if around >= 0 else -1
        if found < 0 and around >= 0 and scopes[around].kind != "function" and _is_apart(scope):
            found = place
        root.append(found)
    return root


def _is_apart(scope: Scope) -> bool:
    """Tell whether a function does nothing before it is called by its name."""
    return (
        scope.kind == "function"
        and not scope.decorators
        and scope.name.isidentifier()
        and not scope.name.startswith("__")
        and not {"constructor", "property", "setter"} & {*scope.marks}
    )


def _piece(shown: Unit, keys: Sequence[str], places: Sequence[int]) -> Piece:
    mentioned: set[str] = set()
    digest = _digest(shown, keys, places, mentioned)
    names = {shown.scopes[places[0]].name}
    for place in places:
        for each in shown.scopes[place].body:
            if isinstance(each, Assign) and isinstance(each.target, Member):
                names.add(each.target.name)
    return Piece(_mentioned(names), _mentioned(mentioned), digest)


def _digest(shown: Unit, keys: Sequence[str], places: Sequence[int], mentioned: set[str]) -> bytes:
    """Return a hash of some scopes alone, and collect the names they mention."""
    own = {place: number for number, place in enumerate(places)}
    atoms: list[object] = [shown.package]
    for place in places:
        scope = shown.scopes[place]
        body = tuple([each for each in scope.body if not _is_elsewhere(each, own)])
        key = keys[scope.symbol] if 0 <= scope.symbol < len(keys) else ""
        atoms += (key, own.get(scope.parent, -1))
        _take_apart((scope.name, scope.kind, scope.arity, *[getattr(scope, each) for each in _SEEN], body), own, atoms)
    mentioned.update([each for each in atoms if type(each) is str])
    return hashlib.sha256(_encode(atoms)).digest()[:16]


def _is_elsewhere(statement: Statement, own: dict[int, int]) -> bool:
    """Tell whether a statement binds a function that is a piece of its own."""
    return type(statement) is Assign and type(statement.value) is Code and statement.value.scope not in own


def _take_apart(part: object, own: dict[int, int], atoms: list[object]) -> None:
    """Add the content and form of a part; scopes are numbered among themselves."""
    waiting = [part]
    while waiting:
        each = waiting.pop()
        kind = type(each)
        if kind is tuple:
            atoms.append(len(each))  # type: ignore[arg-type]
            waiting += each  # type: ignore[arg-type]
        elif kind is Code:
            atoms.append(own.get(each.scope, -1))  # type: ignore[attr-defined]
        elif kind in _TAGS:
            atoms.append(_TAGS[kind])
            waiting += msgspec.structs.astuple(each)  # type: ignore[arg-type]
        else:
            atoms.append(each)
