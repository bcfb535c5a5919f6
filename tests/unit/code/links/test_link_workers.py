"""Groups that are solved by other processes: the same links, in the same order, whatever becomes of the processes."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Sequence

import msgspec
import pytest

from recollect.code import process_pool
from recollect.code.links.file_programs import read_offer, translated
from recollect.code.links.link_workers import BYTES_EACH, GroupTask, Packed, solve_all, solve_group, useful_workers
from recollect.code.links.module_finder import Declared, Modules
from recollect.code.process_pool import Process
from recollect.store.link_rows import Edges

GROUPS = 6
FILES = {
    f"m{number}.py": (
        f"import outer\nfrom m{(number + 1) % GROUPS} import run as other\n\n"
        f"def run():\n    outer.go({number})\n    other()\n"
    )
    for number in range(GROUPS)
}
PROGRAMS = {path: translated(path, source.encode()) for path, source in FILES.items()}


@pytest.fixture
def modules() -> Modules:
    offers = {path: read_offer(each.outline) for path, each in PROGRAMS.items()}
    declared = {path: Declared(each.language, each.package, each.names) for path, each in offers.items()}
    return Modules(declared)


def _errands() -> Iterator[GroupTask]:
    paths = list(FILES)
    for path, other in zip(paths, [*paths[1:], paths[0]], strict=True):
        yield GroupTask((path,), (other,), {path: PROGRAMS[path].content, other: PROGRAMS[other].face})


def _targets(found: Sequence[Packed]) -> list[str]:
    (one,) = found
    return msgspec.msgpack.decode(one.edges, type=Edges).targets


def test_processes_give_the_same_links_in_the_same_order(modules: Modules) -> None:
    alone = list(solve_all(modules, _errands(), 1))
    assert [_targets(each) for each in alone] == [
        [f"fm{(number + 1) % GROUPS}.py", f"sm{(number + 1) % GROUPS}.py::run"] for number in range(GROUPS)
    ]
    assert list(solve_all(modules, _errands(), 2)) == alone


@pytest.mark.parametrize(
    "start",
    ["raise SystemExit(3)  # {}", process_pool.START.replace("main()", "sys.stdin.buffer.read(4); raise OSError")],
    ids=["dies at once", "dies before it answers"],
)
def test_a_group_whose_process_dies_is_solved_here(
    modules: Modules, monkeypatch: pytest.MonkeyPatch, start: str
) -> None:
    alone = list(solve_all(modules, _errands(), 1))
    monkeypatch.setattr(process_pool, "START", start)
    assert list(solve_all(modules, _errands(), 2)) == alone


def test_where_no_process_can_be_started_groups_are_solved_here(
    modules: Modules, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = list(solve_all(modules, _errands(), 1))
    monkeypatch.setattr(process_pool.sys, "executable", "/nowhere/python")
    assert list(solve_all(modules, _errands(), 2)) == alone


CYCLES = b"""
class A:
    def __init__(self, x):
        self.x = [x, self.go]

    def go(self):
        return A(self)

class B(A):
    @property
    def own(self):
        return self.go().own
"""


def test_nothing_that_was_solved_is_left_to_the_collector(modules: Modules) -> None:
    task = GroupTask(("a.py",), (), {"a.py": translated("a.py", CYCLES).content})
    solve_group(modules, task)
    gc.collect()
    gc.disable()
    try:
        assert len(solve_group(modules, task)) == 1
        assert gc.collect() == 0
    finally:
        gc.enable()


def test_closing_the_iterator_ends_all_processes(modules: Modules, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[Process] = []
    make = Process.__init__

    def noted(self: Process, start: str = "") -> None:
        make(self, start)
        started.append(self)

    monkeypatch.setattr(Process, "__init__", noted)
    answers = solve_all(modules, _errands(), 2)
    next(answers)
    answers.close()  # type: ignore[attr-defined]
    assert started
    assert all(each.exit_code is not None for each in started)


@pytest.mark.parametrize(
    ("size_bytes", "groups", "wanted", "expected"),
    [
        (0, 0, 0, 1),
        (BYTES_EACH, 9, 8, 1),
        (4 * BYTES_EACH, 9, 8, 4),
        (99 * BYTES_EACH, 3, 8, 3),
        (99 * BYTES_EACH, 9, 1, 1),
    ],
)
def test_processes_are_started_for_as_much_work_as_they_cost(
    size_bytes: int, groups: int, wanted: int, expected: int
) -> None:
    assert useful_workers(size_bytes, groups, wanted) == expected


def test_an_endless_job_is_ended_by_the_system() -> None:
    start = (
        "import sys; sys.path.insert(0, {!r})\nfrom recollect.code.process_pool import attend\n"
        "def answer(content):\n    while content == b'round':\n        pass\n    return content\n"
        "attend(answer, 0.2)"
    )
    worker = Process(start)
    try:
        assert worker.exchange(b"once") == b"once"
        assert worker.exchange(b"round") is None
    finally:
        worker.end()
