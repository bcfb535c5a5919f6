"""Fit the relevance of memories for a prompt that a hook answers alone (src/recollect/recall/prompt_evidence.py).

    python scripts/fit_prompts.py

Prints the weights of the signals, fitted on all projects, and the bar. Every project is left out once: what the model
of the others says of its prompts gives the shares below the weights. Projects are those of bench/prompts/fit-*.txt,
which the embedding model was not trained on (bench/train_embedder.py tells their form).

A logistic model is fitted to the candidates in stores of whole projects. Each is also asked prompts of others. The
bar is the lowest at which 95 % of the answers to prompts that have one are right, and 95 % of the prompts of other
projects get none: some of these are about what every project has, so a rule of this one does answer them. Prompts
without a word of the note are left out of that. The weight of the size is given (SIZE). The shares are also measured in
other stores: with a part of the notes of a project, and with those of three projects and of nine. The signals are
measured by the stages of the hook.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "bench"))
import train_embedder
from recollect import Engine
from recollect.engine.hook_responses.prompt_fast_path import LEAST_WORDS, MOST, candidates
from recollect.model import Memory
from recollect.recall.prompt_evidence import Signals, signals
from recollect.recall.query import understand
from recollect.store.fast_path_reader import FastPathReader

PROMPTS = Path(train_embedder.__file__).with_name("prompts")
# Prompts of other projects that each project is asked.
FOREIGN = 80
# How much a candidate counts by the kind of its prompt. Prompts about something else are most of what a hook sees. The
# words of a far prompt are chosen to mislead.
COUNTS: Mapping[str, float] = {"foreign": 2.0, "none": 2.0, "far": 0.5}
# The bar is not chosen by these.
APART = ("foreign", "none", "absent", "far")
SHRINKAGE = 2e-4
STEPS = 25
RIGHT, SILENT = 0.95, 0.95
BARS = tuple(place / 100 for place in range(10, 80))
# Notes of small stores, and how many of each size are made of a project.
SMALL, PARTS = (25, 12, 6, 3), 4
# Projects of large stores, and how many stores are made of so many.
LARGE = {3: 6, 9: 2}
# How much the logarithm of the number of notes counts, so that the shares of all sizes are alike at one bar. In a store
# of TYPICAL notes it changes nothing: the months of bench/told.py end with so many.
SIZE, TYPICAL = -0.5, 40
# The size of a store with the notes of a project.
WHOLE = "project"
# The share of questions without their note that a small store is asked.
ABSENT = 0.2


class Prompt(NamedTuple):
    """A question, its kind, and the ids of the notes that answer it."""

    text: str
    kind: str
    answers: frozenset[str]


class Project(NamedTuple):
    name: str
    notes: dict[str, str]
    prompts: list[Prompt]


class Store(NamedTuple):
    """Notes by their project and id, the prompts that are asked among them, and what is told apart by its size."""

    size: str
    notes: dict[tuple[str, str], str]
    prompts: list[tuple[str, Prompt]]


class Measured(NamedTuple):
    """The signals of the candidates of a prompt, a row each, and which of them answer it."""

    project: str
    size: str
    kind: str
    rows: NDArray[np.float64]
    right: NDArray[np.float64]


def of_file(path: Path) -> Iterator[Project]:
    """Yield the projects of a file of notes and prompts."""
    for project in train_embedder.projects(path):
        names = [f"n{place}" for place in range(len(project.notes))]
        prompts = [
            Prompt(each.text, each.kind, frozenset(names[place] for place in each.answers)) for each in project.prompts
        ]
        yield Project(project.name, dict(zip(names, project.notes, strict=True)), prompts)


def stores(projects: Sequence[Project], chance: random.Random) -> Iterator[Store]:
    """Yield stores of several sizes with their prompts."""
    for count, number in LARGE.items():
        mixed = chance.sample(projects, len(projects))
        for first in range(0, min(number * count, len(projects)), count):
            yield _store(f"{count} projects", mixed[first : first + count], projects, chance)
    for project in projects:
        yield _store(WHOLE, [project], projects, chance)
        for size in SMALL:
            names = chance.sample(list(project.notes), len(project.notes))
            for first in range(0, min(PARTS * size, len(names) - size + 1), size):
                part = {name: project.notes[name] for name in names[first : first + size]}
                yield _store(f"{size} notes", [project._replace(notes=part)], projects, chance)


def _store(size: str, members: Sequence[Project], projects: Sequence[Project], chance: random.Random) -> Store:
    """Return a store of the notes of projects: their questions, and some of others."""
    names = {project.name for project in members}
    notes = {(project.name, name): text for project in members for name, text in project.notes.items()}
    prompts = []
    for project in members:
        for prompt in project.prompts:
            is_absent = bool(prompt.answers) and prompt.answers.isdisjoint(project.notes)
            if not is_absent or chance.random() < ABSENT:
                prompts.append((project.name, prompt._replace(kind="absent") if is_absent else prompt))
    others = [(other.name, each.text) for other in projects if other.name not in names for each in other.prompts]
    count = FOREIGN if len(notes) > max(SMALL) else FOREIGN // len(SMALL)
    foreign = [(name, Prompt(text, "foreign", frozenset())) for name, text in chance.sample(others, count)]
    return Store(size, notes, [*prompts, *foreign])


def measured(made: Sequence[Store]) -> Iterator[Measured]:
    """Yield what the hook measures of the candidates of each prompt."""
    with tempfile.TemporaryDirectory() as folder, Engine(home=folder) as engine:
        lines = [
            json.dumps({"content": text, "namespace": f"/{place}"})
            for place, store in enumerate(made)
            for text in store.notes.values()
        ]
        engine.archive.import_(content="\n".join(lines))
        engine.embedding.catch_up()
        ids = {(row.namespace, row.content): row.id for row in engine.store.find(Memory)}
        settings = engine.settings
        for place, store in enumerate(made):
            names = {ids[f"/{place}", text]: name for name, text in store.notes.items()}
            with FastPathReader(str(settings.database_path), scopes=(f"/{place}", None)) as reader:
                for project, prompt in store.prompts:
                    query = understand(prompt.text)
                    if len(query.terms) < LEAST_WORDS:
                        continue
                    found = candidates(reader, query, settings)
                    told = list(signals(query, found.rows, found.by_words, found.cosines))
                    answers = {(project, name) for name in prompt.answers}
                    yield Measured(
                        project,
                        store.size,
                        prompt.kind,
                        np.array([each for _, each in told]).reshape(-1, len(Signals._fields)),
                        np.array([float(names[found.rows[place].memory_id] in answers) for place, _ in told]),
                    )


def fit(prompts: Sequence[Measured]) -> NDArray[np.float64]:
    """Return the weights of the signals but the size and, last, the offset of a logistic model, by Newton's method."""
    whole = [prompt for prompt in prompts if prompt.size == WHOLE]
    x = np.concatenate([prompt.rows[:, :-1] for prompt in whole])
    y = np.concatenate([prompt.right for prompt in whole])
    count = np.concatenate([np.full(len(prompt.right), COUNTS.get(prompt.kind, 1.0)) for prompt in whole])
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
        *weights, offset = fit([prompt for prompt in prompts if prompt.project != name])
        found[name] = np.array([*weights, SIZE, offset - SIZE * math.log(TYPICAL)])
    return [
        1 / (1 + np.exp(-(prompt.rows @ found[prompt.project][:-1] + found[prompt.project][-1]))) for prompt in prompts
    ]


def shares(
    prompts: Sequence[Measured], chances: Sequence[NDArray[np.float64]], bar: float
) -> dict[tuple[str, str], tuple[int, float, float]]:
    """Return by size and kind of prompt: how many, the share that is answered, and of these the share that is right."""
    rows: dict[tuple[str, str], list[tuple[bool, bool]]] = {}
    for prompt, chance in zip(prompts, chances, strict=True):
        lines = [place for place in np.argsort(-chance)[:MOST] if chance[place] >= bar]
        told = (bool(lines), any(prompt.right[place] for place in lines))
        for kind in (prompt.kind, *(["answerable"] if prompt.kind not in APART else [])):
            rows.setdefault((prompt.size, kind), []).append(told)
    return {
        kind: (len(each), float(np.mean([one for one, _ in each])), float(np.mean([two for one, two in each if one])))
        for kind, each in rows.items()
        if any(one for one, _ in each)
    }


def main() -> None:
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    projects = [project for path in sorted(PROMPTS.glob("fit-*.txt")) for project in of_file(path)]
    prompts = list(measured(list(stores(projects, random.Random(1)))))
    chances = left_out(prompts)

    def holds(bar: float) -> bool:
        found = shares(prompts, chances, bar)
        is_silent = found.get((WHOLE, "foreign"), (0, 0.0, 0.0))[1] <= 1 - SILENT
        return is_silent and found[WHOLE, "answerable"][2] >= RIGHT

    bar = next(filter(holds, BARS))
    *weights, offset = (round(float(weight), 2) for weight in fit(prompts))
    print(f"WEIGHTS = {Signals(*weights, SIZE)}\nOFFSET = {offset - SIZE * math.log(TYPICAL):.2f}\nBAR = {bar}\n")
    for each in sorted({bar, 0.2, 0.3, 0.4, 0.5}):
        for (size, kind), (count, answered, right) in shares(prompts, chances, each).items():
            print(f"{each:.2f}  {size:12} {kind:12} {count:5}  answered {answered:.3f}  right {right:.3f}")


if __name__ == "__main__":
    main()
