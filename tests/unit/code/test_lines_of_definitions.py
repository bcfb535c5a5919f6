"""What a syntax error hides is read from the lines."""

from __future__ import annotations

import pytest

from recollect.code.index.extract import outline
from recollect.code.index.languages import BY_NAME
from recollect.code.index.page import Page, parse

GUARDS = """package demo

fun area(shape: Shape): Double = when (shape) {
    is Circle if shape.r > 0 -> 3.14 * shape.r
    else -> 0.0
}

class Painter {
    // fun commented() {}
    val text = "fun quoted() {}"
    internal suspend fun <T> List<T>.paint(shape: Shape): String {
        return when (shape) {
            is Circle if shape.r > 10 -> "big"
            else -> "small"
        }
    }
    fun erase() {}
}

fun last() = 1
"""


def seen(text: str, language: str) -> dict[str, tuple[str, int, int]]:
    symbols = outline(text.encode(), f"a.{language}", BY_NAME[language]).symbols
    return {symbol.qualified: (symbol.kind, symbol.start_line, symbol.end_line) for symbol in symbols}


def test_definitions_around_syntax_that_the_grammar_does_not_know_are_kept() -> None:
    found = seen(GUARDS, "kotlin")
    assert {name: found.get(name) for name in ("demo.area", "demo.Painter", "demo.last")} == {
        "demo.area": ("Function", 3, 6),
        "demo.Painter": ("Class", 8, 18),
        "demo.last": ("Function", 20, 20),
    }
    assert ("Method", 11, 16) in found.values()
    assert not any("commented" in name or "quoted" in name for name in found)


def test_guards_of_kotlin_are_conditions_for_the_grammar() -> None:
    assert not outline(GUARDS.encode(), "a.kt", BY_NAME["kotlin"]).notes
    text = (
        "fun area(s: Shape): Int = when (s) {\n    is Circle if big(s.r) -> 1\n    Color.RED if warm() -> 2\n"
        "    else if odd() -> 3\n    else -> shapes.sumOf { each -> if (each.r > 1) 1 else 2 }\n}\n"
    )
    page = Page(text.encode())
    assert not parse(page, "kotlin").root_node.has_error
    assert page.text == text


def test_the_note_says_how_many_were_read_from_lines() -> None:
    broken = "fun broken( {{{\n\nfun kept(a: Int): Int {\n    return a\n}\n\nclass Later {\n    fun run() {}\n}\n"
    notes = outline(broken.encode(), "a.kt", BY_NAME["kotlin"]).notes
    assert len(notes) == 1
    assert notes[0].endswith("definitions were read from their lines alone")


@pytest.mark.parametrize(
    ("language", "text", "kept"),
    [
        ("rust", "fn broken( {{{\n\npub(crate) fn kept(a: u8) -> u8 {\n    a\n}\n", "kept"),
        ("go", "package a\n\nfunc broken( {{{\n}\n\nfunc (r *Ring) Push(v int) {\n\tr.v = v\n}\n", "Push"),
        ("typescript", "function broken( {{{\n\nexport class Kept {\n  run() {}\n}\n", "Kept"),
        (
            "c",
            "int broken( {{{\n\nint kept(int a) {\n}\nint declared(int);\nstruct used x;\n",
            "kept",
        ),
    ],
)
def test_other_languages(language: str, text: str, kept: str) -> None:
    found = {name.rpartition(".")[2].rpartition(":")[2] for name in seen(text, language)}
    assert kept in found
    assert not found & {"declared", "used"}


def test_a_file_without_errors_is_read_by_its_tree_alone() -> None:
    text = 'val text = """\nfun quoted() {}\n"""\nfun real() {}\n'
    assert not any("quoted" in name for name in seen(text, "kotlin"))
    assert "real" in seen(text, "kotlin")
