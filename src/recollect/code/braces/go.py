"""Go: declarations begin at the beginning of a line, and line ends end what can end.

    func (r *Ring) Push(x int) {     a word at the margin begins a declaration
    type ( A struct { … } )          … or several, one after the other
    const ( A, B = 1, 2 )
    type Set interface { Has() }     a method of an interface is a line of it

Not accepted, since no formatter writes it: anything else at the margin, two declarations on a line.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from recollect.code.braces.mask import Mask, Reading, Unsure, blocks, branches
from recollect.code.found import Span
from recollect.code.gather import Definition
from recollect.code.languages import Language
from recollect.code.page import Page
from recollect.model import NodeKind

WORDS = ("if", "for", "switch", "select")
MARGIN = re.compile(r"\n(?![\s)}])(func|type|var|const|import|package)?\b")
LABEL = re.compile(r"\n\w+:[ \t]*(?=\n)")
PACKAGE = re.compile(r"package[ \t]+(\w+)")
FUNCTION = re.compile(
    r"func[ \t]+(?:\([ \t]*(?:\w+[ \t]+)?\*?[ \t]*(\w+)(?:\[[\w, \t]+\])?[ \t]*,?[ \t]*\)[ \t]*)?(\w+)[ \t]*(?=[(\[])"
)
OWNER, NAME = 1, 2  # groups of it
# From the parameters to the body of most functions.
BODY = re.compile(r"\([^(){}]*\)[ \t]*(?:[\w.*\[\]]+[ \t]*|\([^(){}]*\)[ \t]*)?(\{)(?<!struct\{)(?<!interface\{)")
NAMES = re.compile(r"[ \t]*(\w+(?:[ \t]*,[ \t]*\w+)*)")
WORD = re.compile(r"\w+")
START = re.compile(r"[^\s;]")
# Of a type; `[N * 2]struct{}` is an array, or one parameter.
PARAMETERS = re.compile(r"\[\w+(?:[ \t]*,[ \t]*\w+)*[ \t]+[\w~(\[.][^][]*(?:\[[^][]*\][^][]*)*\][ \t]*(?=[a-z])")
MAY_BE_EITHER = re.compile(r"\[\w+[ \t]+[*]")
GROUP = re.compile(r"[ \t]*\(")
TYPE = re.compile(r"(\w+)[ \t]*(=)?")
MAKES = re.compile(r"[ \t]*(struct|interface)[ \t]*(?=\{)")
MADE: dict[str, NodeKind] = {"struct": "Class", "interface": "Interface"}
LOCAL = re.compile(r"type\b(?<![\w.]type)")
INTERFACE = re.compile(r"interface\b(?<!\winterface)[ \t]*\{(?!\})")
METHOD = re.compile(r"(\w+)[ \t]*\(")
# What decides where a statement ends; a line that ends with anything but a value or a closing bracket goes on.
EDGE = re.compile(r"[][(){}\n;]")
ENDS_VALUE = re.compile(r"[\w\"\])}]|\+\+|--")


class Go:
    """The definitions of a file. Raises Unsure."""

    __slots__ = ("closes", "code", "definitions", "packages")

    def __init__(self, mask: Mask) -> None:
        self.code = code = mask.code
        self.closes = blocks(mask)
        self.definitions: list[Definition] = []
        self.packages: list[Span] = []
        end = 0  # of the declaration before
        for match in MARGIN.finditer(code):
            at = match.start() + 1
            if at < end:
                if not LABEL.match(code, at - 1):
                    raise Unsure
            elif code[end:at].isspace():
                end = self._declared(at, match[1])
            else:
                raise Unsure
        if code[end:].strip():
            raise Unsure
        self._local_types()
        self._interfaces()

    def _declared(self, at: int, word: str | None) -> int:
        """Take the declaration that begins at the margin, and return where it ends."""
        if word == "func":
            return self._function(at)
        if word == "type":
            return self._several(at + len(word), self._type)
        if word == "var" or word == "const":
            return self._several(at + len(word), self._constant)
        if word == "package" and (found := PACKAGE.match(self.code, at)):
            self.packages.append((found.start(1) - 1, found.end(1) - 1))
            return found.end()
        if word == "import":
            return self._end(at)
        raise Unsure

    def _function(self, at: int) -> int:
        code = self.code
        head = FUNCTION.match(code, at)
        if not head:
            raise Unsure
        body = BODY.match(code, head.end())
        brace = body.start(1) if body else self._body(head.end())
        owner = head[OWNER]
        if brace is None:
            if owner:
                raise Unsure  # the query wants a body
            end = brace = self._end(head.end())
        else:
            end = self.closes[brace] + 1
        name = head.start(NAME) - 1, head.end(NAME) - 1
        kind: NodeKind = "Method" if owner else "Function"
        self.definitions.append(Definition(at - 1, end - 1, kind, owner or "", name, brace - 1))
        return end

    def _body(self, at: int) -> int | None:
        """Return where the body of a function begins whose parameters begin here; None if it has none."""
        code = self.code
        place = at
        while match := EDGE.search(code, place):
            edge, found = match[0], match.start()
            if edge == "{" and not code[at:found].rstrip().endswith(("struct", "interface")):
                return found
            if edge in "([{":
                place = self._closed(found)
            elif edge == "\n" or edge == ";":
                return None
            else:
                raise Unsure
        return None

    def _closed(self, at: int) -> int:
        """Return where the bracket is closed that opens here, and one more."""
        code = self.code
        if code[at] == "{":
            return self.closes[at] + 1
        place = at + 1
        while match := EDGE.search(code, place):
            edge = match[0]
            if edge in "([{":
                place = self._closed(match.start())
            elif edge in ")]":
                return match.end()
            else:
                place = match.end()
        raise Unsure

    def _end(self, at: int) -> int:
        """Return where a statement ends that goes on here, after the last of its code."""
        code = self.code
        place = at
        while match := EDGE.search(code, place):
            edge, found = match[0], match.start()
            if edge in "([{":
                place = self._closed(found)
                continue
            if edge == "\n":
                line = code[at:found].rstrip()
                if not line or not ENDS_VALUE.match(line, len(line) - (2 if line[-1] in "+-" else 1)):
                    place = found + 1
                    continue
            return at + len(code[at:found].rstrip())
        return at + len(code[at:].rstrip())

    def _several(self, at: int, take: Callable[[int], int]) -> int:
        """Take what is declared after a word, or in the brackets after it, and return where that ends."""
        code = self.code
        group = GROUP.match(code, at)
        if not group:
            place = at + len(code[at : at + 99]) - len(code[at : at + 99].lstrip(" \t"))
            return take(place)
        end = self._closed(group.end() - 1)
        place = group.end()
        while (begin := START.search(code, place, end)) and code[begin.start()] != ")":
            place = take(begin.start())
        return end

    def _constant(self, at: int) -> int:
        names = NAMES.match(self.code, at)
        if not names:
            raise Unsure
        end = self._end(at)
        for name in WORD.finditer(self.code, *names.span(1)):
            span = name.start() - 1, name.end() - 1
            self.definitions.append(Definition(at - 1, end - 1, "Constant", "", span, end - 1))
        return end

    def _type(self, at: int) -> int:
        code = self.code
        named = TYPE.match(code, at)
        if not named:
            raise Unsure
        end, place = self._end(at), named.end()
        kind: NodeKind = "Type"
        body = end
        if not named[2]:
            if code[place] == "[":
                if MAY_BE_EITHER.match(code, place):
                    raise Unsure
                parameters = PARAMETERS.match(code, place)
                place = parameters.end() if parameters else place
            if makes := MAKES.match(code, place):
                kind, body = MADE[makes[1]], makes.start(1)
        self.definitions.append(Definition(at - 1, end - 1, kind, "", (named.start(1) - 1, named.end(1) - 1), body - 1))
        return end

    def _local_types(self) -> None:
        """Take types that are declared inside of functions."""
        code = self.code
        for match in LOCAL.finditer(code):
            at = match.start()
            before = code[code.rfind("\n", 0, at) + 1 : at]
            if before.isspace():
                self._several(match.end(), self._type)
            elif before and not (before.endswith("(") and code.startswith(")", match.end())):
                raise Unsure

    def _interfaces(self) -> None:
        """Take the methods of interfaces."""
        code = self.code
        for match in INTERFACE.finditer(code):
            end = self.closes[match.end() - 1]
            place = match.end()
            while begin := START.search(code, place, end):
                at = begin.start()
                place = self._end(at)
                if method := METHOD.match(code, at):
                    span = method.start(1) - 1, method.end(1) - 1
                    self.definitions.append(Definition(at - 1, place - 1, "Method", "", span, place - 1))


def go(page: Page, _language: Language) -> Reading | None:
    """Return what is found in a page, or None where a tree is needed to be certain."""
    try:
        mask = Mask(page, "go")
        found = Go(mask)
        return Reading(mask, found.definitions, branches(mask.code, WORDS), found.packages)
    except Unsure:
        return None
