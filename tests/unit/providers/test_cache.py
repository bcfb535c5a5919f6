from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import numpy as np
import pytest

from recollect.errors import EmbeddingFailed
from recollect.providers.cache import CAPACITY, CachedEmbedder

if TYPE_CHECKING:
    from recollect.providers.provider_protocol import Vectors


class Lengths:
    """An embedder whose vectors tell the length of the text; remembers what it was asked."""

    model_id = "lengths"

    def __init__(self) -> None:
        self.asked: list[list[str]] = []

    def embed(self, texts: Sequence[str]) -> Vectors:
        if "unspeakable" in texts:
            raise EmbeddingFailed("no")
        self.asked.append(list(texts))
        return np.array([[len(text), 1] for text in texts], dtype=np.float32).reshape(-1, 2)


@pytest.fixture
def lengths() -> Lengths:
    return Lengths()


def test_a_text_seen_before_is_not_embedded_again(lengths: Lengths) -> None:
    cache = CachedEmbedder(lengths)
    first, second = cache.embed(["a", "bb"]), cache.embed(["ccc", "bb", "a"])
    assert lengths.asked == [["a", "bb"], ["ccc"]]
    assert first[:, 0].tolist() == [1, 2] and second[:, 0].tolist() == [3, 2, 1]
    assert second.dtype == np.float32


def test_a_text_that_comes_twice_in_one_call_is_embedded_once(lengths: Lengths) -> None:
    assert CachedEmbedder(lengths).embed(["a", "bb", "a", "a"])[:, 0].tolist() == [1, 2, 1, 1]
    assert lengths.asked == [["a", "bb"]]


@pytest.mark.promise("E10")
def test_the_text_used_longest_ago_is_dropped_first(lengths: Lengths) -> None:
    cache = CachedEmbedder(lengths, capacity=2)
    cache.embed(["a", "bb"])
    cache.embed(["a"])  # now bb is the one unused longest
    cache.embed(["ccc"])
    cache.embed(["a", "ccc"])
    assert lengths.asked == [["a", "bb"], ["ccc"]]
    cache.embed(["bb"])
    assert lengths.asked[2:] == [["bb"]]


@pytest.mark.promise("E10")
def test_ten_thousand_texts_are_kept(lengths: Lengths) -> None:
    cache = CachedEmbedder(lengths)
    texts = [str(number) for number in range(CAPACITY)]
    cache.embed(texts)
    cache.embed(texts)
    assert CAPACITY == 10_000 and len(lengths.asked) == 1
    cache.embed(["one more"])
    cache.embed(["0"])
    assert lengths.asked[1:] == [["one more"], ["0"]]


@pytest.mark.parametrize("capacity", [0, 1])
def test_one_call_may_ask_for_more_than_is_kept(lengths: Lengths, capacity: int) -> None:
    assert CachedEmbedder(lengths, capacity=capacity).embed(["a", "bb", "ccc"])[:, 0].tolist() == [1, 2, 3]


def test_changing_an_answer_changes_nothing_that_is_kept(lengths: Lengths) -> None:
    cache = CachedEmbedder(lengths)
    cache.embed(["a"])[:] = 7
    cache.embed(["a"])[:] = 7
    assert cache.embed(["a"]).tolist() == [[1, 1]]


def test_a_failure_is_passed_on_and_not_kept(lengths: Lengths) -> None:
    cache = CachedEmbedder(lengths)
    with pytest.raises(EmbeddingFailed):
        cache.embed(["a", "unspeakable"])
    assert cache.embed(["a"]).tolist() == [[1, 1]]
    assert lengths.asked == [["a"]]


def test_no_texts_give_what_the_embedder_gives(lengths: Lengths) -> None:
    assert CachedEmbedder(lengths).embed([]).shape == (0, 2)


def test_any_text_has_a_place(lengths: Lengths) -> None:
    assert CachedEmbedder(lengths).embed(["", "\ud800", "\x00"])[:, 0].tolist() == [0, 1, 1]


def test_the_id_is_that_of_the_embedder(lengths: Lengths) -> None:
    assert CachedEmbedder(lengths).model_id == "lengths"


def test_threads_may_share_a_small_cache(lengths: Lengths) -> None:
    cache = CachedEmbedder(lengths, capacity=5)
    texts = ["x" * (number % 17) for number in range(400)]
    with ThreadPoolExecutor(8) as pool:
        answers = pool.map(lambda text: cache.embed([text, "y"])[0, 0], texts)
        assert list(answers) == [len(text) for text in texts]


def test_directions_are_asked_for_once_and_are_none_where_a_provider_has_none(lengths: Lengths) -> None:
    assert CachedEmbedder(lengths).directions("a") is None

    class Directed(Lengths):
        def directions(self, text: str) -> Vectors:
            return self.embed([text])

    directed = Directed()
    cache = CachedEmbedder(directed)
    first, second = cache.directions("bb"), cache.directions("bb")
    assert first is not None and second is not None
    assert first.tolist() == second.tolist() == [[2, 1]]
    assert directed.asked == [["bb"]]
