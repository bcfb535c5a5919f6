"""Paraphrases: whether two texts say the same, so that an answer says it once.

Search terms drop "not", "on" and "off". Here only words without meaning are dropped (articles, "also", "is"); the
others are compared by stem and in order, so that these differ:

    The API is thread-safe.    The API is not thread-safe.    Threads are safe with the API.

A long text may have a few more words, except numbers, names and directions.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from recollect.text.questions import SENTENCE
from recollect.text.terms import STOP_WORDS, terms

# The share of common words; one more in 20 is a matter of wording, a replaced word never is.
SAME = 0.95

WORD_CACHE = 4_096

_WORD = re.compile(r"\w+")
_EMPTY = frozenset("a an the this that these those is are am be also just really very please then so".split())


class _Word(NamedTuple):
    """A word: its stem, and whether its absence may change the meaning."""

    stem: str
    decisive: bool


def says_the_same(one: str, other: str) -> bool:
    """Tell whether two texts say the same in the same order."""
    shorter, longer = sorted((_words(one), _words(other)), key=len)
    if len(shorter) < SAME * len(longer):
        return False
    place = 0
    for word in longer:
        if place < len(shorter) and word.stem == shorter[place].stem:
            place += 1
        elif word.decisive:
            return False
    return place == len(shorter)


def statements(text: str) -> frozenset[tuple[str, ...]]:
    """Return the normalised sentences of a text; equal for texts that say the same."""
    said = (tuple(word.stem for word in _words(sentence)) for sentence in SENTENCE.split(text))
    return frozenset(sentence for sentence in said if sentence)


def _words(text: str) -> list[_Word]:
    return [word for word in map(_weighed, _WORD.findall(text)) if word.stem]


@lru_cache(maxsize=WORD_CACHE)
def _weighed(word: str) -> _Word:
    lowered = word.lower()
    if lowered in _EMPTY:
        return _Word("", False)
    return _Word(" ".join(terms(lowered)), lowered in STOP_WORDS or not word.isalpha() or word != lowered)
