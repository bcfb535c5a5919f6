"""Safe reads of regular files, with a limit, atomic writes, and private folders.

A repository, an archive or an assistant's folder may contain anything under any name: a pipe that blocks, an endless
device, a link to a private file. `open_file` and `read_file` return the content of regular files and raise OSError for
everything else, so a caller that handles an unreadable file handles these too.
"""

from __future__ import annotations

import errno
import os
import select
import stat
import time
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

# Opening a pipe does not wait for its other end; a child process does not inherit the file.
READ = os.O_RDONLY
for _flag in ("O_NONBLOCK", "O_CLOEXEC", "O_BINARY", "O_NOCTTY"):
    READ |= getattr(os, _flag, 0)
# For a path that must not be a link itself.
READ_UNLINKED = READ | getattr(os, "O_NOFOLLOW", 0)

# Notes, settings and sources that people write are smaller.
MAX_BYTES = 64 * 1024 * 1024

# How long a pipe may have no writer; programs that are started together take a moment.
PIPE_S = 5.0
BLOCK = 1024 * 1024

PRIVATE_FOLDER, PRIVATE_FILE = 0o700, 0o600


def open_file(
    path: str | Path, *, within: str | Path | None = None, follows: bool = True, buffering: int = -1
) -> BinaryIO:
    """Open a regular file for reading; raises OSError for anything else.

    within: a folder that links must not lead out of; default: any. follows: whether the file may be a link
    """
    flags = READ if follows else READ_UNLINKED
    if within is not None:
        path, flags = _inside(path, within), READ_UNLINKED
    descriptor = os.open(path, flags)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "not a regular file", str(path))
        return os.fdopen(descriptor, "rb", buffering)
    except BaseException:
        os.close(descriptor)
        raise


def read_file(path: str | Path, *, most: int = MAX_BYTES, within: str | Path | None = None) -> bytes:
    """Return the content of a regular file; raises OSError for anything else, and for more than `most` bytes."""
    with open_file(path, within=within) as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise OSError(errno.EFBIG, f"larger than {most:,} bytes", str(path))
    return content


def copy_pipe(path: str | Path, target: BinaryIO) -> None:
    """Copy the data of a pipe; raises OSError for anything else, and if no program writes to it."""
    descriptor = os.open(path, READ)
    try:
        if not stat.S_ISFIFO(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "neither a regular file nor a pipe", str(path))
        is_begun, deadline = False, time.monotonic() + PIPE_S
        while True:
            try:
                block = os.read(descriptor, BLOCK)
            except BlockingIOError:  # a writer has it open and has not written yet
                select.select([descriptor], [], [])
                continue
            if not block and (is_begun or time.monotonic() > deadline):
                break
            target.write(block)
            is_begun = is_begun or bool(block)
            if not block:
                time.sleep(0.02)
    finally:
        os.close(descriptor)
    if not is_begun:
        raise OSError(errno.EPIPE, "no program writes to this pipe", str(path))


def is_inside(path: str | Path, folder: str | Path) -> bool:
    """Return whether a path, with its links resolved, is in a folder."""
    real, root = os.path.realpath(path), os.path.realpath(folder)
    return real == root or real.startswith(root.rstrip(os.sep) + os.sep)


def replace_file(path: Path, content: bytes, *, mode: int | None = None) -> None:
    """Write a file atomically; an existing one keeps its owner and permissions. Raises OSError.

    mode: its permissions if it is new (default: those of the umask)
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}-{os.urandom(4).hex()}")
    try:
        with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            _like(path, file.fileno(), mode)
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _like(path: Path, descriptor: int, mode: int | None) -> None:
    """Give a file the owner and permissions of the one it will replace."""
    try:
        old = path.stat()
    except FileNotFoundError:
        os.fchmod(descriptor, _usual_mode() if mode is None else mode)
        return
    with suppress(OSError):  # only root can change the owner
        os.fchown(descriptor, old.st_uid, old.st_gid)
    os.fchmod(descriptor, stat.S_IMODE(old.st_mode))


def _usual_mode() -> int:
    mask = os.umask(0o022)
    os.umask(mask)
    return 0o666 & ~mask


def private_folder(folder: Path) -> None:
    """Create a folder and its missing parents for the owner only, whatever the umask; raises OSError."""
    missing = [folder]
    while not missing[-1].parent.exists():
        missing.append(missing[-1].parent)
    for each in reversed(missing):
        each.mkdir(mode=PRIVATE_FOLDER, exist_ok=True)


def _inside(path: str | Path, folder: str | Path) -> str:
    if not is_inside(path, folder):
        raise OSError(errno.ELOOP, "a symbolic link to a place outside the project", str(path))
    return os.path.realpath(path)
