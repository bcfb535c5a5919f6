"""Episodic memory: stores conversations for the long term and recalls them; without chunks."""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recollect.episodic.conversation_rows import FIRST, child_record, legacy, parent_record, rows_of, turn_record
from recollect.episodic.conversation_store import (
    EPISODES,
    ConversationStore,
    EmbeddingFunction,
    embedder_of,
    vectors_of,
)
from recollect.episodic.exceptions import documented_errors
from recollect.episodic.legacy_conversations import legacy_rows
from recollect.episodic.records import (
    ChunkedMemoryRecord,
    MemoryRecord,
    SessionTurn,
    create_single_chunk,
    migrate_legacy_record,
)
from recollect.episodic.validation import documented, required, settled, whole

if TYPE_CHECKING:
    from recollect.model import Hit, Memory

# Turns within this time share a session; recall uses the turns around a turn.
SESSION_GAP_S = 30 * 60
# Hits per wanted record, since several may be chunks of one conversation; the second number if all are.
HITS_PER_RECORD = 3
MANY_HITS = 20
# Up to FEW records (the default of recall is 4), fewer hits are read and fewer passages ranked: the best few are nearly
# always the same, in two thirds of the time (bench/episodic.py).
FEW = 4
FEW_HITS = 10
# Above the limit, the least valuable of this many oldest records is removed: reading all records would cost more with
# every record, and age decides in most cases.
OLDEST = 64
# Removals between two counts of all rows: counting reads every row.
RECOUNTED = 100


class EpisodicMemory(ConversationStore):
    """Stores conversations turn by turn. Safe to share between threads, and between processes on one file."""

    def __init__(
        self,
        storage_path: str | Path | None = None,
        embedding_fn: EmbeddingFunction | None = None,
        max_records: int = documented(1000),
        *,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """Open the memory at a path; create the file if it does not exist.

        storage_path: the file; a JSON file of an older memory is converted, with a backup. Default: nothing is stored
        embedding_fn: makes the vectors; default: the model shipped with recollect
        max_records: maximum number of records; old, unused ones are removed first
        clock: returns the time in Unix seconds
        """
        self.max_records = whole("max_records", settled(max_episodic_records=max_records)["max_episodic_records"], 1)
        self.storage_path = storage_path
        self._clock = clock
        self._embedder = embedder_of(embedding_fn)
        self._lock = threading.RLock()
        self._session = ("", 0.0)
        self._total: int | None = None
        self._made_room = 0
        with documented_errors():
            self._open(storage_path, EPISODES, self._embedder, legacy_rows)

    # --- documented ---

    def remember(self, user: str, assistant: str) -> MemoryRecord:
        """Store a turn and return its record.

        Raises ValueError if one of the texts is empty or cannot be stored, MemoryError if storing fails.
        """
        return legacy(self._remember(user, assistant)[0])

    def recall(self, query: str, *, top_k: int = 4) -> list[MemoryRecord]:
        """Return the turns that answer a question, most relevant first, at most `top_k`; none if nothing does.

        Each has its `relevance`, and counts as used.
        """
        with self._metrics.timed("recall"), documented_errors():
            hits = one_each(self._hits(query, top_k))[:top_k]
            parents = self._parents([hit.memory for hit in hits])
            self.store.touch([hit.memory.id for hit in hits], int(self._clock()))
        found = [(parents.get(hit.memory.parent_id or "", turn_record(hit.memory)), hit.score) for hit in hits]
        return [replace(legacy(record), relevance=score) for record, score in found]

    # --- additions ---

    def load_records(self, records: Iterable[MemoryRecord | ChunkedMemoryRecord]) -> list[ChunkedMemoryRecord]:
        """Store records with their ids and times; return the new parents. Known ids are skipped."""
        kept: list[ChunkedMemoryRecord] = []
        for record in records:
            if isinstance(record, ChunkedMemoryRecord) and record.is_child:
                continue  # split again with its parent
            with documented_errors():
                if self._is_known(record.id):
                    continue
            kept.append(self._load(record))
        return kept

    def get_record(self, record_id: str) -> ChunkedMemoryRecord | None:
        """Return the conversation or chunk with this id, or None."""
        with documented_errors():
            memory = self.store.get(record_id)
            if memory is None:
                return parent_record(self.store.select(parent_id=record_id))
            return self._records([memory])[0]

    def records(self) -> list[ChunkedMemoryRecord]:
        """Return all conversations, oldest first, each followed by its chunks."""
        with documented_errors():
            return self._all_records()

    def __len__(self) -> int:
        with documented_errors():
            return self._count()

    # --- storing ---

    def _remember(self, user: str, assistant: str) -> list[ChunkedMemoryRecord]:
        from recollect.engine import without_secrets

        sides = (required("user", user), required("assistant", assistant))
        with self._metrics.timed("remember"), documented_errors():
            user, assistant = (without_secrets(side) for side in sides)
            now = self._clock()
            return self._keep(self._cut(user, assistant), now, self._session_at(now))

    def _load(self, record: MemoryRecord | ChunkedMemoryRecord) -> ChunkedMemoryRecord:
        from recollect.engine import without_secrets

        session = record.session_id if isinstance(record, SessionTurn) else None
        source = record if isinstance(record, ChunkedMemoryRecord) else migrate_legacy_record(record)
        with documented_errors():
            user, assistant = (without_secrets(side) for side in (source.user, source.assistant))
            if not user.strip() and not assistant.strip():
                raise ValueError(f"the record {source.id} is empty")
            is_turn = user.strip() and assistant.strip()
            records = self._cut(user, assistant) if is_turn else [create_single_chunk(user, assistant)]
            parent = records[0]
            parent.id = source.id
            if session is None:  # vectors of a session are derived and computed again
                parent.embedding = source.embedding
            parent.access_count, parent.importance_score = source.access_count, source.importance_score
            for child in records[1:]:
                child.parent_id, child.importance_score = source.id, source.importance_score
            return self._keep(records, source.timestamp, session or None)[0]

    def _cut(self, user: str, assistant: str) -> list[ChunkedMemoryRecord]:
        """Return the records of a conversation; without chunks, only itself."""
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
            self.store.add(rows)
            self._total = before + len(records)
            self._make_room(records[0].id)
        return records

    def _session_at(self, now: float) -> str:
        """Return the id of the current session; turns close in time share it."""
        with self._lock:
            name, last = self._session
            if not name or not 0 <= now - last <= SESSION_GAP_S:
                name = str(uuid.uuid4())
            self._session = (name, now)
            return name

    def _count(self) -> int:
        """Return the number of records; parents count although they are no rows."""
        with self._lock:
            if self._total is None:
                self._total = self.store.count() + self.store.count(category=FIRST)
            return self._total

    def _make_room(self, newest: str) -> None:
        """Remove the least valuable of the oldest conversations while there are too many records."""
        if self._count() <= self.max_records:
            return
        if self._made_room % RECOUNTED == 0:
            self._total = None  # other processes store records, too
        self._made_room += 1
        while self._count() > self.max_records:
            oldest = self.store.ends(OLDEST, newest=False)
            names = dict.fromkeys(row.parent_id or row.id for row in oldest if newest not in (row.parent_id, row.id))
            if not names:
                return
            worst = min(names, key=lambda name: self._worth([row for row in oldest if name in (row.parent_id, row.id)]))
            self._forget([worst])

    def _worth(self, rows: Sequence[Memory]) -> float:
        """Return the value of a conversation; without weights, the time of its last use."""
        return max(float(max(row.created_at, row.last_accessed_at)) for row in rows)

    def _forget(self, names: Sequence[str]) -> int:
        """Remove conversations with all their chunks; return the number of removed records."""
        with self._lock:
            parents = sum(
                len(self.store.select(parent_id=tuple(names[start : start + OLDEST]), category=FIRST))
                for start in range(0, len(names), OLDEST)
            )
            gone = self.store.remove_all(id=names, parent_id=names) + parents
            if self._total is not None:
                self._total -= gone
            return gone

    # --- reading ---

    def _hits(self, query: str, top_k: int) -> list[Hit]:
        """Return enough hits for `top_k` records; searches again if few conversations have most hits."""
        text = required("query", query)
        is_few = whole("top_k", top_k, 1) <= FEW
        wanted = FEW_HITS if is_few else HITS_PER_RECORD * top_k
        hits = self.store.search(text, wanted, pool=wanted if is_few else None)
        distinct = len({hit.memory.parent_id or hit.memory.id for hit in hits})
        if distinct < top_k and len(hits) >= wanted:
            hits = self.store.search(text, MANY_HITS * top_k)
        return hits

    def _parents(self, memories: Iterable[Memory]) -> dict[str, ChunkedMemoryRecord]:
        """Return the parents of chunks by id, read from their first chunks."""
        names = tuple(dict.fromkeys(row.parent_id for row in memories if row.parent_id))
        carriers = self.store.select(parent_id=names, category=FIRST) if names else []
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
        rows = self.store.select()
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

    def _entries(self) -> Iterator[dict[str, Any]]:
        session = {row.parent_id or row.id: row.session_id for row in self.store.select()}
        for record in self._all_records():
            entry = {name: value for name, value in asdict(record).items() if value is not None}
            yield {**entry, "session_id": session.get(record.parent_id or record.id)}

    def _add_rows(self, rows: list[Mapping[str, Any]]) -> None:
        with self._lock:
            super()._add_rows(rows)
            self._total = None
            self._make_room("")


def one_each(hits: Sequence[Hit]) -> list[Hit]:
    """Return the best hit of each conversation."""
    best: dict[str, Hit] = {}
    for hit in hits:
        best.setdefault(hit.memory.parent_id or hit.memory.id, hit)
    return list(best.values())
