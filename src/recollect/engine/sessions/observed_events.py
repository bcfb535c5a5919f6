"""Queries on captured events: observations, runs of commands, edits, and evidence for files."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from recollect import clock
from recollect.capture.fixes import unresolved
from recollect.capture.summary import CHANGING
from recollect.model import Anchor, AnchorState, Memory, Observed
from recollect.patterns.known_commands import Moment, Run
from recollect.store.store_values import Range

if TYPE_CHECKING:
    from recollect.store.sql import Store

# A season of busy days; of more, the latest are read.
ROWS = 50_000
# File evidence: older work belongs to other tasks; events that are read, newest first; how long an error is current.
LATELY_S = 3 * 86_400
LATELY_ROWS = 2_000
CURRENT_S = 1_800


def observed(store: Store, namespace: str | None, since: int | None, event: str, limit: int = ROWS) -> list[Observed]:
    """Return the latest observations of a kind, of a project or of all, newest first."""
    where: dict[str, object] = {"event": event}
    if namespace is not None:
        where["namespace"] = namespace
    if since is not None:
        where["at"] = Range(since)
    return store.find(Observed, where, order="-at", limit=limit)


def runs(store: Store, rows: Sequence[Observed], namespace: str | None) -> list[Run]:
    """Return runs of commands: of observations, and of memories whose observations are gone."""
    found = remembered_runs(store, rows)
    told = {run.memory_id for run in found}
    where: dict[str, object] = {"category": "command", "superseded_by": None}
    if namespace is not None:
        where["namespace"] = namespace
    kept = store.find(Memory, where, order="-updated_at", limit=ROWS)
    alone = [row for row in kept if row.id not in told and _is_proven(row)]
    return [*found, *map(_remembered, alone)]


def remembered_runs(store: Store, rows: Sequence[Observed]) -> list[Run]:
    """Return runs of commands among observations, with the lines and folders of their memories."""
    shells = [row for row in rows if row.tool == "shell" and row.target and row.outcome]
    ids = list(dict.fromkeys(row.memory_id for row in shells if row.memory_id))
    told = {memory.id: memory for memory in store.get(Memory, ids)}
    return [run_of(row, told.get(row.memory_id or "")) for row in shells]


def edits(rows: Sequence[Observed]) -> dict[str, list[Moment]]:
    """Return, by session, when files were changed."""
    found: dict[str, list[Moment]] = defaultdict(list)
    for row in rows:
        if row.tool in CHANGING and row.outcome != "failed":
            found[row.session_id or ""].append((row.at, row.id))
    return dict(found)


def run_of(row: Observed, memory: Memory | None) -> Run:
    """Return an observed run of a command, with the line and folder of its memory."""
    about = memory.metadata if memory is not None else {}
    written = about.get("command")
    return Run(
        id=row.id,
        at=row.at,
        session=row.session_id or "",
        namespace=row.namespace,
        line=written if isinstance(written, str) else row.target,
        directory=_directory(about.get("directory"), row.namespace),
        worked=row.outcome == "ok",
        told=row.told if row.outcome == "failed" else "",
        fingerprint=row.fingerprint,
        memory_id=memory.id if memory is not None else "",
    )


def _is_proven(memory: Memory) -> bool:
    """Tell whether a memory is about a command that succeeded; older ones have only an exit code."""
    about = memory.metadata
    outcome = about.get("outcome", "ok" if about.get("exit") == 0 else "")
    return outcome == "ok" and isinstance(about.get("command"), str)


def _remembered(memory: Memory) -> Run:
    """Return the run of a memory whose observation is gone."""
    return Run(
        id=memory.id,
        at=memory.updated_at,
        session=memory.session_id or "",
        namespace=memory.namespace,
        line=str(memory.metadata["command"]),
        directory=_directory(memory.metadata.get("directory"), memory.namespace),
        worked=True,
    )


def _directory(folder: object, namespace: str | None) -> str:
    """Return a folder relative to its project; empty for the root and for folders outside."""
    if not isinstance(folder, str):
        return ""
    if not folder.startswith("/"):
        return folder.strip("/")
    return folder[len(namespace) + 1 :].strip("/") if namespace and folder.startswith(namespace + "/") else ""


# --- evidence for files ---


class Touched(NamedTuple):
    """A recently used file: how often it was changed and read, and when last."""

    path: str
    changed: int
    read: int
    last_at: int


def touched(store: Store, namespace: str, root: str) -> list[Touched]:
    """Return recently changed or read files below a root, latest first."""
    found: dict[str, Touched] = {}
    prefix = f"{root}/"
    for row in observed(store, namespace, clock.now() - LATELY_S, "tool", LATELY_ROWS):
        is_change = row.tool in CHANGING
        if row.outcome == "failed" or not row.target.startswith(prefix) or not (is_change or row.tool == "read"):
            continue
        path = row.target.removeprefix(prefix)
        old = found.get(path, Touched(path, 0, 0, row.at))
        found[path] = old._replace(changed=old.changed + is_change, read=old.read + (not is_change))
    return sorted(found.values(), key=lambda row: (-row.last_at, row.path))


def current_error(store: Store, namespace: str) -> str:
    """Return the last failure of the past minutes that no success resolved; empty if there is none."""
    failures = unresolved(observed(store, namespace, clock.now() - CURRENT_S, "tool", LATELY_ROWS))
    return failures[-1].told if failures else ""


def spoken_of(store: Store, memory_ids: Sequence[str]) -> dict[str, list[str]]:
    """Return the files that memories are anchored to, by memory, at their current paths."""
    found: dict[str, list[str]] = {}
    if not memory_ids:
        return found
    where = {"memory_id": tuple(memory_ids)}
    now_at = {state.id: state for state in store.find(AnchorState, where)}
    for anchor in store.find(Anchor, where):
        state = now_at.get(anchor.id)
        found.setdefault(anchor.memory_id, []).append(anchor.path if state is None else state.path)
    return found
