"""The text of a source file, the grammar and query of its language, and its syntax tree.

Trees count in bytes. The text is kept as one character per byte, so that offsets of the tree are offsets of the text.
Cut text is decoded only in files that are not ASCII.
"""

from __future__ import annotations

import codecs
import re
import time
from bisect import bisect_left
from functools import cache, lru_cache
from importlib import import_module
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from recollect.code.index.languages import BY_NAME, Language
from recollect.code.process_pool import Job, JobFailed, is_limited, run_alone

if TYPE_CHECKING:
    import tree_sitter

# Captures that symbols do not need. A pattern that captures nothing else is not part of an outline.
USES = re.compile(r"@(?:reference\.\w+|import(?:\.\w+)?|path)(?![\w.])")
QUERIES = Path(__file__).with_name("queries")
CAPTURE = re.compile(r"@[\w.]+")


class Grammar(NamedTuple):
    """A language for parsers and its query; captures: names of the query, in the order of its file."""

    name: str
    language: tree_sitter.Language
    query: tree_sitter.Query
    captures: tuple[str, ...]


@cache
def load(name: str, *, outline: bool = False) -> Grammar:
    """Return the grammar of a language: an import and the compilation of its query, once per process.

    outline: the query captures no references and imports
    """
    from tree_sitter import Query

    language = BY_NAME[name]
    parsed = _parsed(language.grammar, language.entry)
    query = Query(parsed, outlined(source(language)) if outline else source(language))
    return Grammar(name, parsed, query, tuple(query.capture_name(place) for place in range(query.capture_count)))


def parsed(name: str) -> tree_sitter.Language:
    """Return a language for a parser; the query takes most of the loading time."""
    language = BY_NAME[name]
    return _parsed(language.grammar, language.entry)


@cache
def _parsed(module: str, entry: str) -> tree_sitter.Language:
    from tree_sitter import Language as Parsed

    return Parsed(getattr(import_module(module), entry)())


def source(language: Language) -> str:
    """Return the query of a language: its file, and patterns of its row. A pattern is one line."""
    own = [(QUERIES / f"{stem}.scm").read_text("utf-8") for stem in language.queries or (language.name,)]
    rows = [
        (language.comments, "comment"),
        (language.strings, "string"),
        (language.directives, "directive"),
        (language.markup, "markup"),
        (language.blocks, "block"),
        (language.branches, "branch"),
    ]
    added = [f"[{' '.join(types)}] @{capture}" for types, capture in rows if types]
    return "\n".join([*own, *added, "(ERROR) @error", ""])


def outlined(query: str) -> str:
    """Return a query without the patterns that only find references and imports."""
    return "\n".join(line for line in query.splitlines() if not _is_use(line))


def _is_use(line: str) -> bool:
    captures = CAPTURE.findall(line)
    return bool(captures) and not line.startswith(";") and all(USES.fullmatch(capture) for capture in captures)


# The clock is read once per chunk, and a chunk is at most an eighth of the text before it. Text that is no code takes
# quadratic time, in some grammars cubic: 1 KB of `/*` takes Swift a second, 2 KB eight.
CHUNK_BYTES = 256
PARSE_SECONDS = 3.0  # of CPU time: some 15 MB of ordinary code
# Texts that any process parses. The YAML grammar crashes on 254 nested lists, which are 508 bytes.
SAFE_BYTES = 256
# Parses a text in a child first: a quarter of the memory that reading a file may take.
PARSE = Job("recollect.code.index.page:parse_alone", cpu_s=PARSE_SECONDS, memory_bytes=1 << 28)
ERROR_CHILDREN = 5_000  # 0.04 s of searching; 100,000 would be 16 s
SWAMPS_MOST = 4
# A guard in a `when` of Kotlin, newer than the grammar: `is Circle if radius > 10 ->`.
GUARD = re.compile(rb"^[ \t]*+(?>[^\s{}=][^\n{}=]*?[ \t]if\b)(?=[^\n{}]*->)", re.MULTILINE)
WIDE = re.compile(rb"[\x80-\xff]+")
SIXTEEN_BIT = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}


class Page:
    """A file's bytes, cut by offset."""

    __slots__ = ("is_ascii", "line_feeds", "notes", "returns", "source", "text")

    def __init__(self, source: bytes) -> None:
        self.notes: list[str] = []
        encoding = SIXTEEN_BIT.get(source[:2])
        if encoding:
            source = source[2:].decode(encoding, "replace").encode()
            self.notes.append("UTF-16: converted to UTF-8; byte offsets refer to the converted text")
        self.returns: list[int] = []  # offsets of line feeds after a \r, which is removed
        if b"\r\n" in source:
            self.returns = [match.start() - before for before, match in enumerate(re.finditer(b"\r\n", source))]
            source = source.replace(b"\r\n", b"\n")
        self.source = source
        self.is_ascii = source.isascii()
        if not self.is_ascii and not _is_utf8(source):
            self.notes.append("not UTF-8: invalid bytes are replaced")
        self.text = source.decode("latin-1")
        self.line_feeds = line_feeds(source)

    def cut(self, start: int, end: int) -> str:
        """Return the text between two offsets."""
        text = self.text[start:end]
        return text if self.is_ascii else decoded(text)

    def original(self, offset: int) -> int:
        """Return the offset in the file for an offset of the text.

        Grammars treat a \\r at the end of a line differently, so the text has none.
        """
        return offset + bisect_left(self.returns, offset)

    def wide_lines(self) -> set[int]:
        """Return the numbers of the lines that are not ASCII."""
        return {self.line(match.start()) for match in WIDE.finditer(self.source)}

    def line(self, offset: int) -> int:
        """Return the number of the line that holds an offset; the first line is 1."""
        return bisect_left(self.line_feeds, offset) + 1

    def indent(self, offset: int) -> int:
        """Return how many white space characters the line of an offset begins with."""
        line = self.text[self.text.rfind("\n", 0, offset) + 1 : offset]
        return len(line) - len(line.lstrip())


def parse(page: Page, name: str) -> tree_sitter.Tree:
    """Return the tree of a page in a language; a text that takes too much is cut or skipped, with a note."""
    tree, notes = _parsed_text(name, page.source)
    page.notes += notes
    return tree


@lru_cache(maxsize=1)  # the outline and the program of a file both need it
def _parsed_text(name: str, source: bytes) -> tuple[tree_sitter.Tree, list[str]]:
    """Return the tree of a text, and notes on what of it was skipped."""
    language, notes = parsed(name), list[str]()
    if len(source) > SAFE_BYTES and not is_limited() and not _is_safe(name, source):
        return _parse(b"", language, notes), ["skipped: parsing takes too much memory or time"]
    rest = source
    if name == "kotlin" and b"when" in source:
        rest = GUARD.sub(_as_condition, source)
    for _ in range(SWAMPS_MOST):
        tree = _parse(rest, language, notes)
        swamp = _swamp(tree.root_node)
        if swamp is None:
            return tree, notes
        rest = rest[:swamp]
        line = bisect_left(line_feeds(source), swamp) + 1
        notes.append(f"thousands of syntax errors from line {line} on: the rest is skipped")
    return _parse(b"", language, notes), notes


def _as_condition(guard: re.Match[bytes]) -> bytes:
    """Return the beginning of a guard as the grammar knows it, of the same length: another condition."""
    return b" " * len(guard[0]) if guard[0].split() == [b"else", b"if"] else guard[0][:-2] + b", "


@lru_cache(maxsize=4)  # several readers ask about one text
def _is_safe(name: str, source: bytes) -> bool:
    """Return whether a child that limits its memory can parse a text: this process would take gigabytes, or abort."""
    try:
        run_alone(PARSE, name.encode() + b"\0" + source)
    except OSError:  # no process can be started: then there are no limits
        return True
    except JobFailed:
        return False
    return True


def parse_alone(content: bytes) -> bytes:
    """Parse a text after the name of its language, and answer nothing: the job of a child."""
    name, _, source = content.partition(b"\0")
    parse(Page(source), name.decode())
    return b""


def _swamp(root: tree_sitter.Node) -> int | None:
    """Return the start of an error that is too large to query: a query takes the square of its size."""
    suspects = [root] if root.has_error else []
    while suspects:
        node = suspects.pop()
        if node.is_error and node.child_count > ERROR_CHILDREN:
            return node.start_byte
        suspects += [child for child in node.children if child.has_error]
    return None


def _parse(source: bytes, language: tree_sitter.Language, notes: list[str]) -> tree_sitter.Tree:
    """Return the tree of a source, or of the part that was parsed in time.

    The progress callback of the library crashes before Python 3.14, so the clock is read when it asks for more text.
    """
    from tree_sitter import Parser

    parser = Parser(language)
    if len(source) <= CHUNK_BYTES:
        return parser.parse(source)
    deadline = time.thread_time() + PARSE_SECONDS
    whole = memoryview(source)
    # The library never frees a chunk; a released view takes a few bytes.
    views: list[memoryview] = []
    late = False

    def read(offset: int, _point: object) -> memoryview | bytes:
        nonlocal late
        late = late or time.thread_time() > deadline
        if late:
            return b""
        views.append(whole[offset : offset + max(CHUNK_BYTES, offset // 8)])
        return views[-1]

    tree = parser.parse(read)
    for view in views:
        view.release()
    if late:
        notes.append(f"parsing took more than {PARSE_SECONDS:g} s and was stopped: later symbols are missing")
    return tree


def decoded(text: str) -> str:
    """Return text of one character per byte, decoded from UTF-8."""
    return text if text.isascii() else text.encode("latin-1").decode("utf-8", "replace")


@lru_cache(maxsize=1)  # the outline and the chunks of a file both need it
def line_feeds(source: bytes) -> list[int]:
    """Return the offsets of line feeds. The list is shared: do not change it."""
    # A carriage return alone would end a line, too.
    lines = (source.replace(b"\r", b" ") if b"\r" in source else source).splitlines(keepends=True)
    feeds = list(accumulate(map(len, lines), initial=-1))
    if not source.endswith(b"\n"):
        feeds.pop()
    return feeds[1:] if source else []


def _is_utf8(source: bytes) -> bool:
    try:
        source.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True
