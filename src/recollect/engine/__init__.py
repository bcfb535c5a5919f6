"""The engine: the composition root, its nouns, and the names that facades and surfaces import.

Names are loaded when they are first used: a hook that only reads the store does without the root.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from recollect.engine.code.file_entities import Entity as SourceEntity
    from recollect.engine.code.file_entities import read_source, source_files
    from recollect.engine.code.indexed_project import (
        FileUses,
        Neighbour,
        PackageRow,
        Project,
        Source,
        Sources,
        SymbolRow,
    )
    from recollect.engine.importing.legacy_files import Older as LegacyDatabase
    from recollect.engine.importing.legacy_files import adopt as adopt_database
    from recollect.engine.importing.legacy_files import adopt_document as adopt_json
    from recollect.engine.library_store import UNRELATED, LibraryStore, Relevant, configured, size, without_secrets
    from recollect.engine.memory.library_documents import Documents
    from recollect.engine.memory.score_cache import Kept as CachedScore
    from recollect.engine.memory.score_cache import Key as ScoreKey
    from recollect.engine.memory.score_cache import ScoreCache
    from recollect.engine.models.given_embedder import CallerEmbedder, centroid, configured_vector, cosine
    from recollect.engine.records.identity import namespace_of
    from recollect.engine.root import NOUNS, OPERATIONS, Engine
    from recollect.engine.sessions.observed_events import current_error, spoken_of, touched
    from recollect.recall.judge import prompt as judge_prompt
    from recollect.recall.judge import verdict as judge_verdict
    from recollect.text.budget import tokens

# Public name → where it is defined.
_DEFINED = {
    "SourceEntity": "recollect.engine.code.file_entities:Entity",
    "read_source": "recollect.engine.code.file_entities:read_source",
    "source_files": "recollect.engine.code.file_entities:source_files",
    "FileUses": "recollect.engine.code.indexed_project:FileUses",
    "Neighbour": "recollect.engine.code.indexed_project:Neighbour",
    "PackageRow": "recollect.engine.code.indexed_project:PackageRow",
    "Project": "recollect.engine.code.indexed_project:Project",
    "Source": "recollect.engine.code.indexed_project:Source",
    "Sources": "recollect.engine.code.indexed_project:Sources",
    "SymbolRow": "recollect.engine.code.indexed_project:SymbolRow",
    "adopt_json": "recollect.engine.importing.legacy_files:adopt_document",
    "LegacyDatabase": "recollect.engine.importing.legacy_files:Older",
    "adopt_database": "recollect.engine.importing.legacy_files:adopt",
    "UNRELATED": "recollect.engine.library_store:UNRELATED",
    "LibraryStore": "recollect.engine.library_store:LibraryStore",
    "Relevant": "recollect.engine.library_store:Relevant",
    "configured": "recollect.engine.library_store:configured",
    "size": "recollect.engine.library_store:size",
    "without_secrets": "recollect.engine.library_store:without_secrets",
    "Documents": "recollect.engine.memory.library_documents:Documents",
    "CachedScore": "recollect.engine.memory.score_cache:Kept",
    "ScoreKey": "recollect.engine.memory.score_cache:Key",
    "ScoreCache": "recollect.engine.memory.score_cache:ScoreCache",
    "CallerEmbedder": "recollect.engine.models.given_embedder:CallerEmbedder",
    "centroid": "recollect.engine.models.given_embedder:centroid",
    "configured_vector": "recollect.engine.models.given_embedder:configured_vector",
    "cosine": "recollect.engine.models.given_embedder:cosine",
    "namespace_of": "recollect.engine.records.identity:namespace_of",
    "NOUNS": "recollect.engine.root:NOUNS",
    "OPERATIONS": "recollect.engine.root:OPERATIONS",
    "Engine": "recollect.engine.root:Engine",
    "current_error": "recollect.engine.sessions.observed_events:current_error",
    "spoken_of": "recollect.engine.sessions.observed_events:spoken_of",
    "touched": "recollect.engine.sessions.observed_events:touched",
    "judge_prompt": "recollect.recall.judge:prompt",
    "judge_verdict": "recollect.recall.judge:verdict",
    "tokens": "recollect.text.budget:tokens",
}

__all__ = [
    "NOUNS",
    "OPERATIONS",
    "UNRELATED",
    "CachedScore",
    "CallerEmbedder",
    "Documents",
    "Engine",
    "FileUses",
    "LegacyDatabase",
    "LibraryStore",
    "Neighbour",
    "PackageRow",
    "Project",
    "Relevant",
    "ScoreCache",
    "ScoreKey",
    "Source",
    "SourceEntity",
    "Sources",
    "SymbolRow",
    "adopt_database",
    "adopt_json",
    "centroid",
    "configured",
    "configured_vector",
    "cosine",
    "current_error",
    "judge_prompt",
    "judge_verdict",
    "namespace_of",
    "read_source",
    "size",
    "source_files",
    "spoken_of",
    "tokens",
    "touched",
    "without_secrets",
]


def __getattr__(name: str) -> Any:
    if name not in _DEFINED:
        raise AttributeError(f"module 'recollect.engine' has no attribute {name!r}")
    from importlib import import_module

    module, _, attribute = _DEFINED[name].partition(":")
    return getattr(import_module(module), attribute)
