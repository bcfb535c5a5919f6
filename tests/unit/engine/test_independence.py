"""The first hits depend on the question and on what is searched, and on nothing else."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator

import pytest
from tests.fakes import HashingEmbedder

from recollect import Engine

SUBJECTS = ("parser", "scheduler", "cache", "ledger", "gateway", "importer", "renderer", "worker", "queue", "index")
VERBS = ("reads", "writes", "drops", "retries", "sorts", "counts", "merges", "splits", "copies", "signs")
OBJECTS = ("tokens", "rows", "frames", "orders", "pages", "events", "labels", "chunks", "leases", "notes")
QUESTION = "Which worker retries events and merges labels?"


@pytest.fixture(params=["hybrid", "lexical"])
def either(request: pytest.FixtureRequest, open_engine: Callable[..., Engine]) -> Engine:
    options = {"embedder": HashingEmbedder(256)} if request.param == "hybrid" else {"embed_provider": "off"}
    return open_engine(**options)


def fill(engine: Engine, namespace: str, texts: Iterable[str]) -> None:
    """Import memories: a third of the time of storing each."""
    rows = ({"content": text, "namespace": namespace} for text in texts)
    engine.archive.import_(content="\n".join(map(json.dumps, rows)))
    engine.embedding.catch_up()


def steps(step: int = 1) -> Iterator[str]:
    for number in range(0, 300, step):
        subject, verb, thing = SUBJECTS[number % 10], VERBS[number // 10 % 10], OBJECTS[number * 7 // 10 % 10]
        yield f"The {subject} {verb} {thing} in step {number}"


def first(engine: Engine, limit: int) -> list[tuple[str, float]]:
    found = engine.recall.search(QUESTION, limit=limit, namespace="mine", min_score=0.0, code=False)
    return [(hit.memory.content, hit.score) for hit in found.hits[:10]]


def test_the_first_ten_are_the_same_however_many_are_asked_for(either: Engine) -> None:
    fill(either, "mine", steps())
    ten = first(either, 10)
    assert len(ten) == 10
    for limit in (50, 100, 200, 1000):
        assert first(either, limit) == ten


def test_the_first_ten_are_the_same_whatever_other_projects_hold(either: Engine) -> None:
    fill(either, "mine", steps(3))
    before = first(either, 10)
    fill(either, "others", steps())
    assert first(either, 10) == before


def test_words_that_are_frequent_in_another_project_weigh_the_same_here(either: Engine) -> None:
    fill(either, "mine", steps(3))
    before = first(either, 10)
    fill(either, "others", (f"A worker retries events, try {number}" for number in range(200)))
    assert first(either, 10) == before


def test_a_memory_supersedes_an_older_one_whatever_other_projects_say(either: Engine) -> None:
    old = either.memories.store("The payment gateway listens on port 8080.", namespace="mine").memory
    for number in range(80):
        text = f"The payment gateway listens on port {9000 + number}."
        either.memories.store(text, namespace="others", amend=False)
    new = either.memories.store("The payment gateway now listens on port 8443.", namespace="mine")
    assert [(each.memory_id, each.superseded) for each in new.amends] == [(old.id, True)]
