"""Embedding by an Ollama server, usually on this machine: POST /api/embed."""

from __future__ import annotations

import msgspec

from recollect.errors import EmbeddingFailed
from recollect.providers.exchange import Exchange, Patience
from recollect.providers.remote import RemoteEmbedder

URL = "http://localhost:11434"
MODEL = "nomic-embed-text"


class _Answer(msgspec.Struct):
    embeddings: list[list[float]]


def open_ollama(*, url: str = "", model: str = "", patience: Patience | None = None) -> RemoteEmbedder:
    """Return the embedder of an Ollama server; empty values mean the defaults. Nothing is sent before it is used."""
    model = model or MODEL
    exchange = Exchange("ollama", url or URL, failure=EmbeddingFailed, patience=patience)

    def ask(texts: list[str]) -> list[list[float]]:
        return exchange.post("/api/embed", {"model": model, "input": texts}, _Answer).embeddings

    return RemoteEmbedder(f"ollama/{model}", exchange, ask)
