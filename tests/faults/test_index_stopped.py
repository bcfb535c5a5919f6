"""An index that is stopped anywhere, raced, or out of space is right about every file it knows, and goes on."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.trees import write
from tests.waiting import PATIENCE_S

from recollect import Engine
from recollect.model import File, Tree

FILES = 300

# Indexes a project a file to a transaction, says so after each, and goes on when it is told to.
CHILD = """
import select, sys
from recollect import Engine, progress
from recollect.code.index import parallel_reader, update
update.BATCH_FILES = 1
parallel_reader.ORDER_FILES = 1
def told(done, total, message):
    if total:
        print(done, flush=True)
        if done == int(sys.argv[2]):
            # A signal between two bytecodes does not end a read that begins after it: look for it now and then.
            while not select.select([sys.stdin], [], [], 0.1)[0]:
                pass
with Engine(embed_provider="off", index_workers=1) as engine, progress.reporting_to(told):
    print(engine.code.index(sys.argv[1]).files, flush=True)
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "app"
    write(
        root, {f"pkg{number % 7}/m{number}.py": f"def f{number}():\n    return {number}\n" for number in range(FILES)}
    )
    return root


@pytest.fixture
def stopped_at(project: Path) -> Iterator[subprocess.Popen[str]]:
    """A process that has written a third of the files and waits."""
    process = subprocess.Popen(
        [sys.executable, "-c", CHILD, str(project), str(FILES // 3)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None and process.stdin is not None
    while int(process.stdout.readline()) < FILES // 3:
        pass
    yield process
    process.kill()
    process.wait()
    process.stdin.close()
    process.stdout.close()


def check(engine: Engine, files: int) -> None:
    """The index knows so many files, and says of each what is in it."""
    assert engine.store.check(thorough=True) == []
    rows = engine.store.find(File)
    assert len(rows) == files
    names = {name for name, _ in engine.store.symbol_names()}
    assert names == {f"f{row.path.rpartition('/m')[2].removesuffix('.py')}" for row in rows}
    assert engine.store.code_totals().chunks == files


@pytest.mark.promise("B7")
def test_killed_in_the_middle_it_goes_on_from_there(stopped_at: subprocess.Popen[str], project: Path) -> None:
    stopped_at.kill()
    stopped_at.wait()
    with Engine(embed_provider="off", index_workers=1) as engine:
        check(engine, FILES // 3)
        (tree,) = engine.store.find(Tree)
        assert tree.owner  # its claim ends by itself; here nobody waits for that
        engine.store.release_tree(tree.id, tree.owner, is_complete=False)
        assert engine.code.index(str(project)).files == FILES
        check(engine, FILES)


def test_two_processes_index_one_tree_without_doing_it_twice(stopped_at: subprocess.Popen[str], project: Path) -> None:
    second = subprocess.Popen(
        [sys.executable, "-m", "recollect", "index", str(project), "--json"],
        stdout=subprocess.PIPE,
        env={**os.environ, "RECOLLECT_EMBED_PROVIDER": "off"},
    )
    assert stopped_at.stdin is not None
    stopped_at.stdin.write("\n")
    stopped_at.stdin.flush()
    assert stopped_at.wait(PATIENCE_S) == 0
    told, _ = second.communicate(timeout=PATIENCE_S)
    assert second.returncode == 0
    assert b'"files":%d' % FILES in told
    with Engine(embed_provider="off") as engine:
        check(engine, FILES)


def test_two_processes_that_begin_together_make_one_index(project: Path, home: Path) -> None:
    command = [sys.executable, "-m", "recollect", "index", str(project), "--json"]
    environment = {**os.environ, "RECOLLECT_EMBED_PROVIDER": "off"}
    both = [subprocess.Popen(command, stdout=subprocess.PIPE, env=environment) for _ in range(2)]
    told = [process.communicate(timeout=PATIENCE_S)[0] for process in both]
    assert [process.returncode for process in both] == [0, 0]
    assert all(b'"files":%d' % FILES in line for line in told)
    with Engine(embed_provider="off") as engine:
        assert engine.store.count(Tree) == 1
        check(engine, FILES)


def test_an_interrupt_ends_it_at_once_and_leaves_it_right(stopped_at: subprocess.Popen[str], project: Path) -> None:
    stopped_at.send_signal(signal.SIGINT)
    assert stopped_at.wait(PATIENCE_S) != 0
    with Engine(embed_provider="off", index_workers=1) as engine:
        check(engine, FILES // 3)
        assert engine.store.find(Tree)[0].owner == ""
        assert engine.code.index(str(project)).unchanged >= FILES // 3
        check(engine, FILES)


@pytest.mark.promise("B7")
def test_without_space_it_stops_with_a_reason_and_goes_on_later(project: Path, home: Path) -> None:
    limited = subprocess.run(
        [sys.executable, "-m", "recollect", "index", str(project), "--json"],
        capture_output=True,
        env={**os.environ, "RECOLLECT_EMBED_PROVIDER": "off"},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000)),
        timeout=PATIENCE_S,
        check=False,
    )
    assert limited.returncode == 6, limited.stdout
    assert b"STORE_FULL" in limited.stdout or b"STORAGE_ERROR" in limited.stdout
    with Engine(embed_provider="off") as engine:
        assert engine.code.index(str(project)).files == FILES
        check(engine, FILES)


def test_the_rest_is_indexed_around_a_two_gigabyte_file_and_a_pipe(project: Path, home: Path) -> None:
    with (project / "huge.py").open("wb") as file:
        file.truncate(2 << 30)
    os.mkfifo(project / "pipe.py")
    with Engine(embed_provider="off", index_workers=1) as engine:
        done = engine.code.index(str(project))
        assert done.files == FILES
        assert done.skipped["too large"] == 1
        check(engine, FILES)
