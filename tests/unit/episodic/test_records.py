"""Records and errors: field by field what document 001 says."""

from __future__ import annotations

import builtins
import dataclasses
import inspect
import subprocess
import sys
import time

import pytest

from recollect import episodic
from recollect.episodic import (
    ChunkedMemoryRecord,
    ChunkingError,
    ChunkMetadata,
    MemoryRecord,
    SessionMemoryError,
    SessionTurn,
    TemporalWeightingError,
    create_single_chunk,
    migrate_legacy_record,
)
from recollect.errors import InvalidInput, RecollectError, StoreFull


@pytest.mark.promise("A1")
def test_a_chunked_record_has_the_documented_fields_in_their_order() -> None:
    record = ChunkedMemoryRecord()
    assert [field.name for field in dataclasses.fields(record)] == [
        "id", "parent_id", "chunk_index", "user", "assistant", "content", "full_context", "timestamp", "embedding",
        "chunk_metadata", "access_count", "last_accessed", "importance_score",
        "relevance", "score",  # beyond the document: of a recall
    ]  # fmt: skip
    assert (record.parent_id, record.chunk_index, record.user, record.assistant, record.content) == (
        None,
        0,
        "",
        "",
        "",
    )
    assert (record.full_context, record.embedding, record.chunk_metadata) == (None, None, None)
    assert (record.access_count, record.importance_score) == (0, 1.0)
    assert record.id != ChunkedMemoryRecord().id
    assert 0 <= time.time() - record.timestamp < 60


@pytest.mark.promise("A1")
def test_chunk_metadata_has_the_documented_fields() -> None:
    names = [field.name for field in dataclasses.fields(ChunkMetadata)]
    assert names == ["start_char", "end_char", "overlap_start", "overlap_end", "semantic_boundary"]


@pytest.mark.promise("A1")
def test_a_record_with_a_parent_is_a_child_and_no_parent() -> None:
    parent = ChunkedMemoryRecord(content="Full conversation content")
    child = ChunkedMemoryRecord(parent_id=parent.id, chunk_index=1, full_context=parent.content)
    assert (parent.is_parent, parent.is_child) == (True, False)
    assert (child.is_parent, child.is_child) == (False, True)


@pytest.mark.promise("A1")
def test_an_access_is_counted_with_its_time() -> None:
    record = ChunkedMemoryRecord(timestamp=1_000.0, last_accessed=1_000.0)
    record.access()
    record.access()
    assert record.access_count == 2
    assert 0 <= time.time() - record.last_accessed < 60
    record.accessed_at(5_000.5)
    assert (record.access_count, record.last_accessed) == (3, 5_000.5)


@pytest.mark.promise("A13")
def test_a_legacy_record_becomes_a_parent_with_everything_it_had() -> None:
    old = MemoryRecord(id="m1", user="Hi", assistant="Hello", timestamp=12.5, embedding=[0.1, 0.2])
    new = migrate_legacy_record(old)
    assert new == ChunkedMemoryRecord(
        id="m1",
        user="Hi",
        assistant="Hello",
        content="User: Hi\nAssistant: Hello",
        timestamp=12.5,
        embedding=[0.1, 0.2],
        last_accessed=12.5,
    )
    assert new.is_parent


def test_a_single_chunk_is_the_whole_turn() -> None:
    record = create_single_chunk("Hi", "Hello")
    assert (record.content, record.is_parent, record.chunk_metadata) == ("User: Hi\nAssistant: Hello", True, None)


def test_a_session_turn_is_a_memory_record() -> None:
    turn = SessionTurn(user="Hi", assistant="Hello", session_id="s")
    assert isinstance(turn, MemoryRecord)
    assert (turn.content, turn.promoted) == ("User: Hi\nAssistant: Hello", False)


@pytest.mark.promise("A11")
def test_the_errors_are_a_tree_of_ours_that_shadows_no_builtin() -> None:
    kinds = (ChunkingError, TemporalWeightingError, SessionMemoryError)
    assert all(issubclass(kind, episodic.MemoryError) for kind in kinds)
    assert issubclass(episodic.MemoryError, RecollectError)
    assert not issubclass(episodic.MemoryError, builtins.MemoryError)
    assert len({kind.code for kind in (*kinds, episodic.MemoryError)}) == 4
    assert str(episodic.MemoryError("disk full")) == "disk full"
    assert str(ChunkingError()) == ""
    assert all(kind("x").hint for kind in kinds)


@pytest.mark.promise("A11")
def test_errors_of_the_engine_become_those_of_the_document() -> None:
    from recollect.episodic.exceptions import documented_errors

    with pytest.raises(ValueError, match="content is empty"), documented_errors():
        raise InvalidInput("content is empty")
    with pytest.raises(SessionMemoryError, match="no space") as caught, documented_errors(SessionMemoryError):
        raise StoreFull("no space left", path="x")
    assert caught.value.details == {"path": "x"}
    with pytest.raises(ChunkingError), documented_errors():
        raise ChunkingError("as it is")


def test_importing_the_library_and_its_plain_classes_loads_nothing_heavy() -> None:
    program = (
        "import sys, recollect.episodic as e; e.ContextualChunker(400, 0.2, 100, max_chunks=10); "
        "e.ChunkedMemoryRecord; e.MemoryError; "
        "heavy = {'numpy', 'msgspec', 'sqlite3', 'onnxruntime', 'recollect.engine.root'}; "
        "print(sorted(heavy & set(sys.modules)))"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (result.stdout, result.stderr) == ("[]\n", "")


def test_the_signatures_are_those_of_the_document() -> None:
    def parameters(function: object) -> list[str]:
        return [str(each) for each in inspect.signature(function).parameters.values()]  # type: ignore[arg-type]

    assert parameters(episodic.ContextualChunker)[:3] == [
        "chunk_size: 'int' = 400", "overlap_ratio: 'float' = 0.2", "min_chunk_size: 'int' = 100",
    ]  # fmt: skip
    assert parameters(episodic.ContextualChunker.find_semantic_boundary)[1:] == [
        "text: 'str'", "ideal_pos: 'int'", "search_window: 'int' = 50",
    ]  # fmt: skip
    assert parameters(episodic.SessionMemory.get_session_context)[1:] == [
        "session_id: 'str | None' = None", "max_turns: 'int' = 20", "include_expired: 'bool' = False",
    ]  # fmt: skip
    assert parameters(episodic.SessionMemory.get_all_recent_context)[1:] == [
        "hours_back: 'float' = 2.0", "max_turns: 'int' = 50",
    ]  # fmt: skip
    assert parameters(episodic.EnhancedEpisodicMemory.recall)[1:] == [
        "query: 'str'", "top_k: 'int' = 4", "include_parents: 'bool' = True", "memory_type: 'str' = 'episodic'",
    ]  # fmt: skip
    assert parameters(episodic.SessionMemory.add_turn)[1:] == [
        "user: 'str'", "assistant: 'str'", "force_new_session: 'bool' = False",
    ]  # fmt: skip
    assert issubclass(episodic.EnhancedEpisodicMemory, episodic.EpisodicMemory)
