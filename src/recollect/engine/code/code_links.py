"""Code links: resolve calls and imports of indexed code; dependencies and impact."""

import re
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import msgspec

from recollect import progress
from recollect.engine.code.code_index import CodeIndex, tree_at
from recollect.engine.context import Context, Worker, is_confined
from recollect.engine.records import input_checks
from recollect.engine.records.identity import namespace_of
from recollect.errors import AmbiguousName, Cancelled, Conflict, NotFound, RecollectError
from recollect.model import Limit, Ratio, Relation, Tree
from recollect.model.graph_answer import Dependencies, Direction, Impact
from recollect.operations import operation

if TYPE_CHECKING:
    from recollect.code.links.tree_linking import Linking
    from recollect.engine.graph.centrality import Centrality
    from recollect.graph.arrays import Graph
    from recollect.store.code_rows import FoundSymbol

# Farther than this, nearly everything depends on nearly everything.
MAX_DEPTH = 10
# How often the background looks whether something was indexed: one small query a tree.
POLL_S = 5.0
# The share of its time the background rests, as a multiple of the time it worked.
REST = 10
# How long a question waits for another process that is writing to the tree.
WAIT_S = 2.0
# Definitions of a name that are listed.
MAX_LISTED = 10

_SEPARATOR = re.compile(r"::|->|[.#/\\]")

Depth = Annotated[int, msgspec.Meta(ge=1, le=MAX_DEPTH)]


class Links(Worker):
    """Dependencies between symbols and files, kept up to date."""

    thread_name = "recollect-links"

    def __init__(self, context: Context, code: CodeIndex, centrality: "Centrality") -> None:
        super().__init__()
        self._context = context
        self._code = code
        self._centrality = centrality
        self._linking = threading.Lock()
        self._wanted: frozenset[int] = frozenset()  # trees to link in the background besides those of the project

    @operation("get_dependencies", "dependencies", read_only=True, listed=("direction", "depth", "project"))
    def dependencies(
        self,
        symbol: str,
        *,
        depth: Depth = 1,
        direction: Direction = "out",
        relationships: tuple[Relation, ...] = (),
        namespace: str | None = None,
        limit: Limit = 50,
    ) -> Dependencies:
        """Show dependencies of a symbol, file or package. Returns calls, imports, base classes and types, with lines.

        Each dependency has its confidence. A class includes its methods, a file all its symbols. Uncertain references
        are listed apart. If calls and imports are not resolved yet, it resolves them first.

        symbol: Server.start, path:line, path::name, file or package
        depth: links to follow, 1 to 10
        direction: out: what it uses; in: what uses it; both
        """
        from recollect.engine.code.dependencies import CODE_RELATIONS, Asked, dependencies
        from recollect.graph.arrays import sieve

        most = input_checks.whole("depth", depth, least=1, most=MAX_DEPTH)
        shown = input_checks.whole("limit", limit, least=1, most=1000)
        way = input_checks.one_of("direction", direction, ("out", "in", "both"))
        chosen = [input_checks.relation(name) for name in input_checks.several("relationships", relationships)]
        project = self._code.project(namespace)
        graph, notes = self.graph()
        through = sieve(graph, relations=chosen or CODE_RELATIONS, namespace=_limited(project))
        asked = Asked(self.meant(graph, symbol, project), most, shown, through)
        found = dependencies(self._context.store, graph, asked, cast(Direction, way))
        return msgspec.structs.replace(found, notes=(*found.notes, *notes))

    @operation("get_impact", "impact", read_only=True, listed=("depth",))
    def impact(
        self,
        symbol: str,
        *,
        depth: Depth = 3,
        min_confidence: Ratio = 0.0,
        namespace: str | None = None,
        limit: Limit = 50,
    ) -> Impact:
        """Show the impact of changing a symbol or file. Call it before changing shared code. Returns callers by
        distance, tests, endpoints and memories.

        Each caller has the lines of its use and a confidence. Possible callers are listed apart. If no callers are
        found, the answer says whether that is certain.

        symbol: Server.start, path:line, path::name, file or package
        depth: links to follow, 1 to 10
        """
        from recollect.engine.code.dependencies import Asked, impact
        from recollect.graph.arrays import sieve

        most = input_checks.whole("depth", depth, least=1, most=MAX_DEPTH)
        shown = input_checks.whole("limit", limit, least=1, most=1000)
        least = input_checks.ratio("min_confidence", min_confidence)
        project = self._code.project(namespace)
        graph, notes = self.graph()
        through, own = (sieve(graph, namespace=name) for name in (_limited(project), project))
        asked = Asked(self.meant(graph, symbol, project), most, shown, through, own.nodes)
        found = impact(self._context.store, graph, asked, least)
        return msgspec.structs.replace(found, notes=(*found.notes, *notes))

    # --- lookups for other modules ---

    def graph(self) -> "tuple[Graph, tuple[str, ...]]":
        """Return the graph with all code linked, and notes; takes as long as linking does."""
        notes = self.refresh()
        return self._centrality.graph(), notes

    def meant(self, graph: "Graph", symbol: str, namespace: str | None) -> Sequence[int]:
        """Return the nodes that a name, a place, a path or an id means. Raises NotFound, and AmbiguousName.

        An indexed package precedes a symbol of its name, a symbol a package that is only needed.
        """
        from recollect.graph.arrays import sieve

        asked = input_checks.text("symbol", symbol).strip()
        inside = sieve(graph, namespace=namespace_of(namespace)).nodes
        scope = self._code.scope(namespace)
        trees = [tree for tree in self._context.store.find(Tree) if scope.trees is None or tree.id in scope.trees]
        paths = [f"file:{tree.root}/{asked.removeprefix(tree.root + '/').removeprefix('./')}" for tree in trees]
        packages = _packages(asked)
        indexed = [name for name in packages if name in graph.index and is_indexed(graph, graph.index[name])]
        for known in ([asked], indexed, paths):
            numbers = [graph.index[name] for name in known if name in graph.index]
            numbers = [number for number in numbers if inside is None or inside[number]]
            if len(numbers) > 1:
                raise _ambiguous(asked, [graph.points.ids[number] for number in numbers])
            if numbers:
                return numbers
        try:
            found = one_definition(asked, self._code.found(asked, scope), trees)
        except NotFound:
            needed = [graph.index[name] for name in packages if name in graph.index]
            if needed:
                return needed[:1]
            files = self._code.files_ending(asked, scope)
            if len(files) > 1:
                raise _ambiguous(asked, files) from None
            if files and files[0] != asked:
                return self.meant(graph, files[0], namespace)
            raise
        numbers = [graph.index[hit.node] for hit in found if hit.node in graph.index]
        if not numbers:
            raise NotFound(
                f"{asked} is not in the code graph", hint="The code has changed: run `recollect index`.", symbol=asked
            )
        return numbers

    # --- keeping links up to date ---

    def refresh(self, *, wait_s: float = WAIT_S) -> tuple[str, ...]:
        """Link every indexed tree that changed since it was linked; returns notes."""
        from recollect.code.links.tree_linking import is_linked, link

        notes: list[str] = []
        for tree in self._context.store.find(Tree):
            if is_linked(self._context.store, tree):
                continue
            with self._linking:
                done = link(self._context.store, tree, limits=self._code.limits(), wait_s=wait_s)
            if done is None and not is_confined.get():
                notes.append(f"another process is indexing {tree.root}: its latest changes are not linked yet")
        return tuple(notes)

    def link(self, number: int) -> "Linking":
        """Link one tree. Raises Conflict while another process writes to it."""
        from recollect.code.links.tree_linking import link

        (tree,) = self._context.store.get(Tree, [number])
        with self._linking:
            done = link(self._context.store, tree, limits=self._code.limits(), wait_s=WAIT_S)
        if done is None:
            raise Conflict("another process is indexing this project", hint="Try again when it is done.", tree=number)
        return done

    def want(self, number: int) -> bool:
        """Link a tree in the background, within seconds; returns whether there is a background."""
        if self._thread is None or self._stop.is_set():
            return False
        self._wanted |= {number}
        return True

    def _work(self) -> None:
        """Link what is indexed of the project this process was started in."""
        from recollect.code.links.tree_linking import is_linked

        def listen(*_: object) -> None:
            if self._stop.is_set():
                raise Cancelled("linking stopped: the engine was closed")

        pause_s = POLL_S
        with progress.reporting_to(listen):
            while not self._stop.wait(pause_s):
                began = time.monotonic()
                # Whatever is wrong with the store, the next look tries again; questions link for themselves.
                with suppress(RecollectError, OSError):
                    own = self._context.store.find(Tree, {"namespace": namespace_of(".")})
                    for tree in (
                        *own,
                        *self._context.store.get(Tree, sorted(self._wanted - {each.id for each in own})),
                    ):
                        if not is_linked(self._context.store, tree, allow_edits=True):
                            self.link(tree.id)
                pause_s = max(POLL_S, REST * (time.monotonic() - began))


def _limited(namespace: str | None) -> str | None:
    """Return the project that links may not leave: a name is looked up in its project, its users may be anywhere."""
    return namespace_of(namespace) if is_confined.get() else None


def _packages(asked: str) -> list[str]:
    """Return the ids of the packages that a name may mean, in every ecosystem."""
    from recollect.code.manifests.manifest import NORMAL

    plain = asked.removeprefix("pkg:")
    return [f"pkg:{plain}", *(f"pkg:{ecosystem}:{normal(plain)}" for ecosystem, normal in NORMAL.items())]


def is_indexed(graph: "Graph", package: int) -> bool:
    """Tell whether a package contains indexed files."""
    from recollect.graph.arrays import RELATION_CODES

    return bool(((graph.src == package) & (graph.relations == RELATION_CODES["CONTAINS"])).any())


def one_definition(asked: str, found: "list[FoundSymbol]", trees: Sequence[Tree]) -> "list[FoundSymbol]":
    """Return the definition that a name means: overloads are one, own code precedes tests and copies.

    Raises AmbiguousName, which lists the definitions, where there are several.
    """
    from recollect.code.search.symbol_lookup import is_alias, is_aside

    here, parts = tree_at(list(trees), Path()), _SEPARATOR.split(asked)
    tests = (
        lambda each: here is None or each.tree.id == here.id,
        lambda each: each.symbol.qualified == asked,
        lambda each: _SEPARATOR.split(each.symbol.qualified)[-len(parts) :] == parts,
        lambda each: parts[-1] == each.symbol.name,
        lambda each: not is_alias(each.symbol),
        lambda each: not is_aside(each),
        lambda each: each.symbol.kind != "Module",
        lambda each: (
            not any(
                other.file.id == each.file.id and each.symbol.qualified.startswith(f"{other.symbol.qualified}{joint}")
                for other in found
                for joint in (".", "::", "#")
            )
        ),
    )
    for test in tests:
        found = [each for each in found if test(each)] or found
    found.sort(key=lambda each: each.symbol.visibility != "public")
    places = dict.fromkeys((each.tree.root, each.file.path, each.symbol.qualified) for each in found)
    if len(places) > 1:
        several = len({root for root, _, _ in places}) > 1
        raise _ambiguous(asked, [f"{root + '/' if several else ''}{path}::{name}" for root, path, name in places])
    return found


def _ambiguous(asked: str, names: list[str]) -> AmbiguousName:
    more = f" and {len(names) - MAX_LISTED} more" if len(names) > MAX_LISTED else ""
    return AmbiguousName(
        f"{asked} has {len(names)} definitions",
        hint=f"Name one of: {', '.join(names[:MAX_LISTED])}{more}.",
        definitions=names,
    )
