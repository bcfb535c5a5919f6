"""Code index: index a project, search its code and its symbols."""

import os
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, cast

import msgspec

from recollect.code.code_records import CodeHits, Indexed, SymbolHit, SymbolList, SymbolView
from recollect.engine.code.code_embedding import CodeEmbedding
from recollect.engine.context import Context, Worker, is_confined
from recollect.engine.graph.code_nodes import symbol_hit
from recollect.engine.records import input_checks
from recollect.engine.records.identity import is_path, namespace_of
from recollect.engine.records.scope import Scope, noted
from recollect.errors import AmbiguousName, Conflict, NotFound, RecollectError
from recollect.files import read_file
from recollect.model import NODE_KINDS, File, Limit, Memory, NodeKind, Ratio, Tree, Workspace
from recollect.operations import operation
from recollect.store.code_rows import PLACE_BITS, UNREAD, CodeScope, FoundSymbol
from recollect.text.display import plural

if TYPE_CHECKING:
    from recollect.code.index.project_root import Place
    from recollect.code.index.update import Limits, Update
    from recollect.code.links.tree_linking import Linking
    from recollect.engine.code.code_search_pipeline import Sought
    from recollect.engine.graph.centrality import Centrality
    from recollect.engine.memory.anchor_tracking import AnchorTracking
    from recollect.engine.models.embedding_queue import Embedding
    from recollect.store.sql import Store
    from recollect.store.store_values import Filter

# Notes of an index run that are shown; a tree may have thousands of odd files.
MAX_NOTES = 20
# Callers and callees that a symbol is shown with; get_dependencies and get_impact show all.
MAX_CALLS = 5
# Of a symbol's source: enough to see what a memory is about.
MAX_SOURCE_LINES = 120
MAX_SOURCE_COLUMNS = 400


class CodeIndex(Worker):
    """Indexes source code; searches symbols and chunks. Its thread follows the changes of the current project."""

    thread_name = "recollect-watch"
    stop_s = None

    def __init__(
        self,
        context: Context,
        *,
        scope: Scope,
        embedding: "Embedding",
        centrality: "Centrality",
        tracking: "AnchorTracking",
        link: "Callable[[int], Linking]",
        link_later: Callable[[int], bool],
    ) -> None:
        """Take the nouns that the index needs.

        link: resolves calls and imports of a tree; link_later: does so in the background, if there is one
        """
        super().__init__()
        self._context = context
        self._scope = scope
        self._tracking = tracking
        self._centrality = centrality
        self._link = link
        self._link_later = link_later
        self.vectors = CodeEmbedding(context, embedding, centrality)
        # Signals that do not count: how a benchmark finds out what each one earns.
        self.leave_out: frozenset[str] = frozenset()

    @operation("index_codebase", "index", idempotent=True, positional=("path",), listed=("path",))
    def index(
        self,
        path: str = ".",
        *,
        namespace: str | None = None,
        rebuild: bool = False,
        force: bool = False,
        vectors: bool = False,
        link: bool = False,
    ) -> Indexed:
        """Index a codebase, or update its index. Code search, symbols, impact and review need it.

        It reads changed files only. It skips files that git or `.recollectignore` ignores, installed dependencies, and
        minified, binary or very large files. You can stop it at any time; the next run continues.

        path: project folder, or a folder in it
        namespace: project path or name; default: from the path
        rebuild: read every file again
        force: index a home directory or a whole disk
        vectors: embed the code now, not in the background
        link: resolve calls and imports now, not on demand
        """
        from recollect.code.index.project_root import place
        from recollect.code.index.update import update
        from recollect.code.links.tree_linking import keep_programs

        where = place(input_checks.text("path", path), force=force)
        scope = self._namespace(where, namespace)
        began = _cpu_s()
        with self._tracking.observed() as store:
            keep = partial(keep_programs, self._context.store) if link else None
            done = update(store, where, scope, limits=self.limits(), rebuild=rebuild, keep=keep)
        summary = self._summary(done, cpu_s=_cpu_s() - began)
        if link:
            linked = self._link(done.tree)
            summary = msgspec.structs.replace(
                summary, linked=linked.solved_files, notes=(*summary.notes, *_shortened(list(linked.notes)))
            )
        return msgspec.structs.replace(summary, vectors_made=self.embed(tree=done.tree)) if vectors else summary

    @operation("search_symbols", "symbols", read_only=True, listed=("kind", "path", "limit", "project"))
    def symbols(
        self,
        query: str,
        *,
        kind: NodeKind | None = None,
        language: str | None = None,
        path: str | None = None,
        namespace: str | None = None,
        all_projects: bool = False,
        limit: Limit = 20,
    ) -> SymbolList:
        """Search symbols of indexed code by name.

        Exact names come first, then prefixes, then initials (gUN finds getUserName), then similar spellings. The owner
        may come before the name: Server.start.

        query: name, prefix or initials
        kind: such as Function, Class or Method
        language: only this language, such as python
        path: only below this folder of the project
        namespace: project path or name; default: this project
        """
        from recollect.code.search.symbol_lookup import find_symbols

        asked = input_checks.query(query)
        limit = input_checks.whole("limit", limit, least=1, most=1000)
        scope = self.within(self._scope.where(self.project(namespace), all_projects=all_projects), language, path)
        kinds = (input_checks.one_of("kind", kind, NODE_KINDS),) if kind else ()
        found = find_symbols(self._context.store, asked, scope, kinds=kinds, limit=limit)
        hits = tuple(symbol_hit(hit.found, hit.how) for hit in found)
        return SymbolList(query=asked, symbols=hits, notes=() if hits else self.why_nothing(scope))

    @operation("search_code", "code", read_only=True, listed=("path", "limit", "project"))
    def search(
        self,
        query: str,
        *,
        limit: Limit = 10,
        language: str | None = None,
        path: str | None = None,
        kind: NodeKind | None = None,
        namespace: str | None = None,
        all_projects: bool = False,
        min_score: Ratio = 0.0,
        explain: bool = False,
    ) -> CodeHits:
        """Search indexed code by name or description. Returns paths and lines, one place per file.

        Ask for a name (parse_header) or describe it ("where are retries decided").

        query: name or description
        language: only this language, such as python
        path: only below this folder of the project
        kind: such as Function, Class or Method
        namespace: project path or name; default: this project
        explain: show how each score was computed
        """
        from recollect.engine.code.code_search_pipeline import Sought

        sought = Sought(
            text=input_checks.query(query),
            scope=self.within(self._scope.where(self.project(namespace), all_projects=all_projects), language, path),
            limit=input_checks.whole("limit", limit, least=1, most=1000),
            least=input_checks.ratio("min_score", min_score),
            kind=None if kind is None else input_checks.one_of("kind", kind, NODE_KINDS),
            explain=explain,
        )
        found = self.find(sought, leave_out=self.leave_out)
        if found.hits:
            return found
        notes = self.why_nothing(sought.scope)
        if sought.scope.trees is not None and namespace is None:
            wide = self.find(sought._replace(scope=sought.scope._replace(trees=None)))
            notes += noted(len(wide.hits), sought.limit)
        return msgspec.structs.replace(found, notes=(*found.notes, *notes))

    def find(self, sought: "Sought", *, by_meaning: bool = True, leave_out: frozenset[str] = frozenset()) -> CodeHits:
        """Return the places that answer a checked question about code, best first, one per file."""
        from recollect.engine.code.code_search_pipeline import search_code

        store = self._context.store
        return search_code(store, self.vectors, sought, by_meaning=by_meaning, leave_out=leave_out)

    def embed(self, limit: int | None = None, tree: int | None = None) -> int:
        """Make missing vectors of indexed code, at most `limit`; returns how many were made. Raises EmbeddingFailed."""
        return self.vectors.catch_up(limit, tree)

    def coverage(self) -> tuple[int, int]:
        """Return how many chunks of code have a vector, and how many lack one; without an embedder, none."""
        # Asked first, since the answer to the rest needs numpy: many who ask have no code indexed.
        if not self._context.store.code_totals().chunks:
            return 0, 0
        model = self.vectors.model
        return self._context.store.code_vector_coverage(model) if model else (0, 0)

    @operation("get_symbol_info", "symbol", read_only=True, listed=())
    def symbol(self, symbol: str, *, namespace: str | None = None, with_source: bool = False) -> SymbolView:
        """Show info on a symbol: signature, docs, callers, callees.

        If calls are not resolved yet, a server resolves them in the background; a command resolves them first.

        symbol: Server.start, path:line or path::name
        with_source: include its source, at most 120 lines
        """
        from recollect.code.index.symbol_properties import level
        from recollect.code.links.tree_linking import is_linked
        from recollect.engine.code.dependencies import calls, crossings, unread
        from recollect.engine.graph.cross_links import related_trees

        store = self._context.store
        found = self.found(input_checks.text("symbol", symbol).strip(), self.scope(namespace))
        best, *others = found
        row = best.symbol
        first = best.file.id << PLACE_BITS
        family = store.symbols([first + place for place in range(best.file.symbol_count)])
        own = best.id - first
        near = [] if is_confined.get() else related_trees(store, best.tree.id)
        for tree in (best.tree, *near):
            if not is_linked(store, tree, allow_edits=True) and not self._link_later(tree.id):
                with suppress(Conflict):  # another process is indexing: the rest is known without it
                    self._link(tree.id)
        known = None
        if all(store.linked_tree(tree.id) for tree in near):
            known = calls(store, best, crossings(self._centrality.graph()) if near else ())
        return SymbolView(
            symbol=symbol_hit(best),
            decorators=row.decorators,
            complexity=level(row.complexity),
            is_test=row.test,
            endpoint=row.endpoint,
            hash=row.hash,
            parent=symbol_hit(family[row.parent]) if row.parent >= 0 else None,
            children=tuple(symbol_hit(member) for member in family if member.symbol.parent == own),
            others=tuple(map(symbol_hit, others[:MAX_NOTES])),
            callers=tuple(known.callers[:MAX_CALLS]) if known else (),
            callers_total=len(known.callers) if known else None,
            callees=tuple(known.callees[:MAX_CALLS]) if known else (),
            callees_total=len(known.callees) if known else None,
            source=_source(symbol_hit(best)) if with_source else "",
            notes=tuple(unread(store, best.file)),
        )

    def found(self, asked: str, scope: CodeScope) -> "list[FoundSymbol]":
        """Return the symbols that an id, a name or a place means, best first. Raises NotFound."""
        from recollect.code.search.symbol_lookup import MAX_FILES, find_symbols, symbol_at

        store = self._context.store
        # A path that several projects have means the one at hand.
        own = store.find(Tree, {"namespace": namespace_of(".")}) if "/" in asked else []
        here = tuple(tree.id for tree in own if scope.trees is None or tree.id in scope.trees)
        found = (symbol_at(store, asked, scope._replace(trees=here)) if here else []) or symbol_at(store, asked, scope)
        if not found:
            plain, _, number = asked.rpartition("#")  # the second of two overloads: `f#2`
            end = f"#{number}" if plain and number.isdigit() else ""
            hits = find_symbols(store, asked.removesuffix(end), scope, limit=MAX_FILES)
            found = [hit.found for hit in hits if hit.how == "exact" and hit.found.node.endswith(end)]
            if not found:
                raise NotFound(f"no symbol {asked}", hint=self._suggestion(asked, [hit.found for hit in hits], scope))
        return found

    def files_ending(self, asked: str, scope: CodeScope) -> list[str]:
        """Return the paths of the indexed files that end with a name: colors.bash → lib/colors.bash."""
        where = {} if scope.trees is None else {"tree": scope.trees}
        paths = self._context.store.columns(File, ("path",), {**where, "skipped": ""})
        return [path for (path,) in paths if f"/{path}".endswith(f"/{asked}")]

    def _suggestion(self, asked: str, near: "list[FoundSymbol]", scope: CodeScope) -> str:
        """Return what to ask instead of a name that is none of a symbol: the file of the name, or a symbol like it."""
        for path in self.files_ending(asked, scope)[:1]:
            return f"{path} is a file: get_impact shows what uses it, search_code what it has."
        if near:
            return "Did you mean " + ", ".join(found.symbol.qualified for found in near[:3]) + "?"
        return next(iter(self.why_nothing(scope)), "search_symbols finds symbols by part of their name.")

    # --- following changes ---

    def watch(self, path: str | Path, told: Callable[[Indexed], None], stop: threading.Event) -> None:
        """Index a project and follow its changes until `stop` is set; `told` hears of every update."""
        from recollect.code.index.project_root import place
        from recollect.code.index.watch import watch

        where = place(path)
        scope = self._namespace(where, None)
        began = [_cpu_s()]

        seen = self._tracking.remembering()

        def tell(done: "Update") -> None:
            self._tracking.settle(seen)
            spent, began[0] = _cpu_s() - began[0], _cpu_s()
            told(self._summary(done, cpu_s=spent))

        watch(cast("Store", seen), where, scope, limits=self.limits(), stop=stop, told=tell)

    def _work(self) -> None:
        import logging

        log = logging.getLogger(__name__)
        try:
            self.watch(".", lambda done: log.info("indexed %s: %s files read", done.root, done.read), self._stop)
        except (RecollectError, OSError) as problem:  # a server is more than its index
            log.warning("cannot watch the code for changes: %s", problem)

    # --- what the above share ---

    def limits(self) -> "Limits":
        """Return what reading files may do: how large they may be, with how many processes."""
        from recollect.code.index.update import Limits

        settings = self._context.settings
        return Limits(settings.index_max_file_bytes, settings.index_workers)

    def _namespace(self, where: "Place", namespace: str | None) -> str | None:
        return namespace_of(namespace) if namespace else namespace_of(str(where.root))

    def scope(self, namespace: str | None, language: str | None = None, path: str | None = None) -> CodeScope:
        """Return where to look for code of a project, or of all. Raises InvalidWorkspace."""
        project = self.project(namespace)
        return self.within({} if project is None else {"namespace": project}, language, path)

    def project(self, namespace: str | None) -> str | None:
        """Return the project that a path or a name means; an indexed one also by the last parts of its path.

        Raises NotFound for a name without code and memories, and AmbiguousName.
        """
        asked, store = namespace_of(namespace), self._context.store
        if asked is None or is_path(asked) or is_confined.get():
            return asked
        trees = [(tree.namespace or tree.root, tree.root) for tree in store.find(Tree)]
        found = {project for project, root in trees if any(f"/{at}".endswith(f"/{asked}") for at in (project, root))}
        if asked in found or len(found) == 1:
            return asked if asked in found else found.pop()
        if found:
            raise AmbiguousName(f"{len(found)} projects are named {asked}", hint=f"One of: {', '.join(sorted(found))}.")
        # A project with memories and without code is known: its answer is empty, and says why.
        if store.get(Workspace, [asked]) or store.columns(Memory, ("id",), {"namespace": asked}, limit=1):
            return asked
        raise NotFound(f"no project is named {asked}", hint=self.why_nothing(self.within({"namespace": asked}))[0])

    def within(self, where: "Filter", language: str | None = None, path: str | None = None) -> CodeScope:
        """Return where to look for code: in the trees that a filter finds, or in all; which languages and folders."""
        trees = tuple(tree.id for tree in self._context.store.find(Tree, where)) if where else None
        languages = (language.strip().lower(),) if language else ()
        below = (path.strip().removeprefix("./"),) if path else ()
        return CodeScope(trees, languages, below)

    def why_nothing(self, scope: CodeScope) -> tuple[str, ...]:
        """Return why nothing may have been found: nothing is indexed there."""
        if is_confined.get():
            return ("No code of this project is indexed.",) if scope.trees == () else ()
        trees = self._context.store.find(Tree)
        if not trees:
            return ("No code is indexed yet. Run `recollect index` in a project.",)
        if scope.trees == ():
            known = ", ".join(dict.fromkeys(tree.namespace or tree.root for tree in trees[:MAX_NOTES]))
            return (f"No code of this project is indexed. Indexed: {known}.",)
        languages = self._context.store.code_totals(scope.trees).languages
        if not languages:
            return ("No file of this project is indexed: it has no source code, or ignore rules exclude all of it.",)
        if not set(scope.languages) <= set(languages):
            return (f"No file in this language is indexed. Indexed: {', '.join(languages)}.",)
        if unread := self._context.store.count(File, UNREAD):
            return (f"{plural(unread, 'file needs', 'files need')} re-indexing: run `recollect index`.",)
        if gaps := self._context.store.text_gaps():
            return tuple(f"{gap}: run `recollect admin rebuild`, then `recollect index`" for gap in gaps)
        return ("Paths are relative to the project root, for example src/.",) if scope.below else ()

    def _summary(self, done: "Update", *, cpu_s: float) -> Indexed:
        store = self._context.store
        (tree,) = store.get(Tree, [done.tree])
        totals = store.code_totals([done.tree])
        skipped = dict(totals.skipped)
        for reason, count in done.left_out.items():
            skipped[reason] = skipped.get(reason, 0) + count
        return Indexed(
            root=tree.root,
            namespace=tree.namespace,
            files=totals.files,
            symbols=totals.symbols,
            chunks=totals.chunks,
            size_bytes=totals.size_bytes,
            read=done.read,
            unchanged=done.unchanged,
            removed=done.gone,
            read_bytes=done.read_bytes,
            cpu_s=round(cpu_s, 3),
            languages=totals.languages,
            skipped=dict(sorted(skipped.items(), key=lambda row: -row[1])),
            notes=_shortened(done.notes),
        )


def trees_meant(context: Context, code: CodeIndex, namespace: str | None) -> list[Tree]:
    """Return the trees of a namespace; without one the tree this process runs in, or all if that is not indexed."""
    scope = code.scope(namespace)
    trees = context.store.find(Tree)
    if scope.trees is not None:
        return [tree for tree in trees if tree.id in scope.trees]
    here = tree_at(trees, Path())
    return [here] if here is not None else trees


def tree_at(trees: list[Tree], path: Path) -> Tree | None:
    """Return the innermost tree that a path lies in."""
    try:
        place = path.resolve()
    except OSError:  # the folder is gone
        return None
    around = [tree for tree in trees if place.is_relative_to(tree.root)]
    return max(around, key=lambda tree: len(tree.root), default=None)


def roots(trees: list[Tree]) -> str:
    """Return the root of one tree, or what several have in common in short."""
    return trees[0].root if len(trees) == 1 else f"{len(trees)} projects" if trees else ""


def _shortened(notes: list[str]) -> tuple[str, ...]:
    more = len(notes) - MAX_NOTES
    return tuple(notes) if more <= 0 else (*notes[:MAX_NOTES], f"and {more:,} similar notes")


def _cpu_s() -> float:
    """Return the CPU seconds of this process and of those it has waited for."""
    return sum(os.times()[:4])


def _source(hit: SymbolHit) -> str:
    """Return the lines of a symbol's definition as they are in its file now; empty if they cannot be read."""
    try:
        content = read_file(Path(hit.root) / hit.path, within=hit.root)
    except OSError:
        return ""
    lines = content.decode("utf-8", "replace").splitlines()[hit.start_line - 1 : hit.end_line]
    cut = lines[:MAX_SOURCE_LINES]
    return "\n".join(line[:MAX_SOURCE_COLUMNS] for line in cut) + ("\n…" if len(lines) > len(cut) else "")
