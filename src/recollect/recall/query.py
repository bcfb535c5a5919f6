"""Parses a question: terms, names, times, and the kind of answer it wants."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from recollect.text.dates import MONTHS, Span, asked_times
from recollect.text.lazy_patterns import compiled
from recollect.text.terms import query_terms, terms

_WHEN = compiled(
    r"\b(when|since when|how long|what (date|day|month|year|time)|which (day|month|year)|"
    r"how many (days|weeks|months|years))\b",
    re.IGNORECASE,
)
_HOW_MANY = compiled(r"\bhow (many|much|often|old|far|big|large)\b", re.IGNORECASE)
_WHY = compiled(r"\b(why|reason|how come|what for)\b", re.IGNORECASE)
# A question in a sentence. Anything else is words to look for: a title, an error message, a command.
_QUESTION = compiled(
    r"\s*+(?:(?:in|on|at|to|by|for|with|since)\s++)?(?:what|which|who|whom|whose|where|when|why|how)\b|"
    r"\s*+(?:is|are|was|were|do|does|did|can|could|should|may|must|has|have|will|would)\b",
    re.IGNORECASE,
)
_NAMES_ASKED = compiled(r"\s*(where|who|whom|whose|which|what)\b", re.IGNORECASE)
# The words that ask what the user wants, which a stated preference answers.
_PREFERENCE = compiled(
    r"\b(?:do|would)\s++(?:i|we)\s++(?:usually\s++|really\s++|generally\s++)?"
    r"(?:want(?!\s+to\b)|prefer|like|love|hate|dislike|expect|favou?r)\b|"
    r"\b(?:my|our)\s++(?:own\s++)?(?:preferences?|preferred|favou?rites?|likes|dislikes|tastes?|wishes)\b",
    re.IGNORECASE,
)
# A question about what should or may be done, which a stated rule answers; a month is no verb.
_NORM = compiled(
    r"\b(?:should|shall|supposed\s++to|allowed\s++to|permitted)\b|\b(?:may|must)\s++(?:i|we|not)\b", re.IGNORECASE
)
# A question that several memories answer together: it counts, or asks for things in the plural.
_SEVERAL = compiled(r"\b(how many|both|list|different|types|kinds|ways|various|several|all the)\b", re.IGNORECASE)
_THINGS = compiled(r"\s*(?:(?:in|on|at|with|for|to)\s+)?(?:what|which|who)\b((?:[\s,]+[\w'’]+){1,4})", re.IGNORECASE)
_NO_PLURAL = frozenset("is does was has his this its as us thus always yes plus".split())
_MONTH = compiled("(" + "|".join(MONTHS) + r")(?:\s*+,?+\s*+((?:19|20)\d\d))?", re.IGNORECASE)
_YEAR = compiled(r"\b((?:19|20)\d\d)\b")
# A capitalised word may be the name of an author; only the store knows.
_NAME = compiled(r"\b[A-ZÀ-ÞĀ-Ž][a-zà-ÿā-ž]+\b")
# One in the middle of a sentence: a name for certain.
_SURE_NAME = compiled(r"(?<=[^\s.!?:\"'(\[*#-]\s)[A-ZÀ-ÞĀ-Ž][a-zà-ÿā-ž]+\b")

# Words of greeting, thanks and assent. A prompt of nothing else asks for nothing, and would otherwise find every
# conversation that began with the same words. The second list counts only beside a word of the first.
_COURTESY = frozenset(
    terms(
        "hello hi hey good morning afternoon evening bye goodbye see you later thanks thank please sorry welcome great "
        "nice cool awesome perfect excellent wonderful helpful appreciate appreciated ok okay yes yeah yep nope sure "
        "happy congratulations cheers lovely"
    )
)
_ALONG = _COURTESY.union(
    terms(
        "night day weekend really much lot no fine right exactly new year birthday well done today doing going things "
        "hope enjoy wish go ahead continue again work job help tomorrow"
    )
)


class Query(NamedTuple):
    """A question: its search terms, the names in it, and what kind of answer it wants.

    sure_names: terms of the words that are names for certain. idle: nothing but courtesy. times: the times in the
    question; time_terms: the terms that name them. months: those that are named, with or without a year.
    is_question: a sentence that asks, not words to look for.
    """

    text: str
    terms: tuple[str, ...]
    pairs: frozenset[tuple[str, str]]
    names: tuple[str, ...]
    name_terms: tuple[str, ...]
    sure_names: frozenset[str]
    idle: bool
    is_question: bool
    wants_time: bool
    wants_number: bool
    wants_reason: bool
    wants_name: bool
    wants_several: bool
    months: frozenset[tuple[int | None, int]]
    years: frozenset[int]
    times: tuple[Span, ...]
    time_terms: frozenset[str]


def understand(text: str, *, now: int = 0) -> Query:
    """Return what a question asks for; "last week" is counted from `now`, Unix seconds."""
    in_order = terms(text)
    names = tuple(dict.fromkeys(_NAME.findall(text)))
    times = asked_times(text, now)
    # "Do I want" says which kind of memory answers, not what it is about.
    asked = query_terms(_PREFERENCE.sub(" ", text)) or query_terms(text)
    wants_name = bool(_NAMES_ASKED.match(text))
    return Query(
        text=text,
        terms=tuple(asked),
        pairs=frozenset(pairwise(in_order)),
        names=names,
        name_terms=tuple(dict.fromkeys(term for name in names for term in terms(name))),
        sure_names=frozenset(term for name in _sure_names(text, times) for term in terms(name)),
        # "What did we do today?" has no other words than a greeting, and asks for a day.
        idle=_ALONG.issuperset(asked) and not _COURTESY.isdisjoint(asked) and not (times and wants_name),
        is_question=text.rstrip().endswith("?") or bool(_QUESTION.match(text)),
        wants_time=bool(_WHEN.search(text)),
        wants_number=bool(_HOW_MANY.search(text)),
        wants_reason=bool(_WHY.search(text)),
        wants_name=wants_name,
        wants_several=_wants_several(text),
        months=frozenset(_months(times)),
        years=frozenset(int(year) for year in _YEAR.findall(text)),
        times=times,
        time_terms=frozenset(term for span in times for term in terms(span.words)),
    )


def asks_preference(text: str) -> bool:
    """Tell whether a question is about what the user wants, prefers or likes."""
    return bool(_PREFERENCE.search(text))


def asks_rule(text: str) -> bool:
    """Tell whether a question is about what should or may be done."""
    return bool(_NORM.search(text))


def _wants_several(text: str) -> bool:
    """Tell whether a question asks for several things: "which hobbies", "how many", "both"."""
    if _SEVERAL.search(text):
        return True
    asked = _THINGS.match(text)
    words = asked[1].lower().replace(",", " ").split() if asked else []
    return any(
        word.endswith("s") and not word.endswith(("ss", "'s", "’s")) and word not in _NO_PLURAL for word in words
    )


def _sure_names(text: str, times: Sequence[Span]) -> Iterator[str]:
    """Yield the words that are names for certain, without days and months."""
    left = sorted(times, key=lambda span: span.at, reverse=True)
    stop = 0
    for name in _SURE_NAME.finditer(text):
        while left and left[-1].at <= name.start():
            stop = max(stop, left.pop().stop)
        if name.start() >= stop:
            yield name[0]


def _months(times: Sequence[Span]) -> Iterator[tuple[int | None, int]]:
    """Yield the months that are named as such; without a year, it is any."""
    for span in times:
        if named := _MONTH.fullmatch(span.words):
            yield int(named[2]) if named[2] else None, MONTHS.index(named[1].lower()) + 1


def neutral(query: Query, authors: Collection[str]) -> str:
    """Return the question in the first person: names of authors become "I" and "my".

    People are asked about by name but write in the first person, so that a name in the embedded text only leads away
    from their words; the author is matched by another signal.
    """
    text = query.text
    named = [name for name in query.names if any(term in authors for term in terms(name))]
    for name in sorted(named, key=len, reverse=True):
        text = re.sub(rf"\b{re.escape(name)}(?:'s|’s)\b", "my", text)
        text = re.sub(rf"\b{re.escape(name)}\b", "I", text)
    return text
