"""codemem of PyPI and npm: sessions with memory items, artifacts and prompts. Document 002 is another codemem."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from recollect.importing.fields import Fields, listed
from recollect.importing.import_records import Found, Left, Remembered, Sat
from recollect.importing.import_source import SourceFile
from recollect.importing.session_records import Setting, TableReader, observation, prompt, summary

_SYNC = "its synchronization state"
_RAW = "raw events; `recollect import-history` reads the transcripts"
TABLES = {
    **dict.fromkeys(("sessions", "memory_items", "session_summaries", "user_prompts", "artifacts"), ""),
    "memory_fts": "recollect builds its own full-text index",
    "memory_vectors": "recollect computes its own embeddings",
    "usage_events": "its usage statistics",
    **dict.fromkeys(("raw_events", "raw_event_sessions", "raw_event_flush_batches", "opencode_sessions"), _RAW),
    **dict.fromkeys(("replication_ops", "replication_cursors", "sync_peers", "sync_nonces", "sync_device"), _SYNC),
    **dict.fromkeys(("sync_attempts", "sync_daemon_state", "actors"), _SYNC),
}
# Internal to its database.
_OWN = ("rev", "import_key", "created_at_epoch", "origin_device_id")


class CodememSessions(TableReader):
    """The database of codemem (sessions), or its JSON export."""

    source_name = "codemem"
    program = "codemem (sessions)"
    tables = TABLES

    @staticmethod
    def fits(source: SourceFile) -> bool:
        if isinstance(source.first, dict):
            return isinstance(source.first.get("memory_items"), list) and isinstance(source.first.get("sessions"), list)
        needed = ("id", "session_id", "kind", "title", "body_text", "created_at")
        return source.has("memory_items", *needed) and source.has("sessions", "id", "started_at")

    def read(self) -> Iterator[Found]:
        sessions = {row.get("id"): row for row in self.rows("sessions")}
        yield from (_session(Fields(row)) for row in sessions.values())
        for row in self.rows("memory_items"):
            yield _item(row, sessions)
        for table, record in (("session_summaries", summary), ("user_prompts", prompt)):
            for row in self.rows(table):
                fields, where = Fields(row), _setting(table, row, sessions)
                fields.drop("id", "session_id", "project", "created_at", *_OWN)
                yield record(table, fields, where, metadata=fields.object("metadata_json"))
        yield from (_artifact(row, sessions) for row in self.rows("artifacts"))
        yield from self.rest()


def _key(row: Mapping[str, Any], part: str) -> str:
    """Return the row's global key, or its number and time."""
    return str(row.get("import_key") or f"{part} {row.get('id')} {row.get('created_at') or row.get('started_at')}")


def _setting(part: str, row: Mapping[str, Any], sessions: Mapping[Any, Mapping[str, Any]]) -> Setting:
    session = sessions.get(row.get("session_id"))
    project = row.get("project") or _project(session or {})
    return Setting(
        _key(row, part), _key(session, "session") if session else None, project, Fields(row).time("created_at")
    )


def _project(session: Mapping[str, Any]) -> str | None:
    found = session.get("project") or session.get("cwd")
    return str(found) if found else None


def _item(row: Mapping[str, Any], sessions: Mapping[Any, Mapping[str, Any]]) -> Found:
    if row.get("deleted_at") or row.get("active") == 0:
        return Left("memory_items", "it was deleted there")
    fields, where = Fields(row), _setting("memory_items", row, sessions)
    fields.drop("id", "session_id", "created_at", "active", *_OWN)
    tags = listed((fields.take("tags_text") or "").replace(" ", ","))
    return observation(
        "memory_items",
        fields,
        where,
        body="body_text",
        kind="kind",
        tags=tags,
        updated_at=fields.time("updated_at"),
        confidence=fields.ratio("confidence", 0.5),
        author=fields.text("actor_display_name"),
        metadata=fields.object("metadata_json"),
    )


def _artifact(row: Mapping[str, Any], sessions: Mapping[Any, Mapping[str, Any]]) -> Found:
    fields, where = Fields(row), _setting("artifact", row, sessions)
    text = fields.text("content_text")
    if text is None:
        return Left("artifacts", "it is empty")
    fields.drop("id", "session_id", "created_at", "content_hash", *_OWN)
    return Remembered(
        part="artifacts",
        **where._asdict(),
        content=text,
        title=fields.text("path"),
        category=fields.text("kind"),
        importance=0.3,
        metadata=fields.object("metadata_json"),
        beside=fields.rest(),
    )


def _session(fields: Fields) -> Found:
    row = {name: fields.take(name) for name in ("id", "import_key", "started_at")}
    started = Fields(row).time("started_at")
    if started is None:
        return Left("sessions", "it has no date")
    project, folder = fields.take("project"), fields.take("cwd")
    return Sat(
        part="sessions",
        key=_key(row, "session"),
        started_at=started,
        ended_at=fields.time("ended_at"),
        project=project or folder,
        branch=fields.text("git_branch") or "",
        beside={**({"cwd": folder} if project and folder else {}), **fields.rest()},
    )
