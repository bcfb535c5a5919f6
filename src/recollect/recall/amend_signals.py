"""The signals that a newer statement replaces an older one, as numbers and as words.

    old  Reminders are sent at 8 am.    new  the reminder job now fires at 18:30

    numbers  cosine 0.71, shared words 0.5, a value of one kind differs, a word of change, …
    words    n:now  n2:X_job  N3:at_9_:  o:sent  slot:at  …

In the words, `X` stands for a word that both statements have, `N` and `L` for one that only the newer or only the older
one has, and `9` for a number. So “instead of X” and “at N” are learned for all that stands there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise, takewhile
from typing import NamedTuple

from recollect.recall.parsed_statement import CUES, VERB_KEYS, Statement, names, with_parts
from recollect.recall.stated_values import conflict, repeated
from recollect.text.terms import terms

_TOKEN = re.compile(r"[a-z0-9_']+|[^\w\s]")
_NUMBER = re.compile(r"\d+")
NOT = frozenset("not never no none neither nothing without".split())
PRONOUNS = frozenset("it this that these those he she they there here".split())


def numbers(new: Statement, old: Statement, cosine: float) -> list[float]:
    """Return the numeric signals, in a fixed order."""
    both, lost, novel = new.words & old.words, old.words - new.words, new.words - old.words
    ours, theirs = names(new), names(old)
    kinds = [
        {(each.kind, *sorted(each.of if each.kind == "version" else ())) for each in one.values} for one in (new, old)
    ]
    denies = [not NOT.isdisjoint(word.lower() for word in each.tokens) for each in (new, old)]
    return [
        cosine,
        len(both) / max(1, len(old.words)),
        len(both) / max(1, len(new.words)),
        len(both),
        len(lost),
        len(novel),
        len(lost - VERB_KEYS - theirs),
        len(novel - VERB_KEYS - ours),
        len(old.tokens),
        len(new.tokens),
        *(cue in new.cues for cue in CUES),
        len(old.cues),
        len(new.partly - old.partly),
        len(old.partly - new.partly),
        new.is_open,
        old.is_open,
        new.is_past,
        old.is_past,
        len(new.ended & with_parts(old.words)),
        len(new.ended),
        len(new.ended & theirs),
        conflict(new.values, old.values),
        conflict(new.values, old.values, loose=True),
        repeated(new.values, old.values),
        len(new.values),
        len(old.values),
        len(kinds[0] & kinds[1]),
        len(theirs - new.words),
        len(ours - old.words),
        len(ours & theirs),
        denies[0],
        denies[0] != denies[1],
        bool(new.tokens) and new.tokens[0].lower() in PRONOUNS,
        new.text.rstrip().endswith("?"),
        *_places(_read(new.text), _read(old.text)),
    ]


def _places(new: _Read, old: _Read) -> Iterator[float]:
    """Yield where two statements differ: at the start mostly in what they are about, at the end in a value."""
    start = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(new.tokens, old.tokens, strict=False)))
    rest = [each.tokens[start:][::-1] for each in (new, old)]
    end = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(*rest, strict=False)))
    yield from (start, end)
    for one, other in ((new, old), (old, new)):
        masked = one.masked(other, "N")
        found = [place for place, word in enumerate(masked) if word == "N"] or [len(masked)]
        first, last = found[0], found[-1]
        yield from (first / max(1, len(masked)), last / max(1, len(masked)), len(found), last - first + 1 - len(found))
        yield len(one.tokens) - start - end


class _Read(NamedTuple):
    """The tokens of a text, and for each its stem; "" for stop words and marks."""

    tokens: tuple[str, ...]
    stems: tuple[str, ...]

    def masked(self, other: _Read, name: str = "") -> list[str]:
        """Return the tokens with X for those that the other text has, and `name` (default: themselves) for others."""
        shared = frozenset(other.stems)
        return [
            token if not stem else "X" if stem in shared else name or token
            for token, stem in zip(self.tokens, self.stems, strict=True)
        ]


def words(new: Statement, old: Statement) -> set[str]:
    """Return the signals by words."""
    ours, theirs = _read(new.text), _read(old.text)
    shown, told = ours.masked(theirs), theirs.masked(ours)
    novel, lost = ours.masked(theirs, "N"), theirs.masked(ours, "L")
    found = {f"n:{token}" for token in shown}
    found.update(f"o:{token}" for token in told if token not in ours.tokens)
    found.update(f"{mark}:{'_'.join(run)}" for mark, run in _runs(shown, novel, lost))
    found.update(f"slot:{token}" for token in _beside(novel, "N") & _beside(lost, "L"))
    found.update(f"aslot:{token}" for token in _beside(novel[::-1], "N") & _beside(lost[::-1], "L"))
    if shown and told:
        found.update((f"first:{shown[0]}", f"firsto:{told[0]}"))
    return found


def _runs(shown: Sequence[str], novel: Sequence[str], lost: Sequence[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the pairs and triples of tokens that count."""
    for mark, tokens in (("n2", shown), ("N2", novel), ("L2", lost)):
        yield from ((mark, pair) for pair in pairwise(tokens))
    yield from (("N3", run) for run in zip(novel, novel[1:], novel[2:], strict=False))


def _beside(tokens: Sequence[str], name: str) -> set[str]:
    """Return the tokens before the places where only one of the statements has a word."""
    return {before for before, token in pairwise(tokens) if token == name != before}


@lru_cache(maxsize=2_048)  # a new statement is compared with several older ones
def _read(text: str) -> _Read:
    tokens = tuple(_TOKEN.findall(_NUMBER.sub("9", text.lower())))
    return _Read(tokens, tuple(_stem(token) for token in tokens))


@lru_cache(maxsize=4_096)
def _stem(token: str) -> str:
    if token.isalpha():
        return (terms(token) or [""])[-1]
    return token if token[0].isalnum() else ""
