"""Background jobs for the language model, run by any process that is idle.

    put, in the transaction of what it is about ─► taken, by one process at a time ─► done ─► dropped

What hooks saw is stored as it is, at once; a model is slow, may be down, and may be killed with the process that waits
for it. So what it could do better is left here and done later: by a server in the background, by `ingest` after it has
drained the spool. Whatever goes wrong, the memory stays what it was.
"""

import threading
import time
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING

from recollect import clock
from recollect.engine.models.llm import PROMPT_STATUSES
from recollect.errors import BudgetSpent, ConfigError, ModelFailed, RecollectError
from recollect.model import Errand, ErrandKind
from recollect.store.protocol import Range, Transaction

if TYPE_CHECKING:
    from recollect.engine.models.llm import Language
    from recollect.engine.root import Engine

# The lease of a job: longer than any model timeout. After it another process may take the job.
LEASE_S = 1_800
# After so many failures it is the errand, not the model: what it was about stays as it is.
TRIES = 3
# What nobody had the time or the budget for within a week stays as it is, too.
KEPT_S = 7 * 86_400
# How often a server looks for errands, and how long closing waits for the one at hand.
POLL_S = 5.0
STOP_S = 5.0
# How long a command works on errands, besides the one it has begun.
PATIENCE_S = 20.0


def put(transaction: Transaction, kind: ErrandKind, target: str, *, wait_s: int = 0) -> None:
    """Queue a job for the language model, not before `wait_s`; a queued job is rescheduled."""
    now = clock.now()
    errand = Errand(id=f"{kind} {target}", kind=kind, target=target, made_at=now, due_at=now + wait_s)
    if transaction.get(Errand, [errand.id]):
        transaction.update(Errand, errand.id, {"made_at": now, "due_at": errand.due_at, "tries": 0})
    else:
        transaction.insert(errand)


def drop(transaction: Transaction, kind: ErrandKind, target: str) -> None:
    """Remove a job from the queue, if it is there."""
    transaction.delete(Errand, {"id": f"{kind} {target}"})


class Errands:
    """The queue of jobs for the language model."""

    def __init__(self, engine: "Engine") -> None:
        self._engine = engine
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    @property
    def wanted(self) -> tuple[ErrandKind, ...]:
        """What the settings of this process let a language model do."""
        settings = self._engine.settings
        switches: dict[ErrandKind, bool] = {
            "compress": settings.compress_provider != "none",
            "summarise": settings.summaries == "model",
        }
        return tuple(kind for kind, is_on in switches.items() if is_on)

    def leave(self, transaction: Transaction, kind: ErrandKind, target: str, *, wait_s: int = 0) -> None:
        """Leave something for a language model to do, where the settings let it."""
        if kind in self.wanted:
            put(transaction, kind, target, wait_s=wait_s)

    @property
    def running(self) -> bool:
        """Whether a thread of this process works on errands."""
        return self._thread is not None and self._thread.is_alive()

    def waiting(self) -> dict[str, int]:
        """Return how many errands wait, by kind."""
        return self._engine.store.tally(Errand, "kind")

    def run(self, *, only: ErrandKind | None = None, patience_s: float = PATIENCE_S) -> Counter[str]:
        """Do what is due, the longest waiting first; return how much of each kind was done.

        Begins nothing more after `patience_s`, and of a kind nothing more once its model has failed or its budget is
        spent. Never raises for either: what is not done waits.

        only: just this kind, if the settings let a language model do it
        """
        left = {kind for kind in self.wanted if only in (None, kind)}
        done: Counter[str] = Counter()
        deadline = time.monotonic() + patience_s
        while left and not self._stop.is_set() and time.monotonic() < deadline:
            left -= {kind for kind in left if not self._is_able(kind)}
            errand = self._take(left) if left else None
            if errand is None:
                break
            if self._do(errand):
                done[errand.kind] += 1
            elif self._engine.store.get(Errand, [errand.id]):  # it waits: its model does not work
                left.discard(errand.kind)
        return done

    def _is_able(self, kind: ErrandKind) -> bool:
        """Whether the model of a kind can be asked now: it is neither left alone nor out of budget."""
        try:
            voice = self._voice(kind)
            if not voice.model_id:
                return False
            voice.afford(calls=1, tokens=1)
        except (ModelFailed, ConfigError):
            return False
        return True

    def _voice(self, kind: ErrandKind) -> "Language":
        return self._engine.compressor if kind == "compress" else self._engine.llm

    def _take(self, kinds: Collection[ErrandKind]) -> Errand | None:
        """Return an errand that nobody else will take for a while; None if none is due."""
        now = clock.now()
        due = {"kind": tuple(sorted(kinds)), "due_at": Range(below=now + 1)}
        # Looking costs no lock; most of the time there is nothing.
        if not self._engine.store.find(Errand, due, limit=1):
            return None
        with self._engine.store.transaction("take_errand") as transaction:
            transaction.delete(Errand, {"made_at": Range(below=now - KEPT_S)})
            transaction.delete(Errand, {"tries": Range(at_least=TRIES), "due_at": Range(below=now + 1)})
            rows = transaction.find(Errand, due, order="due_at", limit=1)
            if not rows:
                return None
            return transaction.update(Errand, rows[0].id, {"due_at": now + LEASE_S, "tries": rows[0].tries + 1})

    def _do(self, errand: Errand) -> bool:
        """Do one errand; it is gone afterwards, or due again where that is worth a try. Tells whether it was done."""
        try:
            is_done = _DOINGS[errand.kind](self._engine, errand.target)
        except BudgetSpent:
            self._give_back(errand, counted=False)
            return False
        except ModelFailed as problem:
            if problem.details.get("status") in PROMPT_STATUSES:
                self._drop(errand)
            else:
                self._give_back(errand, counted=True)
            return False
        self._drop(errand)
        return is_done

    def _drop(self, errand: Errand) -> None:
        with self._voice(errand.kind).books() as store, store.transaction("drop_errand") as transaction:
            drop(transaction, errand.kind, errand.target)

    def _give_back(self, errand: Errand, *, counted: bool) -> None:
        """Let an errand be taken again at once; how long its model is left alone is the ledger's business."""
        values = {"due_at": clock.now(), "tries": errand.tries if counted else errand.tries - 1}
        with self._voice(errand.kind).books() as store, store.transaction("drop_errand") as transaction:
            if transaction.get(Errand, [errand.id]):
                transaction.update(Errand, errand.id, values)

    # --- in the background ---

    def start(self) -> None:
        """Work on errands in a thread until stopped, where the settings want anything done."""
        if self._thread is None and not self._stop.is_set() and self.wanted:
            self._thread = threading.Thread(target=self._work, name="recollect-errands", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """Begin nothing more, and wait a little for what is being done."""
        self._stop.set()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join(timeout=STOP_S)

    def _work(self) -> None:
        while not self._stop.wait(POLL_S):
            with suppress(RecollectError, OSError):  # what is not done waits for the next look
                self.run()


def _compress(engine: "Engine", target: str) -> bool:
    from recollect.engine.sessions.observation_compression import compress

    return compress(engine, target)


def _summarise(engine: "Engine", target: str) -> bool:
    from recollect.engine.sessions.session_llm_summary import retell

    return retell(engine, target).is_done


_DOINGS: Mapping[ErrandKind, Callable[["Engine", str], bool]] = {"compress": _compress, "summarise": _summarise}
