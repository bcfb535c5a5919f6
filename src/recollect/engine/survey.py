"""Survey: what the code of a project looks like as a whole, and what a change does to it."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, cast

import msgspec

from recollect.code.record import Cycles, DeadCode, RepoMap, Review
from recollect.engine import accept
from recollect.engine.trees import roots, tree_at, trees_meant
from recollect.errors import InvalidInput, NotFound
from recollect.model import NODE_KINDS, File, Limit, NodeKind, Ratio, Tree
from recollect.operations import operation

if TYPE_CHECKING:
    from recollect.engine.repo_map import Asked as MapAsked
    from recollect.engine.root import Engine
    from recollect.graph.code import CodePart
    from recollect.store.link_protocol import LinkStore

# Below this the frame of a map is all that fits.
LEAST_TOKENS = 150
# Farther than this, nearly everything depends on nearly everything.
MAX_DEPTH = 10
# More is not in focus any more.
MAX_FOCUS = 50

MapTokens = Annotated[int, msgspec.Meta(ge=LEAST_TOKENS, le=1_000_000)]
Depth = Annotated[int, msgspec.Meta(ge=1, le=MAX_DEPTH)]


class Survey:
    """Questions about a project as a whole."""

    def __init__(self, engine: "Engine") -> None:
        self._engine = engine

    @operation("repo_map", "map", read_only=True)
    def map(self, *, tokens: MapTokens = 1000, focus: tuple[str, ...] = (), namespace: str | None = None) -> RepoMap:
        """Draw a map of a repository within a budget of tokens: its most central files and their main symbols.

        Central is what much of the code uses, by PageRank over calls, imports and bases; around what is in focus, what
        that uses and what uses it. What was edited lately counts more. Nothing is parsed: it takes a moment.

        tokens: how long the map may be, in tokens, at least 150
        focus: files, folders or symbols it is drawn around, such as the file that is being edited
        namespace: of this project, as a path or a name; none: the one this runs in, or all
        """
        from recollect.engine.repo_map import repo_map

        budget = accept.whole("tokens", tokens, least=LEAST_TOKENS, most=1_000_000)
        trees = trees_meant(self._engine, namespace)
        named = tuple(accept.text("focus", text).strip() for text in accept.several("focus", focus))
        if len(named) > MAX_FOCUS:
            raise InvalidInput(f"{len(named)} things are too many to be in focus", hint=f"At most {MAX_FOCUS}.")
        part, notes = self._part(namespace, trees)
        asked = self._focus(trees, budget, named)
        return repo_map(self._engine.code_store, part, asked, roots(trees), notes)

    @operation("review_diff", "review", read_only=True)
    def review(
        self,
        *,
        diff: str | None = None,
        range: str | None = None,
        path: str = ".",
        depth: Depth = 3,
        limit: Limit = 20,
    ) -> Review:
        """Review a change before it is committed: changed symbols by risk, who uses them, tests to run, memories.

        Takes a unified diff, a range of commits, or what is not committed yet. Symbols are told apart as added,
        removed, renamed, changed in signature or in body, or only in comments and white space. What uses them comes
        nearest first with how sure that is, tests as command lines, and memories that are anchored to what changed.
        On a command line a diff can be piped in: git diff | recollect review

        diff: a unified diff; none: the range, or what git says of the work tree
        range: commits as git names them: A..B, or A for everything since A
        path: a folder of the project that the diff is about
        depth: how many links away affected code may be, 1 to 10
        limit: how many of each at most
        """
        from recollect.code.diff.git import range_diff, working_diff
        from recollect.code.place import place
        from recollect.engine.diff_review import Asked, review

        most = accept.whole("depth", depth, least=1, most=MAX_DEPTH)
        shown = accept.whole("limit", limit, least=1, most=1000)
        if diff is not None and range is not None:
            raise InvalidInput("either a diff or a range can be reviewed, not both", hint="Leave one of them out.")
        where = place(accept.text("path", path), force=True)
        tree = tree_at(self._engine.store.find(Tree), where.root / where.below)
        root = where.root if tree is None else Path(tree.root)
        notes: tuple[str, ...] = ()
        source = "the diff given"
        if diff is not None:
            text = diff
        elif range is not None:
            source = accept.text("range", range).strip()
            text, notes = range_diff(root, source)
        else:
            source = "the work tree, since HEAD"
            text, notes = working_diff(root)
        return review(self._engine, Asked(text, source, root, most, shown), tree, notes)

    @operation("find_cycles", "cycles", read_only=True)
    def cycles(
        self,
        *,
        of: Literal["imports", "calls"] = "imports",
        path: str | None = None,
        kinds: tuple[NodeKind, ...] = (),
        namespace: str | None = None,
        limit: Limit = 20,
    ) -> Cycles:
        """Find files that import each other in a circle, or functions that call each other.

        Each comes with a shortest way round and with the link that is cheapest to cut.

        of: imports between files, or calls between functions
        path: only those with a member below this folder, from the root of the project
        kinds: only those with a member of these kinds
        namespace: of this project, as a path or a name; none: the one this runs in, or all
        limit: how many cycles at most, largest first
        """
        from recollect.engine.cycles import Asked, cycles

        chosen = accept.one_of("of", of, ("imports", "calls"))
        trees = trees_meant(self._engine, namespace)
        part, notes = self._part(namespace, trees)
        asked = Asked(chosen, trees, _below(path), _kinds(kinds), accept.whole("limit", limit, least=1, most=1000))
        return cycles(self._store, part, asked, notes)

    @operation("find_dead_code", "dead-code", read_only=True)
    def dead_code(
        self,
        *,
        path: str | None = None,
        kinds: tuple[NodeKind, ...] = (),
        min_confidence: Ratio = 0.3,
        namespace: str | None = None,
        limit: Limit = 50,
    ) -> DeadCode:
        """Find symbols that nothing seems to use, surest first, with what speaks against it.

        Left out are tests, endpoints, entry points, overrides and what a decorator may register. Less sure is what is
        public, what something unresolved may mean, and what is named elsewhere, in a text or a configuration.

        path: only below this folder, from the root of the project
        kinds: only symbols of these kinds
        min_confidence: leave out what is less sure, 0 to 1
        namespace: of this project, as a path or a name; none: the one this runs in, or all
        limit: how many symbols at most
        """
        from recollect.engine.dead_code import KINDS, Asked, dead_code

        wanted = frozenset(_kinds(kinds)) or KINDS
        if not wanted <= KINDS:
            odd = ", ".join(sorted(wanted - KINDS))
            raise InvalidInput(f"{odd} cannot be dead code", hint=f"One of: {', '.join(sorted(KINDS))}.", field="kinds")
        trees = trees_meant(self._engine, namespace)
        part, notes = self._part(namespace, trees)
        least = accept.ratio("min_confidence", min_confidence)
        asked = Asked(trees, _below(path), wanted, least, accept.whole("limit", limit, least=1, most=1000))
        return dead_code(self._store, part, asked, notes)

    # --- what the above share ---

    def _part(self, namespace: str | None, trees: list[Tree]) -> "tuple[CodePart | None, tuple[str, ...]]":
        """Return the linked code, and what to know about it."""
        if not trees:
            return None, self._engine.code.why_nothing(self._engine.code.scope(namespace))
        graph, notes = self._engine.links.graph()
        return graph.code, notes

    def _focus(self, trees: list[Tree], budget: int, named: tuple[str, ...]) -> "MapAsked":
        """Return what a map is drawn around. Raises NotFound for what is neither a file nor a symbol."""
        from recollect.engine.repo_map import Asked

        files: set[int] = set()
        nodes: set[str] = set()
        for text in named:
            found = self._files(trees, text)
            if found:
                files.update(found)
                continue
            scope = self._engine.code.scope(None)._replace(trees=tuple(tree.id for tree in trees))
            try:
                nodes.update(hit.node for hit in self._engine.code.found(text, scope)[:1])
            except NotFound as problem:
                raise NotFound(f"{text} is no indexed file, folder or symbol", hint=problem.hint, focus=text) from None
        return Asked(trees, budget, named, frozenset(files), frozenset(nodes))

    def _files(self, trees: list[Tree], text: str) -> list[int]:
        """Return the numbers of the files that a path means, from the root of a tree or from here; of a folder all."""
        found: list[int] = []
        for tree in trees:
            paths = {text.removeprefix(tree.root + "/").removeprefix("./").rstrip("/")}
            try:
                place = Path(text).expanduser().resolve()
                if place.is_relative_to(tree.root):
                    paths.add(place.relative_to(tree.root).as_posix())
            except (OSError, RuntimeError, ValueError):
                pass
            rows = self._engine.store.columns(File, ("id", "path"), {"tree": tree.id, "skipped": ""})
            found += [
                number for number, known in rows if any(known == path or known.startswith(path + "/") for path in paths)
            ]
        return found

    @property
    def _store(self) -> "LinkStore":
        return cast("LinkStore", self._engine.code_store)


def _below(path: str | None) -> str:
    if path is None:
        return ""
    return accept.text("path", path).strip().removeprefix("./")


def _kinds(kinds: tuple[NodeKind, ...]) -> tuple[str, ...]:
    return tuple(accept.one_of("kinds", kind, NODE_KINDS) for kind in accept.several("kinds", kinds))
