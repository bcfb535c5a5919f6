"""Find symbols by name, as people write names.

    Server.start       exact: the name, with the owners given before it
    getUser            prefix
    gUN, getUsNa       humps: the parts of the name begin like this
    getUsrName         fuzzy: spelt nearly like this; only where nothing else is found

Within a kind of match, own code ranks before copied code, code before tests, classes before functions before constants.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

from recollect.code.index.symbol_properties import is_test_file
from recollect.model import File, Tree
from recollect.store.code_rows import PLACE_BITS, CodeScope, FoundSymbol, SymbolRow
from recollect.text.identifiers import name_term

if TYPE_CHECKING:
    from recollect.store.sql import Store

How = Literal["exact", "prefix", "humps", "fuzzy"]

# Files read per kind of match: names like __init__ are in all of them.
MAX_FILES = 300
# Names tried per kind of match, the shortest first: they are nearest to the query.
MAX_NAMES = 60
# Letters before fuzzy matching makes sense.
MIN_FUZZY = 4
# Wrong letters allowed in a short name and in a long one.
SHORT_NAME, SHORT_ERRORS, LONG_ERRORS = 6, 1, 2

_SEPARATOR = re.compile(r"::|->|[.#/\\]")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
# In a query every capital begins a part: gUN.
_HUMP = re.compile(r"[A-Z][a-z0-9]*|[a-z]+|[0-9]+")
_AT_LINE = re.compile(r"(.+):(\d+)")

_KIND_ORDER = ("Class", "Interface", "Module", "Function", "Endpoint", "Type", "Method", "Constant", "Test")


class Hit(NamedTuple):
    """A symbol and how it matched."""

    found: FoundSymbol
    how: How


def find_symbols(
    store: Store, query: str, scope: CodeScope, *, kinds: Sequence[str] = (), limit: int = 20
) -> list[Hit]:
    """Return the symbols that a name may mean, best first."""
    *owners, name = [part for part in _SEPARATOR.split(query.strip()) if part] or [query.strip()]
    hits: dict[int, Hit] = {}

    def add(how: How, symbols: Iterable[FoundSymbol], distance: Callable[[FoundSymbol], int]) -> None:
        fitting = [
            found
            for found in symbols
            if (not kinds or found.symbol.kind in kinds) and found.id not in hits and _is_owned(found, owners)
        ]
        fitting.sort(key=lambda found: (distance(found), *_standing(found)))
        hits.update((found.id, Hit(found, how)) for found in fitting)

    exact = store.symbols_named([name], scope, MAX_FILES)
    add("exact", exact, lambda found: found.symbol.name != name)
    if len(hits) < limit:
        longer = _nearest(store.symbol_names(name_term(name)), len(name))
        add("prefix", store.symbols_named(longer, scope, MAX_FILES), lambda found: len(found.symbol.name))
    if len(hits) < limit and len(name) > 1:
        add("humps", _by_humps(store, name, scope), lambda found: len(found.symbol.name))
    if not hits and not exact and len(name) >= MIN_FUZZY:
        distances = _misspelt(store, name_term(name))
        named = store.symbols_named(list(distances), scope, MAX_FILES)
        add("fuzzy", named, lambda found: distances[name_term(found.symbol.name)])
    return list(hits.values())[:limit]


def symbol_at(store: Store, text: str, scope: CodeScope) -> list[FoundSymbol]:
    """Return the symbols that an exact reference means; none for other text.

    A reference is an id of the graph, `path::qualified`, or `path:line`, which means the innermost symbol there. A path
    is absolute or relative to the root of its tree.
    """
    reference = text.strip().removeprefix("sym:")
    by_line = _AT_LINE.fullmatch(reference)
    if by_line and not by_line[1].endswith(":"):
        return [
            found for file in _files(store, by_line[1], scope) for found in _innermost(store, file, int(by_line[2]))
        ]
    for split in re.finditer("::", reference):
        path, qualified = reference[: split.start()], reference[split.end() :]
        for file in _files(store, path, scope):
            wanted = [found for found in _all(store, file) if qualified in (found.symbol.qualified, _suffix(found))]
            if wanted:
                return wanted
    return []


def _suffix(found: FoundSymbol) -> str:
    """Return the end of a symbol's id: its qualified name, with a number for a duplicate."""
    return found.node.partition(f"{found.tree.root}/{found.file.path}::")[2]


def _files(store: Store, path: str, scope: CodeScope) -> list[File]:
    trees = store.find(Tree) if scope.trees is None else store.get(Tree, scope.trees)
    found: list[File] = []
    for tree in trees:
        inside = path.removeprefix(f"{tree.root}/")
        found += store.find(File, {"tree": tree.id, "path": inside})
    return found


def _all(store: Store, file: File) -> list[FoundSymbol]:
    first = file.id << PLACE_BITS
    return store.symbols([first + place for place in range(file.symbol_count)])


def _innermost(store: Store, file: File, line: int) -> list[FoundSymbol]:
    around = [found for found in _all(store, file) if found.symbol.start_line <= line <= found.symbol.end_line]
    around.sort(key=lambda found: found.symbol.end_line - found.symbol.start_line)
    return around[:1]


def _is_owned(found: FoundSymbol, owners: Sequence[str]) -> bool:
    """Tell whether the qualified name or path of a symbol has these owners in this order."""
    if not owners:
        return True
    before = [*_SEPARATOR.split(found.file.path.lower()), *_SEPARATOR.split(found.symbol.qualified.lower())[:-1]]
    remaining = iter(before)
    return all(owner.lower() in remaining for owner in owners)


def is_aside(found: FoundSymbol) -> bool:
    """Tell whether a symbol is a test, or a copy: vendored or generated."""
    return found.symbol.test or bool(found.file.mark) or is_test_file(found.file.language, found.file.path)


def is_alias(symbol: SymbolRow) -> bool:
    """Tell whether a symbol is another one under the same name: `const expect = std.testing.expect`."""
    value = symbol.signature.rpartition("=")[2] if symbol.kind in ("Constant", "Type") else ""
    *owners, name = _SEPARATOR.split(value.strip(" ;"))
    return bool(owners) and name == symbol.name


def _standing(found: FoundSymbol) -> tuple[object, ...]:
    symbol, file = found.symbol, found.file
    rank = _KIND_ORDER.index(symbol.kind) if symbol.kind in _KIND_ORDER else len(_KIND_ORDER)
    return bool(file.mark), is_aside(found), is_alias(symbol), rank, len(file.path), file.path, symbol.start_line


def _nearest(names: Iterable[tuple[str, int]], length: int) -> list[str]:
    """Return the shortest of the names that are longer than the query."""
    longer = [name for name, _ in names if len(name) > length]
    return sorted(longer, key=lambda name: (len(name), name))[:MAX_NAMES]


def _by_humps(store: Store, name: str, scope: CodeScope) -> list[FoundSymbol]:
    """Return the symbols whose parts begin like the parts of `name`; in lower case every letter is a part."""
    parts = [part.lower() for part in _HUMP.findall(name)]
    if len(parts) < 2:
        parts = list(name.lower())
    initials = "".join(part[0] for part in parts)
    longer = _nearest(store.symbol_names(initials, humps=True), 0)
    found = store.names_with_humps(longer, scope, MAX_FILES)
    fitting = []
    for symbol in found:
        its = [part.lower() for part in _PART.findall(symbol.symbol.name)]
        if all(own.startswith(written) for own, written in zip(its, parts, strict=False)):
            fitting.append(symbol)
    return fitting


def _misspelt(store: Store, name: str) -> dict[str, int]:
    """Return the known names within a small edit distance of `name`, with the distance, nearest first.

    Few errors are in the first two letters, so names that begin alike are compared first, then names that end alike.
    Comparing all names would cost a hundred times as much.
    """
    allowed = SHORT_ERRORS if len(name) <= SHORT_NAME else LONG_ERRORS
    lengths = range(len(name) - allowed, len(name) + allowed + 1)
    near = _near(name, (other for other, _ in store.symbol_names(name[:2]) if len(other) in lengths), allowed)
    if not near:
        tail = name[-2:]
        ending = (other for other, _ in store.symbol_names() if len(other) in lengths and other.endswith(tail))
        near = _near(name, ending, allowed)
    return near


def _near(name: str, others: Iterable[str], allowed: int) -> dict[str, int]:
    distances = ((other, _distance(name, other, allowed)) for other in others)
    found = sorted((distance, other) for other, distance in distances if distance <= allowed)
    return {other: distance for distance, other in found[:MAX_NAMES]}


def _distance(one: str, other: str, most: int) -> int:
    """Return the edit distance with transpositions; most + 1 if it is larger than `most`."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, letter in enumerate(one):
        last, before, row = before, row, [i + 1]
        for j, its in enumerate(other):
            cost = min(before[j] + (letter != its), before[j + 1] + 1, row[j] + 1)
            if i and j and letter == other[j - 1] and one[i - 1] == its:
                cost = min(cost, last[j - 1] + 1)
            row.append(cost)
        if min(row) > most:
            return most + 1
    return row[-1]
