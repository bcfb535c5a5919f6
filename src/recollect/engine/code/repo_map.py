"""Repository map: the most central files and symbols, within a token budget.

    links of the code ─► importance ─► symbols, best first ─► lines, as long as they fit ─► files by folder

Symbols come from the index, links from the graph. A symbol is shown with those it lies in. The more
of a file is shown already, the better a further symbol of it has to be.
"""

from __future__ import annotations

import heapq
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING, Literal, NamedTuple

import msgspec
import numpy as np

from recollect.code.code_records import MapFile, MapSymbol, RepoMap
from recollect.code.index.languages import LANGUAGES
from recollect.code.index.symbol_properties import is_test_file
from recollect.graph.arrays import RELATION_CODES
from recollect.graph.project import USES, Further, Project, project
from recollect.graph.rank import Seen, file_shares, importance
from recollect.model import File, Tree
from recollect.store.code_rows import PLACE_BITS, SymbolRow, file_node, symbol_nodes
from recollect.text.identifiers import whole_term
from recollect.text.token_count import tokens

if TYPE_CHECKING:
    from recollect.graph.code_graph import CodePart
    from recollect.store.sql import Store

# What is shown around the map: a headline, its facts and the fence.
FRAME_TOKENS = 90
# What of a signature is shown.
SIGNATURE_CHARACTERS = 100
# Files whose symbols are looked at, best first: more than any sensible budget holds.
MOST_FILES = 600
# How much less a further symbol of a file counts for each that is shown already.
CROWDING = 0.25
# Symbols in a row that do not fit before it is given up: shorter ones may still come.
MOST_MISSES = 60
# What a symbol counts besides its importance. Constants say little by their first line; what is private is a detail.
KINDS: Mapping[str, float] = {"Constant": 0.5, "Type": 0.8, "Module": 0.3, "Test": 0.0, "Endpoint": 1.2}
MARKED = 0.2  # what was copied in or generated, and what tests need
HIDDEN: Mapping[str, float] = {"private": 0.4, "internal": 0.8}

# Links for each symbol, below which code counts as not linked.
SPARSE = 0.1
# Without links: pieces of code that are read for the names in them, and what names tell.
MOST_PIECES = 6_000
NAME_LETTERS, NAME_FILES = 4, 3
# A single word may be anything; a composed one (`parse_header`) is hardly ever something else.
BY_NAME, BY_WORD = 0.5, 0.05
_COMPOSED = re.compile(r"[a-z0-9][A-Z]|[A-Za-z0-9]_+[A-Za-z0-9]")

# Files count as edited lately within this time before the latest edit, if they are few of all: after a fresh checkout
# all of them are.
LATELY_NS = 24 * 3600 * 10**9
FEW = 0.1

CODE = frozenset(language.name for language in LANGUAGES if not language.document)

RankedBy = Literal["links", "names", "nothing"]

_FILE_FIELDS = ("id", "tree", "path", "mtime_ns", "language", "mark", "chunk_count", "symbol_count")


class Sheet(NamedTuple):
    """A file as the map sees it."""

    id: int
    tree: int
    path: str
    mtime_ns: int
    language: str
    mark: str
    chunk_count: int
    symbol_count: int


class Asked(NamedTuple):
    """A map request: the trees, the token budget, and the focus as given and as files and node ids."""

    trees: list[Tree]
    budget: int
    named: tuple[str, ...] = ()
    files: frozenset[int] = frozenset()
    nodes: frozenset[str] = frozenset()


def repo_map(
    store: Store,
    part: CodePart | None,
    asked: Asked,
    root: str,
    notes: tuple[str, ...],
    imports: Sequence[Further] = (),
) -> RepoMap:
    """Return the map of trees. imports: what to rank by where nothing is linked, instead of the names files share"""
    sheets = sheets_of(store, asked.trees)
    found = project(part, [tree.id for tree in asked.trees])
    ranked_by: RankedBy = "links" if _is_linked(found) else "nothing"
    if ranked_by == "nothing" and (further := list(imports or _by_names(store, asked.trees, sheets))):
        found, ranked_by = project(part, [tree.id for tree in asked.trees], further), "names"
    seen = Seen(asked.files, edited_lately(sheets), _tests(sheets), _numbers(found, asked.nodes))
    ranks = importance(found, seen)
    shares = file_shares(found, ranks)
    best = sorted((sheet for sheet in sheets if sheet.id in shares), key=lambda sheet: -shares[sheet.id])[:MOST_FILES]
    told = (*notes, *_why(ranked_by))
    left = asked.budget - FRAME_TOKENS - sum(tokens(text) + 2 for text in (root, *asked.named, *told))
    left -= tokens(f"⋮ {len(sheets)} files\n")  # how many are not shown is told at the end
    page = _Page(left, asked.trees, {sheet.id: sheet for sheet in best}, _rows(store, best))
    page.fill(_scored(asked.trees, page, found, ranks.tolist(), seen))
    made = RepoMap(
        root=root,
        files=tuple(page.files(shares)),
        files_total=len(sheets),
        symbols_total=sum(sheet.symbol_count for sheet in sheets),
        tokens=0,
        budget=asked.budget,
        focus=asked.named,
        ranked_by=ranked_by,
        notes=told,
    )
    return msgspec.structs.replace(made, tokens=tokens(made.text()))


# --- what is on the map ---


class _Wanted(NamedTuple):
    """A symbol that may be shown: its score, its file and its place there."""

    score: float
    file: int
    place: int


class _Page:
    """The map while it is drawn."""

    def __init__(
        self, left: int, trees: Sequence[Tree], sheets: dict[int, Sheet], rows: dict[int, list[SymbolRow]]
    ) -> None:
        self.left = left
        self._trees = {tree.id: tree for tree in trees}
        self.rows = rows
        self.sheets = sheets
        self._shown: dict[int, set[int]] = {}
        self._cost: dict[int, int] = {}
        self._folders: set[str] = {""}

    def fill(self, wanted: Iterable[_Wanted]) -> None:
        """Put symbols on the map, best first, as long as they fit."""
        heap = [(-each.score, each.file, each.place, 0) for each in wanted if each.score > 0]
        heapq.heapify(heap)
        misses = 0
        while heap and misses < MOST_MISSES:
            score, file, place, counted = heapq.heappop(heap)
            shown = len(self._shown.get(file, ()))
            if shown != counted:  # the file has more symbols on the map by now
                base = score * (1 + CROWDING * counted)
                heapq.heappush(heap, (base / (1 + CROWDING * shown), file, place, shown))
                continue
            misses = 0 if self._put(file, place) else misses + 1

    def _put(self, file: int, place: int) -> bool:
        before = self._shown.get(file, set())
        after = before | set(self._with_owners(file, place))
        drawn = self._drawn(file, after, 0.0)
        cost = sum(tokens(line) + 1 for line in drawn.lines())
        folder = 0 if drawn.folder in self._folders else tokens(drawn.folder) + 1
        spent = cost - self._cost.get(file, 0) + folder
        if spent > self.left:
            return False
        self.left -= spent
        self._shown[file], self._cost[file] = after, cost
        self._folders.add(drawn.folder)
        return True

    def _with_owners(self, file: int, place: int) -> Iterator[int]:
        while place >= 0:
            yield place
            place = self.rows[file][place].parent

    def _drawn(self, file: int, places: set[int], rank: float) -> MapFile:
        rows = self.rows[file]
        symbols = tuple(
            MapSymbol(
                name=rows[place].qualified,
                kind=rows[place].kind,  # type: ignore[arg-type]
                line=rows[place].start_line,
                depth=sum(1 for _ in self._with_owners(file, place)) - 1,
                signature=_signature(rows[place]),
            )
            for place in sorted(places)
        )
        left_out = sum(row.kind != "Module" for row in rows) - len(symbols)
        return MapFile(path=self._path(file), rank=rank, symbols=symbols, left_out=max(left_out, 0))

    def _path(self, file: int) -> str:
        """Return the shown path of a file, with the folder of its project if there are several."""
        sheet = self.sheets[file]
        return sheet.path if len(self._trees) == 1 else f"{PurePath(self._trees[sheet.tree].root).name}/{sheet.path}"

    def files(self, shares: Mapping[int, float]) -> list[MapFile]:
        """Return what is on the map, by folder in order."""
        drawn = [self._drawn(file, self._shown[file], round(shares[file], 4)) for file in self._shown]
        return sorted(drawn, key=lambda file: (file.folder, file.path))


def _signature(row: SymbolRow) -> str:
    text = " ".join((row.signature or row.qualified).split())
    return text if len(text) <= SIGNATURE_CHARACTERS else text[: SIGNATURE_CHARACTERS - 1].rstrip() + "…"


def _scored(
    trees: Sequence[Tree], page: _Page, found: Project, ranks: Sequence[float], seen: Seen
) -> Iterator[_Wanted]:
    """Yield the symbols of files with what each counts."""
    roots = {tree.id: tree.root for tree in trees}
    index = found.graph.index
    for file, rows in page.rows.items():
        sheet = page.sheets[file]
        mark = MARKED if sheet.mark or (file in seen.tests and file not in seen.focus) else 1.0
        for place, node in enumerate(symbol_nodes(roots[sheet.tree], sheet.path, rows)):
            number, row = index.get(node), rows[place]
            if number is None or row.test:
                continue
            score = ranks[number] * mark * KINDS.get(row.kind, 1.0) * HIDDEN.get(row.visibility, 1.0)
            yield _Wanted(score, file, place)


def _rows(store: Store, sheets: Sequence[Sheet]) -> dict[int, list[SymbolRow]]:
    return {number: rows for number, (rows, _) in store.file_contents([sheet.id for sheet in sheets]).items()}


# --- where it is seen from ---


def sheets_of(store: Store, trees: Sequence[Tree]) -> list[Sheet]:
    """Return the indexed code of trees; documents and data are no part of a map of code."""
    rows = [
        Sheet(*row) for tree in trees for row in store.columns(File, _FILE_FIELDS, {"tree": tree.id, "skipped": ""})
    ]
    return [row for row in rows if row.language in CODE]


def edited_lately(sheets: Sequence[Sheet]) -> frozenset[int]:
    """Return the files that were edited lately; none where all were written at once."""
    # A file that was written while it was read has no time yet: it is the latest.
    times = {sheet.id: sheet.mtime_ns for sheet in sheets}
    latest = max(times.values(), default=0)
    recent = frozenset(file for file, time in times.items() if time < 0 or time > latest - LATELY_NS)
    return recent if len(recent) <= FEW * len(sheets) else frozenset()


def _tests(sheets: Sequence[Sheet]) -> frozenset[int]:
    return frozenset(sheet.id for sheet in sheets if is_test_file(sheet.language, sheet.path))


def _numbers(found: Project, nodes: Iterable[str]) -> frozenset[int]:
    index = found.graph.index
    return frozenset(index[node] for node in nodes if node in index)


def _is_linked(found: Project) -> bool:
    """Tell whether there are enough links to rank by: linked code has about one per symbol."""
    codes = [RELATION_CODES[name] for name in USES]
    return bool(np.isin(found.graph.relations, codes).sum() > SPARSE * found.graph.size)


def _why(ranked_by: str) -> tuple[str, ...]:
    told = {
        "names": "this code is not linked yet: files are ranked by shared names",
        "nothing": "this code is not linked yet and too large to rank by names: files are not ranked",
    }
    return (told[ranked_by],) if ranked_by in told else ()


def _by_names(store: Store, trees: Sequence[Tree], sheets: Sequence[Sheet]) -> Iterator[Further]:
    """Yield links from files to symbols elsewhere that they name, if few files define the name."""
    roots = {tree.id: tree.root for tree in trees}
    if sum(sheet.chunk_count for sheet in sheets) > MOST_PIECES:
        return
    defined: dict[str, list[tuple[int, str, float]]] = {}
    rows = _rows(store, sheets)
    for sheet in sheets:
        symbols = rows.get(sheet.id, [])
        for row, node in zip(symbols, symbol_nodes(roots[sheet.tree], sheet.path, symbols), strict=True):
            term = whole_term(row.name)
            if len(term) >= NAME_LETTERS:
                sure = BY_NAME if _COMPOSED.search(row.name) else BY_WORD
                defined.setdefault(term, []).append((sheet.id, node, sure))
    rare = {name: at for name, at in defined.items() if len({file for file, _, _ in at}) <= NAME_FILES}
    for sheet in sheets:
        first = sheet.id << PLACE_BITS
        pieces = store.chunk_rows([first + place for place in range(sheet.chunk_count)])
        source = file_node(roots[sheet.tree], sheet.path)
        for name in rare.keys() & {term for piece in pieces for term in piece.body}:
            elsewhere = [(node, sure) for file, node, sure in rare[name] if file != sheet.id]
            for node, sure in elsewhere:
                yield Further(source, node, "DEPENDS_ON", sure / len(elsewhere))
