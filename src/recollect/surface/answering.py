"""Answering hooks: what a payload is worth saying, in the form its assistant reads.

A server does it for hooks that ask through its socket, with the engine it has; a hook that finds no server does it
itself, with an engine of its own that goes without vectors.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.surface.assistants.reply import reply

if TYPE_CHECKING:
    from recollect.engine import Engine


def answered(engine: Engine, payload: bytes, event: str, assistant: str, *, lexical: bool = False) -> bytes:
    """Return what a hook prints for a payload; empty: nothing."""
    text = engine.presence.answer(payload, event=event, assistant=assistant, lexical=lexical)
    return reply(text, event=event, assistant=assistant)


def by_engine(payload: bytes, home: str, event: str, assistant: str) -> bytes:
    """Return the same with an engine that is made for it: for a process that answers once."""
    from recollect.engine import Engine

    with Engine(home=home) as engine:
        engine.branches.asks_git = False  # no second program while somebody waits for the first letter
        return answered(engine, payload, event, assistant, lexical=True)
