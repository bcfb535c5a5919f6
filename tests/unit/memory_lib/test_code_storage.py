"""Code and notes in a file: what document 000 says of CodeMemoryStorage."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memory_lib.codebase import CodeMemoryStorage
from memory_lib.general import MemoryStorage

SUM: dict[str, Any] = {
    "file_path": "src/utils.py",
    "entity_name": "calculate_sum",
    "code_snippet": "def calculate_sum(a, b):\n    return a + b",
    "docstring": "Calculate.",
    "signature": "calculate_sum(a, b)",
    "language": "python",
    "dependencies": ["validate_numbers"],
    "imports": ["import math"],
    "complexity": "low",
    "last_modified": "2024-01-15T10:30:00Z",
    "metadata": {"owner": "me"},
}

pytestmark = [pytest.mark.promise("C7")]


@pytest.fixture
def storage(tmp_path: Path) -> Iterator[CodeMemoryStorage]:
    with CodeMemoryStorage(str(tmp_path / "code_memories.db")) as opened:
        yield opened


def test_code_comes_back_with_exactly_the_documented_keys(storage: CodeMemoryStorage) -> None:
    name = storage.add_code_memory(**SUM)
    (row,) = storage.get_all_memories()
    stamp = row.pop("timestamp")
    assert stamp.endswith("Z")
    assert row == {"id": name, "type": "code", **SUM}


def test_what_is_optional_may_be_left_out(storage: CodeMemoryStorage) -> None:
    storage.add_code_memory("a.py", "f", "def f(): ...")
    (row,) = storage.get_all_memories()
    assert (row["docstring"], row["dependencies"], row["complexity"], row["metadata"]) == ("", [], "", {})


def test_a_note_comes_back_with_exactly_the_documented_keys(storage: CodeMemoryStorage) -> None:
    name = storage.add_non_code_memory(
        category="documentation",
        title="API Authentication",
        content="Our API uses JWT tokens for authentication...",
        metadata={"section": "authentication", "version": "2.0"},
    )
    (row,) = storage.get_all_memories()
    stamp = row.pop("timestamp")
    assert stamp.endswith("Z")
    assert row == {
        "id": name,
        "type": "non-code",
        "category": "documentation",
        "title": "API Authentication",
        "content": "Our API uses JWT tokens for authentication...",
        "file_path": "",
        "metadata": {"section": "authentication", "version": "2.0"},
    }


@pytest.mark.parametrize("name", ["file_path", "entity_name", "code_snippet"])
@pytest.mark.parametrize("value", ["", " ", None])
def test_path_name_and_code_are_required(storage: CodeMemoryStorage, name: str, value: Any) -> None:
    with pytest.raises(ValueError, match=name):
        storage.add_code_memory(**{**SUM, name: value})
    assert storage.get_all_memories() == []


def test_words_that_are_not_in_the_document_are_refused(storage: CodeMemoryStorage) -> None:
    with pytest.raises(ValueError, match="complexity"):
        storage.add_code_memory(**{**SUM, "complexity": "enormous"})
    with pytest.raises(ValueError, match="category"):
        storage.add_non_code_memory("poetry", "content")
    with pytest.raises(ValueError, match="content"):
        storage.add_non_code_memory("general", "")
    with pytest.raises(TypeError, match="colour"):
        storage.add_code_memory(**SUM, colour="red")
    assert storage.get_all_memories() == []


def test_memories_are_found_by_file_and_language_and_deleted_by_file(storage: CodeMemoryStorage) -> None:
    python = storage.add_code_memory(**SUM)
    script = storage.add_code_memory("src/app.js", "run", "function run() {}", language="javascript")
    note = storage.add_non_code_memory("debugging", "It divided by zero", file_path="./src/utils.py")
    loose = storage.add_non_code_memory("general", "Loose")
    assert [row["id"] for row in storage.get_memories_by_file("src/utils.py")] == [note, python]
    assert [row["id"] for row in storage.get_memories_by_file("src/../src/app.js")] == [script]
    assert storage.get_memories_by_file("src") == []
    assert [row["id"] for row in storage.get_memories_by_language("python")] == [python]
    assert storage.get_memories_by_language("cobol") == []
    assert storage.delete_memories_by_file("src/utils.py") == 2
    assert storage.delete_memories_by_file("src/utils.py") == 0
    assert [row["id"] for row in storage.get_all_memories()] == [loose, script]


def test_a_path_of_any_length_is_found(storage: CodeMemoryStorage) -> None:
    long, other = (f"{'folder/' * 60}{name}.py" for name in ("a", "b"))
    kept = storage.add_code_memory(**{**SUM, "file_path": long, "entity_name": "n" * 500})
    storage.add_code_memory(**{**SUM, "file_path": other})
    (row,) = storage.get_memories_by_file(long)
    assert (row["id"], row["file_path"], row["entity_name"]) == (kept, long, "n" * 500)


def test_general_memories_can_live_in_the_same_file(tmp_path: Path) -> None:
    path = str(tmp_path / "both.db")
    with CodeMemoryStorage(path) as code, MemoryStorage(path) as general:
        kept = code.add_code_memory(**SUM)
        general.add_memory("a general one")
        assert general.count_memories() == 1
        assert general.clear_all() == 1
        assert [row["id"] for row in code.get_all_memories()] == [kept]
