"""mcp-memory-service: its SQLite database of memories and of the graph between them.

The hash of its content is the key of a memory. Vectors need an extension and are computed here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from recollect.importing.fields import Fields, listed
from recollect.importing.import_records import Found, Left, Linked, Remembered
from recollect.importing.import_source import Reader, SourceFile
from recollect.model import MEMORY_TYPES, MemoryType

TABLES = {
    **dict.fromkeys(("memories", "memory_graph"), ""),
    "memory_embeddings": "recollect computes its own embeddings",
    "memory_content_fts": "recollect builds its own full-text index",
    "metadata": "internal to its database",
    "consolidation_runs": "its maintenance log",
}
# Our type of memory by its type; all others are context with that category.
TYPES: Mapping[str, MemoryType] = {
    "learning": "insight",
    "discovery": "insight",
    "error": "insight",
    "observation": "context",
    "convention": "style",
}


class MemoryService(Reader):
    """A database of mcp-memory-service."""

    source_name = "mcp-memory-service"
    program = "mcp-memory-service"

    @staticmethod
    def fits(source: SourceFile) -> bool:
        return source.has("memories", "content_hash", "content", "created_at_iso")

    def read(self) -> Iterator[Found]:
        for row in self.database.rows("memories"):
            yield Left("memories", "it was deleted there") if row.get("deleted_at") else _memory(Fields(row))
        if "memory_graph" in self.database.tables:
            pairs: set[tuple[str, str, str]] = set()
            for row in self.database.rows("memory_graph"):
                yield from _link(Fields(row), pairs)
        yield from self.database.others(TABLES)


def _memory(fields: Fields) -> Found:
    content = fields.text("content")
    if content is None:
        return Left("memories", "no content")
    metadata = Fields(fields.object("metadata"))
    kind = fields.text("memory_type")
    tags = fields.names("tags")
    project = next((tag.partition(":")[2] for tag in tags if tag.startswith(("project:", "proj:"))), None)
    at = fields.time("created_at")
    at = at if at is not None else fields.time("created_at_iso")
    updated = fields.time("updated_at")
    fields.drop("id", "created_at_iso", "updated_at_iso", "deleted_at")
    version = fields.take("version")
    return Remembered(
        part="memories",
        key=str(fields.take("content_hash")),
        content=content,
        at=at,
        updated_at=updated,
        accessed_at=fields.time("last_accessed"),
        memory_type=kind if kind in MEMORY_TYPES else TYPES.get(kind or "", "context"),  # type: ignore[arg-type]
        category=kind,
        importance=metadata.ratio("importance_score", 0.5),
        confidence=fields.ratio("confidence", 1.0),
        access_count=metadata.count("access_count"),
        tags=tags,
        project=project,
        replaced_by=fields.text("superseded_by"),
        parent=fields.text("parent_id"),
        metadata=metadata.rest(),
        beside={**({"version": version} if version not in (None, 1) else {}), **fields.rest()},
    )


def _link(fields: Fields, pairs: set[tuple[str, str, str]]) -> Iterator[Found]:
    """Yield a link; the second row of a symmetric one is skipped."""
    src, dst = str(fields.take("source_hash")), str(fields.take("target_hash"))
    name = fields.text("relationship_type") or "related"
    if name in ("related", "similar") and (dst, src, name) in pairs:
        yield Left("memory_graph", "the same link in reverse")
        return
    pairs.add((src, dst, name))
    similarity, at = fields.ratio("similarity", 1.0), fields.time("created_at")
    kinds = list(listed(fields.take("connection_types")))
    properties = {**fields.object("metadata"), **({"connection_types": kinds} if kinds else {}), **fields.rest()}
    yield Linked("memory_graph", src, dst, name, at=at, weight=similarity, properties=properties)
