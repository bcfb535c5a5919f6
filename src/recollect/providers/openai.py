"""Embedding by OpenAI, or by any service that speaks the same language: POST /embeddings."""

from __future__ import annotations

from typing import Any

import msgspec

from recollect.errors import EmbeddingFailed
from recollect.providers.exchange import Exchange, Patience
from recollect.providers.remote import RemoteEmbedder

URL = "https://api.openai.com/v1"
MODEL = "text-embedding-3-small"


class _Vector(msgspec.Struct):
    embedding: list[float]
    index: int | None = None  # some compatible services leave it out and keep the order


class _Answer(msgspec.Struct):
    data: list[_Vector]


def open_openai(
    *, url: str = "", model: str = "", key: str = "", dimensions: int = 0, patience: Patience | None = None
) -> RemoteEmbedder:
    """Return the embedder of an OpenAI-compatible service; empty values mean the defaults, 0 the model's own length.

    Nothing is sent before it is used, and to OpenAI itself nothing without a key.
    """
    url, model = url or URL, model or MODEL
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    exchange = Exchange("openai", url, failure=EmbeddingFailed, headers=headers, secret=key, patience=patience)
    wanted: dict[str, Any] = {"dimensions": dimensions} if dimensions else {}

    def ask(texts: list[str]) -> list[list[float]]:
        if url == URL and not key:
            raise exchange.failed("needs a key", hint="Set embed_api_key or OPENAI_API_KEY. Nothing was sent.")
        body = {"model": model, "input": texts, "encoding_format": "float", **wanted}
        return _in_order(exchange, exchange.post("/embeddings", body, _Answer).data)

    model_id = f"openai/{model}/{dimensions}" if dimensions else f"openai/{model}"
    return RemoteEmbedder(model_id, exchange, ask, dimensions=dimensions)


def _in_order(exchange: Exchange, vectors: list[_Vector]) -> list[list[float]]:
    """Return the numbers in the order of the texts asked about; the service may answer in another."""
    numbered = {vector.index: vector.embedding for vector in vectors if vector.index is not None}
    if not numbered:
        return [vector.embedding for vector in vectors]
    if sorted(numbered) != list(range(len(vectors))):
        raise exchange.failed("returned vectors with wrong index numbers")
    return [numbered[place] for place in range(len(vectors))]
