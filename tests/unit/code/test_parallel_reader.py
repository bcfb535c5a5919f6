"""Reading in processes of our own: the same answers, whatever becomes of a process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.readers import change_readers
from tests.trees import write
from tests.waiting import PATIENCE_S

from recollect.code import process_pool
from recollect.code.index import parallel_reader
from recollect.code.index.file_reader import Task
from recollect.code.index.parallel_reader import Answer, read_all
from recollect.code.process_pool import Job, JobFailed, Process, ProcessPool

FILES = {f"pkg/m{number}.py": f"def f{number}():\n    return {number}\n" for number in range(200)}


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Many small files, and no size below which workers are not worth it."""
    write(tmp_path, FILES)
    for name in FILES:
        os.utime(tmp_path / name, (1_700_000_000, 1_700_000_000))  # the time of what was just written is not trusted
    monkeypatch.setattr(parallel_reader, "MIN_BYTES", 0)
    monkeypatch.setattr(parallel_reader, "ORDER_FILES", 10)
    return tmp_path


def tasks(files: Iterator[str] | list[str]) -> list[Task]:
    return [Task(path, 10) for path in files]


def by_path(answers: Iterator[list[Answer]]) -> dict[str, Answer]:
    return {found.file.path: found for some in answers for found in some if found.file is not None}


def test_workers_find_what_the_process_itself_finds(tree: Path) -> None:
    alone = by_path(read_all(str(tree), tasks(list(FILES)), max_bytes=1000, workers=1))
    together = by_path(read_all(str(tree), tasks(list(FILES)), max_bytes=1000, workers=3))
    assert together == alone
    assert together.keys() == FILES.keys()


def test_one_worker_answers_in_the_order_of_the_tasks(tree: Path) -> None:
    found = by_path(read_all(str(tree), tasks(list(FILES)), max_bytes=1000, workers=1))
    assert list(found) == list(FILES)


def test_nothing_to_read_is_no_work(tree: Path) -> None:
    assert list(read_all(str(tree), [], max_bytes=1000)) == []


def test_a_file_that_kills_its_reader_is_skipped_and_the_others_are_read(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _break_reading(monkeypatch, "import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "pkg/m7.py")
    found = by_path(read_all(str(tree), tasks(list(FILES)), max_bytes=1000, workers=2))
    assert found.keys() == FILES.keys()
    failed = [found.file for found in found.values() if found.file is not None and found.file.skipped]
    assert [(file.path, file.skipped, file.notes) for file in failed] == [
        ("pkg/m7.py", "failed", (f"parsing crashes the parser (exit code {-signal.SIGKILL})",))
    ]


def test_a_file_that_is_never_done_is_skipped_and_the_others_are_read(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    honest = ProcessPool.run

    def run(self: ProcessPool, job: Job, content: bytes, timeout_s: float = 0.0) -> bytes:
        if b"pkg/m3.py" in content:
            raise JobFailed(is_late=True)
        return honest(self, job, content)

    monkeypatch.setattr(ProcessPool, "run", run)
    found = by_path(read_all(str(tree), tasks(list(FILES)[:30]), max_bytes=1000, workers=2))
    assert len(found) == 30
    assert [found.file.notes for found in found.values() if found.file is not None and found.file.skipped] == [
        ("parsing takes too long",)
    ]


def test_a_job_that_is_never_done_is_ended_and_late() -> None:
    stuck = "import time, types; sys.modules['stuck'] = types.SimpleNamespace(wait=lambda _: time.sleep(1000))"
    child = Process(process_pool.START.replace("from recollect", f"{stuck}; from recollect"))
    with pytest.raises(JobFailed) as failed:
        child.run(Job("stuck:wait", 600), b"", timeout_s=0.1)
    assert failed.value.is_late
    assert child.exit_code is not None


def test_whoever_stops_listening_leaves_no_process_behind(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[Process] = []
    make = Process.__init__

    def noted(self: Process, start: str = "") -> None:
        make(self, start)
        started.append(self)

    monkeypatch.setattr(Process, "__init__", noted)
    answers = read_all(str(tree), tasks(list(FILES)), max_bytes=1000, workers=2)
    next(answers)
    answers.close()  # type: ignore[attr-defined]
    assert started
    assert all(each.exit_code is not None for each in started)


def test_where_no_process_can_be_started_this_one_reads(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process_pool.sys, "executable", str(tree / "no-python"))
    found = by_path(read_all(str(tree), tasks(list(FILES)), max_bytes=1000, workers=2))
    assert found.keys() == FILES.keys()


def test_an_unexpected_failure_reaches_the_caller(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(self: object, start: str = "") -> None:
        raise RuntimeError("a defect")

    monkeypatch.setattr(process_pool.Process, "__init__", fail)
    with pytest.raises(RuntimeError, match="a defect"):
        list(read_all(str(tree), tasks(list(FILES)), max_bytes=1000, workers=2))


def _break_reading(monkeypatch: pytest.MonkeyPatch, statement: str, path: str) -> None:
    """Let the workers, which are other processes, do something else when they come to one file."""
    change_readers(
        monkeypatch,
        f"def read(root, task, most):\n if task.path == {path!r}: {statement}\n return honest(root, task, most)\n"
        "reader.read = read\n",
    )


def test_what_is_in_no_language_starts_no_further_workers(tmp_path: Path) -> None:
    write(tmp_path, {"shop.py": "x = 1\n", "logo.png": "\0"})
    large = [Task("shop.py", 10), *[Task("logo.png", parallel_reader.MIN_BYTES)] * 5]
    assert parallel_reader.useful_workers(large, 4) == 1
    assert parallel_reader.useful_workers([Task("shop.py", parallel_reader.MIN_BYTES)], 4) == 4
    found = [answer.file for some in read_all(str(tmp_path), large, max_bytes=1000, workers=4) for answer in some]
    assert [file.skipped for file in found if file is not None] == [*["binary"] * 5, ""]


def test_one_worker_is_kept_for_the_next_call_and_replaced_when_it_died(tree: Path) -> None:
    def pid() -> int:
        assert list(read_all(str(tree), tasks(["pkg/m1.py"]), max_bytes=1000, workers=1))
        kept = process_pool.SPARE._child
        assert kept is not None
        return kept._process.pid

    first = pid()
    assert pid() == first
    os.kill(first, signal.SIGKILL)
    process_pool.SPARE._child._process.wait()  # type: ignore[union-attr]
    assert pid() != first
    process_pool.SPARE.end()
    assert process_pool.SPARE._child is None


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_forked_process_leaves_the_worker_to_its_parent(tree: Path) -> None:
    script = (
        "import os\nfrom recollect.code.index.file_reader import Task\n"
        "from recollect.code.index.parallel_reader import read_all\nfrom recollect.code.process_pool import SPARE\n"
        "def pid():\n"
        f"    list(read_all({str(tree)!r}, [Task('pkg/m1.py', 10)], max_bytes=1000))\n"
        "    return SPARE._child._process.pid\n"
        "kept = pid()\n"
        "child = os.fork()\n"
        "if not child:\n"
        "    os._exit(pid() == kept)\n"
        "assert os.waitpid(child, 0)[1] == 0\n"
        "assert pid() == kept\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True, timeout=PATIENCE_S)
