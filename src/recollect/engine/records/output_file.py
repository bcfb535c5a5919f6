"""Output files that a caller names: where they may be, and how they are written.

A person at a command line and a program with the library write where they like. A server works for a language model,
which may have read anything: it writes below the project and the home only (`Context.write_roots`). A file is
replaced only on request, and no link is followed.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING

from recollect.errors import Conflict, InvalidInput

if TYPE_CHECKING:
    from recollect.engine.context import Context

# How an export begins: in the home, nothing else may be replaced by one.
EXPORT = b'{"kind":"recollect"'


def refuse_elsewhere(context: Context, target: Path) -> None:
    """Raise InvalidInput for a file outside the write roots, symbolic links resolved."""
    if context.write_roots is None:
        return
    real = Path(os.path.realpath(target.parent)) / target.name
    if ".git" in real.parts or not any(real.is_relative_to(os.path.realpath(root)) for root in context.write_roots):
        raise InvalidInput(
            f"{target} is outside the project and the recollect home folder",
            hint="Choose a file inside one of them. The command line may write any file.",
            path=str(target),
        )


@contextlib.contextmanager
def written(context: Context, target: Path, *, overwrite: bool) -> Iterator[IO[bytes]]:
    """Open a file that appears at `target` when the block ends, readable by its owner alone.

    Raises InvalidInput where none may or can be written, and Conflict where one is already and `overwrite` is false.
    """
    import tempfile

    refuse_elsewhere(context, target)
    partial = ""
    try:
        _refuse_existing(context, target, overwrite=overwrite)
        handle, partial = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
        with os.fdopen(handle, "wb") as file:
            yield file
        if overwrite:
            os.replace(partial, target)  # noqa: PTH105 - a link at the target is replaced, never followed
        else:
            _link(partial, target)
    except OSError as problem:
        raise InvalidInput(f"{target} cannot be written: {problem.strerror}", path=str(target)) from None
    finally:
        if partial:
            Path(partial).unlink(missing_ok=True)


def _refuse_existing(context: Context, target: Path, *, overwrite: bool) -> None:
    try:
        found = os.lstat(target)
    except FileNotFoundError:
        return
    if not overwrite and not stat.S_ISDIR(found.st_mode):
        raise _conflict(target)
    if not stat.S_ISREG(found.st_mode):
        raise InvalidInput(
            f"{target} is not a regular file", hint="Choose another file, or '-' for standard output.", path=str(target)
        )
    home = os.path.realpath(context.settings.home_path)
    if Path(os.path.realpath(target)).is_relative_to(home) and not _is_export(target):
        raise InvalidInput(f"{target} is one of recollect's own files", hint="Choose another file.", path=str(target))


def _is_export(file: Path) -> bool:
    with file.open("rb") as source:
        return source.read(len(EXPORT)) == EXPORT


def _link(partial: str, target: Path) -> None:
    """Move a file to its name unless that exists; without hard links there is a short race."""
    try:
        os.link(partial, target)
    except FileExistsError:
        raise _conflict(target) from None
    except OSError:
        if os.path.lexists(target):
            raise _conflict(target) from None
        os.replace(partial, target)  # noqa: PTH105


def _conflict(target: Path) -> Conflict:
    return Conflict(
        f"{target} already exists", hint="Choose another file, or use overwrite to replace it.", path=str(target)
    )
