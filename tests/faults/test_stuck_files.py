"""A file that takes too long to read stops no other: it is kept as failed, named by health, and not tried again."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from tests.trees import write

from recollect import clock
from recollect.code import update, workers
from recollect.code.read import Task
from recollect.code.record import Indexed
from recollect.code.worker import Order
from recollect.engine import Engine, learning, migrating
from recollect.history import documents, files
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


@pytest.fixture
def tries(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Make reading m2.py use CPU time for ever; returns a list that names what was read."""
    tries: list[str] = []
    answer = workers.answer

    def endless(order: Order, task: Task) -> Any:
        tries.append(task.path)
        while task.path == "m2.py":
            pass
        return answer(order, task)

    monkeypatch.setattr(workers, "answer", endless)
    monkeypatch.setattr(workers, "LIMIT_CPU_S", 0.2)
    return tries


def test_a_file_that_takes_too_long_is_named_by_health_and_the_others_are_indexed(
    engine: Engine, tree: Path, tries: list[str]
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
    engine: Engine, tree: Path, tries: list[str], monkeypatch: pytest.MonkeyPatch
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
        assert sorted(tries) == again


def test_a_thread_that_cannot_interrupt_a_file_leaves_it_to_a_process(
    engine: Engine, tree: Path, tries: list[str]
) -> None:
    done: list[Indexed] = []
    indexing = threading.Thread(target=lambda: done.append(engine.code.index(str(tree))))
    indexing.start()
    indexing.join()
    assert done[0].symbols == 5
    assert tries == [], "nothing was read here"


# --- Imports ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "project"
    text = "A section about {} that is long enough to be kept by an import."
    write(folder, {f"docs/{name}.md": f"# {name}\n\n{text.format(name)}\n" for name in ("first", "endless", "last")})
    monkeypatch.setattr(files, "RECORD_CPU_S", 0.2)
    monkeypatch.setattr(clock, "RECORD_CPU_S", 0.2)
    return folder


def loops(monkeypatch: pytest.MonkeyPatch, module: ModuleType, name: str) -> None:
    """Let a function of a module use CPU time for ever over what has the word endless."""
    work = getattr(module, name)

    def endless(given: Any) -> Any:
        while "endless" in str(given):
            pass
        return work(given)

    monkeypatch.setattr(module, name, endless)


@pytest.mark.parametrize(("module", "name"), [(documents, "_sections"), (learning, "without_secrets")])
def test_an_import_of_history_leaves_out_what_takes_too_long_and_says_so(
    engine: Engine, project: Path, monkeypatch: pytest.MonkeyPatch, module: ModuleType, name: str
) -> None:
    loops(monkeypatch, module, name)
    learnt = engine.history.import_history(str(project), only=("docs",))
    assert {memory.title for memory in engine.store.find(Memory)} == {"docs/first.md › first", "docs/last.md › last"}
    assert any("docs/endless.md" in note for note in learnt.notes)


def test_an_import_of_another_program_leaves_out_what_takes_too_long_and_says_so(
    engine: Engine, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loops(monkeypatch, migrating, "without_secrets")
    done = engine.archive.import_(str(project / "docs"))
    assert (done.created, [sum(part.left.values()) for part in done.parts]) == (2, [1])
