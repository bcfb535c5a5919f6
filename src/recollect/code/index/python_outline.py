"""The outline of a Python file from its lines, without a tree.

Parsing is half of the cost of indexing. Lines are enough for an outline: brackets join them, indentation makes blocks,
and a definition begins with a keyword. This is several times as fast. A file that is not certain is left to the parser.

    text ──literals──► strings, comments ──masked──► logical lines ──indentation──► blocks, definitions

Left to the parser, since it is rare: tabs and form feeds, several statements on a line, `match`, names that are not
ASCII, brackets or indentation that do not match, doubtful strings. Errors inside of expressions are not noticed.
"""

from __future__ import annotations

import re
from bisect import bisect_left

from recollect.code.index.captures import Marks
from recollect.code.index.definitions import MOST_SYMBOLS, Definition, decorate
from recollect.code.index.languages import Language
from recollect.code.index.page import Page
from recollect.model import NodeKind

Span = tuple[int, int]

STRINGS = (
    r'"""[^"\\]*(?:(?:\\.|"(?!""))[^"\\]*)*"""',
    r"'''[^'\\]*(?:(?:\\.|'(?!''))[^'\\]*)*'''",
    r'"(?!"")[^"\\\n]*(?:\\.[^"\\\n]*)*"',
    r"'(?!'')[^'\\\n]*(?:\\.[^'\\\n]*)*'",
)
STRING = re.compile("|".join(STRINGS), re.DOTALL)
# The last alternatives are a quote that nothing closes, with all that follows: looking for the end of each string would
# take quadratic time. Every alternative begins with a plain character, which makes the search fast.
LITERAL = re.compile("|".join((r"#[^\n]*", *STRINGS, '".*', "'.*")), re.DOTALL)
BRACE = re.compile(r"""[{}"']""")
# Words that choose or repeat, each with an expression of its own: one that begins with plain letters is found ten times
# as fast as one with a choice.
BRANCHES = (r"if\b(?<!\wif)", r"elif\b(?<!\welif)", r"for\b(?<!\wfor)", r"while\b(?<!\wwhile)")
BRANCH = re.compile("|".join(BRANCHES), re.ASCII)
MAY_PREFIX = frozenset("fFrRtT")  # the last letters of the prefixes that follow
FORMATTED = frozenset({"f", "fr", "rf"})
TEMPLATES = frozenset({"t", "tr", "rt"})  # of Python 3.14, which grammars do not read yet


class Unsure(Exception):
    """The text has to be parsed."""


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
        # White space counts in strings, but not between the braces of a formatted one.
        self.strings = [span for span in self.quoted if text[span[0] - 1] not in MAY_PREFIX]
        self.branches: list[int] = []
        if len(self.strings) < len(self.quoted):
            for start, end in self.quoted:
                if text[start - 1] in MAY_PREFIX:
                    self._prefixed(start, end)

    def _prefixed(self, start: int, end: int) -> None:
        """Add a string after a letter, which may belong to a word, as in `return"x"`."""
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
        """Add the content of a formatted string: between its braces is code."""
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
        """Add the code in braces that begins at `start`; return its end."""
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


# All brackets count as round ones; everything else but line feeds is dropped.
ROUND = bytes.maketrans(b"[{]}", b"(())")
NO_BRACKET = bytes(set(range(256)) - set(b"([{)]}\n"))
NESTED_MOST = 64  # nested brackets on a line: people write fewer
FEED, BLANK, COLON, C = b"\n :c"

# Not read: several statements on a line, and white space other than blanks and line feeds.
UNREAD = (b";", b"\t", b"\f", b"\v", b"\r", b"\\")
# A compound statement with its body on the same line.
SUITE = rb"(?:if|elif|else|for|while|try|except|finally|with|async)\b[^\n]*[^ :\n] *(?=\n|$)"
# A line that begins a definition or a block, or changes the indentation; and all lines after it that do neither.
RUN = re.compile(
    rb"\n( *+)(?:((?:async +)?def|class) +(\w++)|(@)|(" + SUITE + rb")|([A-Z_][A-Z0-9_]*+) *+[:=](?!=)"
    rb"|type +(\w++) *+=|(match)\b|(?=[^ \n]))[^\n]*+"
    rb"(?:\n(?: *+(?=\n|$)|\1(?!"
    rb" |(?:async +)?(?:def|class)\b|@|" + SUITE + rb"|[A-Z_][A-Z0-9_]*+ *+[:=]|type +\w++ *+=|match\b)[^\n]*+))*+"
)
INDENT, DEFINED, DECORATED, SUITED, ASSIGNED, TYPED, MATCHED = 1, 3, 4, 5, 6, 7, 8  # groups of it
CONSTANT = re.compile(rb"\n(?!(?:else|except|finally|lambda|try)\b)([A-Za-z_]\w*+) *+[:=](?!=)")
HEADS = re.compile(rb": *+(?=\n|$)")
BRANCH_WORDS = tuple(re.compile(pattern.encode()) for pattern in BRANCHES)
BRACKET = re.compile(rb"[][(){}:]")


# An open block: its indentation, and the definition whose body it is.
Block = tuple[int, Definition | None]


class Scan:
    """The definitions and marks of a file. Raises Unsure."""

    __slots__ = (
        "_starts", "blocks", "branches", "comments", "decorators", "definitions", "lambdas", "masked", "strings",
        "text",
    )  # fmt: skip

    def __init__(self, text: str, masked: bytes, literals: Literals, lambdas: str) -> None:
        self.text = text
        self.lambdas = lambdas
        self.masked = masked
        self.comments = literals.comments
        self.strings = literals.strings
        self.branches = literals.branches
        for word in BRANCH_WORDS:
            self.branches += [found.start() - 1 for found in word.finditer(masked)]
        self.branches.sort()
        self.blocks: list[int] = []  # where they end
        self.definitions: list[Definition] = []
        self.decorators: list[Span] = []
        self._starts = [start for start, _ in literals.comments]
        self._follow()
        for match in CONSTANT.finditer(masked):
            self._assign(match.start(), match.span(1), "Constant")
        if len(self.definitions) > MOST_SYMBOLS:
            raise Unsure

    def _follow(self) -> None:
        """Read the lines: definitions, and blocks that they open and close."""
        masked = self.masked
        open_now: list[Block] = [(0, None)]
        deepest = 0  # how far the innermost block is indented
        waiting: Definition | None = None  # for its body
        last = 0  # offset of the code before a line, in the masked text
        heads = len(HEADS.findall(masked))  # without their bodies so far
        for match in RUN.finditer(masked):
            first, after = match.span(INDENT)
            indent, begin = after - first, after - 1  # of the line's code, in the text
            is_deeper = indent > deepest
            if is_deeper != (masked[last] == COLON) or (waiting and not is_deeper):
                raise Unsure
            if is_deeper:
                heads -= 1
                if waiting:
                    waiting.body = begin
                open_now.append((indent, waiting))
                deepest = indent
            elif indent < deepest:
                self._close(open_now, indent, last, begin)
                if open_now[-1][0] != indent:
                    raise Unsure
                deepest = indent
            begins = match.lastindex != INDENT
            waiting = self._begin(match, begin, open_now[-1][1]) if begins else None
            last = match.end() - 1
            if masked[last] <= BLANK:  # blank lines
                last = first - 2 + len(match[0].rstrip())
        self._close(open_now, 0, last, len(self.text))
        if heads or waiting:
            raise Unsure

    @property
    def marks(self) -> Marks:
        """The parts of the file that decide about symbols and their hashes."""
        return Marks(self.comments, self.strings, blocks=self.blocks, branches=self.branches)

    def _begin(self, match: re.Match[bytes], begin: int, around: Definition | None) -> Definition | None:
        """Add what a line begins; return a definition whose body follows."""
        which = match.lastindex
        if which == DEFINED:
            return self._define(match, begin)
        if which == DECORATED:
            if self._code_end(begin) == begin + 1:
                raise Unsure
            self.decorators.append((begin, self._line_end(begin)))
        elif which == SUITED:
            self.blocks.append(self._line_end(begin))
        elif which == ASSIGNED and around and around.kind == "Class" and match[ASSIGNED].isupper():
            self._assign(begin, match.span(ASSIGNED), "Constant")
        elif which == TYPED:
            self._assign(begin, match.span(TYPED), "Type")
        elif which == MATCHED and self.masked[self._code_end(begin)] == COLON:
            raise Unsure
        return None

    def _define(self, match: re.Match[bytes], begin: int) -> Definition | None:
        """Add a definition, and return it unless its body is on its line."""
        name = match.start(DEFINED) - 1, match.end(DEFINED) - 1
        code = self._code_end(begin)
        is_class = self.masked[begin + 1] == C
        each = Definition(begin, code, "Class" if is_class else "Function", "", name, code)
        self.definitions.append(each)
        if self.masked[code] == COLON:
            return each
        each.body, each.end = self._body(name[1], code), self._line_end(begin)
        self.blocks.append(each.end)
        if is_class and b"=" in self.masked[each.body : code + 1]:  # it may have members
            raise Unsure
        return None

    def _body(self, start: int, end: int) -> int:
        """Return the start of a body on the line of its head."""
        depth = 0
        for match in BRACKET.finditer(self.masked, start + 1, end + 1):
            bracket = match[0]
            if bracket == b":" and depth == 0:
                line = self.masked[match.end() : end + 1]
                return match.end() + len(line) - len(line.lstrip()) - 1
            depth += bracket in b"([{"
            depth -= bracket in b")]}"
        raise Unsure

    def _assign(self, begin: int, name: Span, kind: NodeKind) -> None:
        """Add an assignment to a name; name: its span in the masked text."""
        end = self._code_end(begin)
        first, after = name[0] - 1, name[1] - 1
        if kind == "Constant" and self.text.startswith(self.lambdas, after):
            kind = "Function"
        self.definitions.append(Definition(begin, end, kind, "", (first, after), end))

    def _code_end(self, begin: int) -> int:
        """Return the end of the code of a line."""
        masked = self.masked
        feed = masked.find(b"\n", begin + 1)
        line = masked[begin + 1 : feed if feed >= 0 else len(masked)]
        return begin + len(line.rstrip())

    def _line_end(self, begin: int) -> int:
        """Return the end of the code of a line, or of a comment after it."""
        return self._after(self._code_end(begin))[0]

    def _after(self, code: int) -> tuple[int, int]:
        """Return the end of code or of a comment after it on its line, and the place of the next comment."""
        place = bisect_left(self._starts, code)
        if place < len(self._starts):
            feed = self.text.find("\n", code)
            if feed < 0 or self._starts[place] < feed:
                return self.comments[place][1], place + 1
        return code, place

    def _close(self, open_now: list[Block], indent: int, last: int, begin: int) -> None:
        """End the blocks that are indented further than a line; comments as far indented belong to them."""
        end, place = self._after(last)
        comments, text = self.comments, self.text
        while open_now[-1][0] > indent:
            depth, definition = open_now.pop()
            while place < len(comments) and comments[place][0] < begin:
                start = comments[place][0]
                if start - text.rfind("\n", 0, start) - 1 < depth:
                    break
                end = comments[place][1]
                place += 1
            self.blocks.append(end)
            if definition:
                definition.end = end


def scan(page: Page, language: Language) -> Scan | None:
    """Return the definitions of a page; None if it has to be parsed."""
    try:
        literals = Literals(page.text)
        found = Scan(page.text, _masked(page, literals), literals, language.lambdas)
    except Unsure:
        return None
    decorate(page, language, found.definitions, found.decorators)
    return found


def _masked(page: Page, literals: Literals) -> bytes:
    """Return a page without strings and comments, one logical line per line, after a line feed."""
    blob = bytearray(page.source)
    for start, end in literals.quoted:
        blob[start:end] = b'"' * (end - start)
    for start, end in literals.comments:
        blob[start:end] = b" " * (end - start)
    if b"\\" in blob:
        blob = blob.replace(b"\\\n", b"  ")
    if not blob.isascii() or any(each in blob for each in UNREAD):
        raise Unsure
    feeds = [feed for feed in page.line_feeds if blob[feed] == FEED]
    for feed in _joined(blob, feeds):
        blob[feed] = BLANK
    return b"\n" + bytes(blob)


def _joined(blob: bytearray, feeds: list[int]) -> list[int]:
    """Return the line feeds inside of brackets. Raises Unsure if brackets do not match."""
    brackets = blob.translate(ROUND, NO_BRACKET)
    for _ in range(NESTED_MOST):
        if b"()" not in brackets:
            break
        brackets = brackets.replace(b"()", b"")
    else:
        raise Unsure
    inside: list[int] = []
    depth = 0
    for feed, line in zip([*feeds, -1], brackets.split(b"\n"), strict=True):
        if line:
            opened = len(line.lstrip(b")"))
            closed = len(line) - opened
            if closed > depth:
                raise Unsure
            depth += opened - closed
        if depth:
            inside.append(feed)
    if depth:
        raise Unsure
    return inside
