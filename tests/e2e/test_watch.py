"""Watching a project: what is saved is found, by processes as people run them."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.trees import git, put, write
from tests.waiting import PATIENCE_S

from recollect import Engine

COMMAND = [sys.executable, "-m", "recollect"]

Next = Callable[[], dict[str, Any]]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "app"
    write(root, {"a.py": "def alpha():\n    pass\n", ".gitignore": "ignored/\n"})
    git(root, "init", "-q")
    return root


@pytest.fixture
def watching(project: Path, home: Path) -> Iterator[tuple[subprocess.Popen[bytes], Next]]:
    """`recollect watch` on the project, and what it says next."""
    process = subprocess.Popen(
        [*COMMAND, "watch", str(project), "--json"],
        stdout=subprocess.PIPE,
        env={**os.environ, "RECOLLECT_EMBED_PROVIDER": "off"},
        bufsize=0,
    )
    assert process.stdout is not None
    pipe = process.stdout

    def hear() -> dict[str, Any]:
        line = b""
        while not line.endswith(b"\n"):
            assert select.select([pipe], [], [], PATIENCE_S)[0], "nothing is said"
            piece = pipe.read(1)
            assert piece, "the watch ended"
            line += piece
        told: dict[str, Any] = json.loads(line)
        return told

    yield process, hear
    process.kill()
    process.wait()
    process.stdout.close()


@pytest.mark.promise("E17")
def test_what_is_saved_moved_and_removed_is_followed(
    watching: tuple[subprocess.Popen[bytes], Next], project: Path
) -> None:
    process, hear = watching
    assert hear()["symbols"] == 1
    put(project, "b.py", "def beta():\n    pass\n")
    assert (told := hear())["symbols"] == 2 and told["read"] == 1
    write(project, {"ignored/c.py": "def never():\n    pass\n", ".git/junk.py": "def never():\n    pass\n"})
    (project / "b.py").rename(project / "c.py")
    assert (told := hear())["removed"] == 1 and told["symbols"] == 2
    (project / "a.py").unlink()
    assert hear()["symbols"] == 1
    with Engine(embed_provider="off") as engine:
        assert [hit.path for hit in engine.code.symbols("beta").symbols] == ["c.py"]
        assert engine.code.symbols("never").symbols == ()
    process.send_signal(signal.SIGINT)
    assert process.wait(PATIENCE_S) == 0


def test_a_change_of_the_rules_changes_what_counts(
    watching: tuple[subprocess.Popen[bytes], Next], project: Path
) -> None:
    _, hear = watching
    hear()
    put(project, "made/d.py", "def delta():\n    pass\n")
    assert hear()["symbols"] == 2
    put(project, ".recollectignore", "made/\n")
    told = hear()
    while told["symbols"] == 2:
        told = hear()
    assert told["symbols"] == 1


def test_watch_says_that_it_watches_and_how_to_stop(project: Path, home: Path) -> None:
    with subprocess.Popen(
        [*COMMAND, "watch", str(project)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "RECOLLECT_EMBED_PROVIDER": "off"},
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == f"Watching {project}: 1 file indexed. Press Ctrl-C to stop.\n"
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE_S) == 0
