"""Memories of code: read from source files, kept with notes about them, scored for what somebody is working on."""

from memory_lib.codebase.code_context import CodeContext
from memory_lib.codebase.code_memory_system import CodeMemorySystem
from memory_lib.codebase.code_retrieval import CodeMemoryRetrieval
from memory_lib.codebase.code_storage import CodeMemoryStorage
from memory_lib.codebase.indexer import CodeIndexer

__all__ = ["CodeContext", "CodeIndexer", "CodeMemoryRetrieval", "CodeMemoryStorage", "CodeMemorySystem"]
