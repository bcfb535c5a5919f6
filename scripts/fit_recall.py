"""Fit the weights of recall (src/recollect/recall/weights.py) on labelled conversations.

    python scripts/fit_recall.py --friendsqa friendsqa_dev.json friendsqa_tst.json --qmsum data/ALL/jsonl/val.jsonl … \
        --docstrings
    python scripts/fit_recall.py … --write          replaces the table in the source

Every conversation is stored in an engine of its own and every question is gathered and measured by the very stages that
answer questions, so that what is fitted is what runs. The model is linear and fitted listwise: the probability that a
softmax over the pool gives to the labelled passages is made as large as possible, with a little shrinkage.

Corpora (get them from their publishers; nothing of them is kept but the weights):
  FriendsQA  multi-party dialogue, questions with the utterance that answers them; Apache-2.0
  QMSum      meetings, questions with the turns that answer them; MIT
  docstrings of Python's standard library, as notes about code: the first line asks for the rest; PSF licence
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import sys
import sysconfig
import tempfile
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from recollect import Engine
from recollect.recall.gather import gather
from recollect.recall.measure import SEMANTIC, measure
from recollect.recall.query import neutral, understand
from recollect.recall.weights import ABSOLUTE, BY_HAND

# Turns per conversation when short scenes are joined: as many as a few weeks of talking with an assistant.
TURNS_PER_CONVERSATION = 400
# A question answered by more turns than this asks for a summary, not for a passage.
MAX_EVIDENCE = 8
# Notes in a store of docstrings, and how much a docstring has to say beyond its first line to be a note.
NOTES_PER_STORE = 400
LEAST_NOTE = 80
# Notes are many and plain: one in so many ranks beside the conversations, or their weights would be all there is.
NOTES_IN_FIT = 3
# Of the questions of one conversation, every third is also asked of the next, which cannot answer it.
STRANGE_EVERY = 3
# And so many of another corpus, about another world altogether.
FOREIGN = 30
# Shrinkage: enough that signals which say the same share their weight.
SHRINKAGE = 3e-3

# What is the same for all candidates of a question cannot rank them: it only tells whether there is an answer.
ASKED = {"known", "heard", "idle"}

TARGET = Path(__file__).resolve().parent.parent / "src" / "recollect" / "recall" / "weights.py"


class Turn(NamedTuple):
    id: str
    author: str | None
    text: str
    session: str | None


class Conversation(NamedTuple):
    turns: list[Turn]
    questions: list[tuple[str, frozenset[str]]]


class Example(NamedTuple):
    """One question: the signals of its pool and which passages answer it; none do if it was asked of strangers."""

    columns: dict[str, NDArray[np.float64]]
    answers: NDArray[np.float64]

    @property
    def note(self) -> bool:
        """Whether the pool is of notes, which belong to no session."""
        return not self.columns["opens_session"].any()


def friends(files: Sequence[Path]) -> Iterator[Conversation]:
    """Yield conversations of neighbouring scenes, each scene a session."""
    scenes = [scene for file in files for scene in json.loads(file.read_text(encoding="utf-8"))["data"]]
    current = Conversation([], [])
    for scene in sorted(scenes, key=lambda scene: scene["title"]):
        title, body = scene["title"], scene["paragraphs"][0]
        for line in body["utterances:"]:
            if line["utterance"].strip():
                author = " & ".join(line["speakers"]) or "note"
                current.turns.append(Turn(f"{title}:{line['uid']}", author, _joined(line["utterance"]), title))
        for asked in body["qas"]:
            answers = frozenset(f"{title}:{answer['utterance_id']}" for answer in asked["answers"])
            current.questions.append((_joined(asked["question"]), answers))
        if len(current.turns) > TURNS_PER_CONVERSATION:
            yield current
            current = Conversation([], [])
    if current.questions:
        yield current


def meetings(files: Sequence[Path], every: int) -> Iterator[Conversation]:
    """Yield every n-th meeting, one session each."""
    lines = [line for file in files for line in file.read_text(encoding="utf-8").splitlines()]
    for line in lines[::every]:
        meeting = json.loads(line)
        turns = [
            Turn(f"t{number}", turn["speaker"], turn["content"], "meeting")
            for number, turn in enumerate(meeting["meeting_transcripts"])
            if turn["content"].strip()
        ]
        questions = []
        for asked in meeting["specific_query_list"]:
            spans = [range(int(first), int(last) + 1) for first, last in asked["relevant_text_span"]]
            answers = frozenset(f"t{number}" for span in spans for number in span)
            if 0 < len(answers) <= MAX_EVIDENCE:
                questions.append((asked["query"], answers))
        if questions:
            yield Conversation(turns, questions)


def notes() -> Iterator[Conversation]:
    """Yield stores of notes about code: what docstrings say after their first line, which asks for it."""
    found: dict[str, Turn] = {}
    library = Path(sysconfig.get_path("stdlib"))
    for file in sorted(library.rglob("*.py")):
        if {"test", "tests", "site-packages", "idlelib", "lib2to3"}.isdisjoint(file.relative_to(library).parts):
            for name, doc in _docstrings(file):
                first, _, rest = doc.partition("\n")
                if len(rest.strip()) >= LEAST_NOTE and len(first.split()) >= 4 and first not in found:
                    found[first] = Turn(f"{file}:{name}", None, f"{name}: {' '.join(rest.split())}", None)
    # Neighbours of a module go to different stores, or a question would be about half of its store.
    asked = list(found.items())
    for number in range(max(1, len(asked) // NOTES_PER_STORE)):
        mine = asked[number :: max(1, len(asked) // NOTES_PER_STORE)]
        yield Conversation([turn for _, turn in mine], [(first, frozenset({turn.id})) for first, turn in mine[::2]])


def _docstrings(file: Path) -> Iterator[tuple[str, str]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree = ast.parse(file.read_bytes())
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
            yield node.name, ast.get_docstring(node) or ""


def _joined(text: str) -> str:
    """Undo the spaces that tokenisation put into a text."""
    return re.sub(r" (n't|'s|'re|'m|'ve|'ll|'d)\b", r"\1", re.sub(r" ([.,!?;:])", r"\1", text))


def examples(conversation: Conversation, strange: Sequence[str]) -> Iterator[Example]:
    """Yield the measured pools of a conversation's questions, and of strange ones that it has no answer to."""
    with tempfile.TemporaryDirectory() as home, Engine(home=home, embed_threads=2) as engine:
        turn_of = {}
        for turn in conversation.turns:
            stored = engine.memories.store(
                turn.text[:100_000], author=turn.author, session_id=turn.session, deduplicate=False
            )
            turn_of[stored.memory.id] = turn.id
        engine.embedding.catch_up()
        model = engine.embedding.model_id
        for text, answers in (*conversation.questions, *((text, frozenset[str]()) for text in strange)):
            query = understand(text)
            counts = engine.store.term_counts(query.terms, query.name_terms)
            vector = engine.embedding.embedder.embed([neutral(query, counts.authors)])[0]
            pool = gather(engine.store, query, counts, vector, model=model, where=None, limit=50)
            labels = np.array([float(turn_of[passage.memory_id] in answers) for passage in pool.passages])
            if labels.any() or not answers:
                yield Example(measure(query, pool.passages, counts, pool.cosines), labels)


def fit(rows: Sequence[Example], names: Sequence[str]) -> dict[str, tuple[float, float, float]]:
    """Return mean, deviation and weight of each named signal, from the questions that have an answer."""
    rows = [row for row in rows if row.answers.any()]
    stacked = np.concatenate([np.stack([row.columns[name] for name in names], 1) for row in rows])
    mean, deviation = stacked.mean(0), stacked.std(0) + 1e-6
    longest = max(len(row.answers) for row in rows)
    signals = np.zeros((len(rows), longest, len(names)), np.float32)
    wanted = np.zeros((len(rows), longest), np.float32)
    there = np.zeros((len(rows), longest), bool)
    for number, row in enumerate(rows):
        size = len(row.answers)
        signals[number, :size] = (np.stack([row.columns[name] for name in names], 1) - mean) / deviation
        wanted[number, :size] = row.answers / row.answers.sum()
        there[number, :size] = True

    def loss(weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        scores = np.where(there, signals @ weights.astype(np.float32), -np.inf)
        top = scores.max(1, keepdims=True)
        odds = np.exp(scores - top)
        total = odds.sum(1, keepdims=True)
        likelihood = np.where(there, scores - top - np.log(total), 0.0)
        gradient = np.einsum("np,npf->f", odds / total - wanted, signals) / len(rows) + 2 * SHRINKAGE * weights
        return float(-(wanted * likelihood).sum() / len(rows) + SHRINKAGE * weights @ weights), gradient.astype(float)

    found = minimize(loss, np.zeros(len(names)), jac=True, method="L-BFGS-B", options={"maxiter": 300})
    return {name: (mean[at], deviation[at], found.x[at]) for at, name in enumerate(names)}


def calibrate(rows: Sequence[Example], model: dict[str, tuple[float, float, float]]) -> dict[str, float]:
    """Return what turns a score and absolute evidence into the probability that a hit is relevant.

    Of the first ten hits of every question, those that answer it and those that do not weigh the same in sum: relevance
    is the probability where relevant and irrelevant are equally likely beforehand. Evidence may only speak for a hit.
    """
    names = [name for name in ABSOLUTE if name in model or name in ASKED]
    values: list[list[float]] = []
    labels: list[float] = []
    for row in rows:
        score = sum(
            weight * (row.columns[name] - mean) / deviation for name, (mean, deviation, weight) in model.items()
        )
        first = np.argsort(-score)[:10]
        values.extend([score[at], *(row.columns[name][at] for name in names), 1.0] for at in first)
        labels.extend(row.answers[first])
    x, y = np.array(values), np.array(labels)

    def loss(line: NDArray[np.float64]) -> float:
        logits = x @ line
        losses = np.logaddexp(0, logits) - y * logits
        return float(losses[y > 0].mean() + losses[y == 0].mean())

    bounds = [*[(0.0, None)] * (x.shape[1] - 1), (None, None)]
    found = minimize(loss, np.zeros(x.shape[1]), bounds=bounds, method="L-BFGS-B").x
    return dict(zip(["score", *names, "offset"], found.tolist(), strict=True))


def table(name: str, fitted: dict[str, tuple[float, float, float]]) -> str:
    """Return a fitted model as source code, strongest signal first."""
    ordered = sorted(fitted.items(), key=lambda item: -abs(item[1][2]))
    lines = [
        f'    "{key}": Term({mean:.4f}, {deviation:.4f}, {weight:+.4f}),' for key, (mean, deviation, weight) in ordered
    ]
    return "\n".join([f"{name}: Mapping[str, Term] = {{", *lines, "}"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--friendsqa", type=Path, nargs="*", default=[])
    parser.add_argument("--qmsum", type=Path, nargs="*", default=[])
    parser.add_argument("--docstrings", action="store_true", help="notes about code, from the standard library")
    parser.add_argument("--every", type=int, default=4, help="use every n-th meeting")
    parser.add_argument("--keep", type=Path, help="keep the measured examples in this file, or use those in it")
    parser.add_argument("--write", action="store_true", help="replace the table in the source")
    chosen = parser.parse_args()
    rows = _measured(chosen)
    names = sorted(set(rows[0].columns) - set(BY_HAND) - ASKED)
    ranked = [row for row in rows if not row.note] + [row for row in rows if row.note][::NOTES_IN_FIT]
    models = {"HYBRID": fit(ranked, names), "LEXICAL": fit(ranked, [name for name in names if name not in SEMANTIC])}
    lines = {name: calibrate(rows, model) for name, model in models.items()}
    tables = [table(name, model) for name, model in models.items()]
    for name, line in lines.items():
        parts = "".join(f'    "{key}": {value:.4f},\n' for key, value in line.items())
        tables.append(f"{name}_RELEVANCE: Mapping[str, float] = {{\n{parts}}}")
    source = "\n\n".join(tables) + "\n"
    sys.stdout.write(source)
    if chosen.write:
        head = TARGET.read_text(encoding="utf-8").split("HYBRID: ", 1)[0]
        TARGET.write_text(head + source, encoding="utf-8")


def _measured(chosen: Any) -> list[Example]:
    import pickle

    if chosen.keep and chosen.keep.exists():
        return [Example(*row) for row in pickle.loads(chosen.keep.read_bytes())]
    rows: list[Example] = []
    corpora = [list(friends(chosen.friendsqa)), list(meetings(chosen.qmsum, chosen.every))]
    if chosen.docstrings:
        corpora.append(list(notes()))
    for number, corpus in enumerate(corpora):
        others = [text for other in corpora if other is not corpus for one in other for text, _ in one.questions]
        foreign = others[number :: max(1, len(others) // FOREIGN)]
        strange: list[str] = []
        for conversation in corpus:
            rows.extend(examples(conversation, [*strange, *foreign]))
            strange = [text for text, _ in conversation.questions[::STRANGE_EVERY]]
            sys.stderr.write(f"{len(rows)} questions measured\n")
    if chosen.keep:
        chosen.keep.write_bytes(pickle.dumps([tuple(row) for row in rows]))
    return rows


if __name__ == "__main__":
    main()
