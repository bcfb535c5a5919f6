"""Dead code: symbols that seem unused, with confidence and counter-evidence.

    symbols ─► no link leads to it ─► not excused ─► its name nowhere else ─► candidate, most certain first
                                      (table)        else less sure, and the places are named

A symbol that only candidates use is a candidate, too. Code is also called by frameworks, by names in a configuration
and from other repositories: a candidate is not proven dead.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import msgspec
import numpy as np

from recollect.code.anchors.normalised_file import read
from recollect.code.code_records import CodePlace, DeadCode, DeadSymbol
from recollect.code.index.symbol_properties import is_test_file
from recollect.code.links.file_programs import has_program
from recollect.code.manifests.importable_names import provided
from recollect.engine.code.excused_symbols import OPEN_LANGUAGES, Candidate, excuse, is_exported, is_visible
from recollect.engine.code.implicit_uses import UNLINKED
from recollect.engine.graph.code_nodes import code_node_id, file_place, symbol_hit
from recollect.graph.arrays import KIND_CODES, RELATION_CODES
from recollect.graph.project import USES, Project, project, using
from recollect.model import File, Tree
from recollect.store.code_rows import FoundSymbol, SymbolRow, symbol_nodes
from recollect.store.package_tables import SPOKEN, PackageIndex
from recollect.text.display import plural

if TYPE_CHECKING:
    from recollect.graph.code_graph import CodePart
    from recollect.store.link_rows import Sites
    from recollect.store.sql import Store

PUBLIC = "public in a library"
# Kinds that can be dead. A module is its file, an endpoint and a test are called from outside.
KINDS = frozenset({"Function", "Method", "Class", "Interface", "Type", "Constant"})

# How sure it is that a symbol is not used if nothing leads to it and its name is nowhere else, by who may see it.
SURE: Mapping[str, float] = {"private": 0.95, "protected": 0.85, "internal": 0.9, "public": 0.7}
# … if it is public in a library, in every language: most of it is meant for other projects.
EXPORTED = 0.25
# … if it may be meant by something that is not resolved, if its name stands elsewhere in the code (handed on as a
# value, mostly) or in a document, and if only candidates use it.
MAYBE, NAMED_IN_CODE, NAMED, USED_BY_DEAD = 0.35, 0.25, 0.5, 0.9
# What is less sure than this makes nothing else a candidate.
LINKING = 0.5
# Source bytes that are looked through for names, about two seconds of CPU for each 50 million.
MOST_BYTES = 200_000_000
# Places of a name that are shown.
MOST_SHOWN = 3
# Symbols around another that are looked at.
MOST_OWNERS = 20

_WORDS = re.compile(rb"[A-Za-z_$\x80-\xff][\w$\x80-\xff]*")
_SEPARATOR = re.compile(r"::|->|[.#/\\]")
# Manifests of libraries, where they tell: how it is built, that it is published; a crate that provides names is one.
LIBRARY = {
    "pypi": re.compile(rb"\[build-system\]|\bsetup\s*\(|\[metadata\]"),
    "npm": re.compile(rb'\A(?!.*"private"\s*:\s*true)', re.DOTALL),
    "cargo": re.compile(b""),
}
# What a Python project says of itself if it is published.
_PUBLISHED = re.compile(rb"classifiers|keywords|\burls?\b")
# Lines that are only a comment; `#` begins other things in C and Rust.
_COMMENT = re.compile(rb"\s*+(?://|/\*|\*[\s/]|--\s|#(?!\s*+(?:define|undef|if|el|end|include|pragma|!?\[)))")
# Names that are put together: `"visit_" + name`, `f"_process_{name}"`, `"do_%s" % name`.
_DISPATCHED = re.compile(rb"[\"'`](\w{3,40})(?:[\"']\s*[+%]|%s|\{|\$\{)")
# Texts for people. What they say of something public is a promise; anything else that has its name uses it.
_DOCUMENTS = re.compile(r"\.(?:md|mdx|markdown|rst|adoc|txt)$|(?:^|/)[A-Z]+$", re.IGNORECASE)
_CHANGES = re.compile(r"(?:^|/)(?:changes|changelog|history|news|releases?|upgrading)[^/]*$", re.IGNORECASE)
# Bases that call nothing.
_PLAIN_BASE = re.compile(
    r"(?:(?:typing|typing_extensions|t|abc|builtins)\.)?(?:object|Protocol|ABC|Generic|NamedTuple|TypedDict)(?:\[.*)?"
)


class Asked(NamedTuple):
    """The request: trees, folder, kinds, the least confidence, and the limit."""

    trees: list[Tree]
    below: str
    kinds: frozenset[str]
    least: float
    limit: int


_Weighed = tuple[float, str, Candidate]
Contents = Mapping[int, tuple[Sequence[SymbolRow], object]]


def dead_code(store: Store, part: CodePart | None, asked: Asked, notes: Sequence[str]) -> DeadCode:
    """Return the symbols of trees that seem unused, most certain first."""
    own = [tree.id for tree in asked.trees]
    others = store.get(Tree, sorted(using(part, own)))
    found = project(part, [*own, *(tree.id for tree in others)])
    symbols = _symbols(store, found, asked)
    users = _users(found)
    excused: Counter[str] = Counter()
    candidates: list[_Weighed] = []
    for each in symbols.values():
        if each.number in users:
            continue
        if why := excuse(each):
            excused[why] += 1
        else:
            candidates.append((*_first_look(each), each))
    told = list(notes)
    spoken = _Spoken(store, [*asked.trees, *others], frozenset(row[2].row.name for row in candidates))
    if not spoken.is_whole:
        told.append("too much code to search for every name: some candidates may be used elsewhere")
    checked = {row[2].number: _checked(row, spoken) for row in candidates}
    looked = {number: row for number, row in checked.items() if row is not None}
    excused["named in a text"] += len(checked) - len(looked)
    looked |= _chains(symbols, users, looked)
    wanted = [row for row in looked.values() if row.confidence >= asked.least]
    hidden = [number for number, row in looked.items() if EXPORTED <= row.confidence < asked.least]
    excused[PUBLIC] = sum(is_exported(symbols[number]) for number in hidden)
    if excused[PUBLIC]:
        public = plural(excused[PUBLIC], "unused public symbol is", "unused public symbols are")
        told.append(f"{public} not listed, as other projects may use a library: min_confidence {EXPORTED} lists them")
    wanted.sort(key=lambda row: (-row.confidence, -row.lines, row.symbol.path, row.symbol.start_line))
    return DeadCode(
        symbols=tuple(wanted[: asked.limit]),
        total=len(wanted),
        looked_at=len(symbols),
        excused={why: count for why, count in excused.most_common() if count},
        notes=tuple(told),
    )


def _chains(
    symbols: Mapping[int, Candidate], users: Mapping[int, set[int]], looked: dict[int, DeadSymbol]
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
        more = [each for each in more if not excuse(each)]
        if not more:
            return found
        for each in more:
            least = min(users[each.number], key=lambda number: known[number])
            sure = min(known[least], _first_look(each)[0]) * USED_BY_DEAD
            why = f"used only by {symbols[least].row.qualified}, which seems unused"
            found[each.number] = _dead(each, sure, why, [])


def _symbols(store: Store, found: Project, asked: Asked) -> dict[int, Candidate]:
    """Return the symbols that are asked about, with their numbers in the project."""
    index = found.graph.index
    made: dict[int, Candidate] = {}
    inherited = _Inherited(found)
    for tree in asked.trees:
        every = store.find(File, {"tree": tree.id, "skipped": ""})
        files = {file.id: file for file in every if file.symbol_count and has_program(file.language)}
        libraries = _libraries(store, tree)
        contents = store.file_contents(sorted(files))
        programs = _programs(store, tree, files, contents)
        for number, sites in store.file_sites(sorted(files)).items():
            inherited.add_outside(tree, files[number].path, sites)
        for number, (rows, _) in contents.items():
            inherited.add_written(symbol_nodes(tree.root, files[number].path, rows), rows)
        for number, (rows, _) in contents.items():
            file = files[number]
            if not file.path.startswith(asked.below):
                continue
            is_library = number not in programs and _is_library(file, libraries)
            mains = {row.parent for row in rows if row.name == "main"}
            for place, node in enumerate(symbol_nodes(tree.root, file.path, rows)):
                row = rows[place]
                if node in index and row.kind in asked.kinds:
                    symbol, owners = FoundSymbol(number, node, row, file, tree), _around(rows, row)
                    bases = inherited.of(index[node], row, owners)
                    made[index[node]] = Candidate(index[node], symbol, owners, *bases, place in mains, is_library)
    return made


def _around(rows: Sequence[SymbolRow], row: SymbolRow) -> tuple[SymbolRow, ...]:
    """Return the symbols around one, innermost first."""
    found: list[SymbolRow] = []
    while row.parent >= 0 and len(found) < MOST_OWNERS:
        row = rows[row.parent]
        found.append(row)
    return tuple(found)


def _libraries(store: Store, tree: Tree) -> dict[str, list[str]]:
    """Return by ecosystem the folders and files of libraries, where the manifest tells them from programs."""
    libraries = {
        (row.ecosystem, row.folder)
        for row in store.packages([tree.id])
        if row.ecosystem in LIBRARY and LIBRARY[row.ecosystem].search(read(tree.root, row.manifest, MOST_BYTES) or b"")
    }
    found: dict[str, list[str]] = {ecosystem: [] for ecosystem in LIBRARY}
    for (ecosystem, _), places in provided(store, [tree.id]).items():
        for each in places if ecosystem in LIBRARY else ():
            if (ecosystem, each.folder) in libraries:
                found[ecosystem].append(each.at if ecosystem == "pypi" else each.folder)
    return found


def _programs(store: Store, tree: Tree, files: Mapping[int, File], contents: Contents) -> set[int]:
    """Return the files of packages that are programs: with an entry point, and needed by no other indexed tree."""
    index = PackageIndex(store.packages(), store.find(Tree))
    needing = [(row, needed) for row in index.rows if row.tree != tree.id for needed in row.dependencies]
    if any(other.tree == tree.id for row, needed in needing for other in index.providers(row, needed)):
        return set()
    inside: dict[tuple[str, str, str], list[File]] = {}
    for number in contents:
        file = files[number]
        row = index.owner(tree.id, file.path, file.language)
        if row is not None and not is_test_file(file.language, file.path):
            inside.setdefault((row.ecosystem, row.folder, row.manifest), []).append(file)
    found: set[int] = set()
    for (ecosystem, folder, manifest), held in inside.items():
        entries = {file.id for file in held if _is_entry(ecosystem, file.path, contents[file.id][0])}
        # A module of Go with a package beside its commands, in its root, is a library.
        top = {file.id for file in held if file.path.rpartition("/")[0] == folder} if ecosystem == "go" else entries
        is_published = ecosystem == "pypi" and _PUBLISHED.search(read(tree.root, manifest, MOST_BYTES) or b"")
        if entries and not is_published and (not top or entries & top):
            found.update(file.id for file in held)
    return found


def _is_entry(ecosystem: str, path: str, symbols: Sequence[SymbolRow]) -> bool:
    """Tell whether a file has the entry point of a program."""
    if ecosystem == "pypi":
        return path.endswith("__main__.py")
    is_main = any(row.name == "main" and row.kind in ("Function", "Method") for row in symbols)
    return is_main and ecosystem in ("go", "maven")


def _is_library(file: File, libraries: Mapping[str, list[str]]) -> bool:
    """Tell whether other projects may import a file; without a manifest that tells, by its language."""
    folders = libraries.get(SPOKEN.get(file.language or "", ""))
    if folders is None:
        return file.language in OPEN_LANGUAGES
    return any(not folder or f"{file.path}/".startswith(f"{folder}/") for folder in folders)


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


class _Inherited:
    """Inheritance in a project: methods of bases in it, and bases outside of it."""

    def __init__(self, found: Project) -> None:
        graph = found.graph
        self._index = graph.index
        self._holder = _holders(found)
        self._bases: dict[int, list[int]] = {}
        codes = [RELATION_CODES[name] for name in ("INHERITS", "IMPLEMENTS", "EXTENDS")]
        inherits = np.isin(graph.relations, codes)
        for src, dst in zip(graph.src[inherits].tolist(), graph.dst[inherits].tolist(), strict=True):
            self._bases.setdefault(src, []).append(dst)
        self._names: dict[int, set[str]] = {}
        contains = graph.relations == RELATION_CODES["CONTAINS"]
        for src, dst in zip(graph.src[contains].tolist(), graph.dst[contains].tolist(), strict=True):
            name = re.split(r"::|\.", graph.points.ids[dst])[-1].partition("#")[0]
            self._names.setdefault(src, set()).add(name)
        self._open: set[int] = set()

    def add_outside(self, tree: Tree, path: str, sites: Sites) -> None:
        """Note the classes of a file whose bases are known to be outside of the project."""
        for site in sites.outside:
            if site.relation in ("INHERITS", "IMPLEMENTS", "EXTENDS") and not _is_plain(site.name):
                self._open.add(self._index.get(code_node_id(tree.root, path, site.source), -1))

    def add_written(self, nodes: Sequence[str], rows: Sequence[SymbolRow]) -> None:
        """Note the classes that name more bases than there are links to."""
        for node, row in zip(nodes, rows, strict=True):
            number = self._index.get(node, -1)
            if row.kind in ("Class", "Interface") and len(self._bases.get(number, ())) < _written_bases(row):
                self._open.add(number)

    def of(self, number: int, row: SymbolRow, owners: Sequence[SymbolRow]) -> tuple[bool, bool]:
        """Return whether a base of a member's class is outside of the project, and whether the member overrides."""
        if not owners:
            return False, False
        owner = self._holder[number]
        above = _above(owner, self._bases)
        is_override = row.kind == "Method" and any(row.name in self._names.get(base, ()) for base in above)
        return not self._open.isdisjoint({owner, *above}), is_override


def _is_plain(name: str) -> bool:
    return _PLAIN_BASE.fullmatch(name) is not None


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
        return sum(bool(part) and "=" not in part and not _is_plain(part) for part in parts)
    after = re.search(r"\b(?:extends|implements)\b(.*)|\bclass\s+\w+(?:<[^>]*>)?\s*:\s*(.*)", head)
    return (
        len([part for part in re.split(r",|\bimplements\b", after[1] or after[2] or "") if part.strip()])
        if after
        else 0
    )


def _first_look(each: Candidate) -> tuple[float, str]:
    """Return the confidence that nothing uses a symbol, by its links, and why."""
    is_public = each.row.visibility == "public"
    why = "no uses found; public, so other projects may use it" if is_public else "no uses found"
    return EXPORTED if is_exported(each) else SURE.get(each.row.visibility, SURE["public"]), why


def _checked(candidate: _Weighed, spoken: _Spoken) -> DeadSymbol | None:
    """Return a candidate after its name was searched in all texts and unresolved uses; None if it is used.

    Reading a constant or a type is no link, so that its name stands elsewhere in the code is all there is to know.
    """
    sure, why, each = candidate
    if each.row.kind == "Method" and spoken.is_dispatched(each.row.name):
        return None
    doubts = spoken.doubts(each)
    in_code, elsewhere = spoken.places(each)
    documents = [place for place in elsewhere if _DOCUMENTS.search(place.path)]
    told = [place for place in documents if not _CHANGES.search(place.path)]
    if (in_code and each.row.kind in UNLINKED) or len(documents) < len(elsewhere):
        return None
    if told and each.row.visibility == "public":
        return None
    if doubts:
        sure *= min(MAYBE, NAMED_IN_CODE) if in_code else MAYBE
        why = f"{why}; its name is used on objects of unknown type"
    elif in_code:
        sure, why = sure * NAMED_IN_CODE, f"{why}, but its name occurs elsewhere in the code"
    elif told:
        sure, why = sure * NAMED, f"{why}, but its name occurs in other files"
    return _dead(each, sure, why, doubts or in_code or told)


def _dead(each: Candidate, sure: float, why: str, places: Sequence[CodePlace]) -> DeadSymbol:
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

    def __init__(self, store: Store, trees: Sequence[Tree], names: frozenset[str]) -> None:
        self._names = names
        self._lines: dict[str, list[tuple[File, int]]] = {}
        self._doubts: dict[str, list[tuple[File, int, str]]] = {}
        self._roots = {tree.id: tree.root for tree in trees}
        self._prefixes: set[str] = set()
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
        if content is None:
            return
        self._prefixes.update(prefix.decode("utf-8", "replace") for prefix in _DISPATCHED.findall(content))
        if not self._names & _names(content):
            return
        is_code = has_program(file.language)
        for number, line in enumerate(content.split(b"\n"), 1):
            for word in _names(line) & self._names if not (is_code and _COMMENT.match(line)) else ():
                self._lines.setdefault(word, []).append((file, number))

    def _read_sites(self, store: Store, files: Sequence[File]) -> None:
        known = {file.id: file for file in files}
        for number, sites in store.file_sites(sorted(known)).items():
            loose = [(site.name, site.line, site.source) for site in sites.ambiguous]
            loose += [(site.name, site.line, site.source) for site in sites.unresolved]
            for written, line, source in loose:
                name = _SEPARATOR.split(written)[-1]
                if name in self._names:
                    self._doubts.setdefault(name, []).append((known[number], line, source))

    def _place(self, each: Candidate, file: File, line: int, source: str = "") -> CodePlace:
        root = self._roots[file.tree]
        place = file_place(root, file.path, line, source)
        is_own = file.tree == each.found.tree.id
        return place if is_own else msgspec.structs.replace(place, path=f"{root}/{file.path}")

    def is_dispatched(self, name: str) -> bool:
        """Tell whether code puts the name of a symbol together from a prefix and something else."""
        return any(name != prefix and name.startswith(prefix) for prefix in self._prefixes)

    def _may_name(self, each: Candidate, file: File, *, is_linked: bool = False) -> bool:
        """Tell whether a name in a file may mean a symbol: in another tree, a public one whose uses are no links."""
        if file.tree == each.found.tree.id:
            return True
        return is_visible(each) and not (is_linked and each.row.kind not in UNLINKED)

    def doubts(self, each: Candidate) -> list[CodePlace]:
        """Return the places that may mean a symbol: ambiguous ones, and unresolved ones of its name."""
        found = [
            self._place(each, file, line, source)
            for file, line, source in self._doubts.get(each.row.name, ())
            if not _is_own(each, file, line) and self._may_name(each, file)
        ]
        return sorted(found, key=lambda place: (place.path, place.line))

    def places(self, each: Candidate) -> tuple[list[CodePlace], list[CodePlace]]:
        """Return the other lines with a symbol's name: those of code, and those of texts."""
        in_code: list[CodePlace] = []
        elsewhere: list[CodePlace] = []
        for file, line in self._lines.get(each.row.name, ()):
            is_code = has_program(file.language)
            if not _is_own(each, file, line) and self._may_name(each, file, is_linked=is_code):
                (in_code if is_code else elsewhere).append(self._place(each, file, line))
        return in_code, elsewhere


def _names(content: bytes) -> set[str]:
    """Return the words of a text; `$name` of a shell is also `name`."""
    words = {word.decode("utf-8", "replace") for word in set(_WORDS.findall(content))}
    return words | {word.lstrip("$") for word in words if word[0] == "$"}


def _is_own(each: Candidate, file: File, line: int) -> bool:
    return file.id == each.found.file.id and each.row.start_line <= line <= each.row.end_line
