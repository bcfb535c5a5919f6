"""Find the indexed code that a text mentions: one certain place for a mention, or none.

A name is certain if exactly one symbol has it. Symbols of tests count only if no other symbol has the name. Copied and
generated code never counts. A class takes precedence over its constructor. The owners that a mention gives must stand
directly before the name in its qualified name or path.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from recollect.code.anchors.mention import Mentions, Name, Path, is_path
from recollect.code.anchors.normalised_file import TELLING_BYTES, Form, Spot, spots
from recollect.code.index.languages import BY_NAME
from recollect.model import File, Tree
from recollect.store.code_rows import CodeScope, FoundSymbol, SymbolRow
from recollect.text.identifiers import name_term

if TYPE_CHECKING:
    from recollect.store.sql import Store

# A memory that mentions more is about none of them in particular.
MAX_PLACES = 8
# Files in which a name without owners is looked up; a name in more files is not certain.
MAX_FILES = 12
# A name that so many times as many files of all trees define is not looked up at all.
MANY = 8
# Files in which a name with owners is looked up.
MAX_OWNED_FILES = 300

_SEPARATOR = re.compile(r"::|->|[.#/\\]")


class Place(NamedTuple):
    """A file, or a symbol in it by its qualified name."""

    tree: Tree
    file: File
    symbol: str | None = None


class Found(NamedTuple):
    """The mentioned places, and the names that no indexed file defines."""

    places: list[Place]
    unknown: list[str]


class Code:
    """The indexed code of some trees, with a cache of what was read."""

    def __init__(self, store: Store, trees: Sequence[Tree]) -> None:
        self.store = store
        self.trees = list(trees)
        self.bearers: dict[Name, list[FoundSymbol] | None] = {}
        self.forms: dict[tuple[str, str], Form | None] = {}
        self._rows: dict[int, list[SymbolRow]] = {}
        self._spots: dict[int, dict[str, Spot]] = {}
        self._defining: dict[tuple[str, int], list[FoundSymbol] | None] = {}
        self._paths: list[tuple[str, int]] | None = None

    @property
    def scope(self) -> CodeScope:
        return CodeScope(tuple(tree.id for tree in self.trees))

    def tree(self, file: File) -> Tree:
        return next(tree for tree in self.trees if tree.id == file.tree)

    def files_at(self, paths: Sequence[str]) -> dict[str, list[File]]:
        """Return the indexed files at paths from the root, newest tree first."""
        found: dict[str, list[File]] = {path: [] for path in paths}
        for tree in self.trees:
            for start in range(0, len(paths), 500):
                for file in self.store.find(File, {"tree": tree.id, "path": tuple(paths[start : start + 500])}):
                    found[file.path].append(file)
        return found

    def rows(self, files: Sequence[File]) -> dict[int, list[SymbolRow]]:
        """Return the symbols of files by the number of the file."""
        wanted = [file.id for file in files]
        missing = [number for number in wanted if number not in self._rows]
        if missing:
            self._rows.update({number: symbols for number, (symbols, _) in self.store.file_contents(missing).items()})
        return {number: self._rows.get(number, []) for number in wanted}

    def spots(self, file: File) -> dict[str, Spot]:
        """Return the symbols of a file by qualified name."""
        if file.id not in self._spots:
            self._spots[file.id] = spots(file.path, self.rows([file])[file.id])
        return self._spots[file.id]

    def ending(self, path: str) -> list[str]:
        """Return the known paths that end with these folders and this name."""
        if self._paths is None:
            self._paths = [
                (str(row[0]), tree.id)
                for tree in self.trees
                for row in self.store.columns(File, ("path",), {"tree": tree.id})
            ]
        tail = "/" + path
        return list(dict.fromkeys(known for known, _ in self._paths if known.endswith(tail)))

    def may_define(self, file: File, name: str) -> bool:
        """Tell whether a file is worth looking into for a name."""
        return True

    def looked_up(self, name: Name) -> list[FoundSymbol] | None:
        """Return the symbols of a name with its owners; None if no file defines the name."""
        most = MAX_OWNED_FILES if name.owners else MAX_FILES
        found = self.defining(name.name, most)
        return [symbol for symbol in found if is_owned(symbol, name.owners)] if found is not None else None

    def defining(self, name: str, most: int) -> list[FoundSymbol] | None:
        """Return the symbols of a name in code; none if more than so many files define it, None if no file does."""
        if (name, most) not in self._defining:
            self._defining[name, most] = self._defined(name, most)
        return self._defining[name, most]

    def _defined(self, name: str, most: int) -> list[FoundSymbol] | None:
        term = name_term(name)
        known = self.store.symbol_names(term, limit=1)
        if not known or known[0][0] != term:
            return None
        # A name in so many files is not certain in any tree.
        if known[0][1] > most * MANY:
            return []
        found = [
            symbol
            for symbol in self.store.symbols_named([name], self.scope, most + 1)
            if symbol.symbol.name == name and is_code(symbol.file)
        ]
        if not found:
            return None
        return found if len({symbol.file.id for symbol in found}) <= most else []


def find(code: Code, mentions: Mentions) -> Found:
    """Return the places that mentions mean for certain; a symbol replaces its file and its owner."""
    # `package.json` alone is mentioned in passing; with a folder or a line it is meant.
    named = [
        (mention, file)
        for mention, file in _files(code, mentions.paths)
        if is_code(file) or "/" in mention.path or mention.line or mention.symbol
    ]
    places: dict[tuple[str, str | None], Place] = {}
    for mention, file in named:
        place = _in_file(code, mention, file)
        if place is not None:
            places.setdefault((file.path, place.symbol), place)
    unknown: list[str] = []
    meant: list[FoundSymbol | None] = []
    beside = frozenset(file.path for _, file in named)
    for name in mentions.names:
        near = _near(code, name, [file for _, file in named])
        if near is not None:
            places.setdefault((near.file.path, near.symbol), near)
            continue
        candidates = _bearers(code, name)
        if candidates is None:
            unknown.append(name.name)
            continue
        meant += [_certain(name, candidates, beside)]
    meant += [_certain(name, _bearers(code, name) or (), frozenset()) for name in mentions.plain]
    for found in meant:
        if found is not None:
            place = Place(found.tree, found.file, found.symbol.qualified)
            places.setdefault((place.file.path, place.symbol), place)
    return Found(_most_exact(places)[:MAX_PLACES], unknown)


def named(code: Code, qualified: str, content: str) -> list[Spot]:
    """Return the symbols of a name and a content that is long enough to be distinctive."""
    name = _SEPARATOR.split(qualified)[-1]
    files = {found.file.id: found.file for found in code.store.symbols_named([name], code.scope, MAX_OWNED_FILES)}
    return [
        spot
        for file in files.values()
        for spot in code.spots(file).values()
        if spot.name == name and spot.hash == content and spot.size_bytes >= TELLING_BYTES
    ]


def given(code: Code, text: str) -> Place | None:
    """Return the place that `path`, `path::symbol` or `path:line` means, or None."""
    path, line, symbol = parted(text)
    files = _files(code, (Path(path, line, symbol),))
    return _in_file(code, files[0][0], files[0][1]) if files else None


def parted(text: str) -> tuple[str, int | None, str | None]:
    """Return the parts of a written anchor: path, line, symbol."""
    reference = text.strip().removeprefix("./")
    path, _, symbol = reference.partition("::")
    by_line = re.fullmatch(r"(.+):([1-9]\d{0,6})", path)
    if by_line and not symbol:
        return by_line[1], int(by_line[2]), None
    return path, None, symbol or None


def _files(code: Code, mentioned: Sequence[Path]) -> list[tuple[Path, File]]:
    """Return the file that each path means: the exact one, or the only one whose path ends so."""
    inside = {mention: _inside(code, mention.path) for mention in mentioned}
    exact = code.files_at(list(dict.fromkeys(inside.values())))
    found: list[tuple[Path, File]] = []
    for mention, path in inside.items():
        files = exact[path]
        if not files and is_path(path) and "." in path.rpartition("/")[2]:
            ends = code.ending(path)
            files = code.files_at(ends)[ends[0]] if len(ends) == 1 else []
        if files:
            found.append((mention, files[0]))
    return found


def _inside(code: Code, path: str) -> str:
    """Return a path from the root of the tree it lies in."""
    for tree in code.trees:
        if path.startswith(f"{tree.root}/"):
            return path[len(tree.root) + 1 :]
    return path


def _in_file(code: Code, mention: Path, file: File) -> Place | None:
    tree = code.tree(file)
    if mention.symbol is not None:
        wanted = mention.symbol.rstrip(".:#")
        known = code.spots(file)
        meant = [wanted] if wanted in known else [name for name in known if _ends(name, wanted)]
        return Place(tree, file, meant[0]) if len(meant) == 1 else None
    if mention.line is not None:
        around = [row for row in code.rows([file])[file.id] if row.start_line <= mention.line <= row.end_line]
        if around:
            return Place(tree, file, min(around, key=lambda row: row.end_line - row.start_line).qualified)
    return Place(tree, file)


def _ends(qualified: str, wanted: str) -> bool:
    whole, tail = _SEPARATOR.split(qualified), _SEPARATOR.split(wanted)
    return whole[-len(tail) :] == tail


def _near(code: Code, name: Name, files: Sequence[File]) -> Place | None:
    """Return the symbol of a name in the files that the same text mentions, if there is one."""
    wanted = ".".join((*name.owners, name.name))
    meant = {
        (file.path, spot.symbol): Place(code.tree(file), file, spot.symbol)
        for file in files
        if is_code(file) and code.may_define(file, name.name)
        for spot in code.spots(file).values()
        if spot.name == name.name and (not name.owners or _ends(spot.symbol, wanted))
    }
    if len(meant) > 1:  # a class and its constructor
        first = min(meant, key=lambda key: len(key[1]))
        is_owner = all(path == first[0] and _owns(first[1], other) for path, other in meant)
        meant = {first: meant[first]} if is_owner else {}
    return next(iter(meant.values()), None)


def _owns(owner: str, symbol: str) -> bool:
    return symbol == owner or (symbol.startswith(owner) and _SEPARATOR.match(symbol, len(owner)) is not None)


def _bearers(code: Code, name: Name) -> list[FoundSymbol] | None:
    """Return the symbols of a name with its owners; None if no file defines the name."""
    if name not in code.bearers:
        code.bearers[name] = code.looked_up(name)
    return code.bearers[name]


def is_code(file: File) -> bool:
    """Tell whether a file is code: headings and keys only repeat names."""
    return file.language is not None and not BY_NAME[file.language].document


def is_owned(found: FoundSymbol, owners: Sequence[str]) -> bool:
    if not owners:
        return True
    stem = found.file.path.rpartition(".")[0] or found.file.path
    within = [*_SEPARATOR.split(found.symbol.qualified)[:-1]]
    # The file of a package has the name of its folder.
    for file in (stem.removesuffix("/__init__").removesuffix("/index").removesuffix("/mod"), stem):
        before = [*(part for part in file.split("/") if part), *within]
        if [part.lower() for part in before[-len(owners) :]] == [owner.lower() for owner in owners]:
            return True
    return False


def _certain(name: Name, candidates: Sequence[FoundSymbol], beside: frozenset[str]) -> FoundSymbol | None:
    """Return the one symbol that a name means; of several, one in a file that the same text mentions."""
    for narrowed in _narrower(candidates, beside):
        distinct: dict[tuple[str, str], FoundSymbol] = {}
        for found in narrowed:
            distinct.setdefault((found.file.path, found.symbol.qualified), found)
        meant = _outermost(list(distinct.values()))
        if meant is None:
            continue
        if name.firm or meant.file.path in beside or meant.symbol.kind in name.kinds:
            return meant
        return None
    return None


def _narrower(candidates: Sequence[FoundSymbol], beside: frozenset[str]) -> Iterator[list[FoundSymbol]]:
    """Yield the candidates, then fewer of them, the preferred ones."""
    near = [found for found in candidates if found.file.path in beside]
    if near:
        yield near
        return
    # Copied and generated code is mentioned by its path, if at all.
    own = [found for found in candidates if not found.file.mark]
    yield own
    yield [found for found in own if not _is_test(found)]


def _is_test(found: FoundSymbol) -> bool:
    return found.symbol.test or any(
        part in ("test", "tests", "spec", "__tests__") for part in found.file.path.split("/")
    )


def _outermost(found: Sequence[FoundSymbol]) -> FoundSymbol | None:
    """Return the only one, or the owner of all others: a class and its constructor share a name."""
    if len(found) == 1:
        return found[0]
    if not found or len({each.file.id for each in found}) > 1:
        return None
    first = min(found, key=lambda each: len(each.symbol.qualified))
    return first if all(_owns(first.symbol.qualified, each.symbol.qualified) for each in found) else None


def _most_exact(places: dict[tuple[str, str | None], Place]) -> list[Place]:
    """Return the places that contain no other: a symbol replaces its file, a method its class."""
    kept = []
    for (path, symbol), place in places.items():
        inside = (other for where, other in places if where == path and other is not None and other != symbol)
        holds = any(symbol is None or _owns(symbol, other) for other in inside)
        if not holds:
            kept.append(place)
    return kept
