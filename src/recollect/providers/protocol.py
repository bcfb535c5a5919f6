"""What recollect asks of whoever makes vectors: one method, and a name for what it makes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]


class Embedder(Protocol):
    """Turns texts into unit vectors.

    `model_id` is stamped on every stored vector; vectors of different ids are never compared. Two embedders with
    the same id must give the same vectors.
    """

    @property
    def model_id(self) -> str: ...

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one L2-normalised float32 row per text, in order. Raises EmbeddingFailed."""
        ...
