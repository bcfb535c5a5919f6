"""The weights of code search, made by scripts/fit_code_search.py, strongest signal first.

A signal counts by its distance from its mean, in deviations.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from recollect.code.search import SIGNALS


class Term(NamedTuple):
    """The weight of one signal."""

    mean: float
    deviation: float
    weight: float


class Fit(NamedTuple):
    """The fit of one signal: its weight by words alone, and with vectors; None: not in that model."""

    mean: float
    deviation: float
    words: float | None
    hybrid: float | None = None


# Code for a rare platform ranks below its twin, unless the query names it. Too few projects have both for a fit.
BY_HAND: Mapping[str, Term] = {"elsewhere": Term(0.0, 1.0, -1.0)}

# --- fitted ---

FITTED: Mapping[str, Mapping[str, Fit]] = {
    "name": {
        "best": Fit(0.4569, 0.3666, +1.0072, +0.9908),
        "many": Fit(1.3484, 0.9244, +0.5443, +0.4806),
        "stem_whole": Fit(0.1140, 0.2203, +0.5008, +0.4766),
        "length": Fit(2.5560, 1.0246, +0.4855, +0.3867),
        "cosine_spread": Fit(0.0000, 1.0000, None, +0.4412),
        "test": Fit(0.1013, 0.3017, -0.4260, -0.3573),
        "entry": Fit(0.0228, 0.1493, +0.4219, +0.4187),
        "doc": Fit(0.1293, 0.2982, +0.4040, +0.4002),
        "several": Fit(0.3489, 0.3347, +0.3960, +0.3473),
        "stem": Fit(0.0969, 0.2552, +0.3870, +0.3223),
        "names": Fit(0.1967, 0.3470, -0.3854, -0.4153),
        "defines": Fit(0.0499, 0.2043, +0.3786, +0.3704),
        "names_relative": Fit(0.2022, 0.3503, +0.3729, +0.3110),
        "covered_best": Fit(0.5985, 0.4341, +0.3460, +0.3421),
        "covered": Fit(0.6035, 0.4319, +0.3332, +0.3311),
        "defines_here": Fit(0.0200, 0.1399, +0.3054, +0.3105),
        "prose": Fit(0.0338, 0.1806, -0.2571, -0.2456),
        "named": Fit(0.1087, 0.2501, -0.2169, -0.2033),
        "cosine": Fit(0.3448, 0.1535, None, +0.2028),
        "cosine_relative": Fit(0.6329, 0.2150, None, -0.1471),
        "folder": Fit(0.0188, 0.1109, +0.1312, +0.0999),
        "stem_relative": Fit(0.1084, 0.2750, +0.1310, +0.1606),
        "named_relative": Fit(0.1178, 0.2601, -0.1088, -0.1570),
        "example": Fit(0.0247, 0.1553, -0.0949, -0.1071),
        "data": Fit(0.0019, 0.0436, -0.0030, -0.0019),
        "copied": Fit(0.0005, 0.0218, -0.0001, -0.0001),
    },
    "description": {
        "stem_whole": Fit(0.0960, 0.2275, +0.6953, +0.6056),
        "prose": Fit(0.0360, 0.1863, -0.6356, -0.6439),
        "cosine_spread": Fit(0.0000, 1.0000, None, +0.5814),
        "covered_best": Fit(0.2917, 0.2158, +0.5678, +0.5619),
        "test": Fit(0.0633, 0.2435, -0.5426, -0.5212),
        "many": Fit(1.3675, 0.7481, +0.5368, +0.4275),
        "best": Fit(0.3654, 0.2591, +0.5086, +0.3711),
        "several": Fit(0.3126, 0.2590, +0.4945, +0.4071),
        "cosine_relative": Fit(0.5872, 0.2153, None, +0.3148),
        "folder": Fit(0.0108, 0.0387, +0.3017, +0.2489),
        "entry": Fit(0.0366, 0.1878, +0.2497, +0.2138),
        "cosine": Fit(0.3357, 0.1347, None, +0.1889),
        "covered": Fit(0.3321, 0.2446, -0.1761, -0.1969),
        "example": Fit(0.0261, 0.1595, -0.1666, -0.2402),
        "named_relative": Fit(0.1638, 0.2755, +0.1640, +0.0629),
        "defines": Fit(0.0137, 0.1108, +0.1545, +0.1615),
        "length": Fit(2.6309, 1.0528, +0.1472, +0.0634),
        "copied": Fit(0.0025, 0.0501, -0.1222, -0.1332),
        "stem": Fit(0.0265, 0.0729, -0.1196, -0.1285),
        "doc": Fit(0.0563, 0.1227, +0.1092, +0.0120),
        "names": Fit(0.0908, 0.1422, -0.0826, -0.1358),
        "data": Fit(0.0043, 0.0655, -0.0678, -0.0507),
        "names_relative": Fit(0.1965, 0.2836, +0.0526, +0.0421),
        "defines_here": Fit(0.0049, 0.0701, -0.0349, -0.0580),
        "stem_relative": Fit(0.1041, 0.2560, -0.0179, -0.0539),
        "named": Fit(0.0399, 0.0786, -0.0103, +0.0211),
    },
    "report": {
        "prose": Fit(0.0507, 0.2194, -0.7660),
        "data": Fit(0.0725, 0.2593, -0.5686),
        "language": Fit(0.7734, 0.2721, +0.5102),
        "led_several": Fit(0.2083, 0.2540, +0.3340),
        "led": Fit(0.2620, 0.2788, +0.3299),
        "best": Fit(0.3854, 0.1991, +0.2903),
        "total": Fit(0.1620, 0.1889, +0.2761),
        "example": Fit(0.0382, 0.1916, -0.2667),
        "length": Fit(3.0677, 1.2023, -0.2560),
        "told": Fit(0.3736, 0.1995, +0.2289),
        "near": Fit(0.4362, 0.3920, +0.2211),
        "named_relative": Fit(0.1738, 0.2369, +0.2182),
        "folder": Fit(0.0030, 0.0067, +0.2164),
        "several": Fit(0.3924, 0.2024, +0.2071),
        "stem": Fit(0.0035, 0.0099, -0.1885),
        "lead": Fit(0.2195, 0.1950, +0.1616),
        "lead_best": Fit(0.1892, 0.1695, +0.1606),
        "stem_said": Fit(0.1213, 0.2840, +0.1509),
        "lead_path": Fit(0.0169, 0.0551, +0.1482),
        "names_relative": Fit(0.1911, 0.2243, -0.1338),
        "stem_whole": Fit(0.1341, 0.2971, +0.1211),
        "cited": Fit(0.0032, 0.0518, +0.1190),
        "phrase": Fit(0.0196, 0.1316, +0.1161),
        "said": Fit(0.1804, 0.1156, +0.0967),
        "frame": Fit(0.0012, 0.0302, +0.0919),
        "shown": Fit(0.0680, 0.1387, +0.0832),
        "said_best": Fit(0.1234, 0.0841, +0.0766),
        "owned": Fit(0.0040, 0.0554, +0.0581),
        "covered": Fit(0.1607, 0.0970, -0.0524),
        "names": Fit(0.0209, 0.0283, +0.0466),
        "named": Fit(0.0090, 0.0149, +0.0454),
        "entry": Fit(0.0423, 0.2013, +0.0447),
        "module": Fit(0.0011, 0.0326, +0.0370),
        "doc": Fit(0.0134, 0.0215, -0.0281),
        "defines": Fit(0.0610, 0.2331, +0.0264),
        "many": Fit(1.8091, 0.7170, +0.0238),
        "test": Fit(0.0006, 0.0239, -0.0231),
        "stem_relative": Fit(0.0938, 0.2222, +0.0173),
        "defines_said": Fit(0.0242, 0.1608, -0.0127),
        "defines_rare_relative": Fit(0.0315, 0.1580, +0.0069),
        "defines_rare": Fit(0.0312, 0.1878, +0.0068),
        "defines_here": Fit(0.0193, 0.1377, -0.0061),
        "defines_shown": Fit(0.0068, 0.0873, -0.0060),
        "covered_best": Fit(0.1042, 0.0644, -0.0036),
    },
}

LINES: Mapping[str, Mapping[str, float]] = {
    "name": {
        "score": 0.8881,
        "covered_best": 0.2086,
        "offset": -5.7255,
    },
    "name_hybrid": {
        "score": 0.8884,
        "covered": 0.0005,
        "covered_best": 0.1030,
        "offset": -5.7274,
    },
    "description": {
        "score": 0.7545,
        "covered": 0.1227,
        "covered_best": 0.6304,
        "known": 0.0120,
        "offset": -3.4779,
    },
    "description_hybrid": {
        "score": 0.8771,
        "cosine": 1.4250,
        "covered": 0.0772,
        "covered_best": 0.3278,
        "offset": -4.9231,
    },
    "report": {
        "score": 0.6900,
        "offset": -3.3648,
    },
}

# --- end of what was fitted ---

_WORDS = {
    kind: {name: Term(row.mean, row.deviation, row.words) for name, row in rows.items() if row.words is not None}
    for kind, rows in FITTED.items()
}
_HYBRID = {
    f"{kind}_hybrid": {
        name: Term(row.mean, row.deviation, row.hybrid) for name, row in rows.items() if row.hybrid is not None
    }
    for kind, rows in FITTED.items()
}
# Reports were fitted without vectors, so similarity of meaning counts as for a description.
_MEANING = {name: _HYBRID["description_hybrid"][name] for name in sorted(SIGNALS["vectors"])}
MODELS: Mapping[str, Mapping[str, Term]] = {**_WORDS, **_HYBRID, "report_hybrid": {**_WORDS["report"], **_MEANING}}
RELEVANCE: Mapping[str, Mapping[str, float]] = {**LINES, "report_hybrid": LINES["report"]}
