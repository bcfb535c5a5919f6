"""Parameters, results and types as signatures write them, in languages without a front end of their own.

after     name Type      Go
colon     name: Type     Rust, Kotlin, Scala, Swift, Zig, Python
before    Type name      C, C++, C#, PHP
"""

from __future__ import annotations

import re
from collections.abc import Callable

from recollect.code.links import program as ir

_TYPE = re.compile(r"[A-Za-z_][\w]*(?:(?:::|\.|\\)[A-Za-z_]\w*)*")
# A result of Go with a name before its type.
_NAMED = re.compile(r"(?!func\b|chan\b|map\b|struct\b)[A-Za-z_]\w* \S")
# What a map of Go holds by: it has no methods, so its type is that of its values.
_MAP = re.compile(r"\bmap\[[^\[\]]*+\]")
_WORD = re.compile(r"\$?[A-Za-z_]\w*")
# What a container holds: `Vec<Job<P>>`, `&[Job]`; of a map the values.
_HELD = re.compile(r"[<\[](?:[\w:&' ]++,)?+(.*)")
# What stands before a type and is none.
_MODIFIERS = re.compile(
    r"\b(?:mut|const|dyn|impl|inout|final|ref|out|in|params|this|struct|enum|class|unsigned|signed|static|override|val|"
    r"var|let|private|public|protected|internal|readonly|open|lateinit|vararg|crossinline|noinline|some|any|borrowed|"
    r"volatile|register|extern|virtual|inline|constexpr|async|sealed|abstract|pub|crate(?!::)|explicit|mutable|typename|"
    r"comptime|escaping|autoclosure|weak|unowned|implicit|lazy|fileprivate|new|partial|unsafe)\b"
)


def parameters(signature: str, name: str) -> list[str]:
    """Return the names of the parameters in brackets after a name: of each, the last word before a type or default."""
    inside = signature.partition(name)[2].partition("(")[2].rpartition(")")[0]
    words = [_WORD.findall(re.split("[=:]", part, maxsplit=1)[0]) for part in inside.split(",")]
    return [each[-1] for each in words if each]


def result(signature: str, name: str, style: str) -> str:
    """Return the return type of a signature, as written."""
    if style == "before":
        return signature[: signature.find(name)].strip() if name in signature else ""
    start = signature.find("(", signature.find(name))
    if signature.startswith("func ("):
        start = signature.find("(", signature.find(name, signature.find(")")))
    depth = 0
    for place in range(max(start, 0), len(signature)):
        depth += (signature[place] == "(") - (signature[place] == ")")
        if depth == 0 and signature[place] == ")":
            rest = signature[place + 1 :].strip()
            if style == "after":
                return rest
            return rest.removeprefix("->").removeprefix(":").strip().split(" where ")[0].strip(" =!{")
    return ""


def first_result(text: str) -> str:
    """Return the first of the results of a function of Go, without its name if it has one."""
    parts = [part.strip() for part in text.strip("() {").split(",")]
    named = [part.partition(" ")[2] for part in parts if " " in part]
    return named[0] if _NAMED.match(parts[-1]) else parts[0]


def type_expression(
    text: str, read: Callable[[str], ir.Expression] | None = None, *, is_element: bool = False
) -> ir.Expression | None:
    """Return a declared type as an expression, without pointers and options.

    read: what reads its path; is_element: the type of what a container holds, of a map the values
    """
    plain = _MODIFIERS.sub(" ", _MAP.sub(" ", text)).replace("'", " ").strip()
    match = _TYPE.search(plain)
    if match is None or match[0] in ("void", "auto", "func", "fn", "chan"):
        return None
    inner = re.match(
        r"(?:Option|Box|Arc|Rc|Result|RefCell|Mutex|unique_ptr|shared_ptr|std::\w+_ptr|Task|Optional)\s*<(.*)", plain
    )
    if inner:
        return type_expression(inner[1], read, is_element=is_element)
    if is_element:
        held = _HELD.search(plain)
        return type_expression(held[1], read) if held else None
    return (read or path_expression)(match[0])


def path_expression(path: str, modules: str = "") -> ir.Expression:
    """Return a path as members of a name; modules: the beginning of it that is one name."""
    first, *rest = re.split(r"::|\.|\\", path[len(modules) :])
    value: ir.Expression = ir.Name(modules or first)
    for part in rest:
        value = ir.Member(value, part)
    return value
