"""The outline of a reStructuredText or AsciiDoc file: its sections, from its lines.

A section reaches to the next heading of its level or above, as in Markdown.
"""

from __future__ import annotations

from itertools import accumulate

from recollect.code.index.captures import Marks
from recollect.code.index.definitions import MOST_KEYS, Definition
from recollect.code.index.languages import Language
from recollect.code.index.page import Page
from recollect.text.document_headings import FORMS, headings

# Lines of a title between two lines of marks; its section begins with the title.
OVERLINED = 3


class Sections:
    """The sections of a document as definitions."""

    marks = Marks()  # nothing in a document hides or closes code

    def __init__(self, definitions: list[Definition]) -> None:
        self.definitions = definitions


def sections(page: Page, language: Language) -> Sections:
    """Return the sections of a page."""
    raw = page.source.split(b"\n")
    starts = list(accumulate((len(row) + 1 for row in raw), initial=0))
    rows = [row.decode("utf-8", "replace") for row in raw]
    definitions: list[Definition] = []
    above: list[tuple[int, Definition]] = []
    for heading in headings(rows, FORMS[language.extensions[0]]):
        _end(above, heading.depth, starts[heading.line])
        begin = starts[heading.line + (heading.lines == OVERLINED)]
        title = heading.title.encode("utf-8")
        start = page.source.find(title, begin, starts[heading.line + heading.lines])
        if start < 0 or len(definitions) == MOST_KEYS:  # undecodable bytes in a title
            continue
        section = Definition(begin, begin, "Module", "", (start, start + len(title)), begin)
        definitions.append(section)
        above.append((heading.depth, section))
    _end(above, 0, len(page.source))
    return Sections(definitions)


def _end(above: list[tuple[int, Definition]], depth: int, end: int) -> None:
    """End the sections of a depth and below."""
    while above and above[-1][0] >= depth:
        section = above.pop()[1]
        section.end = section.body = end
