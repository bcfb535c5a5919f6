"""Lessons: what recurs becomes a line, once, in a section of its own."""

from __future__ import annotations

from typing import Any

import pytest

from recollect.model import Fix, KnownCommand, Lesson, Memory, Observed, Pattern, Variant
from recollect.patterns.project_lessons import BEGIN, END, corrections, difference, lessons, unsaid, with_lessons

NOW = 1_767_000_000


def said(*prompts: tuple[str, str]) -> list[Observed]:
    return [
        Observed(id=f"{number:04}", mark=str(number), at=NOW + number, event="prompt", session_id=session, told=text)
        for number, (session, text) in enumerate(prompts)
    ]


# --- corrections ---


def test_a_rule_said_in_two_sessions_is_a_correction_in_its_shortest_words() -> None:
    rows = said(
        ("a", "No, always use pnpm instead of npm!"),
        ("a", "add a button to the page"),
        ("b", "please always use pnpm instead of plain npm. Then add the test"),
        ("c", "use pnpm for this bug"),
        ("c", "never commit generated files"),
    )
    (found,) = corrections(rows)
    assert (found.text, found.session_count) == ("Always use pnpm instead of npm", 2)
    assert [row.id for row in found.rows] == ["0000", "0002"]


@pytest.mark.parametrize(
    "texts",
    [
        ("always use pnpm here please", "never use pnpm here please"),  # the opposite
        ("why do you always use npm?", "why do you always use npm?"),  # a question
        ("run the tests now", "run the tests now"),  # of the moment
        ("no", "no"),
        ("add a login page", "add a login page"),  # a task
    ],
)
def test_what_is_no_rule_is_no_correction_however_often_it_is_said(texts: tuple[str, str]) -> None:
    assert corrections(said(("a", texts[0]), ("b", texts[1]))) == []


def test_a_rule_said_often_in_one_session_is_none() -> None:
    assert corrections(said(("a", "never commit generated files"), ("a", "never commit generated files"))) == []


# --- lessons ---


def fix(number: int, memory: str = "m1") -> Fix:
    return Fix(
        id=f"o{number}", fingerprint="f", memory_id=memory, error="make failed", steps=("Ran `a`",), seen_at=number
    )


def command(name: str, successes: int, failures: int = 0, **more: Any) -> KnownCommand:
    return KnownCommand(command=name, successes=successes, failures=failures, **{"kind": "test", **more})


def test_each_kind_of_lesson_needs_what_makes_it_one() -> None:
    stated = [
        Memory(id="m1", content="Keep templates free of logic\n\nmore", memory_type="preference"),
        Memory(id="m2", content="A decision", memory_type="decision"),
    ]
    commands = [
        command("flaky", 9, 9),
        command("pytest -q", 5, directory="api", failed=(Variant(command="python test.py", failures=1),)),
        command("pytest", 9),
        command("git push", 9, kind="git"),
        command("make", 2, kind="build"),
    ]
    tools = [
        Pattern(pattern_type="tool_preference", subject="JavaScript packages: pnpm", told="t", confidence=1.0, count=9),
        Pattern(
            pattern_type="tool_preference", subject="reading files: the read tool", told="t", confidence=1.0, count=9
        ),
    ]
    found = lessons(stated, [], [fix(1), fix(2), fix(3, "m9")], commands, tools)
    assert [(row.kind, row.text) for row in found] == [
        ("preference", "Keep templates free of logic."),
        ("command", "Run the tests with `pytest -q` in `api/`, not `python test.py`."),
        ("tool", "Use pnpm for JavaScript packages."),
        ("fix", "If `make failed`, run `a`."),
    ]
    assert isinstance(found[0], Lesson)
    assert found[3].why == "fixed it 2 times"


# --- the section ---


def test_lessons_get_a_section_at_the_end_and_are_added_to_it_later() -> None:
    first = with_lessons("# Rules\n\nBe kind.", ["Use pnpm."])
    assert first == f"# Rules\n\nBe kind.\n\n{BEGIN}\n## Learnt from sessions\n\n- Use pnpm.\n{END}\n"
    edited = first.replace("- Use pnpm.", "- Use pnpm, really.") + "\nMore below.\n"
    second = with_lessons(edited, ["Test with `make`."])
    assert second == edited.replace(END, f"- Test with `make`.\n{END}")
    assert with_lessons(second, []) == second
    assert with_lessons("", ["A."]).startswith(BEGIN)


def test_line_ends_stay_as_they_are() -> None:
    text = with_lessons("# Rules\r\n", ["Use pnpm."])
    assert text.count("\r\n") == text.count("\n")


@pytest.mark.parametrize(
    ("file", "line", "is_said"),
    [
        ("- Use pnpm instead of npm", "Use pnpm instead of npm.", True),
        ("* You should use `pnpm` instead of npm, everywhere.", "Use pnpm instead of npm.", True),
        ("Never use pnpm instead of npm", "Use pnpm instead of npm.", False),
        ("Testing: `uv run pytest -q` does it", "Run the tests with `uv run pytest -q`.", True),
        ("Testing: `pytest` does it", "Run the tests with `uv run pytest -q`.", False),
        ("Use npm", "Use pnpm instead of npm.", False),
        ("", "Use pnpm.", False),
    ],
)
def test_what_a_file_says_in_its_own_words_is_not_said_again(file: str, line: str, is_said: bool) -> None:
    assert (unsaid(f"# Rules\n\n{file}\n", [line]) == []) is is_said


def test_a_lesson_is_not_said_twice() -> None:
    assert unsaid("", ["Use pnpm.", "Use pnpm", "Use uv."]) == ["Use pnpm.", "Use uv."]


def test_a_change_is_shown_as_a_diff_that_git_reads() -> None:
    diff = difference("a", "a\nb\n", "AGENTS.md", is_new=False)
    assert diff.splitlines()[:2] == ["--- a/AGENTS.md", "+++ b/AGENTS.md"]
    assert "-a\n\\ No newline at end of file\n+a\n+b\n" in diff
    assert difference("", "a\n", "AGENTS.md", is_new=True).startswith("--- /dev/null\n")
    assert difference("a\n", "a\n", "AGENTS.md", is_new=False) == ""
