"""Pending vectors: which passages are embedded next, and which memories are skipped.

Short memories come first. A long one is embedded in parts, from its last passage to its first, and each part is
committed: the vector of the first passage says that a memory is complete, and what is there says where to go on.

A memory that the embedder refuses, or that takes too long, is skipped until a newer version of recollect: it must not
hold up the others. What is known of these is kept in one setting of the store; two processes that write it at the same
time may lose an entry, which is then found out again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import msgspec

from recollect import clock
from recollect.model import Memory
from recollect.text.passages import PASSAGE_CHARACTERS
from recollect.text.redaction.redact import redact
from recollect.version import __version__, release

if TYPE_CHECKING:
    from recollect.engine.models.embedded_text import Enricher
    from recollect.store.sql import Store

# Passages of one memory that are embedded, its first ones: 200,000 characters. All of 1 MB would be 600 passages and 97
# CPU s; so it is 40. Search by words finds the rest.
MAX_EMBEDDED = 256
# A memory that is longer than a round of the embedder is long.
LONG_CHARACTERS = 32 * PASSAGE_CHARACTERS
# Memories that are skipped at most: more means that something else is wrong.
MAX_ASIDE = 1000
WHY_CHARACTERS = 200


class Part(NamedTuple):
    """Passages of a memory to embed, from number `first` on."""

    memory: Memory
    first: int
    texts: list[str]


class Aside(NamedTuple):
    """A memory that is skipped: which revision, when, why, and by which version."""

    memory_id: str
    rev: int
    at: int
    why: str
    version: str


def next_parts(store: Store, enricher: Enricher, model: str, most: int, *, waits: bool = False) -> list[Part]:
    """Return what to embed next: short memories, or a part of a long one.

    waits: of one that is too long to embed whole, take the first `most` passages, if none is embedded yet
    """
    without = {row.memory_id: row.rev for row in set_aside(store, model)}
    lacking = store.lacking_vectors(model, most, longest=LONG_CHARACTERS, without=without)
    whole = [Part(memory, 0, enricher.texts(memory)) for memory in lacking]
    chosen: list[Part] = []
    for part in sorted(whole, key=lambda part: len(part.texts)):  # newest first among those of a length
        begun = store.embedded_from(model, part.memory.id) if len(part.texts) > 1 else None
        is_cut = waits and begun is None and len(part.texts) > MAX_EMBEDDED
        texts = part.texts[: most if is_cut else MAX_EMBEDDED][:begun]
        left = most - sum(len(each.texts) for each in chosen)
        if chosen and len(texts) > left:
            break
        first = max(0, len(texts) - left)
        chosen.append(Part(part.memory, first, texts[first:]))
    return chosen


def newest_parts(
    store: Store, enricher: Enricher, model: str, *, most: int, longest: int, known: bool = False
) -> list[Part]:
    """Return the newest short memories without vectors, at most `most` passages in all.

    longest: passages of a memory that is short; known: without observed ones
    """
    without = {row.memory_id: row.rev for row in set_aside(store, model)}
    longest_text = longest * PASSAGE_CHARACTERS
    lacking = store.lacking_vectors(model, most, longest=longest_text, without=without, known=known)
    chosen: list[Part] = []
    for memory in lacking:
        texts = enricher.texts(memory)
        if len(texts) <= min(longest, most - sum(len(part.texts) for part in chosen)):
            chosen.append(Part(memory, 0, texts))
    return chosen


def set_aside(store: Store, model: str) -> list[Aside]:
    """Return the memories that a model does not embed until the next version, latest last."""
    kept = msgspec.json.decode(store.setting(_key(model)) or "[]", type=list[Aside])
    return [row for row in kept if release(row.version) >= release(__version__)]


def put_aside(store: Store, model: str, memory: Memory, why: str) -> None:
    """Leave a memory, as it is now, without vectors until a newer version comes."""
    row = Aside(memory.id, memory.rev, clock.now(), redact(why).text[:WHY_CHARACTERS], __version__)
    rows = [each for each in set_aside(store, model) if each.memory_id != memory.id]
    store.keep_setting(_key(model), msgspec.json.encode([*rows, row][-MAX_ASIDE:]).decode())


def retry(store: Store, model: str) -> None:
    """Forget which memories are skipped."""
    if store.setting(_key(model)):
        store.keep_setting(_key(model), "[]")


def _key(model: str) -> str:
    return f"not_embedded/{model}"
