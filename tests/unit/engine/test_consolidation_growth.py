"""How a store grows under cycles: one summary for a theme that goes on, and a log that forgets how memories faded."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.consolidations import DAY, THEME, importance, links, state, store_theme
from tests.fakes import FrozenClock, HashingEmbedder, ScriptedModel

from recollect import Engine
from recollect.engine.consolidation import plan_execution
from recollect.errors import NotFound
from recollect.model import Change, Edge, Memory


def summaries(engine: Engine) -> list[Memory]:
    return engine.store.find(Memory, {"source": "consolidation"}, order="seq")


def clustered(engine: Engine, count: int = 4) -> Memory:
    """Store a theme and sum it up; returns the summary."""
    store_theme(engine, count)
    engine.embedding.catch_up()
    engine.consolidation.cluster()
    engine.embedding.catch_up()
    return summaries(engine)[0]


@pytest.mark.promise("E22")
def test_what_comes_later_joins_the_summary_of_its_group_and_undo_takes_it_back(
    engine: Engine, frozen: FrozenClock
) -> None:
    first = clustered(engine)
    frozen.at += 30 * DAY
    later = [engine.memories.store(f"{THEME} in case {number}.", amend=False).memory for number in (7, 8)]
    engine.embedding.catch_up()
    before = state(engine)
    preview = engine.consolidation.cluster(preview=True)
    run = engine.consolidation.cluster()
    assert (preview.plan, [step.action for step in run.steps]) == (run.plan, ["extend"])
    assert run.steps[0].memory_ids == tuple(row.id for row in later)
    (summary,) = summaries(engine)
    assert summary.id == first.id
    assert summary.title == "6 memories about" + str(first.title).removeprefix("4 memories about")
    assert summary.metadata["members"] == 6
    assert {dst for src, _, dst in links(engine) if src == summary.id} >= {row.id for row in later}
    assert engine.consolidation.cluster().affected == 0
    engine.admin.undo(run.batch)
    assert state(engine) == before


def test_imported_history_gets_no_summaries(engine: Engine) -> None:
    for number in range(4):
        engine.memories.store(f"{THEME} in case {number}.", amend=False, metadata={"from": "changelog"})
    engine.embedding.catch_up()
    assert engine.consolidation.cluster().affected == 0


def test_a_year_of_one_theme_has_as_few_summaries_as_it_needs(engine: Engine, frozen: FrozenClock) -> None:
    for month in range(12):
        for number in range(3):
            engine.memories.store(f"{THEME} in case {month * 3 + number}.", amend=False)
        engine.embedding.catch_up()
        engine.consolidation.cluster()
        engine.embedding.catch_up()
        frozen.at += 30 * DAY
    found = summaries(engine)
    assert len(found) == 2  # 36 memories, 20 of a group at most
    assert sorted(row.metadata["members"] for row in found) == [16, 20]
    assert len([edge for edge in engine.store.find(Edge) if edge.relationship == "SUMMARIZES"]) == 36


@pytest.mark.parametrize("field", ["content", "title"])
def test_a_summary_that_somebody_has_changed_is_not_written_anew(
    engine: Engine, frozen: FrozenClock, field: str
) -> None:
    summary = clustered(engine)
    engine.memories.update(summary.id, **{field: "What we agreed on about rounding"})
    engine.memories.store(f"{THEME} in case 9.", amend=False)
    engine.embedding.catch_up()
    assert engine.consolidation.cluster().steps == ()
    assert getattr(engine.memories.get(summary.id), field) == "What we agreed on about rounding"


def test_a_summary_that_is_changed_while_it_is_extended_stays_as_it_was_changed(engine: Engine) -> None:
    summary = clustered(engine)
    joining = engine.memories.store(f"{THEME} in case 9.", amend=False).memory
    engine.embedding.catch_up()
    plan = engine.consolidation._cluster(None)
    engine.memories.update(summary.id, content="Somebody knew better")
    run = plan_execution.enter(engine.store, "cluster")
    assert run is not None
    assert plan_execution.apply(engine.store, plan, run, "consolidate_cluster") == (0, [])
    assert engine.memories.get(summary.id).content == "Somebody knew better"
    assert (summary.id, "SUMMARIZES", joining.id) not in links(engine)


def test_a_summary_of_before_groups_could_grow_is_extended_too(engine: Engine) -> None:
    summary = clustered(engine)
    with engine.store.transaction("test") as transaction:
        transaction.update(Memory, summary.id, {"metadata": {"members": 4}})
    engine.memories.store(f"{THEME} in case 9.", amend=False)
    engine.embedding.catch_up()
    assert [step.action for step in engine.consolidation.cluster().steps] == ["extend"]


def test_a_language_model_writes_a_summary_again_that_has_more_to_sum_up(
    open_engine: Callable[..., Engine], embedder: HashingEmbedder, frozen: FrozenClock
) -> None:
    model = ScriptedModel("The billing service rounds invoices with bankers rounding in all cases.")
    engine = open_engine(embedder=embedder, model=model, summaries="model")
    summary = clustered(engine)
    assert summary.content == model.says
    engine.memories.store(f"{THEME} in case 9.", amend=False)
    engine.embedding.catch_up()
    before = state(engine)
    model.says = "The billing service uses bankers rounding for invoices."
    run = engine.consolidation.cluster()
    assert [step.action for step in run.steps] == ["extend"]
    assert summaries(engine)[0].content == model.says
    engine.admin.undo(run.batch)
    assert state(engine) == before


# --- the log ---


@pytest.mark.promise("B7")
def test_fading_is_taken_back_exactly_for_three_months_and_then_leaves_the_log(
    engine: Engine, frozen: FrozenClock
) -> None:
    memory = engine.memories.store("The parser is written by hand", importance=0.8).memory
    frozen.at += 60 * DAY
    first = engine.consolidation.decay()
    before = state(engine)
    frozen.at += (plan_execution.KEPT_DAYS - 1) * DAY
    second = engine.consolidation.decay()
    assert engine.store.count(Change, {"batch": first.batch}) == 1
    frozen.at += 2 * DAY
    assert engine.consolidation.decay().steps == ()  # nothing fades, and old rows are dropped all the same
    assert engine.store.count(Change, {"batch": first.batch}) == 0
    with pytest.raises(NotFound):
        engine.admin.undo(first.batch)
    engine.admin.undo(second.batch)
    assert importance(engine, memory) == first.steps[0].after
    assert state(engine) == before


def test_what_people_and_other_cycles_changed_stays_in_the_log(engine: Engine, frozen: FrozenClock) -> None:
    members = store_theme(engine)
    engine.embedding.catch_up()
    engine.consolidation.cluster()
    engine.memories.update(members[0].id, importance=0.9)
    frozen.at += 60 * DAY
    kept = engine.store.count(Change)
    first = engine.consolidation.decay()
    frozen.at += 200 * DAY
    second = engine.consolidation.decay()
    assert engine.store.count(Change, {"batch": first.batch}) == 0
    assert engine.store.count(Change) == kept + engine.store.count(Change, {"batch": second.batch}) > kept
