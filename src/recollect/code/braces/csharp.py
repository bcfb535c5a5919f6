"""C#: what a brace opens is told by what stands before it, since the last brace or semicolon.

    namespace A.B {                          types stand in namespaces, members in types
      class Ring<T> : Base where T : C {
        [Fact] public int Push(T x) {        a method: code, in which only functions matter
          int Local() => 1;
        public int Size { get; } = 3;        a property: what it is, what it begins with, or both
        const int MAX = 3, MIN = 1;

Lines that begin with a hash are left out: all that they choose between is read, as a tree does. Not accepted: such a
line in the head of a definition but for its attributes, statements outside of types, quotes in code that stands in
strings.
"""

from __future__ import annotations

import re
from bisect import bisect_left

from recollect.code.braces.mask import Mask, Reading, Unsure, nested
from recollect.code.found import Span
from recollect.code.gather import Definition, decorate
from recollect.code.languages import Language
from recollect.code.page import Page
from recollect.model import NodeKind

# Words that choose or repeat, each with what must follow it.
BRANCHES = [
    re.compile(rf"{word}\b(?<!\w{word})(\s*+{after})?+")
    for word, after in (("if", r"\("), ("for", r"\("), ("foreach", r"\("), ("while", r"\("), ("switch", r"[({]"))
]
BEFORE_BRANCH = re.compile(r"[{};):]\Z|(?<!\w)(?:else|do|await)\Z")
BACK = 96  # characters that are looked at first for what stands before

NAME = r"@?+[A-Za-z_]\w*+"
ROUND = nested(r"\(", r"\)", r"[^()]")
SQUARE = nested(r"\[", r"\]", r"[^][]")
ANGLE = nested("<", ">", r"[^<>(){};=]")
TUPLES = nested("<", ">", rf"(?:[^<>(){{}};=]|{ROUND})")
MODIFIERS = (
    rf"(?:(?:{SQUARE}|(?:public|protected|private|internal|static|abstract|sealed|virtual|override|readonly|extern|unsafe"
    r"|volatile|async|new|partial|file|required|ref|fixed|const)\b)\s*+)*+"
)
PATH = rf"{NAME}(?:\s*+{TUPLES})?+(?:\s*+(?:\.|::)\s*+{NAME}(?:\s*+{TUPLES})?+)*+"
TYPE = rf"(?:{PATH}|{ROUND})(?:\s*+(?:\?|\*|\[[\s,]*+\]))*+"
# Before the name of a member of an interface that is said to be one: `void ICloseable.Close()`.
OF = rf"(?:{NAME}(?:{ANGLE})?+\.)*"
WHERE = r"(?:where\b[^{};=]*+)?+"
PARAMETERS = rf"(?:\s*+{ANGLE})?+\s*+{ROUND}\s*+{WHERE}"
# What ends a head: its own end, or the arrow before its value.
STOP = r"(?:\Z|(?==>))"
# Groups: the word and name of a type; a namespace; the sign of an operator; what has no name; the name of a method, of
# a constructor or its opposite, of a property.
HEAD = re.compile(
    rf"{MODIFIERS}(?:(class|struct|interface|enum|record(?:\s++(?:class|struct))?+)\s++({NAME})"
    rf"(?:\s*+{ANGLE})?+\s*+(?:{ROUND}\s*+)?+(?::[^{{}};=]*+)?{WHERE}\Z"
    rf"|namespace\s++({NAME}(?:\s*+\.\s*+{NAME})*+)\s*+\Z"
    rf"|{TYPE}\s*+\boperator\s*+(?:checked\s++)?+([-+*/%&|^!~<>=]++|true\b|false\b)\s*+{ROUND}\s*+{STOP}"
    rf"|((?:implicit|explicit)\s++operator\b\s*+{TYPE}\s*+{ROUND}\s*+{STOP}"
    rf"|event\s++{TYPE}\s++{OF}{NAME}\s*+\Z|{TYPE}\s++{OF}this\s*+{SQUARE}\s*+{STOP})"
    rf"|{TYPE}\s*+(?<=[\s>\])?*]){OF}({NAME}){PARAMETERS}{STOP}"
    rf"|~?\s*+({NAME})\s*+{ROUND}\s*+(?::\s*+(?:base|this)\s*+{ROUND}\s*+)?+{STOP}"
    rf"|{TYPE}\s*+(?<=[\s>\])?*]){OF}({NAME})\s*+{STOP})"
)
SORT, NAMED, NAMESPACE, OPERATOR, NAMELESS, METHOD, CONSTRUCTOR, PROPERTY = 1, 2, 3, 4, 5, 6, 7, 8
FIELD = re.compile(rf"{MODIFIERS}(?:event\s++)?+{TYPE}\s*+(?<=[\s>\])?*])({NAME})\s*+(?:{SQUARE}\s*+)?+(?:=(?!>)|,|\Z)")
DELEGATE = re.compile(rf"{MODIFIERS}delegate\s++{TYPE}\s*+(?<=[\s>\])?*])({NAME}){PARAMETERS}\Z")
DECLARATOR = re.compile(rf"\s*+({NAME})\s*+(?:=(?![=>])|,|\Z)")
CONSTANT, EVENT = re.compile(r"\bconst\b"), re.compile(r"\bevent\b")
IGNORED = re.compile(r"(?:global\s++)?+using\b[^(){}]*\Z|extern\s++alias\b[^(){}]*\Z|\Z")
GLOBAL = re.compile(rf"\s*+(?=\[\s*+(?:assembly|module)\s*+:){SQUARE}")
ATTRIBUTE = re.compile(rf"{SQUARE}\s*+")
ACCESSOR = re.compile(
    rf"(?:(?:{SQUARE}|public|protected|private|internal|readonly)\s*+)*+(?:get|set|init|add|remove)\s*+{STOP}"
)
# Of code: what begins like a function, and words that no type begins with.
LOCAL = re.compile(
    rf"(?:(?:{SQUARE}|(?:public|protected|private|internal|static|abstract|sealed|virtual|override|readonly|extern|unsafe"
    rf"|volatile|async|partial)\b)\s*+)*+(?:ref\s++(?:readonly\s++)?+)?+({TYPE})\s*+(?<=[\s>\])?*])({NAME}){PARAMETERS}{STOP}"
)
MAY_BE_LOCAL = re.compile(rf"[\w>\])?*]\s++({NAME})(?:\s*+{ANGLE})?+\s*+{ROUND}\s*+{WHERE}{STOP}")
LABELLED = re.compile(r"case\b|\w++\s*+:(?!:)")
WHERES = re.compile(r"\swhere\s")
WORD = re.compile(NAME)
STATEMENTS = frozenset(
    "return new await throw yield else case goto using lock in is as typeof default checked unchecked do try "
    "finally if for foreach while switch fixed catch break continue stackalloc out var delegate this base".split()
)
# … and those that may be types where they are no such words.
SOFT = frozenset("select from where orderby join let on equals into group by with when and or not".split())
# What nothing can be called; operators can be `true` and `false`.
RESERVED = frozenset(
    "abstract as base bool break byte case catch char checked class const continue decimal default delegate do "
    "double else enum event explicit extern finally fixed float for foreach goto if implicit in int "
    "interface internal is lock long namespace new null object operator out override params private protected "
    "public readonly ref return sbyte sealed short sizeof stackalloc static string struct switch this throw true "
    "try typeof uint ulong unchecked unsafe ushort using virtual void volatile while".split()
)
EDGE = re.compile(r"[][(){},]")
VALUE, SEMICOLON = re.compile(r"\s*+=(?![=>])"), re.compile(r"\s*+;")
SAYING = re.compile(r"#[ \t]*+(?!(?:if|elif|else|endif|pragma|nullable|define|undef)\b)")
CHOICE = re.compile(r"#[ \t]*+(if|elif|else|endif)\b")
CHOICES = {"if": 1, "elif": 0, "else": 0, "endif": -1}
DIRECTIVE = re.compile(r"[ \t]*+#[^\n]*+")
INTERPOLATED = re.compile(r"\{\{|\}\}|\{[^{}]*+\}")

KINDS: dict[str, NodeKind] = {"interface": "Interface"}


class Block:
    """What a brace has opened.

    sort: "file" (or namespace), "type", "enum", "accessors", or "" for code. begin: where what comes next in it begins.
    definition: what ends with it. goes_on: the statement around it is not over when it is closed. waiting: what ends in
    it with the next semicolon.
    """

    __slots__ = ("begin", "definition", "goes_on", "opened", "sort", "waiting")

    def __init__(self, opened: int, sort: str, definition: Definition | None = None, *, goes_on: bool = False) -> None:
        self.opened = opened
        self.begin = opened + 1
        self.sort = sort
        self.definition = definition
        self.goes_on = goes_on
        self.waiting: Definition | None = None


class CSharp:
    """The definitions of a file. Raises Unsure."""

    __slots__ = ("code", "decorators", "definitions", "directives", "packages", "text")

    def __init__(self, mask: Mask) -> None:
        self.definitions: list[Definition] = []
        self.decorators: list[Span] = []
        self.packages: list[Span] = []
        self.directives: list[int] = []
        plain = self._left_out(mask)
        self.text = mask.code  # with directives
        self.code = code = plain.decode("ascii")
        mask.plain, mask.code = bytes(plain), code
        if code.count("(") != code.count(")") or code.count("[") != code.count("]"):
            raise Unsure
        self._follow(mask.places(b"{};"))

    def _left_out(self, mask: Mask) -> bytearray:
        """Return the code without lines that begin with a hash."""
        blob = bytearray(mask.plain)
        for at in mask.places(b"#"):
            line = mask.code.rfind("\n", 0, at) + 1
            found = DIRECTIVE.match(mask.code, line)
            if not found or (mask.code[line:at].strip() and at > found.end()):
                raise Unsure
            if SAYING.match(mask.code, at) and ("//" in (said := mask.text[at - 1 : found.end() - 1]) or "/*" in said):
                raise Unsure  # no comment there
            blob[line : found.end()] = b" " * (found.end() - line)
            self.directives.append(at)
        return blob

    def _follow(self, places: list[int]) -> None:
        code = self.code
        around = Block(-1, "file")
        around.begin = self._after_global(0)
        stack: list[Block] = []
        for at in places:
            sign = code[at]
            if sign == "{":
                stack.append(around)
                around = self._opened(around, at)
            elif sign == "}":
                if not stack:
                    raise Unsure
                self._close(around, at)
                closed, around = around, stack.pop()
                if not closed.goes_on:
                    around.begin = at + 1
                    if closed.sort and closed.definition:
                        self._wait(around, closed.definition, at + 1, is_property=closed.sort == "accessors")
            elif around.sort or code.find("=>", around.begin, at) >= 0:
                self._statement(around, at)
            else:
                around.begin = at + 1
        if stack or code[self._after_global(around.begin) :].strip():
            raise Unsure

    def _after_global(self, at: int) -> int:
        """Return where attributes of the whole program end."""
        while found := GLOBAL.match(self.code, at):
            at = found.end()
        return at

    def _close(self, block: Block, at: int) -> None:
        if block.definition:
            block.definition.end = at
        if block.sort == "enum":
            self._members(block.opened + 1, at)
        elif block.sort and (block.waiting or self.code[block.begin : at].strip()):
            raise Unsure

    def _wait(self, around: Block, each: Definition, at: int, *, is_property: bool) -> None:
        """Wait for the end of a property that is given a value after its accessors, or of a type with a semicolon."""
        if (VALUE if is_property else SEMICOLON).match(self.code, at):
            around.waiting = each

    def _start(self, block: Block, at: int) -> int:
        """Return where the statement begins that goes up to here."""
        if block.sort == "file":
            block.begin = self._after_global(block.begin)
        text = self.code[block.begin : at]
        return at - len(text.lstrip())

    def _opened(self, around: Block, at: int) -> Block:
        """Return what a brace opens."""
        code = self.code
        begin = self._start(around, at)
        if not around.sort or around.sort == "enum":
            return self._inner(begin, at)
        if around.waiting:
            return Block(at, "", goes_on=True)
        if around.sort == "accessors":
            if not ACCESSOR.match(code, begin, at) or code[begin:at].rstrip().endswith(">"):
                raise Unsure
            return Block(at, "")
        head = HEAD.match(code, begin, at)
        if head and not code.startswith("=>", head.end()):
            block = self._headed(around, head, begin, at)
            if block:
                return block
        if not self._goes_on(begin, at, has_values=around.sort == "type"):
            raise Unsure
        return Block(at, "", goes_on=True)

    def _goes_on(self, begin: int, at: int, *, has_values: bool) -> bool:
        """Return whether a brace stands in a value, where there are any, or in brackets."""
        code = self.code
        return (
            (has_values and code.find("=", begin, at) >= 0)
            or code.count("(", begin, at) > code.count(")", begin, at)
            or code.count("[", begin, at) > code.count("]", begin, at)
        )

    def _headed(self, around: Block, head: re.Match[str], begin: int, at: int) -> Block | None:
        """Return what a brace opens after a head; None if that is not over."""
        which = head.lastindex
        if which == NAMED:
            sort = head[SORT].split()[0]
            each = self._define(KINDS.get(sort, "Class"), begin, at, head.span(NAMED), at)
            return Block(at, "enum" if sort == "enum" else "type", each)
        if which == NAMESPACE:
            if around.sort != "file" or head.start(NAMESPACE) != self._named(begin):
                raise Unsure
            return Block(at, "file", self._define("Module", begin, at, head.span(NAMESPACE), at))
        if around.sort != "type":
            return None
        if which == NAMELESS:
            return Block(at, "accessors" if not head[NAMELESS].startswith(("implicit", "explicit")) else "")
        if which == PROPERTY:
            return Block(at, "accessors", self._define("Method", begin, at, head.span(PROPERTY), at))
        each = self._define("Method", begin, at, head.span(which or METHOD), at)
        if which == OPERATOR:
            each.body = -1  # as its end, which is not known yet
        return Block(at, "", each)

    def _named(self, begin: int) -> int:
        """Return where the name after the first word stands."""
        after = self.code[begin + 9 : begin + 200]
        return begin + 9 + len(after) - len(after.lstrip())

    def _define(self, kind: NodeKind, begin: int, end: int, name: Span, body: int) -> Definition:
        """Take a definition that may have attributes; its end may not be known yet."""
        code = self.code
        if code[name[0] : name[1]] in RESERVED:
            raise Unsure
        first = bisect_left(self.directives, begin)
        inside = bisect_left(self.directives, name[1]) - first
        start = self._chosen(begin, first, first + inside) if inside else begin
        each = Definition(start - 1, end - 1, kind, "", (name[0] - 1, name[1] - 1), body - 1)
        self.definitions.append(each)
        place = begin
        while code[place] == "[":
            found = ATTRIBUTE.match(code, place)
            if not found:
                raise Unsure
            self.decorators.append((place - 1, place + len(found[0].rstrip()) - 1))
            place = found.end()
        return each

    def _chosen(self, begin: int, first: int, after: int) -> int:
        """Return where a definition begins some of whose attributes are chosen: where the choice does.

        first, after: the directives between its beginning and its name.
        """
        code, depth, is_open = self.code, 0, False
        last = begin
        while found := ATTRIBUTE.match(code, last):
            last = found.end()
        if self.directives[after - 1] > last:
            raise Unsure
        for at in self.directives[first:after]:
            word = CHOICE.match(self.text, at)
            if not word:
                continue
            if not depth and word[1] != "if":  # begun before
                if is_open:
                    raise Unsure
                is_open, depth = True, 1
            depth += CHOICES[word[1]]
        if depth:
            raise Unsure
        if not is_open:
            return begin
        before = self.directives[first - 1] if first else -1
        opener = CHOICE.match(self.text, before) if before >= 0 else None
        if not opener or opener[1] != "if" or code[before:begin].strip():
            raise Unsure
        return before

    def _inner(self, begin: int, at: int) -> Block:
        """Return what a brace opens that stands in code: a function, the value of one, or more code."""
        code = self.code
        text = code[begin:at].rstrip()
        if text[:1] == "[" and self._goes_on(begin, at, has_values=False):
            return Block(at, "", goes_on=True)  # in an attribute
        if "=>" in text:
            return Block(at, "", goes_on=self._local(begin, at) is not None)
        if text.endswith(")") or WHERES.search(text):
            found = self._local(begin, at)
            return Block(at, "", self._define("Function", begin, at, found.span(2), at) if found else None)
        return Block(at, "")

    def _local(self, begin: int, at: int) -> re.Match[str] | None:
        """Return how a function begins that stands in code, up to its body; None if it is none."""
        code = self.code
        found = LOCAL.match(code, begin, at)
        if found:
            first = WORD.match(found[1])
            if not first or first[0] not in STATEMENTS:
                if found[2] in STATEMENTS or found[2] in RESERVED or (first and first[0] in SOFT):
                    raise Unsure
                return found
        elif LABELLED.match(code, begin, at) and MAY_BE_LOCAL.search(code, begin, at):
            raise Unsure
        return None

    def _statement(self, around: Block, at: int) -> None:
        """Take what a semicolon ends."""
        code = self.code
        begin = self._start(around, at)
        around.begin = at + 1
        if around.waiting:
            around.waiting.end = at
            around.waiting = None
            return
        if begin == at:
            return
        if not around.sort:
            self._arrow(begin, at)
            return
        if around.sort == "accessors":
            if not ACCESSOR.match(code, begin, at):
                raise Unsure
            return
        if around.sort == "enum":
            raise Unsure
        self._declared(around, begin, at)

    def _arrow(self, begin: int, at: int) -> None:
        """Take a function of code that is a value."""
        found = self._local(begin, at)
        if found and self.code.startswith("=>", found.end()):
            self._define("Function", begin, at + 1, found.span(2), found.end())

    def _declared(self, around: Block, begin: int, at: int) -> None:
        """Take a member that ends with a semicolon, or what may stand outside of types."""
        code = self.code
        head = HEAD.match(code, begin, at)
        which = head.lastindex if head else 0
        if delegate := DELEGATE.match(code, begin, at):
            self._define("Type", begin, at + 1, delegate.span(1), at + 1)
        elif head and which == NAMED:
            self._define(KINDS.get(head[SORT], "Class"), begin, at + 1, head.span(NAMED), at + 1)
        elif around.sort == "file":
            if head and which == NAMESPACE and head.start(NAMESPACE) == self._named(begin):
                self.packages.append((head.start(NAMESPACE) - 1, head.end(NAMESPACE) - 1))
            elif not IGNORED.match(code, begin, at):
                raise Unsure
        elif head and (which == METHOD or (which and which != PROPERTY and code.startswith("=>", head.end()))):
            if which not in (NAMELESS, NAMESPACE):
                body = head.end() if code.startswith("=>", head.end()) and which != OPERATOR else at + 1
                self._define("Method", begin, at + 1, head.span(which), body)
        elif head and which == PROPERTY and code.startswith("=>", head.end()):
            self._define("Method", begin, at + 1, head.span(PROPERTY), head.end())
        elif field := FIELD.match(code, begin, at):
            self._field(field, begin, at)
        else:
            raise Unsure

    def _field(self, field: re.Match[str], begin: int, at: int) -> None:
        """Take the names of a constant."""
        code = self.code
        if not CONSTANT.search(code, begin, field.start(1)):
            return
        if EVENT.search(code, begin, field.start(1)):
            raise Unsure
        names = [field.span(1)]
        if code.find(",", field.end(1), at) >= 0:
            names += self._declarators(field.end(1), at)
        first = self._define("Constant", begin, at + 1, names[0], at + 1)
        for name in names[1:]:
            self.definitions.append(Definition(first.start, at, "Constant", "", (name[0] - 1, name[1] - 1), at))

    def _declarators(self, place: int, at: int) -> list[Span]:
        """Return the further names of a constant."""
        code, depth = self.code, 0
        names: list[Span] = []
        for match in EDGE.finditer(code, place, at):
            if match[0] == ",":
                if not depth:
                    found = DECLARATOR.match(code, match.end(), at)
                    if not found or "<" in code[place : match.start()]:
                        raise Unsure
                    names.append(found.span(1))
            else:
                depth += 1 if match[0] in "([{" else -1
        return names

    def _members(self, place: int, end: int) -> None:
        """Take the names of an enumeration."""
        code = self.code
        while code[place:end].strip():
            begin = end - len(code[place:end].lstrip())
            place = begin
            while code[place] == "[":
                found = ATTRIBUTE.match(code, place, end)
                if not found:
                    raise Unsure
                place = found.end()
            name = WORD.match(code, place, end)
            if not name or name[0] in RESERVED:
                raise Unsure
            stop = self._value_end(name.end(), end)
            value = code[name.end() : stop].strip()
            if (value and value[0] != "=") or "{" in value or "<" in value.replace("<<", ""):
                raise Unsure
            last = begin + len(code[begin:stop].rstrip())
            self._define("Constant", begin, last, name.span(), last)
            place = stop + 1

    def _value_end(self, place: int, end: int) -> int:
        """Return where the comma stands that ends a value, or the end of all."""
        depth = 0
        for match in EDGE.finditer(self.code, place, end):
            if match[0] == ",":
                if not depth:
                    return match.start()
            else:
                depth += 1 if match[0] in "([{" else -1
        return end


def _branches(code: str) -> list[int]:
    """Return where words stand that choose or repeat. Raises Unsure for what may be a name."""
    found = []
    for word in BRANCHES:
        for match in word.finditer(code):
            at = match.start()
            if not match[1]:
                raise Unsure
            if match[1][-1] == "(":
                before = code[max(0, at - BACK) : at].rstrip() or code[:at].rstrip()
                if not BEFORE_BRANCH.search(before, max(0, len(before) - 6)):
                    raise Unsure
            elif code[at - 1] == "@":
                raise Unsure
            found.append(at - 1)
    return sorted(found)


def _strings(mask: Mask) -> list[Span]:
    """Return where white space counts as in strings: not in code that stands in them."""
    text, found = mask.text, []
    for start, end in mask.strings:
        if "$" in text[max(0, start - 2) : start] and text.find("{", start, end) >= 0:
            for match in INTERPOLATED.finditer(text, start, end):
                if match[0] not in ("{{", "}}"):
                    found.append((start, match.start()))
                    start = match.end()
        found.append((start, end))
    return found


def csharp(page: Page, language: Language) -> Reading | None:
    """Return what is found in a page, or None where a tree is needed to be certain."""
    try:
        mask = Mask(page, "csharp")
        found = CSharp(mask)
        mask.strings = _strings(mask)
        for each in found.definitions:
            each.body = each.end if each.body < 0 else each.body
        reading = Reading(mask, found.definitions, _branches(mask.code), found.packages)
    except Unsure:
        return None
    decorate(page, language, reading.definitions, sorted(found.decorators))
    return reading
