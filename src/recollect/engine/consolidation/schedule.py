"""Schedule: a server runs the cycles of consolidation by itself, when nobody is busy and each is due.

    every minute ─► idle? ─► due? ─► entered in the log, by one process alone ─► planned ─► applied

Decay daily, creative weekly, cluster monthly, and never forget; coding memories evolve weekly where the setting evolve
says so. A cycle whose last run somebody took back is left alone until it is asked for: whoever undid it does not want
it back tomorrow.
"""

import threading
from contextlib import suppress
from typing import TYPE_CHECKING

from recollect import clock
from recollect.errors import RecollectError
from recollect.model import Change, Consolidation, CycleType, RunType

if TYPE_CHECKING:
    from recollect.engine.root import Engine

DAY_S = 86_400
# How often a server runs a cycle by itself, as document 002 has it. Forgetting is always asked for.
EVERY_S: dict[CycleType, int] = {"decay": DAY_S, "creative": 7 * DAY_S, "cluster": 30 * DAY_S, "forget": 0}
# How often coding memories evolve by themselves, where they may: as often as they are linked anew.
EVOLVE_S = 7 * DAY_S
# How often the worker looks, and for how many looks in a row nothing may have been written: five minutes without a
# hook, a memory or a vector. Then nobody waits for the processor.
POLL_S = 60.0
QUIET_LOOKS = 5
# A run that has not finished after so long was stopped; the rest of it is done by whoever looks next.
LOST_S = 3_600
# How long closing waits for the steps at hand.
STOP_S = 5.0


class Schedule:
    """Runs cycles that are due in a thread of this process."""

    def __init__(self, engine: "Engine") -> None:
        self._engine = engine
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._seen: tuple[int, int, int] | None = None
        self._quiet = 0

    @property
    def running(self) -> bool:
        """Whether a thread of this process runs cycles."""
        return self._thread is not None and self._thread.is_alive()

    def due_at(self, cycle: RunType) -> int | None:
        """Return when a cycle is due by itself; None if it never is, or was taken back."""
        every_s = every(cycle)
        store = self._engine.store
        last = store.find(Consolidation, {"cycle_type": cycle}, order="-id", limit=1)
        if not every_s or (last and last[0].undone_at):
            return None
        if last:
            (row,) = last
            return row.run_at + (every_s if row.finished_at else min(LOST_S, every_s))
        # A new store has nothing to put in order: it gets as old as the cycle is long first.
        first = store.find(Change, order="seq", limit=1)
        return first[0].at + every_s if first else None

    def run_due(self) -> tuple[RunType, ...]:
        """Run everything that may run by itself, is due and that no other process has begun; return what was run."""
        done: list[RunType] = []
        for cycle in self.wanted:
            due_at = self.due_at(cycle)
            if due_at is None or due_at > clock.now() or self._stop.is_set():
                continue
            if self._run(cycle):
                done.append(cycle)
        return tuple(done)

    @property
    def wanted(self) -> tuple[RunType, ...]:
        """What the settings let run by itself."""
        settings = self._engine.settings
        return (*(EVERY_S if settings.consolidate else ()), *(("evolve",) if settings.evolve else ()))

    def _run(self, cycle: RunType) -> bool:
        if cycle != "evolve":
            return self._engine.consolidation.run_scheduled(cycle)
        return self._engine.snippet_evolution.evolve_scheduled(every_s=EVOLVE_S, lost_s=LOST_S)

    def is_idle(self) -> bool:
        """Look at the store; tell whether nothing was written for so many looks in a row."""
        now = self._engine.store.generation()
        self._quiet = self._quiet + 1 if now == self._seen else 0
        self._seen = now
        return self._quiet >= QUIET_LOOKS

    def start(self) -> None:
        """Start the worker thread, once, where the settings let it."""
        if self._thread is None and not self._stop.is_set() and self.wanted:
            self._thread = threading.Thread(target=self._work, name="recollect-consolidation", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """Stop the worker after the steps at hand; the rest of a plan is made anew the next time."""
        self._stop.set()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join(timeout=STOP_S)

    @property
    def stopping(self) -> bool:
        """Whether a running plan should stop."""
        return self._stop.is_set()

    def _work(self) -> None:
        while not self._stop.wait(POLL_S):
            # Whatever is wrong with the store, the next look tries again.
            with suppress(RecollectError, OSError):
                if self.is_idle() and not self._engine.store.describe().read_only:
                    self.run_due()


def every(cycle: RunType) -> int:
    """Return how often something runs by itself, in seconds; 0: never."""
    return EVOLVE_S if cycle == "evolve" else EVERY_S[cycle]
