"""Dates: which times a text names, and which days they are when it was said."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from recollect.text.dates import Span, asked_times, marked, mentions, resolved


def seconds(year: int, month: int, day: int, hour: int = 0) -> int:
    return int(datetime(year, month, day, hour, tzinfo=UTC).timestamp())


# A Monday, in the afternoon.
SAID = seconds(2023, 5, 8, 14)


def told(spans: tuple[Span, ...]) -> list[tuple[str, str]]:
    return [(span.words, span.label()) for span in spans]


@pytest.mark.parametrize(
    ("text", "words", "means"),
    [
        ("I went there yesterday.", "yesterday", "2023-05-07"),
        ("Today we start", "Today", "2023-05-08"),
        ("See you TOMORROW!", "TOMORROW", "2023-05-09"),
        ("It rained last night", "last night", "2023-05-07"),
        ("fixed this morning", "this morning", "2023-05-08"),
        ("the day before yesterday", "the day before yesterday", "2023-05-06"),
        ("the day after tomorrow", "the day after tomorrow", "2023-05-10"),
        ("Last week I ran", "Last week", "2023-05-01 to 2023-05-07"),
        ("this week", "this week", "2023-05-08 to 2023-05-14"),
        ("next week's meeting", "next week", "2023-05-15 to 2023-05-21"),
        ("last weekend", "last weekend", "2023-05-06 to 2023-05-07"),
        ("this weekend", "this weekend", "2023-05-13 to 2023-05-14"),
        ("two weekends ago", "two weekends ago", "2023-04-29 to 2023-04-30"),
        ("last month", "last month", "2023-04"),
        ("next month", "next month", "2023-06"),
        ("this past weekend", "this past weekend", "2023-05-06 to 2023-05-07"),
        ("last quarter", "last quarter", "2023-01-01 to 2023-03-31"),
        ("last year", "last year", "2022"),
        ("earlier this year", "this year", "2023"),
        ("next year", "next year", "2024"),
        ("last Friday", "last Friday", "2023-05-05"),
        ("last Monday", "last Monday", "2023-05-01"),
        ("next Monday", "next Monday", "2023-05-15"),
        ("this Wednesday", "this Wednesday", "2023-05-10"),
        ("this coming Sunday", "this coming Sunday", "2023-05-14"),
        ("last March", "last March", "2023-03"),
        ("last May", "last May", "2022-05"),
        ("this May", "this May", "2023-05"),
        ("next April", "next April", "2024-04"),
        ("3 days ago", "3 days ago", "2023-05-05"),
        ("a week ago", "a week ago", "2023-05-01 to 2023-05-07"),
        ("five months ago", "five months ago", "2022-12"),
        ("ten years ago", "ten years ago", "2013"),
        ("20 hours ago", "20 hours ago", "2023-05-07"),
        ("ninety, no, 90 minutes ago", "90 minutes ago", "2023-05-08"),
        ("a couple of weeks ago", "a couple of weeks ago", "2023-04-24 to 2023-04-30"),
        ("a few days ago", "a few days ago", "2023-05-02 to 2023-05-06"),
        ("several hours ago", "several hours ago", "2023-05-08"),
        ("in 3 days we leave", "in 3 days", "2023-05-11"),
        ("the job will end in 12 hours", "in 12 hours", "2023-05-09"),
        ("in two weeks' time", "in two weeks' time", "2023-05-22 to 2023-05-28"),
        ("2 months from now", "2 months from now", "2023-07"),
        ("over the past two weeks", "past two weeks", "2023-04-24 to 2023-05-08"),
        ("in the last 3 days", "last 3 days", "2023-05-05 to 2023-05-08"),
        ("in the last month", "last month", "2023-04-08 to 2023-05-08"),
        ("for the next 10 days", "next 10 days", "2023-05-08 to 2023-05-18"),
        ("the week before last", "the week before last", "2023-04-24 to 2023-04-30"),
        ("the month after next we move", "the month after next", "2023-07"),
        ("the week before last Friday", "the week before last Friday", "2023-04-28 to 2023-05-04"),
        ("it's last week's build", "last week", "2023-05-01 to 2023-05-07"),
        ("as of march we use it", "march", "2023-03"),
        ("the week before 9 June 2023", "the week before 9 June 2023", "2023-06-02 to 2023-06-08"),
        ("the day after May 31", "the day after May 31", "2023-06-01"),
        ("the Sunday before 25 May 2023", "the Sunday before 25 May 2023", "2023-05-21"),
        ("the month after March 2023", "the month after March 2023", "2023-04"),
        ("We met on Friday", "Friday", "2023-05-05"),
        ("We met on Monday", "Monday", "2023-05-01"),
        ("It will ship on Friday", "Friday", "2023-05-12"),
        ("The report is due Monday", "Monday", "2023-05-15"),
        ("send it by Thursday", "Thursday", "2023-05-11"),
        ("May 8th", "May 8th", "2023-05-08"),
        ("the 3rd of June", "3rd of June", "2023-06-03"),
        ("on December 25 we celebrated", "December 25", "2022-12-25"),
        ("on 25 December we will celebrate", "25 December", "2023-12-25"),
        ("Feb 29 was a Saturday", "Feb 29", "2020-02-29"),
        ("shipped in March", "March", "2023-03"),
        ("reviewed by two since the incident in November", "November", "2022-11"),
        ("a review of all since the move in November", "November", "2022-11"),
        ("the contract ends in April", "April", "2024-04"),
        ("December was cold", "December", "2022-12"),
        ("It will be released in march", "march", "2024-03"),
        ("since March", "since March", "2023-03-01 to 2023-05-08"),
        ("since 2021", "since 2021", "2021-01-01 to 2023-05-08"),
        ("since last week", "since last week", "2023-05-01 to 2023-05-08"),
        ("in Q1", "Q1", "2023-01-01 to 2023-03-31"),
        ("due in Q3", "Q3", "2023-07-01 to 2023-09-30"),
    ],
)
def test_what_depends_on_when_it_was_said_is_worked_out(text: str, words: str, means: str) -> None:
    found = mentions(text, SAID)
    assert told(found) == [(words, means)]
    assert found[0].relative
    assert text[found[0].at : found[0].stop] == words


@pytest.mark.parametrize(
    ("text", "words", "means"),
    [
        ("on 2022-11-30.", "2022-11-30", "2022-11-30"),
        ("at 2022-11-30T10:00:00Z", "2022-11-30", "2022-11-30"),
        ("2022/1/5", "2022/1/5", "2022-01-05"),
        ("0001-01-01", "0001-01-01", "0001-01-01"),
        ("9999-12-31", "9999-12-31", "9999-12-31"),
        ("released 2022-11", "2022-11", "2022-11"),
        ("8 May 2021", "8 May 2021", "2021-05-08"),
        ("2:10 pm on 8 May, 2021", "8 May, 2021", "2021-05-08"),
        ("the 8th of May, 2021", "8th of May, 2021", "2021-05-08"),
        ("May 8, 2021", "May 8, 2021", "2021-05-08"),
        ("Sept. 8 2021", "Sept. 8 2021", "2021-09-08"),
        ("may 2021", "may 2021", "2021-05"),
        ("December, 2999", "December, 2999", "2999-12"),
        ("Q3 2024", "Q3 2024", "2024-07-01 to 2024-09-30"),
        ("2024 Q4", "2024 Q4", "2024-10-01 to 2024-12-31"),
        ("in 2019 we moved", "2019", "2019"),
        ("in the summer of 1969", "1969", "1969"),
    ],
)
def test_a_date_in_full_is_the_same_whenever_it_was_said(text: str, words: str, means: str) -> None:
    for at in (SAID, 0, 2**62, -(2**62)):
        found = mentions(text, at)
        assert told(found) == [(words, means)]
        assert not found[0].relative


@pytest.mark.parametrize(
    "text",
    [
        "",
        "It may rain, and they march on",
        "May I ask? They may 10 at a time.",
        "only 8 may connect",
        "The state it is in may change",
        "the last may fail, the next may not, and this may be why",
        "we began to march",
        "June said hello to April",
        "every Friday, each Monday, Tuesday nights and Sundays",
        "Kim has to approve deploys, which happen Monday to Thursday only",
        "Never deploy on Friday",
        "the last day of the tour, the next day, the next week",
        "the week before the launch",
        "We finished it in 2 days",
        "in 2048 tokens, 1999 lines and 2000 more",
        "port 2024, version 2023.05.1, call 12024",
        "31 February 2023, 30 Feb, 2023-02-30, 2024-13-01, 0000-01-01",
        "9999 years ago and in 9999 years",
        "1234-05 is a part number",
        "in Q5 2024, in q1, see Q1",
        "the dec file, sep 5 items, 5 sec",
        "todayish yesterdays mayor Marchtown",
    ],
)
def test_what_names_no_time_is_left_alone(text: str) -> None:
    assert mentions(text, SAID) == ()
    assert resolved(text, SAID) == text


@pytest.mark.parametrize(
    "text",
    [
        "It broke the day before.",
        "the day after, we fixed it",
        "the week after; the month before; the year after",
        "The day before the release it broke, the week after the launch it worked",
        "two days later, three weeks earlier, a day after, a week before the merge",
        "That day it failed, that same week it failed, and the same month",
        "That Friday we met, and the same Friday, and the following Friday",
        "We met on the Friday, on the first Monday, one Sunday and Friday of that week",
        "The previous week we met, and on the previous Friday, and in the previous December",
        "The next morning it was gone; next morning it was back; the next Monday it failed",
        "on the last night, on the last Friday before the freeze",
        "The last week before the launch, and the last two days before it",
        "Over the next two days they fixed it",
        "the day before last release",
        "My last week there was hard, as was Ada's last month, and every last Friday",
        "in May of that year, in December the following year, on 8 May that year, in Q3 of that year",
        "that December, every December",
        "The build runs in 2 hours",
    ],
)
def test_a_time_that_counts_from_something_else_is_left_alone(text: str) -> None:
    assert mentions(text, SAID) == ()


def test_a_year_counts_for_both_ends_of_a_range() -> None:
    assert told(mentions("from March to May 2021", SAID)) == [("March", "2021-03"), ("May 2021", "2021-05")]
    assert told(mentions("between 2019 and 2021", SAID)) == [("2019", "2019"), ("2021", "2021")]
    assert told(mentions("8 May and 10 June 2021", SAID)) == [("8 May", "2021-05-08"), ("10 June 2021", "2021-06-10")]


def test_the_verb_nearest_before_a_time_tells_its_direction() -> None:
    assert told(mentions("We met and will meet on Friday", SAID)) == [("Friday", "2023-05-12")]
    assert told(mentions("We will see. We met on Friday", SAID)) == [("Friday", "2023-05-05")]
    assert told(mentions("On Friday we met", SAID)) == [("Friday", "2023-05-05")]


def test_a_month_as_far_back_as_ahead_is_past() -> None:
    november = seconds(2026, 11, 18, 9)
    assert told(mentions("The key has the tenant because of the leak in May.", november)) == [("May", "2026-05")]


@pytest.mark.parametrize(
    "text",
    [
        "Make access tokens valid for 10 minutes from now on",
        "Keep logs for two weeks from now onwards.",
        "It fails now and then, by now often, right now not; until now and for now we retry",
    ],
)
def test_an_idiom_of_now_is_no_date(text: str) -> None:
    assert mentions(text, SAID) == ()


def test_times_come_in_order_and_one_by_one() -> None:
    text = "Yesterday, on 7 May 2023, I said: last week was long, tomorrow will be short."
    assert [span.words for span in mentions(text, SAID)] == ["Yesterday", "7 May 2023", "last week", "tomorrow"]


def test_a_time_that_cannot_be_counted_from_leaves_only_full_dates() -> None:
    for at in (2**62, -(2**62)):
        assert [span.words for span in mentions("yesterday, in March, 8 May 2021, since 2020", at)] == [
            "8 May 2021",
            "2020",
        ]


@pytest.mark.parametrize(("year", "text"), [(1, "yesterday, last year"), (9999, "next month, tomorrow")])
def test_nothing_is_before_the_first_day_or_after_the_last(year: int, text: str) -> None:
    day = seconds(1, 1, 1) if year == 1 else seconds(9999, 12, 31)
    assert mentions(text, day) == ()
    assert told(mentions("today", day)) == [("today", "0001-01-01" if year == 1 else "9999-12-31")]


# --- questions ---


@pytest.mark.parametrize(
    ("text", "means"),
    [
        ("What did we do last week?", ["2023-05-01 to 2023-05-07"]),
        ("What happened on Friday?", ["2023-05-05"]),
        ("What do we plan for Friday?", ["2023-05-12"]),
        ("Who came in June?", ["2022-06"]),
        ("Who came in May?", ["2023-05"]),
        ("What was decided on 2 March 2022?", ["2022-03-02"]),
        ("What was used before March 2022?", ["0001-01-01 to 2022-02-28"]),
        ("What changed after March 2022?", ["2022-04-01 to 2023-05-08"]),
        ("What changed since March 2022?", ["2022-03-01 to 2023-05-08"]),
        ("What did we use until March 2022?", ["0001-01-01 to 2022-03-31"]),
        ("What did we use until March?", ["0001-01-01 to 2023-03-31"]),
        ("May I ask what changed?", []),
    ],
)
def test_a_question_looks_back_unless_it_says_otherwise(text: str, means: list[str]) -> None:
    assert [span.label() for span in asked_times(text, SAID)] == means


# --- beside the words ---


def test_the_date_stands_beside_words_that_do_not_say_it() -> None:
    text = "I did it yesterday, on 8 May 2021 I did not. İstanbul last year!"
    assert resolved(text, SAID) == (
        "I did it yesterday [2023-05-07], on 8 May 2021 I did not. İstanbul last year [2022]!"
    )


def test_labels_go_where_they_are_told() -> None:
    assert marked("abc", [(1, "x"), (3, "y")]) == "a [x]bc [y]"
    assert marked("abc", []) == "abc"
