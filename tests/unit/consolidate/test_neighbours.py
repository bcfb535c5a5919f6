"""Neighbours: what the trees find is nearly all that comparing everything finds, and always the same."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from recollect.consolidate import similar_pairs
from recollect.consolidate.similar_pairs import Near, near


def vectors(size: int, *, per_theme: int = 6, dimensions: int = 128, spread: float = 0.04) -> NDArray[np.float32]:
    """Return unit vectors in groups around random middles."""
    draw = np.random.default_rng(5)
    middles = draw.standard_normal((size // per_theme, dimensions)) / dimensions**0.5
    found = middles[np.arange(size) % len(middles)] + spread * draw.standard_normal((size, dimensions))
    return np.asarray(found / np.linalg.norm(found, axis=1, keepdims=True), np.float32)


def pairs(found: Near) -> set[tuple[int, int]]:
    return set(zip(found.first.tolist(), found.second.tolist(), strict=True))


def exact(rows: NDArray[np.float32], least: float) -> set[tuple[int, int]]:
    cosines = np.round(rows @ rows.T, 3)
    first, second = np.nonzero(np.triu(cosines >= np.float32(least), 1))
    return set(zip(first.tolist(), second.tolist(), strict=True))


def test_a_small_number_is_compared_exactly() -> None:
    rows = vectors(240)
    assert pairs(near(rows, k=50, least=0.7)) == exact(rows, 0.7)


def test_trees_find_more_than_95_of_100_near_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = vectors(6_000)
    wanted = exact(rows, 0.8)
    found = pairs(near(rows, k=50, least=0.8))
    assert len(wanted) > 5_000
    assert found <= wanted
    assert len(found) > 0.95 * len(wanted)


def test_comparisons_grow_with_the_number_of_vectors_and_not_with_its_square() -> None:
    compared = {size: sum(len(leaf) ** 2 for leaf in similar_pairs._leaves(vectors(size))) for size in (4_000, 32_000)}
    assert compared[32_000] < 1.5 * 8 * compared[4_000]


def test_the_same_vectors_have_the_same_neighbours() -> None:
    rows = vectors(3_000)
    one, other = near(rows, k=5, least=0.6), near(rows, k=5, least=0.6)
    assert all(np.array_equal(*columns) for columns in zip(one, other, strict=True))


def test_each_vector_has_its_best_ones_and_no_more_by_itself() -> None:
    rows = vectors(120, per_theme=40)
    found = near(rows, k=3, least=0.0)
    cosines = np.round(rows @ rows.T, 3)
    np.fill_diagonal(cosines, -2)
    kept = pairs(found)
    for place in range(len(rows)):
        best = int(np.argmax(cosines[place]))
        assert (min(place, best), max(place, best)) in kept
    assert len(kept) <= 3 * len(rows)


@pytest.mark.parametrize("size", [0, 1])
def test_nothing_is_near_where_there_is_nothing_else(size: int) -> None:
    assert pairs(near(np.ones((size, 4), np.float32) / 2, k=3, least=0.1)) == set()


def test_vectors_that_are_all_the_same_do_not_stop_the_halving() -> None:
    rows = np.ones((similar_pairs.EXACT + 500, 4), np.float32) / 2
    found = near(rows, k=3, least=0.9)
    assert set(found.first.tolist()) | set(found.second.tolist()) == set(range(len(rows)))
