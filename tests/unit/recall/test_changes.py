"""Changes: a candidate that shows a change of an older one, whatever words the question has."""

from __future__ import annotations

from functools import partial

import pytest

from recollect.recall.changes import LEAST_NEAR, LEAST_RELEVANT, changes
from recollect.recall.query import understand
from recollect.recall.supersede import Version
from recollect.text.terms import terms

PROMPT = (
    "Customers report that their baskets are empty in the morning. I looked at the logs and found nothing. "
    "Please write a test that fails, then mend it. How long do we keep a basket, by the way?"
)


def found(*texts: str, cosine: float = LEAST_RELEVANT, question: str = PROMPT) -> list[tuple[int, int, bool]]:
    """The changes among texts in order of rank, each younger than the one before."""
    query = understand(question)
    versions = [
        Version(place, place, 0.0, terms(text), partial(str, text), place, cosine) for place, text in enumerate(texts)
    ]
    rows = changes(query, dict.fromkeys(query.terms, 1.0), versions)
    return [(row.newer, row.older, row.is_certain) for row in rows]


@pytest.mark.promise("B3")
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Baskets are kept for 14 days.", "A basket is deleted after 3 days."),
        ("I keep a basket until checkout.", "I have never kept a basket until checkout."),
        ("Old baskets are kept on purpose.", "Old baskets are no longer kept."),
    ],
)
def test_a_long_prompt_finds_the_version_that_contradicts_an_older_one(old: str, new: str) -> None:
    assert found(old, new) == [(1, 0, False)]


@pytest.mark.parametrize(
    "new", ["A basket has 3 shelves.", "Baskets are shown on the left.", "Is a basket kept for ever?"]
)
def test_what_can_hold_beside_an_older_one_changes_nothing(new: str) -> None:
    assert found("Baskets are kept for 14 days.", new) == []


def test_what_is_far_from_the_question_changes_nothing() -> None:
    assert found("Baskets are kept for 14 days.", "A basket is deleted after 3 days.", cosine=LEAST_NEAR) == []


def test_what_says_that_the_older_one_is_gone_is_certain() -> None:
    old = "Baskets are kept in Redis."
    new = "A basket lives in the table carts. Redis was switched off in May."
    assert found(old, new, cosine=LEAST_NEAR) == [(1, 0, True)]
    assert found(old, new, cosine=LEAST_NEAR - 0.01) == []


def test_of_two_from_the_same_time_the_one_stored_later_is_newer() -> None:
    query = understand(PROMPT)
    rows = [
        Version(place, 7, 0.0, terms(text), partial(str, text), seq, LEAST_RELEVANT)
        for place, (seq, text) in enumerate([(1, "We keep a basket for 14 days."), (2, "We keep a basket for 3 days.")])
    ]
    assert [(row.newer, row.older) for row in changes(query, {}, rows)] == [(1, 0)]
    assert changes(query, {}, [rows[0]._replace(seq=3), rows[1]]) == []
