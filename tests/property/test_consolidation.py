"""Whatever cycles run in whatever order: a plan is what is done, all of it can be taken back, and nothing is lost."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.fakes import FrozenClock, HashingEmbedder

from recollect import Engine, clock
from recollect.engine.consolidation.plan_execution import KEPT_DAYS
from recollect.model import (
    Anchor,
    Consolidated,
    Edge,
    Memory,
    MemoryType,
    Node,
    Session,
    Workspace,
)

DAY = 86_400
WORDS = "parser token grammar invoice rounding currency deploy rollback registry cache eviction memory".split()

contents = st.lists(st.sampled_from(WORDS), min_size=2, max_size=5).map(" ".join)
memories = st.lists(
    st.tuples(
        contents,
        st.sampled_from(("decision", "insight", "context", "habit")),
        st.sampled_from((0.02, 0.2, 0.5, 0.9)),
        st.sampled_from(("app", "lib")),
    ),
    min_size=1,
    max_size=14,
)
cycle = st.sampled_from(("decay", "creative", "cluster", "forget"))
doing = st.one_of(
    cycle.map(lambda name: ("run", name)),
    st.integers(1, 200).map(lambda days: ("wait", days)),
    st.integers(0, 13).map(lambda place: ("read", place)),
    contents.map(lambda content: ("store", content)),
)


@pytest.fixture
def make_engine(tmp_path_factory: pytest.TempPathFactory) -> Callable[[bool], Engine]:
    """Makes an engine on a new, empty store, with vectors or without."""

    def make(vectors: bool) -> Engine:
        options: dict[str, Any] = {"embedder": HashingEmbedder()} if vectors else {"embed_provider": "off"}
        return Engine(home=str(tmp_path_factory.mktemp("consolidation")), **options)

    return make


def tables(engine: Engine) -> dict[str, list[dict[str, Any]]]:
    """Every row that is kept, without the numbers of the log, statistics and what is derived."""
    volatile = {"rev", "centrality", "payload"}
    return {
        kind.__name__: [
            {name: getattr(row, name) for name in row.__struct_fields__ if name not in volatile}
            for row in engine.store.find(kind, order="id")
        ]
        for kind in (Memory, Node, Edge, Anchor, Session, Workspace)
    }


def run(engine: Engine, name: str, **options: Any) -> Consolidated:
    answer: Consolidated = getattr(engine.consolidation, name)(limit=1000, **options)
    return answer


def reached(engine: Engine, stored: list[Memory]) -> None:
    """Fail unless every memory says what it said, and is found, itself or what replaced or archived it allows."""
    now = {row.id: row for row in engine.store.get(Memory, [memory.id for memory in stored])}
    for memory in stored:
        assert now[memory.id].content == memory.content
        hits = engine.recall.search(
            memory.content, limit=50, namespace=memory.namespace, min_score=0.0, archived=True
        ).hits
        assert memory.id in {name for hit in hits for name in (hit.memory.id, *hit.folded)}


@pytest.mark.promise("E22", "B7")
@settings(max_examples=25)
@given(rows=memories, steps=st.lists(doing, max_size=8), vectors=st.booleans())
def test_no_sequence_of_cycles_loses_a_memory(
    make_engine: Callable[[bool], Engine], rows: list[tuple[str, MemoryType, float, str]], steps: Any, vectors: bool
) -> None:
    frozen = FrozenClock()
    with pytest.MonkeyPatch.context() as patch, make_engine(vectors) as engine:
        patch.setattr(clock, "now", frozen)
        stored = [
            engine.memories.store(content, memory_type=kind, importance=importance, namespace=namespace).memory
            for content, kind, importance, namespace in rows
        ]
        for what, value in steps:
            if what == "wait":
                frozen.at += value * DAY
            elif what == "read":
                engine.memories.get(stored[value % len(stored)].id)
            elif what == "store":
                stored.append(engine.memories.store(value, namespace="app").memory)
            else:
                engine.embedding.catch_up()
                preview = run(engine, value, preview=True)
                applied = run(engine, value)
                assert (applied.plan, applied.steps, applied.affected) == (
                    preview.plan, preview.steps, preview.affected,
                )  # fmt: skip
                assert run(engine, value, preview=True).affected == 0 or value == "cluster"
        reached(engine, stored)


@pytest.mark.promise("B7")
@settings(max_examples=25)
@given(rows=memories, cycles=st.lists(st.tuples(cycle, st.integers(0, KEPT_DAYS // 6)), min_size=1, max_size=6))
def test_undoing_backwards_restores_every_state_to_the_letter(
    make_engine: Callable[[bool], Engine],
    rows: list[tuple[str, MemoryType, float, str]],
    cycles: list[tuple[str, int]],
) -> None:
    frozen = FrozenClock()
    with pytest.MonkeyPatch.context() as patch, make_engine(True) as engine:
        patch.setattr(clock, "now", frozen)
        for content, kind, importance, namespace in rows:
            engine.memories.store(content, memory_type=kind, importance=importance, namespace=namespace)
        states: list[tuple[str, Any]] = []
        for name, days in cycles:
            frozen.at += days * DAY
            before = tables(engine)
            states.append((run(engine, name).batch, before))
        for batch, before in reversed(states):
            if batch:
                engine.admin.undo(batch)
            assert tables(engine) == before


@pytest.mark.promise("E22")
def test_a_year_of_scheduled_cycles_keeps_everything_findable_and_the_log_small(
    make_engine: Callable[[bool], Engine], monkeypatch: pytest.MonkeyPatch
) -> None:
    frozen = FrozenClock()
    monkeypatch.setattr(clock, "now", frozen)
    with make_engine(False) as engine:
        stored = [
            engine.memories.store(
                f"The {WORDS[number % 12]} of module {number} calls {WORDS[number * 5 % 12]} in step {number * 7}",
                namespace="app",
                memory_type=("decision", "insight", "context")[number % 3],
                amend=False,
            ).memory
            for number in range(40)
        ]

        def firsts() -> list[str]:
            return [engine.recall.search(row.content, namespace="app").hits[0].memory.id for row in stored]

        before, changes = firsts(), engine.admin.changes().total
        for _ in range(365):
            frozen.at += DAY
            engine.consolidation.schedule.run_due()
        assert firsts() == before
        assert engine.admin.changes().total - changes <= 8 * len(stored)
        reached(engine, stored)
