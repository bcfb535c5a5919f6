"""Weights: always a whole, never about their size, and never against the memory they speak for."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.recall.hybrid_score import NEUTRAL, weigh
from recollect.recall.profiles import COMPONENTS, PROFILES, Profile, normalised
from recollect.recall.score import Scored

size = st.floats(0, 1e12, allow_nan=False) | st.integers(0, 10**15)
weights = st.fixed_dictionaries({}, optional=dict.fromkeys(COMPONENTS, size)).filter(lambda given: any(given.values()))
profiles = st.sampled_from(list(PROFILES.values()))
COUNT = 5
ratios = st.lists(st.floats(0, 1, width=16), min_size=COUNT, max_size=COUNT)
columns = st.fixed_dictionaries(dict.fromkeys(COMPONENTS, ratios)).map(
    lambda given: {name: np.array(values) for name, values in given.items()}
)
points = st.lists(st.floats(-8, 8, width=16), min_size=COUNT, max_size=COUNT)


@st.composite
def pools(draw: st.DrawFn) -> Scored:
    """A scored pool with a signal of meaning and one of words."""
    shares = {name: np.array(draw(points)) for name in ("cosine", "words")}
    return Scored(sum(shares.values(), np.zeros(COUNT)), shares, np.full(COUNT, 0.5))


def of_profile(profile: Profile, given: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The columns a profile has a use for."""
    return {name: column for name, column in given.items() if not profile.fitted or name in NEUTRAL}


@pytest.mark.promise("E8")
@given(weights)
def test_weights_are_a_whole_whatever_is_given(given_weights: dict[str, float]) -> None:
    found = normalised(given_weights)
    assert tuple(found) == COMPONENTS
    assert math.fsum(found.values()) == pytest.approx(1.0)
    assert all(0 <= value <= 1 for value in found.values())
    for name, value in found.items():
        assert (value > 0) == (given_weights.get(name, 0) / max(given_weights.values()) > 0)


@given(weights, st.floats(1e-6, 1e6))
def test_only_the_relations_between_weights_matter(given_weights: dict[str, float], factor: float) -> None:
    found = normalised(given_weights)
    scaled = normalised({name: value * factor for name, value in given_weights.items()})
    assert scaled == pytest.approx(found, abs=1e-9)
    assert normalised(found) == pytest.approx(found, abs=1e-12)


@given(profiles, weights, pools(), columns, st.permutations(range(COUNT)))
def test_a_score_does_not_depend_on_who_else_stands_where(
    profile: Profile,
    given_weights: dict[str, float],
    pool: Scored,
    given_columns: dict[str, np.ndarray],
    order: list[int],
) -> None:
    applied, told = normalised(given_weights), of_profile(profile, given_columns)
    mixed = Scored(
        pool.scores[order], {name: share[order] for name, share in pool.shares.items()}, pool.relevance[order]
    )
    whole = weigh(profile, applied, pool, told)
    again = weigh(profile, applied, mixed, {name: column[order] for name, column in told.items()})
    assert again.scores.tolist() == pytest.approx(whole.scores[order].tolist())


@given(profiles, weights, pools(), columns, st.sampled_from(COMPONENTS), st.integers(0, COUNT - 1))
def test_more_of_a_component_never_makes_a_memory_worse(
    profile: Profile,
    given_weights: dict[str, float],
    pool: Scored,
    given_columns: dict[str, np.ndarray],
    name: str,
    place: int,
) -> None:
    applied = normalised(given_weights)
    better = {**given_columns, name: given_columns[name].copy()}
    better[name][place] = 1.0
    before = weigh(profile, applied, pool, of_profile(profile, given_columns)).scores
    after = weigh(profile, applied, pool, of_profile(profile, better)).scores
    assert after[place] >= before[place]
    others = [number for number in range(COUNT) if number != place]
    assert after[others].tolist() == before[others].tolist()


@given(profiles, weights, pools(), columns)
def test_a_score_is_the_sum_of_its_shares(
    profile: Profile, given_weights: dict[str, float], pool: Scored, given_columns: dict[str, np.ndarray]
) -> None:
    found = weigh(profile, normalised(given_weights), pool, of_profile(profile, given_columns))
    assert found.scores.tolist() == pytest.approx(
        np.sum([*found.shares.values(), np.zeros(COUNT)], axis=0).tolist(), rel=1e-6, abs=1e-6
    )
    if not profile.fitted:
        assert all(-1e-9 <= value <= 1 + 1e-9 for value in found.scores)
