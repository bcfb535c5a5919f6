"""Session: the recent turns of conversations, grouped into sittings, between working memory and long-term memory.

    turn ─► same session, unless: forced · long silence · another topic · full · 8 hours old
    silence for `duration_hours` ─► expired ─► removed by the next clean-up
    promote ─► what its session is about ─► long-term memory

Turns are rows of a shelf and nothing else is kept: sessions are read from them, so that a restart changes nothing and
several processes can share a file.
"""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from recollect.episodic.defaults import number, whole
from recollect.episodic.embedding import EmbeddingFunction, given, vectors_of
from recollect.episodic.errors import SessionMemoryError, documented
from recollect.episodic.memory import EpisodicMemory
from recollect.episodic.older import moment
from recollect.episodic.opening import SESSIONS, Keeping, Opened
from recollect.episodic.records import MemoryRecord, SessionTurn, conversation, required
from recollect.episodic.session_config import SessionConfig
from recollect.episodic.temporal import SECONDS_PER_HOUR

if TYPE_CHECKING:
    from recollect.engine.library_store import LibraryStore
    from recollect.model import Memory

# The document's limits: no more sessions are active at a time, and none lasts longer however lively it is.
MAX_ACTIVE_SESSIONS = 50
MAX_SESSION_HOURS = 8.0
# Turns whose centroid says what is being talked about; older ones may have been about something else.
RECENT_TURNS = 5
# The mark of a turn that was promoted.
PROMOTED = "promoted"
SECONDS_PER_MINUTE = 60.0


class Sitting(NamedTuple):
    """A session as its turns tell it: when it began, when it was last heard of, and how many turns it has."""

    id: str
    began: float
    last: float
    turns: int


class SessionMemory(Keeping):
    """Recent turns by session. Safe to share between threads, and between processes that open the same file."""

    def __init__(
        self,
        config: SessionConfig | None = None,
        embedding_fn: EmbeddingFunction | None = None,
        storage_path: Path | None = None,
        *,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """Open the sessions at a path, or begin without any.

        config: None: the documented one, as the settings change it
        embedding_fn: makes vectors, by which a change of topic is noticed and what matters is promoted; None: topics do
        not count, and everything is promoted
        storage_path: a file that outlives the process; None: nothing does
        clock: says what time it is, in Unix seconds
        """
        self.config = config if config is not None else SessionConfig()
        self.storage_path = storage_path
        self._embedder = given(embedding_fn)
        self._clock = clock
        self._lock = threading.RLock()
        with documented(SessionMemoryError):
            self._opened = Opened(storage_path, SESSIONS, older=_older_turns)
        self._cleaned_at = clock()

    # --- what the document says ---

    def add_turn(self, user: str, assistant: str, force_new_session: bool = False) -> str:
        """Keep a turn and return the id of the session it belongs to.

        Raises ValueError if one of the texts is empty or cannot be kept, SessionMemoryError if storing fails.
        """
        from recollect.engine.library_store import without_secrets

        said = required("user", user), required("assistant", assistant)
        with self._lock, documented(SessionMemoryError):
            user, assistant = (without_secrets(side) for side in said)
            now = self._clock()
            self._clean_up_when_due(now)
            sittings = self._sittings()
            current = None if force_new_session else self._latest(sittings)
            if current is None or self._is_over(current, conversation(user, assistant), now):
                self._make_room(sittings, now)
                session_id = str(uuid.uuid4())
            else:
                session_id = current.id
            turn = SessionTurn(user=user, assistant=assistant, timestamp=now, session_id=session_id)
            self.shelf.add([_row(turn)])
            return session_id

    def get_session_context(
        self, session_id: str | None = None, max_turns: int = 20, include_expired: bool = False
    ) -> list[MemoryRecord]:
        """Return the last turns of a session, oldest first, at most `max_turns`; none if it is not there.

        session_id: None: the session that was last added to
        include_expired: return them although the session has expired, as long as it was not cleaned up
        """
        whole("max_turns", max_turns, 1)
        with documented(SessionMemoryError):
            if session_id is None:
                newest = self.shelf.ends(1, newest=True)
                session_id = newest[0].session_id if newest else None
            if session_id is None:
                return []
            rows = self.shelf.ends(max_turns, newest=True, session_id=session_id)[::-1]
            if not rows or (not include_expired and self._has_expired(_timestamp(rows[-1]), self._clock())):
                return []
            return self._turns(rows)

    def get_all_recent_context(self, hours_back: float = 2.0, max_turns: int = 50) -> list[MemoryRecord]:
        """Return the turns of all sessions since `hours_back` hours ago, oldest first, the last `max_turns` of them."""
        whole("max_turns", max_turns, 1)
        since = self._clock() - number("hours_back", hours_back, 0.0) * SECONDS_PER_HOUR
        with documented(SessionMemoryError):
            newest = self.shelf.ends(max_turns, newest=True)
            return self._turns([row for row in newest[::-1] if _timestamp(row) >= since])

    def promote_to_longterm(self, episodic_memory: EpisodicMemory) -> list[MemoryRecord]:
        """Keep what matters of all sessions in long-term memory; return what was promoted now.

        A turn matters if it is about what its session is about: if it is as similar to the centroid of the session as
        `promotion_threshold` says. Each is promoted once, however often this is called. Without vectors all matter.
        """
        with self._lock, documented(SessionMemoryError):
            promoted: list[MemoryRecord] = []
            sessions: dict[str, list[Memory]] = {}
            for row in self.shelf.select():
                sessions.setdefault(row.session_id or "", []).append(row)
            for rows in sessions.values():
                fresh = {row.id for row in rows if PROMOTED not in row.tags}
                chosen = [turn for turn in self._central(rows) if turn.id in fresh] if fresh else []
                _hand_over(episodic_memory, chosen)
                for turn in chosen:
                    turn.promoted = True
                    self.shelf.update(turn.id, tags=(PROMOTED,))
                promoted += chosen
            return promoted

    # --- beside it ---

    @property
    def shelf(self) -> LibraryStore:
        """Where the turns are kept."""
        return self._opened.shelf

    def active_sessions(self) -> list[str]:
        """Return the ids of the sessions that have not expired, the one last heard of first."""
        with documented(SessionMemoryError):
            now = self._clock()
            alive = [each for each in self._sittings().values() if not self._has_expired(each.last, now)]
        return [each.id for each in sorted(alive, key=lambda each: -each.last)]

    def cleanup_expired_sessions(self, current_time: float | None = None) -> int:
        """Remove sessions that have expired; return how many. Happens by itself every `cleanup_interval_minutes`."""
        now = self._clock() if current_time is None else current_time
        with self._lock, documented(SessionMemoryError):
            gone = [each.id for each in self._sittings().values() if self._has_expired(each.last, now)]
            if gone:
                self.shelf.remove_all(session_id=gone)
            self._cleaned_at = now
            return len(gone)

    # --- where a session ends ---

    def _is_over(self, sitting: Sitting, text: str, now: float) -> bool:
        """Tell whether a turn begins a new session."""
        if sitting.turns >= self.config.max_turns_per_session:
            return True
        if now - sitting.last > self.config.inactivity_threshold_minutes * SECONDS_PER_MINUTE:
            return True
        lifetime = max(MAX_SESSION_HOURS, self.config.duration_hours) * SECONDS_PER_HOUR
        if int(now) - sitting.began > lifetime or self._has_expired(sitting.last, now):
            return True
        return self._is_another_topic(sitting, text)

    def _is_another_topic(self, sitting: Sitting, text: str) -> bool:
        """Tell whether a turn is unlike what was talked about last, and unlike the turn before."""
        if self._embedder is None:
            return False
        from recollect.engine.models.given_embedder import centroid, cosine

        rows = self.shelf.ends(RECENT_TURNS, newest=True, session_id=sitting.id)[::-1]
        vectors = vectors_of(self._embedder, [*map(_spoken, rows), text])
        if vectors is None or not rows:
            return False
        *before, new = vectors
        likeness = max(cosine(new, centroid(before)), cosine(new, before[-1]))
        return likeness < self.config.topic_change_threshold

    def _has_expired(self, last: float, now: float) -> bool:
        return now - last > self.config.duration_hours * SECONDS_PER_HOUR

    def _make_room(self, sittings: Mapping[str, Sitting], now: float) -> None:
        """Remove the sessions that were heard of longest ago where one more would be too many active ones."""
        alive = [each for each in sittings.values() if not self._has_expired(each.last, now)]
        excess = sorted(alive, key=lambda each: each.last)[: max(0, len(alive) - MAX_ACTIVE_SESSIONS + 1)]
        if excess:
            self.shelf.remove_all(session_id=[each.id for each in excess])

    def _clean_up_when_due(self, now: float) -> None:
        if now - self._cleaned_at >= self.config.cleanup_interval_minutes * SECONDS_PER_MINUTE:
            self.cleanup_expired_sessions(now)

    # --- reading ---

    def _sittings(self) -> dict[str, Sitting]:
        """Return the sessions by id, as their turns tell them; times are kept in whole seconds, so to the second.

        Rounded so that no session seems older than it is.
        """
        found: dict[str, Sitting] = {}
        for session_id, at in self.shelf.columns(("session_id", "created_at")):
            name, began, last = session_id or "", float(at), at + 1.0
            known = found.get(name)
            found[name] = (
                Sitting(name, began, last, 1)
                if known is None
                else Sitting(name, min(known.began, began), max(known.last, last), known.turns + 1)
            )
        return found

    def _latest(self, sittings: Mapping[str, Sitting]) -> Sitting | None:
        """Return the session that was added to last, with the exact time of that."""
        newest = self.shelf.ends(1, newest=True)
        known = sittings.get(newest[0].session_id or "") if newest else None
        return known._replace(last=_timestamp(newest[0])) if known is not None else None

    def _turns(self, rows: Sequence[Memory]) -> list[MemoryRecord]:
        turns: list[MemoryRecord] = [_turn(row) for row in rows]
        for turn, vector in zip(turns, vectors_of(self._embedder, list(map(_spoken, rows))) or (), strict=False):
            turn.embedding = vector
        return turns

    def _central(self, rows: Sequence[Memory]) -> list[SessionTurn]:
        """Return the turns of a session that are about what it is about."""
        turns = [_turn(row) for row in rows]
        vectors = vectors_of(self._embedder, list(map(_spoken, rows)))
        if vectors is None:
            return turns
        from recollect.engine.models.given_embedder import centroid, cosine

        middle = centroid(vectors)
        for turn, vector in zip(turns, vectors, strict=True):
            turn.embedding = vector
        threshold = self.config.promotion_threshold
        # A turn alone is its own centroid; rounding must not keep it back where the threshold is 1.
        return [
            turn
            for turn, vector in zip(turns, vectors, strict=True)
            if len(turns) == 1 or cosine(vector, middle) >= threshold - 1e-9
        ]


def _hand_over(episodic_memory: Any, turns: Sequence[SessionTurn]) -> None:
    """Keep turns in a long-term memory: with their ids and times where it can, else as it remembers any turn."""
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


def _spoken(memory: Memory) -> str:
    return conversation(memory.metadata["user"], memory.metadata["assistant"])


def _older_turns(turns: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield the turns of a JSON file as rows; those that name no session are one."""
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
