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
from recollect.code.braces.members import MODIFIER, WORDS
from recollect.code.braces.named import Named
from recollect.code.braces.script_mask import ScriptMask
from recollect.code.braces.values import BEFORE_TYPE, BEFORE_VALUE, BLOCK, CLASS, CLAUSE, ENUM, OBJECT, TYPE
from recollect.code.found import Span
from recollect.code.languages import Language
from recollect.code.page import Page
from recollect.model import NodeKind

CONTINUED = BEFORE_VALUE - {"default", "return", "yield", "void"}  # on the next line; `void` may end a type
CONTROL = frozenset("if for while switch catch with await".split())
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
MODIFIERS_BEFORE = re.compile(rf"({MODIFIER}*)\*?[ \t]*\Z")
TOP = [
    re.compile(rf"{word}\b(?<![\w$.]{word})(?:\s++(?!enum\b)(?=[\w$])|\s*+(?=[\[{{]))")
    for word in ("const", "let", "var")
]
DECLARATOR = re.compile(r"([\w$]+)(?:[ \t]*!(?=\s*:))?")
CALLER = re.compile(r"(?!(?:import|super)\b)[\w$]+")
IMPORTED = re.compile(r"\(\s*(\"+)\s*,?\s*\)\Z")
TYPE_ALIAS = re.compile(r"type[ \t](?<![\w$.]type[ \t])[ \t]*([\w$]+)\s*(?=[<=])(?!=[=>])")
SIGNATURE = re.compile(r"function\b(?<![\w$.]function)[ \t]*\*?[ \t]*([\w$]+)\s*(?=[(<])")
# What is exported by its name: a list, or a default; what else is a default has no name.
EXPORTED = re.compile(
    r"export\b(?<![\w$.]export)\s*+(?:(?:type\s+)?\{([^{}]*)\}(?!\s*from\b)"
    r"|(?:default\s+|=\s*)(?!(?:class|function|async|abstract|interface|enum|true|false|null|this|undefined)\b|\d)"
    r"([\w$]+)\s*(?=[;\n]|\Z)(?!\s*<)"
    r"|(default\s+(?:async\s+)?(?:function\s*\*?\s*\(|class\s*(?:\{|extends\b)|\(|[\w$]+\s*=>|abstract\b)))"
)
SPECIFIER = re.compile(r"(?:^|,)\s*(?:type\s+)?([\w$]+|\"+)")
# Backwards: a brace and what stands before it.
BRACE = re.compile(r"\{\s*+(?:(\))|(>=)|([(,\[:=?&|<])|([\w$]++)(?=\s*+(\S|\Z))|(?=(\S|\Z)))")
AFTER_ROUND, AFTER_ARROW, AFTER_SIGN, AFTER_WORD = 1, 2, 3, 5
# Backwards: the name of a type and its arguments, a colon, and parameters.
RETURNED = re.compile(r" ?+[\w$.<>\[\]|, ]++: ?+\)")
CONTROLLED = re.compile(r"\s*+(?:fi|rof|elihw|hctiws)\s*+(?:[;})]|esle\b)")
# What begins a block and no type with members.
STATEMENT = re.compile(r"\{\s*+(?:\}|(?:const|let|return|await|throw) |(?:if|for|while|switch) \(|[\w$]++(?:\.| = ))")
WORD_SORTS = {
    **{word[::-1]: BLOCK for word in "else do try catch finally static".split()},
    **{word[::-1]: CLAUSE for word in "const let var import export type with".split()},
}
AFTER_VALUE = '.(["'  # what would take a function before it for a part of more
AFTER_ARROWED = AFTER_VALUE + "<=?*%&|^!"  # … or its block for an object
NEVER_FIRST = ".<>=?*%&|^,:"  # no statement begins with these: what stands before goes on
BRANCH = re.compile(r"\w+\s*(?:await\s*)?\(")
KEY = re.compile(r"\w+\s*\??\s*:")


class Script(Named):
    """The definitions of a file. Raises Unsure."""

    __slots__ = ()

    def __init__(self, mask: Mask, *, is_typed: bool = True) -> None:
        code = mask.code
        if "@" in code:
            raise Unsure
        super().__init__(mask, is_typed=is_typed)
        for found in reversed(list(BRACE.finditer(self.back))):
            self._brace(self.size - 1 - found.start(), found)
        at = code.find("=>")
        while at >= 0:
            self._arrow(at)
            at = code.find("=>", at + 2)
        self._aliases()
        self._top()

    def _brace(self, at: int, found: re.Match[str]) -> None:
        """Take what a brace opens, if that may define something; what else it opens is told to those who ask."""
        before = found.lastindex
        is_plain = before != AFTER_ARROW and self.code.find("(", at, self.closes[at]) < 0
        if before == AFTER_SIGN:
            if is_plain or not self.is_typed:
                return
        elif before == AFTER_WORD:
            if found[AFTER_WORD] != "." and found[AFTER_WORD - 1] in WORD_SORTS:
                self.sorts[at] = WORD_SORTS[found[AFTER_WORD - 1]]
                return
        elif before == AFTER_ROUND:
            if CONTROLLED.match(self.back, self.size - self.opened[self.size - found.end()]):
                self.sorts[at] = BLOCK
                return
        elif before == AFTER_ARROW and (not self.is_typed or STATEMENT.match(self.code, at)):
            return
        sort = self.sort(at)
        if sort == CLASS or (sort == TYPE and not is_plain):
            self.members(at, is_class=sort == CLASS)
        elif sort == ENUM:
            self.constants(at)

    def _sort(self, at: int) -> str:
        """Return what a brace opens."""
        code = self.code
        last = self.last_sign(at)
        sign = code[last]
        if sign == ")":
            return self._called(at, last)
        if sign == ">" and code[last - 1] == "=":
            return TYPE if self.is_type(self.arrow_start(last - 1)[0]) else BLOCK
        if sign.isalnum() or sign in "_$":
            return self._after_word(at, last)
        if sign in '>]"' or (sign == "}" and "\n" not in code[last:at]):
            return self._header(at)
        if sign in ";{}" or last == 0:
            if self.inside(self.around[at]) not in (BLOCK, "(", "["):
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
            if word == "return":
                if "\n" in code[last:at]:
                    raise Unsure
                return OBJECT
            if word in BEFORE_VALUE and self.returning(at, self.around[at]) < 0:
                return OBJECT
            if word in BEFORE_TYPE:
                return TYPE
        return self._header(at)

    def _header(self, at: int) -> str:
        """Return what a brace opens after the head of a class or its like, or after what a function returns."""
        code = self.code
        returned = RETURNED.match(self.back, self.size - at)
        if returned:
            return self._called(at, self.size - returned.end())
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
            before = self.last_sign(self.angle_start(last))
            said = code[self.word_start(before) : before + 1]
            if said in BEFORE_VALUE or not (said or code[before] == ")"):
                return OBJECT  # said to be of a type
        anonymous = ANONYMOUS.search(code, begin, at)
        if anonymous:
            return BLOCK if anonymous[0].startswith("global") else self._class(at, anonymous.start())
        if code[last] != ">" and "\n" in code[last:at] and self.inside(self.around[at]) == BLOCK:
            return BLOCK
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
        is_below = "\n" in code[before:begin] and code[self.word_start(before) : before + 1] not in CONTINUED
        is_first = before == 0 or sign in ";{}" or (is_below and (sign not in "=(,:?[&|+.>" or self._is_case(before)))
        if sign == ">" and is_below and code[before - 1] != "=":
            is_first = self.angle_start(before) > 0
        if not is_first and code[self.word_start(before) : before + 1] not in BEFORE_DECLARED:
            if word != "class" or begin != head.start():
                raise Unsure
            return self._class(at, begin)
        if word == "enum" and self.is_word(before, "const"):
            begin = before - 4
        kind, sort = DECLARES[word]
        if sort not in (CLASS, TYPE) and rest.strip():
            raise Unsure
        self.add(kind, begin, self.closes[at] + 1, head.span(2), at)
        return sort

    def _class(self, at: int, begin: int) -> str:
        """Take a class that is a value: if a name is declared for it, it has that, else none."""
        code = self.code
        before = self.last_sign(begin)
        sign = code[before]
        end = self.closes[at] + 1
        after = self.next_sign(end)
        word = code[self.word_start(before) : before + 1]
        is_arrow = sign == ">" and code[before - 1] == "="
        is_value = sign in "=(,:?[" and code[before - 1] not in "=!<>+-*/%&|^?"
        if not (is_arrow or is_value or word in BEFORE_VALUE) or word == "default":
            raise Unsure
        if code[after] not in ",;)]}:" and "\n" not in code[end:after]:
            raise Unsure
        if code[after] in '.(["<':
            raise Unsure
        if sign == "=":
            around = self.enclosing(begin)
            found, member = self.declaring(around, before), self.member_before(around, before)
            if found:
                self.add("Class", found.start(1), end, found.span(1), at)
            elif member and not self.is_typed:
                self.add("Class", member[0], end, member[1], at, member[2])
            elif not member and code[self.last_sign(self.word_start(self.last_sign(before)))] == ",":
                raise Unsure  # declared after another
        return CLASS

    def _called(self, at: int, last: int) -> str:
        """Return what a brace opens after parameters: a function, a method or a statement."""
        code = self.code
        begin = self.opened[last]
        before = self.last_sign(begin)
        if code[before] == ">" and code[before - 1] != "=":
            before = self.last_sign(self.angle_start(before))
        sign = code[before]
        if sign == "*" and self.is_word(self.last_sign(before), "function"):
            return self._function(at, self.word_start(self.last_sign(before)), None)
        if not (sign.isalnum() or sign in '_$"]'):
            raise Unsure
        start = self.name_start(before)
        word = code[start : before + 1]
        previous = self.last_sign(start)
        if word in CONTROL and self.inside(self.around[at]) not in (CLASS, OBJECT):
            if code[previous] == "," or (word == "catch" and code[previous] != "}"):
                raise Unsure
            return BLOCK
        if word == "function":
            if code[previous] in ",{" and self.inside(self.around[at]) in (CLASS, OBJECT):
                raise Unsure  # a name, too
            return self._function(at, start, None)
        star = self.last_sign(previous) if code[previous] == "*" else previous
        if self.is_word(star, "function"):
            return self._function(at, self.word_start(star), (start, before + 1))
        is_alone = "\n" in code[last:at] and last == self.last_sign(at) and self.inside(self.around[at]) == BLOCK
        if not is_alone or code[self.word_start(previous) : previous + 1] in ("get", "set", "async", "static"):
            self._method(at, start, before + 1)
        return BLOCK

    def _method(self, at: int, start: int, end: int) -> None:
        code = self.code
        around = self.around[at]
        sort = self.inside(around)
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
        is_below = "\n" in code[before:start] and word not in CONTINUED
        is_value = sign in "=(,:?[&|" or (sign == ">" and code[before - 1] == "=")
        if is_below and self._is_case(before):
            is_value = False
        if is_value or (not is_below and (sign in "!+-~" or word in BEFORE_VALUE - {"default"})):
            self._function_value(at, start, before, name)
            return BLOCK
        is_statement = before == 0 or sign in ";{}" or (is_below and sign not in "+-~<*/%^!.")
        if sign == ">":
            self.angle_start(before)  # or this is no type
        if not (is_statement or word in ("export", "default", "declare")) or name is None:
            raise Unsure
        if code[self.next_sign(end)] in NEVER_FIRST or self.inside(self.around[at]) != BLOCK:
            raise Unsure
        self.add("Function", start, end, name, at)
        return BLOCK

    def _is_case(self, before: int) -> bool:
        """Return whether statements follow a sign: a colon after `case`."""
        return self.code[before] == ":" and self.after_colon(before) == "case"

    def _function_value(self, at: int, start: int, before: int, name: Span | None) -> None:
        code = self.code
        end = self.closes[at] + 1
        after = self.next_sign(end)
        is_next_line = "\n" in code[end:after]
        if is_next_line and code[after] != "." and code[after] in AFTER_ARROWED:
            raise Unsure
        if code[after] in AFTER_VALUE:
            return  # a part of more: called at once, or asked for something
        if code[after] not in ",;)]}:" and not is_next_line:
            if not code.startswith(("as ", "satisfies "), after):
                raise Unsure
            return
        around = self.around[at]
        body = at
        if "*" in code[start : name[0] if name else code.find("(", start)]:
            found = self.declaring(self.enclosing(start), before) if code[before] == "=" else None
            if found:
                self.add("Function", found.start(1), end, found.span(1), at)
            return
        if name and code[before] in "(," and around >= 0 and code[around] == "(" and self.callee(around) != around:
            self.add("Function", start, end, name, at)
            body = self.closes[around] + 1  # this one is not that of the call
        self.value(start, before, body, end)

    def _arrow(self, at: int) -> None:
        code = self.code
        start, before = self.arrow_start(at)
        body = self.next_sign(at + 2)
        end = -1
        if code[body] == "{":
            end = self.closes[body] + 1
            if code[end] not in "),;" and code[self.next_sign(end)] in AFTER_ARROWED and not self.is_type(start):
                raise Unsure
            if code.startswith(("as ", "satisfies "), self.next_sign(end)):
                return
        if code[before] in "=:,":
            self.value(start, before, body, end)

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
        if code[after] in NEVER_FIRST or code[after] in "[(":
            raise Unsure
        feed = code.find("\n", end)
        if self.text[end:feed].strip() or not (code[end:feed].isspace() or feed == end):
            raise Unsure  # a comment: trees take it for a part of the statement
        return end

    def _top(self) -> None:
        """Take what is declared at the top of the file."""
        code = self.code
        functions = {each.name_start: each for each in self.definitions}
        for at in self._declarations():
            while True:
                begin = self.next_sign(at)
                if code[begin] in "[{":
                    _, end = self._declarator(self.closes[begin] + 1)
                else:
                    name = DECLARATOR.match(code, begin)
                    if not name:
                        raise Unsure
                    value, end = self._declarator(name.end())
                    if begin - 1 not in functions:
                        self._constant(name.span(1), value, end)
                after = self.next_sign(end)
                if code[after : after + 1] != ",":
                    break
                at = after + 1

    def _declarations(self) -> Iterator[int]:
        """Yield where what is declared begins outside of all brackets, but for what is declared to be elsewhere."""
        code = self.code
        for pattern in TOP:
            outside = 0  # from here on
            for match in pattern.finditer(code):
                if match.start() < outside:
                    continue
                around = self.enclosing(match.start())
                if around >= 0:
                    while self.around[around] >= 0:
                        around = self.around[around]
                    outside = self.closes[around]
                    continue
                before = self.last_sign(match.start())
                word = code[self.word_start(before) : before + 1]
                if word != "as" and word != "declare" and not (word == "export" and match[0].startswith("var")):
                    yield match.end()

    def _declarator(self, end: int) -> tuple[int, int]:
        """Return where the value begins after what is declared, -1 for none, and where the declaration ends."""
        code = self.code
        at = self.next_sign(end)
        if code[at] == ":":
            end = self.type_end(at + 1)
            at = self.next_sign(end)
        if code[at] == "<":
            raise Unsure
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
            if code[end - 1] == "}" and code.startswith(("class", "function"), value) and not code[value + 8].isalnum():
                raise Unsure
        self.add("Constant", name[0], end, name, end)


def _exports(code: str) -> list[Span]:
    """Return where names stand that are exported apart from what they name. Raises Unsure for what has none."""
    spans: list[Span] = []
    for match in EXPORTED.finditer(code):
        if match[1]:
            begin = match.start(1) - 1
            spans += [(begin + name.start(1), begin + name.end(1)) for name in SPECIFIER.finditer(match[1])]
        elif match[2]:
            spans.append((match.start(2) - 1, match.end(2) - 1))
        elif match[3]:
            raise Unsure
    return spans


def script(page: Page, language: Language) -> Reading | None:
    """Return what is found in a page, or None where a tree is needed to be certain."""
    try:
        mask = ScriptMask(page, language.name)
        exports = _exports(mask.code)
        found = Script(mask, is_typed=language.name != "javascript")
        return Reading(mask, found.definitions, _branches(mask.code), [], exports, mask.markup)
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
