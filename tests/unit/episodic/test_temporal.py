"""Weights by age and use: the documented rates and formulas."""

from __future__ import annotations

import math

import pytest
from tests.episodes import HOUR, NOW, Clock

from recollect.episodic import TemporalConfig, TemporalMemoryWeighting, TemporalWeightingError

RATES = {"working": 0.5, "session": 0.1, "episodic": 0.01, "semantic": 0.001}


@pytest.mark.promise("A4")
def test_the_defaults_are_those_of_the_document() -> None:
    assert TemporalConfig() == TemporalConfig(
        working_memory_decay=0.5,
        session_memory_decay=0.1,
        episodic_memory_decay=0.01,
        semantic_memory_decay=0.001,
        access_boost_factor=0.1,
        max_importance_multiplier=5.0,
        enable_reinforcement=True,
        forgetting_threshold=0.01,
    )


@pytest.mark.promise("A4", "A5")
@pytest.mark.parametrize(("memory_type", "rate"), RATES.items())
@pytest.mark.parametrize("hours", [0, 1, 24, 1_000, 10_000_000])
def test_a_weight_falls_by_the_rate_of_its_type(memory_type: str, rate: float, hours: float) -> None:
    weight = TemporalMemoryWeighting().calculate_temporal_weight(NOW - hours * HOUR, memory_type, NOW)
    assert weight == pytest.approx(math.exp(-rate * hours))
    assert 0.0 <= weight <= 1.0


@pytest.mark.promise("A5")
def test_now_is_what_the_clock_says_and_the_future_weighs_nothing_less() -> None:
    weighting = TemporalMemoryWeighting(clock=Clock(NOW))
    assert weighting.calculate_temporal_weight(NOW) == 1.0
    assert weighting.calculate_temporal_weight(NOW + HOUR) == 1.0
    assert weighting.calculate_temporal_weight(NOW - HOUR) == pytest.approx(math.exp(-0.01))


@pytest.mark.promise("A5")
def test_use_raises_the_multiplier_up_to_its_cap() -> None:
    weighting = TemporalMemoryWeighting()
    assert [weighting.calculate_importance_multiplier(count) for count in (0, 1, 5, 40, 1_000_000)] == [
        1.0, 1.1, 1.5, 5.0, 5.0,
    ]  # fmt: skip
    assert weighting.calculate_importance_multiplier(5, base_importance=2.0) == 3.0
    assert weighting.calculate_importance_multiplier(0, base_importance=9.0) == 5.0


@pytest.mark.promise("A5")
def test_without_reinforcement_use_does_not_count() -> None:
    weighting = TemporalMemoryWeighting(TemporalConfig(enable_reinforcement=False))
    assert weighting.calculate_importance_multiplier(100, 1.5) == 1.5


@pytest.mark.promise("A5")
def test_the_final_score_is_the_product() -> None:
    weighting = TemporalMemoryWeighting(clock=Clock(NOW))
    score = weighting.calculate_final_score(
        similarity_score=0.8, timestamp=NOW - HOUR, access_count=5, memory_type="session"
    )
    assert score == pytest.approx(0.8 * math.exp(-0.1) * 1.5)
    assert weighting.calculate_final_score(0.8, NOW, 0, 1.0, "episodic", current_time=NOW) == 0.8


@pytest.mark.promise("A5", "A11")
@pytest.mark.parametrize(
    "arguments",
    [
        (NOW, "dreams"),
        (float("nan"), "episodic"),
        (float("inf"), "episodic"),
        ("yesterday", "episodic"),
        (True, "working"),
    ],
)
def test_what_has_no_weight_is_an_error_that_says_why(arguments: tuple[float, str]) -> None:
    with pytest.raises(TemporalWeightingError) as caught:
        TemporalMemoryWeighting().calculate_temporal_weight(*arguments)
    assert caught.value.message
    assert caught.value.hint


@pytest.mark.promise("A11")
def test_counts_below_zero_and_scores_that_are_none_are_refused() -> None:
    weighting = TemporalMemoryWeighting()
    with pytest.raises(TemporalWeightingError):
        weighting.calculate_importance_multiplier(-1)
    with pytest.raises(TemporalWeightingError):
        weighting.calculate_importance_multiplier(1, -0.5)
    with pytest.raises(TemporalWeightingError):
        weighting.calculate_final_score(float("nan"), NOW)


@pytest.mark.promise("A4")
@pytest.mark.parametrize("name", ["working_memory_decay", "forgetting_threshold", "max_importance_multiplier"])
def test_a_rate_below_zero_is_a_value_error(name: str) -> None:
    with pytest.raises(ValueError, match=name):
        TemporalConfig(**{name: -0.1})


def test_the_time_until_forgetting_follows_from_rate_threshold_and_use() -> None:
    weighting = TemporalMemoryWeighting()
    assert weighting.hours_until_forgotten() == pytest.approx(math.log(100) / 0.01)
    assert weighting.hours_until_forgotten(5.0) == pytest.approx(math.log(500) / 0.01)
    assert weighting.hours_until_forgotten(0.001) == 0.0
    assert TemporalMemoryWeighting(TemporalConfig(forgetting_threshold=0.0)).hours_until_forgotten() == math.inf
    assert TemporalMemoryWeighting(TemporalConfig(episodic_memory_decay=0.0)).hours_until_forgotten() == math.inf
