"""Any text can be searched for dates at any time: spans are where they say, in order, and within time."""

from __future__ import annotations

from hypothesis import example, given, settings
from hypothesis import strategies as st

from recollect.text.dates import DAY, asked_times, mentions, resolved

FIRST, END = -62_135_596_800, 253_402_300_800

WORDS = (
    "yesterday today tomorrow tonight last next this past week weekend month quarter year Monday friday in since "
    "until by before after the a few couple of 3 12 31 2023 9999 0000 ago days weeks years May may March january Feb "
    "8th "
    "1st Q3 Q1 to and 2023-05-08 2024-02-30 2023/1/1 met will İ ﬁ K ſ 猫 . , ! ' ’ - \n"
).split(" ")

text = st.text(max_size=60) | st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join)
moment = st.integers(FIRST - 10, END + 10) | st.integers(-(2**70), 2**70)


@settings(max_examples=400)
@given(text, moment)
@example("the week before yesterday", FIRST)
@example("the week after tomorrow", END - 1)
@example("December 9999 and the month after December 9999", END - 1)
@example("last 9999 years, next 9999 years", 0)
@example("İ" * 50 + " yesterday", 0)
def test_a_span_is_where_it_says_and_within_time(text: str, at: int) -> None:
    for spans in (mentions(text, at), asked_times(text, at)):
        place = 0
        for span in spans:
            assert span.words
            assert text[span.at : span.stop] == span.words
            assert span.at >= place
            place = span.stop
            assert FIRST <= span.start < span.end <= END
            assert span.start % DAY == 0
            assert span.label()


@given(text, moment)
def test_nothing_is_lost_by_writing_dates_beside_the_words(text: str, at: int) -> None:
    shown = resolved(text, at)
    for span in reversed([span for span in mentions(text, at) if span.relative]):
        mark = f" [{span.label()}]"
        place = shown.rindex(mark)
        shown = shown[:place] + shown[place + len(mark) :]
    assert shown == text


@given(text, moment, st.integers(0, DAY - 1))
def test_it_does_not_matter_at_which_hour_of_a_day_something_was_said(text: str, at: int, later: int) -> None:
    if "hour" in text or "minute" in text:
        return
    day = at // DAY * DAY
    assert mentions(text, day) == mentions(text, day + later)
