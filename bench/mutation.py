"""Edits of real source files whose effect on a symbol is known: what a freshness verdict is measured against.

Every edit works on the byte spans that the index has of symbols and is the same for all languages. An edit that cannot
be made of a symbol (no place for a comment, nothing to change) is not made; one that the grammar does not read as meant
(a comment that is none, a broken file) is taken back.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from recollect.code.index.captures import Captures
from recollect.code.index.extract import outline
from recollect.code.index.languages import Language
from recollect.code.index.page import Page, load
from recollect.code.index.symbols import Symbol

COMMENTS = {"#": ("python", "ruby", "bash", "elixir", "yaml", "toml"), "--": ("lua", "haskell", "sql")}
KEYWORDS = frozenset(
    """and as assert async await break case catch class const continue def default defer del do elif else end enum
    except export extends false final finally fn for from func function go if impl implements import in interface is
    lambda let match mod module new nil none not null or package pass private protected pub public raise range return
    select self static struct super switch this throw throws trait true try type typeof use var void where while with
    yield None True False int string bool byte error map chan float double long char boolean""".split()
)
_NAME = re.compile(rb"[A-Za-z_][A-Za-z0-9_]{2,}")


class Edit(NamedTuple):
    """Files to write (None: to remove), the verdict that is right afterwards, and where the symbol is then."""

    files: dict[str, bytes | None]
    verdict: str
    path: str
    symbol: str | None


class Target(NamedTuple):
    """A symbol to edit: its file, its content before, its language and what surrounds it."""

    path: str
    source: bytes
    language: Language
    symbol: Symbol
    every: Sequence[Symbol]
    chance: random.Random

    @property
    def span(self) -> bytes:
        return self.source[self.symbol.start_byte : self.symbol.end_byte]


def marked(source: bytes, language: Language) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Return where strings, and what is like them, and comments are in a source without carriage returns."""
    found = Captures(Page(source), load(language.name, outline=True), language.deepest)
    strings = [span for name in ("string", "directive", "markup") for span in found.spans(name)]
    return strings, found.spans("comment")


def is_within(at: int, spans: Sequence[tuple[int, int]]) -> bool:
    return any(start <= at < end for start, end in spans)


def comment_mark(language: Language) -> bytes:
    return next((mark.encode() for mark, names in COMMENTS.items() if language.name in names), b"//")


def reads(source: bytes, path: str, language: Language) -> list[Symbol] | None:
    """Return the symbols of a source; None if it has syntax errors."""
    read = outline(source, path, language)
    return None if read.notes else read.symbols


def with_span(target: Target, span: bytes) -> bytes:
    return target.source[: target.symbol.start_byte] + span + target.source[target.symbol.end_byte :]


# --- edits that change nothing ---


def commented(target: Target) -> Edit | None:
    """Comments on lines of their own, at the ends of lines, and above the symbol."""
    strings, comments = marked(target.source, target.language)
    mark = comment_mark(target.language)
    start, end = target.symbol.start_byte, target.symbol.end_byte
    breaks = [at for at in range(start, end) if target.source[at : at + 1] == b"\n"]
    safe = [
        at
        for at in breaks
        if not is_within(at, strings)
        and not is_within(at, comments)
        and target.source[at - 1 : at] not in (b"\\", b"\r")
    ]
    target.chance.shuffle(safe)
    source = target.source
    for number, at in enumerate(sorted(safe[:3], reverse=True)):
        note = b" " + mark + b" a remark, (not) code" if number % 2 else b"\n" + mark + b" a 'remark' of {its} own"
        source = source[:at] + note + source[at:]
    if source == target.source:
        return None
    made = marked(source, target.language)[1]
    if len(made) < len(comments) + 1 or reads(source, target.path, target.language) is None:
        return None
    held = b"".join(source[first:last] for first, last in made)
    if held.count(b"remark") < min(3, len(safe)):
        return None
    return Edit({target.path: source}, "fresh", target.path, target.symbol.qualified)


def spaced(target: Target) -> Edit | None:
    """Blank lines, blanks at the ends of lines, deeper indentation, and on half of the files other line ends."""
    strings, comments = marked(target.source, target.language)
    start, end = target.symbol.start_byte, target.symbol.end_byte
    source = bytearray()
    for at, byte in enumerate(target.source):
        inside = start < at < end and not is_within(at, strings) and not is_within(at, comments)
        breaks = byte == 0x0A and inside and target.source[at - 1 : at] != b"\\"
        if breaks:
            source += b"   \n" + b"\n" * target.chance.randint(0, 2)
        else:
            source.append(byte)
        follows = target.source[at + 1 : at + 2]
        if (
            breaks
            and target.language.layout == "free"
            and follows not in (b"\n", b"#", b"")
            and not target.language.blocks
        ):
            source += b"  " * target.chance.randint(0, 2)
        if (
            byte in b"(["
            and inside
            and follows not in (b"\n", b")", b"]", b"[", b"(")
            and target.language.layout == "free"
        ):
            source += b" "
    new = bytes(source)
    if target.chance.random() < 0.5:
        new = new.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")
    if new == target.source or reads(new, target.path, target.language) is None:
        return None
    return Edit({target.path: new}, "fresh", target.path, target.symbol.qualified)


def beside(target: Target) -> Edit | None:
    """Another symbol of the file is edited: this one is as it was."""
    overloads = [row for row in target.every if row.qualified == target.symbol.qualified]
    others = [
        other
        for other in target.every
        if other.kind in ("Function", "Method")
        and (other.end_byte <= target.symbol.start_byte or other.start_byte >= target.symbol.end_byte)
        and not any(own.start_byte <= other.start_byte < own.end_byte for own in overloads)
    ]
    if not others:
        return None
    other = target._replace(symbol=target.chance.choice(others))
    edit = changed(other)
    return edit and edit._replace(verdict="fresh", symbol=target.symbol.qualified)


# --- edits that change it ---


def changed(target: Target) -> Edit | None:
    """One word of the code is another: a variable, a call, a type, a number."""
    span = _altered(target)
    if span is None:
        return None
    source = with_span(target, span)
    symbols = reads(source, target.path, target.language)
    if symbols is None or not any(symbol.qualified == target.symbol.qualified for symbol in symbols):
        return None
    return Edit({target.path: source}, "changed", target.path, target.symbol.qualified)


def resigned(target: Target) -> Edit | None:
    """The signature is another: a word between the name and the body."""
    at = target.span.find(b"(")
    close = target.span.find(b")", at)
    if at < 0 or close < 0 or b"\n" in target.span[at:close]:
        return None
    strings, comments = marked(target.source, target.language)
    words = [
        match
        for match in _NAME.finditer(target.span, at, close)
        if match[0].decode() not in KEYWORDS
        and not is_within(target.symbol.start_byte + match.start() + 1, [*strings, *comments])
    ]
    if not words:
        return None
    word = target.chance.choice(words)
    span = target.span[: word.end()] + b"_other" + target.span[word.end() :]
    source = with_span(target, span)
    symbols = reads(source, target.path, target.language)
    if symbols is None or not any(symbol.qualified == target.symbol.qualified for symbol in symbols):
        return None
    return Edit({target.path: source}, "changed", target.path, target.symbol.qualified)


def decorated(target: Target) -> Edit | None:
    """A decorator or an annotation is added."""
    marks = {"python": b"@wrapped_again\n", "java": b"@Deprecated\n", "typescript": b"", "kotlin": b"@Deprecated\n"}
    mark = marks.get(target.language.name, b"")
    if not mark or target.symbol.kind not in ("Function", "Method", "Class"):
        return None
    line = target.source.rfind(b"\n", 0, target.symbol.start_byte) + 1
    indent = target.source[line : target.symbol.start_byte]
    if indent.strip():
        return None
    source = target.source[:line] + indent + mark + target.source[line:]
    symbols = reads(source, target.path, target.language)
    if symbols is None or not any(symbol.qualified == target.symbol.qualified for symbol in symbols):
        return None
    return Edit({target.path: source}, "changed", target.path, target.symbol.qualified)


# --- edits that move it ---


def renamed(target: Target) -> Edit | None:
    """Another name, also where the symbol speaks of itself."""
    new = target.symbol.name + target.chance.choice(["Anew", "_anew", "2nd"])
    span = re.sub(rb"(?<![\w$])" + re.escape(target.symbol.name.encode()) + rb"(?![\w$])", new.encode(), target.span)
    source = with_span(target, span)
    symbols = reads(source, target.path, target.language)
    before = {symbol.qualified for symbol in target.every}
    fresh = [symbol for symbol in symbols or () if symbol.qualified not in before and symbol.name == new]
    if not fresh or (symbols and any(symbol.qualified == target.symbol.qualified for symbol in symbols)):
        return None
    return Edit({target.path: source}, "moved", target.path, min(fresh, key=lambda row: len(row.qualified)).qualified)


def _lines(target: Target) -> tuple[int, int] | None:
    """Return the lines of a symbol as offsets, if they hold nothing else."""
    start = target.source.rfind(b"\n", 0, target.symbol.start_byte) + 1
    end = target.source.find(b"\n", target.symbol.end_byte)
    end = len(target.source) if end < 0 else end + 1
    before = target.source[start : target.symbol.start_byte].strip()
    after = target.source[target.symbol.end_byte : end].strip()
    if after not in (b"", b";", b"}") or (before and not re.fullmatch(rb"[a-z ]+", before)) or after == b"}":
        return None
    return start, end


def deleted(target: Target) -> Edit | None:
    """It is taken out."""
    lines = _lines(target)
    if lines is None:
        return None
    source = target.source[: lines[0]] + target.source[lines[1] :]
    symbols = reads(source, target.path, target.language)
    if symbols is None or any(symbol.qualified == target.symbol.qualified for symbol in symbols):
        return None
    return Edit({target.path: source}, "gone", target.path, target.symbol.qualified)


def moved(target: Target, elsewhere: str, content: bytes, *, alter: bool = False) -> Edit | None:
    """It is cut out here and pasted at the end of another file; with `alter`, a word of it is another there."""
    gone, lines = deleted(target), _lines(target)
    if gone is None or lines is None or target.symbol.parent >= 0:
        return None
    text = target.source[lines[0] : lines[1]]
    if alter:
        span = _altered(target)
        if span is None:
            return None
        text = (
            target.source[lines[0] : target.symbol.start_byte] + span + target.source[target.symbol.end_byte : lines[1]]
        )
    pasted = content.rstrip() + b"\n\n\n" + text.rstrip() + b"\n"
    symbols = reads(pasted, elsewhere, target.language)
    there = [symbol for symbol in symbols or () if symbol.name == target.symbol.name]
    already = outline(content, elsewhere, target.language).symbols
    if len(there) != 1 or any(symbol.name == target.symbol.name for symbol in already):
        return None
    place = (elsewhere, there[0].qualified)
    return Edit({**gone.files, elsewhere: pasted}, "changed" if alter else "moved", *place)


def held(target: Target) -> Edit | None:
    """A function of Python becomes a method of a class at the end of its file."""
    gone, lines = deleted(target), _lines(target)
    if gone is None or lines is None or target.symbol.parent >= 0 or target.language.name != "python":
        return None
    if marked(target.span, target.language)[0] and b'"""' in target.span:
        return None  # the lines of a long string would move with it
    text = b"".join(b"    " + line if line.strip() else line for line in target.source[slice(*lines)].splitlines(True))
    left = gone.files[target.path]
    source = (left or b"").rstrip() + b"\n\n\nclass HolderOfMoved:\n" + text.rstrip() + b"\n"
    if reads(source, target.path, target.language) is None:
        return None
    return Edit({target.path: source}, "moved", target.path, f"HolderOfMoved.{target.symbol.qualified}")


def refiled(target: Target) -> Edit | None:
    """Its file has another name, in another folder."""
    folder, _, name = target.path.rpartition("/")
    stem, _, extension = name.rpartition(".")
    path = "/".join(part for part in (folder, "relocated", f"{stem}_new.{extension}") if part)
    symbols = reads(target.source, path, target.language)
    here = [symbol for symbol in symbols or () if symbol.start_byte == target.symbol.start_byte]
    if not here:
        return None
    return Edit({target.path: None, path: target.source}, "moved", path, here[0].qualified)


def unfiled(target: Target) -> Edit:
    """Its file is deleted."""
    return Edit({target.path: None}, "gone", target.path, target.symbol.qualified)


def twin(target: Target) -> bytes | None:
    """Return the file with a copy of the symbol under another name beside it: what was there before is no new place."""
    lines = _lines(target)
    if lines is None:
        return None
    text = target.source[slice(*lines)]
    name = target.symbol.name.encode()
    copy = re.sub(rb"(?<![\w$])" + re.escape(name) + rb"(?![\w$])", name + b"Twin", text)
    source = (
        target.source[: lines[1]]
        + (b"\n" if not text.endswith(b"\n") else b"")
        + b"\n"
        + copy
        + target.source[lines[1] :]
    )
    symbols = reads(source, target.path, target.language)
    known = [symbol for symbol in symbols or () if symbol.name == target.symbol.name + "Twin"]
    return source if known else None


def _altered(target: Target) -> bytes | None:
    """Return the symbol's text with one word of its code another, not its name, not in a string or a comment."""
    strings, comments = marked(target.source, target.language)
    start = target.symbol.start_byte
    words = [
        match
        for match in _NAME.finditer(target.span)
        if match[0].decode() not in KEYWORDS
        and match[0].decode() != target.symbol.name
        and not is_within(start + match.start() + 1, strings)
        and not is_within(start + match.start() + 1, comments)
        and match.start() > len(target.span) // 4
    ]
    if not words:
        return None
    word = target.chance.choice(words)
    return target.span[: word.end()] + b"_other" + target.span[word.end() :]


# What is done to a symbol by itself; moves between files are made by the benchmark, which knows the other files.
EDITS: dict[str, Callable[[Target], Edit | None]] = {
    "comment": commented,
    "white space": spaced,
    "edit beside": beside,
    "body": changed,
    "signature": resigned,
    "decorator": decorated,
    "rename": renamed,
    "deletion": deleted,
    "into a class": held,
    "file rename": refiled,
    "file deletion": unfiled,
}
