"""Pause: work that makes millions of objects which all live until it ends, while nobody looks for garbage.

The collector goes through all that is alive again and again; while a program is solved it takes two thirds of the time
and finds nothing.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def uncollected() -> Iterator[None]:
    """Pause the collector of garbage; it goes on afterwards if it did before."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
