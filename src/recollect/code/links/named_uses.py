"""Uses of names that are not called: constants, types, and functions that are passed on.

    return n < limits.MAX_SHIPS     Use(Member(Name("limits"), "MAX_SHIPS")) of the function around

A file is read word by word, without comments, texts and imports. A path counts if its first name is imported, defined
at the top of the file, or may be visible without an import; of a path that is called, all before its last name counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import reduce
from typing import NamedTuple

import msgspec

from recollect.code.index.symbols import Symbol
from recollect.code.links import program as ir

# What is not closed ends with the file, or with its line: each character is read once.
_SLASHES = r"//[^\n]*+|/\*(?:[^*]|\*(?!/))*+(?:\*/)?"
_QUOTED = r'"(?:[^"\\\n]|\\.)*+"?'
_TICKED = r"'(?:[^'\\\n]|\\.)*+'?"
_BLOCK = r'"""(?:[^"\\]|\\[\s\S]|"(?!""))*+(?:""")?'
_BLOCKS = f"{_BLOCK}|{_BLOCK.replace(chr(34), chr(39))}"
_PATH = r"(?<![\w$])(?<![^.]\.)([A-Za-z_$\x80-\U0010ffff][\w$]*+)((?:(?:\?\.|::|\.)[A-Za-z_$][\w$]*+)*+)"
_KEY = re.compile(r"(?:[{,;(]|^)\s*+\Z", re.MULTILINE)


class _Words(NamedTuple):
    """The words of a language.

    pattern: an import, the first name of a path and the rest of it, or a comment or text
    filled: beginnings of texts that may have code in them, and such code
    open: names that may be defined elsewhere though nothing imports them
    this: the instance of the method around
    """

    pattern: re.Pattern[str]
    filled: tuple[re.Pattern[str], re.Pattern[str]] | None
    open: re.Pattern[str]
    this: str


def _words(imports: str, *texts: str, filled: tuple[str, str] = ("", ""), open: str = "(?!)", this: str = "") -> _Words:
    pattern = re.compile(f"^{imports}|{_PATH}|{'|'.join(texts)}", re.MULTILINE)
    begin, code = map(re.compile, filled)
    return _Words(pattern, (begin, code) if filled[0] else None, re.compile(open), this)


_JAVASCRIPT = _words(
    r"[ \t]*+(?:import|export)\b[\w$*{},\s]{0,4000}?\bfrom\b|^export\s*+\{[^{}]*+\}?", _SLASHES, _QUOTED, _TICKED,
    r"`(?:[^`\\]|\\[\s\S])*+`?", filled=("`", r"\$\{([^{}]*+)\}"), this="this",
)  # fmt: skip
_OTHERS = _words(
    r"[ \t]*+(?:import|package|namespace|using|#\s*+include)\b[^\n]*+", _SLASHES, _QUOTED, _TICKED, open=r"[A-Z]\w",
    this="this",
)  # fmt: skip
_WORDS = {
    **dict.fromkeys(("c", "cpp", "csharp", "kotlin", "scala", "swift", "php"), _OTHERS),
    "python": _words(
        r"[ \t]*+(?:from\s++[\w.]++\s++)?import\b\s*+(?:\([^()]*+\)?|[^\n]*+)", r"#[^\n]*+", _BLOCKS, _QUOTED, _TICKED,
        filled=(r"(?:(?<=[fF])|(?<=[fF][rR]))['\"]", r"\{([^{}]*+)\}"), this="self",
    ),
    "javascript": _JAVASCRIPT,
    "typescript": _JAVASCRIPT,
    "tsx": _JAVASCRIPT,
    "java": _words(r"(?:import|package)\s[^;]*+;?", _SLASHES, _BLOCK, _QUOTED, _TICKED, open=r"[A-Z]\w", this="this"),
    "go": _words("package ", _SLASHES, _QUOTED, r"`[^`]*+`?", r"'(?:[^'\\\n]|\\.)'", open=r"\w*[A-Z]"),
    "rust": _words(
        r"[ \t]*+(?:pub(?:\([^()]{0,80}+\))?\s++)?use\s[^;]*+;?|"
        r'\bb?r(?:"[^"]*+"?|#"(?:[^"]|"(?!#))*+(?:"#)?)',
        _SLASHES, r'"(?:[^"\\]|\\[\s\S])*+"?', r"'(?:[^'\\\n]|\\[^'\n]{1,10})'", open=r"[A-Z]\w",
    ),
}  # fmt: skip
# What follows a name that is called, and one that is given a value or names a field; a key of Python is a value.
_CALLED = re.compile(r"(?:::)?(?:<[^<>();{}]*+>)?!?\s*+\(")
_GIVEN = {True: re.compile(r"\s*+=(?![=>])"), False: re.compile(r"\s*+(?:=(?![=>])|\??:(?!:))")}
# Names of a path that are read; more are generated.
MOST_PARTS = 8
_PARTS = re.compile(r"\?\.|::|\.")
_MODULES = re.compile(r"(?:[a-z_]\w*::)*[a-z_]\w*(?=::)")


def with_uses(unit: ir.Unit, symbols: Sequence[Symbol], source: bytes) -> ir.Unit:
    """Return a program with its constants, and with the uses of names in it."""
    words = _WORDS.get(unit.language)
    return _Reading(unit, symbols, words).unit(source.decode("utf-8", "replace")) if words else unit


class _Reading:
    """The words of one file."""

    def __init__(self, unit: ir.Unit, symbols: Sequence[Symbol], words: _Words) -> None:
        self._unit, self._symbols, self._words = unit, symbols, words
        scopes = reversed(
            [*enumerate(unit.scopes)]
        )  # of two with one symbol the first: initialisers follow their class
        self._scopes = {scope.symbol: place for place, scope in scopes if scope.symbol >= 0}
        self._uses: dict[int, list[ir.Statement]] = {}
        self._known: set[tuple[int, str]] = set()
        self._modules: dict[str, None] = {}  # paths of Rust that no import names
        self._wanted = {symbol.name for symbol in symbols if symbol.parent < 0}
        self._members = {symbol.name for symbol in symbols if symbol.parent >= 0}
        imports = [each for scope in unit.scopes for each in scope.body if type(each) is ir.Import]
        named = {each.alias for each in imports if each.name}
        self._whole = {each.alias for each in imports if each.name is None} - named  # modules are no uses
        self._is_star = unit.language == "python" and any(each.name == "*" for each in imports)
        self._wanted |= {name for each in imports if (name := each.alias or each.name)}

    def unit(self, text: str) -> ir.Unit:
        inside = [-1] * (text.count("\n") + 2)
        sized = sorted(range(len(self._symbols)), key=lambda place: -self._size(place))
        for place in sized:  # what is inside comes last
            symbol = self._symbols[place]
            inside[symbol.start_line : symbol.end_line + 1] = [place] * self._size(place)
        line, at = 1, 0
        for path, start in self._paths(text, 0):
            line += text.count("\n", at, start)
            at = start
            self._use(path, line, inside[line])
        self._uses.setdefault(0, []).extend(ir.Import(path, None, path) for path in self._modules)
        scopes = list(self._unit.scopes)
        for place, uses in self._uses.items():
            scopes[place] = msgspec.structs.replace(scopes[place], body=(*scopes[place].body, *uses))
        return msgspec.structs.replace(self._unit, scopes=tuple(scopes), constants=tuple(self._constants()))

    def _size(self, place: int) -> int:
        return self._symbols[place].end_line - self._symbols[place].start_line + 1

    def _constants(self) -> Iterator[ir.Constant]:
        """Yield the symbols of the file and of its classes that are no scopes."""
        for place, symbol in enumerate(self._symbols):
            if place not in self._scopes and (symbol.parent < 0 or symbol.parent in self._scopes):
                yield ir.Constant(symbol.name, place, self._scopes.get(symbol.parent, 0))

    def _paths(self, text: str, first: int) -> Iterator[tuple[str, int]]:
        """Yield the paths of a text that may be uses, and where they begin."""
        words, wanted, is_open = self._words, self._wanted, self._words.open.match
        for match in words.pattern.finditer(text):
            head, rest = match.groups()
            if head is None:
                if words.filled and words.filled[0].match(text, match.start()):
                    for inner in words.filled[1].finditer(match[0]):
                        yield from self._paths(inner[1], first + match.start() + inner.start(1))
                continue
            is_wanted = head in wanted or is_open(head) or (rest and (head == words.this or rest[0] == ":"))
            if (is_wanted or self._is_star) and (path := self._read(text, match)):
                yield path, first + match.start()

    def _read(self, text: str, match: re.Match[str]) -> str:
        """Return the path that is used; "" for a name that is called, given a value, or that of a field."""
        path, end = match[1] + match[2], match.end()
        if _CALLED.match(text, end):
            return path[: max(path.rfind("."), path.rfind("::"))].rstrip("?:") if match[2] else ""
        is_given = _GIVEN[self._unit.language == "python"].match(text, end)
        return "" if is_given and _KEY.search(text[max(0, match.start() - 40) : match.start()]) else path

    def _use(self, path: str, line: int, inside: int) -> None:
        if (inside, path) in self._known or path in self._whole:
            return
        self._known.add((inside, path))
        value = self._expression(path, inside)
        is_itself = inside >= 0 and path == self._symbols[inside].name and self._symbols[inside].parent < 0
        if value is not None and not is_itself:
            owner = inside
            while owner >= 0 and owner not in self._scopes:
                owner = self._symbols[owner].parent
            symbol = inside if owner != inside else -1
            self._uses.setdefault(self._scopes.get(owner, 0), []).append(ir.Use(value, line, symbol))

    def _expression(self, path: str, inside: int) -> ir.Expression | None:
        head, *parts = _PARTS.split(path)[:MOST_PARTS]
        value: ir.Expression = ir.Name(head)
        if head == self._words.this:
            if not parts or parts[0] not in self._members:
                return None
            value = value if head == "self" else ir.This()
        elif head == "Self":
            owner = self._symbols[inside].qualified.split("::")[-2:-1] if inside >= 0 else ()
            value = ir.Name(owner[0]) if owner else value
        elif self._unit.language == "rust" and head not in self._wanted and (modules := _MODULES.match(path)):
            self._modules[modules[0]] = None
            value, parts = ir.Name(modules[0]), parts[modules[0].count("::") :]
        return reduce(lambda of, name: ir.Member(of, name), parts, value)
