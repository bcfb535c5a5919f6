"""The statement model: whether a sentence states knowledge, and of which kind.

Two logistic models over the features of `sentence_features`: one for "is it worth keeping", one for the kind. The
weights are in `statement_weights.tsv.gz`, made by `bench/train_statements.py`. A row is a feature, its weight for
keeping and its weight for each kind, all in hundredths; the first rows are the settings.

Where the local embedding model is there, its classifier reads what may be a statement a second time, with the sentences
around it, and both decide (`bench/train_classifier.py`).
"""

from __future__ import annotations

import gzip
import math
from collections.abc import Collection, Sequence
from functools import cache
from importlib.resources import files
from itertools import zip_longest
from typing import Literal, NamedTuple, get_args

from recollect.capture.prose import Sentence
from recollect.capture.sentence_features import Lexicon
from recollect.providers.provider_protocol import Answers, joint

Kind = Literal["rule", "preference", "decision", "correction", "cause", "fact"]
KINDS: tuple[Kind, ...] = get_args(Kind)
RULES: tuple[Kind, ...] = ("rule", "preference")

# A feature counts this much divided by the root of their number, so long sentences do not score higher.
SCALE = 3.0

# Characters before and after a sentence that the classifier reads with it.
BEFORE, AFTER = 200, 120
# Before the context of a sentence of an assistant.
ANSWER = "answer: "


# How much the classifier and the words count, and what is added: so that of what is kept in the held-out files nine of
# ten sentences and more were stated (bench/statements.py, docs/adr/0083).
WEIGHTS = (0.32, 0.25, -0.15)
# The probability from which both together keep a sentence, and one that seems to ask or to guess.
KEPT, SURE = 0.55, 0.7
# The logarithm of odds from which a statement is about how people work. At 3.5 about 95 % of what is taken for that in
# statements_held/tasks.txt is, and 85 % of what is that is taken for it; at 0 it is 92 % and 89 %, and each wrong one
# would be told in every session.
STANDING = 3.5


class Judged(NamedTuple):
    """The probability that a sentence states knowledge, its most likely kind, and whether that is enough to keep it.

    is_sure: it is enough even if the sentence seems to ask or to guess
    is_standing: it says how people work, whatever the task is; None if only the words were read
    """

    probability: float
    kind: Kind
    is_kept: bool
    is_sure: bool = False
    is_standing: bool | None = None

    def with_answers(self, answers: Answers) -> Judged:
        """Return the same with what the classifier says."""
        probability = joint(self.probability, answers.lasts, WEIGHTS)
        kind = KINDS[answers.kinds.index(max(answers.kinds))]
        return Judged(probability, kind, probability >= KEPT, probability >= SURE, answers.standing >= STANDING)


class Model(NamedTuple):
    """The classes of words, the thresholds of the kinds, and the weights of the features.

    rows: the weights of each feature as in the file: few are looked up, and reading all of them takes 0.18 s of CPU
    """

    lexicon: Lexicon
    thresholds: dict[str, float]
    bias: float
    rows: dict[str, str]

    def judge(self, features: Collection[str]) -> Judged:
        """Return what a sentence with these features is."""
        scale = SCALE / math.sqrt(max(1, len(features)))
        known = (self.weights(feature) for feature in features if feature in self.rows)
        keep, *totals = map(math.fsum, zip_longest((0.0,) * (1 + len(KINDS)), *known, fillvalue=0.0))
        probability, kind = 1 / (1 + math.exp(-self.bias - scale * keep)), KINDS[totals.index(max(totals))]
        return Judged(probability, kind, probability >= self.thresholds[kind])

    def weights(self, feature: str) -> tuple[float, ...]:
        """Return the weight of a known feature for keeping a sentence, and its weight for each kind if it has any."""
        return tuple(int(value) / 100 for value in self.rows[feature].split("\t"))


def context_of(said: Sequence[Sentence], place: int, is_answer: bool) -> str:
    """Return the context of a sentence: whose it is, the end of the two before it, and the beginning of the next."""
    before = " ".join(each.text for each in said[max(0, place - 2) : place]).strip()
    after = " ".join(each.text for each in said[place + 1 : place + 2]).strip()
    return f"{ANSWER if is_answer else ''}{before[-BEFORE:]} … {after[:AFTER]}"


@cache
def model() -> Model:
    """Return the model that comes with this package."""
    return read((files("recollect.capture") / "statement_weights.tsv.gz").read_bytes())


def read(compressed: bytes) -> Model:
    """Return the model of a file of weights."""
    _, *lines = gzip.decompress(compressed).decode().splitlines()
    (_, frequent), (_, *first), (_, *later), (_, bias), (_, *thresholds) = (line.split("\t") for line in lines[:5])
    return Model(
        Lexicon(frozenset(frequent.split()), _classes(first), _classes(later)),
        dict(zip(KINDS, map(float, thresholds), strict=True)),
        float(bias),
        dict(line.split("\t", 1) for line in lines[5:]),
    )


def _classes(named: Sequence[str]) -> dict[str, str]:
    """Return the class of each word, read from "class=word word"."""
    return {word: name for name, _, words in (each.partition("=") for each in named) for word in words.split()}
