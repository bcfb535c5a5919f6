"""Observed memories are evidence: knowledge answers before them, and they never replace it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.payloads import ROOT, claude, ran

from recollect import Engine

REDIS = "Login sessions are kept in Redis for 45 minutes."
ASKED = "Please tell me where login sessions are kept."
QUESTION = "where are login sessions kept"


@pytest.fixture
def engine(home: Path) -> Iterator[Engine]:
    with Engine(embed_provider="off") as made:
        yield made


def prompt(engine: Engine, text: str, session: str = "c-1") -> None:
    payload = claude("UserPromptSubmit", prompt=text).replace(b"c-1", session.encode())
    engine.capture.put(payload, event="UserPromptSubmit", assistant="claude")
    engine.capture.drain()


def test_a_decision_answers_and_a_question_that_was_stored_later_does_not(engine: Engine) -> None:
    decision = engine.memories.store(REDIS, memory_type="decision").memory
    asked = engine.memories.store(ASKED)
    assert asked.memory.observed and not asked.amends

    found = engine.recall.search(QUESTION)
    assert [hit.memory.id for hit in found.hits] == [decision.id]
    assert found.hits[0].superseded_by is None
    assert REDIS in engine.recall.pack(QUESTION).text


@pytest.mark.parametrize(
    "asked",
    [
        "where do image uploads go again?? pls check",
        "wir nehmen im frontend pnpm oder npm? bitte sag mir das",
        "Let's find out how refunds are handled, then document it.",
        "Check whether notebooks are cleaned and report back",
        "what is our minimum deployment target now? we should maybe change it",
    ],
)
def test_a_question_with_a_polite_request_is_no_knowledge(engine: Engine, asked: str) -> None:
    assert engine.memories.store(asked).memory.observed
    assert engine.recall.search(asked).hits == ()
    for stated in ("Tabs or spaces? Please use tabs.", "Report errors to Sentry.", "Let's go with Postgres."):
        assert not engine.memories.store(stated).memory.observed


def test_prompts_of_hooks_are_no_answers_while_knowledge_answers(engine: Engine) -> None:
    for number in range(3):
        prompt(engine, ASKED, f"c-{number}")
    decision = engine.memories.store(REDIS, memory_type="decision", namespace=ROOT).memory
    assert [hit.memory.id for hit in engine.recall.search(QUESTION).hits] == [decision.id]
    everything = engine.recall.search(QUESTION, observed=True).hits
    assert {hit.memory.observed for hit in everything} == {True, False}
    assert all(hit.superseded_by is None for hit in everything)


def test_evidence_answers_where_no_knowledge_does_and_says_so(engine: Engine) -> None:
    prompt(engine, "Move the login sessions from Memcached to Redis and keep them for 45 minutes.")
    found = engine.recall.search(QUESTION)
    assert [hit.memory.category for hit in found.hits] == ["prompt"]
    assert "no stored knowledge matches; this is what hooks recorded" in found.notes


@pytest.mark.parametrize("asked", ["who pays for the phones of the drivers", "which customers complained in winter"])
def test_a_question_that_was_asked_before_is_still_about_nothing_known(home: Path, asked: str) -> None:
    with Engine() as engine:
        for known in ("Customer addresses are validated with libpostal.", "Interns may not merge to release branches."):
            engine.memories.store(known, memory_type="decision", namespace=ROOT)
        for _ in range(2):
            assert engine.recall.search(asked, namespace=ROOT).hits == ()
            prompt(engine, f"{asked}?")


@pytest.mark.parametrize("order", ["Show me a plan before you edit anything", "Tell me when coverage drops below 80 %"])
def test_a_standing_order_that_begins_like_a_question_is_a_preference(engine: Engine, order: str) -> None:
    stored = engine.memories.store(order).memory
    assert (stored.observed, stored.memory_type) == (False, "preference")


@pytest.mark.parametrize("query", [QUESTION, "login sessions kept"])
def test_what_was_asked_is_no_answer(engine: Engine, query: str) -> None:
    for number, asked in enumerate((ASKED, "how long are login sessions kept", "Where are login sessions kept?")):
        prompt(engine, asked, f"c-{number}")
        stop = claude("Stop", last_assistant_message="No idea.").replace(b"c-1", f"c-{number}".encode())
        engine.capture.put(stop, event="Stop", assistant="claude")
    assert engine.recall.search(query).hits == ()
    assert len(engine.recall.search(query, observed=True).hits) == 6


def test_evidence_that_matches_comes_before_knowledge_that_is_only_near(home: Path) -> None:
    with Engine() as engine:
        for text in ("The API runs on port 8080", "Orders are archived after two years", "Deploys run on Tuesdays"):
            engine.memories.store(text, namespace=ROOT)
        near = engine.recall.search("webhook retries", namespace=ROOT)
        assert near.hits and not any("hooks recorded" in note for note in near.notes)
        prompt(engine, "log webhook retries to a table")
        found = engine.recall.search("webhook retries", namespace=ROOT)
    assert [hit.memory.category for hit in found.hits] == ["prompt"]
    assert any("hooks recorded" in note for note in found.notes)


def test_a_sentence_that_was_only_seen_becomes_knowledge_when_it_is_stored(engine: Engine) -> None:
    said = "login sessions in Redis for 45 minutes"
    prompt(engine, said)
    stored = engine.memories.store(said, namespace=ROOT)
    assert stored.created and not stored.memory.observed
    prompt(engine, said, "c-2")
    assert engine.memories.get(stored.memory.id).tags == ()


def test_commands_and_session_summaries_are_observed(engine: Engine) -> None:
    engine.capture.put(ran("make deploy", "done"), event="PostToolUse", assistant="claude")
    engine.capture.put(claude("SessionEnd", reason="exit"), event="SessionEnd", assistant="claude")
    engine.capture.drain()
    rows = engine.memories.list(observed=True).memories
    assert {row.category for row in rows} == {"command", "session"}
    assert all(row.observed for row in rows)


@pytest.mark.parametrize("turn", [{"session_id": "s"}, {"author": "Ada"}])
def test_a_question_within_a_conversation_is_an_ordinary_turn(engine: Engine, turn: dict[str, str]) -> None:
    assert not engine.memories.store(ASKED, **turn).memory.observed  # type: ignore[arg-type]


ECHOES = [
    "why cant a sitter see what the owner wrote about him",
    "how fast do we have to react when a pet got hurt",
    "where do queue messages go again?? pls check",
    "wir prüfen verletzte Tiere wie schnell",
]


@pytest.mark.parametrize("asked", ECHOES)
def test_recording_a_prompt_changes_nothing_that_a_recall_with_its_words_returns(home: Path, asked: str) -> None:
    with Engine() as engine:
        for text in (
            "Reviews are hidden until both sides have written one.",
            "Insurance claims must be answered within 3 days by contract.",
            "The queue is RabbitMQ; messages older than two hours go to the dead letter queue.",
            "Passwords are hashed with argon2id.",
        ):
            engine.memories.store(text, memory_type="decision", namespace=ROOT)
        engine.capture.put(ran("make deploy", "done"), event="PostToolUse", assistant="claude")
        engine.capture.drain()
        known = engine.recall.search(asked, namespace=ROOT)
        packed = engine.recall.pack(asked, namespace=ROOT)
        for number in range(12):
            prompt(engine, asked, f"c-{number}")
        found = engine.recall.search(asked, namespace=ROOT)
        assert [hit.memory.id for hit in found.hits] == [hit.memory.id for hit in known.hits]
        assert found.notes == known.notes
        assert engine.recall.pack(asked, namespace=ROOT).text == packed.text
        assert asked in {hit.memory.content for hit in engine.recall.search(asked, namespace=ROOT, observed=True).hits}


def test_what_was_done_answers_below_many_prompts_that_ask_the_same(engine: Engine) -> None:
    engine.capture.put(ran("make deploy", "done"), event="PostToolUse", assistant="claude")
    for number in range(12):
        prompt(engine, f"how does make deploy work on host {number}", f"c-{number}")
    assert [hit.memory.category for hit in engine.recall.search("make deploy").hits] == ["command"]
