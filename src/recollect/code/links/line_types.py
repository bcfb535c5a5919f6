"""Variables and their types as lines of code write them, in languages without a front end of their own.

A style says where a type stands, as in `signature_types`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from recollect.code.index.captures import SPAN
from recollect.code.index.page import Page
from recollect.code.links.tree_reader import nodes_of_kinds

# A pattern of Rust takes the value out of an option: `if let Some(item) = next()`.
_ASSIGNED = re.compile(
    r"(?:^|[\s;{(,])(?P<some>(?:Some|Ok)\((?:mut\s+)?)?(?P<name>@?\$?[A-Za-z_]\w*)(?(some)\))\s*"
    r"(?::\s*[\w.:<>?\[\]*& ]+)?\s*(?::=|=)\s*"
    r"(?:await\s+|new\s+|try[!?]?\s+|&|\*|\(|\s)*[\w.:>$@&?!()\[\]<-]*$"
)
# What a function assigns to, a loop goes through, a block takes and a handler catches.
_LOCAL = re.compile(
    r"\bfor\s++([\w, ]{1,200})\s+in\b|\|([^|\n]*)\||=>\s*+([a-z_]\w*)"
    r"|(?<![\w.@$:])([a-z_]\w*+(?:\s*+,\s*+\*?[a-z_]\w*+)*+)(\s*+(?:\|\||&&|<<|\*\*|[-+*/%|&^])?=(?![=~>]))?"
)
# Nodes that declare a variable, a field or a parameter, and their parts that hold its name.
_DECLARING = re.compile(
    r"(?!type_|function_|method_|delegate_|operator_|protocol_|using_|local_function)"
    r"(?:\w*parameter\w*|\w*declaration|\w+_spec|container_field|foreach_statement|for_range_loop|catch_clause|"
    r"static_item|const_item|va[lr]_definition)|type_annotation|type_assertion_expression"
)
_NAMING = ("name", "pattern", "declarator", "left")
_NAME = re.compile(r"(?:(?:mut|ref)\s++)?[*&\s.]*+(\$?[A-Za-z_]\w*+)\s*+(?:\[[^\]]*+\]\s*+)*+(?:=.*+)?", re.DOTALL)
# What stands before a type where the grammar names no part: `var count: u32`, `queue, is := any.(*Queue)`.
_BEFORE = re.compile(r"\b([A-Za-z_]\w*+)(?:\s*+,\s*+\w++)?\s*+(?::\s*+|:?=[^=()\n]{1,80}\.\()(?<![^:(]\s)\Z")
# A loop of Go over a slice: a slice has no methods, so its type is that of its elements.
_LOOP = re.compile(r"\bfor\s++\w++\s*+,\s*+(?P<name>[A-Za-z_]\w*+)\s*+:?=\s*+range\s++(?P<of>[\w.\[\]()]++)")
# A loop over a container, and a function that is called with each of its elements.
_EACH = re.compile(
    r"\bfor(?:each)?\b[\s(]*+(?:(?:auto|var|val|const|mut)\b|[&\s])*+(?P<name>[A-Za-z_]\w*+)\s*+(?:in\b|:)[\s&*]*+"
    r"(?:mut\s++)?(?P<of>[A-Za-z_]\w*+(?:(?:\.|->|::)(?!(?:iter|iter_mut|into_iter|values|values_mut)\(\))"
    r"[A-Za-z_]\w*+(?:\(\))?+)*+)(?:\.\w++\(\))*+\s*+[{)]"
)
_GIVEN = re.compile(
    r"(?P<of>[A-Za-z_]\w*+(?:\.[A-Za-z_]\w*+(?!\())*+)\.(?:iter|iter_mut|into_iter|values|values_mut)\(\)"
    r"(?:\.\w++\(\))*+\.\w++\((?:move\s*+)?\|[\s&]*+(?:mut\s++)?(?P<name>[A-Za-z_]\w*+)\|"
)
# An element of a slice or a map of Go: `entry, ok := cache.entries[key]`.
_ELEMENT = re.compile(
    r"(?:^|\bif\b)\s*+(?P<name>[A-Za-z_]\w*+)(?:\s*+,\s*+\w++)?\s*+:?=\s*+(?P<of>[\w.]++\[[^\[\]]*+\])\s*+(?:;|$)"
)
# A second name for something: `header := file.header`.
_RENAMED = re.compile(
    r"^\s*+(?:(?:let|var|val|const|auto)\s++(?:mut\s++)?)?(?P<name>[A-Za-z_]\w*+)\s*+:?=\s*+&?(?:mut\s++)?"
    r"(?P<of>[A-Za-z_]\w*+(?:(?:\.|->)[A-Za-z_]\w*+)++)\s*+;?\s*+$"
)
# Several variables that take the results of a call; the first result has the declared type.
_SEVERAL = re.compile(r"(?:^|[\s;{(])([A-Za-z_]\w*+)(?:\s*+,\s*+[A-Za-z_]\w*+)++\s*+:?=\s*+[\w.&*()\[\]]*+$")
_KEYWORDS = frozenset(
    "return throw yield case else in new delete using namespace typedef goto import package func fn def end".split()
)


class Declaration(NamedTuple):
    """A name with a type as written, and where it begins."""

    start: int
    name: str
    type: str


def typed(page: Page, language: str) -> Iterator[Declaration]:
    """Yield the variables, fields and parameters of a file that have a type, in their order."""
    for node in nodes_of_kinds(page, language, declaration=_DECLARING)["declaration"]:
        # The grammar of Kotlin does not name the parts.
        unnamed = (each for each in node.named_children if each.type in ("user_type", "nullable_type"))
        type_ = node.child_by_field_name("type") if language != "kotlin" else next(unnamed, None)
        if type_ is None:
            continue
        start, text = type_.start_byte, page.cut(*SPAN(type_))
        parts = [part for field in _NAMING for part in node.children_by_field_name(field)]
        names = [page.cut(*SPAN(part)) for part in parts if part.start_byte != start]
        before = _BEFORE.search(page.text, max(0, start - 80), start) if not names else None
        if before is not None:
            names = [before[1]]
        elif not names:
            names = [page.cut(*SPAN(each)) for each in node.named_children if each.start_byte > start]
        for name in names:
            if match := _NAME.fullmatch(name):
                yield Declaration(start, match[1], text)


def second_names(lines: Iterable[str], style: str) -> Iterator[tuple[str, str]]:
    """Yield variables that are second names, or elements, of something, and that."""
    for text in lines:
        same = _RENAMED.match(text)
        if same is None and style == "after":
            same = _LOOP.search(text) or _ELEMENT.search(text)
        if same is not None:
            yield same["name"], same["of"]
        for each in (_EACH.search(text), _GIVEN.search(text)) if style in ("colon", "before") else ():
            if each is not None:
                yield each["name"], f"{each['of']}[0]"


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
    return match["name"] if match is not None and match["name"] not in _KEYWORDS else ""
