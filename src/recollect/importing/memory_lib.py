"""memory_lib: the databases of the general and code memory library (document 000).

memories (text, metadata, timestamp) · code_memories (what an indexer found) · non_code_memories (titled notes)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from recollect.importing.fields import Fields
from recollect.importing.import_records import Found, Left, Remembered
from recollect.importing.import_source import Reader, SourceFile
from recollect.model import MemoryType

# Our type of memory by its category.
TYPES: Mapping[str, MemoryType] = {"documentation": "context", "debugging": "insight", "general": "context"}


class MemoryLib(Reader):
    """A database of memory_lib."""

    source_name = "memory_lib"
    program = "memory_lib"
    kept_ids = True

    @staticmethod
    def fits(source: SourceFile) -> bool:
        return (
            source.has("memories", "id", "text", "timestamp")
            or source.has("code_memories", "id", "code_snippet", "timestamp")
            or source.has("non_code_memories", "id", "content", "timestamp")
        )

    def read(self) -> Iterator[Found]:
        tables = {"memories": _general, "code_memories": _code, "non_code_memories": _note}
        for table, record in tables.items():
            if table in self.database.tables:
                for row in self.database.rows(table):
                    yield record(Fields(row))
        yield from self.database.others(dict.fromkeys(tables, ""))


def _common(fields: Fields) -> dict[str, Any]:
    return {
        "key": str(fields.take("id")),
        "at": fields.time("timestamp"),
        "metadata": fields.object("metadata"),
    }


def _general(fields: Fields) -> Found:
    content = fields.text("text")
    if content is None:
        return Left("memories", "no text")
    return Remembered(part="memories", content=content, **_common(fields), beside=fields.rest())


def _note(fields: Fields) -> Found:
    content = fields.text("content")
    if content is None:
        return Left("non_code_memories", "no content")
    category, path = fields.text("category"), fields.text("file_path")
    common = _common(fields)
    common["metadata"] = {**({"file_path": path} if path else {}), **common["metadata"]}
    return Remembered(
        part="non_code_memories",
        content=content,
        title=fields.text("title"),
        category=category,
        memory_type=TYPES.get(category or "", "context"),
        **common,
        beside=fields.rest(),
    )


def _code(fields: Fields) -> Found:
    snippet = fields.text("code_snippet")
    if snippet is None:
        return Left("code_memories", "no code")
    name, signature = fields.text("entity_name"), fields.text("signature")
    docstring, language = fields.text("docstring"), fields.text("language")
    path = fields.text("file_path")
    spoken = [part for part in (docstring, snippet) if part]
    common = _common(fields)
    shown = {"file_path": path, "entity_name": name, "signature": signature, "docstring": docstring}
    shown |= {each: fields.text(each) for each in ("complexity", "last_modified")}
    lists = {each: list(fields.names(each)) for each in ("dependencies", "imports")}
    common["metadata"] = {
        **{each: value for each, value in {**shown, **lists, "language": language}.items() if value},
        "code_snippet": snippet,
        **common["metadata"],
    }
    return Remembered(
        part="code_memories",
        content="\n\n".join(spoken),
        title=" in ".join(part for part in (signature or name, path) if part) or None,
        category="code",
        tags=(language,) if language else (),
        **common,
        beside=fields.rest(),
    )
