"""Recall through the library: what is found, in which order, and the reason given."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from tests.fakes import FrozenClock, HashingEmbedder

from recollect import Engine
from recollect.engine.retrieval import recall_pipeline
from recollect.engine.retrieval.query_arguments import Asked
from recollect.errors import InvalidInput, InvalidWorkspace
from recollect.model import Memory
from recollect.model.recall_answer import NEAREST


def contents(engine: Engine, query: str, **filters: Any) -> list[str]:
    return [hit.memory.content for hit in engine.recall.search(query, **{"min_score": 0.0, **filters}).hits]


@pytest.fixture
def shelf(engine: Engine) -> Engine:
    engine.memories.store("The parser is written by hand", memory_type="decision", tags=("parser",), namespace="app")
    engine.memories.store("Retry requests with back-off", memory_type="pattern", tags=("http", "net"), namespace="app")
    engine.memories.store("parseHeader fails on empty lines", memory_type="insight", tags=("http",), namespace="lib")
    return engine


@pytest.mark.promise("E-recall_memory", "B11")
def test_a_memory_is_found_by_its_words_and_each_hit_says_why(shelf: Engine) -> None:
    found = shelf.recall.search("hand-written parser")
    assert found.query == "hand-written parser"
    best = found.hits[0]
    assert best.memory.content == "The parser is written by hand"
    assert best.signals.matched_terms == ("hand", "written", "parser")
    assert best.signals.lexical_rank == 1
    assert "hand, written, parser" in best.reason
    assert all(hit.reason for hit in found.hits)


@pytest.mark.promise("E-recall_memory", "B11")
def test_a_memory_is_found_by_meaning_where_no_word_matches(engine: Engine) -> None:
    # The hashing embedder takes words as they stand, the full text drops these as stop words.
    engine.memories.store("what it was before")
    engine.memories.store("parser")
    found = engine.recall.search("it was parsers", min_score=0.0)
    by_meaning = [hit for hit in found.hits if hit.memory.content == "what it was before"]
    assert by_meaning[0].signals.semantic_rank == 1
    assert by_meaning[0].signals.lexical_rank is None
    assert "close in meaning" in by_meaning[0].reason


def test_hits_that_are_only_the_nearest_are_announced_as_such(shelf: Engine) -> None:
    assert shelf.recall.search("kubernetes rollout", min_score=0.0).notes == (NEAREST,)
    assert shelf.recall.search("parser rollout", min_score=0.0).notes == ()


def test_what_holds_no_more_answers_only_if_what_replaced_it_may(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = engine.memories.store("Commit messages are in imperative mood").memory.id
    new = engine.memories.store("Scrap the limit of sixty characters for a commit", amend=False).memory.id
    with engine.store.transaction("test") as transaction:
        transaction.update(Memory, old, {"superseded_by": new})
    asked = Asked("imperative mood of commit messages", 10, 0.0, None, None, explain=False, hides_weak=True)
    best = float(engine.recall.pipeline.rank(asked).scored.relevance.max())
    monkeypatch.setattr(recall_pipeline, "WEAK_SHARE", 0.0)
    monkeypatch.setattr(recall_pipeline, "ANSWERED", best * 0.4)
    found = engine.recall.pipeline.answer(asked)
    assert ([hit.memory.id for hit in found.hits], found.notes) == ([new, old], ())
    assert found.hits[0].score == found.hits[1].score == pytest.approx(best / 2, abs=0.001)
    monkeypatch.setattr(recall_pipeline, "ANSWERED", best * 0.9)
    assert engine.recall.pipeline.answer(asked).hits == ()
    assert len(engine.recall.pipeline.answer(asked._replace(hides_weak=False)).hits) == 2


def test_weak_hits_are_announced_as_the_nearest(shelf: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    found = shelf.recall.search("hand-written parser")
    assert (bool(found.hits), found.notes) == (True, ())
    asked = Asked("hand-written parser", 10, 0.0, None, None, explain=False, hides_weak=True)
    ranked = shelf.recall.pipeline.rank(asked)
    low = ranked.scored._replace(relevance=ranked.scored.relevance * 0.2)
    monkeypatch.setattr(recall_pipeline.RecallPipeline, "rank", lambda *_: ranked._replace(scored=low))
    assert shelf.recall.pipeline.answer(asked).notes == (NEAREST,)
    assert shelf.recall.pipeline.answer(asked._replace(hides_weak=False)).notes == ()


def test_hits_come_best_first_with_scores_from_0_to_1(shelf: Engine) -> None:
    scores = [hit.score for hit in shelf.recall.search("parser http back-off", min_score=0.0).hits]
    assert len(scores) == 3
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({"namespace": "app"}, ["Retry requests with back-off", "The parser is written by hand"]),
        ({"namespace": "nowhere"}, []),
        ({"memory_type": "insight"}, ["parseHeader fails on empty lines"]),
        ({"tags": ("http",)}, ["Retry requests with back-off", "parseHeader fails on empty lines"]),
        ({"tags": ("http", "net")}, ["Retry requests with back-off"]),
        ({"namespace": "app", "memory_type": "insight"}, []),
    ],
    ids=str,
)
def test_filters_hold_for_words_and_for_meaning(shelf: Engine, filters: dict[str, Any], expected: list[str]) -> None:
    assert sorted(contents(shelf, "parser http back-off empty", **filters)) == expected


def test_no_more_than_k_are_returned_and_none_below_the_least_score(shelf: Engine) -> None:
    assert len(contents(shelf, "parser http back-off", limit=1)) == 1
    everything = shelf.recall.search("parser http back-off", min_score=0.0).hits
    least = everything[0].score
    assert everything[2].score < least
    assert len(contents(shelf, "parser http back-off", min_score=least)) < 3


def test_nothing_found_is_an_answer(engine: Engine) -> None:
    assert engine.recall.search("anything").hits == ()
    engine.memories.store("x", namespace="app")
    assert engine.recall.search("x", namespace="lib").hits == ()


@pytest.mark.parametrize(
    "given",
    [
        {"query": ""},
        {"query": "  "},
        {"query": 7},
        {"query": "a\0b"},
        {"query": "\ud800"},
        {"limit": 0},
        {"limit": 1001},
        {"limit": "5"},
        {"min_score": 1.5},
        {"min_score": "x"},
        {"memory_type": "fact"},
        {"tags": "http"},
        {"namespace": "semi;colon"},
    ],
    ids=repr,
)
def test_bad_questions_are_refused(engine: Engine, given: dict[str, Any]) -> None:
    with pytest.raises((InvalidInput, InvalidWorkspace)):
        engine.recall.search(**{"query": "x", **given})


def test_a_very_long_question_is_answered(shelf: Engine) -> None:
    assert "The parser is written by hand" in contents(shelf, "parser " + "and many other words " * 20_000)


def test_searching_changes_nothing(shelf: Engine, frozen: FrozenClock) -> None:
    before = shelf.archive.export().content
    frozen.advance(60)
    shelf.recall.search("parser")
    assert shelf.archive.export().content == before


def test_a_new_memory_is_found_at_once_by_another_process(
    engine: Engine, open_engine: Callable[..., Engine], embedder: HashingEmbedder
) -> None:
    other = open_engine(embedder=embedder)
    assert contents(other, "needle") == []
    engine.memories.store("needle")
    assert contents(other, "needle") == ["needle"]
