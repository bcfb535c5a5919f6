"""Lessons in a file of instructions: whatever the file holds, all of it stays, and nothing is said twice."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from recollect.patterns.project_lessons import BEGIN, END, unsaid, with_lessons

words = st.sampled_from("use pnpm never not 2 spaces run `make test` the commit 1. # - tabs API v2.1 <b> don't".split())
lines = st.lists(st.lists(words, min_size=1, max_size=8).map(" ".join), max_size=6)
ends = st.sampled_from(["\n", "\r\n"])
rows = st.one_of(
    st.lists(words, max_size=8).map(" ".join), st.sampled_from([BEGIN, END, "", "## Rules", "- Use tabs."])
)
files = st.tuples(st.lists(rows, max_size=12), ends, st.booleans()).map(
    lambda made: made[1].join(made[0]) + (made[1] if made[2] else "")
)


@given(files, lines)
@example("", ["2 spaces"])
@example("", ["1. use tabs"])
@example(f"{END}\n{BEGIN}\n", ["use tabs"])
def test_what_was_added_is_not_added_again(file: str, given_lines: list[str]) -> None:
    new = unsaid(file, given_lines)
    after = with_lessons(file, new)
    assert unsaid(after, given_lines) == []
    assert with_lessons(after, unsaid(after, given_lines)) == after


@given(files, lines)
def test_every_line_of_the_file_stays_in_its_order(file: str, given_lines: list[str]) -> None:
    after = iter(with_lessons(file, given_lines).splitlines())
    assert all(any(row == kept for kept in after) for row in file.splitlines())


@given(files, lines.filter(bool))
def test_every_lesson_stands_between_the_marks(file: str, given_lines: list[str]) -> None:
    after = with_lessons(file, given_lines).splitlines()
    last = len(after) - 1 - after[::-1].index(END)
    first = last - len(given_lines)
    assert after[first:last] == [f"- {line}" for line in given_lines]
    assert BEGIN in after[:first]
