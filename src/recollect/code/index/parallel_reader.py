"""Reading files with all cores: processes of our own, so that one that dies of a file takes nothing with it.

Workers limit their memory and CPU time, because a grammar can need gigabytes for a few kilobytes. So every file is read
by a worker, and one worker is kept for the next call. A file that takes too much is kept as failed; it is read again
when it changes, or when recollect does.

Each worker has a thread that gives it one order at a time and hands the answers to the caller; what is in flight is
bounded by one order per worker and a short queue. When a worker dies or does not answer in time, its order is given
file by file to a new one; the file that this one dies of, too, is skipped with a note.

Not multiprocessing: its ways of starting processes either copy a process that may have threads, or run the caller's
main module again, and its pools give up as a whole when one process dies.
"""

from __future__ import annotations

import atexit
import os
import queue
import signal
import threading
import time
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress

import msgspec

from recollect.code.index.file_reader import Task
from recollect.code.index.languages import BY_EXTENSION
from recollect.code.index.worker import TOO_LONG, Answer, Order, answer, failed
from recollect.code.process_pool import Process

# An order is as many files as make up this many bytes, a tenth of a second of work, or this many files.
ORDER_BYTES = 262_144
ORDER_FILES = 64
# A worker takes 0.2 s to start and up to half a second to load its grammars, and it meets every word anew: for
# each there must be two seconds of work.
BYTES_EACH = 4_000_000
MIN_BYTES = 2 * BYTES_EACH
# Reading a program takes four times as long as reading a file for the index.
MIN_PROGRAM_BYTES = MIN_BYTES // 4
# The process that writes keeps up with about this many that read.
MAX_WORKERS = 12
# An order takes a tenth of a second and no file of two megabytes a second; what takes this long never ends.
TIMEOUT_S = 60.0
# How long a worker is kept for the next call: it holds 50 MB.
IDLE_S = 120.0
# How a worker ends that used more CPU time than it may; Windows has no such signals.
OUT_OF_TIME = tuple(-getattr(signal, name, 0) for name in ("SIGPROF", "SIGVTALRM"))
# How often the caller looks for workers that are overdue.
LOOK_S = 1.0

_START = "import sys; sys.path.insert(0, {!r}); from recollect.code.index.worker import main; main()"


def read_all(
    root: str,
    tasks: Sequence[Task],
    *,
    max_bytes: int,
    workers: int = 0,
    timeout_s: float = TIMEOUT_S,
    programs: bool = False,
) -> Iterator[list[Answer]]:
    """Yield the answers to all tasks, some at a time, in no particular order.

    workers: how many processes; 0 for one per core.
    programs: read programs, not what the index keeps.
    """
    # Files of a language together: a grammar takes up to half a second to load, and most workers need few of them.
    orders = list(_orders(Order(os.fsencode(root), max_bytes, [], programs), sorted(tasks, key=_language)))
    if not orders:
        return
    size = sum(task.size_bytes for task in tasks if _suffix(task) in BY_EXTENSION)  # pictures are read in no time
    is_little = size < (MIN_PROGRAM_BYTES if programs else MIN_BYTES)
    # Reading programs takes several times as long, and who says how many there are to be knows why.
    useful = MAX_WORKERS if programs or workers else max(1, size // BYTES_EACH)
    count = 1 if is_little else min(workers or cores(), MAX_WORKERS, len(orders), useful)
    crew = _Crew(orders, count, timeout_s)
    try:
        yield from crew.answers()
    finally:
        crew.stop()


def _suffix(task: Task) -> str:
    return task.path[task.path.rfind(".") :]


def _language(task: Task) -> str:
    suffix = _suffix(task)
    language = BY_EXTENSION.get(suffix)
    return language.name if language else suffix


def _orders(order: Order, tasks: Iterable[Task]) -> Iterator[Order]:
    """Yield orders like the one given, with some of the tasks each."""
    gathered: list[Task] = []
    size = 0
    for task in tasks:
        gathered.append(task)
        size += task.size_bytes
        if size >= ORDER_BYTES or len(gathered) >= ORDER_FILES:
            yield order._replace(tasks=gathered)
            gathered, size = [], 0
    if gathered:
        yield order._replace(tasks=gathered)


def cores() -> int:
    """Return how many processors this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # only Linux tells
        return os.cpu_count() or 1


class _Crew:
    """Workers, a thread for each, and what they have found."""

    def __init__(self, orders: list[Order], count: int, timeout_s: float) -> None:
        # Neighbours are given to one worker: files of a folder share words, and those of a language its grammar.
        each = len(orders) / count
        self._shares = [deque(orders[round(place * each) : round((place + 1) * each)]) for place in range(count)]
        self._left = len(orders)
        self._found: queue.Queue[list[Answer] | BaseException] = queue.Queue(maxsize=2 * count)
        self._is_stopped = False
        self._timeout_s = timeout_s
        self._workers: set[_Worker] = set()
        self._lock = threading.Lock()
        self._threads = [
            threading.Thread(target=self._run, args=(share,), name="recollect-index", daemon=True)
            for share in self._shares
        ]
        for thread in self._threads:
            thread.start()

    def answers(self) -> Iterator[list[Answer]]:
        """Yield what is found, an order at a time."""
        while self._left:
            try:
                found = self._found.get(timeout=LOOK_S)
            except queue.Empty:
                self._end_overdue()
                continue
            if isinstance(found, BaseException):
                raise found
            self._left -= 1
            yield found
        for thread in self._threads:  # each keeps or ends its worker
            thread.join()

    def stop(self) -> None:
        """End all workers; what they have in hand is lost, which nobody was promised."""
        self._is_stopped = True
        while any(thread.is_alive() for thread in self._threads):
            with self._lock:
                for worker in self._workers:
                    worker.kill()
            with suppress(queue.Empty):
                self._found.get(timeout=0.01)

    def _end_overdue(self) -> None:
        with self._lock:
            for worker in self._workers:
                if worker.busy_s() > self._timeout_s:
                    worker.is_overdue = True
                    worker.kill()

    def _order(self, share: deque[Order]) -> Order | None:
        """Return the next order of a share; when it is done, the last order of the share with most left."""
        with self._lock:
            if share:
                return share.popleft()
            most = max(self._shares, key=len)
            return most.pop() if most else None

    def _run(self, share: deque[Order]) -> None:
        """Give orders to one worker after the other, until there are no more."""
        worker: _Worker | None = None
        try:
            while not self._is_stopped and (order := self._order(share)):
                found: list[Answer] = []
                waiting = [order]
                while waiting and not self._is_stopped:
                    part = waiting.pop(0)
                    try:
                        worker = worker or self._hire()
                    except OSError:  # no more processes, or none at all: then in this one
                        found += [answer(part, task) for task in part.tasks]
                        continue
                    answers = worker.ask(part)
                    if answers is None:
                        self._dismiss(worker)
                        waiting[:0] = _alone(part)
                        answers = [failed(part, part.tasks[0], worker.complaint)] if len(part.tasks) == 1 else []
                        worker = None
                    found += answers
                self._found.put(found)
        except BaseException as problem:  # the caller must not wait for ever
            self._found.put(problem)
        finally:
            if worker is not None:
                self._release(worker)

    def _hire(self) -> _Worker:
        worker = SPARE.take()
        with self._lock:
            self._workers.add(worker)
        return worker

    def _dismiss(self, worker: _Worker) -> None:
        with self._lock:
            self._workers.discard(worker)
        worker.end()

    def _release(self, worker: _Worker) -> None:
        """Keep a worker that has done its share; one of many has read too much to be worth keeping."""
        with self._lock:
            self._workers.discard(worker)
            is_kept = len(self._shares) == 1 and not self._is_stopped
        SPARE.keep(worker) if is_kept else worker.end()


def _alone(order: Order) -> list[Order]:
    """Return an order that failed as one order per file; one of a single file is given up."""
    return [order._replace(tasks=[task]) for task in order.tasks] if len(order.tasks) > 1 else []


class Spare:
    """The one worker that a process keeps between calls, so that a small update does not wait for a start."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._worker: _Worker | None = None
        self._timer: threading.Timer | None = None

    def take(self) -> _Worker:
        """Return a worker for the caller alone: the kept one, or a new one."""
        with self._lock:
            worker, self._worker = self._worker, None
            if self._timer:
                self._timer.cancel()
        if worker is not None and worker.exit_code is None:
            return worker
        if worker is not None:
            worker.end()
        return _Worker()

    def keep(self, worker: _Worker) -> None:
        """Keep a worker for the next call, or end it if there is one already."""
        with self._lock:
            if self._worker is None:
                self._worker = worker
                self._timer = threading.Timer(IDLE_S, self._end, (worker,))
                self._timer.daemon = True
                self._timer.start()
                return
        worker.end()

    def end(self) -> None:
        """End the worker that is kept."""
        self._end(self._worker)

    def _end(self, worker: _Worker | None) -> None:
        with self._lock:
            if worker is None or worker is not self._worker:
                return  # taken meanwhile
            self._worker = None
            if self._timer:
                self._timer.cancel()
        worker.end()

    def forget(self) -> None:
        """Leave the worker to the process that was forked."""
        if self._worker:
            self._worker.close()
        self.__init__()  # type: ignore[misc]


def is_parsed(language: str, text: bytes) -> bool:
    """Return whether a worker can parse a text within its limits."""
    try:
        worker = SPARE.take()
    except OSError:  # no process can be started: then there are no limits
        return True
    if worker.ask(Order(b"", 0, [], language=language, text=text)) is None:
        worker.end()
        return False
    SPARE.keep(worker)
    return True


class _Worker(Process):
    """One process that reads files."""

    def __init__(self) -> None:
        super().__init__(_START)
        self._encoder = msgspec.msgpack.Encoder()
        self._decoder = msgspec.msgpack.Decoder(list[Answer])
        self._asked_at = 0.0
        self.is_overdue = False

    @property
    def complaint(self) -> str:
        """What reading a file did to it."""
        is_late = self.is_overdue or self.exit_code in OUT_OF_TIME
        return TOO_LONG if is_late else f"crashes the parser (exit code {self.exit_code})"

    def busy_s(self) -> float:
        """Return how long it has been at its order; 0 while it has none."""
        return time.monotonic() - self._asked_at if self._asked_at else 0.0

    def ask(self, order: Order) -> list[Answer] | None:
        """Return the answers to an order, or None if the worker died over it."""
        self._asked_at = time.monotonic()
        try:
            found = self.exchange(self._encoder.encode(order))
        finally:
            self._asked_at = 0.0
        return None if found is None else self._decoder.decode(found)


SPARE = Spare()
atexit.register(SPARE.end)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=SPARE.forget)
