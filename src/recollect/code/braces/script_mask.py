"""Script mask: what is no code in scripts, where strings, patterns and elements may hold code that holds such again.

    `a ${b} c`                     ►   \"\"\"\"\"\"\"\"\"\"        a string, and no more than that
    `a ${xs.map(x => { y })} c`    ►   \"\"\"\"(xs.map(x => { y }))\"\"\"
    <A b={c}>It's {d}</A>          ►   \"\"\"\"\"(c)\"\"\"\"\"\"(d)\"\"\"\"

Code that something holds becomes a call of it, so that it is read as the code it is, and its braces open nothing.
"""

from __future__ import annotations

import re

from recollect.code.braces.mask import BLANKED, BLOCK_COMMENT, DOUBLE, LINE_COMMENT, SINGLE, UNREAD, Mask, Unsure
from recollect.code.found import Span
from recollect.code.page import Page

MARK = b"\1"
MARKED, MARKED_IN_ELEMENTS = bytes.maketrans(b"\"'`/", MARK * 4), bytes.maketrans(b"\"'`/<", MARK * 5)
PLAIN = re.compile(f"{LINE_COMMENT}|{BLOCK_COMMENT}|{DOUBLE}|{SINGLE}", re.DOTALL)
PATTERN = re.compile(r"/(?![*/])(?:[^\\/\[\n]|\\[^\n]|\[(?:[^\]\\\n]|\\[^\n])*+\])++/[a-z]*+")
# What a pattern or an element can stand after; after a value a slash divides, and an angle bracket compares.
BEFORE_VALUE = re.compile(
    rb"(?:[(,=:\[!&|?{;+*%<>~^-]|(?<![\w$.])(?:return|typeof|case|in|of|delete|void|throw|await|yield|else|do|default))\Z"
)
BEFORE = 80  # characters that are looked at for that
CONDITION = re.compile(rb"(?<![\w$.])(?:if|while|for|with)\s*\Z")
IN_TEMPLATE = re.compile(r"`|\\.|\$\{", re.DOTALL)
IN_CODE = re.compile(r"[{}`\"'/<]")
# What makes code in a string more than a value: it may define something.
MORE = re.compile(rb"[{}]|=>|\b(?:function|class)\b")
TAG = re.compile(r"<(?:[A-Za-z_$][\w$.:-]*+)?+(?![<\w])")
# The end of a tag, code, or a name with code, a string or nothing as its value.
ATTRIBUTE = re.compile(
    r"\s*+(?:(/?>)|(\{)|[A-Za-z_$][\w$:-]*+(?:(?=[\s/>{])(?!\s*+=)|\s*+=\s*+(?:(\{)|(\"[^\"]*+\"|'[^']*+'))))"
)
IN_ELEMENT = re.compile(r"[<>{}]")
CLOSING = re.compile(r"</\s*+([\w$.:-]*+)\s*+>")
REFERENCE = re.compile(r"&(?:#(?:[xX][0-9a-fA-F]{1,6}|[0-9]{1,5})|[A-Za-z]{1,30});")
# Types of another kind than those of TypeScript; who writes them says so in the first comment.
FLOW = re.compile(
    r"\s*+(?://[^\n]*+\s*+)*+/\*(?:[^*@]++|\*(?!/)|@(?!flow))*+@flow|\s*+(?://[^\n]*+\n\s*+)*+//\s*+@flow"
)
QUOTE = b'"'


class ScriptMask(Mask):
    """The comments, strings and texts of a page, and its code as in Mask. Raises Unsure."""

    __slots__ = ("blob", "has_elements", "markup")

    def __init__(self, page: Page, language: str) -> None:
        self.text = text = page.text
        source = page.source
        self.comments: list[Span] = []
        self.strings: list[Span] = []
        self.markup: list[Span] = []
        if language == "javascript" and FLOW.match(text):
            raise Unsure
        self.has_elements = language != "typescript"
        self.blob = blob = bytearray(source)
        blanked = source.translate(BLANKED)
        find, match = source.translate(MARKED_IN_ELEMENTS if self.has_elements else MARKED).find, PLAIN.match
        comment, string = self.comments.append, self.strings.append
        goes_on = "\\\n" in text
        if text.startswith("#!"):  # the line that says who runs a script
            comment((0, end := (text + "\n").index("\n")))
            blob[:end] = blanked[:end]
            start = find(MARK, end)
        else:
            start = find(MARK)
        while start >= 0:
            found = match(text, start)
            if not found:
                start = find(MARK, self._other(start))
                continue
            end = found.end()
            if text[start] == "/":
                comment((start, end))
                blob[start:end] = blanked[start:end]
            else:
                if goes_on and text.find("\\\n", start, end) >= 0:
                    raise Unsure
                string((start, end))
                blob[start:end] = QUOTE * (end - start)
            start = find(MARK, end)
        if not blob.isascii() or any(each in blob for each in UNREAD):
            raise Unsure
        self.plain = b"\n" + blob
        self.code = self.plain.decode("ascii")

    def _literal(self, start: int) -> int:
        """Take what begins here and is no code, and return its end; or what follows, where it is code after all."""
        found = PLAIN.match(self.text, start)
        if not found:
            return self._other(start)
        end = found.end()
        if self.text[start] == "/":
            self.comments.append((start, end))
            self.blob[start:end] = self.blob[start:end].translate(BLANKED)
        else:
            if self.text.find("\\\n", start, end) >= 0:
                raise Unsure
            self.strings.append((start, end))
            self._quote(start, end)
        return end

    def _other(self, start: int) -> int:
        sign = self.text[start]
        if sign == "`":
            return self._template(start)
        if sign == "/":
            return self._slash(start)
        if sign == "<":
            return self._element(start) if self.has_elements and self._is_element(start) else start + 1
        raise Unsure

    def _quote(self, start: int, end: int) -> None:
        self.blob[start:end] = QUOTE * (end - start)

    def _before(self, start: int) -> bytes:
        """Return the end of the code before a place, without white space."""
        before = self.blob[max(0, start - BEFORE) : start].rstrip() or self.blob[:start].rstrip()[-BEFORE:]
        return bytes(before)

    def _slash(self, start: int) -> int:
        """Take a pattern, or a sign that divides."""
        following = self.text[start + 1 : start + 2]
        if following in ("*", ">"):
            raise Unsure
        before = self._before(start)
        last = before[-1:]
        if last in (b"}", b"<"):
            raise Unsure
        if last == b")":
            if not self._is_condition(start):
                return start + 1
        elif last and not BEFORE_VALUE.search(before):
            return start + 1
        found = PATTERN.match(self.text, start)
        if not found:
            raise Unsure
        self.strings.append(found.span())
        self._quote(*found.span())
        return found.end()

    def _is_condition(self, at: int) -> bool:
        """Return whether the round bracket that closes before a place is that of a statement, not of a value."""
        blob, depth = self.blob, 0
        at = blob.rfind(b")", 0, at) + 1
        while True:
            opens, closes = blob.rfind(b"(", 0, at), blob.rfind(b")", 0, at)
            if opens < 0:
                raise Unsure
            at = max(opens, closes)
            depth += 1 if at == closes else -1
            if not depth:
                return CONDITION.search(blob, max(0, at - BEFORE), at) is not None

    def _template(self, start: int) -> int:
        """Take a string that may hold code, and return its end."""
        text, piece, at = self.text, start, start + 1
        while match := IN_TEMPLATE.search(text, at):
            at = match.end()
            if match[0] == "`":
                self.strings.append((piece, at))
                self._quote(piece, at)
                return at
            if match[0] == "${":
                self.strings.append((piece, match.start()))
                self._quote(piece, at - 1)
                piece = at = self._held(at - 1)
            elif match[0][1].isspace():  # escaped, and so not said
                self.strings.append((piece, match.start()))
                self._quote(piece, at)
                piece = at
        raise Unsure

    def _held(self, brace: int) -> int:
        """Take the code that stands in braces in a string or an element, and return where it ends."""
        text, blob, depth, at = self.text, self.blob, 0, brace + 1
        blob[brace] = ord("(")
        while match := IN_CODE.search(text, at):
            at, sign = match.end(), match[0]
            if sign == "{":
                depth += 1
            elif sign != "}":
                at = self._literal(at - 1)
            elif depth:
                depth -= 1
            elif MORE.search(blob, brace, at - 1):
                blob[at - 1] = ord(")")
                return at
            else:
                self._quote(brace, at)
                return at
        raise Unsure

    def _is_element(self, start: int) -> bool:
        """Return whether an angle bracket begins an element. Raises Unsure where it may."""
        following = self.text[start + 1 : start + 2]
        if not (following.isalpha() or following in "_$>"):
            return False
        before = self._before(start)
        if before[-1:] in (b"}", b")"):
            raise Unsure
        return not before or BEFORE_VALUE.search(before) is not None

    def _element(self, start: int) -> int:
        """Take an element, and return its end."""
        text = self.text
        tag = TAG.match(text, start)
        if not tag:
            raise Unsure
        piece, at = start, tag.end()
        while True:
            found = ATTRIBUTE.match(text, at)
            if not found:
                raise Unsure
            at = found.end()
            if found[2] or found[3]:
                self._quote(piece, at - 1)
                piece = at = self._held(at - 1)
            elif found[4]:
                self.strings.append(found.span(4))
            elif found[1]:
                break
        self._quote(piece, at)
        return at if found[1] == "/>" else self._children(at, tag[0][1:])

    def _children(self, at: int, name: str) -> int:
        """Take what stands in an element, and return where that ends."""
        text = self.text
        while match := IN_ELEMENT.search(text, at):
            self._said(at, match.start())
            at = match.start()
            if match[0] == "{":
                at = self._held(at)
            elif match[0] != "<":
                raise Unsure
            elif not text.startswith("</", at):
                at = self._element(at)
            else:
                closing = CLOSING.match(text, at)
                if not closing or closing[1] != name:
                    raise Unsure
                self._quote(*closing.span())
                return closing.end()
        raise Unsure

    def _said(self, start: int, end: int) -> None:
        """Take the text of an element: all but references to characters, and line feeds with white space alone."""
        text, at = self.text, start
        while at < end:
            stop = text.find("&", at, end)
            stop = end if stop < 0 else stop
            piece = text[at:stop]
            if piece and (not piece.isspace() or "\n" not in piece):
                self.markup.append((at, stop))
            if stop < end:
                reference = REFERENCE.match(text, stop)
                if not reference:
                    raise Unsure
                stop = reference.end()
            at = stop
        self._quote(start, end)
