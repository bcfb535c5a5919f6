"""A service on this machine, and a patience with it that does not wait."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.service import Asked, Reply, Service, serving
from tests.waiting import PATIENCE_S

from recollect.providers.http_exchange import Patience

__all__ = ["Asked", "Reply", "Service"]


@pytest.fixture
def service() -> Iterator[Service]:
    with serving() as server:
        yield server


@pytest.fixture
def pauses() -> list[float]:
    """The seconds that `patience` would have waited, in order."""
    return []


@pytest.fixture
def patience(pauses: list[float]) -> Patience:
    """Three retries without waiting and without chance."""
    return Patience(timeout_s=PATIENCE_S, retries=3, sleep=pauses.append, chance=lambda: 0.0)
