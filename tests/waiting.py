"""Waiting for work in another thread or process.

A test waits for the work itself, never for a time in which it should be done: how long that is depends on what else
the machine does.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import pytest

# Far beyond what anything here takes, even on a busy machine: only a hang reaches it.
PATIENCE_S = 300
LOOK_S = 0.01


def until(holds: Callable[[], object]) -> None:
    """Return once a condition holds; fail the test if it never does."""
    pause, ends = threading.Event(), time.monotonic() + PATIENCE_S
    while not holds():
        if time.monotonic() > ends:
            pytest.fail(f"not so after {PATIENCE_S} s")
        pause.wait(LOOK_S)
