"""Coding memories: what is found out about a piece of code, what it is linked to, and how it is found again."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.coding import FIBONACCI, FIBONACCI_DP
from tests.fakes import FrozenClock, HashingEmbedder, ScriptedModel

from recollect import Engine
from recollect.engine.memory.snippet_analysis import snippet_of
from recollect.errors import (
    ContentTooLarge,
    EmbeddingFailed,
    InvalidWorkspace,
    MemoryNotFound,
    ModelFailed,
    StorageError,
)
from recollect.model import RELATIONS, Edge, Memory
from recollect.model.coding import LINK_TYPES, CodingMemory

OpenEngine = Callable[..., Engine]

JAVASCRIPT = "function fibonacci(n) {\n  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);\n}"
SLUG = "def slugify(title):\n    return re.sub(r'\\W+', '-', title.lower())"

# Two pieces that are linked by each type, and what is said of them.
PAIRS: dict[str, tuple[tuple[str, str], tuple[str, str]]] = {
    "solution": ((FIBONACCI["content"], "Fibonacci numbers"), (JAVASCRIPT, "The Fibonacci numbers")),
    "pattern": (
        ("def fetch_twice(url):\n    return get(url)", "Retry a download with backoff"),
        ("def pay_again(card):\n    return charge(card)", "Retry with backoff when the bank throttles"),
    ),
    "technology": (
        ("import redis\n\ndef lock_job(job):\n    return redis.Redis().set(job, 1)", "Lock a nightly job in Redis"),
        ("import redis\n\ndef rank_players(game):\n    return redis.Redis().zrange(game)", "Rank players with Redis"),
    ),
    "debugging": (
        ("def expire(token):\n    return token.at < now()", "Fix: TypeError of a naive datetime compared with UTC"),
        ("def remind(guest):\n    return guest.at < now()", "TypeError: a naive datetime failed against UTC"),
    ),
    "progression": (
        (FIBONACCI["content"], "Fibonacci numbers"),
        (FIBONACCI_DP["content"], "Improved Fibonacci numbers"),
    ),
}


@pytest.fixture
def engine(open_engine: OpenEngine, frozen: FrozenClock) -> Engine:
    return open_engine(embed_provider="off")


def edges(engine: Engine) -> list[Edge]:
    return engine.store.find(Edge)


def fill(engine: Engine) -> list[CodingMemory]:
    return [
        engine.coding.store(**FIBONACCI),
        engine.coding.store(JAVASCRIPT, workspace_id="algorithms-practice"),
        engine.coding.store(**FIBONACCI_DP),
        engine.coding.store(SLUG, workspace_id="blog", context="Make a slug of a headline"),
    ]


@pytest.mark.promise("M-store_coding_memory")
def test_a_piece_is_kept_with_what_was_found_out_about_it(engine: Engine) -> None:
    stored = engine.coding.store(**FIBONACCI)
    memory = engine.memories.get(stored.memory_id)
    assert memory.content == FIBONACCI["content"]
    assert memory.title == FIBONACCI["context"]
    assert memory.namespace == "algorithms-practice"
    assert memory.category == "code/python"
    assert stored.tags == memory.tags == ("python", "algorithms", "recursion")
    assert stored.keywords == snippet_of(memory).keywords == ("recursion", "fibonacci", "sequence")
    assert snippet_of(memory).defines == ("fibonacci",)


def test_what_nobody_said_is_found_out(engine: Engine) -> None:
    stored = engine.coding.store(JAVASCRIPT)
    memory = engine.memories.get(stored.memory_id)
    assert memory.category == "code/javascript"
    assert memory.title == "javascript code that defines fibonacci: recursion"


def test_the_same_piece_is_kept_once_and_says_so(engine: Engine) -> None:
    first, second = (engine.coding.store(**FIBONACCI) for _ in range(2))
    assert first.memory_id == second.memory_id
    assert (first.event_emitted, second.event_emitted) == (True, False)
    assert engine.store.count(Memory) == 1


def test_storing_a_piece_again_keeps_what_the_user_said_of_it(engine: Engine) -> None:
    first = engine.coding.store(SLUG, context="Make a slug of a headline")
    before = engine.memories.get(first.memory_id)
    again = engine.coding.store(SLUG)
    after = engine.memories.get(first.memory_id)
    assert (again.memory_id, again.event_emitted) == (first.memory_id, False)
    assert (after.title, after.tags, after.metadata) == (before.title, before.tags, before.metadata)
    found = engine.coding.retrieve("slug of a headline", min_relevance=0.1)
    assert [row.context for row in found.memories] == ["Make a slug of a headline"]


def test_what_the_user_says_of_a_piece_later_replaces_what_was_found_out(engine: Engine) -> None:
    memory_id = engine.coding.store(SLUG).memory_id
    engine.coding.store(SLUG, context="Make a slug of a headline")
    memory = engine.memories.get(memory_id)
    assert memory.title == memory.metadata["coding"]["context"] == "Make a slug of a headline"
    assert snippet_of(memory).is_given


def test_a_piece_that_was_stored_as_a_plain_memory_becomes_a_coding_memory(engine: Engine) -> None:
    plain = engine.memories.store(SLUG, title="Slugs").memory
    assert engine.coding.store(SLUG).memory_id == plain.id
    memory = engine.memories.get(plain.id)
    assert (memory.title, memory.category) == ("Slugs", "code/python")


def test_a_piece_with_new_content_is_analysed_again_and_keeps_what_people_gave_it(engine: Engine) -> None:
    memory_id = engine.coding.store(FIBONACCI["content"]).memory_id
    engine.memories.update(memory_id, tags=("homework", *engine.memories.get(memory_id).tags))
    engine.memories.update(memory_id, content="function slugify(title) {\n  return title.toLowerCase();\n}")
    memory = engine.memories.get(memory_id)
    snippet = snippet_of(memory)
    assert (memory.category, snippet.language, snippet.defines) == ("code/javascript", "javascript", ("slugify",))
    assert memory.tags[0] == "homework"
    assert not {"python", "recursion"} & set(memory.tags)
    assert "slugify" in (memory.title or "")
    assert "fibonacci" not in str(memory.metadata)


def test_a_piece_with_new_content_keeps_the_context_and_the_fields_that_are_given(engine: Engine) -> None:
    memory_id = engine.coding.store(SLUG, context="Make a slug of a headline").memory_id
    engine.memories.update(memory_id, content=JAVASCRIPT, tags=("mine",))
    memory = engine.memories.get(memory_id)
    assert memory.title == memory.metadata["coding"]["context"] == "Make a slug of a headline"
    assert memory.tags == ("mine",)
    assert snippet_of(memory).defines == ("fibonacci",)
    before = memory.metadata
    engine.memories.update(memory_id, importance=0.9)
    assert engine.memories.get(memory_id).metadata == before


@pytest.mark.promise("M1")
@pytest.mark.parametrize("link_type", LINK_TYPES)
def test_two_pieces_are_linked_by_each_type_for_the_reason_it_names(link_type: str, engine: Engine) -> None:
    for content, context in PAIRS[link_type]:
        stored = engine.coding.store(content, workspace_id="app", context=context)
    assert stored.links_created == 1
    (edge,) = edges(engine)
    assert edge.properties["link_type"] == link_type
    assert edge.relationship in RELATIONS
    assert edge.properties["why"]
    assert 0 < edge.weight <= 1


def test_what_has_nothing_in_common_or_is_of_another_workspace_is_not_linked(engine: Engine) -> None:
    engine.coding.store(**FIBONACCI)
    assert engine.coding.store(SLUG, workspace_id="algorithms-practice").links_created == 0
    assert engine.coding.store(JAVASCRIPT, workspace_id="elsewhere").links_created == 0
    assert edges(engine) == []


@pytest.mark.promise("M4")
def test_the_old_names_of_a_workspace_are_accepted_and_the_new_ones_win(engine: Engine) -> None:
    old = engine.coding.store(SLUG, project_path="blog")
    assert engine.memories.get(old.memory_id).namespace == "blog"
    new = engine.coding.store(JAVASCRIPT, project_path="blog", workspace_id="maths")
    assert engine.memories.get(new.memory_id).namespace == "maths"

    def found(**filters: str) -> list[str]:
        return [row.id for row in engine.coding.retrieve("slugify fibonacci", min_relevance=0.0, **filters).memories]

    assert found(project_filter="blog") == [old.memory_id]
    assert found(project_filter="blog", workspace_id="maths") == [new.memory_id]
    assert set(found()) == {old.memory_id, new.memory_id}


@pytest.mark.promise("M-retrieve_relevant_memories")
def test_only_coding_memories_of_the_wanted_languages_are_found(engine: Engine) -> None:
    python, javascript, *_ = fill(engine)
    engine.memories.store("fibonacci is a town", namespace="algorithms-practice")

    def found(*code_types: str) -> set[str]:
        rows = engine.coding.retrieve("fibonacci", code_types=code_types, min_relevance=0.0, max_results=20).memories
        return {row.id for row in rows}

    assert found("js") == {javascript.memory_id}
    assert python.memory_id in found("Python")
    assert javascript.memory_id not in found("python")
    assert found("cobol") == set()
    assert len(found()) == 3


def test_a_language_without_a_grammar_is_kept_and_found_by_its_name(engine: Engine) -> None:
    stored = engine.coding.store("PERFORM PAYROLL UNTIL DONE.", code_type="COBOL", context="Payroll loop")
    engine.coding.store("ADD TAX TO PAYROLL", code_type="fortress", context="Payroll tax")
    (found,) = engine.coding.retrieve("payroll", code_types=("cobol",), min_relevance=0.0).memories
    assert found.id == stored.memory_id
    assert found.tags[0] == "cobol"


def test_what_is_relevant_enough_is_counted_and_the_best_are_shown(engine: Engine) -> None:
    fill(engine)
    found = engine.coding.retrieve("fibonacci", max_results=1, min_relevance=0.0)
    assert len(found.memories) == 1
    assert found.total_found == 3
    assert engine.coding.retrieve("hovercraft").memories == ()


def test_a_reason_names_words_only_where_words_match_and_meaning_only_where_that_was_measured(
    open_engine: OpenEngine, embedder: HashingEmbedder
) -> None:
    engine = open_engine(embedder=embedder)
    fill(engine)
    found = engine.coding.retrieve("the slug of fibonacci headlines", min_relevance=0.0, max_results=10).memories
    for row in found:
        held = f"{row.content} {row.context} {row.tags}".lower()
        if "Keyword match: " in row.match_reason:
            words = row.match_reason.partition("Keyword match: ")[2].partition(";")[0].split()
            assert words
            assert all(word.rstrip("s") in held for word in words)
    off = open_engine(embed_provider="off")
    assert all("meaning" not in row.match_reason for row in off.coding.retrieve("slug", min_relevance=0.0).memories)


def test_no_part_of_a_secret_is_kept_and_that_is_said(engine: Engine) -> None:
    secret = "ghp_" + "Wombat" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1"
    stored = engine.coding.store(f"def login():\n    token = connect('{secret}')", context=f"Log in with {secret}")
    kept = json.dumps(engine.archive.export().content).lower()
    assert "wombat" not in kept
    assert "wombat" not in stored.keywords
    assert len(stored.notes) == 1


def test_what_is_too_large_is_refused_before_anything_is_asked(open_engine: OpenEngine) -> None:
    model = ScriptedModel("no")
    engine = open_engine(embed_provider="off", model=model, max_content_bytes=1024)
    with pytest.raises(ContentTooLarge):
        engine.coding.store("x = 1\n" * 1000)
    assert model.asked == []


# --- a language model ---

ANALYSIS = {"context": "Doubles a number", "keywords": ["double", "number"], "tags": ["arithmetic"]}


def test_a_configured_model_says_what_a_piece_is_about(open_engine: OpenEngine) -> None:
    engine = open_engine(embed_provider="off", model=ScriptedModel(json.dumps(ANALYSIS)))
    stored = engine.coding.store("def twice(x):\n    return 2 * x", code_type="python")
    assert stored.keywords == ("double", "number")
    assert stored.tags == ("python", "arithmetic")
    assert engine.memories.get(stored.memory_id).title == "Doubles a number"
    assert stored.notes == ()


@pytest.mark.parametrize(
    "answer",
    ["no JSON", "{", '{"context": 3}', '{"context": "Calls launch_rockets of the base"}', '{"context": ""}'],
)
def test_an_answer_that_cannot_be_used_leaves_it_to_rules_and_says_so(open_engine: OpenEngine, answer: str) -> None:
    engine = open_engine(embed_provider="off", model=ScriptedModel(answer))
    stored = engine.coding.store(**FIBONACCI)
    assert stored.keywords == ("recursion", "fibonacci", "sequence")
    assert [note for note in stored.notes if note.startswith("analysed by built-in rules: ")]
    with pytest.raises(ModelFailed):
        engine.coding.store(SLUG, strict=True)
    assert engine.store.count(Memory) == 1


# --- documented errors ---


@pytest.mark.promise("M3")
def test_every_documented_error_is_reached_with_message_and_details(
    open_engine: OpenEngine, database: Any, home: Path
) -> None:
    broken = ScriptedModel()
    broken.failure = ModelFailed("nobody answers", status=500)
    asking = open_engine(embed_provider="off", model=broken)
    plain = open_engine(embed_provider="off")
    calls: tuple[tuple[type[Exception], str, Callable[[], object]], ...] = (
        (InvalidWorkspace, "INVALID_WORKSPACE", lambda: plain.coding.store("x = 1", workspace_id="a?b")),
        (InvalidWorkspace, "INVALID_WORKSPACE", lambda: plain.coding.retrieve("x", workspace_id="a?b")),
        (MemoryNotFound, "MEMORY_NOT_FOUND", lambda: plain.memories.get("nobody")),
        (EmbeddingFailed, "EMBEDDING_FAILED", lambda: plain.coding.store("x = 1", strict=True)),
        (ModelFailed, "LLM_ERROR", lambda: asking.coding.store("x = 1", strict=True)),
    )
    for kind, code, call in calls:
        with pytest.raises(kind) as caught:
            call()
        told = caught.value.as_dict()  # type: ignore[attr-defined]
        assert told["code"] == code
        assert told["message"]
        assert isinstance(told["details"], dict)
    assert plain.store.count(Memory) == 0


@pytest.mark.promise("M3")
def test_a_database_that_says_no_is_a_storage_error(engine: Engine, home: Path) -> None:
    import sqlite3

    fill(engine)
    with sqlite3.connect(home / "recollect.db") as connection:
        connection.execute("ALTER TABLE graph_edges RENAME TO elsewhere")
    with pytest.raises(StorageError) as caught:
        engine.coding.evolve()
    told = caught.value.as_dict()
    assert told["code"] == "STORAGE_ERROR"
    assert told["message"]
    assert told["details"]["path"] == str(home / "recollect.db")


def test_a_model_that_fails_is_done_without_and_that_is_said(open_engine: OpenEngine) -> None:
    broken = ScriptedModel()
    broken.failure = ModelFailed("nobody answers", status=500)
    engine = open_engine(embed_provider="off", model=broken)
    assert "nobody answers" in " ".join(engine.coding.store(**FIBONACCI).notes)
    assert engine.store.count(Memory) == 1


def test_a_piece_has_its_vector_when_it_is_stored_however_busy_the_worker_is(
    open_engine: OpenEngine, embedder: HashingEmbedder
) -> None:
    engine = open_engine(embedder=embedder)
    engine.coding.store(**FIBONACCI)
    assert engine.embedding.coverage() == (1, 1)
    stored = engine.coding.store(**FIBONACCI_DP)
    assert engine.embedding.coverage() == (2, 2)
    asked = "implement dynamic programming fibonacci"
    found = engine.coding.retrieve(asked, workspace_id="algorithms-practice", min_relevance=0.5)
    assert found.memories[0].id == stored.memory_id


def test_a_long_piece_is_stored_without_waiting_for_its_vectors(
    open_engine: OpenEngine, embedder: HashingEmbedder
) -> None:
    engine = open_engine(embedder=embedder, embed_on_demand=0)
    engine.coding.store("\n\n".join(f"def step_{number}():\n    return {number}" for number in range(2_000)))
    assert engine.embedding.coverage() == (0, 1)
