"""The projects that the caller of this thread or task is limited to; a database that can, enforces it too.

The engine filters by itself. Where the database has row-level security, a mistake in that filter shows nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_projects: ContextVar[tuple[str, ...]] = ContextVar("caller_projects", default=())


def caller_projects() -> tuple[str, ...]:
    """Return the projects that the caller is limited to; empty: all."""
    return _projects.get()


@contextmanager
def confined_to(projects: tuple[str, ...]) -> Iterator[None]:
    """Read and write rows of these projects, and of none, in a block; empty: all rows.

    Work for the whole store inside of a call, such as counting missing vectors, takes all rows.
    """
    token = _projects.set(projects)
    try:
        yield
    finally:
        _projects.reset(token)
