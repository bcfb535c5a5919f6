"""Solving groups with all cores: no group needs what another one finds, so each goes to a process that is free.

    store ──programs of a group──► worker ──links, packed──► store       answers are taken in the order of the orders

A group whose worker dies is solved by this process: what happens then is what would have happened without workers.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future

import msgspec

from recollect.code.process_pool import MAX_WORKERS, JobFailed, ProcessPool, cores
from recollect.code.resolve.link_groups import Plan
from recollect.code.resolve.link_worker import LEARN, SOLVE, Errand, Packed, read_answer, solve_group, terrain

# Bytes of programs for which one more process is started. It takes 0.3 s to start, and they are 1.5 s of work.
BYTES_EACH = 1_500_000
# Groups that wait for a worker that is free, so that none has to wait for the store.
WAITING = 1


def useful_workers(size_bytes: int, groups: int, wanted: int = 0) -> int:
    """Return how many processes are worth starting for groups of this size; 1 is this one alone.

    wanted: how many there are to be at most; 0 for one per core
    """
    return max(1, min(wanted or cores(), MAX_WORKERS, groups, size_bytes // BYTES_EACH))


def solve_all(plan: Plan, errands: Iterable[Errand], count: int) -> Iterator[Sequence[Packed]]:
    """Yield the links of groups in the order in which they come; each is taken when somebody is about to be free."""
    if count <= 1:
        for errand in errands:
            yield solve_group(plan, errand)
        return
    waiting: deque[Future[Sequence[Packed]]] = deque()
    with ProcessPool(count, setup=(LEARN, msgspec.msgpack.encode(terrain(plan)))) as pool:
        for errand in errands:
            waiting.append(pool.submit(_solve, pool, plan, errand))
            if len(waiting) >= count + WAITING:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


def _solve(pool: ProcessPool, plan: Plan, errand: Errand) -> Sequence[Packed]:
    try:
        return read_answer(pool.run(SOLVE, msgspec.msgpack.encode(errand)))
    except (OSError, JobFailed):
        return [] if pool.is_stopped else solve_group(plan, errand)
