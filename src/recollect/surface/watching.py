"""`recollect watch`: index a project, then print a line for every update of the index."""

from __future__ import annotations

import threading
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING

from recollect.render.quantities import count
from recollect.render.untrusted import oneline
from recollect.surface.output import Output
from recollect.surface.waiting import waiting

if TYPE_CHECKING:
    from recollect.code.record import Indexed
    from recollect.engine import Engine


def follow(engine: Engine, path: str, output: Output, *, lines: bool) -> None:
    """Index a project and keep the index up to date until Ctrl-C, which is the normal end."""
    with suppress(KeyboardInterrupt), ExitStack() as indexing:
        indexing.enter_context(waiting(lines=lines))
        updates = 0

        def told(done: Indexed) -> None:
            nonlocal updates
            indexing.close()  # ends the progress bar of the first, long update; from here on Ctrl-C ends the watch
            updates += 1
            if output.as_json:
                output.record(done)
            else:
                output.text(_first(done) if updates == 1 else _line(done))

        engine.code.watch(path, told, threading.Event())


def _first(done: Indexed) -> str:
    return f"Watching {oneline(done.root)}: {count(done.files, 'file')} indexed. Press Ctrl-C to stop.\n"


def _line(done: Indexed) -> str:
    removed = f", {count(done.removed, 'file')} removed" if done.removed else ""
    return f"{count(done.read, 'file')} updated{removed} ({done.cpu_s * 1000:.0f} ms)\n"
