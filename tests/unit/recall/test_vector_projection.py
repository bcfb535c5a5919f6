"""Projection: principal components in order, with fixed signs, and clusters with names of their own words."""

from __future__ import annotations

import numpy as np
import pytest

from recollect.recall.vector_projection import MOST_CLUSTERS, cluster_names, projected


def cloud(count: int, width: int, seed: int = 0) -> np.ndarray:
    chance = np.random.default_rng(seed)
    spread = np.array([9.0, 4.0, 2.0, *([0.3] * (width - 3))])
    mixed = np.linalg.qr(chance.standard_normal((width, width)))[0]
    return (chance.standard_normal((count, width)) * spread @ mixed).astype(np.float32)


def test_the_components_are_those_of_a_singular_value_decomposition() -> None:
    vectors = cloud(300, 12)
    found = projected(vectors)
    centred = vectors - vectors.mean(axis=0)
    values = np.linalg.svd(centred.astype(np.float64), compute_uv=False) ** 2
    assert found.explained == pytest.approx((values / values.sum())[:3].tolist(), rel=1e-5)
    # Distances in three dimensions are those of the first three singular vectors, up to one scale.
    left, sizes, _ = np.linalg.svd(centred.astype(np.float64), full_matrices=False)
    truth = left[:, :3] * sizes[:3]
    scale = np.linalg.norm(truth) / np.linalg.norm(found.at)
    assert np.abs(truth) == pytest.approx(np.abs(found.at * scale), abs=1e-4)


def test_signs_do_not_depend_on_the_order_of_the_vectors() -> None:
    vectors = cloud(200, 8)
    turned = projected(vectors[::-1].copy()).at[::-1]
    assert projected(vectors).at == pytest.approx(turned, abs=1e-5)
    assert np.abs(projected(vectors).at).max() == pytest.approx(1.0)


@pytest.mark.parametrize(("count", "width"), [(0, 0), (1, 5), (2, 5), (4, 2), (5, 1)])
def test_few_vectors_and_few_dimensions_give_three_finite_coordinates(count: int, width: int) -> None:
    found = projected(np.ones((count, width), np.float32) * np.arange(count, dtype=np.float32)[:, None])
    assert found.at.shape == (count, 3)
    assert np.isfinite(found.at).all() and len(found.explained) == 3 and len(found.cluster) == count


def test_clear_groups_are_found_and_the_largest_is_the_first() -> None:
    chance = np.random.default_rng(1)
    middles = np.eye(6, dtype=np.float32) * 10
    truth = np.repeat(np.arange(3), (100, 60, 80))
    found = projected(middles[truth] + chance.standard_normal((240, 6)).astype(np.float32) * 0.2).cluster
    sizes = np.bincount(found)
    assert sizes.tolist() == sorted(sizes.tolist(), reverse=True)
    assert len(sizes) <= MOST_CLUSTERS
    assert all(len(set(truth[found == number].tolist())) == 1 for number in range(len(sizes))), "a cluster mixes groups"


def test_a_cluster_is_named_by_words_that_the_others_lack() -> None:
    texts = ["Deploying the shop with ansible"] * 5 + ["The shop caches prices in redis"] * 4
    names = cluster_names(texts, np.array([0] * 5 + [1] * 4))
    assert names[0] == "ansible, deploying" or {"ansible", "deploying"} <= set(names[0].split(", "))
    assert {"redis", "prices"} & set(names[1].split(", "))
    assert not any("shop" in name for name in names)


def test_texts_without_words_still_have_a_name() -> None:
    assert cluster_names(["12 34", "§§"], np.array([0, 0])) == ("various",)
    assert cluster_names([], np.array([], np.int64)) == ()
