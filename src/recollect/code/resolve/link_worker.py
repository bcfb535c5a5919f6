"""What a process does that solves groups for another one: it is told what the tree is like, then a group at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from recollect.code.process_pool import Job
from recollect.code.resolve.link_groups import Group, Plan
from recollect.code.resolve.link_pack import pack
from recollect.code.resolve.link_solve import solved
from recollect.code.resolve.modules import Declared, Facts, Modules

# The largest groups of the largest projects measured take seconds.
MOST_CPU_S = 600.0
LEARN = Job("recollect.code.resolve.link_worker:learn", MOST_CPU_S)
SOLVE = Job("recollect.code.resolve.link_worker:solve", MOST_CPU_S)

_known: list[Plan] = []  # in a child: the tree whose groups it solves


class Terrain(NamedTuple):
    """What has to be known of a tree to solve any group of it: its files as modules, and what leads out of it.

    crossed: family, module, and the file of another tree that it means
    """

    files: dict[str, Declared]
    facts: Facts
    crossed: list[tuple[str, str, str]]


class Errand(NamedTuple):
    """A group to solve: its members, and the programs of these and of all that they need."""

    members: tuple[str, ...]
    needed: tuple[str, ...]
    programs: dict[str, bytes]


class Packed(NamedTuple):
    """The links of a file, as they are kept."""

    path: str
    edges: bytes
    sites: bytes


def terrain(plan: Plan) -> Terrain:
    """Return what a worker has to know of a tree."""
    crossed = [(family, module, file) for (family, module), file in plan.crossed.items()]
    return Terrain(dict(plan.modules.files), plan.modules.facts, crossed)


def solve_group(plan: Plan, errand: Errand) -> list[Packed]:
    """Return the links of the members of a group."""
    found = solved(errand.programs, plan, Group("", errand.members, errand.needed, ""))
    return [Packed(path, *pack(*found[path])) for path in errand.members]


def learn(content: bytes) -> bytes:
    """Take in what the tree is like: the first job of a child."""
    told = msgspec.msgpack.decode(content, type=Terrain)
    crossed = {(family, module): file for family, module, file in told.crossed}
    _known[:] = [Plan(Modules(told.files, told.facts), (), {}, crossed)]
    return b""


def solve(content: bytes) -> bytes:
    """Return the packed links of a packed group: the job of a child that knows the tree."""
    errand = msgspec.msgpack.decode(content, type=Errand)
    return msgspec.msgpack.encode(solve_group(_known[0], errand))


def read_answer(content: bytes) -> Sequence[Packed]:
    """Return what a worker answered."""
    return msgspec.msgpack.decode(content, type=list[Packed])
