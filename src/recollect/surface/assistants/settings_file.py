"""Settings files of assistants: a symbolic link is followed and kept, and so is the byte order mark."""

from __future__ import annotations

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


def expect(path: Path, before: bytes | None) -> None:
    """Return if a file still has the content that the plan was made from; raises Conflict."""
    if content(path) != before:
        raise Conflict(
            f"{path} was changed by another program in the meantime",
            hint="Run the command again. The file was not changed.",
            path=str(path),
        )
