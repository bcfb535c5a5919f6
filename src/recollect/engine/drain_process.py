"""A child process that drains the spool for a process that has to keep answering.

A regular expression holds Python's global lock, and only the main thread of a process can interrupt one. So a server
leaves payloads to the main thread of a child. The child ends when its input ends, so it never outlives the server for
longer than the drain at hand.
"""

import signal
import sys
from typing import Any, NamedTuple

import msgspec

from recollect.code.process_pool import Process, serve
from recollect.model import Ingested
from recollect.settings import SETTINGS, Settings, Sourced

_START = "import sys; sys.path.insert(0, {!r}); from recollect.engine.drain_process import main; main()"


class Order(NamedTuple):
    """What the child does: become an engine with these settings, or drain up to `limit` payloads."""

    limit: int = 0
    settings: dict[str, Any] | None = None


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


def main() -> None:
    """Drain the spool whenever asked to, until nobody can ask any more."""
    from recollect.engine.root import Engine

    # Ctrl-C reaches every process of a terminal; the parent decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    decoder = msgspec.msgpack.Decoder(Order)
    engine: Engine | None = None

    def answer(content: bytes) -> bytes:
        nonlocal engine
        order = decoder.decode(content)
        if order.settings is not None:
            rows = {row.name: Sourced(row, order.settings[row.name], "parent process") for row in SETTINGS}
            engine = Engine(Settings(rows))
            signal.signal(signal.SIGTERM, lambda *_: engine.capture.halt())
            return msgspec.msgpack.encode(Ingested())
        assert engine is not None  # noqa: S101 - settings come first
        return msgspec.msgpack.encode(engine.capture.drain_here(order.limit, kill=True))

    try:
        serve(sys.stdin.buffer, sys.stdout.buffer, answer)
    except BrokenPipeError:
        return  # the parent is gone
