"""Capture: what hooks have left in the spool becomes memories; and the fix for an error that was seen before.

Draining is done by whoever is there: a server in the background, and every command that would miss what was seen a
moment ago. An empty spool costs two looks at folders.
"""

import threading
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated

import msgspec

from recollect import clock
from recollect.engine import accept
from recollect.errors import RecollectError, StorageError
from recollect.model import Fix, Ingested, KnownFix, Memory
from recollect.operations import operation

if TYPE_CHECKING:
    from recollect.capture.spool import Claims, Payload, Spool
    from recollect.engine.noticed import Notice, Noticing, Written
    from recollect.engine.root import Engine

# Payloads written in one transaction: long enough to be cheap, short enough that other writers hardly wait (0.2 s).
BATCH = 50
# Payloads taken by one drain unless it is told otherwise: some seconds of work, and nobody has to wait for more.
DRAIN = 500
# Payloads that a search takes with it: half a second at most.
BESIDE = 100
# How often a server looks into the spool.
POLL_S = 2.0
# How long closing waits for the background.
STOP_S = 5.0

Payloads = Annotated[int, msgspec.Meta(ge=0, le=100_000)]


class Capture:
    """What hooks saw."""

    def __init__(self, engine: "Engine") -> None:
        self._engine = engine
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    @operation("ingest", "ingest", positional=("payload",))
    def ingest(
        self,
        payload: str | None = None,
        *,
        event: str | None = None,
        assistant: str | None = None,
        limit: Payloads = DRAIN,
    ) -> Ingested:
        """Take in what hooks of assistants have left, and one more payload if it is given.

        Each is kept exactly once, without its secrets; what cannot be read is set aside in the spool's folder `bad`.

        payload: what an assistant gives its hook, as JSON; - or a pipe on a command line: standard input
        event: the name of the event, where the payload does not say it
        assistant: whose payload it is, where that cannot be told: claude, codex, gemini, opencode, copilot, cursor, …
        limit: how many payloads to take at most
        """
        most = accept.whole("limit", limit, least=0, most=100_000)
        if payload is not None:
            accept.text("payload", payload)
            self.put(payload.encode("utf-8", "replace"), event=event or "", assistant=assistant or "")
        taken = self.drain(most)
        if self._engine.errands.running:
            return taken
        return msgspec.structs.replace(taken, compressed=self._engine.errands.run(only="compress")["compress"])

    def put(self, payload: bytes, *, event: str = "", assistant: str = "") -> None:
        """Leave a payload in the spool, as a hook does. Raises StorageError."""
        try:
            self._spool.put(payload, event=event, assistant=assistant)
        except OSError as problem:
            raise StorageError(f"the spool cannot be written: {problem.strerror}") from None

    def drain(self, limit: int = DRAIN) -> Ingested:
        """Take in what waits in the spool, the oldest first; returns what became of it.

        Never raises for the state of the spool or the store: what stood in the way is in the notes, and what was not
        stored waits for the next time. Any number of processes may drain at once.
        """
        spool = self._spool
        if spool.is_empty():
            return Ingested()
        counts: Counter[str] = Counter()
        notes: tuple[str, ...] = ()
        try:
            self._drain(spool, limit, counts)
        except RecollectError as problem:
            notes = (problem.message,)
        except OSError as problem:
            notes = (f"the spool cannot be drained: {problem.strerror or problem}",)
        if counts["taken"]:
            self._count()
        if counts["stored"]:
            self._engine.embedding.wake()
        return Ingested(**counts, waiting=spool.waiting(), notes=notes)

    def _count(self) -> None:
        """Count what was made of memories that were told; what cannot be counted now is due the next time."""
        with suppress(RecollectError):
            self._engine.usefulness.count()

    def catch_up(self) -> None:
        """Take in what was seen a moment ago, before something is looked for.

        In a server, too: its background looks every few seconds, and a whole session can be shorter than that.
        """
        self.drain(BESIDE)

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
        from recollect.engine.noticed import Noticing

        try:
            notice = Noticing(self._engine).of_bytes(payload, "", event=event, assistant=assistant, at=clock.now())
        except BadPayload:
            return None
        if notice is None or not notice.row.fingerprint:
            return None
        return self.fix_for(notice.row.fingerprint, notice.row.namespace)

    # --- draining ---

    @property
    def _spool(self) -> "Spool":
        from recollect.capture.spool import Spool

        return Spool(self._engine.settings.home_path)

    def _drain(self, spool: "Spool", limit: int, counts: Counter[str]) -> None:
        from recollect.capture.spool import Claims
        from recollect.engine.noticed import Noticing

        spool.tidy()
        noticing = Noticing(self._engine)
        with Claims(spool) as claims:
            while counts["taken"] < limit and not self._stop.is_set():
                batch = claims.take(min(BATCH, limit - counts["taken"]))
                if not batch:
                    return
                self._take(claims, spool, noticing, batch, counts)
                counts["taken"] += len(batch)

    def _take(
        self, claims: "Claims", spool: "Spool", noticing: "Noticing", batch: "Sequence[Payload]", counts: Counter[str]
    ) -> None:
        notices: list[tuple[Payload, Notice]] = []
        silent: list[Payload] = []
        for payload in batch:
            try:
                notice = noticing.notice(payload)
            except Exception as problem:
                # Whatever one payload holds, the others go on.
                self._refuse(spool, payload, problem)
                counts["bad"] += 1
                continue
            if notice is None:
                silent.append(payload)
            else:
                notices.append((payload, notice))
        self._hand(noticing)
        for payload in silent:
            claims.done(payload)
        counts["skipped"] += len(silent)
        self._write(claims, spool, notices, counts)

    def _hand(self, noticing: "Noticing") -> None:
        """Note which memories our own answers have put before assistants."""
        if noticing.handed:
            from recollect.engine import offers

            with self._engine.store.transaction("present") as transaction:
                offers.hand(transaction, noticing.handed)
            noticing.handed.clear()

    def _write(
        self, claims: "Claims", spool: "Spool", notices: "list[tuple[Payload, Notice]]", counts: Counter[str]
    ) -> None:
        """Write notices together; if one of them cannot be written, each for itself, and set that one aside."""
        if not notices:
            return
        try:
            done = self._engine.sessions.write([notice for _, notice in notices])
        except StorageError:
            raise
        except Exception as problem:
            if len(notices) == 1:
                self._refuse(spool, notices[0][0], problem)
                counts["bad"] += 1
                return
            for each in notices:
                self._write(claims, spool, [each], counts)
            return
        self._leave_errands([notice for _, notice in notices], done)
        for payload, _ in notices:
            claims.done(payload)
        for written in done:
            counts["skipped" if written in ("twice", "known") else written] += 1

    def _leave_errands(self, notices: "Sequence[Notice]", done: "Sequence[Written]") -> None:
        """Leave it to a language model to shorten what is long, where that is wanted.

        After what was seen is stored: if this process dies in between, it stays as it is.
        """
        from recollect.engine.compression import is_worth_it

        made = [each for each, written in zip(notices, done, strict=True) if written == "stored"]
        tools = [each.memory for each in made if each.row.event == "tool" and each.memory is not None]
        long = [memory.id for memory in tools if is_worth_it(self._engine, memory)]
        if long:
            with self._engine.store.transaction("leave_errands") as transaction:
                for memory_id in long:
                    self._engine.errands.leave(transaction, "compress", memory_id)

    def _refuse(self, spool: "Spool", payload: "Payload", problem: Exception) -> None:
        """Set a payload aside, its secrets replaced; if even that cannot be done, only its reason is kept."""
        from recollect.capture.observation import BadPayload
        from recollect.capture.spool import BAD_BYTES
        from recollect.text.redact import redact

        reason = str(problem) if isinstance(problem, BadPayload) else f"{type(problem).__name__}: {problem}"
        excerpt = ""
        with suppress(Exception):
            # Cut after secrets are out: half a key is not recognised as one.
            excerpt = redact(payload.read()[: 8 * BAD_BYTES].decode("utf-8", "replace")).text
        spool.refuse(payload, redact(reason).text[:500], excerpt)

    # --- in the background ---

    def start(self) -> None:
        """Drain in a thread until stopped."""
        if self._thread is None and not self._stop.is_set():
            self._thread = threading.Thread(target=self._work, name="recollect-capture", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """Stop the thread after the batch it is writing."""
        self._stop.set()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join(timeout=STOP_S)

    def _work(self) -> None:
        while not self._stop.wait(POLL_S):
            with suppress(Exception):  # the next look tries again; nothing is lost while it waits in the spool
                self.drain()
                self._engine.access.flush()
                self._engine.sessions.close_silent()
