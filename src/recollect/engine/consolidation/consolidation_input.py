"""Input of consolidation cycles: candidates, pairs of similar memories, groups with a summary."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import numpy as np

from recollect import clock
from recollect.consolidate.candidate import Candidate
from recollect.consolidate.cluster import MOST_MEMBERS, Group
from recollect.consolidate.similar_pairs import MEANING, Marks, Pair, alike
from recollect.engine.consolidation.plan_execution import MIDDLE
from recollect.engine.models.embedding_queue import MIN_COVERAGE
from recollect.engine.models.similarity_calibration import LEAST_SPREAD, REFERENCE, Calibration
from recollect.engine.records.memory_rows import is_own_summary
from recollect.model import Change, Edge, Injection, Memory
from recollect.text.display import plural

if TYPE_CHECKING:
    from recollect.engine.models.similarity_calibration import CalibrationCache
    from recollect.store.sql import Store
    from recollect.store.store_values import Filter


_FIELDS = (
    "id", "seq", "memory_type", "importance", "namespace", "tags", "metadata", "source", "title", "access_count",
    "last_accessed_at", "updated_at", "expires_at", "superseded_by", "branch",
)  # fmt: skip

_TAGS = msgspec.json.Decoder(tuple[str, ...])
_METADATA = msgspec.json.Decoder(dict[str, Any])


def candidates(store: Store, where: Filter, *, texts: bool = False, settled: bool = False) -> list[Candidate]:
    """Return the memories that are neither superseded, archived nor expired, in the order of storing.

    texts: read their contents, too. settled: leave out memories of a branch
    """
    fields = (*_FIELDS, "content") if texts else _FIELDS
    # An imported memory may be old, but it is new here.
    came = _latest(store.columns(Change, ("entity_id", "at"), {"entity": "memories", "action": "insert"}))
    shown = _latest(store.columns(Injection, ("memory_id", "at")))
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


def _latest(rows: Iterable[tuple[Any, ...]]) -> dict[str, int]:
    latest: dict[str, int] = {}
    for name, at in rows:
        latest[name] = max(at, latest.get(name, 0))
    return latest


class Similar(NamedTuple):
    """Memories, the pairs of them that are similar, the thresholds used, and notes."""

    candidates: Sequence[Candidate]
    pairs: Sequence[Pair]
    marks: Marks
    notes: tuple[str, ...] = ()


def similar(
    store: Store, model: str, calibration: CalibrationCache, candidates: Sequence[Candidate], *, k: int
) -> Similar:
    """Return pairs of memories that share at least a topic, for each its best `k`. model: of the embeddings"""
    ids, vectors = store.memory_vectors(model) if model else ((), np.empty((0, 0), np.float32))
    place = {name: number for number, name in enumerate(ids)}
    having = [candidate for candidate in candidates if candidate.id in place]
    if not having or len(having) < MIN_COVERAGE * len(candidates):
        note = "memories were not compared: " + ("most are not embedded yet" if model else "embeddings are off")
        return Similar((), (), MEANING, (note,) if candidates else ())
    rows = np.fromiter((place[candidate.id] for candidate in having), np.int64, len(having))
    marks = _on_scale(MEANING, calibration.of(model))
    pairs = alike(having, vectors[rows], k=k, least=min(marks.theme, marks.group))
    lacking = len(candidates) - len(having)
    notes = (f"{plural(lacking, 'memory is', 'memories are')} not embedded yet and were skipped",) if lacking else ()
    return Similar(having, pairs, marks, notes)


def _on_scale(marks: Marks, calibration: Calibration) -> Marks:
    """Return thresholds of the shipped model as cosines of the model in use."""
    if calibration == REFERENCE or calibration.related - calibration.unrelated < LEAST_SPREAD:
        return marks
    slope = (calibration.related - calibration.unrelated) / (REFERENCE.related - REFERENCE.unrelated)
    # Always below 1: equal texts are similar for every model.
    return Marks(*(min(0.99, calibration.unrelated + slope * (mark - REFERENCE.unrelated)) for mark in marks))


def covered(store: Store) -> Mapping[str, tuple[str, ...]]:
    """Return the ids of the members of each summary, in the order in which they joined."""
    members: dict[str, list[tuple[int, str]]] = defaultdict(list)
    for src, dst, rev in store.columns(Edge, ("src", "dst", "rev"), {"relationship": "SUMMARIZES"}):
        members[src.removeprefix("mem:")].append((rev, dst.removeprefix("mem:")))
    return {summary: tuple(name for _, name in sorted(rows)) for summary, rows in members.items()}


def open_groups(
    store: Store, summed_up: Mapping[str, Sequence[str]], candidates: Sequence[Candidate]
) -> tuple[Group, ...]:
    """Return the groups with room for more whose summary was not edited, the central member first."""
    known = {row.id: row for row in candidates}
    found: list[Group] = []
    for summary in sorted(store.get(Memory, sorted(summed_up)), key=lambda row: row.seq):
        members = [known[name] for name in summed_up[summary.id] if name in known]
        if not members or len(members) >= MOST_MEMBERS or not is_own_summary(summary):
            continue
        middle = summary.metadata.get(MIDDLE)
        members.sort(key=lambda row: row.id != middle)
        found.append(Group(summary.id, tuple(members)))
    return tuple(found)
