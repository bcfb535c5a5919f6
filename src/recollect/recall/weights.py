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
ABSOLUTE = ("cosine", "covered", "covered_around")

# Neither corpus has dates: a passage from the month or year that the question names is as good as a named author.
BY_HAND: Mapping[str, Term] = {"dated": Term(0.0, 1.0, 0.5)}

HYBRID: Mapping[str, Term] = {
    "cosine_relative": Term(0.2736, 0.2056, +0.8180),
    "covered_around": Term(0.1502, 0.1980, +0.6855),
    "session_words": Term(0.3949, 0.3261, +0.6816),
    "topic_around": Term(0.0771, 0.1858, -0.5687),
    "length": Term(3.5690, 1.0157, +0.5663),
    "session_cosine": Term(0.2962, 0.1104, +0.5103),
    "cosine": Term(0.1279, 0.0942, -0.4126),
    "words": Term(0.0870, 0.1775, +0.3440),
    "first_person": Term(0.3906, 0.4879, -0.3025),
    "words_around": Term(0.2113, 0.2448, +0.2875),
    "opens_session": Term(0.0721, 0.2586, +0.2620),
    "cosine_z": Term(0.0000, 1.0000, +0.2466),
    "author_of_self": Term(0.0773, 0.2671, +0.2377),
    "rarest": Term(0.1141, 0.2179, -0.2344),
    "tells_name": Term(0.0779, 0.2205, +0.1578),
    "covered_around_squared": Term(0.0618, 0.1595, +0.1557),
    "asks": Term(0.1988, 0.3991, -0.1500),
    "tells_time": Term(0.0112, 0.1053, +0.1309),
    "author_named": Term(0.1748, 0.3798, +0.1271),
    "both": Term(0.0578, 0.3167, -0.1192),
    "cosine_window": Term(-0.0000, 1.0000, +0.1015),
    "author_not_named": Term(0.6252, 0.4841, -0.0997),
    "answers_similar": Term(0.0850, 0.3627, +0.0995),
    "covered": Term(0.0521, 0.1188, +0.0954),
    "words_before": Term(0.0828, 0.1744, +0.0843),
    "length_short": Term(0.1374, 0.1423, -0.0762),
    "tells_reason": Term(0.0037, 0.0609, +0.0430),
    "cosine_after": Term(-0.0008, 0.9640, +0.0424),
    "tells_number": Term(0.0004, 0.0192, +0.0420),
    "pairs": Term(0.0018, 0.0291, +0.0385),
    "follows_question": Term(0.1894, 0.3918, -0.0342),
    "covered_squared": Term(0.0168, 0.0794, +0.0323),
    "words_after": Term(0.0786, 0.1689, -0.0156),
    "words_near": Term(0.1654, 0.2225, -0.0079),
    "cosine_before": Term(0.0132, 0.9685, +0.0072),
}

LEXICAL: Mapping[str, Term] = {
    "session_words": Term(0.3949, 0.3261, +0.9337),
    "length": Term(3.5690, 1.0157, +0.6387),
    "covered_around": Term(0.1502, 0.1980, +0.5807),
    "topic_around": Term(0.0771, 0.1858, -0.4105),
    "words": Term(0.0870, 0.1775, +0.3603),
    "first_person": Term(0.3906, 0.4879, -0.3137),
    "author_of_self": Term(0.0773, 0.2671, +0.2918),
    "opens_session": Term(0.0721, 0.2586, +0.2499),
    "words_around": Term(0.2113, 0.2448, +0.2335),
    "tells_name": Term(0.0779, 0.2205, +0.1523),
    "words_before": Term(0.0828, 0.1744, +0.1425),
    "covered_around_squared": Term(0.0618, 0.1595, +0.1418),
    "tells_time": Term(0.0112, 0.1053, +0.1410),
    "length_short": Term(0.1374, 0.1423, -0.1347),
    "asks": Term(0.1988, 0.3991, -0.1262),
    "rarest": Term(0.1141, 0.2179, -0.1128),
    "follows_question": Term(0.1894, 0.3918, +0.1088),
    "author_named": Term(0.1748, 0.3798, +0.0974),
    "author_not_named": Term(0.6252, 0.4841, -0.0764),
    "covered": Term(0.0521, 0.1188, +0.0694),
    "tells_reason": Term(0.0037, 0.0609, +0.0592),
    "words_near": Term(0.1654, 0.2225, +0.0581),
    "tells_number": Term(0.0004, 0.0192, +0.0504),
    "pairs": Term(0.0018, 0.0291, +0.0385),
    "covered_squared": Term(0.0168, 0.0794, +0.0165),
    "words_after": Term(0.0786, 0.1689, +0.0009),
}

HYBRID_RELEVANCE: Mapping[str, float] = {
    "score": 0.6978,
    "offset": -3.8839,
}

LEXICAL_RELEVANCE: Mapping[str, float] = {
    "score": 0.6584,
    "offset": -3.3989,
}
