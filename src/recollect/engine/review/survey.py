"""Questions about a project as a whole: map, review of a diff, cycles, dead code."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import msgspec

from recollect.code.code_records import Cycles, DeadCode, RepoMap, Review
from recollect.engine.code.code_index import CodeIndex, roots, tree_at, trees_meant
from recollect.engine.records import input_checks
from recollect.errors import InvalidInput, NotFound
from recollect.model import NODE_KINDS, File, Limit, NodeKind, Ratio, Tree
from recollect.operations import operation

if TYPE_CHECKING:
    from recollect.engine.code.code_links import Links
    from recollect.engine.code.repo_map import Asked as MapAsked
    from recollect.engine.context import Context
    from recollect.graph.code_graph import CodePart

# Less has room for the frame of a map only.
LEAST_TOKENS = 150
# Beyond this nearly everything depends on everything.
MAX_DEPTH = 10
# More is no focus.
MAX_FOCUS = 50

MapTokens = Annotated[int, msgspec.Meta(ge=LEAST_TOKENS, le=1_000_000)]
Depth = Annotated[int, msgspec.Meta(ge=1, le=MAX_DEPTH)]


class Survey:
    """Answers questions about a project as a whole."""

    def __init__(self, context: "Context", *, code: CodeIndex, links: "Links") -> None:
        self._context = context
        self._code = code
        self._links = links

    @operation("repo_map", "map", read_only=True)
    def map(self, *, tokens: MapTokens = 1000, focus: tuple[str, ...] = (), namespace: str | None = None) -> RepoMap:
        """Map a repo: its most central files and symbols. The map fits a token budget.

        Files rank by PageRank over calls, imports and base classes. Recently edited files rank higher. With a focus,
        the files around it come first. If calls and imports are not resolved yet, it resolves them first.

        tokens: token budget, at least 150
        focus: files, folders or symbols to start from
        namespace: project path or name; default: current, or all
        """
        from recollect.engine.code.repo_map import repo_map

        budget = input_checks.whole("tokens", tokens, least=LEAST_TOKENS, most=1_000_000)
        trees = trees_meant(self._context, self._code, namespace)
        named = tuple(input_checks.text("focus", text).strip() for text in input_checks.several("focus", focus))
        if len(named) > MAX_FOCUS:
            raise InvalidInput(
                f"{len(named)} values for focus; the limit is {MAX_FOCUS}", hint=f"Give at most {MAX_FOCUS}."
            )
        part, notes = self._part(namespace, trees)
        asked = self._focus(trees, budget, named)
        return repo_map(self._context.store, part, asked, roots(trees), notes)

    @operation("review_diff", "review", read_only=True, positional=("range",), listed=("diff", "range", "path"))
    def review(
        self, *, diff: str | None = None, range: str | None = None, path: str = ".", depth: Depth = 3, limit: Limit = 20
    ) -> Review:
        """Review a diff before you commit it. Returns changed symbols by risk, their callers, tests to run and related
        memories. Default: uncommitted changes.

        At most five memories are shown: those whose commit wrote the changed lines, or that are anchored to or name a
        changed symbol. A long list of tests is cut to the most likely ones and the files of the others; a high limit
        shows all. On a command line you can pipe a diff in: git diff | recollect review

        diff: unified diff
        range: commits: A..B, or A for everything since
        path: folder of the project
        depth: links to follow, 1 to 10
        limit: maximum number of each kind of result
        """
        from recollect.code.diff.git_diff import range_diff, working_diff
        from recollect.code.index.project_root import place
        from recollect.engine.review.diff_review import Asked, review

        most = input_checks.whole("depth", depth, least=1, most=MAX_DEPTH)
        shown = input_checks.whole("limit", limit, least=1, most=1000)
        if diff is not None and range is not None:
            raise InvalidInput("diff and range cannot be used together", hint="Give only one of them.")
        where = place(input_checks.text("path", path), force=True)
        tree = tree_at(self._context.store.find(Tree), where.root / where.below)
        root = where.root if tree is None else Path(tree.root)
        notes: tuple[str, ...] = ()
        source = "the given diff"
        if diff is not None:
            text = diff
        elif range is not None:
            source = input_checks.text("range", range).strip()
            text, notes = range_diff(root, source)
        else:
            source = "uncommitted changes"
            text, notes = working_diff(root)
        since = source.partition("..")[0] or "HEAD" if range is not None else "HEAD"
        asked = Asked(text, source, root, most, shown, since)
        return review(self._context, self._links, asked, tree, notes)

    @operation("find_cycles", "cycles", read_only=True, listed=("of", "path", "project"))
    def cycles(
        self,
        *,
        of: Literal["imports", "calls"] = "imports",
        path: str | None = None,
        kinds: tuple[NodeKind, ...] = (),
        namespace: str | None = None,
        limit: Limit = 20,
    ) -> Cycles:
        """Find cycles of imports between files, or of calls.

        Each cycle has a shortest path and the link that is cheapest to remove.

        of: imports or calls
        path: only cycles below this folder
        kinds: only cycles with a member of these kinds
        namespace: project path or name; default: current, or all
        limit: maximum number of cycles, largest first
        """
        from recollect.engine.code.import_cycles import Asked, cycles

        chosen = input_checks.one_of("of", of, ("imports", "calls"))
        trees = trees_meant(self._context, self._code, namespace)
        part, notes = self._part(namespace, trees)
        asked = Asked(
            chosen, trees, _below(path), _kinds(kinds), input_checks.whole("limit", limit, least=1, most=1000)
        )
        return cycles(self._context.store, part, asked, notes)

    @operation("find_dead_code", "dead-code", read_only=True, listed=("path", "project", "limit"))
    def dead_code(
        self,
        *,
        path: str | None = None,
        kinds: tuple[NodeKind, ...] = (),
        min_confidence: Ratio = 0.3,
        namespace: str | None = None,
        limit: Limit = 50,
    ) -> DeadCode:
        """Find dead code, most certain first. Each symbol comes with counter-evidence.

        Code that a framework, a tool or a base class outside of the project may call is left out, and counted; so is
        what is public in a library, in every language: min_confidence 0.25 lists it. Confidence is lower for public
        symbols of programs and for names that appear elsewhere.

        path: only below this folder of the project
        kinds: only symbols of these kinds
        namespace: project path or name; default: current, or all
        """
        from recollect.engine.code.dead_code import KINDS, Asked, dead_code

        wanted = frozenset(_kinds(kinds)) or KINDS
        if not wanted <= KINDS:
            odd = ", ".join(sorted(wanted - KINDS))
            raise InvalidInput(f"unknown kind {odd}", hint=f"One of: {', '.join(sorted(KINDS))}.", field="kinds")
        trees = trees_meant(self._context, self._code, namespace)
        part, notes = self._part(namespace, trees)
        least = input_checks.ratio("min_confidence", min_confidence)
        asked = Asked(trees, _below(path), wanted, least, input_checks.whole("limit", limit, least=1, most=1000))
        return dead_code(self._context.store, part, asked, notes)

    # --- what the above share ---

    def _part(self, namespace: str | None, trees: list[Tree]) -> "tuple[CodePart | None, tuple[str, ...]]":
        """Return the linked code, and notes on it."""
        if not trees:
            return None, self._code.why_nothing(self._code.scope(namespace))
        graph, notes = self._links.graph()
        return graph.code, notes

    def _focus(self, trees: list[Tree], budget: int, named: tuple[str, ...]) -> "MapAsked":
        """Return the focus of a map. Raises NotFound for text that is neither a file nor a symbol."""
        from recollect.engine.code.repo_map import Asked

        files: set[int] = set()
        nodes: set[str] = set()
        for text in named:
            found = self._files(trees, text)
            if found:
                files.update(found)
                continue
            scope = self._code.scope(None)._replace(trees=tuple(tree.id for tree in trees))
            try:
                nodes.update(hit.node for hit in self._code.found(text, scope)[:1])
            except NotFound as problem:
                raise NotFound(
                    f"{text} is not an indexed file, folder or symbol", hint=problem.hint, focus=text
                ) from None
        return Asked(trees, budget, named, frozenset(files), frozenset(nodes))

    def _files(self, trees: list[Tree], text: str) -> list[int]:
        """Return the numbers of the files that a path means, from a tree's root or from here."""
        found: list[int] = []
        for tree in trees:
            paths = {text.removeprefix(tree.root + "/").removeprefix("./").rstrip("/")}
            try:
                place = Path(text).expanduser().resolve()
                if place.is_relative_to(tree.root):
                    paths.add(place.relative_to(tree.root).as_posix())
            except (OSError, RuntimeError, ValueError):
                pass
            rows = self._context.store.columns(File, ("id", "path"), {"tree": tree.id, "skipped": ""})
            found += [
                number for number, known in rows if any(known == path or known.startswith(path + "/") for path in paths)
            ]
        return found


def _below(path: str | None) -> str:
    if path is None:
        return ""
    return input_checks.text("path", path).strip().removeprefix("./")


def _kinds(kinds: tuple[NodeKind, ...]) -> tuple[str, ...]:
    return tuple(input_checks.one_of("kinds", kind, NODE_KINDS) for kind in input_checks.several("kinds", kinds))
