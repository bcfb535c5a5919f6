"""Code and notes in a file, found by file and language. Runs in a temporary folder."""
# ruff: noqa: T201

import contextlib
import tempfile

from memory_lib.codebase import CodeMemoryStorage


def main() -> None:
    """Keep a function and two notes, find them and delete them."""
    storage = CodeMemoryStorage()
    storage.add_code_memory(
        file_path="src/utils.py",
        entity_name="calculate_sum",
        code_snippet="def calculate_sum(a, b):\n    return a + b",
        signature="calculate_sum(a, b)",
        language="python",
        dependencies=["validate_numbers"],
        complexity="low",
    )
    storage.add_non_code_memory(
        category="documentation",
        title="API Authentication",
        content="Our API uses JWT tokens for authentication...",
        metadata={"section": "authentication", "version": "2.0"},
    )
    storage.add_non_code_memory("debugging", "Tokens were None after a logout", file_path="src/auth.py")

    all_memories = storage.get_all_memories()
    code_count = sum(1 for m in all_memories if m["type"] == "code")
    doc_count = sum(1 for m in all_memories if m["type"] == "non-code")
    print(f"{code_count} of code, {doc_count} notes")

    memories = storage.get_memories_by_file("src/auth.py")
    print([memory["content"] for memory in memories])
    python_memories = storage.get_memories_by_language("python")
    print([memory["entity_name"] for memory in python_memories])
    deleted = storage.delete_memories_by_file("src/utils.py")
    print(f"Deleted {deleted} memories")
    storage.close()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        main()
