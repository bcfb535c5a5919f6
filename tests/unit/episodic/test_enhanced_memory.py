"""Long-term memory: remembering, recalling, weights, statistics, limits, clean-up."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from tests.episodes import NOW, Clock, words_vector

from recollect import Engine, episodic
from recollect.episodic import (
    ChunkedMemoryRecord,
    ChunkingError,
    ContextualChunker,
    EnhancedEpisodicMemory,
    EpisodicMemory,
    MemoryRecord,
    TemporalConfig,
    TemporalMemoryWeighting,
    TemporalWeightingError,
)

LEARNING = (
    "Supervised learning needs labelled examples. Decision trees and regression belong to it. "
    "Unsupervised learning finds clusters without labels. Reinforcement learning is driven by rewards. "
) * 6
TURNS = [
    ("Where do we deploy?", "To the Frankfurt cluster, every Tuesday."),
    ("Who owns billing?", "Priya's team owns the billing service."),
    ("What broke the oven?", "A fuse, it was replaced in March."),
]


@pytest.mark.promise("A9")
def test_remembering_keeps_the_parent_and_its_chunks(memory: EnhancedEpisodicMemory) -> None:
    records = memory.remember("Explain machine learning", LEARNING)
    parent, *children = records
    assert parent.is_parent
    assert parent.timestamp == NOW
    assert len(children) >= 2
    assert all(child.parent_id == parent.id and child.timestamp == NOW for child in children)
    assert all(record.embedding == words_vector(record.content) for record in records)
    assert [record.id for record in memory.records()] == [record.id for record in records]
    assert [record.content for record in memory.records()] == [record.content for record in records]
    assert memory.get_record(parent.id) is not None
    assert memory.get_record(children[1].id) is not None
    assert memory.get_record("nobody") is None


@pytest.mark.promise("A9")
def test_what_was_remembered_is_there_after_a_restart_field_by_field(tmp_path: Path, clock: Clock) -> None:
    path = tmp_path / "folder" / "episodic.json"
    with EnhancedEpisodicMemory(path, words_vector, clock=clock) as memory:
        memory.remember("Explain machine learning", LEARNING)
        memory.remember(*TURNS[0])
        before = memory.records()
    assert path.is_file()
    with EnhancedEpisodicMemory(storage_path=str(path), clock=clock) as again:
        assert again.records() == before
        assert len(again) == len(before)


@pytest.mark.promise("A9")
def test_recall_finds_the_chunk_that_answers_with_its_conversation(memory: EnhancedEpisodicMemory) -> None:
    parent = memory.remember("Explain machine learning", "Intro. " * 60 + LEARNING + "Gradient descent ends it. " * 30)[
        0
    ]
    for turn in TURNS:
        memory.remember(*turn)
    found = memory.recall("gradient descent", top_k=3)
    assert found[0].parent_id == parent.id
    assert "Gradient descent" in found[0].content
    assert found[0].full_context == parent.content
    assert len({record.parent_id or record.id for record in found}) == len(found)
    assert memory.recall("Who owns billing?", top_k=1)[0].assistant == TURNS[1][1]


@pytest.mark.promise("A9")
def test_without_parents_chunks_come_by_themselves(memory: EnhancedEpisodicMemory) -> None:
    memory.remember("Explain machine learning", LEARNING)
    found = memory.recall("supervised learning with labelled examples", top_k=4, include_parents=False)
    assert len(found) >= 2
    assert len({record.parent_id for record in found}) == 1
    assert all(record.full_context is None for record in found)
    place = found[0].chunk_metadata
    assert place is not None
    assert (
        found[0].content == f"User: Explain machine learning\nAssistant: {LEARNING}"[place.start_char : place.end_char]
    )


@pytest.mark.promise("A9")
def test_one_long_conversation_does_not_take_the_place_of_others(memory: EnhancedEpisodicMemory) -> None:
    told = "".join(f"Turbines of kind {number} have {number + 3} blades for the wind. " for number in range(80))
    assert len(memory.remember("What about turbines?", told)) >= 10
    for place in ("the valley, where cows graze", "a harbour with gulls", "the desert near our camp"):
        memory.remember(f"Are turbines noisy in {place}?", "One gets used to it.")
    found = memory.recall("turbines blades wind", top_k=4)
    assert len({record.parent_id or record.id for record in found}) == len(found) == 4


@pytest.mark.promise("A9")
def test_recall_counts_as_use_and_is_remembered(memory: EnhancedEpisodicMemory, clock: Clock) -> None:
    record = memory.remember(*TURNS[0])[0]
    clock.wait(hours=1)
    first = memory.recall("Frankfurt deploy", top_k=1)[0]
    assert (first.id, first.access_count, first.last_accessed) == (record.id, 1, clock.now)
    clock.wait(hours=1)
    assert memory.recall("Frankfurt deploy", top_k=1)[0].access_count == 2
    kept = memory.get_record(record.id)
    assert kept is not None
    assert (kept.access_count, int(kept.last_accessed)) == (2, int(clock.now))


@pytest.mark.promise("A9")
def test_a_conversation_was_used_whenever_one_of_its_chunks_was(memory: EnhancedEpisodicMemory) -> None:
    parent = memory.remember("Explain machine learning", LEARNING)[0]
    memory.recall("decision trees", top_k=1)
    memory.recall("reinforcement rewards", top_k=1)
    kept = memory.get_record(parent.id)
    assert kept is not None
    assert kept.access_count == 2


@pytest.mark.promise("A9")
def test_of_two_that_say_nearly_the_same_the_newer_comes_first(memory: EnhancedEpisodicMemory, clock: Clock) -> None:
    memory.remember("Which port for staging?", "Staging listens on port 8080 today.")
    clock.wait(hours=24 * 20)
    newer = memory.remember("Which port for staging?", "Staging listens on port 9090 today.")[0]
    clock.wait(hours=1)
    for memory_type in ("episodic", "semantic", "working"):
        assert memory.recall("port for staging", top_k=1, memory_type=memory_type)[0].id == newer.id


@pytest.mark.promise("A9")
def test_what_is_new_does_not_drive_out_what_answers(memory: EnhancedEpisodicMemory, clock: Clock) -> None:
    answer = memory.remember("Who owns billing?", "Priya's team owns the billing service.")[0]
    clock.wait(hours=24 * 15)
    for number in range(12):
        memory.remember(f"How warm is it in room {number}?", "Quite warm, around noon.")
    assert answer.id in {record.id for record in memory.recall("Who owns the billing service?", top_k=2)}


@pytest.mark.promise("A9")
def test_without_reinforcement_use_does_not_change_the_order(tmp_path: Path, clock: Clock) -> None:
    weighting = TemporalMemoryWeighting(TemporalConfig(enable_reinforcement=False), clock=clock)
    with EnhancedEpisodicMemory(tmp_path / "x.db", words_vector, temporal_weighting=weighting, clock=clock) as memory:
        memory.remember(*TURNS[0])
        memory.recall("Frankfurt", top_k=1)
        (record,) = memory.recall("Frankfurt", top_k=1)
    assert weighting.calculate_importance_multiplier(record.access_count) == 1.0


@pytest.mark.promise("A9")
@pytest.mark.parametrize(("user", "assistant"), [("", "x"), ("x", "  "), (None, "x"), ("x", 3), ("a\0b", "x")])
def test_what_cannot_be_remembered_is_a_value_error_and_leaves_nothing(
    memory: EnhancedEpisodicMemory, user: object, assistant: object
) -> None:
    with pytest.raises(ValueError, match=r"user|assistant|content|metadata|NUL"):
        memory.remember(user, assistant)  # type: ignore[arg-type]
    assert len(memory) == 0


@pytest.mark.promise("A9")
def test_bad_questions_are_refused_by_name(memory: EnhancedEpisodicMemory) -> None:
    with pytest.raises(ValueError, match="query is empty"):
        memory.recall(" ")
    with pytest.raises(ValueError, match="top_k must be a whole number of at least 1"):
        memory.recall("x", top_k=0)
    with pytest.raises(TemporalWeightingError, match="dreams"):
        memory.recall("x", memory_type="dreams")
    assert memory.recall("anything") == []


@pytest.mark.promise("A9", "A11")
def test_a_chunker_that_fails_is_a_chunking_error(tmp_path: Path) -> None:
    class Broken(ContextualChunker):
        def chunk_conversation(self, user_text: str, assistant_text: str) -> list[ChunkedMemoryRecord]:
            raise RuntimeError("out of ink")

    class Orphans(ContextualChunker):
        def chunk_conversation(self, user_text: str, assistant_text: str) -> list[ChunkedMemoryRecord]:
            return [ChunkedMemoryRecord(parent_id="nobody")]

    for chunker in (Broken(), Orphans()):
        with EnhancedEpisodicMemory(tmp_path / "x.db", chunker=chunker) as memory:
            with pytest.raises(ChunkingError):
                memory.remember("Hi", "Hello")
            assert len(memory) == 0


@pytest.mark.promise("A9", "A11")
def test_storing_that_fails_is_a_memory_error(tmp_path: Path) -> None:
    memory = EnhancedEpisodicMemory(tmp_path / "x.db")
    memory.close()
    memory.close()
    for work in (lambda: memory.remember("Hi", "Hello"), lambda: memory.recall("Hi"), memory.get_memory_stats):
        with pytest.raises(episodic.MemoryError, match="closed"):
            work()
    foreign = tmp_path / "picture.png"
    foreign.write_bytes(b"\x89PNG\r\n" + b"x" * 4096)
    with pytest.raises(episodic.MemoryError):
        EnhancedEpisodicMemory(foreign)
    assert foreign.read_bytes().startswith(b"\x89PNG")


@pytest.mark.promise("A9")
def test_a_failing_embedding_function_costs_no_memory(tmp_path: Path) -> None:
    def broken(text: str) -> list[float]:
        raise OSError("no network")

    with EnhancedEpisodicMemory(tmp_path / "x.db", broken) as memory:
        record = memory.remember(*TURNS[0])[0]
        assert record.embedding is None
        assert memory.recall("Frankfurt cluster", top_k=1)[0].id == record.id
    with pytest.raises(TypeError, match="embedding_fn"):
        EnhancedEpisodicMemory(tmp_path / "y.db", "not a function")


def test_secrets_are_replaced_before_anything_is_cut(memory: EnhancedEpisodicMemory) -> None:
    token = "ghp_" + "a1B2" * 9
    records = memory.remember("Here is my token", f"{'x ' * 190}{token} {'y ' * 300}")
    assert all("a1B2a1B2" not in record.content + record.user + record.assistant for record in records)
    parent = records[0]
    for record in memory.records()[1:]:
        place = record.chunk_metadata
        assert place is not None
        assert record.content == parent.content[place.start_char : place.end_char]


@pytest.mark.promise("A10")
def test_the_statistics_have_the_six_documented_keys(memory: EnhancedEpisodicMemory, clock: Clock) -> None:
    assert list(memory.get_memory_stats()) == [
        "total_records", "parent_records", "child_chunks", "avg_chunks_per_conversation", "storage_size_bytes",
        "oldest_record_age_hours",
    ]  # fmt: skip
    empty = memory.get_memory_stats()
    assert {name: value for name, value in empty.items() if value} == {
        "storage_size_bytes": empty["storage_size_bytes"]
    }
    chunks = len(memory.remember("Explain machine learning", LEARNING)) - 1
    memory.remember(*TURNS[0])
    clock.wait(hours=3)
    stats = memory.get_memory_stats()
    assert (stats["total_records"], stats["parent_records"], stats["child_chunks"]) == (2 + chunks, 2, chunks)
    assert stats["avg_chunks_per_conversation"] == chunks / 2
    assert stats["storage_size_bytes"] > 0
    assert stats["oldest_record_age_hours"] == pytest.approx(3.0)


@pytest.mark.promise("A10")
def test_what_faded_below_the_threshold_is_removed_whole(memory: EnhancedEpisodicMemory, clock: Clock) -> None:
    old = memory.remember("Explain machine learning", LEARNING)
    used = memory.remember(*TURNS[0])[0]
    memory.recall("Frankfurt cluster Tuesday", top_k=1)
    clock.wait(hours=455)
    new = memory.remember(*TURNS[1])[0]
    assert memory.cleanup_expired_memories() == 0
    # exp(-0.01 · 461) is below 0.01; what was used once weighs a tenth more
    assert memory.cleanup_expired_memories(NOW + 461 * 3600) == len(old)
    assert {record.id for record in memory.records()} == {used.id, new.id}
    assert memory.cleanup_expired_memories(NOW + 461 * 3600) == 0
    assert memory.cleanup_expired_memories(NOW + 480 * 3600) == 1
    assert memory.cleanup_expired_memories(NOW + 10_000 * 3600) == 1
    assert memory.get_memory_stats()["total_records"] == 0


@pytest.mark.promise("A10")
def test_what_matters_little_fades_sooner_and_what_matters_much_later(
    memory: EnhancedEpisodicMemory, clock: Clock
) -> None:
    scores = {"little": 0.1, "ordinary": 1.0, "much": 4.0}
    memory.load_records(
        ChunkedMemoryRecord(id=name, user=f"About {name}", assistant="Yes.", timestamp=NOW, importance_score=score)
        for name, score in scores.items()
    )
    assert {record.id: record.importance_score for record in memory.records()} == scores
    for hours, left in ((229, 3), (232, 2), (459, 2), (462, 1), (598, 1), (601, 0)):
        memory.cleanup_expired_memories(NOW + hours * 3600)
        assert len(memory) == left, hours


@pytest.mark.promise("A10")
def test_there_are_never_more_records_than_allowed_and_the_least_used_go(tmp_path: Path, clock: Clock) -> None:
    with EnhancedEpisodicMemory(tmp_path / "x.db", words_vector, max_records=5, clock=clock) as memory:
        kept = memory.remember("What is the secret ingredient?", "Cardamom, a little.")[0]
        memory.recall("secret ingredient cardamom", top_k=1)
        for number in range(8):
            clock.wait(minutes=5)
            memory.remember(f"Question {number}", f"Answer {number}")
            assert len(memory) <= 5
        stats = memory.get_memory_stats()
        assert stats["total_records"] == 5
        assert memory.get_record(kept.id) is not None
        assert {record.user for record in memory.records()} >= {"Question 7", "Question 6"}
        # One conversation may be larger than all that is allowed: it is kept, and nothing beside it.
        assert len(memory.remember("Explain machine learning", LEARNING * 3)) == len(memory.records()) > 5
    with pytest.raises(ValueError, match="max_records"):
        EnhancedEpisodicMemory(tmp_path / "y.db", max_records=0)


@pytest.mark.promise("A10")
def test_the_limit_is_a_thousand_records_unless_it_is_given() -> None:
    with EnhancedEpisodicMemory() as memory:
        assert memory.max_records == 1000


@pytest.mark.promise("A9")
def test_the_plain_memory_keeps_whole_turns(tmp_path: Path, clock: Clock) -> None:
    with EpisodicMemory(tmp_path / "x.db", words_vector, max_records=2, clock=clock) as memory:
        for turn in TURNS:
            clock.wait(minutes=1)
            record = memory.remember(*turn)
            assert isinstance(record, MemoryRecord)
        assert len(memory) == 2
        assert [found.user for found in memory.recall("Who owns billing?", top_k=1)] == ["Who owns billing?"]
    with EnhancedEpisodicMemory(tmp_path / "x.db", words_vector, clock=clock) as enhanced:
        enhanced.remember("Explain machine learning", LEARNING)
    with EpisodicMemory(tmp_path / "x.db", words_vector, clock=clock) as plain:
        assert plain.recall("supervised learning", top_k=1)[0].assistant == LEARNING


@pytest.mark.promise("A13")
def test_records_that_exist_already_are_loaded_with_their_ids_and_times(memory: EnhancedEpisodicMemory) -> None:
    old = MemoryRecord(id="m1", user="Hi", assistant="Hello", timestamp=NOW - 100.5)
    long = MemoryRecord(id="m2", user="Explain machine learning", assistant=LEARNING, timestamp=NOW - 50)
    assert [record.id for record in memory.load_records([old, long])] == ["m1", "m2"]
    assert memory.load_records([old, long]) == []
    assert {record.id: record.timestamp for record in memory.records() if record.is_parent} == {
        "m1": NOW - 100.5,
        "m2": NOW - 50,
    }
    assert memory.recall("decision trees", top_k=1)[0].parent_id == "m2"


@pytest.mark.promise("A13")
def test_a_record_with_one_side_is_loaded_and_one_with_none_is_refused(memory: EnhancedEpisodicMemory) -> None:
    assert memory.load_records([MemoryRecord(id="m1", user="Only a question", timestamp=NOW)])[0].id == "m1"
    assert memory.recall("question", top_k=1)[0].assistant == ""
    with pytest.raises(ValueError, match="m2 is empty"):
        memory.load_records([MemoryRecord(id="m2", timestamp=NOW)])


def test_threads_lose_nothing(memory: EnhancedEpisodicMemory) -> None:
    def work(name: int) -> None:
        for number in range(10):
            memory.remember(f"Question {name}/{number}", "Noted, thank you.")

    threads = [threading.Thread(target=work, args=(name,)) for name in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(memory) == 40
    assert len({record.user for record in memory.records()}) == 40


def test_metrics_are_collected_unless_they_are_off(
    memory: EnhancedEpisodicMemory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.remember(*TURNS[0])
    memory.recall("deploy")
    memory.cleanup_expired_memories()
    assert {name: row["count"] for name, row in memory.metrics.items()} == {"remember": 1, "recall": 1, "cleanup": 1}
    monkeypatch.setenv("ATLAS_ENABLE_MEMORY_METRICS", "false")
    with EnhancedEpisodicMemory(tmp_path / "other.db", words_vector) as silent:
        silent.remember(*TURNS[0])
        assert silent.metrics == {}


def test_the_file_can_be_read_by_the_engine(tmp_path: Path) -> None:
    path = tmp_path / "episodes.db"
    with EnhancedEpisodicMemory(path) as memory:
        memory.remember(*TURNS[0])
    with Engine(database=str(path), embed_provider="off") as engine:
        (row,) = engine.memories.list(namespace="episodic").memories
        assert row.content == "User: Where do we deploy?\nAssistant: To the Frankfurt cluster, every Tuesday."
