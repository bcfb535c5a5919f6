"""Fragments to repeat: what the parse tree of a regular expression matches, piece by piece, and a fixed list.

A scanner that is not linear repeats work on a text that repeats one fragment. The fragments of a pattern are the
shortest texts that its parts match: each beginning of a sequence, and the body of each repeat.
"""

from __future__ import annotations

import re
import re._constants as c  # type: ignore[import-not-found]
import re._parser as parser  # type: ignore[import-not-found]
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple

# What scanners of text, code and data know: white space, quotes, brackets, comments, list and heading marks, escapes.
FIXED = (
    " ", "\n", "\t", "\r", " \n", "\n ", '"', "'", "`", "```", "```\n", "\\", '\\"', "(", ")", "((", "[", "]", "[[",
    "{", "}", "<", ">", "<a ", "<a>", "</a>", "<!--", "/*", "*/", "//", "// a\n", "#", "# ", "# a\n", "## a\n\n", "- ",
    "- a\n", "-", "--", "---\n", "=", "===\n", "a = ", "a: ", "a: b\n", "a:\n", " a:\n", "a", "aB", "A", "a ", "a\n",
    "a.", "a-", "a_", "a/", "a,", "a, ", "a. ", "A. ", "a.b ", "a::", "a->", "a(", "a()", "a(b)\n", "a`", "`a` ", "a@",
    "a@b.", "0", "1.", "1 ", "0.0", "1,", "1-", "12-", "0x", ".", "..", ". ", "../", ",", ", ", ";", ";\n", ":", "::",
    "/", "a/b ", "**/", "*", "**", "*a", "?", "!", "|", "| a ", "||", "&", "&&", " && ", "+", "+a\n", "-a\n", "$", "${",
    "$(", "%", "@", "@@", "@a\n", "@@ -1 +1 @@\n", "~", "~~~", "^", "_", "é", "字", "。", "\x00", "\x1b[", "\u2028",
    "👍", "\ufeff", "\U0001f1e6", "https://", "http://a.b/c ", "2024-01-01 ", "10:00 ", "May 5 ", "last week ", "the ",
    "class a:\n", "def a():\n", "function a(){", "if (a) {", "import a\n", "from a import b\n", "{\n", "}\n",
    '{"a":', '{"a":1}\n', '"a":1,', "[1,", "\\n", "<<", "<<A\n", "'''", '"""', "#[", "r#", "#if a\n", "begin\n",
    "end\n",
)  # fmt: skip

# Fragments with a number, so that each is another name: loops over what was seen before show in them.
NUMBERED = (
    "a% ",
    "a%\n",
    "<a%>",
    "`a%` ",
    "a%: 1\n",
    "a% = 1\n",
    "def a%():\n    pass\n",
    "class A%:\n    pass\n",
    "class A% { int a%; }\n",
    "function a%() { a%(); }\n",
    "import a%\n",
    "- [a%] a\n",
    "[a%]\n",
    "[a%.b]\nc = 1\n",
    '"a%": 1,',
    "# a%\n",
    "@a%\n",
    "from a% import b%\n",
    "a%.py ",
    "* a%::b\n",
    "use a%::b;\n",
    "<a% b='c'/>",
    "diff --git a/a% b/a%\n",
    "--- a/a%\n+++ b/a%\n@@ -1 +1 @@\n-a\n+b\n",
    "fn a%() { a%(); }\n",
)

# Ends that make the whole text fail to match, or succeed late.
ENDS = ("", "\x00", "\n", "!", " x")

# Fragments of one pattern: enough for the longest pattern in the source, with an end to what alternatives multiply.
MOST = 160


class Family(NamedTuple):
    """A text that grows: a beginning, a fragment that is repeated, and an end; numbered: % is the number of each."""

    start: str
    fragment: str
    end: str
    numbered: bool = False

    def text(self, size: int) -> str:
        """Return the text with about `size` characters of repeats."""
        if self.numbered:
            count = max(1, size // (len(self.fragment) + 4))
            return self.start + "".join(self.fragment.replace("%", str(number)) for number in range(count)) + self.end
        return self.start + self.fragment * max(1, size // len(self.fragment)) + self.end


def families(pattern: str | bytes, flags: int) -> list[Family]:
    """Return the texts that could make a pattern repeat its work."""
    try:
        tree = parser.parse(pattern, flags)
    except re.error:
        return []
    found: dict[Family, None] = {}
    pieces = dict.fromkeys(piece for piece in islice(_pieces(list(tree), ""), MOST * 4) if piece[1])
    for start, fragment in islice(pieces, MOST):
        for end in ENDS:
            found[Family(start, fragment, end)] = None
            found[Family("", fragment, end)] = None
    return list(found)


def _pieces(tree: Sequence[Any], before: str) -> Iterator[tuple[str, str]]:
    """Yield (what comes before, what to repeat) of a sequence: its beginnings, its repeats, and inside of them."""
    said = before
    own = ""
    for at, (kind, value) in enumerate(tree):
        for inner in _inside(kind, value):
            yield from _pieces(inner, said)
        if kind in REPEATS:
            _low, high, body = value
            if high == c.MAXREPEAT or high > 8:
                for text in _texts(body):
                    yield said, text
                    yield said, text + _example(tree[at + 1 :])[:6]
        step = _example([(kind, value)])
        said, own = said + step, own + step
        yield before, own
        yield said, step


REPEATS = (c.MAX_REPEAT, c.MIN_REPEAT, c.POSSESSIVE_REPEAT)


def _inside(kind: Any, value: Any) -> list[Any]:
    if kind in REPEATS:
        return [list(value[2])]
    if kind is c.SUBPATTERN:
        return [list(value[3])]
    if kind is c.BRANCH:
        return [list(branch) for branch in value[1]]
    if kind is c.ATOMIC_GROUP:
        return [list(value)]
    if kind in (c.ASSERT, c.ASSERT_NOT):
        return [list(value[1])]
    return []


def _texts(tree: Any) -> list[str]:
    """Return shortest texts of a repeated body: one for each alternative and each range of a class at its top."""
    items = list(tree)
    if len(items) == 1:
        kind, value = items[0]
        if kind is c.IN:
            return _members(value)
        if kind is c.SUBPATTERN:
            return _texts(value[3])
        if kind is c.BRANCH:
            return [text for branch in value[1] for text in _texts(branch)]
        if kind is c.ANY:
            return ["a", " ", "-", "'", '"']
    return [_example(items)]


CATEGORIES = {
    c.CATEGORY_DIGIT: "1",
    c.CATEGORY_NOT_DIGIT: "a",
    c.CATEGORY_SPACE: " ",
    c.CATEGORY_NOT_SPACE: "a",
    c.CATEGORY_WORD: "a",
    c.CATEGORY_NOT_WORD: "-",
}
CANDIDATES = "a -\n'\"(<{[.,:;/\\1A_\t*#=>|`é字\x00"


def _members(members: Any) -> list[str]:
    """Return one character of each part of a class; of a negated class the first candidates that it holds."""
    if members and members[0][0] is c.NEGATE:
        kept = [sign for sign in CANDIDATES if not any(_holds(part, sign) for part in members[1:])]
        return kept[:4] or ["\x07"]
    found: list[str] = []
    for kind, value in members:
        if kind is c.LITERAL:
            found.append(chr(value))
        elif kind is c.RANGE:
            found.append(chr(value[0]))
        elif kind is c.CATEGORY:
            found += (
                ["a", "1", "_"]
                if value is c.CATEGORY_WORD
                else ([" ", "\n"] if value is c.CATEGORY_SPACE else [CATEGORIES[value]])
            )
    return list(dict.fromkeys(found)) or ["a"]


def _holds(part: Any, sign: str) -> bool:
    kind, value = part
    if kind is c.LITERAL:
        return chr(value) == sign
    if kind is c.RANGE:
        return bool(value[0] <= ord(sign) <= value[1])
    name = {c.CATEGORY_DIGIT: r"\d", c.CATEGORY_SPACE: r"\s", c.CATEGORY_WORD: r"\w"}
    wanted = {**name, c.CATEGORY_NOT_DIGIT: r"\D", c.CATEGORY_NOT_SPACE: r"\S", c.CATEGORY_NOT_WORD: r"\W"}
    return kind is c.CATEGORY and re.match(wanted[value], sign) is not None


def _example(tree: Any) -> str:
    """Return a short text that a sequence matches, look-arounds and back references aside."""
    return "".join(_one(kind, value) for kind, value in tree)


def _one(kind: Any, value: Any) -> str:
    if kind is c.LITERAL:
        return chr(value)
    if kind is c.NOT_LITERAL:
        return "a" if value != ord("a") else "b"
    if kind is c.ANY:
        return "a"
    if kind is c.IN:
        return _members(value)[0]
    if kind is c.BRANCH:
        return _example(value[1][0])
    if kind is c.SUBPATTERN:
        return _example(value[3])
    if kind is c.ATOMIC_GROUP:
        return _example(value)
    if kind in REPEATS:
        low, high, body = value
        return _example(body) * max(low, 1 if low == 0 and high != 1 else low)
    return ""
