"""Pack: what a recall found, as one text within a budget of tokens."""

from __future__ import annotations

import time

from recollect.model import Hit, Packed, PackedMemory, Recall
from recollect.text.budget import tokens
from recollect.text.passages import passages
from recollect.text.tokens import terms

# Hits looked at: more than any sensible budget holds.
CANDIDATES = 50
# Two memories that share this much of their terms say the same.
SAME = 0.85


def packed(found: Recall, budget: int) -> Packed:
    """Return the hits that fit into the budget, best first, each as one line that names its source."""
    sources: list[PackedMemory] = []
    text = ""
    seen: list[set[str]] = []
    for hit in found.hits:
        held = set(terms(hit.memory.content))
        if hit.superseded_by or any(_overlap(held, other) >= SAME for other in seen):
            continue
        line = _fitting(hit, text, budget)
        if line:
            text += line
            seen.append(held)
            sources.append(PackedMemory(memory_id=hit.memory.id, score=hit.score, tokens=tokens(line), text=line))
    return Packed(
        task=found.query, text=text, tokens=tokens(text), budget=budget, sources=tuple(sources), notes=found.notes
    )


def _fitting(hit: Hit, before: str, budget: int) -> str:
    """Return the memory as a line that still fits, or its first passage, or nothing."""
    memory = hit.memory
    day = _day(memory.valid_from if memory.valid_from is not None else memory.created_at)
    by = f", {memory.author}" if memory.author else ""
    for content in (memory.content, passages(memory.content)[0]):
        line = f"- [{memory.memory_type}, {day}{by}, {memory.id}] {' '.join(content.split())}\n"
        if tokens(before + line) <= budget:
            return line
    return ""


def _day(at: int) -> str:
    try:
        return time.strftime("%Y-%m-%d", time.gmtime(at))
    except (OverflowError, OSError, ValueError):  # an imported row may carry any number
        return str(at)


def _overlap(new: set[str], packed: set[str]) -> float:
    """Return how much of a memory is said already; what says more than the packed one is not the same."""
    return len(new & packed) / max(1, len(new))
