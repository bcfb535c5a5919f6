"""Session configuration: how long sessions last, and where one ends and the next begins."""

from __future__ import annotations

from dataclasses import dataclass

from recollect.episodic.defaults import documented, number, settled, whole

# Field of the configuration → the setting that may change its default.
_SETTINGS = {
    "duration_hours": "session_duration_hours",
    "max_turns_per_session": "session_max_turns",
    "promotion_threshold": "session_promotion_threshold",
    "cleanup_interval_minutes": "session_cleanup_minutes",
    "inactivity_threshold_minutes": "session_inactivity_minutes",
    "topic_change_threshold": "session_topic_change_threshold",
}


@dataclass
class SessionConfig:
    """When sessions begin, end, are promoted and go away."""

    duration_hours: float = documented(2.0)
    max_turns_per_session: int = documented(50)
    promotion_threshold: float = documented(0.7)
    cleanup_interval_minutes: int = documented(15)

    inactivity_threshold_minutes: int = documented(30)
    topic_change_threshold: float = documented(0.3)

    def __post_init__(self) -> None:
        found = settled(**{setting: getattr(self, name) for name, setting in _SETTINGS.items()})
        for name, setting in _SETTINGS.items():
            value = found[setting]
            if name.endswith("_minutes") and isinstance(value, float) and value.is_integer():
                value = int(value)  # documented as whole numbers; a setting may have halves
            setattr(self, name, value)
        whole("max_turns_per_session", self.max_turns_per_session, 1)
        for name in ("duration_hours", "cleanup_interval_minutes", "inactivity_threshold_minutes"):
            number(name, getattr(self, name), 0.0)
        for name in ("promotion_threshold", "topic_change_threshold"):
            number(name, getattr(self, name), -1.0, 1.0)
