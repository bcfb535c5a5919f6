"""Ingest transcripts: turns become observations and memories, each exactly once.

    turn ─► noise? ─► without secrets ─► lesson, statements ─► Note      before a transaction is opened
    Note ─► observations, memories                                        in one, with the position reached

A turn becomes the same rows as a hook event. Of the memories only those are stored that help after years: commands that
worked, and stated rules, decisions and causes. Events that hooks captured are not stored again.
"""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from recollect.capture import tools
from recollect.capture.extract import lesson as lesson_of
from recollect.capture.filter import cleaned, is_noise, mark
from recollect.capture.observation import Observation
from recollect.capture.observation_lesson import Lesson, line
from recollect.capture.statements import Speaker, statements
from recollect.capture.transcripts.transcript_turn import Turn, slim
from recollect.engine.memory.stated_memories import strengthen
from recollect.engine.records.memory_rows import TRUST, new_memory, purged, unwanted
from recollect.engine.records.record_redaction import without_secrets
from recollect.engine.sessions.hook_ingest import EventReader, WorkFolder, observed, redacted
from recollect.model import Memory, Observed
from recollect.text.digest import digest
from recollect.text.redaction.redact import redact, secrets

if TYPE_CHECKING:
    from recollect.store.sql import Store
    from recollect.store.transaction import Transaction

# The name space of memory ids.
SPACE = uuid.UUID("1c9a2a0e-6a0f-5c55-8e0b-5a3f4f0f6b02")
# An event has two times, by its hook and by the transcript; the same is not done twice as quickly.
NEAR_S = 60
# Part of the ids of these observations; those of hooks end in hexadecimal digits.
OWN = "-t"
# Known parameters of tools: their values are plain text.
_KNOWN = frozenset(name for names in tools.FIELDS.values() for name in names) | frozenset(
    "description replace_all replaceAll instruction expected_replacements timeout timeout_ms workdir cwd yield_time_ms "
    "max_output_tokens run_in_background dir_path recursive include output_mode head_limit view_range".split()
)
# A tool use without an id is recognised by its text, up to this length.
MARKED_CHARACTERS = 4_000
# Longer prompts are cut: the rest was pasted.
PROMPT_CHARACTERS = 40_000


class Note(NamedTuple):
    """The rows to write for a turn: its observation, unless it is noise, and its memories."""

    row: Observed
    is_kept: bool
    memories: tuple[Memory, ...]


class TurnReader:
    """Prepares turns for writing."""

    def __init__(self, events: EventReader) -> None:
        self._events = events
        self.redacted: Counter[str] = Counter()

    def note(self, turn: Turn) -> Note | None:
        """Return the rows to write for a turn; None for noise."""
        if turn.role == "assistant":
            return self._talk(turn, "assistant")
        if turn.role == "tool":
            return None if is_noise(turn.seen) or turn.seen.tool == "agent" else self._use(turn)
        seen = cleaned(turn.seen._replace(text=turn.seen.text[:PROMPT_CHARACTERS]))
        return None if is_noise(seen) else self._talk(turn._replace(seen=seen), "user")

    def _use(self, turn: Turn) -> Note:
        # A use without an id is recognised by its whole text, unless that is a file.
        seen = turn.seen
        is_short = len(tools.said(seen.output)) <= MARKED_CHARACTERS
        told = mark(cleaned(seen))[0] if is_short else mark(seen._replace(call_id=seen.call_id or turn.key))[0]
        seen = cleaned(slim(seen))
        is_clean = _is_clean(seen)
        if not is_clean:
            seen = redacted(seen)
        folder = self._events.folder(seen.cwd)
        learnt = lesson_of(seen, folder.place, lambda path, text: ())
        turn = turn._replace(seen=seen)
        row = self._row(turn, folder, learnt, told)
        memories: tuple[Memory, ...] = ()
        if learnt.category == "command" and learnt.outcome == "ok":
            about = {**learnt.metadata, "directory": seen.cwd}
            memories = (self._memory(turn, folder, learnt._replace(metadata=about), 0, is_clean=is_clean),)
        return Note(row if is_clean else without_secrets(row)[0], True, memories)

    def _talk(self, turn: Turn, speaker: Speaker) -> Note | None:
        told_by = mark(turn.seen)[0]
        clean = redact(turn.seen.text)
        self.redacted.update(found.kind for found in clean.found)
        seen = turn.seen._replace(text=clean.text, session=redact(turn.seen.session).text)
        turn = turn._replace(seen=seen)
        folder = self._events.folder(redact(seen.cwd).text)
        found = statements(clean.text, speaker, classify=self._events.classify)
        if not found and speaker == "assistant":
            return None
        memories = []
        for number, each in enumerate(found):
            told = Lesson(
                told=line(each.text),
                content=each.text,
                memory_type=each.memory_type,
                importance=each.importance,
                category=each.kind,
                tags=("stated", each.kind),
                metadata={"stated_in": "transcript", "times": 1},
            )
            place = folder._replace(namespace=None) if each.everywhere else folder
            memories.append(self._memory(turn, place, told, number))
        row = self._row(turn, folder, Lesson(told=line(clean.text)), told_by)
        return Note(without_secrets(row)[0], turn.role == "user", tuple(memories))

    def _row(self, turn: Turn, folder: WorkFolder, learnt: Lesson, told: str) -> Observed:
        seen = turn.seen
        key = digest(f"{seen.assistant}\n{seen.session}\n{turn.key}", 24)
        name = f"{turn.at_ms * 1_000_000 + turn.order % 1_000_000:020d}{OWN}{key}"
        return observed(name, told, turn.at_ms // 1000, seen.session, seen, folder, learnt)

    def _memory(self, turn: Turn, folder: WorkFolder, learnt: Lesson, number: int, *, is_clean: bool = False) -> Memory:
        seen = turn.seen
        at = turn.at_ms // 1000
        where = {"from": seen.assistant, "rule": learnt.category, "session": seen.session, "said_by": turn.role}
        where |= {"line": str(turn.line)} if turn.line else {"part": turn.key}
        memory, kinds = new_memory(
            at,
            is_clean=is_clean,
            id=str(uuid.uuid5(SPACE, f"{seen.assistant}\n{seen.session}\n{turn.key}\n{number}")),
            content=learnt.content,
            memory_type=learnt.memory_type,
            importance=learnt.importance,
            category=learnt.category,
            tags=tuple(dict.fromkeys(tag for tag in learnt.tags if tag)),
            metadata={**learnt.metadata, **where},
            namespace=folder.namespace,
            valid_from=at,
            source="import" if turn.role == "tool" else turn.role,
            trust=TRUST["transcript"][turn.role],
            session_id=seen.session,
            observed=turn.role == "tool",
        )
        self.redacted.update(kinds)
        return msgspec.structs.replace(memory, metadata={**memory.metadata, "written": memory.content_hash})


def _is_clean(seen: Observation) -> bool:
    """Tell whether a tool use has no secret, by one search in all its texts; False where it may have one.

    Known parameters are text. Others, such as those of an MCP tool, may name a secret in another field.
    """
    given = seen.input
    if not _KNOWN.issuperset(given) or not all(isinstance(value, str | int | None) for value in given.values()):
        return False
    texts = [value for value in given.values() if isinstance(value, str)]
    texts += [seen.error, seen.output if isinstance(seen.output, str) else "", seen.tool_name, seen.cwd, seen.session]
    return (seen.output is None or isinstance(seen.output, str)) and not secrets(
        "\n\n".join(texts).encode("ascii", "replace")
    )


class Captured:
    """Events that hooks captured, looked up once for each session."""

    def __init__(self) -> None:
        self._sessions: set[str] = set()
        self._marks: set[str] = set()
        self._times: dict[tuple[Any, ...], list[int]] = {}

    def unseen(self, rows: Store | Transaction, notes: Sequence[Note]) -> list[Note]:
        """Return the notes that neither an import nor a hook has written before."""
        for session_id in {note.row.session_id or "" for note in notes} - self._sessions:
            self._look_up(rows, session_id)
        known = {row.id for row in rows.get(Observed, [note.row.id for note in notes])}
        fresh: list[Note] = []
        for note in notes:
            if note.is_kept and (note.row.id in known or self._has(note.row)):
                continue
            known.add(note.row.id)
            fresh.append(note)
        return fresh

    def _look_up(self, rows: Store | Transaction, session_id: str) -> None:
        self._sessions.add(session_id)
        for row in rows.find(Observed, {"session_id": session_id}):
            if OWN not in row.id:
                self._marks.add(row.mark)
                self._times.setdefault(_thing(row), []).append(row.at)

    def _has(self, row: Observed) -> bool:
        if row.mark in self._marks:
            return True
        # A prompt is the same at any time.
        near = self._times.get(_thing(row), ())
        return any(row.event == "prompt" or abs(at - row.at) <= NEAR_S for at in near)


def _thing(row: Observed) -> tuple[Any, ...]:
    return (row.session_id, row.event, row.tool, row.target or row.told)


def write(transaction: Transaction, notes: Sequence[Note]) -> list[tuple[Memory, str]]:
    """Write notes that were not seen before; returns for each memory: created, known or refused.

    Code is compared with that of its time, after the import (Anchoring.catch_up).
    """
    done: list[tuple[Memory, str]] = []
    fates = fates_of(transaction, notes)
    gone = purged(transaction, [memory.id for note in notes for memory in note.memories])
    for note in notes:
        row = note.row
        for memory in note.memories:
            fate, kept_id = fates[memory.id]
            done.append((memory, fate))
            if fate == "created":
                transaction.insert(memory)
            elif note.is_kept and kept_id not in (None, memory.id) and "times" in memory.metadata:
                for known in transaction.get(Memory, [kept_id]):
                    strengthen(transaction, known, memory)
            if kept_id and row.memory_id is None:
                row = msgspec.structs.replace(row, memory_id=kept_id)
        # An observation repeats its memory: of a purged one it must not come back.
        if note.is_kept and not any(memory.id in gone for memory in note.memories):
            transaction.insert(row)
    return done


def fates_of(rows: Store | Transaction, notes: Sequence[Note]) -> dict[str, tuple[str, str | None]]:
    """Return the outcome of each memory, by its id, and the id it is stored under.

    known: it, or one with the same words in the same project, exists. refused: it was deleted before
    """
    memories = [memory for note in notes for memory in note.memories]
    if not memories:
        return {}
    ids = [memory.id for memory in memories]
    kept = {_words(memory): memory.id for memory in rows.get(Memory, ids)}
    hashes = tuple({memory.content_hash for memory in memories})
    kept |= {_words(row): row.id for row in rows.find(Memory, {"content_hash": hashes})}
    there = set(kept.values())
    refused = unwanted(rows, ids)
    fates: dict[str, tuple[str, str | None]] = {}
    for memory in memories:
        twin = kept.get(_words(memory))
        if memory.id in there or twin is not None:
            fates.setdefault(memory.id, ("known", twin or memory.id))
        elif memory.id in refused:
            fates[memory.id] = ("refused", None)
        else:
            fates[memory.id] = ("created", memory.id)
            kept[_words(memory)] = memory.id
    return fates


def _words(memory: Memory) -> tuple[str | None, str, bool]:
    """Return the key of memories with the same words; observations are separate."""
    return memory.namespace, memory.content_hash, memory.observed
