"""A session is summed up by rules, and told by a language model where one is wanted and able."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests import payloads
from tests.fakes import FrozenClock, ScriptedModel

from recollect import Engine
from recollect.engine.sessions.session_state import SILENT_S, SUMMARISED_AFTER_S
from recollect.errors import ModelFailed
from recollect.model import Memory, Session, Summed

OpenEngine = Callable[..., Engine]

TOLD = "The tax in price.py was raised from 19 to 20, as was asked for. Nothing is left open."


@pytest.fixture
def model() -> ScriptedModel:
    return ScriptedModel(TOLD)


@pytest.fixture
def engine(open_engine: OpenEngine, model: ScriptedModel, frozen: FrozenClock) -> Engine:
    return open_engine(model=model, embed_provider="off", summaries="model")


def work(engine: Engine, *more: bytes) -> None:
    """Let a session happen: a wish, a change, and more."""
    engine.capture.put(payloads.claude("UserPromptSubmit", prompt="Raise the tax, please"))
    engine.capture.put(payloads.edited("TAX = 19", "TAX = 20"))
    for each in more:
        engine.capture.put(each)
    engine.capture.drain()


def end() -> bytes:
    return payloads.claude("SessionEnd", reason="exit")


def insight(engine: Engine) -> Memory:
    (memory,) = engine.store.find(Memory, {"memory_type": "insight"})
    return memory


def summed(engine: Engine) -> Summed:
    return engine.sessions.summarize("c-1")


@pytest.mark.promise("E24")
def test_without_the_wish_rules_sum_up_and_say_so(open_engine: OpenEngine, model: ScriptedModel) -> None:
    engine = open_engine(model=model, embed_provider="off")
    work(engine, end())
    answer = summed(engine)
    assert answer.memory is not None and answer.memory.metadata["summary_by"] == "rules"
    assert "Raise the tax, please" in answer.memory.content and answer.notes == ()
    assert model.asked == [] and engine.llm_jobs.waiting() == {}


@pytest.mark.promise("E24")
def test_asked_for_a_summary_the_model_writes_it_into_the_same_insight(engine: Engine, model: ScriptedModel) -> None:
    work(engine)
    answer = summed(engine)
    assert answer.memory == insight(engine) and answer.notes == ()
    assert answer.memory is not None
    head, _, text = answer.memory.content.partition("\n")
    assert head.startswith("Session of ") and "Raise the tax" in head and text == TOLD
    assert answer.memory.metadata["summary_by"] == model.model_id
    assert answer.session.summary == TOLD and answer.session.insight_id == answer.memory.id
    (asked,) = model.asked
    assert "Raise the tax, please" in asked and "price.py" in asked


def test_as_long_as_nothing_new_happens_the_model_is_asked_once_and_rules_do_not_write_over_it(
    engine: Engine, model: ScriptedModel, frozen: FrozenClock
) -> None:
    work(engine, end())
    summed(engine)
    before = insight(engine)
    frozen.at += 60
    assert summed(engine).memory == before and len(model.asked) == 1
    frozen.at += SUMMARISED_AFTER_S
    assert engine.llm_jobs.run() == {} and engine.llm_jobs.waiting() == {}
    assert insight(engine) == before and len(model.asked) == 1


def test_what_happens_later_is_told_by_rules_at_once_and_by_the_model_anew(
    engine: Engine, model: ScriptedModel, frozen: FrozenClock
) -> None:
    work(engine, end())
    summed(engine)
    frozen.at += 120
    engine.capture.put(payloads.ran("make release"))
    engine.capture.put(end())
    engine.capture.drain()
    assert insight(engine).metadata["summary_by"] == "rules" and "make release" in insight(engine).content
    model.says = "The tax in price.py was raised to 20, then `make release` was run."
    assert summed(engine).session.summary == model.says
    assert insight(engine).metadata["summary_by"] == model.model_id


def test_a_session_is_told_in_the_background_once_it_has_been_quiet(
    engine: Engine, model: ScriptedModel, frozen: FrozenClock
) -> None:
    work(engine, payloads.claude("Stop"))
    assert engine.llm_jobs.waiting() == {"summarise": 1}
    frozen.at += SUMMARISED_AFTER_S - 1
    assert engine.llm_jobs.run() == {} and model.asked == []
    engine.capture.put(payloads.ran("make release"))
    engine.capture.put(payloads.claude("Stop"))
    engine.capture.drain()
    frozen.at += SUMMARISED_AFTER_S - 1  # a turn ended: it waits anew
    assert engine.llm_jobs.run() == {} and model.asked == []
    frozen.at += 1
    assert engine.llm_jobs.run() == {"summarise": 1}
    assert insight(engine).metadata["summary_by"] == model.model_id


def test_a_session_that_was_never_heard_of_again_is_told_too(
    engine: Engine, model: ScriptedModel, frozen: FrozenClock
) -> None:
    work(engine)
    (session,) = engine.store.find(Session)
    frozen.at = session.seen_at + SILENT_S + 10
    engine.session_updates.close_silent()
    assert engine.llm_jobs.run() == {"summarise": 1}
    assert insight(engine).metadata["summary_by"] == model.model_id


@pytest.mark.parametrize(
    ("says", "why"),
    [
        ("", "no text"),
        ("Fine.", "too short"),
        ("They changed made_up.py, and then went on to something quite different.", "made_up.py"),
    ],
)
def test_an_answer_of_no_use_leaves_the_rules_with_a_note(
    engine: Engine, model: ScriptedModel, says: str, why: str
) -> None:
    model.says = says
    work(engine)
    answer = summed(engine)
    assert answer.memory is not None and answer.memory.metadata["summary_by"] == "rules"
    (note,) = answer.notes
    assert note.startswith("summarized by built-in rules: ") and why in note


def test_a_model_that_fails_or_gives_its_prompt_back_leaves_the_rules_with_a_note(
    engine: Engine, model: ScriptedModel
) -> None:
    model.says = lambda prompt: prompt
    work(engine)
    assert "repeats the prompt" in summed(engine).notes[0]
    model.failure = ModelFailed("nobody answers")
    answer = summed(engine)
    assert answer.notes == ("summarized by built-in rules: nobody answers",)
    assert "Raise the tax, please" in (answer.session.summary or "")


def test_a_spent_budget_leaves_the_rules_with_a_note(open_engine: OpenEngine, model: ScriptedModel) -> None:
    engine = open_engine(model=model, embed_provider="off", summaries="model", llm_max_calls_per_day=0)
    work(engine)
    answer = summed(engine)
    assert "calls" in answer.notes[0] and answer.memory is not None
    assert answer.memory.metadata["summary_by"] == "rules"


def test_without_a_model_the_wish_for_one_is_answered_by_rules_with_a_note(open_engine: OpenEngine) -> None:
    engine = open_engine(embed_provider="off", summaries="model")
    work(engine)
    answer = summed(engine)
    assert answer.notes == ("summarized by built-in rules: no language model is configured",)
    assert answer.memory is not None and "Raise the tax" in answer.memory.content


def test_settings_that_cannot_work_are_a_note_too(open_engine: OpenEngine) -> None:
    engine = open_engine(embed_provider="off", summaries="model", llm_provider="ollama", llm_url="nowhere")
    work(engine)
    assert "address" in summed(engine).notes[0]
    assert engine.llm_jobs.run() == {}


def test_a_session_without_anything_to_say_is_not_asked_about(engine: Engine, model: ScriptedModel) -> None:
    engine.capture.put(payloads.claude("SessionStart", source="startup"))
    engine.capture.drain()
    answer = summed(engine)
    assert answer.memory is None and model.asked == []


def test_undo_brings_back_the_summary_by_rules(engine: Engine) -> None:
    work(engine)
    summed(engine)
    batch = next(row.batch for row in engine.admin.changes(limit=50).changes if row.operation == "retell_session")
    engine.admin.undo(batch)
    assert insight(engine).metadata["summary_by"] == "rules" and "Raise the tax, please" in insight(engine).content
