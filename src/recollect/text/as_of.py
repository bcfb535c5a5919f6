"""Questions that say as of when they are asked: "which database do we use as of March 2024?"."""

from __future__ import annotations

import re
from functools import cache

from recollect.text.dates import AS_OF, AS_OF_REACH, asked_times

_pattern = cache(re.compile)
_SAID = r"(?i)\bas\s{1,3}of\b"
_NOW = r"(?i)\bas\s{1,3}of\s{1,3}(?:right\s{1,3})?now\b"


def without_as_of(text: str, now: int) -> tuple[str, int | None]:
    """Return a question without "as of March", and the last second of March.

    None: the question asks for the present, or says no such time. A time to come is left in it: plans name that time.
    """
    if not _pattern(_SAID).search(text):
        return text, None
    if found := _pattern(_NOW).search(text):
        return _cut(text, found.start(), found.end()), None
    for span in asked_times(text, now):
        words = _pattern("(?i)" + AS_OF).search(text, max(0, span.at - AS_OF_REACH), span.at)
        if words and span.start <= now:
            rest = _cut(text, words.start(), span.stop)
            last = span.start if (words["edge"] or "").lower() in ("start", "beginning") else span.end - 1
            return rest, last if last < now and rest != text else None
    return text, None


def _cut(text: str, start: int, stop: int) -> str:
    """Return a text without some of its words; all of it where it has no others."""
    before, after = text[:start].rstrip(" ,"), text[stop:].lstrip(" ,")
    rest = f"{before} {after}".strip() if after[:1].isalnum() else before + after
    return rest if any(character.isalnum() for character in rest) else text
