"""The codemem on PyPI and npm: a database of sessions and of what an observer told about them.

It shares its name with the engine of document 002 and nothing else: memory_items hang on sessions, as do artifacts and
prompts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from recollect.errors import InvalidInput
from recollect.migrate import told
from recollect.migrate.fields import Fields, listed
from recollect.migrate.found import Found, Left, Remembered, Sat
from recollect.migrate.look import Look

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
# Where it runs and on which machine it was written: they tell which database, not what.
_OWN = ("rev", "import_key", "created_at_epoch", "origin_device_id")


class CodememSessions:
    """The database of the codemem that watches sessions, or the JSON that it exports."""

    program = "codemem (sessions)"
    kept_ids = False

    def __init__(self, found: Look) -> None:
        if not self.fits(found):
            raise InvalidInput(f"{found.path} is not a codemem database", hint="Its database is ~/.codemem/mem.sqlite.")
        self._database = found.database
        self._lists: Mapping[str, Any] = found.first if isinstance(found.first, dict) else {}

    @staticmethod
    def fits(found: Look) -> bool:
        if isinstance(found.first, dict):
            return isinstance(found.first.get("memory_items"), list) and isinstance(found.first.get("sessions"), list)
        needed = ("id", "session_id", "kind", "title", "body_text", "created_at")
        return found.has("memory_items", *needed) and found.has("sessions", "id", "started_at")

    def read(self) -> Iterator[Found]:
        sessions = {row.get("id"): row for row in self._rows("sessions")}
        yield from (_session(Fields(row)) for row in sessions.values())
        for row in self._rows("memory_items"):
            yield _item(row, sessions)
        for table, record in (("session_summaries", told.summary), ("user_prompts", told.prompt)):
            for row in self._rows(table):
                fields, where = Fields(row), _setting(table, row, sessions)
                fields.drop("id", "session_id", "project", "created_at", *_OWN)
                yield record(table, fields, where, metadata=fields.object("metadata_json"))
        yield from (_artifact(row, sessions) for row in self._rows("artifacts"))
        yield from self._rest()

    def close(self) -> None:
        if self._database is not None:
            self._database.close()

    def _rows(self, table: str) -> Iterator[Mapping[str, Any]]:
        if self._database is not None:
            yield from self._database.rows(table) if table in self._database.tables else ()
            return
        rows = self._lists.get(table)
        yield from (row for row in rows if isinstance(row, dict)) if isinstance(rows, list) else ()

    def _rest(self) -> Iterator[Left]:
        if self._database is not None:
            yield from self._database.others(TABLES)
        for name, rows in self._lists.items():
            if isinstance(rows, list) and rows and TABLES.get(name, "?"):
                yield Left(name, TABLES.get(name, "unknown list"), len(rows))


def _key(row: Mapping[str, Any], part: str) -> str:
    """Return a key that holds beyond this database where it has one, or the row's number and time."""
    return str(row.get("import_key") or f"{part} {row.get('id')} {row.get('created_at') or row.get('started_at')}")


def _setting(part: str, row: Mapping[str, Any], sessions: Mapping[Any, Mapping[str, Any]]) -> told.Setting:
    session = sessions.get(row.get("session_id"))
    project = row.get("project") or _project(session or {})
    return told.Setting(
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
    return told.observation(
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
        key=where.key,
        content=text,
        at=where.at,
        title=fields.text("path"),
        category=fields.text("kind"),
        importance=0.3,
        project=where.project,
        session=where.session,
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
