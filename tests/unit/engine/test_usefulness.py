"""What assistants used gains confidence, what was contradicted loses some, and one undo takes it back."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests import payloads
from tests.conformance.surfaces import command_line
from tests.fakes import FrozenClock

from recollect import Engine, clock
from recollect.capabilities import OPERATIONS
from recollect.engine.hook_responses.prompt_fast_path import fast_answer
from recollect.engine.sessions import injection_outcomes
from recollect.engine.sessions.injection_outcomes import count, learn
from recollect.engine.sessions.session_state import SILENT_S
from recollect.errors import InvalidInput, MemoryNotFound
from recollect.model import Change, Injection, Memory, Usefulness
from recollect.recall import feedback

NOW = 1_767_000_000
DAY = 86_400
ROOT = payloads.ROOT
BACKOFF = "The payment client retries with exponential backoff because the bank throttles bursts: run `make check-bank`"
ABOUT_BACKOFF = "how should the payment client retry when the bank throttles bursts?"
ERROR = "Exit code 1\nE   KeyError: 'se'"


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch) -> FrozenClock:
    frozen = FrozenClock(NOW)
    monkeypatch.setattr(clock, "now", frozen)
    return frozen


@pytest.fixture
def engine(home: Path, time: FrozenClock) -> Iterator[Engine]:
    with Engine(embed_provider="off") as made:
        yield made


def take(engine: Engine, session: str, *raw: bytes) -> None:
    """Let a session go on: each event is spooled as its hook does it, then all are drained."""
    for each in raw:
        engine.capture.put(payloads.in_session(session, each))
    assert engine.capture.drain().bad == 0


def prompt(engine: Engine, session: str, text: str = ABOUT_BACKOFF, time: FrozenClock | None = None) -> str | None:
    """Send a prompt: its hook is answered, and what it saw is taken in."""
    raw = payloads.claude("UserPromptSubmit", prompt=text)
    said = engine.presence.answer(payloads.in_session(session, raw))
    take(engine, session, raw)
    if time is not None:
        time.advance(1)
    return said


def stop(text: str = "Done.") -> bytes:
    return payloads.claude("Stop", last_assistant_message=text)


def end() -> bytes:
    return payloads.claude("SessionEnd", reason="prompt_input_exit")


def decide(engine: Engine, content: str = BACKOFF, **values: Any) -> str:
    given = {"memory_type": "decision", "namespace": ROOT, "confidence": 0.6, **values}
    return engine.memories.store(content, **given).memory.id


def confidence(engine: Engine, memory_id: str) -> float:
    return engine.store.get(Memory, [memory_id])[0].confidence


def counts(engine: Engine, memory_id: str) -> tuple[int, int, int]:
    rows = engine.store.get(Usefulness, [memory_id])
    return (rows[0].offered, rows[0].used, rows[0].contradicted) if rows else (0, 0, 0)


def evidence(engine: Engine, memory_id: str) -> list[str]:
    return [row.evidence for row in engine.store.find(Injection, {"memory_id": memory_id}, order="at")]


# --- used ---


def test_a_command_that_was_told_and_run_raises_confidence_and_explain_says_so(engine: Engine) -> None:
    memory = decide(engine)
    assert BACKOFF[:40] in (prompt(engine, "s-1") or "")
    assert confidence(engine, memory) == 0.6
    take(engine, "s-1", payloads.ran("make check-bank", "ok", call="1"), stop())
    assert confidence(engine, memory) == pytest.approx(0.68)
    hits = engine.recall.search("payment client retries", namespace=ROOT, explain=True).hits
    told = {hit.memory.id: hit.use for hit in hits}[memory]
    assert told == "injected once, used 1 (last: its command was run), contradicted 0; confidence 0.60 → 0.68"
    assert all(not hit.use for hit in engine.recall.search("payment client retries", namespace=ROOT).hits)
    report = engine.usefulness.usefulness(memory)
    assert (report.offered, report.used, report.memories[0].told) == (1, 1, told)
    assert (engine.admin.stats().offered, engine.admin.stats().used) == (1, 1)


def test_a_file_that_was_opened_and_words_that_were_said_count(engine: Engine, time: FrozenClock) -> None:
    file = decide(engine, "Prices of the payment client are rounded in price.py when the bank throttles bursts")
    prompt(engine, "s-1", time=time)
    take(engine, "s-1", payloads.looked("price.py", call="1"), stop())
    assert evidence(engine, file) == ["touched"]
    assert confidence(engine, file) == pytest.approx(0.644)
    said = "I left it alone: prices of the payment client are rounded in price.py."
    prompt(engine, "s-2")
    take(engine, "s-2", stop(said))
    assert evidence(engine, file) == ["touched", "cited"]
    assert counts(engine, file) == (2, 2, 0)


def test_the_words_of_a_decision_that_is_stored_later_count(engine: Engine, time: FrozenClock) -> None:
    memory = decide(engine)
    prompt(engine, "s-1", time=time)
    decide(engine, "Webhooks retry with exponential backoff, too; `make check-bank` covers them as well")
    take(engine, "s-1", stop())
    assert evidence(engine, memory) == ["cited"]


def test_a_session_counts_once_however_often_it_repeats(engine: Engine, time: FrozenClock) -> None:
    memory = decide(engine)
    for _ in range(5):
        prompt(engine, "s-1", time=time)
        take(engine, "s-1", payloads.ran("make check-bank", "ok"), stop(BACKOFF))
        # The window is lost, and what was told is told again.
        take(engine, "s-1", payloads.claude("SessionStart", source="compact"))
        time.advance(60)
    assert counts(engine, memory) == (1, 1, 0)
    assert confidence(engine, memory) == pytest.approx(0.68)
    assert evidence(engine, memory) == ["ran", *["again"] * 4]


def test_what_was_left_changes_no_confidence(engine: Engine) -> None:
    memory = decide(engine)
    for number in range(8):
        prompt(engine, f"s-{number}")
        take(engine, f"s-{number}", payloads.ran("make other", "ok"), stop("All is well."), end())
    assert counts(engine, memory) == (8, 0, 0)
    assert confidence(engine, memory) == 0.6
    assert not engine.store.find(Change, {"entity_id": memory, "entity": "memories", "action": "update"})


def test_an_unused_line_of_a_briefing_counts_as_nothing_and_a_used_one_counts(engine: Engine) -> None:
    memory = decide(engine, importance=0.9)
    start = payloads.claude("SessionStart", source="startup")
    for number in range(3):
        session = f"s-{number}"
        assert BACKOFF[:40] in (engine.presence.answer(payloads.in_session(session, start)) or "")
        take(engine, session, start, stop("All is well."), end())
    assert (counts(engine, memory), evidence(engine, memory)) == ((0, 0, 0), ["unused"] * 3)
    take(engine, "s-2", payloads.ran("make check-bank", "ok", call="1"), stop())
    assert counts(engine, memory) == (1, 1, 0)


def test_a_session_that_falls_silent_is_judged_by_what_was_seen(engine: Engine, time: FrozenClock) -> None:
    used, left = decide(engine), decide(engine, "The payment client retries and the bank throttles bursts in tests")
    prompt(engine, "s-1", time=time)
    take(engine, "s-1", payloads.ran("make check-bank", "ok", call="1"))
    assert evidence(engine, used) == [""]
    time.advance(SILENT_S + 60)
    engine.session_updates.close_silent()
    assert (evidence(engine, used), evidence(engine, left)) == (["ran"], ["unused"])
    assert (counts(engine, used), counts(engine, left)) == ((1, 1, 0), (1, 0, 0))
    before = confidence(engine, used)
    engine.session_updates.looked_at = 0.0
    engine.session_updates.close_silent()
    assert confidence(engine, used) == before


def test_evidence_that_comes_after_the_end_still_counts(engine: Engine, time: FrozenClock) -> None:
    memory = decide(engine)
    prompt(engine, "s-1", time=time)
    take(engine, "s-1", stop(), end())
    assert counts(engine, memory) == (1, 0, 0)
    take(engine, "s-1", payloads.ran("make check-bank", "ok", call="1"), stop())
    assert counts(engine, memory) == (1, 1, 0)


# --- errors ---


def fixed_once(engine: Engine, session: str = "c-1") -> str:
    """A session in which a command failed, was fixed and worked; returns the memory of the fix."""
    take(
        engine,
        session,
        payloads.claude("UserPromptSubmit", prompt="make the tests pass"),
        payloads.failed("pytest -q", ERROR, call="1"),
        payloads.edited("TAX = 19", "TAX = 20", call="2"),
        payloads.ran("pytest -q", "1 passed", call="3"),
    )
    return engine.store.find(Memory, {"category": "fix"})[0].id


def fails(engine: Engine, session: str, call: str) -> str | None:
    raw = payloads.in_session(session, payloads.failed("pytest -q", ERROR, call=call))
    said = engine.presence.answer(raw)
    engine.capture.put(raw)
    engine.capture.drain()
    return said


def test_a_fix_whose_error_is_gone_after_its_steps_was_used(engine: Engine) -> None:
    fix = fixed_once(engine)
    assert "What fixed it" in (fails(engine, "s-2", "10") or "")
    edit, passed = payloads.edited("TAX = 19", "TAX = 20", call="11"), payloads.ran("pytest -q", "1 passed", call="12")
    take(engine, "s-2", edit, passed, stop())
    assert evidence(engine, fix) == ["fixed"]
    assert confidence(engine, fix) == 1.0  # nobody can be surer


def test_a_fix_whose_error_comes_back_after_its_steps_loses_confidence(engine: Engine) -> None:
    fix = fixed_once(engine)
    fails(engine, "s-2", "10")
    take(engine, "s-2", payloads.edited("TAX = 19", "TAX = 20", call="11"))
    fails(engine, "s-2", "12")
    take(engine, "s-2", stop())
    assert evidence(engine, fix) == ["returned"]
    assert confidence(engine, fix) == pytest.approx(0.8)


def test_a_fix_that_nobody_tried_did_not_fail(engine: Engine) -> None:
    fix = fixed_once(engine)
    fails(engine, "s-2", "10")
    fails(engine, "s-2", "11")
    take(engine, "s-2", stop(), end())
    assert evidence(engine, fix) == ["unused"]
    assert confidence(engine, fix) == 1.0


# --- contradicted ---


def test_what_a_later_memory_of_the_session_replaces_loses_confidence_and_undo_restores_it(
    engine: Engine, time: FrozenClock
) -> None:
    memory = decide(engine)
    prompt(engine, "s-1", time=time)
    take(engine, "s-1", payloads.ran("make check-bank", "ok", call="1"), stop())
    assert counts(engine, memory) == (1, 1, 0)
    raised = engine.store.get(Memory, [memory])[0]
    time.advance(60)
    decide(engine, "The payment client gives up at once when the bank throttles bursts", supersedes=memory)
    time.advance(1)
    take(engine, "s-1", stop("Noted."))
    assert counts(engine, memory) == (1, 0, 1)
    assert confidence(engine, memory) == pytest.approx(0.48)
    told = engine.usefulness.usefulness(memory).memories[0].told
    assert told.startswith("injected once, used 0, contradicted 1 (last: contradicted by a later memory)")
    batch = engine.store.find(Change, {"entity_id": memory, "operation": "count_usefulness"}, order="-seq")[0].batch
    engine.admin.undo(batch)
    assert confidence(engine, memory) == raised.confidence
    assert counts(engine, memory) == (1, 1, 0)
    # It stays taken back: what was judged is not judged again.
    take(engine, "s-1", stop("And so on."))
    assert confidence(engine, memory) == raised.confidence


def test_what_is_retired_loses_confidence(engine: Engine, time: FrozenClock) -> None:
    memory = decide(engine)
    prompt(engine, "s-1", time=time)
    engine.freshness.settle(memory, "retire")
    time.advance(1)
    take(engine, "s-1", stop())
    assert evidence(engine, memory) == ["retired"]


def test_what_was_replaced_before_it_was_told_is_not_contradicted_by_that(engine: Engine, time: FrozenClock) -> None:
    memory = decide(engine)
    newer = decide(engine, "The bank throttles bursts, says the payment client", amend=False)
    engine.memories.associate(newer, memory, relationship="CONTRADICTS")
    time.advance(60)
    prompt(engine, "s-1", time=time)
    take(engine, "s-1", stop(), end())
    assert counts(engine, memory)[2] == 0


# --- counting exactly once ---


def test_whoever_is_stopped_between_noting_and_counting_has_lost_nothing(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = decide(engine)
    prompt(engine, "s-1")
    with monkeypatch.context() as patch:
        patch.setattr(injection_outcomes, "count", lambda _store: 0)
        take(engine, "s-1", payloads.ran("make check-bank", "ok", call="1"), stop())
    assert (evidence(engine, memory), confidence(engine, memory)) == (["ran"], 0.6)
    assert count(engine.store) == 1
    assert confidence(engine, memory) == pytest.approx(0.68)
    assert count(engine.store) == 0
    assert confidence(engine, memory) == pytest.approx(0.68)


def test_a_confidence_that_somebody_gives_anew_is_where_counting_begins_again(engine: Engine) -> None:
    memory = decide(engine)
    prompt(engine, "s-1")
    take(engine, "s-1", payloads.ran("make check-bank", "ok", call="1"), stop())
    engine.memories.update(memory, confidence=0.3)
    prompt(engine, "s-2")
    take(engine, "s-2", payloads.ran("make check-bank", "ok", call="2"), stop())
    assert confidence(engine, memory) == pytest.approx(feedback.confidence(0.3, 1.0, 0.0))
    assert counts(engine, memory) == (2, 2, 0)


def test_a_memory_that_is_deleted_takes_its_counts_along_and_an_undo_brings_them_back(engine: Engine) -> None:
    memory = decide(engine)
    prompt(engine, "s-1")
    take(engine, "s-1", payloads.ran("make check-bank", "ok", call="1"), stop())
    deleted = engine.memories.delete(memory)
    assert engine.store.count(Usefulness) == 0
    engine.admin.undo(deleted.batch)
    assert counts(engine, memory) == (1, 1, 0)


def test_the_last_change_of_somebody_is_not_a_count(engine: Engine) -> None:
    memory = decide(engine)
    prompt(engine, "s-1")
    take(engine, "s-1", payloads.ran("make check-bank", "ok", call="1"), stop())
    undone = engine.admin.undo()
    operations = {row.operation for row in engine.store.find(Change, {"batch": undone.undone})}
    assert "count_usefulness" not in operations
    assert memory


# --- what an assistant asked for ---


def asked_for(engine: Engine, session: str, *ids: str, tool: str = "recall_memory", call: str = "r1") -> bytes:
    text = "\n".join(f"id: {each}" for each in ids)
    content = [{"type": "text", "text": text}]
    return payloads.used(f"mcp__recollect__{tool}", {"query": "payments"}, content, call=call)


def test_a_memory_that_an_assistant_asked_for_counts_as_told(engine: Engine, time: FrozenClock) -> None:
    memory = decide(engine)
    take(engine, "s-1", asked_for(engine, "s-1", memory, "00000000-0000-4000-8000-000000000000"))
    assert [row.event for row in engine.store.find(Injection)] == ["recall"]
    time.advance(1)
    # It knows it now: it is not told once more.
    assert prompt(engine, "s-1") is None
    take(engine, "s-1", payloads.ran("make check-bank", "ok", call="1"), stop())
    assert counts(engine, memory) == (1, 1, 0)


def test_an_answer_that_is_delivered_twice_counts_once_and_storing_is_no_answer(engine: Engine) -> None:
    memory = decide(engine)
    take(engine, "s-1", asked_for(engine, "s-1", memory, tool="store_memory", call="w1"))
    assert engine.store.count(Injection) == 0
    take(engine, "s-1", asked_for(engine, "s-1", memory), asked_for(engine, "s-1", memory))
    take(engine, "s-1", stop(BACKOFF), end())
    assert counts(engine, memory) == (1, 1, 0)


# --- what is learnt ---


def learnt(engine: Engine) -> tuple[str, str]:
    """A project in which decisions were used and insights were not, often enough; returns one memory of each kind."""
    good = decide(engine, "The payment client retries with exponential backoff when the bank throttles bursts")
    idle = decide(engine, "The payment client retries and the bank throttles bursts", memory_type="insight")
    rows = [(good, "decision", 30, 28), (idle, "insight", 30, 0)]
    with engine.store.transaction("test") as transaction:
        for memory, kind, offered, used in rows:
            row = Usefulness(id=memory, namespace=ROOT, kind=kind, offered=offered, used=used, given=0.6,
                             pro=float(used), confidence=0.6)  # fmt: skip
            transaction.insert(row)
    learn(engine.store, ROOT)
    return good, idle


def test_nothing_is_learnt_before_there_is_enough(engine: Engine) -> None:
    memory = decide(engine)
    prompt(engine, "s-1")
    take(engine, "s-1", payloads.ran("make check-bank", "ok", call="1"), stop())
    report = engine.usefulness.usefulness(namespace=ROOT)
    assert (report.weights, report.enough) == ({}, feedback.ENOUGH)
    assert engine.counters.lifts(ROOT, [memory]) == {}


def test_what_was_learnt_ranks_and_is_shown_and_reset_forgets_it(engine: Engine) -> None:
    good, idle = learnt(engine)
    report = engine.usefulness.usefulness(namespace=ROOT)
    assert report.weights["decision"] > 0 > report.weights["insight"]
    hits = engine.recall.search("payment client retries bank throttles", namespace=ROOT, explain=True).hits
    shares = {hit.memory.id: {share.meaning: share.share for share in hit.signals.shares} for hit in hits}
    assert shares[good]["it or its type was used when injected"] > 0
    assert shares[idle]["its type was rarely used when injected"] < 0
    # Another project, and questions to all, know nothing of it.
    others = engine.recall.search("payment client retries bank throttles", explain=True).hits
    meanings = {share.meaning for hit in others for share in hit.signals.shares}
    assert "it or its type was used when injected" not in meanings
    gone = engine.usefulness.usefulness(namespace=ROOT, reset=True)
    assert (gone.reset, gone.weights, gone.offered) == (2, {}, 0)
    assert engine.counters.lifts(ROOT, [good, idle]) == {}
    engine.admin.undo(gone.batch)
    assert engine.usefulness.usefulness(namespace=ROOT).weights == report.weights


def test_what_a_project_taught_goes_with_it_at_once_and_comes_back_with_it(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RECOLLECT_EMBED_PROVIDER", "off")
    learnt(engine)
    shown = (OPERATIONS["memory_usefulness"], {}, ("--project", ROOT))
    weights = command_line(*shown)["weights"]
    assert weights
    batch = command_line(OPERATIONS["delete_namespace"], {}, (ROOT, "--yes"))["batch"]
    assert command_line(*shown)["weights"] == {}
    command_line(OPERATIONS["undo"], {}, (batch,))
    assert command_line(*shown)["weights"] == weights


@pytest.mark.parametrize("way", ["recall", "fast path"])
def test_what_is_never_used_must_fit_better_to_be_told(
    engine: Engine, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    good, idle = learnt(engine)
    assert engine.counters.lifts(ROOT, [idle])[idle].leaning < 0 < engine.counters.lifts(ROOT, [good])[good].leaning
    # How much better is a number; that it counts is to be seen here, so that it counts for more.
    monkeypatch.setattr(feedback, "leaning", lambda _kind, own: -10.0 if own < 0 else 0.0)
    raw = payloads.claude("UserPromptSubmit", prompt=ABOUT_BACKOFF)

    def answer(session: str) -> str:
        return (
            fast_answer(payloads.in_session(session, raw))
            if way == "fast path"
            else engine.presence.answer(payloads.in_session(session, raw))
        ) or ""

    contents = [engine.store.get(Memory, [each])[0].content for each in (good, idle)]
    told = answer("s-1")
    assert [content in told for content in contents] == [True, False]
    engine.usefulness.usefulness(namespace=ROOT, reset=True)
    told = answer("s-2")
    assert [content in told for content in contents] == [True, True]


def test_reset_gives_back_what_was_given_unless_somebody_gave_it_anew(engine: Engine) -> None:
    first, second = (
        decide(engine),
        decide(engine, "The bank throttles bursts of the payment client: `make check-burst`", amend=False),
    )
    prompt(engine, "s-1")
    take(engine, "s-1", payloads.ran("make check-bank", "ok", call="1"), stop())
    prompt(engine, "s-2")
    take(engine, "s-2", payloads.ran("make check-burst", "ok", call="1"), stop())
    assert confidence(engine, first) > 0.6 < confidence(engine, second)
    engine.memories.update(second, confidence=0.9)
    engine.usefulness.usefulness(reset=True)
    assert (confidence(engine, first), confidence(engine, second)) == (0.6, 0.9)


def test_an_unknown_memory_is_an_error(engine: Engine) -> None:
    with pytest.raises(MemoryNotFound):
        engine.usefulness.usefulness("nobody")


# --- what a person says ---


@pytest.mark.parametrize("fast", [False, True])
def test_a_memory_marked_as_useless_is_not_injected_until_it_is_used(
    engine: Engine, time: FrozenClock, home: Path, fast: bool
) -> None:
    memory = engine.memories.store(BACKOFF, namespace=ROOT, importance=0.9).memory
    raw = payloads.in_session("other", payloads.claude("UserPromptSubmit", prompt=ABOUT_BACKOFF))

    def answer() -> str | None:
        return fast_answer(raw, home=str(home)) if fast else engine.presence.preview(ABOUT_BACKOFF, namespace=ROOT).text

    assert engine.presence.preview(namespace=ROOT).lines[0].memory_id == memory.id
    report = engine.usefulness.usefulness(memory.id, useless=True)
    assert report.memories[0].told.endswith("(last: marked as useless); confidence 1.00 → 0.80")
    assert not answer()
    assert all(line.memory_id != memory.id for line in engine.presence.preview(namespace=ROOT).lines)
    assert [hit.memory.id for hit in engine.recall.search(ABOUT_BACKOFF, namespace=ROOT).hits] == [memory.id]
    engine.admin.undo(report.batch)
    assert memory.id in (row.memory_id for row in engine.presence.preview(namespace=ROOT).lines)
    assert "bank" in (answer() or "")


def test_useless_needs_a_memory(engine: Engine) -> None:
    with pytest.raises(InvalidInput):
        engine.usefulness.usefulness(useless=True)


def test_a_preview_is_what_a_session_gets_with_reasons_and_records_nothing(engine: Engine, time: FrozenClock) -> None:
    memory = engine.memories.store(BACKOFF, namespace=ROOT, importance=0.9).memory
    shown = engine.presence.preview(ABOUT_BACKOFF, namespace=ROOT)
    assert [line.memory_id for line in shown.lines] == [memory.id]
    assert "matches" in shown.lines[0].why
    assert engine.context.store.count(Injection) == 0
    start = engine.presence.preview(namespace=ROOT)
    assert start.lines[0].section == "Decisions and facts" and "importance 0.90" in start.lines[0].why
    assert prompt(engine, "s1") == shown.text
    time.advance(1)
    assert engine.sessions.get("s1").injected[0].memory_id == memory.id
    assert engine.sessions.get("s1").injected[0].tokens > 0
