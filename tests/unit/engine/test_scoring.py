"""Scoring weights: set, kept, scoped, shown, and in force from the next recall on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from tests.fakes import FrozenClock, HashingEmbedder

from recollect import Engine
from recollect.engine import OPERATIONS
from recollect.errors import InvalidInput, InvalidWorkspace, StoreCorrupt
from recollect.model import Hit, Node
from recollect.recall.profiles import COMPONENTS, DEFAULT, DOCUMENTED
from recollect.recall.weights import BY_HAND


def found(engine: Engine, query: str, **options: Any) -> list[str]:
    return [hit.memory.content for hit in engine.recall.search(query, **{"min_score": 0.0, **options}).hits]


def shares(hit: Hit) -> dict[str, float]:
    return {row.meaning: row.share for row in hit.signals.shares}


# --- the operation ---


@pytest.mark.promise("E8", "E-set_scoring_weights")
def test_weights_are_always_scaled_to_sum_to_one(engine: Engine) -> None:
    told = engine.scoring.set_weights(vector=3, token=1, profile="documented")
    assert sum(told.weights.values()) == pytest.approx(1.0)
    assert told.weights["vector"] / told.weights["token"] == pytest.approx(3.0)
    assert told.weights["graph"] / told.weights["tags"] == pytest.approx(2.5)
    assert tuple(told.weights) == COMPONENTS


def test_without_arguments_what_is_in_force_is_shown_and_nothing_is_kept(engine: Engine) -> None:
    told = engine.scoring.set_weights()
    assert (told.profile, told.source, told.namespace) == ("default", "default", None)
    assert told.weights == DEFAULT.weights
    assert engine.store.setting("scoring") is None


def test_weights_are_kept_for_every_process(engine: Engine, open_engine: Callable[..., Engine]) -> None:
    told = engine.scoring.set_weights(importance=0.5)
    assert open_engine().scoring.set_weights() == told
    assert told.source == "global"


def test_what_is_not_given_stays_as_it_was_set(engine: Engine) -> None:
    engine.scoring.set_weights(profile="documented")
    first = engine.scoring.set_weights(importance=1.0)
    second = engine.scoring.set_weights(recency=0.0)
    assert (first.profile, second.profile) == ("documented", "documented")
    assert second.weights["recency"] == 0.0
    assert second.weights["importance"] / second.weights["vector"] == pytest.approx(
        first.weights["importance"] / first.weights["vector"]
    )


def test_a_profile_begins_with_weights_of_its_own(engine: Engine) -> None:
    engine.scoring.set_weights(importance=1.0)
    assert engine.scoring.set_weights(profile="documented").weights == DOCUMENTED.weights
    assert engine.scoring.set_weights(profile="default").weights == DEFAULT.weights


def test_a_namespace_has_its_own_weights_or_those_for_all_or_the_default(engine: Engine) -> None:
    engine.scoring.set_weights(profile="documented", namespace="app")
    assert engine.scoring.set_weights(namespace="app").source == "namespace"
    assert engine.scoring.set_weights(namespace="lib").source == "default"
    everywhere = engine.scoring.set_weights(importance=0.5)
    assert engine.scoring.set_weights(namespace="lib").weights == everywhere.weights
    assert engine.scoring.set_weights(namespace="lib").source == "global"
    assert engine.scoring.set_weights(namespace="app").weights == DOCUMENTED.weights


def test_a_namespace_begins_where_the_weights_for_all_are(engine: Engine) -> None:
    engine.scoring.set_weights(profile="documented")
    told = engine.scoring.set_weights(importance=0.5, namespace="app")
    assert (told.profile, told.source) == ("documented", "namespace")


def test_reset_forgets_what_was_set(engine: Engine) -> None:
    everywhere = engine.scoring.set_weights(importance=0.5)
    engine.scoring.set_weights(profile="documented", namespace="app")
    told = engine.scoring.set_weights(reset=True, namespace="app")
    assert (told.weights, told.source) == (everywhere.weights, "global")
    assert engine.scoring.set_weights(reset=True).source == "default"
    again = engine.scoring.set_weights(reset=True, confidence=0.5)
    assert again.weights["importance"] < again.weights["confidence"]


@pytest.mark.parametrize(
    "bad",
    [
        {"vector": -0.5},
        {"token": float("nan")},
        {"graph": float("inf")},
        {"tags": "much"},
        {"profile": "secret"},
        {"importance": True},
        dict.fromkeys(COMPONENTS, 0),
    ],
    ids=str,
)
def test_what_cannot_be_a_weight_is_refused_and_changes_nothing(engine: Engine, bad: dict[str, Any]) -> None:
    before = engine.scoring.set_weights(profile="documented", importance=0.2)
    with pytest.raises(InvalidInput):
        engine.scoring.set_weights(**{"reset": True, **bad})
    assert engine.scoring.set_weights() == before


def test_a_namespace_that_is_none_is_refused(engine: Engine) -> None:
    with pytest.raises(InvalidWorkspace):
        engine.scoring.set_weights(importance=1, namespace="\n!")


@pytest.mark.parametrize("kept", ["nonsense", "{}", '{"profile": "default", "weights": {"vector": -1}}'])
def test_unreadable_weights_are_reported_and_can_be_reset(engine: Engine, kept: str) -> None:
    engine.store.keep_setting("scoring", kept)
    engine.memories.store("a parser")
    with pytest.raises(StoreCorrupt, match="scoring"):
        engine.recall.search("parser")
    assert engine.scoring.set_weights(reset=True).source == "default"
    assert found(engine, "parser") == ["a parser"]


# --- in force ---


@pytest.fixture(params=["hybrid", "lexical"])
def either(request: pytest.FixtureRequest, open_engine: Callable[..., Engine], frozen: FrozenClock) -> Engine:
    """An engine with vectors, and one without; so long that no two words share a dimension."""
    return (
        open_engine(embedder=HashingEmbedder(4096)) if request.param == "hybrid" else open_engine(embed_provider="off")
    )


# They match a question about the parser alike, say different things, and none replaces another.
ALIKE = (
    "The parser supports a dialect of Java",
    "The parser supports a dialect of Rust",
    "The parser supports a dialect of Ruby",
)


def test_of_memories_that_match_alike_the_important_one_comes_first(either: Engine) -> None:
    for text, number in zip(ALIKE, (0.1, 0.9, 0.5), strict=True):
        either.memories.store(text, importance=number)
    hits = either.recall.search("parser", min_score=0.0).hits
    assert [hit.memory.importance for hit in hits] == [0.9, 0.5, 0.1]


def test_weights_of_a_namespace_rank_its_recalls_and_no_others(either: Engine) -> None:
    for scope in ("app", "lib"):
        either.memories.store("The parser parser is written by hand", importance=0.2, namespace=scope)
        either.memories.store("A tokenizer stands before the parser", importance=0.8, namespace=scope)
    before = found(either, "parser by hand", namespace="app")
    assert before[0].startswith("The parser")
    either.scoring.set_weights(importance=50, namespace="app")
    assert found(either, "parser by hand", namespace="app") == before[::-1]
    assert found(either, "parser by hand", namespace="lib") == before
    assert found(either, "parser by hand")[0].startswith("The parser")


def test_weights_change_the_order_and_not_what_is_found(either: Engine) -> None:
    for number in range(6):
        either.memories.store(f"Parser note {number} about the grammar", importance=number / 5)
    before = either.recall.search("parser grammar").hits
    either.scoring.set_weights(importance=50)
    after = either.recall.search("parser grammar").hits
    assert {hit.memory.id for hit in after} == {hit.memory.id for hit in before}
    assert [hit.memory.importance for hit in after] == sorted((hit.memory.importance for hit in before), reverse=True)


@pytest.mark.promise("E8")
def test_the_documented_profile_ranks_recalls_by_the_sum_that_it_explains(engine: Engine) -> None:
    engine.memories.store("The parser is written by hand", importance=0.1)
    engine.memories.store("A note that names the parser among many other things", importance=1.0, tags=("parser",))
    engine.memories.store("Nothing of the kind")
    engine.scoring.set_weights(profile="documented")
    hits = engine.recall.search("the hand-written parser", min_score=0.0, explain=True).hits
    sums = [sum(shares(hit).values()) for hit in hits]
    assert len(sums) == 3
    assert sums == sorted(sums, reverse=True)
    tagged = next(hit for hit in hits if hit.memory.tags)
    told = shares(tagged)
    assert told["importance"] == 0.05
    assert told["its tags match the query"] == 0.05
    assert told["confidence"] == 0.05
    assert told["the query names no time"] == 0.05
    assert told["similar in meaning"] == pytest.approx(0.25 * (tagged.signals.semantic or 0), abs=0.001)


def test_the_default_profile_explains_what_its_components_added(engine: Engine) -> None:
    engine.memories.store("The parser is written by hand", importance=1.0, confidence=0.5, tags=("parser",))
    told = shares(engine.recall.search("written by hand", min_score=0.0, explain=True).hits[0])
    assert told["important"] == pytest.approx(0.15)
    assert told["low confidence"] == pytest.approx(-0.15)
    named = shares(engine.recall.search("parser", min_score=0.0, explain=True).hits[0])
    assert named["its tags match the query"] == pytest.approx(0.15 + BY_HAND["labelled"].weight)
    assert "its tags match the query" not in told


def test_central_memories_come_first_where_the_graph_weighs(either: Engine) -> None:
    ids = [either.memories.store(text).memory.id for text in ALIKE]
    either.memories.associate(ids[0], ids[2])
    with either.store.transaction("test") as transaction:
        transaction.update(Node, f"mem:{ids[2]}", {"centrality": 0.7})
    hits = either.recall.search("parser", min_score=0.0, explain=True).hits
    assert hits[0].memory.id == ids[2]
    assert shares(hits[0])["linked to other memories"] == pytest.approx(0.3 * 0.7)


@pytest.mark.promise("E8")
def test_graph_strength_is_what_was_last_worked_out_for_the_graph(either: Engine) -> None:
    hub, *others = [either.memories.store(text).memory.id for text in ALIKE]
    for other in others:
        either.memories.associate(other, hub, relationship="PART_OF")
    OPERATIONS["recompute_centrality"].call(either, {})
    either.scoring.set_weights(profile="documented")
    best, *rest = either.recall.search("parser", min_score=0.0, explain=True).hits
    assert best.memory.id == hub
    # Whoever is first in all four parts has all of the component's quarter.
    assert shares(best)["linked to other memories"] == pytest.approx(0.25)
    assert all(0 < shares(hit)["linked to other memories"] < 0.1 for hit in rest)


def test_being_read_again_counts_a_little_and_being_new_does_not(either: Engine, frozen: FrozenClock) -> None:
    ids = []
    for text in ALIKE:
        ids.append(either.memories.store(text).memory.id)
        frozen.advance(100)
    either.scoring.set_weights(recency=0.5)
    assert [hit.memory.id for hit in either.recall.search("parser did", min_score=0.0).hits] == ids
    either.memories.get(ids[1])
    assert either.recall.search("parser did", min_score=0.0).hits[0].memory.id == ids[1]


def test_what_was_replaced_loses_to_what_matches_alike(either: Engine, frozen: FrozenClock) -> None:
    old = either.memories.store("Deployments happen on Fridays at six").memory
    same = either.memories.store("Deployments happen on Fridays at ten").memory
    frozen.advance(10)
    either.memories.store("Ship it whenever you like", supersedes=old.id)
    order = [hit.memory.id for hit in either.recall.search("deployments Fridays did", min_score=0.0).hits]
    assert order.index(same.id) < order.index(old.id)
    then = either.recall.search("deployments Fridays", min_score=0.0, as_of=old.created_at + 1, explain=True).hits
    assert all("no longer holds" not in shares(hit) for hit in then)


def test_an_empty_store_is_recalled_under_every_profile(either: Engine) -> None:
    for profile in ("default", "documented"):
        either.scoring.set_weights(profile=profile)
        assert either.recall.search("anything yesterday", explain=True).hits == ()
