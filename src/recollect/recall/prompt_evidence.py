"""Relevance of memories for a prompt that a hook answers alone, by words and approximate vectors.

With vectors it is a logistic model of five signals. Without them, or for a memory that has none yet, a memory must
share enough words with the prompt that say what it is about.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from recollect.recall import PACK_RELEVANCE, feedback
from recollect.recall.lexical import Likely
from recollect.recall.query import Query
from recollect.recall.weights import IDLE
from recollect.text.passages import MAX_PASSAGES
from recollect.text.terms import terms, words_of_terms

if TYPE_CHECKING:
    from recollect.store.store_values import Passage

# Without vectors, a memory needs this evidence: a shared word counts 1, an everyday word half, a name with two digits
# or an underscore 2, words side by side a half more. A longer passage shares words by chance: for each further 20 words
# it needs 1 more, up to 2.
LEAST_EVIDENCE = 2.0
LONG_EVIDENCE = 2.0
SHORT_WORDS = 20
# Evidence makes a memory so much more likely, in logits: 0.3 becomes 0.55 (bench/told.py, dev).
EVIDENCE = 1.05
# More evidence than this says no more beside a vector.
MOST_EVIDENCE = 4.0
# Limits of the relevance by words, whose logit is a signal.
LEAST_LIKELY = 1e-4
# Words of every project and every task, which rarely say what a prompt is about.
EVERYDAY = frozenset(
    terms(
        """add allow answer apply ask back become begin break bring build call change check choose clean close
        code come contain copy count create cut data day decide default define delete describe different done
        drop easy edit end error example exist expect explain fail fast field file fill find finish first fix
        folder follow function get give go good great handle happen hard help hour idea implement import issue
        item job keep kept kind know large last later leave let lib library like line list little load long look
        made make many may mean method minute miss module month move much name need never new next nice number
        object often old one open option order output part pass people per place please point possible problem
        process project put question quick quite read ready really reason remove rename replace request result
        return right run safe save say see send sent set setting show simple slow small something sort src start
        state stay step still stop store sure system table take talk team tell test text thing think time today
        together try turn two type unit update use user value variable version view wait want way week well win
        word work write wrong year yesterday"""
    )
)


class Signals(NamedTuple):
    """The signals of a passage that has a vector.

    words: the logit of its relevance by words alone. evidence: of the words that it shares with the prompt. cosine: of
    the approximate vector of the prompt. margin: how much nearer it is than the nearest other passage; below 0: farther
    size: the logarithm of the number of memories with a cosine: of many, some are near to any prompt
    """

    words: float
    evidence: float
    cosine: float
    margin: float
    size: float


# Fitted by scripts/fit_prompts.py on 24 projects of notes with 2,600 prompts, which the embedding model was not trained
# on. The weight of the size is given: with it, one bar serves stores of 3 and of 500 notes.
WEIGHTS = Signals(words=0.22, evidence=0.38, cosine=9.95, margin=5.12, size=-0.5)
OFFSET = -3.13
# The fitted probability from which a memory is injected: of projects left out of the fit, 60 % of the prompts with an
# answer get one, 96 % of these rightly, and 6 % of the prompts about something else. Fitted for 5 % it would be 0.51; a
# month of bench/told.py, dev, was in view (docs/adr/0083).
BAR = 0.45


def relevant(query: Query, rows: Sequence[Passage], found: Likely, cosines: Mapping[int, float]) -> Likely:
    """Return scores and relevance of passages for a prompt, from those by words.

    cosines: of all passages that have a vector, by their number
    """
    words = words_of_terms(query.text)
    by_words = [_by_words(query, words, row, value) for row, value in zip(rows, found.relevance, strict=True)]
    if not cosines:
        return Likely(found.scores, by_words)
    # Moved so that the bar is at the threshold of injected memories.
    offset = OFFSET + _logit(PACK_RELEVANCE) - _logit(BAR)
    scores = [_logit(value) for value in by_words]
    for place, measured in signals(query, rows, found, cosines):
        scores[place] = offset + sum(weight * value for weight, value in zip(WEIGHTS, measured, strict=True))
    scores = [score + IDLE * query.idle for score in scores]
    return Likely(scores, [1 / (1 + math.exp(-min(60.0, max(-60.0, score)))) for score in scores])


def signals(
    query: Query, rows: Sequence[Passage], found: Likely, cosines: Mapping[int, float]
) -> Iterator[tuple[int, Signals]]:
    """Yield the place and the signals of each passage that has a vector."""
    words = words_of_terms(query.text)
    of_memory: dict[int, float] = {}
    for pid, value in cosines.items():
        of_memory[pid // MAX_PASSAGES] = max(value, of_memory.get(pid // MAX_PASSAGES, -1.0))
    nearest = sorted(of_memory, key=of_memory.__getitem__, reverse=True)[:2]
    for place, (row, value) in enumerate(zip(rows, found.relevance, strict=True)):
        cosine = cosines.get(row.pid)
        if cosine is not None:
            other = max((of_memory[each] for each in nearest if each != row.seq), default=0.0)
            shared = min(_evidence(query, words, row), MOST_EVIDENCE)
            yield place, Signals(_logit(value), shared, cosine, cosine - other, math.log(len(of_memory)))


def _by_words(query: Query, words: Mapping[str, str], row: Passage, value: float) -> float:
    """Return the relevance of a passage by words, 0 if it shares too few words with the prompt."""
    evidence = _evidence(query, words, row) + 0.5 * (not query.pairs.isdisjoint(pairwise(row.tokens)))
    least = LEAST_EVIDENCE + min(max(0, len(row.tokens) - SHORT_WORDS) / SHORT_WORDS, LONG_EVIDENCE)
    return feedback.likely(value, EVIDENCE) if evidence >= least else 0.0


def _evidence(query: Query, words: Mapping[str, str], row: Passage) -> float:
    """Return the evidence of the words that a passage shares with a prompt."""
    shared: dict[str, float] = {}
    for term in filter(set(row.tokens).__contains__, query.terms):
        word = words.get(term, term)
        shared[word] = max(shared.get(word, 0.0), _weight(term))
    return sum(shared.values())


def _weight(term: str) -> float:
    if "_" in term or (sum(map(str.isdigit, term)) > 1 and any(map(str.isalpha, term))):
        return 2.0
    return 0.5 if term in EVERYDAY else 1.0


def _logit(likely: float) -> float:
    likely = min(max(likely, LEAST_LIKELY), 1 - LEAST_LIKELY)
    return math.log(likely / (1 - likely))
