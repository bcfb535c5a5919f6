"""Shape: what can be seen of a passage without knowing the question.

Computed once, when a passage is indexed, and kept beside its terms: whether it asks, tells a time or a number, gives a
reason, speaks in the first person, how many names it holds, how long it is, of how many passages it is one, and which
times it names: "yesterday" is a day that only the moment of storing can tell.

    1 0 1 0 0 2 119 1 t 19484:19485     eight facts, then the times as days [first:end) since 1970

Rows of the first version end after the eight facts: their times are not known until a rebuild.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple


class _Looks(NamedTuple):
    """What is looked for in a passage."""

    time: re.Pattern[str]
    reason: re.Pattern[str]
    first_person: re.Pattern[str]
    name: re.Pattern[str]


@lru_cache(maxsize=1)
def _looks() -> _Looks:
    """Return the patterns, made when a passage is first looked at: who only reads shapes does without."""
    return _Looks(
        re.compile(
            r"\b(yesterday|today|tomorrow|tonight|last|next|ago|weeks?|weekend|months?|years?|days?|recently|morning|"
            r"evening|mon|tues|wednes|thurs|fri|satur|sun)(day)?\b|"
            r"\b(january|february|march|april|june|july|august|september|october|november|december|summer|winter|spring|"
            r"autumn)\b|"
            r"\b(19|20)\d\d\b|\b\d{1,2}(st|nd|rd|th)\b|\b\d{1,2}:\d\d\b",
            re.IGNORECASE,
        ),
        re.compile(r"\b(because|since|so that|reason|in order to|due to|wanted to|therefore|instead)\b", re.IGNORECASE),
        re.compile(r"\b(I|I'm|I've|I'll|[Mm]y|[Mm]e|[Ww]e|[Ww]e're|[Ww]e've|[Oo]ur|us)\b"),
        re.compile(r"(?<=[a-z,;:] )[A-Z][a-z]+"),
    )


# More names than this in a passage tell nothing more.
MAX_NAMES = 3
# A passage that names more times than this is a calendar; the first ones are kept.
MAX_TIMES = 8
_TIMES = " t"


class Shape(NamedTuple):
    """The facts, as small whole numbers; `times` are [first, end) in days since 1970, None where nobody looked."""

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
        """Return the facts as text for storage."""
        facts = " ".join(map(str, self[:-1]))
        return facts if self.times is None else facts + _TIMES + "".join(f" {a}:{b}" for a, b in self.times)


def shape(passage: str, *, parts: int = 1, at: int | None = None) -> Shape:
    """Return the shape of a passage, one of the `parts` of its memory; unless it was said `at` a time, it has none."""
    looks = _looks()
    return Shape(
        asks=int(passage.rstrip().endswith("?")),
        tells_time=int(bool(looks.time.search(passage))),
        tells_number=int(any(character.isdigit() for character in passage)),
        tells_reason=int(bool(looks.reason.search(passage))),
        first_person=int(bool(looks.first_person.search(passage))),
        names=min(MAX_NAMES, len(looks.name.findall(passage))),
        characters=len(passage),
        parts=parts,
        times=None if at is None else _times(passage, at),
    )


def _times(passage: str, at: int) -> tuple[tuple[int, int], ...]:
    from recollect.text.dates import DAY, mentions

    return tuple((span.start // DAY, span.end // DAY) for span in mentions(passage, at)[:MAX_TIMES])


@lru_cache(maxsize=16_384)  # a recall reads some hundred passages, mostly the same as the one before
def unpacked(text: str) -> Shape:
    """Return the shape that `packed` wrote."""
    facts, known, times = text.partition(_TIMES)
    days = _days(times) if times else () if known else None
    return Shape._make((*map(int, facts.split()), days))


def _days(text: str) -> tuple[tuple[int, int], ...]:
    return tuple((int(first), int(end)) for first, _, end in (pair.partition(":") for pair in text.split()))
