"""Session memory: recent turns of conversations by session, before they are promoted to long-term memory.

    turn ─► same session, unless: forced · inactivity · another topic · full · 8 hours old
    inactive for `duration_hours` ─► expired ─► removed by the next clean-up
    promote ─► turns on the topic of their session ─► long-term memory

Only turns are stored. Sessions are derived from them, so a restart changes nothing and processes can share a file.
"""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from recollect.episodic.conversation_store import (
    SESSIONS,
    ConversationStore,
    EmbeddingFunction,
    embedder_of,
    vectors_of,
)
from recollect.episodic.episodic_memory import EpisodicMemory
from recollect.episodic.exceptions import SessionMemoryError, documented_errors
from recollect.episodic.legacy_conversations import moment
from recollect.episodic.records import MemoryRecord, SessionTurn, conversation
from recollect.episodic.temporal import SECONDS_PER_HOUR
from recollect.episodic.validation import documented, number, required, settled, whole

if TYPE_CHECKING:
    from recollect.model import Memory

# Limits of document 001: the number of active sessions, and the age of one.
MAX_ACTIVE_SESSIONS = 50
MAX_SESSION_HOURS = 8.0
# The current topic is the centroid of this many turns; older ones may be about another topic.
RECENT_TURNS = 5
# The tag of a promoted turn.
PROMOTED = "promoted"
SECONDS_PER_MINUTE = 60.0


# Field of the configuration → the setting that may change its default.
_SETTINGS = {
    "duration_hours": "session_duration_hours",
    "max_turns_per_session": "session_max_turns",
    "promotion_threshold": "session_promotion_threshold",
    "cleanup_interval_minutes": "session_cleanup_minutes",
    "inactivity_threshold_minutes": "session_inactivity_minutes",
    "topic_change_threshold": "session_topic_change_threshold",
}


@dataclass
class SessionConfig:
    """When sessions begin, end, expire and are promoted."""

    duration_hours: float = documented(2.0)
    max_turns_per_session: int = documented(50)
    promotion_threshold: float = documented(0.7)
    cleanup_interval_minutes: int = documented(15)

    inactivity_threshold_minutes: int = documented(30)
    topic_change_threshold: float = documented(0.3)

    def __post_init__(self) -> None:
        found = settled(**{setting: getattr(self, name) for name, setting in _SETTINGS.items()})
        for name, setting in _SETTINGS.items():
            value = found[setting]
            if name.endswith("_minutes") and isinstance(value, float) and value.is_integer():
                value = int(value)  # documented as whole numbers; a setting may have halves
            setattr(self, name, value)
        whole("max_turns_per_session", self.max_turns_per_session, 1)
        for name in ("duration_hours", "cleanup_interval_minutes", "inactivity_threshold_minutes"):
            number(name, getattr(self, name), 0.0)
        for name in ("promotion_threshold", "topic_change_threshold"):
            number(name, getattr(self, name), -1.0, 1.0)


class SessionSpan(NamedTuple):
    """A session derived from its turns: its first and last time and the number of turns."""

    id: str
    began: float
    last: float
    turns: int


class SessionMemory(ConversationStore):
    """Recent turns by session. Safe to share between threads, and between processes that open the same file."""

    def __init__(
        self,
        config: SessionConfig | None = None,
        embedding_fn: EmbeddingFunction | None = None,
        storage_path: Path | None = None,
        *,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """Open the sessions at a path; create the file if it does not exist.

        config: default: the documented one with the configured settings
        embedding_fn: makes vectors, which detect a change of topic and select turns to promote; default: topics are
        ignored and every turn is promoted
        storage_path: the file; default: nothing outlives the process
        clock: returns the time in Unix seconds
        """
        self.config = config if config is not None else SessionConfig()
        self.storage_path = storage_path
        self._embedder = embedder_of(embedding_fn)
        self._clock = clock
        self._lock = threading.RLock()
        with documented_errors(SessionMemoryError):
            self._open(storage_path, SESSIONS, None, _legacy_turns)
        self._cleaned_at = clock()

    # --- documented ---

    def add_turn(self, user: str, assistant: str, force_new_session: bool = False) -> str:
        """Store a turn and return the id of its session.

        Raises ValueError if one of the texts is empty or cannot be stored, SessionMemoryError if storing fails.
        """
        from recollect.engine import without_secrets

        sides = required("user", user), required("assistant", assistant)
        with self._metrics.timed("add_turn"), self._lock, documented_errors(SessionMemoryError):
            user, assistant = (without_secrets(side) for side in sides)
            now = self._clock()
            if now - self._cleaned_at >= self.config.cleanup_interval_minutes * SECONDS_PER_MINUTE:
                self.cleanup_expired_sessions(now)
            sessions = self._sessions()
            current = None if force_new_session else self._latest(sessions)
            if current is None or self._is_over(current, conversation(user, assistant), now):
                self._make_room(sessions, now)
                session_id = str(uuid.uuid4())
            else:
                session_id = current.id
            turn = SessionTurn(user=user, assistant=assistant, timestamp=now, session_id=session_id)
            self.store.add([_row(turn)])
            return session_id

    def get_session_context(
        self, session_id: str | None = None, max_turns: int = 20, include_expired: bool = False
    ) -> list[MemoryRecord]:
        """Return the last turns of a session, oldest first, at most `max_turns`; none without such a session.

        session_id: default: the session of the newest turn
        include_expired: also of an expired session that is not cleaned up yet
        """
        whole("max_turns", max_turns, 1)
        with self._metrics.timed("get_session_context"), documented_errors(SessionMemoryError):
            if session_id is None:
                newest = self.store.ends(1, newest=True)
                session_id = newest[0].session_id if newest else None
            if session_id is None:
                return []
            rows = self.store.ends(max_turns, newest=True, session_id=session_id)[::-1]
            if not rows or (not include_expired and self._has_expired(_timestamp(rows[-1]), self._clock())):
                return []
            return list(self._turns(rows))

    def get_all_recent_context(self, hours_back: float = 2.0, max_turns: int = 50) -> list[MemoryRecord]:
        """Return the turns of all sessions since `hours_back` hours ago, oldest first, the last `max_turns` of them."""
        whole("max_turns", max_turns, 1)
        since = self._clock() - number("hours_back", hours_back, 0.0) * SECONDS_PER_HOUR
        with self._metrics.timed("get_all_recent_context"), documented_errors(SessionMemoryError):
            newest = self.store.ends(max_turns, newest=True)
            return list(self._turns([row for row in newest[::-1] if _timestamp(row) >= since]))

    def promote_to_longterm(self, episodic_memory: EpisodicMemory) -> list[MemoryRecord]:
        """Promote turns of all sessions to long-term memory; return the newly promoted ones.

        A turn is promoted if its similarity to the centroid of its session reaches `promotion_threshold`; without
        vectors always. Each is promoted once.
        """
        with self._metrics.timed("promote_to_longterm"), self._lock, documented_errors(SessionMemoryError):
            promoted: list[MemoryRecord] = []
            sessions: dict[str, list[Memory]] = {}
            for row in self.store.select():
                sessions.setdefault(row.session_id or "", []).append(row)
            for rows in sessions.values():
                fresh = {row.id for row in rows if PROMOTED not in row.tags}
                chosen = [turn for turn in self._central(rows) if turn.id in fresh] if fresh else []
                _add_to_longterm(episodic_memory, chosen)
                for turn in chosen:
                    turn.promoted = True
                    self.store.update(turn.id, tags=(PROMOTED,))
                promoted += chosen
            return promoted

    # --- additions ---

    def active_sessions(self) -> list[str]:
        """Return the ids of the sessions that have not expired, latest activity first."""
        with documented_errors(SessionMemoryError):
            now = self._clock()
            alive = [each for each in self._sessions().values() if not self._has_expired(each.last, now)]
        return [each.id for each in sorted(alive, key=lambda each: -each.last)]

    def cleanup_expired_sessions(self, current_time: float | None = None) -> int:
        """Remove expired sessions; return how many. Runs automatically every `cleanup_interval_minutes`."""
        now = self._clock() if current_time is None else current_time
        with self._metrics.timed("cleanup"), self._lock, documented_errors(SessionMemoryError):
            gone = [each.id for each in self._sessions().values() if self._has_expired(each.last, now)]
            if gone:
                self.store.remove_all(session_id=gone)
            self._cleaned_at = now
            return len(gone)

    def _entries(self) -> Iterator[dict[str, Any]]:
        for row in self.store.select():
            yield {name: value for name, value in asdict(_turn(row)).items() if value is not None}

    # --- end of a session ---

    def _is_over(self, session: SessionSpan, text: str, now: float) -> bool:
        """Return whether a turn starts a new session."""
        if session.turns >= self.config.max_turns_per_session:
            return True
        if now - session.last > self.config.inactivity_threshold_minutes * SECONDS_PER_MINUTE:
            return True
        lifetime = max(MAX_SESSION_HOURS, self.config.duration_hours) * SECONDS_PER_HOUR
        if int(now) - session.began > lifetime or self._has_expired(session.last, now):
            return True
        return self._is_another_topic(session, text)

    def _is_another_topic(self, session: SessionSpan, text: str) -> bool:
        """Return whether a turn differs from the recent topic and from the previous turn."""
        if self._embedder is None:
            return False
        from recollect.engine import centroid, cosine

        rows = self.store.ends(RECENT_TURNS, newest=True, session_id=session.id)[::-1]
        vectors = vectors_of(self._embedder, [*map(_text_of, rows), text])
        if vectors is None or not rows:
            return False
        *before, new = vectors
        likeness = max(cosine(new, centroid(before)), cosine(new, before[-1]))
        return likeness < self.config.topic_change_threshold

    def _has_expired(self, last: float, now: float) -> bool:
        return now - last > self.config.duration_hours * SECONDS_PER_HOUR

    def _make_room(self, sessions: Mapping[str, SessionSpan], now: float) -> None:
        """Remove the least recently active sessions if one more would exceed the limit."""
        alive = [each for each in sessions.values() if not self._has_expired(each.last, now)]
        excess = sorted(alive, key=lambda each: each.last)[: max(0, len(alive) - MAX_ACTIVE_SESSIONS + 1)]
        if excess:
            self.store.remove_all(session_id=[each.id for each in excess])

    # --- reading ---

    def _sessions(self) -> dict[str, SessionSpan]:
        """Return the sessions by id, derived from their turns.

        Times are stored in whole seconds; they are rounded so that no session appears older than it is.
        """
        found: dict[str, SessionSpan] = {}
        for session_id, at in self.store.columns(("session_id", "created_at")):
            name, began, last = session_id or "", float(at), at + 1.0
            known = found.get(name)
            found[name] = (
                SessionSpan(name, began, last, 1)
                if known is None
                else SessionSpan(name, min(known.began, began), max(known.last, last), known.turns + 1)
            )
        return found

    def _latest(self, sessions: Mapping[str, SessionSpan]) -> SessionSpan | None:
        """Return the session of the newest turn, with the exact time of that turn."""
        newest = self.store.ends(1, newest=True)
        known = sessions.get(newest[0].session_id or "") if newest else None
        return known._replace(last=_timestamp(newest[0])) if known is not None else None

    def _turns(self, rows: Sequence[Memory]) -> list[SessionTurn]:
        """Return turns, with their vectors if there is an embedder."""
        turns = [_turn(row) for row in rows]
        for turn, vector in zip(turns, vectors_of(self._embedder, list(map(_text_of, rows))) or (), strict=False):
            turn.embedding = vector
        return turns

    def _central(self, rows: Sequence[Memory]) -> list[SessionTurn]:
        """Return the turns of a session that are similar enough to its centroid."""
        turns = self._turns(rows)
        vectors = [turn.embedding for turn in turns if turn.embedding is not None]
        if len(vectors) < len(turns) or len(turns) == 1:
            return turns
        from recollect.engine import centroid, cosine

        middle, least = centroid(vectors), self.config.promotion_threshold - 1e-9
        return [turn for turn, vector in zip(turns, vectors, strict=True) if cosine(vector, middle) >= least]


def _add_to_longterm(episodic_memory: Any, turns: Sequence[SessionTurn]) -> None:
    """Add turns to a long-term memory, with their ids and times if it supports that."""
    if hasattr(episodic_memory, "load_records"):
        episodic_memory.load_records(turns)
        return
    for turn in turns:
        episodic_memory.remember(turn.user, turn.assistant)


def _row(turn: SessionTurn, tags: Iterable[str] = ()) -> dict[str, Any]:
    return {
        "id": turn.id,
        "content": turn.content,
        "created_at": int(turn.timestamp),
        "session_id": turn.session_id,
        "category": "turn",
        "tags": tuple(tags),
        "metadata": {"user": turn.user, "assistant": turn.assistant, "timestamp": turn.timestamp},
    }


def _turn(memory: Memory) -> SessionTurn:
    return SessionTurn(
        id=memory.id,
        user=memory.metadata["user"],
        assistant=memory.metadata["assistant"],
        timestamp=_timestamp(memory),
        session_id=memory.session_id or "",
        promoted=PROMOTED in memory.tags,
    )


def _timestamp(memory: Memory) -> float:
    return float(memory.metadata["timestamp"])


def _text_of(memory: Memory) -> str:
    return conversation(memory.metadata["user"], memory.metadata["assistant"])


def _legacy_turns(turns: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield the turns of a JSON file as rows; turns without a session share one."""
    for number_of, turn in enumerate(turns):
        user, assistant = str(turn.get("user") or ""), str(turn.get("assistant") or "")
        made = SessionTurn(
            user=user,
            assistant=assistant,
            timestamp=moment(turn.get("timestamp"), 0.0),
            session_id=str(turn.get("session_id") or "older"),
        )
        made.id = str(turn.get("id") or f"{made.id}-{number_of}")
        yield _row(made, (PROMOTED,) if turn.get("promoted") else ())
