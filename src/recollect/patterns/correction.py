"""Corrections: what people tell an assistant again and again.

    "no, use pnpm here" … "please use pnpm, not npm" … "always use pnpm"      in several sessions: a rule of the project

A sentence that orders, forbids or corrects is compared with the others by the words that carry it. That it was said in
two sessions is what makes it a rule; once is a task.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from recollect.model import Observed
from recollect.text.tokens import terms

# Said twice, it was forgotten once.
LEAST_SESSIONS = 2
# The share of words that two sentences must have in common to be the same order.
ALIKE = 0.5
# Shorter ones are "no", "stop that"; longer ones are a task.
LEAST_TERMS, MOST_TERMS = 2, 24

# How rules are said. A question, and what only concerns the moment ("now", "this time"), is none.
_RULE = re.compile(
    r"\b(?:always|never|do(?:n't| not)|don’t|stop \w+ing|avoid|prefer|instead of|rather than|must(?: not|n't)?|"
    r"should(?:n't| not)?|no need to|we (?:use|don't|do not|never|always|prefer)|i told you|as i said|remember)\b|"
    r"^(?:(?:no|please),? )*(?:use|keep|write|run|put|name|commit|ask|make sure)\b",
    re.IGNORECASE,
)
_MOMENT = re.compile(
    r"\b(?:now|this time|for now|today|here is|the following|this (?:bug|error|file|function|line))\b", re.IGNORECASE
)
_FORBIDS = re.compile(
    r"\b(?:never|don't|don’t|do not|stop|avoid|must not|mustn't|shouldn't|should not|no need)\b", re.IGNORECASE
)
_SENTENCE = re.compile(r"(?<=[.!;])\s+|\n+")
_LEAD = re.compile(
    r"^(?:(?:no|nope|please|again|ok|okay|hey|and|but|also|well|remember|remember that|as i said|i told you)[,:]?\s+)+",
    re.IGNORECASE,
)


class Said(NamedTuple):
    """One sentence that states a rule, and where it was said."""

    text: str
    words: frozenset[str]
    row: Observed


class Correction(NamedTuple):
    """A rule that was said in several sessions: how it was said last, and every time it was."""

    text: str
    rows: tuple[Observed, ...]
    session_count: int


def corrections(rows: Iterable[Observed]) -> list[Correction]:
    """Return the rules that people stated in several sessions, the most often said first."""
    groups: list[list[Said]] = []
    for row in sorted(rows, key=lambda row: (row.at, row.id)):
        if row.event != "prompt":
            continue
        for said in rules(row):
            near = next((group for group in groups if any(_alike(said, other) for other in group)), None)
            if near is None:
                groups.append([said])
            else:
                near.append(said)
    found = []
    for group in groups:
        among = {said.row.session_id for said in group}
        if len(among) >= LEAST_SESSIONS:
            shortest = min(group, key=lambda said: (len(said.text), -said.row.at))
            found.append(Correction(shortest.text, tuple(said.row for said in group), len(among)))
    return sorted(found, key=lambda row: (-row.session_count, row.text))


def rules(row: Observed) -> Iterator[Said]:
    """Yield the sentences of a prompt that state a rule."""
    for sentence in _SENTENCE.split(row.told):
        text = " ".join(sentence.split())
        if not _RULE.search(text) or _MOMENT.search(text) or text.endswith("?"):
            continue
        bare = _LEAD.sub("", text).strip(" ,.!;")
        words = frozenset(terms(bare))
        if LEAST_TERMS <= len(words) <= MOST_TERMS:
            yield Said(bare[:1].upper() + bare[1:], words, row)


def _alike(one: Said, other: Said) -> bool:
    common = len(one.words & other.words)
    # Forbidding is not ordering, though all other words are the same.
    return common >= ALIKE * len(one.words | other.words) and _forbids(one.text) == _forbids(other.text)


def _forbids(text: str) -> bool:
    return bool(_FORBIDS.search(text))
