from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from recollect.errors import EmbeddingFailed
from recollect.providers.remote_embedder import open_ollama

from .conftest import Reply

if TYPE_CHECKING:
    from recollect.providers.http_exchange import Patience
    from recollect.providers.remote_embedder import RemoteEmbedder

    from .conftest import Service


@pytest.fixture
def embedder(service: Service, patience: Patience) -> RemoteEmbedder:
    service.answer = lambda body: {"embeddings": [[float(len(text)), 1.0] for text in body["input"]]}
    return open_ollama(url=service.url, patience=patience)


def refused(service: Service, embedder: RemoteEmbedder, rows: Sequence[Any] | bytes, *texts: str) -> str:
    """Return the message of the failure when the service answers with `rows`."""
    service.replies = [Reply(rows if isinstance(rows, bytes) else {"embeddings": rows})]
    with pytest.raises(EmbeddingFailed) as caught:
        embedder.embed(texts)
    assert "ollama" in caught.value.message and service.url in caught.value.message
    return caught.value.message


def test_many_texts_are_sent_in_batches_and_come_back_in_order(service: Service, embedder: RemoteEmbedder) -> None:
    vectors = embedder.embed(["x" * (n + 1) for n in range(150)])
    assert [len(asked.body["input"]) for asked in service.asked] == [64, 64, 22]
    assert np.allclose(vectors[:, 0] / vectors[:, 1], range(1, 151), rtol=1e-4)


def test_no_texts_need_no_request(service: Service, embedder: RemoteEmbedder) -> None:
    assert embedder.embed([]).shape == (0, 0)
    embedder.embed(["abc"])
    assert embedder.embed([]).shape == (0, 2)
    assert len(service.asked) == 1


def test_long_texts_are_cut_and_unsendable_ones_mended(service: Service, embedder: RemoteEmbedder) -> None:
    embedder.embed(["x" * 100_000, "é" * 5_000, "", "a\ud800b"])
    sent = service.asked[0].body["input"]
    assert sent == ["x" * 8_000, "é" * 4_000, " ", "a?b"]


def test_a_passing_fault_between_batches_repeats_only_its_batch(service: Service, embedder: RemoteEmbedder) -> None:
    service.replies = [Reply({"embeddings": [[1.0, 2.0]] * 64}), Reply(status=503)]
    assert embedder.embed(["x"] * 65).shape == (65, 2)
    assert [len(asked.body["input"]) for asked in service.asked] == [64, 1, 1]


def test_a_wrong_number_of_vectors_is_refused(service: Service, embedder: RemoteEmbedder) -> None:
    assert "1 vector for 2 texts" in refused(service, embedder, [[1.0, 2.0]], "a", "b")
    assert "0 vectors for 1 text" in refused(service, embedder, [], "a")


def test_vectors_of_different_lengths_are_refused(service: Service, embedder: RemoteEmbedder) -> None:
    refused(service, embedder, [[1.0, 2.0], [1.0]], "a", "b")
    refused(service, embedder, [[]], "a")


def test_a_service_that_changes_its_vector_length_is_refused(service: Service, embedder: RemoteEmbedder) -> None:
    embedder.embed(["a"])
    assert "3 dimensions instead of 2" in refused(service, embedder, [[1.0, 2.0, 3.0]], "b")


@pytest.mark.parametrize(
    "rows",
    [
        b'{"embeddings": [[NaN, 1.0]]}',
        b'{"embeddings": [[Infinity, 1.0]]}',
        b'{"embeddings": [[1e999, 1.0]]}',
        b'{"embeddings": [[1e300, 1e300]]}',
        b'{"embeddings": [[null, 1.0]]}',
        b'{"embeddings": [["1.0", 1.0]]}',
        b'{"embeddings": [[0.0, 0.0]]}',
        b'{"embeddings": [[1.0, 1.0]',
        b"not json at all",
    ],
)
def test_vectors_without_a_direction_are_refused(service: Service, embedder: RemoteEmbedder, rows: bytes) -> None:
    refused(service, embedder, rows, "a")


@pytest.mark.parametrize("scale", [1e-30, 1.0, 1e30])
def test_vectors_of_any_size_become_unit_length(service: Service, embedder: RemoteEmbedder, scale: float) -> None:
    service.replies = [Reply({"embeddings": [[3.0 * scale, 4.0 * scale]]})]
    assert np.allclose(embedder.embed(["a"]), [[0.6, 0.8]])
