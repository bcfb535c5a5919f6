"""Look: what lies at a path, before anybody knows whose it is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, NamedTuple

from recollect.errors import InvalidInput, NotFound
from recollect.files import open_file, read_file
from recollect.migrate.database import MAGIC, Database
from recollect.parsing import parse_json

# Enough of a file to tell what it is; a first line is hardly ever longer.
HEAD_BYTES = 1 << 20
# A JSON document is held in memory as a whole.
MAX_DOCUMENT_BYTES = 1 << 30
MARKDOWN = (".md", ".markdown")
# Folders of programs, not of people.
_SKIPPED = {"node_modules", "__pycache__", "venv"}

Kind = Literal["folder", "page", "database", "lines", "document", "unknown"]


class Look(NamedTuple):
    """What lies at a path.

    database: open, where it is one. first: of lines the first, of a document all of it; None: no JSON
    """

    path: Path
    kind: Kind
    database: Database | None = None
    first: Any = None

    def has(self, table: str, *columns: str) -> bool:
        """Tell whether it is a database with this table, and these columns in it."""
        tables = self.database.tables if self.database is not None else {}
        return table in tables and tables[table].issuperset(columns)


def look(path: Path) -> Look:
    """Return what lies at a path; raises NotFound and InvalidInput where there is nothing to be read."""
    try:
        if path.is_dir():
            return Look(path, "folder")
        if not path.exists():
            raise NotFound(f"{path} does not exist", hint="Check the path.", path=str(path))
        if not path.is_file():
            return Look(path, "unknown")
        with open_file(path) as file:
            head = file.read(HEAD_BYTES)
    except OSError as problem:
        raise InvalidInput(f"{path} cannot be read: {problem.strerror}", path=str(path)) from None
    if head.startswith(MAGIC):
        return Look(path, "database", Database(path))
    if path.suffix.lower() in MARKDOWN:
        return Look(path, "page")
    return _json(path, head.removeprefix(b"\xef\xbb\xbf").lstrip())


def pages(folder: Path) -> Iterator[Path]:
    """Yield the Markdown files below a folder, by name; nothing of hidden folders or of what programs put there."""
    try:
        entries = sorted(folder.iterdir())
    except OSError as problem:
        raise InvalidInput(f"{folder} cannot be read: {problem.strerror}", path=str(folder)) from None
    for entry in entries:
        if entry.name.startswith(".") or entry.name in _SKIPPED or entry.is_symlink():
            continue
        if entry.is_dir():
            yield from pages(entry)
        elif entry.suffix.lower() in MARKDOWN:
            yield entry


def document(path: Path) -> Any:
    """Return a JSON document; raises InvalidInput where it is none."""
    try:
        raw = read_file(path, most=MAX_DOCUMENT_BYTES)
        return parse_json(raw.removeprefix(b"\xef\xbb\xbf"), what=str(path))
    except OSError as problem:
        raise InvalidInput(f"{path} cannot be read: {problem.strerror}", path=str(path)) from None
    except InvalidInput as problem:
        raise InvalidInput(problem.message, hint="Correct the file; nothing was imported.", path=str(path)) from None


def _json(path: Path, head: bytes) -> Look:
    if not head.startswith((b"{", b"[")):
        return Look(path, "unknown")
    line = head.split(b"\n", 1)[0]
    try:
        first = parse_json(line)
    except InvalidInput:
        first = None
    if isinstance(first, dict) and not _is_whole(first):
        return Look(path, "lines", first=first)
    try:
        return Look(path, "document", first=document(path))
    except InvalidInput:
        return Look(path, "unknown")


def _is_whole(first: dict[str, Any]) -> bool:
    """Tell whether an object on one line is a document with all the records in it."""
    return any(isinstance(value, list) and value and isinstance(value[0], dict) for value in first.values()) and not (
        isinstance(first.get("content"), str)
    )
