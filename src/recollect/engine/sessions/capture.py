"""Capture: what hooks have left in the spool becomes memories; and the fix for an error that was seen before.

A server drains the spool in the background, through a child process; a command drains it in its main thread before it
looks for something. Both can interrupt a payload that takes too long. An empty spool costs three looks at folders.
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
    from recollect.engine.root import Engine

# Payloads that a search takes with it, and the CPU time after which it takes no more: half a second is normal.
BESIDE = 100
BESIDE_CPU_S = 1.0

Payloads = Annotated[int, msgspec.Meta(ge=0, le=100_000)]


class Capture:
    """What hooks saw."""

    def __init__(self, engine: "Engine") -> None:
        self._engine = engine
        self._stop = threading.Event()
        self._background = BackgroundDrain(engine, self._stop)

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
        event: event name, if the payload has none
        assistant: such as claude or codex, if unclear
        limit: maximum number of payloads
        """
        most = input_checks.whole("limit", limit, least=0, most=100_000)
        if payload is not None:
            input_checks.text("payload", payload)
            self.put(payload.encode("utf-8", "replace"), event=event or "", assistant=assistant or "")
        taken = self.drain(most)
        if self._engine.errands.running:
            return taken
        return msgspec.structs.replace(taken, compressed=self._engine.errands.run(only="compress")["compress"])

    def put(self, payload: bytes, *, event: str = "", assistant: str = "") -> None:
        """Leave a payload in the spool, as a hook does. Raises StorageError."""
        try:
            self.spool.put(payload, event=event, assistant=assistant)
        except OSError as problem:
            raise StorageError(f"cannot queue the hook event: {problem.strerror}") from None

    def drain(self, limit: int = DRAIN) -> Ingested:
        """Take in what waits in the spool, the oldest first; returns what became of it.

        Never raises for the state of the spool or the store: what stood in the way is in the notes, and what was not
        stored waits for the next time. Any number of processes may drain at once.
        """
        return self.drain_here(limit) if _may_drain_here() else self._background.drain(limit)

    def catch_up(self) -> None:
        """Take in what was seen a moment ago, before something is looked for; leave to later what takes long.

        In a server, too: its background looks every few seconds, and a whole session can be shorter than that.
        """
        if _may_drain_here():
            self.drain_here(BESIDE, cpu_s=BESIDE_CPU_S)
        else:
            self._background.catch_up(BESIDE)

    def drain_here(self, limit: int, *, cpu_s: float | None = None, kill: bool = False) -> Ingested:
        """Drain the spool in this thread, as `drain` does.

        cpu_s: stop after so much CPU time. kill: let the system end this process over a payload that hangs it
        """
        spool = self.spool
        if spool.is_empty():
            return Ingested()
        from recollect.engine.sessions.spool_drain import Drain

        notes: tuple[str, ...] = ()
        drain = Drain(self._engine, spool, self._stop, kill=kill)
        try:
            drain.run(limit, cpu_s)
        except RecollectError as problem:
            notes = (problem.message,)
        except OSError as problem:
            notes = (f"cannot process queued hook events: {problem.strerror or problem}",)
        if drain.counts["taken"]:
            self._count()
        if drain.counts["stored"]:
            self._engine.embedding.wake()
        return Ingested(**drain.counts, waiting=spool.waiting(), notes=notes)

    def _count(self) -> None:
        """Count what was made of memories that were told; what cannot be counted now is due the next time."""
        with suppress(RecollectError):
            self._engine.usefulness.count()

    def fix_for(self, fingerprint: str, namespace: str | None = None) -> KnownFix | None:
        """Return what made an error go away before; None if nothing is known to.

        Of several the one that helped most often, then the latest. namespace: only what helped in this project
        """
        where: dict[str, object] = {"fingerprint": fingerprint}
        if namespace is not None:
            where["namespace"] = namespace
        rows = self._engine.store.find(Fix, where, order="-seen_at", limit=100)
        if not rows:
            return None
        times = Counter(row.memory_id for row in rows)
        best = max(rows, key=lambda row: (times[row.memory_id], row.seen_at))
        memories = self._engine.store.get(Memory, [best.memory_id])
        if not memories or memories[0].superseded_by is not None:
            return None
        expires_at = memories[0].expires_at
        if expires_at is not None and expires_at <= clock.now():
            return None
        return KnownFix(
            fingerprint=fingerprint,
            memory=memories[0],
            error=best.error,
            steps=best.steps,
            times=times[best.memory_id],
            seen_at=best.seen_at,
        )

    def fix_of(self, payload: bytes, *, event: str = "", assistant: str = "") -> KnownFix | None:
        """Return what made the failure go away before that a hook was just told of; None if it is none, or nothing did.

        Nothing is stored: the payload itself goes through the spool like any other.
        """
        from recollect.capture.observation import BadPayload
        from recollect.engine.sessions.hook_ingest import Noticing

        try:
            notice = Noticing(self._engine).of_bytes(payload, "", event=event, assistant=assistant, at=clock.now())
        except BadPayload:
            return None
        if notice is None or not notice.row.fingerprint:
            return None
        return self.fix_for(notice.row.fingerprint, notice.row.namespace)

    @property
    def spool(self) -> "Spool":
        """The spool of this home."""
        from recollect.capture.spool import Spool

        return Spool(self._engine.settings.home_path)

    # --- in the background ---

    def start(self) -> None:
        """Drain in the background until stopped."""
        self._background.start()

    def halt(self) -> None:
        """Let the drain at hand end after its payload."""
        self._stop.set()

    def stop(self) -> None:
        """Stop draining after the payload at hand."""
        self.halt()
        self._background.stop()


def _may_drain_here() -> bool:
    """Tell whether this thread can interrupt a payload that takes too long, or nothing on this system can."""
    return can_limit_cpu() or sys.platform == "win32"
