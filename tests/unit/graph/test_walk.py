"""Walks: the order nodes are come to, and the way to each."""

from __future__ import annotations

import pytest
from tests.graphs import Edge, graph_of

from recollect.graph.arrays import Sieve, sieve
from recollect.graph.walk import breadth_first, depth_first, neighbours, shortest_path

#      0 ──► 1 ──► 3 ──► 4
#      └───► 2 ────┘     │
#      ▲                 │
#      └─────────────────┘
EDGES: list[Edge] = [
    (0, 1, "LEADS_TO", 1.0),
    (0, 2, "RELATES_TO", 0.5),
    (1, 3, "LEADS_TO", 0.1),
    (2, 3, "CALLS", 1.0),
    (3, 4, "CALLS", 1.0),
    (4, 0, "CALLS", 1.0),
    (2, 2, "EVOLVED_INTO", 1.0),
]
GRAPH = graph_of(5, EDGES)


def named(edges: list[int]) -> list[tuple[int, int]]:
    return [(int(GRAPH.src[edge]), int(GRAPH.dst[edge])) for edge in edges]


def test_rings_come_one_after_the_other_and_the_first_way_to_a_node_stays() -> None:
    walk = breadth_first(GRAPH, [0])
    assert walk.order.tolist() == [0, 1, 2, 3, 4]
    assert walk.depth.tolist() == [0, 1, 1, 2, 3]
    assert walk.parent.tolist() == [-1, 0, 0, 1, 3]
    assert named(walk.path(4)) == [(0, 1), (1, 3), (3, 4)]
    assert walk.path(0) == []


def test_against_the_links_and_both_ways() -> None:
    assert breadth_first(GRAPH, [3], most_depth=1, direction="in").order.tolist() == [3, 1, 2]
    assert set(breadth_first(GRAPH, [3], most_depth=1, direction="both").order.tolist()) == {1, 2, 3, 4}
    assert neighbours(GRAPH, 2).tolist() == [3, 0]


def test_several_starts_share_one_walk() -> None:
    walk = breadth_first(GRAPH, [2, 1, 1], most_depth=1)
    assert walk.order.tolist() == [1, 2, 3]
    assert breadth_first(GRAPH, []).order.tolist() == []


def test_depth_first_ends_a_branch_before_the_next() -> None:
    walk = depth_first(GRAPH, 0)
    assert walk.order.tolist() == [0, 1, 3, 4, 2]
    assert walk.parent.tolist() == [-1, 0, 0, 1, 3]


def test_depth_first_misses_nothing_that_a_long_way_round_comes_to_first() -> None:
    # 0 → 1 → 2 → 3 and 0 → 3 → 4: the branch over 1 comes to 3 at depth 3 and must still leave 4 reachable.
    edges = [
        (0, 1, "CALLS", 1.0),
        (1, 2, "CALLS", 1.0),
        (2, 3, "CALLS", 1.0),
        (0, 3, "CALLS", 1.0),
        (3, 4, "CALLS", 1.0),
    ]
    walk = depth_first(graph_of(5, edges), 0, most_depth=2)
    assert walk.order.tolist() == [0, 1, 2, 3, 4]
    assert walk.depth.tolist() == [0, 1, 2, 1, 2]


def test_a_path_has_the_fewest_steps_and_is_empty_to_oneself() -> None:
    assert named(shortest_path(GRAPH, 0, 3) or []) == [(0, 1), (1, 3)]
    graph = graph_of(3, [(0, 1, "CALLS", 0.0)])
    assert shortest_path(graph, 0, 1) == [0]
    assert shortest_path(graph, 0, 2) is None
    assert shortest_path(graph, 2, 2) == []


@pytest.mark.parametrize(
    ("relations", "reached"), [(["LEADS_TO"], [0, 1, 3]), (["CALLS"], [0]), (["RELATES_TO", "CALLS"], [0, 2, 3, 4])]
)
def test_a_walk_takes_only_the_relationships_it_may(relations: list[str], reached: list[int]) -> None:
    through = sieve(GRAPH, relations=relations)
    assert breadth_first(GRAPH, [0], through=through).order.tolist() == reached
    assert sorted(depth_first(GRAPH, 0, through=through).order.tolist()) == reached


def test_other_relationships_may_be_allowed_against_the_links() -> None:
    calls, leads = sieve(GRAPH, relations=["CALLS"]).relations, sieve(GRAPH, relations=["LEADS_TO"]).relations
    walk = breadth_first(GRAPH, [3], direction="both", through=Sieve(None, calls, leads))
    assert walk.order.tolist() == [3, 4, 1, 0]
