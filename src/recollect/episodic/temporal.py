"""Temporal weighting: the score of a memory by its age and use.

weight       exp(-rate · hours since it was made), the rate by the type of memory
multiplier   base · (1 + boost · accesses), at most the cap
final score  similarity · weight · multiplier
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, fields

from recollect.episodic.exceptions import TemporalWeightingError
from recollect.episodic.validation import documented, number, settled

SECONDS_PER_HOUR = 3600.0

# Field of the configuration → the setting that changes its default.
_SETTINGS = {
    "episodic_memory_decay": "temporal_decay_rate",
    "access_boost_factor": "importance_boost_factor",
    "max_importance_multiplier": "max_importance_multiplier",
    "forgetting_threshold": "forgetting_threshold",
}


@dataclass
class TemporalConfig:
    """Rates of decay per hour and type, and the boost by use."""

    working_memory_decay: float = 0.5
    session_memory_decay: float = 0.1
    episodic_memory_decay: float = documented(0.01)
    semantic_memory_decay: float = 0.001

    access_boost_factor: float = documented(0.1)
    max_importance_multiplier: float = documented(5.0)

    enable_reinforcement: bool = True
    forgetting_threshold: float = documented(0.01)

    def __post_init__(self) -> None:
        found = settled(**{setting: getattr(self, name) for name, setting in _SETTINGS.items()})
        for name, setting in _SETTINGS.items():
            setattr(self, name, found[setting])
        for each in fields(self):
            if each.name != "enable_reinforcement":
                setattr(self, each.name, float(number(each.name, getattr(self, each.name), 0.0)))


class TemporalMemoryWeighting:
    """Weights memories by age and use."""

    def __init__(self, config: TemporalConfig | None = None, *, clock: Callable[[], float] = time.time) -> None:
        """Weight by a configuration; default: the documented one with the configured settings.

        clock: returns the time in Unix seconds
        """
        self.config = config if config is not None else TemporalConfig()
        self._clock = clock
        self._rates = {
            "working": self.config.working_memory_decay,
            "session": self.config.session_memory_decay,
            "episodic": self.config.episodic_memory_decay,
            "semantic": self.config.semantic_memory_decay,
        }

    def calculate_temporal_weight(
        self, timestamp: float, memory_type: str = "episodic", current_time: float | None = None
    ) -> float:
        """Return the weight of a memory made at `timestamp`, from 0 to 1; 1 for a future one.

        Raises TemporalWeightingError for an unknown type, or a time that is not a number.
        """
        rate = self._rates.get(memory_type)
        if rate is None:
            raise TemporalWeightingError(
                f"unknown memory type {memory_type!r}", hint=f"One of: {', '.join(self._rates)}."
            )
        now = self._clock() if current_time is None else current_time
        hours = (_finite("current_time", now) - _finite("timestamp", timestamp)) / SECONDS_PER_HOUR
        return math.exp(-rate * max(0.0, hours))

    def calculate_importance_multiplier(self, access_count: int, base_importance: float = 1.0) -> float:
        """Return the multiplier by use, at most `max_importance_multiplier`.

        Without reinforcement, use does not count.
        """
        counted = _finite("access_count", access_count)
        base = _finite("base_importance", base_importance)
        if counted < 0 or base < 0:
            raise TemporalWeightingError("access_count and base_importance must be 0 or more")
        boost = self.config.access_boost_factor * counted if self.config.enable_reinforcement else 0.0
        return min(self.config.max_importance_multiplier, base * (1.0 + boost))

    def calculate_final_score(
        self,
        similarity_score: float,
        timestamp: float,
        access_count: int = 0,
        base_importance: float = 1.0,
        memory_type: str = "episodic",
        *,
        current_time: float | None = None,
    ) -> float:
        """Return the ranking score: similarity times weight times multiplier."""
        weight = self.calculate_temporal_weight(timestamp, memory_type, current_time)
        multiplier = self.calculate_importance_multiplier(access_count, base_importance)
        return _finite("similarity_score", similarity_score) * weight * multiplier

    def hours_until_forgotten(self, multiplier: float = 1.0, memory_type: str = "episodic") -> float:
        """Return the hours until a memory with this multiplier falls below the forgetting threshold."""
        rate, threshold = self._rates[memory_type], self.config.forgetting_threshold
        if multiplier < threshold:
            return 0.0
        return math.log(multiplier / threshold) / rate if rate > 0 and threshold > 0 else math.inf


def _finite(name: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise TemporalWeightingError(f"{name} must be a number, not {value!r}")
    return value
