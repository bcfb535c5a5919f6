"""Scanners of outside text take time in proportion to it: the worst texts that `bench/pump.py` has found, once each."""

from __future__ import annotations

import ast
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

import pump
import pump_scanners
from pump import Family, families
from recollect.code.index import page

SCANNERS = {row.name: row for row in pump_scanners.scanners()}
SIZE = 16_000
# Linear is 2, quadratic 4.
MOST = 3.0
# Quadratic time is far above this for such a size; below it noise would decide.
FAST_S = 0.02

WORST = (
    ("memory evidence", "", "@", ""),
    ("memory evidence", "", "\n", ""),
    ("patterns", "", " ", ""),
    ("payload of hooks", "", "<hook_context", ""),
    ("payload of hooks", "", "<<<<<SEARCH\na=====\n", ""),
    ("payload of hooks", "--- ", "a/", "!"),
    ("failure", "", "A", ""),
    ("failure", "", "\x1b]", ""),
    ("command kind", "", "./", ""),
    ("same command", "", "|cat ", "|x"),
    ("statements", "", "<a%>", "numbered"),
    ("statements", "", "ok ", ""),
    ("statements", "", "\n\n", "a"),
    ("long statement", "", "always ", ""),
    ("long statement", "", "a. ", ""),
    ("diff times", "", " ", ""),
    ("comment", "", "*", "\x00"),
    ("comment", ":a", "a", ""),
    ("decorator text", "method =", " ", ""),
    ("decorator text", "GetMapping(", " ", ""),
    ("import tree of braces", "", "a::{", ""),
    ("import tree of braces", "", "a,", ""),
    ("detect header", "", "\n", ""),
    ("manifest Gemfile", "", '\\"', ""),
    ("manifest Gemfile", "", "\n", ""),
    ("manifest a.gemspec", "", "\n", ""),
    ("manifest build.gradle", "", "\n", ""),
    ("manifest build.gradle", "", "/*a", ""),
    ("manifest build.gradle", "a", " ", ""),
    ("manifest pnpm-workspace.yaml", " a", " ", "b"),
    ("manifest requirements.txt", "-e a", "[", ""),
    ("manifest Cargo.toml", "[", "a.", "a]"),
    ("ranges", "[", "a", ""),
    ("member patterns", "", "**/a/", "b"),
    ("member patterns", "", "[", ""),
    ("ignore rules", "", "*a", "b"),
    ("ignore rules", "", "**/", "b"),
    ("ignore rules", "", "**/a/", "b"),
    ("tsconfig", "", '\\"', ""),
    ("search question", "", "A", "\x00"),
    ("bug report", "", " ", ""),
    ("bug report", "a(", ")", "x"),
    ("snippet", "", "\n", ""),
    ("snippet", "function", " ", ""),
    ("snippet", "static int", " ", ""),
    ("snippet answer", "", "{", ""),
    ("context block", "<", " ", ""),
    ("boundary", "", ".", "x"),
    ("chunker", "", ",", "x"),
    ("opening comment", "", "/*a", ""),
    ("opening of a document", "", "[", ""),
    ("bases", "", "[", ""),
    ("decision record", "-status", "-", ""),
    ("sections", "# a", " ", "x"),
    ("sections", "", "-", ""),
    ("commit message", "", "a@", ""),
    ("commit message", "1.1", "1", " x"),
    ("basic memory", " -", " ", ""),
    ("frontmatter", "a", " ", ""),
    ("frontmatter value", "", "[", ""),
    ("markdown", "", "# ", "\x00"),
    ("markdown", "", "```a\n", ""),
    ("code markdown", "", "<<A\n", ""),
    ("code markdown", "", "<!--\n", "-->\n"),
    ("amendments", "", "a.", ""),
    ("amendments", "", "moved ", ""),
    ("verdict", "Score", "*", ""),
    ("compressed", "", "a%.b ", "numbered"),
    ("recall query", "", "May 5 ", ""),
    ("toml", "", "a.", ""),
)
# Growth that shows in long texts only: the work that is repeated is cheap.
LONG = 128_000
WORST_LONG = (("links typescript", "", "a.getClass() == a.c", ""),)
# A busy machine can run at half its speed for seconds; growth that is real fails however often it is measured.
ROUNDS = 30


@pytest.fixture(autouse=True)
def _measuring(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name in ("_parse", "_is_safe"):
        monkeypatch.setattr(page, name, getattr(page, name))  # to be put back
    pump.set_parsing_aside()
    before = signal.signal(signal.SIGPROF, pump._over)
    yield
    signal.signal(signal.SIGPROF, before)


@pytest.mark.parametrize(
    ("name", "start", "fragment", "end", "size"),
    [(*row, SIZE) for row in WORST] + [(*row, LONG) for row in WORST_LONG],
)
def test_a_scanner_takes_twice_as_long_for_twice_the_text(
    name: str, start: str, fragment: str, end: str, size: int
) -> None:
    row = SCANNERS[name]
    numbered = end == "numbered"
    family = Family(row.start + start, fragment, ("" if numbered else end) + row.end, numbered)
    once = twice = float("inf")
    for _ in range(ROUNDS):  # other work on the machine only adds time: the least of all rounds counts
        twice = min(twice, pump.seconds(row.scan, family.text(2 * size), limit=2.0))
        if twice < FAST_S:
            return
        once = min(once, pump.seconds(row.scan, family.text(size), 3, limit=2.0))
        if twice <= MOST * once < float("inf"):
            return
    pytest.fail(f"{1e3 * once:.0f} ms, then {1e3 * twice:.0f} ms")


@pytest.mark.parametrize("name", SCANNERS)
def test_every_scanner_of_the_table_runs(name: str) -> None:
    SCANNERS[name].scan_safely("a = 1\n")


def test_every_module_with_patterns_has_a_row_or_a_reason() -> None:
    root = Path(__file__).parents[3]
    covered = {module for row in SCANNERS.values() for module in row.modules}
    found = set()
    for path in (root / "src").rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        imported = {
            alias.name
            for node in (ast.walk(ast.parse(text)) if "import re" in text or "compiled" in text else ())
            if isinstance(node, ast.Import | ast.ImportFrom)
            for alias in node.names
        }
        if imported & {"re", "compiled"}:
            found.add(".".join(path.relative_to(root / "src").with_suffix("").parts))
    assert found - covered - pump_scanners.WITHOUT_ROW.keys() == set()
    assert pump_scanners.WITHOUT_ROW.keys() - found == set()


def test_the_generator_finds_a_pattern_that_is_not_linear() -> None:
    quadratic = families(r"\s*;", 0)
    nested = families(r"(?:a+)+$", 0)
    assert any(family.fragment.isspace() for family in quadratic)
    assert any(set(family.fragment) == {"a"} and family.end == "\x00" for family in nested)
