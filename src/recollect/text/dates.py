"""Dates in text: the times that its words name, relative to when it was said.

    "We met last Tuesday, a week before 8 May 2023."
            └ relative to when it was said            └ absolute

A time is whole days (UTC), as [start, end) in Unix seconds. The verb gives the direction: "met on Monday" is the Monday
before, "due on Monday" the one after. Without a direction there is no date: a wrong one is worse than none.

Words are searched in lower case, which is several times as fast; their case only tells a month from a verb: "May 8th",
"in may", but not "it may". Patterns are compiled on first use, since that takes longer than storing a memory.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import NamedTuple

from recollect.text.days import EPOCH, LAST, STEPS, WEEKDAYS, Days, date_of, is_leap, months, on, one, weekday

DAY = 86_400
# A month that lies half a year back and half a year ahead is past: what is told with a month has mostly happened.
AHEAD = 1.1
_pattern = cache(re.compile)

MONTHS = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip

_COUNTS: Mapping[str, int] = {
    "a": 1, "an": 1, "one": 1, "two": 2, "a couple": 2, "a couple of": 2, "three": 3, "four": 4, "five": 5, "six": 6,
    "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12,
}  # fmt: skip
_FEW = frozenset({"a few", "few", "several"})
_FEWEST, _MOST = 2, 6


class Span(NamedTuple):
    """A time in a text: the place of its words, and [start, end) in Unix seconds.

    relative: it depends on when the text was said
    """

    at: int
    words: str
    start: int
    end: int
    relative: bool

    @property
    def stop(self) -> int:
        """The end of the words."""
        return self.at + len(self.words)

    def label(self) -> str:
        """Return the shortest form: a year, a month, a day, or two days."""
        first, last = date_of(self.start // DAY + EPOCH), date_of(self.end // DAY + EPOCH - 1)
        if first == last:
            return first.isoformat()
        for length, days in ((7, months(first.year, first.month)), (4, months(first.year, 1, 12))):
            if (first.toordinal(), last.toordinal() + 1) == days:
                return first.isoformat()[:length]
        return f"{first.isoformat()} to {last.isoformat()}"


def mentions(text: str, at: int) -> tuple[Span, ...]:
    """Return the times in a text that was said at `at` (Unix seconds), in order."""
    return tuple(_spans(text, at, unsaid=None))


def asked_times(text: str, now: int) -> tuple[Span, ...]:
    """Return the times of a question that is asked at `now`.

    A question is about the past by default. "Before", "after" and "until" give an open-ended time.
    """
    lowered = _lowered(text)
    return tuple(_sided(lowered, span, now) for span in _spans(text, now, unsaid=-1))


def resolved(text: str, at: int) -> str:
    """Return a text with the date behind every relative time: `yesterday [2023-05-07]`."""
    return marked(text, [(span.stop, span.label()) for span in mentions(text, at) if span.relative])


def marked(text: str, labels: list[tuple[int, str]]) -> str:
    """Return a text with each label in brackets behind its place; places in order."""
    pieces: list[str] = []
    done = 0
    for place, label in labels:
        pieces += (text[done:place], f" [{label}]")
        done = place
    return "".join((*pieces, text[done:]))


# --- context of an expression ---

_SENTENCE_END = r"[.!?\n](?:\s|$)"
# Days of a unit in "the last three months".
_LENGTHS = {"day": 1, "week": 7, "month": 30, "quarter": 91, "year": 365}

# The largest distance of a verb from its time.
_REACH = 120
_CUE = (
    r"(?P<future>\b(?:will|won't|shall|gonna|going to|due|deadline|upcoming|plan|plans|planned|planning|schedule|"
    r"scheduled|must|should|needs? to|ha(?:s|ve) to|next|later|soon|tomorrow|ends|"
    r"expires|starts|begins)\b|(?:'|’)ll\b)|"
    r"(?P<past>\b(?:was|were|did|had|went|met|saw|got|came|made|took|said|told|gave|found|left|ran|began|wrote|built|"
    r"broke|fell|felt|held|heard|kept|knew|lost|paid|read|sent|sold|spoke|spent|taught|thought|won|bought|caught|ate|"
    r"drove|flew|grew|last|ago|already|yesterday|earlier|outage|incident|"
    r"since (?:the|our|that) \w+ (?:in|of|on)|"
    r"(?<!\bbe )\w*[^\We]ed)\b)"
)
_WORD_BEFORE = r"([a-z'’]+)\s{1,3}$"

# After these a number is a year, and an ambiguous name a month.
_PREPOSITIONS = frozenset(
    "in since until till by before after from during through between of around early mid late spring summer autumn "
    "fall winter year".split()
)
# After these a month needs no capital.
_PLAIN_PREPOSITIONS = frozenset("in since until till by before during early mid late".split())
# What may follow the month "may" and "the week before last"; not "the state it is in may change".
_CLAUSE = (
    r"\s{0,3}(?:$|[^\w\s]|\s(?:i|we|he|she|they|it|you|the|our|my|and|or|but|to|until|at|on|with|when|was|were)\b)"
)
# Words before a weekday or month that is not the nearest: "every Friday".
_OTHERS = frozenset("every each any per a never that same following one some another first second third fourth".split())
# Words before a last or next week that is not relative to now.
_OWNERS = frozenset("my our your his her its their every each".split())
# Months that are also other words: they need a number or a preposition.
_AMBIGUOUS = frozenset({"march", "april", "may", "june", "august"})
# Other words without a capital.
_VERBS = frozenset({"may", "march", "mar", "sep", "dec"})
# "Of that year", "the following week".
_OF_ANOTHER = (
    r",?\s{1,3}(?:of\s{1,3})?(?:that|the)\s{1,3}(?:(?:same|following|next|previous)\s{1,3})?"
    r"(?:week|month|quarter|year)\b"
)
# A number that counts these is no year.
_COUNTED = (
    r"\s?(?:tokens?|bytes?|lines?|rows?|files?|items?|entries|characters|chars|words|users|requests|times|ms|px|[kmg]i?b|"
    r"pages|points|steps|people|records|memories|messages|percent|%|dollars|euros|\$|€)"
)


class _Place(NamedTuple):
    """An expression in its text: the words as written and in lower case, where they are, and when they were said."""

    text: str
    lowered: str
    start: int
    end: int
    said: int | None
    seconds: int
    unsaid: int | None

    def before(self) -> str:
        """Return the word in front, in lower case."""
        found = _pattern(_WORD_BEFORE).search(self.lowered, max(0, self.start - 16), self.start)
        return found[1] if found else ""

    def after_preposition(self) -> bool:
        """Tell whether a word stands in front that only times follow, or this joins another month or year."""
        if self.before() in _PREPOSITIONS:
            return True
        return bool(_pattern(_JOINED).search(self.lowered, max(0, self.start - _JOIN_REACH), self.start))

    def after_plain_preposition(self) -> bool:
        """Tell whether a word stands in front after which a month needs no capital."""
        if self.before() in _PLAIN_PREPOSITIONS:
            return True
        return bool(_pattern(AS_OF).search(self.lowered, max(0, self.start - AS_OF_REACH), self.start))

    def is_of_another_time(self) -> bool:
        """Tell whether words behind say that it counts from something else: "May of that year"."""
        return bool(_pattern(_OF_ANOTHER).match(self.lowered, self.end))

    def direction(self) -> int | None:
        """Return -1 for what is past, 1 for what is to come, None where the sentence does not tell."""
        if self.unsaid is None and self.before() in ("by", "until", "till"):
            return 1
        low, high = max(0, self.start - _REACH), min(len(self.text), self.end + _REACH)
        for stop in _pattern(_SENTENCE_END).finditer(self.lowered, low, self.start):
            low = stop.end()
        after = _pattern(_SENTENCE_END).search(self.lowered, self.end, high)
        high = after.start() if after else high
        cue = None
        for cue in _pattern(_CUE).finditer(self.lowered, low, self.start):  # noqa: B007 - the last one counts
            pass
        cue = cue or _pattern(_CUE).search(self.lowered, self.end, high)
        return self.unsaid if cue is None else 1 if cue["future"] else -1


# --- rules: how an expression is written, and which days it means ---

Parts = Mapping[str, str | None]
# The days, and whether they are relative; None if the expression is no time.
Found = tuple[Days, bool] | None

_GAP = r"\s{1,3}"
_MONTH = (
    r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|"
    r"oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)(?:\.(?=\s[0-9]))?"
)
_YEAR = r"(?P<year>[12][0-9]{3})(?![0-9]|[.:][0-9])"
_ORDINAL = r"(?P<day>[0-9]{1,2})(?P<ordinal>st|nd|rd|th)?(?![0-9a-z]|[.:][0-9])"
_COUNT = r"(?P<count>a few|few|several|a couple(?: of)?|" + "|".join(sorted(_COUNTS, reverse=True)) + r"|[0-9]{1,4})"
_UNIT = r"(?P<unit>minute|hour|day|weekend|week|month|quarter|year)"
_WEEKDAY = r"(?P<weekday>" + "|".join(WEEKDAYS) + r")"
# "As of March", "as of the end of March".
AS_OF = rf"\bas{_GAP}of{_GAP}(?:the{_GAP})?(?:(?P<edge>end|close|start|beginning){_GAP}of{_GAP}(?:the{_GAP})?)?$"
AS_OF_REACH = 44
_ANY_MONTH = re.sub(r"\?P<\w+>", "?:", _MONTH)
# "from March to May 2024", "8 May or 9 May 2023": the year counts for both.
_SHARED_YEAR = (
    rf"\s*(?:to|until|till|through|and|or|&|-|–|—)\s*(?:[0-9]{{1,2}}(?:st|nd|rd|th)?(?: of)?\s)?{_ANY_MONTH}"
    rf"(?:\s[0-9]{{1,2}}(?:st|nd|rd|th)?(?![0-9]))?,?\s{_YEAR}"
)


# "From March to May", "in 2021 or 2022": what is joined to a time is one.
_JOINED = rf"\b(?:{_ANY_MONTH}|[12][0-9]{{3}}),?\s{{1,3}}(?:to|and|or)\s{{1,3}}$"
_JOIN_REACH = 24
# "Monday to Thursday", "Friday only": days of every week.
_RANGE = r"\s{0,3}(?:to|through|thru|[-–])\s{0,3}"
_RANGE_BEFORE = rf"\b(?:{'|'.join(WEEKDAYS)}){_RANGE}$"
_RANGE_BEHIND = rf"{_RANGE}(?:{'|'.join(WEEKDAYS)})\b|\s{{1,3}}only\b"


def _iso(place: _Place, parts: Parts) -> Found:
    year, month, day = int(parts["year"] or 0), int(parts["month"] or 0), parts["day"]
    if day is not None:
        return on(year, month, int(day)), False
    # Two numbers with a hyphen are a month of our time only.
    return (months(year, month), False) if 1900 <= year <= 2100 and 1 <= month <= 12 else None


def _dated(place: _Place, parts: Parts) -> Found:
    """A month, with a day, a year, both or neither."""
    name, year, written = parts["month"] or "", parts["year"], parts.get("day")
    day = int(written) if written else None
    if not (_is_month(place, name) if day is None and year is None else _is_date(place, name, parts)):
        return None
    month = _number(name)
    if year is None:
        shared = _pattern(_SHARED_YEAR).match(place.lowered, place.end)
        year = shared["year"] if shared else None
    if year is not None:
        return (months(int(year), month) if day is None else on(int(year), month, day)), False
    if place.said is None or place.before() in _OTHERS or place.is_of_another_time():
        return None
    return _nearest(place, month, day), True


def _number(name: str) -> int:
    """Return the number of a month from its name or short form."""
    return next(number for number, full in enumerate(MONTHS, 1) if full.startswith(name[:3]))


def _is_month(place: _Place, name: str) -> bool:
    """Tell whether a name without a number is a month."""
    if name in MONTHS and name not in _AMBIGUOUS:
        return True
    if place.text[place.start].isupper():
        return place.after_preposition()
    return (
        name in MONTHS
        and place.after_plain_preposition()
        and (name != "may" or bool(_pattern(_CLAUSE).match(place.lowered, place.end)))
    )


def _is_date(place: _Place, name: str, parts: Parts) -> bool:
    """Tell whether a name with a number beside it is a month: "may 10 users" is not."""
    if name not in _VERBS or place.text[place.lowered.find(name, place.start)].isupper():
        return True
    return parts["year"] is not None or parts["ordinal"] is not None or place.after_plain_preposition()


def _nearest(place: _Place, month: int, day: int | None) -> Days:
    """Return the month, or the day of it, that a text without a year means."""
    said = place.said or 0
    direction = place.direction()

    def of(year: int) -> Days:
        return months(year, month) if day is None else on(year, month, day)

    this = date_of(said).year
    years = [year for year in (this - 1, this, this + 1) if 1 <= year <= 9999]
    if day == 29 and month == 2:
        years = [year for year in range(max(1, this - 8), min(9999, this + 8) + 1) if is_leap(year)]
    times = [of(year) for year in years]
    allowed = [
        time for time in times if not direction or (time[0] <= said if direction < 0 else time[1] > said)
    ] or times
    away = {time: (time[0] + time[1] - 1) / 2 - said for time in allowed}
    return min(allowed, key=lambda time: max(-away[time], AHEAD * away[time]))


def _quarter(place: _Place, parts: Parts) -> Found:
    number, year = int(parts["number"] or 1), parts["year"] or parts["first_year"]
    if year is not None:
        return months(int(year), 3 * number - 2, 3), False
    if place.said is None or place.is_of_another_time():
        return None
    if not (place.text[place.start].isupper() and place.after_preposition()):
        return None
    now = date_of(place.said)
    direction = place.direction() or -1
    this = (now.month + 2) // 3
    step = 0 if number == this or (number < this) == (direction < 0) else direction
    return months(now.year + step, 3 * number - 2, 3), True


def _counted(place: _Place, parts: Parts) -> Found:
    """Days, weeks, months or years ago, or from now."""
    if place.said is None:
        return None
    unit, count = parts["unit"] or "", parts["count"] or ""
    # "In two days" is a time only in the future; otherwise a duration.
    if parts["way"] is None:
        direction = place._replace(unsaid=None).direction()
        if direction == -1 or (direction is None and unit in ("hour", "minute")):
            return None
    sign = -1 if parts["way"] == "ago" else 1
    if count in _FEW:
        if unit in ("hour", "minute"):
            return one(place.said), True
        near, far = (STEPS[unit](place.said, sign * many) for many in (_FEWEST, _MOST))
        return (min(near[0], far[0]), max(near[1], far[1])), True
    many = sign * (_COUNTS[count] if count in _COUNTS else int(count))
    if unit in ("hour", "minute"):
        return one((place.seconds + many * (3600 if unit == "hour" else 60)) // DAY + EPOCH), True
    return STEPS[unit](place.said, many), True


def _shifted(place: _Place, parts: Parts) -> Found:
    """Last, this or next week, weekend, month, quarter, year, weekday or month by name."""
    how, said = parts["how"] or "", place.said
    if said is None or _is_of_something(place, how):
        return None
    sign = 0 if how in ("this", "current") else 1 if how in ("next", "coming", "upcoming") else -1
    unit, count, the = parts["unit"], parts["count"], place.before() == "the"
    if unit is None:
        # "The next Monday" is relative to something in the text.
        return None if the and how in ("last", "next") else _shifted_name(place, parts, sign)
    if unit in ("hour", "minute"):
        return None
    if count or (how in ("last", "past") and (the or how == "past")):
        # "The last week before the launch", "over the next two days they fixed it".
        is_told = _pattern(_UP_TO).match(place.lowered, place.end) if sign < 0 else place.direction() == -1
        return None if the and is_told else _window(said, unit, count, sign)
    # "The next week" and "last day" are relative to something in the text.
    return None if unit == "day" or (the and sign > 0) else (STEPS[unit](said, sign), True)


def _is_of_something(place: _Place, how: str) -> bool:
    """Tell whether a last or next time is relative to something in the text: "her last week"."""
    before = place.before()
    if how == "previous" or before in _OWNERS:
        return True
    # "Ada's last week", but "it's last week's" and "the demo's next week".
    return how == "last" and before.endswith(("'s", "’s")) and before[:-2] not in ("it", "that", "he", "she", "let")


def _shifted_name(place: _Place, parts: Parts, sign: int) -> Found:
    """Return last, this or next Monday, May or night."""
    said = place.said or 0
    if parts["weekday"]:
        return one(weekday(said, parts["weekday"], sign)), True
    if parts["month"]:
        return _named(place, parts["month"], sign)
    return None if sign > 0 else (one(said + sign), True)


def _window(said: int, unit: str, count: str | None, sign: int) -> Found:
    """Return the last or the next few days, weeks, months or years, up to the day it was said."""
    if unit == "weekend" and count is None and sign < 0:
        return STEPS[unit](said, sign), True
    if unit not in _LENGTHS or sign == 0:
        return None
    many = _MOST if count in _FEW else _COUNTS.get(count or "a") or int(count or 1)
    length = many * _LENGTHS[unit]
    return ((said - length, said + 1) if sign < 0 else (said, said + length + 1)), True


def _named(place: _Place, name: str, sign: int) -> Found:
    """Return last, this or next May; without a capital it is the verb."""
    if name in _VERBS and not place.text[place.end - len(name)].isupper():
        return None
    now = date_of(place.said or 1)
    month = _number(name)
    in_this_year = not sign or (month != now.month and (month < now.month) == (sign < 0))
    step = 0 if in_this_year else sign
    return months(now.year + step, month), True


_WORDS = {
    "yesterday": -1, "today": 0, "tonight": 0, "tomorrow": 1,
    "day before yesterday": -2, "day after tomorrow": 2,
}  # fmt: skip


def _word(place: _Place, parts: Parts) -> Found:
    return None if place.said is None else (one(place.said + _WORDS[parts["word"] or ""]), True)


def _is_of_a_range(place: _Place) -> bool:
    before = _pattern(_RANGE_BEFORE).search(place.lowered, max(0, place.start - _JOIN_REACH), place.start)
    return bool(before or _pattern(_RANGE_BEHIND).match(place.lowered, place.end))


def _bare_weekday(place: _Place, parts: Parts) -> Found:
    """A weekday without more: which one, only the verb tells; "every Friday" and "that Friday" are none."""
    if place.said is None or place.before() in ("the", *_OTHERS) or place.is_of_another_time() or _is_of_a_range(place):
        return None
    direction = place.direction()
    return None if direction is None else (one(weekday(place.said, parts["weekday"] or "", direction)), True)


def _beside(place: _Place, parts: Parts) -> Found:
    """The week before last, or after next. "The week before" alone counts from something that the text tells."""
    if place.said is None or not parts["again"]:
        return None
    return _aside(place.said, parts, -2 if parts["side"] == "before" else 2), True


def _aside(day: int, parts: Parts, steps: int) -> Days:
    """Return the unit or weekday of an expression, a number of them away from a day."""
    if parts["weekday"]:
        return one(weekday(day, parts["weekday"], steps) + (7 * (abs(steps) - 1) * (1 if steps > 0 else -1)))
    return STEPS[parts["unit"] or ""](day, steps)


def _anchored(days: Days, parts: Parts, sign: int) -> Days:
    """Return the day, week, month or year before or after other days; a week beside a day is the seven days there."""
    if parts["unit"] == "week" and days[1] - days[0] == 1:
        return (days[0] - 7, days[0]) if sign < 0 else (days[1], days[1] + 7)
    return _aside(days[0] if sign < 0 else days[1] - 1, parts, sign)


def _year(place: _Place, parts: Parts) -> Found:
    """A number that may be a year: of our time, after a preposition, and of nothing that is counted."""
    if not place.after_preposition() or _pattern(_COUNTED).match(place.lowered, place.end):
        return None
    return months(int(parts["year"] or 0), 1, 12), False


class _Rule(NamedTuple):
    """The spelling of an expression, in lower case, and its meaning."""

    pattern: str
    meaning: Callable[[_Place, Parts], Found]


_RULES: Mapping[str, _Rule] = {
    "iso": _Rule(
        r"(?P<year>[0-9]{4})(?:-(?P<month>[0-9]{2})(?:-(?P<day>[0-9]{2}))?(?![0-9]|-[0-9a-z])|"
        r"/(?P<month_>[0-9]{1,2})/(?P<day_>[0-9]{1,2})(?![0-9/]))",
        lambda place, parts: _iso(
            place,
            {
                "year": parts["year"],
                "month": parts["month"] or parts["month_"],
                "day": parts["day"] or parts["day_"],
            },
        ),
    ),
    "day_first": _Rule(rf"{_ORDINAL}(?:{_GAP}of)?{_GAP}{_MONTH}\b(?:,?{_GAP}{_YEAR})?", _dated),
    "month_first": _Rule(rf"{_MONTH}{_GAP}(?:the{_GAP})?{_ORDINAL}(?:,?{_GAP}{_YEAR})?", _dated),
    "month": _Rule(rf"{_MONTH}\b(?:,?{_GAP}(?:of{_GAP})?{_YEAR})?", _dated),
    "quarter": _Rule(
        rf"(?:(?P<first_year>20[0-9]{{2}})[\s-]?q(?P<number_>[1-4])\b|"
        rf"q(?P<number>[1-4])\b(?:[\s-]{{1,3}}(?:of{_GAP})?{_YEAR})?)",
        lambda place, parts: _quarter(place, {**parts, "number": parts["number"] or parts["number_"]}),
    ),
    "counted": _Rule(rf"{_COUNT}{_GAP}{_UNIT}s?{_GAP}(?P<way>ago|from{_GAP}now(?!{_GAP}on(?:wards?)?\b))\b", _counted),
    "ahead": _Rule(rf"in{_GAP}{_COUNT}{_GAP}{_UNIT}s?(?P<way>(?:'|’)?{_GAP}time)?\b", _counted),
    "shifted": _Rule(
        rf"(?:this{_GAP})?(?P<how>last|past|previous|this|current|coming|upcoming|next){_GAP}(?:(?:{_COUNT}{_GAP})?{_UNIT}s?|"
        rf"{_WEEKDAY}|{_MONTH}|(?P<part>night|morning|afternoon|evening))\b(?!{_GAP}of\b)",
        _shifted,
    ),
    "word": _Rule(r"(?P<word>day before yesterday|day after tomorrow|yesterday|today|tonight|tomorrow)\b", _word),
    "beside": _Rule(
        rf"the{_GAP}(?:{_UNIT}|{_WEEKDAY}){_GAP}(?P<side>before|after)\b"
        rf"(?P<again>{_GAP}(?:(?<=before\s)last|(?<=after\s)next)(?={_CLAUSE}))?",
        _beside,
    ),
    "weekday": _Rule(rf"{_WEEKDAY}\b(?!{_GAP}(?:nights?|mornings?|s)\b)", _bare_weekday),
    "year": _Rule(r"(?P<year>(?:19|20)[0-9]{2})\b(?![.:-][0-9])", _year),
}

# The beginnings of all rules, which reject most words at once.
_BEGINS = (
    r"(?=[0-9]|q[1-4]|jan|feb|ma[ry]|apr|ju[nl]|aug|sep|oct|nov|dec|mon|tue|wed|thu|fri|sat|sun|yes|tod|ton|tom|day|las|"
    r"pas|pre|this|cur|com|upc|nex|in\s|an?\s|the\s|one|two|thr|fou|fiv|six|sev|eig|nin|ten|ele|twe|few)"
)
# All rules in one pattern; the name of the matching group is that of the rule.
_ANY = (
    rf"\b{_BEGINS}(?:"
    + "|".join(f"(?P<{name}>{re.sub(r'[?]P<[a-z_]+>', '?:', rule.pattern)})" for name, rule in _RULES.items())
    + ")"
)
# A text without any of these words, and without a year, names no time.
_PIECE = r"[a-z]+|[0-9]+"
_PIVOTS = frozenset(
    {
        *MONTHS, *(name[:3] for name in MONTHS), "sept", *WEEKDAYS, *_LENGTHS, *(f"{unit}s" for unit in _LENGTHS), "q",
        "weekend", "weekends", "hour", "hours", "minute", "minutes", "yesterday", "today", "tonight", "tomorrow",
        "night", "morning", "afternoon", "evening", *(str(year) for year in range(1900, 2100)),
    }
)  # fmt: skip
_ISO_YEAR = r"[0-9]{4}[-/][0-9]"

_UP_TO = rf"{_GAP}(?:before|until)\b"
_SINCE = r"\bsince\s{1,3}$"
_ANCHORED = rf"(?:the|a|one){_GAP}(?:{_UNIT}|{_WEEKDAY}){_GAP}(?P<side>before|after){_GAP}(?:the{_GAP})?$"
# The longest words before a date that belong to it.
_ANCHOR_REACH = 32


def _spans(text: str, at: int, *, unsaid: int | None) -> Iterator[Span]:
    """Yield the times of a text; `unsaid` is the direction where no verb tells it."""
    lowered = _lowered(text)
    if _PIVOTS.isdisjoint(_pattern(_PIECE).findall(lowered)) and not _pattern(_ISO_YEAR).search(lowered):
        return
    said = at // DAY + EPOCH
    known = said if 1 <= said <= LAST else None
    floor = 0
    for match in _pattern(_ANY).finditer(lowered):
        name = str(match.lastgroup)
        place = _Place(text, lowered, match.start(), match.end(), known, at, unsaid)
        found = _meaning(name, place)
        if found is None:
            continue
        span = _widened(place, *found, floor)
        if span is not None:
            floor = span.stop
            yield span


def _meaning(name: str, place: _Place) -> Found:
    parts = _pattern(_RULES[name].pattern).match(place.lowered, place.start)
    if parts is None:
        return None
    try:
        return _RULES[name].meaning(place, parts.groupdict())
    except (ValueError, OverflowError):  # the 31st of February, the year 0
        return None


def _widened(place: _Place, days: Days, relative: bool, floor: int) -> Span | None:
    """Return the span of an expression with what stands before it and belongs to it: "since", "the week before"."""
    start = place.start
    window = max(floor, start - _ANCHOR_REACH)
    since = _pattern(_SINCE).search(place.lowered, window, start)
    anchor = None if since else _pattern(_ANCHORED).search(place.lowered, window, start)
    if since and place.said is not None and days[0] <= place.said:
        start, days, relative = since.start(), (days[0], place.said + 1), True
    elif anchor:
        sign = -1 if anchor["side"] == "before" else 1
        try:
            days = _anchored(days, anchor.groupdict(), sign)
        except (ValueError, OverflowError, KeyError):
            return None
        start, relative = anchor.start(), True
    if days[0] < 1 or days[1] > LAST + 1:
        return None
    return Span(start, place.text[start : place.end], (days[0] - EPOCH) * DAY, (days[1] - EPOCH) * DAY, relative)


def _sided(lowered: str, span: Span, now: int) -> Span:
    """Return the time that a question with "before", "until" or "after" in front of a time asks for."""
    found = _pattern(_WORD_BEFORE).search(lowered, max(0, span.at - 16), span.at)
    word = found[1] if found else ""
    if word == "before":
        return span._replace(start=(1 - EPOCH) * DAY, end=max(span.start, (2 - EPOCH) * DAY))
    if word in ("until", "till"):
        return span._replace(start=(1 - EPOCH) * DAY)
    if word == "after" and span.end <= now < (LAST + 1 - EPOCH) * DAY:
        return span._replace(start=span.end, end=(now // DAY + 1) * DAY)
    return span


def _lowered(text: str) -> str:
    """Return the text in lower case with the same length: characters that would become two stay."""
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    return "".join(low if len(low := character.lower()) == 1 else character for character in text)
