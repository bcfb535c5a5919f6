from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from recollect.errors import EmbeddingFailed
from recollect.providers.remote_embedder import open_openai

from .conftest import Reply

if TYPE_CHECKING:
    from recollect.providers.http_exchange import Patience

    from .conftest import Service

KEY = "sk-verysecret-0123456789"


def lengths(body: Any) -> dict[str, Any]:
    """Answer as OpenAI does, last text first, with a vector that tells the length of each text."""
    rows = [{"index": place, "embedding": [len(text), 1]} for place, text in enumerate(body["input"])]
    return {"object": "list", "data": rows[::-1], "model": body["model"]}


@pytest.mark.promise("E10")
def test_texts_are_sent_as_openai_wants_them_and_come_back_in_order(service: Service, patience: Patience) -> None:
    service.answer = lengths
    vectors = open_openai(url=f"{service.url}/v1", key=KEY, patience=patience).embed(["abc", "a", "ab"])
    asked = service.asked[0]
    assert asked.path == "/v1/embeddings"
    assert asked.headers["Authorization"] == f"Bearer {KEY}"
    assert asked.body["model"] == "text-embedding-3-small" and asked.body["input"] == ["abc", "a", "ab"]
    assert "dimensions" not in asked.body
    assert np.allclose(vectors[:, 0] / vectors[:, 1], [3, 1, 2])
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1)


def test_asked_dimensions_are_sent_and_demanded(service: Service, patience: Patience) -> None:
    service.answer = lengths
    assert open_openai(url=service.url, dimensions=2, patience=patience).embed(["abc"]).shape == (1, 2)
    assert service.asked[0].body["dimensions"] == 2
    with pytest.raises(EmbeddingFailed) as caught:
        open_openai(url=service.url, dimensions=512, patience=patience).embed(["abc"])
    assert "2 dimensions instead of 512" in caught.value.message


def test_the_id_names_provider_model_and_asked_dimensions() -> None:
    assert open_openai().model_id == "openai/text-embedding-3-small"
    assert open_openai(dimensions=512).model_id == "openai/text-embedding-3-small/512"
    assert open_openai(model="voyage-3").model_id == "openai/voyage-3"


def test_a_compatible_service_needs_no_key_and_may_leave_out_the_index(service: Service, patience: Patience) -> None:
    service.answer = lambda body: {"data": [{"embedding": [len(text), 1.0]} for text in body["input"]]}
    vectors = open_openai(url=service.url, patience=patience).embed(["abc", "a"])
    assert "Authorization" not in service.asked[0].headers
    assert np.allclose(vectors[:, 0] / vectors[:, 1], [3, 1])


def test_nothing_is_sent_to_openai_without_a_key() -> None:
    with pytest.raises(EmbeddingFailed) as caught:
        open_openai().embed(["abc"])
    assert "needs a key" in caught.value.message and "embed_api_key" in caught.value.hint


@pytest.mark.parametrize("places", [(0, 0), (1, 2), (0, 5), (0, None)])
def test_vectors_that_cannot_be_matched_to_texts_are_refused(
    service: Service, patience: Patience, places: tuple[int | None, ...]
) -> None:
    service.replies = [Reply({"data": [{"index": place, "embedding": [1.0]} for place in places]})]
    with pytest.raises(EmbeddingFailed):
        open_openai(url=service.url, patience=patience).embed(["abc", "a"])


def test_a_wrong_key_is_said_without_the_key(service: Service, patience: Patience) -> None:
    service.replies = [Reply({"error": {"message": f"Incorrect API key provided: {KEY}"}}, status=401)]
    with pytest.raises(EmbeddingFailed) as caught:
        open_openai(url=service.url, key=KEY, patience=patience).embed(["abc"])
    assert "401" in caught.value.message and "key" in caught.value.hint
    assert KEY not in repr(caught.value.as_dict())
    assert len(service.asked) == 1
