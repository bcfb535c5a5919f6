"""Properties of a symbol: its visibility, whether it is a test, and its complexity.

Visibility is decided by the first of these that applies: a word before the name (`private`, `pub`, `static`), text
before the definition (`export`), its section (`private:` in C++ and Ruby), its name (`_x`; `x` in Go), the exports of
the module, its parent, the default of the language.

Complexity is lines / 10 + 2 · branches + depth. Branches are words that choose or repeat. Depth is how many levels the
deepest of them is indented below the symbol, plus one. Below 5 is low, below 15 medium, else high.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from functools import cache
from typing import Literal, cast

from recollect.code.index.captures import Marks
from recollect.code.index.definitions import CODE, Definition, Nest
from recollect.code.index.languages import BY_NAME, Language
from recollect.code.index.page import Page
from recollect.code.index.symbols import Visibility

WORD = re.compile(r"[a-z]+(?:\(\w+\))?")
BEFORE_CHARACTERS = 60  # of `export default abstract` and its kind
SECTIONS = ("public", "protected", "private")
# Exports of a Node script: `exports.a = …`, `module.exports = { a, b }`, `module.exports = a`. The word itself comes
# first: an expression that begins with plain letters is found ten times as fast.
ASSIGNED = re.compile(
    r"exports(?:(?<!\wexports)\.(\w+)\s*=|(?<=module\.exports)(?<!\wmodule\.exports)\s*=\s*"
    r"(?:\{([^}]*)\}|(\w+)\s*[;\n]))"
)


class Exposure:
    """The visibility of the definitions in one file."""

    __slots__ = ("exports", "is_open", "language", "page", "sections")

    def __init__(self, page: Page, language: Language, marks: Marks, nested: Nest) -> None:
        self.page = page
        self.language = language
        self.sections: dict[int, list[tuple[int, str]]] = {}  # by the place of the type
        for start, end in marks.access:
            if page.text[start:end] in SECTIONS:
                owner = nested.owners[bisect_right(nested.edges, start) - 1]
                self.sections.setdefault(owner, []).append((start, page.text[start:end]))
        self.exports = {page.cut(*span).strip("\"'") for span in marks.exports}
        # A script that exports nothing is no module: all of it is public.
        self.is_open = language.before == () or (language.default == "internal" and "export" not in page.text)
        if language.default == "internal" and "exports" in page.text and language.before:
            self.exports |= _assigned(page.text)

    def of(self, each: Definition) -> Visibility:
        """Return who may see a definition."""
        language, name = self.language, each.name
        if language.names == "underscore" and not language.marks:
            is_hidden = name[:1] == "_" and not (name[:2] == "__" and name[-2:] == "__")
            return "private" if is_hidden or (each.parent and each.parent.kind in CODE) else "public"
        if each.kind == "Test" or each.kind == "Endpoint":
            return "public"
        return cast("Visibility", self._by_word(each) or self._by_name(name) or self._by_place(each))

    def _by_word(self, each: Definition) -> str | None:
        text, language = self.page.text, self.language
        is_top = not each.parent or each.parent.kind == "Module"
        marks = language.marks + language.top_marks if is_top else language.marks
        words = WORD.findall(text, each.start, each.name_start) if marks else ()
        for word, seen in marks:
            if word in words:
                return seen
        for pattern, seen in _before(language.name):
            start = each.start
            if pattern.search(text, max(0, start - BEFORE_CHARACTERS), start) or pattern.search(
                text[start : each.name_start]
            ):
                return seen
        if self.sections and each.parent:
            sections = self.sections.get(each.parent.place, [])
            place = bisect_left(sections, (each.start, "")) - 1
            return sections[place][1] if place >= 0 and each.start < each.parent.end else None
        return None

    def _by_name(self, name: str) -> str | None:
        rule = self.language.names
        if rule == "capital":
            return "public" if name[:1].isupper() else "internal"
        if name[:1] == "#" or (rule == "underscore" and name[:1] == "_" and name[:2] != "__"):
            return "private"
        return None

    def _by_place(self, each: Definition) -> str:
        parent, language = each.parent, self.language
        if parent is None or parent.kind == "Module":
            if self.exports:
                return "public" if each.name in self.exports else "internal"
            return "public" if self.is_open and language.before else language.default
        if parent.kind in CODE:
            return "private"
        around = each.scope or parent
        head = self.page.text[around.start : around.name_start]
        is_variant = each.kind == "Constant" and "enum" in head
        is_of_trait = around.kind is None and " for " in head
        is_elsewhere = each.start >= parent.end and not each.scope  # its declaration is in another place
        is_open = parent.kind == "Interface" or head.startswith(language.open_types or ("\0",))
        return "public" if is_variant or is_of_trait or is_elsewhere or is_open else language.members


@cache
def _before(name: str) -> list[tuple[re.Pattern[str], str]]:
    return [(re.compile(pattern), seen) for pattern, seen in BY_NAME[name].before]


def _assigned(text: str) -> set[str]:
    names: set[str] = set()
    for match in ASSIGNED.finditer(text):
        one, several, itself = match.groups()
        names.update(re.findall(r"[\w$]+", several) if several else [one or itself])
    return names


TESTED = frozenset({"Function", "Method", "Class"})


@cache
def _patterns(name: str) -> tuple[re.Pattern[str] | None, re.Pattern[str] | None, re.Pattern[str] | None]:
    language = BY_NAME[name]
    patterns = (language.test_files, language.test_names, language.test_marks)
    files, names, marks = (re.compile(pattern) if pattern else None for pattern in patterns)
    return files, names, marks


class Trial:
    """The test rules for one file."""

    __slots__ = ("marks", "names")

    def __init__(self, language: str, path: str) -> None:
        _, names, self.marks = _patterns(language)
        self.names = names if is_test_file(language, path) else None

    def passes(self, each: Definition, decorators: tuple[str, ...]) -> bool:
        """Tell whether a definition is a test, by its kind, its decorators, or its name in a test file."""
        if each.kind == "Test":
            return True
        if each.kind not in TESTED:
            return False
        if decorators and self.marks and any(self.marks.match(decorator) for decorator in decorators):
            return True
        return self.names is not None and self.names.match(each.name) is not None


# Values that are types, where no keyword says so.
ALIASES = {
    "python": re.compile(
        r"\w+\s*:\s*(?:\w+\.)?TypeAlias\b|"
        r"[A-Z_]\w*\s*=\s*(?:\w+\.)?(?:(?:Union|Optional|Literal|Callable|Annotated)\[|(?:NewType|TypeVar|ParamSpec)\()"
    ),
}


def kind_of(each: Definition, signature: str, language: str, *, is_test: bool, endpoint: str | None) -> str | None:
    """Return the kind of a symbol: a function that is a test or handles requests is that first."""
    if each.kind == "Function" or each.kind == "Method":
        return "Test" if is_test else "Endpoint" if endpoint else each.kind
    alias = ALIASES.get(language) if each.kind == "Constant" else None
    return "Type" if alias and alias.match(signature) else each.kind


def is_test_file(language: str | None, path: str) -> bool:
    """Tell whether a path is that of a test file."""
    files = _patterns(language)[0] if language in BY_NAME else None
    return files is not None and files.search(path.replace("\\", "/")) is not None


Level = Literal["low", "medium", "high"]

MEDIUM_FROM, HIGH_FROM = 5.0, 15.0


def level(score: float) -> Level:
    """Return the level of a complexity score."""
    return "low" if score < MEDIUM_FROM else "medium" if score < HIGH_FROM else "high"


class Branches:
    """The branches of a file: their offsets and indentation."""

    __slots__ = ("indents", "page", "starts", "unit")

    def __init__(self, page: Page, starts: Sequence[int]) -> None:
        self.page = page
        self.starts = starts
        self.indents = [page.indent(start) for start in starts]
        # One level is the least indentation: 1 for tabs, but never a single stray space.
        least = min((indent for indent in self.indents if indent), default=4)
        self.unit = least if least > 1 or "\n\t" in page.text else 2

    def score(self, start: int, end: int, lines: int) -> float:
        """Return the complexity between two offsets on that many lines, in tenths."""
        if lines == 1:
            return 0.1
        starts = self.starts
        first = bisect_left(starts, start)
        if first == len(starts) or starts[first] >= end:
            return (lines + 10) / 10
        after = bisect_left(starts, end, first)
        deepest = max(self.indents[first:after]) - self.page.indent(start)
        depth = max(deepest // self.unit, 0) + 1
        return (lines + 20 * (after - first) + 10 * depth) / 10
