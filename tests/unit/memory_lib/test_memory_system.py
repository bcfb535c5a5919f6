"""The general facade: what document 000 says of MemorySystem."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from memory_lib.general import MemorySystem


async def model(prompt: str) -> str:
    """Hold whatever names FastAPI in the memory itself for relevant."""
    is_relevant = "FastAPI" in prompt.split("Memory:")[1].split("Metadata:")[0]
    return "Score: 0.9\nReason: names it" if is_relevant else "Score: 0.1\nReason: does not"


@pytest.mark.promise("G13")
def test_memories_are_kept_changed_and_deleted(tmp_path: Path) -> None:
    with MemorySystem(model, str(tmp_path / "app.db")) as system:
        name = system.add_memory("FastAPI is a modern Python web framework", metadata={"topic": "web"})
        row = system.get_memory(name)
        assert row is not None
        assert row["metadata"] == {"topic": "web"}
        assert system.update_memory(name, text="FastAPI is a web framework")
        assert system.get_memory(name) == {**row, "text": "FastAPI is a web framework"}
        assert system.delete_memory(name)
        assert system.get_memory(name) is None
        assert (system.update_memory(name, text="x"), system.delete_memory(name)) == (False, False)


@pytest.mark.promise("G13")
def test_a_query_gives_the_primary_model_the_documented_prompt(tmp_path: Path) -> None:
    prompts: list[str] = []

    async def primary(prompt: str) -> str:
        prompts.append(prompt)
        return "an answer"

    with MemorySystem(model, str(tmp_path / "app.db")) as system:
        system.add_memory("FastAPI is a modern Python web framework", metadata={"topic": "web"})
        system.add_memory("Bananas are yellow")
        found = asyncio.run(system.retrieve_relevant_memories("web frameworks"))
        assert [row.text for row in found] == ["FastAPI is a modern Python web framework"]
        assert system.format_memories_for_prompt(found, include_scores=False).startswith("Memory 1:\n")
        assert asyncio.run(system.query("web frameworks", "Build a REST API", primary)) == "an answer"
    assert prompts == [
        (
            "Relevant context:\n"
            "Memory 1 (Relevance: 0.90):\n"
            "FastAPI is a modern Python web framework\n"
            "[Metadata: topic=web]\n\n"
            "Task: Build a REST API"
        )
    ]


@pytest.mark.promise("G13")
def test_statistics_and_settings(tmp_path: Path) -> None:
    with MemorySystem(model, str(tmp_path / "app.db"), relevance_threshold=0.75, max_memories=15) as system:
        system.add_memory("one")
        assert system.get_stats() == {
            "total_memories": 1,
            "relevance_threshold": 0.75,
            "max_memories": 15,
            "batch_size": 10,
            "retry_attempts": 3,
            "retry_delay": 1.0,
        }
        system.update_retrieval_config(relevance_threshold=0.85, max_memories=20)
        assert system.get_stats()["relevance_threshold"] == 0.85
        assert system.get_stats()["max_memories"] == 20


@pytest.mark.promise("G13")
def test_a_setting_that_does_not_exist_is_refused_and_nothing_stays_open(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="treshold"):
        MemorySystem(model, str(tmp_path / "app.db"), treshold=0.75)


@pytest.mark.promise("G13")
def test_without_a_model_the_memories_are_recalled_where_they_are_kept(tmp_path: Path) -> None:
    with MemorySystem(None, str(tmp_path / "app.db"), relevance_threshold=0.5) as system:
        wanted = system.add_memory("The release is built on Fridays by the nightly job")
        system.add_memory("Bananas are cheaper at the market on Saturdays")
        found = asyncio.run(system.retrieve_relevant_memories("when is the release built?"))
        assert [row.memory_id for row in found] == [wanted]
        system.update_memory(wanted, text="Lunch is at noon")
        assert asyncio.run(system.retrieve_relevant_memories("when is the release built?")) == []
    assert sorted(path.name for path in tmp_path.iterdir() if path.name.startswith("app")) == ["app.db"]


def test_more_vectors_than_a_question_waits_for_are_made_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RECOLLECT_EMBED_ON_DEMAND", "1")
    with MemorySystem(None, str(tmp_path / "app.db"), relevance_threshold=0.3) as system:
        embedding = system.storage.store.engine.embedding
        wanted = system.add_memory("The release is built on Fridays by the nightly job")
        asyncio.run(system.retrieve_relevant_memories("when is the release built?"))
        assert not embedding.running
        for number in range(3):
            system.add_memory(f"Bananas are cheaper at market {number} on Saturdays")
        found = asyncio.run(system.retrieve_relevant_memories("when is the release built?"))
        assert found[0].memory_id == wanted
        assert embedding.running
    assert not embedding.running


def test_a_model_that_is_asked_about_everything_needs_no_vectors(tmp_path: Path) -> None:
    with MemorySystem(model, str(tmp_path / "app.db")) as system:
        system.add_memory("FastAPI is a modern Python web framework")
        assert len(asyncio.run(system.retrieve_relevant_memories("web frameworks"))) == 1
        assert system.storage.store.engine.embedding.coverage() == (0, 1)


# Questions of document 000, or in its manner, and what answers them.
KNOWN = (
    "Python uses duck typing",
    "FastAPI is a modern Python web framework",
    "Releases happen every second Tuesday",
    "The cat of the office is called Ada",
    "PostgreSQL listens on port 5433 in staging",
    "Use exponential backoff when the payment API returns 429",
    "Our logo is blue",
)
ASKED = {
    "Explain Python typing": KNOWN[0],
    "How do I build a REST API?": KNOWN[1],
    "User asking about web frameworks": KNOWN[1],
    "when is the next release?": KNOWN[2],
    "who is the office pet": KNOWN[3],
    "which database port does staging use": KNOWN[4],
    "what to do about rate limits": KNOWN[5],
    "what colour is the logo": KNOWN[6],
}


@pytest.mark.promise("G13")
def test_without_a_model_the_default_threshold_answers_and_leaves_out_the_unrelated(tmp_path: Path) -> None:
    with MemorySystem(None, str(tmp_path / "app.db")) as system:
        for text in KNOWN:
            system.add_memory(text)
        found = {query: asyncio.run(system.retrieve_relevant_memories(query)) for query in ASKED}
        assert {query: rows[0].text if rows else "" for query, rows in found.items()} == ASKED
        assert all(len(rows) <= 2 for rows in found.values())
        for query in ("recipe for chocolate cake", "zzz nothing"):
            assert asyncio.run(system.retrieve_relevant_memories(query)) == []
        assert system.get_stats()["relevance_threshold"] == 0.1
        system.update_retrieval_config(relevance_threshold=0.7)
        assert asyncio.run(system.retrieve_relevant_memories("what to do about rate limits")) == []
    with MemorySystem(None, str(tmp_path / "app.db"), relevance_threshold=0.7) as given:
        assert given.get_stats()["relevance_threshold"] == 0.7, "a given number stays"
