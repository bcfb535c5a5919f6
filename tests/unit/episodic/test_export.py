"""Records leave as JSON and come back with their ids, times, chunks, sessions and use."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest
from tests.episodes import Clock, words_vector

from recollect import episodic
from recollect.episodic import EnhancedEpisodicMemory, SessionMemory

LONG = "Supervised learning needs labelled examples. Unsupervised learning finds clusters without labels. " * 8


def test_what_was_exported_is_imported_without_loss_and_once(tmp_path: Path, clock: Clock) -> None:
    file = tmp_path / "episodes.json"
    with EnhancedEpisodicMemory(tmp_path / "a.db", words_vector, clock=clock) as memory:
        memory.remember("Explain machine learning", LONG)
        clock.wait(hours=30)
        memory.remember("Where do we deploy?", "To the Frankfurt cluster, every Tuesday.")
        memory.recall("Frankfurt cluster", top_k=1)
        records = memory.records()
        sessions = [row.session_id for row in memory.store.select()]
        assert memory.export_records(file) == len(records)
        with pytest.raises(FileExistsError):
            memory.export_records(file)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    with EnhancedEpisodicMemory(tmp_path / "b.db", words_vector, clock=clock) as other:
        assert other.import_records(file) == len(records)
        assert other.records() == records
        assert [row.session_id for row in other.store.select()] == sessions
        assert other.import_records(file) == 0
        assert len(other) == len(records)
        assert other.recall("Frankfurt cluster", top_k=1)[0].access_count == 2
    with EnhancedEpisodicMemory(file, words_vector, clock=clock) as opened:
        assert opened.records() == records, "a file that was exported can be opened, too"


def test_an_import_keeps_within_the_limit_of_records(tmp_path: Path, clock: Clock) -> None:
    file = tmp_path / "episodes.json"
    with EnhancedEpisodicMemory(clock=clock) as memory:
        for number in range(6):
            clock.wait(minutes=1)
            memory.remember(f"Question {number}", "Answer")
        memory.export_records(file)
    with EnhancedEpisodicMemory(max_records=4, clock=clock) as small:
        small.import_records(file)
        assert [record.user for record in small.records()] == [f"Question {number}" for number in range(2, 6)]


def test_sessions_are_exported_and_imported(tmp_path: Path, sessions: SessionMemory, clock: Clock) -> None:
    name = sessions.add_turn("What's the weather like?", "Rainy.")
    sessions.export_records(tmp_path / "sessions.json")
    with SessionMemory(clock=clock) as other:
        assert other.import_records(tmp_path / "sessions.json") == 1
        assert other.get_session_context(name) == sessions.get_session_context(name)
        assert other.import_records(tmp_path / "sessions.json") == 0


@pytest.mark.parametrize("content", ["[1, 2]", "not JSON", json.dumps([{"title": "no turn"}])])
def test_another_file_is_a_value_error(tmp_path: Path, sessions: SessionMemory, content: str) -> None:
    (tmp_path / "x.json").write_text(content, encoding="utf-8")
    with pytest.raises((ValueError, episodic.MemoryError)):
        sessions.import_records(tmp_path / "x.json")
    assert sessions.active_sessions() == []


def test_metrics_of_sessions_count_each_operation(sessions: SessionMemory) -> None:
    sessions.add_turn("Hi", "Hello")
    sessions.get_session_context()
    sessions.get_all_recent_context()
    sessions.cleanup_expired_sessions()
    with EnhancedEpisodicMemory() as memory:
        sessions.promote_to_longterm(memory)
    assert {name: row["count"] for name, row in sessions.metrics.items()} == {
        "add_turn": 1,
        "get_session_context": 1,
        "get_all_recent_context": 1,
        "cleanup": 1,
        "promote_to_longterm": 1,
    }
    assert all(row["average_ms"] >= 0 for row in sessions.metrics.values())
