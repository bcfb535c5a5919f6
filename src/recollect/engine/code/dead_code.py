"""Dead code: symbols that seem unused, with confidence and counter-evidence.

    symbols ─► no link leads to it ─► not excused ─► its name nowhere else ─► candidate, most certain first
                                      (table)        else less sure, and the places are named

A symbol that only candidates use is a candidate, too. Code is also called by frameworks, by names in a configuration
and from other repositories: a candidate is not proven dead.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from recollect.code.anchors.normalised_file import read
from recollect.code.code_records import CodePlace, DeadCode, DeadSymbol
from recollect.code.index.fixture_uses import is_fixture
from recollect.code.index.symbol_properties import is_test_file
from recollect.code.links.file_programs import has_program
from recollect.engine.code.implicit_uses import UNLINKED
from recollect.engine.graph.code_nodes import file_place, symbol_hit
from recollect.graph.arrays import KIND_CODES, RELATION_CODES
from recollect.graph.project import USES, Project, project
from recollect.model import File, Tree
from recollect.store.code_protocol import FoundSymbol, SymbolRow, symbol_nodes

if TYPE_CHECKING:
    from recollect.graph.code_graph import CodePart
    from recollect.store.link_protocol import LinkStore

# Kinds that can be dead. A module is its file, an endpoint and a test are called from outside.
KINDS = frozenset({"Function", "Method", "Class", "Interface", "Type", "Constant"})

# How sure it is that a symbol is not used if nothing leads to it and its name is nowhere else, by who may see it.
SURE: Mapping[str, float] = {"private": 0.95, "protected": 0.85, "internal": 0.9, "public": 0.7}
# … if it may be meant by something that is not resolved, if its name stands elsewhere in the code (handed on as a
# value, mostly) or in a text or a configuration, if its class has a base that is not indexed, and if only candidates
# use it.
MAYBE, NAMED_IN_CODE, NAMED, OUTSIDE_BASE, USED_BY_DEAD = 0.35, 0.25, 0.5, 0.5, 0.9
# What is less sure than this makes nothing else a candidate.
LINKING = 0.5
# Source bytes that are looked through for names, about two seconds of CPU for each 50 million.
MOST_BYTES = 200_000_000
# Places of a name that are shown.
MOST_SHOWN = 3

# Names that a language or its tools call by themselves.
ENTRIES = re.compile(r"main|__\w+__|_start|init|setup|teardown|handler|lambda_handler|run_module|pytest_\w+")
# Decorators that do not register a function; all others may.
HARMLESS = re.compile(
    r"(?:\w+\.)*(?:property|staticmethod|classmethod|cached_property|cache|lru_cache|functools\.\w+|wraps|override|"
    r"contextmanager|asynccontextmanager|dataclass|dataclasses\.dataclass|final|overload|abstractmethod|total_ordering|"
    r"\w+\.setter|\w+\.getter|inline|derive|allow|must_use|Override|Deprecated|SuppressWarnings|FunctionalInterface|"
    r"Nullable|NotNull|Data|Value|Getter|Setter)\b"
)
_WORDS = re.compile(rb"[A-Za-z_$\x80-\xff][\w$\x80-\xff]*")
_SEPARATOR = re.compile(r"::|->|[.#/\\]")
# How a file may hold code that is run, not used.
SCRIPTS = re.compile(r"(?:^|/)(?:setup|conftest|manage|wsgi|asgi|noxfile|tasks|fabfile|build|Rakefile)\.\w+$|\.d\.ts$")


class Asked(NamedTuple):
    """The request: trees, folder, kinds, the least confidence, and the limit."""

    trees: list[Tree]
    below: str
    kinds: frozenset[str]
    least: float
    limit: int


class _Symbol(NamedTuple):
    """A symbol with what decides about it."""

    number: int
    found: FoundSymbol
    owner: SymbolRow | None

    @property
    def row(self) -> SymbolRow:
        return self.found.symbol


_Candidate = tuple[float, str, _Symbol]
# By the number of a method: whether it overrides, and whether its class has a base that is not known.
_Overriding = Mapping[int, tuple[bool, bool]]

# Why a symbol that nothing leads to is no candidate: the first that is true.
EXCUSES: tuple[tuple[str, Callable[[_Symbol], bool]], ...] = (
    ("test", lambda each: each.row.test or is_fixture(each.row)),
    ("in a test file", lambda each: is_test_file(each.found.file.language, each.found.file.path)),
    ("copied or generated", lambda each: bool(each.found.file.mark)),
    ("endpoint", lambda each: bool(each.row.endpoint)),
    ("entry point", lambda each: ENTRIES.fullmatch(each.row.name) is not None),
    ("script", lambda each: SCRIPTS.search(each.found.file.path) is not None),
    ("registered by a decorator", lambda each: any(not HARMLESS.match(text) for text in each.row.decorators)),
    ("part of an interface", lambda each: each.owner is not None and each.owner.kind == "Interface"),
    ("local", lambda each: each.owner is not None and each.owner.kind in ("Function", "Method")),
)


def dead_code(store: LinkStore, part: CodePart | None, asked: Asked, notes: Sequence[str]) -> DeadCode:
    """Return the symbols of trees that seem unused, most certain first."""
    found = project(part, [tree.id for tree in asked.trees])
    symbols = _symbols(store, found, asked)
    users = _users(found)
    excused: Counter[str] = Counter()
    overriding = _overriding(found, symbols)
    candidates: list[_Candidate] = []
    for each in symbols.values():
        if each.number in users:
            continue
        excuse = _excuse(each, overriding)
        if excuse:
            excused[excuse] += 1
        else:
            candidates.append((*_first_look(each, overriding), each))
    told = list(notes)
    spoken = _Spoken(store, asked.trees, frozenset(row[2].row.name for row in candidates))
    if not spoken.is_whole:
        told.append("too much code to search for every name: some candidates may be used elsewhere")
    checked = {row[2].number: _checked(row, spoken) for row in candidates}
    looked = {number: row for number, row in checked.items() if row is not None}
    looked |= _chains(symbols, users, overriding, looked)
    wanted = [row for row in looked.values() if row.confidence >= asked.least]
    wanted.sort(key=lambda row: (-row.confidence, -row.lines, row.symbol.path, row.symbol.start_line))
    return DeadCode(
        symbols=tuple(wanted[: asked.limit]),
        total=len(wanted),
        looked_at=len(symbols),
        excused=dict(excused.most_common()),
        notes=tuple(told),
    )


def _excuse(each: _Symbol, overriding: _Overriding) -> str | None:
    excuse = next((name for name, holds in EXCUSES if holds(each)), None)
    return excuse or ("override" if overriding.get(each.number, (False, False))[0] else None)


def _chains(
    symbols: Mapping[int, _Symbol],
    users: Mapping[int, set[int]],
    overriding: _Overriding,
    looked: dict[int, DeadSymbol],
) -> dict[int, DeadSymbol]:
    """Return the symbols that only candidates use, each a little less sure than the least sure of those."""
    found: dict[int, DeadSymbol] = {}
    while True:
        known = {number: row.confidence for number, row in (looked | found).items() if row.confidence >= LINKING}
        more = [
            each
            for number, each in symbols.items()
            if number not in looked and number not in found and number in users and users[number] <= known.keys()
        ]
        more = [each for each in more if not _excuse(each, overriding)]
        if not more:
            return found
        for each in more:
            least = min(users[each.number], key=lambda number: known[number])
            sure = min(known[least], SURE.get(each.row.visibility, SURE["public"])) * USED_BY_DEAD
            why = f"used only by {symbols[least].row.qualified}, which seems unused"
            found[each.number] = _dead(each, sure, why, [])


def _symbols(store: LinkStore, found: Project, asked: Asked) -> dict[int, _Symbol]:
    """Return the symbols that are asked about, with their numbers in the project."""
    index = found.graph.index
    made: dict[int, _Symbol] = {}
    for tree in asked.trees:
        files = {
            file.id: file
            for file in store.find(File, {"tree": tree.id, "skipped": ""})
            if file.path.startswith(asked.below) and file.symbol_count and has_program(file.language)
        }
        for number, (rows, _) in store.file_contents(sorted(files)).items():
            file = files[number]
            for place, node in enumerate(symbol_nodes(tree.root, file.path, rows)):
                row = rows[place]
                if node in index and row.kind in asked.kinds:
                    symbol = FoundSymbol(number, node, row, file, tree)
                    made[index[node]] = _Symbol(index[node], symbol, rows[row.parent] if row.parent >= 0 else None)
    return made


def _users(found: Project) -> dict[int, set[int]]:
    """Return the users of each node, without itself and its members; a use of a member is a use of its type."""
    graph = found.graph
    uses = np.isin(graph.relations, [RELATION_CODES[name] for name in USES])
    holder = _holders(found)
    users: dict[int, set[int]] = {}
    for src, dst in zip(graph.src[uses].tolist(), graph.dst[uses].tolist(), strict=True):
        around = {src, *_owners(src, holder)}
        for used in (dst, *_owners(dst, holder)):
            if used in around:  # from inside: a class is not used by its own methods
                break
            users.setdefault(used, set()).add(src)
    return users


def _owners(number: int, holder: Sequence[int]) -> list[int]:
    """Return what a node lies in, innermost first."""
    found: list[int] = []
    while holder[number] != number:
        number = holder[number]
        found.append(number)
    return found


def _holders(found: Project) -> list[int]:
    """Return by node the symbol that contains it, or itself."""
    graph = found.graph
    holder = np.arange(graph.size)
    contains = (graph.relations == RELATION_CODES["CONTAINS"]) & (graph.points.kinds[graph.src] != KIND_CODES["File"])
    holder[graph.dst[contains]] = graph.src[contains]
    found_holders: list[int] = holder.tolist()
    return found_holders


def _overriding(found: Project, symbols: Mapping[int, _Symbol]) -> _Overriding:
    """Return methods by number: whether a base has one of the name, and whether a base is not known."""
    graph = found.graph
    bases: dict[int, list[int]] = {}
    codes = [RELATION_CODES[name] for name in ("INHERITS", "IMPLEMENTS", "EXTENDS")]
    inherits = np.isin(graph.relations, codes)
    for src, dst in zip(graph.src[inherits].tolist(), graph.dst[inherits].tolist(), strict=True):
        bases.setdefault(src, []).append(dst)
    names: dict[int, set[str]] = {}
    contains = graph.relations == RELATION_CODES["CONTAINS"]
    for src, dst in zip(graph.src[contains].tolist(), graph.dst[contains].tolist(), strict=True):
        names.setdefault(src, set()).add(re.split(r"::|\.", graph.points.ids[dst])[-1].partition("#")[0])
    holder = _holders(found)
    told: dict[int, tuple[bool, bool]] = {}
    for each in symbols.values():
        if each.row.kind != "Method" or each.owner is None:
            continue
        around = _above(holder[each.number], bases)
        is_override = any(each.row.name in names.get(base, ()) for base in around)
        declared = _written_bases(each.owner)
        is_open = len(bases.get(holder[each.number], ())) < declared
        told[each.number] = (is_override, is_open)
    return told


def _above(number: int, bases: Mapping[int, list[int]]) -> set[int]:
    found: set[int] = set()
    waiting = list(bases.get(number, ()))
    while waiting:
        base = waiting.pop()
        if base not in found:
            found.add(base)
            waiting += bases.get(base, ())
    return found


def _written_bases(owner: SymbolRow) -> int:
    """Return about how many bases a class names in its head; `object` and keywords are none."""
    head = owner.signature
    brackets = re.search(r"\bclass\s+\w+\s*\(([^()]*)\)", head)
    if brackets:
        parts = [part.strip() for part in brackets[1].split(",")]
        return sum(bool(part) and "=" not in part and part not in ("object", "Protocol", "ABC") for part in parts)
    after = re.search(r"\b(?:extends|implements)\b(.*)|\bclass\s+\w+(?:<[^>]*>)?\s*:\s*(.*)", head)
    return (
        len([part for part in re.split(r",|\bimplements\b", after[1] or after[2] or "") if part.strip()])
        if after
        else 0
    )


def _first_look(each: _Symbol, overriding: _Overriding) -> tuple[float, str]:
    """Return the confidence that nothing uses a symbol, by its links, and why."""
    sure = SURE.get(each.row.visibility, SURE["public"])
    words = ["no uses found"]
    if each.row.visibility == "public":
        words.append("public, so other projects may use it")
    if overriding.get(each.number, (False, False))[1]:
        sure *= OUTSIDE_BASE
        words.append("its base class is not indexed")
    return sure, "; ".join(words)


def _checked(candidate: _Candidate, spoken: _Spoken) -> DeadSymbol | None:
    """Return a candidate after its name was searched in all texts and unresolved uses; None if it is used.

    Reading a constant or a type is no link, so that its name stands elsewhere in the code is all there is to know.
    """
    sure, why, each = candidate
    doubts = spoken.doubts(each)
    in_code, elsewhere = spoken.places(each)
    if in_code and each.row.kind in UNLINKED:
        return None
    if doubts:
        sure *= min(MAYBE, NAMED_IN_CODE) if in_code else MAYBE
        why = f"{why}; its name is used on objects of unknown type"
    elif in_code:
        sure, why = sure * NAMED_IN_CODE, f"{why}, but its name occurs elsewhere in the code"
    elif elsewhere:
        sure, why = sure * NAMED, f"{why}, but its name occurs in other files"
    return _dead(each, sure, why, doubts or in_code or elsewhere)


def _dead(each: _Symbol, sure: float, why: str, places: Sequence[CodePlace]) -> DeadSymbol:
    row = each.row
    return DeadSymbol(
        symbol=symbol_hit(each.found),
        confidence=round(sure, 2),
        why=why,
        lines=row.end_line - row.start_line + 1,
        mentions=tuple(places[:MOST_SHOWN]),
        mentions_total=len(places),
    )


class _Spoken:
    """Occurrences of the candidates' names in texts and in unresolved uses."""

    def __init__(self, store: LinkStore, trees: Iterable[Tree], names: frozenset[str]) -> None:
        self._names = names
        self._lines: dict[str, list[tuple[File, int]]] = {}
        self._doubts: dict[str, list[tuple[File, int, str]]] = {}
        self.is_whole = True
        left = MOST_BYTES
        for tree in trees:
            files = store.find(File, {"tree": tree.id, "skipped": ""})
            for file in files:
                left -= file.size_bytes
                if left < 0:
                    self.is_whole = False
                    break
                self._read(tree, file)
            self._read_sites(store, files)

    def _read(self, tree: Tree, file: File) -> None:
        content = read(tree.root, file.path, MOST_BYTES)
        if content is None or not self._names & {
            word.decode("utf-8", "replace") for word in set(_WORDS.findall(content))
        }:
            return
        for number, line in enumerate(content.split(b"\n"), 1):
            for word in {word.decode("utf-8", "replace") for word in _WORDS.findall(line)} & self._names:
                self._lines.setdefault(word, []).append((file, number))

    def _read_sites(self, store: LinkStore, files: Sequence[File]) -> None:
        known = {file.id: file for file in files}
        for number, sites in store.file_sites(sorted(known)).items():
            loose = [(site.name, site.line, site.source) for site in sites.ambiguous]
            loose += [(site.name, site.line, site.source) for site in sites.unresolved]
            for written, line, source in loose:
                name = _SEPARATOR.split(written)[-1]
                if name in self._names:
                    self._doubts.setdefault(name, []).append((known[number], line, source))

    def doubts(self, each: _Symbol) -> list[CodePlace]:
        """Return the places that may mean a symbol: ambiguous ones, and unresolved ones of its name."""
        found = [
            file_place(each.found.tree.root, file.path, line, source)
            for file, line, source in self._doubts.get(each.row.name, ())
            if not _is_own(each, file, line)
        ]
        return sorted(found, key=lambda place: (place.path, place.line))

    def places(self, each: _Symbol) -> tuple[list[CodePlace], list[CodePlace]]:
        """Return the other lines with a symbol's name: those of code, and those of texts."""
        in_code: list[CodePlace] = []
        elsewhere: list[CodePlace] = []
        for file, line in self._lines.get(each.row.name, ()):
            if not _is_own(each, file, line):
                place = file_place(each.found.tree.root, file.path, line)
                (in_code if has_program(file.language) else elsewhere).append(place)
        return in_code, elsewhere


def _is_own(each: _Symbol, file: File, line: int) -> bool:
    return file.id == each.found.file.id and each.row.start_line <= line <= each.row.end_line
