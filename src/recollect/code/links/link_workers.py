"""Link workers: processes that solve groups. No group needs what another one finds.

    store ──programs of a group──► worker ──links, packed──► store       answers are in the order of the tasks

A group whose worker dies is solved by this process, as without workers.
"""

from __future__ import annotations

import queue
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import NamedTuple

import msgspec

from recollect.code.index.parallel_reader import MAX_WORKERS, cores
from recollect.code.links.file_links import solved
from recollect.code.links.link_groups import Group, Plan
from recollect.code.links.link_pack import pack
from recollect.code.links.module_finder import Declared, Facts, Modules
from recollect.code.process_pool import Process, attend

# The largest groups of the largest projects measured take seconds.
MOST_CPU_S = 600.0


class TreeFacts(NamedTuple):
    """What a worker needs to solve groups of a tree: files as modules, facts.

    crossed: family, module, and the file of another tree that it means
    """

    files: dict[str, Declared]
    facts: Facts
    crossed: list[tuple[str, str, str]]


class GroupTask(NamedTuple):
    """A group to solve, with the programs of its members and of needed files."""

    members: tuple[str, ...]
    needed: tuple[str, ...]
    programs: dict[str, bytes]


class Packed(NamedTuple):
    """The links of a file, as they are kept."""

    path: str
    edges: bytes
    sites: bytes


def tree_facts(plan: Plan) -> TreeFacts:
    """Return what a worker needs to know of a tree."""
    crossed = [(family, module, file) for (family, module), file in plan.crossed.items()]
    return TreeFacts(dict(plan.modules.files), plan.modules.facts, crossed)


def solve_group(plan: Plan, task: GroupTask) -> list[Packed]:
    """Return the links of the members of a group."""
    found = solved(task.programs, plan, Group("", task.members, task.needed, ""))
    return [Packed(path, *pack(*found[path])) for path in task.members]


def main() -> None:
    """Solve groups until the input ends; the first message describes the tree."""
    encoder = msgspec.msgpack.Encoder()
    known: list[Plan] = []

    def answer(content: bytes) -> bytes:
        if known:
            task = msgspec.msgpack.decode(content, type=GroupTask)
            return encoder.encode(solve_group(known[0], task))
        facts = msgspec.msgpack.decode(content, type=TreeFacts)
        crossed = {(family, module): file for family, module, file in facts.crossed}
        known.append(Plan(Modules(facts.files, facts.facts), (), {}, crossed))
        return b""

    attend(answer, MOST_CPU_S)


def read_answer(content: bytes) -> Sequence[Packed]:
    """Return the decoded answer of a worker."""
    return msgspec.msgpack.decode(content, type=list[Packed])


# Bytes of programs for which one more process is started. It takes 0.3 s to start, and they are 1.5 s of work.
BYTES_EACH = 1_500_000
# Groups that wait for a worker that is free, so that none has to wait for the store.
WAITING = 1

_START = "import sys; sys.path.insert(0, {!r}); from recollect.code.links.link_workers import main; main()"


def useful_workers(size_bytes: int, groups: int, wanted: int = 0) -> int:
    """Return how many processes to use for groups of this size; 1: this one.

    wanted: how many there are to be at most; 0 for one per core
    """
    return max(1, min(wanted or cores(), MAX_WORKERS, groups, size_bytes // BYTES_EACH))


def solve_all(plan: Plan, tasks: Iterable[GroupTask], count: int) -> Iterator[Sequence[Packed]]:
    """Yield the links of groups in the order of their tasks."""
    if count <= 1:
        for task in tasks:
            yield solve_group(plan, task)
        return
    crew = _Crew(plan, count)
    waiting: deque[Future[Sequence[Packed]]] = deque()
    try:
        for task in tasks:
            waiting.append(crew.submit(task))
            if len(waiting) >= count + WAITING:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        crew.stop()


class _Crew:
    """Processes that solve, and a thread for each that waits for its answer."""

    def __init__(self, plan: Plan, count: int) -> None:
        self._plan = plan
        self._terrain = msgspec.msgpack.encode(tree_facts(plan))
        self._idle: queue.LifoQueue[Process | None] = queue.LifoQueue()
        for _ in range(count):
            self._idle.put(None)  # one that is still to be started
        self._all: list[Process] = []
        self._is_stopped = False
        self._threads = ThreadPoolExecutor(count, "recollect-links")

    def submit(self, task: GroupTask) -> Future[Sequence[Packed]]:
        """Have a group solved."""
        return self._threads.submit(self._solve, task)

    def stop(self) -> None:
        """End all processes; unfinished groups are lost."""
        self._is_stopped = True
        for process in tuple(self._all):
            process.kill()
        self._threads.shutdown(cancel_futures=True)
        for process in self._all:
            process.end()

    def _solve(self, task: GroupTask) -> Sequence[Packed]:
        process = self._idle.get()
        found: bytes | None = None
        try:
            process = process or self._hired()
            found = process.exchange(msgspec.msgpack.encode(task)) if process is not None else None
        finally:
            self._idle.put(process if found is not None else None)
        if found is not None:
            return read_answer(found)
        return [] if self._is_stopped else solve_group(self._plan, task)

    def _hired(self) -> Process | None:
        """Return a process that knows the tree; None if there can be none."""
        with suppress(OSError):
            process = Process(_START)
            self._all.append(process)
            if process.exchange(self._terrain) is not None and not self._is_stopped:
                return process
        return None
