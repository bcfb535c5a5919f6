from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from recollect.errors import EmbeddingFailed
from recollect.providers.remote_embedder import open_ollama

from .conftest import Reply

if TYPE_CHECKING:
    from recollect.providers.http_exchange import Patience

    from .conftest import Service


def lengths(body: Any) -> dict[str, Any]:
    """Answer as Ollama does, with a vector that tells the length of each text."""
    return {"model": body["model"], "embeddings": [[float(len(text)), 1.0, 0.0] for text in body["input"]]}


@pytest.mark.promise("E10")
def test_texts_are_sent_as_ollama_wants_them_and_come_back_as_unit_vectors(
    service: Service, patience: Patience
) -> None:
    service.answer = lengths
    vectors = open_ollama(url=service.url, patience=patience).embed(["abc", "a"])
    assert service.asked[0].path == "/api/embed"
    assert service.asked[0].body == {"model": "nomic-embed-text", "input": ["abc", "a"]}
    assert "Authorization" not in service.asked[0].headers
    assert vectors.dtype == np.float32
    assert np.allclose(vectors, [[3 / 10**0.5, 1 / 10**0.5, 0], [2**-0.5, 2**-0.5, 0]])


def test_the_id_names_provider_and_model() -> None:
    assert open_ollama().model_id == "ollama/nomic-embed-text"
    assert open_ollama(model="mxbai-embed-large").model_id == "ollama/mxbai-embed-large"


def test_a_model_that_was_not_pulled_is_said(service: Service, patience: Patience) -> None:
    service.replies = [Reply({"error": 'model "x" not found, try pulling it first'}, status=404)]
    with pytest.raises(EmbeddingFailed) as caught:
        open_ollama(url=service.url, model="x", patience=patience).embed(["abc"])
    assert "not found" in caught.value.message and "pulled" in caught.value.hint


def test_an_answer_without_vectors_is_a_failure(service: Service, patience: Patience) -> None:
    service.replies = [Reply({"embedding": [1.0]})]
    with pytest.raises(EmbeddingFailed):
        open_ollama(url=service.url, patience=patience).embed(["abc"])
