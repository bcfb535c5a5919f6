"""Progress on standard error, and Ctrl-C.

Work that reports progress (recollect.progress) stops at its next report, where everything is consistent. Work that has
not reported yet stops at once, as does any work at a second Ctrl-C; its transaction is rolled back.
"""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING

from recollect.errors import Cancelled
from recollect.progress import reporting_to
from recollect.render.untrusted import oneline

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID


@contextmanager
def waiting(*, lines: bool) -> Iterator[None]:
    """Show the progress of the block on standard error: a bar on a terminal, else lines if `lines`."""
    watch = _Watch(bar=_is_terminal(), lines=lines)
    before = _on_interrupt(watch)
    try:
        with reporting_to(watch.listen):
            yield
    finally:
        watch.close()
        if before is not None:
            signal.signal(signal.SIGINT, before)


def _on_interrupt(watch: _Watch) -> signal._HANDLER:
    """Send Ctrl-C to `watch` if this is the main thread: only that one gets signals."""
    if threading.current_thread() is not threading.main_thread():
        return None
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # a background job of a shell
        return None
    return signal.signal(signal.SIGINT, watch.interrupt)


def _is_terminal() -> bool:
    return sys.stderr is not None and sys.stderr.isatty()


class _Watch:
    """Receives reports and Ctrl-C; draws nothing before the first report."""

    def __init__(self, *, bar: bool, lines: bool) -> None:
        self.bar = bar
        self.lines = lines
        self.has_reported = False
        self.is_interrupted = False
        self._progress: Progress | None = None
        self._task: TaskID | None = None
        self._last_line = ""

    def interrupt(self, _signal: int, _frame: FrameType | None) -> None:
        if not self.has_reported or self.is_interrupted:
            raise KeyboardInterrupt
        self.is_interrupted = True

    def listen(self, done: int, total: int | None, message: str) -> None:
        self.has_reported = True
        if self.is_interrupted:
            raise Cancelled(
                f"cancelled after {done:,} of {total:,} steps" if total else f"cancelled after {done:,} steps"
            )
        if self.bar:
            self._draw(done, total, oneline(message))
        elif self.lines:
            self._print(done, total, oneline(message))

    def close(self) -> None:
        if self._progress is not None:
            self._progress.stop()

    def _draw(self, done: int, total: int | None, message: str) -> None:
        if self._progress is None or self._task is None:
            from rich.console import Console
            from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

            self._progress = Progress(
                TextColumn("{task.description}", markup=False),
                BarColumn(),
                MofNCompleteColumn(),
                TimeRemainingColumn(),
                console=Console(stderr=True),
                transient=True,
            )
            self._progress.start()
            self._task = self._progress.add_task(message or "working", total=total)
        self._progress.update(self._task, completed=done, total=total, description=message or "working")

    def _print(self, done: int, total: int | None, message: str) -> None:
        """Print a line for each tenth of the work, to keep a log short."""
        step = f"{message} {done * 10 // total}" if total else message
        if step != self._last_line and sys.stderr is not None:
            self._last_line = step
            sys.stderr.write(f"{message or 'working'}: {done:,}{f' of {total:,}' if total else ''}\n")
            sys.stderr.flush()
