"""Scoring, selecting and formatting memories: what document 000 says of MemoryRetrieval."""

from __future__ import annotations

import asyncio
import dataclasses
import inspect
from typing import Any

import pytest

from memory_lib.general import MemoryRetrieval, ScoredMemory

TYPING = {
    "id": "1",
    "text": "Python uses dynamic typing",
    "metadata": {"language": "python", "topic": "typing"},
    "timestamp": "2024-01-15T10:30:00Z",
}


def memories(count: int) -> list[dict[str, Any]]:
    return [{"id": str(n), "text": f"memory {n}", "metadata": {}, "timestamp": ""} for n in range(count)]


def scored(score: float, text: str = "x", metadata: dict[str, Any] | None = None) -> ScoredMemory:
    return ScoredMemory("id", text, metadata, "2024-01-15T10:30:00Z", score, "because")


def answering(*answers: str | Exception) -> tuple[Any, list[str]]:
    """Return a model that gives these answers in turn, the last one for ever, and the prompts it was asked."""
    asked: list[str] = []

    async def model(prompt: str) -> str:
        asked.append(prompt)
        answer = answers[min(len(asked), len(answers)) - 1]
        if isinstance(answer, Exception):
            raise answer
        return answer

    return model, asked


@pytest.fixture
def slept(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds that were asked to be waited; nothing waits."""
    waited: list[float] = []

    async def sleep(seconds: float) -> None:
        waited.append(seconds)

    monkeypatch.setattr(asyncio, "sleep", sleep)
    return waited


@pytest.mark.promise("G7")
def test_the_defaults_are_those_of_the_document() -> None:
    parameters = inspect.signature(MemoryRetrieval).parameters
    defaults = {name: each.default for name, each in parameters.items() if each.kind is each.POSITIONAL_OR_KEYWORD}
    assert defaults == {
        "small_model_fn": inspect.Parameter.empty,
        "relevance_threshold": 0.7,
        "max_memories": 10,
        "batch_size": 10,
        "retry_attempts": 3,
        "retry_delay": 1.0,
    }


@pytest.mark.promise("G7")
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("relevance_threshold", 1.1),
        ("relevance_threshold", "high"),
        ("max_memories", 0),
        ("max_memories", 2.5),
        ("batch_size", 0),
        ("batch_size", True),
        ("retry_attempts", -1),
        ("retry_delay", -0.5),
        ("retry_delay", float("nan")),
    ],
)
def test_a_setting_out_of_its_range_is_a_value_error(name: str, value: object) -> None:
    with pytest.raises(ValueError, match=name):
        MemoryRetrieval(None, **{name: value})  # type: ignore[arg-type]
    retrieval = MemoryRetrieval(None)
    with pytest.raises(ValueError, match=name):
        retrieval.update_config(**{"max_memories": 3, "batch_size": 3, name: value})
    assert (retrieval.max_memories, retrieval.batch_size) == (10, 10)


@pytest.mark.promise("G7")
def test_a_model_that_cannot_be_called_is_refused() -> None:
    with pytest.raises(TypeError, match="small_model_fn"):
        MemoryRetrieval("gpt")  # type: ignore[arg-type]


@pytest.mark.promise("G8")
def test_the_model_is_asked_in_the_words_of_the_document() -> None:
    model, asked = answering("Score: 0.95\nReason: It is about typing.")
    (found,) = asyncio.run(MemoryRetrieval(model).score_all_memories("Explain Python typing", [TYPING]))
    assert asked == [
        (
            "Context: Explain Python typing\n\n"
            "Memory: Python uses dynamic typing\n"
            "Metadata: language=python, topic=typing\n\n"
            "Is this memory relevant to the context? Rate its relevance from 0 to 1.\n"
            "Score: <number 0-1>\n"
            "Reason: <brief explanation>"
        )
    ]
    assert found == ScoredMemory(
        "1",
        "Python uses dynamic typing",
        {"language": "python", "topic": "typing"},
        "2024-01-15T10:30:00Z",
        0.95,
        "It is about typing.",
    )


@pytest.mark.promise("G8")
@pytest.mark.parametrize(
    ("answer", "score", "reason"),
    [
        ("Score: 0.5\nReason: half", 0.5, "half"),
        ("score:1", 1.0, ""),
        ("Score: 7.3\nReason: too much", 1.0, "too much"),
        ("Score: -0.2\nReason: too little", 0.0, "too little"),
        ("Sure!\n\n**Score:** 0.8\n**Reason:** bold", 0.8, "bold"),
        ("Score: 0.85.\nReason: a full stop", 0.85, "a full stop"),
        ("Score: 8/10\nReason: out of ten", 0.8, "out of ten"),
    ],
)
def test_score_and_reason_are_read_and_clamped(answer: str, score: float, reason: str) -> None:
    model, _ = answering(answer)
    (found,) = asyncio.run(MemoryRetrieval(model).score_all_memories("context", memories(1)))
    assert (found.relevance_score, found.reasoning) == (score, reason)


@pytest.mark.promise("G8")
@pytest.mark.parametrize(("batch_size", "count"), [(1, 5), (4, 20), (10, 3)])
def test_as_many_calls_run_at_a_time_as_the_batch_size_says(batch_size: int, count: int) -> None:
    running = most = 0

    async def model(prompt: str) -> str:
        nonlocal running, most
        running += 1
        most = max(most, running)
        for _ in range(3):
            await asyncio.sleep(0)
        running -= 1
        number = int(prompt.split("Memory: memory ")[1].split("\n")[0])
        return f"Score: 0.{number:02}\nReason: {number}"

    found = asyncio.run(MemoryRetrieval(model, batch_size=batch_size).score_all_memories("context", memories(count)))
    assert most == min(batch_size, count)
    assert [row.reasoning for row in found] == [str(number) for number in range(count)]


@pytest.mark.promise("G8")
def test_cancelling_stops_the_calls_under_way_and_begins_no_more() -> None:
    begun: list[str] = []
    ended: list[str] = []

    async def model(prompt: str) -> str:
        begun.append(prompt)
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(prompt)
        return ""

    async def cancelled() -> int:
        retrieval = MemoryRetrieval(model, batch_size=4)
        task = asyncio.create_task(retrieval.retrieve_relevant_memories("context", memories(20)))
        while len(begun) < 4:
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return len(asyncio.all_tasks())

    assert asyncio.run(cancelled()) == 1  # the one that asks
    assert len(begun) == len(ended) == 4


@pytest.mark.promise("G9")
def test_a_failed_call_is_tried_again_after_twice_as_long_each_time(slept: list[float]) -> None:
    model, asked = answering(OSError("down"), OSError("down"), "no idea", "Score: 0.9\nReason: at last")
    (found,) = asyncio.run(MemoryRetrieval(model, retry_delay=0.5).score_all_memories("context", memories(1)))
    assert (found.relevance_score, found.reasoning) == (0.9, "at last")
    assert slept == [0.5, 1.0, 2.0]
    assert len(asked) == 4


@pytest.mark.promise("G9")
def test_one_memory_that_cannot_be_scored_costs_the_others_nothing(slept: list[float]) -> None:
    async def model(prompt: str) -> str:
        if "memory 2\n" in prompt:
            raise ConnectionError("the line is dead")
        return "Score: 0.9\nReason: fine"

    retrieval = MemoryRetrieval(model, retry_attempts=2)
    found = asyncio.run(retrieval.score_all_memories("context", memories(4)))
    assert [row.relevance_score for row in found] == [0.9, 0.9, 0.0, 0.9]
    assert found[2].reasoning == "Scoring failed: the line is dead"
    assert len(slept) == 2


@pytest.mark.promise("G9")
def test_without_retries_the_model_is_asked_once(slept: list[float]) -> None:
    model, asked = answering(OSError("down"))
    asyncio.run(MemoryRetrieval(model, retry_attempts=0).score_all_memories("context", memories(1)))
    assert (len(asked), slept) == (1, [])


@pytest.mark.promise("G10")
def test_what_is_retrieved_reaches_the_threshold_is_sorted_and_cut() -> None:
    scores = {"memory 0": 0.2, "memory 1": 0.7, "memory 2": 0.95, "memory 3": 0.69, "memory 4": 0.8}

    async def model(prompt: str) -> str:
        return f"Score: {next(score for text, score in scores.items() if text in prompt)}\nReason: so"

    retrieval = MemoryRetrieval(model, max_memories=2)
    found = asyncio.run(retrieval.retrieve_relevant_memories("context", memories(5)))
    assert [(row.text, row.relevance_score) for row in found] == [("memory 2", 0.95), ("memory 4", 0.8)]
    retrieval.update_config(max_memories=10)
    found = asyncio.run(retrieval.retrieve_relevant_memories("context", memories(5)))
    assert [row.text for row in found] == ["memory 2", "memory 4", "memory 1"]
    assert asyncio.run(retrieval.retrieve_relevant_memories("context", [])) == []


@pytest.mark.promise("G10")
def test_without_a_model_the_recall_of_recollect_is_the_score() -> None:
    rows = [
        {"id": "a", "text": "The login page hands out a JWT token that expires after an hour"},
        {"id": "b", "text": "Bananas are cheaper at the market on Saturdays"},
        {"id": "c", "text": "Our authentication uses JWT tokens for every request"},
    ]
    retrieval = MemoryRetrieval(None, relevance_threshold=0.0)
    found = asyncio.run(retrieval.score_all_memories("How does authentication with JWT tokens work?", rows))
    by_id = {row.memory_id: row for row in found}
    assert [row.memory_id for row in found] == ["a", "b", "c"]
    assert by_id["c"].relevance_score > 0.7 > by_id["b"].relevance_score
    assert "JWT" in by_id["c"].reasoning
    best = asyncio.run(retrieval.retrieve_relevant_memories("How does authentication with JWT tokens work?", rows))
    assert best[0].memory_id == "c"
    assert asyncio.run(retrieval.score_all_memories("  ", rows))[0].relevance_score == 0.0
    retrieval.close()


@pytest.mark.promise("G11")
def test_selecting_keeps_what_is_as_good_as_the_threshold_and_the_order_of_equals() -> None:
    retrieval = MemoryRetrieval(None, relevance_threshold=0.5, max_memories=3)
    rows = [scored(0.5, "a"), scored(0.9, "b"), scored(0.49, "c"), scored(0.9, "d"), scored(0.6, "e")]
    assert [row.text for row in retrieval.filter_and_select(rows)] == ["b", "d", "e"]
    assert [row.text for row in rows] == ["a", "b", "c", "d", "e"]


@pytest.mark.promise("G11")
def test_memories_are_formatted_as_the_document_shows() -> None:
    retrieval = MemoryRetrieval(None)
    rows = [scored(0.95, TYPING["text"], TYPING["metadata"]), scored(0.816, "Second")]  # type: ignore[arg-type]
    assert retrieval.format_memories_for_prompt(rows) == (
        "Memory 1 (Relevance: 0.95):\n"
        "Python uses dynamic typing\n"
        "[Metadata: language=python, topic=typing]\n\n"
        "Memory 2 (Relevance: 0.82):\n"
        "Second"
    )
    assert retrieval.format_memories_for_prompt(rows, include_scores=False) == (
        "Memory 1:\nPython uses dynamic typing\n[Metadata: language=python, topic=typing]\n\nMemory 2:\nSecond"
    )
    assert retrieval.format_memories_for_prompt([]) == ""


@pytest.mark.promise("G11")
def test_the_configuration_changes_while_it_runs() -> None:
    retrieval = MemoryRetrieval(None)
    new = {
        "relevance_threshold": 0.9, "max_memories": 3, "batch_size": 2, "retry_attempts": 5, "retry_delay": 0.1,
    }  # fmt: skip
    retrieval.update_config(**new)
    assert {name: getattr(retrieval, name) for name in new} == new
    with pytest.raises(ValueError, match="treshold"):
        retrieval.update_config(treshold=0.5)


@pytest.mark.promise("G12")
def test_a_scored_memory_is_a_dataclass_with_the_documented_fields() -> None:
    assert [field.name for field in dataclasses.fields(ScoredMemory)] == [
        "memory_id", "text", "metadata", "timestamp", "relevance_score", "reasoning",
    ]  # fmt: skip
    assert scored(0.5) == scored(0.5)
