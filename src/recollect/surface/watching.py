"""What a person sees of `recollect watch`: the whole index once, then a line for every change that it followed."""

from __future__ import annotations

import threading
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING

from recollect.render.measure import count
from recollect.surface.output import Output
from recollect.surface.waiting import waiting

if TYPE_CHECKING:
    from recollect.code.record import Indexed
    from recollect.engine import Engine


def follow(engine: Engine, path: str, output: Output, *, lines: bool) -> None:
    """Index a project and follow its changes until Ctrl-C, which is how this ends well."""
    with suppress(KeyboardInterrupt), ExitStack() as indexing:
        indexing.enter_context(waiting(lines=lines))
        updates = 0

        def told(done: Indexed) -> None:
            nonlocal updates
            indexing.close()  # the progress of the first, long one; from here on Ctrl-C ends the watch
            updates += 1
            if output.as_json or updates == 1:
                output.record(done)
            else:
                output.text(_line(done))

        engine.code.watch(path, told, threading.Event())


def _line(done: Indexed) -> str:
    removed = f", {done.removed:,} removed" if done.removed else ""
    return f"{count(done.read, 'file')} read{removed}: {done.symbols:,} symbols ({done.cpu_s * 1000:.0f} ms of CPU)\n"
