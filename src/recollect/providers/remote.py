"""Embedding through a service: in batches, each text cut to what any model reads, each answer checked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from recollect.providers.excerpt import excerpt
from recollect.text.display import plural

if TYPE_CHECKING:
    from recollect.providers.exchange import Exchange
    from recollect.providers.protocol import Vectors

BATCH_TEXTS = 64  # a request: at most 0.5 MB to send and a few MB to get, so that a retry does not repeat much

# A text over a model's limit fails its whole batch (the OpenAI models stop at 8,191 tokens). A token of a byte-level
# vocabulary is at least one byte, so this is never too much; of prose or code it is about 2,000 tokens.
MAX_BYTES = 8_000

NOTHING = " "  # sent for an empty text, which some services refuse


class RemoteEmbedder:
    """Embeds by asking; `ask` gets up to 64 texts and returns one list of numbers for each, whatever their length."""

    def __init__(
        self,
        model_id: str,
        exchange: Exchange,
        ask: Callable[[list[str]], Sequence[Sequence[float]]],
        *,
        dimensions: int = 0,
    ) -> None:
        """Ask nothing yet. `dimensions` is the length every vector must have; 0: that of the first one seen."""
        self._model_id = model_id
        self._exchange = exchange
        self._ask = ask
        self._dimensions = dimensions

    @property
    def model_id(self) -> str:
        return self._model_id

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one unit vector per text, in order; what follows the first 8,000 bytes of a text is not sent.

        Raises EmbeddingFailed, also when the answer has the wrong number of vectors, or vectors of the wrong length or
        without a direction.
        """
        import numpy as np

        parts = [np.empty((0, self._dimensions), dtype=np.float32)] if not texts else []
        for start in range(0, len(texts), BATCH_TEXTS):
            batch = [excerpt(text, MAX_BYTES) or NOTHING for text in texts[start : start + BATCH_TEXTS]]
            parts.append(self._checked(self._ask(batch), len(batch)))
        return np.concatenate(parts)

    def _checked(self, rows: Sequence[Sequence[float]], count: int) -> Vectors:
        import numpy as np

        if len(rows) != count:
            raise self._exchange.failed(f"returned {plural(len(rows), 'vector')} for {plural(count, 'text')}")
        expected = self._dimensions or len(rows[0])
        for row in rows:
            if len(row) != expected or not row:
                raise self._exchange.failed(
                    f"returned a vector with {len(row)} dimensions instead of {expected}",
                    hint="Check embed_model and embed_dimensions.",
                )
        vectors = np.asarray(rows, dtype=np.float64)
        with np.errstate(over="ignore"):  # an overflow becomes infinity, which is refused below
            lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        if not (np.isfinite(lengths).all() and lengths.all()):
            raise self._exchange.failed("returned a vector that is zero or not finite")
        self._dimensions = expected
        unit: Vectors = (vectors / lengths).astype(np.float32)
        return unit
