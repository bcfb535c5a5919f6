"""What a database must hold: writers keep a journal, a ledger follows it, and the database is compared with the ledger.

    Writer ──► engine
       └─────► Journal ("about to …", "done …") ──► Ledger ──► differences(engine, ledgers)

A ledger knows the exact content of every memory of its writer, which are deleted, and every link between them.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import sqlite3
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from recollect.engine import Engine
from recollect.errors import RecollectError
from recollect.model import Change, Edge, Memory
from recollect.text.passages import MAX_PASSAGES, passages
from recollect.text.tokens import terms

Entry = dict[str, Any]

# Facts that every writer stores under its own tag: the same content is kept once, with everybody's tags.
SHARED_FACTS = tuple(f"Everybody knows this: fact number {number} is stored by every process." for number in range(5))

# Syllables of made-up words: what the words are does not matter here, only that texts share some and differ in others.
_SYLLABLES = "ba co di fu ge ha jo ki lu me no pa qui ro su ta ve wo xi zu".split()

# What many processes do at once, and what a process does that is about to be killed, by how often.
TOGETHER = {"store": 42, "update": 20, "associate": 12, "delete": 8, "merge": 6, "get": 6, "recall": 6}
DOOMED = {
    "store": 42,
    "update": 22,
    "associate": 12,
    "delete": 11,
    "undo": 8,
    "vectors": 4,
    "recall": 1,
    "rebuild": 0.3,
}
# These come on top of the writes that were asked for.
READS = ("get", "recall", "vectors")


def texts(seed: int) -> Iterator[str]:
    """Yield texts of a few dozen words without end, the same for the same seed."""
    chance = random.Random(seed)
    words = [first + second + third for first in _SYLLABLES for second in _SYLLABLES for third in ("", "n", "rd")]
    while True:
        # Cubed, so that some words are frequent and most are rare, as in any text.
        chosen = (words[int(len(words) * chance.random() ** 3)] for _ in range(chance.randint(8, 40)))
        yield " ".join(chosen) + "."


class HashEmbedder:
    """Vectors from the hashes of words: deterministic, quick, and near where words are shared."""

    def __init__(self, model_id: str, *, bits: int = 128) -> None:
        self.model_id = model_id
        self._bits = bits

    def embed(self, texts: Sequence[str]) -> Any:
        """Return one unit vector per text: the sum of the random signs that stand for its words."""
        rows = np.zeros((len(texts), self._bits), np.float32)
        for row, text in zip(rows, texts, strict=True):
            row += 1e-3  # A text without words has a direction, too.
            for word in text.lower().split():
                row += _signs(self.model_id, word, self._bits)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)


@lru_cache(maxsize=200_000)
def _signs(model_id: str, word: str, bits: int) -> Any:
    digest = hashlib.shake_128(f"{model_id}\0{word}".encode()).digest(bits // 8)
    return np.unpackbits(np.frombuffer(digest, np.uint8)).astype(np.float32) * 2 - 1


# --- the journal -----------------------------------------------------------------------------------------------------


class Journal:
    """Lines appended by one process at a time. A line is one write(2), so a kill leaves it out or leaves it whole."""

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o600)

    def say(self, **entry: Any) -> None:
        """Append an entry."""
        os.write(self._file, json.dumps(entry).encode() + b"\n")

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._file)


def read_journal(path: Path) -> list[Entry]:
    """Return the entries of a journal, none if there is no file yet."""
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


# --- the ledger ------------------------------------------------------------------------------------------------------


class Ledger:
    """What one writer's memories must be, as far as it was told that a write is done."""

    def __init__(self) -> None:
        self.memories: dict[str, Entry] = {}
        self.links: set[tuple[str, str]] = set()
        self.graves: dict[str, tuple[Entry, set[tuple[str, str]], str]] = {}
        self.merged: Counter[str] = Counter()

    @classmethod
    def of_journal(cls, entries: Iterable[Entry]) -> Ledger:
        """Return what the acknowledged entries add up to."""
        ledger = cls()
        ledger.follow(entries)
        return ledger

    def follow(self, entries: Iterable[Entry]) -> Entry | None:
        """Take over acknowledged entries; return the one that was announced last and never acknowledged."""
        under_way = None
        for entry in entries:
            if "done" in entry:
                self.apply(entry)
            under_way = entry if "about" in entry else None
        return under_way

    def apply(self, entry: Entry) -> None:
        """Take over one write that happened."""
        kind, row = entry["op"], entry.get("id", "")
        if kind == "store":
            self.memories[row] = entry["values"]
        elif kind == "update":
            self.memories[row] = {**self.memories[row], **entry["values"]}
        elif kind == "delete":
            cut = {link for link in self.links if row in link}
            self.links -= cut
            self.graves[row] = (self.memories.pop(row), cut, entry.get("batch", ""))
        elif kind == "undo":
            self.memories[row], cut, _ = self.graves.pop(row)
            self.links |= cut
        elif kind == "associate":
            self.links.add((row, entry["target"]))
        elif kind == "merge":
            self.merged[entry["content"]] += 1

    def settle(self, entry: Entry, engine: Engine) -> bool:
        """Look up whether a write that was under way happened, and take it over if it did."""
        kind, row = entry["op"], entry.get("id", "")
        found = engine.store.get(Memory, [row]) if row else []
        if kind == "store":
            found = engine.store.find(Memory, {"content": entry["values"]["content"]})
            happened = bool(found)
            entry = {**entry, "id": found[0].id} if found else entry
        elif kind == "update":
            happened = all(_plain(found[0], field) == value for field, value in entry["values"].items())
        elif kind == "delete":
            happened = not found
        elif kind == "undo":
            happened = bool(found)
        elif kind == "associate":
            happened = (row, entry["target"]) in _links(engine)
        else:
            return False
        if happened:
            self.apply(entry)
        return happened


def _plain(memory: Memory, field: str) -> Any:
    value = getattr(memory, field)
    return list(value) if isinstance(value, tuple) else value


def _links(engine: Engine) -> set[tuple[str, str]]:
    return {(edge.src.removeprefix("mem:"), edge.dst.removeprefix("mem:")) for edge in engine.store.find(Edge)}


# --- a writer --------------------------------------------------------------------------------------------------------


class Writer:
    """Mixed work on its own memories, announced and acknowledged in a journal."""

    def __init__(
        self, engine: Engine, journal: Journal, ledger: Ledger, *, name: str, seed: int, mixture: dict[str, float]
    ) -> None:
        """Prepare to write: `mixture` says how often each kind of work is done, `name` makes contents its own."""
        self._engine, self._journal, self._ledger, self._name = engine, journal, ledger, name
        self._chance = random.Random(seed)
        self._texts = texts(seed)
        self._mixture = mixture
        self._done = 0

    def run(self, writes: int) -> None:
        """Do so many writes, and the reads that come with them."""
        goal = self._done + writes
        kinds, weights = list(self._mixture), list(self._mixture.values())
        while self._done < goal:
            kind = self._chance.choices(kinds, weights)[0]
            entry = self._plan(kind)
            if entry is None:
                continue
            self._journal.say(about=True, **entry)
            began = time.monotonic()
            try:
                entry |= self._perform(entry)
            except RecollectError as problem:
                self._journal.say(error=problem.code, message=problem.message, **entry)
                continue
            self._journal.say(done=True, ms=round(1000 * (time.monotonic() - began), 2), **entry)
            self._ledger.apply(entry)
            self._done += kind not in READS

    def _plan(self, kind: str) -> Entry | None:
        """Return what to do, or None where there is nothing to do it to."""
        own = list(self._ledger.memories)
        if kind == "store":
            text = f"{self._name}/{self._done}: {next(self._texts)}"
            tags = [f"tag{self._chance.randrange(9)}"]
            return {"op": kind, "values": {"content": text, "importance": self._chance.random(), "tags": tags}}
        if kind == "merge":
            return {"op": kind, "content": self._chance.choice(SHARED_FACTS), "tag": self._name}
        if kind in ("recall", "vectors", "rebuild"):
            return {"op": kind}
        if kind == "undo":
            # Only the latest: an earlier one may link to a memory that has gone since.
            last = next(reversed(self._ledger.graves), None)
            return {"op": kind, "id": last} if last and self._ledger.graves[last][2] else None
        if len(own) < 5:
            return None
        row = self._chance.choice(own)
        if kind == "update":
            changes = {"content": f"{self._name}/{self._done} changed: {next(self._texts)}"}
            return {"op": kind, "id": row, "values": {**changes, "importance": self._chance.random()}}
        if kind == "associate":
            target = self._chance.choice(own)
            return {"op": kind, "id": row, "target": target} if (row, target) not in self._ledger.links else None
        return {"op": kind, "id": row}

    def _perform(self, entry: Entry) -> Entry:
        """Do it; return what is to be known of it besides."""
        engine, row = self._engine, entry.get("id", "")
        values = {name: tuple(value) if name == "tags" else value for name, value in entry.get("values", {}).items()}
        work: dict[str, Callable[[], Any]] = {
            "store": lambda: {"id": engine.memories.store(**values).memory.id},
            "update": lambda: engine.memories.update(row, **values),
            "delete": lambda: {"batch": engine.memories.delete(row).batch},
            "undo": lambda: engine.admin.undo(self._ledger.graves[row][2]),
            "associate": lambda: engine.memories.associate(row, entry["target"]),
            "merge": lambda: engine.memories.store(entry["content"], tags=(entry["tag"],)),
            "get": lambda: engine.memories.get(row),
            "recall": lambda: engine.recall.search(next(self._texts), limit=5),
            "vectors": lambda: engine.embedding.catch_up(8),
            "rebuild": lambda: engine.admin.rebuild(vectors=False),
        }
        known = work[entry["op"]]()
        return known if isinstance(known, dict) else {}


# --- the comparison --------------------------------------------------------------------------------------------------


def differences(engine: Engine, ledgers: Sequence[Ledger], *, alone: bool = True) -> list[str]:
    """Return how the database differs from the ledgers; with `alone` there may be nothing else in it."""
    return list(_differences(engine, ledgers, alone=alone))


def _differences(engine: Engine, ledgers: Sequence[Ledger], *, alone: bool) -> Iterator[str]:
    found = {memory.id: memory for memory in engine.store.find(Memory)}
    links = _links(engine)
    expected: set[str] = set()
    linked: set[tuple[str, str]] = set()
    for ledger in ledgers:
        for row, values in ledger.memories.items():
            if row not in found:
                yield f"{row} is lost: {values}"
            elif any(_plain(found[row], field) != value for field, value in values.items()):
                yield f"{row} is not as it was acknowledged: {values}"
        yield from (f"{row} was deleted and is there" for row in ledger.graves if row in found)
        yield from (f"the link {link} is lost" for link in ledger.links - links)
        expected |= ledger.memories.keys()
        linked |= ledger.links
    shared = {memory.id for memory in found.values() if memory.content in SHARED_FACTS}
    yield from _shared_differences(found, ledgers)
    if alone:
        yield from (f"{row} is there and nobody stored it" for row in found.keys() - expected - shared)
        yield from (f"the link {link} is there and nobody made it" for link in links - linked)


def _shared_differences(found: dict[str, Memory], ledgers: Sequence[Ledger]) -> Iterator[str]:
    """Every shared fact is there once, with the tag of everybody who stored it."""
    kept = Counter(memory.content for memory in found.values() if memory.content in SHARED_FACTS)
    tags = {memory.content: set(memory.tags) for memory in found.values()}
    for fact in SHARED_FACTS:
        told = sum(ledger.merged[fact] > 0 for ledger in ledgers)
        if told and (kept[fact] != 1 or len(tags[fact]) != told):
            yield f"a fact stored by {told} processes is there {kept[fact]} times, with {len(tags.get(fact, ()))} tags"


def inconsistencies(engine: Engine) -> list[str]:
    """Return what is wrong inside the database: pages, references, full text, and rows that do not match their log."""
    problems = engine.store.check(thorough=True)
    newest: dict[str, int] = {}
    for change in engine.store.find(Change, {"entity": "memories"}, order="seq"):
        newest[change.entity_id] = change.seq
    for memory in engine.store.find(Memory):
        if newest.get(memory.id) != memory.rev:
            problems.append(f"{memory.id} has rev {memory.rev}, its last change is {newest.get(memory.id)}")
    return problems


def stale_texts(engine: Engine) -> list[str]:
    """Return the memories whose search terms are not those of their text; that the index has them is checked before."""
    database = sqlite3.connect(engine.settings.database_path)
    kept = dict(database.execute("SELECT rowid, body FROM memory_text"))
    database.close()
    return [
        f"the full text of {memory.id} is not of its content"
        for memory in engine.store.find(Memory)
        if any(
            kept.get(memory.seq * MAX_PASSAGES + part) != " ".join(terms(passage))
            for part, passage in enumerate(passages(memory.content))
        )
    ]


def stray_vectors(engine: Engine, samples: int = 200) -> list[str]:
    """Return the samples for which the nearest neighbours are not those that comparing everything anew gives."""
    memories = engine.store.find(Memory, order="seq")
    embedder = engine.embedding.embedder
    assert embedder is not None
    texts = [memory.content for memory in memories]
    everything = np.concatenate([embedder.embed(texts[at : at + 64]) for at in range(0, len(texts), 64)])
    problems = []
    for at in range(0, len(memories), max(1, len(memories) // samples)):
        cosines = everything @ everything[at]
        # Kept in half precision: neighbours closer to each other than this may change places.
        tenth = np.sort(cosines)[-min(10, len(cosines))] - 0.002
        matches = engine.store.search_vectors(engine.embedding.model_id, everything[at], None, 10)
        position = {memory.id: index for index, memory in enumerate(memories)}
        wrong = [match.id for match in matches if cosines[position[match.id]] < tenth]
        if wrong or len(matches) < min(10, len(memories)):
            problems.append(f"{memories[at].id}: {len(matches)} neighbours, {len(wrong)} of them wrong")
    return problems


def undo_failures(engine: Engine, samples: int = 20) -> list[str]:
    """Delete some memories and take it back; return those that did not come back as they were."""
    problems = []
    for memory in engine.store.find(Memory, order="-seq", limit=samples):
        links = {link for link in _links(engine) if memory.id in link}
        engine.admin.undo(engine.memories.delete(memory.id).batch)
        back = engine.store.get(Memory, [memory.id])
        if not back or back[0].content != memory.content or back[0].tags != memory.tags:
            problems.append(f"undo did not bring back {memory.id}")
        if {link for link in _links(engine) if memory.id in link} != links:
            problems.append(f"undo did not bring back the links of {memory.id}")
    engine.embedding.catch_up()
    return problems
