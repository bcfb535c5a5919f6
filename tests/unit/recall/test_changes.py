"""Changes: the newer version of a short note, whatever words the question has."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from recollect.recall.query import understand
from recollect.recall.supersede import (
    LEAST_NOTES,
    MOST_WORDS,
    NEAREST,
    VERSION_BAR,
    Later,
    Note,
    changes_value,
    later_notes,
    version_points,
)


def note(place: int, degrees: float, *, project: str = "app", at: int | None = None, words: str = "") -> Note:
    """A note whose vector points in a direction."""
    angle = np.radians(degrees)
    vector = np.array([np.cos(angle), np.sin(angle)], np.float32)
    return Note(place, project, (place if at is None else at, place), vector, frozenset(words.split()))


def is_newer(question: str, new: str, old: str, *, cosine: float, asked: float = 0.5, **about: Any) -> bool:
    """Whether a later note reaches the bar; mutual, as relevant as the older one and of many, unless said otherwise."""
    is_mutual, shared = about.get("is_mutual", True), about.get("shared", 0.0)
    later = Later(note(1, 0), cosine, is_mutual, shared, about.get("is_few", False))
    share = about.get("share", 1.0)
    return version_points(question, new, old, later, cosine=cosine, asked=asked, share=share) >= VERSION_BAR


def test_the_nearest_later_notes_of_the_project_are_found() -> None:
    older, near = note(0, 0), note(2, 30)
    far = [note(place, 80) for place in range(10, 10 + LEAST_NOTES)]
    stranger, earlier = note(3, 1, project="other"), note(4, 5, at=-1)
    found = later_notes(older, [older, *far, near, stranger])
    assert [row.note for row in found] == [near, *far[:-NEAREST:-1]], "of notes that are as near, the later first"
    assert [row.is_mutual for row in found] == [True, *[False] * (NEAREST - 1)]
    assert not any(row.is_few for row in found)
    assert all(row.is_few for row in later_notes(older, [older, *far[3:], stranger]))
    assert later_notes(far[-1], [older, *far, near, stranger]) == []
    # The later note is nearer to another earlier one, which it may be a version of.
    beside = note(5, 29, at=-2)
    assert not later_notes(older, [older, *far, near, stranger, earlier, beside])[0].is_mutual


def test_a_word_that_two_notes_share_counts_by_its_rarity_unless_the_question_has_it() -> None:
    older, newer = note(0, 0, words="sms sent pombo"), note(1, 20, words="pombo sent modem")
    notes = [older, newer, *(note(place, 80, words="sent") for place in range(2, 20))]

    def shared(*asked: str) -> float:
        return later_notes(older, notes, asked)[0].shared

    assert shared() == pytest.approx(np.log(20 / 2) / np.log(20))
    assert shared("pombo") == 0.0, "every note has the other word"


OLD = "Releases are cut by hand."
NEW = "A tag triggers the workflow, which waits for one approval."


@pytest.mark.promise("B3")
def test_a_short_note_has_a_newer_version_in_other_words() -> None:
    asked = "How are releases made?"
    assert is_newer(asked, NEW, OLD, cosine=0.65, asked=0.45)
    assert not is_newer(asked, NEW, OLD, cosine=0.65, asked=0.45, is_mutual=False)
    assert is_newer(asked, NEW, OLD, cosine=0.65, asked=0.45, is_mutual=False, shared=1.0)
    assert not is_newer(asked, NEW, OLD, cosine=0.5, asked=0.45)
    assert not is_newer(asked, NEW, OLD, cosine=0.65, asked=0.3), "the older one hardly answers"
    assert not is_newer(asked, NEW, f"{OLD} " + "It takes a morning and nobody likes it. " * 2, cosine=0.65, asked=0.45)


def test_a_note_that_hardly_answers_the_question_is_no_newer_version() -> None:
    asked, new = "How long are baskets kept?", "Baskets are kept for 3 days."
    old = "Baskets are kept for 14 days."
    assert is_newer(asked, new, old, cosine=0.9)
    assert is_newer("How are releases made?", NEW, OLD, cosine=0.65, asked=0.45)
    assert not is_newer("How are releases made?", NEW, OLD, cosine=0.65, asked=0.45, share=0.1)


def test_among_few_notes_only_a_conflict_tells() -> None:
    old, new = "the apple is a red fruit", "the banana is a yellow fruit"
    assert not is_newer("which fruit is red?", new, old, cosine=0.9, is_few=True)
    assert is_newer(
        "How long?", "Baskets are kept for 3 days.", "Baskets are kept for 14 days.", cosine=0.9, is_few=True
    )
    assert not is_newer("How are releases made?", NEW, OLD, cosine=0.9, is_few=True)


def test_what_is_said_to_have_moved_is_a_newer_version_though_the_places_are_unlike() -> None:
    asked, old = "Where does CI run?", "CI runs on CircleCI."
    assert is_newer(asked, "we moved ci to buildkite last week", old, cosine=0.45, is_few=True)
    assert not is_newer(asked, "we moved the docs to mkdocs last week", old, cosine=0.45, is_few=True)
    assert not is_newer(asked, "CI takes ten minutes on a good day", old, cosine=0.45, is_few=True)


def test_a_conflict_of_values_needs_less_likeness() -> None:
    asked = "How long are baskets kept?"
    new = "We empty each basket after 3 days."
    assert is_newer(asked, new, "Baskets are kept for 14 days.", cosine=0.45)
    assert not is_newer(asked, new, "Baskets are blue.", cosine=0.4)


def test_a_note_without_the_identifier_asked_about_is_no_newer_version() -> None:
    old, new = "`PW-77` is a decline by the bank.", "`PW-31` is a wrong amount."
    assert is_newer("What does the payment error mean?", new, old, cosine=0.7)
    assert not is_newer("What does PW-77 mean?", new, old, cosine=0.7)
    assert is_newer("What does the on-call page mean?", new, old, cosine=0.7)
    dialects = ("The parser supports a dialect of Ruby", "The parser supports a dialect of Java")
    assert not is_newer("Is there a parser for Java?", *dialects, cosine=0.9)


def test_no_note_longer_than_the_limit_reaches_the_bar() -> None:
    words = ["word"] * MOST_WORDS
    old = " ".join([*words[:-4], "It", "is", "9", "days."]).replace("word It", "word. It")
    assert is_newer("why?", "It is 5 days.", old, cosine=1.0, asked=1.0, shared=1.0)
    assert not is_newer("why?", NEW, " ".join([*words, "word", "word"]), cosine=1.0, asked=1.0, shared=1.0)


def test_a_later_message_changes_a_value_by_a_word_of_change_and_the_words_of_the_question() -> None:
    query = understand("What is my annual budget for shoes?")
    old = "I have spent $575 of my annual shoes budget of $600, so what should I buy?"
    new = "With my increased annual budget of $650 for shoes, where should I start?"
    assert changes_value(query, new, old)
    assert not changes_value(query, new.replace("increased ", ""), old), "no word of change"
    assert not changes_value(query, new.replace("$650", "$600"), old), "the same value"
    assert not changes_value(query, "My new garden fence costs $650 in all.", old), "about something else"
    assert changes_value(query, f"{new.rstrip('.')}, so I'm not sure where to start.", old), "a question at its end"


def test_what_an_assistant_shall_remember_is_stated() -> None:
    query, old = (
        understand("When is the review meeting with Dana?"),
        "The review meeting with Dana is on March 22 at 3 PM.",
    )
    assert changes_value(query, "Can you remind me that the review meeting with Dana is rescheduled to 4:30 PM?", old)
    assert not changes_value(query, "Tell me whether the review meeting with Dana is rescheduled to 4:30 PM.", old)
