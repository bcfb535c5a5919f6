"""Visibility: who may see a symbol, by the rules of its language.

Asked in this order: a word before the name (`private`, `pub`, `static`), the section it stands in (`private:` in C++ and
Ruby), the shape of the name (`_x`, `x` in Go), what the module exports, the parent, the language's default.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import cast

from recollect.code.found import Found
from recollect.code.languages import Language
from recollect.code.nest import Definition
from recollect.code.page import Page
from recollect.code.symbols import Visibility

WORD = re.compile(r"[a-z]+(?:\(\w+\))?|#")


class Exposure:
    """What a file says about visibility apart from the definitions themselves."""

    __slots__ = ("exports", "language", "page", "section_starts", "sections")

    def __init__(self, page: Page, language: Language, found: Found) -> None:
        self.page = page
        self.language = language
        self.sections = [(start, page.cut(start, end)) for start, end in found.spans("access")]
        self.section_starts = [start for start, _ in self.sections]
        self.exports = {page.cut(*span).strip("\"'") for span in found.spans("export")}

    def of(self, each: Definition) -> Visibility:
        """Return who may see a definition."""
        language = self.language
        if language.names == "underscore":
            name = each.name
            return "private" if name[0:1] == "_" and not (name[:2] == "__" and name[-2:] == "__") else "public"
        head = self.page.text[each.start : each.name_start]
        return cast(
            "Visibility",
            self._by_mark(head) or self._by_section(each) or self._by_name(each) or self._by_place(each),
        )

    def _by_mark(self, head: str) -> str | None:
        marks = self.language.marks
        if not marks or not head:
            return None
        words = WORD.findall(head)
        return next((seen for word, seen in marks if word in words), None)

    def _by_section(self, each: Definition) -> str | None:
        if not self.sections or not each.parent:
            return None
        place = bisect_left(self.section_starts, each.start) - 1
        start, word = self.sections[place] if place >= 0 else (-1, "")
        return word if start > each.parent.start else None

    def _by_name(self, each: Definition) -> str | None:
        rule, name = self.language.names, each.name
        if rule == "underscore":
            return "private" if name[:1] == "_" and not (name[:2] == "__" and name[-2:] == "__") else "public"
        if rule == "capital":
            return "public" if name[:1].isupper() else "internal"
        return None

    def _by_place(self, each: Definition) -> str:
        parent = each.parent
        if parent is None:
            if self.exports:
                return "public" if each.name in self.exports else "internal"
            return self.language.default
        if parent.kind in ("Function", "Method"):
            return "private"
        return self.language.members
