"""claude-mem: its database of sessions, observations, summaries and prompts, and the JSON that it exports."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from recollect.errors import InvalidInput, SchemaTooNew
from recollect.importing.fields import Fields
from recollect.importing.import_records import Found, Left, Sat
from recollect.importing.import_source import Database, SourceFile
from recollect.importing.session_records import Setting, TableReader, observation, prompt, summary

# The newest schema version that was tested.
KNOWN_SCHEMA = 49
# The columns that a table needs.
NEEDED = {
    "sdk_sessions": {"memory_session_id", "project", "started_at"},
    "observations": {"id", "memory_session_id", "project", "type", "created_at"},
}
_SYNC = "its synchronization state"
TABLES = {
    **dict.fromkeys(("sdk_sessions", "observations", "session_summaries", "user_prompts"), ""),
    "schema_versions": "internal to its database",
    "pending_messages": "raw tool calls that it has not processed",
    **dict.fromkeys(("sync_state", "sync_outbox", "sync_content_outbox", "sync_entity_heads"), _SYNC),
    **dict.fromkeys(("sync_dead_letter", "sync_launch_exclusions"), _SYNC),
    **dict.fromkeys(
        ("observations_fts", "session_summaries_fts", "user_prompts_fts"), "recollect builds its own full-text index"
    ),
}
# Tables whose list in an export has another name.
LISTS = {"sdk_sessions": "sessions", "session_summaries": "summaries", "user_prompts": "prompts"}
# Internal numbers, and times that another field repeats.
_OWN = ("id", "created_at_epoch", "started_at_epoch", "completed_at_epoch", "content_hash", "session_db_id")


class ClaudeMem(TableReader):
    """claude-mem's database, or an export of it."""

    source_name = "claude-mem"
    program = "claude-mem"
    tables = TABLES
    lists = LISTS

    def __init__(self, source: SourceFile) -> None:
        super().__init__(source)
        if source.database is not None:
            _check(source.database)

    @staticmethod
    def fits(source: SourceFile) -> bool:
        is_export = isinstance(source.first, dict) and {"observations", "summaries", "prompts"} <= set(source.first)
        return source.has("sdk_sessions") or is_export

    def read(self) -> Iterator[Found]:
        sessions: dict[Any, Mapping[str, Any]] = {}
        for row in self.rows("sdk_sessions"):
            sessions[row.get("memory_session_id")] = sessions[row.get("content_session_id")] = row
            yield _session(Fields(row))
        for row in self.rows("observations"):
            fields, where = _fields(row), _setting("observation", row, sessions)
            more = fields.object("metadata")
            yield observation("observations", fields, where, body="text", kind="type", metadata=more)
        for row in self.rows("session_summaries"):
            yield summary("session_summaries", _fields(row), _setting("summary", row, sessions))
        for row in self.rows("user_prompts"):
            yield prompt("user_prompts", _fields(row), _setting("prompt", row, sessions))
        yield from self.rest()


def _check(database: Database) -> None:
    tables = database.tables
    missing = [f"{name}.{each}" for name in NEEDED for each in NEEDED[name] - tables.get(name, frozenset())]
    if not missing:
        return
    version = database.value("SELECT max(version) FROM schema_versions") if "schema_versions" in tables else 0
    error = SchemaTooNew if isinstance(version, int) and version > KNOWN_SCHEMA else InvalidInput
    raise error(
        f"this database of claude-mem has no {', '.join(sorted(missing))} (its schema has version {version})",
        hint="Upgrade recollect, or import an export of claude-mem. Nothing was imported.",
        version=version,
    )


def _fields(row: Mapping[str, Any]) -> Fields:
    fields = Fields(row)
    fields.drop(*_OWN, "created_at", "project", "memory_session_id", "content_session_id")
    fields.drop("merged_into_project", "synced_at", "sync_rev")
    fields.drop(*(name for name in ("discovery_tokens", "relevance_count") if not row.get(name)))
    return fields


def _setting(part: str, row: Mapping[str, Any], sessions: Mapping[Any, Mapping[str, Any]]) -> Setting:
    session = sessions.get(row.get("memory_session_id") or row.get("content_session_id"), {})
    fields = Fields(row)
    at = fields.time("created_at") or fields.time("created_at_epoch")
    project = fields.text("merged_into_project") or fields.text("project") or session.get("project")
    # A row number is unique in one database only.
    named = row.get("memory_session_id") or row.get("content_session_id")
    key = f"{part} {named} {row.get('id') if row.get('id') is not None else at}"
    return Setting(key, _session_key(session) or (str(named) if named else None), project, at)


def _session_key(row: Mapping[str, Any]) -> str | None:
    """Return the assistant's own id of a session, which hooks and transcripts use too."""
    found = row.get("content_session_id") or row.get("memory_session_id")
    return str(found) if found else None


def _session(fields: Fields) -> Found:
    asked = fields.take("content_session_id")
    key = asked or fields.take("memory_session_id")
    started = fields.time("started_at") or fields.time("started_at_epoch")
    if key is None or started is None:
        return Left("sdk_sessions", "it has no date")
    ended = fields.time("completed_at") or fields.time("completed_at_epoch")
    fields.drop(*_OWN, "worker_port", "prompt_counter", "synced_at", "sync_rev")
    platform = fields.text("platform_source")
    return Sat(
        part="sdk_sessions",
        key=str(key),
        started_at=started,
        ended_at=ended,
        project=fields.text("project"),
        assistant=platform or "claude",
        beside=fields.rest(),
    )
