"""Evidence for a file besides its words: edits and reads that hooks captured, and memories that mention it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from recollect import clock
from recollect.capture.fixes import unresolved
from recollect.engine.sessions.observed_events import CHANGING, observed
from recollect.model import Anchor, AnchorState

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recollect.engine.root import Engine

# What was done longer ago belongs to other work.
LATELY_S = 3 * 86_400
# Events looked at, newest first: some busy days.
ROWS = 2_000
# A failure is the current error for so long.
CURRENT_S = 1_800


class Touched(NamedTuple):
    """A file that was worked on lately: how often it was changed and read, and when last."""

    path: str
    changed: int
    read: int
    last_at: int


def touched(engine: Engine, namespace: str, root: str) -> list[Touched]:
    """Return the files below a root that were changed or read lately, last ones first."""
    found: dict[str, Touched] = {}
    prefix = f"{root}/"
    for row in observed(engine.store, namespace, clock.now() - LATELY_S, "tool", ROWS):
        is_change = row.tool in CHANGING
        if row.outcome == "failed" or not row.target.startswith(prefix) or not (is_change or row.tool == "read"):
            continue
        path = row.target.removeprefix(prefix)
        old = found.get(path, Touched(path, 0, 0, row.at))
        found[path] = old._replace(changed=old.changed + is_change, read=old.read + (not is_change))
    return sorted(found.values(), key=lambda row: (-row.last_at, row.path))


def current_error(engine: Engine, namespace: str) -> str:
    """Return the last failure of the past minutes that no later success resolved; empty if there is none."""
    failures = unresolved(observed(engine.store, namespace, clock.now() - CURRENT_S, "tool", ROWS))
    return failures[-1].told if failures else ""


def spoken_of(engine: Engine, memory_ids: Sequence[str]) -> dict[str, list[str]]:
    """Return the files that memories are anchored to, by memory, where they are now."""
    found: dict[str, list[str]] = {}
    if not memory_ids:
        return found
    where = {"memory_id": tuple(memory_ids)}
    now_at = {state.id: state for state in engine.store.find(AnchorState, where)}
    for anchor in engine.store.find(Anchor, where):
        state = now_at.get(anchor.id)
        found.setdefault(anchor.memory_id, []).append(anchor.path if state is None else state.path)
    return found


def now() -> int:
    """Return what the engine's clock says."""
    return clock.now()
