"""Schedule: a server runs consolidation cycles when it is idle and they are due.

    every minute ─► idle? ─► due? ─► entered in the log, by one process alone ─► planned ─► applied

Decay runs daily, creative weekly, cluster monthly, forget never; coding memories evolve weekly if the setting evolve is
on. A cycle whose last run was undone does not run again by itself.
"""

from collections.abc import Callable
from contextlib import suppress

from recollect import clock
from recollect.engine.context import Context, Worker
from recollect.errors import RecollectError
from recollect.model import Change, Consolidation, CycleType, RunType

DAY_S = 86_400
# How often a server runs a cycle by itself (document 002). Forget runs only on request.
EVERY_S: dict[CycleType, int] = {"decay": DAY_S, "creative": 7 * DAY_S, "cluster": 30 * DAY_S, "forget": 0}
# How often coding memories evolve by themselves: as often as they are linked.
EVOLVE_S = 7 * DAY_S
# How often the worker looks, and after how many looks without any write it counts as idle: five minutes without a
# hook, a memory or a vector.
POLL_S = 60.0
QUIET_LOOKS = 5
# A run that has not finished after so long was stopped; the next look starts another.
LOST_S = 3_600


class Schedule(Worker):
    """Runs cycles that are due in a thread of this process.

    run: runs a cycle; false if another process has begun it already
    """

    thread_name = "recollect-consolidation"

    def __init__(self, context: Context, run: Callable[[RunType], bool]) -> None:
        super().__init__()
        self._context = context
        self._run = run
        self._seen: tuple[int, int, int] | None = None
        self._quiet = 0

    def due_at(self, cycle: RunType) -> int | None:
        """Return when a cycle is due by itself; None if it never is, or was undone."""
        every_s = every(cycle)
        store = self._context.store
        last = store.find(Consolidation, {"cycle_type": cycle}, order="-id", limit=1)
        if not every_s or (last and last[0].undone_at):
            return None
        if last:
            (row,) = last
            return row.run_at + (every_s if row.finished_at else min(LOST_S, every_s))
        # In a new store the first run is due after one interval.
        first = store.find(Change, order="seq", limit=1)
        return first[0].at + every_s if first else None

    def run_due(self) -> tuple[RunType, ...]:
        """Run the cycles that are due and that no other process has begun; return them."""
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
        """The cycles that the settings allow to run by themselves."""
        settings = self._context.settings
        return (*(EVERY_S if settings.consolidate else ()), *(("evolve",) if settings.evolve else ()))

    def is_idle(self) -> bool:
        """Tell whether nothing was written for QUIET_LOOKS calls in a row."""
        now = self._context.store.generation()
        self._quiet = self._quiet + 1 if now == self._seen else 0
        self._seen = now
        return self._quiet >= QUIET_LOOKS

    def start(self) -> None:
        """Start the worker thread, once, if the settings allow any cycle."""
        if self.wanted:
            super().start()

    def _work(self) -> None:
        while not self._stop.wait(POLL_S):
            with suppress(RecollectError, OSError):  # the next look tries again
                if self.is_idle() and not self._context.store.describe().read_only:
                    self.run_due()


def every(cycle: RunType) -> int:
    """Return how often a cycle runs by itself, in seconds; 0: never."""
    return EVOLVE_S if cycle == "evolve" else EVERY_S[cycle]
