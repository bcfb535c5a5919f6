"""Values of rows, however another program writes them."""

from __future__ import annotations

import pytest

from recollect.importing.fields import Fields, listed, moment
from recollect.importing.import_records import relation
from recollect.importing.markdown_pages import split
from recollect.model import RELATIONS

AT = 1_772_359_200


@pytest.mark.parametrize(
    "value",
    [AT, float(AT) + 0.9, AT * 1000, str(AT), f"{AT}.5", "2026-03-01T10:00:00Z", "2026-03-01T10:00:00.123+00:00",
     "2026-03-01 10:00:00", "2026-03-01T11:00:00+01:00"],
)  # fmt: skip
def test_a_time_is_understood_in_seconds_milliseconds_and_words(value: object) -> None:
    assert moment(value) == AT


@pytest.mark.parametrize("value", [None, True, "soon", "", [], float("nan"), float("inf"), 1e30, -1e30])
def test_what_is_no_time_stays_what_it_is(value: object) -> None:
    assert moment(value) is None
    fields = Fields({"at": value})
    assert fields.time("at") is None
    assert ("at" in fields.rest()) == (value not in (None, "", []))


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (["a", " b ", "a", 7, ""], ("a", "b")),
        ('["a", "b"]', ("a", "b")),
        ("a, b,,a", ("a", "b")),
        ("[broken", ()),
        (None, ()),
        ({"a": 1}, ()),
    ],
)
def test_several_names_are_understood_as_a_list_as_json_and_between_commas(
    value: object, expected: tuple[str, ...]
) -> None:
    assert listed(value) == expected


def test_what_is_taken_is_gone_and_what_has_no_place_is_left() -> None:
    fields = Fields({
        "text": " said ", "blank": " ", "number": 7, "ratio": 0.5, "beyond": 3, "count": 2, "below": -1,
        "object": '{"k": "v"}', "broken": "{", "raw": b"\1\2", "long": b"x" * 1000, "none": None, "empty": [],
        "huge": 2**70, "nan": float("nan"),
    })  # fmt: skip
    assert (fields.text("text"), fields.text("blank"), fields.text("number")) == (" said ", None, None)
    assert (fields.ratio("ratio", 0.1), fields.ratio("beyond", 0.1), fields.ratio("text", 0.1)) == (0.5, 1.0, 0.1)
    assert (fields.count("count"), fields.count("below")) == (2, 0)
    assert (fields.object("object"), fields.object("broken")) == ({"k": "v"}, {})
    assert fields.rest() == {
        "number": 7, "beyond": 3, "below": -1, "broken": "{", "raw": "0102", "long": "1000 bytes",
        "huge": str(2**70), "nan": "nan",
    }  # fmt: skip


def test_front_matter_is_read_as_people_write_it() -> None:
    text = """---
title: "A: title"
tags: [one, 'two, too' , three]
list:
  - first
  - 2
count: 3
ratio: 0.5
yes: true
none:
date: 2026-03-01  # the day
# a comment
schema:
  name: string
  email?: string
folded: >
  over two
  lines
---
Below
---
"""
    fields, below = split(text)
    assert below == "Below\n---\n"
    assert fields["title"] == "A: title"
    assert (fields["list"], fields["count"], fields["ratio"], fields["yes"]) == (["first", 2], 3, 0.5, True)
    assert (fields["none"], fields["date"]) == (None, "2026-03-01")
    assert fields["schema"] == "name: string\nemail?: string"
    assert fields["folded"] == "over two\nlines"


@pytest.mark.parametrize("text", ["no front matter", "---\nnot closed", "", "text\n---\na: b\n---\n"])
def test_a_page_without_front_matter_is_all_text(text: str) -> None:
    assert split(text) == ({}, text)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("relates_to", "RELATES_TO"),
        ("dependsOn", "DEPENDS_ON"),
        ("part of", "PART_OF"),
        ("CONTRADICTS", "CONTRADICTS"),
        ("causes", "LEADS_TO"),
        ("supports", "REINFORCES"),
        ("likes", "RELATES_TO"),
        ("", "RELATES_TO"),
        ("ähnelt", "RELATES_TO"),
    ],
)
def test_a_relation_is_told_in_our_words(name: str, expected: str) -> None:
    assert relation(name) == expected
    assert relation(name) in RELATIONS
