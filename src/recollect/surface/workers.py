"""A few threads for what may take long, started as they are needed; they never keep the process alive."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable

# SQLite has one writer at a time; a few threads keep reads going beside a long call.
WORKERS = 4


class Workers:
    """Runs jobs in the order they come, `count` at a time."""

    def __init__(self, count: int = WORKERS) -> None:
        self._count = count
        self._changed = threading.Condition()
        self._jobs: deque[Callable[[], None]] = deque()
        self._threads = self._idle = self._unfinished = 0

    def submit(self, job: Callable[[], None]) -> None:
        """Run `job`, which must not raise, in a thread that is free or next free."""
        with self._changed:
            self._jobs.append(job)
            self._unfinished += 1
            if len(self._jobs) > self._idle and self._threads < self._count:
                self._threads += 1
                threading.Thread(target=self._work, name=f"call-{self._threads}", daemon=True).start()
            self._changed.notify_all()

    def drain(self, timeout_s: float) -> bool:
        """Wait until every job is done; False if some are not after `timeout_s`."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._unfinished, timeout_s)

    def _work(self) -> None:
        while True:
            with self._changed:
                self._idle += 1
                self._changed.wait_for(lambda: self._jobs)
                self._idle -= 1
                job = self._jobs.popleft()
            try:
                job()
            finally:
                with self._changed:
                    self._unfinished -= 1
                    self._changed.notify_all()
