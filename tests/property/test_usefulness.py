"""Whatever a session does, and however its events are drained, offers count once and confidences stay within bounds."""

from __future__ import annotations

import json
import tempfile
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests import payloads
from tests.fakes import FrozenClock

from recollect import Engine, clock
from recollect.engine.sessions.injection_outcomes import count
from recollect.model import Injection, Memory, Usefulness
from recollect.recall import feedback

PROMPT = "how should the payment client retry when the bank throttles bursts?"
CONTENTS = (
    "The payment client retries with backoff because the bank throttles bursts: run `make check-bank`",
    "How the payment client retries when the bank throttles bursts is written in price.py",
    "The payment client must retry bursts, the bank throttles, see gateway_timeout_ms of 4500",
)

# What may happen in a session, as payloads of its hooks.
EVENTS: dict[str, dict[str, Any]] = {
    "run": json.loads(payloads.ran("make check-bank", "ok")),
    "fail": json.loads(payloads.failed("make check-bank", "Exit code 1\nE   KeyError: 'x'")),
    "read": json.loads(payloads.looked("price.py")),
    "cite": json.loads(payloads.claude("Stop", last_assistant_message="gateway_timeout_ms is 4500, so it retries")),
    "stop": json.loads(payloads.claude("Stop", last_assistant_message="Done.")),
    "end": json.loads(payloads.claude("SessionEnd", reason="other")),
    "compact": json.loads(payloads.claude("SessionStart", source="compact")),
}

SESSIONS = st.lists(st.lists(st.sampled_from(sorted(EVENTS)), max_size=6), min_size=1, max_size=3)


def play(sessions: list[list[str]], *, step: int) -> dict[str, tuple[Any, ...]]:
    """Return what is counted after sessions whose events are drained `step` at a time, twice.

    The clock stands still: of two similar memories, the one stored a second later replaces the other.
    """
    frozen = FrozenClock()
    with (
        pytest.MonkeyPatch.context() as patch,
        tempfile.TemporaryDirectory() as home,
        Engine(home=home, embed_provider="off") as engine,
    ):
        patch.setattr(clock, "now", frozen)
        for content in CONTENTS:
            engine.memories.store(content, namespace=payloads.ROOT, confidence=0.6, amend=False)
        for number, names in enumerate(sessions):
            frozen.advance(60)
            session = f"s-{number}"
            asked = {**json.loads(payloads.claude("UserPromptSubmit", prompt=PROMPT)), "session_id": session}
            engine.presence.answer(json.dumps(asked).encode())
            engine.capture.put(json.dumps(asked).encode())
            for place, name in enumerate([*names, "end"]):
                event = {**EVENTS[name], "session_id": session}
                if "tool_name" in event:
                    event["tool_use_id"] = f"{number}-{place}"
                engine.capture.put(json.dumps(event).encode())
                if place % step == 0:
                    engine.capture.drain()
            engine.capture.drain()
        assert count(engine.store) == 0
        for row in engine.store.find(Usefulness):
            assert 0 <= row.used + row.contradicted <= row.offered <= len(sessions)
            assert min(feedback.FLOOR, row.given) <= row.confidence <= max(feedback.CEILING, row.given)
        judged = [row for row in engine.store.find(Injection) if row.evidence not in ("", "again")]
        assert len(judged) == len({(row.session_id, row.memory_id) for row in judged})
        assert all(not row.due and row.counted == row.evidence for row in judged)
        counts = {row.id: (row.offered, row.used, row.contradicted) for row in engine.store.find(Usefulness)}
        return {
            memory.content: (memory.confidence, counts.get(memory.id))
            for memory in engine.store.find(Memory, {"source": "user"})
        }


@pytest.mark.filterwarnings("error")
@settings(max_examples=12)
@given(SESSIONS)
def test_how_events_are_drained_does_not_change_what_is_counted(sessions: list[list[str]]) -> None:
    assert play(sessions, step=1) == play(sessions, step=3)
