"""Import statements of a file, one row per name, from these captures:

import.module      the module
import.name        the imported name
import.alias       alias of the name or module before it
import.namespace   alias of the module itself
import.default     alias of the module's default
import.star        everything
import.path        module and name: `a.b.C`
import.tree        the same with braces: `a::{b, c}`
import.hiding      the names are not imported
import.call        the importing function; one of the language's `importers`
"""

from __future__ import annotations

import re

from recollect.code.index.captures import Captures, holders
from recollect.code.index.languages import Language
from recollect.code.index.page import Page
from recollect.code.index.symbols import Import

MOST_BRANCHES = 2_000  # of one tree of braces
# Nested braces, and the path before them, are copied to each branch: people write fewer.
MOST_LEVELS = 16
PATH_CHARACTERS = 1_000

# How a leaf of a tree is renamed: `HashMap as Map` in Rust and Scala 3, `F => G` in Scala 2.
RENAMED = re.compile(r"(?<!\s)\s++as\s++|(?:(?<!\s)\s++)?+=>\s*+")
STARS = frozenset({"*", "_", "given"})


def imports(page: Page, language: Language, found: Captures) -> list[Import]:
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

    Names come from its one module; without names, each module is imported itself.
    """
    said = dict(pieces)
    if "call" in said and said["call"] not in language.importers:
        return []
    if "tree" in said:
        return tree(said["tree"], language.separator, line)
    modules, names = _renamed(pieces)
    if "path" in said and "star" not in said:
        return [
            _leaf(f"{modules[0][0]} as {modules[0][1]}" if modules[0][1] else modules[0][0], language.separator, line)
        ]
    if "hiding" in said:
        names = []
    if not names and "star" not in said and "namespace" not in said:
        parts = [(*_module(module), alias) for module, alias in modules]
        return [Import(module, None, alias, level, False, line) for module, level, alias in parts]
    module, level = _module(modules[0][0] if modules else "")
    rows = [Import(module, name, alias, level, False, line) for name, alias in names]
    if "star" in said:
        rows.append(Import(module, None, None, level, True, line))
    if "namespace" in said:
        rows.append(Import(module, None, said["namespace"], level, False, line))
    return rows


Named = list[tuple[str, str | None]]


def _renamed(pieces: list[tuple[str, str]]) -> tuple[Named, Named]:
    """Return modules and names, each with its alias: the one after it, or before the first."""
    modules: Named = []
    names: Named = []
    last: Named = []
    alias: str | None = None
    for role, text in pieces:
        if role == "alias" and last:
            last[-1] = (last[-1][0], text)
        elif role == "alias":  # before its name: `const Foo = @import("x").Foo`
            alias = text
        elif role == "default":
            names.append(("default", text))
        elif role in ("module", "name", "path"):
            last = names if role == "name" else modules
            last.append((text, None))
    if alias:
        (names or modules)[0:1] = [((names or modules)[0][0], alias)]
    return modules, names


def _module(text: str) -> tuple[str, int]:
    """Return a module's name without quotes, and its leading dots if it has no slash."""
    plain = text.strip()
    bare = plain.strip("\"'`<>")
    if plain != bare or "/" in bare:
        return bare, 0
    named = bare.lstrip(".")
    return named, len(bare) - len(named)


def tree(text: str, separator: str, line: int) -> list[Import]:
    """Return one row per leaf of `a::{b, c::{self, D as E}}` or `import a.{b, c => d}`."""
    text = re.sub(r"^\s*import\s+", "", " ".join(text.split())).rstrip(";")
    rows: list[Import] = []
    pending = [(part, 0) for part in reversed(_commas(text))]
    while pending and len(rows) < MOST_BRANCHES:
        each, level = pending.pop()
        each = each.strip()
        head, brace, rest = each.partition("{")
        if brace:
            inner, _, after = rest.rpartition("}")
            if level < MOST_LEVELS and len(head) + len(after) <= PATH_CHARACTERS:
                parts = reversed(_commas(inner)[:MOST_BRANCHES])
                pending += [(head + part.strip() + after, level + 1) for part in parts if part.strip()]
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
