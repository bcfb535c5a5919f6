from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.episodes import Clock, words_vector

from recollect.episodic import EnhancedEpisodicMemory, SessionMemory


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def memory(tmp_path: Path, clock: Clock) -> Iterator[EnhancedEpisodicMemory]:
    with EnhancedEpisodicMemory(tmp_path / "episodes.db", words_vector, clock=clock) as opened:
        yield opened


@pytest.fixture
def sessions(clock: Clock) -> Iterator[SessionMemory]:
    with SessionMemory(clock=clock) as opened:
        yield opened
