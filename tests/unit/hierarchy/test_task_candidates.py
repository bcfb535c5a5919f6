"""Starting a task fills levels 1 and 2 with likely files, each with its evidence."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.fakes import FrozenClock
from tests.payloads import ROOT, edited, failed

from recollect import Engine, clock
from recollect.errors import NotFound
from recollect.hierarchy import MemoryManager
from recollect.hierarchy.model import Filled, Item

Opening = Callable[..., MemoryManager]


def seen(payload: bytes, project: str) -> str:
    """Return what a hook handed over, as if it had been about a project."""
    return payload.decode().replace(ROOT, project)


def by_name(filled: Filled) -> dict[str, Item]:
    return {item.name: item for item in reversed(filled.items)}


@pytest.mark.promise("H2", "H3")
def test_a_task_gets_what_is_found_what_that_uses_and_its_tests(window: MemoryManager) -> None:
    filled = window.start_task("Values must be cached for an hour")
    found = by_name(filled)
    assert "search rank 1" in found["app/cache.py"].why
    assert "used by app/cache.py" in found["app/backend.py"].why
    assert "tests app/cache.py" in found["tests/test_cache.py"].why
    assert "app/payment.py" not in found
    triggers = {event.name: (event.from_level, event.trigger) for event in window.events()}
    assert triggers["app/cache.py"] == (3, "search")
    assert triggers["app/model.py"] == (3, "dependency"), "used by what was found, and not found itself"
    assert window.task() == filled.task
    assert filled.levels == window.levels()


@pytest.mark.promise("H2")
def test_files_that_are_named_come_first_and_stay(window: MemoryManager) -> None:
    filled = window.start_task("Values must be cached for an hour", files=["./app/payment.py", "steps.py"])
    assert [item.name for item in filled.items if item.is_pinned and item.level == 1] == [
        "app/payment.py",
        "app/steps.py",
    ]
    assert filled.task.files == ("app/payment.py", "app/steps.py")
    with pytest.raises(NotFound, match=r"app/nowhere\.py"):
        window.start_task("anything", files=["app/nowhere.py"])


@pytest.mark.promise("H5")
def test_a_large_file_comes_by_the_symbols_that_the_task_names(window: MemoryManager) -> None:
    filled = window.start_task("step_17 of the steps counts one round too many")
    first = next(item for item in filled.items if item.name == "app/steps.py" and item.level == 1)
    assert first.form == "part"
    assert "Steps.step_17" in first.symbols
    assert "def step_17(self, key: str) -> int:\n" in window.get_immediate_context()


@pytest.mark.promise("H2")
def test_what_goes_wrong_is_in_level_1(
    window: MemoryManager, engine: Engine, time: FrozenClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clock, "now", time)
    window.start_task("Values must be cached", error="KeyError: 'user'")
    assert "=== error ===\nKeyError: 'user'" in window.get_immediate_context()
    engine.capture.ingest(seen(failed("pytest", "E  ZeroDivisionError: division by zero"), window.namespace))
    window.start_task("Values must be cached")
    assert "ZeroDivisionError" in window.get_immediate_context(), "what a hook saw fail just now"
    time.advance(3_600)
    window.complete_task()
    window.start_task("Values must be cached")
    assert "ZeroDivisionError" not in window.get_immediate_context(), "that is long ago"


@pytest.mark.promise("H2")
def test_memories_of_the_task_come_along_with_the_code_they_speak_of(
    window: MemoryManager, engine: Engine, project: Path
) -> None:
    stored = engine.memories.store(
        "Card numbers are never logged in full", namespace=str(project), anchors=("app/payment.py::charge",)
    )
    engine.memories.store("Card numbers of another project", namespace="other")
    found = by_name(window.start_task("log card numbers in full"))
    assert found[f"memory:{stored.memory.id}"].form == "memory"
    assert "mentioned in a memory: Card numbers are never logged" in found["app/payment.py"].why
    assert "Card numbers are never logged in full" in window.get_working_set().values()
    assert len([name for name in found if name.startswith("memory:")]) == 1


def test_what_was_edited_lately_counts(
    window: MemoryManager, engine: Engine, project: Path, time: FrozenClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clock, "now", time)
    engine.capture.ingest(seen(edited("cents > 0", "cents >= 0", path="app/payment.py"), str(project)))
    assert by_name(window.start_task("Values must be cached"))["app/payment.py"].why == "changed recently"


@pytest.mark.promise("H4")
def test_the_next_task_replaces_what_the_last_one_left(window: MemoryManager) -> None:
    window.start_task("Charge a card twice")
    window.set_immediate_context("a note of that task")
    filled = window.start_task("Values must be cached for an hour")
    assert "app/payment.py" not in by_name(filled)
    assert "a note of that task" not in window.get_immediate_context()
    assert ("app/payment.py", "a new task started") in {(event.name, event.reason) for event in window.events()}


@pytest.mark.promise("H2", "H6")
@pytest.mark.parametrize("profile", ["standard", "small", "large", "interactive", "auto"])
def test_what_is_placed_fits_and_the_profile_is_kept(open_window: Opening, profile: str) -> None:
    filled = open_window(profile=profile).start_task("steps of the cache that find a user and read a value")
    for use in filled.levels:
        assert use.max_bytes is not None
        assert use.max_tokens is not None
        assert (use.size_bytes <= use.max_bytes, use.tokens <= use.max_tokens) == (True, True)
    assert filled.placed == len(filled.items) >= 5
    assert filled.profile == ("small" if profile == "auto" else profile)
    assert open_window().policy().name == filled.profile, "another process works by the same rules"


def test_the_same_task_is_filled_the_same_way(open_window: Opening) -> None:
    once = open_window().start_task("Values must be cached for an hour")
    again = open_window().start_task("Values must be cached for an hour")
    assert [(item.name, item.level, item.form) for item in again.items] == [
        (item.name, item.level, item.form) for item in once.items
    ]
