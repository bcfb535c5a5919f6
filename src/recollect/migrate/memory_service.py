"""mcp-memory-service: its SQLite database of memories and of the graph between them.

Memories are named by the hash of their content; tags and metadata say more of them. Vectors are in a virtual table
that needs an extension, and are made anew here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from recollect.errors import InvalidInput
from recollect.migrate.fields import Fields, listed
from recollect.migrate.found import Found, Left, Linked, Remembered
from recollect.migrate.look import Look
from recollect.model import MEMORY_TYPES, MemoryType

TABLES = {
    **dict.fromkeys(("memories", "memory_graph"), ""),
    "memory_embeddings": "recollect computes its own embeddings",
    "memory_content_fts": "recollect builds its own full-text index",
    "metadata": "internal to its database",
    "consolidation_runs": "its maintenance log",
}
# What its kinds of memories are in our words; all others are context, and say in their category which.
TYPES: Mapping[str, MemoryType] = {
    "learning": "insight",
    "discovery": "insight",
    "error": "insight",
    "observation": "context",
    "convention": "style",
}


class MemoryService:
    """A database of mcp-memory-service."""

    program = "mcp-memory-service"
    kept_ids = False

    def __init__(self, found: Look) -> None:
        if found.database is None or not self.fits(found):
            hint = "Its database is sqlite_vec.db in the folder that `memory status` shows."
            raise InvalidInput(f"{found.path} is not a mcp-memory-service database", hint=hint)
        self._database = found.database

    @staticmethod
    def fits(found: Look) -> bool:
        return found.has("memories", "content_hash", "content", "created_at_iso")

    def read(self) -> Iterator[Found]:
        for row in self._database.rows("memories"):
            yield Left("memories", "it was deleted there") if row.get("deleted_at") else _memory(Fields(row))
        if "memory_graph" in self._database.tables:
            pairs: set[tuple[str, str, str]] = set()
            for row in self._database.rows("memory_graph"):
                yield from _link(Fields(row), pairs)
        yield from self._database.others(TABLES)

    def close(self) -> None:
        self._database.close()


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
    """Yield a link; one that goes both ways is kept there as two rows, and is one here."""
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
