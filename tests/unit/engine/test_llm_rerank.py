"""The judge at the end of a search: only where it is wanted, only better, and the same question only once."""

from __future__ import annotations

import threading
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from tests.fakes import FrozenClock, HashingEmbedder, ScriptedModel
from tests.waiting import PATIENCE_S

from recollect import Engine, progress
from recollect.engine.retrieval import rerank
from recollect.errors import Cancelled, ModelFailed
from recollect.model import Judgement, Recall

OpenEngine = Callable[..., Engine]

FRUIT = ("Apples are a red fruit", "A pear is a green fruit", "The fruit bowl is on the table", "Plums are blue fruit")


def likes(word: str) -> Callable[[str], str]:
    """Return a model's answers where every memory with a word is relevant, and no other."""

    def says(prompt: str) -> str:
        memory = prompt.partition("Memory: ")[2].partition("\n")[0]
        return "Score: 0.95\nReason: names it" if word in memory else "Score: 0.1\nReason: does not"

    return says


@pytest.fixture
def model() -> ScriptedModel:
    return ScriptedModel(likes("pear"))


@pytest.fixture
def opened(open_engine: OpenEngine, model: ScriptedModel, embedder: HashingEmbedder) -> Callable[..., Engine]:
    """Opens an engine with the model on the home of this test."""

    def open_one(**options: Any) -> Engine:
        return open_engine(**{"model": model, "embedder": embedder, **options})

    return open_one


@pytest.fixture
def engine(opened: Callable[..., Engine], frozen: FrozenClock) -> Engine:
    made = opened()
    for text in FRUIT:
        made.memories.store(text)
        frozen.advance(1)
    return made


def contents(found: Recall) -> list[str]:
    return [hit.memory.content for hit in found.hits]


def wait_for_judges() -> None:
    """Wait until no thread of a judge is left."""
    for thread in threading.enumerate():
        if thread.name.startswith("recollect-judge"):
            thread.join(PATIENCE_S)


# --- when it judges ---


def test_nothing_is_judged_unless_it_is_wanted(engine: Engine, model: ScriptedModel) -> None:
    for found in (engine.recall.search("fruit"), engine.recall.search("fruit", judge=False)):
        assert all(hit.judged is None for hit in found.hits)
    engine.recall.pack("fruit")
    assert model.asked == []


def test_the_setting_wants_it_and_a_call_may_say_otherwise(
    engine: Engine, opened: Callable[..., Engine], model: ScriptedModel
) -> None:
    wanting = opened(judge=True)
    assert all(hit.judged is None for hit in wanting.recall.search("fruit", judge=False).hits)
    wanting.recall.pack("fruit")  # what is put before an assistant never waits for a model
    assert model.asked == []
    assert contents(wanting.recall.search("fruit"))[0] == FRUIT[1]
    assert len(model.asked) == len(FRUIT)


def test_without_a_model_the_answer_is_the_usual_one_and_says_so(open_engine: OpenEngine, engine: Engine) -> None:
    plain = open_engine(embedder=HashingEmbedder())
    usual = plain.recall.search("fruit")
    judged = plain.recall.search("fruit", judge=True)
    assert judged.hits == usual.hits
    assert judged.notes == (*usual.notes, "not re-ranked by the language model: no language model is configured")


# --- what it does ---


def test_the_order_is_that_of_the_model_with_its_reasons(engine: Engine, model: ScriptedModel) -> None:
    usual = {hit.memory.id: hit.score for hit in engine.recall.search("fruit").hits}
    found = engine.recall.search("fruit", judge=True)
    assert contents(found)[0] == FRUIT[1]
    best = found.hits[0]
    assert best.judged is not None
    assert (best.score, best.judged.score, best.judged.reason, best.judged.model) == (
        0.95, 0.95, "names it", "scripted/1",
    )  # fmt: skip
    assert best.judged.replaced == usual[best.memory.id]
    assert {hit.score for hit in found.hits[1:]} == {0.1}
    assert found.notes == ()
    assert all(prompt.startswith("Context: fruit\n\nMemory: ") for prompt in model.asked)


def test_the_least_relevance_is_that_of_the_judge(engine: Engine) -> None:
    assert contents(engine.recall.search("fruit", judge=True, min_score=0.5)) == [FRUIT[1]]


def test_what_the_search_alone_would_not_have_shown_can_be_the_best(engine: Engine) -> None:
    alone = contents(engine.recall.search("fruit", limit=1))
    engine.llm.model.says = likes(next(text for text in FRUIT if text not in alone))  # type: ignore[union-attr]
    (best,) = contents(engine.recall.search("fruit", limit=1, judge=True))
    assert [best] != alone


def test_only_the_best_are_judged(opened: Callable[..., Engine], engine: Engine, model: ScriptedModel) -> None:
    usual = engine.recall.search("fruit").hits
    found = opened(judge_candidates=2).recall.search("fruit", judge=True)
    assert len(model.asked) == 2
    judged = {hit.memory.id for hit in found.hits if hit.judged}
    assert judged == {hit.memory.id for hit in usual[:2]}
    assert len(found.hits) == len(usual)


def test_what_replaces_another_stays_above_it(engine: Engine, frozen: FrozenClock, model: ScriptedModel) -> None:
    old = engine.memories.store("We pick fruit on Fridays, said the pear farmer").memory
    frozen.advance(60)
    new = engine.memories.store("We pick fruit on Mondays now", supersedes=old.id).memory
    scores = {hit.memory.id: hit.score for hit in engine.recall.search("when do we pick fruit", judge=True).hits}
    assert scores[new.id] == scores[old.id] == 0.95  # though the model sees no pear in the new one
    assert list(scores).index(new.id) < list(scores).index(old.id)


# --- the cache ---


def test_the_same_question_costs_nothing_a_second_time_also_after_a_restart(
    engine: Engine, opened: Callable[..., Engine], model: ScriptedModel
) -> None:
    first = engine.recall.search("fruit", judge=True)
    assert len(model.asked) == len(FRUIT)
    assert engine.recall.search("fruit", judge=True) == first
    engine.close()
    assert opened().recall.search("fruit", judge=True).hits == first.hits
    assert len(model.asked) == len(FRUIT)


def test_another_question_memory_or_model_is_judged_again(
    engine: Engine, opened: Callable[..., Engine], model: ScriptedModel
) -> None:
    engine.recall.search("fruit", judge=True)
    model.asked.clear()
    engine.recall.search("which fruit", judge=True)
    assert len(model.asked) == len(FRUIT)
    changed = engine.recall.search("fruit").hits[0].memory
    engine.memories.update(changed.id, content="Quinces are yellow fruit")
    model.asked.clear()
    engine.recall.search("fruit", judge=True)
    assert len(model.asked) == 1 and "Quinces" in model.asked[0]
    other = ScriptedModel(likes("plum"), model_id="scripted/2")
    opened(model=other).recall.search("fruit", judge=True)
    assert len(other.asked) == len(FRUIT)


def test_the_cache_stays_within_its_size_and_forgets_the_oldest(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, frozen: FrozenClock, model: ScriptedModel
) -> None:
    monkeypatch.setattr(rerank, "MAX_KEPT", 6)
    for question in ("fruit", "which fruit", "fruit on a table"):
        frozen.advance(1)
        engine.recall.search(question, judge=True)
        assert engine.store.count(Judgement) <= 6
    model.asked.clear()
    engine.recall.search("fruit on a table", judge=True)
    assert model.asked == []
    engine.recall.search("fruit", judge=True)
    assert len(model.asked) == len(FRUIT)


def test_judgements_are_kept_without_the_words_that_were_judged(engine: Engine) -> None:
    engine.recall.search("fruit", judge=True)
    rows = engine.store.find(Judgement)
    assert len(rows) == len(FRUIT)
    assert not any(word in repr(rows) for word in ("Apples", "pear", "table", "fruit"))


# --- failures ---


def same_as_without(engine: Engine, **options: Any) -> tuple[str, ...]:
    """Hold that an answer is what it would have been without a judge, and return what it says besides."""
    usual = engine.recall.search("fruit", **options)
    found = engine.recall.search("fruit", judge=True, **options)
    assert found.hits == usual.hits
    assert found.notes[: len(usual.notes)] == usual.notes
    return found.notes[len(usual.notes) :]


@pytest.mark.parametrize("options", [{}, {"limit": 2}, {"min_score": 0.3}], ids=["usual", "few", "relevant"])
def test_if_the_model_fails_the_search_order_is_kept(engine: Engine, model: ScriptedModel, options: Any) -> None:
    model.failure = ModelFailed("nobody answers")
    (note,) = same_as_without(engine, **options)
    assert note == "not re-ranked by the language model: nobody answers"


def test_if_the_model_fails_midway_the_search_order_and_the_verdicts_are_kept(
    opened: Callable[..., Engine], engine: Engine, model: ScriptedModel, frozen: FrozenClock
) -> None:
    says = likes("pear")

    def fail_third(prompt: str) -> str:
        if len(model.asked) == 3:
            raise ModelFailed("gone in the middle")
        return says(prompt)

    model.says = fail_third
    engine = opened(judge_batch_size=1)
    assert same_as_without(engine) == ("not re-ranked by the language model: gone in the middle",)
    assert len(model.asked) == 3
    frozen.advance(60)
    engine.recall.search("fruit", judge=True)
    assert len(model.asked) == len(FRUIT) + 1


def test_a_dead_model_is_asked_once_not_for_every_search(engine: Engine, model: ScriptedModel) -> None:
    model.failure = ModelFailed("nobody answers")
    for _ in range(10):
        engine.recall.search("fruit", judge=True)
    wait_for_judges()
    assert len(model.asked) <= len(FRUIT)


def test_a_defect_in_the_model_costs_nothing_but_the_judgement(engine: Engine, model: ScriptedModel) -> None:
    model.failure = RuntimeError("a defect")
    (note,) = same_as_without(engine)
    assert "RuntimeError" in note


def test_what_is_not_scored_keeps_its_own_relevance(engine: Engine, model: ScriptedModel) -> None:
    says = likes("pear")
    model.says = lambda prompt: "I cannot say." if "Apples" in prompt else says(prompt)
    usual = {hit.memory.content: hit.score for hit in engine.recall.search("fruit").hits}
    found = engine.recall.search("fruit", judge=True)
    assert found.notes == ("scripted/1 scored only 3 of 4 memories; the others keep their search score",)
    apples = next(hit for hit in found.hits if hit.memory.content == FRUIT[0])
    assert (apples.judged, apples.score) == (None, usual[FRUIT[0]])
    scores = [hit.score for hit in found.hits]
    assert scores == sorted(scores, reverse=True)
    assert sum(hit.judged is not None for hit in found.hits) == 3


@pytest.mark.parametrize(
    "says", [lambda prompt: prompt, lambda _: "Score: NaN", lambda _: "nonsense"], ids=["echo", "nan", "nonsense"]
)
def test_a_model_that_never_gives_a_score_changes_nothing(
    engine: Engine, model: ScriptedModel, says: Callable[[str], str]
) -> None:
    model.says = says
    (note,) = same_as_without(engine)
    assert note == "not re-ranked by the language model: scripted/1 returned no score for 4 memories"


def test_a_prompt_that_is_refused_concerns_its_memory_alone(engine: Engine, model: ScriptedModel) -> None:
    says = likes("pear")

    def refuse(prompt: str) -> str:
        if "Apples" in prompt:
            raise ModelFailed("not allowed", status=400)
        return says(prompt)

    model.says = refuse
    assert "3 of 4" in engine.recall.search("fruit", judge=True).notes[0]


@pytest.mark.parametrize("budget", [{"llm_max_calls_per_day": 3}, {"llm_max_tokens_per_day": 600}])
def test_what_the_budget_does_not_cover_is_not_begun(
    opened: Callable[..., Engine], engine: Engine, model: ScriptedModel, budget: dict[str, int]
) -> None:
    (note,) = same_as_without(opened(**budget))
    assert "budget exceeded" in note and model.asked == []


def test_a_search_does_not_wait_longer_than_its_deadline_and_late_judgements_are_kept(
    opened: Callable[..., Engine], engine: Engine, model: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    go, says = threading.Event(), likes("pear")

    def wait(prompt: str) -> str:
        go.wait(PATIENCE_S)
        return says(prompt)

    model.says = wait
    # The deadline passes once every memory is being judged.
    passing = SimpleNamespace(monotonic=lambda: float(len(model.asked) == len(FRUIT)))
    monkeypatch.setattr(rerank, "time", passing)
    hurried = opened(judge_deadline_s=0.1)
    assert same_as_without(hurried) == (
        "not re-ranked by the language model: timeout: 0 of 4 memories scored within 0.1 s",
    )
    go.set()
    wait_for_judges()
    assert hurried.store.count(Judgement) == len(FRUIT)
    asked = len(model.asked)
    assert contents(opened().recall.search("fruit", judge=True))[0] == FRUIT[1]
    assert len(model.asked) == asked


def test_an_engine_closes_while_its_judge_waits(
    opened: Callable[..., Engine], engine: Engine, model: ScriptedModel
) -> None:
    go = threading.Event()
    model.says = lambda prompt: "Score: 1" if go.wait(PATIENCE_S) else ""
    hurried = opened(judge_deadline_s=0.1)
    hurried.recall.search("fruit", judge=True)
    hurried.close()
    go.set()
    wait_for_judges()
    assert engine.store.check(thorough=True) == []


@pytest.mark.parametrize("size", [1, 3])
def test_no_more_are_judged_at_a_time_than_the_settings_say(
    opened: Callable[..., Engine], engine: Engine, model: ScriptedModel, size: int
) -> None:
    lock, together = threading.Lock(), threading.Barrier(size)
    inside: set[int] = set()
    most = 0

    def count(prompt: str) -> str:
        nonlocal most
        with lock:
            inside.add(threading.get_ident())
            most = max(most, len(inside))
            first = len(model.asked) <= size
        if first:
            together.wait(PATIENCE_S)  # so many really are asked at the same time
        with lock:
            inside.discard(threading.get_ident())
        return "Score: 0.5"

    model.says = count
    found = opened(judge_batch_size=size, judge_deadline_s=PATIENCE_S).recall.search("fruit", judge=True)
    assert all(hit.judged for hit in found.hits)
    assert most == size


def test_a_waiting_caller_gets_progress_and_can_cancel(engine: Engine) -> None:
    engine.embedding.catch_up()
    heard: list[tuple[int, int | None, str]] = []
    with progress.reporting_to(lambda *row: heard.append(row)):
        engine.recall.search("fruit", judge=True)
    assert list(dict.fromkeys(heard)) == [(done, len(FRUIT), "scoring") for done in range(len(FRUIT))]

    def withdraw(*_: Any) -> None:
        raise Cancelled("nobody wants it any more")

    with progress.reporting_to(withdraw), pytest.raises(Cancelled):
        engine.recall.search("another question about fruit", judge=True)
