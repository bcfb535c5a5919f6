"""Episodic and session memory, the library of document 001: its classes, kept and recalled by the recollect engine.

    from recollect.episodic import EnhancedEpisodicMemory, SessionMemory

    turns ─► SessionMemory ─► promote ─► EnhancedEpisodicMemory ─► chunker ─► STORE ─► recall ─► temporal weight

Importing this package does no work: names are loaded when first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from recollect.episodic.chunker import ContextualChunker as ContextualChunker
    from recollect.episodic.embedding import EmbeddingFunction as EmbeddingFunction
    from recollect.episodic.embedding import embedding_function as embedding_function
    from recollect.episodic.enhanced import EnhancedEpisodicMemory as EnhancedEpisodicMemory
    from recollect.episodic.errors import ChunkingError as ChunkingError
    from recollect.episodic.errors import MemoryError as MemoryError
    from recollect.episodic.errors import SessionMemoryError as SessionMemoryError
    from recollect.episodic.errors import TemporalWeightingError as TemporalWeightingError
    from recollect.episodic.memory import EpisodicMemory as EpisodicMemory
    from recollect.episodic.records import ChunkedMemoryRecord as ChunkedMemoryRecord
    from recollect.episodic.records import ChunkMetadata as ChunkMetadata
    from recollect.episodic.records import MemoryRecord as MemoryRecord
    from recollect.episodic.records import SessionTurn as SessionTurn
    from recollect.episodic.records import create_single_chunk as create_single_chunk
    from recollect.episodic.records import migrate_legacy_record as migrate_legacy_record
    from recollect.episodic.session import SessionMemory as SessionMemory
    from recollect.episodic.session_config import SessionConfig as SessionConfig
    from recollect.episodic.temporal import TemporalConfig as TemporalConfig
    from recollect.episodic.temporal import TemporalMemoryWeighting as TemporalMemoryWeighting

# Module → the public names that it defines.
_MODULES = {
    "chunker": ("ContextualChunker",),
    "embedding": ("EmbeddingFunction", "embedding_function"),
    "enhanced": ("EnhancedEpisodicMemory",),
    "errors": ("ChunkingError", "MemoryError", "SessionMemoryError", "TemporalWeightingError"),
    "memory": ("EpisodicMemory",),
    "records": (
        "ChunkMetadata",
        "ChunkedMemoryRecord",
        "MemoryRecord",
        "SessionTurn",
        "create_single_chunk",
        "migrate_legacy_record",
    ),
    "session": ("SessionMemory",),
    "session_config": ("SessionConfig",),
    "temporal": ("TemporalConfig", "TemporalMemoryWeighting"),
}
_NAMES = {name: module for module, names in _MODULES.items() for name in names}

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


def __getattr__(name: str) -> Any:
    module = _NAMES.get(name)
    if module is None:
        raise AttributeError(f"module 'recollect.episodic' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"recollect.episodic.{module}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
