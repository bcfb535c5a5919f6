"""Groups: which programs are solved together, from what else, and whether that has changed since.

    small tree      all files of a family of languages are one group: values are followed wherever they go
    large tree      a folder with all below it is one; of files it imports, directly or not, only summaries count

The links of a group are a function of what is hashed into its digest: the programs of its members, the summaries of the
files they need, and how the imports of each are found. So a group is solved again exactly if its digest is another,
whatever was edited, renamed or deleted in between, and an interrupted run goes on where it was.
"""

from __future__ import annotations

import hashlib
import posixpath
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from recollect.code.links.file_programs import Offer
from recollect.code.links.module_finder import Declared, Facts, Modules

# Bytes of packed programs in a group: at most about one second of CPU, which one edit in it costs. Smaller groups look
# into the faces of others more often: half of this costs a third more CPU in all, and finds fewer links.
GROUP_BYTES = 2_000_000
# What is at most such a part of a group shares one with others of its kind.
SMALL_PART = 4
# Files that a group may look into, nearest first: some import everything.
MOST_NEEDED = 400
# How far from its members a group looks: what they import, and what that imports. A file that stands for its package
# passes on what others define, so that it is no step: with it as one, who imports from a package knows no methods of
# what it gets (here half of the calls in tests).
DEPTH = 2
PACKAGES = frozenset({"__init__", "index", "mod"})


class Known(NamedTuple):
    """A program by what is known of it without reading it."""

    hash: str
    size_bytes: int
    offer: Offer


class Group(NamedTuple):
    """Programs that are solved together: members, files they need, and the digest of all."""

    key: str
    members: tuple[str, ...]
    needed: tuple[str, ...]
    digest: str


class Plan(NamedTuple):
    """A tree divided into groups."""

    modules: Modules
    groups: tuple[Group, ...]


def plan(programs: Mapping[str, Known], facts: Facts, fingerprint: str) -> Plan:
    """Return the groups of a tree, in the order of their keys."""
    declared = {
        path: Declared(row.offer.language, row.offer.package, row.offer.names) for path, row in programs.items()
    }
    modules = Modules(declared, facts)
    needs = {path: _needs(modules, path, row.offer) for path, row in programs.items()}
    own = {path: _digest((path, programs[path].hash, *needs[path])) for path in programs}
    groups: list[Group] = []
    for key, members in sorted(_divided(modules, programs).items()):
        needed = _reached(members, needs)
        shown = [_digest((path, programs[path].offer.digest.hex(), *needs[path])) for path in needed]
        digest = _digest((fingerprint, key, *(own[path] for path in members), *shown))
        groups.append(Group(key, members, needed, digest))
    return Plan(modules, tuple(groups))


def _needs(modules: Modules, path: str, offer: Offer) -> tuple[str, ...]:
    """Return the files that a file's imports and unknown names lead to, each once."""
    found: dict[str, None] = {}
    for module, level, names in offer.modules:
        found.update(dict.fromkeys(modules.find(path, module, level)))
        for name in names:
            if name in modules.stems:
                found.update(dict.fromkeys(modules.inside(path, module, name, level)))
    for name in offer.unknown:
        found.update(dict.fromkeys(modules.visible(path, name)))
    found.pop(path, None)
    return tuple(found)


def _divided(modules: Modules, programs: Mapping[str, Known]) -> dict[str, tuple[str, ...]]:
    """Return the members of every group by its key."""
    families: dict[str, list[str]] = {}
    for path in sorted(programs):
        families.setdefault(modules.family(path), []).append(path)
    groups: dict[str, tuple[str, ...]] = {}
    for family, paths in families.items():
        for key, members in _parts("", paths, programs):
            groups[f"{family} {key}"] = tuple(members)
    return groups


def _parts(folder: str, paths: list[str], programs: Mapping[str, Known]) -> Iterator[tuple[str, list[str]]]:
    """Yield files below a folder in groups: all if few, else by subfolder."""
    size = sum(programs[path].size_bytes for path in paths)
    if size <= GROUP_BYTES:
        yield f"{folder}**", paths
        return
    own: list[str] = []
    inner: dict[str, list[str]] = {}
    for path in paths:
        name, slash, _ = path[len(folder) :].partition("/")
        if slash:
            inner.setdefault(f"{folder}{name}/", []).append(path)
        else:
            own.append(path)
    small: list[list[str]] = [own]
    for each, some in inner.items():
        if sum(programs[path].size_bytes for path in some) <= GROUP_BYTES // SMALL_PART:
            small.append(some)
        else:
            yield from _parts(each, some, programs)
    # Small folders side by side share groups, and which one a folder is in does not depend on the others.
    parts = 1 + sum(programs[path].size_bytes for some in small for path in some) // GROUP_BYTES
    shares: dict[int, list[str]] = {}
    for some in small:
        for path in some:
            name = path if some is own else path[: path.index("/", len(folder))]
            share = int(hashlib.md5(name.encode("utf-8", "surrogatepass"), usedforsecurity=False).hexdigest(), 16)
            shares.setdefault(share % parts, []).append(path)
    for share, members in sorted(shares.items()):
        yield f"{folder}* {share}/{parts}", sorted(members)


def _reached(members: Iterable[str], needs: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """Return the files that members need, and those need in turn, nearest first."""
    reached = dict.fromkeys(members)
    count = len(reached)
    ring = list(reached)
    for _ in range(DEPTH):
        found: dict[str, None] = {}
        waiting = deque(path for each in ring for path in needs[each])
        while waiting:
            path = waiting.popleft()
            if path not in reached and path not in found:
                found[path] = None
                if posixpath.basename(path).partition(".")[0] in PACKAGES:
                    waiting.extend(needs[path])
        ring = list(found)[: MOST_NEEDED - (len(reached) - count)]
        reached.update(dict.fromkeys(ring))
    return tuple(list(reached)[count:])


def _digest(parts: Iterable[str]) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:32]
