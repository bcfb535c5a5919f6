"""How far something reaches, and how surely."""

from __future__ import annotations

import pytest
from tests.graphs import Edge, graph_of

from recollect.graph.arrays import EVERYTHING, Sieve, sieve
from recollect.graph.impact import affected, contained, reach


def test_the_confidence_of_a_way_is_the_product_of_its_links() -> None:
    graph = graph_of(4, [(0, 1, "CALLS", 0.8), (1, 2, "CALLS", 0.5), (2, 3, "CALLS", 1.0)])
    found = reach(graph, [0])
    assert found.order.tolist() == [0, 1, 2, 3]
    assert found.confidence.tolist() == pytest.approx([1.0, 0.8, 0.4, 0.4])
    assert found.depth.tolist() == [0, 1, 2, 3]


def test_among_the_shortest_ways_the_surest_counts() -> None:
    graph = graph_of(4, [(0, 1, "CALLS", 0.9), (0, 2, "CALLS", 0.5), (1, 3, "CALLS", 0.5), (2, 3, "CALLS", 1.0)])
    found = reach(graph, [0])
    assert found.confidence[3] == pytest.approx(0.5)
    assert found.parent[3] == 2


def test_what_is_too_doubtful_is_not_reached() -> None:
    graph = graph_of(3, [(0, 1, "CALLS", 0.5), (1, 2, "CALLS", 0.5)])
    assert reach(graph, [0], least=0.3).order.tolist() == [0, 1]


FILE_A, FUNCTION, METHOD, CLASS, CALLER, FILE_B, FILE_C, HEIR, TEST = range(9)
CODE: list[Edge] = [
    (FILE_A, FUNCTION, "CONTAINS", 1.0),
    (FILE_A, CLASS, "CONTAINS", 1.0),
    (CLASS, METHOD, "CONTAINS", 1.0),
    (CALLER, METHOD, "CALLS", 0.5),
    (FILE_B, FILE_A, "IMPORTS", 1.0),
    (FILE_C, FILE_B, "IMPORTS", 1.0),
    (HEIR, CLASS, "INHERITS", 1.0),
    (TEST, CALLER, "CALLS", 0.5),
]


def test_a_class_is_changed_with_its_methods() -> None:
    graph = graph_of(9, CODE)
    assert sorted(contained(graph, [FILE_A]).tolist()) == [FILE_A, FUNCTION, METHOD, CLASS]
    found = affected(graph, [CLASS], most_depth=3, through=EVERYTHING)
    reached = {number: int(found.depth[number]) for number in found.order.tolist() if found.depth[number] > 0}
    assert reached == {CALLER: 1, HEIR: 1, TEST: 2}
    assert found.confidence[TEST] == pytest.approx(0.25)


def test_importers_are_affected_but_not_those_that_import_them() -> None:
    graph = graph_of(9, CODE)
    found = affected(graph, [FILE_A], most_depth=5, through=EVERYTHING)
    assert found.depth[FILE_B] == 1
    assert found.depth[FILE_C] == -1


def test_a_sieve_narrows_what_is_affected() -> None:
    kinds = ["Class"] * 8 + ["Test"]
    graph = graph_of(9, CODE, kinds=kinds)
    without_tests = Sieve(graph.points.kinds != graph.points.kinds[TEST])
    found = affected(graph, [CLASS], most_depth=3, through=without_tests)
    assert found.depth[TEST] == -1
    only_calls = sieve(graph, relations=["CALLS"])
    found = affected(graph, [CLASS], most_depth=3, through=only_calls)
    assert found.depth[HEIR] == -1
    assert found.depth[CALLER] == 1
