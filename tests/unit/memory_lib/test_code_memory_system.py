"""The facade for code: what document 000 says of CodeMemorySystem."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.waiting import until

from memory_lib.codebase import CodeContext, CodeMemorySystem

AUTH = '''\
import jwt


def validate_token(token):
    """Tell whether a token is valid."""
    return decode(token) is not None


def decode(token):
    return jwt.decode(token)
'''

pytestmark = [pytest.mark.promise("C12")]


class Model:
    """Holds for relevant what has `token` in its text, and counts."""

    def __init__(self) -> None:
        self.asked = 0

    async def __call__(self, prompt: str) -> str:
        self.asked += 1
        text = prompt.split("Memory:")[1].split("Metadata:")[0]
        return "Score: 0.9\nReason: tokens" if "token" in text.lower() else "Score: 0.1\nReason: none"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "project"
    (folder / "src" / "tests").mkdir(parents=True)
    (folder / "src" / "auth.py").write_text(AUTH, encoding="utf-8")
    (folder / "src" / "cake.py").write_text("def bake():\n    return heat()\n", encoding="utf-8")
    (folder / "src" / "tests" / "test_auth.py").write_text("def test_token(): ...\n", encoding="utf-8")
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def model() -> Model:
    return Model()


@pytest.fixture
def system(project: Path, model: Model) -> Iterator[CodeMemorySystem]:
    with CodeMemorySystem(model, "my_code.db") as opened:
        yield opened


def names(system: CodeMemorySystem) -> list[str]:
    return sorted(row.get("entity_name") or row["title"] for row in system.storage.get_all_memories())


def test_a_repository_is_indexed_once_however_often_it_is_indexed(system: CodeMemorySystem) -> None:
    first = system.index_repository("src", exclude_patterns=["*/tests/*"], recursive=True)
    assert names(system) == ["bake", "decode", "validate_token"]
    again = system.index_repository("src", exclude_patterns=["*/tests/*"])
    assert (len(first), len(again), names(system)) == (3, 3, ["bake", "decode", "validate_token"])
    assert {row["id"] for row in system.storage.get_all_memories()} == set(again)


def test_an_indexed_entity_has_everything_the_indexer_found(system: CodeMemorySystem) -> None:
    (first, _) = system.index_file("src/auth.py")
    row = next(row for row in system.storage.get_memories_by_file("src/auth.py") if row["id"] == first)
    (entity, _) = system.indexer.index_file("src/auth.py")
    assert {name: row[name] for name in entity} == entity
    assert row["metadata"] == {
        "kind": "function",
        "qualified_name": "validate_token",
        "start_line": 4,
        "end_line": 6,
    }


def test_a_changed_file_is_indexed_again_and_its_notes_stay(
    system: CodeMemorySystem, project: Path, model: Model
) -> None:
    old = system.index_file("src/auth.py")
    note = system.add_documentation_memory("Authentication Flow", "We use tokens", file_path="src/auth.py")
    asyncio.run(system.retrieve_relevant_memories("tokens"))
    assert system.get_stats()["cache_stats"]["size"] == 3
    (project / "src" / "auth.py").write_text("def renew(token):\n    return token\n", encoding="utf-8")
    new = system.reindex_file("src/auth.py")
    assert set(new).isdisjoint(old)
    assert {row["id"] for row in system.storage.get_memories_by_file("src/auth.py")} == {note, *new}
    assert system.get_stats()["cache_stats"]["size"] == 0


def test_the_code_of_deleted_files_leaves_and_notes_about_them_stay(system: CodeMemorySystem, project: Path) -> None:
    system.index_repository("src")
    (project / "src" / "auth.py").unlink()
    system.index_repository("src/tests")
    assert names(system) == ["bake", "decode", "test_token", "validate_token"], "it is not below that folder"
    note = system.add_documentation_memory("Authentication Flow", "We use tokens", file_path="src/auth.py")
    system.index_repository("src")
    assert names(system) == ["Authentication Flow", "bake", "test_token"]
    assert [row["id"] for row in system.storage.get_memories_by_file("src/auth.py")] == [note]
    (project / "src" / "cake.py").unlink()
    assert system.reindex_file(str(project / "src" / "cake.py")) == []
    assert names(system) == ["Authentication Flow", "test_token"]


def test_a_file_is_one_file_however_its_path_is_written(system: CodeMemorySystem, project: Path) -> None:
    system.index_file("src/auth.py")
    whole = str(project / "src" / "auth.py")
    system.index_file(whole)
    system.index_repository(str(project / "src"), exclude_patterns=["*/cake.py", "*/tests/*"])
    assert names(system) == ["decode", "validate_token"]
    system.add_documentation_memory("Flow", "We use tokens", file_path="./src/../src/auth.py")
    for path in ("src/auth.py", whole, "./src/auth.py"):
        assert len(system.storage.get_memories_by_file(path)) == 3, path
    assert system.storage.delete_memories_by_file(whole) == 3


def test_without_a_model_a_question_reads_only_what_it_finds(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with CodeMemorySystem(None, "own.db") as system:
        system.index_repository("src")
        store = system.storage.store
        monkeypatch.setattr(store, "find", lambda *_: pytest.fail("it reads everything"))
        read: list[int] = []
        get_all = store.get_all
        monkeypatch.setattr(store, "get_all", lambda ids: read.append(len(ids)) or get_all(ids))
        found = asyncio.run(system.retrieve_relevant_memories("is the token valid?"))
        assert found[0].metadata is not None
        assert found[0].metadata["entity_name"] == "validate_token"
        assert len(read) == 1


def test_a_file_that_cannot_be_indexed_costs_nothing_that_is_known(system: CodeMemorySystem, project: Path) -> None:
    system.index_file("src/auth.py")
    with pytest.raises(FileNotFoundError):
        system.index_file("src/nowhere.py")
    (project / "notes.txt").write_text("Hello", encoding="utf-8")
    with pytest.raises(ValueError, match="unsupported"):
        system.index_file("notes.txt")
    assert names(system) == ["decode", "validate_token"]


def test_documentation_and_debugging_sessions_are_kept(system: CodeMemorySystem) -> None:
    doc = system.add_documentation_memory("Authentication Flow", "Our system uses JWT tokens...", metadata={"v": 2})
    bug = system.add_debugging_session(
        description="AttributeError in validate_token",
        error="'NoneType' object has no attribute 'id'",
        solution="Added null check before accessing user.id",
        file_path="src/auth.py",
    )
    rows = {row["id"]: row for row in system.storage.get_all_memories()}
    assert (rows[doc]["category"], rows[doc]["title"], rows[doc]["metadata"]) == (
        "documentation",
        "Authentication Flow",
        {"v": 2},
    )
    assert (rows[bug]["category"], rows[bug]["file_path"]) == ("debugging", "src/auth.py")
    for said in ("AttributeError in validate_token", "no attribute 'id'", "Added null check"):
        assert said in rows[bug]["content"]


def test_scores_survive_a_restart_until_the_file_changes(project: Path, model: Model) -> None:
    with CodeMemorySystem(model, "my_code.db") as system:
        system.index_repository("src", exclude_patterns=["*/tests/*"])
        first = asyncio.run(system.retrieve_relevant_memories("tokens"))
    asked = model.asked
    with CodeMemorySystem(model, "my_code.db") as system:
        assert asyncio.run(system.retrieve_relevant_memories("tokens")) == first
        assert (model.asked, system.get_stats()["cache_stats"]) == (asked, {"size": 3, "hit_rate": 100.0})
        (project / "src" / "auth.py").write_text(AUTH + "\n# changed\n", encoding="utf-8")
        asyncio.run(system.retrieve_relevant_memories("tokens", include_file_hashes=False))
        asked = model.asked
        asyncio.run(system.retrieve_relevant_memories("tokens"))
        assert model.asked == asked + 2  # the two entities of that file
        system.clear_cache()
        asyncio.run(system.retrieve_relevant_memories("tokens"))
        assert model.asked == asked + 5


def test_a_query_hands_the_primary_model_what_is_relevant(system: CodeMemorySystem) -> None:
    system.index_repository("src", exclude_patterns=["*/tests/*"])
    prompts: list[str] = []

    async def primary(prompt: str) -> str:
        prompts.append(prompt)
        return "an answer"

    context = CodeContext(user_query="How do tokens work? {query}", current_file="src/auth.py")
    assert asyncio.run(system.query(context, primary)) == "an answer"
    asyncio.run(system.query(context, primary, custom_prompt_template="Q: {query}\n{memories}\n{other} {}"))
    formatted = system.retrieval.format_code_memories_for_prompt(
        asyncio.run(system.retrieve_relevant_memories(context))
    )
    assert formatted.startswith("=== src/auth.py ===\n\nFunction: ")
    assert "bake" not in formatted
    assert prompts == [
        (f"Relevant context:\n{formatted}\n\nTask: Query: How do tokens work? {{query}}\nCurrent file: src/auth.py"),
        f"Q: How do tokens work? {{query}}\n{formatted}\n{{other}} {{}}",
    ]


def test_statistics(system: CodeMemorySystem) -> None:
    system.index_file("src/auth.py")
    system.add_documentation_memory("Title", "Content")
    assert system.get_stats() == {
        "total_code_memories": 2,
        "total_non_code_memories": 1,
        "total_memories": 3,
        "cache_stats": {"size": 0, "hit_rate": 0.0},
        "relevance_threshold": 0.7,
        "max_memories": 10,
        "batch_size": 10,
        "retry_attempts": 3,
        "retry_delay": 1.0,
        "enable_caching": True,
        "enable_dependency_boost": True,
        "enable_recency_boost": True,
        "dependency_boost_amount": 0.15,
        "recency_boost_amount": 0.1,
        "recency_days": 7,
    }


def test_without_a_model_what_is_kept_is_recalled(project: Path) -> None:
    with CodeMemorySystem(None, "my_code.db", relevance_threshold=0.4, enable_recency_boost=False) as system:
        system.index_repository("src", exclude_patterns=["*/tests/*"])
        note = system.add_documentation_memory("Ovens", "The oven is heated to 180 degrees before baking")
        found = asyncio.run(system.retrieve_relevant_memories("how hot is the oven for baking?"))
        assert found[0].memory_id == note
        best = asyncio.run(system.retrieve_relevant_memories("validate_token"))[0]
        assert (best.metadata or {})["entity_name"] == "validate_token"
        assert system.get_stats()["cache_stats"]["size"] == 0


def test_vectors_of_an_indexed_repository_are_made_beside_and_kept(project: Path) -> None:
    functions = "".join(f"def step_{number}():\n    return {number}\n\n\n" for number in range(70))
    (project / "src" / "steps.py").write_text(functions, encoding="utf-8")
    with CodeMemorySystem(None, "own.db") as system:
        system.index_repository("src")
        embedding = system.storage.store.engine.embedding
        assert embedding.running
        until(lambda: embedding.coverage()[0] == embedding.coverage()[1])
    with CodeMemorySystem(None, "own.db") as again:
        made, total = again.storage.store.engine.embedding.coverage()
        assert made == total >= 70
