"""Drain the spool in this process.

claim ─► events, each within its limit of CPU time ─► one transaction ─► gone
            └─ bad: refused    └─ too slow: set aside
"""

import threading
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from itertools import groupby
from typing import TYPE_CHECKING

from recollect.capture.observation import BadPayload
from recollect.capture.spool import BAD_BYTES, Claims, Payload, Spool
from recollect.clock import CpuLimitExceeded, cpu_limit
from recollect.errors import StorageError
from recollect.text.redaction.redact import redact

if TYPE_CHECKING:
    from recollect.engine.sessions.hook_ingest import EventReader, PreparedEvent
    from recollect.engine.sessions.session_state import SessionUpdates

# Payloads written in one transaction: long enough to be cheap, short enough that other writers hardly wait (0.2 s).
BATCH = 50
# CPU time for one payload: some milliseconds are normal, and about 0.2 s for each megabyte. What takes longer than this
# on the slowest machine never ends.
LIMIT_CPU_S = 5.0
LIMIT_CPU_S_PER_BYTE = 1.0 / 1_000_000
# Wall time that a limited drain may take, by its CPU time: a hook that answers too late says nothing at all.
BUSY = 3


class Drain:
    """One drain of the spool; `counts` has the outcomes of the payloads.

    stop: ends it after the payload at hand
    kill: let the system end this process over a payload that cannot be interrupted
    """

    def __init__(
        self, spool: Spool, stop: threading.Event, reader: "EventReader", updates: "SessionUpdates", *, kill: bool
    ) -> None:
        self._spool = spool
        self._stop = stop
        self._reader = reader
        self._updates = updates
        self._kill = kill
        self._until: tuple[float, float] | None = None
        self.counts: Counter[str] = Counter()

    def run(self, limit: int, cpu_s: float | None = None) -> None:
        """Take up to `limit` payloads, the oldest first; stop after `cpu_s` of CPU time. Raises StorageError, OSError.

        On a busy machine it stops after `BUSY` times as long. What was claimed and not finished waits for the next one.
        """
        self._until = None if cpu_s is None else (time.thread_time() + cpu_s, time.monotonic() + BUSY * cpu_s)
        self._spool.tidy()
        with Claims(self._spool) as claims:
            while self.counts["taken"] < limit and not self._is_over():
                batch = claims.take(min(BATCH, limit - self.counts["taken"]))
                if not batch:
                    return
                self._take(claims, batch)

    def _is_over(self) -> bool:
        if self._until is None or self._stop.is_set():
            return self._stop.is_set()
        cpu, wall = self._until
        return time.thread_time() >= cpu or time.monotonic() >= wall

    def _take(self, claims: Claims, batch: "Sequence[Payload]") -> None:
        events: list[tuple[Payload, PreparedEvent]] = []
        silent: list[Payload] = []
        for payload in batch:
            self.counts["taken"] += 1
            try:
                with cpu_limit(_limit_of([payload]), kill=self._kill):
                    event = self._reader.read(payload)
            except CpuLimitExceeded:
                self._set_aside(payload)
            except Exception as problem:
                # The other payloads go on.
                self._refuse(payload, problem)
            else:
                if event is None:
                    silent.append(payload)
                else:
                    events.append((payload, event))
            if self._is_over():
                break
        self._updates.record_answers(self._reader.answers)
        self._reader.answers.clear()
        for payload in silent:
            claims.done(payload)
        self.counts["skipped"] += len(silent)
        self._write(claims, events)

    def _write(self, claims: Claims, events: "list[tuple[Payload, PreparedEvent]]") -> None:
        """Write events in their order. One with a statement is written alone: it is compared with those before it."""
        for has_statements, group in groupby(events, lambda each: bool(each[1].stated)):
            for together in ([each] for each in group) if has_statements else [list(group)]:
                self._write_together(claims, together)
                if self._is_over():
                    return

    def _write_together(self, claims: Claims, events: "list[tuple[Payload, PreparedEvent]]") -> None:
        """Write events together; if one of them cannot be written, write each alone and set that one aside."""
        try:
            with cpu_limit(_limit_of([payload for payload, _ in events]), kill=self._kill):
                done = self._updates.write([event for _, event in events])
        except StorageError:
            raise
        except (Exception, CpuLimitExceeded) as problem:
            if len(events) > 1:
                for each in events:
                    self._write_together(claims, [each])
            elif isinstance(problem, CpuLimitExceeded):
                self._set_aside(events[0][0])
            else:
                self._refuse(events[0][0], problem)
            return
        for payload, _ in events:
            claims.done(payload)
        for written in done:
            self.counts["skipped" if written in ("twice", "known") else written] += 1

    def _set_aside(self, payload: Payload) -> None:
        """Keep a payload that takes too long for a newer version."""
        self._spool.set_aside(payload)
        self.counts["stuck"] += 1

    def _refuse(self, payload: Payload, problem: BaseException) -> None:
        """Set a payload aside, its secrets replaced; if even that cannot be done, only its reason is kept."""
        reason = str(problem) if isinstance(problem, BadPayload) else f"{type(problem).__name__}: {problem}"
        told, excerpt = type(problem).__name__, ""
        with suppress(Exception, CpuLimitExceeded), cpu_limit(LIMIT_CPU_S, kill=self._kill):
            told = redact(reason).text[:500]
            # Cut after secrets are out: half a key is not recognised as one.
            excerpt = redact(payload.read()[: 8 * BAD_BYTES].decode("utf-8", "replace")).text
        self._spool.refuse(payload, told, excerpt)
        self.counts["bad"] += 1


def _limit_of(payloads: "Sequence[Payload]") -> float:
    """Return the CPU time that these payloads may take."""
    size = 0
    for payload in payloads:
        with suppress(OSError):
            size += payload.path.stat().st_size
    return LIMIT_CPU_S + LIMIT_CPU_S_PER_BYTE * size
