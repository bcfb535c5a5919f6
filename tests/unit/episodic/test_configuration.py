"""The sixteen ATLAS_* variables: what they change, that arguments win, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from recollect.episodic import (
    ContextualChunker,
    EnhancedEpisodicMemory,
    SessionConfig,
    SessionMemory,
    TemporalConfig,
    TemporalMemoryWeighting,
)
from recollect.errors import ConfigError
from recollect.settings import SETTINGS

# Variable → a value, and how to see it.
VARIABLES = {
    "ATLAS_CHUNK_SIZE": ("200", lambda: ContextualChunker().chunk_size, 200),
    "ATLAS_CHUNK_OVERLAP": ("0.4", lambda: ContextualChunker().overlap_ratio, 0.4),
    "ATLAS_MIN_CHUNK_SIZE": ("50", lambda: ContextualChunker().min_chunk_size, 50),
    "ATLAS_MAX_CHUNKS_PER_TURN": ("3", lambda: ContextualChunker().max_chunks, 3),
    "ATLAS_TEMPORAL_DECAY_RATE": ("0.1", lambda: TemporalConfig().episodic_memory_decay, 0.1),
    "ATLAS_IMPORTANCE_BOOST_FACTOR": ("0.2", lambda: TemporalConfig().access_boost_factor, 0.2),
    "ATLAS_MAX_IMPORTANCE_MULTIPLIER": ("7", lambda: TemporalConfig().max_importance_multiplier, 7.0),
    "ATLAS_FORGETTING_THRESHOLD": ("0.05", lambda: TemporalMemoryWeighting().config.forgetting_threshold, 0.05),
    "ATLAS_SESSION_DURATION_HOURS": ("8", lambda: SessionConfig().duration_hours, 8.0),
    "ATLAS_SESSION_MAX_TURNS": ("5", lambda: SessionConfig().max_turns_per_session, 5),
    "ATLAS_SESSION_INACTIVITY_MINUTES": ("7.5", lambda: SessionConfig().inactivity_threshold_minutes, 7.5),
    "ATLAS_SESSION_CLEANUP_MINUTES": ("1", lambda: SessionConfig().cleanup_interval_minutes, 1),
    "ATLAS_SESSION_PROMOTION_THRESHOLD": ("0.4", lambda: SessionConfig().promotion_threshold, 0.4),
    "ATLAS_SESSION_TOPIC_CHANGE_THRESHOLD": ("0.1", lambda: SessionConfig().topic_change_threshold, 0.1),
    "ATLAS_MAX_EPISODIC_RECORDS": ("7", lambda: _opened().max_records, 7),
    "ATLAS_ENABLE_MEMORY_METRICS": ("false", lambda: _opened()._metrics.enabled, False),
}


def _opened() -> EnhancedEpisodicMemory:
    memory = EnhancedEpisodicMemory()
    memory.close()
    return memory


@pytest.mark.promise("A12")
@pytest.mark.parametrize("variable", VARIABLES)
def test_a_variable_changes_the_default(variable: str, monkeypatch: pytest.MonkeyPatch) -> None:
    value, seen, expected = VARIABLES[variable]
    assert seen() != expected
    monkeypatch.setenv(variable, value)
    assert seen() == expected


@pytest.mark.promise("A12")
def test_there_are_sixteen_of_them() -> None:
    known = [alias for row in SETTINGS for alias in row.aliases if alias.startswith("ATLAS_")]
    assert sorted(known) == sorted(VARIABLES)
    assert len(VARIABLES) == 16


@pytest.mark.promise("A12")
def test_what_is_given_wins_even_where_it_is_the_documented_default(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for variable, (value, _, _) in VARIABLES.items():
        monkeypatch.setenv(variable, value)
    chunker = ContextualChunker(chunk_size=400, overlap_ratio=0.2, min_chunk_size=100)
    assert (chunker.chunk_size, chunker.overlap_ratio, chunker.min_chunk_size) == (400, 0.2, 100)
    assert TemporalConfig(episodic_memory_decay=0.01).episodic_memory_decay == 0.01
    assert SessionConfig(duration_hours=2.0, inactivity_threshold_minutes=30).duration_hours == 2.0
    with EnhancedEpisodicMemory(tmp_path / "x.db", max_records=1000) as memory:
        assert memory.max_records == 1000
        assert memory.chunker.chunk_size == 200


@pytest.mark.promise("A12")
def test_our_own_name_wins_over_the_documented_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ATLAS_CHUNK_SIZE", "200")
    monkeypatch.setenv("RECOLLECT_CHUNK_SIZE", "300")
    assert ContextualChunker().chunk_size == 300


@pytest.mark.promise("A12")
def test_the_error_for_a_value_out_of_range_names_the_argument(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ATLAS_CHUNK_OVERLAP", "0.9")
    with pytest.raises(ConfigError, match="ATLAS_CHUNK_OVERLAP"):
        ContextualChunker()
    with pytest.raises(ConfigError, match="ATLAS_CHUNK_OVERLAP"):
        SessionMemory()
