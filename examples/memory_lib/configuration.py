"""Settings of both systems, when they are made and while they run. Runs in a temporary folder."""
# ruff: noqa: T201

import contextlib
import tempfile

from memory_lib.codebase import CodeMemorySystem
from memory_lib.general import MemorySystem


async def my_llm(prompt: str) -> str:
    """Stand in for a small model that finds nothing relevant."""
    return "Score: 0\nReason: not asked"


def main() -> None:
    """Make two systems and change one."""
    system = MemorySystem(
        small_model_fn=my_llm,
        db_path="memories.db",
        relevance_threshold=0.8,
        max_memories=5,
        batch_size=15,
        retry_attempts=5,
    )
    code_system = CodeMemorySystem(
        small_model_fn=my_llm,
        db_path="code.db",
        relevance_threshold=0.75,
        max_memories=20,
        enable_caching=True,
        dependency_boost_amount=0.20,
        recency_days=14,
    )
    print(system.get_stats())
    stats = code_system.get_stats()
    print({name: stats[name] for name in ("relevance_threshold", "max_memories", "recency_days")})

    system.update_retrieval_config(relevance_threshold=0.9, max_memories=3)
    print(system.get_stats())
    try:
        system.update_retrieval_config(relevance_threshold=90)
    except ValueError as problem:
        print(f"Refused: {problem}")
    system.close()
    code_system.close()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        main()
