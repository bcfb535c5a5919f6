"""The table of relationships says something of each, and nothing that contradicts itself."""

from __future__ import annotations

import pytest
from tests.graphs import graph_of

from recollect.graph.impact import impact
from recollect.graph.relation_semantics import COMPUTED, MEANINGS, MUTUAL, newer_versions, spread
from recollect.model import RELATIONS


def test_every_relationship_has_a_meaning() -> None:
    assert set(MEANINGS) == set(RELATIONS)
    assert set(RELATIONS) >= COMPUTED
    for meaning in MEANINGS.values():
        assert all(0 < share <= 1 for share in meaning.carries)


def test_what_holds_both_ways_carries_both_ways_alike_and_changes_nothing() -> None:
    assert {"RELATES_TO", "SIMILAR_TO", "SHARES_THEME", "CONTRADICTS"} == MUTUAL
    for name in MUTUAL:
        assert MEANINGS[name].carries[0] == MEANINGS[name].carries[1]
        assert MEANINGS[name].affects is None


@pytest.mark.parametrize(
    ("relationship", "changed", "reached"),
    [
        ("CALLS", 1, [0]),  # 0 calls 1: whoever calls it is affected by a change
        ("CALLS", 0, []),
        ("LEADS_TO", 0, [1]),
        ("LEADS_TO", 1, []),
        ("DERIVED_FROM", 1, [0]),
        ("RELATES_TO", 0, []),
        ("SIMILAR_TO", 1, []),
    ],
)
def test_a_change_goes_the_way_the_relationship_says(relationship: str, changed: int, reached: list[int]) -> None:
    walk = impact(graph_of(2, [(0, 1, relationship, 1.0)]), [changed])
    assert walk.order.tolist() == [changed, *reached]


@pytest.mark.parametrize(
    ("relationship", "old", "new"), [("SUPERSEDES", 1, 0), ("EVOLVED_INTO", 0, 1), ("INVALIDATED_BY", 0, 1)]
)
def test_the_newer_version_takes_over_more_than_the_older_one_gives_back(relationship: str, old: int, new: int) -> None:
    graph = graph_of(2, [(0, 1, relationship, 1.0), (0, 0, "EVOLVED_INTO", 1.0)])
    assert newer_versions(graph, old).tolist() == [new]
    assert newer_versions(graph, new).tolist() == []
    assert spread(graph, old, 1)[1][0] > spread(graph, new, 1)[1][0]


def test_a_weak_link_carries_less_than_a_strong_one_even_where_it_is_the_only_one() -> None:
    strong = spread(graph_of(2, [(0, 1, "LEADS_TO", 1.0)]), 0, 1)[1][0]
    weak = spread(graph_of(2, [(0, 1, "LEADS_TO", 0.1)]), 0, 1)[1][0]
    assert (strong, weak) == (pytest.approx(0.5), pytest.approx(0.05))


def test_one_of_many_links_carries_less() -> None:
    star = graph_of(5, [(0, node, "LEADS_TO", 1.0) for node in range(1, 5)])
    assert spread(star, 0, 1)[1].tolist() == pytest.approx([0.125] * 4)
