"""Supersession: of statements about one fact, the newest comes first.

A question about the present wants what holds now. Among the best candidates, those that state what the question asks
about, in one sentence that has most of its words, are versions of one another: they keep their places in the ranking
but fill them newest first, and each older one is marked with the one that replaced it. A question about the past is
left alone, and one that asks for what held before gets the older version first.

A short note states one fact. Of what its project says later, one of the notes nearest to it is mostly about the same
fact, even without words of the question or a value of the older one. How probable a change is by the wording of both
(amend_model.py) and a rare word that both have are further signs.

Recency is never a bonus by itself: sorting everything by date puts the current version of a changed fact first in 94 of
100 cases and ruins facts stated once (20 right instead of 84). docs/benchmarks.md has what this stage reaches.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Literal, NamedTuple

from recollect.recall.query import Query
from recollect.text.questions import INDIRECT, states_nothing
from recollect.text.terms import terms

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# A candidate is a long text, a turn of a person with an assistant, or anything else.
Kind = Literal["document", "turn", "note"]

# Versions of a fact are searched among the first hits only; further down, order matters little.
STATING_DEPTH = 10
# How far below the best score a version may be. Far in a document, which says much besides: the first statement of a
# fact often repeats the question's words ("the prefix of function names is x"), a later one mentions it in passing
# ("start function names with y"). A note is about one thing and may share words with another; and a person asks an
# assistant about the same thing again and again.
SCORE_GAP: Mapping[Kind, float] = {"document": 9.0, "note": 2.0, "turn": 0.0}
# The least share of the question in a statement, and the least share of what the best hit states of it.
LEAST_STATED = 0.5
STATED_SHARE = 0.7
# Words count by the root of their rarity: one rare word of one version must not exclude the others.
RARITY_POWER = 0.5
# The bonus for neighbouring words of the question: "function names" is not "function argument names".
PAIR_BONUS = 1.0
# The bonus for the wording of a rule: rules are changed by rules, not by mentions of them.
CUE_BONUS = 0.3
# To come first, a newer statement need only be about the same fact. To mark an older one as replaced, which takes it
# out of packed context, it has to state at least this share of what the older one states of the question.
REPLACING_SHARE = 0.85
# Two sentences that share this much of their words differ in a value.
SAME_FRAME = 0.6

# The present, an event in the past, or the state before a change.
Tense = Literal["now", "past", "before"]
_BEFORE = re.compile(
    r"\b(?:used to|original(?:ly)?|previous(?:ly)?|former(?:ly)?|initial(?:ly)?|at first|back then|at (?:the|"
    r"that) time|"
    r"in the past|prior to|before (?:we|the|that|it|this|\d|switching|moving|migrating)|in (?:19|20)\d\d|"
    r"(?:years?|months?|weeks?|days?) ago|last (?:year|month|week|quarter|summer|winter|spring|autumn))\b",
    re.IGNORECASE,
)
_PAST = re.compile(r"\b(?:did|was|were|had|happened|as of)\b", re.IGNORECASE)
_ENDS_BEFORE = re.compile(r"\bbefore\W*$", re.IGNORECASE)
_CUE = re.compile(
    r"\b(from now on|going forward|moving forward|no longer|any ?more|instead|always|never|should|must|please|"
    r"(want|need|like) you to|make sure|let's|(we|I) (now )?use|now uses?|start using|switch(ed)?|moved?|changed?|"
    r"replaced?|updated?|decided|correction|actually)\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"\w+")
SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")


class Version(NamedTuple):
    """A candidate version of a fact: its place in the ranking, time, score, terms and text.

    text: read only where scores and terms do not decide
    """

    place: int
    at: int
    score: float
    terms: Sequence[str]
    text: Callable[[], str]
    kind: Kind = "note"


class Stated(NamedTuple):
    """A version of a fact: place, time, and how well its best sentence states the question."""

    place: int
    at: int
    worth: float
    words: frozenset[str]
    lays_down: bool


def supersede(query: Query, rarity: Mapping[str, float], versions: Sequence[Version]) -> list[Stated]:
    """Return the versions of one fact among the candidates, newest first; empty if one.

    versions: the best candidates in order of rank. Ties in time keep their order.
    """
    near = [version for version in versions if version.score >= versions[0].score - SCORE_GAP[version.kind]]
    # One word names a topic, it asks for no fact: all that is said of it is not versions of the same.
    if len(near) < 2 or len(query.terms) < 2 or tense(query.text) != "now":
        return []
    asked = Asked(query, rarity)
    best = _stated(asked, near[0], least=LEAST_STATED)
    if best is None:
        return []
    least = max(LEAST_STATED, STATED_SHARE * best.worth)
    others = [stated for version in near[1:] if (stated := _stated(asked, version, least=least))]
    return sorted([best, *others], key=lambda stated: -stated.at) if others else []


def tense(text: str) -> Tense:
    """Return whether a question is about the present, the past, or an earlier state."""
    is_past = bool(_PAST.search(text))
    if _BEFORE.search(text) or (is_past and _ENDS_BEFORE.search(text)):
        return "before"
    return "past" if is_past else "now"


def replaces(newer: Stated, older: Stated) -> bool:
    """Tell whether a newer version replaces an older one that states about as much.

    It lays something down, or it is the same sentence with something else in it ("we use MySQL", "we use SQLite").
    """
    if newer.at <= older.at or newer.worth < REPLACING_SHARE * older.worth:
        return False
    return newer.lays_down or len(newer.words & older.words) >= SAME_FRAME * len(newer.words | older.words)


class Asked:
    """A question with the weights of its terms, ready to be compared with sentences."""

    def __init__(self, query: Query, rarity: Mapping[str, float]) -> None:
        self._weights = {term: weight**RARITY_POWER for term, weight in rarity.items()}
        self._total = sum(self._weights.values()) or 1.0
        self._pairs = query.pairs

    def stated(self, held: Sequence[str]) -> float:
        """Return how much of the question these terms state; 0 if nothing."""
        covered = sum(self._weights[term] for term in self._weights.keys() & set(held)) / self._total
        beside = len(self._pairs.intersection(pairwise(held))) / max(1, len(self._pairs))
        return covered + PAIR_BONUS * beside if covered else 0.0


def _stated(asked: Asked, version: Version, *, least: float) -> Stated | None:
    """Return the best sentence of a version; None if none states at least `least`."""
    # No sentence states more than the whole: most texts are settled without being taken apart.
    if asked.stated(version.terms) + CUE_BONUS < least:
        return None
    best = None
    for sentence in SENTENCE.split(version.text()):
        stated = asked.stated(terms(sentence))
        if stated and not INDIRECT.search(sentence):
            lays_down = bool(_CUE.search(sentence))
            worth = stated + CUE_BONUS * lays_down
            if worth >= least and (best is None or worth > best.worth):
                words = frozenset(_WORD.findall(sentence.lower()))
                best = Stated(version.place, version.at, worth, words, lays_down)
    return best


# --- a message to an assistant that changes a value ---

# A person asks an assistant about the same thing again and again, so a message replaces another only if it states
# another value of what is asked, in a sentence with so many words of the question and a word of change, among the first
# hits.
ASKED_WORDS = 2
CHANGED_DEPTH = 6


def changes_value(query: Query, new: str, old: str) -> bool:
    """Tell whether a later message states another value of what is asked than an older one."""
    from recollect.recall.amend import contradicts
    from recollect.recall.parsed_statement import statements

    asked = frozenset(query.terms)
    told, before = (
        [each for each in statements(text, whole=True) if len(each.words & asked) >= ASKED_WORDS] for text in (new, old)
    )
    return any(one.cues and contradicts(one, other) for one in told for other in before)


# --- the newer version of a short note, by meaning ---

# Marks inside of plain words: “on-call”, “team's”.
_IN_WORDS = str.maketrans("", "", "-'’")
# Whether a later note is a newer version of a short one, in points: for the cosine of both, for the cosine of the older
# one with the question, if the older one is also the nearest earlier one, and for the rarest word that both have and
# the question has not: who replaces a thing mostly names it. A note of more than SHORT words says more than one fact
# and loses by the logarithm of its length. By a logistic regression on two splits of bench/notes, rounded
# (docs/adr/0048).
COSINE, ASKED, MUTUAL, SHARED, LENGTH, SHORT = 8.0, 6.0, 1.0, 1.0, 5.0, 8
# The same for the log odds of the model of changes, within these probabilities, and for the logarithm of the newer
# note's relevance as a share of the older one's: what does not answer the question by itself is mostly about something
# else. Of 57 changes in two splits of bench/notes 49 have the current note first (45 by rules and a least share), and
# of 63 questions to 106 notes that differ in one word 55 as before (docs/adr/0066).
CHANGED, LEAST_PROBABLE, MOST_PROBABLE = 1.0, 0.1, 0.6
SHARE, LEAST_RELEVANT = 0.9, 0.01
VERSION_BAR = 6.5
MOST_CHANGED = CHANGED * math.log(MOST_PROBABLE / (1 - MOST_PROBABLE))
# Longer notes never reach the bar.
MOST_WORDS = int(SHORT * math.exp((COSINE + ASKED + MUTUAL + MOST_CHANGED + SHARED - VERSION_BAR) / LENGTH))
# How many later notes are compared with a note: those nearest to it.
NEAREST = 5
# In a project with fewer notes the nearest ones may be about anything: both must not hold at once.
LEAST_NOTES = 12


class Note(NamedTuple):
    """A note of the pool with its project, its time and number, its unit vector and its terms."""

    place: int
    project: str | None
    written: tuple[int, int]
    vector: NDArray[np.float32]
    terms: frozenset[str] = frozenset()


class Later(NamedTuple):
    """A later note of a project, compared with an older one.

    is_mutual: the older one is its nearest earlier note. shared: how rare in the project the rarest word is that both
    have, 0 to 1. is_few: the project has so few notes that being near says nothing
    """

    note: Note
    cosine: float
    is_mutual: bool
    shared: float
    is_few: bool


def later_notes(older: Note, notes: Sequence[Note], asked: Collection[str] = ()) -> list[Later]:
    """Return the notes nearest to this one that its project has later; of two as near, the later one first.

    asked: the terms of the question, which say nothing about the two
    """
    import numpy as np

    same = sorted((note for note in notes if note.project == older.project), key=lambda note: note.written)
    vectors, first = np.stack([note.vector for note in same]), same.index(older) + 1
    cosines = np.round(vectors[first:] @ older.vector, 4)
    held = Counter(term for note in same for term in older.terms & note.terms)
    found = []
    for place in np.lexsort((np.arange(len(cosines)), cosines))[::-1][:NEAREST].tolist():
        note = same[first + place]
        earlier = np.round(vectors[: first + place] @ note.vector, 4)
        nearest = same[len(earlier) - 1 - int(earlier[::-1].argmax())]
        fewest = min((held[term] for term in (older.terms & note.terms).difference(asked)), default=len(same))
        shared = math.log(len(same) / fewest) / math.log(len(same))
        found.append(Later(note, float(cosines[place]), nearest is older, shared, len(same) < LEAST_NOTES))
    return found


def points_by_meaning(old: str, later: Later | None = None, *, cosine: float, asked: float) -> float:
    """Return the points of a later note by vectors and words; without one, the most that a cosine allows."""
    signs = MUTUAL + SHARED if later is None else MUTUAL * later.is_mutual + SHARED * later.shared
    return COSINE * cosine + ASKED * asked + (signs - LENGTH * math.log(max(SHORT, len(old.split())) / SHORT))


def version_points(
    question: str, new: str, old: str, later: Later, *, cosine: float, asked: float, share: float
) -> float:
    """Return the points for a later note being the newer version of a short one; 0 if it cannot be.

    Not where only the older one has an identifier that the question asks about.
    cosine: of both notes. asked: the cosine of the older one with the question. share: relevance by the older one's
    """
    points = points_by_meaning(old, later, cosine=cosine, asked=asked)
    points += SHARE * math.log(min(1.0, max(LEAST_RELEVANT, share)))
    # Most are too far below the bar for a change to matter, and parsing takes time.
    if points + MOST_CHANGED < VERSION_BAR or lacks_identifier(question, new, old) or states_nothing(new):
        return 0.0
    # Here, not above: a hook that answers a prompt by words alone does without.
    from recollect.recall.amend import contradicts, is_of_another
    from recollect.recall.amend_model import model
    from recollect.recall.parsed_statement import statement, statements

    # “The staging database …” is no newer version of “the production database …”.
    if is_of_another(statement(new), statement(old)):
        return 0.0
    pairs = [(one, other) for one in statements(new, whole=True) for other in statements(old)]
    if later.is_few and not any(contradicts(one, other) for one, other in pairs):
        return 0.0
    changed = max((model().judge(one, other, cosine) for one, other in pairs), default=0.0)
    changed = min(MOST_PROBABLE, max(LEAST_PROBABLE, changed))
    return points + CHANGED * math.log(changed / (1 - changed))


def lacks_identifier(question: str, new: str, old: str) -> bool:
    """Tell whether the question has a name (`jwks.json`, `E-114`, Java) of the older text that the newer one lacks."""
    first, *words = (word.strip("?!.,;:\"'`()") for word in question.split() or [""])
    named = [word for word in words if word != word.lower()]
    asked = (word.lower() for word in (first, *words) if word and not word.translate(_IN_WORDS).isalpha())
    return any(word in old.lower() and word not in new.lower() for word in (*asked, *map(str.lower, named)))
