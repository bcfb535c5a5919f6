"""JSON files of an older memory are converted when opened; nothing is lost, the original is kept."""

from __future__ import annotations

import dataclasses
import json
import logging
from pathlib import Path
from typing import Any

import pytest
from tests.episodes import Clock

from recollect import episodic
from recollect.episodic import ContextualChunker, EnhancedEpisodicMemory, EpisodicMemory, SessionMemory, SessionTurn

LEGACY = [
    {
        "id": "m2",
        "user": "Who owns billing?",
        "assistant": "Priya.",
        "timestamp": 1_700_000_100.5,
        "embedding": [0.5],
    },
    {"id": "m1", "user": "Where do we deploy?", "assistant": "Frankfurt.", "timestamp": 1_700_000_000.0},
    {"user": "No id", "assistant": "Fine.", "timestamp": "2023-11-15T00:00:00+00:00"},
    {"id": "m1", "user": "The same id", "assistant": "Kept, too.", "timestamp": None},
    {"id": 7, "user": "Only a question", "assistant": ""},
]


def write(path: Path, document: Any) -> bytes:
    path.write_text(json.dumps(document), encoding="utf-8")
    return path.read_bytes()


@pytest.mark.promise("A13")
@pytest.mark.parametrize("shape", ["list", "records", "by id"])
def test_a_legacy_file_is_taken_over_with_everything_in_it(
    tmp_path: Path, clock: Clock, shape: str, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "episodic.json"
    by_id = {
        str(number): {key: value for key, value in row.items() if key != "id"} for number, row in enumerate(LEGACY)
    }
    documents: dict[str, Any] = {
        "list": LEGACY,
        "records": {"version": 1, "records": LEGACY},
        "by id": {"memories": by_id},
    }
    before = write(path, documents[shape])
    with caplog.at_level(logging.WARNING), EnhancedEpisodicMemory(path, clock=clock) as memory:
        records = memory.records()
    assert "converted" in caplog.text
    assert (tmp_path / "episodic.json.backup").read_bytes() == before
    assert {(record.user, record.assistant) for record in records} == {
        (row["user"], row["assistant"]) for row in LEGACY
    }
    assert len({record.id for record in records}) == len(LEGACY)
    assert all(record.is_parent and record.access_count == 0 for record in records)
    billing = next(record for record in records if record.assistant == "Priya.")
    assert (billing.timestamp, billing.embedding) == (1_700_000_100.5, [0.5])
    assert billing.content == "User: Who owns billing?\nAssistant: Priya."
    if shape != "by id":
        assert {"m1", "m2", "7"} <= {record.id for record in records}


@pytest.mark.promise("A13")
def test_what_was_taken_over_is_recalled_and_stays_after_a_restart(tmp_path: Path, clock: Clock) -> None:
    path = tmp_path / "episodic.json"
    write(path, LEGACY)
    with EnhancedEpisodicMemory(path, clock=clock) as memory:
        assert memory.recall("Who owns billing?", top_k=1)[0].id == "m2"
        memory.remember("And support?", "Kofi.")
    with EpisodicMemory(path, clock=clock) as again:
        assert len(again) == len(LEGACY) + 1
    assert [file.name for file in sorted(tmp_path.iterdir()) if "backup" in file.name] == ["episodic.json.backup"]


@pytest.mark.promise("A13")
def test_parents_with_their_chunks_come_over_field_by_field(tmp_path: Path, clock: Clock) -> None:
    made = ContextualChunker().chunk_conversation("Tell me", "Lists keep their order. Sets hold a thing once. " * 30)
    for number, record in enumerate(made):
        record.timestamp, record.last_accessed = 1_700_000_000.125, 1_700_000_500.5
        record.access_count, record.importance_score = number, 1.0 + number / 4
    made[0].access_count = 0
    path = tmp_path / "episodic.json"
    write(path, [dataclasses.asdict(record) for record in reversed(made)])
    with EnhancedEpisodicMemory(path, clock=clock) as memory:
        found = memory.records()
    assert found[1:] == made[1:]
    made[0].access_count = sum(record.access_count for record in made[1:])
    assert found[0] == made[0]


@pytest.mark.promise("A13")
def test_a_chunk_without_its_parent_is_kept_with_what_it_knows(tmp_path: Path, clock: Clock) -> None:
    orphan = {"id": "c1", "parent_id": "gone", "chunk_index": 2, "content": "Sets hold a thing once.", "user": "",
              "full_context": "Lists. Sets hold a thing once.", "timestamp": 5.0}  # fmt: skip
    path = tmp_path / "episodic.json"
    write(path, {"chunks": [orphan]})
    with EnhancedEpisodicMemory(path, clock=clock) as memory:
        (record,) = memory.recall("sets hold what", top_k=3)
        assert (record.id, record.parent_id, record.content) == ("c1", "gone", orphan["content"])
        assert record.full_context == orphan["full_context"]
        assert memory.get_memory_stats()["child_chunks"] == 1


@pytest.mark.promise("A13")
@pytest.mark.parametrize("text", ["[]", "{}", '{"records": []}', "\ufeff[]"])
def test_an_empty_file_is_an_empty_memory(tmp_path: Path, text: str) -> None:
    path = tmp_path / "episodic.json"
    path.write_text(text, encoding="utf-8")
    with EnhancedEpisodicMemory(path) as memory:
        assert len(memory) == 0
        memory.remember("Hi", "Hello")
    assert (tmp_path / "episodic.json.backup").read_text(encoding="utf-8") == text


@pytest.mark.promise("A13")
@pytest.mark.parametrize("text", ['{"cut": ', '{"name": "a package", "version": 1}', '["just", "words"]'])
def test_another_programs_file_is_refused_and_left_alone(tmp_path: Path, text: str) -> None:
    path = tmp_path / "package.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(episodic.MemoryError):
        EnhancedEpisodicMemory(path)
    assert path.read_text(encoding="utf-8") == text
    assert [file.name for file in tmp_path.iterdir() if file.name != "home"] == ["package.json"]


@pytest.mark.promise("A13")
def test_entries_that_are_no_turns_stay_in_the_copy_and_are_counted(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "episodic.json"
    write(path, [*LEGACY, "a word", {"something": "else"}])
    with caplog.at_level(logging.WARNING), EnhancedEpisodicMemory(path) as memory:
        assert len(memory) == len(LEGACY)
    assert "2 entries are not conversation turns" in caplog.text


@pytest.mark.promise("A13")
def test_a_file_of_sessions_is_taken_over_too(tmp_path: Path) -> None:
    path = tmp_path / "sessions.json"
    rows = [
        {"id": "a", "user": "One", "assistant": "Yes", "timestamp": 1_000.5, "session_id": "s", "promoted": True},
        {"id": "b", "user": "Two", "assistant": "Yes", "timestamp": 1_060.0, "session_id": "s"},
    ]
    write(path, {"turns": rows})
    with SessionMemory(storage_path=path, clock=Clock(1_100.0)) as sessions:
        turns = sessions.get_session_context("s")
        assert [(turn.id, turn.user, turn.timestamp) for turn in turns] == [
            ("a", "One", 1_000.5),
            ("b", "Two", 1_060.0),
        ]
        assert [turn.promoted for turn in turns if isinstance(turn, SessionTurn)] == [True, False]
        assert sessions.add_turn("Three", "Yes") == "s"


@pytest.mark.promise("A13")
def test_secrets_times_in_milliseconds_and_broken_texts_do_not_stand_in_the_way(tmp_path: Path, clock: Clock) -> None:
    token = "ghp_" + "a1B2" * 9
    text = f"User: My token\nAssistant: {token} is it. And so on."
    rows = [
        {"id": "p", "user": "My token", "assistant": f"{token} is it. And so on.", "timestamp": 1_700_000_000_500},
        {"id": "c", "parent_id": "p", "chunk_index": 1, "content": text[10:], "timestamp": 1e300, "access_count": "x",
         "chunk_metadata": {"start_char": 10, "end_char": len(text), "overlap_start": 0, "overlap_end": 0}},
        {"id": "n", "user": "a\0b", "assistant": "fine", "importance_score": -3, "timestamp": True},
    ]  # fmt: skip
    path = tmp_path / "episodic.json"
    write(path, rows)
    with EnhancedEpisodicMemory(path, clock=clock) as memory:
        records = {record.id: record for record in memory.records()}
    assert set(records) == {"p", "c", "n"}
    assert all("a1B2a1B2" not in record.content + record.assistant for record in records.values())
    assert records["p"].timestamp == 1_700_000_000.5
    assert records["c"].content.endswith("is it. And so on.")
    assert (records["n"].user, records["n"].importance_score) == ("a\ufffdb", 1.0)
