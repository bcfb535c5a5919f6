"""A process of our own that answers messages over its standard input and output, until its input ends.

    →  length, content
    ←  length, content

A length is four bytes.
"""

from __future__ import annotations

import gc
import signal
import struct
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, BinaryIO

HEADER = struct.Struct(">I")
# Records are made by the hundred thousand and none refers to itself: looking for cycles every 700 of them is wasted.
GC_THRESHOLD = 100_000

_is_limited = False  # set once, by a process that limits its memory


class Process:
    """One process that runs a text of Python in which the package can be imported."""

    def __init__(self, start: str) -> None:
        import subprocess  # the process that is started needs none

        # -P: the folder we stand in may be the one being indexed, and nothing in it is to be imported.
        package = str(Path(__file__).resolve().parents[2])
        command = [sys.executable, "-P", "-c", start.format(package)]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)  # noqa: S603

    @property
    def exit_code(self) -> int | None:
        """What it ended with; None while it runs."""
        return self._process.poll()

    def exchange(self, content: bytes) -> bytes | None:
        """Return the answer to a message, or None if the process died over it."""
        assert self._process.stdin and self._process.stdout  # noqa: S101 - both are pipes
        try:
            self._process.stdin.write(HEADER.pack(len(content)))
            self._process.stdin.write(content)
            self._process.stdin.flush()
            (size,) = HEADER.unpack(_exactly(self._process.stdout, HEADER.size))
            return _exactly(self._process.stdout, size)
        except (OSError, EOFError):
            return None

    def terminate(self) -> None:
        """Ask it to stop, from any thread."""
        self._process.terminate()

    def kill(self) -> None:
        """Kill the process, from any thread: a caller that waits for its answer gets an error at once."""
        self._process.kill()

    def end(self) -> None:
        """End the process and free what it held."""
        self._process.kill()
        self._process.wait()
        self.close()

    def close(self) -> None:
        """Free the pipes to the process; it ends when it has read its input."""
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()


def _exactly(pipe: IO[bytes], size: int) -> bytes:
    content = pipe.read(size)
    if len(content) < size:
        raise EOFError
    return content


@contextmanager
def seldom_collected() -> Iterator[None]:
    """Let garbage be looked for as seldom as in a process that reads files, for a block that reads files itself."""
    before = gc.get_threshold()
    if before[0] and before[0] < GC_THRESHOLD:  # else another thread does the same, or nobody wants it at all
        gc.set_threshold(GC_THRESHOLD, *before[1:])
        try:
            yield
        finally:
            gc.set_threshold(*before)
    else:
        yield


def serve(orders: BinaryIO, answers: BinaryIO, answer: Callable[[bytes], bytes]) -> None:
    """Answer every message of a stream."""
    while len(head := orders.read(HEADER.size)) == HEADER.size:
        content = answer(orders.read(HEADER.unpack(head)[0]))
        answers.write(HEADER.pack(len(content)))
        answers.write(content)
        answers.flush()


def attend(answer: Callable[[bytes], bytes], most_cpu_s: float) -> None:
    """Be such a process: answer what is asked until nobody asks any more.

    most_cpu_s: what takes more of the processor than this never ends, and the process does instead. Whoever asked looks
    after that as well, unless it was killed: then nobody else would.
    """
    # Ctrl-C reaches every process of a terminal; the one that asked decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.freeze()
    gc.set_threshold(GC_THRESHOLD)
    serve(sys.stdin.buffer, sys.stdout.buffer, _bounded(answer, most_cpu_s))


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
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # nobody wants a gigabyte of dump
        resource.setrlimit(resource.RLIMIT_AS, (wanted if most < 0 else min(wanted, most), most))


def _bounded(answer: Callable[[bytes], bytes], most_cpu_s: float) -> Callable[[bytes], bytes]:
    """Return the same answer within a time: the system ends the process, whatever it is in the middle of."""
    if not hasattr(signal, "setitimer"):
        return answer  # Windows has no such clock

    def bounded(content: bytes) -> bytes:
        signal.setitimer(signal.ITIMER_PROF, most_cpu_s)
        try:
            return answer(content)
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)

    return bounded
