"""Learning: what sources of a project's past find, written down as memories.

    source ─► Found ─► without secrets ─► Memory, its id made of project, source and key

Ids are a function of what was found, so that importing again, or on after being stopped, leaves the same memories.
What says something else than last time (a commit that was reverted since, files that change together more often) is
written anew, unless somebody changed it by hand; what somebody deleted stays deleted.
"""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from recollect import clock, progress
from recollect.engine.memories import content_hash, ensure_node, headline, node_id, unwanted
from recollect.engine.redaction import without_secrets
from recollect.model import Edge, HistorySource, LearntFrom, Memory

if TYPE_CHECKING:
    from recollect.engine.root import Engine
    from recollect.history.history_record import Found, Source
    from recollect.store.protocol import Store, Transaction

# Memories of one transaction: long enough to be fast, short enough that other writers never wait long.
BATCH = 200
# Sample titles in the answer of each source: they show what kind of memories were imported.
EXAMPLES = 3
EXAMPLE_CHARACTERS = 120
# Written by the people of the project, but not to us.
TRUST = 0.8
# Ids of what is found: made of names below this one.
_SPACE = uuid.UUID("5f0c2f7e-5d5a-5b0e-9a53-2f0a6d1c7b11")


class Place(NamedTuple):
    """Where an import reads: the project, and the commits of its branch that the default one does not have."""

    namespace: str
    root: Path
    branch: str | None
    own: frozenset[str]


class Writing:
    """Writes the memories that sources find, and counts the outcomes."""

    def __init__(self, engine: Engine, place: Place, *, dry_run: bool) -> None:
        self._engine = engine
        self._place = place
        self._dry_run = dry_run
        self.batch = clock.new_id()
        self.redacted: Counter[str] = Counter()
        self.examples: list[str] = []
        self._shown: Counter[str] = Counter()
        self.changed = 0
        # What took too long, by source and key.
        self.left_out: list[str] = []

    def learn(self, name: HistorySource, source: Source, since: int | None) -> LearntFrom:
        """Write everything that a source finds; returns the outcome counts."""
        found = source.records(self._place.root, since)
        fates: Counter[str] = Counter()
        rules: Counter[str] = Counter()
        while chunk := list(islice(found, BATCH)):
            rules.update(row.rule for row in chunk)
            ready = [memory for row in chunk if (memory := self._ready(name, row)) is not None]
            fates.update(self._fates(self._engine.store, ready) if self._dry_run else self._write(ready))
            progress.report(fates.total(), None, "storing memories")
        self.changed += fates["created"] + fates["updated"]
        self.left_out += [f"{name}: {path}" for path in source.left_out]
        return LearntFrom(source=name, found=rules.total(), rules=dict(rules.most_common()), **fates)

    def _ready(self, source: str, found: Found) -> Memory | None:
        """Return what is found as a memory; None if that takes too long."""
        try:
            with clock.cpu_limit(clock.RECORD_CPU_S):
                return self._memory(source, found)
        except clock.CpuLimitExceeded:
            self.left_out.append(f"{source}: {found.key}")
            return None

    def _write(self, ready: Sequence[Memory]) -> list[str]:
        fates = self._fates(self._engine.store, ready)
        if "created" not in fates and "updated" not in fates:
            return fates  # nothing is locked for nothing
        with self._engine.store.transaction("import_history", batch=self.batch) as transaction:
            fates = self._fates(transaction, ready)
            for memory, fate in zip(ready, fates, strict=True):
                if fate == "created":
                    self._tell(transaction.insert(memory))
                elif fate == "updated":
                    transaction.update(Memory, memory.id, _renewed(memory))
                if fate in ("created", "updated") and memory.superseded_by is not None:
                    _link(transaction, memory)
        return fates

    def _fates(self, rows: Store | Transaction, ready: Sequence[Memory]) -> list[str]:
        """Return what is to become of memories: created, updated, known or refused."""
        ids = [memory.id for memory in ready]
        known = {memory.id: memory for memory in rows.get(Memory, ids)}
        refused = unwanted(rows, [row_id for row_id in ids if row_id not in known])
        fates: list[str] = []
        for memory in ready:
            old = known.get(memory.id)
            if old is None:
                fates.append("refused" if memory.id in refused else "created")
            else:
                fates.append("updated" if _differs(old, memory) else "known")
        return fates

    def _memory(self, source: str, found: Found) -> Memory:
        place = self._place
        by = found.replaced_by
        sha = found.metadata.get("sha")
        is_own = sha in place.own
        raw = Memory(
            id=self._id(source, found.key),
            content=found.content,
            memory_type=found.memory_type,
            importance=found.importance,
            tags=found.tags,
            metadata={"from": source, "rule": found.rule, **found.metadata},
            namespace=place.namespace,
            created_at=found.at,
            updated_at=found.at,
            last_accessed_at=found.at,
            category=found.rule,
            title=found.title,
            author=found.author,
            source="import",
            trust=TRUST,
            valid_from=found.at,
            valid_to=found.ended_at,
            superseded_by=self._id(source, by) if by is not None else None,
            branch=place.branch if is_own else None,
            head=sha if isinstance(sha, str) else None,
        )
        memory, kinds = without_secrets(raw)
        self.redacted.update(kinds)
        written = content_hash(memory.content)
        return msgspec.structs.replace(memory, content_hash=written, metadata={**memory.metadata, "written": written})

    def _id(self, source: str, key: str) -> str:
        return str(uuid.uuid5(_SPACE, f"{self._place.namespace}\n{source}\n{key}"))

    def _tell(self, memory: Memory) -> None:
        source = memory.metadata["from"]
        if self._shown[source] < EXAMPLES and memory.importance > 0.5:
            self._shown[source] += 1
            told = headline(memory)
            self.examples.append(told if len(told) <= EXAMPLE_CHARACTERS else told[: EXAMPLE_CHARACTERS - 1] + "…")


def is_learnt(memory: Memory) -> bool:
    """Tell whether a memory says what a project's past does: that code has changed since is in its nature.

    Nobody has to settle it, and the next import writes anew what there is to.
    """
    return "from" in memory.metadata and memory.metadata.get("written") == memory.content_hash


def _differs(old: Memory, new: Memory) -> bool:
    """Tell whether a memory says something else now, and nobody but us wrote it."""
    return is_learnt(old) and (old.content_hash, old.superseded_by) != (new.content_hash, new.superseded_by)


def _renewed(new: Memory) -> dict[str, Any]:
    fields = ("content", "content_hash", "title", "tags", "metadata", "updated_at", "valid_from", "valid_to")
    return {field: getattr(new, field) for field in (*fields, "superseded_by", "memory_type", "category")}


def _link(transaction: Transaction, memory: Memory) -> None:
    """Link what was taken back with what took it back, once."""
    newer = transaction.get(Memory, [memory.superseded_by or ""])
    if not newer:
        return
    for row in (newer[0], memory):
        ensure_node(transaction, row)
    edge_id = str(uuid.uuid5(_SPACE, f"{newer[0].id} supersedes {memory.id}"))
    if not transaction.get(Edge, [edge_id]):
        src, dst = node_id(newer[0].id), node_id(memory.id)
        transaction.insert(
            Edge(id=edge_id, src=src, dst=dst, relationship="SUPERSEDES", created_at=newer[0].created_at)
        )
