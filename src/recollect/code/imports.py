"""Imports: what a file brings in from elsewhere, one row per name.

    import.module     where from                                  import.namespace   what the module itself is called here
    import.name       what                                        import.default     what its default is called here
    import.alias      what the name or module before is called    import.star        everything
    import.path       module and name in one: `a.b.C`             import.tree        the same with braces
    import.hiding     the names are those that are not imported
    import.call       the function that imports; must be one of the language's `importers`
"""

from __future__ import annotations

import re

from recollect.code.found import Found, holders
from recollect.code.languages import Language
from recollect.code.page import Page
from recollect.code.symbols import Import

MOST_BRANCHES = 2_000  # of one tree of braces

# How a leaf of a tree is renamed: `HashMap as Map` in Rust and Scala 3, `F => G` in Scala 2.
RENAMED = re.compile(r"\s+as\s+|\s*=>\s*")
STARS = frozenset({"*", "_", "given"})


def imports(page: Page, language: Language, found: Found) -> list[Import]:
    """Return the imports of a file in its order."""
    statements = found.spans("import")
    if not statements:
        return []
    parts: list[tuple[int, int, str]] = []
    for capture, nodes in found.captures.items():
        if capture.startswith("import."):
            role = capture[7:]
            parts += [(node.start_byte, node.end_byte, role) for node in nodes]
    parts.sort()
    held: dict[int, list[tuple[str, str]]] = {}
    for (start, end, role), place in zip(parts, holders([part[:2] for part in parts], statements), strict=True):
        held.setdefault(place, []).append((role, page.cut(start, end)))
    held.pop(-1, None)
    rows: list[Import] = []
    for place, pieces in held.items():
        rows += _statement(language, pieces, page.line(statements[place][0]))
    return rows


def _statement(language: Language, pieces: list[tuple[str, str]], line: int) -> list[Import]:
    """Return the rows of one statement.

    Its names come from its one module; without names, each of its modules is imported as such.
    """
    modules: list[list[str | None]] = []
    names: list[list[str | None]] = []
    said = dict(pieces)
    if "call" in said and said["call"] not in language.importers:
        return []
    if "tree" in said:
        return tree(said["tree"], language.separator, line)
    alias: str | None = None
    last: list[str | None] | None = None
    for role, text in pieces:
        if role == "alias":
            if last:
                last[1] = text
            else:  # before its name: `const Foo = @import("x").Foo`
                alias = text
        elif role in ("module", "name", "path"):
            last = [text, None]
            (names if role == "name" else modules).append(last)
        elif role == "default":
            names.append(["default", text])
    star = "star" in said
    if "hiding" in said:
        names = []
    if "path" in said and not star and modules:
        path, alias = modules[0][0] or "", modules[0][1]
        module, _, name = path.rpartition(language.separator)
        return [Import(module, name, alias, 0, False, line) if module else Import(name, None, alias, 0, False, line)]
    rows = []
    if names or star or "namespace" in said:
        module, level = _module(modules[0][0] if modules else "")
        rows = [Import(module, name, renamed or alias, level, False, line) for name, renamed in names]
        if star:
            rows.append(Import(module, None, None, level, True, line))
        if "namespace" in said:
            rows.append(Import(module, None, said["namespace"], level, False, line))
        return rows
    for text, renamed in modules:
        module, level = _module(text)
        rows.append(Import(module, None, renamed or alias, level, False, line))
    return rows


def _module(text: str | None) -> tuple[str, int]:
    """Return a module's name without quotes, and how many dots it began with if it has no slash."""
    plain = (text or "").strip()
    bare = plain.strip("\"'`<>")
    if plain != bare or "/" in bare:
        return bare, 0
    named = bare.lstrip(".")
    return named, len(bare) - len(named)


def tree(text: str, separator: str, line: int) -> list[Import]:
    """Return one row per leaf of `a::{b, c::{self, D as E}}` or `import a.{b, c => d}`."""
    text = re.sub(r"^\s*import\s+", "", " ".join(text.split())).rstrip(";")
    rows: list[Import] = []
    pending = _commas(text)[::-1]
    while pending and len(rows) < MOST_BRANCHES:
        each = pending.pop().strip()
        head, brace, rest = each.partition("{")
        if brace:
            inner, _, after = rest.rpartition("}")
            pending += [head + part.strip() + after for part in reversed(_commas(inner)) if part.strip()]
        elif each:
            rows.append(_leaf(each, separator, line))
    return rows


def _leaf(text: str, separator: str, line: int) -> Import:
    path, *renamed = RENAMED.split(text, maxsplit=1)
    alias = renamed[0].strip() if renamed else None
    module, _, name = path.strip().rpartition(separator)
    if name in STARS:
        return Import(module, None, alias, 0, True, line)
    if name == "self" and module:
        return Import(module, None, alias, 0, False, line)
    return Import(module, name, alias, 0, False, line) if module else Import(name, None, alias, 0, False, line)


def _commas(text: str) -> list[str]:
    """Return the parts of a text between commas that are not inside braces."""
    parts, depth, start = [], 0, 0
    for place, character in enumerate(text):
        if character == "{":
            depth += 1
        elif character == "}":
            depth -= 1
        elif character == "," and depth == 0:
            parts.append(text[start:place])
            start = place + 1
    return [*parts, text[start:]]
