"""Every way to make a home makes it for its owner alone, whatever the umask: folders 0700, files and sockets 0600."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from recollect import hook

STOP = '{"hook_event_name": "Stop", "session_id": "s1", "cwd": "/"}'
PROMPT = '{"hook_event_name": "UserPromptSubmit", "session_id": "s1", "cwd": "/", "prompt": "where do we deploy it to"}'
HELLO = (
    '{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18", '
    '"capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}}\n'
    '{"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "store_memory", "arguments": '
    '{"content": "We deploy on Mondays."}}}\n'
)
HOOK = (sys.executable, "-I", "-S", hook.__file__)
RECOLLECT = (sys.executable, "-m", "recollect")

SYSTEM = "from memory_lib.general import MemorySystem"
OLDER = """
import os, sqlite3
os.umask(0o077)
os.makedirs('home/deep')
os.umask(0)
made = sqlite3.connect('home/deep/m.db')
made.execute('CREATE TABLE memories (id TEXT PRIMARY KEY, text TEXT NOT NULL, metadata TEXT, timestamp TEXT NOT NULL)')
made.close()
"""


def python(*lines: str) -> tuple[str, ...]:
    return (sys.executable, "-c", "\n".join(lines))


# What makes a home → the words of the command, and what is written to it.
COMMANDS: Mapping[str, tuple[tuple[str, ...], str]] = {
    "store": ((*RECOLLECT, "store", "We deploy on Mondays."), ""),
    "search": ((*RECOLLECT, "search", "deploy"), ""),
    "health": ((*RECOLLECT, "health"), ""),
    "doctor": ((*RECOLLECT, "doctor"), ""),
    "init": ((*RECOLLECT, "init", "--assistant", "claude", "--yes"), ""),
    "index": ((*RECOLLECT, "index", "project"), ""),
    "import-history": ((*RECOLLECT, "import-history", "project"), ""),
    "import": ((*RECOLLECT, "import", "lines.jsonl"), ""),
    "export": ((*RECOLLECT, "export", "home/deep/export.jsonl"), ""),
    "ingest": ((*RECOLLECT, "ingest", "--assistant", "claude"), STOP),
    "context": ((*RECOLLECT, "context"), STOP),
    "serve": ((*RECOLLECT, "serve"), HELLO),
    "the hook": ((*HOOK, "Stop", "claude"), STOP),
    "the hook that answers": ((*HOOK, "UserPromptSubmit", "claude", "prompt"), PROMPT),
    "the library": (python("from recollect import Engine", "with Engine() as one: one.memories.store('x y z')"), ""),
    "memory_lib": (python(SYSTEM, "MemorySystem(None, 'home/deep/m.db').add_memory('x y z')"), ""),
    "memory_lib that takes an older file over": (python(OLDER, SYSTEM, "MemorySystem(None, 'home/deep/m.db')"), ""),
    "episodic": (
        python(
            "from recollect.episodic import EpisodicMemory", "EpisodicMemory('home/deep/e.db').remember('hello', 'hi')"
        ),
        "",
    ),
}

# Those that make vectors; the others need not load the model.
EMBEDDING = ("store", "search", "serve", "the library")


def others_may(folder: Path) -> list[str]:
    """Return what below a folder, and the folder itself, is open to anybody but its owner."""
    found = []
    for path in (folder, *folder.rglob("*")):
        mode = path.lstat().st_mode
        wanted = 0o700 if stat.S_ISDIR(mode) else 0o600
        if not stat.S_ISLNK(mode) and stat.S_IMODE(mode) != wanted:
            found.append(f"{oct(stat.S_IMODE(mode))} {path.relative_to(folder)}")
    return found


@pytest.mark.parametrize("name", COMMANDS)
def test_a_new_home_is_closed_to_others_whoever_makes_it(tmp_path: Path, name: str) -> None:
    home = tmp_path / "home" / "deep"
    (tmp_path / "user").mkdir()
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "a.py").write_text("def deploy(): ...\n", encoding="utf-8")
    (tmp_path / "project" / "AGENTS.md").write_text("# Rules\n\nAlways deploy on Mondays, never on Fridays.\n", "utf-8")
    (tmp_path / "lines.jsonl").write_text('{"content": "We deploy on Mondays."}\n', encoding="utf-8")
    environment = {**os.environ, "RECOLLECT_HOME": str(home), "HOME": str(tmp_path / "user")}
    if name not in EMBEDDING:
        environment["RECOLLECT_EMBED_PROVIDER"] = "off"
    words, given = COMMANDS[name]
    if name == "export":  # it writes into a folder that is there
        home.mkdir(parents=True, mode=0o700)
        (tmp_path / "home").chmod(0o700)
    done = subprocess.run(
        words, input=given, text=True, capture_output=True, cwd=tmp_path, env=environment, umask=0, check=False
    )
    assert done.returncode == 0, done.stderr
    assert home.is_dir()
    assert others_may(tmp_path / "home") == []


def test_the_socket_of_a_running_server_is_closed_to_others(tmp_path: Path) -> None:
    home = tmp_path / "home" / "deep"
    process = subprocess.Popen(
        [*RECOLLECT, "serve"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=tmp_path,
        env={**os.environ, "RECOLLECT_HOME": str(home)},
        umask=0,
    )
    try:
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(HELLO.encode())
        process.stdin.flush()
        for _ in range(2):
            assert process.stdout.readline()
        assert others_may(tmp_path / "home") == []
        assert (home / "recollect.db-wal").exists()
    finally:
        process.communicate()
