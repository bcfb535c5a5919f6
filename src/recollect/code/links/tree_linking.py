"""Linking: from the files of an indexed tree to the links that start in each.

    files ──changed──► programs ──► groups ──other digest──► solved ──► links, packed per file
             read on all cores                    on all cores, too

Like an update of the index it claims the tree, writes in batches, and resumes where it was stopped. The result depends
on the files alone: after any number of edits it equals a fresh linking.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from recollect import clock
from recollect.code.index.file_reader import Task
from recollect.code.index.parallel_reader import Translated, read_all
from recollect.code.index.update import LEASE_S, LIMITS, Limits
from recollect.code.index.update import fingerprint as index_fingerprint
from recollect.code.links.file_programs import has_program, read_offer
from recollect.code.links.link_groups import Group, Known, Plan, plan
from recollect.code.links.link_workers import GroupTask, solve_all, useful_workers
from recollect.code.links.manifest_facts import facts
from recollect.code.manifests.importable_names import provided
from recollect.code.manifests.typescript_paths import CONFIGS, aliases
from recollect.model import File, Tree
from recollect.progress import report
from recollect.store.link_rows import LinkedTree, Links, Program

if TYPE_CHECKING:
    from recollect.code.links.module_finder import Facts
    from recollect.store.sql import Store

# Programs to a transaction.
BATCH_FILES = 500
# Files that are given to be read at once, with their symbols: starting those who read takes a third of a second each.
READ_FILES = 10_000
# Pause between attempts to claim a tree that another process writes to.
WAIT_S = 0.1


class Linking(NamedTuple):
    """The result of linking: files read, files solved, notes."""

    read: int = 0
    solved_files: int = 0
    notes: tuple[str, ...] = ()


@cache
def fingerprint() -> str:
    """Return a hash of the sources that decide which links are found."""
    digest = hashlib.sha256(index_fingerprint().encode())
    for file in sorted(Path(__file__).parent.rglob("*.py")):
        digest.update(file.name.encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()[:16]


def is_linked(store: Store, tree: Tree, *, allow_edits: bool = False) -> bool:
    """Tell whether a tree is linked in its current state; one small query.

    allow_edits: accept links of files that were edited after indexing
    """
    known = store.linked_tree(tree.id)
    if known is None or known.fingerprint != fingerprint():
        return False
    generation = store.code_generation()
    return known.generation == generation or (allow_edits and known.generation == ~generation)


class Unlinked(NamedTuple):
    """Pending work of a tree: files without current links, all files.

    size_bytes: of all of them
    """

    waiting: int
    files: int
    size_bytes: int


def unlinked(store: Store, tree: Tree) -> Unlinked:
    """Return the pending work of a tree; dependents of changes are not counted."""
    files = _files(store, tree)
    known, linked = store.known_programs(tree.id), store.link_digests(tree.id)
    done = [
        path for path, row in files.items()
        if row.id in linked and path in known and known[path].hash == _stamped(row.hash)
    ]  # fmt: skip
    return Unlinked(len(files) - len(done), len(files), sum(row.size_bytes for row in files.values()))


def link(store: Store, tree: Tree, *, limits: Limits = LIMITS, wait_s: float = 0.0) -> Linking | None:
    """Update the links of a tree; None if another process keeps it longer than `wait_s`."""
    with _held(store, tree, wait_s) as owner:
        if owner is None:
            return None
        generation = store.code_generation()
        files = _files(store, tree)
        notes: list[str] = []
        read = _read(store, tree, owner, files, limits, notes)
        known = _known(store, tree)
        division = plan(known, _facts(store, tree), fingerprint())
        sizes = {group.key: sum(known[path].size_bytes for path in group.members) for group in division.groups}
        stale = _stale(store, tree, files, division)
        stale.sort(key=lambda group: (-sizes[group.key], group.key))  # a large one last would be waited for alone
        count = useful_workers(sum(sizes[group.key] for group in stale), len(stale), limits.workers)
        solved_files = _solve(store, tree, owner, files, division, stale, count, notes)
        # Files that were edited since they were indexed are read again at the next question: ~ marks the generation.
        is_current = all(row.hash == _stamped(files[path].hash) for path, row in known.items())
        done = LinkedTree(fingerprint(), generation if is_current else ~generation, clock.now())
        store.put_linked_tree(tree.id, owner, done)
        return Linking(read, solved_files, tuple(notes))


@contextmanager
def _held(store: Store, tree: Tree, wait_s: float) -> Iterator[str | None]:
    """Hold a tree for a block; None if another one does for too long."""
    owner = clock.new_owner()
    until = time.monotonic() + wait_s

    def claim() -> Tree | None:
        return store.claim_tree(tree.root, tree.namespace, owner=owner, fingerprint=tree.fingerprint, lease_s=LEASE_S)

    held = claim()
    while held is None and time.monotonic() < until:
        report(0, None, "waiting for another process that indexes this project")
        time.sleep(WAIT_S)
        held = claim()
    if held is None:
        yield None
        return
    try:
        yield owner
    finally:
        store.release_tree(tree.id, owner, is_complete=False)


class _Indexed(NamedTuple):
    """An indexed file that has a program: its number, hash and size."""

    id: int
    hash: str
    size_bytes: int


def _files(store: Store, tree: Tree) -> dict[str, _Indexed]:
    rows = store.columns(File, ("path", "id", "hash", "size_bytes", "language"), {"tree": tree.id, "skipped": ""})
    return {row[0]: _Indexed(*row[1:4]) for row in rows if has_program(row[4])}


# --- programs ---


def _read(store: Store, tree: Tree, owner: str, files: Mapping[str, _Indexed], limits: Limits, notes: list[str]) -> int:
    """Read the programs of changed files, delete those of missing ones."""
    known = store.known_programs(tree.id)
    gone = [row.file for path, row in known.items() if path not in files or files[path].id != row.file]
    changed = [path for path, row in files.items() if path not in known or known[path].hash != _stamped(row.hash)]
    if gone:
        store.put_programs(tree.id, owner, (), gone=gone, lease_s=LEASE_S)
    done = 0
    for start in range(0, len(changed), READ_FILES):
        part = changed[start : start + READ_FILES]
        symbols = store.packed_symbols([files[path].id for path in part])
        tasks = [
            Task(path, files[path].size_bytes, files[path].hash, symbols.get(files[path].id, b"")) for path in part
        ]
        programs: list[Translated] = []
        for answers in read_all(
            tree.root, tasks, max_bytes=limits.max_bytes, workers=limits.workers, wanted="programs"
        ):
            programs += [answer.program for answer in answers if answer.program is not None]
            done += len(answers)
            report(done, len(changed), "parsing")
            if len(programs) >= BATCH_FILES:
                _keep(store, tree, owner, files, programs, notes)
                programs = []
        _keep(store, tree, owner, files, programs, notes)
    return done


def _keep(
    store: Store, tree: Tree, owner: str, files: Mapping[str, _Indexed], read: Iterable[Translated], notes: list[str]
) -> None:
    rows: list[Program] = []
    for found in read:
        row = files[found.path]
        rows.append(Program(row.id, found.path, _stamped(found.hash or row.hash), *found[2:5]))
        if found.note:
            notes.append(f"{found.path}: {found.note}")
    store.put_programs(tree.id, owner, rows, lease_s=LEASE_S)


def keep_programs(store: Store, tree: Tree, owner: str, programs: Sequence[Translated]) -> None:
    """Keep programs that an update of the index read; one without content is read again when linking."""
    files = _files(store, tree)
    _keep(store, tree, owner, files, [each for each in programs if each.content and each.path in files], [])


def _stamped(digest: str) -> str:
    """Return the hash of a file together with what read its program."""
    return f"{fingerprint()}:{digest}"


def _known(store: Store, tree: Tree) -> dict[str, Known]:
    """Return the known programs of a tree."""
    return {
        path: Known(row.hash, row.size_bytes, read_offer(row.outline))
        for path, row in store.known_programs(tree.id).items()
        if row.outline
    }


def _facts(store: Store, tree: Tree) -> Facts:
    """Return facts of manifests and configurations."""
    configs = [path for path in store.known_files(tree.id) if CONFIGS.search(path)]
    return facts(provided(store, [tree.id]), tree.id, aliases(tree.root, configs))


# --- links ---


def _stale(store: Store, tree: Tree, files: Mapping[str, _Indexed], division: Plan) -> list[Group]:
    """Return the groups whose digest changed."""
    digests = store.link_digests(tree.id)
    return [
        group for group in division.groups if any(digests.get(files[path].id) != group.digest for path in group.members)
    ]


def _solve(
    store: Store,
    tree: Tree,
    owner: str,
    files: Mapping[str, _Indexed],
    division: Plan,
    stale: Sequence[Group],
    count: int,
    notes: list[str],
) -> int:
    """Find and keep the links of groups; returns how many files they have."""
    tasks = (_task(store, files, group) for group in stale)
    solved_files = 0
    for number, found in enumerate(solve_all(division.modules, tasks, count)):
        group = stale[number]
        report(number, len(stale), f"linking {group.key}")
        rows = [Links(files[each.path].id, group.digest, each.edges, each.sites) for each in found]
        for start in range(0, len(rows), BATCH_FILES):
            store.put_links(tree.id, owner, rows[start : start + BATCH_FILES], lease_s=LEASE_S)
        solved_files += len(rows)
        if any(each.is_coarse for each in found):
            notes.append(f"{group.key}: too many values to follow; calls through variables are incomplete")
    return solved_files


def _task(store: Store, files: Mapping[str, _Indexed], group: Group) -> GroupTask:
    """Return a group with all programs that it is solved from."""
    content = store.programs([files[path].id for path in group.members])
    faces = store.programs([files[path].id for path in group.needed], faces=True)
    programs = {path: content[files[path].id] for path in group.members}
    programs |= {path: faces[files[path].id] for path in group.needed}
    return GroupTask(group.members, group.needed, programs)
