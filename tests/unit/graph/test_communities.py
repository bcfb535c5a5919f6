"""Communities: found where they are clear, finer or coarser as asked, and the same each time."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from tests.graphs import graph_of, groups, undirected

from recollect.graph.arrays import Graph
from recollect.graph.communities import FEW_NODES, communities, modularity


def cliques(count: int, size: int) -> Graph:
    """A ring of cliques, each joined with the next by one link."""
    edges = [
        (clique * size + a, clique * size + b, "RELATES_TO", 1.0)
        for clique in range(count)
        for a in range(size)
        for b in range(a)
    ]
    ring = [(clique * size, (clique + 1) % count * size + 1, "RELATES_TO", 1.0) for clique in range(count)]
    return graph_of(count * size, edges + ring)


def planted(groups_: int, size: int, seed: int) -> tuple[Graph, list[int]]:
    """Groups with eight links inside for each one across."""
    twin = nx.planted_partition_graph(groups_, size, 0.4, 0.4 / 8 / (groups_ - 1), seed=seed)
    graph = graph_of(len(twin), [(u, v, "RELATES_TO", 1.0) for u, v in twin.edges])
    return graph, [node // size for node in range(groups_ * size)]


def test_cliques_are_found() -> None:
    graph = cliques(6, 5)
    assert groups(communities(graph.undirected).tolist()) == groups([node // 5 for node in range(30)])


def test_finer_and_coarser() -> None:
    links = cliques(12, 4).undirected
    counts = [int(communities(links, resolution=value).max()) + 1 for value in (0.05, 1.0, 20.0)]
    assert counts[0] < counts[1] < counts[2]
    assert counts[1] <= 12


@pytest.mark.parametrize("seed", range(4))
def test_a_clear_division_is_found_in_a_graph_too_large_for_several_tries(seed: int) -> None:
    graph, truth = planted(25, 48, seed)
    assert graph.size > FEW_NODES
    found = communities(graph.undirected)
    best = modularity(graph.undirected, np.array(truth))
    assert modularity(graph.undirected, found) >= best - 0.01


@pytest.mark.parametrize("seed", range(2))
def test_random_graphs_are_divided_as_well_as_by_networkx(seed: int) -> None:
    twin = nx.barabasi_albert_graph(1500, 3, seed=seed)
    graph = graph_of(1500, [(u, v, "RELATES_TO", 1.0) for u, v in twin.edges])
    others = nx.community.modularity(twin, nx.community.louvain_communities(twin, seed=seed))
    label = communities(graph.undirected)
    assert modularity(graph.undirected, label) >= others - 0.01
    for group in groups(label.tolist()):
        assert nx.is_connected(undirected(graph).subgraph(group))


def test_the_same_graph_gives_the_same_communities() -> None:
    graph, _ = planted(10, 20, 1)
    assert communities(graph.undirected).tolist() == communities(graph.undirected).tolist()


def test_nodes_without_links_or_with_links_without_strength_are_alone() -> None:
    graph = graph_of(5, [(0, 1, "RELATES_TO", 1.0), (2, 3, "RELATES_TO", 0.0)])
    assert groups(communities(graph.undirected).tolist()) == {frozenset({0, 1}), *(frozenset({n}) for n in (2, 3, 4))}
    assert communities(graph_of(3, []).undirected).tolist() == [0, 1, 2]
    assert communities(graph_of(0, []).undirected).tolist() == []
    assert modularity(graph_of(3, []).undirected, np.arange(3)) == 0.0
