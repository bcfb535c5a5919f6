"""Keeping: the state of a project between two calls, changed by one process at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import msgspec

from recollect.engine.memory.library_state import Documents
from recollect.errors import Conflict, StoreCorrupt
from recollect.hierarchy.model import Moved
from recollect.hierarchy.state import MAX_EVENTS, State

# How often a change is retried because another process wrote first.
TRIES = 20


class Changed(NamedTuple):
    """A state as it is kept now, and what moved on the way to it."""

    state: State
    moved: tuple[Moved, ...]


class Keeping:
    """The state of one project."""

    def __init__(self, documents: Documents) -> None:
        self._documents = documents

    def read(self) -> State:
        """Return the state as it is kept."""
        return self._decoded(self._documents.read("hierarchy"))

    def change(self, step: Callable[[State], State]) -> Changed:
        """Take one step from the state as it is kept; what the step moves is added to the events.

        Raises Conflict if others change it all the time.
        """
        for _ in range(TRIES):
            text = self._documents.read("hierarchy")
            before = self._decoded(text)
            after = step(msgspec.structs.replace(before, events=()))
            moved = after.events
            kept = msgspec.structs.replace(after, events=(*before.events, *moved)[-MAX_EVENTS:])
            if kept == before or self._documents.swap("hierarchy", text, msgspec.json.encode(kept).decode()):
                return Changed(kept, moved)
        raise Conflict("other processes keep changing the context window", hint="Try again.")

    def _decoded(self, text: str | None) -> State:
        if not text:
            return State()
        try:
            return msgspec.json.decode(text, type=State)
        except msgspec.DecodeError as problem:
            hint = "Run `recollect context-window complete` to reset it."
            raise StoreCorrupt(f"the stored context window cannot be read ({problem})", hint=hint) from None

    def forget(self) -> None:
        """Reset the stored state."""
        text = self._documents.read("hierarchy")
        if text:
            self._documents.swap("hierarchy", text, "")
