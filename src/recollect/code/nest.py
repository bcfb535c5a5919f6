"""Nest: from the definitions that a query finds to a list in which each knows its parent, its owner and its name.

    struct Ring;  impl Ring { fn push() }      Ring::push is a method of Ring: the impl block is a scope without symbol
    func (r *Ring) Push()                      … of its receiver
    void Ring::push() {}                       … of what its name says
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from recollect.code.found import Found, Span
from recollect.code.languages import Language
from recollect.code.page import Page
from recollect.model import NodeKind

# What a query calls a definition → the kind of its symbol. A scope only gives its name to what it holds.
KINDS: dict[str, NodeKind | None] = {
    "definition.function": "Function",
    "definition.method": "Method",
    "definition.class": "Class",
    "definition.interface": "Interface",
    "definition.type": "Type",
    "definition.constant": "Constant",
    "definition.member": "Constant",  # of a class; kept when its name is in capitals
    "definition.module": "Module",
    "definition.test": "Test",
    "definition.endpoint": "Endpoint",
    "scope": None,
}
TYPES = frozenset({"Class", "Interface", "Type"})
NAME_CHARACTERS = 200
MOST_SYMBOLS = 20_000  # of one file: beyond it is generated, and nobody looks for a symbol of it

GAP = re.compile(r"\s*(?:(?:#|//|/\*|--).*\s*)*")  # between a decorator and what it decorates


class Definition:
    """A definition on its way to a symbol."""

    __slots__ = (
        "body", "decorators", "end", "kind", "name", "name_end", "name_start", "owner", "parent", "place", "qualified",
        "start", "whole",
    )  # fmt: skip

    decorators: list[Span] | None
    name: str
    qualified: str
    parent: Definition | None

    def __init__(self, start: int, end: int, kind: NodeKind | None, owner: str, name: Span, body: int) -> None:
        self.start = self.whole = start  # whole: where its first decorator begins
        self.end = end
        self.kind = kind
        self.owner = owner
        self.name_start, self.name_end = name
        self.body = body  # where the signature ends
        self.place = -1  # in the list of symbols; -1 for a scope
        self.decorators = None


class Nest(NamedTuple):
    """The definitions in the order of the file, without scopes; and for references, who owns which stretch of it."""

    definitions: list[Definition]
    edges: list[int]  # offsets where the innermost definition changes
    owners: list[int]  # the place of the innermost one from that offset on, -1 for none
    package: str


def nest(page: Page, language: Language, found: Found) -> Nest:
    """Return the definitions of a file, nested and named."""
    every = _gather(page, found)
    _decorate(page, every, found.spans("decorator"))
    packages = found.spans("package")
    package = page.cut(*packages[0]) if packages else ""
    prefix = package + language.separator if package else ""
    kept: list[Definition] = []
    edges: list[int] = [0]
    owners: list[int] = [-1]
    open_now: list[Definition] = []
    constants: set[str] = set()
    adopted = False
    for each in every:
        start = each.whole
        while open_now and open_now[-1].end <= start:
            edges.append(open_now.pop().end)
            owners.append(_innermost(open_now))
        each.parent = parent = open_now[-1] if open_now else None
        _name(page, language, each, prefix)
        if each.kind == "Constant":  # only its first assignment defines it
            if each.qualified in constants:
                continue
            constants.add(each.qualified)
        adopted = adopted or bool(each.owner) or (parent is not None and parent.kind is None)
        open_now.append(each)
        if each.kind is not None:
            each.place = len(kept)
            kept.append(each)
            edges.append(start)
            owners.append(each.place)
    while open_now:
        edges.append(open_now.pop().end)
        owners.append(_innermost(open_now))
    if adopted:
        _adopt(kept, language)
    return Nest(kept, edges, owners, package)


def _innermost(open_now: list[Definition]) -> int:
    for each in reversed(open_now):
        if each.place >= 0:
            return each.place
    return -1


def _gather(page: Page, found: Found) -> list[Definition]:
    """Return the definitions and scopes that have a name, in the order of the file.

    Where a node was captured as two kinds of definition, the kind that the query file names first counts.
    """
    wholes: list[tuple[int, int, int, str]] = []
    for rank, capture in enumerate(found.grammar.captures):
        if capture in KINDS and capture in found.captures:
            wholes += [(node.start_byte, -node.end_byte, rank, capture) for node in found.captures[capture]]
    wholes.sort()
    bodies: dict[int, int] = {}
    for place, start, _ in _held(found, "body", wholes):
        bodies.setdefault(place, start)
    owners = {place: page.cut(start, end) for place, start, end in _held(found, "owner", wholes)}
    every = []
    for place, name_start, name_end in _held(found, "name", wholes):
        start, end, _, capture = wholes[place]
        if capture == "definition.member" and not page.text[name_start:name_end].isupper():
            continue
        body = bodies.get(place, -end)
        name = (name_start, name_end)
        every.append(Definition(start, -end, KINDS[capture], owners.get(place, "") if owners else "", name, body))
    if len(every) > MOST_SYMBOLS:
        page.notes.append(f"{len(every)} definitions: all but the first {MOST_SYMBOLS} are left out")
    return every[:MOST_SYMBOLS]


def _held(found: Found, capture: str, wholes: list[tuple[int, int, int, str]]) -> Iterator[tuple[int, int, int]]:
    """Yield (place, start, end) of each captured node that a definition holds: the place of the innermost."""
    if capture not in found.captures:
        return
    stack: list[tuple[int, int]] = []
    place, count = 0, len(wholes)
    following = wholes[0][0] if count else -1
    for start, end in found.spans(capture):
        while place < count and following <= start:
            stack.append((-wholes[place][1], place))
            place += 1
            if place < count:
                following = wholes[place][0]
        while stack and stack[-1][0] < end:
            stack.pop()
        if stack:
            yield stack[-1][1], start, end


def _decorate(page: Page, every: list[Definition], decorators: list[Span]) -> None:
    """Give each decorator to the definition it stands at: the next whose name follows."""
    if not decorators:
        return
    by_name = sorted(every, key=lambda each: each.name_start)
    names = [each.name_start for each in by_name]
    for start, end in reversed(decorators):
        place = bisect_right(names, start)
        if place == len(names):
            continue
        each = by_name[place]
        if start < each.whole:
            gap = GAP.match(page.text, end, each.whole)
            if not gap or gap.end() != each.whole:
                continue
            each.whole = start
        each.decorators = [(start, end), *(each.decorators or [])]


def _name(page: Page, language: Language, each: Definition, prefix: str) -> None:
    """Set name, qualified name and, where a function turns out to be a method, kind."""
    name = page.cut(each.name_start, each.name_end)
    if not name.isidentifier():
        name = " ".join(name[:NAME_CHARACTERS].split()).strip("\"'`")
        if language.splits:
            name = _split(language, each, name)
    parent = each.parent
    if parent:
        prefix = parent.qualified + language.separator
    each.name = name
    each.qualified = f"{prefix}{each.owner}{language.separator}{name}" if each.owner else prefix + name
    if each.kind == "Function" and (each.owner or (parent and (parent.kind is None or parent.kind in TYPES))):
        each.kind = "Method"


def _split(language: Language, each: Definition, name: str) -> str:
    """Return the last part of a compound name, and keep the rest as the owner."""
    parts = re.split(language.splits, name)
    if len(parts) > 1 and parts[-1]:
        each.owner = language.separator.join([*([each.owner] if each.owner else []), *filter(None, parts[:-1])])
        return parts[-1]
    return name


def _adopt(kept: list[Definition], language: Language) -> None:
    """Make the type of this file that owns a definition its parent, where the two do not stand inside one another."""
    types = {each.qualified: each for each in reversed(kept) if each.kind in TYPES or each.kind == "Module"}
    for each in kept:
        parent = each.parent
        if each.owner or (parent and parent.kind is None):
            owner = each.qualified[: -len(each.name) - len(language.separator)]
            while parent and parent.kind is None:
                parent = parent.parent
            each.parent = types.get(owner, parent)
