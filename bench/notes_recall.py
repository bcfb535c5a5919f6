"""Recall of engineering notes (bench/notes) by the engine, beside each of its arms alone, in one run.

    python bench/notes_recall.py [--split fit|held_out|blind] [--show N] [--save]

    engine     recall.search, no threshold, all projects of the split in one store
    lexical    plain BM25 over the same texts
    cosine     similarity of the shipped model's vectors of question and text, nothing else
    z-sum      the sum of both, each scaled to mean 0 and deviation 1 over the memories

Of each kind of question: the share with an answer among the first one and the first five (`two`: with both among the
first five), of changed facts also the share with the current memory above the old one.

    asked         as a developer asks months later, in own words          absent        the same, without an answer
    natural       with the words of the note                              rare_word     by a name or a code
    paraphrased   avoids the note's words: words alone find none of them  unanswerable  near to what is stored
    changed       a fact that was changed later                           two           needs two notes

Absent and unanswerable questions count as empty where the default threshold leaves nothing; the answerable ones are
asked with that threshold as well, both in their project, as people search, and in all projects of the split. Pairs of
amendments are stored one after the other, each in a project of its own: linked is the share whose old memory is marked
as superseded. Both halves have been looked at by now; nothing may be fitted or chosen on `blind`. The default is `fit`.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

import measure
import metrics
from recollect import Engine

# --- notes ---

Split = Literal["fit", "held_out", "blind"]

FOLDER = Path(__file__).with_name("notes")
KINDS = ("asked", "paraphrased", "natural", "rare_word", "unanswerable", "absent", "changed", "two")

# Fixed before anything was measured. Each half has servers, clients and data work of its own.
FIT = ("tallow", "gloamspire", "quillmap", "marl", "pipwick", "silt", "doorman")
HELD_OUT = ("waybird", "slotwell", "nettle", "barrow", "chatterbrook", "trailcup", "reelspan")
# Written after changes were chosen by both halves, and before the next ones: measured once, at the end.
BLIND = ("fennelcast", "oxbow", "brickyard")
SPLITS: dict[Split, tuple[str, ...]] = {"fit": FIT, "held_out": HELD_OUT, "blind": BLIND}


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


def pairs() -> list[Pair]:
    """Return the amendments and the pairs that only look like amendments."""
    return [Pair(**row) for row in _rows("amendments")]


def _rows(name: str, split: Split | None = None) -> Iterator[dict[str, Any]]:
    """Yield the rows of a file, only those of the split's projects if one is given."""
    with (FOLDER / f"{name}.jsonl").open(encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            if split is None or row["project"] in SPLITS[split]:
                yield row


FIRST = 5
RANKED = 50


class Asked(NamedTuple):
    """A question with what each way of searching found, best first."""

    question: Question
    ranked: Mapping[str, list[str]]
    kept: list[str]
    here: list[str]
    kept_here: list[str]


def asked(split: Split) -> list[Asked]:
    """Store the memories of a split and ask all its questions."""
    rows = memories(split)
    with tempfile.TemporaryDirectory() as home, Engine(home=home) as engine:
        ids = {}
        for row in sorted(rows, key=lambda row: row.written):
            stored = engine.memories.store(
                row.text, memory_type=row.type, namespace=row.project, valid_from=row.written.isoformat()
            )  # type: ignore[arg-type]
            ids[stored.memory.id] = row.id
        engine.embedding.catch_up()
        texts = {row.id: row.text for row in rows}
        vectors = np.asarray(engine.embedding.of_texts(list(texts.values())), dtype=np.float32)
        arms = Arms(texts, vectors)
        return [_asked(engine, arms, ids, question) for question in questions(split)]


def _asked(engine: Engine, arms: Arms, ids: Mapping[str, str], question: Question) -> Asked:
    def found(least: float | None, where: str | None) -> list[str]:
        hits = engine.recall.search(question.text, limit=RANKED, min_score=least, namespace=where).hits
        return [ids[hit.memory.id] for hit in hits]

    vector = np.asarray(engine.embedding.of_texts([question.text])[0], dtype=np.float32)
    ranked = {"engine": found(0.0, None), **arms.ranked(question.text, vector)}
    return Asked(question, ranked, found(None, None), found(0.0, question.project), found(None, question.project))


class Arms:
    """Each arm of the search alone, over texts by their ids."""

    def __init__(self, texts: Mapping[str, str], vectors: Any) -> None:
        self._ids = list(texts)
        self._vectors = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        self._bm25 = metrics.Bm25(texts)

    def ranked(self, question: str, vector: Any) -> dict[str, list[str]]:
        """Return the ids in the order of each arm."""
        cosine = self._vectors @ (vector / np.linalg.norm(vector))
        scores = self._bm25.scores(question)
        lexical = np.array([scores.get(number, 0.0) for number in range(len(self._ids))])
        both = _scaled(cosine) + _scaled(lexical)
        return {
            "lexical": self._bm25.rank(question)[:RANKED],
            "cosine": self._best(cosine),
            "z-sum": self._best(both),
        }

    def _best(self, scores: Any) -> list[str]:
        return [self._ids[number] for number in np.argsort(-scores, kind="stable")[:RANKED]]


def _scaled(values: Any) -> Any:
    deviation = float(values.std())
    return (values - values.mean()) / deviation if deviation else values * 0.0


def scores(rows: Sequence[Asked]) -> dict[str, dict[str, dict[str, float]]]:
    """Return the shares of each way of searching by kind of question."""
    told: dict[str, dict[str, dict[str, float]]] = {}
    for kind in KINDS:
        of_kind = [row for row in rows if row.question.kind == kind and row.question.answers]
        for way in of_kind[0].ranked if of_kind else ():
            told.setdefault(kind, {})[way] = _of_way(of_kind, way, kind)
    return told


def _of_way(rows: Sequence[Asked], way: str, kind: str) -> dict[str, float]:
    wanted = all if kind == "two" else any
    shares = {
        f"hit@{first}": _share([wanted(a in row.ranked[way][:first] for a in row.question.answers) for row in rows])
        for first in (1, FIRST)
    }
    if kind == "two":
        del shares["hit@1"]
    if kind == "changed":
        shares["current above old"] = _share([_is_above(row, way) for row in rows])
    return {"n": len(rows), **shares}


def _is_above(row: Asked, way: str) -> bool:
    places = {key: place for place, key in enumerate(row.ranked[way])}
    old = places.get(row.question.superseded or "", RANKED)
    return places.get(row.question.answers[0], RANKED) < old


def threshold(rows: Sequence[Asked]) -> dict[str, Any]:
    """Return what the default threshold does to questions with and without an answer."""
    answered = [row for row in rows if row.question.answers]
    silent = [row for row in rows if not row.question.answers]
    usual = [row for row in answered if row.question.kind != "paraphrased"]
    ways = {
        "in its project": {row.question.id: (row.here, row.kept_here) for row in rows},
        "in all projects": {row.question.id: (row.ranked["engine"], row.kept) for row in rows},
    }
    return {
        way: {
            "empty": _share([not found[row.question.id][1] for row in silent]),
            **{
                f"{name} hit@5, {when}": _share([_is_hit(row, found[row.question.id][place]) for row in some])
                for name, some in (("answerable", answered), ("without paraphrased", usual))
                for place, when in enumerate(("no threshold", "default"))
            },
        }
        for way, found in ways.items()
    }


def _is_hit(row: Asked, ranked: Sequence[str]) -> bool:
    return any(answer in ranked[:FIRST] for answer in row.question.answers)


def amendments() -> dict[str, float]:
    """Return the share of pairs whose old memory is marked as superseded: of amendments, and of look-alikes."""
    linked: dict[bool, list[bool]] = {True: [], False: []}
    with tempfile.TemporaryDirectory() as home, Engine(home=home) as engine:
        for pair in pairs():
            engine.memories.store(pair.old, namespace=pair.id)
            stored = engine.memories.store(pair.new, namespace=pair.id)
            linked[pair.amends].append(any(row.superseded for row in stored.amends))
    return {"linked of amendments": _share(linked[True]), "linked of look-alikes": _share(linked[False])}


def _share(held: Sequence[bool]) -> float:
    return round(100 * sum(held) / max(1, len(held)), 1)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--split", choices=tuple(SPLITS), default="fit")
    parser.add_argument("--show", type=int, default=0, metavar="N", help="paraphrased questions that the engine missed")
    parser.add_argument("--save", action="store_true", help="keep the result under bench/results")
    chosen = parser.parse_args()
    rows = asked(chosen.split)
    result: dict[str, Any] = {
        "split": chosen.split,
        "recall": scores(rows),
        "threshold": threshold(rows),
        "amendments": amendments(),
    }
    if chosen.show:
        missed = [row for row in rows if row.question.kind == "paraphrased" and not _is_hit(row, row.ranked["engine"])]
        result["missed"] = [
            {"question": row.question.text, "answers": row.question.answers, "first": row.ranked["engine"][:3]}
            for row in missed[: chosen.show]
        ]
    measure.publish("notes-recall", result, save=chosen.save)
    return 0


if __name__ == "__main__":
    sys.exit(main())
