"""Sessions begin, go on, end, and are summed up, whatever an assistant tells of them."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests import payloads
from tests.fakes import FrozenClock

from recollect import Engine, clock
from recollect.engine.sessions import session_state as module
from recollect.errors import NotFound
from recollect.model import Memory, Observed, Session

NOW = 1_767_000_000
FIXED = "Changed price.py (+1 −1): `TAX = 19` became `TAX = 25`."


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch) -> FrozenClock:
    frozen = FrozenClock(NOW)
    monkeypatch.setattr(clock, "now", frozen)
    return frozen


@pytest.fixture
def engine(home: Path, time: FrozenClock) -> Iterator[Engine]:
    with Engine(embed_provider="off") as made:
        yield made


def at(monkeypatch: pytest.MonkeyPatch, moment: int) -> None:
    monkeypatch.setattr(clock, "now", FrozenClock(moment))


def take(engine: Engine, *raw: bytes) -> None:
    for each in raw:
        engine.capture.put(each)
    assert engine.capture.drain().bad == 0


def session(engine: Engine, session_id: str = "c-1") -> Session:
    return engine.sessions.get(session_id).session


@pytest.mark.promise("E24")
def test_a_session_has_a_start_an_end_a_count_and_a_summary(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    take(engine, payloads.claude("SessionStart", source="startup"))
    begun = session(engine)
    assert (begun.started_at, begun.ended_at, begun.memory_count, begun.summary) == (NOW, None, 0, None)
    assert (begun.namespace, begun.assistant) == (payloads.ROOT, "claude")
    at(monkeypatch, NOW + 60)
    take(engine, payloads.claude("UserPromptSubmit", prompt="raise the tax"), payloads.edited("TAX = 19", "TAX = 25"))
    assert session(engine).memory_count == 2
    at(monkeypatch, NOW + 90)
    take(engine, payloads.claude("SessionEnd", reason="logout"))
    ended = session(engine)
    assert (ended.ended_at, ended.ended_by) == (NOW + 90, "logout")
    assert ended.summary == "Asked for: raise the tax\nChanged: price.py"
    (insight,) = engine.store.find(Memory, {"memory_type": "insight"})
    assert insight.id == ended.insight_id
    assert insight.content == "Session of 2025-12-29: raise the tax\nAsked for: raise the tax\nChanged: price.py"
    assert (insight.namespace, insight.tags) == (payloads.ROOT, ("session-summary",))


@pytest.mark.promise("E24")
def test_the_end_of_a_turn_ends_a_session_until_it_goes_on(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    take(
        engine,
        payloads.claude("UserPromptSubmit", prompt="raise the tax"),
        payloads.edited("TAX = 19", "TAX = 20", call="1"),
        payloads.claude("Stop", last_assistant_message="Raised the tax."),
    )
    assert (session(engine).ended_at, session(engine).ended_by) == (NOW, "turn")
    first = session(engine).insight_id
    at(monkeypatch, NOW + 600)
    take(engine, payloads.claude("UserPromptSubmit", prompt="now to 25"))
    assert session(engine).ended_at is None
    take(
        engine,
        payloads.edited("TAX = 20", "TAX = 25", call="2"),
        payloads.claude("Stop", last_assistant_message="The tax is 25 now."),
    )
    again = session(engine)
    assert again.insight_id == first, "one memory holds the summary"
    assert again.summary == (
        "Asked for:\n- raise the tax\n- now to 25\nChanged: price.py\nEnded with: The tax is 25 now."
    )
    assert engine.store.count(Session) == 1


def test_a_resumed_session_is_the_same_one(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    take(engine, payloads.claude("SessionStart", source="startup"), payloads.claude("SessionEnd", reason="exit"))
    assert session(engine).ended_at == NOW
    at(monkeypatch, NOW + 86_400)
    take(engine, payloads.claude("SessionStart", source="resume"))
    assert (session(engine).started_at, session(engine).ended_at) == (NOW, None)


def test_a_compaction_takes_a_snapshot(engine: Engine) -> None:
    take(
        engine,
        payloads.claude("UserPromptSubmit", prompt="raise the tax"),
        payloads.claude("PreCompact", trigger="auto"),
    )
    assert session(engine).summary == "Asked for: raise the tax"
    take(engine, payloads.claude("PostCompact", compact_summary="we raised it"))
    assert [row.content for row in engine.store.find(Memory, {"category": "compaction"})] == [
        "Summary of the conversation so far: we raised it"
    ]
    assert session(engine).ended_at is None


def test_an_event_alone_begins_a_session(engine: Engine) -> None:
    take(engine, payloads.ran("make"))
    assert session(engine).started_at == NOW


def test_what_is_seen_late_does_not_open_a_session_again(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    engine.capture.put(payloads.ran("make lint"))
    late = next((engine.settings.home_path / "spool" / "new").iterdir())
    kept = late.read_bytes()
    late.unlink()
    at(monkeypatch, NOW + 60)
    take(engine, payloads.claude("UserPromptSubmit", prompt="go"), payloads.claude("Stop", last_assistant_message="x"))
    late.write_bytes(kept)
    engine.capture.drain()
    assert session(engine).ended_at == NOW + 60
    assert session(engine).started_at == NOW
    assert "make lint" in (session(engine).summary or "")


def test_a_session_whose_assistant_was_killed_is_ended_by_silence(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    take(engine, payloads.claude("UserPromptSubmit", prompt="raise the tax"))
    assert engine.session_updates.close_silent() == 0
    at(monkeypatch, NOW + module.SILENT_S + 60)
    monkeypatch.setattr(module, "LOOK_S", 0)
    assert engine.session_updates.close_silent() == 1
    ended = session(engine)
    assert (ended.ended_at, ended.ended_by) == (NOW, "silence")
    assert ended.summary == "Asked for: raise the tax"


def test_old_observations_are_forgotten_and_what_was_learnt_stays(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    take(engine, payloads.ran("make"))
    at(monkeypatch, NOW + module.KEPT_S + 60)
    engine.session_updates.close_silent()
    assert engine.store.count(Observed) == 0
    assert engine.store.count(Memory, {"category": "command"}) == 1


def test_a_summary_tells_errors_what_fixed_them_and_what_is_open(engine: Engine) -> None:
    engine.memories.store("Prices are gross", memory_type="decision", namespace=payloads.ROOT, session_id="c-1")
    take(
        engine,
        payloads.claude("UserPromptSubmit", prompt="make the tests pass"),
        payloads.looked("docs/tax.md", "# Tax\n", call="0"),
        payloads.used("Grep", {"pattern": "TAX"}, {"filenames": ["price.py"]}, call="1"),
        payloads.failed("pytest", "Exit code 1\nKeyError: 'se'", call="2"),
        payloads.edited("TAX = 19", "TAX = 25", call="3"),
        payloads.ran("pytest", "1 passed", call="4"),
        payloads.failed("npm test", "Exit code 1\nError: no route", call="5"),
        payloads.claude("Stop", last_assistant_message="The Python tests pass."),
    )
    assert session(engine).summary == "\n".join(
        (
            "Asked for: make the tests pass",
            "Decided: Prices are gross",
            "Changed: price.py",
            "Read: docs/tax.md",
            "Searched for: `TAX`",
            "Ran: `pytest`",
            f"Failed and was fixed: `pytest` failed (exit status 1): KeyError: 'se' → {FIXED}",
            "Still failing: `npm test` failed (exit status 1): Error: no route",
            "Ended with: The Python tests pass.",
        )
    )


def test_a_decision_of_another_session_is_not_in_the_summary(engine: Engine) -> None:
    engine.memories.store("Prices are gross", memory_type="decision", namespace=payloads.ROOT, session_id="c-2")
    engine.memories.store("Taxes are net", memory_type="decision", namespace=payloads.ROOT)
    take(
        engine,
        payloads.claude("UserPromptSubmit", prompt="fix the typo in the footer"),
        payloads.claude("Stop", last_assistant_message="Fixed."),
    )
    assert session(engine).summary == "Asked for: fix the typo in the footer\nDecided: Taxes are net"


def test_lists_have_what_hooks_left_a_moment_ago(engine: Engine) -> None:
    engine.capture.put(payloads.claude("UserPromptSubmit", prompt="We decided to keep invoices for 11 years"))
    assert engine.memories.list(namespace=payloads.ROOT).total == 1
    engine.capture.put(payloads.claude("UserPromptSubmit", prompt="fix the typo in the footer"))
    assert engine.sessions.get("c-1").total == 2


def test_a_summary_ends_with_the_last_answer_about_the_work(engine: Engine) -> None:
    take(
        engine,
        payloads.claude("UserPromptSubmit", prompt="run the tests"),
        payloads.ran("pytest -q", "1 passed", call="1"),
        payloads.claude("Stop", last_assistant_message="One test, it passes."),
        payloads.claude("UserPromptSubmit", prompt="run the tests."),
        payloads.ran("pytest -q", "1 passed", call="2"),
        payloads.claude("Stop", last_assistant_message="`pytest -q` passes again."),
        payloads.claude("UserPromptSubmit", prompt="thanks! write a haiku about cherry blossoms"),
        payloads.claude("Stop", last_assistant_message="Cherry blossoms fall / on the quiet temple roof / spring rain"),
    )
    assert session(engine).summary == (
        "Asked for: run the tests\nRan: `pytest -q`\nEnded with: `pytest -q` passes again."
    )


def test_an_answer_without_any_work_is_no_end_of_a_summary(engine: Engine) -> None:
    take(
        engine,
        payloads.claude("UserPromptSubmit", prompt="write a haiku about cherry blossoms"),
        payloads.claude("Stop", last_assistant_message="Cherry blossoms fall"),
    )
    assert session(engine).summary == "Asked for: write a haiku about cherry blossoms"


def test_the_end_of_a_long_answer_is_kept(engine: Engine) -> None:
    answer = "I changed the tax in price.py. " + "It took some time. " * 60 + "The report still needs the new rate."
    take(engine, payloads.edited("TAX = 19", "TAX = 25"), payloads.claude("Stop", last_assistant_message=answer))
    (told,) = [row.told for row in engine.store.find(Observed, {"event": "turn_end"})]
    assert told.startswith("I changed the tax in price.py.")
    assert told.endswith("The report still needs the new rate.")
    assert len(told) <= 620


COPILOT = [
    {"type": "user.message", "data": {"content": "raise the tax"}},
    {"type": "assistant.message", "data": {"content": "I look at price.py first.", "toolRequests": [{"name": "view"}]}},
    {"type": "tool.execution_complete", "data": {"result": {"content": '"assistant.message"'}}},
    {"type": "assistant.message", "data": {"content": "The tax in price.py is 25 now.", "toolRequests": []}},
    {"type": "session.usage_record", "data": {"usage": {}}},
]


def stopped(path: Path) -> bytes:
    return payloads.copilot(transcriptPath=str(path), stopReason="end_turn")


def copilot_ends(engine: Engine, path: Path) -> str:
    """Return the summary of a session of Copilot with this session file."""
    engine.capture.put(payloads.copilot(prompt="raise the tax"), event="userPromptSubmitted", assistant="copilot")
    used = {"toolName": "bash", "toolArgs": {"command": "make"}, "toolResult": {"textResultForLlm": "price.py"}}
    engine.capture.put(payloads.copilot(**used), event="postToolUse", assistant="copilot")
    engine.capture.put(stopped(path), event="agentStop", assistant="copilot")
    assert engine.capture.drain().bad == 0
    return session(engine, "p-1").summary or ""


@pytest.mark.promise("E24")
def test_a_session_of_copilot_ends_with_the_answer_in_its_file(engine: Engine, tmp_path: Path) -> None:
    file = tmp_path / "events.jsonl"
    file.write_text("".join(f"{json.dumps(row)}\n" for row in COPILOT))
    assert copilot_ends(engine, file).endswith("Ended with: The tax in price.py is 25 now.")


@pytest.mark.parametrize("kind", ["missing", "link", "pipe", "long line", "no answer", "other name", "no JSON"])
def test_a_file_that_is_no_session_of_copilot_leaves_the_answer_empty(
    engine: Engine, tmp_path: Path, kind: str
) -> None:
    file = tmp_path / "events.jsonl"
    whole = "".join(f"{json.dumps(row)}\n" for row in COPILOT)
    if kind == "link":
        (tmp_path / "target").write_text(whole)
        file.symlink_to(tmp_path / "target")
    elif kind == "pipe":
        os.mkfifo(file)
    elif kind == "long line":
        file.write_text(whole + json.dumps({"type": "tool.execution_complete", "data": "x" * (2 << 20)}))
    elif kind == "no answer":
        file.write_text(whole + json.dumps(COPILOT[0]))
    elif kind == "other name":
        file = tmp_path / "other.jsonl"
        file.write_text(whole)
    elif kind == "no JSON":
        file.write_text('{"type":"assistant.message", no\n[]\n"assistant.message"\n')
    assert "Ended with" not in copilot_ends(engine, file)


@pytest.mark.promise("E24")
def test_a_session_of_opencode_ends_with_the_answer_that_its_plugin_hands_over(engine: Engine) -> None:
    given = {"type": "session.idle", "properties": {"sessionID": "o-1"}}
    parts = [{"type": "text", "text": "raise the tax"}]
    ran = {"tool": "bash", "sessionID": "o-1", "callID": "1", "args": {"command": "make tax"}}
    take(
        engine,
        payloads.opencode("chat.message", {"sessionID": "o-1"}, {"parts": parts}),
        payloads.opencode("tool.execute.after", ran, {"title": "", "output": "", "metadata": {"exit": 0}}),
        payloads.opencode("event", given, {"answer": "`make tax` raised the tax."}),
    )
    assert (session(engine, "o-1").summary or "").endswith("Ended with: `make tax` raised the tax.")


def test_summing_up_by_hand_takes_the_latest_and_changes_nothing_twice(engine: Engine) -> None:
    with pytest.raises(NotFound):
        engine.sessions.summarize()
    engine.capture.put(payloads.claude("UserPromptSubmit", prompt="raise the tax"))
    first = engine.sessions.summarize(namespace=payloads.ROOT)
    assert first.created
    assert first.memory is not None
    second = engine.sessions.summarize("c-1")
    assert (second.created, second.memory, second.session) == (False, first.memory, first.session)


def test_a_session_in_which_nothing_was_done_has_no_summary(engine: Engine) -> None:
    take(engine, payloads.claude("SessionStart", source="startup"), payloads.claude("SessionEnd", reason="exit"))
    assert engine.sessions.summarize("c-1").memory is None


def test_sessions_are_listed_by_project_and_state(engine: Engine) -> None:
    take(engine, payloads.ran("make"), payloads.codex("SessionStart", source="startup"))
    engine.capture.put(payloads.codex("SessionEnd", reason="exit"))
    listed = engine.sessions.list()
    assert listed.total == 2
    assert [row.id for row in engine.sessions.list(active=True).sessions] == ["c-1"]
    assert [row.id for row in engine.sessions.list(active=False).sessions] == ["x-1"]
    assert engine.sessions.list(namespace="elsewhere").total == 0
    view = engine.sessions.get("c-1")
    assert [row.told for row in view.observations] == ["Ran `make`"]
    with pytest.raises(NotFound):
        engine.sessions.get("nobody")
