"""Which tree a path lies in, and whether it may be indexed at all.

A tree is a git work tree, or the folder that was named where there is none. Naming a folder inside a tree means that
part of it, so that a file is never indexed twice under two roots:

    recollect index .              in /home/me/app          → tree /home/me/app, all of it
    recollect index src            in /home/me/app          → tree /home/me/app, below src/
    recollect index .              in /home/me (no git)     → refused: a home directory
    recollect index /tmp                                    → refused: all users share it
    recollect index notes          in /home/me (a git tree) → tree /home/me/notes: a home is never the tree
"""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import NamedTuple

from recollect.errors import InvalidInput, NotFound

# Folders that every system has; what lies in them is of many programs and people.
SYSTEM = frozenset(
    f"/{name}"
    for name in "bin boot dev etc home lib lib64 media mnt opt private proc root run sbin srv sys tmp usr usr/lib "
    "usr/local usr/share var var/cache var/lib var/log var/tmp private/tmp private/var Applications Library System "
    "Users Volumes".split()
)
# All may write, and only owners remove: /tmp, /var/tmp, /dev/shm and their like.
SHARED = stat.S_ISVTX | stat.S_IWOTH


class Place(NamedTuple):
    """A tree and the part of it that is meant: `below` is empty, or a folder from the root with a final slash."""

    root: Path
    below: str
    is_git: bool


def place(path: str | Path, *, force: bool = False) -> Place:
    """Return where `path` lies, resolved of links.

    Raises NotFound where nothing is, InvalidInput for what is no folder, cannot be read, or is no project: a disk, a
    home directory, a folder of the system or one that all users share; `force` allows these.
    """
    folder = _folder(path)
    if _is_too_large(folder) and not force:
        raise InvalidInput(
            f"{folder} is not a project: it is a whole disk, a home directory or a shared system folder",
            hint="Give the folder of a project, or use --force to index it anyway.",
            path=str(folder),
        )
    for root in (folder, *folder.parents):
        if (root / ".git").exists() and (root == folder or not _is_too_large(root)):
            return Place(root, "" if root == folder else folder.relative_to(root).as_posix() + "/", True)
    return Place(folder, "", False)


def _folder(path: str | Path) -> Path:
    """Return `path` as an absolute folder that can be read."""
    text = os.fspath(path)
    if not text or "\0" in text:
        raise InvalidInput("the path is empty or contains a NUL character")
    folder = Path(os.path.realpath(os.path.expanduser(text)))  # noqa: PTH111 - a user without a home is no error
    try:
        if not folder.exists():
            raise NotFound(f"{folder} does not exist", hint="Check the path.", path=str(folder))
        if not folder.is_dir():
            raise InvalidInput(
                f"{folder} is not a folder",
                hint="Give its folder; only changed files are read again.",
                path=str(folder),
            )
        with os.scandir(folder):
            return folder
    except OSError as problem:
        raise InvalidInput(
            f"{folder} cannot be read: {problem.strerror}",
            hint="Check its permissions.",
            path=str(folder),
        ) from None


def _is_too_large(folder: Path) -> bool:
    """Tell whether a folder is a disk, a home directory, holds home directories, or is of the system or of all users.

    A mounted folder that is a git work tree is a project that was mounted into a container, not a disk.
    """
    home = Path(os.path.realpath(os.path.expanduser("~")))  # noqa: PTH111
    if folder == Path(folder.anchor) or folder == home or folder in home.parents or str(folder) in SYSTEM:
        return True
    is_shared = folder.stat().st_mode & SHARED == SHARED
    return is_shared or (folder.is_mount() and not (folder / ".git").exists())
