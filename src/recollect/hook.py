"""The hook of an assistant: it copies its payload into the spool and, if it may, prints an answer.

    "<absolute python>" -I -S "<absolute path>/hook.py" <event> [assistant [moment]]   < payload

It runs inside a conversation, so it must be fast and must not fail: it does not parse, it prints nothing but an answer,
and it always exits with 0. A moment (start, prompt, tool) means that an answer may be given; ask.py finds it and is
loaded only then. Standard input becomes one file, unchanged:

    <home>/spool/tmp/<name>  ──rename──►  <home>/spool/new/<name>
    <name> = <nanoseconds, 20 digits>-<pid>-<random>.<event>.<assistant>

So a file in new/ is always whole, and names sort by time. The next server or command drains the spool: it parses,
redacts and stores. Files left in tmp/ are of hooks that were killed.

It is a single file, started by path: `-I -S` saves most of an interpreter's start-up and hides every package, ours too,
so it imports only modules of a bare interpreter. No fsync: a power cut may lose the last payload, but a sync would
delay every one.
"""
# ruff: noqa: PTH100, PTH103, PTH104, PTH108, PTH111, PTH118, PTH120
# (No pathlib: it alone would more than double the cost of this process.)

import _signal  # type: ignore[import-not-found,unused-ignore]  # `signal` would load enum
import os
import sys
import time

LIMIT_BYTES = 32 * 1024 * 1024  # A larger payload is not an event; it is dropped whole.
PATIENCE_S = 30  # An assistant that never closes our input would otherwise leave a process behind on every event.
ANSWER_S = 8  # Assistants wait for at least ten seconds.


class Stopped(BaseException):
    """A signal asked the hook to stop before it was done."""


def main(arguments: list[str]) -> None:
    _on_signals(_stop)
    if hasattr(_signal, "alarm"):
        _signal.alarm(PATIENCE_S)
    payload = read_all(0)
    _on_signals(_signal.SIG_IGN)  # Everything is here: finishing takes less time than being stopped.
    home = home_folder() if payload else ""
    if home:
        spool(payload, os.path.join(home, "spool"), file_name(arguments))
        if len(arguments) > 2:
            answer(payload, home, *arguments[:3])


def answer(payload: bytes, home: str, event: str, assistant: str, moment: str) -> None:
    """Write the answer, mostly empty, to standard output."""
    _on_signals(_stop)
    if hasattr(_signal, "alarm"):
        _signal.alarm(ANSWER_S)
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path.insert(0, here)  # By its bare name: the package's own start would cost as much as all this.
    ask = __import__("ask")
    sys.path.remove(here)
    rest = memoryview(ask.answer(payload, home, event, assistant, moment))
    while rest:
        rest = rest[os.write(1, rest) :]


def read_all(descriptor: int) -> bytes:
    """Return the whole input, or nothing if it has more than LIMIT_BYTES.

    It is read to the end either way: an assistant that is still writing must not get a broken pipe.
    """
    parts: list[bytes] = []
    size = 0
    while part := os.read(descriptor, 1024 * 1024):
        size += len(part)
        if size <= LIMIT_BYTES:
            parts.append(part)
        else:
            parts.clear()
    return b"".join(parts) if size <= LIMIT_BYTES else b""


def home_folder() -> str:
    """Return the home folder as in the settings (RECOLLECT_HOME, else ~/.recollect); empty if there is none."""
    home = os.path.expanduser(os.environ.get("RECOLLECT_HOME", "").strip() or "~/.recollect")
    return "" if home.startswith("~") else os.path.abspath(home)


def file_name(arguments: list[str]) -> str:
    """Return a unique name that sorts by time and contains the event and the assistant."""
    event, assistant = (*map(plain, arguments[:2]), "unknown", "unknown")[:2]
    return f"{time.time_ns():020d}-{os.getpid()}-{os.urandom(4).hex()}.{event}.{assistant}"


def plain(word: str) -> str:
    """Return `word` as a part of a file name: ASCII letters, digits, dashes and underscores, at most 40."""
    return "".join(c if (c.isascii() and c.isalnum()) or c in "-_" else "_" for c in word[:40]) or "unknown"


def spool(payload: bytes, folder: str, name: str) -> None:
    """Put `payload` into new/ under `name`, whole or not at all; create missing folders."""
    os.umask(0o077)
    try:
        deliver(payload, folder, name)
    except FileNotFoundError:
        os.makedirs(os.path.join(folder, "tmp"), exist_ok=True)
        os.makedirs(os.path.join(folder, "new"), exist_ok=True)
        deliver(payload, folder, name)


def deliver(payload: bytes, folder: str, name: str) -> None:
    """Write `payload` in tmp/ and move it to new/; a failure leaves nothing behind."""
    temporary = os.path.join(folder, "tmp", name)
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
    try:
        rest = memoryview(payload)
        while rest:
            rest = rest[os.write(descriptor, rest) :]
        os.close(descriptor)
        os.rename(temporary, os.path.join(folder, "new", name))
    except OSError:
        os.unlink(temporary)
        raise


def _on_signals(handler: object) -> None:
    for name in ("SIGALRM", "SIGTERM", "SIGINT", "SIGHUP", "SIGPIPE"):
        if hasattr(_signal, name):
            _signal.signal(getattr(_signal, name), handler)


def _stop(_number: int, _frame: object) -> None:
    raise Stopped


if __name__ == "__main__":
    try:  # noqa: SIM105 - contextlib costs more than this whole file
        main(sys.argv[1:])
    except BaseException:  # noqa: S110 - the one place that swallows: a hook must never disturb a conversation
        pass
    os._exit(0)
