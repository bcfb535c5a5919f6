"""A file that takes too long to read stops no other: it is kept as failed, named by health, and not tried again."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from tests.readers import change_readers
from tests.trees import write

from recollect import clock
from recollect.code.index import update
from recollect.engine import Engine
from recollect.engine.importing import memory_import
from recollect.engine.records import record_redaction
from recollect.history import history_record, project_documents
from recollect.model import Memory

FILES = {f"m{number}.py": f"def f{number}():\n    return {number}\n" for number in range(5)}
OLD = 1_700_000_000  # the time of what was just written is not trusted


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    folder = tmp_path / "tree"
    write(folder, FILES)
    for name in FILES:
        os.utime(folder / name, (OLD, OLD))
    return folder


@pytest.fixture
def engine(home: Path) -> Iterator[Engine]:
    with Engine(embed_provider="off") as made:
        yield made


class Tries:
    """What was read, as the workers wrote it down."""

    def __init__(self, log: Path) -> None:
        self._log = log
        self.clear()

    def clear(self) -> None:
        self._log.write_text("")

    def __call__(self) -> list[str]:
        return sorted(self._log.read_text().split())


@pytest.fixture
def tries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Tries:
    """Make reading m2.py use CPU time for ever; returns what names the files that were read."""
    log = tmp_path / "log"
    change_readers(
        monkeypatch,
        "def read(root, task, most):\n"
        f" with open({str(log)!r}, 'a') as log: print(task.path, file=log)\n"
        " while task.path == 'm2.py': pass\n"
        " return honest(root, task, most)\n"
        "reader.read = read\nreader.LIMIT_CPU_S = 0.5\n",
    )
    return Tries(log)


def test_a_file_that_takes_too_long_is_named_by_health_and_the_others_are_indexed(
    engine: Engine, tree: Path, tries: Tries
) -> None:
    done = engine.code.index(str(tree))
    assert (done.symbols, done.skipped) == (4, {"failed": 1})
    assert any(note.startswith("m2.py: ") for note in done.notes)
    check = next(check for check in engine.admin.health().checks if check.name == "code")
    assert check.status == "degraded"
    assert "m2.py" in check.detail
    assert "takes too long" in check.detail
    assert "recollect index" in check.mend


def test_it_is_read_again_only_when_it_changes_or_recollect_does(
    engine: Engine, tree: Path, tries: Tries, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine.code.index(str(tree))
    for change, again in (
        (lambda: None, []),
        (lambda: os.utime(tree / "m2.py", (OLD + 1, OLD + 1)), ["m2.py"]),
        (lambda: None, []),
        (lambda: monkeypatch.setattr(update, "fingerprint", lambda: "newer"), sorted(FILES)),
    ):
        change()
        tries.clear()
        engine.code.index(str(tree))
        assert tries() == again


HOSTILE = """
import json, sys
from pathlib import Path
from recollect.engine import Engine
with Engine(embed_provider="off") as engine:
    done = engine.code.index(sys.argv[1])
    health = next(check.detail for check in engine.admin.health().checks if check.name == "code")
    text = open(sys.argv[1] + "/Bad.java").read()
    from recollect.code.anchors.normalised_file import form
    rows = form("Bad.java", text.encode()).rows
# Not ru_maxrss: a process that is started takes over the peak of the one that started it.
lines = Path("/proc/self/status").read_text().splitlines()
most_kb = next((int(line.split()[1]) for line in lines if line.startswith("VmHWM")), 0)
print(json.dumps([done.symbols, done.skipped, done.notes, health, len(rows), most_kb]))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="other systems may refuse a limit of memory")
def test_a_file_that_takes_gigabytes_to_parse_is_named_and_takes_them_from_no_one(home: Path, tmp_path: Path) -> None:
    write(tmp_path / "tree", {"Bad.java": "x=>" * 5_000, "Good.java": "class Good { int one() { return 1; } }\n"})
    command = f"ulimit -v 3000000; exec {shlex.quote(sys.executable)} -c {shlex.quote(HOSTILE)} tree"
    ran = subprocess.run(["/bin/sh", "-c", command], cwd=tmp_path, check=True, capture_output=True, timeout=300)
    symbols, skipped, notes, health, rows, most_kb = json.loads(ran.stdout)
    assert (symbols, skipped, rows) == (2, {"failed": 1}, 0)
    assert any(note.startswith("Bad.java: parsing crashes the parser") for note in notes)
    assert "Bad.java" in health
    assert most_kb < 300_000


def test_a_changed_file_that_crashes_the_parser_ends_no_review(home: Path, tmp_path: Path) -> None:
    git = ("git", "-c", "user.name=a", "-c", "user.email=a@example.org", "-C", str(tmp_path / "tree"))
    write(tmp_path / "tree", {"a.yaml": "a: 1\n"})
    for given in (("init", "-q"), ("add", "."), ("commit", "-qm", "one")):
        subprocess.run([*git, *given], check=True, capture_output=True)
    write(tmp_path / "tree", {"a.yaml": "- " * 300})
    ran = subprocess.run(
        [sys.executable, "-m", "recollect", "review"], cwd=tmp_path / "tree", check=False, capture_output=True
    )
    assert ran.returncode == 0
    assert b"1 file changed" in ran.stdout


# --- Imports ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "project"
    texts = {
        "first": "We decided against threads, because they block. We chose tasks so that a stop is clean.",
        "endless": "We decided against recursion, because stacks end. We chose an endless loop so that it can go on.",
        "last": "We decided to keep dates as numbers, because text sorts badly. We chose UTC so that zones agree.",
    }
    write(folder, {f"docs/design/{name}.md": f"# {name}\n\n{text}\n" for name, text in texts.items()})
    monkeypatch.setattr(history_record, "RECORD_CPU_S", 0.5)
    monkeypatch.setattr(clock, "RECORD_CPU_S", 0.5)
    return folder


def loops(monkeypatch: pytest.MonkeyPatch, module: ModuleType, name: str) -> None:
    """Let a function of a module use CPU time for ever over what has the word endless."""
    work = getattr(module, name)

    def endless(given: Any) -> Any:
        while "endless" in str(given):
            pass
        return work(given)

    monkeypatch.setattr(module, name, endless)


@pytest.mark.parametrize(("module", "name"), [(project_documents, "_sections"), (record_redaction, "without_secrets")])
def test_an_import_of_history_leaves_out_what_takes_too_long_and_says_so(
    engine: Engine, project: Path, monkeypatch: pytest.MonkeyPatch, module: ModuleType, name: str
) -> None:
    loops(monkeypatch, module, name)
    learnt = engine.history.import_history(str(project), only=("docs",))
    assert {memory.title for memory in engine.store.find(Memory)} == {
        "docs/design/first.md › first",
        "docs/design/last.md › last",
    }
    assert any("docs/design/endless.md" in note for note in learnt.notes)


def test_an_import_of_another_program_leaves_out_what_takes_too_long_and_says_so(
    engine: Engine, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loops(monkeypatch, memory_import, "without_secrets")
    done = engine.archive.import_(str(project / "docs"))
    assert (done.created, [sum(part.left.values()) for part in done.parts]) == (2, [1])
