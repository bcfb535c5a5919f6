"""Answers of operations on source code; records as in recollect.model."""

from __future__ import annotations

from typing import Literal

from recollect.model import CodeHit, NodeKind, Record


class Indexed(Record, frozen=True, kw_only=True):
    """The result of indexing a tree of source code, and the size of its index.

    read, unchanged, removed: files, by what this run did with them. skipped: files that are not indexed, by reason
    vectors_made: vectors of code that this run made. linked: files whose links this run made
    """

    root: str
    namespace: str | None
    files: int
    symbols: int
    chunks: int
    size_bytes: int
    read: int
    unchanged: int
    removed: int
    read_bytes: int
    cpu_s: float = 0.0
    languages: dict[str, int] = {}  # noqa: RUF012 - msgspec makes a new one for each
    skipped: dict[str, int] = {}  # noqa: RUF012
    vectors_made: int = 0
    linked: int = 0
    notes: tuple[str, ...] = ()


class SymbolHit(Record, frozen=True, kw_only=True):
    """A symbol of the code: what and where it is, and how it was found."""

    id: str
    name: str
    qualified: str
    kind: NodeKind
    path: str
    start_line: int
    end_line: int
    language: str
    signature: str = ""
    doc: str = ""
    visibility: str = "public"
    root: str = ""
    namespace: str | None = None
    match: Literal["exact", "prefix", "humps", "fuzzy"] = "exact"


class SymbolList(Record, frozen=True, kw_only=True):
    """Symbols that a name may mean, best first; `notes` say what was missing while looking."""

    query: str
    symbols: tuple[SymbolHit, ...]
    notes: tuple[str, ...] = ()


class SymbolView(Record, frozen=True, kw_only=True):
    """All that is known of one symbol.

    parent: its owner; children: what it holds. others: further symbols that the same words may mean
    callers, callees: some that call it and that it calls, by id; totals None: its file is not linked yet
    source: the lines of its definition, where requested; a long one is cut
    """

    symbol: SymbolHit
    decorators: tuple[str, ...] = ()
    complexity: Literal["low", "medium", "high"] = "low"
    is_test: bool = False
    endpoint: str | None = None
    hash: str = ""
    parent: SymbolHit | None = None
    children: tuple[SymbolHit, ...] = ()
    others: tuple[SymbolHit, ...] = ()
    callers: tuple[str, ...] = ()
    callers_total: int | None = None
    callees: tuple[str, ...] = ()
    callees_total: int | None = None
    source: str = ""
    notes: tuple[str, ...] = ()


class CodeHits(Record, frozen=True, kw_only=True):
    """Places in the code, best first, one per file; `notes` say what was degraded or missing."""

    query: str
    hits: tuple[CodeHit, ...]
    mode: Literal["hybrid", "lexical"] = "lexical"
    notes: tuple[str, ...] = ()


class PackageView(Record, frozen=True, kw_only=True):
    """A package of an indexed project, and how many packages depend on it.

    folder, manifest: from the root. workspace: folder of the workspace it is a member of. mark: vendored or generated
    needs: indexed packages that it needs. needed_by: indexed packages that need it. externals: what else it needs
    """

    id: str
    name: str
    ecosystem: str
    root: str
    folder: str
    manifest: str
    version: str = ""
    namespace: str | None = None
    workspace: str | None = None
    mark: str = ""
    needs: int = 0
    needed_by: int = 0
    externals: int = 0


class PackageLink(Record, frozen=True, kw_only=True):
    """One indexed package needs another one.

    across: they lie in different trees. fits: whether the version there is within the range, if known
    others: further places that hold a package of the wanted name
    """

    source: str
    source_root: str
    source_folder: str
    target: str
    target_root: str
    target_folder: str
    ecosystem: str
    scope: str
    range: str = ""
    version: str = ""
    across: bool = False
    fits: bool | None = None
    others: tuple[str, ...] = ()


class ExternalPackage(Record, frozen=True, kw_only=True):
    """A package that is needed and not indexed: by how many packages and trees, in which ranges.

    conflict: two of the ranges let no version through together. users: some of the packages
    """

    id: str
    name: str
    ecosystem: str
    packages: int
    trees: int
    ranges: dict[str, int] = {}  # noqa: RUF012 - msgspec makes a new one for each
    conflict: bool = False
    users: tuple[str, ...] = ()


class CrossRepo(Record, frozen=True, kw_only=True):
    """Which packages indexed trees hold, which of them need which, and what they need of others.

    trees: how many hold one of the packages. conflicts: external packages whose ranges exclude each other
    """

    namespace: str | None
    package: str | None
    packages: tuple[PackageView, ...]
    links: tuple[PackageLink, ...]
    externals: tuple[ExternalPackage, ...]
    trees: int = 0
    packages_total: int = 0
    links_total: int = 0
    across_total: int = 0
    externals_total: int = 0
    conflicts: int = 0
    notes: tuple[str, ...] = ()


# --- what the code as a whole looks like ---


class MapSymbol(Record, frozen=True, kw_only=True):
    """A symbol on the map; `depth` is how many shown symbols it lies in."""

    name: str
    kind: NodeKind
    line: int
    depth: int
    signature: str


class MapFile(Record, frozen=True, kw_only=True):
    """A file on the map: its symbols that matter most, in the order of the file, and how many are left out.

    rank: its share of the importance of all files
    """

    path: str
    rank: float
    symbols: tuple[MapSymbol, ...] = ()
    left_out: int = 0

    @property
    def folder(self) -> str:
        """The folder it lies in, with a final slash; empty for the root."""
        return self.path[: self.path.rfind("/") + 1]

    def lines(self) -> list[str]:
        """Return how it is shown below its folder: its name, a line for each symbol, a mark for what is left out."""
        indent = "  " if self.folder else ""
        shown = [f"{indent}{'  ' * (symbol.depth + 1)}{symbol.signature}  :{symbol.line}" for symbol in self.symbols]
        more = [f"{indent}  ⋮ {self.left_out}"] if self.left_out else []
        return [f"{indent}{self.path[len(self.folder) :]}", *shown, *more]


class RepoMap(Record, frozen=True, kw_only=True):
    """A map of a repository within a budget of tokens: its most central files and symbols, by folder in order.

    focus: what it is drawn around. ranked_by: links between symbols, names that files share, or size alone
    """

    root: str
    files: tuple[MapFile, ...]
    files_total: int
    symbols_total: int
    tokens: int
    budget: int
    focus: tuple[str, ...] = ()
    ranked_by: Literal["links", "names", "nothing"] = "links"
    notes: tuple[str, ...] = ()

    def text(self) -> str:
        """Return the map as it is shown."""
        lines: list[str] = []
        folder = ""
        for file in self.files:
            if file.folder != folder:
                folder = file.folder
                lines.append(folder)
            lines += file.lines()
        more = self.files_total - len(self.files)
        return "\n".join([*lines, *([f"⋮ {more} files"] if more > 0 else [])])


class CodePlace(Record, frozen=True, kw_only=True):
    """A file, or a symbol in it, and where that begins."""

    id: str
    path: str
    line: int = 1
    symbol: str = ""
    kind: NodeKind = "File"


class CycleLink(Record, frozen=True, kw_only=True):
    """A link of a cycle; `uses` is how many links between what they hold it stands for, `lines` are where it stands."""

    source: CodePlace
    target: CodePlace
    uses: int = 1
    confidence: float = 1.0
    lines: tuple[int, ...] = ()


class Cycle(Record, frozen=True, kw_only=True):
    """Files that import, or functions that call, each other in a circle.

    way: a shortest circle among them. cut: the link that is cheapest to remove; `left` of them would still be in one
    """

    members: tuple[CodePlace, ...]
    size: int
    links: int
    way: tuple[CycleLink, ...]
    cut: CycleLink
    left: int


class Cycles(Record, frozen=True, kw_only=True):
    """The cycles of a project, largest first."""

    of: Literal["imports", "calls"]
    cycles: tuple[Cycle, ...]
    total: int
    nodes: int
    notes: tuple[str, ...] = ()


class DeadSymbol(Record, frozen=True, kw_only=True):
    """A symbol that nothing seems to use: how sure that is, why, and where it may be meant after all."""

    symbol: SymbolHit
    confidence: float
    why: str
    lines: int = 1
    mentions: tuple[CodePlace, ...] = ()
    mentions_total: int = 0


class DeadCode(Record, frozen=True, kw_only=True):
    """Candidates for deletion, surest first.

    looked_at: symbols that could be one. excused: those that nothing in the code uses and that are used all the same
    """

    symbols: tuple[DeadSymbol, ...]
    total: int
    looked_at: int
    excused: dict[str, int] = {}  # noqa: RUF012
    notes: tuple[str, ...] = ()


# --- what a change does to it ---

Risk = Literal["high", "medium", "low", "none"]


class ChangedSymbol(Record, frozen=True, kw_only=True):
    """A symbol that a diff changes: how it changes, and what depends on it.

    symbol: empty for what a file does outside of all symbols. was: its place before, where that is another
    users: what uses it directly; reached: over others too; tests: those among it
    """

    change: Literal["added", "removed", "renamed", "moved", "signature", "body", "cosmetic"]
    path: str
    symbol: str
    kind: NodeKind
    line: int
    risk: Risk
    score: float
    why: str
    was: str | None = None
    signature: str = ""
    before: str = ""
    users: int = 0
    reached: int = 0
    tests: int = 0


class Affected(Record, frozen=True, kw_only=True):
    """Code that a change reaches: over how many links, how surely, and from which changed symbol."""

    place: CodePlace
    depth: int
    confidence: float
    why: str
    endpoint: str | None = None


class RunTests(Record, frozen=True, kw_only=True):
    """A command that runs some of the tests to run, from the root of the project, and how many."""

    command: str
    runner: str
    tests: int


class TouchedMemory(Record, frozen=True, kw_only=True):
    """A memory about code that a diff changes: why it is about it, and the sentence that matters.

    relation: explains (its commit wrote changed lines), may contradict (it states a rule about changed code), decided
    or mentions. written: the day of the memory. verdict: the state of its code
    """

    memory_id: str
    memory_type: str
    title: str
    relation: Literal["explains", "may contradict", "decided", "mentions"]
    why: str
    sentence: str = ""
    written: str = ""
    verdict: str = ""


class Review(Record, frozen=True, kw_only=True):
    """The effects of a diff: changed symbols, riskiest first, and affected code, broken code first, then nearest.

    commands: how to run the tests. packages: those whose code is reached. Totals count what is not shown, too
    """

    source: str
    root: str
    files: int
    changes: tuple[ChangedSymbol, ...]
    changes_total: int
    affected: tuple[Affected, ...] = ()
    affected_total: int = 0
    tests: tuple[Affected, ...] = ()
    tests_total: int = 0
    commands: tuple[RunTests, ...] = ()
    endpoints: tuple[Affected, ...] = ()
    endpoints_total: int = 0
    packages: tuple[str, ...] = ()
    memories: tuple[TouchedMemory, ...] = ()
    memories_total: int = 0
    depth: int = 3
    notes: tuple[str, ...] = ()
