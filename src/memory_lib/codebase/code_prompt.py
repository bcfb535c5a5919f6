"""Code prompt: memories of code and notes as text for a prompt."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from memory_lib.general.retrieval import ScoredMemory

BETWEEN = "\n\n---\n\n"
NO_FILE = "General"
# What is not a function is called by its own name.
FUNCTIONS = ("function", "method")


def grouped(memories: Sequence[ScoredMemory], *, include_scores: bool) -> str:
    """Return memories below a heading for each file; the file of the first memory first."""
    groups: dict[str, list[str]] = {}
    for memory in memories:
        path = (memory.metadata or {}).get("file_path") or NO_FILE
        groups.setdefault(path, []).append(_entry(memory, include_scores=include_scores))
    return "\n\n".join(f"=== {path} ===\n\n{BETWEEN.join(entries)}" for path, entries in groups.items())


def listed(memories: Sequence[ScoredMemory], *, include_scores: bool) -> str:
    """Return memories in their order, each with its file."""
    return BETWEEN.join(_entry(memory, include_scores=include_scores, with_file=True) for memory in memories)


def _entry(memory: ScoredMemory, *, include_scores: bool, with_file: bool = False) -> str:
    known = memory.metadata or {}
    is_code = known.get("type") == "code"
    name = known.get("entity_name") if is_code else known.get("title")
    score = f" (Relevance: {memory.relevance_score:.2f})" if include_scores else ""
    facts = {
        "File": known.get("file_path") if with_file else "",
        "Signature": known.get("signature"),
        "Complexity": known.get("complexity"),
        "Dependencies": ", ".join(known.get("dependencies") or ()),
    }
    head = [f"{_label(known)}: {name}{score}" if name else f"{_label(known)}{score}"]
    head += [f"{label}: {value}" for label, value in facts.items() if value]
    return "\n".join([*head, "", *(["Code:"] if is_code else []), memory.text])


def _label(known: dict[str, Any]) -> str:
    if known.get("type") != "code":
        return str(known.get("category") or "memory").capitalize()
    kind = str(known.get("kind") or ("class" if str(known.get("signature")).startswith("class ") else "function"))
    return "Function" if kind in FUNCTIONS else kind.capitalize()
