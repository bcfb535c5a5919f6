"""Supersede: of statements about the same thing, the newest comes first."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from recollect.recall.query import understand
from recollect.recall.supersede import (
    SCORE_GAP,
    Later,
    Note,
    Stated,
    Version,
    changes_value,
    replaces,
    supersede,
    tense,
    version_points,
)
from recollect.text.terms import terms

QUESTION = "Which database does the shop use?"
EVEN = {"databas": 1.0, "shop": 1.0, "use": 1.0}


def versions(*texts: str, at: tuple[int, ...] = (), scores: tuple[float, ...] = ()) -> list[Version]:
    """Candidates in order of rank; by default each older than the one before and all equally good."""
    times = at or range(len(texts), 0, -1)
    points = scores or (0.0,) * len(texts)
    rows = zip(range(len(texts)), times, points, texts, strict=True)
    return [Version(place, when, score, terms(text), partial(str, text)) for place, when, score, text in rows]


def ordered(given: list[Version], question: str = QUESTION, rarity: dict[str, float] = EVEN) -> list[int]:
    """The places of the versions, newest first."""
    return [version.place for version in supersede(understand(question), rarity, given)]


MYSQL = "The shop does use the database MySQL."
SQLITE = "Since Monday the shop does use the database SQLite."
OTHER = "The weather is fine."


def test_versions_of_a_fact_come_newest_first() -> None:
    assert ordered(versions(MYSQL, SQLITE, MYSQL, at=(1, 3, 2))) == [1, 2, 0]


def test_what_states_something_else_keeps_its_place() -> None:
    assert ordered(versions(MYSQL, OTHER, SQLITE, at=(1, 9, 2))) == [2, 0]
    assert ordered(versions(MYSQL, "Nobody bought a database there", at=(1, 9))) == []


def test_where_the_best_hit_states_nothing_of_it_nothing_is_moved() -> None:
    assert ordered(versions(OTHER, MYSQL, SQLITE, at=(1, 2, 3))) == []


def test_what_is_much_less_relevant_is_no_version() -> None:
    assert ordered(versions(MYSQL, SQLITE, at=(1, 2), scores=(3.0, 3.0 - SCORE_GAP["note"]))) == [1, 0]
    assert ordered(versions(MYSQL, SQLITE, at=(1, 2), scores=(3.0, 2.9 - SCORE_GAP["note"]))) == []


@pytest.mark.parametrize("given", [[], versions(MYSQL)])
def test_one_statement_has_no_versions(given: list[Version]) -> None:
    assert ordered(given) == []


@pytest.mark.parametrize(
    "question",
    [
        "Which database did the shop use?",
        "Which database was used by the shop last year?",
        "Which database was it that the shop used to use?",
    ],
)
def test_a_question_about_the_past_is_left_alone(question: str) -> None:
    assert ordered(versions(MYSQL, SQLITE, at=(1, 2)), question) == []


@pytest.mark.parametrize("question", ["When does the shop use the database?", "Which database has the shop in use?"])
def test_when_and_has_do_not_make_a_question_about_the_past(question: str) -> None:
    assert ordered(versions(MYSQL, SQLITE, at=(1, 2)), question) == [1, 0]


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("Which database does the shop use?", "now"),
        ("When does the shop close?", "now"),
        ("Have I used Bootstrap before?", "now"),
        ("The import has failed since the update, what is the limit?", "now"),
        ("Which database did the shop use?", "past"),
        ("What did we use before?", "before"),
        ("Which broker was originally chosen?", "before"),
        ("What was the limit in 2023?", "before"),
        ("What did we use back then?", "before"),
        ("Which queue did we run before we moved to Kafka?", "before"),
    ],
)
def test_a_question_asks_for_now_for_the_past_or_for_what_held_before(question: str, wanted: str) -> None:
    assert tense(question) == wanted


def test_one_word_names_a_topic_that_much_can_be_said_of() -> None:
    assert ordered(versions(MYSQL, SQLITE, at=(1, 2)), "database", {"databas": 1.0}) == []


def test_what_is_from_the_same_time_keeps_its_order() -> None:
    assert ordered(versions(MYSQL, SQLITE, MYSQL, at=(1, 1, 1))) == [0, 1, 2]


@pytest.mark.parametrize("rarity", [{}, {"databas": 0.0}])
def test_a_question_without_words_has_no_versions(rarity: dict[str, float]) -> None:
    assert ordered(versions(MYSQL, SQLITE, at=(1, 2)), "?!", rarity) == []


def test_texts_that_cannot_matter_are_not_read() -> None:
    def unread() -> str:
        raise AssertionError("read in vain")

    best = versions(MYSQL, scores=(9.0,))[0]
    assert ordered([best, Version(1, 9, 9.0 - SCORE_GAP["note"] - 1, (), unread)]) == []
    assert ordered([best, Version(1, 9, 9.0, terms(OTHER), unread)]) == []
    assert ordered([Version(0, 1, 0.0, (), unread), Version(1, 2, 0.0, (), unread)], "What was it?") == []


# --- statements ---


def stated(question: str, rarity: dict[str, float], *texts: str) -> list[Stated]:
    """What texts state of a question, each a year younger than the one before, newest first."""
    return supersede(understand(question), rarity, versions(*texts, at=tuple(range(len(texts)))))


def worth(question: str, rarity: dict[str, float], text: str) -> float:
    """How much a text states of a question, compared with one that states all of it plainly."""
    plain = " ".join(understand(question).terms[::-1])  # the words, but not side by side as asked
    found = {version.place: version.worth for version in stated(question, rarity, plain, text)}
    return found.get(1, 0.0)


def test_a_statement_is_made_in_one_sentence() -> None:
    rarity = {"databas": 1.0, "shop": 9.0}  # the rarer word counts three times as much, the root of nine
    assert worth("database shop", rarity, "A database. A shop! Neither?") == 0.75
    assert worth("database shop", rarity, "A database of this shop") > 1
    assert worth("database shop", rarity, "A database\nA shop") == 0.75
    assert worth("database shop", rarity, "") == 0


def test_words_side_by_side_state_more() -> None:
    rarity = {"function": 1.0, "name": 1.0}
    apart = worth("function names", rarity, "function argument names")
    assert worth("function names", rarity, "function names are short") > apart > 0


def test_laying_something_down_states_more_than_talking_about_it() -> None:
    plain = worth(QUESTION, EVEN, "The shop uses SQLite")
    assert worth(QUESTION, EVEN, "From now on the shop uses SQLite") > plain > 0
    assert worth(QUESTION, EVEN, "From now on be kind") == 0


@pytest.mark.promise("B3")
@pytest.mark.parametrize(
    ("newer", "replaced"),
    [
        ("The shop no longer uses that database, it uses SQLite.", True),
        ("The shop does use the database SQLite.", True),  # the same sentence with something else in it
        ("Red lamps light the database that the old shop uses at night.", False),  # about it, but it changes nothing
    ],
)
def test_only_what_changes_the_fact_replaces_it(newer: str, replaced: bool) -> None:
    new, old = stated(QUESTION, EVEN, MYSQL, newer)
    assert (new.place, old.place) == (1, 0)
    assert replaces(new, old) is replaced
    assert not replaces(old, new)


@pytest.mark.parametrize(
    "asking",
    [
        "Let's find out which database the shop uses",
        "Please always tell me which database the shop uses.",
        "We should look at which database the shop uses instead.",
        "I no longer know which database the shop uses.",
    ],
)
def test_a_question_inside_of_a_sentence_is_no_version(asking: str) -> None:
    assert stated(QUESTION, EVEN, MYSQL, asking) == []
    assert not changes_value(understand(QUESTION), asking, MYSQL)
    later = Later(Note(2, None, (1, 1), np.ones(1, np.float32)), 1.0, is_mutual=True, shared=1.0, is_few=False)
    assert version_points(QUESTION, asking, MYSQL, later, cosine=1.0, asked=1.0, share=1.0) == 0
    assert version_points(QUESTION, "The shop uses SQLite.", MYSQL, later, cosine=1.0, asked=1.0, share=1.0) > 0


def test_what_lays_something_else_down_is_no_version() -> None:
    assert stated(QUESTION, EVEN, MYSQL, "Always be kind to people.") == []
