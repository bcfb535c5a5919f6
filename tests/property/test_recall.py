"""Recall as a whole: what was stored is found by its own words, and no question is too odd to be answered."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from tests.fakes import HashingEmbedder

from recollect import Engine
from recollect.errors import InvalidInput
from recollect.model import Recall

# Made-up words, few enough that sentences share some and a long text has many of them.
WORDS = ["".join(letters) for letters in itertools.product("bcdfghjklm", "aeiou", "rnlst", ("ak", "ut"))]
AUTHORS = (None, "Ada", "Grace Hopper")
SESSIONS = (None, None, "monday", "tuesday")


def made_up(seed: int) -> str:
    """A sentence that is the same for the same seed and shares little with any other."""
    chance = random.Random(seed)
    return " ".join(chance.sample(WORDS, chance.randint(5, 12))).capitalize() + "."


sentence = st.integers(0, 2**32).map(made_up)
# Mostly notes and turns, now and then a long text of many passages.
content = st.lists(sentence, min_size=1, max_size=3) | st.lists(sentence, min_size=30, max_size=60)
memories = st.lists(
    st.fixed_dictionaries(
        {"sentences": content, "author": st.sampled_from(AUTHORS), "session_id": st.sampled_from(SESSIONS)}
    ),
    min_size=1,
    max_size=12,
)

Make = Callable[..., Engine]


@pytest.fixture
def make_engine(tmp_path_factory: pytest.TempPathFactory) -> Make:
    """Makes an engine on a new, empty store: with vectors, or by words alone."""

    def make(hybrid: bool) -> Engine:
        options: dict[str, Any] = {"embedder": HashingEmbedder()} if hybrid else {"embed_provider": "off"}
        return Engine(home=str(tmp_path_factory.mktemp("engine")), embed_on_demand=1000, **options)

    return make


def well_formed(answer: Recall, k: int) -> None:
    """Check what holds for every answer."""
    scores = [hit.score for hit in answer.hits]
    assert len(scores) <= k
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)
    assert len({hit.memory.id for hit in answer.hits}) == len(scores)
    assert all(hit.reason for hit in answer.hits)


@settings(max_examples=25)
@given(memories, st.booleans(), st.data())
def test_a_memory_is_among_the_first_for_a_sentence_of_its_own(
    make_engine: Make, given_memories: list[dict[str, Any]], hybrid: bool, data: st.DataObject
) -> None:
    chosen = data.draw(st.integers(0, len(given_memories) - 1))
    asked = data.draw(st.sampled_from(given_memories[chosen]["sentences"]))
    texts = [" ".join(memory["sentences"]) for memory in given_memories]
    assume(sum(asked in text for text in texts) == 1)
    with make_engine(hybrid) as engine:
        ids = [
            engine.memories.store(
                text, author=memory["author"], session_id=memory["session_id"], deduplicate=False
            ).memory.id
            for text, memory in zip(texts, given_memories, strict=True)
        ]
        answer = engine.recall.search(asked, limit=3, min_score=0.0)
        well_formed(answer, 3)
        assert ids[chosen] in [hit.memory.id for hit in answer.hits]


@pytest.fixture(scope="module")
def shelves(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Engine]]:
    """The same memories with vectors and without."""
    opened = [
        Engine(home=str(tmp_path_factory.mktemp("shelf")), embedder=HashingEmbedder()),
        Engine(home=str(tmp_path_factory.mktemp("shelf")), embed_provider="off"),
    ]
    for engine in opened:
        for number, (author, session) in enumerate((author, session) for author in AUTHORS for session in SESSIONS):
            text = f"{number}. Où est le café? 猫は好き。 I like parseHeader() in May 2023"
            engine.memories.store(text, author=author, session_id=session, valid_from=1_684_000_000)
        engine.memories.store("x" * 3000 + " 🧠 " * 500 + "\n\n" * 800, author="Σίσυφος")
        engine.embedding.catch_up()
    yield opened
    for engine in opened:
        engine.close()


questions = st.text(st.characters() | st.sampled_from(" \"'*()^-:{}%_?.…Ada"), max_size=60)


@settings(max_examples=80)
@given(questions, st.integers(1, 20))
@example("Ada Ada's Ada’s", 5)
@example("may May 2023 0000 1999", 5)
@example('" AND NEAR( OR * body:x ^y', 5)
@example("I" * 20_001, 1)
@example("猫" * 5000, 1)
@example("\u2028\u2029\x85.", 3)
def test_no_question_is_too_odd_to_be_answered(shelves: list[Engine], question: str, k: int) -> None:
    for engine in shelves:
        try:
            well_formed(engine.recall.search(question, limit=k, min_score=0.0, explain=True), k)
        except InvalidInput:
            assert not question.strip() or "\0" in question or any("\ud800" <= one <= "\udfff" for one in question)
