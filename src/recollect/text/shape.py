"""Shape: what can be seen of a passage without knowing the question.

Computed once, when a passage is indexed, and kept beside its terms: whether it asks, tells a time or a number, gives a
reason, speaks in the first person, how many names it holds, how long it is, and of how many passages it is one.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_TIME = re.compile(
    r"\b(yesterday|today|tomorrow|tonight|last|next|ago|weeks?|weekend|months?|years?|days?|recently|morning|evening|"
    r"mon|tues|wednes|thurs|fri|satur|sun)(day)?\b|"
    r"\b(january|february|march|april|june|july|august|september|october|november|december|summer|winter|spring|autumn)\b|"
    r"\b(19|20)\d\d\b|\b\d{1,2}(st|nd|rd|th)\b|\b\d{1,2}:\d\d\b",
    re.IGNORECASE,
)
_REASON = re.compile(
    r"\b(because|since|so that|reason|in order to|due to|wanted to|therefore|instead)\b", re.IGNORECASE
)
_FIRST_PERSON = re.compile(r"\b(I|I'm|I've|I'll|[Mm]y|[Mm]e|[Ww]e|[Ww]e're|[Ww]e've|[Oo]ur|us)\b")
_NAME = re.compile(r"(?<=[a-z,;:] )[A-Z][a-z]+")

# More names than this in a passage tell nothing more.
MAX_NAMES = 3


class Shape(NamedTuple):
    """The facts, as small whole numbers."""

    asks: int
    tells_time: int
    tells_number: int
    tells_reason: int
    first_person: int
    names: int
    characters: int
    parts: int

    def packed(self) -> str:
        """Return the facts as text for storage."""
        return " ".join(map(str, self))


def shape(passage: str, *, parts: int = 1) -> Shape:
    """Return the shape of a passage, one of the `parts` of its memory."""
    return Shape(
        asks=int(passage.rstrip().endswith("?")),
        tells_time=int(bool(_TIME.search(passage))),
        tells_number=int(any(character.isdigit() for character in passage)),
        tells_reason=int(bool(_REASON.search(passage))),
        first_person=int(bool(_FIRST_PERSON.search(passage))),
        names=min(MAX_NAMES, len(_NAME.findall(passage))),
        characters=len(passage),
        parts=parts,
    )


def unpacked(text: str) -> Shape:
    """Return the shape that `packed` wrote."""
    return Shape(*map(int, text.split()))
