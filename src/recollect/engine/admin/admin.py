"""Administration: statistics, health, model spending, rebuild, change log and undo."""

import os
import shlex
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Annotated, NamedTuple, get_args

import msgspec

from recollect import clock
from recollect.engine.memory.purge import is_due
from recollect.engine.models.llm import CONFIGURE, Language, day_of
from recollect.engine.models.pending_vectors import MAX_EMBEDDED
from recollect.engine.records import input_checks
from recollect.engine.records.memory_rows import full_id, headline, logged_id
from recollect.errors import BudgetSpent, ModelFailed, NotFound, RecollectError
from recollect.model import (
    Change,
    Check,
    Edge,
    File,
    Health,
    History,
    IndexedFolder,
    Limit,
    Memory,
    Node,
    Offset,
    Rebuilt,
    RunType,
    Session,
    Spendings,
    Stats,
    Status,
    Tree,
    Undone,
    Usage,
    Workspace,
)
from recollect.operations import operation
from recollect.store.code_rows import UNREAD
from recollect.text.display import plural
from recollect.version import __version__

if TYPE_CHECKING:
    from recollect.capture.spool import Stuck
    from recollect.engine.code.code_index import CodeIndex
    from recollect.engine.consolidation.consolidation_cycles import Consolidator
    from recollect.engine.context import Context
    from recollect.engine.graph.centrality import Centrality
    from recollect.engine.memory.anchor_tracking import AnchorTracking
    from recollect.engine.models.embedding_queue import Embedding
    from recollect.engine.sessions.capture import Capture
    from recollect.engine.sessions.llm_jobs import LlmJobs
    from recollect.engine.sessions.usefulness import MemoryUsefulness
    from recollect.store.sql import Store
    from recollect.store.transaction import Transaction

# Failed inputs that health lists; more are counted.
MOST_NAMED = 3
# Indexed folders that stats lists.
MAX_FOLDERS = 100
# With less, the next writes may fail.
LOW_DISK_BYTES = 200 * 1024 * 1024

CODE_VECTORS = "A running server embeds them in the background; `recollect index --vectors` does it now."

_SEVERITY = get_args(Status)

Days = Annotated[int, msgspec.Meta(ge=1, le=366)]

# Operations that recollect runs by itself: `undo` without a batch skips them.
UNASKED = frozenset(
    {"anchor_memories", "compress_memory", "retell_session", "count_usefulness", "end_session"}
    | {f"scheduled_{run}" for run in get_args(RunType)}
)


# What undoing a change does to its row.
_REVERTED = {"insert": "removed", "update": "changed back", "delete": "restored"}


class Finding(NamedTuple):
    """The result of a health check. mend: what to do about it"""

    status: Status
    detail: str
    mend: str = ""


class Admin(msgspec.Struct, eq=False):
    """The state of the engine as a whole."""

    context: "Context"
    embedding: "Embedding"
    llm: Language
    compressor: Language
    llm_jobs: "LlmJobs"
    centrality: "Centrality"
    code: "CodeIndex"
    anchor_tracking: "AnchorTracking"
    capture: "Capture"
    usefulness: "MemoryUsefulness"
    consolidation: "Consolidator"

    @operation("stats", "stats", read_only=True, aliases=("codemem_stats",))
    def stats(self) -> Stats:
        """Show stats: memories, vectors, sessions, code and disk use."""
        store = self.context.store
        made, memories = self.embedding.coverage()
        code = self.context.store.code_totals()
        code_made, code_pending = self.code.coverage()
        facts = store.describe()
        told = self.usefulness.totals()
        nodes, edges = self._graph_size()
        return Stats(
            memories=memories,
            embeddings=made,
            pending_embeddings=memories - made if self.embedding.model_id else 0,
            nodes=nodes,
            edges=edges,
            sessions=store.count(Session),
            workspaces=store.count(Workspace),
            namespaces=len(store.tally(Memory, "namespace")),
            changes=store.count(Change),
            by_type=store.tally(Memory, "memory_type"),
            code_files=code.files,
            code_symbols=code.symbols,
            code_pieces=code.chunks,
            code_embeddings=code_made,
            pending_code_embeddings=code_pending,
            database=facts.location,
            database_bytes=facts.size_bytes,
            schema_version=facts.schema_version,
            embedding_model=self.embedding.model_id,
            language_model=(self._models() or (self.llm,))[0].spending(),
            offered=told.offered,
            used=told.used,
            contradicted=told.contradicted,
            indexed=tuple(
                IndexedFolder(root=tree.root, namespace=tree.namespace, indexed_at=tree.indexed_at)
                for tree in store.find(Tree, order="-indexed_at", limit=MAX_FOLDERS)
            ),
        )

    @operation("health", "health", read_only=True, aliases=("codemem_health",))
    def health(self, *, thorough: bool = False) -> Health:
        """Check the health of storage, search, models and disk. Each problem comes with what to do.

        thorough: check every page of the database; slower
        """
        found = {name: _guarded(name, check) for name, check in self._checks(thorough=thorough)}
        checks = tuple(Check(name=name, **each._asdict()) for name, each in found.items())
        worst = max(checks, key=lambda check: _SEVERITY.index(check.status))
        return Health(status=worst.status, version=__version__, checks=checks)

    @operation("model_spending", "spending", read_only=True)
    def spending(self, *, days: Days = 30) -> Spendings:
        """Show model spending: calls and tokens per day. Returns today's budget and the jobs that wait.

        days: number of days, today included
        """
        days = input_checks.whole("days", days, least=1, most=366)
        models = {spent.model: spent for model in self._models() if (spent := model.spending()) is not None}
        first = day_of(clock.now() - (days - 1) * 86_400)
        # Days sort as text. A row a day and model: a few hundred a year.
        rows = [row for row in self.context.store.find(Usage, order="-day") if row.day >= first]
        return Spendings(today=tuple(models.values()), days=tuple(rows), waiting=self.llm_jobs.waiting())

    def _models(self) -> tuple[Language, ...]:
        """Return the language models that are configured, each once."""
        models = dict.fromkeys((self.llm, self.compressor))
        return tuple(model for model in models if model.is_configured)

    @operation("rebuild", "rebuild", idempotent=True, listed=())
    def rebuild(self, *, vectors: bool = True) -> Rebuilt:
        """Rebuild the search index and the vectors of all memories.

        Others can read and write meanwhile; the old index serves until the new one is complete. Search is keyword-only
        until the vectors are ready. Memories stay as they are. It fails if the embedding model does not answer. Indexed
        code and its vectors stay, except vectors of code that is gone; `index --rebuild` reads code again.

        vectors: rebuild the vectors; without them, the search index only
        """
        embedding = self.embedding
        if vectors and embedding.model_id:
            embedding.try_now()  # before vectors are dropped that could not be made again
            embedding.retry()
        text_rows, dropped = self.context.store.drop_derived(vectors=vectors)
        unused = self.context.store.drop_code_vectors(unused_only=True) if vectors else 0
        made = embedding.catch_up() if vectors and not embedding.running else 0
        embedding.wake()
        have, total = embedding.coverage()
        pending = total - have if embedding.model_id else 0
        return Rebuilt(
            text_rows=text_rows,
            vectors_dropped=dropped,
            vectors_made=made,
            vectors_pending=pending,
            code_vectors_dropped=unused,
        )

    @operation("list_changes", "changes", read_only=True, listed=("memory_id", "limit"))
    def changes(
        self, *, memory_id: str | None = None, batch: str | None = None, limit: Limit = 20, offset: Offset = 0
    ) -> History:
        """List changes, newest first, with the batch that undoes each.

        memory_id: only changes of this memory
        batch: only changes of this batch
        """
        where: dict[str, object] = {}
        if memory_id is not None:
            where.update(entity="memories", entity_id=logged_id(self.context.store, memory_id))
        if batch is not None:
            where["batch"] = self._batch(batch)
        limit = input_checks.whole("limit", limit, least=1, most=1000)
        offset = input_checks.whole("offset", offset, least=0, most=2**53)
        rows = self.context.store.find(Change, where, order="-seq", limit=limit, offset=offset)
        total, headlines = self.context.store.count(Change, where), _headlines(self.context.store, rows)
        return History(changes=tuple(rows), total=total, headlines=headlines)

    @operation("undo", "undo", positional=("batch",))
    def undo(self, batch: str | None = None) -> Undone:
        """Undo a batch of changes: a store, update, delete or import. An undo can be undone too.

        It fails if a row has changed since; undo the later change first. Purged memories do not come back.

        batch: from an answer or list_changes; default: the last one
        """
        from recollect.engine.sessions.injection_outcomes import learn_after_undo

        store = self.context.store
        target = self._batch(batch) if batch is not None else self._last_batch()
        with store.transaction(f"undo {target}") as transaction:
            if transaction.find(Change, {"batch": target, "operation": "import_history"}, limit=1):
                from recollect.engine.importing.transcript_import import forget

                forget(transaction, target)
            rows = transaction.find(Change, {"batch": target}, order="-seq")
            told = _headlines(transaction, [row for row in rows if row.entity == "memories"][:MOST_NAMED])
            restored = transaction.undo(target)
            undone = Undone(
                undone=target,
                restored=restored,
                batch=transaction.batch,
                purged=len(rows) - restored,
                operation=rows[0].operation,
                memories={
                    row.entity_id: f"{_REVERTED[row.action]}: {told[row.entity_id]}"
                    for row in rows
                    if row.entity_id in told
                },
            )
        self.consolidation.note_undone(target)
        learn_after_undo(store, target)
        self.embedding.wake()
        self.anchor_tracking.catch_up()
        return undone

    def _batch(self, batch: str) -> str:
        """Return the batch with this id, or the only one whose id begins so."""
        store, given = self.context.store, input_checks.text("batch", batch)
        known = store.find(Change, {"batch": given}, limit=1)
        return given if known else full_id(store, Change, "batch", given) or given

    def _last_batch(self) -> str:
        """Return the newest requested batch that can be undone and is not an undo."""
        undone: set[str] = set()
        seen: set[str] = set()
        purged: set[tuple[str, str]] = set()
        offset = 0
        while page := self.context.store.find(Change, order="-seq", limit=500, offset=offset):
            offset += len(page)
            for change in page:
                row = (change.entity, change.entity_id)
                if change.action != "insert" and change.before is None:
                    purged.add(row)
                if change.batch in seen or row in purged:
                    continue
                seen.add(change.batch)
                if change.operation.startswith("undo "):
                    # An undo that was itself undone does not count: its batch is in the set by then.
                    undone |= {change.operation.removeprefix("undo ")} if change.batch not in undone else set()
                elif change.batch not in undone and change.operation not in UNASKED:
                    return change.batch
        raise NotFound("there is nothing to undo", hint="`recollect changes` lists recent changes.")

    def _checks(self, *, thorough: bool) -> Iterator[tuple[str, Callable[[], Finding]]]:
        yield "storage", lambda: self._check_storage(thorough=thorough)
        yield "vectors", self._check_vectors
        yield "graph", self._check_graph
        yield "code", self._check_code
        yield "embeddings", self._check_embedder
        yield "capture", self._check_capture
        yield "language model", self._check_models
        yield "consolidation", self._check_consolidation
        yield "disk", self._check_disk
        if self.context.settings.ignored:
            yield "settings", self._check_settings

    def _check_storage(self, *, thorough: bool) -> Finding:
        store = self.context.store
        problems = store.check(thorough=thorough)
        facts = store.describe()
        if problems:
            mend = (
                "Run `recollect admin rebuild` to rebuild the full-text index, then `recollect index` for the code. "
                "For other problems, export and import into a new database."
            )
            return Finding("failed", "; ".join(problems), mend)
        if is_due(store):
            detail = f"{facts.location} may still contain data of purged memories"
            return Finding("degraded", detail, "Run `recollect admin purge`.")
        if facts.read_only:
            mend = "To store memories, check permissions and mount options."
            return Finding("degraded", f"{facts.location} is read-only", mend)
        if not facts.enforces_rights:
            mend = "Grant the role recollect_confined to the user of recollect, and start it again; see docs/teams.md."
            return Finding("degraded", f"{facts.location} does not enforce the projects of tokens by itself", mend)
        return Finding("ok", f"{facts.location}, schema version {facts.schema_version}, intact")

    def _check_vectors(self) -> Finding:
        embedding = self.embedding
        if not embedding.model_id:
            mend = "Set embed_provider to local to search by meaning."
            return Finding("degraded", "embeddings are off: search is keyword-only", mend)
        made, total = embedding.coverage()
        detail = f"{made:,} of {plural(total, 'memory is', 'memories are')} embedded with {embedding.model_id}"
        if long := self.context.store.count_embedded(embedding.model_id, MAX_EMBEDDED - 1):
            detail += f"; only the first {MAX_EMBEDDED} passages of {plural(long, 'long memory', 'long memories')}"
        if made >= total:
            return Finding("ok", detail)
        if aside := embedding.set_aside():
            shown = (f"{each.memory_id}, {_when(each.at)}, {each.why}" for each in aside[-MOST_NAMED:])
            listed = _listed(shown, len(aside))
            detail += f"; {len(aside):,} skipped after failures: {listed} (version {aside[-1].version})"
            mend = "`recollect admin rebuild` retries them now; the next version of recollect retries them by itself."
            return Finding("degraded", detail, mend)
        mend = (
            "They are being embedded in the background."
            if embedding.running
            else "`recollect admin rebuild` embeds them now; a running server does it in the background."
        )
        return Finding("degraded", detail, mend)

    def _graph_size(self) -> tuple[int, int]:
        """Return how many nodes and links the graph has, those of code included."""
        # Nodes and links of code are in no table of their own; without code, there is no need for arrays.
        if self.context.store.code_totals().files:
            graph = self.centrality.graph()
            return graph.size, len(graph.src)
        return self.context.store.count(Node), self.context.store.count(Edge)

    def _check_graph(self) -> Finding:
        nodes, links = self._graph_size()
        detail = f"{plural(nodes, 'node')}, {plural(links, 'link')}"
        # Stale centrality is used as it is and recomputed by itself.
        if self.centrality.is_stale():
            detail += "; centrality is out of date and is recomputed when needed"
        return Finding("ok", detail)

    def _check_code(self) -> Finding:
        totals = self.context.store.code_totals()
        if not totals.files:
            return Finding("ok", "no code is indexed")
        detail = f"{plural(totals.files, 'file')}, {plural(totals.symbols, 'symbol')}, {plural(totals.chunks, 'chunk')}"
        if unread := self.context.store.count(File, UNREAD):
            detail += f"; {plural(unread, 'file needs', 'files need')} re-indexing"
            return Finding("degraded", detail, "Run `recollect index` in the project.")
        if failed := self.context.store.find(File, {"skipped": "failed"}, order="-indexed_at"):
            shown = (f"{row.path}, {_when(row.indexed_at)}, {', '.join(row.notes)}" for row in failed[:MOST_NAMED])
            mend = "`recollect index --rebuild` retries them now; otherwise they are retried when they change."
            detail += f"; {plural(len(failed), 'file')} could not be parsed: {_listed(shown, len(failed))}"
            return Finding("degraded", detail, mend)
        made, pending = self.code.coverage()
        if not made + pending:
            return Finding("ok", detail)
        detail += f"; {made:,} of {made + pending:,} distinct chunks are embedded"
        # Search is good without them.
        mend = "" if not pending or self.embedding.running else CODE_VECTORS
        return Finding("ok", detail, mend)

    def _check_embedder(self) -> Finding:
        embedding = self.embedding
        if embedding.embedder is None:
            return Finding("ok", "off (by configuration)")
        embedding.try_now()
        return Finding("ok", f"{embedding.model_id} works")

    def _check_capture(self) -> Finding:
        """Return how many hook events are queued, and which failed."""
        spool = self.capture.spool
        detail = f"{plural(spool.waiting(), 'hook event')} queued"
        detail += f"; {plural(spool.refused(), 'unreadable event')} kept in {spool.bad}" if spool.refused() else ""
        stuck = spool.stuck_payloads()
        if not stuck:
            return Finding("ok", detail)
        listed = _listed(map(_stuck, stuck[-MOST_NAMED:]), len(stuck), "older")
        mend = (
            f"To retry: mv {spool.stuck}/*/* {spool.new}/ ; to discard: rm -r {spool.stuck}. "
            "The next version of recollect retries them by itself."
        )
        detail = f"{detail}; {len(stuck):,} skipped after failures: {listed}"
        return Finding("degraded", detail, mend)

    def _check_models(self) -> Finding:
        """Return the state of the language models, without asking them: that would cost."""
        name, settings = "language model", self.context.settings
        checks = [_guarded(name, partial(self._check_model, model)) for model in self._models()]
        uses = (("judge", settings.judge), ("summaries", settings.summaries == "model"),
                ("compress_provider", settings.compress_provider == "llm"))  # fmt: skip
        if (wanting := [use for use, is_wanted in uses if is_wanted]) and not self.llm.is_configured:
            detail = f"{' and '.join(wanting)} need a language model, but none is configured; built-in rules are used"
            checks.append(Finding("degraded", detail, CONFIGURE.format(role="llm")))
        if not checks:
            return Finding("ok", "none configured")
        worst = min(checks, key=lambda check: check.status == "ok")
        waiting = self.llm_jobs.waiting()
        left = ", ".join(f"{count:,} to {kind}" for kind, count in sorted(waiting.items()))
        details = "; ".join(dict.fromkeys(check.detail for check in checks))
        return worst._replace(detail=f"{details}; queued: {left}" if left else details)

    def _check_model(self, model: Language) -> Finding:
        spent = model.spending() if model.model_id else None
        if spent is None:
            return Finding("ok", "none configured")
        today = (
            f"today {plural(spent.calls, 'call')}, {plural(spent.tokens, 'token')}, {plural(spent.failures, 'failure')}"
        )
        if spent.paused_s:
            detail = f"{spent.model} is paused for {spent.paused_s} s after an error: {spent.last_failure}; {today}"
            return Finding("degraded", detail, ModelFailed.default_hint)
        if spent.calls >= spent.max_calls or spent.tokens >= spent.max_tokens:
            detail = f"the daily limit of {spent.max_calls:,} calls and {spent.max_tokens:,} tokens is used up: {today}"
            return Finding("degraded", detail, BudgetSpent.default_hint)
        return Finding("ok", f"{spent.model}, {today}")

    def _check_consolidation(self) -> Finding:
        """Return when each cycle last ran."""
        status = self.consolidation.status()
        rows = (*status.cycles, *((status.evolution,) if status.evolution else ()))
        days = {row.cycle: (clock.now() - row.last_run_at) // 86_400 for row in rows if row.last_run_at}
        ran = [f"{cycle} {plural(number, 'day') + ' ago' if number else 'today'}" for cycle, number in days.items()]
        detail = "runs in idle servers" if status.automatic else "runs on request (by configuration)"
        detail += f"; last runs: {', '.join(ran)}" if ran else "; never run"
        undone = [row.cycle for row in rows if row.undone]
        detail += f"; undone by the user, so not repeated: {', '.join(undone)}" if undone else ""
        return Finding("ok", detail)

    def _check_disk(self) -> Finding:
        import shutil

        settings = self.context.settings
        folder = settings.home_path if settings.database_url else settings.database_path.parent
        free = shutil.disk_usage(folder).free if folder.exists() else LOW_DISK_BYTES
        if free < LOW_DISK_BYTES:
            mend = "Free some disk space; writes fail with STORE_FULL when the disk is full."
            return Finding("degraded", f"{free // 2**20:,} MiB free in {folder}", mend)
        if mend := self._closing_to_others():
            return Finding("degraded", "other users can read your memories", mend)
        return Finding("ok", f"{free // 2**20:,} MiB free in {folder}")

    def _closing_to_others(self) -> str:
        """Return the command that keeps other users out of the store; "" if they are out."""
        settings = self.context.settings
        private = {settings.home_path: "700"}
        is_elsewhere = settings.home_path not in settings.database_path.parents
        if is_elsewhere and not settings.database_url:  # its folder may belong to another user
            private[settings.database_path] = "600"
        is_open = [
            f"chmod {mode} {shlex.quote(str(path))}"
            for path, mode in private.items()
            if os.name == "posix" and path.exists() and path.stat().st_mode & 0o077
        ]
        return " && ".join(is_open)

    def _check_settings(self) -> Finding:
        errors = self.context.settings.ignored
        detail = "; ".join(f"{error.code}: {error.message}" for error in errors)
        return Finding("degraded", detail, errors[0].hint)


def _headlines(reader: "Store | Transaction", changes: Iterable[Change]) -> dict[str, str]:
    """Return what the memories of changes are called: as they are now, or as they were when they were deleted."""
    rows = [row for row in changes if row.entity == "memories"]
    were = {
        row.entity_id: str(row.before.get("title") or row.before.get("content") or "") for row in rows if row.before
    }
    past = {name: text.strip().partition("\n")[0][:80] for name, text in were.items() if text.strip()}
    return past | {row.id: headline(row) for row in reader.get(Memory, [row.entity_id for row in rows])}


def _stuck(stuck: "Stuck") -> str:
    """Return a failed event: when, by which version, and why."""
    payload = stuck.payload
    what = f"{payload.event or 'event'} from {payload.assistant or 'an assistant'}, {stuck.size_bytes:,} bytes"
    why = f"crashed {plural(payload.deaths, 'time')}" if payload.deaths else "exceeded the CPU time limit"
    return f"{what}, {_when(stuck.at)}, {why} (version {stuck.version})"


def _when(at: int) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M UTC")


def _guarded(name: str, check: Callable[[], Finding]) -> Finding:
    """Return the result of a check; an error is a result, too."""
    try:
        return check()
    except OSError as problem:
        return Finding("failed", str(problem), "Check the folder and its permissions.")
    except RecollectError as problem:
        # Without these, search is lexical and rules decide: worse, but it works.
        status: Status = "degraded" if name in ("embeddings", "language model") else "failed"
        return Finding(status, f"{problem.code}: {problem.message}", problem.hint)


def _listed(shown: Iterable[str], total: int, more: str = "more") -> str:
    """Return MOST_NAMED rows as text, and how many more there are."""
    return "; ".join(shown) + (f"; and {total - MOST_NAMED:,} {more}" if total > MOST_NAMED else "")
