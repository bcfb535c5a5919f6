"""A child process that drains the spool for a server.

A regular expression holds Python's global lock, and only the main thread of a process can interrupt one. So a server
leaves payloads to the main thread of a child. The child ends when its input ends, so it outlives the server by one
drain at most.
"""

import signal
import sys
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import msgspec

from recollect.code.process_pool import Process, serve
from recollect.model import Ingested
from recollect.settings import SETTINGS, Settings, Sourced

# The engine is handed in, because this module is part of it.
_START = (
    "import sys; sys.path.insert(0, {!r}); from recollect.engine import Engine; "
    "from recollect.engine.sessions.drain_process import main; main(lambda settings: Engine(settings).capture)"
)


class Order(NamedTuple):
    """What the child does: become an engine with these settings, or drain up to `limit` payloads."""

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
        if self._ask(Order(settings={row.setting.name: row.value for row in settings.rows()})) is None:
            self.end()
            raise OSError("the process that handles hook events did not start")

    def drain(self, limit: int) -> Ingested | None:
        """Drain the spool; None if the child died over it."""
        return self._ask(Order(limit))

    def _ask(self, order: Order) -> Ingested | None:
        answer = self.exchange(msgspec.msgpack.encode(order))
        return None if answer is None else msgspec.msgpack.decode(answer, type=Ingested)


def main(open_capture: Callable[[Settings], Drainer]) -> None:
    """Drain the spool at each order, until the input ends."""
    # Ctrl-C reaches every process of a terminal; the parent decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    decoder = msgspec.msgpack.Decoder(Order)
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
