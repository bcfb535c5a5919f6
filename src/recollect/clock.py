"""The current time, new ids, and limits on CPU time. Nothing else reads the time, so that tests can freeze it."""

import os
import time

# CPU time for one record of an import: a commit, a section, a turn. Some milliseconds are normal.
RECORD_CPU_S = 10.0
# The kill comes after twice the limit: the exception comes first wherever Python can raise it.
KILL_RATIO = 2.0


class CpuLimitExceeded(BaseException):
    """A block used more CPU time than it may.

    Not an Exception: code that tolerates any error of a single item must not swallow it.
    """


def now() -> int:
    """Return the current Unix time in whole seconds, the resolution of every stored timestamp."""
    return int(time.time())


def new_id() -> str:
    """Return a fresh random UUID (version 4) as text.

    Built from `os.urandom` directly: the uuid module costs more to import than the rest of this file's callers.
    """
    raw = bytearray(os.urandom(16))
    raw[6] = (raw[6] & 0x0F) | 0x40
    raw[8] = (raw[8] & 0x3F) | 0x80
    text = raw.hex()
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


def new_owner() -> str:
    """Return a fresh id that names the process which holds a claim: its machine, number and start."""
    return f"{new_id()}@{_machine()}:{os.getpid()}:{_started(os.getpid())}"


def has_ended(owner: str) -> bool:
    """Tell whether the process that an owner id names ran on this machine and is gone. Only Linux can tell."""
    machine, *process = owner.partition("@")[2].rsplit(":", 2)
    is_known = machine != "" and machine == _machine() and len(process) == 2 and process[0].isdecimal()
    return is_known and _started(int(process[0])) != process[1]


def _machine() -> str:
    """Return what tells this machine, since its last start, and this container from others."""
    boot = _system_file("/proc/sys/kernel/random/boot_id").strip()
    return f"{boot}/{os.readlink('/proc/self/ns/pid')}" if boot else ""  # noqa: PTH115 - pathlib is slow to load


def _started(process: int) -> str:
    """Return when a process was started, as the system counts; "" if there is none of this number."""
    fields = _system_file(f"/proc/{process}/stat").rpartition(")")[2].split()
    return fields[19] if len(fields) > 19 else ""


def _system_file(path: str) -> str:
    """Return the text of a small file of Linux; "" elsewhere."""
    try:
        handle = os.open(path, os.O_RDONLY)
    except OSError:
        return ""
    try:
        return os.read(handle, 4096).decode("utf-8", "replace")
    finally:
        os.close(handle)


def can_limit_cpu() -> bool:
    """Return whether `cpu_limit` works here: in the main thread, on a system with interval timers."""
    import signal
    import threading

    return threading.current_thread() is threading.main_thread() and hasattr(signal, "setitimer")


class cpu_limit:  # noqa: N801 - used like a function
    """A context manager that raises CpuLimitExceeded in its block after `seconds` of CPU time of this thread.

    It interrupts regular expressions too: they check for signals, but only in the main thread, where Python runs its
    signal handlers. Elsewhere (`can_limit_cpu` is False) the block runs without a limit.

    kill: let the system end the process at twice the limit, for native code that never checks for signals. Only for
    child processes.
    """

    def __init__(self, seconds: float, *, kill: bool = False) -> None:
        self._seconds = seconds
        self._kill = kill
        self._ends_at: float | None = None

    def __enter__(self) -> None:
        if not can_limit_cpu():
            return
        import signal

        self._ends_at = time.thread_time() + self._seconds
        self._handler = signal.signal(signal.SIGPROF, self._expire)
        self._timer = signal.setitimer(signal.ITIMER_PROF, self._seconds)
        if self._kill:
            signal.setitimer(signal.ITIMER_VIRTUAL, KILL_RATIO * self._seconds)

    def __exit__(self, *_: object) -> None:
        if self._ends_at is None:
            return
        import signal

        self._ends_at = None
        if self._kill:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, signal.SIG_DFL if self._handler is None else self._handler)
        if self._timer[0]:
            signal.setitimer(signal.ITIMER_PROF, *self._timer)  # an outer limit, or a profiler's

    def _expire(self, _number: int, _frame: object) -> None:
        if self._ends_at is None:
            return  # the signal was on its way when the block ended
        left = self._ends_at - time.thread_time()
        if left <= 0:
            raise CpuLimitExceeded
        import signal

        signal.setitimer(signal.ITIMER_PROF, left)  # the timer also counts the other threads of this process
