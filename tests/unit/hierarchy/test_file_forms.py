"""A file in three forms: whole, in part, and as an outline; what is shown of it fits and can be made again."""

from __future__ import annotations

from pathlib import Path

import pytest

from recollect import Engine
from recollect.engine.code.indexed_project import SymbolRow
from recollect.hierarchy.file_forms import measured, outline, part, part_of


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


@pytest.mark.promise("H5")
def test_a_part_has_what_is_wanted_in_full_and_mentions_the_rest(steps: tuple[str, list[SymbolRow]]) -> None:
    text, rows = steps
    shown = part(text, rows, ("Steps.step_9", "Steps.step_3"), 12_000)
    assert shown.size_bytes <= 12_000
    assert {"Steps.step_9", "Steps.step_3"} <= set(shown.symbols)
    assert shown.text.count("total = total") == 40 * len(shown.symbols)
    assert "def step_19(self, key: str) -> int  — Take step 19." in shown.text
    assert shown.text.index("step_3(") < shown.text.index("step_9(") < shown.text.index("step_19(")
    for name, (first, last) in zip(shown.symbols, shown.lines, strict=True):
        assert name.rpartition(".")[2] in text.split("\n")[first - 1]
        assert last - first >= 40


@pytest.mark.promise("H5")
@pytest.mark.parametrize("most", [0, 50, 700, 3_500, 9_000, 30_000, 10**6])
@pytest.mark.parametrize("wanted", [(), ("Steps",), ("Steps.step_5", "Steps"), ("nothing",)])
def test_a_part_fits_and_is_the_same_when_it_is_made_again(
    steps: tuple[str, list[SymbolRow]], most: int, wanted: tuple[str, ...]
) -> None:
    text, rows = steps
    shown = part(text, rows, wanted, most)
    assert shown.size_bytes <= max(most, 0)
    assert part_of(text, rows, shown.symbols, shown.size_bytes) == shown.text


def test_a_file_without_symbols_is_cut_at_a_line() -> None:
    text = "\n".join(f"line {number}" for number in range(1_000))
    shown = part(text, [], (), 100)
    assert shown.text.startswith("line 0\nline 1\n")
    assert shown.text.endswith("more lines")
    assert outline(text, []).text.count("\n") == 20
    assert part("short", [], (), 100).text == outline("short", []).text == "short"


def test_what_a_text_takes_counts_bytes_and_tokens() -> None:
    assert measured("café\n")[1:3] == (6, 3)
