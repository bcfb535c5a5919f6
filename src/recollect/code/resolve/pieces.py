"""Pieces: the parts of a face that can be seen apart from each other, so that an edit of one concerns who names it.

    piece    a plain function or method with all inside of it: it does nothing unless somebody calls it by its name, or
             asks for an attribute that it gives something to
    rest     everything else: the file, its classes, constructors, what is decorated, what the language calls by itself

A group can reach a piece only by names that it says itself, or that are said in what it can reach. What it cannot reach
does not count for its links. Names are kept as numbers: two that share one make a piece count that need not.
"""

from __future__ import annotations

import hashlib
import re
from array import array
from collections.abc import Iterable, Sequence
from zlib import crc32

import msgspec

from recollect.code.resolve.face import HOLDING
from recollect.code.resolve.program import Assign, Code, Member, Scope, Statement, Unit

# Languages whose functions are reached by nothing but their names, and what its own words look like in a source.
APART = frozenset(("python",))
_NO_WORD = bytes(each if chr(each).isalnum() or each == 0x5F or each >= 0x80 else 0x20 for each in range(256))
# Strings side by side are one, which may name a member: where one ends and the next begins, and words at either side.
_SIDE_BY_SIDE = re.compile(rb"""["'](?:\s|\\\n)*[rRuU]?["']""")
_AFTER = re.compile(rb"\w*")
_WORD = bytes(each for each in range(128) if chr(each).isalnum() or each == 0x5F)
LONGEST = 64  # characters of a text that may be a name

_SEEN = ("parameters", "bases", "implements", "decorators", "marks", "outer_names", "global_names", "returns")
# How kinds of parts are told from each other, and from numbers of entries.
_TAGS = {kind: -2 - number for number, kind in enumerate(HOLDING)}

_encode = msgspec.msgpack.Encoder().encode


class Piece(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A piece of a face: the names it is reached by, the names it says, and a hash of it."""

    names: bytes
    said: bytes
    digest: bytes


class Pieces(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A face in pieces; `said` by all of the program and `said_by_rest` are what may reach further pieces."""

    said: bytes = b""
    said_by_rest: bytes = b""
    rest: bytes = b""
    parts: tuple[Piece, ...] = ()


def words(source: bytes) -> bytes:
    """Return all words of a source as numbers, which are all names that its program says and some more."""
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
    """Return the word that ends at a place, or in front of the end of a line that is there."""
    if source[end - 1 : end] == b"\n":
        end -= 1
    text = source[max(end - LONGEST, 0) : end]
    return text[len(text.rstrip(_WORD)) :]


def numbers(packed: bytes) -> Sequence[int]:
    """Return names as they were packed."""
    return memoryview(packed).cast("I")


def _numbers(names: Iterable[bytes]) -> bytes:
    return array("I", sorted({crc32(name) for name in names})).tobytes()


def _said(names: Iterable[str]) -> bytes:
    return _numbers([name.encode("utf-8", "surrogatepass") for name in names])


def pieces(shown: Unit, keys: Sequence[str], source: bytes) -> Pieces:
    """Return a face in pieces; of a language whose functions are reached in other ways too, the whole is the rest."""
    if shown.language not in APART:
        return Pieces()
    root = _roots(shown.scopes)
    places: dict[int, list[int]] = {}
    for place, of in enumerate(root):
        places.setdefault(of, []).append(place)
    rest = places.pop(-1, [])
    said: set[str] = set()
    digest = _digest(shown, keys, rest, said)
    parts = [_piece(shown, keys, inside) for inside in places.values()]
    return Pieces(words(source), _said(said), digest, tuple(parts))


def _roots(scopes: Sequence[Scope]) -> list[int]:
    """Return for every scope the function that is a piece with it inside, or -1 for the rest."""
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
        and not {"constructor", "property", "setter", "block"} & {*scope.marks}
    )


def _piece(shown: Unit, keys: Sequence[str], places: Sequence[int]) -> Piece:
    said: set[str] = set()
    digest = _digest(shown, keys, places, said)
    names = {shown.scopes[places[0]].name}
    for place in places:
        for each in shown.scopes[place].body:
            if isinstance(each, Assign) and isinstance(each.target, Member):
                names.add(each.target.name)
    return Piece(_said(names), _said(said), digest)


def _digest(shown: Unit, keys: Sequence[str], places: Sequence[int], said: set[str]) -> bytes:
    """Return a hash of some scopes that says nothing of others between them, and note all names they say."""
    own = {place: number for number, place in enumerate(places)}
    atoms: list[object] = [shown.package]
    for place in places:
        scope = shown.scopes[place]
        body = tuple([each for each in scope.body if not _is_elsewhere(each, own)])
        key = keys[scope.symbol] if 0 <= scope.symbol < len(keys) else ""
        atoms += (key, own.get(scope.parent, -1))
        _take_apart((scope.name, scope.kind, scope.arity, *[getattr(scope, each) for each in _SEEN], body), own, atoms)
    said.update([each for each in atoms if type(each) is str])
    return hashlib.sha256(_encode(atoms)).digest()[:16]


def _is_elsewhere(statement: Statement, own: dict[int, int]) -> bool:
    """Tell whether a statement gives a function to its name that is a piece of its own."""
    return type(statement) is Assign and type(statement.value) is Code and statement.value.scope not in own


def _take_apart(part: object, own: dict[int, int], atoms: list[object]) -> None:
    """Add all that a part of a program says, with its form; scopes are numbered among themselves."""
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
