"""Code memories: indexed from source files, stored with notes, and scored for the current work."""

from memory_lib.codebase.code_memory_system import CodeMemorySystem
from memory_lib.codebase.code_retrieval import CodeContext, CodeMemoryRetrieval
from memory_lib.codebase.code_storage import CodeMemoryStorage
from memory_lib.codebase.indexer import CodeIndexer

__all__ = ["CodeContext", "CodeIndexer", "CodeMemoryRetrieval", "CodeMemoryStorage", "CodeMemorySystem"]
