"""Understand: what a question asks for, before anything is looked up."""

from __future__ import annotations

import pytest

from recollect.recall.query import asks_preference, asks_rule, neutral, understand


def test_a_question_is_its_text_and_its_terms_each_once() -> None:
    question = understand("How does parseHeader parse headers?")
    assert question.text == "How does parseHeader parse headers?"
    assert question.terms == ("pars", "header", "parseheader")


def test_words_that_stand_side_by_side_are_pairs_stop_words_left_out() -> None:
    assert understand("the hand of the written parser").pairs == {("hand", "written"), ("written", "parser")}
    assert understand("parser").pairs == frozenset()


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("What did Caroline tell Anna, and did Anna listen?", ("What", "Caroline", "Anna")),
        ("what did ada say about HTTP in main.py", ()),
        ("", ()),
    ],
)
def test_words_with_a_capital_may_be_names(text: str, names: tuple[str, ...]) -> None:
    assert understand(text).names == names


def test_names_are_compared_as_search_terms() -> None:
    assert understand("Does Caroline know Renée?").name_terms == ("doe", "carolin", "rene")


@pytest.mark.parametrize(
    ("text", "months", "years"),
    [
        ("What happened in May 2023?", {(2023, 5)}, {2023}),
        ("What happened in july?", {(None, 7)}, set()),
        ("From March, 2021 to APRIL", {(2021, 3), (None, 4)}, {2021}),
        ("Was it December 1999 or December 2001?", {(1999, 12), (2001, 12)}, {1999, 2001}),
        ("What changed in 2024?", set(), {2024}),
        ("Did the mayor of Marchtown call 12024 or 2150?", set(), set()),
        ("What is a parser?", set(), set()),
        ("May I march on?", set(), set()),
        ("What happened last March, or on 8 May 2023?", set(), {2023}),
    ],
)
def test_months_and_years_are_understood_with_and_without_each_other(
    text: str, months: set[tuple[int | None, int]], years: set[int]
) -> None:
    question = understand(text)
    assert (question.months, question.years) == (months, years)


def test_times_are_counted_from_when_a_question_is_asked() -> None:
    asked = understand("What did Ada do last week, and on 2023-05-01?", now=1_683_504_000)
    assert [span.label() for span in asked.times] == ["2023-05-01 to 2023-05-07", "2023-05-01"]
    assert asked.time_terms == {"last", "week", "2023", "05", "01", "2023-05-01"}
    assert understand("What did Ada do?").times == ()


@pytest.mark.parametrize(("text", "idle"), [("Have a nice day today", True), ("What did we do today?", False)])
def test_a_day_can_be_asked_for_with_the_words_of_a_greeting(text: str, idle: bool) -> None:
    assert understand(text).idle is idle


TIME, NUMBER, REASON, NAME = "wants_time", "wants_number", "wants_reason", "wants_name"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("When did we switch to SQLite?", {TIME}),
        ("How long have we had it?", {TIME}),
        ("What day was the release?", {TIME, NAME}),
        ("How many years did it take?", {TIME, NUMBER}),
        ("How many tests are there?", {NUMBER}),
        ("how OLD is the parser", {NUMBER}),
        ("Why SQLite?", {REASON}),
        ("What is the reason for it?", {REASON, NAME}),
        ("Who wrote the parser?", {NAME}),
        ("  which database do we use", {NAME}),
        ("Tell me who wrote it", set()),
        ("whenever it rains", set()),
        ("Is the parser fast?", set()),
        ("?! 🧠", set()),
    ],
)
def test_the_kind_of_answer_is_read_from_the_question(text: str, wanted: set[str]) -> None:
    question = understand(text)
    assert {name for name in (TIME, NUMBER, REASON, NAME) if getattr(question, name)} == wanted


# --- neutral ---


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("What does Caroline like?", "What does I like?"),
        ("Who is Caroline's sister?", "Who is my sister?"),
        ("Who is Caroline’s sister?", "Who is my sister?"),
        ("Did Caroline meet Mel's dog?", "Did I meet my dog?"),
        # Somebody who never said anything, and names that only begin like an author's.
        ("What does Barbara like?", "What does Barbara like?"),
        ("Is Carolinum near Melbourne?", "Is Carolinum near Melbourne?"),
        ("what does caroline like?", "what does caroline like?"),
        ("?! 🧠", "?! 🧠"),
    ],
)
def test_an_author_is_asked_about_as_they_speak_of_themselves(text: str, expected: str) -> None:
    assert neutral(understand(text), {"carolin", "mel"}) == expected


def test_without_authors_a_question_stays_as_it_is() -> None:
    assert neutral(understand("What does Caroline like?"), ()) == "What does Caroline like?"


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("What did Caroline buy in Rome?", {"carolin", "rome"}),
        ("Caroline bought what?", set()),  # a capital at the start may be anything
        ("Done. Explain the parser", set()),
        ("was sagt Älva dazu", {"alva"}),
        ("how does the parser work", set()),
    ],
)
def test_names_for_certain_stand_inside_a_sentence(text: str, names: set[str]) -> None:
    assert understand(text).sure_names == names


@pytest.mark.parametrize(
    "text", ["good morning!", "thanks, that was really helpful", "hi there, how are you doing today?"]
)
def test_courtesy_asks_for_nothing(text: str) -> None:
    assert understand(text).idle


@pytest.mark.parametrize(
    "text", ["thanks, now fix the parser", "morning routine of the cron job", "why?", "parser", "new", "work things"]
)
def test_whatever_holds_more_than_courtesy_asks_for_something(text: str) -> None:
    assert not understand(text).idle


@pytest.mark.parametrize(
    ("question", "several"),
    [
        ("What hobbies does Ada have?", True),
        ("Which services write to the ledger?", True),
        ("In what ways did it change?", True),
        ("How many meetings were there?", True),
        ("What do both of them like?", True),
        ("What is the name of the service?", False),
        ("What does this process do?", False),
        ("Which address was it?", False),
        ("When was the release?", False),
        ("Why is it so?", False),
        ("", False),
    ],
)
def test_a_question_for_several_things_is_told_from_one_for_a_single_thing(question: str, several: bool) -> None:
    assert understand(question).wants_several is several


@pytest.mark.parametrize(
    ("question", "terms"),
    [
        ("which test runner do I want", ("test", "runner")),
        ("Which linter would I really prefer?", ("linter",)),
        ("What is my preferred editor?", ("editor",)),
        ("My preferences?", ("prefer",)),
        ("what do I want to rename in the parser", None),
        ("I would like you to add a header", None),
        ("what does the parser prefer", None),
    ],
)
def test_a_question_about_what_the_user_wants_is_about_the_rest_of_its_words(
    question: str, terms: tuple[str, ...] | None
) -> None:
    assert asks_preference(question) is (terms is not None)
    assert terms is None or understand(question).terms == terms


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Which port does it use", True),
        ("in which file is the parser", True),
        ("the parser, where is it?", True),
        ("fix the parser", False),
        ("KeyError: 'token' in login.py", False),
        ("island of parsers", False),
    ],
)
def test_a_question_is_told_from_words_to_look_for(text: str, expected: bool) -> None:
    assert understand(text).is_question is expected


@pytest.mark.parametrize(
    ("question", "is_about_a_rule"),
    [
        ("which package manager should I use", True),
        ("may we edit the generated client", True),
        ("are we allowed to use black", True),
        ("what was released in May", False),
        ("which package manager do we use", False),
    ],
)
def test_a_question_about_what_should_be_done_is_about_a_rule(question: str, is_about_a_rule: bool) -> None:
    assert asks_rule(question) is is_about_a_rule
