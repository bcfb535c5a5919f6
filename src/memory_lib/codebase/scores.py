"""Scores that are remembered: in the database where there is one, else as long as the process lives."""

from __future__ import annotations

import time
from typing import Protocol

from recollect.engine.memory.library_state import Kept, Key

MAX_AGE_S = 3600


class Scores(Protocol):
    """Scores by what they depend on; see recollect.engine.memory.library_state, which keeps them in a database."""

    def get(self, keys: list[Key]) -> dict[Key, Kept]: ...

    def put(self, scores: dict[Key, Kept]) -> None: ...

    def forget(self, file_path: str) -> int: ...

    def clear(self) -> None: ...

    def size(self) -> int: ...


class ProcessScores:
    """Scores of this process alone."""

    def __init__(self, max_age_s: int = MAX_AGE_S) -> None:
        self._max_age_s = max_age_s
        self._kept: dict[Key, Kept] = {}

    def get(self, keys: list[Key]) -> dict[Key, Kept]:
        oldest = int(time.time()) - self._max_age_s
        found = {key: self._kept[key] for key in keys if key in self._kept}
        return {key: kept for key, kept in found.items() if kept.at > oldest}

    def put(self, scores: dict[Key, Kept]) -> None:
        self._kept.update(scores)

    def forget(self, file_path: str) -> int:
        gone = [key for key in self._kept if key.file_path == file_path]
        for key in gone:
            del self._kept[key]
        return len(gone)

    def clear(self) -> None:
        self._kept.clear()

    def size(self) -> int:
        return len(self._kept)
