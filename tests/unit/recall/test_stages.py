"""The stages of a recall one by one: understand, gather, fuse, explain."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from recollect.model import Memory, Signals
from recollect.recall.explain import matched_terms, reason
from recollect.recall.fuse import combine, fuse
from recollect.recall.gather import POOL, gather
from recollect.recall.query import understand
from recollect.store.protocol import Filter, Match

# --- understand ---


def test_a_question_is_its_text_and_its_terms_each_once() -> None:
    question = understand("How does parseHeader parse headers?")
    assert question.text == "How does parseHeader parse headers?"
    assert question.terms == ("pars", "header", "parseheader")


# --- gather ---


class Arms:
    """A store that answers searches with what it was given, and notes what it was asked."""

    def __init__(self, lexical: Sequence[Match], semantic: Sequence[Match]) -> None:
        self._lexical, self._semantic = lexical, semantic
        self.asked: list[tuple[Any, ...]] = []

    def search_text(self, terms: Sequence[str], where: Filter | None, limit: int) -> Sequence[Match]:
        self.asked.append((tuple(terms), where, limit))
        return self._lexical

    def search_vectors(self, model: str, query: Any, where: Filter | None, limit: int) -> Sequence[Match]:
        self.asked.append((model, where, limit))
        return self._semantic


def test_both_arms_are_asked_alike_and_their_finds_are_put_together() -> None:
    store = Arms([Match("a", 7.0), Match("b", 3.0)], [Match("b", 0.9), Match("c", 0.5)])
    where = {"namespace": "app"}
    found = gather(store, understand("parser"), np.zeros(3, np.float32), model="m", where=where, limit=5)  # type: ignore[arg-type]
    assert store.asked == [(("parser",), where, POOL), ("m", where, POOL)]
    assert found == {
        "a": Signals(lexical=7.0, lexical_rank=1),
        "b": Signals(lexical=3.0, lexical_rank=2, semantic=0.9, semantic_rank=1),
        "c": Signals(semantic=0.5, semantic_rank=2),
    }


def test_without_a_vector_only_words_are_searched_and_more_is_gathered_for_more() -> None:
    store = Arms([Match("a", 7.0)], [Match("b", 0.9)])
    found = gather(store, understand("parser"), None, model="m", where=None, limit=200)  # type: ignore[arg-type]
    assert list(found) == ["a"]
    assert store.asked == [(("parser",), None, 200)]


# --- fuse ---


def order(lexical: list[Match], semantic: list[Match], *, hybrid: bool = True) -> str:
    return "".join(match.id for match in fuse(combine(lexical, semantic), hybrid=hybrid))


def test_what_both_arms_found_beats_what_one_found() -> None:
    words = [Match("a", 9.0), Match("b", 8.9), Match("x", 1.0)]
    meanings = [Match("c", 0.9), Match("b", 0.89), Match("y", 0.1)]
    assert order(words, meanings)[0] == "b"


def test_a_clear_winner_stays_ahead_of_a_crowd() -> None:
    words = [Match("a", 20.0), Match("b", 2.0), Match("c", 1.9)]
    meanings = [Match("b", 0.3), Match("a", 0.29), Match("c", 0.1)]
    assert order(words, meanings) == "abc"


def test_without_vectors_the_words_decide_alone() -> None:
    lexical = [Match("a", 9.0), Match("b", 1.0)]
    fused = fuse(combine(lexical, []), hybrid=False)
    assert [match.id for match in fused] == ["a", "b"]
    assert fused[0].score == 1
    assert 0 < fused[1].score < 1


def test_to_be_found_last_by_an_arm_is_better_than_not_at_all() -> None:
    found = combine([Match("a", 9.0), Match("b", 1.0)], [Match("b", 0.2), Match("c", 0.2)])
    scores = {match.id: match.score for match in fuse(found, hybrid=True)}
    assert scores["b"] > scores["c"]


def test_equal_scores_are_all_as_good_as_the_best_and_ties_break_by_id() -> None:
    fused = fuse(combine([Match("b", 3.0), Match("a", 3.0)], []), hybrid=False)
    assert fused == [Match("a", 1.0), Match("b", 1.0)]


def test_nothing_found_gives_nothing() -> None:
    assert fuse({}, hybrid=True) == []
    assert combine([], []) == {}


# --- explain ---


def test_matched_terms_are_those_of_the_question_that_the_memory_holds() -> None:
    memory = Memory(id="m", content="parse_header fails", title="Empty lines", category="bug", tags=("http",))
    assert matched_terms(memory, ["http", "quic", "header", "line", "bug"]) == ("http", "header", "line", "bug")


@pytest.mark.parametrize(
    ("signals", "expected"),
    [
        (Signals(lexical=3.0, lexical_rank=2, matched_terms=("a", "b")), ["shares the terms a, b"]),
        (Signals(lexical=3.0, lexical_rank=2), ["rank 2"]),
        (Signals(semantic=0.871, semantic_rank=3), ["close in meaning", "0.87", "rank 3"]),
        (
            Signals(lexical=3.0, lexical_rank=1, semantic=0.5, semantic_rank=4, matched_terms=("a",)),
            ["shares the terms a", "; ", "cosine 0.50", "rank 4"],
        ),
    ],
)
def test_the_reason_names_the_arms_that_found_it_and_no_other(signals: Signals, expected: list[str]) -> None:
    told = reason(signals)
    assert all(part in told for part in expected)
    assert ("meaning" in told) == (signals.semantic_rank is not None)
