"""A shelf: what libraries on the engine keep, read, count, search and remove by."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from recollect.engine.library_store import LibraryStore, without_secrets


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[LibraryStore]:
    monkeypatch.setenv("RECOLLECT_EMBED_PROVIDER", "off")
    opened = LibraryStore(tmp_path / "shelf.db", "ours")
    other = LibraryStore(tmp_path / "shelf.db", "theirs")
    other.add([{"id": "x", "content": "The ferry leaves at noon", "created_at": 50}])
    yield opened
    assert other.count() == 1
    other.close()
    opened.close()


ROWS = [
    {"id": "a", "content": "The ferry leaves at eight", "created_at": 100, "category": "turn", "importance": 0.2},
    {"id": "b", "content": "The ferry returns at nine", "created_at": 300, "parent_id": "p", "chunk_index": 1},
    {"id": "c", "content": "Olives need sun", "created_at": 200, "parent_id": "p", "chunk_index": 2},
]


def test_rows_keep_what_they_are_a_part_of_and_how_they_were_used(shelf: LibraryStore) -> None:
    used = {"access_count": 3, "last_accessed_at": 400}
    kept = shelf.add([{**row, **used} for row in ROWS])
    assert [(row.parent_id, row.chunk_index) for row in kept] == [(None, None), ("p", 1), ("p", 2)]
    found = shelf.get("b")
    assert found is not None
    assert (found.access_count, found.last_accessed_at, found.created_at) == (3, 400, 300)
    assert shelf.add([{"content": "Bare", "created_at": 70}])[0].last_accessed_at == 70


@pytest.mark.parametrize(
    "wrong", [{"access_count": -1}, {"chunk_index": "first"}, {"parent_id": ""}, {"last_accessed_at": "x"}]
)
def test_rows_that_make_no_sense_are_a_value_error_and_none_is_kept(
    shelf: LibraryStore, wrong: dict[str, object]
) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong))):
        shelf.add([ROWS[0], {**ROWS[1], **wrong}])
    assert shelf.count() == 0


def test_memories_are_selected_by_values_in_an_order(shelf: LibraryStore) -> None:
    shelf.add(ROWS)
    assert [row.id for row in shelf.select()] == ["a", "c", "b"]
    assert [row.id for row in shelf.ends(2, newest=True)] == ["b", "c"]
    assert [row.id for row in shelf.ends(1, newest=False)] == ["a"]  # what is older is another's
    assert [row.id for row in shelf.ends(9, newest=False, parent_id="p")] == ["c", "b"]
    assert [row.id for row in shelf.select(parent_id=("p", "q"), chunk_index=2)] == ["c"]
    assert (shelf.count(parent_id=None), shelf.count(category="turn")) == (1, 1)


def test_columns_are_of_what_is_old_or_little(shelf: LibraryStore) -> None:
    shelf.add(ROWS)
    assert sorted(shelf.columns(("id", "created_at"))) == [("a", 100), ("b", 300), ("c", 200)]
    assert sorted(shelf.columns(("id",), created_at=201)) == [("a",), ("c",)]
    assert shelf.columns(("id",), importance=0.5) == [("a",)]


def test_what_is_removed_may_be_named_in_several_ways(shelf: LibraryStore) -> None:
    shelf.add(ROWS)
    assert shelf.remove_all(id=["a", "x", "nobody"], parent_id=["p"]) == 3
    assert shelf.remove_all(id=[]) == 0
    assert shelf.count() == 0


def test_a_search_answers_from_its_own_memories_alone(shelf: LibraryStore) -> None:
    shelf.add(ROWS)
    hits = shelf.search("When does the ferry leave?", 5)
    assert hits[0].memory.id == "a"
    assert "x" not in {hit.memory.id for hit in hits}
    assert len(shelf.search("ferry", 1)) == 1
    assert len(shelf.search("ferry", 1, pool=1)) == 1


def test_an_access_is_counted_at_its_moment(shelf: LibraryStore) -> None:
    shelf.add(ROWS)
    shelf.touch(["a", "c"], 1_234)
    assert {row.id: (row.access_count, row.last_accessed_at) for row in shelf.select()} == {
        "a": (1, 1_234), "b": (0, 300), "c": (1, 1_234),
    }  # fmt: skip
    assert shelf.size_bytes > 0


def test_secrets_are_replaced_as_they_will_be_kept(shelf: LibraryStore) -> None:
    text = without_secrets("token ghp_" + "a1B2" * 9)
    assert "a1B2a1B2" not in text
    assert without_secrets(text) == text
    assert shelf.add([{"content": text}])[0].content == text
