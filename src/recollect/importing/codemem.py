"""codemem: the database, and the JSON Lines or JSON that it exports (document 002).

Its columns are ours. Of its code graph only nodes that are linked with memories are imported: `recollect index`
builds the rest.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from recollect.importing.fields import Fields
from recollect.importing.import_records import Found, Left, Linked, Noded, Remembered, Sat
from recollect.importing.import_source import Reader, SourceFile, objects, refused
from recollect.model import MEMORY_TYPES, MemoryType

_CODE = "code index; run `recollect index` instead"
# Tables that are not read, with the reason.
TABLES = {
    **dict.fromkeys(("memories", "sessions", "graph_nodes", "graph_edges"), ""),
    "memory_embeddings": "recollect computes its own embeddings",
    "consolidation_log": "its maintenance log",
    **dict.fromkeys(("file_hashes", "package_registry", "unresolved_refs", "api_endpoints"), _CODE),
    **dict.fromkeys(("api_client_calls", "event_channels", "repositories", "namespace_roots"), _CODE),
    "session_activity": "tool use per session; `recollect import-history` reads it from transcripts",
    "schema_version": "internal to its database",
}


class Codemem(Reader):
    """codemem's database."""

    source_name = "codemem"
    program = "codemem"
    kept_ids = True

    @staticmethod
    def fits(source: SourceFile) -> bool:
        is_ours = source.has("changes", "batch")
        return not is_ours and source.has("memories", "id", "content", "memory_type", "created_at", "namespace")

    def read(self) -> Iterator[Found]:
        tables = self.database.tables
        if "sessions" in tables:
            yield from (_session(Fields(row)) for row in self.database.rows("sessions"))
        yield from (_memory(Fields(row)) for row in self.database.rows("memories"))
        if {"graph_nodes", "graph_edges"} <= set(tables):
            yield from self._graph()
        yield from self.database.others(TABLES)

    def _graph(self) -> Iterator[Found]:
        memories = {row["id"]: row["memory_id"] for row in self.database.rows("graph_nodes") if row["memory_id"]}
        memories |= {row["id"]: row["id"] for row in self.database.rows("memories")}
        near = {
            end
            for row in self.database.rows("graph_edges")
            for end in (row["src"], row["dst"])
            if row["src"] in memories or row["dst"] in memories
        }
        for row in self.database.rows("graph_nodes"):
            if row["id"] in memories:
                yield Left("graph_nodes", "the node of a memory; recollect creates its own")
            elif row["id"] in near:
                yield _node(Fields(row))
            else:
                yield Left("graph_nodes", _CODE)
        for row in self.database.rows("graph_edges"):
            if row["src"] in memories or row["dst"] in memories:
                yield _edge(Fields(row), memories)
            else:
                yield Left("graph_edges", _CODE)


class CodememLines(Reader):
    """codemem's export: JSON Lines, or one JSON list."""

    source_name = "codemem"
    program = "codemem"
    kept_ids = True

    @staticmethod
    def fits(source: SourceFile) -> bool:
        first = source.first
        if source.kind == "document" and isinstance(first, list) and first:
            first = first[0]
        is_memory = isinstance(first, dict) and isinstance(first.get("content"), str) and "memory_type" in first
        # Exports of recollect have neither times as text nor edges inside.
        return is_memory and "kind" not in first and (isinstance(first.get("created_at"), str) or "edges" in first)

    def read(self) -> Iterator[Found]:
        links: dict[str, Found] = {}
        for number, row in self._rows():
            if not isinstance(row, dict) or not isinstance(row.get("content"), str) or not row["content"].strip():
                raise refused(self.source.path, number, "a memory without content")
            fields = Fields(row)
            for edge in fields.take("edges") or ():
                if isinstance(edge, dict) and {"src", "dst"} <= set(edge):
                    # Each edge is listed with both of its memories.
                    links[str(edge.get("id") or sorted(edge.items(), key=str))] = _edge(Fields(edge), {})
            yield _memory(fields)
        yield from links.values()

    def _rows(self) -> Iterator[tuple[int, Any]]:
        if self.source.kind == "document":
            rows = self.source.first
            yield from enumerate(rows if isinstance(rows, list) else [rows], 1)
        else:
            yield from objects(self.source.path)


def _memory(fields: Fields) -> Found:
    content = fields.text("content")
    if content is None:
        return Left("memories", "no content")
    key, kind = fields.take("id"), fields.take("memory_type")
    known: MemoryType = kind if kind in MEMORY_TYPES else "context"
    fields.drop("content_hash", "repo")  # derived from content and namespace
    at = fields.time("created_at")
    branch = fields.take("git_ref")
    beside = {} if known == kind else {"memory_type": kind}
    return Remembered(
        part="memories",
        key=str(key) if key else content,
        content=content,
        memory_type=known,
        at=at,
        updated_at=fields.time("updated_at"),
        accessed_at=fields.time("last_accessed_at"),
        importance=fields.ratio("importance", 0.5),
        confidence=fields.ratio("confidence", 1.0),
        access_count=fields.count("access_count"),
        tags=fields.names("tags"),
        project=fields.text("namespace"),
        session=fields.text("session_id"),
        expires_at=fields.time("expires_at"),
        metadata=fields.object("metadata"),
        # "main" is its default.
        beside={**beside, **({"git_ref": branch} if branch not in (None, "main") else {}), **fields.rest()},
    )


def _session(fields: Fields) -> Found:
    started = fields.time("started_at")
    key = fields.take("id")
    if started is None or not key:
        return Left("sessions", "it has no date")
    return Sat(
        part="sessions",
        key=str(key),
        started_at=started,
        ended_at=fields.time("ended_at"),
        project=fields.text("namespace"),
        summary=fields.text("summary"),
        memory_count=fields.count("memory_count"),
        beside=fields.rest(),
    )


def _node(fields: Fields) -> Noded:
    fields.drop("memory_id", "centrality", "repo")
    key, kind, label = str(fields.take("id")), str(fields.take("kind")), fields.text("label")
    project, payload = fields.text("namespace"), fields.object("payload")
    return Noded("graph_nodes", key, kind, label, project, {**payload, **fields.rest()})


def _edge(fields: Fields, memories: dict[str, str]) -> Linked:
    src, dst = str(fields.take("src")), str(fields.take("dst"))
    name, at = str(fields.take("relationship") or "RELATES_TO"), fields.time("created_at")
    weight, properties = fields.ratio("weight", 1.0), fields.object("properties")
    fields.drop("id", "repo")
    src, dst = memories.get(src, src), memories.get(dst, dst)
    return Linked("graph_edges", src, dst, name, at=at, weight=weight, properties={**properties, **fields.rest()})
