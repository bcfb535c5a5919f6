"""Child processes that run our own functions: one pool for reading files and for linking them.

    submit ──► thread of the pool ──job, content──► child process ──► answer; JobFailed if the child died

Each child has a thread that waits for it, so a child that dies or hangs loses only its own job. Children limit their
CPU time and memory, because a parser can take gigabytes for a few kilobytes. One idle child is kept for the next call.

multiprocessing does not fit: it copies a process that may have threads, or runs the caller's main module again, and its
pools give up as a whole when one process dies.

Messages go over standard input and output of a child, as a length of four bytes and the content.
"""

from __future__ import annotations

import atexit
import gc
import os
import signal
import struct
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, BinaryIO, NamedTuple, Self, TypeVar

import msgspec

from recollect import processes

if TYPE_CHECKING:
    from concurrent.futures import Future

HEADER = struct.Struct(">I")
# Records are made by the hundred thousand and none refers to itself: looking for cycles every 700 of them is wasted.
GC_THRESHOLD = 100_000
# The process that writes keeps up with about this many that read.
MAX_WORKERS = 12
# How long an idle child is kept for the next call: it holds 50 MB.
IDLE_S = 120.0
# How a child ends that used more CPU time than it may; Windows has no such signals.
OUT_OF_TIME = tuple(-getattr(signal, name, 0) for name in ("SIGPROF", "SIGVTALRM"))
# What a child runs that waits for jobs; {!r} is the folder of the package.
START = "import sys; sys.path.insert(0, {!r}); from recollect.code.process_pool import main; main()"

Result = TypeVar("Result")

_is_limited = False  # set once, by a process that limits its memory


class Job(NamedTuple):
    """A function from bytes to bytes that children run, and its limits.

    function: "module:name". cpu_s: CPU time of one call; the system ends a child that takes more
    memory_bytes: what a child may allocate beyond what it has; 0: no limit
    """

    function: str
    cpu_s: float
    memory_bytes: int = 0


class JobFailed(Exception):
    """A child died over a job; is_late: because the job took too long."""

    def __init__(self, *, is_late: bool = False, exit_code: int | None = None) -> None:
        super().__init__("the job takes too long" if is_late else f"the process ended with exit code {exit_code}")
        self.is_late = is_late
        self.exit_code = exit_code


class Process:
    """One child that runs a text of Python in which the package can be imported."""

    def __init__(self, start: str = "") -> None:
        # -P: the current folder may be the one being indexed, and nothing in it may be imported.
        package = str(Path(__file__).resolve().parents[2])
        command = [sys.executable, "-P", "-c", (start or START).format(package)]
        self._process = processes.start(command, takes_input=True)
        self._is_overdue = False

    @property
    def exit_code(self) -> int | None:
        """The exit code of the child; None while it runs."""
        return self._process.poll()

    def exchange(self, content: bytes) -> bytes | None:
        """Return the answer to a message, or None if the child died over it."""
        assert self._process.stdin and self._process.stdout  # noqa: S101 - both are pipes
        try:
            self._process.stdin.write(HEADER.pack(len(content)))
            self._process.stdin.write(content)
            self._process.stdin.flush()
            (size,) = HEADER.unpack(_exactly(self._process.stdout, HEADER.size))
            return _exactly(self._process.stdout, size)
        except (OSError, EOFError):
            return None

    def run(self, job: Job, content: bytes, timeout_s: float = 0.0) -> bytes:
        """Return what a job answers; timeout_s: 0 for no limit. Raises JobFailed after ending the child."""
        timer = threading.Timer(timeout_s, self._expire) if timeout_s else None
        if timer:
            timer.daemon = True
            timer.start()
        try:
            answer = self.exchange(msgspec.msgpack.encode((job, content)))
        finally:
            if timer:
                timer.cancel()
        if answer is None:
            self.end()
            is_late = self._is_overdue or self.exit_code in OUT_OF_TIME
            raise JobFailed(is_late=is_late, exit_code=self.exit_code)
        return answer

    def terminate(self) -> None:
        """Ask the child to stop, from any thread."""
        self._process.terminate()

    def kill(self) -> None:
        """Kill the child, from any thread: a caller that waits for its answer gets an error at once."""
        self._process.kill()

    def end(self) -> None:
        """End the child and free its pipes."""
        self._process.kill()
        self._process.wait()
        self.close()

    def close(self) -> None:
        """Free the pipes to the child; it ends when it has read its input."""
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()

    def _expire(self) -> None:
        self._is_overdue = True
        self.kill()


def _exactly(pipe: IO[bytes], size: int) -> bytes:
    content = pipe.read(size)
    if len(content) < size:
        raise EOFError
    return content


class ProcessPool:
    """Threads with a child each. Leaving its block ends the children; after an error it kills them first."""

    def __init__(self, count: int, *, setup: tuple[Job, bytes] | None = None) -> None:
        """Make a pool of `count` threads; setup: the first job of every child, which prepares it for the others."""
        from concurrent.futures import ThreadPoolExecutor  # loads logging, which most commands do not need

        self.is_stopped = False
        self._setup = setup
        self._keeps_child = count == 1 and setup is None
        self._threads = ThreadPoolExecutor(count, "recollect-pool")
        self._local = threading.local()
        self._lock = threading.Lock()
        self._children: set[Process] = set()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        with self._lock:
            self.is_stopped = True
            for child in self._children if kind is not None else ():
                child.kill()
        self._threads.shutdown(cancel_futures=True)
        for child in self._children:
            SPARE.keep(child) if self._keeps_child and kind is None else child.end()

    def submit(self, function: Callable[..., Result], *args: object) -> Future[Result]:
        """Call a function in a thread of the pool, where it can run jobs."""
        return self._threads.submit(function, *args)

    def run(self, job: Job, content: bytes, timeout_s: float = 0.0) -> bytes:
        """Return what a job answers, in a child of the calling thread; timeout_s: 0 for no limit.

        Raises JobFailed if the child died over it; OSError if none can be started.
        """
        child = getattr(self._local, "child", None) or self._started()
        try:
            return child.run(job, content, timeout_s)
        except JobFailed:
            self._local.child = None
            with self._lock:
                self._children.discard(child)
            raise

    def _started(self) -> Process:
        child = SPARE.take() if self._setup is None else Process()
        with self._lock:
            if not self.is_stopped:
                self._children.add(child)
        if self.is_stopped:
            child.end()
            raise JobFailed(exit_code=child.exit_code)
        if self._setup is not None:
            child.run(*self._setup)
        self._local.child = child
        return child


class Spare:
    """The one idle child that is kept between calls, so that a small update does not wait 0.2 s for a start."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._child: Process | None = None
        self._timer: threading.Timer | None = None

    def take(self) -> Process:
        """Return a child for the caller alone: the kept one, or a new one."""
        with self._lock:
            child, self._child = self._child, None
            if self._timer:
                self._timer.cancel()
        if child is not None and child.exit_code is None:
            return child
        if child is not None:
            child.end()
        return Process()

    def keep(self, child: Process) -> None:
        """Keep a child for the next call, or end it if there is one already."""
        with self._lock:
            if self._child is None:
                self._child = child
                self._timer = threading.Timer(IDLE_S, self._end, (child,))
                self._timer.daemon = True
                self._timer.start()
                return
        child.end()

    def end(self) -> None:
        """End the child that is kept."""
        self._end(self._child)

    def _end(self, child: Process | None) -> None:
        with self._lock:
            if child is None or child is not self._child:
                return  # taken meanwhile
            self._child = None
            if self._timer:
                self._timer.cancel()
        child.end()

    def forget(self) -> None:
        """Leave the child to the process that was forked."""
        if self._child:
            self._child.close()
        self.__init__()  # type: ignore[misc]


SPARE = Spare()
atexit.register(SPARE.end)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=SPARE.forget)


def run_alone(job: Job, content: bytes) -> bytes:
    """Return what one job answers. Raises JobFailed, and OSError if no child can be started."""
    child = SPARE.take()
    answer = child.run(job, content)
    SPARE.keep(child)
    return answer


def cores() -> int:
    """Return how many processors this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # only Linux tells
        return os.cpu_count() or 1


# --- in a child ---


def main() -> None:
    """Run jobs until the input ends."""
    decoder = msgspec.msgpack.Decoder(tuple[Job, bytes])

    def run(message: bytes) -> bytes:
        job, content = decoder.decode(message)
        if job.memory_bytes:
            limit_memory(job.memory_bytes)
        return _within(job.cpu_s, loaded(job.function), content)

    attend(run)


@cache
def loaded(name: str) -> Callable[..., Any]:
    """Return the function that "module:name" names."""
    module, _, function = name.partition(":")
    found: Callable[..., Any] = getattr(import_module(module), function)
    return found


def attend(answer: Callable[[bytes], bytes], most_cpu_s: float = 0.0) -> None:
    """Answer messages as a child until the input ends; most_cpu_s: CPU time of one answer, 0 for no limit."""
    # Ctrl-C reaches every process of a terminal; the parent decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.freeze()
    gc.set_threshold(GC_THRESHOLD)
    serve(sys.stdin.buffer, sys.stdout.buffer, lambda content: _within(most_cpu_s, answer, content))


def serve(orders: BinaryIO, answers: BinaryIO, answer: Callable[[bytes], bytes]) -> None:
    """Answer every message of a stream."""
    while len(head := orders.read(HEADER.size)) == HEADER.size:
        content = answer(orders.read(HEADER.unpack(head)[0]))
        answers.write(HEADER.pack(len(content)))
        answers.write(content)
        answers.flush()


def _within(cpu_s: float, answer: Callable[[bytes], bytes], content: bytes) -> bytes:
    """Return an answer; the system ends the process if it takes more CPU time, even if the parent is gone."""
    if not cpu_s or not hasattr(signal, "setitimer"):  # Windows has no such clock
        return answer(content)
    signal.setitimer(signal.ITIMER_PROF, cpu_s)
    try:
        return answer(content)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def is_limited() -> bool:
    """Return whether this process limits its memory: then it may parse what another process must not."""
    return _is_limited


def limit_memory(most_bytes: int) -> None:
    """Let allocations fail beyond what this process has now and so much more, where the system can do that.

    Native code then ends the process. Only for child processes.
    """
    global _is_limited
    _is_limited = True
    try:
        import resource

        used = int(Path("/proc/self/statm").read_text("ascii").split()[0]) * resource.getpagesize()
    except ImportError:  # Windows
        return
    except OSError:  # macOS has no /proc
        used = 0
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    wanted = used + most_bytes
    with suppress(OSError, ValueError):  # macOS may refuse
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # no core dump of a gigabyte
        resource.setrlimit(resource.RLIMIT_AS, (wanted if most < 0 else min(wanted, most), most))


@contextmanager
def seldom_collected() -> Iterator[None]:
    """Collect garbage as seldom as a child does, for a block that makes as many records."""
    before = gc.get_threshold()
    if before[0] and before[0] < GC_THRESHOLD:  # else another thread did the same, or collection is off
        gc.set_threshold(GC_THRESHOLD, *before[1:])
        try:
            yield
        finally:
            gc.set_threshold(*before)
    else:
        yield
