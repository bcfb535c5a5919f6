"""Shape: what can be seen of a passage without knowing the question."""

from __future__ import annotations

import pytest

from recollect.text.passage_features import MAX_NAMES, MAX_TIMES, Shape, shape, unpacked


@pytest.mark.parametrize(
    ("fact", "yes", "no"),
    [
        ("asks", ["Is it so?", "Is it so?  \n", "First. Then?"], ["It is so.", "Is it? It is.", ""]),
        (
            "tells_time",
            [
                "We met yesterday",
                "last WEEK",
                "on Tuesday",
                "in June",
                "in 2023",
                "since the 3rd",
                "at 10:30",
                "two years ago",
                "this Summer",
            ],
            ["We met", "the lasting effect", "room 2323", "it may be", "version 10.3", ""],
        ),
        ("tells_number", ["It has 3", "x86", "v2", "٣"], ["It has three", ""]),
        ("tells_reason", ["because it is fast", "Due to rain", "instead of Redis"], ["it is fast", "sincere", ""]),
        ("first_person", ["I like it", "it is my car", "so we're there", "tell me"], ["You do", "Mine", "i++", ""]),
    ],
)
def test_a_shape_says_what_is_there(fact: str, yes: list[str], no: list[str]) -> None:
    assert [getattr(shape(text), fact) for text in yes] == [1] * len(yes)
    assert [getattr(shape(text), fact) for text in no] == [0] * len(no)


def test_names_are_words_with_a_capital_within_a_sentence_and_more_than_a_few_count_no_more() -> None:
    assert shape("Yesterday it rained").names == 0
    assert shape("I met Ada, Grace").names == 2
    assert shape("in Rome").names == 1
    assert shape("with Ada and Grace and Alan and Edsger and Barbara").names == MAX_NAMES


def test_a_shape_knows_how_long_its_passage_is_and_of_how_many_it_is_one() -> None:
    assert (shape("four").characters, shape("four").parts) == (4, 1)
    assert shape("four", parts=7).parts == 7


@pytest.mark.parametrize("text", ["", "Did Ada move to Paris in 1832? I ask because of 3 things", "x" * 5000])
def test_a_shape_is_the_same_after_storage(text: str) -> None:
    made = shape(text, parts=12)
    assert unpacked(made.packed()) == made
    assert isinstance(unpacked(made.packed()), Shape)


# A Monday.
SAID = 19_485 * 86_400


def test_a_shape_knows_the_days_of_the_times_that_are_named() -> None:
    assert shape("We met yesterday, not on 2023-05-01", at=SAID + 50_000).times == ((19_484, 19_485), (19_478, 19_479))
    assert shape("We met", at=SAID).times == ()
    assert shape("We met yesterday").times is None
    assert shape("2023-05-01 " * 50, at=SAID).times == ((19_478, 19_479),) * MAX_TIMES


@pytest.mark.parametrize("text", ["", "nothing", "yesterday and last year", "in the year before 1970: 1969-12-31"])
def test_times_are_the_same_after_storage(text: str) -> None:
    made = shape(text, at=SAID)
    assert unpacked(made.packed()) == made


def test_rows_of_the_first_version_can_be_read() -> None:
    assert unpacked("1 0 1 0 0 2 119 3") == Shape(1, 0, 1, 0, 0, 2, 119, 3, None)
