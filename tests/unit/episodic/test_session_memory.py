"""Session memory: start and end of sessions, context, promotion, expiry."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.episodes import NOW, Clock, words_vector

from recollect.episodic import (
    EnhancedEpisodicMemory,
    EpisodicMemory,
    MemoryRecord,
    SessionConfig,
    SessionMemory,
    SessionMemoryError,
    SessionTurn,
)


def said(records: list[MemoryRecord]) -> list[str]:
    return [record.user for record in records]


@pytest.mark.promise("A6")
def test_the_defaults_are_those_of_the_document() -> None:
    assert SessionConfig() == SessionConfig(
        duration_hours=2.0,
        max_turns_per_session=50,
        promotion_threshold=0.7,
        cleanup_interval_minutes=15,
        inactivity_threshold_minutes=30,
        topic_change_threshold=0.3,
    )
    assert isinstance(SessionConfig().inactivity_threshold_minutes, int)


@pytest.mark.promise("A6")
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("duration_hours", -1),
        ("max_turns_per_session", 0),
        ("promotion_threshold", 1.5),
        ("cleanup_interval_minutes", "often"),
        ("topic_change_threshold", float("nan")),
    ],
)
def test_a_configuration_that_makes_no_sense_is_a_value_error(name: str, value: float) -> None:
    with pytest.raises(ValueError, match=name):
        SessionConfig(**{name: value})  # type: ignore[arg-type]


@pytest.mark.promise("A6")
def test_turns_stay_in_one_session_until_it_is_silent_for_half_an_hour(sessions: SessionMemory, clock: Clock) -> None:
    first = sessions.add_turn("What's the weather like?", "I have no access to that.")
    clock.wait(minutes=30)
    assert sessions.add_turn("And tomorrow?", "Neither.") == first
    clock.wait(minutes=30.01)
    assert sessions.add_turn("Still there?", "Yes.") != first


@pytest.mark.promise("A6")
def test_a_session_can_be_forced(sessions: SessionMemory) -> None:
    first = sessions.add_turn("One", "Yes")
    assert sessions.add_turn("Two", "Yes", force_new_session=True) != first
    assert len(sessions.active_sessions()) == 2


@pytest.mark.promise("A6")
def test_a_full_session_is_followed_by_a_new_one(sessions: SessionMemory) -> None:
    found = [sessions.add_turn(f"Question {number}", "Yes") for number in range(51)]
    assert len(set(found[:50])) == 1
    assert found[50] != found[49]


@pytest.mark.promise("A6")
def test_another_topic_begins_a_new_session(clock: Clock) -> None:
    with SessionMemory(embedding_fn=words_vector, clock=clock) as sessions:
        first = sessions.add_turn("How do I sort a list in Python?", "Call sorted on the list in Python.")
        assert sessions.add_turn("And sort the list in reverse?", "Call sorted with reverse on the list.") == first
        other = sessions.add_turn("Which wine suits grilled fish?", "Perhaps Riesling, served cold.")
        assert other != first
        assert sessions.add_turn("Is Riesling served cold with fish?", "Yes, served cold.") == other


@pytest.mark.promise("A6")
def test_without_vectors_topics_do_not_count(sessions: SessionMemory, clock: Clock) -> None:
    def broken(text: str) -> list[float]:
        raise OSError("no network")

    for memory in (sessions, SessionMemory(embedding_fn=broken, clock=clock)):
        first = memory.add_turn("How do I sort a list in Python?", "Call sorted.")
        assert memory.add_turn("Which wine suits grilled fish?", "Riesling.") == first
        memory.close()


@pytest.mark.promise("A6")
def test_no_session_lasts_longer_than_eight_hours(clock: Clock) -> None:
    with SessionMemory(SessionConfig(max_turns_per_session=1_000), clock=clock) as sessions:
        found = []
        for _ in range(34):
            found.append(sessions.add_turn("Still talking?", "Yes."))
            clock.wait(minutes=15)
    assert len(set(found[:33])) == 1
    assert found[33] != found[0]


@pytest.mark.promise("A6")
@pytest.mark.parametrize(("user", "assistant"), [("", "x"), ("x", None), (3, "x"), ("x", "a\0b")])
def test_a_turn_that_says_nothing_is_a_value_error(sessions: SessionMemory, user: object, assistant: object) -> None:
    with pytest.raises(ValueError, match=r"user|assistant|content"):
        sessions.add_turn(user, assistant)  # type: ignore[arg-type]
    assert sessions.get_all_recent_context() == []


@pytest.mark.promise("A7")
def test_the_context_is_the_last_turns_in_order(sessions: SessionMemory, clock: Clock) -> None:
    assert sessions.get_session_context() == []
    for number in range(25):
        session = sessions.add_turn(f"Question {number}", f"Answer {number}")
        clock.wait(minutes=0.5 * (number % 2))
    turns = sessions.get_session_context()
    assert said(turns) == [f"Question {number}" for number in range(5, 25)]
    assert said(sessions.get_session_context(session, max_turns=2)) == ["Question 23", "Question 24"]
    assert sessions.get_session_context("nobody") == []
    first = turns[0]
    assert isinstance(first, SessionTurn)
    assert (first.assistant, first.session_id, first.promoted) == ("Answer 5", session, False)
    with pytest.raises(ValueError, match="max_turns must be a whole number of at least 1"):
        sessions.get_session_context(max_turns=0)


@pytest.mark.promise("A7")
def test_a_session_expires_after_two_hours_and_is_shown_on_request(sessions: SessionMemory, clock: Clock) -> None:
    session = sessions.add_turn("One", "Yes")
    clock.wait(hours=2)
    assert said(sessions.get_session_context(session)) == ["One"]
    clock.wait(minutes=1)
    assert sessions.get_session_context(session) == []
    assert sessions.get_session_context() == []
    assert said(sessions.get_session_context(session, include_expired=True)) == ["One"]
    assert sessions.active_sessions() == []


@pytest.mark.promise("A7")
def test_recent_context_goes_across_sessions_within_a_window(sessions: SessionMemory, clock: Clock) -> None:
    for number in range(4):
        sessions.add_turn(f"Question {number}", "Yes", force_new_session=True)
        clock.wait(minutes=40)
    assert said(sessions.get_all_recent_context()) == ["Question 1", "Question 2", "Question 3"]
    assert said(sessions.get_all_recent_context(hours_back=1.0)) == ["Question 3"]
    assert said(sessions.get_all_recent_context(hours_back=24.0, max_turns=2)) == ["Question 2", "Question 3"]
    with pytest.raises(ValueError, match="hours_back"):
        sessions.get_all_recent_context(hours_back=-1)


@pytest.mark.promise("A7")
def test_expired_sessions_are_cleaned_up_every_quarter_of_an_hour(clock: Clock) -> None:
    with SessionMemory(SessionConfig(duration_hours=0.1), clock=clock) as sessions:
        old = sessions.add_turn("Old", "Yes")
        clock.wait(minutes=14)
        sessions.add_turn("Middle", "Yes")
        assert said(sessions.get_session_context(old, include_expired=True)) == ["Old"]
        clock.wait(minutes=1)
        sessions.add_turn("New", "Yes")
        assert sessions.get_session_context(old, include_expired=True) == []
        assert said(sessions.get_all_recent_context()) == ["Middle", "New"]
        assert sessions.cleanup_expired_sessions(clock.now + 3600) == 1
        assert sessions.get_all_recent_context() == []


@pytest.mark.promise("A7")
def test_there_are_fifty_active_sessions_at_most(sessions: SessionMemory, clock: Clock) -> None:
    found = []
    for number in range(53):
        found.append(sessions.add_turn(f"Question {number}", "Yes", force_new_session=True))
        clock.wait(minutes=0.1)
    assert sessions.active_sessions() == found[:2:-1]
    assert len(sessions.active_sessions()) == 50


@pytest.mark.promise("A7")
def test_sessions_survive_a_restart_where_a_path_is_given(tmp_path: Path, clock: Clock) -> None:
    path = tmp_path / "sessions.json"
    with SessionMemory(storage_path=path, clock=clock) as sessions:
        session = sessions.add_turn("One", "Yes")
        before = sessions.get_session_context()
    clock.wait(minutes=20)
    with SessionMemory(None, None, path, clock=clock) as again:
        assert again.get_session_context() == before
        assert again.add_turn("Two", "Yes") == session
        clock.wait(minutes=5)
        with SessionMemory(storage_path=path, clock=clock) as beside:
            assert said(beside.get_session_context()) == ["One", "Two"]


@pytest.mark.promise("A7", "A11")
def test_a_closed_memory_says_so(tmp_path: Path) -> None:
    sessions = SessionMemory()
    sessions.close()
    work: tuple[Callable[[], object], ...] = (
        lambda: sessions.add_turn("One", "Yes"),
        sessions.get_session_context,
        sessions.get_all_recent_context,
    )
    for each in work:
        with pytest.raises(SessionMemoryError, match="closed"):
            each()
    (tmp_path / "file").write_text("no database", encoding="utf-8")
    with pytest.raises(SessionMemoryError):
        SessionMemory(storage_path=tmp_path / "file")


@pytest.mark.promise("A8")
def test_what_a_session_is_about_is_promoted_once(memory: EnhancedEpisodicMemory, clock: Clock) -> None:
    config = SessionConfig(topic_change_threshold=-1.0, promotion_threshold=0.6)
    with SessionMemory(config, words_vector, clock=clock) as sessions:
        for number in range(4):
            sessions.add_turn(
                f"How do we deploy the billing service to stage {number}?", "Deploy billing by the script."
            )
            clock.wait(minutes=1)
        sessions.add_turn("Grilled fish tonight, maybe?", "Sounds lovely!")
        promoted = sessions.promote_to_longterm(memory)
        assert all("deploy the billing" in record.user for record in promoted)
        assert len(promoted) == 4
        assert sessions.promote_to_longterm(memory) == []
        assert [turn.promoted for turn in sessions.get_session_context() if isinstance(turn, SessionTurn)] == [
            True, True, True, True, False,
        ]  # fmt: skip
    kept = memory.records()
    assert [record.id for record in kept] == [record.id for record in promoted]
    assert [record.timestamp for record in kept] == [NOW + 60 * number for number in range(4)]
    assert memory.recall("deploy billing", top_k=1)[0].id in {record.id for record in promoted}


@pytest.mark.promise("A8")
def test_without_vectors_and_with_the_lowest_threshold_all_is_promoted(clock: Clock) -> None:
    for arguments in ((None, None), (SessionConfig(promotion_threshold=-1.0), words_vector)):
        with SessionMemory(*arguments, clock=clock) as sessions, EpisodicMemory(clock=clock) as memory:
            for number in range(3):
                sessions.add_turn(f"Question {number}", f"Answer {number}", force_new_session=number == 2)
            assert len(sessions.promote_to_longterm(memory)) == 3
            assert len(memory) == 3


@pytest.mark.promise("A8")
def test_anything_that_remembers_can_be_promoted_to(sessions: SessionMemory) -> None:
    class Notebook:
        def __init__(self) -> None:
            self.told: list[tuple[str, str]] = []

        def remember(self, user: str, assistant: str) -> None:
            self.told.append((user, assistant))

    sessions.add_turn("One", "Yes")
    notebook = Notebook()
    sessions.promote_to_longterm(notebook)  # type: ignore[arg-type]
    sessions.promote_to_longterm(notebook)  # type: ignore[arg-type]
    assert notebook.told == [("One", "Yes")]


@pytest.mark.promise("A8", "A10")
def test_a_replay_of_conversations_loses_nothing(tmp_path: Path, clock: Clock) -> None:
    """bench/episodic.py replays a thousand; the same with sixty, of which some are long and some are said twice."""
    turns = 0
    with (
        SessionMemory(storage_path=tmp_path / "sessions.db", clock=clock) as sessions,
        EnhancedEpisodicMemory(tmp_path / "episodes.db", words_vector, max_records=100_000, clock=clock) as memory,
    ):
        expected = []
        for number in range(60):
            for place in range(1 + number % 4):
                user = f"Question {place} of conversation {number % 50}?"
                assistant = f"Answer {place}. " * (1 + 60 * (number % 3 == 0))
                sessions.add_turn(user, assistant, force_new_session=place == 0)
                expected.append((user, assistant))
                clock.wait(minutes=1)
            turns += len(sessions.promote_to_longterm(memory))
        stats = memory.get_memory_stats()
        parents = [record for record in memory.records() if record.is_parent]
        assert [(record.user, record.assistant) for record in parents] == expected
        assert turns == len(expected) == stats["parent_records"]
        assert stats["total_records"] == stats["parent_records"] + stats["child_chunks"] == len(memory.records())
        assert stats["child_chunks"] > 60
