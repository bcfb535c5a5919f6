"""General memories: kept in a file, scored for a context, put into a prompt."""

from memory_lib.general.memory_system import MemorySystem
from memory_lib.general.retrieval import MemoryRetrieval, ScoredMemory
from memory_lib.general.storage import MemoryStorage

__all__ = ["MemoryRetrieval", "MemoryStorage", "MemorySystem", "ScoredMemory"]
