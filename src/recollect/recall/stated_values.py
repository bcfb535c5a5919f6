"""The values in a sentence: numbers with units, times, days and versions.

    "kept for two weeks"            duration 1,209,600
    "at most 10,000 entries"        count 10,000 of entri
    "every Monday at 14:00"         frequency week, weekday monday, time 840
    "Python 3.12"                   version 3.12

Two values of one kind that differ cannot both hold for the same subject; a size and a duration can.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from recollect.text.dates import MONTHS
from recollect.text.days import WEEKDAYS
from recollect.text.terms import STOP_WORDS, terms

_TOKEN = re.compile(r"[€$£#@]?\w++(?:['’.,/:@+_]\w++)*+(?:-\w++(?:['’.,/:@+_]\w++)*+)*+%?|[.;:,()!?–—%]")
_NUMBER = re.compile(r"(?P<money>[€$£])?(?P<amount>\d++(?:,\d{3})*+(?:\.\d++)?)(?P<unit>[A-Za-zµ%]*+)")
_CLOCK = re.compile(r"(\d{1,2}):(\d{2})")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_VERSION = re.compile(r"v\d++(?:\.\d++)*+|\d++\.\d++\.\d++(?:\.\d++)*+")

_WORDS: Mapping[str, float] = {
    word: number
    for number, words in {
        0.5: "half", 1: "one single", 2: "two twice double", 3: "three triple", 4: "four", 5: "five", 6: "six",
        7: "seven", 8: "eight", 9: "nine", 10: "ten", 11: "eleven", 12: "twelve dozen", 14: "fourteen", 15: "fifteen",
        20: "twenty", 30: "thirty", 40: "forty", 45: "forty-five", 50: "fifty", 60: "sixty", 70: "seventy",
        80: "eighty", 90: "ninety", 100: "hundred", 1_000: "thousand", 1_000_000: "million",
    }.items()
    for word in words.split()
}  # fmt: skip
_SCALES = {"k": 1e3, "m": 1e6, "bn": 1e9, "hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9}
_MEASURES: Mapping[str, Mapping[float, str]] = {
    "duration": {
        0.001: "ms millisecond milliseconds", 1: "s sec secs second seconds", 60: "min mins minute minutes",
        3600: "h hr hrs hour hours", 86_400: "d day days night nights", 604_800: "week weeks fortnight",
        2_592_000: "month months", 7_776_000: "quarter quarters", 31_536_000: "year years",
    },
    "size": {
        1: "byte bytes", 1e3: "kb kib kilobytes", 1e6: "mb mib megabytes", 1e9: "gb gib gigabytes",
        1e12: "tb tib terabytes",
    },
    "money": {1: "eur euro euros usd dollar dollars gbp pounds chf cents"},
    "share": {1: "% percent"},
    "time": {1: "am pm o'clock o’clock"},
}  # fmt: skip
_UNITS: Mapping[str, tuple[str, float]] = {
    word: (kind, factor)
    for kind, by_factor in _MEASURES.items()
    for factor, words in by_factor.items()
    for word in words.split()
}
_FREQUENT: Mapping[str, float] = {
    word: seconds
    for seconds, words in {
        1: "second", 60: "minute", 3600: "hourly hour", 86_400: "daily nightly day night morning evening",
        604_800: "weekly week", 1_209_600: "biweekly fortnight", 2_592_000: "monthly month",
        7_776_000: "quarterly quarter", 31_536_000: "yearly annually annual year",
    }.items()
    for word in words.split()
}  # fmt: skip
_RECURRING = frozenset("hourly daily nightly weekly biweekly monthly quarterly yearly annually annual".split())
_MONTHS = {name: number for number, full in enumerate(MONTHS, 1) for name in (full, full[:3])} | {"sept": 9}
# A number after these tells one thing from another and is no value.
_LABELS = frozenset(
    "line lines step issue ticket pr chapter section page row item case bug commit phase part number no task story "
    "sprint round figure table appendix rule point run build user test adr patch release incident note memory request "
    "day week level option example question".split()
)
_DAYPARTS = frozenset("noon midnight morning mornings evening evenings night nights afternoon".split())
# "for a week", "within an hour", "for a full day" are spans of one unit.
_ONE = frozenset("a an full whole".split())
_SPAN = frozenset("for within after in of a".split())
# A number after these is the value of something before them.
_BEFORE = frozenset("least max maximum minimum port than equals holds takes keeps returns use uses used per or".split())
_HARDLY = frozenset("one single half double".split())
_INEXACT = 0.02
_FARTHEST = 500
# How far behind a count the thing counted may stand: "3 free exports".
_COUNTED = 3


class Value(NamedTuple):
    """A value. of: the things counted. place: its first token.

    per: the seconds of a rate, 60 for "5 requests per minute"
    """

    kind: str
    amount: float | str
    of: frozenset[str]
    place: int
    per: float = 0


def is_amount(word: str) -> bool:
    """Tell whether a lower-case word is a number, a unit, a month or a weekday."""
    words = (_WORDS, _UNITS, _MONTHS, _FREQUENT, _DAYPARTS)
    return word.rstrip("s") in WEEKDAYS or any(word in each for each in words)


def tokens(sentence: str) -> list[str]:
    """Return the words, numbers and punctuation of a sentence; “two-hour” is two words."""
    found: list[str] = []
    for token in _TOKEN.findall(sentence):
        first, dash, rest = token.partition("-")
        is_amount = dash and (first.lower() in _WORDS or first.isdigit()) and rest.lower() in _UNITS
        found.extend((first, rest) if is_amount else (token,))
    return found


def values(words: Sequence[str]) -> list[Value]:
    """Return the values among the tokens of a sentence, in order."""
    lowered = [word.lower() for word in words]
    found: list[Value] = []
    place = 0
    while place < len(words):
        value, used = _value(words, lowered, place)
        if value is not None:
            found.append(value)
        place += used
    return found + list(_frequencies(lowered))


def _value(words: Sequence[str], lowered: Sequence[str], place: int) -> tuple[Value | None, int]:
    """Return the value at a place, if any, and its number of tokens."""
    word = lowered[place]
    after = lowered[place + 1] if place + 1 < len(lowered) else ""
    before = lowered[place - 1] if place else ""
    if word.rstrip("s") in WEEKDAYS:
        return Value("weekday", word.rstrip("s"), frozenset(), place), 1
    if clock := _CLOCK.fullmatch(word):
        return Value("time", int(clock[1]) * 60.0 + int(clock[2]) + 720 * (after == "pm"), frozenset(), place), 1
    if _DATE.fullmatch(word):
        return Value("date", word[5:], frozenset(), place), 1
    if word in _DAYPARTS:
        return Value("time", word, frozenset(), place), 1
    if (
        word in _UNITS
        and before in _ONE
        and place > 1
        and lowered[place - 2] in _SPAN
        and _UNITS[word][0] == "duration"
    ):
        return Value("duration", _UNITS[word][1], frozenset(), place), 1
    if before in _LABELS or word.startswith("#"):
        return None, 1
    if _VERSION.fullmatch(word):
        return Value("version", word.lstrip("v"), frozenset(), place), 1
    if word in _MONTHS and (number := _NUMBER.fullmatch(after)) and not number["unit"]:
        return Value(
            "date", f"{_MONTHS[word]:02}-{int(float(number['amount'].replace(',', ''))):02}", frozenset(), place
        ), 2
    return _amount(words, lowered, place)


def _amount(words: Sequence[str], lowered: Sequence[str], place: int) -> tuple[Value | None, int]:
    """Return the number at a place with its unit, month or counted thing."""
    number = _NUMBER.fullmatch(lowered[place])
    if number is None and lowered[place] not in _WORDS:
        return None, 1
    amount = _WORDS[lowered[place]] if number is None else float(number["amount"].replace(",", ""))
    unit = "" if number is None else number["unit"]
    rest, used = list(lowered[place + 1 : place + 1 + _COUNTED]), 1
    if unit in _SCALES:
        amount, unit = amount * _SCALES[unit], ""
    elif not unit and rest and rest[0] in _SCALES and rest[0] != "m":
        amount, used = amount * _SCALES[rest.pop(0)], 2
    if number is not None and number["money"]:
        return Value("money", amount, frozenset(), place), used
    if not unit and rest and rest[0] in _MONTHS:
        return _date(_MONTHS[rest[0]], amount, place), used + 1
    if not unit and rest and rest[0] in _UNITS:
        unit, used = rest[0], used + 1
    if unit in _UNITS:
        return _measure(amount, unit, place, is_rate=place > 0 and lowered[place - 1] in ("every", "each")), used
    if number is not None and not unit and (named := _named(words[:place], rest)):
        return Value("version", number[0], frozenset(terms(named)), place), used
    return _count(lowered, place, amount, rest), used


def _named(before: Sequence[str], rest: Sequence[str]) -> str:
    """Return the word that a number belongs to: “Python 3.12”, “batch size 64”, “the batch size is 64”."""
    is_stated = len(before) > 1 and before[-1].lower() in ("is", "are")
    word = before[-2 if is_stated else -1] if before else ""
    if not word[:1].isalpha() or word.lower() in STOP_WORDS or word.lower() in _BEFORE:
        return ""
    is_label = (word[:1].isupper() and not is_stated) or (len(rest) > 1 and rest[1].isdigit())  # “group 2 member 1”
    return word if is_label or not _counted(rest) else ""


def _date(month: int, day: float, place: int) -> Value:
    return Value("date", f"{month:02}-{int(day):02}", frozenset(), place)


def _measure(amount: float, unit: str, place: int, *, is_rate: bool) -> Value:
    kind, factor = _UNITS[unit]
    if is_rate and kind == "duration":
        kind = "frequency"
    if kind == "time":
        return Value(kind, amount * 60 + 720 * (unit == "pm" and amount < 12), frozenset(), place)
    return Value(kind, amount * factor, frozenset(), place)


def _count(lowered: Sequence[str], place: int, amount: float, rest: Sequence[str]) -> Value | None:
    """Return a count with what is counted. “One of them” and “a single” are none."""
    counted = _counted(rest)
    if lowered[place] in _HARDLY and not counted:
        return None
    return Value("count", amount, counted, place, _per(lowered[place + 1 : place + 6]))


def _per(rest: Sequence[str]) -> float:
    """Return the seconds of the unit of time of a rate."""
    place = next((place for place, word in enumerate(rest[:-1]) if word in ("per", "a", "each", "every")), None)
    return _FREQUENT.get(rest[place + 1], 0) if place is not None else 0


def _counted(rest: Sequence[str]) -> frozenset[str]:
    """Return the words for what is counted, up to the next small word."""
    found: list[str] = []
    for word in rest:
        if word in STOP_WORDS or word == "per" or not word[:1].isalpha():
            break
        found.extend(terms(word))
    return frozenset(found)


def _frequencies(lowered: Sequence[str]) -> Iterator[Value]:
    for place, word in enumerate(lowered):
        before = lowered[place - 1] if place else ""
        once = before in ("a", "per", "an") and place > 1 and lowered[place - 2] in ("once",)
        if word in _RECURRING or (word in _FREQUENT and (before in ("every", "each") or once)):
            yield Value("frequency", _FREQUENT[word], frozenset(), place)
        elif word.rstrip("s") in WEEKDAYS and (before in ("every", "each") or word.endswith("days")):
            yield Value("frequency", _FREQUENT["week"], frozenset(), place)
        elif before == "every" and word.isalpha() and word not in _UNITS:
            yield Value("frequency", word, frozenset(), place)
        elif word == "month" and before in ("the", "each", "a") and "of" in lowered[max(0, place - 2) : place]:
            yield Value("frequency", _FREQUENT["month"], frozenset(), place)


def conflict(new: Sequence[Value], old: Sequence[Value], *, loose: bool = False) -> bool:
    """Tell whether a new value differs from the old ones of its kind.

    loose: a bare number may count anything
    """
    for value in new:
        others = [other for other in old if _comparable(value, other, loose=loose)]
        if any(_near(value, other) for other in others) and not any(_equal(value, other) for other in others):
            return True
    return False


def repeated(new: Sequence[Value], old: Sequence[Value], *, loose: bool = False) -> bool:
    """Tell whether a new value is an old one."""
    return any(_comparable(value, other, loose=loose) and _equal(value, other) for value in new for other in old)


def _near(one: Value, other: Value) -> bool:
    """Tell whether two amounts are comparable: a limit rarely grows five-hundredfold."""
    if isinstance(one.amount, str) or isinstance(other.amount, str) or not (one.amount and other.amount):
        return True
    return 1 / _FARTHEST <= one.amount / other.amount <= _FARTHEST


def _equal(one: Value, other: Value) -> bool:
    """Tell whether two values are the same; a year is twelve months, give or take some days."""
    if one.kind == "duration" and not isinstance(one.amount, str) and not isinstance(other.amount, str):
        return abs(one.amount - other.amount) <= _INEXACT * one.amount
    return _number(one.amount) == _number(other.amount) and (one.per == other.per or not (one.per and other.per))


def _number(amount: float | str) -> float | str:
    """Return a whole number as such, whether it is a version or a count."""
    return float(amount) if isinstance(amount, str) and amount.isdigit() else amount


def _comparable(one: Value, other: Value, *, loose: bool = False) -> bool:
    """Tell whether two values have one kind and, for counts and versions, are of the same thing."""
    numbers = ("count", "version")
    if one.kind not in numbers or other.kind not in numbers:
        return one.kind == other.kind
    if one.kind != other.kind and (one.of or other.of):
        return loose and not (one.of and other.of)
    return bool(one.of & other.of) or (not (one.of and other.of) and (loose or one.of == other.of))
