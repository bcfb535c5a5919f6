"""Metrics: how often each operation was done and how long it took, where that is wanted."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager


class Metrics:
    """Counts operations. Safe to share between threads."""

    def __init__(self, *, enabled: bool) -> None:
        self.enabled = enabled
        self._done: dict[str, tuple[int, float]] = {}
        self._lock = threading.Lock()

    @contextmanager
    def timed(self, operation: str) -> Iterator[None]:
        """Count what is done in the block, unless it fails."""
        if not self.enabled:
            yield
            return
        began = time.perf_counter()
        yield
        taken = time.perf_counter() - began
        with self._lock:
            count, seconds = self._done.get(operation, (0, 0.0))
            self._done[operation] = (count + 1, seconds + taken)

    def collected(self) -> dict[str, dict[str, float]]:
        """Return by operation how often it was done and how many milliseconds it took on average."""
        with self._lock:
            return {
                name: {"count": count, "average_ms": 1000 * seconds / count}
                for name, (count, seconds) in self._done.items()
            }
