"""A file that takes too long to read stops no other: it is kept as failed, named by health, and not tried again."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.trees import write

from recollect.code import update, workers
from recollect.code.read import Task
from recollect.code.record import Indexed
from recollect.code.worker import Order
from recollect.engine import Engine

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
