"""Values and types look alike in TypeScript; which of them something is can only be told by what it stands in.

x: (a: A) => B       after a colon that follows a name, unless in an object: a type
c ? a : (b) => b     … after one that follows a question mark: a value
{ f: (a) => a }      … in an object: a value, and its name
type F = () => A     after an equals sign of `type`: a type
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod

from recollect.code.braces.cursor import LONGEST_TYPE, Cursor
from recollect.code.braces.mask import Mask, Unsure

# What a brace opens.
BLOCK, OBJECT, TYPE, CLASS, ENUM, CLAUSE = "block", "object", "type", "class", "enum", "clause"
BEFORE_VALUE = frozenset("return await default case in of yield throw delete void typeof instanceof new".split())
NOT_CALLED = BEFORE_VALUE | frozenset("if for while switch catch with".split())
BEFORE_TYPE = frozenset("as satisfies extends keyof is infer readonly".split())
CASE = re.compile(r"\bcase\b")
ALIAS = re.compile(r"type\b(?<![\w$.]type)\s+[\w$]+\s*(?:<[^;{}()]*>)?\s*\Z")
PARAMETER = re.compile(r"[\w$]+")
# Backwards: before an arrow, its parameters in brackets, or one that nothing but a function can begin with; before
# parameters, whether the function is `async`, and what stands before it.
BEFORE_ARROW = re.compile(r"\s*+(?:(\))|([\w$]++)\s*+[(,=])")
BEFORE_FUNCTION = re.compile(r"([ \t]*+cnysa(?![\w$.]))?+\s*+([^\w\s$>])")
RETURNS_MOST = 3  # brackets that are tried


class Values(Cursor, ABC):
    """What is known of a file on its way: what its braces open, and what begins where. Raises Unsure."""

    __slots__ = ("is_typed", "sorts", "starts", "types")

    def __init__(self, mask: Mask, *, is_typed: bool = True) -> None:
        super().__init__(mask)
        self.is_typed = is_typed
        self.sorts: dict[int, str] = {}  # what braces open
        self.types: dict[int, bool] = {}  # whether what begins there is a type
        self.starts: dict[int, tuple[int, int]] = {}  # of the function of an arrow, and the sign before

    def sort(self, at: int) -> str:
        """Return what the brace opens that stands here."""
        known = self.sorts.get(at)
        if known is None:
            self.sorts[at] = known = self._sort(at)
        return known

    @abstractmethod
    def _sort(self, at: int) -> str:
        """Tell what the brace opens that stands here; asked once for each. The language's own reader knows."""

    def inside(self, around: int) -> str:
        """Return what something stands in whose innermost bracket is this one: what a brace opens, or the bracket."""
        if around < 0:
            return BLOCK
        sign = self.code[around]
        return self.sort(around) if sign == "{" else sign

    def is_type(self, at: int) -> bool:
        """Return whether what begins here is a type, and not a value."""
        known = self.types.get(at)
        if known is None:
            self.types[at] = known = self.is_typed and self._told(at)
        return known

    def _told(self, at: int) -> bool:
        code = self.code
        last = self.last_sign(at)
        sign = code[last]
        if sign == ":":
            return self.after_colon(last) == "type"
        if sign == "=":
            alias = code.rfind("type", max(0, last - LONGEST_TYPE), last)
            return alias >= 0 and ALIAS.match(code, alias, last) is not None
        if sign in "|&":
            return code[last - 1] != sign
        if sign in "<>":
            return sign == "<" or self._after_arrow(last)
        if sign in "(,[":
            return self._among(at, last)
        return code[self.word_start(last) : last + 1] in BEFORE_TYPE

    def _after_arrow(self, last: int) -> bool:
        if self.code[last - 1] != "=":
            raise Unsure
        return self.is_type(self.arrow_start(last - 1)[0])

    def _among(self, at: int, last: int) -> bool:
        """Return whether what begins here after a comma or in a bracket is a type."""
        code = self.code
        around = last
        if code[last] == ",":
            if self.angle_around(last):
                return True
            around = self.enclosing(last)
            if around < 0 or code[around] == "{":
                sort = self.inside(around)
                if sort == BLOCK:
                    raise Unsure
                return sort == TYPE
        before = self.last_sign(around)
        sign = code[before]
        if sign.isalnum() or sign in '_$)]"!':
            return code[self.word_start(before) : before + 1] in BEFORE_TYPE
        if sign == ">" and code[before - 1] != "=":
            return False  # called with types
        return self.is_type(around)

    def after_colon(self, colon: int) -> str:
        """Return what follows a colon: a "type", a "value", the value of a "pair", or the statements of a "case"."""
        code = self.code
        last = self.last_sign(colon)
        sign = code[last]
        if sign == "?":
            return "type"
        if sign == "!":
            last = self.last_sign(last)
            sign = code[last]
        around = self.enclosing(colon)
        sort = self.inside(around)
        if sign == ")":
            return self._after_round(self.opened[last], colon, around, sort)
        if sort in (TYPE, CLASS):
            return "type"
        if sign in "}]":
            return self._after_bracket(last, colon, around, sort)
        start = self.name_start(last) if sign.isalnum() or sign in '_$"' else last
        before = self.last_sign(start)
        is_alternative = self._has_question(around, colon)
        if sort in (OBJECT, CLAUSE):
            is_key = before == around or code[before] == ","
            if not is_alternative and not is_key:
                raise Unsure
            return "value" if is_alternative else "pair"
        if sort in ("(", "["):
            return "value" if is_alternative else "type"
        return self._in_block(start, before, colon, is_alternative=is_alternative)

    def _in_block(self, start: int, before: int, colon: int, *, is_alternative: bool) -> str:
        """Return what follows a colon in a block, or outside of all brackets."""
        code = self.code
        word = code[self.word_start(before) : before + 1]
        if word in ("const", "let", "var"):
            return "type"
        if word == "case" or code[start:colon].rstrip() == "default":
            return "case"
        if is_alternative:
            return "value"
        if CASE.search(code[code.rfind("\n", 0, colon) : colon]):
            return "case"
        raise Unsure

    def _after_bracket(self, last: int, colon: int, around: int, sort: str) -> str:
        """Return what follows a colon after a bracket: the type of a pattern, the value of a key that is worked out."""
        code = self.code
        begin = self.opened[last]
        before = self.last_sign(begin)
        if code[before] == "?":
            return "value"
        if sort == OBJECT and code[last] == "]":
            return "pair"
        if sort == "(" and code[before] in "(,.":
            return "value" if "?" in code[around + 1 : begin] else "type"
        if self.is_word(before, "const") or self.is_word(before, "let"):
            return "type"
        if self._has_question(around, colon):
            return "value"
        raise Unsure

    def _after_round(self, begin: int, colon: int, around: int, sort: str) -> str:
        """Return what follows a colon after round brackets: what a function returns, or an alternative."""
        code = self.code
        if code[self.last_sign(begin)] == "?" or self._has_question(around, colon):
            return "value"
        if sort in (TYPE, CLASS, OBJECT, "("):
            return "type"
        return "case" if CASE.search(code[code.rfind("\n", 0, begin) : begin]) else "type"

    def _has_question(self, around: int, colon: int) -> bool:
        """Return whether a question mark makes what follows a colon an alternative: one that no other colon follows."""
        code, at, others = self.code, colon - 1, 0
        if code.find("?", around + 1, colon) < 0:
            return False
        while at > around:
            sign = code[at]
            if sign in ")]}":
                at = self.opened[at]
            elif sign == ":":
                others += code[at - 1] != "?"
            elif sign == "?" and code[at + 1] not in ".?:" and code[at - 1] != "?":
                if not others:
                    return True
                others -= 1
            elif sign in ",;":
                return False
            at -= 1
        return False

    def arrow_start(self, at: int) -> tuple[int, int]:
        """Return where the function of an arrow begins, and where the sign before it stands."""
        known = self.starts.get(at)
        if known is None:
            self.starts[at] = known = self._arrow_start(at)
        return known

    def _arrow_start(self, at: int) -> tuple[int, int]:
        back, size = self.back, self.size
        found = BEFORE_ARROW.match(back, size - at)
        if found and found[2]:
            return size - found.end(2), size - found.end()
        if found:
            start = self.opened[size - found.end()]
            found = BEFORE_FUNCTION.match(back, size - start)
            if found:
                return (size - found.end(1) if found[1] else start), size - found.end()
        start = self._parameters(at)
        return start, self.last_sign(start)

    def _parameters(self, at: int) -> int:
        code = self.code
        last = self.last_sign(at)
        sign = code[last]
        begin = -1
        if sign == ")":
            begin = self.opened[last]
        else:
            round_ = self.returning(at, self.enclosing(at))
            if round_ >= 0:
                begin = self.opened[round_]
                before = self.last_sign(begin)
                if code[before] == "?":
                    raise Unsure
                if (code[before].isalnum() or code[before] in "_$)]") and not self.is_word(before, "async"):
                    word = code[self.word_start(before) : before + 1]
                    begin = -1 if word not in BEFORE_VALUE else begin
            if begin < 0:
                begin = self.word_start(last)
                if begin > last:
                    raise Unsure
        before = self.last_sign(begin)
        if code[begin] == "(" and code[before] == ">" and code[before - 1] != "=":
            begin = self.angle_start(before)
            before = self.last_sign(begin)
        if self.is_word(before, "async") and "\n" not in code[before:begin]:
            begin = before - 4
        elif self.is_word(before, "new"):
            raise Unsure
        return begin

    def returning(self, at: int, level: int) -> int:
        """Return where the bracket closes before the type that ends here; -1 if no type of a function does."""
        code, place = self.code, at
        for _ in range(RETURNS_MOST):
            while place > level:
                place -= 1
                sign = code[place]
                if sign in "]}":
                    place = self.opened[place]
                elif sign == ")":
                    break
                elif sign in ";([{":
                    return -1
            else:
                return -1
            colon = self.next_sign(place + 1)
            if code[colon] == ":":
                try:
                    end = self.type_end(colon + 1)
                except Unsure:
                    end = -1
                if end == self.last_sign(at) + 1:
                    return place
            place = self.opened[place]
        return -1

    def arrow_of(self, at: int) -> int:
        """Return where the arrow stands of the function that begins here; -1 if none does."""
        code = self.code
        if code.startswith("async", at) and code[at + 5] in " \t(<":
            at = self.next_sign(at + 5)
        if code[at] == "<":
            at = self.next_sign(self.angle_end(at))
        if code[at] == "(":
            after = self.next_sign(self.closes[at] + 1)
            if code[after] == ":":
                try:
                    after = self.next_sign(self.type_end(after + 1))
                except Unsure:
                    return -1
            return after if code.startswith("=>", after) else -1
        if word := PARAMETER.match(code, at):
            after = self.next_sign(word.end())
            return after if code.startswith("=>", after) else -1
        return -1

    def callee(self, begin: int) -> int:
        """Return where the expression begins that is called with the bracket that opens here."""
        code, at = self.code, begin
        while True:
            last = self.last_sign(at)
            sign = code[last]
            if at != begin and sign != "." and "\n" in code[last:at] and code[at] not in ".?":
                return at
            if sign == ".":
                at = last - 1 if code[last - 1] == "?" else last
            elif sign in ")]":
                at = self.opened[last]
            elif sign == ">" and code[last - 1] != "=":
                at = self.angle_start(last)
            elif sign == "!" and (code[last - 1].isalnum() or code[last - 1] in "_$)]"):
                at = last
            elif sign.isalnum() or sign in "_$":
                word = self.word_start(last)
                if code[self.last_sign(word)] == ".":
                    at = word
                    continue
                return at if code[word : last + 1] in NOT_CALLED else word - (code[word - 1] == "#")
            elif sign == '"':
                raise Unsure
            else:
                return at
