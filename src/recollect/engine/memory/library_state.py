"""State that libraries keep in the database: scores by a caller's model, and texts of a project.

A score is found by context, memory and the hash of the memory's file, and expires. The rows are those of judgements
(rerank); their model field names the file, so that the scores of a file can be deleted.

A write replaces a text only if it is still the one that the writer read, so concurrent writers lose nothing. Texts
are derived state: they are not logged, and deleting the project deletes them.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Literal, NamedTuple

from recollect import clock
from recollect.engine.records.memory_rows import batches
from recollect.engine.records.record_redaction import without_secrets
from recollect.model import Judgement

if TYPE_CHECKING:
    from recollect.store.sql import Store

PREFIX = "memory_lib:"
# As many as the judge of a recall keeps, for the same reason: about 10 MB.
MAX_KEPT = 10_000
# Forgotten at once: as many as one statement can name.
MAX_FORGOTTEN = 500


# hierarchy: what is in the context window. overview: what is known of a project as a whole.
Kind = Literal["hierarchy", "overview"]
KINDS: tuple[Kind, ...] = ("hierarchy", "overview")


class Key(NamedTuple):
    """The inputs of a score, and the file that invalidates it ("" for no file)."""

    context: str
    memory_id: str
    file_hash: str
    file_path: str = ""

    def digest(self) -> str:
        """Return the key as a hash: what was asked cannot be read back from it."""
        parts = f"{self.context}\0{self.memory_id}\0{self.file_hash}"
        return hashlib.sha256(parts.encode("utf-8", "surrogatepass")).hexdigest()


class Kept(NamedTuple):
    """A score with its reason, and when it was given."""

    score: float
    reason: str
    at: int


class ScoreCache:
    """Scores in the database of an engine; other processes see them, and they outlive this one."""

    def __init__(self, store: Store, max_age_s: int) -> None:
        self._store = store
        self._max_age_s = max_age_s

    def get(self, keys: list[Key]) -> dict[Key, Kept]:
        """Return the scores that are kept under these keys and still hold."""
        oldest = clock.now() - self._max_age_s
        by_digest = {key.digest(): key for key in keys}
        rows = [row for batch in batches(list(by_digest)) for row in self._store.get(Judgement, batch)]
        return {by_digest[row.id]: Kept(row.score, row.reason, row.judged_at) for row in rows if row.judged_at > oldest}

    def put(self, scores: dict[Key, Kept]) -> None:
        """Store scores, replacing older ones; the oldest of too many are deleted."""
        if not scores:
            return
        with self._store.transaction("score_cache") as transaction:
            for key, kept in scores.items():
                row = Judgement(
                    id=key.digest(),
                    model=PREFIX + key.file_path,
                    score=kept.score,
                    reason=kept.reason,
                    judged_at=kept.at,
                )
                transaction.delete(Judgement, {"id": row.id})
                transaction.insert(without_secrets(row)[0])
        self._forget_oldest()

    def forget(self, file_path: str) -> int:
        """Forget the scores of a file's memories; return how many there were."""
        with self._store.transaction("score_cache") as transaction:
            return transaction.delete(Judgement, {"model": PREFIX + file_path})

    def clear(self) -> None:
        """Forget all scores."""
        with self._store.transaction("score_cache") as transaction:
            for model in self._sizes():
                transaction.delete(Judgement, {"model": model})

    def size(self) -> int:
        """Return how many scores are kept."""
        return sum(self._sizes().values())

    def _sizes(self) -> dict[str, int]:
        found = self._store.tally(Judgement, "model")
        return {model: count for model, count in found.items() if model.startswith(PREFIX)}

    def _forget_oldest(self) -> None:
        more = self._store.count(Judgement) - MAX_KEPT
        while more > 0:
            oldest = self._store.find(Judgement, order="judged_at", limit=min(more, MAX_FORGOTTEN))
            with self._store.transaction("score_cache") as transaction:
                transaction.delete(Judgement, {"id": tuple(row.id for row in oldest)})
            more -= len(oldest)


class Documents:
    """The texts of one project."""

    def __init__(self, store: Store, namespace: str) -> None:
        self._store = store
        self._namespace = namespace

    def read(self, kind: Kind) -> str | None:
        """Return the text as it was written; None if there is none, empty if it was deleted."""
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
