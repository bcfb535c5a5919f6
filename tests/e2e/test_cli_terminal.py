"""What a person at a terminal gets: colours, questions, and no obedience to what was remembered."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from tests.trees import write

from recollect import Engine

COMMAND = [sys.executable, "-m", "recollect"]


class Seen(NamedTuple):
    """The exit code of a command and everything the terminal was sent."""

    code: int
    screen: str


Terminal = Callable[..., Seen]


@pytest.fixture
def terminal(home: Path) -> Terminal:
    """Run a command whose three streams are one terminal, typing `keys`."""

    def call(*words: str, keys: bytes = b"", **environment: str) -> Seen:
        ours, theirs = pty.openpty()
        settings = {"RECOLLECT_EMBED_PROVIDER": "off", "TERM": "xterm-256color", "COLUMNS": "100"}
        process = subprocess.Popen(
            [*COMMAND, *words],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env={**os.environ, **settings, **environment},
        )
        os.close(theirs)
        os.write(ours, keys)
        screen = b""
        try:
            while piece := os.read(ours, 65_536):
                screen += piece
        except OSError:  # Linux says so when the other end is closed
            pass
        os.close(ours)
        return Seen(process.wait(), screen.decode())

    return call


def store(content: str, namespace: str | None = None) -> None:
    with Engine(embed_provider="off") as engine:
        engine.memories.store(content, namespace=namespace)


def test_a_terminal_gets_colours_unless_it_says_no(terminal: Terminal) -> None:
    store("We use tabs")
    assert "\x1b[" in terminal("list").screen
    assert "\x1b[3" not in terminal("list", NO_COLOR="1").screen
    assert "\x1b[" in terminal("get", "nothing").screen
    assert "\x1b[" not in terminal("get", "nothing", NO_COLOR="1").screen
    assert "\x1b[" not in terminal("stats", "--json").screen


def test_a_remembered_escape_is_shown_and_not_obeyed(terminal: Terminal) -> None:
    store("before \x1b]0;owned\x07 \x1b[2J [bold]after[/bold]")
    screen = terminal("list").screen
    assert "\x1b]0;" not in screen
    assert "\x1b[2J" not in screen
    assert "\\x1b]0;owned\\x07" in screen
    assert "[bold]after[/bold]" in screen


@pytest.mark.parametrize(("keys", "code"), [(b"y\n", 0), (b"n\n", 130), (b"\n", 130), (b"\x04", 130)])
def test_deleting_a_namespace_asks_first(terminal: Terminal, keys: bytes, code: int) -> None:
    store("of the shop", namespace="shop")
    asked = terminal("delete-namespace", "shop", keys=keys)
    assert "Delete everything in project shop?" in asked.screen
    assert asked.code == code
    with Engine(embed_provider="off") as engine:
        assert engine.memories.list().total == (0 if code == 0 else 1)


def test_the_overview_fits_the_window(terminal: Terminal) -> None:
    screen = terminal(COLUMNS="60").screen
    assert len(screen.splitlines()) > 15
    assert max(map(len, screen.splitlines())) <= 60
    assert "…" not in screen


def test_indexing_shows_how_far_it_is(terminal: Terminal, tmp_path: Path) -> None:
    write(tmp_path / "app", {f"m{number}.py": "def f():\n    return 1\n" * 50 for number in range(300)})
    seen = terminal("index", str(tmp_path / "app"))
    assert seen.code == 0
    assert "looking for changes" in seen.screen
    assert "indexing 0" in seen.screen and "/300" in seen.screen
    assert "Indexed: " in seen.screen
    assert "Up to date: 300 files" in terminal("index", str(tmp_path / "app")).screen


@pytest.mark.parametrize(("keys", "code"), [(b"y\n", 0), (b"n\n", 130), (b"\x04", 130)])
def test_init_lists_the_files_and_asks_first(terminal: Terminal, tmp_path: Path, keys: bytes, code: int) -> None:
    person = tmp_path / "person"
    write(person, {".junie/mcp/mcp.json": "{}\n"})
    seen = terminal("init", "--assistant", "junie", keys=keys, HOME=str(person))
    assert "mcp.json (+" in seen.screen
    assert "Change 1 file?" in seen.screen
    assert seen.code == code
    assert ("recollect" in (person / ".junie" / "mcp" / "mcp.json").read_text()) == (code == 0)


def test_a_rehearsed_init_shows_the_lines_to_add_in_colour(terminal: Terminal, tmp_path: Path) -> None:
    write(tmp_path, {".junie/mcp/mcp.json": "{}\n"})
    rehearsed = terminal("init", "--assistant", "junie", "--dry-run", HOME=str(tmp_path))
    assert '\x1b[32m+    "recollect": {\x1b[0m' in rehearsed.screen
    plain = terminal("init", "--assistant", "zed", "--dry-run", HOME=str(tmp_path), NO_COLOR="1")
    assert "\x1b[3" not in plain.screen
