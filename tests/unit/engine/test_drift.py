"""Drift: what changes of the code made doubtful is listed once, with a way out for each."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.fakes import FrozenClock
from tests.trees import git, write

from recollect import Engine
from recollect.errors import InvalidInput, MemoryNotFound
from recollect.model import Anchor, Drift

BODY = "    total = 0\n    for line in lines:\n        total += weigh(line) * {number}\n    return total\n"
FILES = {
    "src/one.py": f"def count_one(lines):\n{BODY.format(number=1)}\n\ndef count_two(lines):\n{BODY.format(number=2)}",
    "src/three.py": f"def count_three(lines):\n{BODY.format(number=3)}",
}


@pytest.fixture
def project(tmp_path: Path, engine: Engine) -> Path:
    root = tmp_path / "app"
    write(root, FILES)
    git(root, "init", "-q")
    git(root, "add", ".")
    git(root, "commit", "-qm", "one")
    engine.code.index(str(root))
    return root


@pytest.fixture
def ids(engine: Engine, project: Path) -> dict[str, str]:
    return {
        name: engine.memories.store(f"{name} counts lines", namespace=str(project)).memory.id
        for name in ("count_one", "count_two", "count_three")
    }


def listed(drift: Drift) -> dict[str, str]:
    return {row.memory.id: row.freshness.verdict for row in drift.memories}


def change(project: Path, path: str, old: str, new: str) -> None:
    text = (project / path).read_text(encoding="utf-8")
    assert old in text
    (project / path).write_text(text.replace(old, new), encoding="utf-8")


def test_without_code_or_anchors_the_list_says_why_it_is_empty(engine: Engine, tmp_path: Path) -> None:
    assert "indexed" in engine.freshness.drift().notes[0]
    write(tmp_path / "app", FILES)
    engine.code.index(str(tmp_path / "app"))
    assert "mentions" in engine.freshness.drift().notes[0]


@pytest.mark.promise("B2")
def test_what_changed_or_is_gone_is_listed_and_what_moved_is_not(
    engine: Engine, project: Path, ids: dict[str, str], frozen: FrozenClock
) -> None:
    assert engine.freshness.drift() == Drift(memories=(), total=0)
    frozen.advance(10)
    change(project, "src/one.py", "* 1", "* 10")
    change(project, "src/one.py", "count_two", "count_pairs")
    engine.code.index(str(project))
    assert listed(engine.freshness.drift()) == {ids["count_one"]: "changed"}
    frozen.advance(10)
    (project / "src" / "three.py").unlink()
    engine.code.index(str(project))
    found = engine.freshness.drift()
    assert [row.memory.id for row in found.memories] == [ids["count_three"], ids["count_one"]]
    assert found.memories[0].freshness.anchors[0].since == frozen()
    assert listed(engine.freshness.drift(last=True)) == {ids["count_three"]: "gone"}
    assert listed(engine.freshness.drift(since=frozen())) == {ids["count_three"]: "gone"}
    assert listed(engine.freshness.drift(since=frozen() + 1)) == {}
    assert listed(engine.freshness.drift(namespace="elsewhere")) == {}
    short = engine.freshness.drift(limit=1, namespace=str(project))
    assert (len(short.memories), short.total) == (1, 2)


def test_keeping_compares_with_the_code_of_now(engine: Engine, project: Path, ids: dict[str, str]) -> None:
    change(project, "src/one.py", "* 1", "* 10")
    change(project, "src/one.py", "count_two", "count_pairs")
    (project / "src" / "three.py").unlink()
    engine.code.index(str(project))
    for name in ids:
        settled = engine.freshness.settle(ids[name], "keep")
        assert settled.freshness.verdict == ("unanchored" if name == "count_three" else "fresh")
    assert engine.freshness.drift().total == 0
    # What moved is tied to its new place; what is gone is forgotten.
    assert {(row.path, row.symbol) for row in engine.store.find(Anchor)} == {
        ("src/one.py", "count_one"),
        ("src/one.py", "count_pairs"),
    }
    change(project, "src/one.py", "* 10", "* 100")
    engine.code.index(str(project))
    assert listed(engine.freshness.drift()) == {ids["count_one"]: "changed"}


def test_keeping_can_be_taken_back(engine: Engine, project: Path, ids: dict[str, str]) -> None:
    change(project, "src/one.py", "* 1", "* 10")
    engine.code.index(str(project))
    settled = engine.freshness.settle(ids["count_one"], "keep")
    engine.admin.undo(settled.batch)
    assert listed(engine.freshness.drift()) == {ids["count_one"]: "changed"}


def test_an_update_has_new_words_and_new_anchors(engine: Engine, project: Path, ids: dict[str, str]) -> None:
    change(project, "src/one.py", "* 1", "* 10")
    engine.code.index(str(project))
    settled = engine.freshness.settle(
        ids["count_one"], "update", content="count_one counts tens", anchors=("src/three.py::count_three",)
    )
    assert settled.memory.content == "count_one counts tens"
    assert [(row.path, row.verdict) for row in settled.freshness.anchors] == [
        ("src/one.py", "fresh"),
        ("src/three.py", "fresh"),
    ]
    assert engine.freshness.drift().total == 0
    engine.admin.undo(settled.batch)
    assert engine.memories.get(ids["count_one"]).content == "count_one counts lines"
    assert listed(engine.freshness.drift()) == {ids["count_one"]: "changed"}


def test_a_retired_memory_ends_is_not_packed_and_can_come_back(
    engine: Engine, project: Path, ids: dict[str, str], frozen: FrozenClock
) -> None:
    change(project, "src/one.py", "* 1", "* 10")
    engine.code.index(str(project))
    settled = engine.freshness.settle(ids["count_one"], "retire")
    assert settled.memory.valid_to == frozen()
    assert engine.freshness.drift().total == 0
    assert "count_one" not in engine.recall.pack("count_one counts lines", min_score=0.0, code=False).text
    assert any(row.memory.id == ids["count_one"] for row in engine.recall.search("count_one", min_score=0.0).hits)
    engine.admin.undo(settled.batch)
    assert "count_one" in engine.recall.pack("count_one counts lines", min_score=0.0, code=False).text
    assert listed(engine.freshness.drift()) == {ids["count_one"]: "changed"}


def test_what_cannot_be_settled_is_refused(engine: Engine, ids: dict[str, str]) -> None:
    with pytest.raises(InvalidInput):
        engine.freshness.settle(ids["count_one"], "update")
    with pytest.raises(InvalidInput):
        engine.freshness.settle(ids["count_one"], "keep", content="new")
    with pytest.raises(InvalidInput):
        engine.freshness.settle(ids["count_one"], "retire", anchors=())
    with pytest.raises(InvalidInput):
        engine.freshness.settle(ids["count_one"], "forget")  # type: ignore[arg-type]
    with pytest.raises(MemoryNotFound):
        engine.freshness.settle("nobody", "keep")


# --- a range of commits ---


def test_a_range_tells_what_its_commits_do_to_memories_indexed_or_not(
    engine: Engine, project: Path, ids: dict[str, str]
) -> None:
    change(project, "src/one.py", "* 1", "* 10")
    git(project, "commit", "-qam", "two")
    change(project, "src/one.py", "count_two", "count_pairs")
    (project / "src" / "three.py").unlink()
    git(project, "commit", "-qam", "three")
    assert engine.freshness.drift().total == 0
    assert listed(engine.freshness.drift(range="HEAD~2..HEAD~1")) == {ids["count_one"]: "changed"}
    assert listed(engine.freshness.drift(range="HEAD~1")) == {ids["count_three"]: "gone"}
    assert listed(engine.freshness.drift(range="HEAD~2..")) == {ids["count_one"]: "changed", ids["count_three"]: "gone"}
    assert listed(engine.freshness.drift(range="HEAD..HEAD")) == {}


def test_a_range_sees_edits_on_the_way_to_another_file(engine: Engine, project: Path, ids: dict[str, str]) -> None:
    whole = engine.memories.store("src/three.py stays alone", namespace=str(project)).memory.id
    text = (project / "src" / "three.py").read_text(encoding="utf-8").replace("* 3", "* 33")
    (project / "src" / "three.py").unlink()
    write(project, {"lib/trio.py": text})
    git(project, "add", ".")
    git(project, "commit", "-qam", "two")
    found = engine.freshness.drift(range="HEAD~1..HEAD")
    assert listed(found) == {ids["count_three"]: "changed", whole: "changed"}
    assert {row.freshness.anchors[0].now_path for row in found.memories} == {"lib/trio.py"}


def test_comments_in_a_range_do_nothing(engine: Engine, project: Path, ids: dict[str, str]) -> None:
    change(project, "src/one.py", "    total = 0", "    # from nothing\n    total  =  0")
    git(project, "commit", "-qam", "two")
    assert engine.freshness.drift(range="HEAD~1..HEAD").total == 0


@pytest.mark.parametrize("span", ["nobody..HEAD", "HEAD..nobody", "--output=x", "HEAD~9", "", "a b"])
def test_a_range_that_git_does_not_know_is_refused(
    engine: Engine, project: Path, ids: dict[str, str], span: str
) -> None:
    with pytest.raises(InvalidInput):
        engine.freshness.drift(range=span)
    assert not (project / "x").exists()


def test_a_range_needs_a_repository(engine: Engine, tmp_path: Path) -> None:
    write(tmp_path / "plain", FILES)
    engine.code.index(str(tmp_path / "plain"))
    with pytest.raises(InvalidInput):
        engine.freshness.drift(range="HEAD~1..HEAD")
