"""A memory of a project's code in one object. Runs in a temporary folder with a small project in it."""
# ruff: noqa: T201

import asyncio
import contextlib
import tempfile
from pathlib import Path

from memory_lib.codebase import CodeContext, CodeMemorySystem


async def my_llm(prompt: str) -> str:
    """Stand in for a small model: a text about authentication is relevant."""
    memory = prompt.split("Memory: ")[1].split("Metadata: ")[0]
    return f"Score: {0.9 if 'user.id' in memory else 0.3}\nReason: judged by its words"


async def my_gpt4_function(prompt: str) -> str:
    """Stand in for a large model: say what it was asked."""
    return prompt.rpartition("Task: ")[2] or prompt


async def main() -> None:
    """Index, note, retrieve, ask."""
    Path("src/tests").mkdir(parents=True)
    Path("src/auth.py").write_text("def validate_token(user):\n    return user.id\n", encoding="utf-8")
    Path("src/utils.py").write_text("def slugify(text):\n    return text.lower()\n", encoding="utf-8")
    Path("src/tests/test_auth.py").write_text("def test_auth(): ...\n", encoding="utf-8")

    system = CodeMemorySystem(
        small_model_fn=my_llm, db_path="my_code.db", relevance_threshold=0.75, max_memories=20, enable_caching=True
    )
    memory_ids = system.index_file("src/utils.py")
    print(f"Indexed {len(memory_ids)} entities")
    memory_ids = system.index_repository(
        "src", exclude_patterns=["*/tests/*", "*/__pycache__/*", "*/.git/*"], recursive=True
    )
    print(f"Indexed repository: {len(memory_ids)} entities")

    Path("src/auth.py").write_text("def validate_token(user):\n    return user and user.id\n", encoding="utf-8")
    new_ids = system.reindex_file("src/auth.py")
    print(f"Re-indexed: {len(new_ids)}")

    system.add_documentation_memory(
        title="Authentication Flow", content="Our system uses JWT tokens...", file_path="src/auth.py"
    )
    system.add_debugging_session(
        description="AttributeError in validate_token",
        error="'NoneType' object has no attribute 'id'",
        solution="Added null check before accessing user.id",
        file_path="src/auth.py",
    )

    context = CodeContext(
        user_query="Fix the authentication bug", current_file="src/auth.py", errors="NoneType has no attribute 'id'"
    )
    relevant = await system.retrieve_relevant_memories(context)
    print(sorted((row.metadata or {})["type"] for row in relevant))

    response = await system.query(
        context=CodeContext(user_query="How do I add a new endpoint?", current_file="src/api/routes.py"),
        primary_model_fn=my_gpt4_function,
    )
    print(response)
    print(await system.query("Any risks?", my_gpt4_function, custom_prompt_template="Answer briefly: {query}"))

    stats = system.get_stats()
    print(f"System has {stats['total_code_memories']} code entities")
    print(f"and {stats['total_non_code_memories']} notes, {stats['total_memories']} in all")
    print(f"Cache size: {stats['cache_stats']['size']}")
    system.clear_cache()
    print(f"Cache size: {system.get_stats()['cache_stats']['size']}")
    system.close()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        asyncio.run(main())
