"""Layout: islands lie apart, linked nodes near each other, and the same graph always looks the same."""

from __future__ import annotations

import numpy as np
import pytest
from tests.graphs import graph_of

from recollect.graph.arrays import Graph
from recollect.graph.communities import communities
from recollect.graph.force_layout import ISLANDS, positions


def cliques(count: int, size: int, *, bridges: int = 0) -> Graph:
    edges = [
        (clique * size + one, clique * size + other, "CALLS", 1.0)
        for clique in range(count)
        for one in range(size)
        for other in range(one)
    ]
    return graph_of(count * size, edges + [(0, size + place, "CALLS", 1.0) for place in range(bridges)])


def test_members_of_a_community_are_nearer_to_each_other_than_to_other_communities() -> None:
    graph = cliques(6, 12)
    community = communities(graph.undirected)
    at = positions(graph, community)
    middles = np.array([at[community == number].mean(axis=0) for number in range(6)])
    widest = max(float(np.linalg.norm(at[community == number] - middles[number], axis=1).max()) for number in range(6))
    nearest = min(float(np.linalg.norm(middles[a] - middles[b])) for a in range(6) for b in range(a))
    assert nearest > 2 * widest


def test_linked_islands_are_nearer_than_others() -> None:
    graph = cliques(8, 12, bridges=8)
    label = np.arange(graph.size) // 12
    at = positions(graph, label)
    middles = [at[label == number].mean(axis=0) for number in range(8)]
    away = [float(np.linalg.norm(middles[0] - middles[other])) for other in range(1, 8)]
    assert away[0] == min(away)


def test_a_leaf_is_near_its_hub() -> None:
    graph = graph_of(
        41,
        [(0, leaf, "CALLS", 1.0) for leaf in range(1, 21)]
        + [(0, 21, "CALLS", 1.0)]
        + [(21, leaf, "CALLS", 1.0) for leaf in range(22, 41)],
    )
    at = positions(graph, np.zeros(41, np.int64))
    own, other = (np.linalg.norm(at[1:21] - at[hub], axis=1).mean() for hub in (0, 21))
    assert own < other


def test_the_same_graph_gets_the_same_positions_within_bounds() -> None:
    graph = cliques(5, 9, bridges=3)
    label = communities(graph.undirected)
    first, second = positions(graph, label), positions(graph, label)
    assert np.array_equal(first, second)
    assert np.abs(first).max() == pytest.approx(1.0)


@pytest.mark.parametrize("size", [0, 1, 2, 3])
def test_small_graphs_have_finite_positions(size: int) -> None:
    at = positions(graph_of(size, []), np.arange(size))
    assert at.shape == (size, 2)
    assert np.isfinite(at).all()


def test_more_communities_than_are_packed_all_have_a_place() -> None:
    pairs = ISLANDS + 40
    graph = graph_of(2 * pairs, [(2 * pair, 2 * pair + 1, "CALLS", 1.0) for pair in range(pairs)])
    at = positions(graph, np.arange(2 * pairs) // 2)
    assert np.isfinite(at).all()
    assert len(np.unique(at.round(4), axis=0)) > 1.9 * pairs, "they lie on each other"
