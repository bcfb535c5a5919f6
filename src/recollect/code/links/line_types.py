"""Variables and their types as lines of code write them, in languages without a front end of their own.

A style says where a type stands, as in `signature_types`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from recollect.code.links import program as ir
from recollect.code.links.signature_types import declarations, path_expression

Type = Callable[[str], "ir.Expression | None"]  # what reads a type as written
_ASSIGNED = re.compile(
    r"(?:^|[\s;{(,])(@?\$?[A-Za-z_]\w*)\s*(?::\s*[\w.:<>?\[\]*& ]+)?\s*(?::=|=)\s*"
    r"(?:await\s+|new\s+|try[!?]?\s+|&|\*|\(|\s)*[\w.:>$@&?!()\[\]<-]*$"
)
# What a function assigns to, a loop goes through, a block takes and a handler catches.
_LOCAL = re.compile(
    r"\bfor\s++([\w, ]{1,200})\s+in\b|\|([^|\n]*)\||=>\s*+([a-z_]\w*)"
    r"|(?<![\w.@$:])([a-z_]\w*+(?:\s*+,\s*+\*?[a-z_]\w*+)*+)(\s*+(?:\|\||&&|<<|\*\*|[-+*/%|&^])?=(?![=~>]))?"
)
_FIELDS: dict[str, re.Pattern[str]] = {
    "after": re.compile(r"^\s*(?P<name>[A-Za-z_]\w*)\s+(?P<type>[*\[\]]*[A-Za-z_][\w.]*)"),
    "colon": re.compile(
        r"^\s*(?:(?:@\w+|pub(?:\([^)]*\))?|private|public|internal|fileprivate|protected|override|final|lazy|weak|"
        r"unowned|lateinit|static|val|var|let|implicit|open)\s+)*(?P<name>[A-Za-z_]\w*)\s*:\s*(?P<type>[^=,;{]+)"
    ),
    "before": re.compile(
        r"^\s*(?:(?:public|private|protected|internal|static|readonly|final|const|volatile|mutable|virtual|override)\s+)*"
        r"(?P<type>\??[A-Za-z_\\][\w.:\\]*(?:<[^;=()]*>)?[\s*&?]+)\$?(?P<name>[A-Za-z_]\w*)\s*(?:;|=|\{\s*get)"
    ),
}
# Local variables with a type: declared, taken by a function literal, caught, or asserted.
_TYPED: dict[str, tuple[re.Pattern[str], ...]] = {
    "after": (
        re.compile(r"^\s*+var\s++(?P<name>[A-Za-z_]\w*+)\s++(?P<type>[*\[\]\w.]++)"),
        re.compile(
            r"\b(?P<name>[A-Za-z_]\w*+)(?:\s*+,\s*+\w++)?\s*+:=[^=()]{1,100}\.\((?P<type>\*?[A-Za-z_][\w.]*+)\)"
        ),
    ),
    "colon": (
        re.compile(r"\b(?:let|var|val|const)\s++(?:mut\s++)?(?P<name>[A-Za-z_]\w*+)\s*+:\s*+(?P<type>[^=;{]{1,200})"),
    ),
    "before": (
        _FIELDS["before"],
        re.compile(
            r"\b(?:foreach|for|catch|using)\s*+\(\s*+(?P<type>(?:const\s++|final\s++)?[A-Za-z_\\][\w.:\\]*+[\s*&]++)"
            r"\$?(?P<name>[A-Za-z_]\w*+)\s*+(?:in\b|[:=)])"
        ),
    ),
}
# Parameters of a function literal.
_LITERAL: dict[str, re.Pattern[str]] = {
    "after": re.compile(r"\bfunc\s*+\(([^()]{1,200})\)"),
    "colon": re.compile(r"\|([^|\n]{1,200})\|"),
    "before": re.compile(r"\b(?:function|fn)\s*+\(([^()]{1,200})\)"),
}
# What a line has that declares a variable with a type; most lines are passed over.
_SIGNS: dict[str, re.Pattern[str]] = {
    "after": re.compile(r"\bvar\b|\.\(|\bfunc\b"), "colon": re.compile("[:|]"), "before": re.compile("[;=({]"),
}  # fmt: skip
# A loop of Go over a slice: a slice has no methods, so its type is that of its elements.
_LOOP = re.compile(r"\bfor\s++\w++\s*+,\s*+(?P<name>[A-Za-z_]\w*+)\s*+:?=\s*+range\s++(?P<of>[\w.\[\]()]++)")
# A second name for something: `header := file.header`.
_RENAMED = re.compile(
    r"^\s*+(?:(?:let|var|val|const|auto)\s++(?:mut\s++)?)?(?P<name>[A-Za-z_]\w*+)\s*+:?=\s*+&?(?:mut\s++)?"
    r"(?P<of>[A-Za-z_]\w*+(?:(?:\.|->)[A-Za-z_]\w*+)++)\s*+;?\s*+$"
)
# Several variables that take the results of a call; the first result has the declared type.
_SEVERAL = re.compile(r"(?:^|[\s;{(])([A-Za-z_]\w*+)(?:\s*+,\s*+[A-Za-z_]\w*+)++\s*+:?=\s*+[\w.&*()\[\]]*+$")
_EMBEDDED = re.compile(r"^\s*\*?([A-Za-z_][\w.]*)\s*(?:`[^`]*`)?$")
_KEYWORDS = frozenset(
    "return throw yield case else in new delete using namespace typedef goto import package func fn def end".split()
)


def fields(lines: Iterable[str], style: str, read: Type) -> Iterator[tuple[str, ir.Expression]]:
    """Yield the fields of a type with their types; one without a name is embedded."""
    for text in lines:
        match = _FIELDS[style].match(text)
        if match and match["name"] not in _KEYWORDS and (declared := read(match["type"])) is not None:
            yield match["name"], declared
        elif style == "after" and (embedded := _EMBEDDED.match(text)):
            yield "", path_expression(embedded[1])


def local_types(
    lines: Iterable[str], style: str, named: Sequence[tuple[str, str]], read: Type
) -> Iterator[tuple[str, ir.Expression]]:
    """Yield the local variables of a function that have a type.

    named: those that its signature names, with their types as written
    """
    found = list(named)
    for text in filter(_SIGNS[style].search, lines):
        for pattern in _TYPED[style]:
            found += [(match["name"], match["type"]) for match in pattern.finditer(text)]
        for literal in _LITERAL[style].finditer(text):
            found += declarations(literal[1].split(","), style)
    for name, declared in found:
        is_word = not name or name in _KEYWORDS or declared.split(" ", 1)[0] in _KEYWORDS
        if not is_word and (value := read(declared)) is not None:
            yield name, value


def second_names(lines: Iterable[str], style: str) -> Iterator[tuple[str, str]]:
    """Yield variables that are second names, or elements, of something, and that."""
    for text in lines:
        same = _RENAMED.match(text) or (_LOOP.search(text) if style == "after" else None)
        if same is not None:
            yield same["name"], same["of"]


def variables(text: str, signature: str, style: str = "") -> frozenset[str]:
    """Return the variables and parameters of a function."""
    if style == "after":
        declared = [line.partition(":=")[0] for line in text.split("\n") if ":=" in line]
        return frozenset(re.findall(r"\w+", " ".join((signature.partition("(")[2], *declared))))
    named = [part for row in _LOCAL.finditer(text) if not row[4] or row[5] for part in row.groups() if part]
    return frozenset(re.findall(r"\w+", " ".join([*named, signature.partition("(")[2]])))


def assigned_variable(before: str, style: str) -> str:
    """Return the variable that gets the result of a call, from the line before the call; "" if none."""
    if "=" not in before:
        return ""
    several = _SEVERAL.search(before[-200:]) if style == "after" else None
    if several is not None:
        return several[1] if several[1] != "_" else ""
    match = _ASSIGNED.search(before[-200:])
    return match[1] if match is not None and match[1] not in _KEYWORDS else ""
