"""Parameters, results and types as signatures write them, in languages without a front end of their own.

after     name Type      Go
colon     name: Type     Rust, Kotlin, Scala, Swift, Zig, Python
before    Type name      C, C++, C#, PHP
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from recollect.code.links import program as ir

_TYPE = re.compile(r"[A-Za-z_][\w]*(?:(?:::|\.|\\)[A-Za-z_]\w*)*")
# What stands before a type and is none.
_MODIFIERS = re.compile(
    r"\b(?:mut|const|dyn|impl|inout|final|ref|out|in|params|this|struct|enum|class|unsigned|signed|static|override|val|"
    r"var|let|private|public|protected|internal|readonly|open|lateinit|vararg|crossinline|noinline|some|any|borrowed|"
    r"volatile|register|extern|virtual|inline|constexpr|async|sealed|abstract|pub|crate(?!::)|explicit|mutable|typename|"
    r"comptime|escaping|autoclosure|weak|unowned|implicit|lazy|fileprivate|new|partial|unsafe)\b"
)


def arguments(signature: str, name: str) -> list[str]:
    """Return the parameters of a signature as written."""
    start = signature.find("(", signature.find(name) + len(name))
    if signature.startswith("func ("):  # the receiver of Go comes first
        start = signature.find("(", signature.find(name, signature.find(")")) + len(name))
    if start < 0:
        return []
    parts: list[str] = []
    depth, at = 0, start + 1
    for place in range(start, len(signature)):
        character = signature[place]
        if character in "([{<":
            depth += 1
        elif character in ")]}" or (character == ">" and signature[place - 1] not in "-="):
            depth -= 1
            if depth == 0:
                return [*parts, signature[at:place]]
        elif character == "," and depth == 1:
            parts.append(signature[at:place])
            at = place + 1
    return parts


def declarations(texts: Iterable[str], style: str) -> list[tuple[str, str]]:
    """Return the names and types of parameters. In Go several may share a type: `a, b *Node`."""
    found = [_declaration(text, style) for text in texts]
    if style == "after":
        for place in range(len(found) - 2, -1, -1):
            name, declared = found[place]
            found[place] = (name, declared or found[place + 1][1])
    return found


def _declaration(text: str, style: str) -> tuple[str, str]:
    """Return the name of a parameter, and its type as written."""
    text = text.split("=", 1)[0].strip()
    if style == "colon":
        name, _, declared = text.partition(":")
        return _last_word(name), declared
    if style == "after":
        name, _, declared = text.partition(" ")
        return name, declared
    if style == "before":
        match = re.fullmatch(r"(.*?)[\s*&]*(\$?[A-Za-z_]\w*)(?:\[\w*\])?", text)
        return (match[2], match[1]) if match and match[1] else (text if text.startswith("$") else "", "")
    match = re.search(r"[A-Za-z_]\w*", text)
    return (match[0] if match else "", "")


def _last_word(text: str) -> str:
    found = re.findall(r"[A-Za-z_]\w*", text)
    return found[-1] if found else ""


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


def named_results(signature: str, name: str) -> list[str]:
    """Return the named results of a function of Go as written; none if they have no names."""
    parts = [part.strip() for part in result(signature, name, "after").strip("() {").split(",")]
    return parts if _is_named(parts[-1]) else []


def _is_named(text: str) -> bool:
    """Tell whether a result of Go has a name before its type."""
    return re.match(r"(?!func\b|chan\b|map\b|struct\b)[A-Za-z_]\w* \S", text) is not None


def type_expression(text: str, read: Callable[[str], ir.Expression] | None = None) -> ir.Expression | None:
    """Return a declared type as an expression, without pointers and options; read: what reads its path."""
    plain = _MODIFIERS.sub(" ", text).replace("'", " ").strip()
    match = _TYPE.search(plain)
    if match is None or match[0] in ("void", "auto", "func", "fn", "map", "chan"):
        return None
    inner = re.match(
        r"(?:Option|Box|Arc|Rc|Result|RefCell|Mutex|unique_ptr|shared_ptr|std::\w+_ptr|Task|Optional)\s*<(.*)", plain
    )
    if inner:
        return type_expression(inner[1], read)
    return (read or path_expression)(match[0])


def path_expression(path: str, modules: str = "") -> ir.Expression:
    """Return a path as members of a name; modules: the beginning of it that is one name."""
    first, *rest = re.split(r"::|\.|\\", path[len(modules) :])
    value: ir.Expression = ir.Name(modules or first)
    for part in rest:
        value = ir.Member(value, part)
    return value
