"""Settings files of assistants: read, and replaced atomically.

A symbolic link is followed and kept. Owner, permissions and byte order mark are kept.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path

from recollect.errors import ConfigError, Conflict
from recollect.files import read_file


def target(path: Path) -> Path:
    """Return the file behind symbolic links; raises ConfigError for a loop."""
    try:
        return path.resolve()
    except (OSError, RuntimeError):
        raise ConfigError(f"{path} is a symbolic link loop", path=str(path)) from None


def content(path: Path) -> bytes | None:
    """Return the bytes of a file, None if there is none; raises ConfigError if it cannot be read."""
    try:
        return read_file(path)
    except FileNotFoundError:
        return None
    except OSError as problem:
        raise ConfigError(
            f"{path} cannot be read: {problem.strerror}",
            hint="Check its permissions. The file was not changed.",
            path=str(path),
        ) from None


def text_of(path: Path, raw: bytes) -> tuple[str, str]:
    """Return the byte order mark of a file (mostly empty) and its text; raises ConfigError if it is not UTF-8."""
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as problem:
        line = raw.count(b"\n", 0, problem.start) + 1
        raise ConfigError(
            f"{path}:{line}: not UTF-8 (byte {problem.start})",
            hint="Save the file as UTF-8 and run the command again. The file was not changed.",
            path=str(path),
            line=line,
        ) from None
    return ("\ufeff", text[1:]) if text.startswith("\ufeff") else ("", text)


def put(path: Path, content: bytes, *, mode: int | None = None) -> None:
    """Write a file atomically; mode: its permissions if it is new (default: those of the umask)."""
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


def expect(path: Path, before: bytes | None) -> None:
    """Return if a file still has the content that the plan was made from; raises Conflict."""
    if content(path) != before:
        raise Conflict(
            f"{path} was changed by another program in the meantime",
            hint="Run the command again. The file was not changed.",
            path=str(path),
        )
