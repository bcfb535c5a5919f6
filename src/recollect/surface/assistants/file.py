"""Files of others: read as they are, replaced whole or not at all.

A link is followed and stays a link; owner and permissions stay what they were; a byte order mark is kept.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path

from recollect.errors import ConfigError, Conflict
from recollect.files import read_file


def target(path: Path) -> Path:
    """Return where a file really lies; raises ConfigError for links that lead in a circle."""
    try:
        return path.resolve()
    except (OSError, RuntimeError):
        raise ConfigError(f"{path} is a link that leads in a circle", path=str(path)) from None


def content(path: Path) -> bytes | None:
    """Return what a file holds; None: it is not there. Raises ConfigError where it cannot be read."""
    try:
        return read_file(path)
    except FileNotFoundError:
        return None
    except OSError as problem:
        raise ConfigError(
            f"{path} cannot be read: {problem.strerror}",
            hint="Check what it is and who may read it; nothing was changed there.",
            path=str(path),
        ) from None


def text_of(path: Path, raw: bytes) -> tuple[str, str]:
    """Return the byte order mark of a file (mostly none) and its text; raises ConfigError if it is not UTF-8."""
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as problem:
        line = raw.count(b"\n", 0, problem.start) + 1
        raise ConfigError(
            f"{path}:{line}: not UTF-8: byte {problem.start} cannot be read",
            hint="Save the file as UTF-8 and run this again; nothing was changed there.",
            path=str(path),
            line=line,
        ) from None
    return ("\ufeff", text[1:]) if text.startswith("\ufeff") else ("", text)


def put(path: Path, content: bytes, *, mode: int | None = None) -> None:
    """Write a file in one step; mode: its permissions if it is new (default: as the system makes new files)."""
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
    with suppress(OSError):  # only a super-user can give a file away
        os.fchown(descriptor, old.st_uid, old.st_gid)
    os.fchmod(descriptor, stat.S_IMODE(old.st_mode))


def _usual_mode() -> int:
    mask = os.umask(0o022)
    os.umask(mask)
    return 0o666 & ~mask


def expect(path: Path, before: bytes | None) -> None:
    """Return if a file still holds what it held when we looked; raises Conflict."""
    if content(path) != before:
        raise Conflict(
            f"{path} was changed by somebody else meanwhile",
            hint="Run this again; nothing was changed there.",
            path=str(path),
        )
