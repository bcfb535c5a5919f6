"""What a type allows, in words, and how an error quotes a value."""

from typing import Any, Literal

import pytest

from recollect.expected import expected, meant, shown, wrong_value
from recollect.model import Limit, Memory, Ratio


@pytest.mark.parametrize(
    ("annotation", "words"),
    [
        (str, "text"),
        (bool | None, "true or false"),
        (Ratio, "a number from 0 to 1"),
        (Limit | None, "a whole number from 1 to 1,000"),
        (float, "a number"),
        (int | str | None, "a whole number or text"),
        (Literal["a", "b"], "one of a, b"),
        (tuple[str, ...], "a list of text"),
        (list[Ratio], "a list of a number from 0 to 1"),
        (tuple[int, str], "a whole number and text"),
        (dict[str, Any], "an object"),
        (Memory, "an object"),
        (Any, "anything"),
        (None, "null"),
    ],
)
def test_a_type_has_words(annotation: Any, words: str) -> None:
    assert expected(annotation) == words


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("5", "5"),
        ("-0.5", "-0.5"),
        ("ten", '"ten"'),
        ("x" * 100, '"' + "x" * 60 + '…"'),
        (5, "5"),
        (1.5, "1.5"),
        (10**400, "a number that large"),
        (None, "null"),
        (True, "true"),
        ([1], "a list"),
        ({}, "an object"),
        (b"x", "that"),
    ],
)
def test_an_error_quotes_a_value_shortly(value: Any, text: str) -> None:
    assert shown(value) == text


def test_of_several_choices_the_wrong_one_is_named() -> None:
    error = wrong_value("kinds", tuple[Literal["File", "Class"], ...], ["File", "Clas"], choices=("File", "Class"))
    assert (error.message, error.details) == ('kinds cannot be "Clas"', {"argument": "kinds"})
    assert error.hint == "Did you mean Class? Allowed: File, Class."


def test_a_far_word_suggests_nothing() -> None:
    assert meant("zzz", ["--limit", "store"]) == ""
    assert meant("--limt", ["--limit", "store"]) == "Did you mean --limit?"
