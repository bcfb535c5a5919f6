"""Starting a task fills levels 1 and 2 with likely files, each with its evidence."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest
from tests.fakes import FrozenClock
from tests.payloads import ROOT, edited, failed
from tests.trees import git, write

from recollect import Engine, clock
from recollect.errors import NotFound
from recollect.hierarchy import PROFILES, MemoryManager
from recollect.hierarchy.model import Filled, Item
from recollect.hierarchy.placement import worthwhile_bytes
from recollect.hierarchy.policies import level

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


# --- what a field test found ---

BODY = "    total = total + len(key) * 31 + 7  # one more round\n"


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Engine, Path]]:
    """A project of 60 files; prices.py has 13 KB and uses two other files."""
    folder = tmp_path_factory.mktemp("shop").resolve()
    functions = "".join(
        f"\n\ndef price_{n}(key):\n    total = tax(key)\n{BODY * 8}    return total\n" for n in range(27)
    )
    imports = "import os\n\nfrom shop.taxes import tax\nfrom shop.money import Money\n"
    page = f'(visitor):\n    """Show a page of the shop."""\n{BODY * 60}    return visitor\n'
    files = {
        "shop/prices.py": f"{imports}{functions}\n\nCENT = Money(1)\n",
        "shop/taxes.py": 'def tax(key):\n    """Return the tax."""\n    return 0.19\n',
        "shop/money.py": 'class Money:\n    """An amount."""\n\n    def __init__(self, cents):\n        self.c = 1\n',
        "README.md": "# Shop\n\nSells thinks.\n",
        **{f"shop/page_{number}.py": f"def show_page_{number}{page}" for number in range(55)},
    }
    write(folder / "project", files)
    with Engine(home=str(folder / "home"), embed_provider="off") as engine:
        engine.code.index(str(folder / "project"), link=True)
        yield engine, folder / "project"


@pytest.fixture
def counter(shop: tuple[Engine, Path]) -> Iterator[MemoryManager]:
    window = MemoryManager(shop[0], str(shop[1]), profile="standard", clock=FrozenClock())
    yield window
    window.complete_task()


@pytest.mark.promise("H2")
def test_a_named_file_is_whole_in_level_1_and_what_it_uses_comes_next(counter: MemoryManager) -> None:
    filled = counter.start_task("Show the pages of the shop to a visitor", files=["shop/prices.py"])
    first = [item for item in filled.items if item.level == 1]
    assert (first[0].name, first[0].form) == ("shop/prices.py", "whole")
    assert first[0].size_bytes > 13_000
    assert {item.name for item in first[1:3]} == {"shop/taxes.py", "shop/money.py"}
    assert {item.why for item in first[1:3]} == {"used by shop/prices.py"}
    assert any(item.name.startswith("shop/page_") for item in first[3:]), "then guesses"
    (mentioned,) = (item for item in counter.start_task("Fix rounding in shop/prices.py").items if item.is_pinned)
    assert (mentioned.name, mentioned.form, mentioned.level) == ("shop/prices.py", "whole", 1)


@pytest.mark.promise("H4")
def test_a_new_task_keeps_nothing_of_the_old_one_in_any_level(counter: MemoryManager) -> None:
    counter.start_task("Show page 7 of the shop", files=["shop/prices.py", "shop/page_7.py"])
    filled = counter.start_task("Show page 7 of the shop", files=["shop/money.py"])
    assert [item.name for item in filled.items if item.is_pinned] == ["shop/money.py"]
    placed = {(item.name, item.level) for item in filled.items}
    assert {(item.name, item.level) for item in counter.items() if item.form != "text"} == placed
    assert ("shop/prices.py", 1) not in placed


@pytest.mark.promise("H4", "H5")
def test_within_one_second_the_first_used_leaves_and_the_last_stays(shop: tuple[Engine, Path]) -> None:
    narrow = msgspec.structs.replace(PROFILES["standard"], level2=level(2, 30_000))
    window = MemoryManager(shop[0], str(shop[1]), policy=narrow, clock=FrozenClock())
    for number in range(9):
        window.promote_to_working_set(f"shop/page_{number}.py")
        window.get_archive_item("shop/page_0.py")
    names = [item.name for item in window.items() if item.level == 2]
    window.complete_task()
    assert "shop/page_8.py" in names, "the newest"
    assert "shop/page_1.py" not in names, "used least recently"


@pytest.mark.promise("H2")
def test_a_typo_needs_few_tokens_and_a_feature_leaves_room(counter: MemoryManager) -> None:
    typo = counter.start_task("Fix a typo in the README: thinks should be things")
    assert sum(use.tokens for use in typo.levels) <= 2_000
    assert typo.items[0].name == "README.md"
    feature = counter.start_task("Show the pages of the shop to a visitor")
    assert 15_000 < sum(use.tokens for use in feature.levels) <= 0.36 * 165_000
    assert "README.md" not in by_name(feature)


@pytest.mark.promise("H5")
def test_nothing_is_cut_without_a_mark_and_imports_stay(shop: tuple[Engine, Path]) -> None:
    narrow = msgspec.structs.replace(PROFILES["standard"], level2=level(2, 50_000))
    window = MemoryManager(shop[0], str(shop[1]), policy=narrow)
    window.start_task("price_13 rounds wrongly")
    (item,) = (item for item in window.items() if item.name == "shop/prices.py")
    assert item.form == "part"
    text = window.get_working_set()["shop/prices.py"]
    assert text.startswith("import os\n\nfrom shop.taxes import tax\nfrom shop.money import Money\n")
    assert "def price_13(key):" in text
    whole = (shop[1] / "shop/prices.py").read_text(encoding="utf-8").split("\n")
    shown = sum(last - first + 1 for first, last in item.lines)
    cut = sum(int(b) - int(a) + 1 for a, b in re.findall(r"^… lines (\d+)–(\d+)", text, re.M))
    assert len([line for line in whole if line.strip()]) <= shown + cut <= len(whole)


@pytest.mark.promise("H2")
def test_files_that_changed_together_come_together(tmp_path: Path) -> None:
    project = tmp_path.resolve() / "project"
    write(project, {f"app/part_{number}.py": f"def part_{number}():\n    return {number}\n" for number in range(40)})
    git(project, "init", "-q")
    for number in range(5):
        invoice = f"def invoice_total(rows):\n    return sum(rows) + {number}\n"
        write(project, {"app/ledger.py": f"X = {number}\n", "app/invoice.py": invoice})
        git(project, "add", "-A")
        git(project, "commit", "-qm", f"change {number}")
    with Engine(home=str(tmp_path / "home"), embed_provider="off") as engine:
        engine.code.index(str(project))
        found = by_name(MemoryManager(engine, str(project)).start_task("invoice_total rounds wrongly"))
    assert "changed with app/invoice.py in 4 commits" in found["app/ledger.py"].why, "the first one changed too much"
    assert "app/part_7.py" not in found


@pytest.mark.promise("H2")
def test_what_a_similar_commit_changed_is_a_candidate(tmp_path: Path) -> None:
    project = tmp_path.resolve() / "project"
    write(project, {f"app/part_{number}.py": f"def part_{number}():\n    return {number}\n" for number in range(40)})
    git(project, "init", "-q")
    for number, subject in enumerate(("start", "Round the quarterly surcharge", "Rename a colour", "Sort the menu")):
        write(project, {f"app/part_{number}.py": f"def part_{number}():\n    return {number + 100}\n"})
        git(project, "add", "-A")
        git(project, "commit", "-qm", subject)
    with Engine(home=str(tmp_path / "home"), embed_provider="off") as engine:
        engine.code.index(str(project))
        found = MemoryManager(engine, str(project)).start_task("The quarterly surcharge is wrong").items
    assert found[0].name == "app/part_1.py", "the words are in no file"
    assert found[0].why == "changed by a similar commit: Round the quarterly surcharge"


@pytest.mark.promise("H2")
def test_a_test_in_the_folder_of_a_file_is_its_test(tmp_path: Path) -> None:
    names = ("orders", "people", "places", "prices", "pages")
    models = {f"shop/{name}/models.py": f"def {name}_of(value):\n    return value\n" for name in names}
    tests = {f"shop/{name}/tests.py": "def test_it():\n    assert 1\n" for name in names}
    write(tmp_path / "project", {**models, **tests})
    with Engine(home=str(tmp_path / "home"), embed_provider="off") as engine:
        engine.code.index(str(tmp_path / "project"))
        found = by_name(MemoryManager(engine, str(tmp_path / "project")).start_task("orders_of returns a string"))
    assert "tests shop/orders/models.py (by name)" in found["shop/orders/tests.py"].why


@pytest.mark.promise("H2")
def test_level_2_has_further_lines_of_a_part_and_none_twice(shop: tuple[Engine, Path]) -> None:
    window = MemoryManager(shop[0], str(shop[1]), policy=PROFILES["standard"])
    filled = window.start_task("Show the pages of the shop to a visitor")
    levels: dict[str, dict[int, Item]] = {}
    for item in filled.items:
        levels.setdefault(item.name, {})[item.level] = item
    both = {name: found for name, found in levels.items() if len(found) == 2}
    assert both, "some file is in level 1 with its best lines and in level 2 with others"
    texts = window.get_working_set()
    for name, found in both.items():
        one, two = ({n for a, b in found[level].lines for n in range(a, b + 1)} for level in (1, 2))
        assert not one & two
        lines = (shop[1] / name).read_text(encoding="utf-8").split("\n")
        marks = r"^… lines? (\d+)(?:–(\d+))?"
        cut = {n for a, b in re.findall(marks, texts[name], re.M) for n in range(int(a), int(b or a) + 1)}
        assert not (one | two) & cut, "the working set joins both"
        assert {n for n in range(1, len(lines) + 1) if lines[n - 1].strip()} <= one | two | cut
        assert window.look_up(name).found[0].text == texts[name]
    window.complete_task()


def test_as_much_of_a_file_is_placed_as_its_chance_is_worth() -> None:
    price = 1e-5
    assert worthwhile_bytes(0.9, 10_000, price) == 10_000, "nearly certain: all of it"
    sizes = [worthwhile_bytes(chance, 1_000_000, price) for chance in (0.9, 0.3, 0.1, 0.001)]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] > 2 * sizes[2] > 0
    assert sizes[3] == 0, "unlikely and large: nothing of it"
    assert worthwhile_bytes(0.01, 700, price) == 700, "unlikely and small: all of it"
