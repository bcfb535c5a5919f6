"""Select: from numbers to the memories of an answer, each of them said once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from tests.unit.recall.pools import apart, passage

from recollect.recall.score import COMPARED, MOST_OF_SESSION, SAME_SESSION, Scored, Selected, fold, select, spread
from recollect.store.store_values import Passage

FAR = ("oak", "elm", "fir", "yew")


def chosen(pool: Sequence[Passage], scores: Sequence[float], *, limit: int = 10, least: float = 0.0) -> list[Selected]:
    points = np.array(scores, np.float64)
    return select(pool, Scored(points, {}, 1 / (1 + np.exp(-points.clip(-60, 60)))), limit=limit, least=least)


def ids(found: Sequence[Selected]) -> list[str]:
    return [hit.memory_id for hit in found]


def test_memories_come_best_first_each_by_its_best_passage() -> None:
    pool = [passage(1, "a", part=0), passage(1, "oak", part=1), passage(2, "elm"), passage(3, "fir")]
    found = chosen(pool, [-1.0, 2.0, 1.0, 3.0])
    assert [(hit.memory_id, hit.place) for hit in found] == [("m3", 3), ("m1", 1), ("m2", 2)]
    assert [hit.relevance for hit in found] == [0.9526, 0.8808, 0.7311]


def test_equal_scores_keep_the_order_of_the_pool() -> None:
    assert ids(chosen(apart(*FAR), [1, 1, 1, 1])) == ["m1", "m2", "m3", "m4"]


def test_the_limit_counts_memories_not_passages() -> None:
    pool = [passage(number, FAR[number], part=part) for number in (1, 2, 3) for part in range(4)]
    assert ids(chosen(pool, range(12, 0, -1), limit=2)) == ["m1", "m2"]


def test_what_is_less_relevant_than_asked_is_left_out() -> None:
    pool = apart(*FAR[:3])
    assert ids(chosen(pool, [0.0, 5.0, -5.0], least=0.5)) == ["m2", "m1"]
    assert chosen(pool, [0.0, 0.0, 0.0], least=0.51) == []
    assert len(chosen(pool, [-1e9, 0.0, 1e9], least=0.0)) == 3


def test_a_better_score_with_less_relevance_does_not_hide_what_follows() -> None:
    pool = apart("oak", "elm")
    relevance = np.array([0.1, 0.9])
    found = select(pool, Scored(np.array([2.0, 1.0]), {}, relevance), limit=10, least=0.5)
    assert ids(found) == ["m2"]


def test_what_is_far_less_relevant_than_the_best_is_left_out() -> None:
    scored = Scored(np.array([3.0, 2.0, 1.0]), {}, np.array([0.9, 0.1, 0.08]))
    assert ids(select(apart(*FAR[:3]), scored, limit=10, least=0.05, least_share=0.1)) == ["m1", "m2"]
    assert len(select(apart(*FAR[:3]), scored, limit=10, least=0.05)) == 3


def test_what_is_only_read_along_is_never_an_answer() -> None:
    pool = [passage(1, "oak", eligible=False), passage(2, "elm")]
    assert ids(chosen(pool, [9.0, 0.0], limit=1)) == ["m2"]


def test_an_empty_pool_has_no_answer() -> None:
    assert chosen([], []) == []


# --- what looks alike ---

PARSER = "the parser reads all tokens of the file by hand"


def like(pool: Sequence[Passage]) -> list[tuple[str, ...]]:
    return [hit.like for hit in chosen(pool, range(len(pool), 0, -1))]


def test_what_shares_most_terms_looks_alike() -> None:
    pool = apart(PARSER, "The parser reads tokens of the file by hand!", "the parser reads the sky", PARSER)
    assert like(pool) == [(), ("m1",), (), ("m1", "m2")]


def test_what_another_says_is_something_else() -> None:
    pool = [passage(1, PARSER, author="Ada"), passage(2, PARSER, author="Grace"), passage(3, PARSER, author="Ada")]
    assert like(pool) == [(), (), ("m1",)]


def test_what_happened_on_another_day_is_something_else() -> None:
    day = 86_400
    texts = [passage(number, f"{PARSER} since yesterday", at=at) for number, at in enumerate((day, 9 * day, day), 1)]
    assert like(texts) == [(), (), ("m1",)]


def test_what_looks_alike_does_not_take_the_place_of_what_does_not() -> None:
    pool = apart(PARSER, PARSER, PARSER, "oak", "elm")
    assert ids(chosen(pool, [5, 4, 3, 2, 1], limit=2)) == ["m1", "m2", "m3", "m4"]
    assert len(chosen(apart(*[PARSER] * 9), range(9, 0, -1), limit=2)) == 4


def test_only_the_first_hits_are_compared() -> None:
    found = chosen(apart(*[PARSER] * (COMPARED + 20)), range(COMPARED + 20, 0, -1), limit=1000)
    assert [bool(hit.like) for hit in found] == [False, *[True] * (COMPARED - 1), *[False] * 20]


# --- folding ---


def hits(*names: str) -> list[Selected]:
    """Hits, each like all before it that begin with the same letter."""
    return [
        Selected(name, place, 0.5, tuple(other for other in names[:place] if other[0] == name[0]))
        for place, name in enumerate(names)
    ]


def test_what_says_the_same_stands_under_the_best_that_says_it() -> None:
    kept, folded = fold(hits("a1", "b1", "a2", "b2", "a3"), lambda better, hit: True)
    assert ids(kept) == ["a1", "b1"]
    assert folded == {"a1": ("a2", "a3"), "b1": ("b2",)}


def test_what_only_looks_alike_keeps_its_place_and_may_have_copies_of_its_own() -> None:
    same = {("a2", "a4"), ("a1", "a3")}
    kept, folded = fold(hits("a1", "a2", "a3", "a4"), lambda better, hit: (better.memory_id, hit.memory_id) in same)
    assert ids(kept) == ["a1", "a2"]
    assert folded == {"a1": ("a3",), "a2": ("a4",)}


def test_only_what_looks_alike_is_read() -> None:
    asked: list[tuple[str, str]] = []

    def same(better: Selected, hit: Selected) -> bool:
        asked.append((better.memory_id, hit.memory_id))
        return False

    fold(hits("a1", "b1", "c1", "b2"), same)
    assert asked == [("b1", "b2")]


# --- several sessions ---


def spread_out(points: dict[str, float], sessions: dict[str, str], *, several: bool = True) -> list[str]:
    hits = [Selected(name, place, 0.5) for place, name in enumerate(points)]
    return ids(spread(hits, points, sessions, several=several))


def test_a_second_hit_of_a_session_gives_way_to_one_of_another_that_is_nearly_as_good() -> None:
    points = {"a": 5.0, "b": 4.0, "c": 3.5}
    assert spread_out(points, {"a": "s", "b": "s", "c": "t"}) == ["a", "c", "b"]
    assert spread_out(points, {"a": "s", "b": "s", "c": "t"}, several=False) == ["a", "b", "c"]
    assert spread_out(points, {"a": "s", "b": "t", "c": "t"}) == ["a", "b", "c"]


def test_a_hit_that_is_clearly_better_keeps_its_place() -> None:
    points = {"a": 5.0, "b": 4.0, "c": 4.0 - SAME_SESSION[True] - 0.1}
    assert spread_out(points, {"a": "s", "b": "s", "c": "t"}) == ["a", "b", "c"]


def test_a_long_session_gives_way_only_so_far() -> None:
    many = {str(number): 5.0 - number / 100 for number in range(9)}
    last = 5.0 - SAME_SESSION[True] * MOST_OF_SESSION - 0.5
    assert spread_out({**many, "other": last}, {**dict.fromkeys(many, "s"), "other": "t"})[-1] == "other"


def test_what_belongs_to_no_session_is_left_alone() -> None:
    points = {"a": 5.0, "b": 4.9, "c": 4.8}
    assert spread_out(points, {}) == ["a", "b", "c"]
    assert spread_out(points, {"b": "s"}) == ["a", "b", "c"]
