"""A memory in one object: keep, retrieve, ask. Runs in a temporary folder."""
# ruff: noqa: T201

import asyncio
import contextlib
import tempfile

from memory_lib.general import MemorySystem


async def my_llm_function(prompt: str) -> str:
    """Stand in for a small model: what names a web framework is relevant."""
    memory = prompt.split("Memory: ")[1].split("\n")[0]
    return f"Score: {0.9 if 'FastAPI' in memory else 0.2}\nReason: judged by its words"


async def my_gpt4_function(prompt: str) -> str:
    """Stand in for a large model: say what it was given."""
    return f"I was told:\n{prompt}"


async def main() -> None:
    """Use everything that the facade offers."""
    system = MemorySystem(
        small_model_fn=my_llm_function, db_path="app_memories.db", relevance_threshold=0.75, max_memories=15
    )
    memory_id = system.add_memory(
        "FastAPI is a modern Python web framework", metadata={"topic": "web", "language": "python"}
    )
    other = system.add_memory("The cat is called Ada")
    system.update_memory(other, text="The cat is called Grace")
    print((system.get_memory(other) or {})["text"])

    relevant = await system.retrieve_relevant_memories("How do I build a REST API?")
    print([memory.memory_id == memory_id for memory in relevant])
    print(system.format_memories_for_prompt(relevant, include_scores=False))

    response = await system.query(
        context="User asking about web frameworks",
        task="Explain how to build a REST API with FastAPI",
        primary_model_fn=my_gpt4_function,
    )
    print(response)

    system.update_retrieval_config(relevance_threshold=0.85, max_memories=20)
    system.delete_memory(other)
    stats = system.get_stats()
    print(f"System has {stats['total_memories']} memories, threshold {stats['relevance_threshold']}")
    system.close()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        asyncio.run(main())
