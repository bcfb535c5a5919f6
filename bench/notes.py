"""Engineering notes as a recall benchmark: memories, questions and amendments of fourteen imaginary projects.

The texts are written by hand and describe no real system. Three files in bench/notes/, one JSON object per line:

    memories     {"id", "project", "type", "written", "text"}
    questions    {"id", "project", "kind", "text", "answers", "superseded"?}
    amendments   {"id", "amends", "wording", "old", "new"}

Kinds of questions:

    paraphrased    shares no content word with the memory that answers it; other memories share some
    natural        is worded as people ask who remember some of the words
    rare_word      names an identifier, error, version or path that only its memory contains
    unanswerable   is plausible for the project, but no memory answers it: five per project ask for another
                   fact about a subject of the memories, three for a subject that no memory has
    changed        asks for the current state; `superseded` is the memory that held before
    two            needs both of its answers

A question that another project could answer names its subject, so the projects of a split may share one store.
Memories that answer no question are distractors. Some share the subject of a question, some only its words.

Projects are split into FIT and HELD_OUT. Nothing may be fitted on HELD_OUT: no weight, threshold, stop word or rule may
be chosen by looking at its memories, its questions or its results. Amendments have no split, because they are a test of
the rules that link a memory to the one it amends, and not data to fit those rules on.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, Literal

Split = Literal["fit", "held_out"]

FOLDER = Path(__file__).with_name("notes")
KINDS = ("paraphrased", "natural", "rare_word", "unanswerable", "changed", "two")

# Fixed before anything was measured. Each half has servers, clients and data work of its own.
FIT = ("tallow", "gloamspire", "quillmap", "marl", "pipwick", "silt", "doorman")
HELD_OUT = ("waybird", "slotwell", "nettle", "barrow", "chatterbrook", "trailcup", "reelspan")
SPLITS: dict[Split, tuple[str, ...]] = {"fit": FIT, "held_out": HELD_OUT}


@dataclass(frozen=True)
class Note:
    """One memory of a project, with its type and the day it was written."""

    id: str
    project: str
    type: str
    written: date
    text: str


@dataclass(frozen=True)
class Question:
    """One question of a kind, with the ids of the memories that answer it."""

    id: str
    project: str
    kind: str
    text: str
    answers: tuple[str, ...]
    superseded: str | None = None


@dataclass(frozen=True)
class Pair:
    """Two memories in order; `amends` says whether the new one changes the old one."""

    id: str
    amends: bool
    wording: str
    old: str
    new: str


def memories(split: Split | None = None) -> list[Note]:
    """Return the memories of a split, default: all projects."""
    return [
        Note(row["id"], row["project"], row["type"], date.fromisoformat(row["written"]), row["text"])
        for row in _rows("memories", split)
    ]


def questions(split: Split | None = None) -> list[Question]:
    """Return the questions of a split, default: all projects."""
    return [
        Question(row["id"], row["project"], row["kind"], row["text"], tuple(row["answers"]), row.get("superseded"))
        for row in _rows("questions", split)
    ]


def amendments() -> list[Pair]:
    """Return the amendments and the pairs that only look like amendments."""
    return [Pair(**row) for row in _rows("amendments")]


def _rows(name: str, split: Split | None = None) -> Iterator[dict[str, Any]]:
    """Yield the rows of a file, only those of the split's projects if one is given."""
    with (FOLDER / f"{name}.jsonl").open(encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            if split is None or row["project"] in SPLITS[split]:
                yield row
