"""Each pattern is found where it is, and not where something only looks like it."""

from __future__ import annotations

from typing import Any

import pytest

from recollect.model import Memory, Observed, Pattern
from recollect.patterns.decision_chains import decision_chains
from recollect.patterns.pattern_counts import beyond, luck, rate, surely
from recollect.patterns.usage_patterns import (
    chosen,
    error_loops,
    file_hotspots,
    insights,
    meant,
    repeated_searches,
    searched,
    tool_preferences,
)

DAY = 86_400
NOW = 1_767_000_000
ROOT = "/nowhere/shop"


def seen(number: int, session: str, tool: str, target: str, outcome: str = "ok", **more: Any) -> Observed:
    values = {"id": f"{number:06}", "mark": str(number), "at": NOW + number * 60, "event": "tool", "namespace": ROOT}
    return Observed(**{**values, "session_id": session, "tool": tool, "target": target, "outcome": outcome, **more})


def uses(*rows: tuple[str, ...], **more: Any) -> list[Observed]:
    """Return (session, tool, target[, outcome]) as observations, one a minute."""
    return [seen(number, *row, **more) for number, row in enumerate(rows)]


# --- chance ---


def test_a_share_counts_as_much_as_the_number_behind_it() -> None:
    assert [round(surely(*pair), 2) for pair in ((9, 9), (18, 20), (3, 3), (0, 5), (0, 0))] == [0.7, 0.7, 0.44, 0, 0]


def test_luck_is_the_tail_of_a_poisson_distribution() -> None:
    assert luck(0, 2.0) == 1.0
    assert luck(1, 2.0) == pytest.approx(0.8647, abs=1e-4)
    assert luck(10, 2.0) == pytest.approx(4.65e-5, rel=0.01)
    assert luck(3, 0.0) == 0.0
    assert (beyond(4, 1.0), beyond(1, 4.0), beyond(0, 1.0)) == (0.75, 0.0, 0.0)


# --- searches ---


@pytest.mark.promise("E23")
def test_a_search_repeated_in_three_sessions_is_found_however_it_is_written() -> None:
    rows = uses(
        ("a", "search", "def parse_config"),
        ("b", "search", r"parse_config\("),
        ("c", "shell", "grep -rn 'parse_config' src | head"),
        ("c", "find", "**/*.py"),
        ("b", "find", "**/*.py"),
        ("a", "find", "**/*.py"),
        ("a", "search", "once_only"),
    )
    (found,) = repeated_searches(rows)
    assert (found.pattern_type, found.count, found.session_count) == ("repeated_search", 3, 3)
    assert found.sessions == ("c", "b", "a")
    assert found.evidence == ("000002", "000001", "000000")
    assert meant(found.subject) == "parse_config"
    assert 0.6 < found.confidence < 0.7


def test_a_search_made_often_in_two_sessions_is_no_pattern() -> None:
    assert repeated_searches(uses(*[("a", "search", "load_rows")] * 9, *[("b", "search", "load_rows")] * 9)) == []


def test_who_searches_a_lot_must_repeat_more() -> None:
    """Of 320 names in 80 sessions every fourth is met twice: some will be met thrice by luck."""
    many = [(f"s{number // 5}", "search", f"name_{number % 320}") for number in range(400)]
    three = [(f"s{number}", "search", "load_rows") for number in range(3)]
    assert repeated_searches(uses(*many, *three)) == []
    six = [(f"s{number}", "search", "load_rows") for number in range(6)]
    assert [row.subject for row in repeated_searches(uses(*many, *six))] == ["load_rows"]


def test_what_was_never_seen_counts_for_how_often_something_is() -> None:
    assert (rate(1.0), rate(0.0)) == (0.0, 0.0)
    assert rate(1.0517) == pytest.approx(0.1017, abs=1e-3)
    assert rate(5.0) == pytest.approx(4.9651, abs=1e-3)


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("rg -n --type py parse_config src", ["parse_config"]),
        ("git grep -n load_rows", ["load_rows"]),
        ("grep -rn --include '*.py' -e load_rows .", ["load_rows"]),
        ("find . -name 'settings*.py' -print", ["settings*.py"]),
        ("fd settings src", ["settings"]),
        ("find . -type d", []),
        ("cat a.py", []),
        ("grep 'never closed", []),
    ],
)
def test_programs_that_search_in_a_shell_are_read(command: str, words: list[str]) -> None:
    assert list(searched(seen(1, "a", "shell", command))) == words


@pytest.mark.parametrize("words", ["", "def", "**/*.py", "TODO", "id", "42", r"\bfn\b"])
def test_what_looks_for_nothing_in_particular_means_nothing(words: str) -> None:
    assert meant(words) == ""


# --- files ---


def project(hot: int, others: int = 30) -> list[Observed]:
    """Return a project whose other files were used in two sessions each, and one in so many."""
    rows = [
        (f"s{(number * 7 + turn) % 40}", "edit", f"{ROOT}/f{number}.py") for number in range(others) for turn in (0, 1)
    ]
    return uses(*rows, *[(f"s{number}", "edit", f"{ROOT}/core.py") for number in range(hot)])


@pytest.mark.promise("E23")
def test_a_file_used_far_more_than_the_others_is_a_hotspot() -> None:
    (found,) = file_hotspots(project(14))
    assert (found.subject, found.session_count, found.count) == ("core.py", 14, 14)
    assert found.confidence == pytest.approx(1 - 2 / 14, abs=0.001)
    assert "average file: 2.0 sessions" in found.told


def test_a_file_used_a_little_more_or_often_in_one_session_is_none() -> None:
    assert file_hotspots(project(5)) == []
    one = [("s1", "edit", f"{ROOT}/core.py")] * 50
    assert file_hotspots([*project(0), *uses(*one)]) == []
    assert file_hotspots(uses(*[(f"s{number}", "read", f"{ROOT}/core.py") for number in range(20)])) == []


def test_a_hotspot_does_not_hide_another() -> None:
    second = [seen(9_000 + number, f"s{number}", "read", f"{ROOT}/api.py") for number in range(30)]
    assert {row.subject for row in file_hotspots([*project(14), *second])} == {"core.py", "api.py"}


# --- tools ---


@pytest.mark.promise("E23")
def test_a_tool_taken_nearly_always_is_preferred() -> None:
    rows = [(f"s{number % 4}", "shell", "pnpm test") for number in range(18)]
    (found,) = tool_preferences(uses(*rows, ("s1", "shell", "npm test")))
    assert (found.subject, found.count, found.session_count) == ("JavaScript packages: pnpm", 18, 4)
    assert found.told == "for JavaScript packages, pnpm was used 18 of 19 times (otherwise npm)"


def test_few_uses_an_even_share_or_one_session_are_no_preference() -> None:
    assert tool_preferences(uses(*[(f"s{number}", "shell", "pnpm test") for number in range(5)])) == []
    mixed = [(f"s{number}", "shell", "pnpm test" if number % 3 else "npm test") for number in range(60)]
    assert tool_preferences(uses(*mixed)) == []
    assert tool_preferences(uses(*[("s1", "shell", "pnpm test")] * 40)) == []
    assert tool_preferences(uses(*[(f"s{number}", "shell", "pnpm i", "failed") for number in range(40)])) == []


def test_a_line_counts_for_every_purpose_that_it_serves() -> None:
    both = {("Python packages and environments", "uv"), ("Python tests", "pytest")}
    assert set(chosen(seen(1, "a", "shell", "CI=1 uv run pytest -q | tail -3"))) == both
    assert set(chosen(seen(1, "a", "search", "x"))) == {("searching in files", "the search tool")}


# --- errors ---


@pytest.mark.promise("E23")
def test_an_error_that_fails_thrice_in_a_session_goes_round_in_circles() -> None:
    rows = uses(*[("a", "shell", "make", "failed")] * 4, fingerprint="f1", told="`make` failed: no rule")
    (found,) = error_loops(rows)
    assert (found.subject, found.count, found.confidence) == ("`make` failed: no rule", 4, 0.75)
    assert "4 times in one session" in found.told
    assert error_loops(rows[:2]) == []


@pytest.mark.promise("E23")
def test_an_error_that_comes_back_after_it_was_fixed_is_a_loop() -> None:
    def failing(number: int, session: str) -> Observed:
        return seen(number, session, "shell", "make", "failed", fingerprint="f1", told="`make` failed")

    rows = [failing(1, "a"), seen(2, "a", "shell", "make"), failing(3, "b"), seen(4, "b", "shell", "make")]
    (found,) = error_loops(rows)
    assert (found.count, found.session_count) == (2, 2)
    assert "2 times in 2 sessions, 1 time again after a fix" in found.told
    assert error_loops([failing(1, "a"), failing(3, "b")]) == [], "it was never fixed in between"
    other = seen(2, "a", "shell", "ls")
    assert error_loops([failing(1, "a"), other, failing(3, "b")]) == []


def test_a_search_that_finds_nothing_is_no_error() -> None:
    assert error_loops(uses(*[("a", "shell", "grep -rn x .", "failed")] * 9, fingerprint="f")) == []


# --- decisions ---


def decision(number: int, day: int, **more: Any) -> Memory:
    return Memory(id=f"m{number}", content=f"Decision {number}", memory_type="decision", seq=number,
                  created_at=NOW + day * DAY, namespace=ROOT, **more)  # fmt: skip


@pytest.mark.promise("E23")
def test_decisions_that_replaced_each_other_are_a_chain_in_their_order() -> None:
    rows = [decision(3, 20), decision(1, 0), decision(2, 10), decision(4, 30)]
    (found,) = decision_chains(rows, {}, [("m2", "m1"), ("m3", "m2"), ("m9", "m4")])
    assert (found.subject, found.count) == ("Decision 1", 3)
    assert found.evidence == ("m3", "m2", "m1")
    assert found.told == "3 successive decisions; current: Decision 3"


@pytest.mark.promise("E23")
def test_three_decisions_about_a_file_on_different_days_are_a_chain() -> None:
    rows = [decision(number, number) for number in range(6)]
    paths = {"m0": ["a.py"], "m1": ["a.py"], "m2": ["a.py", "b.py"], "m3": ["b.py"], "m4": ["c.py"]}
    (found,) = decision_chains(rows, paths, [])
    assert (found.subject, found.evidence) == ("a.py", ("m2", "m1", "m0"))
    same_day = [decision(number, 0) for number in range(3)]
    assert decision_chains(same_day, dict.fromkeys(("m0", "m1", "m2"), ("a.py",)), []) == []


def test_a_chain_is_told_once() -> None:
    rows = [decision(number, number) for number in range(3)]
    paths = dict.fromkeys(("m0", "m1", "m2"), ("a.py",))
    assert len(decision_chains(rows, paths, [("m1", "m0"), ("m2", "m1")])) == 1


# --- insights ---


@pytest.mark.promise("E-pattern_insights")
def test_insights_are_markdown_with_a_section_for_each_kind_and_nothing_that_acts() -> None:
    told = "x](http://evil) <!-- hidden --> again\n# heading"
    loop = Pattern(
        pattern_type="error_loop", subject="x", told=told, confidence=0.75, count=3, sessions=("s1",), last_at=NOW
    )
    tool = Pattern(
        pattern_type="tool_preference", subject="t: uv", told="uv was taken", confidence=0.9, count=9, last_at=NOW
    )
    text = insights([tool, *[loop] * 9])
    assert text.index("## Recurring errors") < text.index("## Preferred tools")
    assert "- x] (http://evil) ‹!-- hidden --› again # heading (last 2025-12-29, 75 % confidence; session s1)" in text
    assert "- and 1 more" in text
    assert insights([]) == ""
