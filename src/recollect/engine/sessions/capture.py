"""Capture: hook events in the spool become memories, and known fixes are found for errors.

A server drains the spool in the background, through a child process; a command drains it in its main thread before it
searches. Both can interrupt a payload that takes too long. An empty spool costs three directory listings.
"""

import sys
import threading
from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated

import msgspec

from recollect import clock
from recollect.clock import can_limit_cpu
from recollect.engine.records import input_checks
from recollect.engine.sessions.background_drain import DRAIN, BackgroundDrain
from recollect.errors import RecollectError, StorageError
from recollect.model import Fix, Ingested, KnownFix, Memory
from recollect.operations import operation

if TYPE_CHECKING:
    from recollect.capture.spool import Spool
    from recollect.engine.context import Context
    from recollect.engine.memory.access_log import AccessLog
    from recollect.engine.memory.anchoring import Anchoring
    from recollect.engine.models.embedding_queue import Embedding
    from recollect.engine.records.branches import Branches
    from recollect.engine.sessions.hook_ingest import EventReader, PreparedEvent
    from recollect.engine.sessions.llm_jobs import LlmJobs
    from recollect.engine.sessions.session_state import SessionUpdates

# Payloads that a search ingests first, and the CPU time after which it stops: half a second is normal.
BESIDE = 100
BESIDE_CPU_S = 1.0

Payloads = Annotated[int, msgspec.Meta(ge=0, le=100_000)]


class Capture:
    """Ingests hook events."""

    def __init__(
        self,
        context: "Context",
        *,
        updates: "SessionUpdates",
        branches: "Branches",
        anchoring: "Anchoring",
        embedding: "Embedding",
        access: "AccessLog",
        llm_jobs: "LlmJobs",
    ) -> None:
        self._context = context
        self._updates = updates
        self._branches = branches
        self._anchoring = anchoring
        self._embedding = embedding
        self._access = access
        self._llm_jobs = llm_jobs
        self._stop = threading.Event()
        # Whether the start of a session without a server left something to `finish`.
        self.is_unfinished = False
        self._background = BackgroundDrain(
            context.settings, self._stop, embedding=embedding, drain_here=self.drain_here, upkeep=self._upkeep
        )

    @operation("ingest", "ingest", positional=("payload",), listed=())
    def ingest(
        self,
        payload: str | None = None,
        *,
        event: str | None = None,
        assistant: str | None = None,
        limit: Payloads = DRAIN,
    ) -> Ingested:
        """Ingest queued hook events, and one payload if given.

        Each event is stored once, without secrets. Unreadable payloads go to the folder `bad` of the queue.

        payload: JSON of an assistant's hook; -: standard input
        limit: maximum number of payloads
        """
        most = input_checks.whole("limit", limit, least=0, most=100_000)
        if payload is not None:
            input_checks.text("payload", payload)
            self.put(payload.encode("utf-8", "replace"), event=event or "", assistant=assistant or "")
        taken = self.drain(most)
        if self._llm_jobs.running:
            return taken
        return msgspec.structs.replace(taken, compressed=self._llm_jobs.run(only="compress")["compress"])

    def put(self, payload: bytes, *, event: str = "", assistant: str = "") -> None:
        """Leave a payload in the spool, as a hook does. Raises StorageError."""
        try:
            self.spool.put(payload, event=event, assistant=assistant)
        except OSError as problem:
            raise StorageError(f"cannot queue the hook event: {problem.strerror}") from None

    def drain(self, limit: int = DRAIN) -> Ingested:
        """Ingest queued events, oldest first; returns their outcomes.

        Problems with the spool or the store are in the notes; those events wait for the next drain. Several processes
        may drain at once.
        """
        return self.drain_here(limit) if _may_drain_here() else self._background.drain(limit)

    def catch_up(self) -> None:
        """Ingest the latest events before a search; what takes long is left to later.

        A server does it, too: its background drain runs every few seconds, and a session can be shorter than that.
        """
        if _may_drain_here():
            self.drain_here(BESIDE, cpu_s=BESIDE_CPU_S)
        else:
            self._background.catch_up(BESIDE, is_patient=False)

    def begin_session(self, own: bytes) -> None:
        """Ingest the latest events before a session starts, unless only its own waits; leave the rest to `finish`.

        A server waits longer than in a search. Without one, the embedding model is not loaded for vectors alone.

        own: the payload of the start
        """
        if not _may_drain_here():
            if self.spool.has_others(own):
                self._background.catch_up(BESIDE, is_patient=True)
            return
        if self.spool.has_others(own):
            self.drain_here(BESIDE, cpu_s=BESIDE_CPU_S, loads=False)
        self.is_unfinished = self.spool.has_others(own) or self._embedding.lacks_known()

    def finish(self) -> None:
        """Ingest the events that the start of a session left, and make the vectors of a few new memories.

        Called in a process of its own, which the system may end: a payload that hangs it must not keep it running.
        """
        self.drain_here(DRAIN, kill=True)
        self._embedding.embed_known()

    def drain_here(self, limit: int, *, cpu_s: float | None = None, kill: bool = False, loads: bool = True) -> Ingested:
        """Drain the spool in this thread, as `drain` does.

        cpu_s: stop after so much CPU time. kill: let the system end this process over a payload that hangs it
        loads: make vectors of new memories even if the model must be loaded for that
        """
        spool = self.spool
        if spool.is_empty():
            return Ingested()
        from recollect.engine.sessions.injection_outcomes import count
        from recollect.engine.sessions.spool_drain import Drain

        notes: tuple[str, ...] = ()
        drain = Drain(spool, self._stop, self.reader(), self._updates, kill=kill)
        try:
            drain.run(limit, cpu_s)
        except RecollectError as problem:
            notes = (problem.message,)
        except OSError as problem:
            notes = (f"cannot process queued hook events: {problem.strerror or problem}",)
        if drain.counts["taken"]:
            with suppress(RecollectError):  # the next drain counts them
                count(self._context.store)
        if drain.counts["stored"]:
            self._embedding.wake()
            # Else the server makes the vectors that started this process, or `finish`.
            if not kill and (loads or self._embedding.is_used):
                self._embedding.embed_known()
        return Ingested(**drain.counts, waiting=spool.waiting(), notes=notes)

    def reader(self) -> "EventReader":
        """Return a new reader of payloads."""
        from recollect.engine.sessions.hook_ingest import EventReader

        return EventReader(
            self._context, branches=self._branches, anchoring=self._anchoring, classify=self._embedding.classify
        )

    def parse(self, payload: bytes, *, event: str = "", assistant: str = "") -> "PreparedEvent | None":
        """Return the rows a payload would write; None for noise. Nothing is stored. Raises BadPayload."""
        return self.reader().parse(payload, "", event=event, assistant=assistant, at_ns=(clock.now() + 1) * 10**9 - 1)

    def fix_for(self, fingerprint: str, namespace: str | None = None) -> KnownFix | None:
        """Return the fix that resolved an error most often, then the latest; None if none is known.

        namespace: only fixes of this project
        """
        where: dict[str, object] = {"fingerprint": fingerprint}
        if namespace is not None:
            where["namespace"] = namespace
        rows = self._context.store.find(Fix, where, order="-seen_at", limit=100)
        if not rows:
            return None
        times = Counter(row.memory_id for row in rows)
        best = max(rows, key=lambda row: (times[row.memory_id], row.seen_at))
        memories = self._context.store.get(Memory, [best.memory_id])
        if not memories or memories[0].superseded_by is not None or memories[0].is_expired(clock.now()):
            return None
        return KnownFix(
            fingerprint=fingerprint,
            memory=memories[0],
            error=best.error,
            steps=best.steps,
            times=times[best.memory_id],
            seen_at=best.seen_at,
        )

    @property
    def spool(self) -> "Spool":
        """The spool of this home."""
        from recollect.capture.spool import Spool

        return Spool(self._context.settings.home_path)

    def _upkeep(self) -> None:
        self._access.flush()
        self._updates.close_silent()

    # --- in the background ---

    def start(self) -> None:
        """Drain in the background until stopped."""
        self._background.start()

    def halt(self) -> None:
        """Stop the running drain after its payload."""
        self._stop.set()

    def stop(self) -> None:
        """Stop all drains after their payload."""
        self.halt()
        self._background.stop()


def _may_drain_here() -> bool:
    """Tell whether this thread can interrupt a slow payload, or no thread of this system can."""
    return can_limit_cpu() or sys.platform == "win32"
