"""Nest: definitions in the order of the file, each with its parent, its owner and its qualified name.

struct Ring;  impl Ring { fn push() }      Ring::push is a method of Ring: the impl block is a scope without symbol
func (r *Ring) Push()                      … of its receiver
void Ring::push() {}                       … of what its name says
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from recollect.code.found import Captured
from recollect.code.gather import GAP, Definition
from recollect.code.languages import BY_NAME, Language
from recollect.code.page import Page

TYPES = frozenset({"Class", "Interface", "Type"})
HOLDERS = TYPES | {"Constant", None}  # what is a function elsewhere is a method inside these
CODE = frozenset({"Function", "Method", "Test"})
OWNERS = TYPES | {"Constant", "Module"}
NAME_CHARACTERS = 200

ARGUMENTS = re.compile(r"(?<=\w)<.*>$|(?<=\w)\(.*$")  # of a specialised template, of a conversion operator


class Nest(NamedTuple):
    """The definitions in the order of the file, without scopes; and for references, who owns which stretch of it."""

    definitions: list[Definition]
    edges: list[int]  # offsets where the innermost definition changes
    owners: list[int]  # the place of the innermost one from that offset on, -1 for none
    ended: set[int]  # where the names end that are defined, and so are no references
    package: str


def nest(page: Page, language: Language, found: Captured, every: list[Definition]) -> Nest:
    """Return the definitions of a file, nested and named."""
    every.sort(key=lambda each: (each.whole, -each.end, each.name_start))
    packages = found.spans("package")
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
    """Return the innermost definition that can hold others: a typedef only names once more the struct it contains."""
    for each in reversed(open_now):
        if each.kind != "Type":
            return each
    return None


def _is_twin(one: Definition, other: Definition) -> bool:
    """Return whether two names are defined by one statement: `var a, b = 1, 2`."""
    return one.start == other.start and one.end == other.end


def _continues(page: Page, one: Definition, other: Definition) -> bool:
    """Return whether a definition is the next equation of the one before."""
    if one.qualified != other.qualified or one.kind not in CODE or one.kind != other.kind or other.whole < one.end:
        return False
    gap = GAP.match(page.text, one.end, other.whole)
    return gap is not None and gap.end() == other.whole


def _name(page: Page, language: Language, each: Definition, prefix: str) -> None:
    """Set name, qualified name and, where a function turns out to be a method, kind."""
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
    """Return the last part of a compound name, and keep the rest as the owner."""
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
    """Return an owner without type arguments and without what is no part of a name."""
    pattern = _unowned(language)
    if pattern:
        owner = pattern.sub("", owner)
    return " ".join(owner.partition("<")[0].split())


MACRO = re.compile(r"\w++\s*+\(([^()]*+)\)")


def _macro(page: Page, each: Definition, name: str) -> str:
    """Return what a macro that defines a test calls it: `TEST(Ring, Grows)` is Ring.Grows."""
    match = MACRO.match(page.text, each.name_start)
    each.kind = "Test"
    return ".".join([part.strip() for part in match[1].split(",")]) if match and match[1].strip() else name


def _adopt(kept: list[Definition], scopes: list[Definition], owners: list[int], language: Language) -> list[int]:
    """Make the type of this file that owns a definition its parent, where the two do not stand inside one another.

    What belongs to a scope belongs to that type too, if the file has it: the owners are returned as such.
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
