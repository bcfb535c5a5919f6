"""Update the index of a tree: read new and changed files, remove files that are gone.

    walk ──► compare with the index ──► read, on all cores ──► write, a batch per transaction
             by time and size, then by hash

A tree has one writer at a time. Its claim is renewed with every batch and expires if the process dies. A stopped update
leaves a correct index of the files it has; the next update continues.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from recollect import clock
from recollect.code.index.file_reader import Task
from recollect.code.index.file_walk import Entry, Walked, real, walk, within
from recollect.code.index.parallel_reader import Answer, Translated, Wanted, read_all
from recollect.code.manifests.package_resolution import settle
from recollect.code.process_pool import seldom_collected
from recollect.model import Tree
from recollect.progress import report
from recollect.text import identifiers, terms
from recollect.text.redaction import redact

if TYPE_CHECKING:
    from recollect.code.index.project_root import Place
    from recollect.store.code_rows import IndexedFile, Touched
    from recollect.store.sql import Store


@cache
def fingerprint() -> str:
    """Return a hash of all sources and queries that decide what is read from a file.

    The next update reads an index with another fingerprint again. A comment changes it, too; a version number that
    people have to raise would be forgotten.
    """
    code = Path(__file__).parents[1]
    ours = [
        path for part in ("*.py", "index/*.py", "index/queries/*.scm", "manifests/*.py") for path in code.glob(part)
    ]
    redaction = Path(redact.__file__).parent.glob("*.py")
    files = [*ours, *redaction, Path(identifiers.__file__), Path(terms.__file__)]
    digest = hashlib.sha256()
    for file in sorted(files):
        digest.update(file.name.encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()[:16]


# Source bytes, or files, per transaction: a third of a second under the write lock.
BATCH_BYTES = 8_000_000
BATCH_FILES = 8_000
# Each batch makes a segment of the full text, and the next save would merge sixteen of them: 0.2 s for a tree of 20 MB.
# So an update that wrote several merges them itself, at a fiftieth of the cost of reading.
MANY_SEGMENTS = 2
# A claim that is not renewed for this long has expired: its process died. A batch takes a few seconds to read.
LEASE_S = 60
# Seconds between attempts to claim a tree that another process holds.
WAIT_S = 0.1


class Limits(NamedTuple):
    """Limits of an update: the largest file, and the number of reading processes (0: one per core)."""

    max_bytes: int = 2_097_152
    workers: int = 0


LIMITS = Limits()


class Update(NamedTuple):
    """Result of an update: files read, unchanged and gone, bytes read, excluded files by reason, notes."""

    tree: int
    read: int
    unchanged: int
    gone: int
    read_bytes: int
    left_out: dict[str, int]
    notes: list[str]


# Keeps the programs of files that were just written, given the tree and the owner of its claim.
KeepPrograms = Callable[[Tree, str, Sequence[Translated]], None]


class _Plan(NamedTuple):
    tasks: list[Task]
    gone: list[str]
    unchanged: int


def update(
    store: Store,
    where: Place,
    namespace: str | None,
    *,
    limits: Limits = LIMITS,
    rebuild: bool = False,
    keep: KeepPrograms | None = None,
) -> Update:
    """Update the index of a tree, or of the part of it that `where` names.

    rebuild: read every file, changed or not. Waits while another process writes to the same tree.
    keep: read the programs of files in the same pass, and keep them with this
    """
    with claimed(store, where, namespace) as (tree, owner):
        report(0, None, "looking for changes")
        walked = walk(where.root, where.below, is_git=where.is_git, max_bytes=limits.max_bytes)
        known = store.known_files(tree.id)
        plan = _plan(walked.files, known, where.below, rebuild=rebuild)
        return _carry_out(_Batch(store, tree, owner, plan.gone, keep), where, plan, walked, limits)


def update_paths(
    store: Store, where: Place, namespace: str | None, paths: Sequence[str], *, limits: Limits = LIMITS
) -> Update:
    """Update the index of these files and folders only; paths are relative to the root."""
    with claimed(store, where, namespace) as (tree, owner):
        walked = within(where.root, [real(path) for path in paths], is_git=where.is_git, max_bytes=limits.max_bytes)
        plan = _plan(walked.files, store.known_files(tree.id, paths), "", rebuild=False)
        batch = _Batch(store, tree, owner, plan.gone)
        return _carry_out(batch, where, plan, walked, limits._replace(workers=1 if len(paths) < 64 else 0))


@contextmanager
def claimed(store: Store, where: Place, namespace: str | None) -> Iterator[tuple[Tree, str]]:
    """Hold the claim on a tree for a block; wait while another process has it."""
    owner = clock.new_owner()
    root = os.fsencode(where.root).decode("utf-8", "backslashreplace")
    while (tree := store.claim_tree(root, namespace, owner=owner, fingerprint=fingerprint(), lease_s=LEASE_S)) is None:
        report(0, None, "waiting for another process that indexes this project")
        time.sleep(WAIT_S)
    is_complete = False
    try:
        yield tree, owner
        is_complete = True
    finally:
        store.release_tree(tree.id, owner, is_complete=is_complete)


def _plan(files: list[Entry], known: dict[str, tuple[int, int, str]], below: str, *, rebuild: bool) -> _Plan:
    """Compare files with the index: the same time and size mean the same content."""
    tasks = []
    unknown = (-1, -1, "")
    for path, mtime_ns, size_bytes in files:
        known_mtime, known_size, digest = known.get(path, unknown)
        if rebuild:
            tasks.append(Task(path, size_bytes))
        elif mtime_ns != known_mtime or size_bytes != known_size:
            tasks.append(Task(path, size_bytes, digest))
    there = {entry.path for entry in files}
    gone = [path for path in known if path not in there and path.startswith(below)]
    return _Plan(tasks, gone, len(files) - len(tasks))


def _carry_out(batch: _Batch, where: Place, plan: _Plan, walked: Walked, limits: Limits) -> Update:
    store, tree, owner = batch.store, batch.tree, batch.owner
    wanted: Wanted = "both" if batch.keep else "files"
    total = sum(task.size_bytes for task in plan.tasks)
    done = 0
    with seldom_collected():
        for answers in read_all(
            os.fspath(where.root), plan.tasks, max_bytes=limits.max_bytes, workers=limits.workers, wanted=wanted
        ):
            batch.add(answers)
            done += len(answers)
            report(done, len(plan.tasks), _measure(batch.read_bytes, total))
        batch.write()
    if batch.segments >= MANY_SEGMENTS:
        store.merge_code_text()
    settle(store, tree.id, tree.root, owner, lease_s=LEASE_S)
    return Update(
        tree.id,
        batch.read,
        plan.unchanged + batch.touched,
        len(plan.gone),
        batch.read_bytes,
        walked.skipped,
        walked.notes + batch.notes,
    )


def _measure(done: int, total: int) -> str:
    """Return the progress in bytes, in tenths, so that a log stays short."""
    tenths = done * 10 // max(total, 1)
    return f"indexing {total * tenths / 1e7:.1f} of {total / 1e6:.1f} MB"


class _Batch:
    """Answers of one transaction."""

    def __init__(self, store: Store, tree: Tree, owner: str, gone: list[str], keep: KeepPrograms | None = None) -> None:
        self.store, self.tree, self.owner, self.keep = store, tree, owner, keep
        self._gone = gone
        self._programs: list[Translated] = []
        self._files: list[IndexedFile] = []
        self._touched: list[Touched] = []
        self._bytes = 0
        self.read = self.touched = self.read_bytes = self.segments = 0
        self.notes: list[str] = []

    def add(self, answers: list[Answer]) -> None:
        for file, touched, program in answers:
            if program is not None:
                self._programs.append(program)
                if program.content and program.note:  # one without content is read again, and says so then
                    self.notes.append(f"{program.path}: {program.note}")
            if file is not None:
                self._files.append(file)
                self._bytes += file.size_bytes if file.texts else 0  # of a picture only its name is written
                self.read_bytes += file.size_bytes
                self.read += 1
                self.notes += [f"{file.path}: {note}" for note in file.notes]
            elif touched is not None:
                self._touched.append(touched)
                self.read_bytes += touched.size_bytes
                self.touched += 1
        if self._bytes >= BATCH_BYTES or len(self._files) + len(self._touched) >= BATCH_FILES:
            self.write()

    def write(self) -> None:
        """Write the answers, if there are any."""
        if self._files or self._touched or self._gone:
            self.store.write_files(
                self.tree.id, self.owner, files=self._files, touched=self._touched, gone=self._gone, lease_s=LEASE_S
            )
        if self.keep is not None and self._programs:
            self.keep(self.tree, self.owner, self._programs)
        self.segments += any(file.texts for file in self._files)
        self._files, self._touched, self._gone, self._programs, self._bytes = [], [], [], [], 0
