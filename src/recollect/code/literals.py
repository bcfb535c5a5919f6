"""Literals: the strings and comments of a Python file, found by one expression over its text.

Where anything is not certain, it says so: a quote that closes nothing, braces that do not match in a formatted string,
a template string. Whoever asked then needs a parser.
"""

from __future__ import annotations

import re

Span = tuple[int, int]

STRINGS = (
    r'"""[^"\\]*(?:(?:\\.|"(?!""))[^"\\]*)*"""',
    r"'''[^'\\]*(?:(?:\\.|'(?!''))[^'\\]*)*'''",
    r'"(?!"")[^"\\\n]*(?:\\.[^"\\\n]*)*"',
    r"'(?!'')[^'\\\n]*(?:\\.[^'\\\n]*)*'",
)
STRING = re.compile("|".join(STRINGS), re.DOTALL)
# The last alternative is a quote that nothing closes, and all that follows it: what comes after cannot be told, and
# looking for the end of one string after the other would take the square of the file's length. Every alternative begins
# with a plain character, which lets the expression skip what begins none of them.
LITERAL = re.compile("|".join((r"#[^\n]*", *STRINGS, '".*', "'.*")), re.DOTALL)
BRACE = re.compile(r"""[{}"']""")
# Words that choose or repeat, each with an expression of its own: one that begins with plain letters is looked for ten
# times as fast as one with a choice.
BRANCHES = (r"if\b(?<!\wif)", r"elif\b(?<!\welif)", r"for\b(?<!\wfor)", r"while\b(?<!\wwhile)")
BRANCH = re.compile("|".join(BRANCHES), re.ASCII)
MAY_PREFIX = frozenset("fFrRtT")  # the last letters of the prefixes that follow
FORMATTED = frozenset({"f", "fr", "rf"})
TEMPLATES = frozenset({"t", "tr", "rt"})  # of Python 3.14, which grammars do not read yet


class Unsure(Exception):
    """What a text says cannot be told without parsing it."""


class Literals:
    """Comments and strings of a text, and the branches inside formatted strings. Raises Unsure."""

    __slots__ = ("branches", "comments", "quoted", "strings", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        spans = [match.span() for match in LITERAL.finditer(text)]
        self.comments = [span for span in spans if text[span[0]] == "#"]
        self.quoted = [span for span in spans if text[span[0]] != "#"]  # strings with their quotes
        if self.quoted and not STRING.fullmatch(text, *self.quoted[-1]):
            raise Unsure
        # Where white space counts: not between the braces of a formatted string.
        self.strings = [span for span in self.quoted if text[span[0] - 1] not in MAY_PREFIX]
        self.branches: list[int] = []
        if len(self.strings) < len(self.quoted):
            for start, end in self.quoted:
                if text[start - 1] in MAY_PREFIX:
                    self._prefixed(start, end)

    def _prefixed(self, start: int, end: int) -> None:
        """Take a string with a letter before it; that may belong to a word, as in `return"x"`."""
        text, first = self.text, start
        while first and (text[first - 1].isalnum() or text[first - 1] == "_"):
            first -= 1
        prefix = text[first:start].lower()
        if prefix in TEMPLATES:
            raise Unsure
        if prefix in FORMATTED:
            quote = 3 if text.startswith(('"""', "'''"), start) else 1
            self._formatted(start + quote, end - quote)
        else:
            self.strings.append((start, end))

    def _formatted(self, start: int, end: int) -> None:
        """Take the content of a formatted string: what stands between its braces is code."""
        text = self.text
        piece = at = start
        while (at := text.find("{", at, end)) >= 0:
            if text[at + 1] == "{":
                at += 2
                continue
            self.strings.append((piece, at))
            piece = at = self._code(at, end)
        self.strings.append((piece, end))

    def _code(self, start: int, end: int) -> int:
        """Take the code in braces that begins at `start` and return where it ends."""
        text, depth, at, piece = self.text, 0, start, start
        while match := BRACE.search(text, at, end):
            at = match.end()
            if match[0] == "{":
                depth += 1
            elif match[0] == "}":
                depth -= 1
                if not depth:
                    self.branches += [found.start() for found in BRANCH.finditer(text, piece, at)]
                    return at
            else:
                self.branches += [found.start() for found in BRANCH.finditer(text, piece, match.start())]
                inner = STRING.match(text, match.start(), end)
                if not inner:
                    raise Unsure
                self._prefixed(*inner.span())
                at = piece = inner.end()
        raise Unsure
