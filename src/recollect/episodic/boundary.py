"""Boundary: the best place to cut a text near a position.

    paragraph  >  sentence  >  clause or line  >  word  >  between two characters that people see as two

The best kind that is within reach wins, and of that kind the place nearest to where the cut was wanted. What people
see as one character (a letter with its accents, a flag, a family of emoji, CR LF) is cut only where nothing else is
within reach.
"""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

# From the best place to cut to the worst; the cut is at the end of a match.
PARAGRAPH = re.compile("(?:\r\n|\r|\n)[^\\S\r\n]*(?:\r\n|\r|\n)|\u2029")
SENTENCE = re.compile(r"(?<![.!?…؟۔])[.!?…؟۔]++[\"'”’»)\]]*+(?=\s|\Z)|[。！？｡।॥။។᠃]+[」』”’）]*")
CLAUSE = re.compile("(?<![,;:،؛—–])[,;:،؛—–]++(?=\\s)|[、，；：]|\r\n|\r|\n|\u2028")
WORD = re.compile("\\s|\u200b")

ZERO_WIDTH_JOINER = "\u200d"
# What belongs to the character before it although Unicode does not call it a mark: joiners, and what colours emoji,
# spells out flags, or completes a Hangul syllable.
_ATTACHED = re.compile("[\u200c\u200d\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f\u1160-\u11ff]")
# The combining class of the sign that joins two consonants of an Indic script into one.
VIRAMA = 9
_FLAG = re.compile("[\U0001f1e6-\U0001f1ff]")


class Boundary(NamedTuple):
    """Where to cut, and whether a sentence or paragraph ends there."""

    position: int
    is_semantic: bool


def find(text: str, ideal: int, reach: int) -> Boundary:
    """Return the best place to cut within `reach` characters of `ideal`; never before 0 or after the end."""
    if ideal >= len(text):
        return Boundary(len(text), True)
    if ideal <= 0:
        return Boundary(0, False)
    first, last = max(1, ideal - reach), min(len(text), ideal + reach)
    for kind, is_semantic in ((PARAGRAPH, True), (SENTENCE, True), (CLAUSE, False), (WORD, False)):
        places = _ends(kind, text, first, last)
        if places:
            return Boundary(min(places, key=lambda place: (abs(place - ideal), place)), is_semantic)
    return Boundary(whole_place(text, ideal, reach), False)


def _ends(kind: re.Pattern[str], text: str, first: int, last: int) -> list[int]:
    """Return where matches end within bounds. A match may begin before, and what follows it is looked at."""
    found = (match.end() for match in kind.finditer(text, max(0, first - 8), min(len(text), last + 8)))
    return [place for place in found if first <= place <= last and is_whole(text, place)]


def whole_place(text: str, ideal: int, reach: int) -> int:
    """Return the place nearest to `ideal` that cuts no character in two; `ideal` where none is within reach."""
    for away in range(reach + 1):
        for place in (ideal - away, ideal + away):
            if 0 < place <= len(text) and is_whole(text, place):
                return place
    return ideal


def is_whole(text: str, place: int) -> bool:
    """Tell whether a cut here leaves whole what people see as one character."""
    if not 0 < place < len(text):
        return True
    before, after = text[place - 1], text[place]
    if before == "\r" and after == "\n":
        return False
    if before == ZERO_WIDTH_JOINER or _ATTACHED.match(after) or unicodedata.category(after)[0] == "M":
        return False
    if unicodedata.combining(before) == VIRAMA and after.isalpha():
        return False
    return not (_FLAG.match(after) and _flags_before(text, place) % 2)


def _flags_before(text: str, place: int) -> int:
    """Return how many letters of flags stand directly before a place; two make a flag."""
    count = 0
    while count < place and _FLAG.match(text[place - count - 1]):
        count += 1
    return count
