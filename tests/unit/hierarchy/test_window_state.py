"""Concurrent changes of a window: none is lost."""

from __future__ import annotations

import msgspec
import pytest

from recollect import Engine
from recollect.engine.memory.library_state import Documents
from recollect.errors import Conflict, StoreCorrupt
from recollect.hierarchy import MemoryManager
from recollect.hierarchy.file_forms import text_item
from recollect.hierarchy.window_state import MAX_EVENTS, State, WindowStore, archive, put


@pytest.fixture
def documents(engine: Engine) -> Documents:
    return Documents(engine.store, "app")


def one_more(state: State) -> State:
    return msgspec.structs.replace(state, queries=state.queries + 1)


@pytest.mark.promise("H1")
def test_a_change_is_retried_after_a_concurrent_one(documents: Documents) -> None:
    window, other = WindowStore(documents), WindowStore(documents)
    disturbed = []

    def step(state: State) -> State:
        if not disturbed:
            disturbed.append(other.change(one_more))
        return one_more(state)

    assert window.change(step).state.queries == 2
    assert other.read().queries == 2


def test_a_change_that_is_always_overtaken_is_given_up(documents: Documents) -> None:
    window, other = WindowStore(documents), WindowStore(documents)

    def step(state: State) -> State:
        other.change(one_more)
        return one_more(state)

    with pytest.raises(Conflict, match="keep changing"):
        window.change(step)


def test_a_step_that_changes_nothing_writes_nothing(documents: Documents) -> None:
    WindowStore(documents).change(lambda state: state)
    assert documents.read("hierarchy") is None


def test_the_oldest_events_are_dropped_and_new_ones_returned(documents: Documents) -> None:
    window = WindowStore(documents)

    def step(state: State) -> State:
        for number in range(150):
            item = text_item(f"note {number}", "text", "asked for", number)
            state = put(state, item, trigger="asked", reason="asked for", now=number)
        return state

    assert len(window.change(step).moved) == 150
    window.change(lambda state: archive(state, [item.name for item in state.items], trigger="asked", reason="", now=0))
    after = window.change(step)
    assert (len(after.moved), len(after.state.events), after.state.promotions) == (150, MAX_EVENTS, 300)


def test_a_damaged_window_raises_and_can_be_reset(engine: Engine, documents: Documents) -> None:
    documents.swap("hierarchy", None, "{broken")
    window = MemoryManager(engine, "app")
    with pytest.raises(StoreCorrupt, match="cannot be read") as refusal:
        window.items()
    assert "window complete" in refusal.value.hint
    assert window.complete_task() == ()
    assert window.items() == ()


def test_a_text_is_written_only_over_the_one_that_was_read(documents: Documents) -> None:
    assert documents.swap("overview", None, "one")
    assert not documents.swap("overview", None, "two")
    assert documents.swap("overview", "one", "two")
    assert documents.read("overview") == "two"
    documents.forget()
    assert documents.read("overview") == ""
