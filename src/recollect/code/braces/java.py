"""Java: what a brace opens is told by what stands before it, since the last brace or semicolon.

    class Ring<T> extends Base {         a type: its members are read
        private int push(T x) {          a method: code, in which only types matter, those without a name, too
            run(new Job() {
                public void go() { … }
        static final int MAX = 3;        what ends with a semicolon is a field, or a method without a body

Not accepted: what is none of the forms below, with brackets that are nested deeper than anybody does.
"""

from __future__ import annotations

import re

from recollect.code.braces.mask import Mask, Reading, Unsure, branches, nested
from recollect.code.found import Span
from recollect.code.gather import Definition, decorate
from recollect.code.languages import Language
from recollect.code.page import Page
from recollect.model import NodeKind

WORDS = ("if", "for", "while", "switch")

ROUND = nested(r"\(", r"\)", r"[^()]")
ANGLE = nested("<", ">", r"[^<>();{}=]")
ANNOTATION = rf"@(?!interface\b)\s*+[\w.]++(?:\s*+{ROUND})?+"
MODIFIERS = (
    rf"(?:(?:{ANNOTATION}|(?:public|protected|private|static|final|abstract|default|synchronized|native|strictfp"
    r"|transient|volatile|sealed|non-sealed)\b)\s*+)*+"
)
TYPE = rf"(?!new\b)[A-Za-z_$][\w$.]*+(?:\s*+{ANGLE})?+(?:\.[\w$.]++(?:{ANGLE})?+)*+(?:\s*+\[\s*+\])*+"
# Groups: the word and name of a type; the name of a method, and of a constructor; the end of an initializer.
HEAD = re.compile(
    rf"{MODIFIERS}(?:(class|interface|enum|@\s*+interface|record(?=\s+\w+\s*[(<]))\s++([\w$]++)\s*+(?:{ANGLE}\s*+)?+(?:{ROUND}\s*+)?+"
    rf"(?:(?:extends|implements|permits)\b[^(){{}};=]*+)?\Z"
    rf"|(?:{ANGLE}\s*+)?+(?:{TYPE}\s++(?<![.,]))([\w$]++)\s*+{ROUND}\s*+(?:\[\s*+\]\s*+)*+(?:throws\b[^(){{}};=]*+)?\Z"
    rf"|(?:{ANGLE}\s*+)?+([\w$]++)\s*+{ROUND}\s*+(?:throws\b[^(){{}};=]*+)?\Z"
    r"|(\Z)"
    r"|([\w$]++)\s*+\Z)"
)
SORT, NAMED, METHOD, CONSTRUCTOR, INITIALIZER, COMPACT = 1, 2, 3, 4, 5, 6
CALLED = (METHOD, CONSTRUCTOR)
ELEMENT = re.compile(rf"{MODIFIERS}{TYPE}\s++([\w$]++)\s*+\(\s*+\)\s*+(?:\[\s*+\]\s*+)*+(?:default\b|\Z)")
FIELD = re.compile(rf"{MODIFIERS}{TYPE}\s*+(?<![.,])(?<=[\s>\]])([\w$]++)\s*+(?:\[\s*+\]\s*+)*+(?:=|,|\Z)")
DECLARATOR = re.compile(r"\s*+([\w$]++)\s*+(?:\[\s*+\]\s*+)*+(?:=(?!=)|,|\Z)")
IGNORED = re.compile(r"import\b[^(){}=]*\Z|\Z")
PACKAGE = re.compile(rf"{MODIFIERS}package\s++([\w$.]++)\s*+\Z")
PIECE = re.compile(ANNOTATION)
# A head that is not over when a brace opens: arguments of an annotation, the value of a field or of an element.
GOES_ON = re.compile(
    rf"{MODIFIERS}(?:\(|{TYPE}\s*+(?<=[\s>\]])[\w$]++\s*+(?:\[\s*+\]\s*+)*+(?:=|,|\(\s*+\)\s*+default\b)"
    rf"|(?:[^(){{}};=]|{ROUND})*+\([^)]*@)"
)
OPENERS = re.compile(r"\b(?:new|class|interface|enum|record)\b(?<!\.class)")
DECLARES = re.compile(r"\b(?:class|interface|enum|record)\s+[\w$]+\s*(?![\w$.=;,)])(?<!\.class)")
CREATES = re.compile(rf"\bnew(?![\w$])\s*+(?:@[\w.]++\s++)*+[\w$.\s]++(?:{ANGLE})?+\s*\Z")
CREATED_CHARACTERS = 400  # the longest name of a type, with its arguments
CONSTANT = re.compile(rf"\s*+((?:{ANNOTATION}\s*+)*+([\w$]++))\s*+({ROUND})?+\s*+")
EDGE = re.compile(r"[(){},]")

PACKAGES = re.compile(r"package\b(?<![\w$]package)")
# What no method and no name of an enumeration can be called; whatever has such a name is a statement in a wrong place.
RESERVED = frozenset(
    "assert break case catch class continue do else finally for goto if import instanceof interface new package return "
    "super switch synchronized this throw throws try while".split()
)

KINDS: dict[str, NodeKind] = {"class": "Class", "record": "Class", "enum": "Class", "interface": "Interface"}


class Block:
    """What a brace has opened.

    sort: of a type, "" for code. begin: where its next member begins. definition: what ends with it.
    goes_on: the statement around it is not over when it is closed. is_listing: names of an enumeration come first
    """

    __slots__ = ("begin", "definition", "goes_on", "is_listing", "opened", "sort")

    def __init__(self, opened: int, sort: str, definition: Definition | None = None, *, goes_on: bool = False) -> None:
        self.opened = opened
        self.begin = opened + 1
        self.sort = sort
        self.definition = definition
        self.goes_on = goes_on
        self.is_listing = sort == "enum"


class Java:
    """The definitions of a file. Raises Unsure."""

    __slots__ = ("closes", "code", "decorators", "definitions", "packages")

    def __init__(self, mask: Mask) -> None:
        self.code = code = mask.code
        self.closes: dict[int, int] = {}
        self.definitions: list[Definition] = []
        self.decorators: list[Span] = []
        self.packages: list[Span] = []
        if code.count("(") != code.count(")") or code.count("[") != code.count("]"):
            raise Unsure
        self._follow(mask.places(b"{};"))
        if len(PACKAGES.findall(code)) != len(self.packages):
            raise Unsure

    def _follow(self, places: list[int]) -> None:
        code = self.code
        around = Block(-1, "file")
        stack: list[Block] = []
        last = 0  # after the last token
        for at in places:
            sign = code[at]
            if sign == "{":
                stack.append(around)
                if around.sort:
                    around = self._member(around, at, last)
                elif OPENERS.search(code, last, at) or code.find(")", last, at) >= 0:
                    around = self._inner(at, last)
                else:
                    around = Block(at, "")
            elif sign == "}":
                if not stack:
                    raise Unsure
                self._close(around, at)
                closed, around = around, stack.pop()
                if not closed.goes_on:
                    around.begin = at + 1
            elif around.sort:
                self._statement(around, at)
            last = at + 1
        if stack or code[around.begin :].strip():
            raise Unsure

    def _close(self, block: Block, at: int) -> None:
        self.closes[block.opened] = at
        if block.definition:
            block.definition.end = at
        if block.is_listing:
            self._constants(block, at)
        elif block.sort and self.code[block.begin : at].strip():
            raise Unsure

    def _start(self, block: Block, at: int) -> int:
        """Return where the statement begins that goes up to here."""
        text = self.code[block.begin : at]
        return at - len(text.lstrip())

    def _member(self, around: Block, at: int, last: int) -> Block:
        """Return what a brace opens that stands in a type."""
        code = self.code
        if around.is_listing:
            return self._constant_body(around, at, last)
        begin = self._start(around, at)
        head = HEAD.match(code, begin, at)
        which = head.lastindex if head else 0
        if head and which == NAMED:
            sort = head[SORT].replace(" ", "")
            if sort != "record" or code.count("(", begin, at) == code.count(")", begin, at):
                return self._type(head, begin, at)
        elif around.sort == "file":
            pass
        elif head and which == INITIALIZER:
            return Block(at, "")
        elif head and (which in CALLED or (which == COMPACT and around.sort == "record")):
            return Block(at, "", self._define("Method", begin, at, head.span(which), at))
        if not GOES_ON.match(code, begin, at):
            raise Unsure
        block = self._inner(at, last)
        block.goes_on = True
        return block

    def _type(self, head: re.Match[str], begin: int, at: int) -> Block:
        sort = head[SORT]
        if sort[0] == "@":
            each = Definition(begin - 1, at, "Interface", "", _shifted(head.span(NAMED)), at - 1)
            self.definitions.append(each)
            return Block(at, "@interface", each)
        return Block(at, sort, self._define(KINDS[sort], begin, at, head.span(NAMED), at))

    def _define(self, kind: NodeKind, begin: int, end: int, name: Span, body: int) -> Definition:
        """Take a definition that may have annotations; its end may not be known yet."""
        if self.code[name[0] : name[1]] in RESERVED:
            raise Unsure
        each = Definition(begin - 1, end - 1, kind, "", _shifted(name), body - 1)
        self.definitions.append(each)
        if self.code[begin] == "@" or self.code.find("@", begin, name[0]) >= 0:
            place = begin
            while (found := self.code.find("@", place, name[0])) >= 0:
                piece = PIECE.match(self.code, found)
                if not piece or self.code.count("<", begin, found):
                    raise Unsure
                self.decorators.append((found - 1, piece.end() - 1))
                place = piece.end()
        return each

    def _inner(self, at: int, last: int) -> Block:
        """Return what a brace opens that stands in code: a type, with a name or without, or more code."""
        code = self.code
        if DECLARES.search(code, last, at):
            begin = at - len(code[last:at].lstrip())
            head = HEAD.match(code, begin, at)
            if not head or head.lastindex != NAMED:
                raise Unsure
            return self._type(head, begin, at)
        text = code[last:at].rstrip()
        if text.endswith(")") and ("new" in text or text.count(")") > text.count("(")):
            opened = self._opened(last + len(text) - 1)
            first, new = max(0, opened - CREATED_CHARACTERS), opened
            while (new := code.rfind("new", first, new)) >= 0:
                if CREATES.match(code, new, opened):
                    return Block(at, "class")
        return Block(at, "")

    def _opened(self, at: int) -> int:
        """Return where the bracket was opened that is closed here."""
        code, depth = self.code, 0
        place = at
        while place >= 0:
            sign = code[place]
            if sign == ")":
                depth += 1
            elif sign == "(":
                depth -= 1
                if not depth:
                    return place
            place -= 1
        raise Unsure

    def _statement(self, around: Block, at: int) -> None:
        """Take what a semicolon ends in a type or at the top of a file."""
        code = self.code
        if around.is_listing:
            self._constants(around, at)
            around.is_listing = False
            around.begin = at + 1
            return
        begin = self._start(around, at)
        around.begin = at + 1
        if begin == at:
            return
        if around.sort == "file":
            if package := PACKAGE.match(code, begin, at):
                self.packages.append(_shifted(package.span(1)))
            elif not IGNORED.match(code, begin, at):
                raise Unsure
        elif around.sort == "@interface" and (element := ELEMENT.match(code, begin, at)):
            self.definitions.append(Definition(begin - 1, at, "Method", "", _shifted(element.span(1)), at))
        elif (head := HEAD.match(code, begin, at)) and head.lastindex == METHOD:
            self._define("Method", begin, at + 1, head.span(METHOD), at + 1)
        elif field := FIELD.match(code, begin, at):
            self._field(field, begin, at, is_constant="interface" in around.sort)
        else:
            raise Unsure

    def _field(self, field: re.Match[str], begin: int, at: int, *, is_constant: bool) -> None:
        """Take the names of a field: all of them are constants in an interface, elsewhere those in capitals."""
        code = self.code
        names = [field.span(1)]
        if code.find(",", field.end(1), at) >= 0:
            names += self._declarators(field.end(1), at)
        for name in names:
            if is_constant or code[name[0] : name[1]].isupper():
                self.definitions.append(Definition(begin - 1, at, "Constant", "", _shifted(name), at))

    def _declarators(self, place: int, at: int) -> list[Span]:
        """Return the further names of a field."""
        code, depth = self.code, 0
        names: list[Span] = []
        for match in EDGE.finditer(code, place, at):
            sign = match[0]
            if sign == ",":
                if not depth and (found := DECLARATOR.match(code, match.end(), at)):
                    if "<" in code[place : match.start()]:
                        raise Unsure
                    names.append(found.span(1))
            else:
                depth += 1 if sign in "({" else -1
        return names

    def _constant_body(self, around: Block, at: int, last: int) -> Block:
        """Return what a brace opens among the names of an enumeration: the body of one, or part of its arguments."""
        if self.code.count("(", around.begin, at) > self.code.count(")", around.begin, at):
            block = self._inner(at, last)
        else:
            block = Block(at, "class")
        block.goes_on = True
        return block

    def _constants(self, block: Block, end: int) -> None:
        """Take the names that an enumeration begins with."""
        code = self.code
        place = block.opened + 1
        while code[place:end].strip():
            match = CONSTANT.match(code, place, end)
            if not match or match[2] in RESERVED:
                raise Unsure
            after, body = match.end(), -1
            if code[after] == "{" and after < end:
                body = after
                after = self.closes[after] + 1
            begin, stop = match.start(1), after if body >= 0 else match.start() + len(match[0].rstrip())
            self.definitions.append(
                Definition(
                    begin - 1, stop - 1, "Constant", "", _shifted(match.span(2)), (body if body >= 0 else stop) - 1
                )
            )
            rest = code[after:end].lstrip()
            if rest and rest[0] != ",":
                raise Unsure
            place = end - len(rest) + 1


def _shifted(span: Span) -> Span:
    return span[0] - 1, span[1] - 1


def java(page: Page, language: Language) -> Reading | None:
    """Return what is found in a page, or None where a tree is needed to be certain."""
    try:
        mask = Mask(page, "java")
        found = Java(mask)
        reading = Reading(mask, found.definitions, branches(mask.code, WORDS), found.packages)
    except Unsure:
        return None
    decorate(page, language, reading.definitions, sorted(found.decorators))
    return reading
