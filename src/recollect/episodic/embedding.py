"""Embedding: the function that makes vectors, brought by the caller or ours."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from recollect.errors import EmbeddingFailed

if TYPE_CHECKING:
    from recollect.engine.models.given_embedder import CallerEmbedder

logger = logging.getLogger(__name__)

# From a text to its vector; from a list of texts to their vectors is understood, too.
EmbeddingFunction = Callable[[Any], Sequence[Any]]


def embedding_function(text: str) -> list[float]:
    """Return the vector of a text by the model that is shipped with recollect, or the one that is configured."""
    from recollect.engine.models.given_embedder import configured_vector

    return configured_vector(text)


def given(function: EmbeddingFunction | None) -> CallerEmbedder | None:
    """Return the embedder of a function, None for none. Raises TypeError for what is no function."""
    if function is None:
        return None
    from recollect.engine.models.given_embedder import CallerEmbedder

    return CallerEmbedder(function)


def vectors_of(embedder: CallerEmbedder | None, texts: Sequence[str]) -> list[list[float]] | None:
    """Return the vectors of texts, or None where there is nobody to make them or it failed: memory goes on without."""
    if embedder is None:
        return None
    try:
        return embedder.vectors(texts)
    except EmbeddingFailed as problem:
        logger.warning("no embeddings: %s", problem.message)
        return None
