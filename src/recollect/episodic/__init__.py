"""Episodic and session memory: the classes of document 001, on the recollect engine.

from recollect.episodic import EnhancedEpisodicMemory, SessionMemory

turns ─► SessionMemory ─► promote ─► EnhancedEpisodicMemory ─► chunker ─► STORE ─► recall ─► temporal weight
"""

from recollect.episodic.chunker import ContextualChunker
from recollect.episodic.conversation_store import EmbeddingFunction, embedding_function
from recollect.episodic.enhanced_memory import EnhancedEpisodicMemory
from recollect.episodic.episodic_memory import EpisodicMemory
from recollect.episodic.exceptions import ChunkingError, MemoryError, SessionMemoryError, TemporalWeightingError
from recollect.episodic.records import (
    ChunkedMemoryRecord,
    ChunkMetadata,
    MemoryRecord,
    SessionTurn,
    create_single_chunk,
    migrate_legacy_record,
)
from recollect.episodic.session_memory import SessionConfig, SessionMemory
from recollect.episodic.temporal import TemporalConfig, TemporalMemoryWeighting

__all__ = [
    "ChunkMetadata",
    "ChunkedMemoryRecord",
    "ChunkingError",
    "ContextualChunker",
    "EmbeddingFunction",
    "EnhancedEpisodicMemory",
    "EpisodicMemory",
    "MemoryError",
    "MemoryRecord",
    "SessionConfig",
    "SessionMemory",
    "SessionMemoryError",
    "SessionTurn",
    "TemporalConfig",
    "TemporalMemoryWeighting",
    "TemporalWeightingError",
    "create_single_chunk",
    "embedding_function",
    "migrate_legacy_record",
]
