"""Library store: the memories of a library in a database file of its own, kept exactly as given.

A library store sees one namespace, so that one file can hold several, and a library never counts or deletes memories of
another program. Hooks and projects do not concern it: no hook events are ingested, and questions are answered by rank.
"""

from __future__ import annotations

import tempfile
import weakref
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from recollect.engine.records.memory_rows import batches
from recollect.engine.retrieval.query_arguments import SEARCH_RELEVANCE, Asked
from recollect.engine.root import Engine
from recollect.errors import Conflict, InvalidInput, MemoryNotFound
from recollect.model import Hit, Memory, Signals
from recollect.providers.provider_protocol import Embedder
from recollect.settings import load
from recollect.store.store_values import Filter, Has, Range
from recollect.text.redaction.redact import redact_value

# A library has no limit of its own; this is the largest that the setting allows.
MAX_CONTENT_BYTES = 67_108_864
# How many memories a question is ranked over at most: what a recall may return.
MOST_RANKED = 1_000
# The least cosine of a hit without a word of the question. On LoCoMo this drops no answer (bench/episodic.py).
RELATED_COSINE = 0.25
# How much further to look where others' memories lie between ours.
WIDENING = 4


class Relevant(NamedTuple):
    """The relevance of a memory to a question, from 0 to 1, and the reason."""

    score: float
    reason: str


UNRELATED = Relevant(0.0, "unrelated to the query")


class LibraryStore:
    """Memories of one namespace of a database file, which is made if it is not there."""

    def __init__(self, path: str | Path | None, namespace: str, *, embedder: Embedder | None = None) -> None:
        """Open the database at a path; with None, one that is deleted when it is closed or no longer used.

        embedder: makes the vectors; default: the configured provider
        """
        folder = tempfile.TemporaryDirectory(prefix="recollect-") if path is None else None
        self.path = Path(folder.name, "memory.db") if folder else Path(path or "").expanduser().absolute()
        self.namespace = namespace
        self.engine = Engine(database=str(self.path), max_content_bytes=MAX_CONTENT_BYTES, embedder=embedder)
        try:
            self.engine.store.describe()  # opened now: a wrong path fails here, not at the first write
        except BaseException:
            self.engine.close()
            raise
        self._closing = weakref.finalize(self, _tidy, self.engine, folder)

    def add(self, rows: Sequence[Mapping[str, Any]]) -> list[Memory]:
        """Keep new memories, all or none. Raises ValueError for what cannot be kept or an id that is taken."""
        with plain_errors():
            return self.engine.memories.insert([{**row, "namespace": self.namespace} for row in rows])

    def get(self, memory_id: str) -> Memory | None:
        """Return the memory with this id, or None."""
        found = self.engine.store.get(Memory, [memory_id]) if isinstance(memory_id, str) else []
        return found[0] if found and found[0].namespace == self.namespace else None

    def get_all(self, memory_ids: Sequence[str]) -> list[Memory]:
        """Return the memories with these ids, in no particular order."""
        return [row for batch in batches(memory_ids) for row in self._own(self.engine.store.get(Memory, batch))]

    def find(self, tag: str | None = None) -> list[Memory]:
        """Return the memories, or those with a tag, newest first."""
        rows = self.engine.store.find(Memory, self._where(tag))
        return sorted(rows, key=lambda row: (row.created_at, row.seq), reverse=True)

    def select(self, **fields: object) -> list[Memory]:
        """Return the memories with these values, a tuple meaning any of them, oldest first.

        Filtered by the values first: asked for both, a database reads the whole namespace.
        """
        where = fields or self._where(None)
        return self._own(self.engine.store.find(Memory, where, order="created_at"))

    def ends(self, limit: int, *, newest: bool, **fields: object) -> list[Memory]:
        """Return the newest or the oldest memories with these values, that end first, at most `limit`."""
        order, wanted = "-created_at" if newest else "created_at", limit
        while True:
            rows = self.engine.store.find(Memory, fields, order=order, limit=wanted)
            own = self._own(rows)[:limit]
            if len(own) == limit or len(rows) < wanted:
                return own
            wanted *= WIDENING

    def columns(self, names: Sequence[str], **below: float) -> list[tuple[Any, ...]]:
        """Return only these fields of the memories in which other fields are less than this; in no particular order."""
        if not below:
            return self.engine.store.columns(Memory, names, self._where(None))
        where = {name: Range(below=value) for name, value in below.items()}
        rows = self.engine.store.columns(Memory, (*names, "namespace"), where)
        return [row[:-1] for row in rows if row[-1] == self.namespace]

    def count(self, **fields: object) -> int:
        """Return how many memories there are with these values."""
        return self.engine.store.count(Memory, {**self._where(None), **fields})

    def update(self, memory_id: str, **fields: Any) -> bool:
        """Change fields of a memory; return whether it exists. Raises ValueError for what cannot be stored."""
        if self.get(memory_id) is None:
            return False
        try:
            with plain_errors():
                self.engine.memories.update(memory_id, **fields)
        except MemoryNotFound:  # deleted by another in between
            return False
        return True

    def remove(self, tag: str | None = None, *, memory_id: str | None = None) -> int:
        """Delete all memories, or those with a tag or an id; return how many."""
        where = self._where(tag) if memory_id is None else {**self._where(tag), "id": memory_id}
        with self.engine.store.transaction("delete_memory") as transaction:
            return transaction.delete(Memory, where)

    def remove_all(self, **fields: Sequence[str]) -> int:
        """Delete the memories where one of the fields has one of its values; all at once. Return how many."""
        with self.engine.store.transaction("delete_memory") as transaction:
            doomed = dict.fromkeys(
                row.id
                for name, values in fields.items()
                for batch in batches(values)
                for row in self._own(transaction.find(Memory, {name: batch}))
            )
            return sum(transaction.delete(Memory, {"id": batch}) for batch in batches(tuple(doomed)))

    def touch(self, memory_ids: Sequence[str], at: int) -> None:
        """Count an access of memories at a moment."""
        self.engine.store.touch(memory_ids, at=at)

    @property
    def size_bytes(self) -> int:
        """The size of the database file."""
        return self.engine.store.describe().size_bytes

    def search(self, question: str, limit: int, *, pool: int | None = None) -> list[Hit]:
        """Return the memories that answer a question, best first; none if nothing is likely to, as in a search.

        What says the same as a better one stands under it; of versions of one fact the newest comes first.
        pool: rank fewer passages than a recall would: the best few hits are the same nearly always, for less
        """
        self.embed_beside()
        most, where = min(limit, MOST_RANKED), self._where(None)
        asked = Asked(question[:20_000], most, SEARCH_RELEVANCE, where, None, explain=False, pool=pool, hides_weak=True)
        return [hit for hit in self.engine.pipeline.answer(asked).hits if _matches(hit.signals)]

    def relevance(self, question: str, limit: int = MOST_RANKED) -> dict[str, Relevant]:
        """Return the relevance of memories to a question, by id, best first; without unrelated ones.

        limit: how many are looked for; twice as many may be found, by words and by meaning
        """
        from recollect.recall.explain import matched_words, reason

        if not question.strip():
            return {}
        self.embed_beside()
        asked = Asked(question[:20_000], min(limit, MOST_RANKED), 0.0, self._where(None), None, explain=False)
        ranking = self.engine.pipeline.rank(asked)
        pool, best = ranking.pool, dict[str, Relevant]()
        for place in (-ranking.scored.scores).argsort(kind="stable").tolist() if pool.passages else ():
            passage = pool.passages[place]
            if not passage.eligible or passage.memory_id in best:
                continue
            signals = Signals(
                lexical_rank=pool.lexical.get(passage.pid),
                semantic=pool.cosines.get(passage.pid) if pool.cosines else None,
                semantic_rank=pool.semantic.get(passage.pid),
                matched_terms=matched_words(ranking.query, passage.tokens),
            )
            score = min(1.0, max(0.0, round(float(ranking.scored.relevance[place]), 4)))
            best[passage.memory_id] = Relevant(score, reason(signals, ranking.closeness.get(passage.pid)))
        return best

    def close(self) -> None:
        """Close the database; closing it again does nothing."""
        self._closing()

    def embed_beside(self) -> None:
        """Make vectors in a thread if there are more to make than a question waits for; closing ends it.

        Meanwhile questions are answered by words. Nothing of this happens in a library that asks a model about all.
        """
        made, total = self.engine.embedding.coverage()
        if self.engine.embedding.model_id and total - made > self.engine.settings.embed_on_demand:
            self.engine.embedding.start()

    def _own(self, rows: Sequence[Memory]) -> list[Memory]:
        return [row for row in rows if row.namespace == self.namespace]

    def _where(self, tag: str | None) -> Filter:
        return {"namespace": self.namespace, **({"tags": Has((tag,))} if tag is not None else {})}


def _tidy(engine: Engine, folder: tempfile.TemporaryDirectory[str] | None) -> None:
    engine.close()
    if folder is not None:
        folder.cleanup()


def _matches(signals: Signals) -> bool:
    """Return whether a hit itself matches, and not only other turns of its session."""
    return bool(signals.matched_terms) or signals.dated or (signals.semantic or 0.0) >= RELATED_COSINE


@contextmanager
def plain_errors() -> Iterator[None]:
    """Turn InvalidInput and Conflict into ValueError, as the documents of the libraries demand."""
    try:
        yield
    except (InvalidInput, Conflict) as problem:
        raise ValueError(problem.message) from problem


def without_secrets(text: str) -> str:
    """Return a text with its secrets replaced by marks of their kind, as it will be kept."""
    clean, _ = redact_value(text)
    return str(clean)


def configured(*names: str) -> dict[str, Any]:
    """Return the settings of these names as they are in force here. Raises ConfigError."""
    settings = load()
    return {name: getattr(settings, name) for name in names}


def size(text: str) -> int:
    """Return the bytes of a text in UTF-8; a lone surrogate counts as the three bytes it would be."""
    return len(text.encode("utf-8", "surrogatepass"))
