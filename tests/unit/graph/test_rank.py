"""Ranks of graphs that are too large, too odd or too empty for the comparison with networkx."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from tests.graphs import graph_of, undirected

from recollect.graph.rank import LEAST_SOURCES, arcs, betweenness, pagerank, sampled_sources, strengths


def scale_free(size: int, links: int, seed: int = 1) -> nx.Graph:
    return nx.barabasi_albert_graph(size, links, seed=seed)


def of_networkx(twin: nx.Graph):  # type: ignore[no-untyped-def]
    return graph_of(len(twin), [(u, v, "RELATES_TO", 1.0) for u, v in twin.edges])


def test_a_graph_without_nodes_has_no_ranks() -> None:
    empty = graph_of(0, [])
    assert pagerank(arcs(empty)).tolist() == []
    assert betweenness(empty.undirected.starts, empty.undirected.ends).tolist() == []
    assert strengths(empty).whole.tolist() == []


def test_without_links_all_are_alike() -> None:
    alone = graph_of(4, [])
    assert pagerank(arcs(alone)).tolist() == pytest.approx([0.25] * 4)
    assert strengths(alone).whole.tolist() == [0.0] * 4


def test_links_without_strength_pass_nothing_on() -> None:
    graph = graph_of(3, [(0, 1, "LEADS_TO", 0.0), (0, 2, "LEADS_TO", -1.0), (1, 2, "LEADS_TO", float("nan"))])
    assert pagerank(arcs(graph)).tolist() == pytest.approx([1 / 3] * 3)


@pytest.mark.parametrize("restart", [[0.0, 0.0, 0.0], [-1.0, 0.0, 0.0], [np.nan, 0.0, np.inf]], ids=str)
def test_a_restart_that_names_no_node_is_anywhere(restart: list[float]) -> None:
    links = arcs(graph_of(3, [(0, 1, "CALLS", 1.0)]))
    assert pagerank(links, restart=np.array(restart)).tolist() == pytest.approx(pagerank(links).tolist())


def test_a_small_graph_counts_every_source_and_a_large_one_a_fixed_sample() -> None:
    assert sampled_sources(200, 400).tolist() == list(range(200))
    large = sampled_sources(100_000, 2_000_000)
    assert len(large) == LEAST_SOURCES
    assert large.tolist() == sampled_sources(100_000, 2_000_000).tolist()
    assert len(set(large.tolist())) == LEAST_SOURCES
    assert len(sampled_sources(5_000, 10_000)) == 200


def test_a_sample_finds_the_bridges() -> None:
    # Two dense halves joined over one node: nearly every path between them leads through it.
    twin = nx.union(scale_free(150, 4), scale_free(150, 4, seed=2), rename=("a", "b"))
    twin.add_edges_from([("bridge", "a7"), ("bridge", "b7")])
    twin = nx.convert_node_labels_to_integers(twin, label_attribute="name")
    bridge = next(node for node, name in twin.nodes(data="name") if name == "bridge")
    links = of_networkx(twin).undirected
    found = betweenness(links.starts, links.ends, sources=sampled_sources(301, 10**9))
    exact = nx.betweenness_centrality(twin)
    assert bridge in np.argsort(-found)[:3]
    top = sorted(exact, key=lambda node: -exact[node])[:10]
    assert len(set(top) & set(np.argsort(-found)[:20].tolist())) >= 8


def test_betweenness_of_a_long_chain_is_exact() -> None:
    twin = nx.path_graph(300)
    links = of_networkx(twin).undirected
    expected = nx.betweenness_centrality(twin)
    assert betweenness(links.starts, links.ends).tolist() == pytest.approx([expected[node] for node in range(300)])


def test_the_hub_of_a_small_project_is_as_strong_as_that_of_a_large_one() -> None:
    # A star of three nodes beside one of nine, in namespaces of their own.
    small = [(node, 0, "DEPENDS_ON", 1.0) for node in (1, 2)]
    large = [(node, 3, "DEPENDS_ON", 1.0) for node in range(4, 12)]
    found = strengths(graph_of(12, small + large, namespaces=["app"] * 3 + ["lib"] * 9))
    for part in ("pagerank", "betweenness", "degree", "cluster"):
        assert float(found.parts[part][0]) == float(found.parts[part][3]) == 1.0
    assert float(found.whole[0]) == 1.0


def test_a_pair_is_no_cluster_and_who_stays_in_its_community_is_rooted_in_it() -> None:
    pair = strengths(graph_of(2, [(0, 1, "RELATES_TO", 1.0)]))
    assert pair.parts["cluster"].tolist() == [0.0, 0.0]
    assert pair.parts["pagerank"].tolist() == [1.0, 1.0]
    clique = [(a, b, "RELATES_TO", 1.0) for a in range(4) for b in range(a)]
    other = [(a + 4, b + 4, "RELATES_TO", 1.0) for a in range(4) for b in range(a)]
    two = strengths(graph_of(8, [*clique, *other, (0, 4, "RELATES_TO", 1.0)]))
    assert two.parts["cluster"].tolist() == pytest.approx([0.75, 1, 1, 1, 0.75, 1, 1, 1])
    assert undirected(graph_of(2, [])).size() == 0
