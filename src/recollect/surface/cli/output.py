"""CLI output: answers to standard output, errors to standard error, as text or JSON.

    --json           one line of JSON on standard output, errors too
    a terminal       drawn with colours (terminal.py)
    anything else    plain text

Characters that cannot be encoded are escaped. A broken pipe (`| head`) ends the output quietly.

Progress goes to standard error. Work that reports it (recollect.progress) stops after Ctrl-C at its next report, where
everything is consistent. Work that has not reported yet stops at once, as does any work at a second Ctrl-C; its
transaction is rolled back.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import IO, TYPE_CHECKING, Any

from recollect.clock import now
from recollect.errors import Cancelled, InvalidInput, RecollectError
from recollect.model import Exported, Record
from recollect.progress import reporting_to
from recollect.render import error_to_json, error_to_text, to_blocks, to_json
from recollect.render.untrusted import oneline, visible

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from recollect.render.block import Block


class OutputClosed(Exception):
    """Standard output is a broken pipe."""


class Output:
    """The two streams of one run."""

    def __init__(self, *, as_json: bool, full: bool = False) -> None:
        self.as_json = as_json
        self.full = full
        for stream in (sys.stdout, sys.stderr):
            if hasattr(stream, "reconfigure"):
                stream.reconfigure(errors="backslashreplace")

    def record(self, record: Record) -> None:
        """Show an answer. An export without a path is written as it is, for `> file`."""
        if self.as_json:
            self.line(record)
        elif isinstance(record, Exported) and record.content is not None:
            self.raw(record.content.encode("utf-8", "backslashreplace"))
        else:
            self.blocks(to_blocks(record, now(), full=self.full))

    def blocks(self, blocks: list[Block]) -> None:
        """Show blocks: drawn on a terminal, plain elsewhere."""
        if not is_terminal(sys.stdout):
            from recollect.render.block import print_plain

            self.text(print_plain(blocks) + "\n")
            return
        from recollect.surface.cli.terminal import draw

        with _expecting_broken_pipe():
            draw(blocks, sys.stdout, full=self.full)

    def line(self, value: Any) -> None:
        """Write a value as one harmless line of JSON."""
        self.raw(to_json(value) + b"\n")

    def raw(self, content: bytes) -> None:
        """Write bytes as they are."""
        if sys.stdout is not None:
            with _expecting_broken_pipe():
                sys.stdout.flush()
                sys.stdout.buffer.write(content)
                sys.stdout.buffer.flush()

    def text(self, text: str) -> None:
        """Write text; its quotes must be escaped already."""
        if sys.stdout is not None:
            with _expecting_broken_pipe():
                sys.stdout.write(text)
                sys.stdout.flush()

    def error(self, error: RecollectError) -> None:
        """Show an error: as JSON on standard output with --json, else as text on standard error."""
        if self.as_json:
            self.raw(error_to_json(error) + b"\n")
        elif sys.stderr is not None:
            text = error_to_text(error)
            sys.stderr.write((_coloured(text) if has_colour(sys.stderr) else text) + "\n")
            sys.stderr.flush()


def log_to_stderr(level: str) -> None:
    """Write log messages of a level and above to standard error, with control characters escaped."""
    import logging

    class Harmless(logging.Formatter):
        def format(self, record: logging.LogRecord) -> str:
            return visible(super().format(record))

    shown = logging.StreamHandler()
    shown.setFormatter(Harmless("%(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=level.upper(), handlers=[shown])


def is_terminal(stream: IO[Any] | None) -> bool:
    """Return whether the stream is a terminal."""
    return stream is not None and stream.isatty()


def confirm(question: str, without_terminal: InvalidInput) -> None:
    """Return if the person at the terminal agrees; raises Cancelled, or the given error without a terminal."""
    if not (is_terminal(sys.stdin) and is_terminal(sys.stderr)):
        raise without_terminal
    sys.stderr.write(f"{question} [y/N] ")
    sys.stderr.flush()
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise Cancelled("not confirmed", hint="Nothing was changed.")


class _expecting_broken_pipe:  # noqa: N801 - reads as a statement
    """Turn a broken pipe into OutputClosed, and any other failure to write into a RecollectError."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, _kind: object, problem: BaseException | None, _trace: object) -> None:
        if isinstance(problem, BrokenPipeError):
            _drop_output()
            raise OutputClosed from None
        if isinstance(problem, OSError):
            _drop_output()
            raise RecollectError(
                f"the answer could not be written: {problem.strerror}",
                hint="The command itself succeeded; only its output is lost. Check where the output goes.",
            ) from None


def _drop_output() -> None:
    """Send the rest of the buffer to /dev/null, so that the interpreter's flush at exit succeeds."""
    void = os.open(os.devnull, os.O_WRONLY)
    os.dup2(void, 1)
    os.close(void)


def has_colour(stream: IO[Any] | None) -> bool:
    """Return whether to use colours: the stream is a terminal, and NO_COLOR is not set."""
    return is_terminal(stream) and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _coloured(text: str) -> str:
    """Return the three lines of an error in colour; loading rich would take longer than most commands."""
    message, hint, code = text.split("\n")
    return (
        f"\x1b[1;31merror:\x1b[0m \x1b[1m{message.removeprefix('error: ')}\x1b[0m\n"
        f"\x1b[36mhint:\x1b[0m {hint.removeprefix('hint: ')}\n\x1b[2m{code}\x1b[0m"
    )


# --- progress and Ctrl-C ---


@contextmanager
def waiting(*, lines: bool) -> Iterator[None]:
    """Show the progress of the block on standard error: a bar on a terminal, else lines if `lines`."""
    watch = _Watch(bar=is_terminal(sys.stderr), lines=lines)
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
