"""The graph with positions, and memories in three dimensions: what is shown, of how much, and for whom."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from tests.fakes import HashingEmbedder

from recollect import Engine
from recollect.errors import InvalidInput, NotFound
from recollect.model.graph_answer import GraphLayout

SOURCES = {
    "shop/price.py": (
        "from shop.tax import rate\n\n\ndef gross(net):\n    return net * rate()\n\n\n"
        "def total(nets):\n    return sum(map(gross, nets))\n"
    ),
    "shop/tax.py": "def rate():\n    return 1.19\n",
    "mail/send.py": "def send(text):\n    return check(text)\n\n\ndef check(text):\n    return bool(text)\n",
}


@pytest.fixture
def project(tmp_path: Path, engine: Engine) -> Path:
    folder = tmp_path / "app"
    for name, text in SOURCES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    engine.code.index(str(folder))
    return folder


def node(folder: Path, path: str, key: str) -> str:
    return f"sym:{folder}/{path}::{key}"


def links(found: GraphLayout) -> set[tuple[str, str, str]]:
    rows = zip(found.sources, found.relations, found.targets, strict=True)
    return {(found.labels[src], found.relation_names[how], found.labels[dst]) for src, how, dst in rows}


# --- the graph ---


def test_nodes_come_with_label_kind_position_and_links(engine: Engine, project: Path) -> None:
    found = engine.maps.layout()
    assert found.total_nodes == len(found.ids) == 8
    assert set(found.labels) == {*SOURCES, "gross", "total", "rate", "send", "check"}
    assert ("gross", "CALLS", "rate") in links(found) and ("shop/tax.py", "CONTAINS", "rate") in links(found)
    kinds = dict(zip(found.labels, (found.kind_names[kind] for kind in found.kinds), strict=True))
    assert (kinds["gross"], kinds["shop/tax.py"]) == ("Function", "File")
    columns = (found.labels, found.kinds, found.projects, found.communities, found.centrality, found.x, found.y)
    assert {len(column) for column in columns} == {8}
    assert len(set(zip(found.x, found.y, strict=True))) == 8
    assert max(map(abs, (*found.x, *found.y))) == 10_000
    assert found.centrality[0] == 1000 and list(found.centrality) == sorted(found.centrality, reverse=True)


def test_communities_are_named_by_their_most_central_node_and_folder(engine: Engine, project: Path) -> None:
    found = engine.maps.layout()
    own = {name: found.communities[place] for place, name in enumerate(found.labels)}
    assert own["send"] == own["check"] != own["rate"]
    assert "(mail)" in found.community_names[own["send"]]


def test_a_limit_keeps_the_most_central_and_tells_how_many_there_are(engine: Engine, project: Path) -> None:
    whole, part = engine.maps.layout(), engine.maps.layout(limit=3)
    assert part.ids == whole.ids[:3]
    assert (part.total_nodes, part.total_edges) == (8, len(whole.sources))
    assert len(engine.maps.layout(min_centrality=0.9).ids) < 8
    assert engine.maps.layout(min_centrality=0.9).total_nodes < 8


def test_kinds_relationships_and_project_narrow_it(engine: Engine, project: Path) -> None:
    only = engine.maps.layout(kinds=("Function",), relationships=("CALLS",))
    assert set(only.labels) == {"gross", "total", "rate", "send", "check"}
    assert {how for _, how, _ in links(only)} == {"CALLS"}
    assert engine.maps.layout(namespace="another").ids == ()


def test_around_a_node_the_nearest_are_shown(engine: Engine, project: Path) -> None:
    start = node(project, "shop/tax.py", "rate")
    near = engine.maps.layout(start_id=start, max_depth=1)
    assert set(near.labels) == {"rate", "gross", "shop/tax.py"}
    assert set(engine.maps.layout(start_id=start, max_depth=10).labels) == {
        "rate",
        "gross",
        "total",
        "shop/tax.py",
        "shop/price.py",
    }
    assert set(engine.maps.layout(start_id=start, max_depth=10, limit=3).labels) >= {"rate"}


def test_the_path_between_two_nodes_is_in_order(engine: Engine, project: Path) -> None:
    total, rate, send = (
        node(project, "shop/price.py", "total"),
        node(project, "shop/tax.py", "rate"),
        node(project, "mail/send.py", "send"),
    )
    found = engine.maps.layout(start_id=total, target_id=rate)
    assert [found.labels[place] for place in found.path] == ["total", "gross", "rate"]
    nothing = engine.maps.layout(start_id=total, target_id=send)
    assert (nothing.ids, nothing.path) == ((), ()) and "no path" in nothing.notes[0]
    alone = engine.maps.layout(start_id=total, target_id=total)
    assert [alone.labels[place] for place in alone.path] == ["total"]


def test_memories_are_nodes_under_what_they_are_called_now(engine: Engine, project: Path) -> None:
    memory = engine.memories.store("Prices are gross everywhere", namespace=str(project)).memory
    engine.memories.associate(memory.id, node(project, "shop/price.py", "gross"), relationship="EXPLAINS")
    engine.memories.update(memory.id, content="Prices are net everywhere")
    near = engine.maps.layout(start_id=memory.id, max_depth=1)
    assert set(near.labels) == {"Prices are net everywhere", "gross"}
    bare = engine.memories.store("Nothing is linked with this").memory
    without = engine.maps.layout(start_id=bare.id)
    assert without.ids == () and "has no links" in without.notes[0]


def test_unknown_nodes_and_half_a_path_are_refused(engine: Engine, project: Path) -> None:
    with pytest.raises(NotFound):
        engine.maps.layout(start_id="sym:/nowhere/a.py::f")
    with pytest.raises(InvalidInput):
        engine.maps.layout(target_id=node(project, "shop/tax.py", "rate"))
    with pytest.raises(InvalidInput):
        engine.maps.layout(limit=50_001)


def test_a_layout_is_made_once_until_the_graph_changes(engine: Engine, project: Path) -> None:
    first = engine.maps.layout()
    assert engine.maps.layout() is first
    (project / "shop/more.py").write_text("def more():\n    return 1\n")
    engine.code.index(str(project))
    assert "more" in engine.maps.layout().labels


def test_an_empty_graph_has_nothing_to_draw(engine: Engine) -> None:
    found = engine.maps.layout()
    assert (found.ids, found.total_nodes, found.community_names) == ((), 0, ())


# --- the map ---

TOPICS = (
    "deploy the shop with ansible playbooks",
    "prices in euros are rounded half up",
    "mail is sent by the queue worker",
)


def remember(engine: Engine, count: int) -> None:
    for number in range(count):
        space = "even" if number % 2 == 0 else "odd"
        engine.memories.store(f"{TOPICS[number % 3]}, rule {number}", namespace=space, deduplicate=False)
    engine.embedding.catch_up()


@pytest.mark.promise("E26")
def test_memories_have_three_coordinates_by_their_principal_components(engine: Engine) -> None:
    remember(engine, 150)
    found = engine.maps.embedding_map()
    assert found.total == len(found.ids) == len(found.x) == len(found.y) == len(found.z) == 150
    assert sorted(found.explained, reverse=True) == list(found.explained) and 0 < sum(found.explained) <= 1
    assert max(map(abs, (*found.x, *found.y, *found.z))) == 10_000
    # Memories of one topic lie nearer to each other than to those of another.
    at = {name: place for name, *place in zip(found.labels, found.x, found.y, found.z, strict=True)}
    same, other = (
        sum((a - b) ** 2 for a, b in zip(at[f"{TOPICS[0]}, rule 0"], at[f"{TOPICS[topic]}, rule {rule}"], strict=True))
        for topic, rule in ((0, 3), (1, 1))
    )
    assert same < other
    assert any("ansible" in name or "playbooks" in name or "deploy" in name for name in found.cluster_names)


def test_a_map_is_an_even_sample_above_the_limit(engine: Engine) -> None:
    remember(engine, 40)
    found = engine.maps.embedding_map(limit=10)
    assert (len(found.ids), found.total, found.missing) == (10, 40, 0)
    numbers = sorted(int(label.rpartition(" ")[2]) for label in found.labels)
    assert {after - before for before, after in pairwise(numbers)} == {4}


def test_a_map_shows_the_project_asked_for_and_what_is_not_embedded(
    engine: Engine, open_engine: Callable[..., Engine]
) -> None:
    remember(engine, 10)
    assert {found.project_names for found in [engine.maps.embedding_map(namespace="odd")]} == {("odd",)}
    other = open_engine(embedder=HashingEmbedder(model_id="another"))
    found = other.maps.embedding_map()
    assert (found.ids, found.total, found.missing) == ((), 0, 10) and "not embedded" in found.notes[0]
    off = open_engine(embed_provider="off").maps.embedding_map()
    assert off.ids == () and "off" in off.notes[0]


def test_a_map_is_made_once_until_memories_change(engine: Engine) -> None:
    remember(engine, 6)
    first = engine.maps.embedding_map()
    assert engine.maps.embedding_map() is first
    engine.memories.store("One more memory about backups")
    engine.embedding.catch_up()
    assert len(engine.maps.embedding_map().ids) == 7
