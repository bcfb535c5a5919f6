"""Background drain: a thread of a server that lets a child process drain the spool.

    poll, search, ingest ─► orders ─► thread ─► child process ─► outcome of the payloads

A regular expression holds Python's global lock, and only the main thread of a process can interrupt one. So a server
leaves payloads to the main thread of a child, which ends when its input ends. A search waits for it only a short time.
"""

import queue
import signal
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import msgspec

from recollect.code.process_pool import Process, serve
from recollect.engine.context import Worker
from recollect.model import Ingested
from recollect.settings import SETTINGS, Settings, Sourced

if TYPE_CHECKING:
    from concurrent.futures import Future

    from recollect.capture.spool import Spool
    from recollect.engine.models.embedding_queue import Embedding

# Payloads of one drain: some seconds of work.
DRAIN = 500
# How often it polls the spool.
POLL_S = 2.0
# How long a search waits for the child: while it starts, and once it runs. The start of a session waits as for a start:
# for its first statement the child loads the models.
START_S = 3.0
WAIT_S = 1.0
# A child without work is ended after this long: it holds 30 MB and takes 0.3 CPU s to start.
IDLE_S = 300.0
# How long closing waits for the payload at hand, and then for the child to die.
STOP_S = 5.0

Order = tuple[int, "Future[Ingested] | None"]


class BackgroundDrain(Worker):
    """Drains the spool in a child process.

    drain_here: drains in this thread, for systems that cannot start the child
    upkeep: called after each poll
    """

    thread_name = "recollect-capture"
    stop_s = STOP_S

    def __init__(
        self,
        settings: Settings,
        stop: threading.Event,
        *,
        embedding: "Embedding",
        drain_here: Callable[[int], Ingested],
        upkeep: Callable[[], None],
    ) -> None:
        super().__init__()
        self._settings = settings
        self._stop = stop
        self._drain_here = drain_here
        self._embedding = embedding
        self._upkeep = upkeep
        self._orders: queue.SimpleQueue[Order | None] = queue.SimpleQueue()
        self._child: DrainProcess | None = None
        self._begun_at: float | None = None

    def stop(self) -> None:
        """End the thread and its child, after the current payload if that is quick; set `stop` before."""
        self._orders.put(None)
        thread = self._thread
        if thread is None or thread is threading.current_thread():
            return
        for is_kill in (False, True):
            if (child := self._child) is not None:
                child.kill() if is_kill else child.terminate()
            thread.join(timeout=self.stop_s)
            if not thread.is_alive():
                return

    def drain(self, limit: int) -> Ingested:
        """Return the outcome of up to `limit` payloads, once they are done."""
        return self._ask(limit, None)

    def catch_up(self, limit: int, *, is_patient: bool) -> None:
        """Wait a short time for up to `limit` payloads; less if the child has been at it already, unless patient."""
        begun_at = self._begun_at
        if self._child is None or is_patient:
            wait_s = START_S
        elif begun_at is None:
            wait_s = WAIT_S
        else:
            wait_s = max(0.0, begun_at + WAIT_S - time.monotonic())
        self._ask(limit, wait_s)

    def _ask(self, limit: int, wait_s: float | None) -> Ingested:
        from concurrent.futures import Future

        spool = self._spool()
        if spool.is_empty():
            return Ingested()
        self.start()
        asked: Future[Ingested] = Future()
        self._orders.put((limit, asked))
        with suppress(TimeoutError):
            if not self._stop.is_set():  # else the thread may be gone
                return asked.result(wait_s)
        return Ingested(waiting=spool.waiting(), notes=("hook events are still being processed",))

    def _work(self) -> None:
        used_at = time.monotonic()
        try:
            while not self._stop.is_set() and (order := self._next()) is not None:
                limit, asked = order
                done = self._drained(limit)
                if asked is not None:
                    asked.set_result(done)
                if done.taken:
                    used_at = time.monotonic()
                elif time.monotonic() - used_at > IDLE_S:
                    self._dismiss()
                with suppress(Exception):  # the next poll tries again
                    self._upkeep()
        finally:
            self._dismiss()
            while not self._orders.empty():
                left = self._orders.get()
                if left is not None and left[1] is not None:
                    left[1].set_result(Ingested())

    def _next(self) -> Order | None:
        try:
            return self._orders.get(timeout=POLL_S)
        except queue.Empty:
            return DRAIN, None

    def _drained(self, limit: int) -> Ingested:
        """Let the child drain, or this thread where no child can be started. Never raises."""
        try:
            if self._spool().is_empty():
                return Ingested()
            try:
                child = self._child = self._child or DrainProcess(self._settings)
            except OSError:  # no more processes
                return self._drain_here(limit)
            self._begun_at = time.monotonic()
            done = child.drain(limit)
            if done is None:
                self._dismiss()
                return Ingested(notes=("the process that handles hook events died",))
            if done.stored:
                self._embedding.wake()
            return done
        except Exception as problem:  # the payloads wait in the spool
            return Ingested(notes=(f"cannot process queued hook events: {type(problem).__name__}: {problem}",))
        finally:
            self._begun_at = None

    def _spool(self) -> "Spool":
        from recollect.capture.spool import Spool

        return Spool(self._settings.home_path)

    def _dismiss(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            child.end()


# --- the child ---

# The engine is handed in, because this module is part of it.
_START = (
    "import sys; sys.path.insert(0, {!r}); from recollect.engine import Engine; "
    "from recollect.engine.sessions.background_drain import main; main(lambda settings: Engine(settings).capture)"
)


class DrainOrder(NamedTuple):
    """An order to the child: become an engine with these settings, or drain up to `limit` payloads."""

    limit: int = 0
    settings: dict[str, Any] | None = None


class Drainer(Protocol):
    """The capture of an engine, as the child uses it."""

    def drain_here(self, limit: int, *, kill: bool) -> Ingested:
        """Drain the spool in this thread."""
        ...

    def halt(self) -> None:
        """Stop the running drain after its payload."""
        ...


class DrainProcess(Process):
    """The child, as its parent sees it."""

    def __init__(self, settings: Settings) -> None:
        """Start it; return when it can drain. Raises OSError where it cannot be started."""
        super().__init__(_START)
        if self._ask(DrainOrder(settings={row.setting.name: row.value for row in settings.rows()})) is None:
            self.end()
            raise OSError("the process that handles hook events did not start")

    def drain(self, limit: int) -> Ingested | None:
        """Drain the spool; None if the child died over it."""
        return self._ask(DrainOrder(limit))

    def _ask(self, order: DrainOrder) -> Ingested | None:
        answer = self.exchange(msgspec.msgpack.encode(order))
        return None if answer is None else msgspec.msgpack.decode(answer, type=Ingested)


def main(open_capture: Callable[[Settings], Drainer]) -> None:
    """Drain the spool at each order, until the input ends."""
    # Ctrl-C reaches every process of a terminal; the parent decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    decoder = msgspec.msgpack.Decoder(DrainOrder)
    capture: Drainer | None = None

    def answer(content: bytes) -> bytes:
        nonlocal capture
        order = decoder.decode(content)
        if order.settings is not None:
            rows = {row.name: Sourced(row, order.settings[row.name], "parent process") for row in SETTINGS}
            opened = capture = open_capture(Settings(rows))
            signal.signal(signal.SIGTERM, lambda *_: opened.halt())
            return msgspec.msgpack.encode(Ingested())
        assert capture is not None  # noqa: S101 - settings come first
        return msgspec.msgpack.encode(capture.drain_here(order.limit, kill=True))

    try:
        serve(sys.stdin.buffer, sys.stdout.buffer, answer)
    except BrokenPipeError:
        return  # the parent is gone
