"""Components: nine numbers from 0 to 1 that say how well a memory matches and what it is worth beside that."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import pytest
from tests.unit.recall.pools import apart, counted, passage

from recollect.recall import hybrid_score
from recollect.recall.gather import Pool
from recollect.recall.hybrid_score import RECENCY_HALF_LIFE_S
from recollect.recall.query import understand
from recollect.store.store_values import Passage, Standing
from recollect.text.dates import DAY, asked_times

NOW = 1_700_000_000  # 2023-11-14


def pooled(passages: Sequence[Passage], cosines: Mapping[int, float] | None = None) -> Pool:
    return Pool(passages, counted(passages), cosines, {}, {})


def of_standings(*standings: Standing) -> dict[str, list[float]]:
    rows = [passage(number, "x")._replace(standing=each) for number, each in enumerate(standings, 1)]
    found = hybrid_score.worth(understand("x"), pooled(rows), {}, NOW)
    return {name: column.tolist() for name, column in found.items()}


# --- matching ---


def test_vector_is_the_cosine_and_never_below_zero() -> None:
    pool = apart("a", "b", "c", "d")
    cosines = {pool[0].pid: 0.75, pool[1].pid: -0.5, pool[2].pid: 1.0000001}
    found = hybrid_score.matching(understand("a"), pooled(pool, cosines))
    assert found["vector"].tolist() == [0.75, 0.0, 1.0, 0.0]


def test_token_is_bm25_as_printed_relative_to_the_best() -> None:
    pool = apart("parser parser tokens here", "parser of words", "nothing at all")
    counts = counted(pool)
    lengths = [len(row.tokens) for row in pool]
    mean = sum(lengths) / 3

    def bm25(held: dict[str, int], length: int) -> float:
        score = 0.0
        for term, times in held.items():
            rarity = math.log(1 + (counts.passages - counts.of(term) + 0.5) / (counts.of(term) + 0.5))
            score += rarity * times * 2.2 / (times + 1.2 * (0.25 + 0.75 * length / mean))
        return score

    first, second = bm25({"parser": 2, "token": 1}, lengths[0]), bm25({"parser": 1}, lengths[1])
    found = hybrid_score.token(understand("parser tokens"), pool, counts).tolist()
    assert found == pytest.approx([1.0, second / first, 0.0])


def test_token_is_nothing_where_no_word_is_shared() -> None:
    pool = apart("a cat", "a dog")
    assert hybrid_score.token(understand("parser"), pool, counted(pool)).tolist() == [0.0, 0.0]
    assert hybrid_score.token(understand("parser"), [], counted([])).tolist() == []


# --- the graph ---


def test_graph_is_how_central_the_memory_is_and_one_that_is_not_linked_is_not() -> None:
    pool = [passage(1, "a"), passage(1, "b", part=1), passage(2, "c"), passage(3, "d")]
    found = hybrid_score.worth(understand("x"), pooled(pool), {"m1": 0.4, "m3": 7.0, "m9": 1.0}, NOW)
    assert found["graph"].tolist() == [0.4, 0.4, 0.0, 1.0]


# --- time ---


def test_temporal_is_one_within_the_time_asked_about_and_halves_with_every_length_of_it() -> None:
    question = "What did we decide on 8 May 2023?"
    (asked,) = asked_times(question, NOW)
    pool = [passage(number, "x", at=asked.start + offset * DAY) for number, offset in enumerate((0, -1, -3, 400, 0.5))]
    found = hybrid_score.temporal(pool, [asked]).tolist()
    assert found == pytest.approx([1.0, 0.5, 0.125, 0.0, 1.0])


def test_of_several_times_the_one_that_fits_best_counts() -> None:
    asked = asked_times("What happened in May 2021 and in June 2023?", NOW)
    assert len(asked) == 2
    assert hybrid_score.temporal([passage(1, "x", at=span.start) for span in asked], asked).tolist() == [1.0, 1.0]


def test_a_time_that_is_none_fits_no_question() -> None:
    asked = asked_times("yesterday", NOW)
    assert hybrid_score.temporal([passage(1, "x", at=2**62), passage(2, "x", at=-(2**62))], asked).tolist() == [0, 0]


# --- tags ---


def tagged(question: str, *tags: str) -> float:
    return float(hybrid_score.tags(understand(question).terms, [Standing(tags=tags)])[0])


@pytest.mark.parametrize(
    ("tags", "expected"),
    [
        (("rust",), 0.5),
        (("rust", "performance"), 0.75),
        (("rust", "ext:rs", "dir:src", "file:lib.rs"), 0.5),  # others do not take anything away
        (("performance-tuning",), 0.0),  # only half of it is named
        (("error-handling",), 0.5),  # written together or apart
        (("error_handling", "error.handling"), 0.75),
        (("lang:rust",), 0.5),  # what counts of a labelled tag is its value
        (("rust:compiler",), 0.0),
        (("Rusts",), 0.5),  # by its stem, as everywhere
        (("the",), 0.0),
        ((), 0.0),
    ],
)
def test_tags_count_by_how_many_the_question_names(tags: tuple[str, ...], expected: float) -> None:
    assert tagged("Performance of error handling in Rust", *tags) == expected


def test_a_path_and_a_name_with_symbols_are_named_as_they_are_written() -> None:
    assert tagged("What is in src/store/sql.py?", "file:src/store/sql.py") == 0.5
    assert tagged("Which C++ version?", "C++") == 0.5
    assert tagged("Which C version?", "C++") == 0.0


# --- judged when stored, used, still true ---


@pytest.mark.parametrize("field", ["importance", "confidence"])
def test_importance_and_confidence_are_bounded(field: str) -> None:
    found = of_standings(*(Standing(**{field: value}) for value in (0.0, 0.25, 1.0, 7.0, -1.0)))
    assert found[field] == [0.0, 0.25, 1.0, 1.0, 0.0]


def test_recency_halves_every_week_since_the_last_access() -> None:
    ages = (0, RECENCY_HALF_LIFE_S, 3 * RECENCY_HALF_LIFE_S)
    found = hybrid_score.recency([Standing(accessed_at=NOW - age) for age in ages], NOW)
    assert found.tolist() == [1.0, 0.5, 0.125]


def test_being_new_is_no_merit_and_what_was_read_later_was_not_read_yet() -> None:
    assert hybrid_score.recency([Standing(), Standing(accessed_at=NOW + 1)], NOW).tolist() == [0.0, 0.0]
    assert hybrid_score.recency([Standing(accessed_at=-(2**62))], NOW).tolist() == [0.0]


def test_fresh_is_what_was_not_replaced_and_has_not_expired_by_then() -> None:
    ends = [Standing(), Standing(ends_at=NOW + 1), Standing(ends_at=NOW), Standing(ends_at=0)]
    assert of_standings(*ends)["freshness"] == [1.0, 1.0, 0.0, 0.0]
