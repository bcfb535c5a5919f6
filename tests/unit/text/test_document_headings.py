"""Headings of documents, by the way they are written."""

from __future__ import annotations

import pytest

from recollect.text.document_headings import form_of, headings


def found(text: str, path: str) -> list[tuple[int, int, str]]:
    return [(each.line, each.depth, each.title) for each in headings(text.splitlines(), form_of(path))]


def test_headings_of_markdown() -> None:
    text = "# One #\ntext\n```\n# code\n```\n\nTwo\n---\n### Three\n#no heading\n"
    assert found(text, "a.md") == [(0, 1, "One"), (6, 2, "Two"), (8, 3, "Three")]


def test_headings_of_restructured_text_by_the_order_of_their_marks() -> None:
    text = "=====\nTitle\n=====\n\nOne\n---\n\n::\n\n    Code\n    ----\n\nDeep\n~~~~\n\nTwo\n---\n"
    assert found(f"{text}\n===  ===\na    b\n===  ===\n", "a.rst") == [
        (0, 1, "Title"),
        (4, 2, "One"),
        (12, 3, "Deep"),
        (15, 2, "Two"),
    ]


def test_text_above_a_line_of_marks_is_no_title_of_restructured_text() -> None:
    assert found("A paragraph\nof two lines\n============\n\nLong title here\n---\n\n----\n", "a.txt") == []


def test_headings_of_asciidoc_outside_of_blocks() -> None:
    text = "= Title\n:toc:\n\n== One\n\n----\n== code\n----\n\n=== Two\n==== \n"
    assert found(text, "guide.adoc") == [(0, 1, "Title"), (3, 2, "One"), (9, 3, "Two")]


@pytest.mark.parametrize(
    ("path", "form"),
    [("a.md", "markdown"), ("CHANGES", "markdown"), ("a/b.RST", "rst"), ("a.txt", "rst"), ("a.adoc", "asciidoc")],
)
def test_the_name_of_a_file_tells_the_form(path: str, form: str) -> None:
    assert form_of(path) == form
