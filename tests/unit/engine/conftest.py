"""An engine with a fake embedder, a frozen clock, and nothing else out of the ordinary."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.fakes import FrozenClock, HashingEmbedder
from tests.waiting import PATIENCE_S

from recollect import Engine, clock
from recollect.engine.hook_responses import work_in_progress
from recollect.engine.models import embedding_queue
from recollect.engine.records import branches


@pytest.fixture(autouse=True)
def _patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no answer depend on how busy the machine is: wait for git, and leave a failed embedder alone all the time."""
    monkeypatch.setattr(branches, "GIT_TIMEOUT_S", PATIENCE_S)
    monkeypatch.setattr(work_in_progress, "GIT_S", PATIENCE_S)
    monkeypatch.setattr(embedding_queue, "FIRST_PAUSE_S", PATIENCE_S)


@pytest.fixture
def frozen(monkeypatch: pytest.MonkeyPatch) -> FrozenClock:
    """A clock that only the test moves."""
    stopped = FrozenClock()
    monkeypatch.setattr(clock, "now", stopped)
    return stopped


@pytest.fixture
def embedder() -> HashingEmbedder:
    return HashingEmbedder()


@pytest.fixture
def open_engine(home: Path) -> Iterator[Callable[..., Engine]]:
    """Opens an engine on the home of this test; each call is one more process, as far as the store can tell."""
    opened: list[Engine] = []

    def open_one(**options: Any) -> Engine:
        opened.append(Engine(**{"home": str(home), **options}))
        return opened[-1]

    yield open_one
    for engine in opened:
        engine.close()


@pytest.fixture
def engine(open_engine: Callable[..., Engine], embedder: HashingEmbedder, frozen: FrozenClock) -> Engine:
    """An engine whose vectors are made by `embedder`, on a frozen clock."""
    return open_engine(embedder=embedder)
