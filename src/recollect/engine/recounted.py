"""Ingest transcripts: turn by turn into observations and memories, each exactly once.

    turn ─► noise? ─► without secrets ─► lesson, statements ─► Note      before a transaction is opened
    Note ─► observations, memories                                        in one, with how far the file was read

A turn becomes what a hook would have made of it, so that whatever looks at sessions sees both alike; of the memories
only those that help after years are kept: commands that worked, and what was said of rules, decisions and causes. What
hooks captured of the same session stays as it is, and is not told again.
"""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from recollect.capture import tools
from recollect.capture.extract import lesson as lesson_of
from recollect.capture.filter import cleaned, is_noise, mark
from recollect.capture.observation import Observation
from recollect.capture.observation_lesson import Lesson, line
from recollect.capture.statements import Speaker, statements
from recollect.capture.transcripts.transcript_turn import Turn, slim
from recollect.engine.anchoring import Prepared
from recollect.engine.memories import content_hash, purged, unwanted
from recollect.engine.noticed import Home, Noticing, observed, redacted
from recollect.engine.redaction import without_secrets
from recollect.engine.stated import strengthen
from recollect.model import Memory, Observed
from recollect.text.digest import digest
from recollect.text.redaction.redact import redact, secrets

if TYPE_CHECKING:
    from recollect.engine.root import Engine
    from recollect.store.protocol import Store, Transaction

# Ids of what is found: made of names below this one.
SPACE = uuid.UUID("1c9a2a0e-6a0f-5c55-8e0b-5a3f4f0f6b02")
# A person's words count more than those of a program; both were not said to us.
TRUST = {"user": 0.8, "assistant": 0.6, "tool": 0.7}
# Told by a hook and by a transcript, one event has two times; nobody does the same twice as quickly.
NEAR_S = 60
# What tells an observation of ours from one of a hook, whose names end in hexadecimal digits.
OWN = "-t"
# What a tool may be given without any of it being the name of something else.
_KNOWN = frozenset(name for names in tools.FIELDS.values() for name in names) | frozenset(
    "description replace_all replaceAll instruction expected_replacements timeout timeout_ms workdir cwd yield_time_ms "
    "max_output_tokens run_in_background dir_path recursive include output_mode head_limit view_range".split()
)
# What hooks tell of a use without its id is known by its words; a longer output costs more to compare than it is worth.
MARKED_CHARACTERS = 4_000
# What is looked at of a prompt: what is longer was pasted.
PROMPT_CHARACTERS = 40_000


class Note(NamedTuple):
    """The rows to write for a turn: its observation, unless it is noise, and its memories."""

    row: Observed
    is_kept: bool
    memories: tuple[tuple[Memory, Prepared], ...]
    cwd: str


class Recounting:
    """Makes notes of turns; what it learns of folders holds for one import."""

    def __init__(self, engine: Engine) -> None:
        self._noticing = Noticing(engine)
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
        # What is told without the id of a use is recognised by all that was said, unless that is a whole file.
        seen = turn.seen
        is_short = len(tools.said(seen.output)) <= MARKED_CHARACTERS
        told = mark(cleaned(seen))[0] if is_short else mark(seen._replace(call_id=seen.call_id or turn.key))[0]
        seen = cleaned(slim(seen))
        is_clean = _is_clean(seen)
        if not is_clean:
            seen = redacted(seen)
        home = self._noticing.home(seen.cwd)
        learnt = lesson_of(seen, home.place, lambda path, text: ())
        turn = turn._replace(seen=seen)
        row = self._row(turn, home, learnt, told)
        memories: tuple[tuple[Memory, Prepared], ...] = ()
        if learnt.category == "command" and learnt.outcome == "ok":
            about = {**learnt.metadata, "directory": seen.cwd}
            memories = (self._memory(turn, home, learnt._replace(metadata=about), 0, is_clean=is_clean),)
        return Note(row if is_clean else without_secrets(row)[0], True, memories, seen.cwd)

    def _talk(self, turn: Turn, speaker: Speaker) -> Note | None:
        told_by = mark(turn.seen)[0]
        clean = redact(turn.seen.text)
        self.redacted.update(found.kind for found in clean.found)
        seen = turn.seen._replace(text=clean.text, session=redact(turn.seen.session).text)
        turn = turn._replace(seen=seen)
        home = self._noticing.home(redact(seen.cwd).text)
        found = statements(clean.text, speaker)
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
            place = home._replace(namespace=None) if each.everywhere else home
            memories.append(self._memory(turn, place, told, number))
        row = self._row(turn, home, Lesson(told=line(clean.text)), told_by)
        return Note(without_secrets(row)[0], turn.role == "user", tuple(memories), seen.cwd)

    def _row(self, turn: Turn, home: Home, learnt: Lesson, told: str) -> Observed:
        seen = turn.seen
        key = digest(f"{seen.assistant}\n{seen.session}\n{turn.key}", 24)
        name = f"{turn.at_ms * 1_000_000 + turn.order % 1_000_000:020d}{OWN}{key}"
        return observed(name, told, turn.at_ms // 1000, seen.session, seen, home, learnt)

    def _memory(
        self, turn: Turn, home: Home, learnt: Lesson, number: int, *, is_clean: bool = False
    ) -> tuple[Memory, Prepared]:
        seen = turn.seen
        at = turn.at_ms // 1000
        where = {"from": seen.assistant, "rule": learnt.category, "session": seen.session, "said_by": turn.role}
        where |= {"line": str(turn.line)} if turn.line else {"part": turn.key}
        raw = Memory(
            id=str(uuid.uuid5(SPACE, f"{seen.assistant}\n{seen.session}\n{turn.key}\n{number}")),
            content=learnt.content,
            memory_type=learnt.memory_type,
            importance=learnt.importance,
            category=learnt.category,
            tags=tuple(dict.fromkeys(tag for tag in learnt.tags if tag)),
            metadata={**learnt.metadata, **where},
            namespace=home.namespace,
            created_at=at,
            updated_at=at,
            last_accessed_at=at,
            valid_from=at,
            source="import" if turn.role == "tool" else turn.role,
            trust=TRUST[turn.role],
            session_id=seen.session,
            observed=turn.role == "tool",
        )
        memory, kinds = (raw, ()) if is_clean else without_secrets(raw)
        self.redacted.update(kinds)
        written = content_hash(memory.content)
        memory = msgspec.structs.replace(memory, content_hash=written, metadata={**memory.metadata, "written": written})
        return memory, self._noticing.anchors(memory)


def _is_clean(seen: Observation) -> bool:
    """Tell by one look at all its texts that a use of a tool holds no secret; where one could hide, that it may.

    What is given by names of ours is text; anything else, say for a tool of some server, may name a secret beside it.
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
    """What hooks saw of some sessions, looked up once for each."""

    def __init__(self) -> None:
        self._sessions: set[str] = set()
        self._marks: set[str] = set()
        self._times: dict[tuple[Any, ...], list[int]] = {}

    def unseen(self, rows: Store | Transaction, notes: Sequence[Note]) -> list[Note]:
        """Return those of some notes that neither an import nor a hook wrote down before, each once."""
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
        # What was asked is kept as a whole, whenever that was.
        near = self._times.get(_thing(row), ())
        return any(row.event == "prompt" or abs(at - row.at) <= NEAR_S for at in near)


def _thing(row: Observed) -> tuple[Any, ...]:
    return (row.session_id, row.event, row.tool, row.target or row.told)


def write(
    transaction: Transaction, notes: Sequence[Note], anchor: Callable[[Transaction, Memory, Prepared], None]
) -> list[tuple[Memory, str]]:
    """Write notes that were not seen before; returns for each memory: created, known or refused."""
    done: list[tuple[Memory, str]] = []
    fates = fates_of(transaction, notes)
    gone = purged(transaction, [memory.id for note in notes for memory, _ in note.memories])
    for note in notes:
        row = note.row
        for memory, anchors in note.memories:
            fate, kept_id = fates[memory.id]
            done.append((memory, fate))
            if fate == "created":
                anchor(transaction, transaction.insert(memory), anchors)
            elif note.is_kept and kept_id not in (None, memory.id) and "times" in memory.metadata:
                for known in transaction.get(Memory, [kept_id]):
                    strengthen(transaction, known, memory)
            if kept_id and row.memory_id is None:
                row = msgspec.structs.replace(row, memory_id=kept_id)
        # What happened is told in the words of the memory: those are not to be here again.
        if note.is_kept and not any(memory.id in gone for memory, _ in note.memories):
            transaction.insert(row)
    return done


def fates_of(rows: Store | Transaction, notes: Sequence[Note]) -> dict[str, tuple[str, str | None]]:
    """Return what is to become of each memory, by its id, and the id it is kept under.

    known: it, or one of the same words in the same project, is there. refused: somebody deleted it before
    """
    memories = [memory for note in notes for memory, _ in note.memories]
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
    """Return what two memories of the same words have in common: evidence is no knowledge."""
    return memory.namespace, memory.content_hash, memory.observed
