"""Changes: candidates of a recall that show that an older one no longer holds.

A newer candidate comes before an older one if it is near to the question and to the older one, and both cannot hold
now: another value of the same kind, an ended value, or a denial (amend.py). It needs none of the question's words, so
that it works for long prompts and bug reports, too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from recollect.recall.amend import contradicts
from recollect.recall.parsed_statement import names, shut_down, statement, with_parts
from recollect.recall.query import Query
from recollect.recall.supersede import SENTENCE, Asked, Kind, Version
from recollect.text.terms import terms

# Changes are searched among the first hits only; further down, order matters little.
DEPTH = 30
# A newer candidate is about what the question asks if its vector is this near to it (less where it says itself what is
# gone), and about what the older one says if their sentences are this near to each other.
LEAST_RELEVANT = 0.38
LEAST_NEAR = 0.25
LEAST_ALIKE = 0.5
# How far below the older one a newer candidate may score. A note that changes a fact may say it in other words than the
# question; of turns with an assistant only one that fits the question as well is its newer version, for a person asks
# about the same thing again and again.
SCORE_GAP: Mapping[Kind, float] = {"document": 9.0, "note": 9.0, "turn": 1.5}
# What is read of a candidate to find the sentence that answers the question.
SENTENCES = 40
SENTENCE_CHARACTERS = 400
# Pairs whose sentences are compared by their vectors at most: a few milliseconds.
MOST_PAIRS = 12


class Change(NamedTuple):
    """Two versions of a fact by their places in the ranking, with their sentences.

    is_certain: the newer one names the thing of the older one and says that it is gone. Otherwise the vectors of both
    sentences have to be near each other.
    """

    newer: int
    older: int
    new: str
    old: str
    is_certain: bool


def changes(query: Query, rarity: Mapping[str, float], versions: Sequence[Version]) -> list[Change]:
    """Return the candidates that change an older one above them, nearest to the question first.

    versions: the best candidates in order of rank
    """
    asked = Asked(query, rarity)
    read = {version.place: _Read(asked, version) for version in versions if version.cosine >= LEAST_NEAR}
    found = []
    for number, newer in enumerate(versions):
        for older in versions[:number]:
            is_later = (newer.at, newer.seq) > (older.at, older.seq)
            if is_later and newer.place in read and older.place in read:
                new, old = read[newer.place], read[older.place]
                is_certain = new.ends(old)
                if newer.score < older.score - SCORE_GAP[newer.kind]:
                    continue
                if is_certain or (newer.cosine >= LEAST_RELEVANT and contradicts(new.statement, old.statement)):
                    found.append(Change(newer.place, older.place, new.sentence, old.sentence, is_certain))
    cosines = {version.place: version.cosine for version in versions}
    return sorted(found, key=lambda change: -cosines[change.newer])[:MOST_PAIRS]


class _Read:
    """A candidate with its best sentence for the question, and the things that it says are gone."""

    def __init__(self, asked: Asked, version: Version) -> None:
        text = version.text()
        self.sentence = _best_sentence(asked, text)
        self.statement = statement(self.sentence)
        self._gone = shut_down(text[:SENTENCE_CHARACTERS])

    def ends(self, older: _Read) -> bool:
        """Tell whether it says that the thing of the older one is gone: by name or two words."""
        gone = self._gone & with_parts(older.statement.words)
        return len(gone) > 1 or not gone.isdisjoint(names(older.statement))


def _best_sentence(asked: Asked, text: str) -> str:
    """Return the sentence that states most of the question; the first one of several."""
    sentences = [each for each in SENTENCE.split(text) if each.strip()][:SENTENCES]
    return max(sentences, key=lambda each: asked.stated(terms(each)), default="")[:SENTENCE_CHARACTERS]
