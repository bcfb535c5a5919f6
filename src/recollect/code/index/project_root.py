"""Find the project root of a path, and refuse folders that are not projects.

A tree is a git work tree, or the given folder if there is none. A folder inside a tree means that part of it, so that
no file is indexed under two roots:

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

# Folders of the system, shared by many programs and people.
SYSTEM = frozenset(
    f"/{name}"
    for name in "bin boot dev etc home lib lib64 media mnt opt private proc root run sbin srv sys tmp usr usr/lib "
    "usr/local usr/share var var/cache var/lib var/log var/tmp private/tmp private/var Applications Library System "
    "Users Volumes".split()
)
# World-writable and sticky: /tmp, /var/tmp, /dev/shm.
SHARED = stat.S_ISVTX | stat.S_IWOTH


class Place(NamedTuple):
    """A tree and a part of it; below: empty, or a folder from the root with a final slash."""

    root: Path
    below: str
    is_git: bool


def place(path: str | Path, *, force: bool = False) -> Place:
    """Return the tree of `path`, with links resolved.

    Raises NotFound if it does not exist, InvalidInput if it is no readable folder or no project: a disk, a home
    directory, a system folder or one that all users share; `force` allows these.
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
    """Tell whether a folder is a disk, a home directory or above one, or a system or shared folder.

    A mounted git work tree is a project in a container, not a disk.
    """
    home = Path(os.path.realpath(os.path.expanduser("~")))  # noqa: PTH111
    if folder == Path(folder.anchor) or folder == home or folder in home.parents or str(folder) in SYSTEM:
        return True
    is_shared = folder.stat().st_mode & SHARED == SHARED
    return is_shared or (folder.is_mount() and not (folder / ".git").exists())
