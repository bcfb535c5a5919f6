"""Answering hooks: what a payload is worth saying, in the form its assistant reads.

A server does it for hooks that ask through its socket, with the engine it has. A hook that finds no server does it
itself: at a prompt, where a person waits, with a glance at the database, else with an engine that goes without vectors.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from recollect.surface.assistants.reply import reply

if TYPE_CHECKING:
    from recollect.engine import Engine


def answered(
    engine: Engine,
    payload: bytes,
    event: str,
    assistant: str,
    *,
    lexical: bool = False,
    wanted: Callable[[], bool] = lambda: True,
) -> bytes:
    """Return what a hook prints for a payload; empty: nothing.

    wanted: whether the hook still waits; what nobody waits for does not count as said
    """
    text = engine.presence.answer(payload, event=event, assistant=assistant, lexical=lexical, wanted=wanted)
    return reply(text, event=event, assistant=assistant)


def by_glance(payload: bytes, home: str, event: str, assistant: str) -> bytes:
    """Return what a hook prints for a prompt, by words alone and without an engine; empty: nothing."""
    from recollect.engine.hook_responses.prompt_fast_path import glance

    return reply(glance(payload, home=home, event=event, assistant=assistant), event=event, assistant=assistant)


def by_engine(payload: bytes, home: str, event: str, assistant: str) -> bytes:
    """Return what a hook prints for any payload, with an engine that is made for it."""
    from recollect.engine import Engine

    with Engine(home=home) as engine:
        engine.branches.asks_git = False  # no second program while somebody waits for the first letter
        return answered(engine, payload, event, assistant, lexical=True)
