"""Nest: from the definitions that a query finds to a list in which each knows its parent, its owner and its name.

    struct Ring;  impl Ring { fn push() }      ring::push is a method of Ring: the impl block is a scope without symbol
    func (r *Ring) Push()                      … of its receiver
    void Ring::push() {}                       … of what its name says
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import NamedTuple

from recollect.code.found import Found, Match, Span
from recollect.code.languages import Language
from recollect.code.page import Page
from recollect.model import NodeKind

KINDS: dict[str, NodeKind] = {
    "function": "Function",
    "method": "Method",
    "class": "Class",
    "interface": "Interface",
    "type": "Type",
    "constant": "Constant",
    "member": "Constant",  # of a class; kept when its name is in capitals
    "module": "Module",
    "test": "Test",
    "endpoint": "Endpoint",
}
TYPES = ("Class", "Interface", "Type")
NAME_CHARACTERS = 200
MOST_SYMBOLS = 20_000  # of one file: beyond it is generated, and nobody looks for a symbol of it


class Definition:
    """A definition on its way to a symbol. A scope (kind "") only gives its name to what it holds."""

    __slots__ = (
        "body", "decorators", "documentation", "end", "kind", "name", "name_end", "name_start", "owner", "parent",
        "place", "qualified", "start", "whole",
    )  # fmt: skip

    def __init__(self, start: int, end: int, name: Span, body: int, kind: NodeKind | str, owner: str) -> None:
        self.start = start  # where the definition itself begins
        self.whole = start  # where its first decorator begins
        self.end = end
        self.name_start, self.name_end = name
        self.body = body  # where the signature ends
        self.kind = kind
        self.owner = owner
        self.name = ""
        self.qualified = ""
        self.parent: Definition | None = None
        self.place = -1  # in the list of symbols
        self.decorators: list[Span] = []
        self.documentation = ""


class Nest(NamedTuple):
    """The definitions in the order of the file, without scopes; and for references, who owns which stretch of it."""

    definitions: list[Definition]
    edges: list[int]  # offsets where the innermost definition changes
    owners: list[int]  # the place of the innermost one from that offset on, -1 for none
    package: str


def nest(page: Page, language: Language, found: Found) -> Nest:
    """Return the definitions of a file, nested and named."""
    every = _gather(page, found)
    _decorate(page, every, found)
    every.sort(key=lambda each: (each.whole, -each.end))
    package = _package(page, found)
    prefix = package + language.separator if package else ""
    kept: list[Definition] = []
    edges: list[int] = [0]
    owners: list[int] = [-1]
    open_now: list[Definition] = []
    seen: set[str] = set()
    for each in every:
        while open_now and open_now[-1].end <= each.whole:
            _close(open_now, edges, owners)
        each.parent = open_now[-1] if open_now else None
        _name(page, language, each, prefix)
        if each.kind == "Constant":  # only its first assignment defines it
            if each.qualified in seen:
                continue
            seen.add(each.qualified)
        open_now.append(each)
        if each.kind:
            each.place = len(kept)
            kept.append(each)
            edges.append(each.whole)
            owners.append(each.place)
    while open_now:
        _close(open_now, edges, owners)
    _adopt(kept, language)
    return Nest(kept, edges, owners, package)


def _close(open_now: list[Definition], edges: list[int], owners: list[int]) -> None:
    edges.append(open_now.pop().end)
    owners.append(next((each.place for each in reversed(open_now) if each.kind), -1))


def _gather(page: Page, found: Found) -> list[Definition]:
    """Return the definitions and scopes; of several patterns that name the same thing, the first wins."""
    by_name: dict[int, Definition] = {}
    for role, matches in found.of("definition") + found.of("scope"):
        kind = KINDS[role.partition(".")[2]] if role != "scope" else ""
        is_member = role == "definition.member"
        for match in matches:
            name = match["name"][0]
            name_start = name.start_byte
            if name_start in by_name:
                continue
            span = (name_start, name.end_byte)
            if is_member and not page.text[name_start : span[1]].isupper():
                continue
            whole = match[role][0]
            end = whole.end_byte
            body = match["body"][0].start_byte if "body" in match else end
            owner = _owner(page, match)
            by_name[name_start] = Definition(whole.start_byte, end, span, body, kind, owner)
            if len(by_name) == MOST_SYMBOLS:
                page.notes.append(f"more than {MOST_SYMBOLS} definitions: the rest are left out")
                return list(by_name.values())
    return list(by_name.values())


def _owner(page: Page, match: Match) -> str:
    if "owner" not in match:
        return ""
    node = match["owner"][0]
    return page.cut(node.start_byte, node.end_byte)


def _package(page: Page, found: Found) -> str:
    """Return the package or namespace that a file declares once for all it holds."""
    spans = found.spans("package")
    return page.cut(*spans[0]) if spans else ""


GAP = re.compile(r"\s*(?:(?:#|//|/\*|--).*\s*)*")  # between a decorator and what it decorates


def _decorate(page: Page, every: list[Definition], found: Found) -> None:
    """Give each decorator to the definition it stands at: the next whose name follows."""
    decorators = found.spans("decorator")
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
        each.decorators.insert(0, (start, end))


def _name(page: Page, language: Language, each: Definition, prefix: str) -> None:
    """Set name, qualified name and, where a function turns out to be a method, kind."""
    name = page.cut(each.name_start, min(each.name_end, each.name_start + NAME_CHARACTERS))
    if not name.isidentifier():
        name = " ".join(name.split()).strip("\"'`")
        if language.splits:
            name = _split(language, each, name)
    parent = each.parent
    if parent:
        prefix = parent.qualified + language.separator
    each.name = name
    each.qualified = f"{prefix}{each.owner}{language.separator}{name}" if each.owner else prefix + name
    if each.kind == "Function" and (each.owner or (parent and (parent.kind in TYPES or not parent.kind))):
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
    types = {each.qualified: each for each in kept if each.kind in TYPES or each.kind == "Module"}
    for each in kept:
        parent = each.parent
        if each.owner or (parent and not parent.kind):
            owner = each.qualified[: -len(each.name) - len(language.separator)]
            while parent and not parent.kind:
                parent = parent.parent
            each.parent = types.get(owner, parent)
