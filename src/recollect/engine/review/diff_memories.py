"""Memories about code that a diff changes, and those that state a rule about it.

A memory counts if it is anchored to a changed symbol. Whether it contradicts the change cannot be computed; a sentence
that names the symbol and says must, never or the like is shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from recollect.code.code_records import TouchedMemory
from recollect.code.diff.changed_symbols import SymbolChange
from recollect.engine.memory.freshness import freshness_of
from recollect.engine.records.memory_rows import headline
from recollect.engine.review.drift import holds
from recollect.model import Anchor, AnchorState, Memory

if TYPE_CHECKING:
    from recollect.store.protocol import Store

# Words by which a sentence states a rule.
RULES = re.compile(
    r"\b(?:must(?:n't| not)?|never|always|do(?:es)? not|don't|shall(?: not)?|should(?: not|n't)?|may not|only|required|"
    r"forbidden|not allowed|prohibited|avoid|no longer|keep|cannot|can't)\b",
    re.IGNORECASE,
)
SENTENCE_CHARACTERS = 200
_SENTENCES = re.compile(r"(?<=[.!?])\s+|\n+")
_SEPARATOR = re.compile(r"::|->|[.#/\\]")
_ORDER = ("may contradict", "decided", "speaks of")


class RelatedMemories(NamedTuple):
    """Memories about a diff, rules first, and the number of rules by change."""

    memories: list[TouchedMemory]
    rules: dict[int, int]


def related_memories(store: Store, changes: Sequence[SymbolChange], namespace: str | None) -> RelatedMemories:
    """Return the memories of a namespace that are anchored to changed symbols."""
    real = [(number, change) for number, change in enumerate(changes) if change.how != "cosmetic"]
    paths = sorted({path for _, change in real for path in (change.path, change.old_path)})
    places: dict[str, list[tuple[str, str | None]]] = {}
    for kind in (Anchor, AnchorState):
        for start in range(0, len(paths), 500):
            rows = store.columns(kind, ("memory_id", "path", "symbol"), {"path": tuple(paths[start : start + 500])})
            for memory_id, path, symbol in rows:
                places.setdefault(memory_id, []).append((path, symbol))
    memories = [row for row in store.get(Memory, list(places)) if row.namespace in (namespace, None) and holds(row)]
    fresh = freshness_of(store, [memory.id for memory in memories])
    found: list[TouchedMemory] = []
    rules: dict[int, int] = {}
    for memory in memories:
        met = [(number, change) for number, change in real if _meets(change, places[memory.id])]
        if not met:
            continue
        row, ruled = _relation(memory, [change for _, change in met])
        verdict = fresh[memory.id].verdict if memory.id in fresh else ""
        found.append(msgspec.structs.replace(row, verdict=verdict))
        for number, change in met:
            if change in ruled:
                rules[number] = rules.get(number, 0) + 1
    found.sort(key=lambda row: (_ORDER.index(row.relation), row.title))
    return RelatedMemories(found, rules)


def _meets(change: SymbolChange, places: Iterable[tuple[str, str | None]]) -> bool:
    """Tell whether one of the places is the changed symbol, contains it, or is part of it."""
    for path, symbol in places:
        if path not in (change.path, change.old_path):
            continue
        if symbol is None or any(_is_part(symbol, key) for key in (change.key, change.old_key) if key):
            return True
    return False


def _is_part(one: str, other: str) -> bool:
    """Tell whether one qualified name is equal to the other or a prefix of it."""
    first, second = _SEPARATOR.split(one), _SEPARATOR.split(other.partition("#")[0])
    shorter = min(len(first), len(second))
    return first[:shorter] == second[:shorter]


def _relation(memory: Memory, changes: Sequence[SymbolChange]) -> tuple[TouchedMemory, list[SymbolChange]]:
    """Return a memory with its relation to changes, and the changes that it has a rule about."""
    for change in changes:
        sentence = rule_about(memory.content, _names(change)) if change.how != "added" else ""
        if sentence:
            ruled = [other for other in changes if rule_about(memory.content, _names(other))]
            why = f"rule about {_place(change)} ({_change_text(change)}): “{sentence}”"
            return _row(memory, "may contradict", why), ruled
    first = changes[0]
    more = f" and {len(changes) - 1} more" if len(changes) > 1 else ""
    why = f"about {_place(first)} ({_change_text(first)}){more}"
    return _row(memory, "decided" if memory.kind == "decision" else "speaks of", why), []


def _row(memory: Memory, relation: str, why: str) -> TouchedMemory:
    return TouchedMemory(
        memory_id=memory.id,
        memory_type=memory.kind,
        title=headline(memory),
        relation=relation,  # type: ignore[arg-type]
        why=why,
    )


def rule_about(text: str, names: Iterable[str]) -> str:
    """Return the first sentence that names one of the names and states a rule; empty if there is none."""
    patterns = [re.compile(rf"(?<!\w){re.escape(name)}(?!\w)") for name in names if name]
    for sentence in _SENTENCES.split(text):
        if RULES.search(sentence) and any(pattern.search(sentence) for pattern in patterns):
            flat = " ".join(sentence.split())
            return flat if len(flat) <= SENTENCE_CHARACTERS else flat[: SENTENCE_CHARACTERS - 1].rstrip() + "…"
    return ""


def _names(change: SymbolChange) -> list[str]:
    """Return names of a changed symbol: before and after, or its file."""
    rows = [row for row in (change.before, change.after) if row is not None]
    return list(dict.fromkeys(row.name for row in rows)) or [change.path.rpartition("/")[2]]


def _place(change: SymbolChange) -> str:
    return f"{change.path}::{change.key}" if change.key else change.path


def _change_text(change: SymbolChange) -> str:
    told = {
        "body": "body changed" if change.key else "changed",
        "signature": "signature changed",
        "renamed": f"renamed from {change.old_key}",
        "moved": f"moved from {change.old_path}",
        "removed": "removed",
        "added": "added",
    }
    return told[change.how]
