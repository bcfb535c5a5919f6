"""Background jobs for the language model, run by any process that is idle.

    put, with the rows it is about ─► taken by one process at a time ─► done ─► dropped

Hook events are stored at once. The model is slow, may be down, and may be killed with the process that waits for it, so
its part is queued. A server runs jobs in the background, `ingest` after it has drained the spool. A memory whose job
fails stays as it is.
"""

import time
from collections import Counter
from collections.abc import Collection
from contextlib import suppress
from typing import TYPE_CHECKING

from recollect import clock
from recollect.engine.context import Context, Worker
from recollect.engine.models.llm import PROMPT_STATUSES, Language
from recollect.errors import BudgetSpent, ConfigError, ModelFailed, RecollectError
from recollect.model import Errand, ErrandKind
from recollect.store.store_values import Range

if TYPE_CHECKING:
    from recollect.engine.sessions.model_summaries import ModelSummaries
    from recollect.store.transaction import Transaction

# The lease of a job: longer than any model timeout. After it another process may take the job.
LEASE_S = 1_800
# After so many failures the job is at fault, not the model: it is dropped.
TRIES = 3
# A job that waited for a week is dropped, too.
KEPT_S = 7 * 86_400
# How often a server looks for jobs.
POLL_S = 5.0
# How long a command starts jobs.
PATIENCE_S = 20.0


class LlmJobs(Worker):
    """The queue of jobs for the language model."""

    thread_name = "recollect-llm-jobs"

    def __init__(self, context: Context, *, llm: Language, compressor: Language, summaries: "ModelSummaries") -> None:
        super().__init__()
        self._context = context
        self._llm = llm
        self._compressor = compressor
        self._summaries = summaries

    @property
    def wanted(self) -> tuple[ErrandKind, ...]:
        """The kinds of jobs that the settings allow."""
        settings = self._context.settings
        switches: dict[ErrandKind, bool] = {
            "compress": settings.compress_provider != "none",
            "summarise": settings.summaries == "model",
        }
        return tuple(kind for kind, is_on in switches.items() if is_on)

    def put(self, transaction: "Transaction", kind: ErrandKind, target: str, *, wait_s: int = 0) -> None:
        """Queue a job, if the settings allow it, not before `wait_s`; a queued job is rescheduled."""
        if kind not in self.wanted:
            return
        now = clock.now()
        job = Errand(id=f"{kind} {target}", kind=kind, target=target, made_at=now, due_at=now + wait_s)
        if transaction.get(Errand, [job.id]):
            transaction.update(Errand, job.id, {"made_at": now, "due_at": job.due_at, "tries": 0})
        else:
            transaction.insert(job)

    def waiting(self) -> dict[str, int]:
        """Return how many jobs wait, by kind."""
        return self._context.store.tally(Errand, "kind")

    def run(self, *, only: ErrandKind | None = None, patience_s: float = PATIENCE_S) -> Counter[str]:
        """Run the jobs that are due, oldest first; return how many of each kind were done.

        It starts no job after `patience_s`, and none of a kind whose model has failed or whose budget is spent. It does
        not raise for either: those jobs wait.

        only: just this kind, if the settings allow it
        """
        left = {kind for kind in self.wanted if only in (None, kind)}
        done: Counter[str] = Counter()
        deadline = time.monotonic() + patience_s
        while left and not self._stop.is_set() and time.monotonic() < deadline:
            left -= {kind for kind in left if not self._is_able(kind)}
            job = self._take(left) if left else None
            if job is None:
                break
            if self._do(job):
                done[job.kind] += 1
            elif self._context.store.get(Errand, [job.id]):  # it waits: its model does not work
                left.discard(job.kind)
        return done

    def _is_able(self, kind: ErrandKind) -> bool:
        """Whether the model of a kind can be asked now: it is neither paused nor out of budget."""
        try:
            model = self._model(kind)
            if not model.model_id:
                return False
            model.afford(calls=1, tokens=1)
        except (ModelFailed, ConfigError):
            return False
        return True

    def _model(self, kind: ErrandKind) -> Language:
        return self._compressor if kind == "compress" else self._llm

    def _take(self, kinds: Collection[ErrandKind]) -> Errand | None:
        """Return a job that no other process takes for a while; None if none is due."""
        now = clock.now()
        due = {"kind": tuple(sorted(kinds)), "due_at": Range(below=now + 1)}
        # Reading costs no lock; most of the time there is nothing.
        if not self._context.store.find(Errand, due, limit=1):
            return None
        with self._context.store.transaction("take_errand") as transaction:
            transaction.delete(Errand, {"made_at": Range(below=now - KEPT_S)})
            transaction.delete(Errand, {"tries": Range(at_least=TRIES), "due_at": Range(below=now + 1)})
            rows = transaction.find(Errand, due, order="due_at", limit=1)
            if not rows:
                return None
            return transaction.update(Errand, rows[0].id, {"due_at": now + LEASE_S, "tries": rows[0].tries + 1})

    def _do(self, job: Errand) -> bool:
        """Run one job and drop it, or release it where another try may work. Tells whether it was done."""
        try:
            if job.kind == "compress":
                is_done = self._summaries.compress(job.target)
            else:
                is_done = self._summaries.summarise_session(job.target).is_done
        except BudgetSpent:
            self._release(job, tries=job.tries - 1)
            return False
        except ModelFailed as problem:
            # A prompt that the model refuses would be refused again.
            self._release(job, tries=None if problem.details.get("status") in PROMPT_STATUSES else job.tries)
            return False
        self._release(job, tries=None)
        return is_done

    def _release(self, job: Errand, *, tries: int | None) -> None:
        """Let a job be taken again at once; without `tries`, drop it."""
        with self._model(job.kind).books() as store, store.transaction("drop_errand") as transaction:
            if tries is None:
                transaction.delete(Errand, {"id": job.id})
            elif transaction.get(Errand, [job.id]):
                transaction.update(Errand, job.id, {"due_at": clock.now(), "tries": tries})

    # --- in the background ---

    def start(self) -> None:
        """Run jobs in a thread until stopped, where the settings allow any."""
        if self.wanted:
            super().start()

    def _work(self) -> None:
        while not self._stop.wait(POLL_S):
            with suppress(RecollectError, OSError):  # the next poll tries again
                self.run()
