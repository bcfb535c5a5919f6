"""Every algorithm over the arrays gives what networkx gives on any small graph, loops and odd weights included."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.graphs import Edge, directed, graph_of, groups, undirected

from recollect.graph.arrays import EVERYTHING, Graph, sieve
from recollect.graph.communities import communities, modularity
from recollect.graph.components import components, layers, strong_components
from recollect.graph.impact import impact
from recollect.graph.rank import PARTS, arcs, betweenness, pagerank, strengths
from recollect.graph.relation_semantics import HOP, MEANINGS, MUTUAL, spread
from recollect.graph.walk import (
    UNBOUNDED,
    Direction,
    breadth_first,
    depth_first,
    neighbours,
    shortest_path,
)
from recollect.model import RELATIONS

pytestmark = pytest.mark.promise("E11")

WEIGHTS = st.sampled_from([1.0, 1.0, 0.5, 0.1, 2.0, 0.0, -1.0, float("nan")])


@st.composite
def graphs(draw: st.DrawFn, most: int = 9) -> Graph:
    """Any graph of a few nodes, empty ones too."""
    size = draw(st.integers(0, most))
    node = st.integers(0, max(size - 1, 0))
    edge = st.tuples(node, node, st.sampled_from(RELATIONS), WEIGHTS)
    edges: list[Edge] = draw(st.lists(edge, max_size=24)) if size else []
    kinds = draw(st.lists(st.sampled_from(["Memory", "File", "Function"]), min_size=size, max_size=size))
    spaces = draw(st.lists(st.sampled_from(["app", "lib", None]), min_size=size, max_size=size))
    return graph_of(size, edges, kinds=kinds, namespaces=spaces)


def some_node(data: st.DataObject, graph: Graph) -> int:
    assume(graph.size)
    return data.draw(st.integers(0, graph.size - 1))


def as_walked(graph: Graph, direction: Direction) -> Any:
    """Return the graph for networkx as a walk in this direction sees it."""
    twin = directed(graph)
    return {"out": twin, "in": twin.reverse(), "both": twin.to_undirected()}[direction]


directions = st.sampled_from(["out", "in", "both"])
depths = st.integers(0, 4) | st.just(UNBOUNDED)


# --- walks ---


@given(graphs(), directions, depths, st.data())
def test_breadth_first_comes_as_far_as_networkx(
    graph: Graph, direction: Direction, most_depth: int, data: st.DataObject
) -> None:
    start = some_node(data, graph)
    walk = breadth_first(graph, [start], most_depth=most_depth, direction=direction)
    expected = nx.single_source_shortest_path_length(as_walked(graph, direction), start, cutoff=most_depth)
    assert {node: int(walk.depth[node]) for node in walk.order.tolist()} == expected
    assert [int(depth) for depth in walk.depth[walk.order]] == sorted(expected.values())
    for node in walk.order.tolist():
        path = walk.path(node)
        assert len(path) == expected[node]
        at = start
        for place in path:
            ends = (int(graph.src[place]), int(graph.dst[place]))
            assert at in ends
            at = ends[1] if ends[0] == at else ends[0]
        assert at == node


@given(graphs(), depths, st.data())
def test_depth_first_takes_the_order_of_networkx_and_reaches_what_breadth_first_reaches(
    graph: Graph, most_depth: int, data: st.DataObject
) -> None:
    start = some_node(data, graph)
    walk = depth_first(graph, start, most_depth=most_depth)
    near = breadth_first(graph, [start], most_depth=most_depth)
    assert sorted(walk.order.tolist()) == sorted(near.order.tolist())
    if most_depth == UNBOUNDED:
        assert walk.order.tolist() == list(nx.dfs_preorder_nodes(directed(graph), start))
        parents = {child: parent for parent, child in nx.dfs_edges(directed(graph), start)}
        assert {node: int(walk.parent[node]) for node in walk.order.tolist() if node != start} == parents


@given(graphs(), directions, st.data())
def test_neighbours_are_those_of_networkx(graph: Graph, direction: Direction, data: st.DataObject) -> None:
    node = some_node(data, graph)
    found = neighbours(graph, node, direction=direction).tolist()
    assert len(found) == len(set(found))
    assert set(found) == set(as_walked(graph, direction)[node]) - {node}


@given(graphs(), st.integers(0, 3), st.data())
def test_expansion_is_everything_near_any_of_the_seeds(graph: Graph, hops: int, data: st.DataObject) -> None:
    assume(graph.size)
    seeds = data.draw(st.sets(st.integers(0, graph.size - 1), min_size=1, max_size=3))
    twin = directed(graph).to_undirected()
    near = [nx.single_source_shortest_path_length(twin, seed, cutoff=hops) for seed in seeds]
    expected = {node: min(found[node] for found in near if node in found) for found in near for node in found}
    walk = breadth_first(graph, sorted(seeds), most_depth=hops, direction="both")
    assert {node: int(walk.depth[node]) for node in walk.order.tolist()} == expected


@given(graphs(), directions, st.data())
def test_the_shortest_path_is_as_short_as_that_of_networkx(
    graph: Graph, direction: Direction, data: st.DataObject
) -> None:
    start, goal = some_node(data, graph), some_node(data, graph)
    twin = as_walked(graph, direction)
    path = shortest_path(graph, start, goal, direction=direction)
    if not nx.has_path(twin, start, goal):
        assert path is None
        return
    assert path is not None
    assert len(path) == nx.shortest_path_length(twin, start, goal)


@given(graphs(), directions, st.data())
def test_a_sieve_walks_as_if_the_rest_were_not_there(graph: Graph, direction: Direction, data: st.DataObject) -> None:
    start = some_node(data, graph)
    kinds = data.draw(st.sets(st.sampled_from(["Memory", "File", "Function"])))
    relations = data.draw(st.sets(st.sampled_from(RELATIONS)))
    namespace = data.draw(st.sampled_from([None, "app", "elsewhere"]))
    through = sieve(graph, kinds=kinds, relations=relations, namespace=namespace)
    part = graph.within(through)
    walk = breadth_first(graph, [start], direction=direction, through=through)
    if graph.points.ids[start] not in part.index:
        assert walk.order[0] == start
        return
    inside = breadth_first(part, [part.index[graph.points.ids[start]]], direction=direction)
    assert {graph.points.ids[node] for node in walk.order} == {part.points.ids[node] for node in inside.order}


# --- what hangs together ---


@given(graphs())
def test_pieces_are_those_of_networkx(graph: Graph) -> None:
    expected = {frozenset(piece) for piece in nx.weakly_connected_components(directed(graph))}
    assert groups(components(graph).tolist()) == expected


@given(graphs())
def test_circles_are_those_of_networkx_in_reverse_topological_order(graph: Graph) -> None:
    circle = strong_components(graph)
    assert groups(circle.tolist()) == {frozenset(c) for c in nx.strongly_connected_components(directed(graph))}
    assert all(circle[dst] <= circle[src] for src, dst in zip(graph.src, graph.dst, strict=True))


@given(graphs())
def test_layers_are_the_topological_generations_of_networkx(graph: Graph) -> None:
    condensed = nx.condensation(nx.DiGraph(directed(graph)))
    expected = {
        node: height
        for height, generation in enumerate(nx.topological_generations(condensed))
        for circle in generation
        for node in condensed.nodes[circle]["members"]
    }
    assert dict(enumerate(layers(graph).tolist())) == expected


# --- ranks ---


def google(graph: Graph, damping: float, restart: dict[int, float] | None) -> Any:
    """Return the ranks that the Google matrix of networkx leads to."""
    twin = directed(graph)
    twin.remove_edges_from(list(nx.selfloop_edges(twin, keys=True)))
    matrix = nx.google_matrix(twin, alpha=damping, personalization=restart, weight="weight")
    rank = np.full(graph.size, 1 / graph.size)
    for _ in range(400):
        rank = rank @ np.asarray(matrix)
    return rank


@given(graphs(), st.sampled_from([0.0, 0.5, 0.85]), st.data())
def test_pagerank_is_that_of_networkx(graph: Graph, damping: float, data: st.DataObject) -> None:
    assume(graph.size)
    restart = None
    if data.draw(st.booleans()):
        shares = data.draw(st.lists(st.integers(0, 3), min_size=graph.size, max_size=graph.size).filter(any))
        restart = dict(enumerate(map(float, shares)))
    wanted = None if restart is None else np.array(list(restart.values()))
    rank = pagerank(arcs(graph), damping=damping, restart=wanted)
    assert rank.tolist() == pytest.approx(google(graph, damping, restart).tolist(), abs=1e-6)
    assert float(rank.sum()) == pytest.approx(1.0)


@given(graphs())
def test_a_mutual_link_passes_importance_both_ways(graph: Graph) -> None:
    assume(graph.size)
    there_and_back = [
        edge
        for src, dst, code, weight in zip(graph.src, graph.dst, graph.relations, graph.weights, strict=True)
        for edge in (
            [(int(src), int(dst), RELATIONS[code], float(weight))]
            + ([(int(dst), int(src), RELATIONS[code], float(weight))] if RELATIONS[code] in MUTUAL else [])
        )
    ]
    expected = pagerank(arcs(graph_of(graph.size, there_and_back)))
    assert pagerank(arcs(graph, both_ways=MUTUAL)).tolist() == pytest.approx(expected.tolist())


@given(graphs(), st.booleans())
def test_betweenness_is_that_of_networkx(graph: Graph, with_direction: bool) -> None:
    assume(graph.size > 2)
    if with_direction:
        pairs = sorted({(s, d) for s, d in zip(graph.src.tolist(), graph.dst.tolist(), strict=True) if s != d})
        simple = graph_of(graph.size, [(s, d, "CALLS", 1.0) for s, d in pairs])
        rows: Any = simple.outgoing
        expected = nx.betweenness_centrality(nx.DiGraph(directed(simple)))
    else:
        rows = graph.undirected
        expected = nx.betweenness_centrality(undirected(graph))
    found = betweenness(rows.starts, rows.ends)
    assert found.tolist() == pytest.approx([expected[node] for node in range(graph.size)])


# --- communities ---


@given(graphs(), st.sampled_from([0.2, 1.0, 3.0]))
def test_communities_are_connected_and_every_node_is_in_one(graph: Graph, resolution: float) -> None:
    label = communities(graph.undirected, resolution=resolution)
    assert len(label) == graph.size
    twin = undirected(graph)
    twin.remove_edges_from([(u, v) for u, v, weight in twin.edges(data="weight") if weight <= 0])
    for group in groups(label.tolist()):
        assert nx.is_connected(twin.subgraph(group))
    sizes = np.bincount(label, minlength=0) if graph.size else np.empty(0)
    assert sorted(sizes, reverse=True) == list(sizes)


@given(graphs(), st.sampled_from([0.5, 1.0, 2.0]), st.data())
def test_modularity_is_that_of_networkx(graph: Graph, resolution: float, data: st.DataObject) -> None:
    twin = undirected(graph)
    assume(twin.size(weight="weight") > 0)
    label = np.array(data.draw(st.lists(st.integers(0, 3), min_size=graph.size, max_size=graph.size)))
    expected = nx.community.modularity(twin, groups(label.tolist()), weight="weight", resolution=resolution)
    assert modularity(graph.undirected, label, resolution=resolution) == pytest.approx(expected)


@given(graphs())
def test_communities_are_as_good_as_those_of_networkx(graph: Graph) -> None:
    twin = undirected(graph)
    assume(twin.size(weight="weight") > 0)
    others = nx.community.louvain_communities(twin, seed=1)
    ours = modularity(graph.undirected, communities(graph.undirected))
    assert ours >= nx.community.modularity(twin, others) - 0.02


# --- what recollect adds ---


@given(graphs(), depths, st.data())
def test_impact_follows_each_relationship_the_way_a_change_goes(
    graph: Graph, most_depth: int, data: st.DataObject
) -> None:
    start = some_node(data, graph)
    twin = nx.DiGraph()
    twin.add_nodes_from(range(graph.size))
    for src, dst, code in zip(graph.src.tolist(), graph.dst.tolist(), graph.relations, strict=True):
        affects = MEANINGS[RELATIONS[code]].affects
        twin.add_edges_from([(src, dst)] if affects == "target" else [(dst, src)] if affects == "source" else [])
    walk = impact(graph, [start], most_depth=most_depth)
    expected = nx.single_source_shortest_path_length(twin, start, cutoff=most_depth)
    assert {node: int(walk.depth[node]) for node in walk.order.tolist()} == expected


@given(graphs(), st.integers(1, 3), st.data())
def test_relevance_spreads_as_a_walker_would(graph: Graph, hops: int, data: st.DataObject) -> None:
    seed = some_node(data, graph)
    steps = np.zeros((graph.size, graph.size))
    for src, dst, code, weight in zip(graph.src, graph.dst, graph.relations, graph.weights, strict=True):
        if src != dst:
            forwards, backwards = MEANINGS[RELATIONS[code]].carries
            steps[src, dst] += min(weight * forwards, 1)
            steps[dst, src] += min(weight * backwards, 1)
    steps /= np.maximum(steps.sum(axis=1, keepdims=True), 1.0)
    at = np.eye(graph.size)[seed]
    expected = np.zeros(graph.size)
    for _ in range(hops):
        at = HOP * at @ steps
        expected += at
    expected[seed] = 0
    nodes, reach = spread(graph, seed, hops, through=EVERYTHING)
    found = np.zeros(graph.size)
    found[nodes] = reach
    assert found.tolist() == pytest.approx(expected.tolist())
    assert all(0 < share < 1 for share in reach)


@given(graphs())
def test_strength_is_the_weighted_sum_of_parts_from_0_to_1(graph: Graph) -> None:
    found = strengths(graph)
    linked = set(undirected(graph).edges)
    for node in range(graph.size):
        parts = {name: float(values[node]) for name, values in found.parts.items()}
        assert all(0 <= part <= 1 for part in parts.values())
        assert float(found.whole[node]) == pytest.approx(sum(PARTS[name] * parts[name] for name in PARTS), abs=1e-4)
        if not any(node in pair for pair in linked):
            assert float(found.whole[node]) == 0
