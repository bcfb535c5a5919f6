"""Members: what classes, interfaces, types and enumerations of a script hold, one after the other."""

from __future__ import annotations

import re

from recollect.code.braces.mask import Mask, Unsure
from recollect.code.braces.values import Values
from recollect.code.found import Span
from recollect.code.gather import Definition
from recollect.model import NodeKind

WORDS = ("if", "for", "while", "switch")
MODIFIER = r"(?:(?:public|private|protected|static|readonly|override|abstract|declare|async|get|set|accessor)[ \t]+)"
MEMBER = re.compile(rf"({MODIFIER}*)\*?[ \t]*(#?[\w$]+|\"+|\[[^\[\]]*\])\s*[?!]?\s*")
COMMENTED = re.compile(r"[ \t]*+/[/*]")
KEYED = re.compile(r":|\sin\s")


class Members(Values):
    """The definitions of a file on its way. Raises Unsure."""

    __slots__ = ("definitions",)

    def __init__(self, mask: Mask, *, is_typed: bool = True) -> None:
        super().__init__(mask, is_typed=is_typed)
        self.definitions: list[Definition] = []

    def add(self, kind: NodeKind, begin: int, end: int, name: Span, body: int, owner: str = "") -> None:
        """Take a definition. Raises Unsure where a comment follows that trees take for a part of it."""
        if self.code[end - 1] == "}" and COMMENTED.match(self.text, end):
            raise Unsure
        self.definitions.append(Definition(begin - 1, end - 1, kind, owner, (name[0] - 1, name[1] - 1), body - 1))

    def members(self, at: int, *, is_class: bool) -> None:
        """Take the members of a class, an interface or a type."""
        code, end = self.code, self.closes[at]
        place = at + 1
        while True:
            place = self.next_sign(place)
            while place < end and code[place] in ";,":
                place = self.next_sign(place + 1)
            if place >= end:
                return
            after = self._member(place, end, is_class=is_class)
            if after <= place:
                raise Unsure
            place = after

    def _member(self, begin: int, end: int, *, is_class: bool) -> int:
        """Take a member, and return where it ends."""
        code = self.code
        is_keyed = code[begin] == "[" and KEYED.search(code, begin, self.closes[begin])
        if is_keyed or code[begin] in "(<{-+|" or code.startswith(("new (", "new(", "static {", "static{"), begin):
            if is_class or code[begin] in "-+|{":
                raise Unsure
            return self._nameless(begin)
        found = MEMBER.match(code, begin, end)
        if not found:
            raise Unsure
        name, at = found.span(2), found.end()
        sign = code[at]
        if sign in "(<":
            if code[name[0] : name[1]] in WORDS:
                raise Unsure
            if sign == "<":
                at = self.next_sign(self.angle_end(at))
            after = self.next_sign(self.closes[at] + 1)
            stop = self.type_end(after + 1) if code[after] == ":" else self.closes[at] + 1
            brace = self.next_sign(stop)
            if code[brace] == "{" and is_class:
                self.add("Method", begin, self.closes[brace] + 1, name, brace)
                return self.closes[brace] + 1
            self.add("Method", begin, stop, name, stop)
            return stop
        return self._field(begin, found, is_class=is_class)

    def _nameless(self, begin: int) -> int:
        """Return where a member without a name ends: what can be called, created, or asked by a key."""
        code = self.code
        at = self.next_sign(begin + 3) if code.startswith("new", begin) else begin
        if code[at] == "<":
            at = self.next_sign(self.angle_end(at))
        at = self.closes[at] + 1
        after = self.next_sign(at)
        while code[after] in "?+-":
            after = self.next_sign(after + 1)
        return self.type_end(after + 1) if code[after] == ":" else at

    def _field(self, begin: int, found: re.Match[str], *, is_class: bool) -> int:
        """Take a member that is no method, unless its type is that of a function; return where it ends."""
        code = self.code
        name, at = found.span(2), found.end()
        stop = found.start() + len(found[0].rstrip())
        is_function = False
        if code[at] == ":":
            value = self.next_sign(at + 1)
            stop = self.type_end(value)
            is_function = code[value] == "<" or (
                code[value] == "(" and code.startswith("=>", self.next_sign(self.closes[value] + 1))
            )
            at = self.next_sign(stop)
        if code[at] == "=" and is_class:
            return self._initialised(begin, at, name)
        if code[at] not in ";,}" and "\n" not in code[stop:at]:
            raise Unsure
        if is_function and not is_class:
            self.add("Method", begin, stop, name, stop)
        elif is_class and code[name[0] : name[1]].isupper():
            self.add("Constant", begin, stop, name, stop)
        return stop

    def _initialised(self, begin: int, equals: int, name: Span) -> int:
        """Take a field with a value, and return where that ends."""
        code = self.code
        value = self.next_sign(equals + 1)
        stop = self.expression_end(value)
        if code.startswith("function", value) or code.startswith("async function", value):
            raise Unsure
        arrow = self.arrow_of(value)
        if arrow >= 0:
            body = self.next_sign(arrow + 2)
            if code[body] == "{":
                stop = self.closes[body] + 1
            self.add("Method", begin, stop, name, body)
        elif code[name[0] : name[1]].isupper():
            self.add("Constant", begin, stop, name, stop)
        return stop

    def constants(self, at: int) -> None:
        """Take the names of an enumeration."""
        code, end = self.code, self.closes[at]
        place = self.next_sign(at + 1)
        while place < end:
            found = MEMBER.match(code, place, end)
            if not found or found[1]:
                raise Unsure
            name = found.span(2)
            stop = name[1]
            after = self.next_sign(stop)
            if code[after] == "=":
                stop = self.expression_end(self.next_sign(after + 1))
            self.add("Constant", name[0], stop, name, stop)
            after = self.next_sign(stop)
            if after < end and code[after] != ",":
                raise Unsure
            place = self.next_sign(after + 1)
