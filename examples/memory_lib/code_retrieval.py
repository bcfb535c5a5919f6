"""Code that matters for the current work: cached scores and boosts. Runs in a temporary folder."""
# ruff: noqa: T201

import asyncio
import contextlib
import tempfile
from pathlib import Path

from memory_lib.codebase import CodeContext, CodeIndexer, CodeMemoryRetrieval, CodeMemoryStorage

AUTH = '''\
def validate_token(token: str) -> bool:
    """Tell whether a token is valid."""
    return decode_jwt(token) is not None


def decode_jwt(token):
    return token or None
'''
CALLS = []


async def my_llm(prompt: str) -> str:
    """Stand in for a small model, and count how often it is asked."""
    CALLS.append(prompt)
    code = prompt.split("Memory: ")[1].split("Metadata: ")[0]
    return f"Score: {0.9 if 'validate_token' in code else 0.6}\nReason: judged by its words"


async def main() -> None:
    """Retrieve twice, change the file, look at the cache."""
    Path("src/api").mkdir(parents=True)
    Path("src/api/auth.py").write_text(AUTH, encoding="utf-8")
    indexer, storage = CodeIndexer(), CodeMemoryStorage()
    for entity in indexer.index_file("src/api/auth.py"):
        storage.add_code_memory(**entity)

    retrieval = CodeMemoryRetrieval(
        small_model_fn=my_llm, enable_caching=True, dependency_boost_amount=0.20, recency_days=14
    )
    context = CodeContext(
        user_query="How does authentication work?",
        current_file="src/api/auth.py",
        errors="AttributeError: 'NoneType' object has no attribute 'id'",
    )
    memories = storage.get_all_memories()
    file_hashes = {
        m.get("file_path"): indexer.compute_file_hash(m["file_path"]) for m in memories if m.get("file_path")
    }
    relevant = await retrieval.retrieve_code_memories(context, memories, file_hashes)
    # 0.9 and 0.1 for being new; 0.6, 0.2 because the first depends on it, and 0.1 for being new.
    print([f"{row.relevance_score:.2f}" for row in relevant])
    formatted = retrieval.format_code_memories_for_prompt(relevant, group_by_file=True)
    print(formatted)

    await retrieval.retrieve_code_memories(context, memories, file_hashes)
    stats = retrieval.get_cache_stats()
    print(f"Asked {len(CALLS)} times; cache has {stats['size']} entries, {stats['hit_rate']:.0f} % hits")

    retrieval.invalidate_cache_for_file("src/api/auth.py")
    await retrieval.retrieve_code_memories(context, memories, file_hashes)
    print(f"Asked {len(CALLS)} times")
    retrieval.clear_cache()
    print(retrieval.get_cache_stats()["size"])
    storage.close()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        asyncio.run(main())
