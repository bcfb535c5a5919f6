"""The benchmark of imported history: what it takes for right is what git says, and wrong answers count as wrong."""

from __future__ import annotations

import random
import subprocess
from pathlib import Path

import pytest
from tests.trees import git, write

import history
from recollect.model import Excerpt, Hit, Memory

PARTS = (
    "Open copper valves early",
    "Grease rusty bolts weekly",
    "Polish brass handles twice",
    "Burn darker coal overnight",
    "Cool pistons with seawater",
    "Paint wooden panels green",
    "Weigh passengers before boarding",
    "Count tickets after arrival",
    "Ring bells during fog",
    "Lower heavy anchors slowly",
    "Replace cracked mirrors soon",
    "Feed hungry gulls nothing",
)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("repository")
    git(root, "init", "-q", "-b", "main")
    for number, part in enumerate(PARTS):
        write(root, {"src/engine.py": f"# {number}\n", "tests/test_engine.py": f"# {number}\n"})
        git(root, "add", "-A")
        git(root, "commit", "-q", "-m", part, "-m", "Because the old engine would not run without it.")
    write(root, {"src/whistle.py": "# toot\n"})
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "Add a loud whistle above the chimney", "-m", "So that people hear it.")
    git(root, "revert", "--no-edit", "HEAD")
    return root


def test_everything_is_found_in_a_small_history(repository: Path) -> None:
    told = history.run(repository, 5, 1, vectors=False, show=False)
    assert (told["commits"], told["changed_by_second_import"]) == (14, 0)
    assert {kind: row["questions"] for kind, row in told["kinds"].items()} == {
        "why": 5, "why short": 5, "reverted": 1,
    }  # fmt: skip
    assert all(told["kinds"][kind]["top_5"] == 1.0 for kind in ("why", "reverted"))


def test_a_memory_that_learnt_nothing_answers_nothing(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from recollect.history import commits as source

    monkeypatch.setattr(source.Git, "records", lambda *_: iter(()))
    told = history.run(repository, 5, 1, vectors=False, show=False)
    assert all(row["top_5"] == 0.0 for row in told["kinds"].values())


def test_a_list_is_right_only_where_its_line_is_shown(repository: Path) -> None:
    sha = next(row.sha for row in history.logged(repository) if row.subject.startswith("Ring bells"))
    lines = ("engine 1.0, other changes:\n\n", "- Ring bells during fog\n", "- Feed hungry gulls nothing")
    about = {"commits": [sha], "path": "CHANGELOG.md"}
    memory = Memory(id="1", content="".join(lines), memory_type="context", metadata=about, created_at=1)

    def is_right(source: dict[str, str], first: int, last: int) -> bool:
        start, end = len("".join(lines[:first])), len("".join(lines[:last]))
        hit = Hit(memory=memory, score=1.0, reason="", signals=(), passage=Excerpt(start=start, end=end))
        return history._is_one_of([source], repository)(hit)

    for source in ({"sha": sha}, {"path": "CHANGELOG.md", "text": "ring bells"}):
        assert is_right(source, 0, 2), source
        assert not is_right(source, 2, 3), source


def test_a_question_leaves_words_out_and_says_others_differently() -> None:
    subject = "Fix crash when a parser is removed (#12)"
    asked = history._asked(subject, random.Random(1), left_out=0.5, ask="{}")
    assert "#12" not in asked
    assert "Fix" not in asked.split() and "crash" not in asked.split()
    assert len(asked.split()) < len(subject.split()) + 1


def test_what_git_logs_is_read_as_it_is(repository: Path) -> None:
    first = history.logged(repository)[0]
    told = subprocess.run(["git", "rev-parse", "HEAD"], cwd=repository, capture_output=True, text=True, check=True)
    assert first.sha == told.stdout.strip()
    assert first.subject == 'Revert "Add a loud whistle above the chimney"'
    assert first.files == ("src/whistle.py",)
