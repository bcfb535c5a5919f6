"""A conversation goes on though its memory fails."""
# ruff: noqa: T201

import logging
import sys
import tempfile
from pathlib import Path

from recollect.episodic import (
    ChunkedMemoryRecord,
    ChunkingError,
    ContextualChunker,
    EnhancedEpisodicMemory,
    MemoryError,
    SessionMemoryError,
    TemporalWeightingError,
    create_single_chunk,
)

logger = logging.getLogger("assistant")


class TiredChunker(ContextualChunker):
    """Fails at every text."""

    def chunk_conversation(self, user_text: str, assistant_text: str) -> list[ChunkedMemoryRecord]:
        """Give up."""
        raise ChunkingError("too tired")


def remember(memory: EnhancedEpisodicMemory, user_input: str, assistant_response: str) -> list[ChunkedMemoryRecord]:
    """Remember a turn as well as it is possible."""
    chunks: list[ChunkedMemoryRecord] = []
    try:
        chunks = memory.remember(user_input, assistant_response)
    except ChunkingError as e:
        logger.warning(f"Chunking failed: {e}, using single chunk")
        chunks = [create_single_chunk(user_input, assistant_response)]
    except MemoryError as e:
        logger.error(f"Memory storage failed: {e}")
    return chunks


def main(folder: Path) -> None:
    """Let chunking fail, then storing."""
    for kind in (ChunkingError, TemporalWeightingError, SessionMemoryError):
        print(f"{kind.__name__} is a MemoryError: {issubclass(kind, MemoryError)}")
    memory = EnhancedEpisodicMemory(storage_path=folder / "episodic.db", chunker=TiredChunker())
    print(len(remember(memory, "Hello", "Hello to you")))
    memory.chunker = ContextualChunker()
    memory.close()
    print(len(remember(memory, "Hello", "Hello to you")))
    try:
        memory.remember("", "An answer to nothing")
    except ValueError as problem:
        print(f"Refused: {problem}")


if __name__ == "__main__":
    logging.basicConfig(stream=sys.stdout, format="%(levelname)s %(message)s", force=True)
    with tempfile.TemporaryDirectory() as name:
        main(Path(name))
