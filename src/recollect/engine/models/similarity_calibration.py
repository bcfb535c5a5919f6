"""Similarity calibration: cosines of any embedding model on one scale.

Models give unrelated texts different cosines (0.05 or 0.7), so that one threshold does not fit all. Every model is
measured once on the same pairs of texts: the mean cosine of unrelated texts, and of two wordings of one thing. A line
through these two points brings its cosines to the scale of REFERENCE. The store keeps it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from recollect.errors import RecollectError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from recollect.engine.context import Context
    from recollect.engine.models.embedding_queue import Embedding

# Two wordings of one thing each, of the kind that memories and questions are; different lines have nothing in common.
PAIRS: tuple[tuple[str, str], ...] = (
    ("How do we roll back a failed deployment?", "If a release breaks, run the rollback script with the previous tag."),
    ("Which database does the billing service use?", "Billing keeps its data in PostgreSQL."),
    ("Where did she go on holiday?", "I spent two weeks at the sea in Portugal last summer."),
    ("What naming convention do test files follow?", "Name every test module test_ plus the module under test."),
    ("Why was the cache removed?", "We dropped the cache because it served stale prices."),
    ("How many retries does the HTTP client make?", "Requests are retried three times with exponential backoff."),
    ("Who looks after the dog while they travel?", "My neighbour feeds the dog whenever we are away."),
    ("fix for segmentation fault on startup", "The crash when the program starts came from an uninitialised pointer."),
    ("What instrument is he learning?", "I started taking piano lessons in March."),
    ("Which port does the dashboard listen on?", "The web interface is served on 8080 by default."),
    ("How is user input validated?", "Every form is checked against a JSON schema before it is saved."),
    ("When is the quarterly report due?", "Finance wants the numbers for the quarter by Friday."),
    ("What should be logged when a job fails?", "On failure write the job id and the stack trace to the log."),
    ("Does the parser support comments?", "Lines that begin with a hash are skipped while parsing."),
    ("What did they cook for dinner?", "Last night we made lasagna together."),
    ("How are secrets passed to containers?", "Credentials are mounted as files, never set as environment variables."),
)


class Calibration(NamedTuple):
    """The mean cosine of a model for unrelated and for related texts."""

    unrelated: float
    related: float


# The scale on which the weights of recall were fitted: all-MiniLM-L6-v2 as its authors published it, on PAIRS.
REFERENCE = Calibration(unrelated=0.0497, related=0.4660)
# The shipped model, which was trained further (tests/unit/recall/test_calibration.py measures it again).
SHIPPED = Calibration(unrelated=-0.0060, related=0.4557)

# A model that tells related from unrelated texts by less than this, half of what REFERENCE does, is left as it
# is: a line through two points that close would turn noise into certainty.
LEAST_SPREAD = 0.2


def texts() -> list[str]:
    """Return the texts to embed, in the order in which `measured` expects their vectors."""
    return [text for pair in PAIRS for text in pair]


def measured(vectors: Sequence[Sequence[float]] | NDArray[np.float32]) -> Calibration:
    """Return the calibration of the model that made these vectors of `texts()`."""
    import numpy as np

    lengths = np.linalg.norm(np.asarray(vectors, np.float64), axis=1, keepdims=True)
    unit = np.asarray(vectors, np.float64) / np.maximum(lengths, 1e-12)
    cosines = np.einsum("id,jd->ij", unit[::2], unit[1::2])
    same = np.eye(len(PAIRS), dtype=bool)
    return Calibration(unrelated=float(cosines[~same].mean()), related=float(cosines[same].mean()))


def comparable(cosines: Mapping[int, float], ruler: Calibration) -> Mapping[int, float]:
    """Return cosines of a model on the scale of REFERENCE."""
    if ruler == REFERENCE or ruler.related - ruler.unrelated < LEAST_SPREAD:
        return cosines
    slope = (REFERENCE.related - REFERENCE.unrelated) / (ruler.related - ruler.unrelated)
    return {pid: REFERENCE.unrelated + slope * (cosine - ruler.unrelated) for pid, cosine in cosines.items()}


class CalibrationCache:
    """The calibration of cosines, by model."""

    def __init__(self, context: Context, embedding: Embedding) -> None:
        self._context = context
        self._embedding = embedding
        self._known: dict[str, Calibration] = {}

    def of(self, model: str) -> Calibration:
        """Return the scale of a model; REFERENCE until it can be measured."""
        from recollect.providers.local import MODEL_ID

        if not model:
            return REFERENCE
        if model.startswith(MODEL_ID):
            return SHIPPED
        if model not in self._known:
            kept = self._kept(model) or self._measured(model)
            if kept is None:
                return REFERENCE
            self._known[model] = kept
        return self._known[model]

    def _kept(self, model: str) -> Calibration | None:
        value = self._context.store.setting(_key(model))
        try:
            return msgspec.json.decode(value, type=Calibration) if value else None
        except msgspec.MsgspecError:
            return None  # written by another version: measured again

    def _measured(self, model: str) -> Calibration | None:
        embedder, store = self._embedding.embedder, self._context.store
        if embedder is None:
            return None
        try:
            found = measured(embedder.embed(texts()))
            if not store.describe().read_only:
                store.keep_setting(_key(model), msgspec.json.encode(found).decode())
        except RecollectError:
            # A provider that just answered and now does not: the next recall tries again.
            return None
        return found


def _key(model: str) -> str:
    return f"ruler/{model}"
