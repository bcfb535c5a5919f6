"""Sameness: whether two texts say the same, so that an answer says it once.

Search terms are too coarse for that: they drop "not", "on" and "off". Here only words that never change what is said
are dropped (articles, "also", "is" for "are"); the others are compared by their stems, in their order, so that these
are three different statements:

    The API is thread-safe.    The API is not thread-safe.    Threads are safe with the API.

A long text may have a word or two more than the other, if they carry no number, name or direction.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from recollect.text.tokens import STOP_WORDS, terms

# Texts say the same from this share of words in common on. One word more in 20 is a matter of wording; in a shorter
# text every word counts, and a word replaced by another always does.
SAME = 0.95

# Few words make up most of any text; weighing one takes ten times as long as remembering it.
WORD_CACHE = 4_096

_WORD = re.compile(r"\w+")
_SENTENCE = re.compile(r"(?<=[.!?。！？])\s+|\n+")
_EMPTY = frozenset("a an the this that these those is are am be also just really very please then so".split())


class _Said(NamedTuple):
    """A word that counts: how it is compared, and whether a text without it could say something else."""

    stem: str
    decisive: bool


def says_the_same(one: str, other: str) -> bool:
    """Tell whether two texts say the same in the same order."""
    shorter, longer = sorted((_said(one), _said(other)), key=len)
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
    """Return what a text says, sentence by sentence: of two that say the same, each sentence is in both."""
    said = (tuple(word.stem for word in _said(sentence)) for sentence in _SENTENCE.split(text))
    return frozenset(sentence for sentence in said if sentence)


def _said(text: str) -> list[_Said]:
    return [word for word in map(_weighed, _WORD.findall(text)) if word.stem]


@lru_cache(maxsize=WORD_CACHE)
def _weighed(word: str) -> _Said:
    lowered = word.lower()
    if lowered in _EMPTY:
        return _Said("", False)
    return _Said(" ".join(terms(lowered)), lowered in STOP_WORDS or not word.isalpha() or word != lowered)
