"""Read files in child processes, on all cores.

Every file is read by a child, which limits its memory and CPU time. When a child dies or does not answer in time, its
files are given one by one to new ones; a file that ends its child alone, too, is kept as failed. It is read again when
it changes, or when recollect does.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, wait
from typing import Literal, NamedTuple

import msgspec

from recollect.clock import CpuLimitExceeded, cpu_limit
from recollect.code.index.file_reader import Task, read, time_of
from recollect.code.index.file_walk import real
from recollect.code.index.languages import BY_EXTENSION
from recollect.code.process_pool import MAX_WORKERS, Job, JobFailed, ProcessPool, cores, loaded
from recollect.store.code_rows import IndexedFile, Touched

# An order is as many files as make up this many bytes, a tenth of a second of work, or this many files.
ORDER_BYTES = 262_144
ORDER_FILES = 64
# A child takes 0.2 s to start and up to half a second to load its grammars, and its caches are empty: for each there
# must be two seconds of work.
BYTES_EACH = 4_000_000
MIN_BYTES = 2 * BYTES_EACH
# Reading a program takes four times as long as reading a file for the index.
MIN_PROGRAM_BYTES = MIN_BYTES // 4
# Orders in flight or waiting for the caller, for each child.
PENDING_EACH = 3
# An order takes a tenth of a second and no file of two megabytes a second; what takes this long never ends.
TIMEOUT_S = 60.0
# CPU time for one file. No file of two megabytes takes two seconds. Native code is ended after twice this time.
LIMIT_CPU_S = 15.0
TOO_LONG = "takes too long"
# Twice the timeout in CPU time, if no caller waits. Memory: two megabytes of ordinary code take 80 MB and eight
# take 200 MB. Grammars can take gigabytes for a few kilobytes that are no code.
READ = Job("recollect.code.index.parallel_reader:read_order", cpu_s=2 * TIMEOUT_S, memory_bytes=1 << 30)
# What is read of each file: its index entry, its program, or both from one parse.
Wanted = Literal["files", "programs", "both"]
# Readers of programs. By name: they import this module, and the index does not need them.
TRANSLATE = "recollect.code.links.file_programs:translate"
READ_BOTH = "recollect.code.links.file_programs:read_both"


class Order(NamedTuple):
    """Files to read below a root.

    root: as the file system has it, which need not be Unicode
    """

    root: bytes
    max_bytes: int
    tasks: list[Task]
    wanted: Wanted = "files"


class Translated(NamedTuple):
    """A file's program, what is known of it without reading it, and as much as others can see of it, all packed.

    hash: of the content it was read from; note: why there is none, or how much is missing
    """

    path: str
    hash: str
    outline: bytes = b""
    face: bytes = b""
    content: bytes = b""
    note: str = ""


class Answer(NamedTuple):
    """The result of a read: the file or that only its time changed; its program."""

    file: IndexedFile | None
    touched: Touched | None = None
    program: Translated | None = None


_encode = msgspec.msgpack.Encoder().encode
_decode_order = msgspec.msgpack.Decoder(Order).decode
_decode_answers = msgspec.msgpack.Decoder(list[Answer]).decode


def read_all(
    root: str,
    tasks: Sequence[Task],
    *,
    max_bytes: int,
    workers: int = 0,
    timeout_s: float = TIMEOUT_S,
    wanted: Wanted = "files",
) -> Iterator[list[Answer]]:
    """Yield the answers to all tasks, some at a time; by language and in order if one process reads.

    workers: how many processes; 0 for one per core.
    """
    # Files of a language together: a grammar takes up to half a second to load, and most children need few of them.
    orders = list(_orders(Order(os.fsencode(root), max_bytes, [], wanted), sorted(tasks, key=_language)))
    if not orders:
        return
    count = min(useful_workers(tasks, workers, programs=wanted != "files"), len(orders))
    shares = _Shares(orders, count)
    with ProcessPool(count) as pool:
        waiting = [pool.submit(_read, pool, shares, timeout_s) for _ in orders[: PENDING_EACH * count]]
        unasked = len(orders) - len(waiting)
        while waiting:
            done = wait(waiting, return_when=FIRST_COMPLETED).done
            # A set has no order; one process answers in order, so that a small tree gets the same ids every time.
            for answers in [each for each in waiting if each in done]:
                waiting.remove(answers)
                if unasked:
                    waiting.append(pool.submit(_read, pool, shares, timeout_s))
                    unasked -= 1
                yield answers.result()


def useful_workers(tasks: Iterable[Task], workers: int = 0, *, programs: bool = False) -> int:
    """Return how many processes are worth starting for some files."""
    size = sum(task.size_bytes for task in tasks if _suffix(task) in BY_EXTENSION)  # pictures are read in no time
    if size < (MIN_PROGRAM_BYTES if programs else MIN_BYTES):
        return 1
    # Reading programs takes several times as long; a caller that says how many knows why.
    useful = MAX_WORKERS if programs or workers else max(1, size // BYTES_EACH)
    return min(workers or cores(), MAX_WORKERS, useful)


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


class _Shares:
    """Orders, neighbours for one thread: files of a folder share words, and those of a language its grammar."""

    def __init__(self, orders: list[Order], count: int) -> None:
        each = len(orders) / count
        self._shares = [deque(orders[round(place * each) : round((place + 1) * each)]) for place in range(count)]
        self._places: dict[int, int] = {}  # of threads
        self._lock = threading.Lock()

    def next(self) -> Order:
        """Return the next order of the calling thread's share; then the last of the share with most left."""
        with self._lock:
            own = self._shares[self._places.setdefault(threading.get_ident(), len(self._places))]
            return own.popleft() if own else max(self._shares, key=len).pop()


def _read(pool: ProcessPool, shares: _Shares, timeout_s: float) -> list[Answer]:
    return _read_in_child(pool, shares.next(), timeout_s)


def _read_in_child(pool: ProcessPool, order: Order, timeout_s: float) -> list[Answer]:
    try:
        return _decode_answers(pool.run(READ, _encode(order), timeout_s))
    except OSError:  # no more processes, or none at all: then in this one
        return [answer(order, task) for task in order.tasks]
    except JobFailed as problem:
        if len(order.tasks) == 1 and order.wanted == "both":
            return _read_in_child(pool, order._replace(wanted="files"), timeout_s)
        if len(order.tasks) == 1:
            how = TOO_LONG if problem.is_late else f"crashes the parser (exit code {problem.exit_code})"
            return [failed(order, order.tasks[0], how)]
    alone = (order._replace(tasks=[task]) for task in order.tasks)
    return [found for part in alone for found in _read_in_child(pool, part, timeout_s)]


def read_order(content: bytes) -> bytes:
    """Return the packed answers to a packed order: the job of a child."""
    order = _decode_order(content)
    return _encode([_limited_answer(order, task) for task in order.tasks])


def _limited_answer(order: Order, task: Task) -> Answer:
    """Read one file within a limit of CPU time."""
    try:
        with cpu_limit(LIMIT_CPU_S, kill=True):
            return answer(order, task)
    except CpuLimitExceeded:
        if order.wanted == "both":
            return _limited_answer(order._replace(wanted="files"), task)
        return failed(order, task, TOO_LONG)


def failed(order: Order, task: Task, how: str) -> Answer:
    """Return the answer for a file that could not be read."""
    if order.wanted == "programs":
        return Answer(None, program=Translated(task.path, "", note=f"parsing {how}"))
    mtime_ns = time_of(f"{os.fsdecode(order.root)}/{real(task.path)}")
    return Answer(IndexedFile(task.path, "", mtime_ns, task.size_bytes, skipped="failed", notes=(f"parsing {how}",)))


def answer(order: Order, task: Task) -> Answer:
    """Read one file."""
    root = os.fsdecode(order.root)
    if order.wanted == "programs":
        return Answer(None, program=loaded(TRANSLATE)(root, task, order.max_bytes))
    if order.wanted == "both":
        return Answer(*loaded(READ_BOTH)(root, task, order.max_bytes))
    found = read(root, task, order.max_bytes)
    return Answer(found) if isinstance(found, IndexedFile) else Answer(None, found)
