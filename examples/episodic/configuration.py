"""Configured by the program, or by the environment; what the program says wins."""
# ruff: noqa: T201

import os

from recollect.episodic import (
    ContextualChunker,
    SessionConfig,
    SessionMemory,
    TemporalConfig,
    TemporalMemoryWeighting,
)


def main() -> None:
    """Make every configuration, then let variables change the defaults."""
    chunker_config = {"chunk_size": 400, "overlap_ratio": 0.2, "min_chunk_size": 100}
    chunker = ContextualChunker(**chunker_config)  # type: ignore[arg-type]
    print(f"{chunker.chunk_size} characters, {chunker.overlap_ratio:.0%} overlap")

    temporal_config = TemporalConfig(
        episodic_memory_decay=0.01, access_boost_factor=0.1, max_importance_multiplier=5.0, enable_reinforcement=True
    )
    weighting = TemporalMemoryWeighting(temporal_config)
    print(f"at most {weighting.calculate_importance_multiplier(1000)} times as important")

    session_config = SessionConfig(duration_hours=2.0, max_turns_per_session=50, inactivity_threshold_minutes=30)
    with SessionMemory(session_config) as sessions:
        print(f"{sessions.config.max_turns_per_session} turns, {sessions.config.promotion_threshold} to be promoted")

    changed = {"ATLAS_CHUNK_SIZE": "250", "ATLAS_TEMPORAL_DECAY_RATE": "0.1", "ATLAS_SESSION_MAX_TURNS": "20"}
    os.environ.update(changed)
    print(ContextualChunker().chunk_size, TemporalConfig().episodic_memory_decay, SessionConfig().max_turns_per_session)
    print(ContextualChunker(chunk_size=400).chunk_size)
    for name in changed:
        del os.environ[name]


if __name__ == "__main__":
    main()
