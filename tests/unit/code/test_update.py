"""Bringing an index up to date: what changed is read, what is gone forgotten, the rest left alone."""

from __future__ import annotations

import os
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.code_graph import code_nodes
from tests.trees import git, write

from recollect.code.index import update as updating
from recollect.code.index.project_root import Place
from recollect.code.index.update import Limits, update, update_paths
from recollect.errors import Cancelled
from recollect.model import Tree
from recollect.progress import reporting_to
from recollect.store.code_rows import CodeScope
from recollect.store.sql import Store

from .conftest import Index

OLD = 1_500_000_000_000_000_000


def age(root: Path) -> None:
    """Make every file old: one that was just written is read once more, to be sure."""
    for number, file in enumerate(sorted(root.rglob("*.py"))):
        os.utime(file, ns=(OLD + number, OLD + number))


def names(store: Store) -> list[str]:
    return [name for name, _ in store.symbol_names()]


@pytest.mark.promise("E15")
def test_only_what_changed_is_read_again(index: Index, where: Place, store: Store) -> None:
    index({"a.py": "def a(): pass", "b.py": "def b(): pass"})
    age(where.root)
    assert index().read == 0  # their times changed, their content did not
    second = index()
    assert (second.read, second.unchanged, second.read_bytes) == (0, 2, 0)
    third = index({"b.py": "def c(): pass"})
    assert (third.read, third.unchanged) == (1, 1)
    assert names(store) == ["a", "c"]


def test_a_file_of_the_same_time_and_size_is_taken_to_be_the_same(index: Index, where: Place, store: Store) -> None:
    index({"a.py": "def a(): pass"})
    age(where.root)
    index()
    write(where.root, {"a.py": "def b(): pass"})
    age(where.root)
    assert index().read == 0
    assert index(rebuild=True).read == 1
    assert names(store) == ["b"]


def test_a_file_written_twice_within_one_tick_of_the_clock_is_noticed(index: Index, where: Place, store: Store) -> None:
    now = time.time_ns() + 3_600_000_000_000  # later than whatever the clock says when it is read
    write(where.root, {"a.py": "def a(): pass"})
    os.utime(where.root / "a.py", ns=(now, now))
    index()
    write(where.root, {"a.py": "def b(): pass"})
    os.utime(where.root / "a.py", ns=(now, now))
    index()
    assert names(store) == ["b"]


def test_a_file_that_is_gone_is_forgotten(index: Index, where: Place, store: Store) -> None:
    index({"a.py": "def a(): pass", "src/b.py": "def b(): pass"})
    (where.root / "src" / "b.py").unlink()
    assert index().gone == 1
    assert names(store) == ["a"]


def test_a_renamed_file_is_known_by_its_new_name_alone(index: Index, where: Place, store: Store) -> None:
    index({"a.py": "def a(): pass"})
    (where.root / "a.py").rename(where.root / "b.py")
    done = index()
    assert (done.read, done.gone) == (1, 1)
    assert [hit.file.path for hit in store.symbols_named(["a"], CodeScope(), 5)] == ["b.py"]


def test_a_tree_with_no_files_is_an_index_with_no_files(index: Index, store: Store) -> None:
    done = index()
    assert (done.read, done.gone) == (0, 0)
    assert store.find(Tree)[0].indexed_at > 0


def test_a_part_of_a_tree_is_brought_up_to_date_alone(store: Store, tmp_path: Path) -> None:
    root = tmp_path / "tree"
    write(root, {"a.py": "def a(): pass", "src/b.py": "def b(): pass"})
    git(root, "init", "-q")
    update(store, Place(root, "", True), None)
    write(root, {"a.py": "def changed(): pass", "src/b.py": "def c(): pass"})
    (root / "src" / "b.py").rename(root / "src" / "d.py")
    done = update(store, Place(root, "src/", True), None)
    assert (done.read, done.gone) == (1, 1)
    assert names(store) == ["a", "c"]


def test_paths_that_changed_are_brought_up_to_date_alone(index: Index, where: Place, store: Store) -> None:
    index({"a.py": "def a(): pass", "src/b.py": "def b(): pass", "src/c.py": "def c(): pass", "d.py": "def d(): pass"})
    write(where.root, {"a.py": "def a2(): pass", "d.py": "def ignored(): pass", "new/e.py": "def e(): pass"})
    (where.root / "src").rename(where.root / "moved")
    done = update_paths(store, where, "ns", ["a.py", "src", "moved", "new", "never.py"])
    assert (done.read, done.gone) == (4, 2)
    assert names(store) == ["a2", "b", "c", "d", "e"]
    assert set(store.known_files(done.tree)) == {"a.py", "d.py", "moved/b.py", "moved/c.py", "new/e.py"}


def test_a_file_becomes_a_folder_and_back(index: Index, where: Place, store: Store) -> None:
    index({"thing.py": "def a(): pass"})
    (where.root / "thing.py").unlink()
    index({"thing.py/inner.py": "def b(): pass"})
    assert names(store) == ["b"]
    (where.root / "thing.py" / "inner.py").unlink()
    (where.root / "thing.py").rmdir()
    index({"thing.py": "def c(): pass"})
    assert names(store) == ["c"]


def test_what_becomes_too_large_or_ignored_is_forgotten(index: Index, where: Place, store: Store) -> None:
    index({"a.py": "def a(): pass", "b.py": "def b(): pass"})
    done = index({"a.py": "def a(): pass\n" * 100, ".recollectignore": "b.py\n"}, limits=Limits(500, 1))
    assert names(store) == []
    assert done.left_out == {"too large": 1, "ignored": 1}


def test_another_version_of_the_reader_reads_everything_anew(
    index: Index, where: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    index({"a.py": "def a(): pass"})
    age(where.root)
    index()
    monkeypatch.setattr(updating, "fingerprint", lambda: "another")
    assert index().read == 1
    assert index().read == 0


def test_an_update_that_is_stopped_is_gone_on_with(
    index: Index, where: Place, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("recollect.code.index.parallel_reader.ORDER_FILES", 1)
    monkeypatch.setattr(updating, "BATCH_FILES", 1)
    files = {f"m{number}.py": f"def f{number}(): pass" for number in range(6)}
    write(where.root, files)
    age(where.root)

    def stop(done: int, total: int | None, message: str) -> None:
        if done == 3:
            raise Cancelled("enough")

    with reporting_to(stop), pytest.raises(Cancelled):
        index()
    (tree,) = store.find(Tree)
    assert (tree.indexed_at, tree.owner) == (0, "")
    assert len(store.known_files(tree.id)) == 3
    assert len(names(store)) == 3
    done = index()
    assert (done.read, done.unchanged) == (3, 3)
    assert len(names(store)) == 6


def test_how_far_it_is_is_told_in_files_and_bytes(index: Index) -> None:
    heard: list[tuple[int, int | None, str]] = []
    with reporting_to(lambda done, total, message: heard.append((done, total, message))):
        index({f"m{number}.py": "x = 1\n" for number in range(3)})
    assert heard[0] == (0, None, "looking for changes")
    assert heard[-1][:2] == (3, 3)
    assert heard[-1][2].endswith("of 0.0 MB")


def test_a_writer_waits_for_another_one_of_the_same_tree(
    index: Index, where: Place, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = str(where.root)
    other = store.claim_tree(root, None, owner="other", fingerprint="x", lease_s=1000)
    assert other is not None
    waited: list[float] = []

    def pass_time(seconds: float) -> None:
        waited.append(seconds)
        if len(waited) == 3:
            store.release_tree(other.id, "other", is_complete=True)

    monkeypatch.setattr(updating, "time", SimpleNamespace(sleep=pass_time))
    assert index({"a.py": "def a(): pass"}).read == 1
    assert len(waited) == 3


def test_odd_names_and_odd_files_are_no_obstacle(index: Index, where: Place, store: Store) -> None:
    write(where.root, {"a.py": "def a(): pass", "new\nline.py": "def b(): pass", "binary.py": b"\0\1"})
    (where.root / os.fsdecode(b"no-\xff-utf8.py")).write_bytes(b"def c(): pass")
    os.mkfifo(where.root / "pipe.py")
    (where.root / "loop").symlink_to(where.root)
    done = index()
    assert names(store) == ["a", "b", "c"]
    assert store.code_totals([done.tree]).skipped == {"binary": 1}
    assert index().gone == 0


def test_a_root_with_an_odd_name_can_be_indexed(store: Store, tmp_path: Path) -> None:
    root = tmp_path / os.fsdecode(b"odd-\xff-root")
    write(root, {"a.py": "def a(): pass"})
    assert update(store, Place(root, "", False), None).read == 1
    assert store.find(Tree)[0].root.endswith("odd-\\xff-root")


def test_processes_are_used_for_many_files_and_give_the_same(
    store: Store, where: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, index: Index
) -> None:
    files = {f"pkg/m{number}.py": f"def f{number}(): pass\n" for number in range(150)}
    index(files)
    alone = dump(store)
    monkeypatch.setattr("recollect.code.index.parallel_reader.MIN_BYTES", 0)
    index(rebuild=True, limits=Limits(workers=2))
    assert dump(store) == alone


def dump(store: Store) -> list[Any]:
    (tree,) = store.find(Tree)
    return [*code_nodes(store), *sorted(store.known_files(tree.id))]


def test_what_many_writes_added_to_the_full_text_is_merged_at_the_end(
    index: Index, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def segments() -> int:
        counted = "SELECT count(DISTINCT segid) FROM code_text_idx"
        return int(store._connection().execute(counted).fetchone()[0])  # type: ignore[attr-defined]

    files = {f"m{number}.py": f"def f{number}():\n    return zebra\n" for number in range(updating.MANY_SEGMENTS)}
    monkeypatch.setattr("recollect.code.index.parallel_reader.ORDER_FILES", 1)
    monkeypatch.setattr(updating, "BATCH_BYTES", 10)
    few = dict(list(files.items())[1:])
    index(few)
    assert segments() == len(few)
    index(files, rebuild=True)
    assert segments() == 1
    assert len(store.search_code_text(["zebra"], CodeScope(), 10)) == len(files)
