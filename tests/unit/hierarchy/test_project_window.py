"""MemoryManager of document 004: methods, automatic moves, order of look-ups, statistics."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from tests.fakes import FrozenClock

from recollect import Engine
from recollect.errors import ContentTooLarge, InvalidInput, InvalidWorkspace, MemoryNotFound, NotFound
from recollect.hierarchy import PROFILES, MemoryManager, PromotionPolicy

Opening = Callable[..., MemoryManager]


def names(window: MemoryManager, level: int) -> set[str]:
    return {item.name for item in window.items() if item.level == level}


# --- the documented methods ---


@pytest.mark.promise("H1")
def test_a_text_that_was_set_is_returned_as_it_is_and_replaced_by_the_next(window: MemoryManager) -> None:
    assert window.get_immediate_context() == ""
    window.set_immediate_context("first\n")
    window.set_immediate_context("second\n")
    assert window.get_immediate_context() == "second\n"


@pytest.mark.promise("H1", "H2")
def test_level_1_holds_what_is_edited_the_definitions_it_uses_and_the_current_error(window: MemoryManager) -> None:
    window.promote("app/service.py", 1)
    window.set_immediate_context("TypeError: None is no user", "error")
    text = window.get_immediate_context()
    assert text.startswith("=== error ===\nTypeError: None is no user\n")
    assert "=== app/service.py ===" in text
    assert "class User:" in text
    assert names(window, 1) == {"error", "app/service.py", "app/cache.py", "app/model.py"}
    moved = {event.name: (event.trigger, event.reason) for event in window.events()}
    assert moved["app/model.py"] == ("dependency", "app/service.py is being edited and uses User")


@pytest.mark.promise("H1")
def test_the_working_set_is_paths_with_their_texts(window: MemoryManager, project: Path) -> None:
    assert window.get_working_set() == {}
    window.promote_to_working_set("app/payment.py")
    assert window.get_working_set() == {"app/payment.py": (project / "app/payment.py").read_text()}
    window.demote_to_archive("app/payment.py")
    assert window.get_working_set() == {}


@pytest.mark.promise("H1")
def test_the_archive_has_every_indexed_file_and_memory(window: MemoryManager, engine: Engine, project: Path) -> None:
    memory = engine.memories.store("Users are cached for an hour", namespace=str(project)).memory
    assert window.get_archive_item("app/model.py") == (project / "app/model.py").read_text()
    assert window.get_archive_item(f"memory:{memory.id}") == "Users are cached for an hour"
    assert window.get_archive_item(str(project / "app" / "payment.py")).strip().startswith("def charge")
    assert window.get_archive_item("payment.py").strip().startswith("def charge"), "the end of one path is enough"


@pytest.mark.promise("H1")
def test_global_knowledge_is_a_summary_and_answers_where_something_is(window: MemoryManager) -> None:
    whole = window.query_global_knowledge()
    assert 0 < len(whole.encode()) <= 50_000
    assert "app/cache.py" in whole
    asked = window.query_global_knowledge("where is a card charged?")
    assert asked.startswith("## Files\n\n- app/payment.py:2 charge")
    assert "return cents" not in whole, "a map, no code"


@pytest.mark.promise("H1")
def test_an_error_has_a_hint_that_says_what_to_do(window: MemoryManager, engine: Engine) -> None:
    with pytest.raises(NotFound) as refusal:
        window.get_archive_item("app/nowhere.py")
    assert (refusal.value.code, "recollect index" in refusal.value.hint) == ("NOT_FOUND", True)
    with pytest.raises(MemoryNotFound):
        window.get_archive_item("memory:unknown")
    with pytest.raises(NotFound, match="not in level 1 or 2"):
        window.demote_to_archive("app/cache.py")
    with pytest.raises(InvalidInput, match="level 3"):
        window.promote("app/cache.py", 3)
    with pytest.raises(InvalidInput, match="content is empty"):
        window.set_immediate_context("  ")
    with pytest.raises(InvalidInput, match="unknown profile"):
        MemoryManager(engine, ".", profile="huge")
    with pytest.raises(InvalidWorkspace):
        MemoryManager(engine, "no?name!")
    with pytest.raises(NotFound, match="is not indexed"):
        MemoryManager(engine, "elsewhere").start_task("anything")
    assert window.items() == ()


@pytest.mark.promise("H5")
def test_a_text_that_is_too_large_for_level_1_is_refused(window: MemoryManager) -> None:
    with pytest.raises(ContentTooLarge) as refusal:
        window.set_immediate_context("word " * 10_001)
    assert "level 1 is 50,000 bytes" in refusal.value.message
    with pytest.raises(ContentTooLarge):
        window.set_immediate_context("ж" * 20_001)  # fewer bytes than fit, and more tokens


# --- promotion ---


@pytest.mark.promise("H3", "H7")
def test_an_explicit_search_promotes_what_it_finds(window: MemoryManager) -> None:
    found = window.look_up("Where is a card charged?")
    assert (found.asked, found.served_by) == ((1, 2, 4, 3), 3)
    assert found.found[0].name == "app/payment.py"
    assert "def charge" in found.found[0].text
    event = next(event for event in found.moved if event.name == "app/payment.py")
    assert (event.from_level, event.to_level, event.trigger) == (3, 2, "search")
    assert event.reason.startswith("found for “Where is a card charged?”: ")


@pytest.mark.promise("H3")
def test_what_a_file_uses_is_promoted_with_it(window: MemoryManager) -> None:
    window.get_archive_item("app/service.py")
    assert names(window, 2) == {"app/cache.py", "app/model.py"}
    window.get_archive_item("app/cache.py")
    event = next(event for event in window.events() if event.name == "app/backend.py")
    assert (event.trigger, event.reason) == ("dependency", "app/cache.py was read and uses read_value")


@pytest.mark.promise("H3")
def test_what_is_read_three_times_in_five_minutes_moves_to_level_1(window: MemoryManager, time: FrozenClock) -> None:
    for _ in range(2):
        window.get_archive_item("app/payment.py")
        time.advance(100)
    assert (window.get_access_count("app/payment.py"), names(window, 1)) == (2, set())
    window.get_archive_item("app/payment.py")
    assert names(window, 1) == {"app/payment.py"}
    assert "app/payment.py" in window.get_working_set()
    assert window.events()[-1].reason == "read 3 times in 5 minutes"


@pytest.mark.promise("H3")
def test_reading_slowly_promotes_nothing(window: MemoryManager, time: FrozenClock) -> None:
    for _ in range(5):
        window.get_archive_item("app/payment.py")
        time.advance(160)
    assert names(window, 1) == set()
    assert window.check_promotion("app/payment.py") == ()


@pytest.mark.promise("H3")
def test_how_often_is_often_is_data(open_window: Opening) -> None:
    policy = msgspec.structs.replace(PROFILES["standard"], promotion=PromotionPolicy(access_threshold=1))
    window = open_window(policy=policy)
    window.get_archive_item("app/payment.py")
    assert names(window, 1) == {"app/payment.py"}


# --- demotion ---


@pytest.mark.promise("H4")
def test_a_complete_task_leaves_levels_1_and_2(window: MemoryManager) -> None:
    window.start_task("cache users")
    assert window.items()
    moved = window.complete_task()
    assert (window.items(), window.task()) == ((), None)
    assert {(event.to_level, event.trigger, event.reason) for event in moved} == {(3, "task complete", "task complete")}


@pytest.mark.promise("H4")
def test_what_is_not_used_for_thirty_minutes_goes_to_the_archive(window: MemoryManager, time: FrozenClock) -> None:
    window.promote("app/payment.py")
    window.promote("app/model.py", 1)
    time.advance(1_799)
    assert window.cleanup() == ()
    time.advance(1)
    assert window.get_working_set() == {}, "who looks does not see it any more"
    moved = window.cleanup()
    assert {(event.name, event.to_level, event.trigger) for event in moved} == {
        ("app/payment.py", 3, "unused"),
        ("app/model.py", 3, "unused"),
    }
    assert {event.reason for event in moved} == {"unused for 30 minutes"}


@pytest.mark.promise("H4")
def test_use_keeps_something_where_it_is(window: MemoryManager, time: FrozenClock) -> None:
    window.promote("app/payment.py")
    time.advance(1_000)
    window.look_up("app/payment.py")
    time.advance(1_000)
    assert window.cleanup() == ()
    assert "app/payment.py" in window.get_working_set()


@pytest.mark.promise("H6", "H4")
def test_interactive_work_keeps_things_longer_one_level_at_a_time(open_window: Opening, time: FrozenClock) -> None:
    window = open_window(profile="interactive")
    window.promote("app/payment.py", 1)
    time.advance(3_600)
    assert [(event.from_level, event.to_level) for event in window.cleanup()] == [(1, 2)]
    time.advance(3_600)
    assert [(event.from_level, event.to_level) for event in window.cleanup()] == [(2, 3)]


def test_a_text_stays_until_the_task_is_complete(window: MemoryManager, time: FrozenClock) -> None:
    window.set_immediate_context("note")
    time.advance(100_000)
    assert window.cleanup() == ()
    assert window.get_immediate_context() == "note"
    window.complete_task()
    assert window.get_immediate_context() == ""


def test_clean_up_lets_go_of_what_is_gone(engine: Engine, tmp_path: Path) -> None:
    folder = tmp_path / "other"
    folder.mkdir()
    (folder / "a.py").write_text("def a():\n    return 1\n", encoding="utf-8")
    engine.code.index(str(folder), namespace="other")
    window = MemoryManager(engine, "other")
    window.promote("a.py")
    (folder / "a.py").unlink()
    assert window.get_working_set() == {}
    assert [event.reason for event in window.cleanup()] == ["it no longer exists"]
    with pytest.raises(NotFound, match="cannot be read"):
        window.get_archive_item("a.py")


# --- pressure, on real files ---


@pytest.mark.promise("H5")
def test_a_large_file_is_in_level_1_in_part_and_in_level_2_whole(window: MemoryManager, project: Path) -> None:
    window.promote("app/steps.py", 1)
    forms = {item.level: item for item in window.items() if item.name == "app/steps.py"}
    assert (forms[1].form, forms[2].form) == ("part", "whole")
    assert forms[1].size_bytes <= 50_000 < forms[2].size_bytes
    assert forms[1].tokens <= 15_000
    assert window.get_working_set()["app/steps.py"] == (project / "app/steps.py").read_text()
    text = window.get_immediate_context()
    assert "=== app/steps.py (excerpt) ===" in text
    assert re.search(r"^… lines \d+–\d+: step_\d+, .* and \d+ more …$", text, re.M), (
        "the cut is marked with what it leaves out"
    )


@pytest.mark.promise("H5")
def test_what_comes_into_a_full_level_1_sends_the_oldest_down(open_window: Opening, time: FrozenClock) -> None:
    window = open_window(profile="small")
    window.promote("app/payment.py", 2)
    window.set_immediate_context("word " * 1_980)  # 9,900 of 10,000 bytes
    time.advance(1)
    for _ in range(3):
        window.look_up("app/payment.py")
    assert names(window, 1) == {"immediate", "app/payment.py"}
    time.advance(1)
    for _ in range(3):
        window.get_archive_item("app/model.py")
    assert names(window, 1) == {"immediate", "app/model.py"}
    event = next(event for event in window.events() if event.trigger == "space")
    assert (event.name, event.from_level, event.to_level) == ("app/payment.py", 1, 2)


# --- looking up ---


@pytest.mark.promise("H7")
def test_level_1_is_asked_before_level_2_and_both_before_the_archive(window: MemoryManager) -> None:
    window.promote("app/model.py", 1)
    window.promote("app/payment.py", 2)
    assert (window.look_up("app/model.py").asked, window.look_up("User").asked) == ((1,), (1,))
    second = window.look_up("charge()")
    assert (second.asked, second.served_by, second.found[0].name) == ((1, 2), 2, "app/payment.py")
    third = window.look_up("app/backend.py")
    assert (third.asked, third.served_by) == ((1, 2, 4, 3), 3)
    assert (window.look_up("app/backend.py").asked) == (1, 2), "it was promoted"


@pytest.mark.promise("H7")
def test_what_has_nothing_to_do_with_the_project_is_not_needed(window: MemoryManager) -> None:
    found = window.look_up("zymurgy quokka")
    assert (found.asked, found.served_by, found.found, found.moved) == ((1, 2, 4), 0, (), ())
    assert "no match" in found.notes[0]


@pytest.mark.promise("H7")
def test_a_question_about_what_is_at_hand_is_served_from_there(window: MemoryManager) -> None:
    window.promote("app/payment.py", 2)
    found = window.look_up("Where is a card charged?")
    assert (found.served_by, found.found[0].level) == (2, 2)
    assert window.get_memory_stats().hits == 1


def test_who_asks_for_a_file_gets_the_whole_of_it(window: MemoryManager, project: Path) -> None:
    window.promote("app/steps.py", 1)
    found = window.look_up("app/steps.py")
    assert (found.served_by, found.found[0].text) == (2, (project / "app/steps.py").read_text())


# --- statistics ---


@pytest.mark.promise("H1", "H8")
def test_statistics_tell_sizes_hit_rate_and_tokens(window: MemoryManager, engine: Engine, project: Path) -> None:
    engine.memories.store("Users are cached for an hour", namespace=str(project))
    window.promote("app/model.py", 1)
    window.promote("app/payment.py", 2)
    for query in ("app/model.py", "app/payment.py", "app/service.py", "zymurgy quokka"):
        window.look_up(query)
    window.demote_to_archive("app/service.py")
    stats = window.get_memory_stats()
    sizes = {item.name: item for item in window.items()}
    files = sum(path.stat().st_size for path in project.rglob("*.*"))
    assert stats.level1_size == sizes["app/model.py"].size_bytes
    assert stats.level2_size == sum(item.size_bytes for item in sizes.values() if item.level == 2)
    assert stats.level3_size == files + len("Users are cached for an hour")
    assert stats.level4_size == window.global_knowledge().bytes > 0
    assert (stats.hit_rate, stats.queries, stats.hits) == (0.5, 4, 2)
    assert stats.tokens == sum(item.tokens for item in sizes.values())
    assert stats.tokens_saved == int(stats.level3_size * 0.4) - stats.tokens
    assert [row.level for row in stats.levels] == [1, 2, 3, 4]
    assert (stats.promotions, stats.demotions) == (len(window.events()) - 1, 1)


@pytest.mark.promise("H8")
def test_an_unused_window_has_statistics_too(window: MemoryManager) -> None:
    stats = window.get_memory_stats()
    assert (stats.level1_size, stats.level2_size, stats.hit_rate, stats.tokens) == (0, 0, 0.0, 0)


@pytest.mark.promise("H8")
def test_of_a_project_that_is_not_indexed_nothing_is_known(engine: Engine) -> None:
    window = MemoryManager(engine, "elsewhere")
    stats = window.get_memory_stats()
    assert (stats.level3_size, stats.level4_size, stats.tokens_saved) == (0, 0, 0)
    with pytest.raises(NotFound, match="indexed"):
        window.query_global_knowledge()


# --- it is kept ---


@pytest.mark.promise("H1")
def test_a_window_is_kept_for_its_project_and_no_other(open_window: Opening, engine: Engine) -> None:
    open_window().promote("app/payment.py")
    open_window().look_up("app/payment.py")
    again = open_window()
    assert "app/payment.py" in again.get_working_set()
    assert again.get_memory_stats().hits == 1
    assert MemoryManager(engine, "elsewhere").items() == ()


def test_deleting_a_namespace_deletes_its_window(window: MemoryManager, engine: Engine) -> None:
    window.promote("app/payment.py")
    engine.namespaces.delete(window.namespace)
    assert (window.items(), window.events()) == ((), ())


def test_no_secret_is_kept(window: MemoryManager, engine: Engine) -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    window.set_immediate_context(f"export GITHUB_TOKEN={token}")
    window.start_task(f"use {token} to push", error=f"denied for {token}")
    window.look_up(f"where is {token} used?")
    window.set_immediate_context("x", name=f"note {token}")
    kept = engine.store.setting(f"hierarchy/{window.namespace}")
    assert kept is not None
    assert token not in kept
    assert token not in window.get_immediate_context()


def test_a_window_may_have_an_engine_of_its_own(project: Path, home: Path) -> None:
    with MemoryManager(namespace=str(project)) as window:
        window.set_immediate_context("kept")
        engine = window.engine
    with MemoryManager(namespace=str(project)) as window:
        assert window.get_immediate_context() == "kept"
        assert window.engine is not engine
