"""Definitions of a file, from the captures of a query: names, bodies, decorators, parents and qualified names.

A name, a body or an owner belongs to the innermost definition around it, a decorator to the next definition. Where the
tree is ambiguous (`def` is an ordinary call in Elixir), the text before the name decides. `nest` finds the owners:

struct Ring;  impl Ring { fn push() }      Ring::push is a method of Ring: the impl block is a scope without symbol
func (r *Ring) Push()                      … of its receiver
void Ring::push() {}                       … of the qualifier of its name
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cache
from operator import attrgetter
from typing import NamedTuple

from recollect.code.index.captures import Captures, Span
from recollect.code.index.languages import BY_NAME, Language
from recollect.code.index.page import Page
from recollect.model import NodeKind

# Capture → kind of symbol. A scope only qualifies the names in it.
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
    "scope": None,
}
# A definition that only names an import (`const fs = require("fs")`) is captured as this, too, and is no symbol.
IMPORT = "definition.import"
# Limits for one file. More code is generated, more keys are data: neither is searched for.
MOST_SYMBOLS, MOST_KEYS = 20_000, 1_000

# Text between a decorator and its definition.
GAP = re.compile(r"\s*(?:(?:#|//|/\*|--).*\s*)*(?:export\s+)?(?:default\s+)?")

# A longer receiver type is not read: the pattern tries each of its brackets.
OWNER_CHARACTERS = 200
OUTERS_MOST = 4  # definitions around a name that may be its own: two for `def f(x) when g(x)`
MISSED = re.compile(r"(?<![\w.])([\w.]+)(?:<[^()]*>)?\.(\w+)\s*+$")
# Captures that may define several names: `var a, b = 1, 2`, `attr_reader :a, :b`.
SEVERAL = frozenset({"definition.constant", "definition.member", "definition.type", "definition.method"})
# Captures that need no look at the text.
PLAIN = frozenset(KINDS) - {"definition.member", "definition.constant", "definition.test"}


class Definition:
    """A definition before it becomes a symbol."""

    __slots__ = (
        "body", "decorators", "end", "endpoint", "kind", "name", "name_end", "name_start", "owner", "parent", "place",
        "qualified", "scope", "start", "whole",
    )  # fmt: skip

    decorators: list[Span] | None
    endpoint: str | None
    name: str
    qualified: str
    parent: Definition | None
    scope: Definition | None  # the scope it stands in, where that is not its parent

    def __init__(self, start: int, end: int, kind: NodeKind | None, owner: str, name: Span, body: int) -> None:
        self.start = self.whole = start  # whole: where its first decorator begins
        self.end = end
        self.kind = kind
        self.owner = owner
        self.name_start, self.name_end = name
        self.body = body  # where the signature ends
        self.place = -1  # in the list of symbols; -1 for a scope
        self.decorators = self.endpoint = self.scope = None


def gather(page: Page, language: Language, found: Captures) -> list[Definition]:
    """Return the definitions and scopes that have a name.

    A node that is captured as several kinds has the kind that the query file names first.
    """
    kinds = _kinds(found)
    wholes = sorted(kinds)
    bodies: dict[int, int] = {}
    for place, start, _ in _held(_bodies(found), wholes, strictly=True):
        bodies.setdefault(place, start)
    owners = {place: page.cut(start, end) for place, start, end in _held(found.spans("owner"), wholes)}
    imports = set(found.spans(IMPORT))
    outers = _outers(wholes) if language.heads else []
    every: list[Definition] = []
    named = -1
    for place, name_start, name_end in _held(found.spans("name"), wholes):
        capture = kinds[wholes[place]][0]
        if capture not in PLAIN or outers:
            place, capture = _told(page, language, kinds, wholes, outers, place, (name_start, name_end))
        if not capture or (place == named and capture not in SEVERAL):
            continue
        named = place
        start, end = wholes[place][0], -wholes[place][1]
        kind = KINDS[capture]
        if kind == "Constant":
            if (start, end) in imports:
                continue
            if language.lambdas and page.text.startswith(language.lambdas, name_end):
                kind = "Function"
        each = Definition(start, end, kind, owners.get(place, ""), (name_start, name_end), bodies.get(place, end))
        if name_start == name_end:
            _find_name(page, each)
        every.append(each)
    decorate(page, language, every, found.spans("decorator"))
    return _most(page, language, every)


def _kinds(found: Captures) -> dict[Span, list[str]]:
    """Return the captures of each node by (start, minus end), which sorts an outer one first."""
    kinds: dict[Span, list[str]] = {}
    for capture in found.grammar.captures:
        if capture in KINDS and capture in found.captures:
            for node in found.captures[capture]:
                kinds.setdefault((node.start_byte, -node.end_byte), []).append(capture)
    return kinds


def _told(
    page: Page,
    language: Language,
    kinds: dict[Span, list[str]],
    wholes: list[Span],
    outers: list[int],
    place: int,
    name: Span,
) -> tuple[int, str]:
    """Return which definition a name belongs to, and its capture: "" for none.

    If the nearest one is no definition after all, the name may belong to one around it.
    """
    captures = kinds[wholes[place]]
    for _ in range(OUTERS_MOST):
        capture = _agreed(page, language, captures, wholes[place][0], name)
        if capture or not outers or outers[place] < 0:
            return place, capture
        place = outers[place]
        captures = [each for each in kinds[wholes[place]] if each in _patterns(language.name)[0]]
    return place, ""


def _agreed(page: Page, language: Language, captures: list[str], start: int, name: Span) -> str:
    """Return the first of the captures that fits the name and the text before it."""
    heads, named = _patterns(language.name)
    text = page.text[name[0] : name[1]]
    for capture in captures:
        if capture in heads and not heads[capture].search(page.text[start : name[0]]):
            continue
        if capture in named and not named[capture].match(text):
            continue
        if capture != "definition.member" or text.isupper():
            return capture
    return ""


def _find_name(page: Page, each: Definition) -> None:
    """Set the name that the Kotlin grammar takes for a part of an extension's owner: `fun String.shout()`."""
    missed = MISSED.search(page.text, max(each.start, each.name_start - OWNER_CHARACTERS), each.name_start)
    if missed:
        each.owner = missed[1]
        each.name_start, each.name_end = missed.span(2)


def _outers(wholes: list[Span]) -> list[int]:
    """Return for each definition the place of the one around it, or -1."""
    outers: list[int] = []
    stack: list[int] = []
    for place, (start, _) in enumerate(wholes):
        while stack and -wholes[stack[-1]][1] <= start:
            stack.pop()
        outers.append(stack[-1] if stack else -1)
        stack.append(place)
    return outers


@cache
def _patterns(name: str) -> tuple[dict[str, re.Pattern[str]], dict[str, re.Pattern[str]]]:
    language = BY_NAME[name]
    heads = {capture: re.compile(pattern) for capture, pattern in language.heads}
    return heads, {capture: re.compile(pattern) for capture, pattern in language.named}


def _most(page: Page, language: Language, every: list[Definition]) -> list[Definition]:
    most = MOST_KEYS if language.document else MOST_SYMBOLS
    if len(every) > most:
        page.notes.append(f"{len(every)} definitions: only the first {most} are indexed")
    return every[:most]


def decorate(page: Page, language: Language, every: list[Definition], decorators: list[Span]) -> None:
    """Add each decorator to its definition."""
    if not decorators:
        return
    pattern = _patterns(language.name)[1].get("decorator")
    if pattern:
        defined = {(each.start, each.end) for each in every}
        decorators = [
            span for span in decorators if span not in defined and pattern.match(page.text[span[0] : span[1]])
        ]
    by_name = sorted(every, key=attrgetter("name_start"))
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


def _bodies(found: Captures) -> list[Span]:
    """Return the spans of bodies: captured ones, and those of nodes that are captured as having one.

    A query for the bodies of functions that are values would take half as long again to compile.
    """
    bodies = found.spans("body")
    for node in found.captures.get("bodied", ()):
        body = node.child_by_field_name("body")
        if body:
            bodies.append(body.byte_range)
    return sorted(bodies)


def _held(spans: list[Span], wholes: list[Span], *, strictly: bool = False) -> Iterator[tuple[int, int, int]]:
    """Yield (place, start, end) of each node inside of a definition; place: of the innermost.

    wholes: (start, minus end) of the definitions, so that the outer of two that begin together comes first. strictly:
    the node begins after the definition.
    """
    stack: list[tuple[int, int]] = []
    place, count = 0, len(wholes)
    following = wholes[0][0] if count else -1
    for start, end in spans:
        while place < count and (following < start or (following == start and not strictly)):
            stack.append((-wholes[place][1], place))
            place += 1
            if place < count:
                following = wholes[place][0]
        while stack and stack[-1][0] < end:
            stack.pop()
        if stack:
            yield stack[-1][1], start, end


TYPES = frozenset({"Class", "Interface", "Type"})
HOLDERS = TYPES | {"Constant", None}  # a function inside these is a method
CODE = frozenset({"Function", "Method", "Test"})
OWNERS = TYPES | {"Constant", "Module"}
NAME_CHARACTERS = 200

ARGUMENTS = re.compile(r"(?<=\w)<.*>$|(?<=\w)\(.*$")  # of a specialised template, of a conversion operator


class Nest(NamedTuple):
    """The definitions in the order of the file, without scopes; and the owner of each part of the file."""

    definitions: list[Definition]
    edges: list[int]  # offsets where the innermost definition changes
    owners: list[int]  # its place from that offset on, -1 for none
    ended: set[int]  # ends of defined names, which are no references
    package: str


def nest(page: Page, language: Language, packages: Sequence[Span], every: list[Definition]) -> Nest:
    """Return the definitions of a file, nested and named."""
    every.sort(key=lambda each: (each.whole, -each.end, each.name_start))
    package = page.cut(*packages[0]) if packages else ""
    prefix = package + language.separator if package and language.qualifies else ""
    kept: list[Definition] = []
    edges: list[int] = [0]
    owners: list[int] = [-1]
    open_now: list[Definition] = []
    constants: set[str] = set()
    scopes: list[Definition] = []
    for each in every:
        start, end = each.whole, each.end
        while open_now and (open_now[-1].end <= start or _is_twin(open_now[-1], each)):
            edges.append(open_now.pop().end)
            owners.append(_innermost(open_now))
        each.parent = parent = _parent(open_now)
        if language.nests and len(open_now) >= language.nests:
            continue
        _name(page, language, each, prefix)
        if each.kind == "Constant":  # only its first assignment defines it, and never one inside a function
            if each.qualified in constants or (parent and parent.kind in CODE):
                continue
            constants.add(each.qualified)
        elif language.merges and kept and _continues(page, kept[-1], each):
            each = kept[-1]
            each.end = end
            open_now.append(each)
            edges.append(start)
            owners.append(each.place)
            continue
        open_now.append(each)
        if each.kind is None:
            scopes.append(each)
            each.place = -1 - len(scopes)
        else:
            each.place = len(kept)
            kept.append(each)
        edges.append(start)
        owners.append(each.place)
    while open_now:
        edges.append(open_now.pop().end)
        owners.append(_innermost(open_now))
    ended = {each.name_end for each in every}
    return Nest(kept, edges, _adopt(kept, scopes, owners, language), ended, package)


def _innermost(open_now: list[Definition]) -> int:
    return open_now[-1].place if open_now else -1


def _parent(open_now: list[Definition]) -> Definition | None:
    """Return the innermost definition that can hold others: a typedef only renames the struct in it."""
    for each in reversed(open_now):
        if each.kind != "Type":
            return each
    return None


def _is_twin(one: Definition, other: Definition) -> bool:
    """Tell whether two names are defined by one statement: `var a, b = 1, 2`."""
    return one.start == other.start and one.end == other.end


def _continues(page: Page, one: Definition, other: Definition) -> bool:
    """Tell whether a definition is the next equation of the one before."""
    if one.qualified != other.qualified or one.kind not in CODE or one.kind != other.kind or other.whole < one.end:
        return False
    gap = GAP.match(page.text, one.end, other.whole)
    return gap is not None and gap.end() == other.whole


def _name(page: Page, language: Language, each: Definition, prefix: str) -> None:
    """Set name and qualified name, and the kind of a function that is a method."""
    name = page.cut(each.name_start, each.name_end)
    if not name.isidentifier():
        name = _plain(" ".join(name[:NAME_CHARACTERS].split()).lstrip(language.sigils or None))
        if language.splits and each.kind != "Test":
            name = _split(language, each, ARGUMENTS.sub("", name))
    if each.owner:
        each.owner = _owned(language.name, each.owner)
    if language.macros and name in language.macros:
        name = _macro(page, each, name)
    elif each.endpoint:
        name = each.endpoint
    parent = each.parent
    joint = language.separator
    if parent:
        if language.member and parent.kind in TYPES:
            joint = language.member
        prefix = parent.qualified + joint
    each.name = name
    if each.kind == "Endpoint":
        prefix = ""
    each.qualified = f"{prefix}{each.owner}{joint}{name}" if each.owner else prefix + name
    if each.kind == "Function" and language.methods and (each.owner or (parent and parent.kind in HOLDERS)):
        each.kind = "Method"


def _plain(name: str) -> str:
    """Return a name without quotes around it."""
    is_quoted = len(name) > 1 and name[0] == name[-1] and name[0] in "\"'`"
    return name[1:-1] if is_quoted else name


def _split(language: Language, each: Definition, name: str) -> str:
    """Return the last part of a compound name; the rest becomes the owner."""
    parts = re.split(language.splits, name)
    if len(parts) > 1 and parts[-1]:
        each.owner = language.separator.join([*([each.owner] if each.owner else []), *filter(None, parts[:-1])])
        return parts[-1]
    return name


@cache
def _unowned(name: str) -> re.Pattern[str] | None:
    pattern = BY_NAME[name].unowned
    return re.compile(pattern) if pattern else None


def _owned(language: str, owner: str) -> str:
    """Return an owner without type arguments and other text that is no name."""
    pattern = _unowned(language)
    if pattern:
        owner = pattern.sub("", owner)
    return " ".join(owner.partition("<")[0].split())


MACRO = re.compile(r"\w++\s*+\(([^()]*+)\)")


def _macro(page: Page, each: Definition, name: str) -> str:
    """Return the name of a test that a macro defines: `TEST(Ring, Grows)` is Ring.Grows."""
    match = MACRO.match(page.text, each.name_start)
    each.kind = "Test"
    return ".".join([part.strip() for part in match[1].split(",")]) if match and match[1].strip() else name


def _adopt(kept: list[Definition], scopes: list[Definition], owners: list[int], language: Language) -> list[int]:
    """Make the type that owns a definition its parent, where the definition is written outside of it.

    Return the owners with scopes replaced by their types, if the file has these.
    """
    if not scopes and not any(each.owner for each in kept):
        return owners
    types = {each.qualified: each for each in reversed(kept) if each.kind in OWNERS}
    for each in kept:
        parent = each.parent
        if each.owner or (parent and parent.kind is None):
            owner = each.qualified[: -len(each.name) - len(language.separator)]
            if parent and parent.kind is None:
                each.scope = parent
            while parent and parent.kind is None:
                parent = parent.parent
            each.parent = types.get(owner, parent)
    places = {scope.place: types[scope.qualified].place if scope.qualified in types else -1 for scope in scopes}
    return [places.get(owner, owner) for owner in owners]
