"""Cycles of consolidation: previewed, applied, logged, taken back; nothing that was stored is ever lost."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest
from tests.consolidations import DAY, THEME, importance, links, state, store_theme
from tests.fakes import FrozenClock, HashingEmbedder, ScriptedModel

from recollect import Engine, progress
from recollect.consolidate import decay
from recollect.engine.consolidation import consolidation_cycles, plan_execution
from recollect.engine.consolidation.schedule import EVERY_S, LOST_S, QUIET_LOOKS
from recollect.errors import BudgetSpent, Cancelled, Conflict, InvalidInput, MemoryNotFound
from recollect.model import Consolidation, Memory

# --- decay ---


@pytest.mark.promise("E22", "E-consolidate_decay")
def test_what_is_not_used_fades_and_what_is_used_comes_back(engine: Engine, frozen: FrozenClock) -> None:
    idle = engine.memories.store("The parser is written by hand", importance=0.8).memory
    used = engine.memories.store("Releases happen on Fridays", importance=0.8).memory
    frozen.at += 119 * DAY
    engine.memories.get(used.id)
    frozen.at += DAY
    run = engine.consolidation.decay()
    assert (run.applied, run.affected, run.considered) == (True, 1, 2)
    assert importance(engine, idle) == 0.42
    assert importance(engine, used) == 0.8
    engine.memories.get(idle.id)
    assert [step.action for step in engine.consolidation.decay().steps] == ["revive"]
    assert importance(engine, idle) == 0.8
    assert engine.store.get(Memory, [idle.id])[0].metadata == {}


def test_how_often_decay_runs_makes_no_difference(engine: Engine, frozen: FrozenClock) -> None:
    memory = engine.memories.store("The parser is written by hand", importance=0.9).memory
    writes = 0
    for _ in range(400):
        frozen.at += DAY
        writes += engine.consolidation.decay().affected
    assert importance(engine, memory) == pytest.approx(decay.faded(0.9, "context", 400, 30), abs=decay.LEAST_CHANGE)
    assert writes <= 18
    assert engine.consolidation.decay().affected == 0


def test_the_threshold_says_from_when_on_a_memory_fades(engine: Engine, frozen: FrozenClock) -> None:
    engine.memories.store("The parser is written by hand", importance=0.9)
    frozen.at += 60 * DAY
    assert engine.consolidation.decay(threshold_days=90, preview=True).affected == 0
    assert engine.consolidation.decay(threshold_days=7, preview=True).affected == 1


def test_what_is_pinned_stays_and_decisions_fade_more_slowly(engine: Engine, frozen: FrozenClock) -> None:
    pinned = engine.memories.store("Never push on Fridays", importance=0.9, tags=("pinned",)).memory
    decision = engine.memories.store("We chose SQLite", importance=0.9, memory_type="decision").memory
    context = engine.memories.store("The parser is in lib", importance=0.9).memory
    frozen.at += 365 * DAY
    run = engine.consolidation.decay()
    assert run.spared == {"pinned": 1}
    assert importance(engine, pinned) == 0.9
    assert importance(engine, decision) > 0.45 > importance(engine, context) >= decay.FLOOR


def test_what_was_judged_anew_fades_from_there(engine: Engine, frozen: FrozenClock) -> None:
    memory = engine.memories.store("The parser is written by hand", importance=0.9).memory
    frozen.at += 200 * DAY
    engine.consolidation.decay()
    engine.memories.update(memory.id, importance=0.6)
    assert engine.consolidation.decay().affected == 0
    frozen.at += 120 * DAY
    engine.consolidation.decay()
    assert importance(engine, memory) == decay.faded(0.6, "context", 120, 30)


def test_what_was_imported_from_long_ago_is_new_here(engine: Engine, frozen: FrozenClock) -> None:
    old = frozen.at - 2_000 * DAY
    row = f'{{"id": "m1", "content": "Decided in the past", "created_at": {old}, "last_accessed_at": {old}}}'
    engine.archive.import_(content=row)
    assert engine.consolidation.decay().affected == 0


# --- preview, plan, log, undo ---


@pytest.mark.promise("B7")
@pytest.mark.parametrize("cycle", ["decay", "creative", "cluster", "forget"])
def test_a_preview_changes_nothing_is_what_is_applied_and_can_be_taken_back(
    engine: Engine, frozen: FrozenClock, cycle: str
) -> None:
    store_theme(engine)
    engine.memories.store(f"{THEME}.", memory_type="decision", importance=0.01, amend=False)
    engine.embedding.catch_up()
    frozen.at += 200 * DAY
    before = state(engine)
    run = getattr(engine.consolidation, cycle)
    preview = run(preview=True)
    assert state(engine) == before
    assert engine.store.count(Consolidation) == 0
    applied = run(plan=preview.plan)
    assert applied.plan == preview.plan
    assert applied.affected == preview.affected > 0
    assert state(engine) != before
    (row,) = engine.store.find(Consolidation)
    assert (row.cycle_type, row.run_at, row.affected_count, row.batch) == (
        cycle, frozen.at, applied.affected, applied.batch,
    )  # fmt: skip
    assert run(preview=True).affected == 0
    assert engine.admin.undo().undone == applied.batch
    assert state(engine) == before
    assert engine.consolidation.decay(preview=True).plan == engine.consolidation.decay(preview=True).plan


def test_another_plan_than_the_one_that_was_seen_is_refused(engine: Engine, frozen: FrozenClock) -> None:
    engine.memories.store("The parser is written by hand", importance=0.8)
    frozen.at += 100 * DAY
    seen = engine.consolidation.decay(preview=True).plan
    frozen.at += 100 * DAY
    with pytest.raises(Conflict) as refused:
        engine.consolidation.decay(plan=seen)
    assert refused.value.details["plan"] == engine.consolidation.decay(preview=True).plan
    assert engine.store.count(Consolidation) == 0


def test_a_run_that_was_stopped_goes_on_where_it_was(
    engine: Engine, frozen: FrozenClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plan_execution, "STEPS", 3)
    for number in range(10):
        engine.memories.store(f"Statement {number} about nothing", importance=0.8, amend=False)
    frozen.at += 100 * DAY
    before = state(engine)

    def stop(done: int, _total: int | None, _message: str) -> None:
        if done == 6:
            raise Cancelled("enough")

    with progress.reporting_to(stop), pytest.raises(Cancelled):
        engine.consolidation.decay()
    status = engine.consolidation.status().cycles[0]
    assert (status.finished, status.last_affected) == (False, 6)
    rest = engine.consolidation.decay()
    assert rest.affected == 4
    engine.admin.undo(rest.batch)
    engine.admin.undo(status.last_batch)
    assert state(engine) == before


def test_a_memory_that_changed_since_it_was_planned_is_left_alone(engine: Engine, frozen: FrozenClock) -> None:
    memory = engine.memories.store("The parser is written by hand", importance=0.8).memory
    frozen.at += 100 * DAY
    plan = engine.consolidation._decay(None, 30)
    engine.memories.update(memory.id, importance=0.7)
    run = plan_execution.enter(engine.store, "decay")
    assert run is not None
    assert plan_execution.apply(engine.store, plan, run, "consolidate_decay") == (0, [])
    assert importance(engine, memory) == 0.7


# --- creative ---


@pytest.mark.promise("E22", "E-consolidate_creative")
def test_what_is_alike_across_types_is_linked_once(engine: Engine, frozen: FrozenClock) -> None:
    one = engine.memories.store(THEME, memory_type="decision", namespace="app").memory
    other = engine.memories.store(f"{THEME} too", memory_type="insight", namespace="app").memory
    engine.memories.store(f"{THEME} again", memory_type="insight", namespace="elsewhere")
    engine.memories.store("Coffee is made in the kitchen", memory_type="habit", namespace="app")
    run = engine.consolidation.creative()  # makes the vectors itself
    assert links(engine) == [(one.id, "SIMILAR_TO", other.id)]
    assert run.steps[0].why.startswith("decision and insight are similar")
    assert engine.consolidation.creative().affected == 0


def test_without_vectors_nothing_is_linked_and_the_answer_says_why(open_engine: Callable[..., Engine]) -> None:
    engine = open_engine(embed_provider="off", embedder=None)
    assert engine.consolidation.creative().notes == ()
    for memory_type in ("decision", "insight"):
        engine.memories.store(f"{THEME} {memory_type}", memory_type=memory_type)
    run = engine.consolidation.creative()
    assert (run.affected, run.notes) == (0, ("memories were not compared: embeddings are off",))


def test_memories_of_one_type_or_linked_already_are_not_linked(engine: Engine) -> None:
    one = engine.memories.store(THEME, memory_type="decision").memory
    other = engine.memories.store(f"{THEME} too", memory_type="insight").memory
    engine.memories.store(f"{THEME} again", memory_type="decision", amend=False)
    engine.memories.associate(other.id, one.id, relationship="EXPLAINS")
    engine.embedding.catch_up()
    engine.consolidation.creative()
    assert (other.id, "EXPLAINS", one.id) in links(engine)
    assert len(links(engine)) == 2


# --- cluster ---


@pytest.mark.promise("E22", "E-consolidate_cluster")
def test_a_group_gets_a_summary_in_its_own_words_that_leads_to_its_members(engine: Engine) -> None:
    members = store_theme(engine)
    engine.memories.store("Coffee is made in the kitchen")
    engine.embedding.catch_up()
    run = engine.consolidation.cluster()
    (made,) = engine.store.find(Memory, {"source": "consolidation"})
    assert links(engine) == sorted((made.id, "SUMMARIZES", member.id) for member in members)
    assert made.content == run.steps[0].content
    for line in made.content.splitlines()[1:]:
        assert any(line.removeprefix("- ") in member.content for member in members)
    assert (made.category, made.memory_type, made.tags) == ("summary", "insight", ("summary",))
    assert run.spared == {"alone": 1}
    assert engine.consolidation.cluster().affected == 0
    assert [row.content for row in engine.store.get(Memory, [row.id for row in members])] == [
        row.content for row in members
    ]


def test_a_summary_is_no_newer_version_of_what_it_sums_up(engine: Engine, frozen: FrozenClock) -> None:
    members = store_theme(engine)
    engine.embedding.catch_up()
    frozen.at += DAY
    engine.consolidation.cluster()
    engine.embedding.catch_up()
    for member in members:
        hits = engine.recall.search(member.content, limit=10, min_score=0).hits
        assert hits[0].memory.id == member.id
        assert "consolidation" in {hit.memory.source for hit in hits}
        assert {hit.superseded_by for hit in hits if hit.memory.source != "consolidation"} == {None}


def test_a_summary_stands_just_below_the_first_of_what_it_sums_up(engine: Engine) -> None:
    members = store_theme(engine)
    engine.embedding.catch_up()
    engine.consolidation.cluster()
    engine.embedding.catch_up()
    title = engine.store.find(Memory, {"source": "consolidation"})[0].title
    assert title is not None
    hits = engine.recall.search(title, limit=10, min_score=0).hits
    assert [hit.memory.source for hit in hits][:3] == ["user", "consolidation", "user"]
    assert hits[0].memory.id in {member.id for member in members}
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


def test_a_language_model_writes_the_summary_where_it_may(
    open_engine: Callable[..., Engine], embedder: HashingEmbedder, frozen: FrozenClock
) -> None:
    model = ScriptedModel("The billing service rounds invoices with bankers rounding in all cases.")
    engine = open_engine(embedder=embedder, model=model, summaries="model")
    store_theme(engine)
    engine.embedding.catch_up()
    before = state(engine)
    preview = engine.consolidation.cluster(preview=True)
    assert preview.notes == ("scripted/1 will rewrite the summaries",)
    assert model.asked == []
    run = engine.consolidation.cluster()
    assert run.plan == preview.plan
    (made,) = engine.store.find(Memory, {"source": "consolidation"})
    assert made.content == model.says
    assert run.notes[-1] == "scripted/1 wrote 1 of 1 summary"
    engine.admin.undo()
    assert state(engine) == before


@pytest.mark.parametrize(
    ("says", "failure", "note"),
    [
        ("See FantasyModule.invented_name for the rounding of invoices.", None, "names that are not in the notes"),
        ("", BudgetSpent("the budget is spent"), "stays extractive"),
    ],
)
def test_what_a_model_makes_up_or_does_not_say_leaves_the_extract(
    open_engine: Callable[..., Engine],
    embedder: HashingEmbedder,
    frozen: FrozenClock,
    says: str,
    failure: Exception | None,
    note: str,
) -> None:
    model = ScriptedModel(says)
    model.failure = failure
    engine = open_engine(embedder=embedder, model=model, summaries="model")
    store_theme(engine)
    engine.embedding.catch_up()
    run = engine.consolidation.cluster()
    (made,) = engine.store.find(Memory, {"source": "consolidation"})
    assert made.content == run.steps[0].content
    assert note in run.notes[-1]


# --- forget ---


@pytest.mark.promise("E22", "E-consolidate_forget")
def test_forgetting_archives_and_everything_archived_is_reached_and_restored(engine: Engine) -> None:
    noise = engine.memories.store("The build printed a warning about zlib", importance=0.05).memory
    engine.memories.store("The parser is written by hand", importance=0.5)
    run = engine.consolidation.forget(importance_threshold=0.1)
    assert (run.affected, [step.action for step in run.steps]) == (1, ["archive"])
    assert engine.recall.search("warning about zlib").hits == ()
    assert engine.recall.search("warning about zlib", archived=True).hits[0].memory.id == noise.id
    assert engine.memories.get(noise.id).content == noise.content
    assert [row.id for row in engine.memories.list(archived=True).memories] == [noise.id]
    assert noise.id not in [row.id for row in engine.memories.list(archived=False).memories]
    assert engine.consolidation.status().archived == 1
    restored = engine.consolidation.restore(noise.id)
    assert (restored.expires_at, restored.metadata) == (None, {})
    assert engine.recall.search("warning about zlib").hits[0].memory.id == noise.id
    assert engine.consolidation.restore(noise.id) == restored


def test_one_memory_is_archived_and_restored_by_request(engine: Engine) -> None:
    memory = engine.memories.store("The build printed a warning about zlib", importance=0.9).memory
    archived = engine.consolidation.archive(memory.id)
    assert engine.consolidation.archive(memory.id) == archived
    assert engine.recall.search("warning about zlib").hits == ()
    restored = engine.consolidation.restore(memory.id)
    assert (restored.expires_at, restored.metadata) == (None, {})
    assert engine.recall.search("warning about zlib").hits[0].memory.id == memory.id


def test_what_is_pinned_or_in_use_is_spared(engine: Engine) -> None:
    engine.memories.store("Never push on Fridays", importance=0.05, metadata={"pinned": True})
    used = engine.memories.store("The build printed a warning", importance=0.05).memory
    engine.memories.get(used.id)
    run = engine.consolidation.forget(importance_threshold=0.9)
    assert (run.affected, run.spared) == (0, {"pinned": 1, "in use": 1})


def test_what_is_archived_does_not_crowd_out_what_is_not(engine: Engine) -> None:
    for number in range(80):
        engine.memories.store(f"zlib warning {number} zlib", importance=0.05, amend=False)
    kept = engine.memories.store("A zlib update came with the long list of other libraries this spring").memory
    engine.consolidation.forget()
    assert [hit.memory.id for hit in engine.recall.search("zlib", min_score=0).hits] == [kept.id]


def test_restoring_what_is_not_there_says_so(engine: Engine) -> None:
    with pytest.raises(MemoryNotFound):
        engine.consolidation.restore("nobody")


# --- all together, and by themselves ---


def test_without_apply_nothing_is_done_and_forgetting_has_to_be_named(engine: Engine, frozen: FrozenClock) -> None:
    engine.memories.store("The parser is written by hand", importance=0.05)
    frozen.at += 100 * DAY
    before = state(engine)
    shown = engine.consolidation.consolidate()
    assert [(run.cycle, run.applied) for run in shown.cycles] == [
        ("decay", False), ("creative", False), ("cluster", False),
    ]  # fmt: skip
    assert state(engine) == before
    applied = engine.consolidation.consolidate(cycle=("forget",), apply=True, status=True)
    assert [(run.cycle, run.affected) for run in applied.cycles] == [("forget", 1)]
    assert applied.status == engine.consolidation.status()
    with pytest.raises(InvalidInput):
        engine.consolidation.consolidate(preview=True, apply=True)


@pytest.mark.promise("E22", "E-consolidation_status")
def test_the_status_tells_the_last_run_of_each_cycle_and_the_next(engine: Engine, frozen: FrozenClock) -> None:
    engine.memories.store("The parser is written by hand", importance=0.8)
    began = frozen.at
    status = engine.consolidation.status()
    assert [row.cycle for row in status.cycles] == ["decay", "creative", "cluster", "forget"]
    assert [row.due_at for row in status.cycles] == [began + DAY, began + 7 * DAY, began + 30 * DAY, None]
    assert all(row.last_run_at is None for row in status.cycles)
    frozen.at += 100 * DAY
    run = engine.consolidation.decay()
    row = engine.consolidation.status().cycles[0]
    assert (row.runs, row.last_run_at, row.last_affected, row.last_batch) == (1, frozen.at, 1, run.batch)
    assert row.due_at == frozen.at + DAY
    assert "last runs: decay today" in health(engine)


def health(engine: Engine) -> str:
    return next(row.detail for row in engine.admin.health().checks if row.name == "consolidation")


def test_due_cycles_run_once_however_many_servers_there_are(
    open_engine: Callable[..., Engine], engine: Engine, frozen: FrozenClock
) -> None:
    engine.memories.store("The parser is written by hand", importance=0.8)
    assert engine.consolidation.schedule.run_due() == ()
    frozen.at += 31 * DAY
    engines = [engine, *(open_engine(embedder=HashingEmbedder()) for _ in range(3))]
    ran: list[str] = []
    together = threading.Barrier(len(engines))

    def serve(one: Engine) -> None:
        together.wait()
        ran.extend(one.consolidation.schedule.run_due())

    threads = [threading.Thread(target=serve, args=(one,)) for one in engines]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(ran) == ["cluster", "creative", "decay"]
    assert engine.store.count(Consolidation) == 3
    frozen.at += DAY
    assert engine.consolidation.schedule.run_due() == ("decay",)


def test_forgetting_never_runs_by_itself(engine: Engine, frozen: FrozenClock) -> None:
    engine.memories.store("The build printed a warning", importance=0.01)
    for _ in range(40):
        frozen.at += 30 * DAY
        assert "forget" not in engine.consolidation.schedule.run_due()
    assert engine.consolidation.status().archived == 0


def test_what_ran_by_itself_is_not_the_last_thing_somebody_did(engine: Engine, frozen: FrozenClock) -> None:
    memory = engine.memories.store("The parser is written by hand", importance=0.8).memory
    frozen.at += 100 * DAY
    assert "decay" in engine.consolidation.schedule.run_due()
    with pytest.raises(Conflict):
        engine.admin.undo()  # the storing, which the cycle has built on: nothing else was asked for
    engine.admin.undo(engine.consolidation.status().cycles[0].last_batch)
    assert importance(engine, memory) == 0.8


def test_a_cycle_that_was_taken_back_is_left_alone_until_it_is_asked_for(engine: Engine, frozen: FrozenClock) -> None:
    engine.memories.store("The parser is written by hand", importance=0.8)
    frozen.at += 100 * DAY
    engine.consolidation.schedule.run_due()
    undone = engine.admin.undo(engine.consolidation.status().cycles[0].last_batch)
    assert engine.consolidation.status().cycles[0].undone
    assert "undone by the user, so not repeated: decay" in health(engine)
    frozen.at += 10 * DAY
    assert "decay" not in engine.consolidation.schedule.run_due()
    engine.admin.undo(undone.batch)
    assert not engine.consolidation.status().cycles[0].undone
    assert "decay" in engine.consolidation.schedule.run_due()


def test_a_run_that_was_lost_is_begun_again_soon(engine: Engine, frozen: FrozenClock) -> None:
    engine.memories.store("The parser is written by hand", importance=0.8)
    frozen.at += 31 * DAY
    lost = plan_execution.enter(engine.store, "cluster", every_s=EVERY_S["cluster"], lost_s=LOST_S)
    assert lost is not None
    assert "cluster" not in engine.consolidation.schedule.run_due()
    frozen.at += LOST_S
    assert "cluster" in engine.consolidation.schedule.run_due()


def test_a_server_waits_until_nothing_was_written_for_a_while(engine: Engine) -> None:
    engine.memories.store("The parser is written by hand")
    looks = [engine.consolidation.schedule.is_idle() for _ in range(QUIET_LOOKS + 1)]
    assert looks == [False] * QUIET_LOOKS + [True]
    engine.memories.store("Another one")
    assert not engine.consolidation.schedule.is_idle()


def test_a_server_runs_cycles_only_where_the_setting_lets_it(open_engine: Callable[..., Engine]) -> None:
    engine = open_engine(consolidate=False, embed_provider="off")
    engine.start_background()
    assert not engine.consolidation.schedule.running
    assert not engine.consolidation.status().automatic
    assert "on request" in health(engine)
    other = open_engine(embed_provider="off")
    other.start_background()
    assert other.consolidation.status().running


def test_the_operations_and_the_cycles_have_the_same_thresholds() -> None:
    assert (consolidation_cycles.THRESHOLD_DAYS, consolidation_cycles.IMPORTANCE_THRESHOLD) == (
        decay.THRESHOLD_DAYS, decay.IMPORTANCE_THRESHOLD,
    )  # fmt: skip
