"""Interrupted work is told, unless it was only a question or was committed without an assistant."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from tests import payloads
from tests.fakes import FrozenClock
from tests.trees import git, write
from tests.unit.engine.test_briefing import Shop, lines

from recollect import Engine

TWO = {"shop/tax.py": "A = 1", "shop/[id].py": "B = 1"}


@pytest.fixture
def repository(
    tmp_path: Path, open_engine: Callable[..., Engine], frozen: FrozenClock, monkeypatch: pytest.MonkeyPatch
) -> Shop:
    root = Path(os.path.realpath(tmp_path)) / "shop"
    monkeypatch.setenv("GIT_COMMITTER_DATE", f"@{frozen.at} +0000")
    write(root, {"shop/tax.py": "A = 0", "web/page.py": "C = 0"})
    git(root, "init", "-q", "-b", "main")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "first")
    return Shop(root, open_engine(embed_provider="off"), frozen)


@pytest.mark.parametrize(
    ("written", "added", "after_s", "then", "is_open"),
    [
        (TWO, ".", 60, {}, False),
        (TWO, ".", 60, {"web/page.py": "C = 1"}, False),
        (TWO, ".", 60, {"shop/[id].py": "B = 2"}, True),
        (TWO, ".", -60, {}, True),  # the session went on after its commit
        (TWO, "shop/tax.py", 60, {}, True),
        ({"web/page.py": "C = 1"}, ".", 60, {}, True),
    ],
)
@pytest.mark.parametrize("branch", ["", "prices"])
def test_a_commit_of_its_files_closes_an_interrupted_session(
    repository: Shop,
    monkeypatch: pytest.MonkeyPatch,
    written: dict[str, str],
    added: str,
    after_s: int,
    then: dict[str, str],
    is_open: bool,
    branch: str,
) -> None:
    repository.asks("w", "move the prices into a package of their own")
    for path in TWO:
        repository.edits("w", path)
    repository.fails("w", "pytest", "ImportError: no module named prices")
    monkeypatch.setenv("GIT_COMMITTER_DATE", f"@{repository.time.at + after_s} +0000")
    if branch:
        git(repository.root, "switch", "-q", "-c", branch)
    write(repository.root, written)
    git(repository.root, "add", added)
    git(repository.root, "commit", "-q", "-m", "Move the prices")
    if branch and added == ".":
        git(repository.root, "switch", "-q", "main")
    write(repository.root, then)
    repository.time.advance(1_200)
    assert bool(lines(repository.starts("s1"), "Open work")) == is_open


def test_a_session_that_changed_no_file_of_the_repository_stays_open(repository: Shop, tmp_path: Path) -> None:
    repository.asks("w", "move the settings into the home folder")
    repository.edits("w", str(tmp_path / "settings.py"))
    repository.time.advance(1_200)
    (line,) = lines(repository.starts("s1"), "Open work")
    assert "move the settings into the home folder" in line


@pytest.mark.parametrize(
    ("asked", "is_told"),
    [("rewrite the importer so that it takes semicolons", True), ("how does the importer work?", False)],
)
def test_a_killed_session_that_had_only_read_is_told_if_it_had_a_task(
    repository: Shop, asked: str, is_told: bool
) -> None:
    repository.asks("w", asked)
    repository.hear("w", payloads.looked("shop/tax.py", "A = 0\n", call="c1"))
    repository.time.advance(1_200)
    told = [line.endswith(f" (claude, interrupted): {asked}") for line in lines(repository.starts("s1"), "Open work")]
    assert told == [True] * is_told


def test_a_replaced_command_is_open_work_if_it_fails_for_another_reason(repository: Shop) -> None:
    wrong, error = "cmake --build build", "Error: /app/build is not a directory"
    repository.fails("s1", wrong, error)
    repository.runs("s1", "cmake --build --preset dev")
    repository.fails("s2", wrong, error)
    assert "Still failing" not in repository.starts("s3")
    repository.fails("s4", wrong, "src/a.cpp:3:1: error: expected ';'")
    assert f"Still failing: `{wrong}` failed" in repository.starts("s5")
