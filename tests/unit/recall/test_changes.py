"""Changes: the newer version of a short note, whatever words the question has."""

from __future__ import annotations

import numpy as np
import pytest

from recollect.recall.supersede import LEAST_NOTES, MOST_WORDS, Note, is_newer_version, nearest_later


def note(place: int, degrees: float, *, project: str = "app", at: int | None = None) -> Note:
    """A note whose vector points in a direction."""
    angle = np.radians(degrees)
    vector = np.array([np.cos(angle), np.sin(angle)], np.float32)
    return Note(place, project, (place if at is None else at, place), vector)


def test_the_nearest_later_note_of_the_project_is_found() -> None:
    older, near = note(0, 0), note(2, 30)
    far = [note(place, 80) for place in range(10, 10 + LEAST_NOTES)]
    stranger, earlier = note(3, 1, project="other"), note(4, 5, at=-1)
    assert nearest_later(older, [older, *far, near, stranger]) == (near, True, False)
    assert nearest_later(far[-1], [older, *far, near, stranger]) is None
    assert nearest_later(older, [older, *far[3:], stranger]) == (far[-1], False, True), "of two alike, the later"
    # The later note is nearer to another earlier one, which it may be a version of.
    beside = note(5, 29, at=-2)
    assert nearest_later(older, [older, *far, near, stranger, earlier, beside]) == (near, False, False)


OLD = "Releases are cut by hand."
NEW = "A tag triggers the workflow, which waits for one approval."


@pytest.mark.promise("B3")
def test_a_short_note_has_a_newer_version_in_other_words() -> None:
    asked = "How are releases made?"
    assert is_newer_version(asked, NEW, OLD, cosine=0.42, is_mutual=True)
    assert not is_newer_version(asked, NEW, OLD, cosine=0.42, is_mutual=False)
    assert not is_newer_version(asked, NEW, OLD, cosine=0.37, is_mutual=True)
    assert not is_newer_version(
        asked, NEW, f"{OLD} " + "It takes a morning and nobody likes it. " * 2, cosine=0.42, is_mutual=True
    )


def test_among_few_notes_only_a_conflict_tells() -> None:
    asked, new = "How long are baskets kept?", "Baskets are kept for 3 days."
    old = "Baskets are kept for 14 days."
    assert is_newer_version(asked, new, old, cosine=0.9, is_mutual=True, is_few=True)
    assert not is_newer_version(asked, NEW, OLD, cosine=0.9, is_mutual=True, is_few=True)


def test_a_conflict_of_values_needs_less_likeness() -> None:
    asked = "How long are baskets kept?"
    new = "We empty each basket after 3 days."
    assert is_newer_version(asked, new, "Baskets are kept for 14 days.", cosine=0.39, is_mutual=False)
    assert not is_newer_version(asked, new, "Baskets are blue.", cosine=0.39, is_mutual=False)


def test_a_note_without_the_identifier_asked_about_is_no_newer_version() -> None:
    old, new = "`PW-77` is a decline by the bank.", "`PW-31` is a wrong amount."
    assert is_newer_version("What does the payment error mean?", new, old, cosine=0.7, is_mutual=True)
    assert not is_newer_version("What does PW-77 mean?", new, old, cosine=0.7, is_mutual=True)
    assert is_newer_version("What does the on-call page mean?", new, old, cosine=0.7, is_mutual=True)
    dialects = ("The parser supports a dialect of Ruby", "The parser supports a dialect of Java")
    assert not is_newer_version("Is there a parser for Java?", *dialects, cosine=0.9, is_mutual=True)


def test_no_note_longer_than_the_limit_reaches_the_bar() -> None:
    words = ["word"] * MOST_WORDS
    assert is_newer_version(
        "why?", "It is 5 days.", " ".join([*words[:-4], "It", "is", "9", "days."]), cosine=1.0, is_mutual=True
    )
    assert not is_newer_version("why?", NEW, " ".join([*words, "word", "word"]), cosine=1.0, is_mutual=True)
