"""Cursor: the code of a script with its brackets, and ways to go through it.

Where a type or an expression ends is told by going forward, what something stands in or after by going back. White
space separates nothing here, but for line feeds: a statement ends at one if the next line cannot go on with it.

Expressions only go forward. So what many places are asked for is looked for in the code backwards, where `back` has
at `size - at` what stands before a place.
"""

from __future__ import annotations

import re
from bisect import bisect_left

from recollect.code.braces.mask import Mask, Unsure

END = "\n\2\2"  # after the code, so that there is always something next
BRACKETS = b"{}()[]"
NO_BRACKETS = bytes(set(range(256)) - set(BRACKETS))
OPENS = bytes.maketrans(BRACKETS, b"\1\0" * 3)
BLANK = re.compile(r"[ \t\n]++")
WORD = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$"
LONGEST_TYPE = 600  # characters of the arguments of a type
BACK = 48  # characters that are looked at first for the end of what stands before
# Where a statement may end, and how the next line must not begin if it does at a line's end.
EDGE = re.compile(r"[][(){}\n;,]")
GOES_ON = re.compile(r"[`,:;*%><=\[(?^|&/.]|\+(?!\+)|-(?!-)|!=|in(?:stanceof)?\b")
OPERATOR_ENDS = re.compile(
    r"(?:[=+\-*/%&|^~<>?:.,(\[{]|(?<![\w$.])(?:typeof|new|await|void|delete|in|of|instanceof|extends|as|satisfies|keyof|return|yield|is|infer|async|readonly|unique))\Z"
)
ANGLE_EDGE = re.compile(r"[][(){}<>;]")
TYPE_PREFIX = re.compile(r"[|&]|(?:keyof|typeof|readonly|unique|infer|asserts|new|abstract)\b(?=[\s(])")
EXTENDS = re.compile(r"extends(?![\w$])")
TYPE_ATOM = re.compile(r"import\(\s*\"+\s*\)(?:\.[\w$]+)*|-?[\w$]+(?:\.[\w$]+)*|\"+")


class Cursor:
    """The code of a file, after a line feed and before END. Raises Unsure where brackets do not match."""

    __slots__ = ("around", "back", "closes", "code", "opened", "opens", "size", "text")

    def __init__(self, mask: Mask) -> None:
        self.code = mask.code + END
        self.text = "\n" + mask.text + END
        self.back = self.code[::-1]
        self.size = len(self.code)
        self._match(mask)

    def _match(self, mask: Mask) -> None:
        """Find out which brackets belong together, and which stand in which."""
        # Where the bracket is closed that opens somewhere, and opened that closes somewhere: no place is both.
        self.closes = self.opened = partners = dict[int, int]()
        self.around = around = dict[int, int]()  # where the bracket opens that one stands in; -1 for none
        self.opens: list[int] = []
        signs = mask.plain.translate(None, NO_BRACKETS)
        if not _is_even(signs):
            raise Unsure
        begin, stack, opens = -1, [], self.opens.append
        for at, is_opening in zip(mask.places(BRACKETS), signs.translate(OPENS), strict=True):
            if is_opening:
                opens(at)
                around[at] = begin
                stack.append(begin)
                begin = at
            else:
                partners[begin] = at
                partners[at] = begin
                begin = stack.pop()

    def last_sign(self, at: int) -> int:
        """Return where the last sign before stands that is not white space; 0 if there is none."""
        code = self.code
        if code[at - 1] > " ":
            return at - 1
        if code[at - 2] > " ":
            return at - 2
        first = at - BACK if at > BACK else 0
        found = len(code[first:at].rstrip())
        return first + found - 1 if found else max(0, len(code[:at].rstrip()) - 1)

    def next_sign(self, at: int) -> int:
        """Return where the next sign stands that is not white space."""
        if self.code[at] > " ":
            return at
        if self.code[at + 1 : at + 2] > " ":
            return at + 1
        found = BLANK.match(self.code, at)
        return found.end() if found else at

    def word_start(self, last: int) -> int:
        """Return where the word begins that ends here; after it if there is none."""
        first = last - BACK if last > BACK else 0
        found = len(self.code[first : last + 1].rstrip(WORD))
        return first + found if found else len(self.code[: last + 1].rstrip(WORD))

    def is_word(self, last: int, word: str) -> bool:
        begin = self.word_start(last)
        return self.code[begin : last + 1] == word and self.code[begin - 1] != "."

    def name_start(self, last: int) -> int:
        code = self.code
        if code[last] == '"':
            while code[last] == '"':
                last -= 1
            return last + 1
        if code[last] == "]":
            return self.opened[last]
        begin = self.word_start(last)
        return begin - 1 if code[begin - 1] == "#" else begin

    def angle_start(self, last: int) -> int:
        """Return where the angle bracket opens that closes here."""
        code, depth, at = self.code, 0, last
        while at > 0:
            sign = code[at]
            if sign == ">" and code[at - 1] != "=":
                depth += 1
            elif sign == "<":
                depth -= 1
                if not depth:
                    return at
            elif sign in ")]}":
                at = self.opened[at]
            elif sign in "([{;":
                break
            at -= 1
        raise Unsure

    def angle_around(self, at: int) -> int:
        """Return where the angle bracket opens that a comma stands in; 0 if in none."""
        code, depth, first = self.code, 0, max(0, at - LONGEST_TYPE)
        if code.find("<", max(first, self.enclosing(at)), at) < 0:
            return 0
        while at > first:
            at -= 1
            sign = code[at]
            if sign == ">" and code[at - 1] != "=":
                depth += 1
            elif sign == "<":
                if not depth:
                    before = code[self.last_sign(at)]
                    return at if before.isalnum() or before in "_$=>(,:" else 0
                depth -= 1
            elif sign in ")]}":
                at = self.opened[at]
            elif sign in "([{;":
                break
        return 0

    def enclosing(self, at: int) -> int:
        """Return where the innermost bracket around opens; -1 for none."""
        begin = self.around.get(at)
        if begin is not None:
            return begin
        place = bisect_left(self.opens, at) - 1
        begin = self.opens[place] if place >= 0 else -1
        while begin >= 0 and self.closes[begin] < at:
            begin = self.around[begin]
        return begin

    def angle_end(self, at: int) -> int:
        """Return where the angle bracket closes that opens here, and one more."""
        code, depth = self.code, 0
        while match := ANGLE_EDGE.search(code, at):
            edge, found = match[0], match.start()
            at = found + 1
            if edge in "([{":
                at = self.closes[found] + 1
            elif edge == "<":
                depth += 1
            elif edge == ">":
                depth -= code[found - 1] != "="
                if not depth:
                    return at
            else:
                break
        raise Unsure

    def type_end(self, at: int) -> int:
        """Return where a type ends that begins here. Raises Unsure for what is none."""
        code = self.code
        while True:
            at = self.next_sign(at)
            while prefix := TYPE_PREFIX.match(code, at):
                at = self.next_sign(prefix.end())
            is_called = code[at] in "(<"
            at = self._part_end(at)
            after = self.next_sign(at)
            if is_called and code.startswith("=>", after):
                return self.type_end(after + 2)
            while code[at] == "[":
                at = self.closes[at] + 1
                after = self.next_sign(at)
            if code[after] in "|&" and code[after + 1] != code[after]:
                at = after
            elif code.startswith("is ", after) and "\n" not in code[at:after]:
                at = after + 3
            elif EXTENDS.match(code, after):
                return self._conditional(after + 7)
            else:
                return at

    def _part_end(self, at: int) -> int:
        """Return where the first part of a type ends: a name with its arguments, or what stands in brackets."""
        code = self.code
        if code[at] == "<":
            at = self.next_sign(self.angle_end(at))
            if code[at] != "(":
                raise Unsure
        if code[at] in "{[(":
            return self.closes[at] + 1
        part = TYPE_ATOM.match(code, at)
        if not part:
            raise Unsure
        at = self.angle_end(part.end()) if code[part.end()] == "<" else part.end()
        if code[at] in ".<":
            raise Unsure
        return at

    def _conditional(self, at: int) -> int:
        """Return where a type ends after `extends`: a condition with two types that follow."""
        code = self.code
        at = self.next_sign(self.type_end(at))
        if code[at] != "?":
            raise Unsure
        at = self.next_sign(self.type_end(at + 1))
        if code[at] != ":":
            raise Unsure
        return self.type_end(at + 1)

    def expression_end(self, at: int) -> int:
        """Return where an expression ends that begins here."""
        code = self.code
        place = at
        while match := EDGE.search(code, place):
            edge, found = match[0], match.start()
            if edge in "([{":
                place = self.closes[found] + 1
                continue
            if edge == "\n":
                line = code[at:found].rstrip()
                following = self.next_sign(found)
                if OPERATOR_ENDS.search(line[-12:]) and not line.endswith(("++", "--")):
                    if line[-1] == ">" and line[-2] != "=":
                        raise Unsure
                    place = following
                    continue
                if following < len(code) and GOES_ON.match(code, following) and code[following] not in ",;)]}":
                    place = following
                    continue
            if edge == "," and (angle := self.angle_around(found)):
                place = self.angle_end(angle)
                if code[self.next_sign(place)] not in "()[]{};,." and "\n" not in code[place : self.next_sign(place)]:
                    raise Unsure
                continue
            return at + len(code[at:found].rstrip())
        return at + len(code[at:].rstrip())


def _is_even(brackets: bytes) -> bool:
    """Return whether every bracket has its partner."""
    size = -1
    while size != len(brackets):
        size = len(brackets)
        brackets = brackets.replace(b"()", b"").replace(b"[]", b"").replace(b"{}", b"")
    return not size
