"""The weights of recall, printed: made by scripts/fit_recall.py, strongest signal first.

Fitted on dialogue of many people (FriendsQA) and meetings (QMSum), then run unchanged on every corpus of
docs/benchmarks.md. A term is (mean, deviation, weight): a signal counts by how far it is from its mean. Signals that
do not vary in the corpora of the fit are given by hand below, with their reason.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Term(NamedTuple):
    """How one signal counts."""

    mean: float
    deviation: float
    weight: float


# Signals that mean the same whatever else was found. A score compares candidates with each other; whether the best of
# them is any good is for these to say.
ABSOLUTE = ("cosine", "covered", "covered_around", "known", "heard")

# A memory that shares no word with the question can still say the same: from this cosine on, meaning alone makes it as
# likely relevant as not. Everyday prompts reach 0.3 against memories about code, paraphrases 0.4 and more.
SAME_MEANING = 0.55
SAME_MEANING_SLOPE = 12.0

# Neither corpus has dates: a passage from the month or year that the question names is as good as a named author.
BY_HAND: Mapping[str, Term] = {"dated": Term(0.0, 1.0, 0.5)}

HYBRID: Mapping[str, Term] = {
    "cosine_relative": Term(0.2663, 0.2010, +0.8014),
    "covered_around": Term(0.1359, 0.1907, +0.7186),
    "session_words": Term(0.3791, 0.3249, +0.6590),
    "length": Term(3.5659, 1.0148, +0.5763),
    "topic_around": Term(0.0675, 0.1754, -0.5339),
    "session_cosine": Term(0.2918, 0.1090, +0.5156),
    "cosine": Term(0.1243, 0.0918, -0.4009),
    "words": Term(0.0789, 0.1693, +0.3348),
    "first_person": Term(0.3886, 0.4874, -0.3032),
    "cosine_z": Term(-0.0000, 1.0000, +0.2592),
    "opens_session": Term(0.0653, 0.2471, +0.2581),
    "words_around": Term(0.1917, 0.2379, +0.2385),
    "rarest": Term(0.1038, 0.2087, -0.2324),
    "author_of_self": Term(0.0717, 0.2581, +0.2319),
    "asks": Term(0.1973, 0.3980, -0.1543),
    "tells_name": Term(0.0778, 0.2205, +0.1535),
    "covered_around_squared": Term(0.0548, 0.1506, +0.1330),
    "tells_time": Term(0.0110, 0.1043, +0.1293),
    "author_named": Term(0.1617, 0.3682, +0.1289),
    "both": Term(0.0539, 0.3100, -0.1131),
    "covered": Term(0.0471, 0.1129, +0.1035),
    "author_not_named": Term(0.6271, 0.4836, -0.0981),
    "answers_similar": Term(0.0839, 0.3602, +0.0920),
    "words_before": Term(0.0752, 0.1663, +0.0865),
    "length_short": Term(0.1369, 0.1415, -0.0859),
    "cosine_window": Term(0.0000, 1.0000, +0.0671),
    "cosine_after": Term(-0.0032, 0.9660, +0.0491),
    "tells_reason": Term(0.0036, 0.0598, +0.0467),
    "tells_number": Term(0.0004, 0.0188, +0.0413),
    "pairs": Term(0.0016, 0.0270, +0.0362),
    "follows_question": Term(0.1895, 0.3919, -0.0262),
    "covered_squared": Term(0.0150, 0.0746, +0.0230),
    "cosine_before": Term(0.0105, 0.9706, +0.0157),
    "words_near": Term(0.1501, 0.2147, -0.0142),
    "words_after": Term(0.0713, 0.1611, -0.0105),
}

LEXICAL: Mapping[str, Term] = {
    "session_words": Term(0.3791, 0.3249, +0.9176),
    "covered_around": Term(0.1359, 0.1907, +0.6451),
    "length": Term(3.5659, 1.0148, +0.6418),
    "topic_around": Term(0.0675, 0.1754, -0.3825),
    "words": Term(0.0789, 0.1693, +0.3483),
    "first_person": Term(0.3886, 0.4874, -0.3110),
    "author_of_self": Term(0.0717, 0.2581, +0.2826),
    "opens_session": Term(0.0653, 0.2471, +0.2553),
    "words_around": Term(0.1917, 0.2379, +0.1901),
    "tells_name": Term(0.0778, 0.2205, +0.1480),
    "words_before": Term(0.0752, 0.1663, +0.1443),
    "length_short": Term(0.1369, 0.1415, -0.1418),
    "tells_time": Term(0.0110, 0.1043, +0.1395),
    "asks": Term(0.1973, 0.3980, -0.1288),
    "rarest": Term(0.1038, 0.2087, -0.1190),
    "follows_question": Term(0.1895, 0.3919, +0.1124),
    "covered_around_squared": Term(0.0548, 0.1506, +0.1009),
    "author_named": Term(0.1617, 0.3682, +0.1008),
    "covered": Term(0.0471, 0.1129, +0.0878),
    "author_not_named": Term(0.6271, 0.4836, -0.0767),
    "tells_reason": Term(0.0036, 0.0598, +0.0630),
    "tells_number": Term(0.0004, 0.0188, +0.0497),
    "words_near": Term(0.1501, 0.2147, +0.0411),
    "pairs": Term(0.0016, 0.0270, +0.0362),
    "words_after": Term(0.0713, 0.1611, +0.0067),
    "covered_squared": Term(0.0150, 0.0746, +0.0054),
}

HYBRID_RELEVANCE: Mapping[str, float] = {
    "score": 0.5737,
    "cosine": 1.7908,
    "covered": 0.1747,
    "covered_around": 0.2379,
    "known": 0.5254,
    "offset": -4.3329,
}

LEXICAL_RELEVANCE: Mapping[str, float] = {
    "score": 0.5384,
    "covered": 0.6210,
    "covered_around": 0.3291,
    "known": 0.6964,
    "offset": -3.7671,
}
