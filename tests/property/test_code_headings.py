"""Markdown read by its lines is Markdown read by its tree: where the lines leave no doubt, both say the same."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.code.index.captures import Captures
from recollect.code.index.definitions import Definition, gather
from recollect.code.index.extract import extract, outline
from recollect.code.index.languages import BY_NAME
from recollect.code.index.markdown_outline import headings
from recollect.code.index.page import Page, load

MARKDOWN = BY_NAME["markdown"]
DOCUMENTS = sorted(Path(__file__).parents[2].glob("**/*.md"))

lines = st.sampled_from(
    [
        "# One", "## Two", "###### Six", "####### seven", "# One #", "#", "##  ", "#none", "# `code` *x*  ",
        " # in", "\t# tab", "    # code", "  ## further in", "text", "more text", "", "", "", "  ",
        "===", "---", "- - -", "***", "--", "=",
        "```", "```py", "~~~", "````", "``` a`b", "  ```", "    ```", "   ~~~ sh", "``` ", "```x```",
        "- item", "- # in a list", "1. one", "   two", "* ```", "+ x", "-", "2) # x", "    deep", "> said", "> # said",
        ">", "> ---", "> ```", ">> x", "<div>", "</div>", "<!-- note -->", "<!--", "-->", "<pre>", "</pre>", "<a href>",
        "  <b>", "<?php", "?>", "<!X", "<https://x.y>", "| a | b |", "| - | - |", "[a]: b", "+++", "a: b", "\\# no",
        "# ü", "&amp;", "![x](y)", "# a\\", "::: tip",
    ]
)  # fmt: skip


def fields(each: Definition) -> tuple[object, ...]:
    return each.start, each.whole, each.end, each.kind, each.name_start, each.name_end, each.body, each.decorators


def read(source: bytes) -> tuple[list[tuple[object, ...]] | None, list[tuple[object, ...]]]:
    """What the lines say, None if they leave doubt, and what the tree says."""
    page = Page(source)
    found = headings(page, MARKDOWN)
    tree = gather(page, MARKDOWN, Captures(page, load("markdown", outline=True)))
    return found and sorted(map(fields, found.definitions)), sorted(map(fields, tree))


@given(st.lists(lines, max_size=12), st.booleans())
def test_what_is_accepted_is_what_the_tree_says(parts: list[str], is_ended: bool) -> None:
    by_lines, by_tree = read(("\n".join(parts) + "\n" * is_ended).encode())
    assert by_lines is None or by_lines == by_tree


@given(st.text(st.sampled_from("#`~-=>< \t\nax*1.!"), max_size=40))
def test_no_text_stops_it(text: str) -> None:
    by_lines, by_tree = read(text.encode())
    assert by_lines is None or by_lines == by_tree


def test_documents_of_this_repository_are_read_alike() -> None:
    accepted = 0
    for path in DOCUMENTS:
        by_lines, by_tree = read(path.read_bytes())
        assert by_lines is None or by_lines == by_tree
        accepted += by_lines is not None
    assert accepted > 0.9 * len(DOCUMENTS) > 20


@pytest.mark.parametrize(
    ("why", "source"),
    [
        ("underlined, of two lines", "One\ntwo\n===\n"),
        ("in a list", "- # One\n"),
        ("in a quotation", "> # One\n"),
        ("indented", "  # One\n"),
        ("code without an end", "```\n# one\n"),
        ("code that is indented less than its fence", "- a\n  ```\nx\n  ```\n# One\n"),
        ("next to HTML", "<div>\n# One\n</div>\n"),
        ("in a comment", "<!--\n\n# One\n\n-->\n"),
        ("in what is shown as it is", "<pre>\n\n# One\n\n</pre>\n"),
        ("carriage returns alone", "# One\r# Two\n"),
        ("a mark of the byte order", "\ufeff# One\n"),
        ("a front matter without an end", "---\na: b\n"),
    ],
)
def test_what_a_tree_is_needed_for_is_left_to_it(why: str, source: str) -> None:
    assert headings(Page(source.encode()), MARKDOWN) is None, why
    said = extract(source.encode(), "a.md", MARKDOWN)
    assert outline(source.encode(), "a.md", MARKDOWN) == (said.symbols, said.notes)


def test_sections_lie_in_each_other_and_code_has_none() -> None:
    source = b"---\ntitle: x\n# no\n---\n# One\n\n```sh\n# no\n```\n\n## Two\n\n# Three\n"
    found = outline(source, "a.md", MARKDOWN).symbols
    assert [(each.qualified, each.start_line, each.end_line) for each in found] == [
        ("One", 5, 12),
        ("One \u203a Two", 11, 12),
        ("Three", 13, 13),
    ]
