"""Imported memories are compared with the code as it was at their commit, and followed to today."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.trees import write

from recollect import Engine, git
from recollect.code.anchors.commit_line import CommitLine
from recollect.engine.hook_responses.briefing import Briefing, Wanted
from recollect.model import Freshness, Memory, OlderCode

DAY = 86_400
START = 1_500_000_000
BODY = "    total = 0\n    for line in lines:\n        total += weigh(line) * {number}\n    return total\n"


def function(name: str, number: int = 1) -> str:
    return f"def {name}(lines):\n{BODY.format(number=number)}\n\n"


class Repository:
    """A repository whose commits are a day apart, long ago."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._day = 0
        root.mkdir(parents=True)
        self.git("init", "-q", "-b", "main")

    def git(self, *words: str) -> str:
        at = f"{START + DAY * self._day} +0000"
        identity = {
            **{f"GIT_{who}_{what}": "ada" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
            **dict.fromkeys(("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"), at),
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
        }
        command = ["git", "-c", "protocol.file.allow=always", *words]
        environment = {**os.environ, **identity}
        done = subprocess.run(command, cwd=self.root, env=environment, check=True, capture_output=True, text=True)
        return done.stdout.strip()

    def commit(self, message: str, **files: str | None) -> str:
        """Write files (`a__b_py` is a/b.py, None: delete) and commit them."""
        self._day += 1
        for name, content in files.items():
            path = name.replace("__", "/").replace("_py", ".py").replace("_md", ".md")
            if content is None:
                (self.root / path).unlink()
            else:
                write(self.root, {path: content})
        self.git("add", "-A")
        self.git("commit", "-q", "-m", message)
        return self.git("rev-parse", "HEAD")


@pytest.fixture
def app(tmp_path: Path) -> Repository:
    return Repository(Path(os.path.realpath(tmp_path)) / "app")


def imported(engine: Engine, app: Repository, *, index_first: bool = True) -> None:
    root = str(app.root)
    if index_first:
        engine.code.index(root)
    engine.history.import_history(root, only=("git",))
    if not index_first:
        engine.code.index(root)


def fresh(engine: Engine, start: str) -> Freshness:
    """Return the freshness of the imported memory whose text begins so."""
    (memory,) = [row for row in engine.store.find(Memory, {"source": "import"}) if row.content.startswith(start)]
    return engine.memories.get(memory.id).freshness


def verdict(engine: Engine, start: str) -> tuple[str, list[tuple[str, str | None]]]:
    found = fresh(engine, start)
    return found.verdict, [(row.now_path or row.path, row.now_symbol or row.symbol) for row in found.anchors]


# Only commits with a reason become memories.
WHY = "Weigh every line in count_lines\n\nBecause some lines are heavier than others."
BECAUSE = "\n\nThe totals were too small, because half of the lines counted for one side only."
TWICE = f"Weigh lines twice in count_lines{BECAUSE}"


@pytest.mark.promise("B2")
@pytest.mark.parametrize("index_first", [True, False])
def test_a_function_that_changed_after_the_commit_is_changed(
    engine: Engine, app: Repository, index_first: bool
) -> None:
    app.commit(WHY, src__a_py=function("count_lines") + function("other", 3))
    app.commit(TWICE, src__a_py=function("count_lines", 2) + function("other", 3))
    imported(engine, app, index_first=index_first)
    found = fresh(engine, "Weigh every line")
    assert (found.verdict, found.anchors[0].symbol) == ("changed", "count_lines")
    assert 0 < found.anchors[0].different < 0.5
    assert found.anchors[0].since == START + 2 * DAY
    assert found.note.startswith("src/a.py::count_lines changed since 2017-07-15 (last change 2017-07-16, ")
    assert found.note.endswith(" % different)")
    assert verdict(engine, "Weigh lines twice") == ("fresh", [("src/a.py", "count_lines")])


@pytest.mark.promise("B2")
def test_a_formatter_and_an_edit_beside_change_nothing(engine: Engine, app: Repository) -> None:
    app.commit(WHY, src__a_py=function("count_lines") + "def name():\n    return 'x'\n")
    wrapped = function("count_lines").replace("weigh(line) * 1", "(\n            weigh(line) * 1  # each\n        )")
    app.commit("Format the code with a formatter", src__a_py=wrapped + 'def name():\n    return "y"\n')
    imported(engine, app)
    assert verdict(engine, "Weigh every line") == ("fresh", [("src/a.py", "count_lines")])


@pytest.mark.promise("B2")
@pytest.mark.parametrize("index_first", [True, False])
def test_code_is_followed_through_two_renames_of_its_file_and_into_another_file(
    engine: Engine, app: Repository, index_first: bool
) -> None:
    app.commit(WHY, src__a_py=function("count_lines") + function("other", 3))
    app.git("mv", "src/a.py", "src/b.py")
    app.commit("Rename the module of the counters")
    app.git("mv", "src/b.py", "src/c.py")
    app.commit("Rename the module of the counters again")
    imported(engine, app, index_first=index_first)
    assert verdict(engine, "Weigh every line") == ("moved", [("src/c.py", "count_lines")])
    app.commit("Move the counter", src__c_py=function("other", 3), src__d_py=function("count_lines"))
    shutil.rmtree(app.root.parent / "home", ignore_errors=True)
    with Engine(home=str(app.root.parent / "second"), embed_provider="off") as second:
        imported(second, app, index_first=index_first)
        assert verdict(second, "Weigh every line") == ("moved", [("src/d.py", "count_lines")])


@pytest.mark.promise("B2")
def test_what_was_removed_is_gone_though_the_index_lacks_its_name(engine: Engine, app: Repository) -> None:
    app.commit(WHY, src__a_py=function("count_lines") + "def keep_alive():\n    return ping()\n")
    app.commit("Drop counting", src__a_py="def keep_alive():\n    return ping()\n")
    imported(engine, app)
    found = fresh(engine, "Weigh every line")
    assert (found.verdict, [row.symbol for row in found.anchors]) == ("gone", ["count_lines"])
    assert found.note == "src/a.py::count_lines no longer in the code (last change 2017-07-16)"


def test_a_memory_without_a_name_is_about_what_its_commit_changed(engine: Engine, app: Repository) -> None:
    app.commit("Start counting lines", src__a_py=function("count_lines") + function("other", 3))
    why = "Count more of it\n\nBecause the first result was too small for the report."
    app.commit(why, src__a_py=function("count_lines") + function("other", 4))
    app.commit("Count less", src__a_py=function("count_lines", 5) + function("other", 4))
    imported(engine, app)
    assert verdict(engine, "Count more of it") == ("fresh", [("src/a.py", "other")])


def test_a_shallow_clone_cannot_tell(engine: Engine, app: Repository, tmp_path: Path) -> None:
    app.commit(WHY, src__a_py=function("count_lines"))
    app.commit(TWICE, src__a_py=function("count_lines", 2))
    imported(engine, app)
    clone = tmp_path / "shallow"
    app.git("clone", "-q", "--depth=1", f"file://{app.root}", str(clone))
    shutil.rmtree(app.root)
    clone.rename(app.root)
    with Engine(home=str(tmp_path / "second"), embed_provider="off") as second:
        second.archive.import_(content=_without_anchors(engine.archive.export().content or ""))
        second.code.index(str(app.root))
        found = fresh(second, "Weigh every line")
        assert (found.verdict, found.anchors[0].symbol) == ("unverified", "count_lines")
        assert "not compared" in found.note
        assert verdict(second, "Weigh lines twice")[0] == "fresh"
        # Never compared, it stays unverified when its code changes.
        write(app.root, {"src/a.py": function("count_lines", 9)})
        second.code.index(str(app.root))
        assert fresh(second, "Weigh every line").verdict == "unverified"
        assert second.freshness.drift().total == 1


def _without_anchors(archive: str) -> str:
    return "".join(f"{line}\n" for line in archive.splitlines() if '"kind":"anchor"' not in line.replace(" ", ""))


def test_without_a_repository_imported_memories_are_unverified(engine: Engine, app: Repository) -> None:
    app.commit(WHY, src__a_py=function("count_lines"))
    engine.history.import_history(str(app.root), only=("git",))
    shutil.rmtree(app.root / ".git")
    engine.code.index(str(app.root))
    assert verdict(engine, "Weigh every line") == ("unverified", [("src/a.py", "count_lines")])


def test_later_edits_are_followed_from_the_state_of_the_commit(engine: Engine, app: Repository) -> None:
    app.commit(WHY, src__a_py=function("count_lines"))
    app.commit(TWICE, src__a_py=function("count_lines", 2))
    imported(engine, app)
    write(app.root, {"src/a.py": function("count_lines", 3)})
    engine.code.index(str(app.root))
    assert fresh(engine, "Weigh every line").verdict == fresh(engine, "Weigh lines twice").verdict == "changed"
    write(app.root, {"src/a.py": function("count_lines", 1)})
    engine.code.index(str(app.root))
    assert fresh(engine, "Weigh every line").verdict == "fresh"


def test_drift_lists_imported_memories_after_others_newest_first(engine: Engine, app: Repository) -> None:
    app.commit(WHY, src__a_py=function("count_lines"))
    app.commit(f"Use more weight in count_lines{BECAUSE}", src__a_py=function("count_lines", 2))
    app.commit(
        "Use even more weight in count_lines\n\nOtherwise long files never reach the limit that triggers a split.",
        src__a_py=function("count_lines", 3) + function("own_part", 7),
    )
    imported(engine, app)
    own = engine.memories.store("own_part is slow", namespace=str(app.root)).memory
    write(app.root, {"src/a.py": function("count_lines", 4) + function("own_part", 8)})
    engine.code.index(str(app.root))
    drift = engine.freshness.drift(namespace=str(app.root), since=1)
    assert (drift.total, drift.imported) == (4, 3)
    assert drift.memories[0].memory.id == own.id
    assert [row.memory.content.split("\n")[0] for row in drift.memories[1:]] == [
        "Use even more weight in count_lines",
        "Use more weight in count_lines",
        "Weigh every line in count_lines",
    ]


def test_drift_counts_history_of_code_that_changed_long_ago_by_file(engine: Engine, app: Repository) -> None:
    app.commit(WHY, src__a_py=function("count_lines"))
    app.commit(f"Use more weight in count_lines{BECAUSE}", src__a_py=function("count_lines", 2))
    imported(engine, app)
    drift = engine.freshness.drift()
    assert (drift.total, drift.older) == (0, (OlderCode(path="src/a.py", memories=1),))
    assert engine.freshness.drift(since=1).total == 1


def test_imported_memories_of_changed_code_rank_low_and_are_not_injected(engine: Engine, app: Repository) -> None:
    root = str(app.root)
    app.commit(WHY, src__a_py=function("count_lines"))
    app.commit("Something else entirely", src__a_py=function("count_lines", 2))
    imported(engine, app)
    said = "Weigh every line in count_pages, because some pages are heavier than others."
    newer = engine.memories.store(said, namespace=root).memory
    found = engine.recall.search("why weigh every line", namespace=root, explain=True)
    assert found.hits[0].memory.id == newer.id
    hit = next(hit for hit in found.hits if hit.memory.content.startswith("Weigh every line in count_lines"))
    assert hit.freshness.verdict == "changed"
    engine.memories.update(hit.memory.id, importance=1.0)
    briefing = Briefing(engine.store, branches=engine.branches, counters=engine.counters)
    lines = [line for section in briefing.sections(Wanted(root, 2_000, folder=root)) for line in section.lines]
    assert hit.memory.id not in {line.memory_id for line in lines}


def test_code_that_git_has_lost_is_unverified(engine: Engine, app: Repository) -> None:
    app.commit(WHY, src__a_py=function("count_lines"))
    app.commit(TWICE, src__a_py=function("count_lines", 2))
    blob = app.git("rev-parse", "HEAD~1:src/a.py")
    (app.root / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    imported(engine, app)
    assert verdict(engine, "Weigh every line") == ("unverified", [("src/a.py", "count_lines")])
    assert verdict(engine, "Weigh lines twice") == ("fresh", [("src/a.py", "count_lines")])


def test_a_memory_without_a_commit_is_compared_with_the_code_of_its_time(engine: Engine, app: Repository) -> None:
    app.commit("Start counting lines", src__a_py=function("count_lines"))
    app.commit("Count more of the lines", src__a_py=function("count_lines", 2))
    app.commit("Say more about it", README_md="count_lines counts.\n", src__b_py=function("other", 4))
    notes = [
        {"id": name, "content": f"{name}: count_lines weighs each line", "created_at": START + DAY * day + 60}
        for name, day in (("before", 0), ("first", 1), ("later", 2))
    ]
    engine.code.index(str(app.root))
    with engine.store.transaction("test") as transaction:
        for note in notes:
            transaction.insert(Memory(**note, namespace=str(app.root), source="import"))
    engine.anchor_tracking.catch_up()
    found = {name: engine.memories.get(name).freshness.verdict for name in ("before", "first", "later")}
    assert found == {"before": "unverified", "first": "changed", "later": "fresh"}


def test_objects_are_read_one_after_the_other(app: Repository) -> None:
    app.commit("Two files", **{"a b_py": "one\n", "c_py": ""})
    tree = app.git("rev-parse", "HEAD^{tree}")
    with git.opened(git.folders(app.root)) as repository, repository.objects() as objects:
        found = objects.find("HEAD:a b.py")
        assert found is not None
        assert (found.size_bytes, objects.content(found.id)) == (4, b"one\n")
        assert objects.find("HEAD:a c.py") is objects.find("HEAD:a\nb.py") is objects.find(tree) is None
        assert objects.is_commit("HEAD")
        assert not objects.is_commit(tree)
        empty = objects.find("HEAD:c.py")
        assert empty is not None
        assert objects.content(empty.id) == b""
        # Something that is not a file ends the reader: what follows could not be told from its content.
        assert objects.content(tree) is objects.content(found.id) is None
    with git.opened(None) as repository, repository.objects() as objects:
        assert objects.find("HEAD:a.py") is None


def test_renames_are_followed_both_ways_along_the_line() -> None:
    # Newest first: c came from b, which came from a; then a was made again.
    rows = [("4", 40, [("", "a")]), ("3", 30, [("b", "c")]), ("2", 20, [("a", "b")]), ("1", 10, [("", "a")])]
    line = CommitLine(iter(rows))
    assert [line.now("a", line.places[commit]) for commit in "14"] == ["c", "a"]
    assert [line.then("c", line.places[commit]) for commit in "1234"] == ["a", "b", "c", "c"]
    assert [line.current(at) for at in (5, 10, 29, 99)] == ["", "1", "2", "4"]
    assert line.place("of a branch", 25) == line.places["2"]
    assert (line.changed_at("b"), line.changed_at("unknown")) == (30, 0)
