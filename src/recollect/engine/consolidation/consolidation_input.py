"""Candidates: what a cycle of consolidation has to know of the memories, read in a few sweeps."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import msgspec

from recollect import clock
from recollect.consolidate.candidate import Candidate
from recollect.model import Change, Injection, Memory

if TYPE_CHECKING:
    from recollect.store.protocol import Filter, Store

_FIELDS = (
    "id", "seq", "memory_type", "importance", "namespace", "tags", "metadata", "source", "title", "access_count",
    "last_accessed_at", "updated_at", "expires_at", "superseded_by", "branch",
)  # fmt: skip

_TAGS = msgspec.json.Decoder(tuple[str, ...])
_METADATA = msgspec.json.Decoder(dict[str, Any])


def candidates(store: Store, where: Filter, *, texts: bool = False, settled: bool = False) -> list[Candidate]:
    """Return the memories that are in force, as a cycle sees them, in the order in which they came.

    Left out is what is archived or has expired, and what something newer replaced.

    texts: read their contents, too. settled: leave out what belongs to a branch
    """
    fields = (*_FIELDS, "content") if texts else _FIELDS
    came, shown = _came_in(store), _shown(store)
    now = clock.now()
    found: list[Candidate] = []
    for values in store.columns(Memory, fields, where):
        row = dict(zip(fields, values, strict=True))
        is_over = row["superseded_by"] is not None or (row["expires_at"] is not None and row["expires_at"] <= now)
        if is_over or (settled and row["branch"] is not None):
            continue
        used_at = max(row["last_accessed_at"], row["updated_at"], came.get(row["id"], 0), shown.get(row["id"], 0))
        found.append(
            Candidate(
                id=row["id"],
                seq=row["seq"],
                memory_type=row["memory_type"],
                importance=row["importance"],
                used_at=used_at,
                namespace=row["namespace"],
                tags=_TAGS.decode(row["tags"]),
                metadata=_METADATA.decode(row["metadata"]),
                source=row["source"],
                title=row["title"],
                content=row.get("content", ""),
                access_count=row["access_count"],
            )
        )
    return sorted(found, key=lambda candidate: candidate.seq)


def _came_in(store: Store) -> dict[str, int]:
    """Return when memories were stored here: what was imported may be from long before, and is new all the same."""
    return _latest(store.columns(Change, ("entity_id", "at"), {"entity": "memories", "action": "insert"}))


def _shown(store: Store) -> dict[str, int]:
    """Return when memories were last put before an assistant."""
    return _latest(store.columns(Injection, ("memory_id", "at")))


def _latest(rows: Iterable[tuple[Any, ...]]) -> dict[str, int]:
    latest: dict[str, int] = {}
    for name, at in rows:
        latest[name] = max(at, latest.get(name, 0))
    return latest
