"""Admin: what there is, how well it is, and how to mend it or take something back."""

import os
import shlex
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Annotated, get_args

import msgspec

from recollect import clock
from recollect.engine import accept
from recollect.engine.id_prefix import full_id
from recollect.engine.language import CONFIGURE, Language
from recollect.engine.ledger import day_of
from recollect.engine.memories import logged_id
from recollect.engine.pending_vectors import MAX_EMBEDDED
from recollect.engine.purging import is_due
from recollect.errors import BudgetSpent, ModelFailed, NotFound, RecollectError
from recollect.model import (
    Change,
    Check,
    Edge,
    File,
    Health,
    History,
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
    Undone,
    Usage,
    Workspace,
)
from recollect.operations import operation
from recollect.store.code_protocol import UNREAD
from recollect.text.display import plural
from recollect.version import __version__

if TYPE_CHECKING:
    from recollect.capture.spool import Stuck
    from recollect.engine.root import Engine

# Inputs that are set aside and named by health; more are counted.
MOST_NAMED = 3
# Less than this and the next writes may fail.
LOW_DISK_BYTES = 200 * 1024 * 1024

CODE_VECTORS = "A running server embeds them in the background; `recollect index --vectors` does it now."

_SEVERITY = get_args(Status)

Days = Annotated[int, msgspec.Meta(ge=1, le=366)]


# What recollect does by itself: nobody who takes back the last change means it.
UNASKED = frozenset(
    {"anchor_memories", "compress_memory", "retell_session", "count_usefulness"}
    | {f"scheduled_{run}" for run in get_args(RunType)}
)


class Admin:
    """The state of the memory as a whole."""

    def __init__(self, engine: "Engine") -> None:
        self._engine = engine

    @operation("stats", "stats", read_only=True, aliases=("codemem_stats",))
    def stats(self) -> Stats:
        """Show stats: memories, vectors, sessions, code and disk use."""
        store = self._engine.store
        made, memories = self._engine.embedding.coverage()
        code = self._engine.code_store.code_totals()
        code_made, code_pending = self._engine.code.coverage()
        facts = store.describe()
        told = self._engine.usefulness.totals()
        return Stats(
            memories=memories,
            embeddings=made,
            pending_embeddings=memories - made if self._engine.embedding.model_id else 0,
            nodes=store.count(Node),
            edges=store.count(Edge),
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
            embedding_model=self._engine.embedding.model_id,
            language_model=(self._voices() or (self._engine.language,))[0].spending(),
            offered=told.offered,
            used=told.used,
            contradicted=told.contradicted,
        )

    @operation("health", "health", read_only=True, aliases=("codemem_health",))
    def health(self, *, thorough: bool = False) -> Health:
        """Check the health of storage, search, models and disk. Each problem comes with what to do.

        thorough: check every page of the database; slower
        """
        checks = tuple(_guarded(name, look) for name, look in self._looks(thorough=thorough))
        worst = max(checks, key=lambda check: _SEVERITY.index(check.status))
        return Health(status=worst.status, version=__version__, checks=checks)

    @operation("model_spending", "spending", read_only=True)
    def spending(self, *, days: Days = 30) -> Spendings:
        """Show model spending: calls and tokens per day. Returns today's budget and the jobs that wait.

        days: number of days, today included
        """
        days = accept.whole("days", days, least=1, most=366)
        voices = {spent.model: spent for voice in self._voices() if (spent := voice.spending()) is not None}
        first = day_of(clock.now() - (days - 1) * 86_400)
        # Days sort as text. A row a day and model: a few hundred a year.
        rows = [row for row in self._engine.store.find(Usage, order="-day") if row.day >= first]
        return Spendings(today=tuple(voices.values()), days=tuple(rows), waiting=self._engine.errands.waiting())

    def _voices(self) -> tuple[Language, ...]:
        """Return the language models that are configured, each once."""
        voices = dict.fromkeys((self._engine.language, self._engine.compressor))
        return tuple(voice for voice in voices if voice.is_configured)

    @operation("rebuild", "rebuild", idempotent=True, listed=())
    def rebuild(self, *, vectors: bool = True) -> Rebuilt:
        """Rebuild the search index and the vectors of all memories.

        Others can read and write meanwhile; the old index serves until the new one is complete. Search is keyword-only
        until the vectors are ready. Memories stay as they are. It fails if the embedding model does not answer. Indexed
        code and its vectors stay, except vectors of code that is gone; `index --rebuild` reads code again.

        vectors: false: rebuild the search index only
        """
        embedding = self._engine.embedding
        if vectors and embedding.model_id:
            embedding.try_now()  # before anything is thrown away that nobody could make again
            embedding.retry()
        text_rows, dropped = self._engine.store.drop_derived(vectors=vectors)
        unused = self._engine.code_store.drop_code_vectors(unused_only=True) if vectors else 0
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
        limit: maximum number of results
        offset: number of results to skip
        """
        where: dict[str, object] = {}
        if memory_id is not None:
            where.update(entity="memories", entity_id=logged_id(self._engine.store, memory_id))
        if batch is not None:
            where["batch"] = self._batch(batch)
        limit = accept.whole("limit", limit, least=1, most=1000)
        offset = accept.whole("offset", offset, least=0, most=2**53)
        rows = self._engine.store.find(Change, where, order="-seq", limit=limit, offset=offset)
        return History(changes=tuple(rows), total=self._engine.store.count(Change, where))

    @operation("undo", "undo", positional=("batch",))
    def undo(self, batch: str | None = None) -> Undone:
        """Undo a batch of changes: a store, update, delete or import. An undo can be undone too.

        It fails if a row has changed since; undo the later change first. Purged memories do not come back.

        batch: from an answer or list_changes; default: the last one
        """
        target = self._batch(batch) if batch is not None else self._last_batch()
        with self._engine.store.transaction(f"undo {target}") as transaction:
            if transaction.find(Change, {"batch": target, "operation": "import_history"}, limit=1):
                from recollect.engine.transcripts import forget

                forget(transaction, target)
            restored = transaction.undo(target)
            purged = len(transaction.find(Change, {"batch": target})) - restored
            undone = Undone(undone=target, restored=restored, batch=transaction.batch, purged=purged)
        self._engine.consolidation.note_undone(target)
        self._engine.usefulness.note_undone(target)
        self._engine.embedding.wake()
        self._engine.following.catch_up()
        return undone

    def _batch(self, batch: str) -> str:
        """Return the batch that is meant, by its id or the beginning of it."""
        store, given = self._engine.store, accept.text("batch", batch)
        known = store.find(Change, {"batch": given}, limit=1)
        return given if known else full_id(store, Change, "batch", given) or given

    def _last_batch(self) -> str:
        """Return the newest batch that somebody asked for, with something left to take back, not undone nor an undo."""
        undone: set[str] = set()
        seen: set[str] = set()
        purged: set[tuple[str, str]] = set()
        offset = 0
        while page := self._engine.store.find(Change, order="-seq", limit=500, offset=offset):
            offset += len(page)
            for change in page:
                row = (change.entity, change.entity_id)
                if change.action != "insert" and change.before is None:
                    purged.add(row)
                if change.batch in seen or row in purged:
                    continue
                seen.add(change.batch)
                if change.operation.startswith("undo "):
                    # An undo that was itself undone does not count: its batch stands in the set by then.
                    undone |= {change.operation.removeprefix("undo ")} if change.batch not in undone else set()
                elif change.batch not in undone and change.operation not in UNASKED:
                    return change.batch
        raise NotFound("there is nothing to undo", hint="`recollect changes` lists recent changes.")

    def _looks(self, *, thorough: bool) -> Iterator[tuple[str, Callable[[], Check]]]:
        yield "storage", lambda: self._look_at_storage(thorough=thorough)
        yield "vectors", self._look_at_vectors
        yield "graph", self._look_at_graph
        yield "code", self._look_at_code
        yield "embeddings", self._look_at_embedder
        yield "capture", self._look_at_capture
        yield "language model", self._look_at_language
        yield "consolidation", self._look_at_consolidation
        yield "disk", self._look_at_disk
        if self._engine.settings.ignored:
            yield "settings", self._look_at_settings

    def _look_at_storage(self, *, thorough: bool) -> Check:
        store = self._engine.store
        problems = store.check(thorough=thorough)
        facts = store.describe()
        if problems:
            mend = (
                "Run `recollect rebuild` to rebuild the full-text index, then `recollect index` to re-index code. For "
                "other problems, export and import into a new database."
            )
            return Check(name="storage", status="failed", detail="; ".join(problems), mend=mend)
        if is_due(store):
            detail = f"{facts.location} may still contain data of purged memories"
            return Check(name="storage", status="degraded", detail=detail, mend="Run `recollect purge`.")
        if facts.read_only:
            mend = "To store memories, check permissions and mount options."
            return Check(name="storage", status="degraded", detail=f"{facts.location} is read-only", mend=mend)
        return Check(
            name="storage", status="ok", detail=f"{facts.location}, schema version {facts.schema_version}, intact"
        )

    def _look_at_vectors(self) -> Check:
        embedding = self._engine.embedding
        if not embedding.model_id:
            mend = "Set embed_provider to local to search by meaning."
            return Check(
                name="vectors", status="degraded", detail="embeddings are off: search is keyword-only", mend=mend
            )
        made, total = embedding.coverage()
        detail = f"{made:,} of {plural(total, 'memory is', 'memories are')} embedded with {embedding.model_id}"
        if long := self._engine.store.count_embedded(embedding.model_id, MAX_EMBEDDED - 1):
            detail += f"; only the first {MAX_EMBEDDED} passages of {plural(long, 'long memory', 'long memories')}"
        if made >= total:
            return Check(name="vectors", status="ok", detail=detail)
        if aside := embedding.set_aside():
            listed = "; ".join(f"{each.memory_id}, {_when(each.at)}, {each.why}" for each in aside[-MOST_NAMED:])
            more = f"; and {len(aside) - MOST_NAMED:,} more" if len(aside) > MOST_NAMED else ""
            detail += f"; {len(aside):,} skipped after failures: {listed}{more} (version {aside[-1].version})"
            mend = "`recollect rebuild` retries them now; the next version of recollect retries them by itself."
            return Check(name="vectors", status="degraded", detail=detail, mend=mend)
        mend = (
            "They are being embedded in the background."
            if embedding.running
            else "`recollect rebuild` embeds them now; a running server does it in the background."
        )
        return Check(name="vectors", status="degraded", detail=detail, mend=mend)

    def _look_at_graph(self) -> Check:
        store = self._engine.store
        detail = f"{plural(store.count(Node), 'node')}, {plural(store.count(Edge), 'link')}"
        # What is out of date is used as it is and made anew by itself: nothing is wrong with it.
        if self._engine.centrality.is_stale():
            detail += "; centrality is out of date and is recomputed when needed"
        return Check(name="graph", status="ok", detail=detail)

    def _look_at_code(self) -> Check:
        totals = self._engine.code_store.code_totals()
        if not totals.files:
            return Check(name="code", status="ok", detail="no code is indexed")
        detail = f"{plural(totals.files, 'file')}, {plural(totals.symbols, 'symbol')}, {plural(totals.chunks, 'chunk')}"
        if unread := self._engine.store.count(File, UNREAD):
            detail += f"; {plural(unread, 'file needs', 'files need')} re-indexing"
            return Check(name="code", status="degraded", detail=detail, mend="Run `recollect index` in the project.")
        if failed := self._engine.store.find(File, {"skipped": "failed"}, order="-indexed_at"):
            listed = "; ".join(
                f"{file.path}, {_when(file.indexed_at)}, {', '.join(file.notes)}" for file in failed[:MOST_NAMED]
            )
            more = f"; and {len(failed) - MOST_NAMED:,} more" if len(failed) > MOST_NAMED else ""
            mend = "`recollect index --rebuild` retries them now; otherwise they are retried when they change."
            detail += f"; {plural(len(failed), 'file')} could not be parsed: {listed}{more}"
            return Check(name="code", status="degraded", detail=detail, mend=mend)
        made, pending = self._engine.code.coverage()
        if not made + pending:
            return Check(name="code", status="ok", detail=detail)
        detail += f"; {made:,} of {made + pending:,} distinct chunks are embedded"
        # Search is good without them, so that waiting for them is nothing to mend.
        mend = "" if not pending or self._engine.embedding.running else CODE_VECTORS
        return Check(name="code", status="ok", detail=detail, mend=mend)

    def _look_at_embedder(self) -> Check:
        embedding = self._engine.embedding
        if embedding.embedder is None:
            return Check(name="embeddings", status="ok", detail="off (by configuration)")
        embedding.try_now()
        return Check(name="embeddings", status="ok", detail=f"{embedding.model_id} works")

    def _look_at_capture(self) -> Check:
        """Return how many hook events wait, and which are set aside."""
        spool = self._engine.capture.spool
        detail = f"{plural(spool.waiting(), 'hook event')} queued"
        stuck = spool.stuck_payloads()
        if not stuck:
            return Check(name="capture", status="ok", detail=detail)
        listed = "; ".join(_stuck(each) for each in stuck[-MOST_NAMED:])
        more = f"; and {len(stuck) - MOST_NAMED:,} older" if len(stuck) > MOST_NAMED else ""
        mend = (
            f"To retry: mv {spool.stuck}/*/* {spool.new}/ ; to discard: rm -r {spool.stuck}. "
            "The next version of recollect retries them by itself."
        )
        detail = f"{detail}; {len(stuck):,} skipped after failures: {listed}{more}"
        return Check(name="capture", status="degraded", detail=detail, mend=mend)

    def _look_at_language(self) -> Check:
        """What the ledger says: asking would cost, and would count."""
        name, settings = "language model", self._engine.settings
        checks = [_guarded(name, partial(self._look_at_voice, voice)) for voice in self._voices()]
        uses = (("judge", settings.judge), ("summaries", settings.summaries == "model"),
                ("compress_provider", settings.compress_provider == "llm"))  # fmt: skip
        if (wanting := [use for use, is_wanted in uses if is_wanted]) and not self._engine.language.is_configured:
            detail = f"{' and '.join(wanting)} need a language model, but none is configured; built-in rules are used"
            checks.append(Check(name=name, status="degraded", detail=detail, mend=CONFIGURE.format(role="llm")))
        if not checks:
            return Check(name=name, status="ok", detail="none configured")
        worst = min(checks, key=lambda check: check.status == "ok")
        waiting = self._engine.errands.waiting()
        left = ", ".join(f"{count:,} to {kind}" for kind, count in sorted(waiting.items()))
        details = "; ".join(dict.fromkeys(check.detail for check in checks))
        return msgspec.structs.replace(worst, detail=f"{details}; queued: {left}" if left else details)

    def _look_at_voice(self, voice: Language) -> Check:
        name = "language model"
        spent = voice.spending() if voice.model_id else None
        if spent is None:
            return Check(name=name, status="ok", detail="none configured")
        today = (
            f"today {plural(spent.calls, 'call')}, {plural(spent.tokens, 'token')}, {plural(spent.failures, 'failure')}"
        )
        if spent.paused_s:
            detail = f"{spent.model} is paused for {spent.paused_s} s after an error: {spent.last_failure}; {today}"
            return Check(name=name, status="degraded", detail=detail, mend=ModelFailed.default_hint)
        if spent.calls >= spent.max_calls or spent.tokens >= spent.max_tokens:
            detail = f"the daily limit of {spent.max_calls:,} calls and {spent.max_tokens:,} tokens is used up: {today}"
            return Check(name=name, status="degraded", detail=detail, mend=BudgetSpent.default_hint)
        return Check(name=name, status="ok", detail=f"{spent.model}, {today}")

    def _look_at_consolidation(self) -> Check:
        """When each cycle last ran. One that was taken back is left alone on purpose: nothing to mend."""
        status = self._engine.consolidation.status()
        rows = (*status.cycles, *((status.evolution,) if status.evolution else ()))
        days = {row.cycle: (clock.now() - row.last_run_at) // 86_400 for row in rows if row.last_run_at}
        ran = [f"{cycle} {plural(number, 'day') + ' ago' if number else 'today'}" for cycle, number in days.items()]
        detail = "runs in idle servers" if status.automatic else "runs on request (by configuration)"
        detail += f"; last runs: {', '.join(ran)}" if ran else "; never run"
        undone = [row.cycle for row in rows if row.undone]
        detail += f"; undone by the user, so not repeated: {', '.join(undone)}" if undone else ""
        return Check(name="consolidation", status="ok", detail=detail)

    def _look_at_disk(self) -> Check:
        import shutil

        folder = self._engine.settings.database_path.parent
        free = shutil.disk_usage(folder).free if folder.exists() else LOW_DISK_BYTES
        if free < LOW_DISK_BYTES:
            mend = "Free some disk space; writes fail with STORE_FULL when the disk is full."
            return Check(name="disk", status="degraded", detail=f"{free // 2**20:,} MiB free in {folder}", mend=mend)
        if mend := self._closing_to_others():
            return Check(name="disk", status="degraded", detail="other users can read your memories", mend=mend)
        return Check(name="disk", status="ok", detail=f"{free // 2**20:,} MiB free in {folder}")

    def _closing_to_others(self) -> str:
        """Return the command that keeps other users out of what is stored; "" where they are out."""
        settings = self._engine.settings
        private = {settings.home_path: "700"}
        if settings.home_path not in settings.database_path.parents:  # its folder may be somebody else's
            private[settings.database_path] = "600"
        is_open = [
            f"chmod {mode} {shlex.quote(str(path))}"
            for path, mode in private.items()
            if os.name == "posix" and path.exists() and path.stat().st_mode & 0o077
        ]
        return " && ".join(is_open)

    def _look_at_settings(self) -> Check:
        errors = self._engine.settings.ignored
        detail = "; ".join(f"{error.code}: {error.message}" for error in errors)
        return Check(name="settings", status="degraded", detail=detail, mend=errors[0].hint)


def _stuck(stuck: "Stuck") -> str:
    """Return what is set aside, when, by which version, and why."""
    payload = stuck.payload
    what = f"{payload.event or 'event'} from {payload.assistant or 'an assistant'}, {stuck.size_bytes:,} bytes"
    why = f"crashed {plural(payload.deaths, 'time')}" if payload.deaths else "exceeded the CPU time limit"
    return f"{what}, {_when(stuck.at)}, {why} (version {stuck.version})"


def _when(at: int) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M UTC")


def _guarded(name: str, look: Callable[[], Check]) -> Check:
    """Return what a look found; an error on the way is a finding too."""
    try:
        return look()
    except OSError as problem:
        return Check(name=name, status="failed", detail=str(problem), mend="Check the folder and its permissions.")
    except RecollectError as problem:
        # Without an embedder search is lexical, without a language model rules decide: worse, but it answers.
        status: Status = "degraded" if name in ("embeddings", "language model") else "failed"
        return Check(name=name, status=status, detail=f"{problem.code}: {problem.message}", mend=problem.hint)
