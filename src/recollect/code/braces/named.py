"""Named: functions that are values, and the names they are given.

const run = (x) => x           a declaration
a.b.run = function () {}       an assignment, and what owns it
{ run: () => 1 }               a pair of an object
it("runs", () => {})           the first argument of a call that makes a test
"""

from __future__ import annotations

import re

from recollect.code.braces.mask import Unsure
from recollect.code.braces.members import Members
from recollect.code.braces.values import BEFORE_VALUE, BLOCK, CLASS, CLAUSE, OBJECT, TYPE
from recollect.code.found import Span

DECLARED = re.compile(r"(?<![\w$.])(?<!as )(?:const|let|var)\s+([\w$]+)\s*!?\s*(?=[:=])")
ASSIGNED = re.compile(r"(?<!\?)\.([\w$]+)\s*\Z")
BARE = re.compile(r"(?<![\w$.)\]\"}?])([\w$]+)\s*\Z")
TRIED = ("it", "test", "describe", "suite", "context", "specify", "bench")
TESTS = re.compile(rf"(?<![\w$.])(?:{'|'.join(TRIED)})\b")
TEST_HEAD = re.compile(rf"(?:{'|'.join(TRIED)})\b[^\n]*\(\s*\Z")
# Backwards: the name of what makes a test, and the end of a statement.
BEFORE_TRIED = re.compile(rf"({'|'.join(word[::-1] for word in TRIED)})\s*+[;{{}})]")
STRING_QUOTES = frozenset("\"'`")
LONGEST_TARGET = 300  # characters before an equals sign that are looked at


class Named(Members):
    """The definitions of a file on its way. Raises Unsure."""

    __slots__ = ()

    def value(self, start: int, before: int, body: int, end: int) -> None:
        """Take a function that is a value, if it is given a name; end -1: of an expression, which is not known yet."""
        code = self.code
        sign = code[before]
        if sign == "=":
            if code[before - 1] not in "=!<>+-*/%&|^?" and not self.is_type(start):
                self._assigned(start, before, body, end)
        elif sign == ":":
            if self.after_colon(before) == "pair" and self.enclosing(before) >= 0:
                last = self.last_sign(before)
                if code[last] == "]":
                    return
                name = self.name_start(last)
                if self.inside(self.enclosing(before)) == OBJECT:
                    self.add("Function", name, self._end_of(body, end), (name, last + 1), body)
        elif sign == ",":
            self._argument(before, body)

    def _end_of(self, body: int, end: int) -> int:
        return end if end >= 0 else self.expression_end(body)

    def _assigned(self, start: int, equals: int, body: int, end: int) -> None:
        code = self.code
        around = self.enclosing(start)
        sort = self.inside(around)
        if sort == CLASS:
            return  # read with the other members
        if sort in (BLOCK, "(", "["):
            found = self.declaring(around, equals)
            if found:
                self.add("Function", found.start(1), self._end_of(body, end), found.span(1), body)
                return
            member = self.member_before(around, equals)
            if member:
                self.add("Function", member[0], self._end_of(body, end), member[1], body, member[2])
                return
            if code[self.last_sign(equals)] == "]":
                return  # by a key that is worked out
        bare = BARE.search(code, max(around + 1, equals - LONGEST_TARGET), equals)
        if not bare:
            raise Unsure
        if sort in (OBJECT, CLAUSE) or (sort in ("(", "[") and self.is_typed):
            return  # a default in a pattern
        before = self.last_sign(bare.start())
        sign = code[before]
        is_first = sign in ";{})" or ("\n" in code[before:equals] and (sign.isalnum() or sign in '_$]"'))
        if sort == BLOCK and not self.is_typed and (is_first or sign in ",="):
            self.add("Function", bare.start(), self._end_of(body, end), bare.span(1), body)
        elif not (self.is_typed and ((sort == BLOCK and is_first) or self.angle_around(equals))):
            raise Unsure

    def member_before(self, around: int, equals: int) -> tuple[int, Span, str] | None:
        """Return where `a.b` begins before an equals sign, where the name in it stands, and what stands before that."""
        code = self.code
        found = ASSIGNED.search(code, max(around + 1, equals - LONGEST_TARGET), equals)
        if not found:
            return None
        dot = found.start(1) - 1
        begin = self.callee(dot)
        before = self.last_sign(begin)
        is_below = "\n" in code[before:begin]
        sign = code[before]
        word = code[self.word_start(before) : before + 1]
        is_value = word not in BEFORE_VALUE if word else sign in ')]"}'
        if around >= 0 and code[around] == "(" and self.inside(self.around[around]) in (CLASS, TYPE):
            raise Unsure  # among parameters
        is_held = code[begin] in "(["
        is_odd = begin == dot or code[begin] == '"' or sign == "." or (is_held and self.inside(around) != BLOCK)
        if is_odd or (is_value and (is_held or not is_below)):
            raise Unsure
        return begin, found.span(1), self.text[begin:dot].rstrip()

    def declaring(self, around: int, equals: int) -> re.Match[str] | None:
        """Return the declaration whose value follows an equals sign."""
        code = self.code
        every = list(DECLARED.finditer(code, max(around + 1, equals - LONGEST_TARGET), equals + 1))
        if not every:
            return None
        found = every[-1]
        at = found.end()
        if code[at] == ":":
            at = self.next_sign(self.type_end(at + 1))
        return found if at == equals else None

    def _argument(self, comma: int, body: int) -> None:
        """Take a call with a string and a function, if it makes a test."""
        code = self.code
        last = self.last_sign(comma)
        if code[last] == ",":
            raise Unsure
        if code[last] != '"':
            return
        around = self.enclosing(comma)
        if around >= 0 and code[around] == "(":
            self._tried(around, last, body)

    def _tried(self, around: int, last: int, body: int) -> None:
        code = self.code
        first = self.next_sign(around + 1)
        if self.text[first] not in STRING_QUOTES:
            return
        is_name = not code[first : last + 1].strip('"')
        tried = BEFORE_TRIED.match(self.back, self.size - around)
        if tried and is_name and first == around + 1:
            self.add("Test", self.size - tried.end(1), self.closes[around] + 1, (first, last + 1), body)
            return
        callee = self.callee(around)
        if self.is_word(self.last_sign(callee), "new"):
            raise Unsure
        if callee == around:
            return
        line = code.rfind("\n", 0, first)
        if not is_name:
            if self.text[first] == "`" and TESTS.search(code, line, first):
                raise Unsure  # code in the name of a test, or something else that begins with a string
        elif TEST_HEAD.match(code, callee, first) and TEST_HEAD.match(self.text, callee, first):
            self.add("Test", callee, self.closes[around] + 1, (first, last + 1), body)
        elif TESTS.search(code, line, first):
            raise Unsure
