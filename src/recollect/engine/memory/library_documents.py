"""Documents: what a library on the engine keeps of a project between two calls, as one text of each kind.

A text is written only over the one that its writer has read, so that of two processes that change it at once neither
loses what the other did. Derived state, statistics and choices: nothing of it is logged, and deleting the project
deletes it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from recollect.store.protocol import Store

# hierarchy: what is in the context window. overview: what is known of a project as a whole.
Kind = Literal["hierarchy", "overview"]
KINDS: tuple[Kind, ...] = ("hierarchy", "overview")


class Documents:
    """The texts of one project."""

    def __init__(self, store: Store, namespace: str) -> None:
        self._store = store
        self._namespace = namespace

    def read(self, kind: Kind) -> str | None:
        """Return the text as it was written, None if there is none; an empty one was forgotten."""
        return self._store.setting(self._key(kind))

    def swap(self, kind: Kind, before: str | None, after: str) -> bool:
        """Write a text in the place of `before`; false: another was written since that was read."""
        return self._store.swap_setting(self._key(kind), before, after)

    def forget(self) -> None:
        """Forget all texts of the project."""
        for kind in KINDS:
            if self.read(kind):
                self._store.keep_setting(self._key(kind), "")

    def _key(self, kind: Kind) -> str:
        return f"{kind}/{self._namespace}"
