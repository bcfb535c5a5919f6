"""The engine as a whole: nothing is lost on the way out and in again, and everything can be taken back."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recollect import Engine
from recollect.errors import NotFound, RecollectError
from recollect.model import MEMORY_TYPES, RELATIONS, SOURCES

NAMESPACES = ("/tmp/nowhere/app", "library", None)

text = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=40).filter(
    lambda value: bool(value.strip())
)
label = st.none() | text
ratio = st.floats(0, 1)
tags = st.lists(text.map(str.strip), max_size=3).map(tuple)
json_value = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False) | text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(text, inner, max_size=3),
    max_leaves=6,
)
memories = st.fixed_dictionaries(
    {"content": text},
    optional={
        "memory_type": st.sampled_from(MEMORY_TYPES),
        "tags": tags,
        "namespace": st.sampled_from(NAMESPACES),
        "importance": ratio,
        "confidence": ratio,
        "title": label,
        "category": label,
        "source": st.sampled_from(SOURCES),
        "metadata": st.dictionaries(text, json_value, max_size=3),
    },
)


@pytest.fixture
def make_engine(tmp_path_factory: pytest.TempPathFactory) -> Callable[[], Engine]:
    """Makes an engine on a new, empty store."""
    return lambda: Engine(home=str(tmp_path_factory.mktemp("engine")), embed_provider="off")


def exported(engine: Engine) -> str:
    content = engine.archive.export().content
    assert content is not None
    return content


def ids(engine: Engine) -> list[str]:
    return [memory.id for memory in engine.memories.list(limit=1000, order="oldest").memories]


# --- export and import ---


@pytest.mark.promise("E30", "E-export_memories", "E-import_memories")
@settings(max_examples=20)
@given(st.lists(memories, max_size=6), st.data())
def test_an_export_imported_elsewhere_exports_the_same(
    make_engine: Callable[[], Engine], given_memories: list[dict[str, Any]], data: st.DataObject
) -> None:
    with make_engine() as first, make_engine() as second:
        for arguments in given_memories:
            first.memories.store(**arguments)
        known = ids(first)
        for _ in range(data.draw(st.integers(0, 4)) if known else 0):
            one, other = data.draw(st.sampled_from(known)), data.draw(st.sampled_from(known))
            relation = data.draw(st.sampled_from(RELATIONS))
            first.memories.associate(one, other, relationship=relation, weight=data.draw(ratio))
        first.workspaces.init("library", name="The library")
        original = exported(first)
        imported = second.archive.import_(content=original)
        assert imported.created == original.count("\n") - 1
        assert exported(second) == original
        again = second.archive.import_(content=original)
        assert (again.created, again.known) == (0, imported.created)
        assert exported(second) == original
        assert second.admin.health(thorough=True).checks[0].status == "ok"


# --- deduplication ---


@pytest.mark.promise("E2")
@settings(max_examples=40)
@given(memories, memories)
def test_storing_the_same_content_again_gives_the_same_memory(
    make_engine: Callable[[], Engine], first: dict[str, Any], second: dict[str, Any]
) -> None:
    with make_engine() as engine:
        second = {**second, "content": first["content"], "namespace": first.get("namespace")}
        created = engine.memories.store(**first)
        merged = engine.memories.store(**second)
        assert (created.created, merged.created) == (True, False)
        assert merged.memory.id == created.memory.id
        assert set(merged.memory.tags) == {*first.get("tags", ()), *second.get("tags", ())}
        assert merged.memory.metadata == {**created.memory.metadata, **second.get("metadata", {})}
        assert merged.memory.importance == max(first.get("importance", 0.5), second.get("importance", 0.5))
        settled = exported(engine)
        third = engine.memories.store(**second)
        assert (third.created, third.merged) == (False, ())
        assert exported(engine) == settled


# --- undo ---

steps = st.lists(
    st.tuples(
        st.sampled_from(["store", "store", "store", "update", "delete", "associate", "import", "forget", "workspace"]),
        st.integers(0, 30),
        memories,
    ),
    max_size=12,
)


def take(engine: Engine, step: str, number: int, memory: dict[str, Any]) -> None:
    """Do one thing to the engine; that it may be refused does not matter here."""
    known = ids(engine)
    one = known[number % len(known)] if known else "nobody"
    other = known[-1 - number % len(known)] if known else "nobody"
    actions: dict[str, Callable[[], object]] = {
        # Few different contents, so that some are merged.
        "store": lambda: engine.memories.store(**{**memory, "content": f"content {number % 5}"}),
        "update": lambda: engine.memories.update(
            one, **{name: value for name, value in memory.items() if name not in ("source", "namespace")}
        ),
        "delete": lambda: engine.memories.delete(one),
        "associate": lambda: engine.memories.associate(one, other, weight=number / 30),
        "import": lambda: engine.archive.import_(
            content=json.dumps({"content": f"content {number % 7}", "tags": memory.get("tags", ())})
            + "\n"
            + json.dumps({"id": f"imported {number % 3}", "content": "with an id"})
        ),
        "forget": lambda: engine.namespaces.delete(("library", "-")[number % 2]),
        "workspace": lambda: engine.workspaces.init("library"),
    }
    try:
        actions[step]()
    except RecollectError as refusal:
        assert refusal.code == "MEMORY_NOT_FOUND"


@settings(max_examples=20)
@given(steps, steps)
def test_undoing_every_batch_backwards_restores_the_exact_earlier_state(
    make_engine: Callable[[], Engine], before: list[tuple[str, int, Any]], after: list[tuple[str, int, Any]]
) -> None:
    with make_engine() as engine:
        for step in before:
            take(engine, *step)
        earlier, seen = exported(engine), engine.admin.changes().total
        for step in after:
            take(engine, *step)
        changes = engine.admin.changes(limit=1000)
        later = changes.changes[: changes.total - seen]
        for batch in dict.fromkeys(change.batch for change in later):
            engine.admin.undo(batch)
        assert exported(engine) == earlier
        assert engine.admin.health(thorough=True).checks[0].status == "ok"


@settings(max_examples=20)
@given(steps)
def test_undo_without_a_batch_goes_back_step_by_step_to_the_very_beginning(
    make_engine: Callable[[], Engine], steps: list[tuple[str, int, Any]]
) -> None:
    with make_engine() as engine:
        states = [exported(engine)]
        for step in steps:
            take(engine, *step)
            if exported(engine) != states[-1]:
                states.append(exported(engine))
        while len(states) > 1:
            engine.admin.undo()
            if exported(engine) != states[-1]:
                states.pop()
                assert exported(engine) == states[-1]
        with pytest.raises(NotFound):
            for _ in steps:
                engine.admin.undo()
            engine.admin.undo()
