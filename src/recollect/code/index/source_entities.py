"""Functions and types of source files with their own code, documentation and dependencies; the files of a folder.

The index keeps symbols packed per file and reads code from disk. An entity holds its own code instead: libraries on the
engine store code in their own way.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from recollect.code.index.exclusions import is_minified
from recollect.code.index.extract import extract
from recollect.code.index.file_reader import HEAD_BYTES, as_utf8
from recollect.code.index.file_walk import real, walk
from recollect.code.index.languages import Language, detect
from recollect.code.index.page import Page
from recollect.code.index.symbol_properties import Level, level
from recollect.code.index.symbols import Import, Symbol
from recollect.errors import InvalidInput
from recollect.files import open_file, read_file
from recollect.model import NodeKind
from recollect.parsing import parse_python

# As the index does by default (setting index_max_file_bytes): what is larger was not written by people.
MAX_FILE_BYTES = 2_097_152
TYPES = frozenset({"Class", "Interface", "Type"})
KINDS = TYPES | {"Function", "Method"}
# References that are dependencies: calls and base types, not names that are only mentioned.
NEEDED = frozenset({"call", "base", "implements"})
# Keywords before the name of a function.
HEAD = re.compile(r"^(?:export\s+)?(?:default\s+)?(?:async\s+)?(?:def\s+|function\b\s*\*?\s*)")
# Lines that an import may span; people write fewer.
IMPORT_LINES = 60
# Dialects and their languages.
DIALECTS = {"tsx": "typescript"}
OPENING, CLOSING = "([{", ")]}"


class Entity(NamedTuple):
    """A function or type: its code with decorators, documentation and dependencies.

    dependencies: names that it calls or derives from, in order
    """

    name: str
    qualified: str
    kind: NodeKind
    code: str
    docstring: str
    signature: str
    dependencies: tuple[str, ...]
    decorators: tuple[str, ...]
    complexity: Level
    start_line: int
    end_line: int


class Source(NamedTuple):
    """A source file: its language, its import statements, its entities in order."""

    language: str
    imports: tuple[str, ...]
    entities: tuple[Entity, ...]


def entities(source: bytes, path: str, language: Language) -> Source:
    """Return the functions and types of a file. path: with slashes; never raises for what the file holds."""
    source = as_utf8(source)
    read = extract(source, path, language)
    docs = _docstrings(source) if language.name == "python" else {}
    needs = _needs(read.symbols, [(each.name, each.inside) for each in read.references if each.kind in NEEDED])
    return Source(
        language=DIALECTS.get(language.name, language.name),
        imports=tuple(dict.fromkeys(_statements(source, language, read.imports))),
        entities=tuple(
            _entity(source, _plain(symbol, read.symbols), docs.get(symbol.start_line, symbol.doc), needs.get(place, ()))
            for place, symbol in enumerate(read.symbols)
            if symbol.kind in KINDS or _is_function(symbol)
        ),
    )


def _is_function(symbol: Symbol) -> bool:
    """Tell whether a test or an endpoint is a function: the name of one that a call registers is quoted."""
    at = symbol.signature.find(symbol.name) if symbol.kind in ("Test", "Endpoint") else -1
    return at >= 0 and symbol.signature[at - 1 : at] not in ("'", '"', "`")


def _plain(symbol: Symbol, symbols: Sequence[Symbol]) -> Symbol:
    """Return a symbol whose kind is that of a type or of a function, also where the function is a test."""
    if symbol.kind in KINDS:
        return symbol
    is_member = symbol.parent >= 0 and symbols[symbol.parent].kind in TYPES
    return symbol._replace(kind="Method" if is_member else "Function")


def _entity(source: bytes, symbol: Symbol, docstring: str, needs: Sequence[str]) -> Entity:
    is_called = symbol.kind not in TYPES
    return Entity(
        name=symbol.name,
        qualified=symbol.qualified,
        kind=symbol.kind,
        code=source[symbol.start_byte : symbol.end_byte].decode("utf-8", "replace"),
        docstring=docstring,
        signature=_tidy(HEAD.sub("", symbol.signature) if is_called else symbol.signature),
        dependencies=tuple(dict.fromkeys(name for name in needs if name != symbol.name)),
        decorators=symbol.decorators,
        complexity=level(symbol.complexity),
        start_line=symbol.start_line,
        end_line=symbol.end_line,
    )


def _tidy(signature: str) -> str:
    """Return a signature of several lines as it is written on one."""
    return re.sub(r",?(?<!\s)\s++\)", ")", re.sub(r"\(\s+", "(", signature))


def _needs(symbols: Sequence[Symbol], uses: Sequence[tuple[str, int]]) -> dict[int, list[str]]:
    """Return by place of a symbol the names used in it and in its members, in order."""
    found: dict[int, list[str]] = {}
    for name, inside in uses:
        while inside >= 0:
            found.setdefault(inside, []).append(name)
            inside = symbols[inside].parent
    return found


def _docstrings(source: bytes) -> dict[int, str]:
    """Return whole docstrings by the first line of their definition; none if Python cannot parse the file."""
    try:
        tree = parse_python(source)
    except ValueError:
        return {}
    found: dict[int, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            said = ast.get_docstring(node)
            if said:
                found[min([node.lineno, *(each.lineno for each in node.decorator_list)])] = said
    return found


def _statements(source: bytes, language: Language, imports: Sequence[Import]) -> Iterator[str]:
    """Yield the import statements of a file, each on one line."""
    if language.name == "python":
        yield from _python(imports)
        return
    lines = Page(source).text.encode("latin-1").decode("utf-8", "replace").split("\n")
    for number in dict.fromkeys(each.line for each in imports):
        text = _whole(lines[number - 1 : number - 1 + IMPORT_LINES])
        # Go lists what it imports in one statement, a line for each.
        yield f"import {text}" if language.name == "go" and not text.startswith("import") else text


def _whole(lines: Sequence[str]) -> str:
    """Return the statement that begins on the first line, up to its closing bracket."""
    parts: list[str] = []
    depth = 0
    for line in lines:
        parts.append(line.strip())
        depth += sum(line.count(each) for each in OPENING) - sum(line.count(each) for each in CLOSING)
        if depth <= 0:
            break
    return " ".join(parts).rstrip(";").rstrip()


def _python(imports: Sequence[Import]) -> Iterator[str]:
    """Yield Python import statements in their shortest form."""
    groups: dict[tuple[int, str | None], list[Import]] = {}
    for each in imports:
        origin = f"{'.' * each.level}{each.module}" if each.name or each.star else None
        groups.setdefault((each.line, origin), []).append(each)
    for (_, origin), rows in groups.items():
        names = ("*" if row.star else row.name or f"{'.' * row.level}{row.module}" for row in rows)
        said = ", ".join(f"{name} as {row.alias}" if row.alias else name for name, row in zip(names, rows, strict=True))
        yield f"import {said}" if origin is None else f"from {origin} import {said}"


# --- files ---


class Listed(NamedTuple):
    """A source file of a folder: its path from there as text, and its name on disk."""

    path: str
    name: str


def read_source(path: str) -> Source:
    """Return what a source file defines. Raises OSError, and InvalidInput for other files."""
    source = read_file(path)
    language = _language(path, source)
    if language is None:
        raise InvalidInput(f"{path} is not a source file in a supported language", path=path)
    return entities(source, Path(path).as_posix(), language)


def source_files(directory: str, *, recursive: bool = True) -> list[Listed]:
    """Return the source files of a folder, by path.

    Without what a .gitignore in the folder says, what tools put there (node_modules, caches), what is minified or too
    large. Raises NotADirectoryError.
    """
    root = Path(directory)
    if not root.is_dir():
        raise NotADirectoryError(f"{directory} is not a folder")
    # Not as a work tree: a folder that a caller names is read even where the repository around it ignores it.
    found = walk(root.resolve(), is_git=False, max_bytes=MAX_FILE_BYTES).files
    listed = [Listed(each.path, real(each.path)) for each in found if recursive or "/" not in each.path]
    return [each for each in listed if _is_source(root / each.name)]


def _is_source(path: Path) -> bool:
    try:
        with open_file(path) as file:
            head = file.read(HEAD_BYTES)
            language = _language(path.name, head)
            return language is not None and not is_minified(head + file.read(), language.name)
    except OSError:
        return False


def _language(path: str, source: bytes) -> Language | None:
    found = detect(path, as_utf8(source)[:HEAD_BYTES])
    return None if found is None or found.document else found
