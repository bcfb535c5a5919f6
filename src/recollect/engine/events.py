"""Events: what was seen of a project, by hooks and in transcripts, as patterns and commands are found in it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING

from recollect.model import Memory, Observed
from recollect.patterns.known_commands import Moment, Run
from recollect.store.protocol import Range

if TYPE_CHECKING:
    from recollect.store.protocol import Store

# A season of busy days; the latest are looked at where there are more.
ROWS = 50_000
# Ids asked for at a time.
PIECE = 500
CHANGING = frozenset({"edit", "write", "patch"})


def observed(store: Store, namespace: str | None, since: int | None, event: str, limit: int = ROWS) -> list[Observed]:
    """Return the latest observations of a kind, of a project or of all, newest first."""
    where: dict[str, object] = {"event": event}
    if namespace is not None:
        where["namespace"] = namespace
    if since is not None:
        where["at"] = Range(since)
    return store.find(Observed, where, order="-at", limit=limit)


def by_project(rows: Sequence[Observed]) -> dict[str | None, list[Observed]]:
    """Return observations by their project: what is usual in one says nothing of another."""
    found: dict[str | None, list[Observed]] = defaultdict(list)
    for row in rows:
        found[row.namespace].append(row)
    return dict(found)


def runs(store: Store, rows: Sequence[Observed], namespace: str | None) -> list[Run]:
    """Return the runs of commands among observations, and those that only a memory still tells of."""
    found = remembered_runs(store, rows)
    told = {run.memory_id for run in found}
    where: dict[str, object] = {"category": "command", "superseded_by": None}
    if namespace is not None:
        where["namespace"] = namespace
    kept = store.find(Memory, where, order="-updated_at", limit=ROWS)
    alone = [row for row in kept if row.id not in told and _is_proven(row)]
    return [*found, *map(_remembered, alone)]


def remembered_runs(store: Store, rows: Sequence[Observed]) -> list[Run]:
    """Return the runs of commands among observations, with the lines and folders that their memories hold."""
    shells = _shells(rows)
    ids = list(dict.fromkeys(row.memory_id for row in shells if row.memory_id))
    told = {
        memory.id: memory
        for start in range(0, len(ids), PIECE)
        for memory in store.get(Memory, ids[start : start + PIECE])
    }
    return [run_of(row, told.get(row.memory_id or "")) for row in shells]


def seen_runs(rows: Sequence[Observed]) -> list[Run]:
    """Return the runs of commands among observations, by these alone: without variables and folders of the lines."""
    return [run_of(row, None) for row in _shells(rows)]


def _shells(rows: Sequence[Observed]) -> list[Observed]:
    return [row for row in rows if row.tool == "shell" and row.target and row.outcome]


def edits(rows: Sequence[Observed]) -> dict[str, list[Moment]]:
    """Return, by session, when files were changed."""
    found: dict[str, list[Moment]] = defaultdict(list)
    for row in rows:
        if row.tool in CHANGING and row.outcome != "failed":
            found[row.session_id or ""].append((row.at, row.id))
    return dict(found)


def run_of(row: Observed, memory: Memory | None) -> Run:
    """Return the run of a command that was observed, with what its memory says of it."""
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
    """Tell whether a memory is of a command that succeeded; older ones prove that by their exit code alone."""
    about = memory.metadata
    outcome = about.get("outcome", "ok" if about.get("exit") == 0 else "")
    return outcome == "ok" and isinstance(about.get("command"), str)


def _remembered(memory: Memory) -> Run:
    """Return the run that a memory tells of: its observation is older than they are kept."""
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
    """Return a folder from the root of its project; empty for that, and for what lies outside of it."""
    if not isinstance(folder, str):
        return ""
    if not folder.startswith("/"):
        return folder.strip("/")
    return folder[len(namespace) + 1 :].strip("/") if namespace and folder.startswith(namespace + "/") else ""
