"""Cached and boosted scores: CodeMemoryRetrieval of document 000."""

from __future__ import annotations

import asyncio
import dataclasses
import inspect
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from memory_lib.codebase import CodeContext, CodeMemoryRetrieval
from memory_lib.codebase.code_storage import CodeMemoryStorage
from memory_lib.general import ScoredMemory

LONG_AGO = "2001-01-01T00:00:00Z"


def code(name: str, path: str = "src/auth.py", **fields: Any) -> dict[str, Any]:
    return {
        "id": name,
        "type": "code",
        "file_path": path,
        "entity_name": name,
        "code_snippet": f"def {name}(): ...",
        "dependencies": [],
        "last_modified": LONG_AGO,
        "timestamp": LONG_AGO,
        "metadata": {},
        **fields,
    }


class Model:
    """Scores by the name of an entity, and counts."""

    def __init__(self, **scores: float) -> None:
        self.scores = scores
        self.prompts: list[str] = []

    async def __call__(self, prompt: str) -> str:
        self.prompts.append(prompt)
        name = prompt.split("Memory: def ")[1].split("(")[0]
        return f"Score: {self.scores[name]}\nReason: {name}"


def retrieve(retrieval: CodeMemoryRetrieval, memories: list[dict[str, Any]], **hashes: str) -> dict[str, float]:
    paths = {name.replace("_", "/") + ".py": value for name, value in hashes.items()}
    found = asyncio.run(retrieval.retrieve_code_memories("fix the login", memories, paths))
    return {row.memory_id: round(row.relevance_score, 4) for row in found}


@pytest.fixture(params=["process", "database"])
def kept(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[dict[str, Any]]:
    """Arguments that choose where scores are remembered."""
    if request.param == "process":
        yield {}
        return
    with CodeMemoryStorage(str(tmp_path / "code.db")) as storage:
        yield {"store": storage.store}


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time, to be set."""
    moment = [1_800_000_000.0]
    monkeypatch.setattr("time.time", lambda: moment[0])
    return moment


@pytest.mark.promise("C8", "C9")
def test_the_defaults_are_those_of_the_document() -> None:
    parameters = inspect.signature(CodeMemoryRetrieval).parameters
    assert {name: each.default for name, each in parameters.items() if name not in ("small_model_fn", "kwargs")} == {
        "enable_caching": True,
        "enable_dependency_boost": True,
        "enable_recency_boost": True,
        "dependency_boost_amount": 0.15,
        "recency_boost_amount": 0.10,
        "recency_days": 7,
    }


@pytest.mark.promise("C8")
def test_a_score_is_asked_for_once_per_context_memory_and_hash(kept: dict[str, Any]) -> None:
    model = Model(login=0.9, logout=0.1)
    retrieval = CodeMemoryRetrieval(model, **kept)
    rows = [code("login"), code("logout")]
    assert retrieval.get_cache_stats() == {"size": 0, "hit_rate": 0.0}
    assert retrieve(retrieval, rows, src_auth="1") == {"login": 0.9}
    assert retrieve(retrieval, rows, src_auth="1") == {"login": 0.9}
    assert len(model.prompts) == 2
    assert retrieval.get_cache_stats() == {"size": 2, "hit_rate": 50.0}
    assert retrieve(retrieval, rows, src_auth="2") == {"login": 0.9}  # the file has changed
    assert len(model.prompts) == 4
    asyncio.run(retrieval.retrieve_code_memories("another question", rows, {"src/auth.py": "2"}))
    assert len(model.prompts) == 6
    assert retrieval.get_cache_stats()["size"] == 6


@pytest.mark.promise("C8")
def test_a_remembered_score_comes_with_its_reason(kept: dict[str, Any]) -> None:
    retrieval = CodeMemoryRetrieval(Model(login=0.9), **kept)
    first, second = (asyncio.run(retrieval.retrieve_code_memories("x", [code("login")])) for _ in range(2))
    assert first == second
    assert first[0].reasoning == "login"


@pytest.mark.promise("C8")
def test_a_score_holds_for_an_hour(kept: dict[str, Any], now: list[float]) -> None:
    model = Model(login=0.9)
    retrieval = CodeMemoryRetrieval(model, **kept)
    retrieve(retrieval, [code("login")])
    now[0] += 3599
    retrieve(retrieval, [code("login")])
    assert len(model.prompts) == 1
    now[0] += 1
    retrieve(retrieval, [code("login")])
    assert len(model.prompts) == 2
    retrieve(retrieval, [code("login")])
    assert (len(model.prompts), retrieval.get_cache_stats()["size"]) == (2, 1)


@pytest.mark.promise("C8")
def test_scores_are_forgotten_by_file_or_all_at_once(kept: dict[str, Any]) -> None:
    model = Model(login=0.9, save=0.8)
    retrieval = CodeMemoryRetrieval(model, **kept)
    rows = [code("login"), code("save", "src/store.py")]
    retrieve(retrieval, rows)
    retrieval.invalidate_cache_for_file("src/auth.py")
    retrieval.invalidate_cache_for_file("src/nobody.py")
    assert retrieval.get_cache_stats()["size"] == 1
    retrieve(retrieval, rows)
    assert len(model.prompts) == 3
    retrieval.clear_cache()
    assert retrieval.get_cache_stats() == {"size": 0, "hit_rate": 0.0}
    retrieve(retrieval, rows)
    assert len(model.prompts) == 5


@pytest.mark.promise("C8")
def test_without_a_cache_nothing_is_remembered(kept: dict[str, Any]) -> None:
    model = Model(login=0.9)
    retrieval = CodeMemoryRetrieval(model, enable_caching=False, **kept)
    for _ in range(2):
        assert retrieve(retrieval, [code("login")]) == {"login": 0.9}
    assert (len(model.prompts), retrieval.get_cache_stats()["size"]) == (2, 0)


@pytest.mark.promise("C8")
def test_a_failure_is_not_remembered(kept: dict[str, Any]) -> None:
    asked = 0

    async def model(prompt: str) -> str:
        nonlocal asked
        asked += 1
        if asked == 1:
            raise ConnectionError("down")
        return "Score: 0.9"

    retrieval = CodeMemoryRetrieval(model, retry_attempts=0, **kept)
    assert retrieve(retrieval, [code("login")]) == {}
    assert retrieve(retrieval, [code("login")]) == {"login": 0.9}


@pytest.mark.promise("C8")
def test_what_was_said_before_a_cancellation_is_remembered(kept: dict[str, Any]) -> None:
    asked: list[str] = []

    async def model(prompt: str) -> str:
        asked.append(prompt)
        if "def slow" in prompt:
            await asyncio.Event().wait()
        return "Score: 0.9\nReason: quick"

    retrieval = CodeMemoryRetrieval(model, **kept)

    async def cancelled() -> None:
        rows = [code("quick"), code("slow")]
        task = asyncio.create_task(retrieval.retrieve_code_memories("x", rows))
        while len(asked) < 2:
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancelled())
    assert retrieval.get_cache_stats()["size"] == 1
    assert len(asyncio.run(retrieval.retrieve_code_memories("x", [code("quick")]))) == 1
    assert len(asked) == 2


@pytest.mark.promise("C9")
def test_what_relevant_code_depends_on_is_raised(kept: dict[str, Any]) -> None:
    model = Model(login=0.9, decode=0.6, other=0.6, top=0.95)
    rows = [
        code("login", dependencies=["decode", "top", "nowhere"]),
        code("decode", dependencies=["other"]),
        code("other"),
        code("top"),
    ]
    retrieval = CodeMemoryRetrieval(model, **kept)
    # `decode` was not relevant by itself, so what it depends on is not raised.
    assert retrieve(retrieval, rows) == {"top": 1.0, "login": 0.9, "decode": 0.75}
    off = CodeMemoryRetrieval(model, enable_dependency_boost=False, **kept)
    assert retrieve(off, rows) == {"top": 0.95, "login": 0.9}
    more = CodeMemoryRetrieval(model, dependency_boost_amount=0.2, **kept)
    assert retrieve(more, rows)["decode"] == 0.8


@pytest.mark.promise("C9")
def test_what_was_changed_lately_is_raised() -> None:
    today = datetime.now(UTC)
    model = Model(new=0.65, old=0.65, top=0.95, unknown=0.65, naive=0.65)
    rows = [
        code("new", last_modified=(today - timedelta(days=6)).isoformat()),
        code("old", last_modified=(today - timedelta(days=8)).isoformat()),
        code("top", last_modified=today.strftime("%Y-%m-%dT%H:%M:%SZ")),
        code("unknown", last_modified="yesterday"),
        code("naive", last_modified=(today - timedelta(days=1)).replace(tzinfo=None).isoformat()),
    ]
    assert retrieve(CodeMemoryRetrieval(model), rows) == {"top": 1.0, "new": 0.75, "naive": 0.75}
    assert retrieve(CodeMemoryRetrieval(model, enable_recency_boost=False), rows) == {"top": 0.95}
    longer = retrieve(CodeMemoryRetrieval(model, recency_days=14, recency_boost_amount=0.3), rows)
    assert longer == {"top": 1.0, "new": 0.95, "old": 0.95, "naive": 0.95}


@pytest.mark.promise("C10")
def test_a_context_has_the_six_documented_fields() -> None:
    assert {field.name: field.default for field in dataclasses.fields(CodeContext)} == {
        "user_query": dataclasses.MISSING,
        "current_file": None,
        "recent_changes": None,
        "errors": None,
        "accessed_files": None,
        "additional_context": None,
    }


@pytest.mark.promise("C10")
def test_the_model_reads_every_field_of_a_context_that_says_something() -> None:
    model = Model(login=0.9)
    retrieval = CodeMemoryRetrieval(model)
    context = CodeContext("Why?", "a.py", "renamed x", "KeyError: 1", ["b.py", "c.py"], "on Python 3.12")
    asyncio.run(retrieval.retrieve_code_memories(context, [code("login")]))
    asyncio.run(retrieval.retrieve_code_memories(CodeContext("Why?", errors="KeyError: 1"), [code("login")]))
    contexts = [prompt.split("\n\nMemory:")[0] for prompt in model.prompts]
    assert contexts == [
        (
            "Context: Query: Why?\nCurrent file: a.py\nRecent changes: renamed x\nErrors: KeyError: 1\n"
            "Recently accessed files: b.py, c.py\nAdditional context: on Python 3.12"
        ),
        "Context: Query: Why?\nErrors: KeyError: 1",
    ]


@pytest.mark.promise("C10")
def test_without_a_model_all_that_a_context_says_is_recalled() -> None:
    rows = [
        code("validate_token", code_snippet="def validate_token(token):\n    return decode_jwt(token).user.id"),
        code("bake", code_snippet="def bake(cake):\n    oven.heat(cake)"),
    ]
    retrieval = CodeMemoryRetrieval(None, relevance_threshold=0.3)
    context = CodeContext("Why does this fail?", errors="validate_token: NoneType has no attribute user.id")
    found = asyncio.run(retrieval.retrieve_code_memories(context, rows))
    assert [row.memory_id for row in found] == ["validate_token"]
    retrieval.close()


@pytest.mark.promise("C11")
def test_memories_are_formatted_by_file_as_the_document_shows() -> None:
    def scored(score: float, text: str, **known: Any) -> ScoredMemory:
        return ScoredMemory("id", text, known, LONG_AGO, score, "so")

    auth, utils = {"type": "code", "file_path": "src/auth.py"}, {"type": "code", "file_path": "src/utils.py"}
    rows = [
        scored(
            0.95, "def validate_token(token: str) -> bool:\n    ...", **auth, entity_name="validate_token",
            signature="validate_token(token: str) -> bool", complexity="medium",
            dependencies=["decode_jwt", "check_expiry"],
        ),
        scored(0.9, "class Clock:\n    ...", **utils, entity_name="Clock", signature="class Clock"),
        scored(0.78, "def decode_jwt(): ...", **auth, entity_name="decode_jwt", kind="method"),
        scored(0.7, "Tokens expire.", type="non-code", category="documentation", title="Tokens", file_path=""),
    ]  # fmt: skip
    retrieval = CodeMemoryRetrieval(None)
    assert retrieval.format_code_memories_for_prompt(rows) == (
        "=== src/auth.py ===\n\n"
        "Function: validate_token (Relevance: 0.95)\n"
        "Signature: validate_token(token: str) -> bool\n"
        "Complexity: medium\n"
        "Dependencies: decode_jwt, check_expiry\n\n"
        "Code:\ndef validate_token(token: str) -> bool:\n    ...\n\n"
        "---\n\n"
        "Function: decode_jwt (Relevance: 0.78)\n\n"
        "Code:\ndef decode_jwt(): ...\n\n"
        "=== src/utils.py ===\n\n"
        "Class: Clock (Relevance: 0.90)\nSignature: class Clock\n\n"
        "Code:\nclass Clock:\n    ...\n\n"
        "=== General ===\n\n"
        "Documentation: Tokens (Relevance: 0.70)\n\nTokens expire."
    )
    listed = retrieval.format_code_memories_for_prompt(rows[1:3], group_by_file=False, include_scores=False)
    assert listed == (
        "Class: Clock\nFile: src/utils.py\nSignature: class Clock\n\nCode:\nclass Clock:\n    ...\n\n"
        "---\n\n"
        "Function: decode_jwt\nFile: src/auth.py\n\nCode:\ndef decode_jwt(): ..."
    )
    assert retrieval.format_code_memories_for_prompt([]) == ""


@pytest.mark.promise("C8")
def test_of_too_many_scores_in_a_database_the_oldest_are_forgotten(
    tmp_path: Path, now: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("recollect.engine.memory.library_state.MAX_KEPT", 3)
    model = Model(**{f"f{number}": 0.9 for number in range(5)})
    with CodeMemoryStorage(str(tmp_path / "code.db")) as storage:
        retrieval = CodeMemoryRetrieval(model, store=storage.store)
        for number in range(5):
            now[0] += 1
            retrieve(retrieval, [code(f"f{number}")])
        assert retrieval.get_cache_stats()["size"] == 3
        asked = len(model.prompts)
        retrieve(retrieval, [code("f4"), code("f3"), code("f2")])
        assert len(model.prompts) == asked
        retrieve(retrieval, [code("f0")])
        assert len(model.prompts) == asked + 1
