"""Which tree a path lies in, and whether it may be indexed at all.

A tree is a git work tree, or the folder that was named where there is none. Naming a folder inside a tree means that
part of it, so that a file is never indexed twice under two roots:

    recollect index .              in /home/me/app          → tree /home/me/app, all of it
    recollect index src            in /home/me/app          → tree /home/me/app, below src/
    recollect index .              in /home/me (no git)     → refused: a home directory
    recollect index notes          in /home/me (a git tree) → tree /home/me/notes: a home is never the tree
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

from recollect.errors import InvalidInput, NotFound


class Place(NamedTuple):
    """A tree and the part of it that is meant: `below` is empty, or a folder from the root with a final slash."""

    root: Path
    below: str
    is_git: bool


def place(path: str | Path, *, force: bool = False) -> Place:
    """Return where `path` lies, resolved of links.

    Raises NotFound where nothing is, InvalidInput for what is no folder, cannot be read, or is a whole disk or a home
    directory; `force` allows the last two.
    """
    folder = _folder(path)
    if _is_too_large(folder) and not force:
        raise InvalidInput(
            f"{folder} is a whole disk or a home directory, not a project",
            hint="Name the folder of a project; if you do mean all of it, say so with force.",
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
        raise InvalidInput("the path to index is empty or holds a NUL character")
    folder = Path(os.path.realpath(os.path.expanduser(text)))  # noqa: PTH111 - a user without a home is no error
    try:
        if not folder.exists():
            raise NotFound(f"{folder} does not exist", hint="Check the path; nothing was indexed.", path=str(folder))
        if not folder.is_dir():
            raise InvalidInput(
                f"{folder} is not a folder",
                hint="Name the folder it lies in: a tree is indexed as a whole, and only what changed is read again.",
                path=str(folder),
            )
        with os.scandir(folder):
            return folder
    except OSError as problem:
        raise InvalidInput(
            f"{folder} cannot be read: {problem.strerror}",
            hint="Check its permissions; nothing was indexed.",
            path=str(folder),
        ) from None


def _is_too_large(folder: Path) -> bool:
    """Tell whether a folder is a disk, a home directory, or holds home directories.

    A mounted folder that is a git work tree is a project that was mounted into a container, not a disk.
    """
    home = Path(os.path.realpath(os.path.expanduser("~")))  # noqa: PTH111
    if folder == Path(folder.anchor) or folder == home or folder in home.parents:
        return True
    return folder.is_mount() and not (folder / ".git").exists()
