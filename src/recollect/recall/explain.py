"""Explain: why a memory was found, in words that are true of its signals."""

from __future__ import annotations

from collections.abc import Sequence

from recollect.model import Memory, Signals
from recollect.text.tokens import terms


def matched_terms(memory: Memory, query_terms: Sequence[str]) -> tuple[str, ...]:
    """Return the question's terms that the memory holds, in the question's order."""
    labels = " ".join(part for part in (memory.title, memory.category, *memory.tags) if part)
    held = set(terms(f"{labels} {memory.content}"))
    return tuple(term for term in query_terms if term in held)


def reason(signals: Signals) -> str:
    """Return one line that says which arms found it, at which rank, and by which terms."""
    parts: list[str] = []
    if signals.lexical_rank is not None:
        words = ", ".join(signals.matched_terms)
        parts.append(f"shares the terms {words}" if words else f"word match, rank {signals.lexical_rank}")
    if signals.semantic_rank is not None:
        parts.append(f"close in meaning (cosine {signals.semantic:.2f}, rank {signals.semantic_rank})")
    return "; ".join(parts)
