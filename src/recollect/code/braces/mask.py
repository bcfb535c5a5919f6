"""Mask: a file with its strings and comments out of the way, so that what is left is code and nothing but code.

    x := "a{b" // {        ►       x := \"\"\"\"\"

Every character stays where it is. A string becomes quotes, a comment becomes blanks but keeps its line feeds. A file is
masked with a line feed before it, so that an offset there is one more than in the file, and a line always follows a
line feed: expressions that begin with a plain character skip what does not.
"""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from functools import cache
from itertools import accumulate, chain
from typing import NamedTuple

from recollect.code.found import Span
from recollect.code.gather import MOST_SYMBOLS, Definition
from recollect.code.page import Page

LINE_COMMENT = r"//[^\n]*+"
BLOCK_COMMENT = r"/\*[^*]*+\*++(?:[^/*][^*]*+\*++)*+/"
DOUBLE = r'"[^"\\\n]*+(?:\\.[^"\\\n]*+)*+"'
# A character may be four bytes of UTF-8, or an escape.
CHARACTER = r"'(?:\\[^\n][^'\n]{0,9}|[^'\\\n]{1,4})'"
TEXT_BLOCK = r'"""[^"\\]*+(?:(?:\\.|"(?!""))[^"\\]*+)*+"""'
SINGLE = r"'[^'\\\n]*+(?:\\.[^'\\\n]*+)*+'"
DOUBLE_ALONE = rf'(?!"""){DOUBLE}'

# What literals begin with, and braces with what ends a statement, as one byte each: a byte is looked for many times as
# fast as one of several.
MARK = b"\1"
MARKED = bytes.maketrans(b"\"'`/", MARK * 4)
UNREAD = (b"\r", b"\f", b"\v", MARK)
NO_BRACKETS = bytes(set(range(256)) - set(b"()[]"))
OPENING = ord("{")
BLANKED = bytes(byte if byte == 0x0A else 0x20 for byte in range(256))

NESTED = 4  # how deep brackets are nested that expressions look through


def nested(opening: str, closing: str, inside: str) -> str:
    """Return an expression of what stands in brackets, brackets included; inside: what may stand there but brackets."""
    pattern = f"{opening}{inside}*+{closing}"
    for _ in range(NESTED - 1):
        pattern = f"{opening}{inside}*+(?:{pattern}{inside}*+)*+{closing}"
    return pattern


# Of Rust: comments hold comments, those for readers hold their line feed; raw strings have as many signs after them as
# before; one quote begins a character or the name of a lifetime. Much of a file may be comments of a line each: those
# that follow each other are taken at once.
RUST_LINE = r"//(?:(?:!|/(?!/))[^\n]*+\n?+|[^\n]*+)"
RUST_LINES = r"//[^\n]*+\n?+(?:[ \t]*+//[^\n]*+\n?+)*+"
RUST_BLOCK = nested(r"/\*", r"\*/", r"(?:[^*/]++|\*(?!/)|/(?!\*))")
RUST_DOUBLE = r'(?<![r#])"[^"\\]*+(?:\\.[^"\\]*+)*+"'
RUST_RAW = tuple(
    rf'(?:(?<=\Wr{signs})|(?<=\W[bc]r{signs}))"[^"]*+(?:"(?!{signs})[^"]*+)*+"{signs}'
    for signs in ("#", "##", "###", "####")
)
RUST_CHARACTER = (
    r"'(?:\\(?:x[0-9A-Fa-f]{2}|u\{[0-9A-Fa-f_]{1,8}\}|[^xu\n])|[^'\\\n\x80-\xff]"
    r"|[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3})'"
)
LIFETIME = r"'(?!(?:if|while|loop|match)\b)[A-Za-z_]\w*+(?!')"


# Of C#: after an at sign quotes are doubled, after a dollar sign there is code in braces, of which none holds quotes.
SHARP_RAW = r'(?<![@$"])"""(?!")[^"]*+(?:"{1,2}(?!")[^"]*+)*+"""(?!")'
SHARP_DOUBLE = rf'(?<![@$])(?!"""){DOUBLE}'
SHARP_VERBATIM = r'(?<=@)(?<!\$@)"[^"]*+(?:""[^"]*+)*+"(?!")'
SHARP_CODE = r"""\{\{|\}\}|\{[^{}"'\n/]*+\}"""
SHARP_FORMAT = rf'(?<=\$)(?<!@\$)"(?!"")(?:[^"\\{{}}\n]|\\.|{SHARP_CODE})*+"'
SHARP_BOTH = rf'(?:(?<=\$@)|(?<=@\$))"(?:[^"{{}}]|""|{SHARP_CODE})*+"(?!")'


class Unsure(Exception):
    """What a text says cannot be told without parsing it."""


class Literals(NamedTuple):
    """What is no code in a language, as patterns of which the first that matches counts."""

    comments: tuple[str, ...]
    strings: tuple[str, ...]
    has_mark: bool = False  # the mark of their encoding before the first line, which is no code
    line: str = ""  # one comment, where the first of them is all that stand on lines that follow each other


# By language.
LITERALS: dict[str, Literals] = {
    "go": Literals((LINE_COMMENT, BLOCK_COMMENT), (DOUBLE, r"`[^`]*+`", CHARACTER)),
    "java": Literals((LINE_COMMENT, BLOCK_COMMENT), (TEXT_BLOCK, DOUBLE_ALONE, CHARACTER)),
    "csharp": Literals(
        (LINE_COMMENT, BLOCK_COMMENT),
        (SHARP_DOUBLE, SHARP_RAW, SHARP_VERBATIM, SHARP_FORMAT, SHARP_BOTH, CHARACTER),
        has_mark=True,
    ),
    "rust": Literals(
        (RUST_LINES, RUST_BLOCK),
        (RUST_DOUBLE, r'(?:(?<=\Wr)|(?<=\W[bc]r))"[^"]*+"', *RUST_RAW, RUST_CHARACTER, LIFETIME),
        line=RUST_LINE,
    ),
}  # fmt: skip


@cache
def _literal(language: str) -> re.Pattern[str]:
    row = LITERALS[language]
    return re.compile("|".join(chain(row.comments, row.strings)), re.DOTALL)


@cache
def _line(language: str) -> re.Pattern[str] | None:
    line = LITERALS[language].line
    return re.compile(line) if line else None


class Mask:
    """The comments and strings of a page, and its code with a line feed before it. Raises Unsure."""

    __slots__ = ("code", "comments", "plain", "strings", "text")

    def __init__(self, page: Page, language: str) -> None:
        self.text = text = page.text
        source = page.source
        self.comments: list[Span] = []
        self.strings: list[Span] = []
        match, line = _literal(language).match, _line(language)
        find = source.translate(MARKED).find
        blanked = source.translate(BLANKED)
        blob = bytearray(source)
        start = find(MARK)
        while start >= 0:
            found = match(text, start)
            if found:
                end = found.end()
                if text[start] == "/":
                    if line and text[start + 1] == "/":
                        self.comments += [each.span() for each in line.finditer(text, start, end)]
                    else:
                        self.comments.append((start, end))
                    blob[start:end] = blanked[start:end]
                else:
                    self.strings.append((start, end))
                    blob[start:end] = b'"' * (end - start)
                start = find(MARK, end)
            elif text[start] == "/" and text[start + 1 : start + 2] != "*":
                start = find(MARK, start + 1)  # divided by
            else:
                raise Unsure
        if LITERALS[language].has_mark and blob.startswith(BOM_UTF8):
            blob[: len(BOM_UTF8)] = b" " * len(BOM_UTF8)
        if not blob.isascii() or any(each in blob for each in UNREAD):
            raise Unsure
        self.plain = b"\n" + blob
        self.code = self.plain.decode("ascii")

    def places(self, signs: bytes) -> list[int]:
        """Return where any of these signs stands in the code."""
        marks = bytes.maketrans(signs + b"\n", b"\n" * len(signs) + b" ")
        lines = self.plain.translate(marks).splitlines(keepends=True)
        if not lines[-1].endswith(b"\n"):
            lines.pop()
        return list(accumulate(map(len, lines), initial=-1))[1:]


def blocks(mask: Mask) -> dict[int, int]:
    """Return where each brace is closed. Raises Unsure where brackets do not match."""
    plain = mask.plain
    signs = plain.translate(None, NO_BRACKETS)
    if signs.count(b"(") != signs.count(b")") or signs.count(b"[") != signs.count(b"]"):
        raise Unsure
    closes: dict[int, int] = {}
    stack: list[int] = []
    for place in mask.places(b"{}"):
        if plain[place] == OPENING:
            stack.append(place)
        elif stack:
            closes[stack.pop()] = place
        else:
            raise Unsure
    if stack:
        raise Unsure
    return closes


@cache
def _words(words: tuple[str, ...]) -> list[re.Pattern[str]]:
    # Each with an expression of its own: one that begins with plain letters is looked for ten times as fast as one
    # with a choice.
    return [re.compile(rf"{word}\b(?<![\w$]{word})") for word in words]


def branches(code: str, words: tuple[str, ...]) -> list[int]:
    """Return where the words of a language stand in the file that choose or repeat."""
    return sorted([match.start() - 1 for word in _words(words) for match in word.finditer(code)])


class Reading:
    """What was found in a file, as recollect.code.found.Captured. Raises Unsure for what has too many definitions."""

    __slots__ = ("_spans", "_starts", "definitions")

    def __init__(
        self,
        mask: Mask,
        definitions: list[Definition],
        branches: list[int],
        packages: list[Span],
        exports: list[Span] | None = None,
        markup: list[Span] | None = None,
    ) -> None:
        if len(definitions) > MOST_SYMBOLS:
            raise Unsure
        self.definitions = definitions
        self._spans = {
            "comment": mask.comments,
            "string": mask.strings,
            "package": packages,
            "export": exports or [],
            "markup": markup or [],
        }
        self._starts = {"branch": branches}

    def spans(self, name: str) -> list[Span]:
        return self._spans.get(name, [])

    def starts(self, name: str) -> list[int]:
        return self._starts.get(name, [])

    def ends(self, _name: str) -> list[int]:
        return []

    def errors(self, _page: Page) -> list[str]:
        return []  # what looks like one is not accepted
