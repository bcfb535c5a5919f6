"""Uses of names that are not called: constants, types, and functions that are passed on.

    return n < limits.MAX_SHIPS     Use(Member(Name("limits"), "MAX_SHIPS")) of the function around

A front end notes the paths of names that it reads; of other languages the names are leaves of the tree. A path counts
if its first name is imported, defined at the top of the file, or may be visible without an import; of a path that is
called, all before its last name counts.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Sequence
from functools import reduce
from typing import NamedTuple

import msgspec

from recollect.code.index.captures import SPAN
from recollect.code.index.page import Page, decoded
from recollect.code.index.symbols import Symbol
from recollect.code.links import program as ir
from recollect.code.links.tree_reader import nodes_of_kinds

_CAPITAL, _NONE = re.compile(r"[A-Z]\w"), re.compile("(?!)")
# Names that may be defined elsewhere though nothing imports them; other languages have no uses.
OPEN: dict[str, re.Pattern[str]] = {
    **dict.fromkeys(("python", "javascript", "typescript", "tsx"), _NONE),
    **dict.fromkeys(("java", "rust", "c", "cpp", "csharp", "kotlin", "scala", "swift", "php"), _CAPITAL),
    "go": re.compile(r"\w*[A-Z]"),
}
# Leaves that paths begin with, and nodes whose names are no uses.
_NAMES = re.compile(
    r"(?!scoped_|nested_|qualified_|stable_|property_|private_|field_)\w*identifier|this|this_expression|name|crate|self|super"
)
_SKIPPED = re.compile(
    r"import(?:_from)?(?:_statement|_declaration)?|package_(?:declaration|header|clause)|(?:namespace_)?use_declaration|"
    r"using_directive|export_clause|preproc_include"
)
# What follows a name that is called, and one that is given a value or names a field.
_CALLED = re.compile(r"(?:::)?(?:<[^<>();{}]*+>)?!?\s*+\(")
_GIVEN = re.compile(r"\s*+(?:=(?![=>])|\??:(?!:))")
_KEY = re.compile(r"(?:[{,;(]|^)\s*+\Z", re.MULTILINE)
# The rest of a path after its first name; `Foo.class` names Foo.
_NAME = re.compile(r"[\w$]+")
_PATH_OF_RUST = re.compile(r"(?:::[A-Za-z_]\w*+)*+")
_PATH = re.compile(r"(?:(?:\?\.|::|\.)(?!class\b)[A-Za-z_$][\w$]*+)*+")
# Kinds of symbols without a scope that are defined elsewhere: prototypes of C.
DECLARED = frozenset(("Function", "Method"))
# Languages in which all code of a class sees the types inside it, and the kinds of these.
NESTED = frozenset(("java", "csharp", "kotlin", "scala", "swift", "cpp"))
TYPES = frozenset(("Class", "Interface", "Type"))
# Names of a path that are read; more are generated.
MOST_PARTS = 8


class Path(NamedTuple):
    """Names with dots between them, and the line of the first."""

    names: tuple[str, ...]
    line: int


def _paths(source: bytes, language: str, wanted: Container[str]) -> Iterator[Path]:
    """Yield the paths in the tree of a file that may be uses; wanted: first names that count."""
    page = Page(source)
    text, is_open, rest = page.text, OPEN[language].match, (_PATH_OF_RUST if language == "rust" else _PATH).match
    found = nodes_of_kinds(page, language, name=_NAMES, skipped=_SKIPPED)
    skipped = iter([*map(SPAN, found["skipped"]), (len(text), len(text))])
    begin, beyond = next(skipped)
    last = 0
    for start, end in map(SPAN, found["name"]):
        head, before = text[start:end], text[start - 1 : start]
        if start < last or not (head in wanted or is_open(head) or text[end : end + 2] == "::"):
            continue
        while start >= beyond:
            begin, beyond = next(skipped)
        if start >= begin or before == "$" or (before == "." and text[start - 3 : start] != "..."):
            continue
        if match := rest(text, end):
            last = match.end()
            if names := _read(text, start, last, [head, *_NAME.findall(match[0])]):
                yield Path(tuple(map(decoded, names)), page.line(start))


def _read(text: str, start: int, end: int, names: list[str]) -> list[str]:
    """Return the names that are used; none for a name that is called, given a value, or that of a field."""
    if _CALLED.match(text, end) and text[start - 1 : start] != "@":
        is_variant = "::" in text[start:end] and names[-1][:1].isupper()
        return names if is_variant else names[:-1]
    given = _GIVEN.match(text, end)
    is_field = given and (len(names) == 1 or "=" in given[0]) and _KEY.search(text[max(0, start - 40) : start])
    return [] if is_field else names


def with_uses(unit: ir.Unit, symbols: Sequence[Symbol], source: bytes) -> ir.Unit:
    """Return a program with its constants, and with the uses of names in its tree."""
    if unit.language not in OPEN:
        return unit
    found = _Uses(unit, symbols)
    return found.unit(_paths(source, unit.language, found.wanted))


def with_noted_uses(unit: ir.Unit, symbols: Sequence[Symbol], noted: Iterable[tuple[tuple[str, ...], int]]) -> ir.Unit:
    """Return a program with its constants, and with those names, noted with their lines, which are uses."""
    found = _Uses(unit, symbols)
    wanted = sorted([(line, names) for names, line in noted if found.is_any or names[0] in found.wanted])
    return found.unit([(names, line) for line, names in wanted])


class _Uses:
    """The uses of one file.

    wanted: first names of paths that count; is_any: every first name does, since something is imported as a whole
    """

    def __init__(self, unit: ir.Unit, symbols: Sequence[Symbol]) -> None:
        self._unit, self._symbols = unit, symbols
        # Of two scopes with one symbol the first counts: initialisers follow their class.
        scopes = reversed([*enumerate(unit.scopes)])
        self._scopes = {scope.symbol: place for place, scope in scopes if scope.symbol >= 0}
        self._uses: dict[int, list[ir.Statement]] = {}
        self._is_rust = unit.language == "rust"
        self._this = "self" if unit.language == "python" else "this"
        self._members = {symbol.name for symbol in symbols if symbol.parent >= 0}
        imports = [each for scope in unit.scopes for each in scope.body if type(each) is ir.Import]
        self._whole = {each.alias for each in imports if each.name is None} - {
            each.alias for each in imports if each.name
        }  # modules are no uses
        self.is_any = unit.language == "python" and any(each.name == "*" for each in imports)
        self._own = {symbol.name for symbol in symbols if symbol.parent < 0}
        self._defined = {((symbol.name,), symbol.start_line) for symbol in symbols}
        types = [each for each in symbols if each.kind in TYPES and each.parent >= 0] if unit.language in NESTED else []
        self._inner = {(each.parent, each.name) for each in types if symbols[each.parent].kind in TYPES}
        self._own |= {name for each in imports if (name := each.alias or each.name)}
        self.wanted = self._own | {self._this} | {name for _, name in self._inner}

    def unit(self, used: Iterable[tuple[tuple[str, ...], int]]) -> ir.Unit:
        """Return the program with uses."""
        lines = [(symbol.start_line, symbol.end_line + 1) for symbol in self._symbols]
        inside = [-1] * (max([end for _, end in lines], default=0) + 1)
        for place in sorted(range(len(lines)), key=lambda place: lines[place][0] - lines[place][1]):
            start, end = lines[place]
            inside[start:end] = [place] * (end - start)  # what is inside comes last
        known: dict[tuple[int, tuple[str, ...]], int] = {}
        # The names of symbols are no uses; several may be defined in one line.
        for names, line in [each for each in used if each not in self._defined]:
            known.setdefault((inside[min(line, len(inside) - 1)], names), line)
        for (place, names), line in known.items():
            self._use(names, line, place)
        scopes = list(self._unit.scopes)
        for place, uses in self._uses.items():
            scopes[place] = msgspec.structs.replace(scopes[place], body=(*scopes[place].body, *uses))
        return msgspec.structs.replace(self._unit, scopes=tuple(scopes), constants=tuple(self._constants()))

    def _constants(self) -> Iterator[ir.Constant]:
        """Yield the symbols that are no scopes, of several of one name the first; one of a constant as `State.Done`."""
        known: set[tuple[str, int]] = set()
        for place, symbol in enumerate(self._symbols):
            key = (symbol.name, symbol.parent)
            if place not in self._scopes and key not in known and symbol.kind not in DECLARED:
                known.add(key)
                is_held = symbol.parent < 0 or symbol.parent in self._scopes
                name = symbol.name if is_held else f"{self._symbols[symbol.parent].name}.{symbol.name}"
                yield ir.Constant(name, place, self._scopes.get(symbol.parent, 0))

    def _use(self, names: tuple[str, ...], line: int, inside: int) -> None:
        is_itself = inside >= 0 and names == (self._symbols[inside].name,) and self._symbols[inside].parent < 0
        is_module = names[0] in self._whole if len(names) == 1 else self._is_rust and names[-1][:1].islower()
        is_field = names[0] == self._this and (len(names) == 1 or names[1] not in self._members)
        if is_itself or is_module or is_field:
            return
        owner = inside
        while owner >= 0 and owner not in self._scopes:
            owner = self._symbols[owner].parent
        # Methods of a type of Go hide no names from it, nor does a parameter the package that it is named like.
        if (
            self._unit.language == "go"
            and inside >= 0
            and (
                (names[0] in self._members and self._symbols[inside].kind in TYPES)
                or re.search(rf"\b{names[0]}\s[\[\]*.]*{names[0]}\.", self._symbols[inside].signature)
            )
        ):
            owner = -1
        use = ir.Use(self._expression(names[:MOST_PARTS], inside), line, inside if owner != inside else -1)
        self._uses.setdefault(self._scopes.get(owner, 0), []).append(use)

    def _expression(self, names: tuple[str, ...], inside: int) -> ir.Expression:
        head, *parts = names = (*self._around(names[0], inside), *names)
        value: ir.Expression = ir.This() if head == "this" else ir.Name(head)
        if head == "Self":
            owner = self._symbols[inside].qualified.split("::")[-2:-1] if inside >= 0 else ()
            value = ir.Name(owner[0]) if owner else value
        elif self._is_rust and head not in self._own:
            count = next((place for place, name in enumerate(names) if not name[:1].islower()), 0)
            if count:  # modules that no import names
                value, parts = ir.Name("::".join(names[:count])), [*names[count:]]
                self._uses.setdefault(0, []).append(ir.Import(value.name, None, value.name))
        return reduce(lambda of, name: ir.Member(of, name), parts, value)

    def _around(self, name: str, inside: int) -> tuple[str, ...]:
        """Return the names of the classes around that a type is named without."""
        while inside >= 0 and (inside, name) not in self._inner:
            inside = self._symbols[inside].parent
        found: tuple[str, ...] = ()
        while inside >= 0:
            found, inside = (self._symbols[inside].name, *found), self._symbols[inside].parent
        return found
