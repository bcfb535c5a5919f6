"""Groups that build on each other, a way round each, and where to cut."""

from __future__ import annotations

import random

import networkx as nx
import numpy as np
from tests.graphs import Edge, directed, graph_of

from recollect.graph.components import circles
from recollect.graph.project import Project, between_files, only
from recollect.graph.rank import Seen, file_shares, importance


def calls(*pairs: tuple[int, int, float] | tuple[int, int]) -> list[Edge]:
    return [(pair[0], pair[1], "CALLS", pair[2] if len(pair) == 3 else 1.0) for pair in pairs]


def test_a_graph_without_circles_has_none_and_calling_oneself_is_none() -> None:
    assert circles(graph_of(0, [])) == []
    assert circles(graph_of(3, calls((0, 1), (1, 2), (0, 2), (2, 2)))) == []


def test_each_circle_has_a_shortest_way_round() -> None:
    graph = graph_of(6, calls((0, 1), (1, 2), (2, 3), (3, 0), (2, 0), (4, 5), (5, 4), (3, 4)))
    large, small = circles(graph)
    assert (large.nodes, sorted(large.way), large.links) == ([0, 1, 2, 3], [0, 1, 2], 5)
    assert (small.nodes, sorted(small.way)) == ([4, 5], [4, 5])


def test_the_cut_is_the_weakest_link_among_those_that_leave_least() -> None:
    # 0 → 1 → 2 → 0 with a strong and a weak link, and a second way from 0 to 2.
    (circle,) = circles(graph_of(3, calls((0, 1, 0.1), (0, 2, 0.9), (1, 2, 0.2), (2, 0, 0.5))))
    assert (circle.cut.src, circle.cut.dst, circle.cut.left) == (2, 0, 1)
    (pair,) = circles(graph_of(2, calls((0, 1, 0.9), (1, 0, 0.4), (1, 0, 0.3))))
    assert (pair.cut.src, pair.cut.dst, round(pair.cut.weight, 3)) == (1, 0, 0.7)


def test_circles_are_those_of_networkx_and_every_way_is_one() -> None:
    chance = random.Random(7)
    for size in (5, 20, 60):
        pairs = {(chance.randrange(size), chance.randrange(size)) for _ in range(int(size * 1.6))}
        graph = graph_of(size, calls(*pairs))
        found = circles(graph)
        twin = directed(graph)
        expected = {frozenset(part) for part in nx.strongly_connected_components(twin) if len(part) > 1}
        assert {frozenset(circle.nodes) for circle in found} == expected
        for circle in found:
            steps = list(zip(circle.way, [*circle.way[1:], circle.way[0]], strict=True))
            assert all(twin.has_edge(*step) for step in steps)
            assert twin.has_edge(circle.cut.src, circle.cut.dst)
            simple = nx.DiGraph((src, dst) for src, dst in pairs if src != dst)
            assert len(circle.way) == min(map(len, nx.simple_cycles(simple.subgraph(circle.nodes), length_bound=8)))
            rest = nx.DiGraph(simple.subgraph(circle.nodes))
            rest.remove_edge(circle.cut.src, circle.cut.dst)
            assert max(map(len, nx.strongly_connected_components(rest))) == circle.cut.left


# --- files and importance ---


def project_of(size: int, edges: list[Edge], files: list[int]) -> Project:
    return Project(graph_of(size, edges, kinds=["Function"] * size), np.array(files, np.int64))


def test_links_between_files_weigh_as_much_as_there_are_links_between_their_symbols() -> None:
    found = project_of(5, [*calls((0, 2), (1, 2), (1, 3), (3, 0)), (0, 4, "CONTAINS", 1.0)], [10, 10, 20, 20, 30])
    links = between_files(found)
    assert links.numbers.tolist() == [10, 20, 30]
    rows = zip(links.graph.src.tolist(), links.graph.dst.tolist(), links.graph.weights.tolist(), strict=True)
    assert sorted(rows) == [(0, 1, 3.0), (1, 0, 1.0)]


def test_only_sure_links_of_some_kinds_are_kept() -> None:
    graph = graph_of(3, [(0, 1, "CALLS", 0.4), (1, 2, "CALLS", 0.9), (0, 2, "IMPORTS", 1.0)])
    kept = only(graph, ("CALLS",), least=0.5)
    assert (kept.size, kept.src.tolist(), kept.dst.tolist()) == (3, [1], [2])


def test_what_much_uses_matters_and_what_only_tests_use_matters_less() -> None:
    found = project_of(6, calls((0, 1), (2, 1), (3, 4), (5, 4)), [1, 2, 3, 4, 5, 6])
    plain = importance(found, Seen())
    assert plain[1] == plain.max()
    assert abs(plain[1] - plain[4]) < 1e-9
    tested = importance(found, Seen(tests=frozenset({4, 6})))
    assert tested[1] > tested[4]


def test_what_the_focus_uses_comes_first_then_what_uses_it() -> None:
    found = project_of(6, calls((0, 1), (2, 0), (3, 4), (5, 4), (2, 4)), [1, 2, 3, 4, 5, 6])
    ranks = importance(found, Seen(focus=frozenset({1})))
    assert ranks[1] == ranks.max()
    assert ranks[2] > ranks[3]
    shares = file_shares(found, ranks)
    assert abs(sum(shares.values()) - 1) < 1e-9


def test_an_empty_project_has_no_importance() -> None:
    assert importance(project_of(0, [], []), Seen()).tolist() == []
