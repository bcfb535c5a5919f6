"""Access: that a memory was found counts as use, so that it does not fade; kept for a while, and written beside others.

    hits of a search ─► those that were last used a day ago or longer ─► one write, later

A search must not wait for a write, nor make one for what was written today. What is lost because a process is killed
is a date in a statistic.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from typing import TYPE_CHECKING

from recollect import clock

if TYPE_CHECKING:
    from recollect.engine.context import Context
    from recollect.model import Memory

# What fades does so by days (consolidate/decay.py): nobody needs to know the hour.
EVERY_S = 86_400
# Hits of one search that count as read: nobody reads a thousand.
HITS = 20
# Kept before they are written in any case.
MOST = 500


class AccessLog:
    """Memories that were found, and wait to be marked so."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._found: set[str] = set()
        self._lock = threading.Lock()

    def found(self, memories: Iterable[Memory]) -> None:
        """Remember that memories were given to somebody who asked for them; the first of them, best first."""
        edge = clock.now() - EVERY_S
        old = [row.id for _, row in zip(range(HITS), memories, strict=False) if row.last_accessed_at <= edge]
        if not old:
            return
        with self._lock:
            self._found.update(old)
            is_full = len(self._found) >= MOST
        if is_full:
            self.flush()

    def flush(self) -> None:
        """Write what waits; never an error, and nothing if there is nothing."""
        with self._lock:
            ids, self._found = sorted(self._found), set()
        if ids:
            self._context.store.touch(ids, read=False)
