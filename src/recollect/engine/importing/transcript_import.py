"""Import transcripts of past sessions as if hooks had captured them.

    transcripts of an assistant ─► steps ─► notes ─► one transaction: new rows, and the position reached
                                                     └─► at its end: fixes, and the summary of the session

The latest transcripts come first, so that a limit leaves out the oldest. The position is stored in the same transaction
as the rows: a killed import continues there and leaves the same store.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from recollect import clock, progress
from recollect.capture.transcripts.transcript_files import Book, books, steps
from recollect.capture.transcripts.transcript_turn import Turn
from recollect.engine.importing.transcript_ingest import OWN, Captured, Note, TurnReader, fates_of, write
from recollect.engine.sessions.session_state import store_fixes, write_summary
from recollect.history.history_record import clipped
from recollect.model import Change, HistorySource, LearntFrom, Memory, Observed, Session, Transcript
from recollect.text.display import plural

if TYPE_CHECKING:
    from recollect.engine.sessions.hook_ingest import EventReader
    from recollect.store.sql import Store
    from recollect.store.transaction import Transaction

# Notes of one transaction: enough to be fast, few enough that other writers do not wait long.
BATCH = 200
# The position is also stored after so many bytes without a note.
SILENT_BYTES = 32 << 20
# A transcript that was not written to for so long has ended, even in the middle of a line or of a tool use.
ABANDONED_S = 86_400
# Decisions in the summary of a session.
DECIDED = 5
# Sample titles in the answer: they show what kind of memories were imported.
EXAMPLES = 8
EXAMPLE_CHARACTERS = 120
# `ended_by` of sessions known from transcripts alone, and until they are summarised: a killed import finds them again.
FINISHED = "transcript"
UNFINISHED = "unfinished transcript"

Tell = Callable[[int], None]


class Wanted(NamedTuple):
    """The input of an import: the assistants' home, the start date, and the most memories of each."""

    home: Path
    since: int | None
    most: int
    dry_run: bool
    batch: str


class _Work(NamedTuple):
    """A transcript that is being read: what hooks captured of it, and its sessions with new rows."""

    book: Book
    captured: Captured
    touched: set[str]


class TranscriptImport:
    """Reads transcripts, writes memories from them, and counts the outcomes."""

    def __init__(self, store: Store, reader: EventReader, wanted: Wanted) -> None:
        self._store = store
        self._wanted = wanted
        self._turns = TurnReader(reader)
        self.examples: list[str] = []
        self.notes: list[str] = []
        self.sources: list[LearntFrom] = []
        self.changed = 0

    @property
    def redacted(self) -> Counter[str]:
        """The number of replaced secrets, by kind."""
        return self._turns.redacted

    def learn(self, source: HistorySource, *, is_named: bool) -> None:
        """Import the new part of an assistant's transcripts. is_named: note if it has none"""
        since = self._wanted.since
        found = books(source, self._wanted.home)
        if not found and not is_named:
            return
        if not found:
            self.notes.append(f"{source}: no transcripts found in {self._wanted.home}")
        found = [book for book in found if since is None or book.at >= since]
        counted = _Counted()
        done, total = 0, sum(book.size for book in found if book.sitting is None) or len(found)
        for book in found:
            progress.report(done, total, f"reading {source} transcripts")
            with suppress(OSError):  # it is gone, or not ours to read
                self._book(book, counted, lambda at, done=done: progress.report(  # type: ignore[misc]
                    min(done + at, total), total, f"reading {source} transcripts"))  # fmt: skip
            done += book.size if book.sitting is None else 1
            if counted.fates["created"] >= self._wanted.most:
                self.notes.append(
                    f"{source}: stopped after {self._wanted.most:,} memories; run the import again to continue"
                )
                break
        self._finish(source, counted)
        self.changed += counted.fates["created"]
        if counted.projects:
            sessions, projects = len(counted.sessions), len(counted.projects)
            self.notes.append(f"{source}: read {plural(sessions, 'session')} of {plural(projects, 'project')}")
        rules = dict(counted.rules.most_common())
        self.sources.append(LearntFrom(source=source, found=counted.rules.total(), rules=rules, **counted.fates))

    def _book(self, book: Book, counted: _Counted, tell: Tell) -> None:
        begun = self._begun(book)
        if begun is None:
            return
        position, lines = begun
        reached, kept_at = begun, position
        batch: list[Note] = []
        work = _Work(book, Captured(), set())
        # A text of the assistant is its answer if a person speaks next; until then it does not count as read.
        answer: Turn | None = None
        for step in steps(book, position, lines):
            turn = step.turn
            if turn is not None and turn.at_ms and turn.at_ms // 1000 >= (self._wanted.since or 0):
                ended = answer if turn.role == "user" else None
                answer = turn if turn.role == "assistant" else None
                batch += self._notes((ended, None if answer else turn), book)
            position, lines = step.position, step.number
            if answer is None:
                reached = position, lines
            if len(batch) >= BATCH or reached[0] - kept_at >= SILENT_BYTES:
                self._write(work, batch, reached, counted)
                batch, kept_at = [], reached[0]
                tell(position)
        batch += self._notes((answer,), book)
        if book.at < clock.now() - ABANDONED_S:
            position = book.size  # it will not continue
        self._write(work, batch, (position, lines), counted, is_end=True)

    def _notes(self, turns: Sequence[Turn | None], book: Book) -> list[Note]:
        """Return the rows to write for turns, without those that are noise."""
        return [note for turn in turns if turn is not None and (note := self._note(turn, book)) is not None]

    def _note(self, turn: Turn, book: Book) -> Note | None:
        """Return the rows to write for a turn; None, with a note in the answer, if that takes too long."""
        try:
            with clock.cpu_limit(clock.RECORD_CPU_S):
                return self._turns.note(turn)
        except clock.CpuLimitExceeded:
            self.notes.append(f"{book.assistant}: skipped a turn of {book.path.name} that took too long to read")
            return None

    def _finish(self, source: HistorySource, counted: _Counted) -> None:
        """Finish the sessions that an earlier import had read, but not summarised."""
        if self._wanted.dry_run:
            return
        for session in self._store.find(Session, {"assistant": source, "ended_by": UNFINISHED}):
            with self._store.transaction("import_history", batch=self._wanted.batch) as transaction:
                done = _finished(transaction, session.id)
            counted.add((), done)

    def _begun(self, book: Book) -> tuple[int, int] | None:
        """Return the position to continue a transcript at; None if nothing is new."""
        kept = self._store.get(Transcript, [book.id])
        # A later `since` left out what may be wanted now.
        if not kept or kept[0].since > (self._wanted.since or 0):
            return 0, 0
        if kept[0].position == book.size:
            return None
        # A file that has become shorter was rewritten; a session of a database is read again as a whole.
        return (0, 0) if kept[0].position > book.size or book.sitting else (kept[0].position, kept[0].lines)

    def _write(
        self, work: _Work, notes: Sequence[Note], reached: tuple[int, int], counted: _Counted, *, is_end: bool = False
    ) -> None:
        if self._wanted.dry_run:
            fresh = work.captured.unseen(self._store, notes)
            fates = fates_of(self._store, fresh)
            told = [(memory, fates[memory.id][0]) for note in fresh for memory in note.memories]
            counted.add(fresh, [(memory, counted.once(memory, fate)) for memory, fate in told])
            self._tell(told)
            return
        with self._store.transaction("import_history", batch=self._wanted.batch) as transaction:
            fresh = work.captured.unseen(transaction, notes)
            done = write(transaction, fresh)
            created = {memory.id for memory, fate in done if fate == "created"}
            # Of an answer only new memories count: how a transcript is cut into transactions must make no difference.
            new = [note for note in fresh if note.is_kept or any(memory.id in created for memory in note.memories)]
            for session_id in dict.fromkeys(note.row.session_id or "" for note in new):
                rows = [note for note in new if note.row.session_id == session_id]
                _begin(transaction, session_id, rows, created)
                work.touched.add(session_id)
            if is_end:
                for session_id in sorted(work.touched):
                    done += _finished(transaction, session_id)
            _keep(transaction, work.book, reached, self._wanted.since or 0)
        counted.add(fresh, done)
        self._tell(done)

    def _tell(self, done: Sequence[tuple[Memory, str]]) -> None:
        for memory, fate in done:
            told = clipped(memory.title or memory.content.strip().splitlines()[0], EXAMPLE_CHARACTERS)
            is_new = fate == "created" and told not in self.examples
            if is_new and memory.importance > 0.5 and len(self.examples) < EXAMPLES:
                self.examples.append(told)


class _Counted:
    """Outcome counts for the transcripts of one assistant."""

    def __init__(self) -> None:
        self.fates: Counter[str] = Counter()
        self.rules: Counter[str] = Counter()
        self.sessions: set[str] = set()
        self.projects: set[str] = set()
        self._words: set[tuple[str | None, str]] = set()

    def once(self, memory: Memory, fate: str) -> str:
        """Return the outcome of a memory, given those that would be created before it."""
        words = (memory.namespace, memory.content_hash)
        is_new = words not in self._words
        self._words.add(words)
        return fate if is_new else "known"

    def add(self, notes: Sequence[Note], done: Sequence[tuple[Memory, str]]) -> None:
        self.fates.update(fate for _, fate in done)
        self.rules.update(memory.category or "" for memory, _ in done)
        self.sessions.update(note.row.session_id or "" for note in notes)
        self.projects.update(note.row.namespace or "" for note in notes)


def forget(transaction: Transaction, batch: str) -> None:
    """Delete the observations and positions of an import that is undone, so that the next one reads it again.

    Neither is logged. The transcripts of a batch are not known: all of its assistants are read again, which costs time
    and changes nothing.
    """
    changed = transaction.find(Change, {"batch": batch, "operation": "import_history", "entity": "sessions"})
    sessions = sorted({change.entity_id for change in changed})
    assistants: set[str] = set()
    for start in range(0, len(sessions), BATCH):
        some = tuple(sessions[start : start + BATCH])
        assistants |= {session.assistant for session in transaction.get(Session, some)}
        for row in transaction.find(Observed, {"session_id": some}):
            if OWN in row.id:
                transaction.delete(Observed, {"id": row.id})
    if assistants:
        transaction.delete(Transcript, {"assistant": tuple(assistants)})


def _begin(transaction: Transaction, session_id: str, notes: Sequence[Note], created: set[str]) -> None:
    """Create or extend the session of some notes; hooks decide when a captured one ends."""
    first, last = min(note.row.at for note in notes), max(note.row.at for note in notes)
    made = sum(memory.id in created for note in notes for memory in note.memories)
    known = transaction.get(Session, [session_id])
    if not known:
        row = notes[0].row
        transaction.insert(
            Session(
                id=session_id,
                namespace=row.namespace,
                started_at=first,
                ended_at=last,
                ended_by=UNFINISHED,
                seen_at=last,
                assistant=row.assistant,
                memory_count=made,
            )
        )
        return
    session = known[0]
    values: dict[str, object] = {
        "started_at": min(first, session.started_at),
        "seen_at": max(last, session.seen_at),
        "memory_count": session.memory_count + made,
    }
    if session.ended_at is not None:
        values["ended_at"] = max(last, session.ended_at)
    if session.ended_by == FINISHED:
        values["ended_by"] = UNFINISHED
    transaction.update(Session, session_id, values)


def _finished(transaction: Transaction, session_id: str) -> list[tuple[Memory, str]]:
    """Find fixes of a session and summarise it; returns the memories of both."""
    (session,) = transaction.get(Session, [session_id])
    of_fixes = {"session_id": session_id, "category": "fix"}
    before = {memory.id for memory in transaction.find(Memory, of_fixes)}
    store_fixes(transaction, session)
    done = [(memory, "created") for memory in transaction.find(Memory, of_fixes) if memory.id not in before]
    if session.ended_at is not None:
        decided = None
        if session.ended_by == UNFINISHED:  # no assistant could store anything in it
            said = {"session_id": session_id, "category": "decision"}
            decided = transaction.find(Memory, said, order="created_at", limit=DECIDED)
        memory, is_new = write_summary(transaction, session, decided)
        if memory is not None:
            done.append((memory, "created" if is_new else "known"))
    if session.ended_by == UNFINISHED:
        transaction.update(Session, session_id, {"ended_by": FINISHED})
    return done


def _keep(transaction: Transaction, book: Book, reached: tuple[int, int], since: int) -> None:
    position, lines = reached
    row = Transcript(
        id=book.id, assistant=book.assistant, position=position, lines=lines, since=since, read_at=clock.now()
    )
    if transaction.get(Transcript, [row.id]):
        values = {field: getattr(row, field) for field in row.__struct_fields__ if field != "id"}
        transaction.update(Transcript, row.id, values)
    else:
        transaction.insert(row)
