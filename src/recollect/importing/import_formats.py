"""The formats that can be imported, and which of them a path has; a new one is a row and a Reader."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from recollect.errors import InvalidInput
from recollect.importing.basic_memory import BasicMemory
from recollect.importing.claude_mem import ClaudeMem
from recollect.importing.codemem import Codemem, CodememLines
from recollect.importing.codemem_sessions import CodememSessions
from recollect.importing.episodic import Episodic
from recollect.importing.import_source import Reader, SourceFile, inspect_source
from recollect.importing.markdown_pages import Markdown
from recollect.importing.memory_lib import MemoryLib
from recollect.importing.memory_service import MemoryService
from recollect.importing.server_memory import ServerMemory

# In the order in which they are asked under `auto`: specific formats first.
READERS: tuple[type[Reader], ...] = (
    ClaudeMem,
    CodememSessions,
    MemoryService,
    MemoryLib,
    Codemem,
    ServerMemory,
    CodememLines,
    Episodic,
    BasicMemory,
    Markdown,
)

NAMES: tuple[str, ...] = tuple(dict.fromkeys(reader.source_name for reader in READERS))


@contextmanager
def opened(path: Path, source: str) -> Iterator[Reader | None]:
    """Return the reader of the source at a path; with `auto`, None if it may be an export of recollect.

    Raises InvalidInput if it has another format, and names that.
    """
    found = inspect_source(path)
    try:
        reader = _reader(found, source)
        if reader is None:
            _refuse_unknown(found)
            yield None
        else:
            yield reader(found)
    finally:
        if found.database is not None:
            found.database.close()


def _reader(found: SourceFile, source: str) -> type[Reader] | None:
    asked = [reader for reader in READERS if source in ("auto", reader.source_name)]
    fitting = next((reader for reader in asked if reader.fits(found)), None)
    if fitting is not None or source == "auto":
        return fitting
    if found.kind == "folder" and source in ("basic-memory", "markdown"):
        return asked[0]  # which says that the folder is empty
    other = next((reader.source_name for reader in READERS if reader.fits(found)), None)
    raise InvalidInput(
        f"{found.path} is not from {source}" + (f", but looks like {other}" if other else ""),
        hint=f"Use --from {other}. Nothing was imported." if other else _HINTS[found.kind],
        path=str(found.path),
        looks_like=other,
    )


def _refuse_unknown(found: SourceFile) -> None:
    """Raise InvalidInput for what cannot be an export of recollect either."""
    if found.has("changes", "batch"):
        hint = "Export it with `recollect export --database FILE` and import the export."
        raise InvalidInput(f"{found.path} is a recollect database", hint=hint, path=str(found.path))
    if found.kind in ("database", "document", "folder"):
        raise InvalidInput(f"nothing to import in {found.path}", hint=_HINTS[found.kind], path=str(found.path))


_HINTS: Mapping[str, str] = {
    "database": "Its tables match no supported tool; the version may be too old or too new. Nothing was imported.",
    "lines": "Its first line is not a known record. Nothing was imported.",
    "document": "It contains no known records. Nothing was imported.",
    "folder": "The folder contains no Markdown and no known database.",
    "page": "Use --from markdown to import a single page.",
    "unknown": "It is not a database or JSON, or it is truncated. Nothing was imported.",
}
