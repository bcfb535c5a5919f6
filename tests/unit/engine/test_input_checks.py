"""What a caller may hand in: valid values come back as they are stored, the others are refused by code."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

from recollect.engine.records import input_checks
from recollect.errors import ContentTooLarge, InvalidInput
from recollect.model import MEMORY_TYPES, RELATIONS, SOURCES

HUGE = 10**400
BEYOND_PRINTING = 10**5000


@pytest.mark.parametrize("value", ["x", "  leading and trailing  ", "line\nline", "\x01\x7f", "🧠 ünïcödé", "a" * 100])
def test_text_is_kept_as_it_is(value: str) -> None:
    assert input_checks.text("content", value) == value
    assert input_checks.content(value, max_bytes=1000) == value


@pytest.mark.parametrize(
    "value", ["", " ", "\n\t\u2003", None, 7, 1.5, True, b"bytes", ["x"], {}, "a\0b", "\ud800", "a\udfff"]
)
def test_text_that_is_blank_no_text_or_not_storable_is_refused(value: object) -> None:
    with pytest.raises(InvalidInput):
        input_checks.text("content", value)
    with pytest.raises(InvalidInput):
        input_checks.content(value, max_bytes=1000)


def test_content_is_measured_in_bytes() -> None:
    assert input_checks.content("é" * 50, max_bytes=100) == "é" * 50
    with pytest.raises(ContentTooLarge) as refusal:
        input_checks.content("é" * 51, max_bytes=100)
    assert refusal.value.details == {"size_bytes": 102, "max_bytes": 100}


def test_a_blank_label_is_none_and_others_are_trimmed() -> None:
    assert [input_checks.label("title", value) for value in (None, "", "   ")] == [None, None, None]
    assert input_checks.label("title", "  Tabs ") == "Tabs"


@pytest.mark.parametrize("value", [7, b"x", "a\0", "\ud800", "x" * 201, False])
def test_a_label_that_is_long_or_no_text_is_refused(value: object) -> None:
    with pytest.raises(InvalidInput):
        input_checks.label("title", value)


def test_a_question_is_cut_where_no_ranking_would_read_on() -> None:
    assert input_checks.query("why?") == "why?"
    assert len(input_checks.query("x" * 1_000_000)) == input_checks.MAX_QUERY_CHARACTERS


@pytest.mark.parametrize("value", [0, 1, 0.5, 1e-300, -0.0])
def test_a_ratio_is_a_number_from_0_to_1(value: float) -> None:
    assert input_checks.ratio("importance", value) == value
    assert type(input_checks.ratio("importance", value)) is float


@pytest.mark.parametrize(
    "value",
    [-0.01, 1.01, math.nan, math.inf, -math.inf, HUGE, -HUGE, BEYOND_PRINTING, "0.5", None, True, [0.5], 1j],
    ids=lambda value: "beyond printing" if value == BEYOND_PRINTING else repr(value)[:12],
)
def test_any_other_ratio_is_refused(value: object) -> None:
    with pytest.raises(InvalidInput):
        input_checks.ratio("importance", value)


@pytest.mark.parametrize(
    "value",
    [0, 11, -1, HUGE, BEYOND_PRINTING, 1.0, "5", None, True],
    ids=lambda value: "beyond printing" if value == BEYOND_PRINTING else repr(value)[:12],
)
def test_a_whole_number_out_of_bounds_is_refused(value: object) -> None:
    assert input_checks.whole("limit", 10, least=1, most=10) == 10
    with pytest.raises(InvalidInput):
        input_checks.whole("limit", value, least=1, most=10)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, None),
        ("", None),
        (0, 0),
        (-86_400, -86_400),
        (1_684_000_000, 1_684_000_000),
        ("1684000000", 1_684_000_000),
        (" -5 ", -5),
        ("2023-05-13", 1_683_936_000),
        ("2023-05-13T17:46:40", 1_684_000_000),
        ("2023-05-13T17:46:40Z", 1_684_000_000),
        ("2023-05-13T19:46:40+02:00", 1_684_000_000),
        ("2023-05-13 17:46", 1_683_999_960),
        ("2023", 1_672_531_200),
        (" 2023 ", 1_672_531_200),
        ("2023-05", 1_682_899_200),
        (2023, 2023),
        ("12023", 12_023),
        ("-202", -202),
        ("0001-01-01", -62_135_596_800),
        ("9999-12-31T23:59:59", 253_402_300_799),
    ],
)
def test_a_moment_is_unix_time_or_an_iso_date(value: object, expected: int | None) -> None:
    assert input_checks.moment("valid_from", value) == expected


@pytest.mark.parametrize(
    "value",
    [
        "yesterday or so",
        "0000",
        "2023-13",
        " ",
        "2023-13-01",
        "2023-02-30",
        "--5",
        "-",
        "²",
        "1.5",
        "9" * 5000,
        "0001-01-01T00:00+14:00",
        "9999-12-31T23:59-14:00",
        253_402_300_800,
        -62_135_596_801,
        BEYOND_PRINTING,
        1.5,
        True,
        b"2023-05-13",
        [2023],
    ],
    ids=lambda value: "beyond printing" if value == BEYOND_PRINTING else repr(value)[:24],
)
def test_any_other_moment_is_refused(value: object) -> None:
    with pytest.raises(InvalidInput):
        input_checks.moment("valid_from", value)


def test_tags_keep_their_order_and_come_once() -> None:
    assert input_checks.tags(["b", "a", " b ", "c"]) == ("b", "a", "c")
    assert input_checks.tags(()) == ()
    assert len(input_checks.tags(str(number) for number in range(input_checks.MAX_TAGS))) == input_checks.MAX_TAGS


@pytest.mark.parametrize(
    "value",
    ["tag", None, 7, [""], ["  "], [None], [7], ["a\0"], ["\ud800"], ["x" * 201], [str(n) for n in range(101)]],
    ids=lambda value: repr(value)[:12],
)
def test_tags_that_are_no_list_of_short_texts_are_refused(value: object) -> None:
    with pytest.raises(InvalidInput):
        input_checks.tags(value)


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        ({}, {}),
        ({"a": [1, 2.5, None, True, {"b": "é"}]}, {"a": [1, 2.5, None, True, {"b": "é"}]}),
        ({"tuple": (1, 2)}, {"tuple": [1, 2]}),
        ({"escaped": "\\u0000 and \\0"}, {"escaped": "\\u0000 and \\0"}),
        ({"large": 2**60}, {"large": 2**60}),
        ({"wide": [[]] * 200}, {"wide": [[]] * 200}),
    ],
)
def test_metadata_is_kept_as_plain_json(value: dict[str, Any], kept: dict[str, Any]) -> None:
    assert input_checks.metadata(value, max_bytes=1000) == kept


def nested(depth: int) -> dict[str, Any]:
    value: dict[str, Any] = {}
    for _ in range(depth):
        value = {"k": value}
    return value


@pytest.mark.parametrize(
    "value",
    [
        None,
        7,
        [],
        "{}",
        {"a": object()},
        {"a": "\ud800"},
        {"\ud800": 1},
        {"a": "x\0y"},
        {"a\0": 1},
        {("a", "b"): 1},
        nested(100_000),
        nested(900),
        nested(65),
    ],
    ids=lambda value: type(value).__name__,
)
def test_metadata_that_json_cannot_hold_is_refused(value: object) -> None:
    with pytest.raises(InvalidInput):
        input_checks.metadata(value, max_bytes=1_000_000)


def test_metadata_may_be_nested_as_deeply_as_anybody_needs() -> None:
    assert input_checks.metadata(nested(60), max_bytes=1_000_000) == nested(60)


def test_metadata_has_the_size_limit_of_content() -> None:
    with pytest.raises(ContentTooLarge):
        input_checks.metadata({"a": "x" * 100}, max_bytes=100)


@pytest.mark.parametrize(
    ("check", "known"),
    [(input_checks.memory_type, MEMORY_TYPES), (input_checks.relation, RELATIONS), (input_checks.source, SOURCES)],
    ids=["memory_type", "relation", "source"],
)
def test_only_words_of_a_closed_vocabulary_are_taken(check: Callable[[object], str], known: tuple[str, ...]) -> None:
    assert tuple(check(word) for word in known) == known
    for word in ("", "unknown", 7, None, [], f"{known[0]} "):
        with pytest.raises(InvalidInput) as refusal:
            check(word)
        assert known[0] in refusal.value.hint


def test_a_relation_may_be_written_in_lower_case() -> None:
    assert input_checks.relation("leads_to") == "LEADS_TO"
