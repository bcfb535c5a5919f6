"""Fit the weights of recall (src/recollect/recall/weights.py) on labelled conversations and notes.

    python scripts/fit_recall.py --friendsqa friendsqa_dev.json friendsqa_tst.json --qmsum data/ALL/jsonl/val.jsonl … \
        --docstrings --notes --commits REPOSITORY …
    python scripts/fit_recall.py … --write          replaces the tables in the source
    python scripts/fit_recall.py --notes --prompts --answered   only whether notes answer a question at all
    python scripts/fit_recall.py --talk --docstrings --meaning  only the signals of meaning of TALK

Every conversation is stored in an engine of its own and every question is gathered and measured by the very stages that
answer questions, so that what is fitted is what runs. The models are linear and fitted listwise: the probability that a
softmax over the pool gives to the labelled passages is made as large as possible, with a little shrinkage. Turns
between people and notes have a model each.

Corpora (get them from their publishers; nothing of them is kept but the weights):
  FriendsQA  multi-party dialogue, questions with the utterance that answers them; Apache-2.0
  QMSum      meetings, questions with the turns that answer them; MIT
  talk       bench/talk/fit-*.txt, conversations that the embedding model has not seen; FriendsQA it has
  docstrings of Python's standard library, as notes about code: the first line asks for the rest; PSF licence
  notes      the fitting half of bench/notes, questions about engineering notes
  prompts    bench/prompts/fit-*.txt, which the embedding model has not seen: projects of notes and what is asked there
  commits    messages of public repositories: the subject asks for the body
"""

from __future__ import annotations

import argparse
import ast
import json
import random
import re
import subprocess
import sys
import sysconfig
import tempfile
import warnings
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "bench"))
import notes_recall as engineering
import train_embedder as embedding
from recollect import Engine
from recollect.engine.models.similarity_calibration import comparable
from recollect.recall.gather import gather
from recollect.recall.query import neutral, understand
from recollect.recall.score import SEMANTIC, measure
from recollect.recall.weights import (
    ANSWERED_NOTE,
    ASKED_NOTE,
    NOTE,
    NOTE_BY_WORDS,
    NOTE_RELEVANCE,
    RELEVANCE_BY_WORDS,
    TALK,
    TALK_BY_WORDS,
    TALK_RELEVANCE,
)

# Turns per conversation when short scenes are joined: as many as a few weeks of talking with an assistant.
TURNS_PER_CONVERSATION = 400
# A question answered by more turns than this asks for a summary, not for a passage.
MAX_EVIDENCE = 8
# Notes in a store of docstrings, and how much a docstring has to say beyond its first line to be a note.
NOTES_PER_STORE = 400
LEAST_NOTE = 80
# One docstring in so many is fitted beside the conversations: what holds for any passage counts for a turn, too.
NOTES_IN_FIT = 3
# How much each corpus of notes counts in the model of notes, and how much shrinkage that has, which has few signals.
# Docstrings ask with the words of their answer. Engineering notes are asked for in questions and have a model alone.
CORPORA = {"docstrings": 0.4, "commits": 1.0, "notes": 1.0, "prompts": 1.0}
ASKED = ("notes", "prompts")
# Projects of bench/prompts in one store, and the share of their questions that are asked there.
PROJECTS, PROMPTS = (2, 4, 8), 0.34
NOTE_SHRINKAGE = 1e-3
# How near the signals of meaning stay to the present weights: by conversations left out, 0.03 to 0.3 are alike.
NEAR = 0.1
# Commits per repository, and how much a body has to say to be a note.
COMMITS = 400
# Of the questions of one conversation, every third is also asked of the next, which cannot answer it.
STRANGE_EVERY = 3
# And so many of another corpus, about another world altogether.
FOREIGN = 30
# Shrinkage: enough that signals which say the same share their weight.
SHRINKAGE = 3e-3

# The weight of words_sure: no question of the corpora is one name alone, which has no pairs.
WORDS_SURE = 6.0

# What it takes from a question that all its names are strange here, in logits.
HEARD = 1.0

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

    corpus: str
    columns: dict[str, NDArray[np.float64]]
    answers: NDArray[np.float64]

    @property
    def note(self) -> bool:
        """Whether the pool is of notes."""
        return self.corpus in CORPORA


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


def talks() -> Iterator[Conversation]:
    """Yield stores of several conversations of bench/talk that fit."""
    current = Conversation([], [])
    for path in sorted(embedding.HERE.glob("talk/fit-*.txt")):
        for part in path.read_text(encoding="utf-8").split("\n= "):
            name, session = part.partition("|")[0], ""
            for line in part.splitlines():
                session = f"{name} {line}" if line.startswith("#") else session
                if said := re.match(r"(\d+) ([^:]+): (.+)", line):
                    current.turns.append(Turn(f"{name} {said[1]}", said[2], said[3], session))
            for named, text in re.findall(r"(?m)^[?x]([\d, ]*)\| (.+)$", part):
                current.questions.append((text, frozenset(f"{name} {each}" for each in re.findall(r"\d+", named))))
        if len(current.turns) > TURNS_PER_CONVERSATION / 2:
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


def commits(repositories: Sequence[Path]) -> Iterator[Conversation]:
    """Yield a store of commit messages per repository: what they say after their subject, which asks for it."""
    trailer = re.compile(r"(?m)^(Signed-off-by|Co-authored-by|Fixes|Closes|Updates|See|Reviewed).*$")
    for repository in repositories:
        command = ["git", "-C", str(repository), "log", "--no-merges", "--format=%H%x01%s%x01%b%x02"]
        printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        rows = [row.strip().split("\x01") for row in printed.split("\x02") if row.strip()]
        told = [(key, subject, trailer.sub("", body).strip()) for key, subject, body in rows]
        told = [row for row in told if len(row[2]) >= LEAST_NOTE and len(row[1].split()) >= 4]
        told = told[:: max(1, len(told) // COMMITS)][:COMMITS]
        asked = [(re.sub(r"^[\w/ ,.-]{1,30}: ", "", subject), frozenset({key})) for key, subject, _ in told[::2]]
        yield Conversation([Turn(key, None, body[:5_000], None) for key, _, body in told], asked)


def engineering_notes() -> Iterator[Conversation]:
    """Yield the fitting half of the engineering notes: all projects in one store, then each in its own."""
    notes = sorted(engineering.memories("fit"), key=lambda row: row.written)
    for projects in (engineering.FIT, *((name,) for name in engineering.FIT)):
        asked = [(row.text, frozenset(row.answers)) for row in engineering.questions("fit") if row.project in projects]
        yield Conversation([Turn(row.id, None, row.text, None) for row in notes if row.project in projects], asked)


def prompts() -> Iterator[Conversation]:
    """Yield stores of several projects of bench/prompts with questions about them and about another project."""
    rng = random.Random(1)
    projects = [row for path in sorted(embedding.HERE.glob("prompts/fit-*.txt")) for row in embedding.projects(path)]
    for size in PROJECTS:
        for start in range(0, len(projects), size):
            own = projects[start : start + size]
            other = projects[(start + size) % len(projects)]
            asked = [
                (row.text, frozenset(f"{one.name} {place}" for place in row.answers))
                for one in own
                for row in one.prompts
                if rng.random() < PROMPTS
            ]
            asked += [(row.text, frozenset()) for row in rng.sample(other.prompts, FOREIGN // 2)]
            notes = [
                Turn(f"{one.name} {place}", None, text, None) for one in own for place, text in enumerate(one.notes)
            ]
            yield Conversation(notes, asked)


def docstrings() -> Iterator[Conversation]:
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


def examples(corpus: str, conversation: Conversation, strange: Sequence[str]) -> Iterator[Example]:
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
            vector, _ = engine.embedding.of_query(neutral(query, counts.authors))
            directions = engine.embedding.directions(query.text) if query.is_question else None
            pool = gather(engine.store, query, counts, vector, model=model, where=None, directions=directions)
            labels = np.array([float(turn_of[passage.memory_id] in answers) for passage in pool.passages])
            if labels.any() or not answers:
                cosines = pool.cosines and comparable(pool.cosines, engine.calibration.of(model))
                yield Example(corpus, measure(query, pool.passages, counts, cosines, pool.uneven), labels)


class Pools(NamedTuple):
    """The signals of all candidates, which question each is for, its share in the answer, and the question's weight."""

    signals: NDArray[np.float32]
    question: NDArray[np.int64]
    wanted: NDArray[np.float32]
    weight: NDArray[np.float32]


def pools(rows: Sequence[Example], names: Sequence[str]) -> Pools:
    """Return the candidates of the questions that have an answer."""
    rows = [row for row in rows if row.answers.any()]
    size = {corpus: sum(row.corpus == corpus for row in rows) for corpus in {row.corpus for row in rows}}
    weight = [CORPORA[row.corpus] / size[row.corpus] if row.note and names[0] in NOTE else 1.0 for row in rows]
    lengths = [len(row.answers) for row in rows]
    return Pools(
        np.concatenate([np.stack([row.columns[name] for name in names], 1) for row in rows]).astype(np.float32),
        np.repeat(np.arange(len(rows)), lengths),
        np.concatenate([row.answers / row.answers.sum() for row in rows]).astype(np.float32),
        np.repeat(np.array(weight) / np.sum(weight), lengths).astype(np.float32),
    )


def fit(
    rows: Sequence[Example], names: Sequence[str], *, notes: bool, given: Mapping[str, float] | None = None
) -> dict[str, tuple[float, float, float]]:
    """Return mean, deviation and weight of each named signal.

    notes: signals may only speak for a note, and count from 0: what a note does not have adds nothing
    given: weights that are not fitted
    """
    found = pools(rows, names)
    mean = np.zeros(len(names)) if notes else found.signals.mean(0)
    deviation = found.signals.std(0) + 1e-6
    signals = ((found.signals - mean) / deviation).astype(np.float32)
    first = np.r_[0, np.flatnonzero(np.diff(found.question)) + 1]
    shrinkage = NOTE_SHRINKAGE if notes else SHRINKAGE
    fixed = pools(rows, list(given)).signals @ np.array(list(given.values()), np.float32) if given else np.float32(0)

    def loss(weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        scores = signals @ weights.astype(np.float32) + fixed
        top = np.maximum.reduceat(scores, first)[found.question]
        odds = np.exp(scores - top)
        total = np.add.reduceat(odds, first)[found.question]
        gradient = signals.T @ (found.weight * (odds / total - found.wanted)) + 2 * shrinkage * weights
        likelihood = (found.weight * found.wanted * (scores - top - np.log(total))).sum()
        return float(-likelihood + shrinkage * weights @ weights), gradient.astype(float)

    bounds = [(0.0, None) if notes else (None, None)] * len(names)
    weights = minimize(loss, np.zeros(len(names)), jac=True, bounds=bounds, options={"maxiter": 300}).x
    if notes:
        found_weights = {name: weights[at] / deviation[at] for at, name in enumerate(names)} | dict(given or {})
        return {name: (0.0, 1.0, weight) for name, weight in found_weights.items()}
    return {name: (mean[at], deviation[at], weights[at]) for at, name in enumerate(names)}


def fit_meaning(rows: Sequence[Example]) -> Terms:
    """Return TALK with new weights of its signals of meaning, near to the present ones: of few conversations."""
    rows = [row for row in rows if row.answers.any()]
    names, present = list(TALK), np.array([term.weight for term in TALK.values()])
    mean, deviation = (np.array([term[part] for term in TALK.values()]) for part in (0, 1))
    free = np.array([name in SEMANTIC for name in names])
    asked = [(np.stack([row.columns[name] for name in names], 1) - mean) / deviation for row in rows]
    wanted = [row.answers / row.answers.sum() for row in rows]
    counts = [1 / NOTES_IN_FIT if row.note else 1.0 for row in rows]

    def loss(weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        likelihood, gradient = 0.0, np.zeros(len(names))
        for signals, answers, count in zip(asked, wanted, counts, strict=True):
            scores = signals @ weights
            chances = scores - scores.max() - np.log(np.exp(scores - scores.max()).sum())
            likelihood += count * float(answers @ chances)
            gradient += count * (signals.T @ (np.exp(chances) - answers))
        moved, total = weights - present, sum(counts)
        gradient = np.where(free, gradient / total + 2 * NEAR * moved, 0.0)
        return -likelihood / total + NEAR * float(moved @ moved), gradient

    found = minimize(loss, present, jac=True, method="L-BFGS-B", options={"maxiter": 60}).x
    return {name: (mean[at], deviation[at], found[at]) for at, name in enumerate(names)}


Terms = dict[str, tuple[float, float, float]]
Models = dict[bool, Terms]


def calibrate(rows: Sequence[Example], models: Models, names: Sequence[str]) -> dict[str, float]:
    """Return what turns the best score and absolute evidence into the probability that a question is answered.

    The first ten hits of every question are looked at. Of each corpus hits that answer weigh as much as the others, and
    of these the hits of questions without an answer half. Evidence may only speak for a hit. How relevance falls from
    the best hit down is fitted along and left out (weights.FALL).
    models: the model of notes under True, of turns under False
    """
    values: list[list[float]] = []
    labels: list[float] = []
    kinds: list[tuple[str, bool, bool]] = []
    for row in rows:
        score = sum(
            weight * (row.columns[name] - mean) / deviation
            for name, (mean, deviation, weight) in models[row.note].items()
        )
        hits = np.argsort(-score)[:10]
        evidence = [row.columns[name][0] for name in names]
        values.extend([score[hit] - score[hits[0]], score[hits[0]], *evidence, 1.0] for hit in hits)
        labels.extend(row.answers[hits])
        kinds.extend((row.corpus, bool(row.answers[hit]), bool(row.answers.any())) for hit in hits)
    x, y = np.array(values), np.array(labels)
    count = {kind: kinds.count(kind) for kind in set(kinds)}
    weight = np.array([(2.0 if kind[1] else 1.0) / count[kind] for kind in kinds])

    def loss(line: NDArray[np.float64]) -> float:
        logits = x @ line
        return float((weight * (np.logaddexp(0, logits) - y * logits)).sum() + 1e-4 * line @ line)

    bounds = [*[(0.0, None)] * (x.shape[1] - 1), (None, None)]
    found = minimize(loss, np.zeros(x.shape[1]), bounds=bounds, method="L-BFGS-B").x
    line = dict(zip(["best", *names], found[1:-1].tolist(), strict=True))
    # No corpus asks for people whom nobody ever heard of: that is given by hand.
    return {**line, "heard": HEARD, "offset": found[-1] - HEARD}


def answered(
    rows: Sequence[Example], model: Mapping[str, tuple[float, float, float]], names: Sequence[str]
) -> dict[str, float]:
    """Return the line of whether a question is answered at all.

    The questions whose answer is among the first five hits of the model count as much as those without one, and each
    corpus as much as the others.
    """

    def is_found(row: Example) -> bool:
        scores = sum(weight * row.columns[name] for name, (_, _, weight) in model.items())
        return bool(row.answers[np.argsort(-scores)[:5]].any())

    told = [row for row in rows if is_found(row) or not row.answers.any()]
    x = np.array([[row.columns[name][0] for name in names] for row in told])
    y = np.array([float(row.answers.any()) for row in told])
    kinds = [(row.corpus, bool(row.answers.any())) for row in told]
    weight, deviation = np.array([1 / kinds.count(kind) for kind in kinds]), x.std(0) + 1e-9

    def loss(line: NDArray[np.float64]) -> float:
        logits = x / deviation @ line[:-1] + line[-1]
        return float((weight * (np.logaddexp(0, logits) - y * logits)).sum() + 3e-3 * line[:-1] @ line[:-1])

    bounds = [*[(0.0, None)] * len(names), (None, None)]
    found = minimize(loss, np.zeros(len(names) + 1), bounds=bounds, method="L-BFGS-B").x
    line = dict(zip(names, (found[:-1] / deviation).tolist(), strict=True))
    return {**line, "heard": HEARD, "offset": found[-1] - HEARD}


def table(name: str, fitted: Terms) -> str:
    """Return a fitted model as source code, strongest signal first."""
    ordered = sorted(fitted.items(), key=lambda item: -abs(item[1][2]))
    lines = [
        f'    "{key}": Term({mean:.4f}, {deviation:.4f}, {weight:+.4f}),' for key, (mean, deviation, weight) in ordered
    ]
    return "\n".join([f"{name}: Mapping[str, Term] = {{", *lines, "}"])


def table_of_talk(hybrid: Terms, by_words: Terms) -> str:
    """Return both models of talk as source code, a signal a line: their means and deviations are the same."""
    ordered = sorted(hybrid, key=lambda key: -abs(hybrid[key][2]))
    lines = []
    for key in ordered:
        mean, deviation, weight = hybrid[key]
        more = f", {by_words[key][2]:+.4f}" if key in by_words else ""
        lines.append(f'    "{key}": Fit({mean:.4f}, {deviation:.4f}, {weight:+.4f}{more}),')
    return "\n".join(["_TALK: Mapping[str, Fit] = {", *lines, "}"])


def line(name: str, fitted: dict[str, float]) -> str:
    """Return a calibrated line as source code."""
    parts = "".join(f'    "{key}": {value:.4f},\n' for key, value in fitted.items())
    return f"{name}: Mapping[str, float] = {{\n{parts}}}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--friendsqa", type=Path, nargs="*", default=[])
    parser.add_argument("--qmsum", type=Path, nargs="*", default=[])
    parser.add_argument("--talk", action="store_true", help="the conversations of bench/talk that fit")
    parser.add_argument("--docstrings", action="store_true", help="notes about code, from the standard library")
    parser.add_argument("--notes", action="store_true", help="the fitting half of bench/notes")
    parser.add_argument("--prompts", action="store_true", help="the projects of bench/prompts that fit")
    parser.add_argument("--answered", action="store_true", help="fit ANSWERED_NOTE alone, with the present ASKED_NOTE")
    parser.add_argument("--meaning", action="store_true", help="fit the signals of meaning of TALK alone")
    parser.add_argument("--commits", type=Path, nargs="*", default=[], metavar="REPOSITORY")
    parser.add_argument("--every", type=int, default=4, help="use every n-th meeting")
    parser.add_argument("--keep", type=Path, help="keep the measured examples in this file, or use those in it")
    parser.add_argument("--write", action="store_true", help="replace the tables in the source")
    chosen = parser.parse_args()
    rows = _measured(chosen)
    notes = [row for row in rows if row.note]
    if chosen.meaning:
        talk = [row for row in rows if not row.note] + [row for row in notes if row.answers.any()][::NOTES_IN_FIT]
        by_words = {name: (term.mean, term.deviation, term.weight) for name, term in TALK_BY_WORDS.items()}
        sys.stdout.write(f"{table_of_talk(fit_meaning(talk), by_words)}\n")
        return
    talk = [row for row in rows if not row.note] + [row for row in notes if row.corpus == "docstrings"][::NOTES_IN_FIT]
    asked = [row for row in notes if row.corpus in ASKED and {"best_either", "even"} <= row.columns.keys()]
    notes = [row for row in notes if row.corpus not in ASKED]
    told = [row for row in asked if row.columns["asked_note"][0]]
    of_answered = line("ANSWERED_NOTE", answered(told, ASKED_NOTE, _evidence(ANSWERED_NOTE)))
    if chosen.answered:
        sys.stdout.write(f"{of_answered}\n")
        return
    asked = [row for row in asked if row.corpus == "notes"]
    hybrid: Models = {True: fit(notes, list(NOTE), notes=True), False: fit(talk, list(TALK), notes=False)}
    by_words: Models = {
        True: fit(notes, list(NOTE_BY_WORDS), notes=True),
        False: fit(talk, list(TALK_BY_WORDS), notes=False),
    }
    model_of_asked = _asked_note(asked)
    tables = [
        table("NOTE", hybrid[True]),
        table("ASKED_NOTE", model_of_asked),
        of_answered,
        table("NOTE_BY_WORDS", by_words[True]),
        table_of_talk(hybrid[False], by_words[False]),
        line("TALK_RELEVANCE", calibrate([row for row in rows if not row.note], hybrid, _evidence(TALK_RELEVANCE))),
        line("NOTE_RELEVANCE", calibrate(notes, hybrid, _evidence(NOTE_RELEVANCE))),
        line("RELEVANCE_BY_WORDS", calibrate(rows, by_words, _evidence(RELEVANCE_BY_WORDS))),
    ]
    source = "\n\n".join(tables) + "\n"
    sys.stdout.write(source)
    if chosen.write:
        text = TARGET.read_text(encoding="utf-8")
        for each in tables:
            text = re.sub(rf"(?ms)^{each.partition(':')[0]}: .*?^}}", lambda _, made=each: made, text, count=1)
        TARGET.write_text(text, encoding="utf-8")


def _asked_note(rows: Sequence[Example]) -> dict[str, tuple[float, float, float]]:
    names = [name for name in ASKED_NOTE if name != "words_sure"]
    return fit(rows, names, notes=True, given={"words_sure": WORDS_SURE})


def _evidence(line: Mapping[str, float]) -> list[str]:
    return [name for name in line if name not in ("best", "heard", "offset")]


def _measured(chosen: Any) -> list[Example]:
    import pickle

    if chosen.keep and chosen.keep.exists():
        return [Example(*row) for row in pickle.loads(chosen.keep.read_bytes())]
    rows: list[Example] = []
    corpora = {
        "friendsqa": list(friends(chosen.friendsqa)),
        "qmsum": list(meetings(chosen.qmsum, chosen.every)),
        "talk": list(talks()) if chosen.talk else [],
        "docstrings": list(docstrings()) if chosen.docstrings else [],
        "notes": list(engineering_notes()) if chosen.notes else [],
        "prompts": list(prompts()) if chosen.prompts else [],
        "commits": list(commits(chosen.commits)),
    }
    for number, (name, corpus) in enumerate(corpora.items()):
        others = [
            text for other in corpora.values() if other is not corpus for one in other for text, _ in one.questions
        ]
        foreign = others[number :: max(1, len(others) // FOREIGN)]
        strange: list[str] = []
        for conversation in corpus:
            rows.extend(examples(name, conversation, [*strange, *foreign]))
            strange = [text for text, answers in conversation.questions[::STRANGE_EVERY] if answers]
            sys.stderr.write(f"{len(rows)} questions measured\n")
    if chosen.keep:
        chosen.keep.write_bytes(pickle.dumps([tuple(row) for row in rows]))
    return rows


if __name__ == "__main__":
    main()
