"""The weights of the signals of recall, fitted by scripts/fit_recall.py.

There are two models, one for each kind of memory, because they have different signals:

    talk   a turn between people: read with the turns around it, its session and its author
    note   everything else, also a turn with an assistant: by its own meaning and words

NOTE was fitted on notes about code (docstrings of Python's standard library) and commit messages, asked for by words;
ASKED_NOTE on the questions of the fitting half of bench/notes; TALK, by an earlier state of the script, on dialogue of
many people (FriendsQA), meetings (QMSum) and docstrings. All run unchanged on every corpus of docs/benchmarks.md. A
term is (mean, deviation, weight): a signal counts by how far it is from its mean. Signals that do not vary in the
corpora of the fit are given by hand below, with their reason.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Term(NamedTuple):
    """The scale and the weight of one signal."""

    mean: float
    deviation: float
    weight: float


class Fit(NamedTuple):
    """The fit of a signal of talk: its weight with vectors, and by words alone; None: not in that model."""

    mean: float
    deviation: float
    weight: float
    by_words: float | None = None


# A prompt of nothing but courtesy finds conversations that began with the same words. This takes even the most relevant
# of them (0.99) below the threshold for unasked context, and leaves it visible in a search.
IDLE = -6.0

# dated, labelled: no corpus of the fit has dates or tags. A passage from the month or year in the question is as good
# as a named author. Tags are there to find a memory by, so that a question that is all tags outweighs meaning.
# reply, reply_cosine, reply_words: in chats with an assistant three of four answers stand in the turns of the person,
# though replies are longer and repeat their words. So a reply ranks below them; where it matches better than the turn
# that it answers, it raises that turn.
# change_covered: changes of one project share their topic and differ in a name, which a vector does not tell: on the
# questions of bench/history (docs/adr/0060) any weight from 3 to 8 is about as good.
BY_HAND: Mapping[str, Term] = {
    "change_covered": Term(0.0, 1.0, 5.0),
    "dated": Term(0.0, 1.0, 0.5),
    "labelled": Term(0.0, 1.0, 2.0),
    "reply": Term(0.0, 1.0, -6.0),
    "reply_cosine": Term(0.0, 1.0, 2.0),
    "reply_words": Term(0.0, 1.0, 0.5),
}

# The relevance that tags alone give: 0.45 if they are all of the question, below the search threshold if they are half
# of it. It never reaches the threshold for unasked context.
LABELLED = -0.2
LABELLED_SLOPE = 4.0

# How relevance falls from the best hit down, in logits per point of score. The fitted value, the probability that a hit
# is the one answer, is for unasked context. A search shows more, since several memories can answer.
UNASKED_FALL = 1.0
NOTE_FALL = 0.6
TALK_FALL = 0.3

NOTE: Mapping[str, Term] = {
    "cosine_alone": Term(0.0000, 1.0000, +15.0900),
    "words_share": Term(0.0000, 1.0000, +10.6000),
    "cosine": Term(0.0000, 1.0000, +7.5500),
    "pairs": Term(0.0000, 1.0000, +2.9500),
}

# A question in a sentence, about a note outside a session. words_sure is given by hand: a name that is all of a
# question has no pairs.
ASKED_NOTE: Mapping[str, Term] = {
    "even": Term(0.0000, 1.0000, +39.8448),
    "cosine_alone": Term(0.0000, 1.0000, +24.7287),
    "pairs_sure": Term(0.0000, 1.0000, +11.4474),
    "cosine": Term(0.0000, 1.0000, +7.3452),
    "words_sure": Term(0.0000, 1.0000, +6.0000),
}

NOTE_BY_WORDS: Mapping[str, Term] = {
    "words_share": Term(0.0000, 1.0000, +17.4653),
    "pairs": Term(0.0000, 1.0000, +2.0571),
}

_TALK: Mapping[str, Fit] = {
    "cosine_relative": Fit(0.2845, 0.2113, +0.9997),
    "length": Fit(3.7007, 1.1227, +0.7397, +0.8373),
    "session_cosine": Fit(0.2935, 0.1141, +0.7520),
    "covered_around": Fit(0.1577, 0.1986, +0.6070, +0.3576),
    "topic_around": Fit(0.0878, 0.1905, -0.5979, -0.4377),
    "session_words": Fit(0.3936, 0.3246, +0.5821, +0.9061),
    "length_short": Fit(0.1713, 0.2037, -0.3529, -0.5177),
    "words_around": Fit(0.2248, 0.2481, +0.3240, +0.3361),
    "cosine": Fit(0.1345, 0.0990, -0.1814),
    "words": Fit(0.0999, 0.1875, +0.2441, +0.2772),
    "opens_session": Fit(0.0727, 0.2596, +0.2425, +0.2386),
    "first_person": Fit(0.3817, 0.4858, -0.2311, -0.2181),
    "covered_around_squared": Fit(0.0643, 0.1599, +0.2189, +0.2540),
    "author_of_self": Fit(0.0772, 0.2670, +0.2047, +0.2561),
    "tells_name": Fit(0.0734, 0.2147, +0.1788, +0.1768),
    "cosine_z": Fit(-0.0000, 1.0000, +0.3184),
    "asks": Fit(0.1879, 0.3906, -0.1721, -0.1444),
    "author_named": Fit(0.1706, 0.3762, +0.1399, +0.0982),
    "tells_time": Fit(0.0107, 0.1028, +0.1338, +0.1473),
    "rarest": Fit(0.1353, 0.2361, -0.1267, -0.0358),
    "both": Fit(0.0642, 0.3278, -0.1722),
    "author_not_named": Fit(0.5829, 0.4931, -0.1067, -0.0749),
    "answers_similar": Fit(0.0808, 0.3541, +0.1584),
    "cosine_after": Fit(-0.0018, 0.9357, +0.0388),
    "covered": Fit(0.0593, 0.1233, +0.0720, +0.0654),
    "words_near": Fit(0.1786, 0.2277, +0.0530, +0.1708),
    "words_before": Fit(0.0834, 0.1763, +0.0525, +0.0799),
    "cosine_before": Fit(0.0120, 0.9402, +0.1508),
    "tells_reason": Fit(0.0036, 0.0597, +0.0461, +0.0671),
    "words_after": Fit(0.0789, 0.1705, -0.0434, -0.0568),
    "covered_squared": Fit(0.0187, 0.0803, +0.0425, +0.0163),
    "tells_number": Fit(0.0004, 0.0190, +0.0420, +0.0509),
    "pairs": Fit(0.0023, 0.0313, +0.0407, +0.0427),
    "follows_question": Fit(0.1778, 0.3823, -0.0358, +0.1051),
    "cosine_window": Fit(-0.0000, 1.0000, +0.1626),
}
TALK: Mapping[str, Term] = {name: Term(*row[:3]) for name, row in _TALK.items()}
TALK_BY_WORDS: Mapping[str, Term] = {
    name: Term(row.mean, row.deviation, row.by_words) for name, row in _TALK.items() if row.by_words is not None
}

TALK_RELEVANCE: Mapping[str, float] = {
    "best": 0.2466,
    "best_cosine": 2.0909,
    "best_covered": 2.6007,
    "known": 0.2150,
    "heard": 1.0000,
    "offset": -4.4758,
}

NOTE_RELEVANCE: Mapping[str, float] = {
    "best": 0.3220,
    "best_cosine": 0.2600,
    "best_covered": 1.0880,
    "known": 1.9870,
    "heard": 1.0000,
    "offset": -5.0000,
}

# Whether notes answer a question at all, fitted on the questions of the fitting half of bench/notes, asked in their
# project and in all, and of projects of bench/prompts that the model was not trained on; each half of the weight
# (docs/adr/0082). Words stand in for meaning a little (best_either).
ANSWERED_NOTE: Mapping[str, float] = {
    "best_either": 2.8885,
    "best_cosine": 11.6008,
    "heard": 1.0000,
    "offset": -7.4659,
}

# An unasked note has to be near to the prompt, or have its words side by side, and be nearer than the other notes: in a
# month of work (bench/told.py, dev) half as many answers are wrong as by NOTE_RELEVANCE. Fitted on that and the fitting
# half of bench/notes, and moved so that the threshold for unasked context is where 98 % of the answers are right in
# bench/prompts/fit-*.txt, with dev in view (docs/adr/0078, 0079). A note that is near
# to some words of a question only is about the topic, not the answer (ANSWERED_NOTE).
UNASKED_NOTE: Mapping[str, float] = {
    "cosine": 11.0,
    "margin": 4.6,
    "pairs": 4.4,
    "even": 15.0,
    "offset": -4.9,
}

RELEVANCE_BY_WORDS: Mapping[str, float] = {
    "best": 0.2899,
    "best_covered": 3.0117,
    "known": 1.5372,
    "heard": 1.0000,
    "offset": -4.2616,
}
