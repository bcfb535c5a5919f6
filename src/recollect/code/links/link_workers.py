"""Link workers: processes that solve groups. No group needs what another one finds.

    store ──programs of a group──► worker ──links, packed──► store       answers are in the order of the tasks

A group whose worker dies is solved by this process, as without workers.
"""

from __future__ import annotations

import gc
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future
from typing import NamedTuple

import msgspec

from recollect.code.links.file_links import solved
from recollect.code.links.link_pack import pack
from recollect.code.links.module_finder import Declared, Facts, Modules
from recollect.code.process_pool import MAX_WORKERS, Job, JobFailed, ProcessPool, cores

# The largest groups of the largest projects measured take seconds.
MOST_CPU_S = 600.0
LEARN = Job("recollect.code.links.link_workers:learn", MOST_CPU_S)
SOLVE = Job("recollect.code.links.link_workers:solve", MOST_CPU_S)
# Bytes of programs for which one more process is started. It takes 0.3 s to start, and they are 1.5 s of work.
BYTES_EACH = 1_500_000
# Groups that wait for a worker that is free, so that none has to wait for the store.
WAITING = 1

_known: list[Modules] = []  # in a child: the tree whose groups it solves


class GroupTask(NamedTuple):
    """A group to solve, with the programs of its members and of needed files."""

    members: tuple[str, ...]
    needed: tuple[str, ...]
    programs: dict[str, bytes]


class Packed(NamedTuple):
    """The links of a file, as they are kept; `is_coarse`: its group was too large to follow every value."""

    path: str
    edges: bytes
    sites: bytes
    is_coarse: bool = False


def solve_group(modules: Modules, task: GroupTask) -> list[Packed]:
    """Return the links of the members of a group."""
    was_on = gc.isenabled()
    gc.disable()  # until all is freed: the solver leaves no cycles
    try:
        found = solved(task.programs, modules, task.members, task.needed)
        return [Packed(path, *pack(row.sites, row.loose), row.is_coarse) for path, row in found.items()]
    finally:
        if was_on:
            gc.enable()


def learn(content: bytes) -> bytes:
    """Keep the files of the tree and its facts: the first job of a child."""
    _known[:] = [Modules(*msgspec.msgpack.decode(content, type=tuple[dict[str, Declared], Facts]))]
    return b""


def solve(content: bytes) -> bytes:
    """Return the packed links of a packed group: the job of a child that knows the tree."""
    task = msgspec.msgpack.decode(content, type=GroupTask)
    return msgspec.msgpack.encode(solve_group(_known[0], task))


def useful_workers(size_bytes: int, groups: int, wanted: int = 0) -> int:
    """Return how many processes to use for groups of this size; 1: this one.

    wanted: the most processes; 0: one per core
    """
    return max(1, min(wanted or cores(), MAX_WORKERS, groups, size_bytes // BYTES_EACH))


def solve_all(modules: Modules, tasks: Iterable[GroupTask], count: int) -> Iterator[Sequence[Packed]]:
    """Yield the links of groups in the order of their tasks."""
    if count <= 1:
        for task in tasks:
            yield solve_group(modules, task)
        return
    waiting: deque[Future[Sequence[Packed]]] = deque()
    known = msgspec.msgpack.encode((dict(modules.files), modules.facts))
    with ProcessPool(count, setup=(LEARN, known)) as pool:
        for task in tasks:
            waiting.append(pool.submit(_solve, pool, modules, task))
            if len(waiting) >= count + WAITING:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


def _solve(pool: ProcessPool, modules: Modules, task: GroupTask) -> Sequence[Packed]:
    try:
        answer = pool.run(SOLVE, msgspec.msgpack.encode(task))
        return msgspec.msgpack.decode(answer, type=list[Packed])
    except (OSError, JobFailed):
        return [] if pool.is_stopped else solve_group(modules, task)
