"""Embedding by Ollama, OpenAI or a compatible service, in batches.

Each text is cut to what any model reads, and each answer is checked.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from recollect.errors import EmbeddingFailed
from recollect.providers.http_exchange import Exchange, Patience
from recollect.providers.provider_protocol import excerpt
from recollect.text.display import plural

if TYPE_CHECKING:
    from recollect.providers.provider_protocol import Vectors

BATCH_TEXTS = 64  # a request: at most 0.5 MB to send and a few MB to get, so that a retry does not repeat much

# A text over a model's limit fails its whole batch (the OpenAI models stop at 8,191 tokens). A token of a byte-level
# vocabulary is at least one byte, so this is never too much; of prose or code it is about 2,000 tokens.
MAX_BYTES = 8_000

NOTHING = " "  # sent for an empty text, which some services refuse


class RemoteEmbedder(msgspec.Struct, eq=False):
    """Embeds through a service; `ask` gets up to 64 texts and returns one vector for each.

    dimensions: of every vector; 0: those of the first answer
    """

    model_id: str
    exchange: Exchange
    ask: Callable[[list[str]], Sequence[Sequence[float]]]
    dimensions: int = 0

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one unit vector per text, in order, from its first 8,000 bytes.

        Raises EmbeddingFailed, also when the answer has the wrong number of vectors, or vectors of the wrong length or
        without a direction.
        """
        import numpy as np

        parts = [np.empty((0, self.dimensions), dtype=np.float32)] if not texts else []
        for start in range(0, len(texts), BATCH_TEXTS):
            batch = [excerpt(text, MAX_BYTES) or NOTHING for text in texts[start : start + BATCH_TEXTS]]
            parts.append(self._checked(self.ask(batch), len(batch)))
        return np.concatenate(parts)

    def _checked(self, rows: Sequence[Sequence[float]], count: int) -> Vectors:
        import numpy as np

        if len(rows) != count:
            raise self.exchange.failed(f"returned {plural(len(rows), 'vector')} for {plural(count, 'text')}")
        expected = self.dimensions or len(rows[0])
        for row in rows:
            if len(row) != expected or not row:
                raise self.exchange.failed(
                    f"returned a vector with {len(row)} dimensions instead of {expected}",
                    hint="Check embed_model and embed_dimensions.",
                )
        vectors = np.asarray(rows, dtype=np.float64)
        with np.errstate(over="ignore"):  # an overflow becomes infinity, which is refused below
            lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        if not (np.isfinite(lengths).all() and lengths.all()):
            raise self.exchange.failed("returned a vector that is zero or not finite")
        self.dimensions = expected
        unit: Vectors = (vectors / lengths).astype(np.float32)
        return unit


# --- Ollama: POST /api/embed ---

OLLAMA_URL = "http://localhost:11434"
OLLAMA_MODEL = "nomic-embed-text"


class _OllamaAnswer(msgspec.Struct):
    embeddings: list[list[float]]


def open_ollama(*, url: str = "", model: str = "", patience: Patience | None = None) -> RemoteEmbedder:
    """Return the embedder of an Ollama server; empty values mean the defaults. Sends nothing."""
    model = model or OLLAMA_MODEL
    exchange = Exchange("ollama", url or OLLAMA_URL, failure=EmbeddingFailed, patience=patience)

    def ask(texts: list[str]) -> list[list[float]]:
        return exchange.post("/api/embed", {"model": model, "input": texts}, _OllamaAnswer).embeddings

    return RemoteEmbedder(f"ollama/{model}", exchange, ask)


# --- OpenAI: POST /embeddings ---

OPENAI_URL = "https://api.openai.com/v1"
OPENAI_MODEL = "text-embedding-3-small"


class _OpenaiVector(msgspec.Struct):
    embedding: list[float]
    index: int | None = None  # some compatible services leave it out and keep the order


class _OpenaiAnswer(msgspec.Struct):
    data: list[_OpenaiVector]


def open_openai(
    *, url: str = "", model: str = "", key: str = "", dimensions: int = 0, patience: Patience | None = None
) -> RemoteEmbedder:
    """Return the embedder of an OpenAI-compatible service; empty values mean the defaults.

    dimensions: 0 means those of the model. Sends nothing yet, and nothing to OpenAI itself without a key.
    """
    url, model = url or OPENAI_URL, model or OPENAI_MODEL
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    exchange = Exchange("openai", url, failure=EmbeddingFailed, headers=headers, secret=key, patience=patience)
    wanted: dict[str, Any] = {"dimensions": dimensions} if dimensions else {}

    def ask(texts: list[str]) -> list[list[float]]:
        if url == OPENAI_URL and not key:
            raise exchange.failed("needs a key", hint="Set embed_api_key or OPENAI_API_KEY. Nothing was sent.")
        body = {"model": model, "input": texts, "encoding_format": "float", **wanted}
        return _in_order(exchange, exchange.post("/embeddings", body, _OpenaiAnswer).data)

    model_id = f"openai/{model}/{dimensions}" if dimensions else f"openai/{model}"
    return RemoteEmbedder(model_id, exchange, ask, dimensions=dimensions)


def _in_order(exchange: Exchange, vectors: list[_OpenaiVector]) -> list[list[float]]:
    """Return the vectors in the order of the texts; the service may use another."""
    numbered = {vector.index: vector.embedding for vector in vectors if vector.index is not None}
    if not numbered:
        return [vector.embedding for vector in vectors]
    if sorted(numbered) != list(range(len(vectors))):
        raise exchange.failed("returned vectors with wrong index numbers")
    return [numbered[place] for place in range(len(vectors))]
