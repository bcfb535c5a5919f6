"""Profiles: weights of the nine components of the hybrid score (hybrid_score.py).

documented   the table of document 002, as printed
default      the fitted model (weights.py), which ranks best, with the components breaking ties
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

from recollect.errors import InvalidInput

# Document 002 mentions nine components and prints eight; freshness is the ninth.
COMPONENTS = (
    "vector", "graph", "token", "temporal", "tags", "importance", "confidence", "recency", "freshness",
)  # fmt: skip


class Profile(NamedTuple):
    """A profile: its weights, which sum to 1, and whether it uses the fitted model."""

    name: str
    weights: Mapping[str, float]
    fitted: bool
    # Smaller shares decide nothing: the fitted score is counted in points, the documented one in hundredths.
    least_share: float
    # What a point of the fitted score is worth in this one.
    point: float = 1.0


def normalised(weights: Mapping[str, float]) -> dict[str, float]:
    """Return the weights of all components, scaled to sum to 1; default: 0.

    Raises InvalidInput for an unknown component, for a value that is not a number of 0 or more, and if all are 0.
    """
    checked = {name: _weight(name, value) for name, value in weights.items()}
    # By the largest first: the sum of very large numbers is infinite, and very small ones would get lost.
    largest = max(checked.values(), default=0.0)
    if not largest:
        raise InvalidInput("all weights are 0", hint="Set at least one weight above 0.")
    shares = {name: checked.get(name, 0.0) / largest for name in COMPONENTS}
    total = math.fsum(shares.values())
    return {name: share / total for name, share in shares.items()}


def _weight(name: str, value: object) -> float:
    if name not in COMPONENTS:
        raise InvalidInput(f"unknown component {name!r}", hint=f"One of: {', '.join(COMPONENTS)}.", field=name)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InvalidInput(f"{name} must be a number, not {value!r}", field=name)
    try:
        weight = float(value)
    except OverflowError:
        weight = math.inf
    if not (math.isfinite(weight) and weight >= 0):
        raise InvalidInput(f"{name} must be a number of 0 or more, not {weight}", field=name)
    return weight


DOCUMENTED = Profile(
    "documented",
    normalised(
        {
            "vector": 25,
            "graph": 25,
            "token": 15,
            "temporal": 10,
            "tags": 10,
            "importance": 5,
            "confidence": 5,
            "recency": 5,
            "freshness": 0,
        }
    ),
    fitted=False,
    least_share=0.001,
    point=0.05,
)

# Weights scale the fitted model's own signals by their ratio to what is printed here, so that with these it ranks as it
# was fitted. Vector and token share what matching weighs; the rest goes to the components that break ties: time most,
# for a question that mentions one means it; recency least, since a memory that was read yesterday is no better for it,
# only more likely to be wanted again.
DEFAULT = Profile(
    "default",
    normalised(
        {
            "vector": 40,
            "graph": 3,
            "token": 40,
            "temporal": 5,
            "tags": 3,
            "importance": 3,
            "confidence": 3,
            "recency": 1,
            "freshness": 2,
        }
    ),
    fitted=True,
    least_share=0.05,
)

PROFILES: Mapping[str, Profile] = {profile.name: profile for profile in (DEFAULT, DOCUMENTED)}
