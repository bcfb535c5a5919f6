"""A caller's function as an embedder: both ways to call it, its fingerprint, and what it may do wrong."""

from __future__ import annotations

import numpy as np
import pytest

from recollect.engine.models.given_embedder import CallerEmbedder, centroid, configured_vector, cosine
from recollect.errors import EmbeddingFailed


def one(text: str) -> list[float]:
    return [3.0, 4.0 * len(text)]


def many(texts: list[str]) -> list[list[float]]:
    if isinstance(texts, str):
        raise TypeError("a list is wanted")
    return [one(text) for text in texts]


@pytest.mark.parametrize(
    "function",
    [
        one,
        many,
        lambda texts: np.array([one(text) for text in texts]),  # of a text it would give a vector per character
        lambda text: np.array(one(text), np.float32),
        lambda text: tuple(one(text)),
    ],
)
def test_a_function_of_one_text_or_of_many_gives_the_same_vectors(function: object) -> None:
    embedder = CallerEmbedder(function)  # type: ignore[arg-type]
    assert embedder.model_id == CallerEmbedder(one).model_id
    assert embedder.vectors(["a", "bc", "a"]) == [[3.0, 4.0], [3.0, 8.0], [3.0, 4.0]]
    assert np.allclose(embedder.embed(["a"]), [[0.6, 0.8]])


def test_the_stamp_tells_functions_apart() -> None:
    other = CallerEmbedder(lambda text: [4.0, 3.0, float(len(text))])
    assert other.model_id.startswith("given-3-")
    assert other.model_id != CallerEmbedder(one).model_id


def test_a_text_is_embedded_once() -> None:
    asked: list[str] = []

    def counting(text: str) -> list[float]:
        asked.append(text)
        return one(text)

    embedder = CallerEmbedder(counting)
    assert embedder.model_id
    embedder.vectors(["a", "b", "a"])
    embedder.embed(["b", "c"])
    assert asked[1:] == ["a", "b", "c"]


async def later(text: str) -> list[float]:
    return one(text)


@pytest.mark.parametrize(
    "function",
    [
        lambda text: [],
        lambda text: [float("nan"), 1.0],
        lambda text: "a text",
        lambda text: None,
        lambda texts: [[1.0]] * 3,
        later,
    ],
)
def test_what_is_no_vector_fails_and_is_never_stamped(function: object) -> None:
    embedder = CallerEmbedder(function)  # type: ignore[arg-type]
    assert embedder.model_id == "given-unavailable"
    with pytest.raises(EmbeddingFailed):
        embedder.embed(["a"])
    with pytest.raises(EmbeddingFailed):
        embedder.vectors(["a"])


def test_a_function_that_failed_is_asked_again_later(monkeypatch: pytest.MonkeyPatch) -> None:
    is_up = False

    def sometimes(text: str) -> list[float]:
        if not is_up:
            raise OSError("no network")
        return one(text)

    moment = 100.0
    monkeypatch.setattr("recollect.engine.models.given_embedder.time.monotonic", lambda: moment)
    embedder = CallerEmbedder(sometimes)
    assert embedder.model_id == "given-unavailable"
    is_up = True
    assert embedder.model_id == "given-unavailable"
    moment = 106.0
    assert embedder.model_id.startswith("given-2-")


def test_vectors_of_different_lengths_are_refused() -> None:
    embedder = CallerEmbedder(lambda text: [1.0] * (1 + len(text) % 2))
    assert embedder.model_id
    with pytest.raises(EmbeddingFailed, match="different lengths"):
        embedder.embed(["a", "bc"])
    with pytest.raises(TypeError, match="embedding_fn"):
        CallerEmbedder("no function")  # type: ignore[arg-type]


def test_likeness_is_the_cosine_and_a_centre_lies_between() -> None:
    assert cosine([1.0, 0.0], [2.0, 0.0]) == pytest.approx(1.0)
    assert cosine([1.0, 0.0], [0.0, 5.0]) == 0.0
    assert cosine([0.0, 0.0], [1.0, 0.0]) == 0.0
    assert cosine([1.0], [1.0, 2.0]) == 0.0
    assert cosine(centroid([[1.0, 0.0], [0.0, 3.0]]), [1.0, 1.0]) == pytest.approx(1.0)


def test_the_shipped_model_is_a_function_too() -> None:
    near = cosine(configured_vector("How do I sort a list?"), configured_vector("sorting lists"))
    far = cosine(configured_vector("How do I sort a list?"), configured_vector("The oven is broken"))
    assert near > far + 0.3
