"""Tag: when a question names one. Tags repeat, so what they are named by is remembered."""

from __future__ import annotations

import re
from functools import lru_cache

from recollect.text.terms import terms

# Terms are looked up, not recomputed (8 µs each).
CACHE = 8_192

_JOINED = re.compile(r"[_./:\-\s]+")


def named(of: tuple[str, ...], words: frozenset[str]) -> list[frozenset[str]]:
    """Return, for each of some tags that a question names, those of the question's terms that do so."""
    if words.isdisjoint(_terms_of_all(of)):
        return []
    return [words & _terms(tag) for tag in of if any(wanted <= words for wanted in _spoken(tag))]


@lru_cache(maxsize=CACHE)
def _terms_of_all(of: tuple[str, ...]) -> frozenset[str]:
    """Return every term of some tags: a question with none of them names none of these."""
    return frozenset().union(*map(_terms, of))


@lru_cache(maxsize=CACHE)
def _terms(tag: str) -> frozenset[str]:
    return frozenset(terms(tag)).union(*_spoken(tag))


@lru_cache(maxsize=CACHE)
def _spoken(tag: str) -> tuple[frozenset[str], ...]:
    """Return what a question must say to name a tag: its words as written, or apart; of `key:value` only the value."""
    value = tag.partition(":")[2] or tag
    written = (frozenset(terms(value)), frozenset(terms(_JOINED.sub(" ", value))))
    return tuple(wanted for wanted in dict.fromkeys(written) if wanted)
