"""Answers about sessions and the hook events in them."""

from __future__ import annotations

from recollect.model.row import Memory, Observed, Session
from recollect.model.vocabulary import Evidence, Record


class Ingested(Record, frozen=True, kw_only=True):
    """The result of processing queued hook events.

    taken: how many were looked at. stored: memories made of them, merged: into one that was there already
    noted: of no more use than that they happened. skipped: machine noise, and what was told twice
    bad: set aside with a reason. stuck: set aside because they took too long; a newer version tries them again
    waiting: how many are left. notes: what stood in the way
    compressed: memories that a language model has shortened since
    """

    taken: int = 0
    stored: int = 0
    merged: int = 0
    noted: int = 0
    skipped: int = 0
    bad: int = 0
    stuck: int = 0
    waiting: int = 0
    notes: tuple[str, ...] = ()
    compressed: int = 0


class SessionPage(Record, frozen=True, kw_only=True):
    """Some sessions of a longer list; ask again with `offset` for more."""

    sessions: tuple[Session, ...]
    total: int
    offset: int = 0


class Injected(Record, frozen=True, kw_only=True):
    """A memory that was injected into a session, why, and how it was used.

    evidence: as a word, and outcome: as text; empty while undecided. tokens: of its text, about
    """

    memory_id: str
    label: str
    at: int
    event: str
    why: str = ""
    evidence: Evidence = ""
    outcome: str = ""
    tokens: int = 0


class SessionView(Record, frozen=True, kw_only=True):
    """One session: what is known of it, what was seen in it, oldest first, and how many there are of those.

    injected: the memories that were injected into it, oldest first; injected_total: all of them
    """

    session: Session
    observations: tuple[Observed, ...] = ()
    total: int = 0
    injected: tuple[Injected, ...] = ()
    injected_total: int = 0


class Summed(Record, frozen=True, kw_only=True):
    """The summary of a session, and the memory it is kept in; none where nothing was done that could be summed up.

    notes: why a language model did not write it, where it was to
    """

    session: Session
    memory: Memory | None = None
    created: bool = False
    notes: tuple[str, ...] = ()


class Context(Record, frozen=True, kw_only=True):
    """Context injected for an assistant, fenced as data; empty where nothing is worth it.

    tokens, bytes: its size. budget: the limit in tokens. assistant: the assistant whose hook it answers, if any
    """

    text: str = ""
    tokens: int = 0
    bytes: int = 0
    budget: int = 0
    assistant: str = ""


class PreviewLine(Record, frozen=True, kw_only=True):
    """A line of a previewed context: its text, its memory and why it is there; null: not a memory."""

    section: str
    text: str
    memory_id: str | None = None
    why: str = ""


class ContextPreview(Record, frozen=True, kw_only=True):
    """The context that an assistant would get now, fenced as data, and the lines that it is made of."""

    text: str = ""
    tokens: int = 0
    bytes: int = 0
    budget: int = 0
    namespace: str | None = None
    lines: tuple[PreviewLine, ...] = ()


class KnownFix(Record, frozen=True, kw_only=True):
    """A known fix of an error: its memory and steps, how often it helped, and when last."""

    fingerprint: str
    memory: Memory
    error: str
    steps: tuple[str, ...]
    times: int
    seen_at: int
