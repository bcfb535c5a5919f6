"""Access log: a hit counts as use, so that the memory does not decay; written later, many at a time.

    hits of a search ─► those last used a day ago or longer ─► one write, later

A search must not wait for a write. If a process is killed, only a date of last use is lost.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from typing import TYPE_CHECKING

from recollect import clock

if TYPE_CHECKING:
    from recollect.engine.context import Context
    from recollect.model import Memory

# Decay counts days (consolidate/decay.py), not hours.
EVERY_S = 86_400
# Hits of one search that count as read.
HITS = 20
# Kept before they are written in any case.
MOST = 500


class AccessLog:
    """Memories that were found and are not marked as used yet."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._found: set[str] = set()
        self._lock = threading.Lock()

    def found(self, memories: Iterable[Memory]) -> None:
        """Note the first of the memories that a search returned, best first."""
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
