"""Evolution: coding memories learn from each other, can be brought back, and are never harder to find afterwards."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

import pytest
from tests.coding import FIBONACCI, FIBONACCI_DP
from tests.fakes import FrozenClock, ScriptedModel

from recollect import Engine
from recollect.engine.consolidation.schedule import LOST_S
from recollect.engine.memory.snippet_analysis import snippet_of
from recollect.engine.snippets.evolution import OPERATION, SCHEDULED, SnippetEvolution, Wanted
from recollect.engine.snippets.snippets import Kept
from recollect.errors import Cancelled, InvalidInput, ModelFailed
from recollect.model import Edge, Memory
from recollect.model.coding import Evolution

OpenEngine = Callable[..., Engine]

LANGUAGES: tuple[tuple[str, str], ...] = (
    ("javascript", "function hammingDistance(a, b) {\n  return count(a, b);\n}"),
    ("go", "func HammingDistance(a string, b string) int {\n\treturn count(a, b)\n}"),
    ("rust", "fn hamming_distance(a: &str, b: &str) -> usize {\n    count(a, b)\n}"),
)
SAID = "Hamming distance: positions that differ"
NOTHING = json.dumps({"notes": [], "links": []})


@pytest.fixture
def engine(open_engine: OpenEngine, frozen: FrozenClock) -> Engine:
    return open_engine(embed_provider="off")


def hamming(engine: Engine) -> None:
    """Store one problem in four languages; only one of them says what it is."""
    engine.coding.store("def hamming_distance(a, b):\n    return 1", workspace_id="app", context=SAID)
    for language, content in LANGUAGES:
        engine.coding.store(content, workspace_id="app", code_type=language)


def unlinked(engine: Engine) -> None:
    """Take away the links, as if memories had been imported."""
    with engine.store.transaction("test") as transaction:
        transaction.delete(Edge, {"relationship": ("SIMILAR_TO", "SHARES_THEME", "RELATES_TO", "LEADS_TO")})


def state(engine: Engine) -> tuple[list[tuple[object, ...]], list[tuple[object, ...]]]:
    """Return what evolution may change."""
    memories = [(row.id, row.title, row.tags, row.metadata, row.updated_at) for row in engine.store.find(Memory)]
    links = [(row.id, row.src, row.dst, row.weight, row.properties) for row in engine.store.find(Edge)]
    return memories, links


def found(engine: Engine, memories: Sequence[Memory]) -> float:
    return engine.snippet_evolution.found_by_own_words([Kept(row, snippet_of(row)) for row in memories])


@pytest.mark.promise("M-evolve_memory_network", "M2")
def test_links_are_created_and_strengthened_and_contexts_and_tags_are_refined(engine: Engine) -> None:
    hamming(engine)
    unlinked(engine)
    told = engine.coding.evolve(scope="project", project_path="app")
    assert told.memories_analyzed == 4
    assert told.links_created == len(engine.store.find(Edge)) >= 3
    again = engine.coding.evolve(scope="project", project_path="app")
    assert again.links_created == 0
    assert told.links_strengthened + again.links_strengthened >= 1
    assert told.contexts_updated + again.contexts_updated >= 1
    assert told.memories_evolved == 4
    titles = {row.title for row in engine.store.find(Memory)}
    assert f"{SAID} (go)" in titles
    assert SAID in titles


def test_tags_are_taken_over_from_most_neighbours(engine: Engine) -> None:
    hamming(engine)
    rows = engine.store.find(Memory)
    for row in rows[1:]:
        engine.memories.update(row.id, tags=(*row.tags, "genetics"))
    engine.coding.evolve()
    assert "genetics" in engine.memories.get(rows[0].id).tags
    assert "go" not in engine.memories.get(rows[0].id).tags


def test_evolution_comes_to_rest(engine: Engine) -> None:
    hamming(engine)
    for _ in range(3):
        engine.coding.evolve()
    before = state(engine)
    told = engine.coding.evolve()
    assert (told.memories_evolved, told.links_created, told.links_strengthened, told.contexts_updated) == (0, 0, 0, 0)
    assert state(engine) == before


@pytest.mark.promise("M2")
def test_an_evolution_is_one_batch_and_can_be_taken_back(engine: Engine, frozen: FrozenClock) -> None:
    hamming(engine)
    unlinked(engine)
    before = state(engine)
    frozen.advance(60)
    engine.coding.evolve()
    assert state(engine) != before
    changes = [row for row in engine.admin.changes(limit=1000).changes if row.operation == OPERATION]
    (batch,) = {row.batch for row in changes}
    engine.admin.undo(batch)
    assert state(engine) == before


@pytest.mark.promise("M2")
def test_a_model_is_asked_about_ten_at_a_time(open_engine: OpenEngine) -> None:
    model = ScriptedModel(NOTHING)
    engine = open_engine(embed_provider="off", model=model)
    for number in range(25):
        engine.coding.store(f"value_{number} = {number}", workspace_id="app", code_type="python")
    model.asked.clear()
    assert engine.coding.evolve().memories_analyzed == 25
    assert [prompt.count("\nkeywords: ") for prompt in model.asked] == [10, 10, 5]


@pytest.mark.parametrize("is_gated", [True, False])
def test_what_would_make_a_memory_harder_to_find_is_not_applied(
    open_engine: OpenEngine, monkeypatch: pytest.MonkeyPatch, is_gated: bool
) -> None:
    notes = [{"n": number, "context": "nightly ledger closing ledger closing", "tags": []} for number in range(1, 11)]
    model = ScriptedModel(lambda prompt: json.dumps({"notes": notes, "links": []}) if "<notes>" in prompt else "no")
    engine = open_engine(embed_provider="off", model=model)
    engine.coding.store("def shut():\n    return 1", workspace_id="app", context="nightly ledger closing")
    for name in ("apple", "berry", "cedar", "daisy", "elder", "fennel", "ginger"):
        engine.coding.store(f"def {name}():\n    return 2", workspace_id="app", code_type="python")
    rows = engine.store.find(Memory)
    level = found(engine, rows)
    if not is_gated:
        monkeypatch.setattr(SnippetEvolution, "found_by_own_words", lambda *given: 0)
    told = engine.coding.evolve()
    assert ("harder to find" in " ".join(told.notes)) == is_gated
    assert (found(engine, rows) >= level) == is_gated


def test_what_a_model_proposes_is_taken_over_and_what_it_makes_up_is_not(open_engine: OpenEngine) -> None:
    links = [
        {"a": 1, "b": 2, "type": "progression"},
        {"a": 1, "b": 9, "type": "solution"},
        {"a": 1, "b": 2, "type": "x"},
    ]
    notes = [{"n": 1, "context": "calls the made_up_function twice", "tags": ["maths"]}, "garbage", {"n": "one"}]
    model = ScriptedModel(lambda prompt: json.dumps({"notes": notes, "links": links}) if "<notes>" in prompt else "no")
    engine = open_engine(embed_provider="off", model=model)
    for each in (FIBONACCI, FIBONACCI_DP):
        engine.coding.store(**each)
    unlinked(engine)
    told = engine.coding.evolve()
    assert told.links_created == 1
    assert any("maths" in row.tags for row in engine.store.find(Memory))
    assert not any("made_up_function" in (row.title or "") for row in engine.store.find(Memory))


@pytest.mark.parametrize("answer", ["", "no JSON", '{"notes": 3}'])
def test_rules_replace_an_unusable_answer_and_a_note_says_so(open_engine: OpenEngine, answer: str) -> None:
    engine = open_engine(embed_provider="off", model=ScriptedModel(answer))
    hamming(engine)
    unlinked(engine)
    told = engine.coding.evolve()
    assert told.links_created >= 3
    assert "built-in rules" in " ".join(told.notes)
    with pytest.raises(ModelFailed):
        engine.coding.evolve(strict=True)


def test_scopes_choose_what_evolves(engine: Engine, frozen: FrozenClock) -> None:
    for number in range(4):
        frozen.advance(60)
        engine.coding.store(f"value_{number} = {number}", workspace_id=f"w{number % 2}", code_type="python")
    engine.memories.store("no code at all")

    def analysed(**options: object) -> Evolution:
        return engine.coding.evolve(**options)  # type: ignore[arg-type]

    assert analysed().memories_analyzed == 4
    assert analysed(max_memories=3).memories_analyzed == 3
    assert analysed(scope="project", project_path="w1").memories_analyzed == 2
    assert analysed(scope="all", max_memories=3).memories_analyzed == 3
    for trigger in ("scheduled", "event"):
        assert analysed(trigger_type=trigger).memories_analyzed == 4
    with pytest.raises(InvalidInput):
        analysed(scope="project")


def test_all_of_them_have_their_turn(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(5):
        engine.coding.store(f"value_{number} = {number}", workspace_id="app", code_type="python")
    seen: list[str] = []
    chosen = SnippetEvolution._chosen
    monkeypatch.setattr(SnippetEvolution, "_chosen", lambda *given: seen.extend(rows := chosen(*given)) or rows)
    for _ in range(3):
        engine.coding.evolve(scope="all", max_memories=2)
    assert len(set(seen)) == 5


def test_an_edited_title_stays(engine: Engine) -> None:
    hamming(engine)
    last = engine.store.find(Memory)[-1]
    engine.memories.update(last.id, title="My own words")
    engine.coding.evolve()
    assert engine.memories.get(last.id).title == "My own words"


# --- by schedule ---

WEEK = 7 * 86_400


def test_nothing_evolves_by_itself_unless_the_setting_allows_it(engine: Engine, frozen: FrozenClock) -> None:
    hamming(engine)
    unlinked(engine)
    before = state(engine)
    frozen.at += 8 * WEEK
    assert "evolve" not in engine.consolidation.schedule.run_due()
    assert [row for row in state(engine)[1] if row[4].get("link_type")] == []  # type: ignore[attr-defined]
    assert [row[:3] for row in state(engine)[0]] == [row[:3] for row in before[0]]
    assert engine.consolidation.status().evolution is None


@pytest.mark.promise("M-evolve_memory_network")
def test_where_it_may_a_server_lets_memories_evolve_weekly_and_the_status_tells(
    open_engine: OpenEngine, frozen: FrozenClock
) -> None:
    engine = open_engine(embed_provider="off", evolve=True, consolidate=False)
    began = frozen.at
    hamming(engine)
    unlinked(engine)
    before = state(engine)
    waiting = engine.consolidation.status().evolution
    assert waiting is not None
    assert (waiting.cycle, waiting.runs, waiting.due_at) == ("evolve", 0, began + WEEK)
    frozen.at += WEEK
    assert engine.consolidation.schedule.run_due() == ("evolve",)
    assert engine.consolidation.schedule.run_due() == ()
    status = engine.consolidation.status().evolution
    assert status is not None
    assert (status.runs, status.last_run_at, status.finished, status.due_at) == (1, frozen.at, True, frozen.at + WEEK)
    assert status.last_affected == 4 and status.last_batch
    check = next(row for row in engine.admin.health().checks if row.name == "consolidation")
    assert "evolve today" in check.detail
    # Nobody who takes back the last change means what was done by itself; whoever names it takes it back for good.
    assert {change.operation for change in engine.admin.changes(batch=status.last_batch).changes} == {SCHEDULED}
    engine.admin.undo(status.last_batch)
    assert state(engine) == before
    frozen.at += 10 * WEEK
    assert engine.consolidation.schedule.run_due() == ()
    undone = engine.consolidation.status().evolution
    assert undone is not None and undone.undone and undone.due_at is None


def test_one_of_several_servers_lets_memories_evolve(open_engine: OpenEngine, frozen: FrozenClock) -> None:
    engines = [open_engine(embed_provider="off", evolve=True, consolidate=False) for _ in range(3)]
    hamming(engines[0])
    frozen.at += WEEK
    assert [engine.consolidation.schedule.run_due() for engine in engines] == [("evolve",), (), ()]


def test_a_stopped_evolution_resumes_where_it_was(
    open_engine: OpenEngine, frozen: FrozenClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = open_engine(embed_provider="off", evolve=True, consolidate=False)
    for number in range(15):
        engine.coding.store(f"def step_{number}_of_import():\n    return {number}", workspace_id="app")
    frozen.at += WEEK
    looked: list[int] = []
    plan = SnippetEvolution._plan
    monkeypatch.setattr(SnippetEvolution, "_plan", lambda *words: looked.append(len(words[1])) or plan(*words))  # type: ignore[func-returns-value]
    monkeypatch.setattr(type(engine.consolidation.schedule), "stopping", property(lambda _: len(looked) == 1))
    with pytest.raises(Cancelled):
        engine.consolidation.schedule.run_due()
    status = engine.consolidation.status().evolution
    assert status is not None and not status.finished
    frozen.at += LOST_S
    looked.clear()
    first_left = engine.store.find(Memory, order="seq")[10].id
    chosen = engine.snippet_evolution._chosen(Wanted("scheduled", "all", 200, None))
    assert chosen[0] == first_left
