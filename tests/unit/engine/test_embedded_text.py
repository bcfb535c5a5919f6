"""Enriched vectors: made of what a memory belongs to, apart from others, and made anew when that changes."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import pytest
from tests.fakes import HashingEmbedder

from recollect import Engine
from recollect.engine.models.embedded_text import FEW, STEP
from recollect.model import Node

Open = Callable[..., Engine]


def embedded(embedder: HashingEmbedder, engine: Engine) -> list[str]:
    """What is embedded now, sorted."""
    embedder.embedded.clear()
    engine.embedding.catch_up()
    return sorted(embedder.embedded)


@pytest.fixture(params=["lean", "documented"])
def linked(request: pytest.FixtureRequest, open_engine: Open, embedder: HashingEmbedder) -> Engine:
    """An engine that embeds links."""
    return open_engine(embedder=embedder, enrichment=request.param)


@pytest.mark.parametrize(
    ("enrichment", "expected"),
    [
        ("off", ["Cache\nThe cache", "Note\nIt is bounded"]),
        ("lean", ["Cache\nThe cache", "Cache; perf\nNote\nIt is bounded"]),
        (
            "documented",
            [
                "[context]\nRelated: <- Note (PART_OF)\nCache\nThe cache",
                "[decision] [namespace:app] [tags:perf,ext:rs]\nRelated: -> Cache (PART_OF)\nNote\nIt is bounded",
            ],
        ),
    ],
)
def test_a_memory_is_embedded_under_what_it_belongs_to(
    open_engine: Open, embedder: HashingEmbedder, enrichment: str, expected: list[str]
) -> None:
    engine = open_engine(embedder=embedder, enrichment=enrichment)
    hub = engine.memories.store("The cache", title="Cache").memory.id
    note = engine.memories.store(
        "It is bounded", title="Note", memory_type="decision", namespace="app", tags=("perf", "ext:rs")
    ).memory.id
    engine.memories.associate(note, hub, relationship="PART_OF")
    assert embedded(embedder, engine) == expected


def test_every_passage_of_a_long_memory_is_enriched(open_engine: Open, embedder: HashingEmbedder) -> None:
    engine = open_engine(embedder=embedder, enrichment="lean")
    engine.memories.store("\n\n".join(["Words that say nothing in particular. " * 24] * 3), tags=("perf",))
    texts = embedded(embedder, engine)
    assert len(texts) == 3
    assert all(text.startswith("perf\n") for text in texts)


def test_the_strongest_links_are_named_first(open_engine: Open, embedder: HashingEmbedder) -> None:
    engine = open_engine(embedder=embedder, enrichment="lean")
    note = engine.memories.store("The note").memory.id
    for number in range(12):
        other = engine.memories.store(f"Other {number}").memory.id
        engine.memories.associate(note, other, weight=(number + 1) / 12)
    text = next(text for text in embedded(embedder, engine) if text.endswith("The note"))
    assert text == "; ".join(f"Other {number}" for number in range(11, 3, -1)) + "\nThe note"


@pytest.mark.parametrize(("weight", "expected"), [(0.6, "The note"), (0.9, "The old note\nThe note")])
def test_a_possible_change_is_named_only_if_it_is_probable(
    open_engine: Open, embedder: HashingEmbedder, weight: float, expected: str
) -> None:
    engine = open_engine(embedder=embedder, enrichment="lean")
    old, new = (engine.memories.store(text).memory.id for text in ("The old note", "The note"))
    engine.memories.associate(new, old, relationship="CONTRADICTS", weight=weight)
    assert embedded(embedder, engine) == sorted([expected, "The old note"])


# --- apart from others ---


def test_vectors_of_different_enrichments_do_not_meet(open_engine: Open) -> None:
    ids = []
    for enrichment in ("off", "lean", "documented"):
        engine = open_engine(embedder=HashingEmbedder(), enrichment=enrichment)
        if enrichment == "off":
            for number in range(4):
                engine.memories.store(f"needle number {number}", tags=("sewing",))
        assert engine.embedding.coverage() == (0, 4)
        assert engine.admin.stats().pending_embeddings == 4
        engine.embedding.catch_up()
        assert engine.embedding.coverage() == (4, 4)
        assert engine.recall.search("needle").mode == "hybrid"
        ids.append(engine.embedding.model_id)
    assert len(set(ids)) == 3
    assert ids[0] == HashingEmbedder().model_id


def test_after_a_change_of_enrichment_search_is_by_words_until_most_vectors_are_new(
    open_engine: Open, embedder: HashingEmbedder
) -> None:
    first = open_engine(embedder=embedder, enrichment="off")
    for number in range(4):
        first.memories.store(f"needle number {number}")
    first.embedding.catch_up()
    other = open_engine(embedder=embedder, enrichment="documented", embed_on_demand=1)
    assert other.recall.search("needle").mode == "lexical"
    other.embedding.catch_up()
    assert other.recall.search("needle").mode == "hybrid"
    assert first.recall.search("needle").mode == "hybrid"


# --- made anew ---


def test_a_new_link_embeds_the_memories_at_its_ends_again(linked: Engine, embedder: HashingEmbedder) -> None:
    a, b, _ = (linked.memories.store(name, tags=("x",)).memory.id for name in ("First", "Second", "Third"))
    assert len(embedded(embedder, linked)) == 3
    assert embedded(embedder, linked) == []
    linked.memories.associate(a, b)
    texts = embedded(embedder, linked)
    assert len(texts) == (1 if linked.settings.enrichment == "lean" else 2)
    assert any("Second" in text and text.endswith("First") for text in texts)
    assert embedded(embedder, linked) == []


def test_links_that_are_not_embedded_change_no_vectors(open_engine: Open, embedder: HashingEmbedder) -> None:
    engine = open_engine(embedder=embedder, enrichment="lean")
    a, b = (engine.memories.store(name).memory.id for name in ("First", "Second"))
    embedded(embedder, engine)
    engine.memories.associate(a, b, relationship="SIMILAR_TO")
    assert embedded(embedder, engine) == []
    engine.memories.associate(a, b, relationship="PART_OF")
    assert embedded(embedder, engine) == ["Second\nFirst"]


def test_a_deleted_or_restored_link_embeds_its_memories_again(linked: Engine, embedder: HashingEmbedder) -> None:
    a, b = (linked.memories.store(name).memory.id for name in ("First", "Second"))
    linked.memories.associate(a, b)

    def first() -> list[str]:
        return [text for text in embedded(embedder, linked) if text.endswith("First")]

    (with_link,) = first()
    linked.admin.undo()
    (without,) = first()
    assert with_link != without
    linked.memories.associate(a, b)
    assert first() == [with_link]
    linked.memories.delete(b)
    assert first() == [without]


def test_changed_tags_and_type_embed_the_memory_again(linked: Engine, embedder: HashingEmbedder) -> None:
    memory = linked.memories.store("First", tags=("old",)).memory.id
    embedded(embedder, linked)
    linked.memories.update(memory, tags=("new",))
    (text,) = embedded(embedder, linked)
    assert "new" in text
    assert "old" not in text


def test_a_link_to_what_was_renamed_is_embedded_by_its_new_name(linked: Engine, embedder: HashingEmbedder) -> None:
    a, b = (linked.memories.store(name).memory.id for name in ("First", "Second"))
    linked.memories.associate(a, b)
    embedded(embedder, linked)
    with linked.store.transaction("test") as transaction:
        transaction.update(Node, f"mem:{b}", {"centrality": 0.5})
    assert embedded(embedder, linked) == []
    with linked.store.transaction("test") as transaction:
        transaction.update(Node, f"mem:{b}", {"label": "Renamed"})
    assert any("Renamed" in text and text.endswith("First") for text in embedded(embedder, linked))


def test_the_vector_that_a_search_compares_is_the_new_one(open_engine: Open, embedder: HashingEmbedder) -> None:
    engine = open_engine(embedder=embedder, enrichment="lean")
    a, b = (engine.memories.store(name).memory.id for name in ("First", "Second"))
    engine.embedding.catch_up()
    question = embedder.embed(["Second First"])[0]

    def cosine() -> float:
        found = engine.store.search_vectors(engine.embedding.model_id, question, None, 10)
        return next(match.score for match in found if match.id == a)

    before = cosine()
    engine.memories.associate(a, b)
    engine.recall.search("anything")  # nobody else makes vectors here
    assert cosine() == pytest.approx(1.0, abs=0.01)
    assert before < 0.9


def test_links_that_another_process_made_are_seen(open_engine: Open, embedder: HashingEmbedder) -> None:
    engine = open_engine(embedder=embedder, enrichment="lean")
    a, b = (engine.memories.store(name).memory.id for name in ("First", "Second"))
    engine.embedding.catch_up()
    open_engine(embedder=HashingEmbedder(), enrichment="off").memories.associate(a, b)
    later = open_engine(embedder=embedder, enrichment="lean")
    assert embedded(embedder, later) == ["Second\nFirst"]
    assert embedded(embedder, engine) == ["Second\nFirst"]  # it cannot know that somebody has done it
    assert embedded(embedder, open_engine(embedder=embedder, enrichment="lean")) == []


def test_very_many_changes_are_read_to_the_end_and_not_again(open_engine: Open, embedder: HashingEmbedder) -> None:
    engine = open_engine(embedder=embedder, enrichment="lean")
    ids = [engine.memories.store(f"Note {number}").memory.id for number in range(3 * FEW)]
    embedded(embedder, engine)
    for source, target in pairwise(ids):
        engine.memories.associate(source, target)
    assert len(set(embedded(embedder, engine))) == len(ids) - 1  # the last one links to nothing
    later = open_engine(embedder=embedder, enrichment="lean")
    assert embedded(embedder, later) == []
    for number in range(STEP):
        engine.memories.store(f"More {number}")
    assert len(embedded(embedder, later)) == STEP
    key = f"links_embedded/{later.embedding.model_id}"
    assert engine.store.generation()[2] - int(engine.store.setting(key) or 0) < STEP


def test_a_search_makes_few_vectors_of_links_at_a_time(open_engine: Open, embedder: HashingEmbedder) -> None:
    engine = open_engine(embedder=embedder, enrichment="lean", embed_on_demand=4)
    ids = [engine.memories.store(f"Note {number}").memory.id for number in range(3 * FEW)]
    engine.embedding.catch_up()
    for source, target in pairwise(ids):
        engine.memories.associate(source, target)
    embedder.embedded.clear()
    engine.recall.search("note")
    assert 4 <= sum(text.startswith("Note") for text in embedder.embedded) <= 2 * FEW + 4
    engine.embedding.catch_up()
    assert len({text for text in embedder.embedded if text.startswith("Note")}) == len(ids) - 1


def test_where_links_are_not_embedded_the_log_is_not_read(open_engine: Open, embedder: HashingEmbedder) -> None:
    engine = open_engine(embedder=embedder, enrichment="off")
    a, b = (engine.memories.store(name, tags=("x",)).memory.id for name in ("First", "Second"))
    assert embedded(embedder, engine) == ["First", "Second"]
    engine.memories.associate(a, b)
    assert embedded(embedder, engine) == []
    assert engine.store.setting(f"links_embedded/{engine.embedding.model_id}") is None


def test_an_embedder_that_fails_halfway_leaves_the_rest_to_the_next(linked: Engine, embedder: HashingEmbedder) -> None:
    a, b = (linked.memories.store(name).memory.id for name in ("First", "Second"))
    linked.embedding.catch_up()
    linked.memories.associate(a, b)
    embedder.failing = True
    assert linked.recall.search("First").hits
    embedder.failing = False
    linked.embedding.try_now()
    assert any(text.endswith("First") for text in embedded(embedder, linked))
