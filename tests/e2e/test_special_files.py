"""Pipes, sockets, devices and links out of the project under every name that is read: nothing waits, nothing leaks."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest
from tests.command_lines import Done, run_all
from tests.waiting import PATIENCE_S

# Far longer than any of these commands takes; a command that waits for a pipe takes for ever.
SECRET = "the private words of somebody else"

# Files of a repository that are read by their names.
NAMES = (
    ".recollect.toml",
    ".gitignore",
    ".recollectignore",
    "AGENTS.md",
    "CLAUDE.md",
    "GEMINI.md",
    "README.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "docs/adr/0001-storage.md",
    "docs/guide.md",
    ".cursor/rules/project.mdc",
    ".github/copilot-instructions.md",
    "pyproject.toml",
    "setup.py",
    "package.json",
    "tsconfig.json",
    "Cargo.toml",
    "go.mod",
    "app/main.py",
    "notes.md",
    "memory.jsonl",
    "memory.json",
    "memory.db",
)


def pipe(path: Path, _outside: Path) -> None:
    os.mkfifo(path)


def socket_of_somebody(path: Path, _outside: Path) -> None:
    here = Path.cwd()
    os.chdir(path.parent)  # the path of a socket has at most 108 bytes
    try:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(path.name)
    finally:
        os.chdir(here)


def endless(path: Path, _outside: Path) -> None:
    path.symlink_to("/dev/zero")


def link_to_a_pipe(path: Path, outside: Path) -> None:
    path.symlink_to(outside / "pipe")


def link_to_a_private_file(path: Path, outside: Path) -> None:
    path.symlink_to(outside / "private")


SPECIAL: Mapping[str, Callable[[Path, Path], None]] = {
    made.__name__: made for made in (pipe, socket_of_somebody, endless, link_to_a_pipe, link_to_a_private_file)
}

NAMED = ("memory.jsonl", "memory.json", "memory.db", "notes.md")
# Every command that reads a folder.
COMMANDS: Mapping[str, tuple[str, ...]] = {
    "index": ("index", ".", "--json"),
    "import-history": ("import-history", ".", "--json"),
    "import": ("import", ".", "--json"),
    "review": ("review", "--json"),
    "drift": ("drift", "--json"),
    "distil": ("distil", ".", "--json"),
    "map": ("map", ".", "--json"),
    "code": ("code", "main", "--json"),
    "dead-code": ("dead-code", "--json"),
    "store": ("store", "We deploy on Mondays.", "--project", ".", "--json"),
    "context": ("context", "--project", ".", "--json"),
    "config": ("config", "--json"),
    "doctor": ("doctor", "--json"),
    "init": ("init", "--scope", "project", "--dry-run", "--json"),
}


@pytest.fixture(params=SPECIAL)
def project(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A folder in which every file that is read is special, but for one piece of code."""
    outside, root = tmp_path / "outside", tmp_path / "project"
    outside.mkdir()
    os.mkfifo(outside / "pipe")
    (outside / "private").write_text(f"{SECRET}\n", encoding="utf-8")
    for name in NAMES:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        SPECIAL[request.param](root / name, outside)
    (root / "plain.py").write_text("def plain():\n    return 1\n", encoding="utf-8")
    return root


def test_no_command_waits_for_a_special_file_or_reads_what_a_link_leads_to(project: Path, home: Path) -> None:
    def run(*lines: Sequence[str]) -> list[Done]:
        return run_all(lines, cwd=project, timeout_s=PATIENCE_S, HOME=str(project.parent))

    config = project / ".recollect.toml"
    if config.resolve().is_file():  # settings that cannot be read are an error by themselves
        (refused,) = run(("config", "--json"))
        assert json.loads(refused.out)["error"]["code"] == "BAD_SETTING"
        assert SECRET not in refused.out + refused.error
        config.unlink()
    # A link that somebody names is followed to a regular file.
    named = [("import", name, "--json") for name in NAMED if not (project / name).resolve().is_file()]
    *every, last = run(*named, *COMMANDS.values(), ("code", "plain", "--json"))
    for done in every[: len(named)]:
        assert json.loads(done.out)["error"]["code"] == "INVALID_INPUT"
    for name, done in zip(COMMANDS, every[len(named) :], strict=True):
        answer = json.loads(done.out)
        assert answer.get("error", {}).get("code") in (None, "INVALID_INPUT", "NOT_FOUND"), (name, done.out)
        assert SECRET not in done.out + done.error, name
    assert SECRET not in last.out
    assert "plain.py" in last.out
    assert SECRET.encode() not in b"".join(path.read_bytes() for path in home.rglob("*") if path.is_file())
