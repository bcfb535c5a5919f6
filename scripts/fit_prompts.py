"""Fit the relevance of memories for a prompt that a hook answers alone (src/recollect/recall/prompt_evidence.py).

    python scripts/fit_prompts.py

Prints the weights of the signals, fitted on all projects, and the bar. Every project is left out once: what the model
of the others says of its prompts gives the shares below the weights. Projects are those of the fitting half of
bench/notes and of bench/questions/fit-*.txt, which a language model wrote as four authors, with lines of this form:

    = name of a project | what it is
    n1 | text of a note
    ? n1,n2 | a question that these notes answer
    ! n1 | a question that no note answers, although n1 is near

Each project is also asked questions of others. The bar is the lowest at which 95 % of the answers to questions that
have one are right, and 98 % of the questions of other projects get none; facts that were changed are left out of that.
The signals are measured by the stages of the hook.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "bench"))
import notes_recall as engineering
from recollect import Engine
from recollect.engine.hook_responses.prompt_fast_path import LEAST_WORDS, MOST, candidates
from recollect.recall.prompt_evidence import Signals, signals
from recollect.recall.query import understand
from recollect.store.fast_path_reader import FastPathReader

QUESTIONS = Path(engineering.__file__).with_name("questions")
# Questions of other projects that each project is asked.
FOREIGN = 80
# How much a candidate counts by the kind of its prompt. Prompts about something else are most of what a hook sees. A
# question that is near to a note but not answered by it gets that note, which does little harm. The words of a
# paraphrased question are chosen to mislead.
COUNTS: Mapping[str, float] = {"foreign": 2.0, "near": 0.5, "paraphrased": 0.5}
NEAR = ("unanswerable", "absent")
# Of these the bar is not chosen by: they have no answer, or of two versions of a fact one is right, which supersession
# tells (recall/supersede.py).
APART = ("foreign", "near", "paraphrased", "changed")
SHRINKAGE = 2e-4
STEPS = 25
RIGHT, SILENT = 0.95, 0.98
BARS = tuple(place / 100 for place in range(10, 80))


class Prompt(NamedTuple):
    """A question, its kind, and the ids of the notes that answer it."""

    text: str
    kind: str
    answers: frozenset[str]


class Project(NamedTuple):
    name: str
    notes: dict[str, str]
    prompts: list[Prompt]


class Measured(NamedTuple):
    """The signals of the candidates of a prompt, a row each, and which of them answer it."""

    project: str
    kind: str
    rows: NDArray[np.float64]
    right: NDArray[np.float64]


def of_notes() -> Iterator[Project]:
    """Yield the projects of the fitting half of bench/notes."""
    for name in engineering.FIT:
        notes = {note.id: note.text for note in engineering.memories("fit") if note.project == name}
        asked = [
            Prompt(each.text, "near" if each.kind in NEAR else each.kind, frozenset(each.answers))
            for each in engineering.questions("fit")
            if each.project == name
        ]
        yield Project(name, notes, asked)


def of_file(path: Path) -> Iterator[Project]:
    """Yield the projects of a file of notes and questions."""
    project = Project("", {}, [])
    for line in filter(None, path.read_text(encoding="utf-8").splitlines()):
        head, _, text = (part.strip() for part in line.partition("|"))
        names = frozenset(name.strip() for name in head[1:].split(","))
        if line[0] == "=":
            project = Project(f"{path.stem} {head[1:].strip()}", {}, [])
            yield project
        elif line[0] == "?":
            project.prompts.append(Prompt(text, "asked", names))
        elif line[0] == "!":
            project.prompts.append(Prompt(text, "near", frozenset()))
        else:
            project.notes[head] = text


def measured(projects: Sequence[Project]) -> Iterator[Measured]:
    """Yield what the hook measures of the candidates of each prompt."""
    chance = random.Random(1)
    with tempfile.TemporaryDirectory() as folder, Engine(home=folder) as engine:
        ids = {
            (project.name, name): engine.memories.store(text, namespace=f"/{project.name}").memory.id
            for project in projects
            for name, text in project.notes.items()
        }
        engine.embedding.catch_up()
        settings = engine.settings
        for project in projects:
            others = [each.text for other in projects if other is not project for each in other.prompts]
            foreign = [Prompt(text, "foreign", frozenset()) for text in chance.sample(others, FOREIGN)]
            with FastPathReader(str(settings.database_path), scopes=(f"/{project.name}", None)) as store:
                for prompt in (*project.prompts, *foreign):
                    query = understand(prompt.text)
                    if len(query.terms) < LEAST_WORDS:
                        continue
                    found = candidates(store, query, settings)
                    told = list(signals(query, found.rows, found.by_words, found.cosines))
                    answers = {ids[project.name, name] for name in prompt.answers}
                    yield Measured(
                        project.name,
                        prompt.kind,
                        np.array([each for _, each in told]).reshape(-1, len(Signals._fields)),
                        np.array([float(found.rows[place].memory_id in answers) for place, _ in told]),
                    )


def fit(prompts: Sequence[Measured]) -> NDArray[np.float64]:
    """Return the weights of the signals and, last, the offset of a logistic model, by Newton's method."""
    x = np.concatenate([prompt.rows for prompt in prompts])
    y = np.concatenate([prompt.right for prompt in prompts])
    count = np.concatenate([np.full(len(prompt.right), COUNTS.get(prompt.kind, 1.0)) for prompt in prompts])
    mean, deviation = x.mean(0), x.std(0)
    x = np.c_[(x - mean) / deviation, np.ones(len(x))]
    shrinkage = np.diag([*[SHRINKAGE * len(x)] * len(mean), 1e-9])
    weights = np.zeros(x.shape[1])
    for _ in range(STEPS):
        likely = 1 / (1 + np.exp(-x @ weights))
        slope = x.T @ (count * (likely - y)) + shrinkage @ weights
        curve = (x * (count * likely * (1 - likely))[:, None]).T @ x + shrinkage
        weights -= np.linalg.solve(curve, slope)
    return np.r_[weights[:-1] / deviation, weights[-1] - weights[:-1] @ (mean / deviation)]


def left_out(prompts: Sequence[Measured]) -> list[NDArray[np.float64]]:
    """Return the probabilities of the candidates of each prompt, by a model of the other projects."""
    found: dict[str, NDArray[np.float64]] = {}
    for name in dict.fromkeys(prompt.project for prompt in prompts):
        found[name] = fit([prompt for prompt in prompts if prompt.project != name])
    return [
        1 / (1 + np.exp(-(prompt.rows @ found[prompt.project][:-1] + found[prompt.project][-1]))) for prompt in prompts
    ]


def shares(prompts: Sequence[Measured], chances: Sequence[NDArray[np.float64]], bar: float) -> dict[str, Any]:
    """Return by kind of prompt: how many, the share that is answered, and of these the share that is right."""
    rows: dict[str, list[tuple[bool, bool]]] = {}
    for prompt, chance in zip(prompts, chances, strict=True):
        lines = [place for place in np.argsort(-chance)[:MOST] if chance[place] >= bar]
        told = (bool(lines), any(prompt.right[place] for place in lines))
        for kind in (prompt.kind, *(["answerable"] if prompt.kind not in APART else [])):
            rows.setdefault(kind, []).append(told)
    return {
        kind: (len(each), float(np.mean([one for one, _ in each])), float(np.mean([two for one, two in each if one])))
        for kind, each in rows.items()
        if any(one for one, _ in each)
    }


def main() -> None:
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    projects = [*of_notes(), *(project for path in sorted(QUESTIONS.glob("fit-*.txt")) for project in of_file(path))]
    prompts = list(measured(projects))
    chances = left_out(prompts)

    def holds(bar: float) -> bool:
        found = shares(prompts, chances, bar)
        return found["answerable"][2] >= RIGHT and found.get("foreign", (0, 0.0))[1] <= 1 - SILENT

    bar = next(filter(holds, BARS))
    *weights, offset = fit(prompts)
    print(f"WEIGHTS = {Signals(*(round(float(weight), 2) for weight in weights))}")
    print(f"OFFSET = {offset:.2f}\nBAR = {bar}\n")
    for each in sorted({bar, 0.2, 0.3, 0.4, 0.5}):
        for kind, (count, answered, right) in sorted(shares(prompts, chances, each).items()):
            print(f"{each:.2f}  {kind:12} {count:5}  answered {answered:.3f}  right {right:.3f}")


if __name__ == "__main__":
    main()
