"""Progress reports and cancellation of long work.

A surface (a terminal, an MCP client) listens with `reporting_to`; the work calls `report` where it can stop safely. A
listener stops the work by raising `Cancelled` in its callback.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Listener = Callable[[int, "int | None", str], None]

_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


def report(done: int, total: int | None = None, message: str = "") -> None:
    """Report that `done` of `total` steps are finished, if there is a listener."""
    listener = _listener.get()
    if listener is not None:
        listener(done, total, message)


@contextmanager
def reporting_to(listener: Listener) -> Iterator[None]:
    """Send every `report` of the block, in this thread and context, to `listener`."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)
