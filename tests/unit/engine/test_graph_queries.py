"""The graph through the library: recall that follows links, walks, ranks and clusters."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from tests.fakes import FrozenClock

from recollect import Engine
from recollect.errors import InvalidInput, NotFound
from recollect.model import Anchor, Edge, Memory, Node
from recollect.model.graph_answer import ExpandedHit, Expansion, ImpactHit

QUESTION = "which database keeps the ledger"


@pytest.fixture
def engine(open_engine: Callable[..., Engine], frozen: FrozenClock) -> Engine:
    """An engine that finds by words alone: what it finds beyond them it found over links."""
    return open_engine(embed_provider="off")


@pytest.fixture
def ids(engine: Engine) -> dict[str, str]:
    """A few memories, linked as somebody would link them; only the first answers the question by itself."""
    texts = {
        "choice": ("The ledger is kept in a PostgreSQL database", "decision"),
        "pool": ("At most twenty connections at once", "insight"),
        "outage": ("On the third of March nothing answered for an hour", "insight"),
        "timeout": ("Migrations give up after five seconds", "decision"),
        "style": ("Tabs in Makefiles", "style"),
    }
    stored = {
        name: engine.memories.store(text, memory_type=kind).memory.id  # type: ignore[arg-type]
        for name, (text, kind) in texts.items()
    }
    for src, dst, relationship in (
        ("choice", "pool", "LEADS_TO"),
        ("pool", "outage", "DERIVED_FROM"),
        ("outage", "timeout", "LEADS_TO"),
    ):
        engine.memories.associate(stored[src], stored[dst], relationship=relationship)  # type: ignore[arg-type]
    return stored


def names(ids: dict[str, str], found: Expansion) -> list[str]:
    called = {memory_id: name for name, memory_id in ids.items()}
    return [called[row.hit.memory.id] for row in found.hits]


def row_of(ids: dict[str, str], found: Expansion, name: str) -> ExpandedHit:
    return next(row for row in found.hits if row.hit.memory.id == ids[name])


def expand(engine: Engine, query: str = QUESTION, **options: Any) -> Expansion:
    return engine.graph.recall_with_expansion(query, **{"min_score": 0.1, **options})


def put(engine: Engine, *records: Any) -> None:
    with engine.store.transaction("test") as transaction:
        for record in records:
            transaction.insert(record)


# --- recall with expansion ---


@pytest.mark.promise("E-recall_with_expansion")
def test_what_a_hit_is_linked_to_is_found_with_the_way_that_led_to_it(engine: Engine, ids: dict[str, str]) -> None:
    assert [hit.memory.id for hit in engine.recall.search(QUESTION, min_score=0.1).hits] == [ids["choice"]]
    found = expand(engine)
    assert names(ids, found) == ["choice", "pool", "outage"]
    direct, linked, farther = found.hits
    assert (direct.hops, direct.seed_id, direct.path) == (0, None, ())
    assert (linked.hops, linked.seed_id) == (1, ids["choice"])
    assert [(step.src, step.relationship, step.dst) for step in linked.path] == [
        (f"mem:{ids['choice']}", "LEADS_TO", f"mem:{ids['pool']}")
    ]
    assert "linked from “The ledger is kept in a PostgreSQL database” (LEADS_TO)" in linked.hit.reason
    assert farther.hops == len(farther.path) == 2
    assert "2 links away" in farther.hit.reason
    assert "LEADS_TO and DERIVED_FROM" in farther.hit.reason


def test_links_are_followed_as_far_as_asked_and_no_farther(engine: Engine, ids: dict[str, str]) -> None:
    assert names(ids, expand(engine, expansion_depth=1, min_score=0.01)) == ["choice", "pool"]
    assert names(ids, expand(engine, expansion_depth=3, min_score=0.01)) == ["choice", "pool", "outage", "timeout"]


def test_links_are_followed_against_their_direction_too(engine: Engine, ids: dict[str, str]) -> None:
    found = expand(engine, "twenty connections", expansion_depth=1)
    assert names(ids, found)[0] == "pool"
    assert set(names(ids, found)) == {"pool", "choice", "outage"}
    assert "linked to “At most twenty" in row_of(ids, found, "choice").hit.reason
    assert row_of(ids, found, "choice").path[0].forwards is False


def test_what_is_reached_over_links_ranks_below_what_it_was_reached_from(engine: Engine, ids: dict[str, str]) -> None:
    for strength in (1.0, 0.5, 0.1):
        engine.memories.associate(ids["choice"], ids["pool"], relationship="LEADS_TO", weight=strength)
        found = expand(engine, min_score=0.0, limit=5)
        scores = {row.hit.memory.id: row.hit.score for row in found.hits}
        assert [row.hit.score for row in found.hits] == sorted(scores.values(), reverse=True)
        for row in found.hits:
            if row.seed_id is not None:
                assert row.hit.score < scores[row.seed_id]


def test_a_weaker_link_and_one_of_many_give_less(engine: Engine, ids: dict[str, str]) -> None:
    whole = row_of(ids, expand(engine), "pool").hit.score
    engine.memories.associate(ids["choice"], ids["pool"], relationship="LEADS_TO", weight=0.5)
    weaker = row_of(ids, expand(engine), "pool").hit.score
    engine.memories.associate(ids["choice"], ids["pool"], relationship="LEADS_TO", weight=1.0)
    for number in range(8):
        other = engine.memories.store(f"unrelated remark {number}").memory.id
        engine.memories.associate(ids["choice"], other, relationship="LEADS_TO")
    one_of_many = row_of(ids, expand(engine, min_score=0.0, limit=50), "pool").hit.score
    assert whole > weaker > one_of_many > 0


def test_two_seeds_are_more_evidence_than_one(engine: Engine, ids: dict[str, str]) -> None:
    alone = row_of(ids, expand(engine), "pool").hit.score
    twin = engine.memories.store("The ledger database is backed up at night").memory.id
    engine.memories.associate(twin, ids["pool"], relationship="LEADS_TO")
    assert row_of({**ids, "twin": twin}, expand(engine), "pool").hit.score > alone


def test_a_hit_that_is_linked_too_keeps_its_own_reason(engine: Engine, ids: dict[str, str]) -> None:
    twin = engine.memories.store("The ledger may grow").memory.id
    engine.memories.associate(ids["choice"], twin)
    found = expand(engine)
    row = row_of({**ids, "twin": twin}, found, "twin")
    assert "ledger" in row.hit.reason.split(";")[0]
    assert "(RELATES_TO)" in row.hit.reason
    assert row.hit.signals.matched_terms == ("ledger",)


def test_filters_hold_for_linked_memories_as_for_others(engine: Engine, ids: dict[str, str]) -> None:
    engine.memories.update(ids["pool"], namespace="elsewhere", tags=("db",))
    engine.memories.update(ids["choice"], namespace="app", tags=("db",))
    engine.memories.update(ids["outage"], namespace="app")
    assert names(ids, expand(engine, namespace="app", min_score=0.01)) == ["choice"]
    assert names(ids, expand(engine, tags=("db",), min_score=0.01)) == ["choice", "pool"]
    assert names(ids, expand(engine, memory_type="decision", expansion_depth=3, min_score=0.01)) == [
        "choice",
        "timeout",
    ]


def test_no_more_than_k_and_none_below_the_least_score(engine: Engine, ids: dict[str, str]) -> None:
    assert names(ids, expand(engine, limit=2)) == ["choice", "pool"]
    least = row_of(ids, expand(engine), "pool").hit.score
    assert names(ids, expand(engine, min_score=least)) == ["choice", "pool"]


def test_what_has_expired_or_did_not_hold_then_is_not_reached(
    engine: Engine, ids: dict[str, str], frozen: FrozenClock
) -> None:
    with engine.store.transaction("test") as transaction:
        transaction.update(Memory, ids["pool"], {"expires_at": frozen.at - 1})
    assert names(ids, expand(engine)) == ["choice", "outage"]
    later = engine.memories.store("Said tomorrow", valid_from=frozen.at + 86_400).memory.id
    engine.memories.associate(ids["choice"], later)
    now = expand(engine, as_of=frozen.at, min_score=0.0)
    assert later not in [row.hit.memory.id for row in now.hits]


def test_a_query_as_of_a_time_reaches_only_what_held_then(engine: Engine, frozen: FrozenClock) -> None:
    old = engine.memories.store("The ledger is kept in MySQL", valid_from="2023-01-10").memory.id
    later = engine.memories.store("Auditors came", valid_from="2023-04-20").memory.id
    engine.memories.associate(old, later)
    found = expand(engine, "Where is the ledger kept as of March 2023?", min_score=0.0)
    assert [row.hit.memory.id for row in found.hits] == [old]


def test_the_newer_version_comes_first_whichever_was_found(engine: Engine) -> None:
    old = engine.memories.store("The ledger is kept in MySQL").memory.id
    new = engine.memories.store("Moved to another engine", supersedes=old).memory.id
    found = expand(engine, "the ledger in MySQL")
    assert [row.hit.memory.id for row in found.hits] == [new, old]
    assert found.hits[1].hit.superseded_by == new
    assert found.hits[0].hit.score >= found.hits[1].hit.score


def test_a_link_that_says_so_makes_a_version_too(engine: Engine) -> None:
    old = engine.memories.store("The ledger is kept in MySQL").memory.id
    new = engine.memories.store("Moved to another engine").memory.id
    engine.memories.associate(old, new, relationship="EVOLVED_INTO")
    assert [row.hit.memory.id for row in expand(engine, "the ledger in MySQL").hits] == [new, old]


def test_memories_meet_over_the_code_they_are_about(engine: Engine) -> None:
    one = engine.memories.store("parseHeader fails on empty lines").memory
    other = engine.memories.store("Nobody may change this before June").memory
    put(
        engine,
        Node(id=f"mem:{one.id}", kind="Memory", memory_id=one.id),
        Node(id=f"mem:{other.id}", kind="Memory", memory_id=other.id),
        Node(id="sym:parseHeader", kind="Function", label="parseHeader"),
        Edge(id="1", src=f"mem:{one.id}", dst="sym:parseHeader", relationship="EXPLAINS"),
        Edge(id="2", src=f"mem:{other.id}", dst="sym:parseHeader", relationship="RELATES_TO"),
    )
    found = expand(engine, "parseHeader empty lines", min_score=0.01)
    assert [row.hit.memory.id for row in found.hits] == [one.id, other.id]
    assert [step.dst for step in found.hits[1].path] == ["sym:parseHeader", "sym:parseHeader"]


def test_without_links_an_expansion_is_a_recall_and_says_why(engine: Engine) -> None:
    engine.memories.store("The parser is written by hand")
    found = expand(engine, "parser")
    plain = engine.recall.search("parser", min_score=0.1)
    assert tuple(row.hit for row in found.hits) == plain.hits
    assert any("there are no links yet" in note for note in found.notes)
    assert expand(engine, "zebra").hits == ()


def test_links_in_a_circle_end_somewhere(engine: Engine, ids: dict[str, str]) -> None:
    engine.memories.associate(ids["pool"], ids["choice"], relationship="LEADS_TO")
    engine.memories.associate(ids["choice"], ids["choice"], relationship="EVOLVED_INTO")
    engine.memories.associate(ids["choice"], ids["pool"], relationship="RELATES_TO")
    found = expand(engine, expansion_depth=5, min_score=0.01)
    assert names(ids, found) == ["choice", "pool", "outage", "timeout"]


# --- recall with impact ---


def impact(engine: Engine, **options: Any) -> ImpactHit:
    return engine.graph.recall_with_impact(QUESTION, **{"limit": 1, **options}).hits[0]


@pytest.mark.promise("E-recall_with_impact")
def test_a_hit_comes_with_how_central_it_is(engine: Engine, ids: dict[str, str]) -> None:
    engine.graph.recompute()
    found = impact(engine)
    node = engine.store.get(Node, [f"mem:{ids['choice']}"])[0]
    assert found.hit.memory.id == ids["choice"]
    assert found.centrality == node.centrality > 0
    parts = {name: getattr(found, name) for name in ("pagerank", "betweenness", "degree", "cluster")}
    assert parts == node.payload["centrality"]


def test_a_hit_comes_with_what_it_is_linked_with_and_what_follows_from_it(engine: Engine, ids: dict[str, str]) -> None:
    for other in ("style", "timeout"):
        engine.memories.associate(ids["choice"], ids[other], relationship="RELATES_TO", weight=0.5)
    found = impact(engine)
    told = [(row.node.memory_id, row.via.relationship) for row in found.linked]
    assert told[0] == (ids["pool"], "LEADS_TO")
    assert set(told[1:]) == {(ids["style"], "RELATES_TO"), (ids["timeout"], "RELATES_TO")}
    assert found.linked[0].node.label == "At most twenty connections at once"
    assert [row.node.memory_id for row in found.dependents] == [ids["pool"]]
    assert (found.linked_total, found.dependents_total) == (3, 1)
    assert [node.memory_id for node in found.decisions] == [ids["timeout"]]


def test_the_code_a_memory_is_about_has_dependents(engine: Engine, ids: dict[str, str]) -> None:
    memory = f"mem:{ids['choice']}"
    put(
        engine,
        Node(id="file:db.py", kind="File", label="db.py"),
        Node(id="sym:connect", kind="Function", label="connect"),
        Node(id="sym:main", kind="Function", label="main"),
        Node(id="file:app.py", kind="File", label="app.py"),
        Edge(id="1", src=memory, dst="sym:connect", relationship="RELATES_TO"),
        Edge(id="2", src="sym:main", dst="sym:connect", relationship="CALLS"),
        Edge(id="3", src="file:app.py", dst="file:db.py", relationship="IMPORTS"),
        Anchor(id="4", memory_id=ids["choice"], path="db.py"),
        Anchor(id="5", memory_id=ids["choice"], path="docs/ledger.md"),
    )
    found = impact(engine)
    assert {row.node.id for row in found.dependents} == {"sym:main", "file:app.py", f"mem:{ids['pool']}"}
    assert set(found.files) == {"db.py", "docs/ledger.md", "app.py"}
    assert found.files_total == 3


def test_much_is_counted_and_the_first_of_it_shown(engine: Engine, ids: dict[str, str]) -> None:
    for number in range(15):
        other = engine.memories.store(f"consequence {number}", memory_type="decision").memory.id
        engine.memories.associate(ids["choice"], other, relationship="LEADS_TO")
    found = impact(engine)
    assert (len(found.linked), found.linked_total) == (10, 16)
    assert (len(found.dependents), found.dependents_total) == (10, 16)
    assert (len(found.decisions), found.decisions_total) == (10, 15)


def test_decisions_come_oldest_first_and_likeness_is_no_connection(
    engine: Engine, ids: dict[str, str], frozen: FrozenClock
) -> None:
    early = engine.memories.store("Decided first", memory_type="decision", valid_from=frozen.at - 10).memory.id
    late = engine.memories.store("Decided last", memory_type="decision", valid_from=frozen.at + 10).memory.id
    alike = engine.memories.store("Decided alike", memory_type="decision").memory.id
    engine.memories.associate(ids["choice"], late)
    engine.memories.associate(early, ids["choice"])
    engine.memories.associate(alike, ids["choice"], relationship="SIMILAR_TO")
    assert [node.memory_id for node in impact(engine, depth=1).decisions] == [early, late]


def test_an_unlinked_memory_has_no_impact(engine: Engine) -> None:
    engine.memories.store("The ledger database")
    answer = engine.graph.recall_with_impact(QUESTION)
    assert answer.hits[0] == ImpactHit(hit=answer.hits[0].hit)
    assert any("there are no links yet" in note for note in answer.notes)


# --- walks ---


@pytest.mark.promise("E-graph_traverse")
def test_a_walk_tells_how_far_each_node_is_and_by_which_link(engine: Engine, ids: dict[str, str]) -> None:
    walk = engine.graph.traverse(ids["choice"], max_depth=2)
    assert [(visit.node.memory_id, visit.depth) for visit in walk.nodes] == [
        (ids["choice"], 0),
        (ids["pool"], 1),
        (ids["outage"], 2),
    ]
    assert walk.nodes[0].via is None
    assert [visit.via.relationship for visit in walk.nodes[1:] if visit.via] == ["LEADS_TO", "DERIVED_FROM"]
    assert walk == engine.graph.traverse(f"mem:{ids['choice']}", max_depth=2)


def test_a_walk_in_one_direction_by_some_relationships_through_some_kinds(engine: Engine, ids: dict[str, str]) -> None:
    def reached(**options: Any) -> list[str | None]:
        return [visit.node.memory_id for visit in engine.graph.traverse(ids["pool"], max_depth=5, **options).nodes]

    assert reached(direction="in") == [ids["pool"], ids["choice"]]
    assert reached(direction="out") == [ids["pool"], ids["outage"], ids["timeout"]]
    assert reached(relationships=("LEADS_TO",)) == [ids["pool"], ids["choice"]]
    assert reached(kinds=("File",)) == [ids["pool"]]
    assert reached(algorithm="dfs", direction="out") == [ids["pool"], ids["outage"], ids["timeout"]]


def test_a_long_walk_is_cut_off_and_counted(engine: Engine, ids: dict[str, str]) -> None:
    walk = engine.graph.traverse(ids["choice"], max_depth=10, limit=2)
    assert (len(walk.nodes), walk.total) == (2, 4)


def test_a_memory_is_shown_under_its_present_name(engine: Engine, ids: dict[str, str]) -> None:
    engine.memories.update(ids["choice"], title="The ledger")
    assert engine.graph.traverse(ids["choice"]).nodes[0].node.label == "The ledger"


def test_a_memory_without_links_is_alone_and_one_that_is_not_there_is_an_error(
    engine: Engine, ids: dict[str, str]
) -> None:
    alone = engine.graph.traverse(ids["style"])
    assert [visit.node.memory_id for visit in alone.nodes] == [ids["style"]]
    assert alone.total == 1
    with pytest.raises(NotFound) as problem:
        engine.graph.traverse("nobody")
    assert problem.value.details == {"field": "start_id"}


@pytest.mark.parametrize(
    "options",
    [
        {"max_depth": 0},
        {"max_depth": True},
        {"algorithm": "zigzag"},
        {"direction": "up"},
        {"kinds": ("Planet",)},
        {"kinds": "File"},
        {"relationships": ("LOVES",)},
        {"limit": 1001},
    ],
    ids=str,
)
def test_a_walk_that_cannot_be_made_is_refused(engine: Engine, ids: dict[str, str], options: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        engine.graph.traverse(ids["choice"], **options)


# --- ranks and clusters ---


@pytest.mark.promise("E-get_pagerank")
def test_what_others_link_to_ranks_first(engine: Engine) -> None:
    hub = engine.memories.store("the hub", namespace="app").memory.id
    for number in range(4):
        other = engine.memories.store(f"spoke {number}", namespace="app").memory.id
        engine.memories.associate(other, hub, relationship="DEPENDS_ON")
    ranks = engine.graph.pagerank()
    assert ranks.nodes[0].node.memory_id == hub
    assert ranks.total == 5
    assert sum(row.pagerank for row in ranks.nodes) == pytest.approx(1)
    assert [row.pagerank for row in engine.graph.pagerank(damping=0).nodes] == pytest.approx([0.2] * 5)
    assert len(engine.graph.pagerank(limit=2).nodes) == 2
    assert engine.graph.pagerank(namespace="elsewhere").nodes == ()
    assert engine.graph.pagerank(relationships=("CALLS",)).nodes[0].pagerank == pytest.approx(0.2)


def test_clusters_are_what_is_linked_among_itself(engine: Engine) -> None:
    groups = [[engine.memories.store(f"group {g} member {m}").memory.id for m in range(3)] for g in range(2)]
    for members in groups:
        for one in members:
            for other in members:
                if one < other:
                    engine.memories.associate(one, other)
    engine.memories.associate(groups[0][0], groups[1][0])
    found = engine.graph.clusters()
    assert {frozenset(node.memory_id for node in cluster.members) for cluster in found.clusters} == {
        frozenset(members) for members in groups
    }
    assert (found.total, found.alone) == (2, 0)
    assert found.clusters[0].cohesion == pytest.approx(6 / 7, abs=1e-4)
    assert found.modularity > 0.3
    assert engine.graph.clusters(resolution=50).alone == 6
    assert engine.graph.clusters(limit=1).total == 2


def test_clusters_of_code_are_found_in_the_part_of_the_graph_asked_for(engine: Engine) -> None:
    files = [Node(id=f"file:{n}", kind="File", label=f"{n}.py", namespace="app") for n in range(4)]
    links = [("0", "1"), ("2", "3"), ("1", "2")]
    put(
        engine,
        *files,
        *(
            Edge(id=f"{a}{b}", src=f"file:{a}", dst=f"file:{b}", relationship="CONTAINS" if a == "1" else "IMPORTS")
            for a, b in links
        ),
    )
    found = engine.graph.clusters(kinds=("File",), relationships=("IMPORTS",), namespace="app")
    assert {frozenset(node.label for node in cluster.members) for cluster in found.clusters} == {
        frozenset({"0.py", "1.py"}),
        frozenset({"2.py", "3.py"}),
    }
    assert found.clusters[0].cohesion == 1.0


@pytest.mark.parametrize("resolution", [0, -1, float("nan"), float("inf"), "fine", True], ids=str)
def test_a_resolution_that_is_none_is_refused(engine: Engine, resolution: Any) -> None:
    with pytest.raises(InvalidInput):
        engine.graph.clusters(resolution=resolution)


def test_an_empty_graph_has_nothing_to_show(engine: Engine) -> None:
    assert engine.graph.pagerank().nodes == ()
    assert engine.graph.clusters().clusters == ()
    assert msgspec.to_builtins(engine.graph.recompute()) == {"nodes": 0, "edges": 0, "clusters": 0, "exact": True}
    assert engine.graph.recall_with_expansion("anything").hits == ()
    assert engine.graph.recall_with_impact("anything").hits == ()


def test_another_process_sees_links_at_once(engine: Engine, open_engine: Callable[..., Engine]) -> None:
    other = open_engine(embed_provider="off")
    one, two = engine.memories.store("first").memory.id, engine.memories.store("second").memory.id
    engine.memories.associate(one, two)
    assert other.graph.traverse(one).total == 2
    three = engine.memories.store("third").memory.id
    engine.memories.associate(two, three)
    assert other.graph.traverse(one).total == 3
    engine.memories.delete(two)
    assert other.graph.traverse(one).total == 1
    engine.admin.undo()
    assert other.graph.traverse(one).total == 3
