"""The code of our documents runs: page by page, block by block, in a project and a home of its own.

Generated pages are no part of it: what they show is made of the sources, and tests hold them in step.
"""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
import tempfile
import threading
import tomllib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from tests.documents import DATA, PYTHON, Block, blocks, commands, expected, normal
from tests.peers import basic_memory, claude_mem
from tests.trees import git, write
from tests.waiting import PATIENCE_S

from recollect.settings import load

ROOT = Path(__file__).parents[2]
GENERATED = ROOT / "docs" / "reference"
PAGES = [
    page
    for page in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md")))
    if GENERATED not in page.parents
]
WITH_CODE = [page for page in PAGES if any(block.language not in DATA for block in blocks(page))]
# How many blocks may say that they cannot be run: a new one is worth a second thought.
MOST_NOT_RUN = 4

# A little project that the commands of the documents find something in.
PROJECT = {
    "README.md": "# Harbour\n\nShows ships the way.\n",
    "pyproject.toml": '[project]\nname = "harbour"\nversion = "1.0"\n',
    "docs/decisions.md": "# Decisions\n\nWe decided to use SQLite, because nobody wants to run a server.\n",
    "src/harbour/engine.py": "from harbour.settings import load_settings\n\n\nclass Engine:\n"
    '    """Turns the light."""\n\n    def start(self):\n        return load_settings()\n',
    "src/harbour/settings.py": 'def load_settings():\n    """Read where settings are loaded from."""\n    return {}\n',
}


@pytest.fixture
def person() -> Iterator[Path]:
    """A person with a project, an assistant and other programs' memories; not far down: paths of sockets are short."""
    with tempfile.TemporaryDirectory(prefix="d-") as folder:
        home = Path(folder)
        (home / ".claude").mkdir()
        (home / ".claude-mem").mkdir()
        claude_mem(home / ".claude-mem")
        basic_memory(home / "basic-memory")
        write(home / "project", PROJECT)
        git(home / "project", "init", "-q")
        git(home / "project", "add", "-A")
        git(home / "project", "commit", "-q", "-m", "Show ships the way, since they ran aground")
        yield home


def run(block: Block, person: Path) -> subprocess.CompletedProcess[str]:
    """Run a block as the person would, in the project; commands at a terminal, questions are answered with yes."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("RECOLLECT_")}
    path = f"{Path(sys.executable).parent}{os.pathsep}{kept.get('PATH', '')}"
    environment = {**kept, "HOME": str(person), "PATH": path}
    folder = person / "project"
    if block.language in PYTHON:
        return subprocess.run(
            [sys.executable, "-W", "error", "-c", block.text],
            cwd=folder, env=environment, capture_output=True, text=True, encoding="utf-8", check=False,
        )  # fmt: skip
    ours, theirs = pty.openpty()
    shown: list[bytes] = []
    reader = threading.Thread(target=_drain, args=(ours, shown), daemon=True)
    reader.start()
    try:
        os.write(ours, b"y\n" * 20)
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", commands(block)],
            cwd=folder, env=environment, stdin=theirs, stderr=theirs, stdout=subprocess.PIPE, check=False,
        )  # fmt: skip
    finally:
        os.close(theirs)
        reader.join(timeout=PATIENCE_S)  # somebody who stays behind would keep the terminal open
        os.close(ours)
    printed, told = (text.decode("utf-8", "replace") for text in (done.stdout, b"".join(shown)))
    return subprocess.CompletedProcess(done.args, done.returncode, printed, told)


def _drain(terminal: int, shown: list[bytes]) -> None:
    """Read what is written to a terminal until nobody has it open any more."""
    with suppress(OSError):
        while text := os.read(terminal, 4096):
            shown.append(text)


@pytest.mark.parametrize("page", WITH_CODE, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_block_of_a_page_runs_in_order_and_prints_what_it_says(page: Path, person: Path) -> None:
    for block in blocks(page):
        if block.not_run or block.language in DATA:
            continue
        done = run(block, person)
        assert (done.returncode, done.stderr if block.language in PYTHON else "") == (0, ""), f"{block}\n{done}"
        told = expected(block)
        if told is not None:
            assert normal(done.stdout) == normal(told), str(block)


def test_few_blocks_are_not_run_and_each_says_why() -> None:
    every = [block for page in PAGES for block in blocks(page) if block.language not in DATA]
    left = [block for block in every if block.not_run]
    assert len(every) >= 9, "hardly a block found: is this test still reading them?"
    assert len(left) <= MOST_NOT_RUN, [str(block) for block in left]
    assert [str(block) for block in left if len(block.not_run.split()) < 3] == []


def test_json_and_toml_are_well_formed_and_settings_are_accepted(tmp_path: Path) -> None:
    every = [block for page in PAGES for block in blocks(page) if block.language in DATA]
    assert len(every) >= 2
    for block in every:
        if block.language == "json":
            json.loads(block.text)
        else:
            home = tmp_path / str(block.line)
            write(home, {"config.toml": block.text})
            settings = load(environment={"RECOLLECT_HOME": str(home)}, directory=tmp_path)
            for name, value in tomllib.loads(block.text).items():
                assert getattr(settings, name) == value, f"{block}: {name}"


# --- the reading of blocks ---


def test_blocks_are_found_with_their_reasons_and_what_they_print(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "Text.\n\n```python\nprint(1)\n```\n\n```text\n1\n```\n\n<!-- not run: it needs a service -->\n```sh\ncurl x\n"
        "```\n"
        "\n    recollect list\n    recollect health\n\n    an indented text\n\n```sh\n$ echo a\na\n```\n",
        encoding="utf-8",
    )
    found = blocks(page)
    assert [(block.language, block.not_run) for block in found] == [
        ("python", ""),
        ("sh", "it needs a service"),
        ("sh", ""),
        ("sh", ""),
    ]
    assert expected(found[0]) == "1\n"
    assert commands(found[2]) == "recollect list\nrecollect health\n"
    assert (commands(found[3]), expected(found[3])) == ("echo a\n", "a")


def test_a_block_that_fails_or_prints_something_else_is_told(tmp_path: Path, person: Path) -> None:
    failing = Block(tmp_path, 1, "sh", "recollect nonsense\ntrue\n")
    assert run(failing, person).returncode != 0
    other = Block(tmp_path, 1, "python", "print(2)\n", printed="1\n")
    assert normal(run(other, person).stdout) != normal(expected(other) or "")


def test_ids_and_times_are_no_difference() -> None:
    one = "stored 01J9ZK3M5N6P7Q8R9S0T1V2W3X at 2026-01-02T03:04:05Z in 12 ms "
    other = "stored 01J9ZK3M5N6P7Q8R9S0T1V2W3Y at 2027-01-02T03:04:05Z in 7 ms"
    assert normal(one) == normal(other)
    assert normal("a 1") != normal("a 2")
