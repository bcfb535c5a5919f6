"""Code: the index of a project's sources, and the symbols in it."""

import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, cast

import msgspec

from recollect.code.record import CodeHits, Indexed, SymbolHit, SymbolList, SymbolView
from recollect.engine import accept
from recollect.engine.identity import namespace_of
from recollect.engine.scope import noted
from recollect.errors import NotFound, RecollectError
from recollect.model import NODE_KINDS, File, Limit, NodeKind, Ratio, Tree
from recollect.operations import operation
from recollect.store.code_protocol import UNREAD
from recollect.text.display import plural

if TYPE_CHECKING:
    from recollect.code.lookup import How
    from recollect.code.place import Place
    from recollect.code.update import Limits, Update
    from recollect.engine.root import Engine
    from recollect.store.code_protocol import CodeScope, CodeStore, FoundSymbol
    from recollect.store.link_protocol import LinkStore
    from recollect.store.protocol import Filter

# Notes of an index run that are shown; a tree may have thousands of odd files.
MAX_NOTES = 20
# Callers and callees that a symbol is shown with; get_dependencies and get_impact show all.
MAX_CALLS = 5


class Code:
    """Source code as symbols and searchable pieces."""

    def __init__(self, engine: "Engine") -> None:
        self._engine = engine
        # Signals that do not count: how a benchmark finds out what each one earns.
        self.leave_out: frozenset[str] = frozenset()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

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

        Only changed files are read. Ignored files are skipped: those of git, `.recollectignore`, installed
        dependencies, minified, binary and very large files. You can stop it at any time; the next run continues.

        path: project folder, or a folder in it
        namespace: project path or name; default: from the path
        rebuild: read every file again
        force: index a home directory or a whole disk
        vectors: embed the code now, not in the background
        link: resolve calls and imports now, not on demand
        """
        from recollect.code.place import place
        from recollect.code.update import update

        where = place(accept.text("path", path), force=force)
        scope = self._namespace(where, namespace)
        began = _cpu_s()
        with self._engine.following.observed() as store:
            done = update(store, where, scope, limits=self.limits(), rebuild=rebuild)
        summary = self._summary(done, cpu_s=_cpu_s() - began)
        if link:
            linked = self._engine.links.link(done.tree)
            summary = msgspec.structs.replace(
                summary, linked=linked.solved_files, notes=(*summary.notes, *_shortened(list(linked.notes)))
            )
        return msgspec.structs.replace(summary, vectors_made=self.embed()) if vectors else summary

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
        all_projects: search all projects
        limit: maximum number of results
        """
        from recollect.code.lookup import find_symbols

        asked = accept.query(query)
        limit = accept.whole("limit", limit, least=1, most=1000)
        scope = self.within(self._engine.scope.where(namespace, all_projects=all_projects), language, path)
        kinds = (accept.one_of("kind", kind, NODE_KINDS),) if kind else ()
        found = find_symbols(self._engine.code_store, asked, scope, kinds=kinds, limit=limit)
        hits = tuple(_hit(hit.found, hit.how) for hit in found)
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
        limit: maximum number of results
        language: only this language, such as python
        path: only below this folder of the project
        kind: such as Function, Class or Method
        namespace: project path or name; default: this project
        all_projects: search all projects
        min_score: minimum relevance, 0 to 1
        explain: show how each score was computed
        """
        from recollect.engine.code_search import Sought, search_code

        sought = Sought(
            text=accept.query(query),
            scope=self.within(self._engine.scope.where(namespace, all_projects=all_projects), language, path),
            limit=accept.whole("limit", limit, least=1, most=1000),
            least=accept.ratio("min_score", min_score),
            kind=None if kind is None else accept.one_of("kind", kind, NODE_KINDS),
            explain=explain,
        )
        found = search_code(self._engine, sought, leave_out=self.leave_out)
        if found.hits:
            return found
        notes = self.why_nothing(sought.scope)
        if sought.scope.trees is not None and namespace is None:
            wide = search_code(self._engine, sought._replace(scope=sought.scope._replace(trees=None)))
            notes += noted(len(wide.hits), sought.limit)
        return msgspec.structs.replace(found, notes=(*found.notes, *notes))

    def embed(self, limit: int | None = None) -> int:
        """Make missing vectors of indexed code, at most `limit`; returns how many were made. Raises EmbeddingFailed."""
        from recollect.engine.code_vectors import catch_up

        return catch_up(self._engine, limit)

    def coverage(self) -> tuple[int, int]:
        """Return how many different pieces of code have a vector, and how many are to get one; no embedder, none."""
        from recollect.engine.code_vectors import code_model

        # Asked first, since the answer to the rest needs numpy: many who ask have no code indexed.
        if not self._engine.code_store.code_totals().chunks:
            return 0, 0
        model = code_model(self._engine)
        return self._engine.code_store.code_vector_coverage(model) if model else (0, 0)

    @operation("get_symbol_info", "symbol", read_only=True, listed=())
    def symbol(self, symbol: str, *, namespace: str | None = None) -> SymbolView:
        """Show info on a symbol: signature, docs, callers, callees.

        symbol: Server.start, path:line or path::name
        namespace: project path or name; default: all projects
        """
        from recollect.code.complexity import level
        from recollect.engine.callers import calls
        from recollect.store.code_protocol import PLACE_BITS

        store = self._engine.code_store
        found = self.found(accept.text("symbol", symbol).strip(), self.scope(namespace))
        best, *others = found
        row = best.symbol
        first = best.file.id << PLACE_BITS
        family = store.symbols([first + place for place in range(best.file.symbol_count)])
        own = best.id - first
        known = calls(cast("LinkStore", store), best)
        return SymbolView(
            symbol=_hit(best),
            decorators=row.decorators,
            complexity=level(row.complexity),
            is_test=row.test,
            endpoint=row.endpoint,
            hash=row.hash,
            parent=_hit(family[row.parent]) if row.parent >= 0 else None,
            children=tuple(_hit(member) for member in family if member.symbol.parent == own),
            others=tuple(map(_hit, others)),
            callers=tuple(known.callers[:MAX_CALLS]) if known else (),
            callers_total=len(known.callers) if known else None,
            callees=tuple(known.callees[:MAX_CALLS]) if known else (),
            callees_total=len(known.callees) if known else None,
        )

    def found(self, asked: str, scope: "CodeScope") -> "list[FoundSymbol]":
        """Return the symbols that an id, a name or a place means, best first. Raises NotFound."""
        from recollect.code.lookup import find_symbols, symbol_at

        store = self._engine.code_store
        found = symbol_at(store, asked, scope)
        if not found:
            hits = find_symbols(store, asked, scope, limit=MAX_NOTES)
            found = [hit.found for hit in hits if hit.how == "exact"]
            if not found:
                raise NotFound(
                    f"no symbol {asked}", hint=_suggestion([hit.found for hit in hits], self.why_nothing(scope))
                )
        return found

    # --- following changes ---

    def watch(self, path: str | Path, told: Callable[[Indexed], None], stop: threading.Event) -> None:
        """Index a project and follow its changes until `stop` is set; `told` hears of every update."""
        from recollect.code.place import place
        from recollect.code.watch import watch

        where = place(path)
        scope = self._namespace(where, None)
        began = [_cpu_s()]

        seen = self._engine.following.remembering()

        def tell(done: "Update") -> None:
            self._engine.following.settle(seen)
            spent, began[0] = _cpu_s() - began[0], _cpu_s()
            told(self._summary(done, cpu_s=spent))

        watch(cast("CodeStore", seen), where, scope, limits=self.limits(), stop=stop, told=tell)

    def start(self) -> None:
        """Follow the changes of the project this process was started in, in a thread, until stopped."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._follow, name="recollect-watch", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """End following; returns when it has ended."""
        self._stop.set()
        thread, self._thread = self._thread, None
        if thread is not None:
            thread.join()

    def _follow(self) -> None:
        import logging

        log = logging.getLogger(__name__)
        try:
            self.watch(".", lambda done: log.info("indexed %s: %s files read", done.root, done.read), self._stop)
        except (RecollectError, OSError) as problem:  # a server is more than its index
            log.warning("cannot watch the code for changes: %s", problem)

    # --- what the above share ---

    def limits(self) -> "Limits":
        """Return what reading files may do: how large they may be, with how many processes."""
        from recollect.code.update import Limits

        settings = self._engine.settings
        return Limits(settings.index_max_file_bytes, settings.index_workers)

    def _namespace(self, where: "Place", namespace: str | None) -> str | None:
        return namespace_of(namespace) if namespace else namespace_of(str(where.root))

    def scope(self, namespace: str | None, language: str | None = None, path: str | None = None) -> "CodeScope":
        """Return where to look for code of a project, or of all. Raises InvalidWorkspace."""
        project = namespace_of(namespace)
        return self.within({} if project is None else {"namespace": project}, language, path)

    def within(self, where: "Filter", language: str | None = None, path: str | None = None) -> "CodeScope":
        """Return where to look for code: in the trees that a filter finds, or in all; which languages and folders."""
        from recollect.store.code_protocol import CodeScope

        trees = tuple(tree.id for tree in self._engine.store.find(Tree, where)) if where else None
        languages = (language.strip().lower(),) if language else ()
        below = (path.strip().removeprefix("./"),) if path else ()
        return CodeScope(trees, languages, below)

    def why_nothing(self, scope: "CodeScope") -> tuple[str, ...]:
        """Return what may be the reason that nothing was found: nothing is indexed there."""
        trees = self._engine.store.find(Tree)
        if not trees:
            return ("No code is indexed yet. Run `recollect index` in a project.",)
        if scope.trees == ():
            known = ", ".join(dict.fromkeys(tree.namespace or tree.root for tree in trees[:MAX_NOTES]))
            return (f"No code of this project is indexed. Indexed: {known}.",)
        languages = self._engine.code_store.code_totals(scope.trees).languages
        if not languages:
            return ("No file of this project is indexed: it has no source code, or ignore rules exclude all of it.",)
        if not set(scope.languages) <= set(languages):
            return (f"No file in this language is indexed. Indexed: {', '.join(languages)}.",)
        if unread := self._engine.store.count(File, UNREAD):
            return (f"{plural(unread, 'file needs', 'files need')} re-indexing: run `recollect index`.",)
        if gaps := self._engine.store.text_gaps():
            return tuple(f"{gap}: run `recollect rebuild`, then `recollect index`" for gap in gaps)
        return ("Paths are relative to the project root, for example src/.",) if scope.below else ()

    def _summary(self, done: "Update", *, cpu_s: float) -> Indexed:
        store = self._engine.code_store
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


def _shortened(notes: list[str]) -> tuple[str, ...]:
    more = len(notes) - MAX_NOTES
    return tuple(notes) if more <= 0 else (*notes[:MAX_NOTES], f"and {more:,} similar notes")


def _hit(found: "FoundSymbol", how: "How" = "exact") -> SymbolHit:
    row = found.symbol
    return SymbolHit(
        id=found.node,
        name=row.name,
        qualified=row.qualified,
        kind=row.kind,  # type: ignore[arg-type]
        path=found.file.path,
        start_line=row.start_line,
        end_line=row.end_line,
        language=found.file.language or "",
        signature=row.signature,
        doc=row.doc,
        visibility=row.visibility,
        root=found.tree.root,
        namespace=found.tree.namespace,
        match=how,
    )


def _suggestion(near: "list[FoundSymbol]", why: tuple[str, ...]) -> str:
    if near:
        return "Did you mean " + ", ".join(found.symbol.qualified for found in near[:3]) + "?"
    return why[0] if why else "search_symbols finds symbols by part of their name."


def _cpu_s() -> float:
    """Return the CPU seconds of this process and of those it has waited for."""
    import os

    return sum(os.times()[:4])
