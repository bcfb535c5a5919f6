"""JavaScript and TypeScript: every brace and every arrow is told by what stands before it.

    const run = async (x) => { … }         an arrow, its parameters, an equals sign, a name: a function
    { start() { … }, stop: () => 1 }       `)` and a brace after a name that is no word of the language: a method
    it("adds", () => { … })                an arrow after a string and a bracket: a test, or nothing
    interface Ring { push(x: T): void }    what has members is read member by member

Values and types look alike. What decides is found by going back: the colon or the equals sign before, the bracket
around, and what that stands in. Not accepted: elements of JSX, decorators, what could be either.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from recollect.code.braces.cursor import LONGEST_TYPE
from recollect.code.braces.mask import Mask, Reading, Unsure, branches
from recollect.code.braces.members import MODIFIER, WORDS, Members
from recollect.code.braces.values import BEFORE_TYPE, BEFORE_VALUE, BLOCK, CLASS, CLAUSE, ENUM, OBJECT, TYPE
from recollect.code.found import Span
from recollect.code.languages import Language
from recollect.code.page import Page
from recollect.model import NodeKind

# Decorators, elements of JSX, the line that says who runs a script.
UNREAD = ("@", "</", "/>", "#!")
CONTROL = frozenset("if for while switch catch with await".split())
OPENS_BLOCK = frozenset("else do try catch finally static".split())
BEFORE_CLAUSE = frozenset("const let var import export type".split())
HEADS = ("class ", "interface ", "enum ", "namespace ", "module ")
BEFORE_DECLARED = frozenset("export default declare const".split())
DECLARES: dict[str, tuple[NodeKind, str]] = {
    "class": ("Class", CLASS),
    "interface": ("Interface", TYPE),
    "enum": ("Class", ENUM),
    "namespace": ("Module", BLOCK),
    "module": ("Module", BLOCK),
}
HEADER = re.compile(r"(class|interface|enum|namespace|module)\s+([\w$.]+|\"+)(?![\w$.(=:,])([^;{}]*)\Z")
ANONYMOUS = re.compile(r"\b(?:class(?:\s+extends\b[^;{}]*)?|global)\s*\Z")
DECLARED = re.compile(r"(?<![\w$.])(?:const|let|var)\s+([\w$]+)\s*!?\s*(?=[:=])")
ASSIGNED = re.compile(r"(?<![\w$.)\]\"}?])([\w$]+(?:\.[\w$]+)*)\.([\w$]+)\s*\Z")
BARE = re.compile(r"(?<![\w$.)\]\"}?])([\w$]+)\s*\Z")
MODIFIERS_BEFORE = re.compile(rf"({MODIFIER}*)\*?[ \t]*\Z")
TOP = re.compile(r"(?<![\w$.])(?:(export|declare)\s+)*(const|let|var)[ \t]+(?!enum\b)(?=[\w$])(?<!as const )")
DECLARATOR = re.compile(r"\s*([\w$]+)\s*!?\s*")
CALLER = re.compile(r"(?!(?:import|super)\b)[\w$]+")
IMPORTED = re.compile(r"\(\s*(\"+)\s*,?\s*\)\Z")
TYPE_ALIAS = re.compile(r"type[ \t](?<![\w$.]type[ \t])[ \t]*([\w$]+)\s*(?=[<=])(?!=[=>])")
SIGNATURE = re.compile(r"function\b(?<![\w$.]function)[ \t]*\*?[ \t]*([\w$]+)\s*(?=[(<])")
EXPORTED = re.compile(r"export\b(?<![\w$.]export)\s+(?:type\s+)?\{([^{}]*)\}(?!\s*from\b)")
SPECIFIER = re.compile(r"(?:^|,)\s*(?:type\s+)?([\w$]+|\"+)")
EXPORT_DEFAULT = re.compile(
    r"export\b(?<![\w$.]export)\s+(?:default\s+|=\s*)(?!(?:class|function|async|abstract|interface|enum)\b)([\w$]+)\s*(?=[;\n]|\Z)"
)
DEFAULT = re.compile(
    r"export\b(?<![\w$.]export)\s+default\s+(?:async\s+)?(?:function\s*\*?\s*\(|class\s*(?:\{|extends\b)|\(|[\w$]+\s*=>|abstract\b)"
)
TESTS = re.compile(r"(?<![\w$.])(?:it|test|describe|suite|context|specify|bench)\b")
TEST_HEAD = re.compile(r"(?:it|test|describe|suite|context|specify|bench)\b[^\n]*\(\s*\Z")
AFTER_VALUE = '.(["'  # what would take a function before it for a part of more
NEVER_FIRST = ".<>=?*%&|^,:"  # no statement begins with these: what stands before goes on
STRING_QUOTES = frozenset("\"'`")
BRANCH = re.compile(r"\w+\s*(?:await\s*)?\(")
KEY = re.compile(r"\w+\s*\??\s*:")


class Script(Members):
    """The definitions of a file. Raises Unsure."""

    __slots__ = ("is_typed",)

    def __init__(self, mask: Mask, *, is_typed: bool = True) -> None:
        code = mask.code
        if any(each in code for each in UNREAD) or DEFAULT.search(code):
            raise Unsure
        super().__init__(mask)
        self.is_typed = is_typed
        for at in self.opens:
            if code[at] == "{":
                self.sorts[at] = sort = self._sort(at)
                if sort in (TYPE, CLASS):
                    self.members(at, is_class=sort == CLASS)
                elif sort == ENUM:
                    self.constants(at)
        at = code.find("=>")
        while at >= 0:
            self._arrow(at)
            at = code.find("=>", at + 2)
        self._aliases()
        self._top()

    def _sort(self, at: int) -> str:
        """Return what a brace opens."""
        code = self.code
        last = self.last_sign(at)
        sign = code[last]
        if sign == ")":
            return self._called(at, last)
        if sign == ">" and code[last - 1] == "=":
            return TYPE if self.arrow_start(last - 1)[1] else BLOCK
        if sign.isalnum() or sign in "_$":
            return self._after_word(at, last)
        if sign in '>]"' or (sign == "}" and "\n" not in code[last:at]):
            return self._header(at)
        if sign in ";{}" or last == 0:
            if self.sorts.get(self.around[at]) not in (BLOCK, None):
                raise Unsure
            return BLOCK
        if sign == "," and code.startswith("import ", code.rfind("\n", 0, last) + 1):
            return CLAUSE
        if sign == ":" and self.after_colon(last) == "case":
            return BLOCK
        return TYPE if self.is_type(at) else OBJECT

    def _after_word(self, at: int, last: int) -> str:
        code = self.code
        begin = self.word_start(last)
        word = code[begin : last + 1]
        if code[self.last_sign(begin)] != ".":
            if word in OPENS_BLOCK:
                return BLOCK
            if word in BEFORE_CLAUSE:
                return CLAUSE
            if word in BEFORE_VALUE and self.returning(at, self.around[at]) < 0:
                return OBJECT
            if word in BEFORE_TYPE:
                return TYPE
        return self._header(at)

    def _header(self, at: int) -> str:
        """Return what a brace opens after the head of a class or its like, or after what a function returns."""
        code = self.code
        first = max(0, at - LONGEST_TYPE)
        begin = max(first, code.rfind(";", first, at), code.rfind("{", first, at), code.rfind("}", first, at)) + 1
        word = max([code.rfind(each, begin, at) for each in HEADS])
        head = HEADER.match(code, word, at) if word >= 0 else None
        if head and not (code[word - 1].isalnum() or code[word - 1] in "_$."):
            return self._declared(at, head)
        round_ = self.returning(at, self.around[at])
        if round_ >= 0:
            return self._called(at, round_)
        last = self.last_sign(at)
        if code[last] == ">":
            before = code[self.last_sign(self.angle_start(last))]
            if not (before.isalnum() or before in "_$)"):
                return OBJECT  # said to be of a type
        if ANONYMOUS.search(code, begin, at):
            if code[begin:at].strip().endswith("global"):
                return BLOCK
            raise Unsure
        raise Unsure

    def _declared(self, at: int, head: re.Match[str]) -> str:
        """Take a class or its like, and return what its brace opens."""
        code = self.code
        word, _, rest = head.groups()
        begin = head.start()
        before = self.last_sign(begin)
        if self.is_word(before, "abstract"):
            begin = before - 7
            before = self.last_sign(begin)
        sign = code[before]
        is_first = before == 0 or sign in ";{}" or ("\n" in code[before:begin] and sign not in "=(,:?[&|+.")
        if not is_first and code[self.word_start(before) : before + 1] not in BEFORE_DECLARED:
            raise Unsure
        if word == "enum" and self.is_word(before, "const"):
            begin = before - 4
        kind, sort = DECLARES[word]
        if sort not in (CLASS, TYPE) and rest.strip():
            raise Unsure
        self.add(kind, begin, self.closes[at] + 1, head.span(2), at)
        return sort

    def _called(self, at: int, last: int) -> str:
        """Return what a brace opens after parameters: a function, a method or a statement."""
        code = self.code
        begin = self.opened[last]
        before = self.last_sign(begin)
        if code[before] == ">" and code[before - 1] != "=":
            before = self.last_sign(self.angle_start(before))
        sign = code[before]
        if not (sign.isalnum() or sign in '_$"]'):
            if sign == "*" and self.is_word(self.last_sign(before), "function"):
                return self._function(at, self.word_start(self.last_sign(before)), None)
            raise Unsure
        start = self.name_start(before)
        word = code[start : before + 1]
        if word in CONTROL and self.sorts.get(self.around[at]) not in (CLASS, OBJECT):
            if word == "catch" and code[self.last_sign(start)] != "}":
                raise Unsure
            return BLOCK
        if word == "function":
            return self._function(at, start, None)
        previous = self.last_sign(start)
        star = self.last_sign(previous) if code[previous] == "*" else previous
        if self.is_word(star, "function"):
            return self._function(at, self.word_start(star), (start, before + 1))
        self._method(at, start, before + 1)
        return BLOCK

    def _method(self, at: int, start: int, end: int) -> None:
        code = self.code
        around = self.around[at]
        sort = self.sorts.get(around)
        if sort not in (CLASS, OBJECT) or code[start:end] in WORDS:
            raise Unsure
        line = code.rfind("\n", 0, start) + 1
        found = MODIFIERS_BEFORE.search(code, max(line, around + 1), start)
        begin = found.start() if found else start
        begin = self.next_sign(begin)
        before = self.last_sign(begin)
        is_first = before == around
        if not is_first and code[before] not in ",;}" and "\n" not in code[before:begin]:
            raise Unsure
        if sort == OBJECT:
            if not is_first and code[before] != ",":
                raise Unsure
            self.add("Method", begin, self.closes[at] + 1, (start, end), at)

    def _function(self, at: int, start: int, name: Span | None) -> str:
        """Take a function with its word: a declaration, or a value with or without a name."""
        code = self.code
        before = self.last_sign(start)
        if self.is_word(before, "async") and "\n" not in code[before:start]:
            start = before - 4
            before = self.last_sign(start)
        sign = code[before]
        end = self.closes[at] + 1
        word = code[self.word_start(before) : before + 1]
        is_below = "\n" in code[before:start]
        is_value = sign in "=(,:?[&|" or (sign == ">" and code[before - 1] == "=")
        if is_value or (not is_below and (sign in "!+-~" or word in BEFORE_VALUE - {"default"})):
            after = self.next_sign(end)
            if code[after] in AFTER_VALUE or (code[after] not in ",;)]}" and "\n" not in code[end:after]):
                raise Unsure
            around = self.around[at]
            body = at
            if name and sign in "(," and around >= 0 and code[around] == "(" and self.callee(around) != around:
                self.add("Function", start, end, name, at)
                body = self.closes[around] + 1  # this one is not that of the call
            self._value(start, body, end)
            return BLOCK
        is_statement = before == 0 or sign in ";{}" or (is_below and sign not in "+-~")
        if not (is_statement or word in ("export", "default", "declare")) or name is None:
            raise Unsure
        if code[self.next_sign(end)] in NEVER_FIRST:
            raise Unsure
        self.add("Function", start, end, name, at)
        return BLOCK

    def _arrow(self, at: int) -> None:
        start, is_type = self.arrow_start(at)
        if is_type:
            return
        body = self.next_sign(at + 2)
        if self.code[body] == "{":
            end = self.closes[body] + 1
            if self.code[self.next_sign(end)] in AFTER_VALUE:
                raise Unsure
            self._value(start, body, end)
        else:
            self._value(start, body, -1)

    def _value(self, start: int, body: int, end: int) -> None:
        """Take a function that is a value, if it is given a name; end -1: of an expression, which is not known yet."""
        code = self.code
        before = self.last_sign(start)
        sign = code[before]
        if sign == "=":
            if code[before - 1] in "=!<>+-*/%&|^?":
                return
            self._assigned(start, before, body, end)
        elif sign == ":":
            if self.after_colon(before) == "pair" and self.enclosing(before) >= 0:
                last = self.last_sign(before)
                if code[last] == "]":
                    return
                name = self.name_start(last)
                if self.sorts[self.enclosing(before)] == OBJECT:
                    self.add("Function", name, self._end_of(body, end), (name, last + 1), body)
        elif sign == ",":
            self._argument(start, before, body)

    def _end_of(self, body: int, end: int) -> int:
        return end if end >= 0 else self.expression_end(body)

    def _assigned(self, start: int, equals: int, body: int, end: int) -> None:
        code = self.code
        around = self.enclosing(start)
        sort = self.sorts.get(around) if around >= 0 and code[around] == "{" else "(" if around >= 0 else BLOCK
        first = max(around + 1, equals - 300)
        if sort == CLASS:
            return  # read with the other members
        if sort == BLOCK or sort == "(":
            found = self._declaring(first, equals)
            if found:
                self.add("Function", found.start(1), self._end_of(body, end), found.span(1), body)
                return
            found = ASSIGNED.search(code, first, equals)
            if found:
                owner = self.text[found.start(1) : found.end(1)]
                self.add("Function", found.start(), self._end_of(body, end), found.span(2), body, owner)
                return
            bare = BARE.search(code, first, equals)
            if bare and sort == "(" and self.is_typed:
                return
            if bare and sort == BLOCK and self.is_typed and code[self.last_sign(bare.start())] in ";{})":
                return
        if sort in (OBJECT, CLAUSE) and BARE.search(code, first, equals):
            return  # a default in a pattern
        raise Unsure

    def _declaring(self, first: int, equals: int) -> re.Match[str] | None:
        """Return the declaration whose value follows an equals sign."""
        code = self.code
        every = list(DECLARED.finditer(code, first, equals + 1))
        if not every:
            return None
        found = every[-1]
        at = found.end()
        if code[at] == ":":
            at = self.next_sign(self.type_end(at + 1))
        return found if at == equals else None

    def _argument(self, start: int, comma: int, body: int) -> None:
        """Take a call with a string and a function, if it makes a test."""
        code = self.code
        around = self.enclosing(start)
        if around < 0 or code[around] != "(":
            return
        first = self.next_sign(around + 1)
        last = self.last_sign(comma)
        if code[first : last + 1].strip('"') or self.text[first] not in STRING_QUOTES:
            return
        callee = self.callee(around)
        if callee == around:
            return
        line = code.rfind("\n", 0, first)
        if TEST_HEAD.match(code, callee, first) and TEST_HEAD.match(self.text, callee, first):
            self.add("Test", callee, self.closes[around] + 1, (first, last + 1), body)
        elif TESTS.search(code, line, first):
            raise Unsure

    def _aliases(self) -> None:
        code = self.code
        for match in TYPE_ALIAS.finditer(code):
            begin = match.start()
            before = self.last_sign(begin)
            word = code[self.word_start(before) : before + 1]
            if not (
                before == 0 or code[before] in ";{}" or "\n" in code[before:begin] or word in ("export", "declare")
            ):
                raise Unsure
            at = match.end()
            if code[at] == "<":
                at = self.next_sign(self.angle_end(at))
                if code[at] != "=":
                    raise Unsure
            end = self._ended(self.type_end(at + 1))
            self.add("Type", begin, end, match.span(1), end)
        for match in SIGNATURE.finditer(code):
            self._signature(match)

    def _signature(self, match: re.Match[str]) -> None:
        """Take a function without a body: an overload, or one that is declared."""
        code = self.code
        at = match.end()
        if code[at] == "<":
            at = self.next_sign(self.angle_end(at))
        end = self.closes[at] + 1
        after = self.next_sign(end)
        if code[after] == ":":
            end = self.type_end(after + 1)
            after = self.next_sign(end)
        if code[after] == "{":
            return
        begin = match.start()
        before = self.last_sign(begin)
        if self.is_word(before, "async"):
            begin = before - 4
            before = self.last_sign(begin)
        word = code[self.word_start(before) : before + 1]
        if not self.is_typed or not (
            before == 0
            or code[before] in ";{}"
            or "\n" in code[before:begin]
            or word in ("export", "declare", "default")
        ):
            raise Unsure
        end = self._ended(end)
        self.add("Function", begin, end, match.span(1), end)

    def _ended(self, end: int) -> int:
        """Return where a statement ends with its semicolon, if it has one."""
        code = self.code
        after = self.next_sign(end)
        if code[after] == ";":
            return after + 1
        feed = code.find("\n", end)
        if self.text[end:feed].strip() or not (code[end:feed].isspace() or feed == end):
            raise Unsure  # a comment: trees take it for a part of the statement
        return end

    def _top(self) -> None:
        """Take what is declared at the top of the file."""
        code = self.code
        functions = {each.name_start: each for each in self.definitions}
        for match in self._outside(TOP):
            if match[1] == "declare" or (match[1] and match[2] == "var"):
                continue
            at = match.end()
            while True:
                found = DECLARATOR.match(code, at)
                if not found:
                    raise Unsure
                value, end = self._declarator(found)
                if found.start(1) - 1 not in functions:
                    self._constant(found.span(1), value, end)
                after = self.next_sign(end)
                if code[after : after + 1] != ",":
                    break
                at = after + 1

    def _outside(self, pattern: re.Pattern[str]) -> Iterator[re.Match[str]]:
        """Yield where an expression matches outside of all brackets."""
        begin = 0
        for opened in self.tops:
            yield from pattern.finditer(self.code, begin, opened + 1)
            begin = self.closes[opened]
        yield from pattern.finditer(self.code, begin)

    def _declarator(self, found: re.Match[str]) -> tuple[int, int]:
        """Return where a declared name's value begins, -1 for none, and where the declaration ends."""
        code = self.code
        at, end = found.end(), found.end(1)
        if code[at] == ":":
            end = self.type_end(at + 1)
            at = self.next_sign(end)
        if code[at] != "=":
            return -1, end
        value = self.next_sign(at + 1)
        return value, self.expression_end(value)

    def _constant(self, name: Span, value: int, end: int) -> None:
        code = self.code
        if value >= 0:
            caller = CALLER.match(code, value)
            at = caller.end() if caller else end
            call = IMPORTED.match(code, self.angle_end(at) if caller and code[at] == "<" else at, end)
            if call and self.text[call.start(1)] in "\"'":
                return  # what it gives is taken for a module
            if code.startswith(("class", "function"), value) and not code[value + 8].isalnum():
                raise Unsure
        self.add("Constant", name[0], end, name, end)


def _exports(code: str) -> list[Span]:
    spans = [
        (match.start(1) + name.start(1) - 1, match.start(1) + name.end(1) - 1)
        for match in EXPORTED.finditer(code)
        for name in SPECIFIER.finditer(match[1])
    ]
    spans += [(match.start(1) - 1, match.end(1) - 1) for match in EXPORT_DEFAULT.finditer(code)]
    return sorted(spans)


def script(page: Page, language: Language) -> Reading | None:
    """Return what is found in a page, or None where a tree is needed to be certain."""
    try:
        mask = Mask(page, language.name)
        found = Script(mask, is_typed=language.name != "javascript")
        chosen = _branches(mask.code)
        return Reading(mask, found.definitions, chosen, [], _exports(mask.code))
    except (Unsure, LookupError, RecursionError):  # what leads nowhere was not understood
        return None


def _branches(code: str) -> list[int]:
    """Return where words stand that choose or repeat, and are not names. Raises Unsure."""
    chosen = []
    for at in branches(code, WORDS):
        if code[at] in ".#" or KEY.match(code, at + 1):
            continue
        if not BRANCH.match(code, at + 1):
            raise Unsure
        chosen.append(at)
    return chosen
