"""The old and the new content of every file in a diff, from disk, hunks and git.

new side on disk               reversed hunks give the old one          the usual case
old side on disk               hunks give the new one                   a patch that is not applied yet
neither, but git has blobs     both come from git                       a diff of older commits
otherwise                      unknown
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from recollect.code.anchors.normalised_file import read
from recollect.code.diff.git_diff import blobs
from recollect.code.diff.unified_diff import FileDiff, Hunk
from recollect.code.index.file_walk import real

# Lines that a hunk may be away from its stated place, if the file was edited above it.
MOST_SHIFT = 400


def applied(source: bytes, hunks: Sequence[Hunk], *, backwards: bool = False) -> bytes | None:
    """Return the new side of a file from its old one, or backwards; None if the hunks do not fit.

    Other lines stay byte for byte. If the hunks fit except for line ends, which a transfer may have converted, the new
    lines get the line ends of the file.
    """
    exact = _applied(source, hunks, backwards, str)
    return exact if exact is not None else _applied(source, hunks, backwards, lambda line: line.removesuffix("\r"))


def _applied(source: bytes, hunks: Sequence[Hunk], backwards: bool, seen: Callable[[str], str]) -> bytes | None:
    """Return the other side, with lines compared as they are seen."""
    lines = source.split(b"\n")
    ends_bare = lines[-1] != b""  # the last line has no line feed
    if not ends_bare:
        lines.pop()
    texts = [seen(line.decode("utf-8", "replace")) for line in lines]
    made: list[bytes] = []
    at = shift = 0
    for hunk in hunks:
        have, want = ([seen(line) for line in hunk.side(new=new)] for new in (backwards, not backwards))
        start = hunk.new_start if backwards else hunk.old_start
        # A side without lines begins after the line it names, any other at it.
        begin = (start if not have else start - 1) + shift
        found = _found(texts, have, begin, at)
        if found is None:
            return None
        shift += found - begin
        made += lines[at:found]
        made += _mixed(lines[found : found + len(have)], have, want, is_exact=seen is str)
        at = found + len(have)
        if at == len(lines):
            ends_bare = hunk.old_bare if backwards else hunk.new_bare
    made += lines[at:]
    return b"\n".join(made) + (b"" if ends_bare or not made else b"\n")


def _found(texts: Sequence[str], have: Sequence[str], begin: int, least: int) -> int | None:
    """Return the place of lines nearest to `begin`, not before `least`."""
    most = len(texts) - len(have)
    if not have:
        return begin if least <= begin <= most else None
    for distance in range(MOST_SHIFT + 1):
        for place in dict.fromkeys((begin - distance, begin + distance)):
            if least <= place <= most and texts[place] == have[0] and texts[place : place + len(have)] == have:
                return place
    return None


def _mixed(real: Sequence[bytes], have: Sequence[str], want: Sequence[str], *, is_exact: bool) -> list[bytes]:
    """Return wanted lines: known ones as they are in the file, others with its line ends."""
    known = dict(zip(have, real, strict=True))
    end = b"\r" if not is_exact and any(line.endswith(b"\r") for line in real) else b""
    return [known[line] if line in known else line.encode("utf-8", "replace") + end for line in want]


# Origin of the two sides.
Origin = Literal["new on disk", "old on disk", "git", "unknown"]

# Leading folders of a path that another tool may add: `diff -ru old/project new/project`.
MOST_STRIPPED = 3


class Sides(NamedTuple):
    """A file of a diff with both contents; None if there is no file, or its content is unknown."""

    file: FileDiff
    origin: Origin
    old: bytes | None = None
    new: bytes | None = None


def placed(root: Path, file: FileDiff, known: Collection[str]) -> FileDiff | None:
    """Return a file of a diff with its paths below the root; None if it lies elsewhere.

    known: paths of indexed files; they show how many leading folders to strip
    """
    if any(_leads_away(path) for path in (file.old, file.new)):
        return None
    for count in range(MOST_STRIPPED + 1):
        paths = [_stripped(path, count) for path in (file.old, file.new)]
        if paths == ["", ""]:
            break
        if any(path and (path in known or (root / real(path)).is_file()) for path in paths):
            return file._replace(old=paths[0], new=paths[1])
    return file


def both(root: Path, files: Sequence[FileDiff], max_bytes: int) -> list[Sides]:
    """Return the files with their contents; binary files and those over `max_bytes` stay unknown."""
    found = [_from_disk(root, file, max_bytes) for file in files]
    missing = [sides.file for sides in found if sides.origin == "unknown" and not sides.file.is_binary]
    kept = blobs(root, [name for file in missing for name in (file.old_blob, file.new_blob) if name])
    return [_from_git(sides, kept, max_bytes) if sides.origin == "unknown" else sides for sides in found]


def _leads_away(path: str) -> bool:
    return path.startswith(("/", "~")) or ".." in path.split("/") or "\0" in path or ":" in path[:2]


def _stripped(path: str, count: int) -> str:
    return posixpath.join(*rest) if (rest := path.split("/")[count:]) else ""


def _from_disk(root: Path, file: FileDiff, max_bytes: int) -> Sides:
    if file.is_binary:
        return Sides(file, "unknown")
    is_gone = file.status == "deleted"
    content = read(str(root), file.new or file.old, max_bytes)
    if is_gone and content is None:
        old = applied(b"", file.hunks, backwards=True)
        return Sides(file, "new on disk", old, None) if old is not None else Sides(file, "unknown")
    if content is not None and not is_gone:
        old = applied(content, file.hunks, backwards=True)
        if old is not None:
            return Sides(file, "new on disk", None if file.status == "added" else old, content)
    before = read(str(root), file.old, max_bytes) if file.old else b""
    if before is not None:
        new = applied(before, file.hunks)
        if new is not None:
            return Sides(file, "old on disk", before if file.old else None, None if is_gone else new)
    return Sides(file, "unknown")


def _from_git(sides: Sides, kept: dict[str, bytes], max_bytes: int) -> Sides:
    file = sides.file
    old, new = kept.get(file.old_blob), kept.get(file.new_blob)
    if old is None and new is not None and file.old:
        old = applied(new, file.hunks, backwards=True)
    if new is None and old is not None and file.new:
        new = applied(old, file.hunks)
    if (file.old and old is None) or (file.new and new is None) or file.is_binary:
        return sides
    if max(len(side) for side in (old, new) if side is not None) > max_bytes:
        return sides
    return Sides(file, "git", old if file.old else None, new if file.new else None)
