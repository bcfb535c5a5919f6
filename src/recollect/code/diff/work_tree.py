"""The current state of a work tree for git, without letting git read a file.

git runs the filters that a repository configures whenever it reads a file. So we read the files ourselves, and give git
a copy of the index with the result:

    index ─► entries whose time, size or mode differ ─► read, hash ─► objects and index of the stand-in

Contents are compared as they are on disk. Two conversions are handled: CRLF line ends, and files in Git LFS.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from recollect import git
from recollect.text.display import plural

# Bytes read of one file, and of all changed files: a checkout of a large project.
MAX_BYTES = 16_000_000
MAX_TOTAL_BYTES = 512_000_000
# Limits of a quick check: an index of about 10,000 files takes 50 ms, and so does hashing the bytes.
QUICK_INDEX_BYTES = 1_000_000
QUICK_BYTES = 20_000_000
# Blobs per request.
BATCH = 100
LISTING = ("ls-files", "-s", "-v", "-z", "--debug")
LFS = b"version https://git-lfs.github.com/spec/"

_ENTRY = re.compile(
    rb"(?P<tag>\S) (?P<mode>\d{6}) (?P<blob>[0-9a-f]{40,64}) (?P<stage>\d)\t(?P<path>[^\0]+)\0"
    rb"(?:  ctime: (?P<ctime>\d+:\d+)\n  mtime: (?P<mtime>\d+:\d+)\n  dev: [^\n]*\n  uid: [^\n]*\n"
    rb"  size: (?P<size>\d+)\t[^\n]*\n)?"
)
_LINK, _MODULE, _NOTHING = "120000", "160000", "0"


class Entry(NamedTuple):
    """A file of the index: its file name, mode, blob, and (ctime, mtime, size) when it was added."""

    name: str
    mode: str
    blob: str
    status: tuple[int, int, int]


class Current(NamedTuple):
    """A file of the index as it is on disk; without content if it is deleted."""

    entry: Entry
    mode: str
    content: bytes | None


@contextmanager
def snapshot(where: git.Folders) -> Iterator[tuple[git.Repository, tuple[str, ...]]]:
    """Yield a stand-in whose index has the tracked files as they are on disk, and notes about missing ones."""
    with git.opened(where) as repository:
        yield repository, tuple(_Snapshot(where, repository).take())


def changed_files(where: git.Folders, base: str, *, timeout_s: float) -> tuple[str, ...]:
    """Return the tracked files that differ on disk, then those that the branch changed since `base`.

    Incomplete if the index is large, or git takes longer than `timeout_s`.
    """
    with git.opened(where) as repository:
        words = ("diff-index", "--cached", "--name-only", "-z", "--merge-base", base, "--")
        result = repository.run(*words, timeout_s=timeout_s)
        index = repository.folder / "index"
        is_small = index.exists() and index.stat().st_size <= QUICK_INDEX_BYTES
        on_disk = _Snapshot(where, repository, QUICK_BYTES).differing(timeout_s) if is_small else ()
        return tuple(dict.fromkeys((*on_disk, *filter(None, result.text.split("\0")))))


class _Snapshot:
    """Updates the index of a stand-in from disk."""

    def __init__(self, where: git.Folders, repository: git.Repository, most: int = MAX_TOTAL_BYTES) -> None:
        self._root = os.path.realpath(where.root)
        self._repository = repository
        self._index = repository.folder / "index"
        # An entry as new as the index may have been changed after it was compared.
        self._written_at = self._index.stat().st_mtime_ns if self._index.exists() else 0
        self._objects = repository.keep_objects()
        self._has_modes = repository.has_modes
        self._links: dict[str, bool] = {"": False}
        self._left = most
        self._large: list[str] = []
        self._elsewhere = 0

    def differing(self, timeout_s: float) -> Iterator[str]:
        """Yield the files that differ from the index."""
        result = self._repository.run(*LISTING, timeout_s=timeout_s)
        for entry in self._entries(result.output):
            current = self._current(entry)
            if current is not None and (current.content is None or _name(current.content, entry) != entry.blob):
                yield entry.name

    def take(self) -> Iterator[str]:
        """Update the index of the stand-in; yield notes."""
        result = self._repository.run(*LISTING)
        if result.problem:
            yield f"uncommitted changes were not compared: {result.problem}"
            return
        rows: list[bytes] = []
        batch: list[Current] = []
        for entry in self._entries(result.output):
            current = self._current(entry)
            if current is not None:
                batch.append(current)
            if len(batch) >= BATCH:
                rows += self._rows(batch)
                batch = []
        rows += self._rows(batch)
        problem = self._write(rows)
        if problem:
            yield f"uncommitted changes were not compared: {problem}"
        if self._large:
            names = ", ".join(sorted(self._large)[:3])
            yield f"{plural(len(self._large), 'large file')} not compared, for example {names}"
        if self._elsewhere:
            yield f"{plural(self._elsewhere, 'Git LFS file')} assumed unchanged"

    def _entries(self, result: bytes) -> Iterator[Entry]:
        """Yield the entries that may differ on disk."""
        for found in _ENTRY.finditer(result):
            # Skips conflicts, submodules, and files marked as unchanged (h, S).
            if found["stage"] == b"0" and found["mode"] != _MODULE.encode() and found["tag"] == b"H":
                times = [_nanoseconds(found[name]) for name in ("ctime", "mtime")]
                status = (times[0], times[1], int(found["size"] or -1))
                yield Entry(os.fsdecode(found["path"]), found["mode"].decode(), found["blob"].decode(), status)

    def _current(self, entry: Entry) -> Current | None:
        """Return a file as it is on disk; None if it is unchanged or too large."""
        path = f"{self._root}/{entry.name}"
        try:
            found = os.lstat(path) if not self._is_behind_a_link(entry.name) else None
        except OSError:
            found = None
        if found is None or not (stat.S_ISREG(found.st_mode) or stat.S_ISLNK(found.st_mode)):
            return Current(entry, _NOTHING, None)
        mode = self._mode(entry, found)
        if mode == entry.mode and self._is_unchanged(entry, found):
            return None
        content = _target(path) if mode == _LINK else git.read(path, MAX_BYTES, follows=False)
        if content is None or len(content) > min(MAX_BYTES, self._left):
            self._large.append(entry.name)
            return None
        self._left -= len(content)
        return Current(entry, mode, content)

    def _is_behind_a_link(self, name: str) -> bool:
        folder = name.rpartition("/")[0]
        if folder not in self._links:
            self._links[folder] = self._is_behind_a_link(folder) or os.path.islink(f"{self._root}/{folder}")  # noqa: PTH114
        return self._links[folder]

    def _mode(self, entry: Entry, found: os.stat_result) -> str:
        if stat.S_ISLNK(found.st_mode):
            return _LINK
        if self._has_modes or entry.mode == _LINK:
            return "100755" if found.st_mode & 0o100 else "100644"
        return entry.mode

    def _is_unchanged(self, entry: Entry, found: os.stat_result) -> bool:
        """Tell whether times and size equal those of the index, and are older than it."""
        is_same = entry.status == (found.st_ctime_ns, found.st_mtime_ns, found.st_size & 0xFFFFFFFF)
        return is_same and found.st_mtime_ns < self._written_at

    def _rows(self, batch: list[Current]) -> list[bytes]:
        """Return lines for `update-index`; new contents are written beside the objects of git."""
        differ = [row for row in batch if row.content is not None and _name(row.content, row.entry) != row.entry.blob]
        olds, _ = self._repository.blobs(row.entry.blob for row in differ)
        rows = []
        for entry, mode, content in batch:
            blob = "0" * len(entry.blob)
            if content is not None:
                content = self._converted(content, olds.get(entry.blob))
                blob = self._kept(content, entry) if content is not None else entry.blob
            rows.append(f"{mode} {blob}\t".encode() + os.fsencode(entry.name) + b"\0")
        return rows

    def _converted(self, content: bytes, old: bytes | None) -> bytes | None:
        """Return a file as it would be committed; None if that is unchanged."""
        if old is None:
            return content
        if old.startswith(LFS) and len(old) < 1024 and not content.startswith(LFS):
            self._elsewhere += 1
            return None
        if b"\r\n" in content and b"\r\n" not in old and b"\0" not in content[:8000]:
            return content.replace(b"\r\n", b"\n")
        return content

    def _kept(self, content: bytes, entry: Entry) -> str:
        name = _name(content, entry)
        file = self._objects / name[:2] / name[2:]
        if name != entry.blob and not file.exists():
            file.parent.mkdir(exist_ok=True)
            file.write_bytes(zlib.compress(_framed(content), 1))
        return name

    def _write(self, rows: list[bytes]) -> str:
        if not rows:
            return ""
        index = self._index.read_bytes()
        self._index.unlink()  # it is a link
        self._index.write_bytes(index)
        return self._repository.run("update-index", "-z", "--index-info", given=b"".join(rows)).problem


def _target(path: str) -> bytes | None:
    try:
        return os.fsencode(os.readlink(path))  # noqa: PTH115 - a target may end with a slash
    except OSError:
        return None


def _framed(content: bytes) -> bytes:
    return b"blob %d\0" % len(content) + content


def _name(content: bytes, entry: Entry) -> str:
    """Return git's name of a content; the length of another name shows the hash function."""
    kind = hashlib.sha256 if len(entry.blob) == 64 else hashlib.sha1
    return kind(_framed(content)).hexdigest()


def _nanoseconds(text: bytes | None) -> int:
    seconds, _, rest = (text or b"0:-1").partition(b":")
    return int(seconds) * 1_000_000_000 + int(rest)
