"""Conversations kept for long: remembered in chunks, recalled by what they say, forgotten in time."""
# ruff: noqa: T201

import tempfile
import time
from pathlib import Path

from recollect.episodic import ContextualChunker, EnhancedEpisodicMemory, TemporalMemoryWeighting, embedding_function

ANSWER = (
    "Machine learning algorithms come in three families. "
    "Supervised learning is shown examples with the right answer, and learns to give it for new ones: linear "
    "regression for numbers, decision trees and support vector machines for classes. "
    "Unsupervised learning is shown examples alone, and finds groups in them, as k-means does, or the few directions "
    "in which they differ most, as principal component analysis does. "
    "Reinforcement learning acts, is rewarded or not, and learns what to do in which situation; it has learnt to play "
    "Go and to steer robots. "
    "Which of them fits depends on what you have: labels, much data without labels, or a world to try things in."
)


def main(folder: Path) -> None:
    """Remember two conversations, recall one, and clean up later."""
    memory = EnhancedEpisodicMemory(
        storage_path=folder / "episodic.json",
        embedding_fn=embedding_function,
        chunker=ContextualChunker(chunk_size=400),
        temporal_weighting=TemporalMemoryWeighting(),
        max_records=1000,
    )
    chunks = memory.remember(user="Explain machine learning algorithms", assistant=ANSWER)
    print(f"Stored {len(chunks)} chunks")
    memory.remember(user="What did we have for lunch?", assistant="Lentil soup, and bread with olives.")

    results = memory.recall(query="supervised learning", top_k=3, include_parents=True)
    for result in results:
        print(f"Found: {result.content[:40]!r}...")
        if result.full_context:
            print(f"Context: {len(result.full_context)} characters")

    stats = memory.get_memory_stats()
    print({name: stats[name] for name in ("total_records", "parent_records", "child_chunks")})
    print(f"Forgotten after a month: {memory.cleanup_expired_memories(time.time() + 30 * 86400)} records")
    memory.close()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        main(Path(name))
