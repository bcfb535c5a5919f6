r"""Rust: an item begins with a word that nothing else begins with, after a brace or a semicolon.

    pub(crate) async fn push(&mut self) {     the word says what it is, what follows says where it ends
    impl<T> Stack for Ring<T> {               a scope: it gives its name to what it holds
    cfg_io! { fn hidden() {} }                what a macro is given is no code before it is expanded

Attributes and what macros are given are left out first, and lifetimes are taken for strings. Not accepted: such a word
in any other place, braces among the parameters of a type, names that are not ASCII.
"""

from __future__ import annotations

import re

from recollect.code.braces.mask import MARK, Mask, Reading, Unsure, blocks, nested
from recollect.code.found import Span
from recollect.code.gather import Definition, decorate
from recollect.code.languages import Language
from recollect.code.page import Page, decoded
from recollect.model import NodeKind

# Words that choose or repeat, also in what macros are given; `for` counts only as a loop. With what
# is matched after them they are the name of something.
BRANCHES = [
    re.compile(rf"{word}\b(?<![\w$]{word})(?<!r#{word})(\s*+[:=,;)\]}}>])?+")
    for word in ("if", "while", "loop", "match")
]

NAME = r"(?:r#)?+[A-Za-z_]\w*+"
ROUND = nested(r"\(", r"\)", r"[^()]")
SQUARE = nested(r"\[", r"\]", r"[^][{}]")
ANGLE = nested("<", ">", rf"(?:[^][<>{{}};-]|->?+|{SQUARE})")
PUBLIC = r"\s*+(?:pub\b(?:\s*+\([^(){};]*+\))?+\s*+)?+"
# From the name of an item to what its head ends with.
REST = re.compile(rf"[^][(){{}};]*+(?:(?:{ROUND}|{SQUARE})[^][(){{}};]*+)*+([{{;])")
# What a head may end with, besides names; other signs stand before a brace that is the value of a parameter.
ENDS_HEAD = frozenset(')]>,"!+_')
FUNCTION = re.compile(
    rf'{PUBLIC}(?:(?:default|async|const|unsafe|extern(?:\s*+"++)?+)(?:\b|(?<="))\s*+)*+(fn)\s++({NAME})'
)
STRUCT = re.compile(rf"{PUBLIC}(struct)\s++({NAME})\s*+(?:{ANGLE}\s*+)?+([{{;(]|where\b)")
BLOCK = re.compile(rf"{PUBLIC}(?:unsafe\s++)?+(trait|enum|union|mod)\s++({NAME})")
VALUE = re.compile(rf"{PUBLIC}(const|static)\s++(?:ref\s++)?+(?:mut\s++)?+({NAME})\s*+:")
ALIAS = re.compile(rf"{PUBLIC}(type)\s++({NAME})\s*+(?:[<:=;]|where\b)")
ATTRIBUTE = re.compile(r"#(!)?+\[")
MACRO = re.compile(rf"\s*+({NAME})\s*+(?=[{{(\[])")
PATH = rf"(?:::)?+(?!(?:dyn|for|fn|impl)\b){NAME}(?:\s*+::\s*+{NAME})*+"
# Groups: the word; `for`; the name of a type that is referred to, of any other; a type without a name.
SCOPE = re.compile(
    rf"\s*+(?:unsafe\s++)?+(impl)\b\s*+(?:{ANGLE}\s*+)?+(?:!?\s*+{PATH}\s*+(?:{ANGLE}\s*+)?+(?<=[\s>])(for)\b\s*+(?!<))?"
    rf"(?:&\s*+(?:\"++\s*+)?+(?:mut\s++)?+({NAME})\s*+(?=\{{|where\b)"
    rf"|({PATH})\s*+(?:{ANGLE}\s*+)?+(?=\{{|where\b)|((?=[&\[(*]|dyn\b)))"
)
FOR, REFERRED, NAMED, NAMELESS = 2, 3, 4, 5
# What is referred to and has a name of its own, for which the query does not ask.
PRIMITIVES = frozenset("u8 i8 u16 i16 u32 i32 u64 i64 u128 i128 isize usize f32 f64 bool str char".split())
# What nothing can be called without a sign before it.
RESERVED = frozenset(
    "as async await break const continue crate dyn else enum extern false fn for if impl in let loop match mod "
    "move mut pub ref return self static struct super trait true type unsafe use where while yield".split()
)
ITEMS = {
    word: re.compile(rf"{word}\b(?<![\w#]{word})")
    for word in ("fn", "struct", "trait", "enum", "mod", "const", "static", "type", "impl", "for")
}  # fmt: skip
UNION = re.compile(rf"union\b(?<![\w#.]union)\s++{NAME}\s*+(?:[<{{]|where\b)")
KINDS: dict[str, NodeKind] = {"trait": "Interface", "enum": "Class", "union": "Class", "mod": "Module"}
POINTER = re.compile(r"fn\s*+\(")
MODIFIER = re.compile(r"const\s*+(?:\{|(?:fn|unsafe|async|extern)\b)")
PARAMETER = re.compile(rf"const\s++{NAME}\s*+:")
LABEL = re.compile(r'(?<!")"++\s*+:\Z')
LOOP = re.compile(r"for\b[^;]*?\bin\b")
VARIANT = re.compile(rf"\s*+({NAME})\s*+")
EDGE = re.compile(r"[][(){};,]")
ROUNDED, SQUARED = (re.compile(nested(*signs)) for signs in ((r"\(", r"\)", r"[^()]"), (r"\[", r"\]", r"[^][]")))
BRACKETS = {"(": (ROUNDED, re.compile(r"[()]")), "[": (SQUARED, re.compile(r"[][]"))}
ESCAPE = re.compile(r"\\.", re.DOTALL)
# What a value may follow that is the opposite of what stands in brackets; after any other word that is a macro's.
WORD_ENDS = re.compile(r"\w")
BEFORE_NOT = re.compile(r"(?<!\w)(?:if|while|match|return|in|break|else|move)\Z")
BACK = 96  # characters that are looked at first for what stands before


class Rust:
    """The definitions of a file. Raises Unsure."""

    __slots__ = ("closes", "code", "decorators", "definitions", "fors", "loops", "stops", "text")

    def __init__(self, mask: Mask) -> None:
        self.code = mask.code
        self.text = mask.text
        self.closes = blocks(mask)
        self.definitions: list[Definition] = []
        self.decorators: list[Span] = []
        self.fors: set[int] = set()  # those of scopes
        self.loops: list[int] = []
        plain = self._left_out(mask)
        self.code = plain.decode("ascii")
        self.stops = bytes(plain).translate(bytes.maketrans(b"{};", MARK * 3))
        for word, take in (
            ("fn", self._function), ("struct", self._struct), ("trait", self._block), ("enum", self._block),
            ("mod", self._block), ("const", self._constant), ("static", self._static), ("type", self._type),
            ("impl", self._scope), ("for", self._loop),
        ):  # fmt: skip
            for match in ITEMS[word].finditer(self.code):
                take(match.start())
        for match in UNION.finditer(self.code):
            self._block(match.start())

    def _left_out(self, mask: Mask) -> bytearray:
        """Return the code without attributes and without what macros are given, which are taken here."""
        code = self.code
        blob = bytearray(mask.plain)
        end = 0
        for at in mask.places(b"!#"):
            if at < end:
                continue
            if code[at] == "#":
                if found := ATTRIBUTE.match(code, at):
                    end = self._closed(found.end() - 1)
                    blob[at:end] = b" " * (end - at)
                    if not found[1]:
                        self.decorators.append((at - 1, end - 1))
                elif code[at - 1] not in "r#":
                    raise Unsure
            elif begin := self._given(at):
                end = self._closed(begin)
                blob[begin + 1 : end - 1] = b" " * (end - begin - 2)
        return blob

    def _given(self, at: int) -> int:
        """Return where the bracket of a macro opens whose sign stands here; 0 if it is none."""
        code = self.code
        before = code[at - 1]
        is_called = before.isalnum() or before == "_"
        begin = self._next(at + 1)
        if code[begin] in "([{":
            if is_called:
                return begin
            last = self._ended(at)
            if not last or (WORD_ENDS.match(code, last - 1) and not BEFORE_NOT.search(code, max(0, last - 8), last)):
                raise Unsure
        elif is_called and code[begin] != "=":
            return self._macro(at, begin)
        return 0

    def _macro(self, at: int, begin: int) -> int:
        """Take the definition of a macro, and return where its bracket opens."""
        code = self.code
        name = MACRO.match(code, begin)
        start = at - 11
        if not name or code[start:at] != "macro_rules" or code[start - 1].isalnum() or code[start - 1] in "_:#":
            raise Unsure
        opened = name.end()
        end = self._closed(opened)
        if code[opened] != "{":
            end = self._next(end) + 1
            if code[end - 1] != ";":
                raise Unsure
        self._define("Function", start, end, name.span(1), end)
        return opened

    def _next(self, at: int) -> int:
        """Return where the next sign stands that is not white space."""
        code = self.code
        while at < len(code) and code[at].isspace():
            at += 1
        if at == len(code):
            raise Unsure
        return at

    def _closed(self, at: int) -> int:
        """Return where the bracket is closed that opens here, and one more."""
        code = self.code
        if code[at] == "{":
            return self.closes[at] + 1
        whole, edge = BRACKETS[code[at]]
        if match := whole.match(code, at):
            return match.end()
        depth = 0
        for match in edge.finditer(code, at):
            depth += 1 if match[0] in "([" else -1
            if not depth:
                return match.end()
        raise Unsure

    def _ended(self, at: int) -> int:
        """Return where the code ends that stands before."""
        first = max(0, at - BACK)
        found = len(self.code[first:at].rstrip())
        return first + found if found else len(self.code[:at].rstrip())

    def _begun(self, pattern: re.Pattern[str], at: int) -> re.Match[str] | None:
        """Return how an item begins whose word stands here; None if that is no item."""
        match = pattern.match(self.code, self.stops.rfind(MARK, 0, at) + 1)
        return match if match and match.start(1) == at else None

    def _define(self, kind: NodeKind | None, start: int, end: int, name: Span, body: int) -> None:
        if self.code[name[0] : name[1]] in RESERVED:
            raise Unsure
        self.definitions.append(Definition(start - 1, end - 1, kind, "", (name[0] - 1, name[1] - 1), body - 1))

    def _head_end(self, at: int) -> int:
        """Return where the brace or semicolon stands that ends the head of an item which goes on here."""
        code = self.code
        match = REST.match(code, at)
        if not match:
            raise Unsure
        end = match.start(1)
        if code[end] == "{":
            head = code[at:end].rstrip()
            if head and not head[-1].isalnum() and head[-1] not in ENDS_HEAD:
                raise Unsure
            if head[-1:] == "," and head.count("<") != head.count(">") - head.count("->"):
                raise Unsure
        return end

    def _function(self, at: int) -> None:
        code = self.code
        match = self._begun(FUNCTION, at)
        if not match:
            if not POINTER.match(code, at):
                raise Unsure
            return
        body = self._head_end(match.end())
        end = self.closes[body] + 1 if code[body] == "{" else body + 1
        self._define("Function", _start(match), end, match.span(2), body if code[body] == "{" else end)

    def _struct(self, at: int) -> None:
        code = self.code
        match = self._begun(STRUCT, at)
        if not match:
            raise Unsure
        place = match.start(3)
        body = -1
        if code[place] == "(":
            body, place = place, self._head_end(self._closed(place))
            if code[place] != ";":
                raise Unsure
        elif code[place] == "w":
            place = self._head_end(place)
        if code[place] == "{":
            body, place = place, self.closes[place]
        self._define("Class", _start(match), place + 1, match.span(2), body if body >= 0 else place + 1)

    def _block(self, at: int) -> None:
        """Take an item that has a block: a trait, an enumeration, a union or a module."""
        code = self.code
        match = self._begun(BLOCK, at)
        if not match:
            raise Unsure
        body = self._head_end(match.end())
        if code[body] != "{":
            if match[1] != "mod":
                raise Unsure
            return
        self._define(KINDS[match[1]], _start(match), self.closes[body] + 1, match.span(2), body)
        if match[1] == "enum":
            self._variants(body + 1, self.closes[body])

    def _variants(self, place: int, end: int) -> None:
        """Take the names of an enumeration."""
        code = self.code
        while match := VARIANT.match(code, place, end):
            stop, after = match.end(1), match.end()
            if code[after] in "({":
                stop = self._closed(after)
                after = self._next(stop)
            if code[after] == "=":
                after = self._value_end(after + 1, end)
                value = code[stop:after].rstrip()
                if "<" in value.replace("<<", ""):
                    raise Unsure
                stop += len(value)
            self._define("Constant", match.start(1), stop, match.span(1), stop)
            place = after + (code[after] == ",")
            if place == after:
                break
        if code[place:end].strip():
            raise Unsure

    def _value_end(self, place: int, end: int) -> int:
        """Return where the comma stands that ends a value, or the end of all."""
        while match := EDGE.search(self.code, place, end):
            if match[0] == ",":
                return match.start()
            if match[0] not in "([{":
                raise Unsure
            place = self._closed(match.start())
        return end

    def _constant(self, at: int) -> None:
        code = self.code
        match = self._begun(VALUE, at)
        if match:
            self._statement("Constant", match)
        elif not MODIFIER.match(code, at):
            last = self._ended(at)
            sign = code[last - 1]
            if sign != "*" and not code.endswith("&raw", 0, last) and not (sign in "<," and PARAMETER.match(code, at)):
                raise Unsure

    def _static(self, at: int) -> None:
        match = self._begun(VALUE, at)
        if not match:
            raise Unsure
        self._statement("Constant", match)

    def _type(self, at: int) -> None:
        match = self._begun(ALIAS, at)
        if not match:
            raise Unsure
        self._statement("Type", match)

    def _statement(self, kind: NodeKind, match: re.Match[str]) -> None:
        """Take an item that ends with a semicolon."""
        place = match.end(2)
        while (edge := EDGE.search(self.code, place)) and edge[0] != ";":
            if edge[0] in ")]}":
                raise Unsure
            place = edge.end() if edge[0] == "," else self._closed(edge.start())
        if not edge:
            raise Unsure
        self._define(kind, _start(match), edge.end(), match.span(2), edge.end())

    def _scope(self, at: int) -> None:
        """Take an implementation, or nothing where only a type is described."""
        code = self.code
        match = self._begun(SCOPE, at)
        if not match:
            last = self._ended(at)
            if code[last - 1] not in '[(:>&<,=+"' and not code.endswith((" mut", "&mut", '"mut'), 0, last):
                raise Unsure
            return
        body = self._head_end(match.end())
        if code[body] != "{":
            raise Unsure
        if match[FOR]:
            self.fors.add(match.start(FOR))
        which = match.lastindex
        if which == NAMELESS or (which == REFERRED and match[REFERRED] in PRIMITIVES):
            return
        end = self.closes[body] + 1
        self._define(None, _start(match), end, match.span(which or NAMED), end)

    def _loop(self, at: int) -> None:
        code = self.code
        if at in self.fors or code[at - 1] == ".":
            return
        if code[self._next(at + 3)] == "<":
            return  # `for<'a> Fn(&'a T)`
        last = self._ended(at)
        if not LOOP.match(code, at):
            raise Unsure
        if code[last - 1] == ":":
            label = LABEL.search(code, max(0, last - BACK), last)
            if not label or self.text[label.start() - 1] != "'":
                raise Unsure
            at = label.start()
        elif code[last - 1] not in "{};>=(,|" and not code.endswith((" return", " break"), 0, last):
            raise Unsure
        self.loops.append(at - 1)


def _start(match: re.Match[str]) -> int:
    return match.end() - len(match[0].lstrip())


def _branches(code: str) -> list[int]:
    """Return where words stand that choose or repeat, in all of the code. Raises Unsure for what may be a name."""
    found = []
    for word in BRANCHES:
        for match in word.finditer(code):
            at = match.start()
            if match.lastindex or (code[at - 1] == "." and code[at - 2] != "."):
                raise Unsure
            found.append(at - 1)
    return found


def _strings(mask: Mask) -> list[Span]:
    """Return where white space counts as in strings: not after a backslash, nor at the beginning of a raw string."""
    text, found = mask.text, []
    for start, end in mask.strings:
        if text[start - 1] in "r#" and start:
            begin = end - len(text[start + 1 : end].lstrip(" \t\n"))
            if decoded(text[begin : begin + 3])[0].isspace():  # of any kind: which ones are left out is the scanner's
                raise Unsure
            found.append((begin, end))
            continue
        if text.find("\\", start, end) >= 0:
            for match in ESCAPE.finditer(text, start, end):
                if match[0][1].isspace():
                    found.append((start, match.start()))
                    start = match.end()
        found.append((start, end))
    return found


def rust(page: Page, language: Language) -> Reading | None:
    """Return what is found in a page, or None where a tree is needed to be certain."""
    if page.text.startswith("#!") and not page.text.startswith("#!["):
        return None
    try:
        mask = Mask(page, "rust")
        found = Rust(mask)
        mask.strings = _strings(mask)
        chosen = sorted(_branches(mask.code) + found.loops)
        reading = Reading(mask, found.definitions, chosen, [])
    except Unsure:
        return None
    decorate(page, language, reading.definitions, found.decorators)
    return reading
