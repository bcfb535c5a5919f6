"""General memories in a file: what document 000 says of MemoryStorage."""

from __future__ import annotations

import inspect
import re
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memory_lib.general import MemoryStorage
from recollect import Engine, clock


@pytest.fixture
def storage(tmp_path: Path) -> Iterator[MemoryStorage]:
    with MemoryStorage(str(tmp_path / "memories.db")) as opened:
        yield opened


@pytest.mark.promise("G1")
def test_the_file_is_made_and_holds_what_was_kept_after_it_was_closed(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "my_memories.db"
    with MemoryStorage(str(path)) as storage:
        assert path.is_file()
        kept = storage.add_memory("Example memory")
    with pytest.raises(ValueError, match="closed"):
        storage.add_memory("too late")
    storage.close()
    again = MemoryStorage(str(path))
    assert [row["id"] for row in again.get_all_memories()] == [kept]
    again.close()


@pytest.mark.promise("G1")
def test_the_default_file_is_memories_db_in_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with MemoryStorage():
        assert (tmp_path / "memories.db").is_file()


@pytest.mark.promise("G2")
def test_a_memory_gets_a_uuid_unless_it_is_given_an_id(storage: MemoryStorage) -> None:
    made = storage.add_memory("Python uses duck typing", metadata={"language": "python", "topic": "typing"})
    assert uuid.UUID(made).version == 4
    assert storage.add_memory("Ruby uses duck typing", memory_id="ruby") == "ruby"
    with pytest.raises(ValueError, match="ruby"):
        storage.add_memory("another", memory_id="ruby")
    assert storage.count_memories() == 2


@pytest.mark.promise("G2")
def test_the_same_text_is_kept_as_often_as_it_is_given(storage: MemoryStorage) -> None:
    assert storage.add_memory("twice") != storage.add_memory("twice")
    assert storage.count_memories() == 2


@pytest.mark.promise("G2")
@pytest.mark.parametrize("text", ["", "  \n", None, 7, "a\0b"])
def test_text_that_is_none_is_a_value_error(storage: MemoryStorage, text: object) -> None:
    with pytest.raises(ValueError, match=r"text|content"):
        storage.add_memory(text)  # type: ignore[arg-type]
    assert storage.count_memories() == 0


@pytest.mark.promise("G2")
def test_metadata_that_is_no_json_is_a_value_error(storage: MemoryStorage) -> None:
    with pytest.raises(ValueError, match="JSON"):
        storage.add_memory("text", metadata={"a": object()})


@pytest.mark.promise("G3")
def test_a_memory_is_read_with_exactly_the_documented_keys(storage: MemoryStorage) -> None:
    text, metadata = "  Grüße\n\tund Code 😀 ", {"language": "python", "nested": {"list": [1, 2.5, None, True]}}
    row = storage.get_memory(storage.add_memory(text, metadata))
    assert row is not None
    assert list(row) == ["id", "text", "metadata", "timestamp"]
    assert (row["text"], row["metadata"]) == (text, metadata)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", row["timestamp"])
    assert abs((datetime.now(UTC) - datetime.fromisoformat(row["timestamp"])).total_seconds()) < 60


@pytest.mark.promise("G3")
def test_an_unknown_id_gives_none(storage: MemoryStorage) -> None:
    assert storage.get_memory("nobody") is None
    assert storage.get_memory("") is None
    bare = storage.get_memory(storage.add_memory("no metadata"))
    assert bare is not None
    assert bare["metadata"] == {}


@pytest.mark.promise("G4")
def test_all_memories_are_listed_newest_first(storage: MemoryStorage, monkeypatch: pytest.MonkeyPatch) -> None:
    assert storage.get_all_memories() == []
    for text, at in (("old", 1_000), ("new", 3_000), ("middle", 2_000), ("newest, same second", 3_000)):
        monkeypatch.setattr(clock, "now", lambda at=at: at)
        storage.add_memory(text)
    assert [row["text"] for row in storage.get_all_memories()] == ["newest, same second", "new", "middle", "old"]


@pytest.mark.promise("G5")
def test_an_update_leaves_alone_what_is_none(storage: MemoryStorage) -> None:
    name = storage.add_memory("Python uses duck typing", {"a": 1})
    before = storage.get_memory(name)
    assert before is not None
    assert storage.update_memory(name, text="Python uses dynamic typing")
    assert storage.get_memory(name) == {**before, "text": "Python uses dynamic typing"}
    assert storage.update_memory(name, metadata={"updated": True})
    assert storage.get_memory(name) == {**before, "text": "Python uses dynamic typing", "metadata": {"updated": True}}
    assert storage.update_memory(name)
    assert storage.update_memory(name, metadata={})
    assert storage.get_memory(name) == {**before, "text": "Python uses dynamic typing", "metadata": {}}


@pytest.mark.promise("G5")
def test_updating_what_is_not_there_is_false_and_empty_text_an_error(storage: MemoryStorage) -> None:
    assert storage.update_memory("nobody", text="x") is False
    name = storage.add_memory("something")
    with pytest.raises(ValueError, match="text"):
        storage.update_memory(name, text="  ")
    row = storage.get_memory(name)
    assert row is not None
    assert row["text"] == "something"


@pytest.mark.promise("G6")
def test_deleting_counting_and_clearing_say_how_many(storage: MemoryStorage) -> None:
    names = [storage.add_memory(f"memory {number}") for number in range(5)]
    assert storage.delete_memory(names[0]) is True
    assert storage.delete_memory(names[0]) is False
    assert storage.count_memories() == 4
    assert storage.clear_all() == 4
    assert storage.clear_all() == 0
    assert (storage.count_memories(), storage.get_all_memories()) == (0, [])


@pytest.mark.promise("G6")
def test_what_another_program_keeps_in_the_same_file_is_neither_seen_nor_cleared(tmp_path: Path) -> None:
    path = tmp_path / "recollect.db"
    with Engine(database=str(path)) as engine:
        theirs = engine.memories.store("We use tabs in Makefiles").memory.id
    with MemoryStorage(str(path)) as storage:
        storage.add_memory("ours")
        assert storage.count_memories() == 1
        assert storage.get_memory(theirs) is None
        assert storage.update_memory(theirs, text="changed") is False
        assert storage.delete_memory(theirs) is False
        assert storage.clear_all() == 1
    with Engine(database=str(path)) as engine:
        assert engine.memories.get(theirs).content == "We use tabs in Makefiles"


def test_a_secret_is_replaced_before_it_is_kept(storage: MemoryStorage) -> None:
    row = storage.get_memory(storage.add_memory("token ghp_" + "a1B2" * 9, {"key": "ghp_" + "a1B2" * 9}))
    assert "a1B2a1B2" not in str(row)


def test_the_signatures_are_those_of_the_document() -> None:
    assert {
        name: str(inspect.signature(getattr(MemoryStorage, name)))
        for name in ("__init__", "add_memory", "get_memory", "update_memory", "delete_memory")
    } == {
        "__init__": "(self, db_path: 'str' = 'memories.db') -> 'None'",
        "add_memory": "(self, text: 'str', metadata: 'dict[str, Any] | None' = None, "
        "memory_id: 'str | None' = None) -> 'str'",
        "get_memory": "(self, memory_id: 'str') -> 'dict[str, Any] | None'",
        "update_memory": "(self, memory_id: 'str', text: 'str | None' = None, "
        "metadata: 'dict[str, Any] | None' = None) -> 'bool'",
        "delete_memory": "(self, memory_id: 'str') -> 'bool'",
    }
