"""The language model behind its budget: counted, bounded, left alone after failures, and never needed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.fakes import FrozenClock, ScriptedModel

from recollect import Engine
from recollect.engine.models.llm import FIRST_PAUSE_S, LONGEST_PAUSE_S
from recollect.errors import BudgetSpent, ConfigError, ModelFailed, StoreUnwritable
from recollect.model import Spending
from recollect.providers.provider_protocol import Completion

DAY = 86_400
OpenEngine = Callable[..., Engine]


@pytest.fixture
def model() -> ScriptedModel:
    return ScriptedModel("Because.")


@pytest.fixture
def asking(open_engine: OpenEngine, model: ScriptedModel, frozen: FrozenClock) -> Engine:
    """An engine with a language model, on a frozen clock."""
    return open_engine(model=model, embed_provider="off")


def spent(engine: Engine) -> Spending:
    found = engine.llm.spending()
    assert found is not None
    return found


def fail(engine: Engine, model: ScriptedModel, problem: Exception | None = None) -> ModelFailed:
    """Let the model fail once and return what comes of it."""
    model.failure = problem or ModelFailed("nobody answers")
    with pytest.raises(ModelFailed) as caught:
        engine.llm.complete("Why?", max_tokens=5)
    model.failure = None
    return caught.value


# --- without a model ---


def test_without_configuration_there_is_no_model_and_nothing_is_counted(open_engine: OpenEngine) -> None:
    engine = open_engine(embed_provider="off")
    assert engine.llm.model is None and engine.llm.model_id == ""
    with pytest.raises(ModelFailed) as caught:
        engine.llm.complete("Why?", max_tokens=5)
    assert "llm_provider" in caught.value.hint
    assert engine.llm.spending() is None and engine.admin.stats().language_model is None


def test_a_configured_model_is_opened_by_its_settings(open_engine: OpenEngine) -> None:
    engine = open_engine(embed_provider="off", llm_provider="ollama", llm_model="tiny")
    assert engine.llm.model_id == "ollama/tiny"
    assert spent(engine).calls == 0


def test_invalid_settings_are_reported_and_break_nothing_else(open_engine: OpenEngine) -> None:
    engine = open_engine(embed_provider="off", llm_provider="ollama", llm_url="nowhere")
    with pytest.raises(ConfigError):
        engine.llm.complete("Why?", max_tokens=5)
    engine.memories.store("x")
    assert "address" in spent(engine).last_failure
    check = next(row for row in engine.admin.health().checks if row.name == "language model")
    assert (check.status, check.detail[:11]) == ("degraded", "BAD_SETTING")


# --- counting ---


def test_every_call_is_counted_with_the_tokens_its_provider_names(asking: Engine, model: ScriptedModel) -> None:
    assert asking.llm.complete("Why?", max_tokens=100) == "Because."
    assert (spent(asking).calls, spent(asking).failures) == (1, 0)
    estimated = spent(asking).tokens
    assert 0 < estimated < 20
    model.says = lambda _: Completion("Because.", tokens=1234)
    said = asking.llm.complete("Why?", max_tokens=5)
    assert type(said) is str
    assert (spent(asking).calls, spent(asking).tokens) == (2, estimated + 1234)


def test_what_was_spent_is_seen_by_other_processes_and_after_a_restart(asking: Engine, open_engine: OpenEngine) -> None:
    asking.llm.complete("Why?", max_tokens=100)
    other = open_engine(embed_provider="off")
    assert spent(other).model == ""
    assert (spent(other).calls, spent(other).tokens) == (1, spent(asking).tokens)
    asking.close()
    again = open_engine(model=ScriptedModel("So."), embed_provider="off")
    again.llm.complete("Why?", max_tokens=100)
    assert spent(again).calls == 2


def test_the_models_of_a_store_share_one_budget_and_one_record(asking: Engine, open_engine: OpenEngine) -> None:
    other = open_engine(model=ScriptedModel("So.", model_id="scripted/2"), embed_provider="off")
    for engine in (asking, other):
        engine.llm.complete("Why?", max_tokens=5)
    assert spent(asking).calls == spent(other).calls == 2


def test_counting_restarts_at_midnight_utc(asking: Engine, frozen: FrozenClock) -> None:
    frozen.at = DAY * 20_000 - 1
    asking.llm.complete("Why?", max_tokens=5)
    assert (spent(asking).day, spent(asking).calls) == ("2024-10-03", 1)
    frozen.advance(1)
    assert (spent(asking).day, spent(asking).calls) == ("2024-10-04", 0)


def test_counting_is_no_change_of_the_memory(asking: Engine) -> None:
    before = (asking.store.generation(), asking.archive.export().content)
    asking.llm.complete("Why?", max_tokens=5)
    assert (asking.store.generation(), asking.archive.export().content) == before
    assert asking.admin.changes().total == 0


def test_where_nothing_can_be_counted_nothing_is_asked(
    asking: Engine, model: ScriptedModel, home: Path, open_engine: OpenEngine
) -> None:
    asking.memories.store("x")
    asking.close()
    reading = open_engine(model=model, embed_provider="off")
    reading.store.describe()
    reading.store._dialect._read_only = True  # type: ignore[attr-defined] # as root, no file is read-only
    with pytest.raises(StoreUnwritable):
        reading.llm.complete("Why?", max_tokens=5)
    assert model.asked == []


# --- the budget ---


def test_no_call_is_made_beyond_the_calls_of_a_day(
    open_engine: OpenEngine, model: ScriptedModel, frozen: FrozenClock
) -> None:
    engine = open_engine(model=model, embed_provider="off", llm_max_calls_per_day=2)
    for _ in range(2):
        engine.llm.complete("Why?", max_tokens=5)
    with pytest.raises(BudgetSpent) as caught:
        engine.llm.complete("Why?", max_tokens=5)
    error = caught.value
    assert (error.code, error.retryable, len(model.asked)) == ("BUDGET_SPENT", False, 2)
    assert error.details == {"budget": "calls", "spent": 2, "allowed": 2}
    assert "llm_max_calls_per_day" in error.hint
    frozen.advance(DAY)
    assert engine.llm.complete("Why?", max_tokens=5) == "Because."


def test_no_call_is_made_that_might_exceed_the_tokens_of_a_day(
    open_engine: OpenEngine, model: ScriptedModel, frozen: FrozenClock
) -> None:
    engine = open_engine(model=model, embed_provider="off", llm_max_tokens_per_day=100)
    with pytest.raises(BudgetSpent) as caught:
        engine.llm.complete("Why?", max_tokens=100)
    assert caught.value.details["budget"] == "tokens" and model.asked == []
    # What was reserved and not used is given back: many short answers fit.
    for _ in range(8):
        engine.llm.complete("Why?", max_tokens=50)
    assert spent(engine).tokens <= 100


def test_a_budget_of_nothing_means_no_call(open_engine: OpenEngine, model: ScriptedModel) -> None:
    engine = open_engine(model=model, embed_provider="off", llm_max_calls_per_day=0)
    with pytest.raises(BudgetSpent):
        engine.llm.complete("Why?", max_tokens=5)
    assert model.asked == []


def test_a_spent_budget_is_shown(open_engine: OpenEngine, model: ScriptedModel, frozen: FrozenClock) -> None:
    engine = open_engine(model=model, embed_provider="off", llm_max_calls_per_day=1)
    engine.llm.complete("Why?", max_tokens=5)
    check = next(row for row in engine.admin.health().checks if row.name == "language model")
    assert check.status == "degraded" and "used up" in check.detail and "llm_max_calls_per_day" in check.mend
    assert engine.admin.stats().language_model == spent(engine)
    assert (spent(engine).max_calls, spent(engine).max_tokens) == (1, 1_000_000)


# --- failures ---


def test_a_model_that_failed_is_left_alone_for_a_while_that_grows(
    asking: Engine, model: ScriptedModel, frozen: FrozenClock
) -> None:
    pause = FIRST_PAUSE_S
    for _ in range(10):
        fail(asking, model)
        assert spent(asking).paused_s == pause
        asked = len(model.asked)
        with pytest.raises(ModelFailed, match="paused") as caught:
            asking.llm.complete("Why?", max_tokens=5)
        assert "nobody answers" in caught.value.message and len(model.asked) == asked
        frozen.advance(pause)
        pause = min(2 * pause, LONGEST_PAUSE_S)
    assert asking.llm.complete("Why?", max_tokens=5) == "Because."
    assert (spent(asking).paused_s, spent(asking).failures, spent(asking).last_failure) == (0, 10, "")
    fail(asking, model)
    assert spent(asking).paused_s == FIRST_PAUSE_S


def test_the_pause_holds_for_every_process_and_health_tells_it(
    asking: Engine, model: ScriptedModel, open_engine: OpenEngine
) -> None:
    fail(asking, model)
    other = open_engine(model=model, embed_provider="off")
    with pytest.raises(ModelFailed, match="paused"):
        other.llm.complete("Why?", max_tokens=5)
    check = next(row for row in other.admin.health().checks if row.name == "language model")
    assert check.status == "degraded"
    for told in (f"paused for {FIRST_PAUSE_S} s", "nobody answers", "1 call", "1 failure"):
        assert told in check.detail
    assert len(model.asked) == 1  # health itself asks nothing


def test_another_model_is_not_paused_with_it(asking: Engine, model: ScriptedModel, open_engine: OpenEngine) -> None:
    fail(asking, model)
    other = open_engine(model=ScriptedModel("So.", model_id="scripted/2"), embed_provider="off")
    assert other.llm.complete("Why?", max_tokens=5) == "So."


@pytest.mark.parametrize("status", [400, 413, 422])
def test_a_refused_prompt_does_not_pause_the_model(asking: Engine, model: ScriptedModel, status: int) -> None:
    fail(asking, model, ModelFailed("too long", status=status))
    assert (spent(asking).paused_s, spent(asking).failures) == (0, 1)
    assert asking.llm.complete("Why?", max_tokens=5) == "Because."


@pytest.mark.parametrize(
    ("problem", "costs"),
    [
        (ModelFailed("time-out"), True),
        (ModelFailed("no text", tokens=77), True),
        (ModelFailed("too many requests", status=429), False),
        (ModelFailed("broken", status=500), False),
        (RuntimeError("a defect in there"), True),
        (MemoryError(), True),
    ],
    ids=lambda value: str(value) or "memory",
)
def test_a_failed_call_is_counted_and_costs_what_it_may_have_cost(
    asking: Engine, model: ScriptedModel, problem: Exception, costs: bool
) -> None:
    error = fail(asking, model, problem)
    assert error.code == "LLM_ERROR" and error.hint
    found = spent(asking)
    assert (found.calls, found.failures) == (1, 1)
    assert (found.tokens > 0) == costs
    assert found.tokens == getattr(problem, "details", {}).get("tokens", found.tokens)


@pytest.mark.parametrize("said", ["", "  \n", None, 7])
def test_what_is_no_text_is_a_failure(asking: Engine, model: ScriptedModel, said: Any) -> None:
    model.says = lambda _: said
    with pytest.raises(ModelFailed, match="returned no text"):
        asking.llm.complete("Why?", max_tokens=5)
    assert spent(asking).failures == 1


def test_an_answer_that_was_paid_for_is_not_lost_with_the_ledger(asking: Engine, model: ScriptedModel) -> None:
    def close(_: str) -> str:
        asking.close()
        return "Because."

    model.says = close
    assert asking.llm.complete("Why?", max_tokens=5) == "Because."


# --- more than one ---


def test_the_model_that_shortens_observations_is_counted_and_watched_like_the_other(
    open_engine: OpenEngine, model: ScriptedModel, frozen: FrozenClock
) -> None:
    engine = open_engine(model=model, embed_provider="off", compress_provider="ollama", compress_url="nowhere")
    check = next(row for row in engine.admin.health().checks if row.name == "language model")
    assert check.status == "degraded" and "BAD_SETTING" in check.detail and model.model_id in check.detail
    other = open_engine(model=model, embed_provider="off", compress_provider="ollama")
    other.llm.complete("Why?", max_tokens=5)
    shown = other.admin.spending()
    assert [spent.model for spent in shown.today] == [model.model_id, "ollama/llama3.2"]
    assert {spent.calls for spent in shown.today} == {1}  # one budget for all


@pytest.mark.parametrize("wish", [{"judge": True}, {"summaries": "model"}, {"compress_provider": "llm"}], ids=str)
def test_health_reports_a_wanted_model_that_is_not_configured(open_engine: OpenEngine, wish: dict[str, Any]) -> None:
    engine = open_engine(embed_provider="off", **wish)
    check = next(row for row in engine.admin.health().checks if row.name == "language model")
    assert check.status == "degraded" and next(iter(wish)) in check.detail and "llm_provider" in check.mend


def test_what_was_spent_is_shown_for_each_of_the_last_days(asking: Engine, frozen: FrozenClock) -> None:
    assert asking.admin.spending().days == ()
    for _ in range(3):
        asking.llm.complete("Why?", max_tokens=5)
        frozen.at += DAY
    days = [row.day for row in asking.admin.spending().days]
    assert days == sorted(days, reverse=True) and len(days) == 3
    assert len(asking.admin.spending(days=3).days) == 2  # today nothing was asked
    assert [row.calls for row in asking.admin.spending(days=366).days] == [1, 1, 1]


def test_no_secret_is_sent_to_the_model(asking: Engine, model: ScriptedModel) -> None:
    asking.llm.complete("Is ghp_0123456789abcdefABCDEF0123456789abcd a key?", max_tokens=5)
    assert "ghp_" not in model.asked[0] and "a key?" in model.asked[0]
