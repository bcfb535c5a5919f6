"""Memory: conversations kept for long, and recalled by the engine; here without chunks (enhanced.py has those)."""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recollect.episodic.defaults import documented as documented_default
from recollect.episodic.defaults import settled, whole
from recollect.episodic.embedding import EmbeddingFunction, given, vectors_of
from recollect.episodic.errors import documented
from recollect.episodic.metrics import Metrics
from recollect.episodic.older import older_rows
from recollect.episodic.opening import EPISODES, Keeping, Opened
from recollect.episodic.records import (
    ChunkedMemoryRecord,
    MemoryRecord,
    SessionTurn,
    create_single_chunk,
    migrate_legacy_record,
    required,
)
from recollect.episodic.rows import FIRST, child_record, legacy, parent_record, rows_of, turn_record

if TYPE_CHECKING:
    from recollect.engine.library_store import LibraryStore
    from recollect.model import Hit, Memory

# Turns that follow each other within this time belong together; what stands around a turn helps to find it.
SITTING_S = 30 * 60
# Hits looked at for each record wanted: several may be chunks of one conversation; if all are, so many.
HITS_PER_RECORD = 3
MANY_HITS = 20
# For so few records, which is what a recall returns unless it is told otherwise, this many hits are looked at and fewer
# passages ranked: the best few are nearly always the same, for two thirds of the time (bench/episodic.py).
FEW = 4
FEW_HITS = 10
# When there are too many records, the least worth keeping of so many of the oldest goes: looking at all of them would
# cost more with every record, and age decides in any case.
OLDEST = 64
# How often room is made by what was counted before; counting reads every row.
RECOUNTED = 100


class EpisodicMemory(Keeping):
    """Conversations, turn by turn. Safe to share between threads, and between processes that open the same file."""

    def __init__(
        self,
        storage_path: str | Path | None = None,
        embedding_fn: EmbeddingFunction | None = None,
        max_records: int = documented_default(1000),
        *,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """Open the memory at a path, or make it.

        storage_path: a file; a JSON file of an older memory is taken over and stays beside. None: nothing is kept
        embedding_fn: makes the vectors; None: the model that is shipped with recollect
        max_records: how many records there are at most; the oldest that nobody comes back to go first
        clock: says what time it is, in Unix seconds
        """
        given_values = settled(max_episodic_records=max_records)
        self.max_records = whole("max_records", given_values["max_episodic_records"], 1)
        self.storage_path = storage_path
        self._clock = clock
        self._embedder = given(embedding_fn)
        self._metrics = Metrics(enabled=_metrics_wanted())
        self._lock = threading.RLock()
        self._sitting = ("", 0.0)
        self._total: int | None = None
        self._made_room = 0
        with documented():
            self._opened = Opened(storage_path, EPISODES, self._embedder, older=older_rows)

    # --- what the document says ---

    def remember(self, user: str, assistant: str) -> MemoryRecord:
        """Keep a turn and return its record.

        Raises ValueError if one of the texts is empty or cannot be kept, MemoryError if storing fails.
        """
        return legacy(self._remember(user, assistant)[0])

    def recall(self, query: str, *, top_k: int = 4) -> list[MemoryRecord]:
        """Return the turns that answer a question, best first, at most `top_k`."""
        with self._metrics.timed("recall"), documented():
            hits = self._hits(query, top_k)
            parents = self._parents([hit.memory for hit in hits])
            found = {record.id: record for hit in hits if (record := _conversation(hit.memory, parents)) is not None}
            chosen = list(found.values())[:top_k]
            wanted = {record.id for record in chosen}
            used = [hit.memory.id for hit in hits if {hit.memory.id, hit.memory.parent_id} & wanted]
            self.shelf.touch(used, int(self._clock()))
        return [legacy(record) for record in chosen]

    # --- beside it ---

    @property
    def shelf(self) -> LibraryStore:
        """Where the records are kept."""
        return self._opened.shelf

    @property
    def metrics(self) -> dict[str, dict[str, float]]:
        """How often each operation was done and how long it took; empty where `enable_memory_metrics` is off."""
        return self._metrics.collected()

    def load_records(self, records: Iterable[MemoryRecord | ChunkedMemoryRecord]) -> list[ChunkedMemoryRecord]:
        """Keep conversations that are records already, with their ids and times; return the new parents.

        What is there already, by its id, is left as it is.
        """
        kept: list[ChunkedMemoryRecord] = []
        for record in records:
            if isinstance(record, ChunkedMemoryRecord) and record.is_child:
                continue  # cut anew with its parent
            with documented():
                if self._is_known(record.id):
                    continue
            kept.append(self._load(record))
        return kept

    def get_record(self, record_id: str) -> ChunkedMemoryRecord | None:
        """Return the conversation or chunk with this id, or None."""
        with documented():
            memory = self.shelf.get(record_id)
            if memory is None:
                return parent_record(self.shelf.select(parent_id=record_id))
            return self._records([memory])[0]

    def records(self) -> list[ChunkedMemoryRecord]:
        """Return everything: each conversation, oldest first, followed by its chunks."""
        with documented():
            return self._all_records()

    def __len__(self) -> int:
        with documented():
            return self._count()

    # --- keeping ---

    def _remember(self, user: str, assistant: str) -> list[ChunkedMemoryRecord]:
        from recollect.engine.library_store import without_secrets

        said = (required("user", user), required("assistant", assistant))
        with self._metrics.timed("remember"), documented():
            user, assistant = (without_secrets(side) for side in said)
            now = self._clock()
            return self._keep(self._cut(user, assistant), now, self._sitting_at(now))

    def _load(self, record: MemoryRecord | ChunkedMemoryRecord) -> ChunkedMemoryRecord:
        from recollect.engine.library_store import without_secrets

        session = record.session_id if isinstance(record, SessionTurn) else None
        source = record if isinstance(record, ChunkedMemoryRecord) else migrate_legacy_record(record)
        with documented():
            user, assistant = (without_secrets(side) for side in (source.user, source.assistant))
            if not user.strip() and not assistant.strip():
                raise ValueError(f"the record {source.id} is empty")
            is_turn = user.strip() and assistant.strip()
            records = self._cut(user, assistant) if is_turn else [create_single_chunk(user, assistant)]
            parent = records[0]
            parent.id = source.id
            if session is None:  # a session's vectors are made anew: they are derived
                parent.embedding = source.embedding
            parent.access_count, parent.importance_score = source.access_count, source.importance_score
            for child in records[1:]:
                child.parent_id, child.importance_score = source.id, source.importance_score
            return self._keep(records, source.timestamp, session or None)[0]

    def _cut(self, user: str, assistant: str) -> list[ChunkedMemoryRecord]:
        """Return a conversation as its records: here itself alone."""
        return [migrate_legacy_record(MemoryRecord(user=user, assistant=assistant))]

    def _keep(self, records: list[ChunkedMemoryRecord], at: float, session: str | None) -> list[ChunkedMemoryRecord]:
        for record in records:
            record.timestamp = record.last_accessed = at
        rows = list(rows_of(records[0], records[1:], session))
        vectors = vectors_of(self._embedder, [record.content for record in records])
        if vectors is not None:
            for record, vector in zip(records, vectors, strict=True):
                record.embedding = vector
        with self._lock:
            before = self._count()
            self.shelf.add(rows)
            self._total = before + len(records)
            self._make_room(records[0].id)
        return records

    def _sitting_at(self, now: float) -> str:
        """Return the name of what is going on: turns close in time share it, and help to find each other."""
        with self._lock:
            name, last = self._sitting
            if not name or not 0 <= now - last <= SITTING_S:
                name = str(uuid.uuid4())
            self._sitting = (name, now)
            return name

    def _count(self) -> int:
        """Return how many records there are; a parent counts though it is no row."""
        with self._lock:
            if self._total is None:
                self._total = self.shelf.count() + self.shelf.count(category=FIRST)
            return self._total

    def _make_room(self, newest: str) -> None:
        """Remove the least of the oldest conversations as long as there are too many records."""
        if self._count() <= self.max_records:
            return
        if self._made_room % RECOUNTED == 0:
            self._total = None  # other processes keep records, too
        self._made_room += 1
        while self._count() > self.max_records:
            oldest = self.shelf.ends(OLDEST, newest=False)
            names = dict.fromkeys(row.parent_id or row.id for row in oldest if newest not in (row.parent_id, row.id))
            if not names:
                return
            worst = min(names, key=lambda name: self._worth([row for row in oldest if name in (row.parent_id, row.id)]))
            self._forget([worst])

    def _worth(self, rows: Sequence[Memory]) -> float:
        """Return how much a conversation is worth keeping; without weights, the later it was used the more."""
        return max(float(max(row.created_at, row.last_accessed_at)) for row in rows)

    def _forget(self, names: Sequence[str]) -> int:
        """Remove conversations with all their chunks; return how many records that were."""
        with self._lock:
            parents = sum(
                len(self.shelf.select(parent_id=tuple(names[start : start + OLDEST]), category=FIRST))
                for start in range(0, len(names), OLDEST)
            )
            gone = self.shelf.remove_all(id=names, parent_id=names) + parents
            if self._total is not None:
                self._total -= gone
            return gone

    # --- reading ---

    def _hits(self, query: str, top_k: int) -> list[Hit]:
        """Return hits enough for so many records; further ones only where a few conversations have most of them."""
        text = required("query", query)
        is_few = whole("top_k", top_k, 1) <= FEW
        wanted = FEW_HITS if is_few else HITS_PER_RECORD * top_k
        hits = self.shelf.search(text, wanted, pool=wanted if is_few else None)
        distinct = len({hit.memory.parent_id or hit.memory.id for hit in hits})
        if distinct < top_k and self._count() > len(hits) > 0:
            hits = self.shelf.search(text, MANY_HITS * top_k)
        return hits

    def _parents(self, memories: Iterable[Memory]) -> dict[str, ChunkedMemoryRecord]:
        """Return the parents of chunks by their id, each from the chunk that carries it."""
        names = tuple(dict.fromkeys(row.parent_id for row in memories if row.parent_id))
        carriers = self.shelf.select(parent_id=names, category=FIRST) if names else []
        found = {row.parent_id: parent_record([row]) for row in carriers}
        return {name: record for name, record in found.items() if name is not None and record is not None}

    def _records(self, memories: Sequence[Memory]) -> list[ChunkedMemoryRecord]:
        """Return rows as records, in their order."""
        parents = self._parents(memories)
        return [
            turn_record(row) if row.parent_id is None else child_record(row, parents.get(row.parent_id))
            for row in memories
        ]

    def _all_records(self) -> list[ChunkedMemoryRecord]:
        rows = self.shelf.select()
        chunks: dict[str, list[Memory]] = {}
        for row in rows:
            if row.parent_id is not None:
                chunks.setdefault(row.parent_id, []).append(row)
        found: list[ChunkedMemoryRecord] = []
        for row in rows:
            if row.parent_id is None:
                found.append(turn_record(row))
            elif own := chunks.pop(row.parent_id, None):
                parent = parent_record(own)
                found += [parent] if parent is not None else []
                found += [child_record(each, parent) for each in sorted(own, key=lambda each: each.chunk_index or 0)]
        return found

    def _is_known(self, record_id: str) -> bool:
        return self.shelf.get(record_id) is not None or bool(self.shelf.ends(1, newest=False, parent_id=record_id))


def _conversation(memory: Memory, parents: dict[str, ChunkedMemoryRecord]) -> ChunkedMemoryRecord | None:
    return turn_record(memory) if memory.parent_id is None else parents.get(memory.parent_id)


def _metrics_wanted() -> bool:
    from recollect.engine.library_store import configured

    wanted: Any = configured("enable_memory_metrics")["enable_memory_metrics"]
    return bool(wanted)
