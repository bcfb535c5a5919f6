"""The graph as arrays: what odd edges and filters become."""

from __future__ import annotations

import numpy as np
import pytest
from tests.graphs import graph_of

from recollect.graph.arrays import MAX_WEIGHT, added_up, ordered, sieve, strengths


def test_a_weight_that_is_no_strength_counts_as_none() -> None:
    given = np.array([0.5, 0.0, -1.0, np.nan, np.inf, -np.inf, 1e300])
    assert strengths(given).tolist() == [0.5, 0.0, 0.0, 0.0, MAX_WEIGHT, 0.0, MAX_WEIGHT]


def test_edges_stand_in_the_order_of_their_source_and_keep_their_own_order_there() -> None:
    graph = graph_of(3, [(2, 0, "CALLS", 1.0), (0, 2, "CALLS", 1.0), (2, 1, "IMPORTS", 1.0), (0, 1, "CALLS", 0.5)])
    assert graph.src.tolist() == [0, 0, 2, 2]
    assert graph.dst.tolist() == [2, 1, 0, 1]
    assert graph.outgoing.starts.tolist() == [0, 2, 2, 4]
    assert graph.incoming.ends.tolist() == [2, 0, 2, 0]
    assert graph.dst[graph.incoming.edges].tolist() == [0, 1, 1, 2]


def test_without_direction_loops_go_and_parallel_edges_add_up() -> None:
    edges = [(0, 1, "CALLS", 0.5), (1, 0, "CALLS", 0.25), (0, 1, "IMPORTS", 1.0), (1, 1, "CALLS", 1.0)]
    links = graph_of(2, edges).undirected
    assert (links.starts.tolist(), links.ends.tolist(), links.weights.tolist()) == ([0, 1, 2], [1, 0], [1.75, 1.75])


def test_an_empty_graph_is_a_graph() -> None:
    graph = graph_of(0, [])
    assert graph.size == 0
    assert len(graph.outgoing.ends) == 0
    assert graph.undirected.ends.tolist() == []
    assert graph.within(sieve(graph, kinds=["File"])).size == 0


@pytest.mark.parametrize("keys", [[], [3], [2, 0, 2, 1, 0], [2**62, 5, 2**62, 0]], ids=str)
def test_order_is_stable_for_keys_of_any_size(keys: list[int]) -> None:
    expected = sorted(range(len(keys)), key=lambda place: keys[place])
    assert ordered(np.array(keys, np.int64)).tolist() == expected


def test_weights_of_equal_keys_add_up() -> None:
    keys, weights = added_up(np.array([5, 1, 5]), np.array([1.0, 2.0, 3.0]))
    assert (keys.tolist(), weights.tolist()) == ([1, 5], [2.0, 4.0])


def test_a_namespace_holds_its_own_nodes_and_what_belongs_to_nobody_but_memories() -> None:
    graph = graph_of(
        5,
        [],
        kinds=["Memory", "Memory", "Package", "Memory", "File"],
        namespaces=["app", "lib", None, None, "app"],
    )
    inside = sieve(graph, namespace="app").nodes
    assert inside is not None
    assert inside.tolist() == [True, False, True, False, True]
    both = sieve(graph, namespace="app", kinds=["File", "Package"]).nodes
    assert both is not None
    assert both.tolist() == [False, False, True, False, True]
    assert sieve(graph) == (None, None, None)


def test_a_part_of_a_graph_has_numbers_of_its_own() -> None:
    graph = graph_of(
        4,
        [(0, 3, "CALLS", 0.5), (3, 1, "CALLS", 1.0), (3, 0, "IMPORTS", 1.0)],
        kinds=["File", "Memory", "File", "File"],
    )
    part = graph.within(sieve(graph, kinds=["File"], relations=["CALLS"]))
    assert part.points.ids == ["n0", "n2", "n3"]
    assert (part.src.tolist(), part.dst.tolist(), part.weights.tolist()) == ([0], [2], [0.5])
    assert part.of_memory == {"m0": [0], "m2": [1], "m3": [2]}
