"""The engine: the composition root, its nouns, and the names that facades and surfaces import.

Names are loaded when they are first used: a hook that only reads the store does without the root.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from recollect.code.index.source_entities import Entity as SourceEntity
    from recollect.code.index.source_entities import read_source, source_files
    from recollect.engine.admin.access_rules import call_as
    from recollect.engine.admin.access_tokens import LOCAL as LOCAL_GRANT
    from recollect.engine.admin.access_tokens import Grant
    from recollect.engine.admin.migration import migrate
    from recollect.engine.code.indexed_project import (
        FileUses,
        Neighbour,
        PackageRow,
        Project,
        Source,
        Sources,
        SymbolRow,
    )
    from recollect.engine.hook_responses.prompt_fast_path import fast_answer
    from recollect.engine.importing.legacy_files import Older as LegacyDatabase
    from recollect.engine.importing.legacy_files import adopt as adopt_database
    from recollect.engine.importing.legacy_files import adopt_document as adopt_json
    from recollect.engine.importing.legacy_files import document_turns
    from recollect.engine.library_store import UNRELATED, LibraryStore, Relevant, configured, size, without_secrets
    from recollect.engine.memory.library_state import Documents, ScoreCache
    from recollect.engine.memory.library_state import Kept as CachedScore
    from recollect.engine.memory.library_state import Key as ScoreKey
    from recollect.engine.models.given_embedder import CallerEmbedder, centroid, configured_vector, cosine
    from recollect.engine.records import input_checks
    from recollect.engine.records.checkout import work_tree
    from recollect.engine.records.identity import namespace_of
    from recollect.engine.root import NOUNS, OPERATIONS, Engine
    from recollect.engine.sessions.observed_events import current_error, spoken_of, touched
    from recollect.recall.llm_judge_prompt import prompt as judge_prompt
    from recollect.recall.llm_judge_prompt import verdict as judge_verdict
    from recollect.text.identifiers import code_terms
    from recollect.text.token_count import tokens

# Module → the public names that it defines, as name or name=its name there; nothing behind =: the module itself.
_PUBLIC = {
    "recollect.code.index.source_entities": "SourceEntity=Entity read_source source_files",
    "recollect.engine.admin.access_rules": "call_as",
    "recollect.engine.admin.access_tokens": "Grant LOCAL_GRANT=LOCAL",
    "recollect.engine.admin.migration": "migrate",
    "recollect.engine.code.indexed_project": "FileUses Neighbour PackageRow Project Source Sources SymbolRow",
    "recollect.engine.hook_responses.prompt_fast_path": "fast_answer",
    "recollect.engine.importing.legacy_files": (
        "LegacyDatabase=Older adopt_database=adopt adopt_json=adopt_document document_turns"
    ),
    "recollect.engine.library_store": "UNRELATED LibraryStore Relevant configured size without_secrets",
    "recollect.engine.memory.library_state": "Documents CachedScore=Kept ScoreKey=Key ScoreCache",
    "recollect.engine.models.given_embedder": "CallerEmbedder centroid configured_vector cosine",
    "recollect.engine.records.checkout": "work_tree",
    "recollect.engine.records.identity": "namespace_of",
    "recollect.engine.records.input_checks": "input_checks=",
    "recollect.engine.root": "NOUNS OPERATIONS Engine",
    "recollect.engine.sessions.observed_events": "current_error spoken_of touched",
    "recollect.recall.llm_judge_prompt": "judge_prompt=prompt judge_verdict=verdict",
    "recollect.text.identifiers": "code_terms",
    "recollect.text.token_count": "tokens",
}
_DEFINED = {
    name.partition("=")[0]: (module, name.rpartition("=")[2])
    for module, names in _PUBLIC.items()
    for name in names.split()
}

__all__ = [
    "LOCAL_GRANT", "NOUNS", "OPERATIONS", "UNRELATED", "CachedScore", "CallerEmbedder", "Documents", "Engine",
    "FileUses", "Grant", "LegacyDatabase", "LibraryStore", "Neighbour", "PackageRow", "Project", "Relevant",
    "ScoreCache", "ScoreKey", "Source", "SourceEntity", "Sources", "SymbolRow", "adopt_database", "adopt_json",
    "call_as", "centroid", "code_terms", "configured", "configured_vector", "cosine", "current_error",
    "document_turns", "fast_answer", "input_checks", "judge_prompt", "judge_verdict", "migrate", "namespace_of",
    "read_source", "size", "source_files",
    "spoken_of", "tokens", "touched", "without_secrets", "work_tree",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in _DEFINED:
        raise AttributeError(f"module 'recollect.engine' has no attribute {name!r}")
    from importlib import import_module

    module, attribute = _DEFINED[name]
    found = import_module(module)
    return getattr(found, attribute) if attribute else found
