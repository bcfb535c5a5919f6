"""Features of a passage that do not depend on the query, computed when it is indexed and stored beside its terms.

    1 0 1 0 0 2 119 1 t 19484:19485     eight facts, then the times as days [first:end) since 1970

Times need the moment of storing ("yesterday"). Rows of the first version end after the eight facts.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import NamedTuple

# Compiled on first use: a process that only reads features does without.
_pattern = cache(re.compile)
_TIME = (
    r"(?i)\b(yesterday|today|tomorrow|tonight|last|next|ago|weeks?|weekend|months?|years?|days?|recently|morning|"
    r"evening|mon|tues|wednes|thurs|fri|satur|sun)(day)?\b|"
    r"\b(january|february|march|april|june|july|august|september|october|november|december|summer|winter|spring|"
    r"autumn)\b|\b(19|20)\d\d\b|\b\d{1,2}(st|nd|rd|th)\b|\b\d{1,2}:\d\d\b"
)
_REASON = r"(?i)\b(because|since|so that|reason|in order to|due to|wanted to|therefore|instead)\b"
_FIRST_PERSON = r"\b(I|I'm|I've|I'll|[Mm]y|[Mm]e|[Ww]e|[Ww]e're|[Ww]e've|[Oo]ur|us)\b"
_NAME = r"(?<=[a-z,;:] )[A-Z][a-z]+"

MAX_NAMES = 3
# A passage with more times is a calendar.
MAX_TIMES = 8
_TIMES = " t"


class Shape(NamedTuple):
    """Features as small integers; `times` are [first, end) in days since 1970, None if unknown."""

    asks: int
    tells_time: int
    tells_number: int
    tells_reason: int
    first_person: int
    names: int
    characters: int
    parts: int
    times: tuple[tuple[int, int], ...] | None = None

    def packed(self) -> str:
        """Return the features as text for storage."""
        facts = " ".join(map(str, self[:-1]))
        return facts if self.times is None else facts + _TIMES + "".join(f" {a}:{b}" for a, b in self.times)


def shape(passage: str, *, parts: int = 1, at: int | None = None) -> Shape:
    """Return the features of a passage, one of `parts` of its memory; `at`: when it was stored."""
    return Shape(
        asks=int(passage.rstrip().endswith("?")),
        tells_time=int(bool(_pattern(_TIME).search(passage))),
        tells_number=int(any(character.isdigit() for character in passage)),
        tells_reason=int(bool(_pattern(_REASON).search(passage))),
        first_person=int(bool(_pattern(_FIRST_PERSON).search(passage))),
        names=min(MAX_NAMES, len(_pattern(_NAME).findall(passage))),
        characters=len(passage),
        parts=parts,
        times=None if at is None else _times(passage, at),
    )


def _times(passage: str, at: int) -> tuple[tuple[int, int], ...]:
    from recollect.text.dates import DAY, mentions

    return tuple((span.start // DAY, span.end // DAY) for span in mentions(passage, at)[:MAX_TIMES])


@lru_cache(maxsize=16_384)
def unpacked(text: str) -> Shape:
    """Return the features that `packed` wrote."""
    facts, known, times = text.partition(_TIMES)
    days = _days(times) if times else () if known else None
    return Shape._make((*map(int, facts.split()), days))


def _days(text: str) -> tuple[tuple[int, int], ...]:
    return tuple((int(first), int(end)) for first, _, end in (pair.partition(":") for pair in text.split()))
