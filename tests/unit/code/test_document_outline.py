"""Sections of reStructuredText and AsciiDoc are symbols of the index, as those of Markdown."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.trees import write

from recollect import Engine
from recollect.code.index.extract import extract, outline
from recollect.code.index.languages import BY_NAME

RST = "Größe\n=====\n\nAbout it.\n\nInstall\n-------\n\nRun make.\n\nUse\n---\n\nStart it.\n"
ASCIIDOC = "= Größe\n\nAbout it.\n\n== Install\n\nRun make.\n\n== Use\n\nStart it.\n"


@pytest.mark.parametrize(
    ("language", "text", "spans"),
    [("rst", RST, [(1, 14), (6, 10), (11, 14)]), ("asciidoc", ASCIIDOC, [(1, 11), (5, 8), (9, 11)])],
)
@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_sections_are_symbols_with_their_lines(
    language: str, text: str, spans: list[tuple[int, int]], ends: str
) -> None:
    source = text.replace("\n", ends).encode()
    symbols = outline(source, "a", BY_NAME[language]).symbols
    assert [symbol.qualified for symbol in symbols] == ["Größe", "Größe › Install", "Größe › Use"]
    assert [(symbol.start_line, symbol.end_line) for symbol in symbols] == spans
    assert extract(source, "a", BY_NAME[language]).symbols == symbols


def test_a_title_that_is_no_text_is_left_out() -> None:
    assert outline(b"\xfa\xfb\xfc\n===\n\nOne\n===\n", "a", BY_NAME["rst"]).symbols[-1].name == "One"


def test_documents_of_both_kinds_are_found_by_search(tmp_path: Path) -> None:
    root = tmp_path / "app"
    write(root, {"docs/guide.rst": RST.replace("Run make.", "Call the zeppelin."), "b.adoc": ASCIIDOC})
    with Engine(home=str(tmp_path / "home"), embed_provider="off") as engine:
        engine.code.index(str(root))
        hit = engine.code.search("how to call the zeppelin", namespace=str(root)).hits[0]
    assert (hit.path, hit.language, hit.start_line <= 9 <= hit.end_line) == ("docs/guide.rst", "rst", True)
