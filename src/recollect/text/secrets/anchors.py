"""Anchors: where the words stand that secrets are found by, in few passes over a text.

A pass for one word costs 1 ns a byte, and there are a dozen of them. An expression that begins with one plain character
costs little more, however it goes on, if the character is rare; one that begins with a choice costs ten times that. So
words that have a rare character in common are looked for together, by that character.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

# Such a pass: what it finds → the word that was found, and how far before that it begins. All in lower case.
TOGETHER: tuple[tuple[bytes, dict[bytes, tuple[bytes, int]]], ...] = (
    (
        rb"k(?:ey|(?<=tok)en|(?<=cook)ie)",
        {b"key": (b"key", 0), b"ken": (b"token", 2), b"kie": (b"cookie", 3)},
    ),
    (rb"p(?:ass|w)", {b"pass": (b"pass", 0), b"pw": (b"pw", 0)}),
    # The last colon of the one may be the first of the other.
    (rb":(?://|5432(?=:))", {b"://": (b"://", 0), b":5432": (b":5432:", 0)}),
    (rb"b(?:earer|asic)", {b"bearer": (b"bearer", 0), b"basic": (b"basic", 0)}),
)
# The others have no rare character.
ALONE = (b"secret", b"sig=", b"identified", b"securestring")


@cache
def _passes() -> list[tuple[re.Pattern[bytes], dict[bytes, tuple[bytes, int]]]]:
    return [(re.compile(pattern), words) for pattern, words in TOGETHER]


def anchors(lower: bytes) -> dict[bytes, list[int]]:
    """Return where each of the words stands in a text in lower case; words that it does not have are left out."""
    found = places(lower, ALONE)
    for pattern, words in _passes():
        for match in pattern.finditer(lower):
            word, before = words[match[0]]
            found.setdefault(word, []).append(match.start() - before)
    return found


def places(lower: bytes, words: Iterable[bytes]) -> dict[bytes, list[int]]:
    """Return the same for other words, a pass for each."""
    found: dict[bytes, list[int]] = {}
    for word in words:
        place = lower.find(word)
        while place >= 0:
            found.setdefault(word, []).append(place)
            place = lower.find(word, place + len(word))
    return found
