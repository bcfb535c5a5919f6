"""Measure: every signal on pools small enough to be read."""

from __future__ import annotations

import math
from datetime import UTC, datetime

import pytest
from tests.unit.recall.pools import apart, counted, passage, signals, talk

from recollect.recall.lexical import surroundings
from recollect.recall.score import SEMANTIC
from recollect.recall.weights import (
    ANSWERED_NOTE,
    ASKED_NOTE,
    BY_HAND,
    NOTE,
    NOTE_BY_WORDS,
    NOTE_RELEVANCE,
    RELEVANCE_BY_WORDS,
    TALK,
    TALK_BY_WORDS,
    TALK_RELEVANCE,
)
from recollect.store.store_values import Passage, Standing, TermCounts


def places(column: list[float]) -> set[int]:
    """The places where a signal is there at all."""
    return {place for place, value in enumerate(column) if value}


# --- surroundings ---


def test_neighbours_are_those_of_the_same_session_or_text_and_of_no_other() -> None:
    pool = [
        passage(1, "alone"),
        passage(2, "first part", part=0),
        passage(2, "second part", part=1),
        passage(3, "a turn", session="s"),
        passage(4, "another turn", session="s"),
        passage(5, "a third turn", session="s"),
        passage(6, "elsewhere", session="t"),
    ]
    around = surroundings(pool)
    assert around.before == [-1, -1, 1, -1, 3, 4, -1]
    assert around.after == [-1, 2, -1, 4, 5, -1, -1]
    assert around.before2 == [-1, -1, -1, -1, -1, 3, -1]
    assert around.after2 == [-1, -1, -1, 5, -1, -1, -1]


def test_sessions_held_at_the_same_time_are_measured_as_if_one_after_the_other() -> None:
    mine = ("Where is the parser?", "I put it into a folder", "Which one in June?", "The folder of the parser")
    yours = ("hello there", "what about the folder", "nothing of the kind", "goodbye in 2024")
    after = talk(*mine, session="mine") + talk(*yours, session="yours", first=5)
    mixed = [
        passage(1 + 2 * number + offset, text, session=session)
        for number in range(4)
        for offset, (session, text) in enumerate((("mine", mine[number]), ("yours", yours[number])))
    ]
    expected = measured_by_text("When was the parser put into a folder?", after, [*mine, *yours])
    together = [text for pair in zip(mine, yours, strict=True) for text in pair]
    assert measured_by_text("When was the parser put into a folder?", mixed, together) == expected


def measured_by_text(question: str, pool: list[Passage], texts: list[str]) -> dict[str, dict[str, float]]:
    cosines = {row.pid: len(text) / 100 for row, text in zip(pool, texts, strict=True)}
    measured = signals(question, pool, cosines)
    return {
        name: {text: round(value, 9) for text, value in zip(texts, column, strict=True)}
        for name, column in measured.items()
    }


# --- words ---


def test_words_are_relative_to_the_best_passage() -> None:
    words = signals("parser tokens", apart("the parser reads tokens", "the lexer makes tokens", "neither"))["words"]
    assert words[0] == 1
    assert 0 < words[1] < 1
    assert words[2] == 0


def test_words_count_in_the_labels_and_for_the_author_too() -> None:
    assert signals("Ada", [passage(1, "nothing", author="Ada"), passage(2, "nothing")])["words"] == [1, 0]


def test_words_around_a_passage_count_up_to_two_away() -> None:
    found = signals("parser", talk("one", "two", "the parser", "four", "five", "six"))
    assert found["words"] == [0, 0, 1, 0, 0, 0]
    assert found["words_before"] == [0, 0, 0, 1, 0, 0]
    assert found["words_after"] == [0, 1, 0, 0, 0, 0]
    assert places(found["words_near"]) == {1, 2, 3}
    assert places(found["words_around"]) == {0, 1, 2, 3, 4}
    assert found["session_words"] == [1] * 6


def test_words_of_another_memory_do_not_count_unless_it_is_of_the_session() -> None:
    found = signals("parser", apart("one", "the parser", "three"))
    for name in ("words", "words_near", "words_around", "covered_around", "session_words"):
        assert places(found[name]) == {1}, name
    assert places(found["words_before"]) == places(found["words_after"]) == set()


def test_the_parts_of_a_text_are_each_others_surroundings() -> None:
    pool = [passage(1, "the parser", part=0), passage(1, "something", part=1), passage(2, "else")]
    found = signals("parser", pool)
    assert found["words_before"] == [0, 1, 0]
    assert found["session_words"] == [1, 1, 0]


def test_what_is_covered_is_weighed_by_rarity() -> None:
    counts = TermCounts(10, {"parser": 9, "zebra": 1}, frozenset(), frozenset())
    pool = apart("the parser", "a zebra", "parser of the zebra", "nothing")
    found = signals("parser zebra", pool, counts=counts)
    common, rare, both, nothing = found["covered"]
    assert 0 == nothing < common < 0.5 < rare < both == pytest.approx(1)
    assert common + rare == pytest.approx(1)
    assert found["covered_squared"] == pytest.approx([share**2 for share in found["covered"]])
    assert found["rarest"] == pytest.approx([common / rare, 1, 1, 0])


def test_a_word_that_nobody_ever_used_is_never_covered() -> None:
    pool = apart("the parser", "nothing")
    assert signals("parser", pool)["covered"] == [1, 0]
    assert 0 < signals("parser unheard", pool)["covered"][0] < 0.5


def test_how_much_of_a_question_is_known_at_all_is_the_same_for_every_passage() -> None:
    pool = apart("the parser", "nothing")
    counts = TermCounts(10, {"parser": 5, "zebra": 5, "lion": 5}, frozenset(), frozenset({"parser"}))
    assert signals("parser zebra", pool, counts=counts)["known"] == pytest.approx([0.5, 0.5])
    assert signals("parser", pool, counts=counts)["known"] == [1, 1]
    assert signals("lion", pool, counts=counts)["known"] == [0, 0]


def test_what_several_turns_cover_together_is_covered_around_each() -> None:
    found = signals("parser zebra", talk("the parser", "a zebra"))
    assert found["covered_around"] == pytest.approx([1, 1])
    assert found["covered_around_squared"] == pytest.approx([1, 1])
    assert max(found["covered"]) < 1


def test_words_side_by_side_as_in_the_question_are_pairs() -> None:
    pool = apart("a hand written parser", "a parser written by hand", "hand written it is", "parser", "x")
    both, neither, one, single, nothing = signals("the hand written parser", pool)["pairs"]
    assert both == pytest.approx(1)
    assert 0 < one < 1
    assert (neither, single, nothing) == (0, 0, 0)


# --- people ---

CAROLINE, MELANIE = {"author": "Caroline"}, {"author": "Melanie Smith"}
PEOPLE = [
    passage(1, "I like pottery", **CAROLINE),  # type: ignore[arg-type]
    passage(2, "You like pottery", **CAROLINE),  # type: ignore[arg-type]
    passage(3, "I like pottery", **MELANIE),  # type: ignore[arg-type]
    passage(4, "Caroline likes pottery"),
]


@pytest.mark.parametrize(
    ("question", "named", "not_named", "of_self"),
    [
        ("What does Caroline like?", [1, 1, 0, 0], [0, 0, 1, 1], [1, 0, 0, 0]),
        ("What does Melanie like?", [0, 0, 1, 0], [1, 1, 0, 1], [0, 0, 1, 0]),
        ("Do Caroline and Smith agree?", [1, 1, 1, 0], [0, 0, 0, 1], [1, 0, 1, 0]),
        # Names of nobody who said anything, and none.
        ("What does Pottery like?", [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]),
        ("what does caroline like?", [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]),
    ],
)
def test_who_says_it_is_compared_with_whom_the_question_names(
    question: str, named: list[float], not_named: list[float], of_self: list[float]
) -> None:
    found = signals(question, PEOPLE)
    assert found["author_named"] == named
    assert found["author_not_named"] == not_named
    assert found["author_of_self"] == of_self
    assert found["first_person"] == [1, 0, 1, 0]


def test_the_topic_of_a_question_is_what_is_left_without_the_names_of_authors() -> None:
    pool = [passage(1, "hello", author="Caroline"), passage(2, "about pottery", author="Melanie")]
    found = signals("Does Caroline like pottery?", pool)
    assert found["covered"][0] > 0
    assert found["topic_around"][0] == 0
    assert 0 < found["topic_around"][1] < 1
    assert signals("Caroline?", pool)["topic_around"] == [0, 0]


# --- the form of the answer ---


@pytest.mark.parametrize(
    ("signal", "asked", "not_asked", "told", "not_told"),
    [
        ("tells_time", "When was it?", "Was it?", "It was in June", "It was"),
        ("tells_number", "How many are there?", "Are there any?", "There are 7", "There are some"),
        ("tells_reason", "Why is it so?", "Is it so?", "It is, because we want it", "It is"),
        ("tells_name", "Who did it?", "Did you do it?", "It was Ada", "It was somebody"),
    ],
)
def test_the_form_of_an_answer_counts_where_it_is_asked_for(
    signal: str, asked: str, not_asked: str, told: str, not_told: str
) -> None:
    pool = apart(told, not_told)
    assert places(signals(asked, pool)[signal]) == {0}
    assert places(signals(not_asked, pool)[signal]) == set()


def test_names_count_up_to_three() -> None:
    found = signals("Who was there?", apart("so Ada", "so Ada and Alan, Grace", "Ada, Alan, Grace, Kurt, Max, Emmy"))
    assert found["tells_name"] == pytest.approx([1 / 3, 2 / 3 + 1 / 3, 1])


def test_questions_are_told_from_answers() -> None:
    found = signals("keys", talk("Where are the keys?", "On the shelf", "Thanks") + talk("Hello", session="t", first=9))
    assert found["asks"] == [1, 0, 0, 0]
    assert found["follows_question"] == [0, 1, 0, 0]


def test_how_much_is_said_counts_less_and_less() -> None:
    found = signals("x", apart("x" * 100, "x" * 400, "x" * 1000))
    assert found["length"] == pytest.approx([math.log(101), math.log(401), math.log(1001)])
    assert found["length_short"] == [0.25, 1, 1]


def test_only_the_first_turn_of_a_session_opens_it() -> None:
    pool = [*talk("one", "two", session="s"), *talk("three", session="t", first=3), passage(4, "no session")]
    assert signals("x", pool)["opens_session"] == [1, 0, 1, 0]


def test_the_parts_of_a_first_turn_do_not_all_open_its_session() -> None:
    pool = [passage(1, "one", part=0, session="s"), passage(1, "two", part=1, session="s")]
    assert signals("x", pool)["opens_session"] == [1, 0]


# --- tags ---


def test_how_much_of_a_question_names_tags_is_weighed_by_rarity() -> None:
    pool = [
        row._replace(standing=Standing(tags=tags))
        for row, tags in zip(
            apart("one", "two", "three", "four"), (("zebra",), ("zebra", "parser"), ("lion",), ()), strict=True
        )
    ]
    counts = TermCounts(10, {"parser": 9, "zebra": 1}, frozenset(), frozenset())
    rare, both, other, none = signals("parser zebra", pool, counts=counts)["labelled"]
    assert 0.5 < rare < both == pytest.approx(1)
    assert other == none == 0


# --- dates ---


def day(year: int, month: int, date: int = 15) -> int:
    return int(datetime(year, month, date, tzinfo=UTC).timestamp())


@pytest.mark.parametrize(
    ("question", "dated"),
    [
        ("What happened in May 2023?", [1, 0, 0, 0]),
        ("What happened in May?", [1, 1, 0, 0]),
        ("What happened in 2023?", [1, 0, 1, 0]),
        ("In June 2023 or in May 2022?", [0, 1, 1, 0]),
        ("In June or in May 2022?", [0, 1, 1, 0]),
        ("In 2019?", [0, 0, 0, 0]),
        ("What happened?", [0, 0, 0, 0]),
    ],
)
def test_a_passage_is_dated_if_it_is_from_the_time_that_is_named(question: str, dated: list[float]) -> None:
    times = (day(2023, 5), day(2022, 5, 31), day(2023, 6, 1), 0)
    pool = [passage(number, "x", at=at) for number, at in enumerate(times, 1)]
    assert signals(question, pool)["dated"] == dated


MONDAY = day(2023, 5, 8)


@pytest.mark.parametrize(
    ("question", "dated"),
    [
        ("What happened yesterday?", [1, 1, 0, 0]),
        ("What happened last week?", [1, 1, 1, 0]),
        ("What happened on 7 May 2023?", [1, 1, 0.5, 0]),
        ("What happened in May 2023?", [1, 1, 1, 0]),
        ("What happened in 2022?", [0, 0, 0, 1]),
        ("What happened on 3 March 2022?", [0, 0, 0, 0]),
        ("What happened last year?", [0, 0, 0, 1]),
        ("What happened since May 2023?", [1, 1, 1, 0]),
        ("What happened before 2022?", [0, 0, 0, 0]),
    ],
)
def test_a_passage_is_dated_by_when_it_is_from_and_by_what_it_names(question: str, dated: list[float]) -> None:
    pool = [
        passage(1, "x", at=MONDAY - 3_600),
        passage(2, "x the day before yesterday", at=MONDAY + 90_000),
        passage(3, "x", at=day(2023, 5, 2)),
        passage(4, "x was bad last year", at=day(2023, 1, 2)),
    ]
    assert signals(question, pool, now=MONDAY)["dated"] == dated


def test_the_words_of_a_time_are_held_by_what_is_from_that_time() -> None:
    pool = [
        passage(1, "the parser was written", at=day(2023, 5, 3)),
        passage(2, "last week the parser was written", at=day(2022, 5, 3)),
        passage(3, "the parser, last week", at=day(2022, 5, 3), looked=False),
    ]
    found = signals("Which parser last week?", pool, now=MONDAY)
    assert found["covered"][0] == pytest.approx(1)
    assert found["covered"][1] < 0.5
    # Of a row of the first version nobody knows which times it names: its words are all there is to go by.
    assert found["covered"][2] == pytest.approx(1)
    assert found["known"] == [1, 1, 1]


def test_what_names_a_month_is_no_name_that_was_never_heard_of() -> None:
    pool = [passage(1, "the parser", at=day(2023, 5, 3))]
    assert signals("Who wrote the parser in May 2023, or on Friday?", pool, now=MONDAY)["heard"] == [1]
    assert signals("Who wrote the parser with Zebedee?", pool, now=MONDAY)["heard"] == [0]


@pytest.mark.parametrize("at", [2**62, -(2**62), day(2023, 5) * 1000])
def test_a_time_that_is_none_is_of_no_month(at: int) -> None:
    assert signals("In May 2023?", [passage(1, "x", at=at)])["dated"] == [0]


# --- meaning ---


def test_a_lexical_recall_has_no_signal_that_needs_a_vector() -> None:
    pool = talk("one", "two")
    assert SEMANTIC.isdisjoint(signals("one", pool))
    assert signals("one", pool, {}, uneven={}).keys() >= SEMANTIC


def test_closeness_is_told_as_it_is_relative_to_the_best_and_to_the_others() -> None:
    pool = apart("one", "two", "three")
    found = signals("x", pool, {pool[0].pid: 0.8, pool[1].pid: 0.2, pool[2].pid: 0.0})
    assert found["cosine"] == [0.8, 0.2, 0]
    assert found["cosine_relative"] == pytest.approx([1, 0.25, 0])
    assert sum(found["cosine_z"]) == pytest.approx(0)
    assert found["cosine_z"][0] > 1
    assert found["session_cosine"] == [0.8, 0.2, 0]


def test_closeness_around_a_passage_counts_within_its_session() -> None:
    pool = [*talk("one", "two", "three"), *talk("four", session="t", first=4)]
    found = signals("x", pool, {row.pid: 0.9 if row is pool[1] else 0.0 for row in pool})
    assert found["session_cosine"] == [0.9, 0.9, 0.9, 0]
    assert found["cosine_before"] == pytest.approx([0, found["cosine_z"][0], found["cosine_z"][1], 0])
    assert found["cosine_after"] == pytest.approx([found["cosine_z"][1], found["cosine_z"][2], 0, 0])
    first, second, third, other = found["cosine_window"]
    assert first == pytest.approx(third)
    assert second > first > other


def test_the_answer_to_a_similar_question_is_told() -> None:
    pool = talk("Where are the keys?", "On the shelf", "How are you?", "I am well")
    found = signals("x", pool, {row.pid: 0.9 if row is pool[0] else 0.0 for row in pool})
    assert places(found["answers_similar"]) == {1}
    statement = talk("The keys are here.", "On the shelf")
    assert places(signals("x", statement, {statement[0].pid: 0.9, statement[1].pid: 0.0})["answers_similar"]) == set()


def test_words_and_meaning_together_are_more() -> None:
    pool = apart("the parser", "the parser", "unrelated", "unrelated")
    found = signals("parser", pool, dict(zip((row.pid for row in pool), (0.9, 0.0, 0.9, 0.0), strict=True)))
    assert places(found["both"]) == {0}


# --- every pool ---


@pytest.mark.parametrize("question", ["parser", "Where did Ada go in May 2023?", "?!", "unheard of", "to be or not"])
@pytest.mark.parametrize(
    "pool",
    [
        apart("the parser"),
        apart(""),
        apart("", "?!", "the parser"),
        talk("I am Ada", "Where?"),
        [passage(1, "", session="s", author="Ada"), passage(2, "x" * 5000, eligible=False)],
        [passage(1, "one", part=part) for part in range(5)],
    ],
    ids=["one", "empty", "almost empty", "session", "author", "parts"],
)
@pytest.mark.parametrize("cosine", [None, 0.0, 0.3, -0.3])
def test_every_signal_of_every_pool_is_a_number(question: str, pool: list[Passage], cosine: float | None) -> None:
    cosines = None if cosine is None else {row.pid: cosine for row in pool[:3]}
    for counts in (counted(pool), TermCounts(0, {}, frozenset(), frozenset())):
        found = signals(question, pool, cosines, counts=counts)
        for name, column in found.items():
            assert len(column) == len(pool), name
            assert all(math.isfinite(value) for value in column), name
        for name in set(found) - SEMANTIC - {"length"}:
            assert all(0 <= value <= 1 + 1e-9 for value in found[name]), name


def test_what_is_measured_is_what_has_a_weight() -> None:
    pool = talk("one", "two")
    beside = {"note", "asked_note", "eligible", "idle", "words_sure", "pairs_sure", "change"}
    models = (TALK, NOTE, ASKED_NOTE, TALK_RELEVANCE, NOTE_RELEVANCE, ANSWERED_NOTE)
    hybrid = {name for model in models for name in model} - {"best", "offset"}
    by_words = {*TALK_BY_WORDS, *NOTE_BY_WORDS, *RELEVANCE_BY_WORDS} - {"best", "offset"}
    assert signals("one", pool, {}, uneven={}).keys() == hybrid | by_words | BY_HAND.keys() | beside
    assert signals("one", pool).keys() == by_words | (BY_HAND.keys() - SEMANTIC) | beside
    assert TALK.keys() - TALK_BY_WORDS.keys() <= SEMANTIC
    assert all(term.deviation > 0 for term in (*TALK.values(), *NOTE.values(), *BY_HAND.values()))


def test_words_of_a_question_count_beyond_a_share_of_what_is_possible() -> None:
    pool = apart("the ledger closes at night", "the printer of the office in the hall", "a table", "a chair")
    found = signals("When does the ledger close, and who opens the books of the printer again?", pool)
    assert all(
        0 <= sure < share for sure, share in zip(found["words_sure"], found["words_share"], strict=True) if share
    )
    weak = signals("Who waters all those many green plants beside a table?", pool)
    assert max(weak["words_share"]) > 0
    assert set(weak["words_sure"]) == {0.0} == set(weak["pairs_sure"])


def test_a_change_is_measured_by_how_much_less_of_a_question_it_covers_than_the_best() -> None:
    pool = [
        passage(1, "the reader of packages", part=0)._replace(standing=Standing(tags=("git",))),
        passage(1, "it skipped failures", part=1)._replace(standing=Standing(tags=("git",))),
        passage(2, "the reader")._replace(standing=Standing(tags=("changelog",))),
        passage(3, "the reader of packages skipped failures"),
    ]
    found = signals("Why were failures of packages skipped by the reader?", pool)
    assert found["change"] == [1, 1, 1, 0]
    assert found["change_covered"][:2] == [0, 0], "a commit covers what its passages cover together"
    assert found["change_covered"][2] < 0 == found["change_covered"][3]
    assert not any(signals("reader packages", pool)["change"]), "words to look for"


def test_an_even_match_is_told_from_an_uneven_one_and_from_an_unknown_one() -> None:
    pool = apart("one", "two", "three")
    cosines = {pool[0].pid: 0.2, pool[1].pid: 0.8, pool[2].pid: 0.1}
    found = signals("x", pool, cosines, uneven={pool[0].pid: 0.1, pool[1].pid: 0.01})
    assert found["even"][0] < 0 < found["even"][1]
    assert found["even"][2] == 0
    assert "even" not in signals("x", pool, cosines)


# --- kinds of memory ---


def kinds(*authors: str, session: str | None = "s") -> tuple[list[float], list[float]]:
    pool = [passage(number, "x", session=session, author=author) for number, author in enumerate(authors, 1)]
    found = signals("x", pool)
    return found["note"], found["reply"]


def test_turns_between_people_are_talk_and_everything_else_is_a_note() -> None:
    assert kinds("Ada", "Alan") == ([0, 0], [0, 0])
    assert kinds("", "") == ([1, 1], [0, 0])
    assert kinds("Ada", "Alan", session=None) == ([1, 1], [0, 0])


def test_what_a_person_tells_an_assistant_is_a_note_and_the_answer_a_reply() -> None:
    assert kinds("user", "assistant", "user") == ([1, 1, 1], [0, 1, 0])


def test_what_an_assistant_stores_is_no_reply_where_nobody_talks_to_it() -> None:
    assert kinds("assistant", "assistant") == ([1, 1], [0, 0])
    assert kinds("assistant", session=None) == ([1], [0])


def test_a_reply_speaks_for_the_turn_that_it_answers_and_for_no_other() -> None:
    pool = [
        passage(1, "the lexer", session="s", author="user"),
        passage(2, "How do I do it?", session="s", author="user"),
        passage(3, "the parser", session="s", author="assistant"),
        passage(4, "thanks", session="s", author="user"),
    ]
    found = signals("parser", pool, dict(zip((row.pid for row in pool), (0.1, 0.2, 0.9, 0.0), strict=True)))
    assert found["reply_words"] == [0, 1, 0, 0]
    assert found["reply_cosine"] == pytest.approx([0, 0.7, 0, 0])


def test_meaning_counts_more_where_words_cover_little_of_the_question() -> None:
    pool = apart("the parser reads tokens", "something else")
    cosines = {pool[0].pid: 0.2, pool[1].pid: 0.6}
    covered = signals("parser reads tokens", pool, cosines)["cosine_alone"]
    uncovered = signals("lexer writes letters", pool, cosines)["cosine_alone"]
    assert covered == pytest.approx([0, 0])
    assert uncovered == pytest.approx([0.2, 0.6])


def test_a_question_about_strangers_was_never_heard_of() -> None:
    pool = talk("Ann went to Rome", "then she came back")
    for asked, heard in (
        ("did Ann go by train", 1.0),
        ("Bob did go by train", 1.0),
        ("and did Bob go", 0.0),
        ("and did Ann meet Bob", 1.0),
    ):
        assert signals(asked, pool)["heard"] == [heard] * 2, asked


def test_a_passage_without_a_vector_counts_as_near_as_the_others_are_on_average() -> None:
    pool = apart("near", "far", "not embedded yet")
    measured = signals("anything", pool, {pool[0].pid: 0.9, pool[1].pid: 0.3})
    assert measured["cosine"] == pytest.approx([0.9, 0.3, 0.6])
    assert measured["cosine_z"][2] == pytest.approx(0.0)


def test_a_passage_without_a_vector_counts_as_near_as_those_that_match_as_many_words() -> None:
    pool = apart("tokens expire", "tokens", "harbour", "tokens expire hourly", "tokens at noon")
    measured = signals("tokens expire", pool, {pool[0].pid: 0.8, pool[1].pid: 0.4, pool[2].pid: 0.3})
    assert measured["cosine"] == pytest.approx([0.8, 0.4, 0.3, 0.8, 0.6])


def test_a_passage_without_a_vector_that_matches_most_words_is_as_near_as_the_nearest() -> None:
    pool = apart("harbour", "lighthouse", "tokens expire")
    measured = signals("tokens expire", pool, {pool[0].pid: 0.2, pool[1].pid: 0.3})
    assert measured["cosine"] == pytest.approx([0.2, 0.3, 0.3])


def test_where_no_passage_has_a_vector_none_is_near() -> None:
    assert list(signals("anything", apart("one", "other"), {})["cosine"]) == [0.0, 0.0]
