"""The weights of code search, printed: made by scripts/fit_code_search.py, strongest signal first.

A term is (mean, deviation, weight): a signal counts by how far it is from its mean.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Term(NamedTuple):
    """How one signal counts."""

    mean: float
    deviation: float
    weight: float


# Code for another system than the one most people work on comes after its twin, unless it is asked for. Too few
# projects have both for a fit to see it.
BY_HAND: Mapping[str, Term] = {"elsewhere": Term(0.0, 1.0, -1.0)}

MODELS: Mapping[str, Mapping[str, Term]] = {
    "name": {
        "best": Term(0.5371, 0.3439, +1.0668),
        "stem_whole": Term(0.1294, 0.2345, +0.6572),
        "length": Term(2.6084, 1.0270, +0.5712),
        "many": Term(1.5682, 0.8264, +0.5133),
        "doc": Term(0.1272, 0.2975, +0.5011),
        "entry": Term(0.0253, 0.1570, +0.4558),
        "stem": Term(0.1143, 0.2765, +0.4125),
        "names_relative": Term(0.2299, 0.3720, -0.4076),
        "several": Term(0.4113, 0.3295, +0.4044),
        "test": Term(0.1098, 0.3127, -0.3904),
        "defines": Term(0.0598, 0.2227, +0.3848),
        "defines_here": Term(0.0242, 0.1535, +0.3608),
        "covered_best": Term(0.6926, 0.3966, +0.3472),
        "covered": Term(0.6985, 0.3921, +0.3306),
        "named_relative": Term(0.1342, 0.2779, -0.2515),
        "folder": Term(0.0222, 0.1216, +0.2223),
        "prose": Term(0.0374, 0.1897, -0.2091),
        "named": Term(0.1256, 0.2686, +0.0914),
        "example": Term(0.0265, 0.1605, -0.0873),
        "names": Term(0.2249, 0.3688, +0.0174),
        "stem_relative": Term(0.1276, 0.2970, +0.0094),
        "data": Term(0.0023, 0.0479, -0.0039),
        "copied": Term(0.0006, 0.0240, -0.0000),
    },
    "description": {
        "stem_whole": Term(0.0996, 0.2338, +0.7243),
        "prose": Term(0.0367, 0.1881, -0.6492),
        "test": Term(0.0640, 0.2447, -0.5648),
        "covered_best": Term(0.3108, 0.2135, +0.5643),
        "several": Term(0.3355, 0.2574, +0.5419),
        "many": Term(1.4462, 0.6985, +0.5339),
        "best": Term(0.3919, 0.2532, +0.5168),
        "folder": Term(0.0110, 0.0396, +0.3110),
        "entry": Term(0.0380, 0.1912, +0.2675),
        "covered": Term(0.3513, 0.2403, -0.1929),
        "defines": Term(0.0150, 0.1159, +0.1743),
        "example": Term(0.0267, 0.1611, -0.1658),
        "length": Term(2.6621, 1.0569, +0.1528),
        "copied": Term(0.0027, 0.0516, -0.1241),
        "stem": Term(0.0280, 0.0756, -0.1215),
        "named_relative": Term(0.1694, 0.2848, +0.1021),
        "doc": Term(0.0491, 0.1173, +0.0767),
        "data": Term(0.0047, 0.0687, -0.0691),
        "names": Term(0.0897, 0.1414, -0.0504),
        "defines_here": Term(0.0054, 0.0735, -0.0310),
        "stem_relative": Term(0.1098, 0.2645, -0.0217),
        "named": Term(0.0403, 0.0803, +0.0145),
        "names_relative": Term(0.2038, 0.2942, -0.0068),
    },
}

RELEVANCE: Mapping[str, Mapping[str, float]] = {
    "name": {
        "score": 0.8871,
        "covered": 0.0000,
        "covered_best": 0.0000,
        "known": 0.0000,
        "offset": -5.2271,
    },
    "description": {
        "score": 0.7538,
        "covered": 0.2634,
        "covered_best": 0.5104,
        "known": 0.0216,
        "offset": -3.3886,
    },
}
