"""The benchmark of the hierarchy: tasks of a past, what counts as there, and the plain ways it is compared with."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests.trees import git, write

import hierarchy
from hierarchy import Grep, Held, Sizes, commits, packed, words


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository whose last commit changes two files of three, one more that is no code, and adds another."""
    root = tmp_path / "harbour"
    write(
        root,
        {"lamp.py": "def ignite():\n    return 1\n", "horn.py": "def sound():\n    return 2\n", "rope.py": "x = 1\n"},
    )
    git(root, "init", "-q", "-b", "main")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "Begin")
    write(
        root, {"lamp.py": "def ignite():\n    return 3\n", "horn.py": "def sound():\n    return 4\n", "n.md": "# n\n"}
    )
    write(root, {"new.py": "y = 1\n"})
    git(root, "add", "-A")
    message = "Ignite the lamp before the horn may sound\n\nSee https://x.example\n\nSigned-off-by: a"
    git(root, "commit", "-q", "-m", message)
    return root


def test_a_commit_is_a_task_on_the_tree_before_it(repository: Path) -> None:
    (task,) = commits(repository, 5, 1)
    assert task.text == "Ignite the lamp before the horn may sound\n\nSee"
    assert task.files == {"lamp.py": ((2, 2),), "horn.py": ((2, 2),)}
    assert commits(repository, 5, 1) == [task]


def test_a_file_is_text_only_if_what_had_to_be_changed_is_shown() -> None:
    gold = {"a": ((10, 12),), "b": ((1, 1),), "c": ((5, 5),), "d": ((1, 1),)}
    held = [Held("a", 1, "split", ((12, 20),)), Held("b", 2, "split", ((2, 9),)), Held("c", 2, "whole")]
    assert hierarchy.forms(held, (1, 2), gold) == {"a": "text", "b": "outline", "c": "text", "d": ""}
    assert hierarchy.forms(held, (1,), gold) == {"a": "text", "b": "", "c": "", "d": ""}
    measured = hierarchy.scores({"50 + 500 KB": hierarchy.forms(held, (1, 2), gold)})
    assert measured["there, 50 + 500 KB"] == 0.75
    assert (measured["text, 50 + 500 KB"], measured["outline, 50 + 500 KB"]) == (0.5, 0.25)


def test_grep_ranks_by_the_names_held_and_the_weighed_one_by_rare_words_and_names(repository: Path) -> None:
    assert "lamp" in words("the `lamp` of it")
    write(repository, {"many.py": "# sound return sound return\n", "one.py": "# ignite\n"})
    grep = Grep(repository)
    assert [path for path, _ in grep.ranked("sound, return, ignite")] == ["many.py", "horn.py", "lamp.py", "one.py"]
    assert [path for path, _ in grep.ranked("sound, return, `ignite`")] == ["lamp.py", "one.py"]
    assert grep.weighed("the lamp must ignite")[0][0] == "lamp.py"


def test_whole_files_fill_the_first_level_that_has_room() -> None:
    assert packed([("a", 60), ("b", 50), ("c", 20)], Sizes(100, 40)) == [
        Held("a", 1, "whole"),
        Held("c", 1, "whole"),
    ]


def test_the_benchmark_runs_from_end_to_end_and_reads_what_it_wrote(repository: Path, tmp_path: Path) -> None:
    script, held = str(Path(hierarchy.__file__)), tmp_path / "held.jsonl"
    command = [sys.executable, script, "--history", str(repository), "--out", str(held), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    report = json.loads(done.stdout)["groups"]["commits"]
    assert set(report["ways"]) == set(hierarchy.WAYS)
    assert report["ways"]["hierarchy"][hierarchy.HEADLINE] == 1.0
    again = subprocess.run(
        [sys.executable, script, "--read", str(held), "--json"], capture_output=True, text=True, check=True
    )
    assert json.loads(again.stdout)["groups"]["commits"] == report
