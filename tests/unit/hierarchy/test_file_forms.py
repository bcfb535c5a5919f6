"""A file in three forms: whole, in part, and as an outline; what is shown of it fits and can be made again."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest

from recollect import Engine
from recollect.engine.code.indexed_project import SymbolRow
from recollect.hierarchy.file_forms import ItemForms, measured, new_item, outline, part, part_of

ROUND = "    total = total + len(key) * 31 + 7  # one more round of the same\n"


@pytest.fixture
def steps(engine: Engine, project: Path) -> tuple[str, list[SymbolRow]]:
    sources = engine.sources(str(project))
    return sources.text("app/steps.py"), sources.symbols("app/steps.py")


@pytest.mark.promise("H5")
def test_an_outline_has_signatures_and_what_symbols_say_of_themselves(steps: tuple[str, list[SymbolRow]]) -> None:
    text, rows = steps
    shown = outline(text, rows)
    assert shown.size_bytes < len(text) / 10
    assert "class Steps  — All steps of the work." in shown.text
    assert "    def step_7(self, key: str) -> int  — Take step 7." in shown.text
    assert "total = total" not in shown.text


IMPORTING = "# licence\n\nimport os\nimport sys\n\n\ndef load(path):\n    return os.open(path)\n"


@pytest.mark.promise("H5")
def test_a_part_has_what_is_wanted_and_marks_each_cut(steps: tuple[str, list[SymbolRow]]) -> None:
    text, rows = steps
    shown = part(text, rows, ("Steps.step_9", "Steps.step_3"), 12_000)
    assert shown.size_bytes <= 12_000
    assert {"Steps.step_9", "Steps.step_3"} <= set(shown.symbols)
    lines = text.split("\n")
    kept = [number for first, last in shown.lines for number in range(first, last + 1)]
    shown_lines = shown.text.split("\n")
    marks = [line for line in shown_lines if line.startswith("… lines ")]
    assert [line for line in shown_lines if line not in marks] == [lines[number - 1] for number in kept]
    cut = [number for number in range(1, len(lines) + 1) if number not in kept and lines[number - 1].strip()]
    told = [range(int(a), int(b) + 1) for line in marks for a, b in re.findall(r"lines (\d+)–(\d+)", line)]
    assert all(any(number in each for each in told) for number in cut), "nothing is missing without a mark"
    assert any(": step_" in line for line in marks), "a mark names what begins in the cut"


@pytest.mark.promise("H5")
def test_a_part_keeps_the_imports_and_finds_the_pieces_with_the_terms(tmp_path: Path) -> None:
    body = "".join(f"\n\ndef step_{n}():\n{ROUND * 20}" for n in range(30))
    text = f"{IMPORTING}{body}\n\ndef retry_request():\n    back_off = 2\n"
    (tmp_path / "a.py").write_text(text, encoding="utf-8")
    with Engine(home=str(tmp_path / "home"), embed_provider="off") as engine:
        engine.code.index(str(tmp_path))
        sources = engine.sources(str(tmp_path))
        terms = sources.terms("requests are retried with back-off")
        shown = part(text, sources.symbols("a.py"), (), 2_200, terms)
    assert "import os\nimport sys\n" in shown.text
    assert "    back_off = 2" in shown.text
    assert re.search(r"^… lines \d+–\d+: step_0, step_1, .* and \d+ more …$", shown.text, re.M)


@pytest.mark.promise("H5")
def test_a_part_of_a_test_file_has_its_end_where_new_tests_are_added(tmp_path: Path) -> None:
    text = "def test_retry():\n    assert retry()\n" + "".join(f"\n\ndef test_{n}():\n{ROUND * 6}" for n in range(30))
    text += f"\n\ndef test_the_last():\n{ROUND * 6}"
    for name in ("test_a.py", "a.py"):
        (tmp_path / name).write_text(text, encoding="utf-8")
    with Engine(home=str(tmp_path / "home"), embed_provider="off") as engine:
        engine.code.index(str(tmp_path))
        sources = engine.sources(str(tmp_path))
        forms, terms = ItemForms(engine, sources), sources.terms("retry")
        made = {name: forms.made(new_item(name, 2, "", 0), "part", 2, 1_500, terms) for name in ("test_a.py", "a.py")}
        shown = {name: forms.shown(item) for name, item in made.items() if item is not None}
    assert all("def test_retry()" in each for each in shown.values())
    assert "def test_the_last()" in shown["test_a.py"]
    assert "def test_the_last()" not in shown["a.py"]


@pytest.mark.promise("H5")
@pytest.mark.parametrize("most", [0, 50, 700, 3_500, 9_000, 30_000, 10**6])
@pytest.mark.parametrize("wanted", [(), ("Steps",), ("Steps.step_5", "Steps"), ("nothing",)])
def test_a_part_fits_and_is_the_same_when_it_is_made_again(
    steps: tuple[str, list[SymbolRow]], most: int, wanted: tuple[str, ...]
) -> None:
    text, rows = steps
    shown = part(text, rows, wanted, most)
    assert shown.size_bytes <= max(most, 0)
    item = new_item("app/steps.py", 1, "asked", 0, symbols=shown.symbols)
    item = msgspec.structs.replace(item, lines=shown.lines, size_bytes=shown.size_bytes, of_bytes=len(text))
    assert part_of(text, rows, item) == shown.text


def test_of_a_changed_file_the_same_symbols_are_shown(steps: tuple[str, list[SymbolRow]]) -> None:
    text, rows = steps
    shown = part(text, rows, ("Steps.step_9",), 5_000)
    item = new_item("app/steps.py", 1, "asked", 0, symbols=("Steps.step_9",))
    item = msgspec.structs.replace(item, lines=shown.lines, size_bytes=5_000, of_bytes=len(text) + 1)
    again = part_of(text, rows, item)
    assert "def step_9(" in again
    assert len(again) <= 5_000


def test_a_file_without_symbols_is_cut_at_a_line() -> None:
    text = "\n".join(f"line {number}" for number in range(1_000))
    shown = part(text, [], (), 600)
    assert shown.text.startswith("line 0\nline 1\n")
    assert re.search(r"… lines \d+–1000 …$", shown.text)
    assert outline(text, []).text.count("\n") == 20
    assert part("short", [], (), 100).text == outline("short", []).text == "short"


def test_what_a_text_takes_counts_bytes_and_tokens() -> None:
    assert measured("café\n")[1:3] == (6, 3)
