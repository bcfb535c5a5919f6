"""A cache of embeddings in memory: the same text is embedded once."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from recollect.providers.provider_protocol import Classify, Embedder, Vectors

CAPACITY = 10_000  # vectors: 15 MB at 384 dimensions, 60 MB at 1,536

DIGEST_BYTES = 16  # the key, instead of a text that may be a megabyte long


class CachedEmbedder:
    """Embeds like `embedder`, and caches the last `capacity` vectors used.

    Safe to share between threads; while one embeds, the others still read the cache.
    """

    def __init__(self, embedder: Embedder, capacity: int = CAPACITY) -> None:
        self._embedder = embedder
        self._capacity = capacity
        self._kept: OrderedDict[bytes, NDArray[np.float32]] = OrderedDict()  # least lately used first
        self._lock = threading.Lock()

    @property
    def model_id(self) -> str:
        return self._embedder.model_id

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one unit vector per text, in order, in a new array. Raises EmbeddingFailed."""
        import numpy as np

        if not texts:
            return self._embedder.embed(texts)
        digests = [_digest(text) for text in texts]
        vectors = self._recall(digests)
        missing = {digest: text for digest, text in zip(digests, texts, strict=True) if digest not in vectors}
        if missing:
            made = self._embedder.embed(list(missing.values()))
            rows = {digest: row.copy() for digest, row in zip(missing, made, strict=True)}
            self._keep(rows)
            vectors |= rows
        return np.stack([vectors[digest] for digest in digests])

    def directions(self, text: str) -> Vectors | None:
        """Return the main directions in which the words of a text differ; None if the provider has none."""
        directions = getattr(self._embedder, "directions", None)
        if directions is None:
            return None
        key = b"directions" + _digest(text)
        if not (found := self._recall([key])):
            found = {key: directions(text)}
            self._keep(found)
        return found[key]

    @property
    def classify(self) -> Classify | None:
        """The classifier of the provider; None if it has none."""
        return getattr(self._embedder, "classify", None)

    def _recall(self, digests: list[bytes]) -> dict[bytes, NDArray[np.float32]]:
        with self._lock:
            found = {digest: self._kept[digest] for digest in digests if digest in self._kept}
            for digest in found:
                self._kept.move_to_end(digest)
            return found

    def _keep(self, rows: dict[bytes, NDArray[np.float32]]) -> None:
        with self._lock:
            self._kept.update(rows)
            while len(self._kept) > self._capacity:
                self._kept.popitem(last=False)


def _digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=DIGEST_BYTES).digest()
