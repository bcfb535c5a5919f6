"""Creation: a new database file appears with its first page, for its owner alone.

A file of 0 bytes is therefore never one that we are making. Where other files of ours say that there was a database, it
is what a full disk, a crash or a careless copy left of one, and storing into it would hide the loss.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing, suppress
from pathlib import Path

from recollect.files import PRIVATE_FILE
from recollect.store.migrations import APPLICATION_ID

# Files of a home that come to be while somebody uses it.
_OF_A_HOME = ("config.toml", "backups/ledger.json", "spool/new", "spool/work", "spool/bad", "spool/stuck")


def create(path: Path) -> None:
    """Make a database file where none is; one that another process makes meanwhile stays. Raises OSError."""
    target = Path(os.path.realpath(path))  # of a link, the file that it leads to
    made = target.with_name(f".{target.name}.{os.getpid()}-{os.urandom(4).hex()}")
    os.close(os.open(made, os.O_CREAT | os.O_EXCL | os.O_RDWR, PRIVATE_FILE))
    try:
        with closing(sqlite3.connect(made)) as connection:
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        try:
            with suppress(FileExistsError):
                os.link(made, target)
        except OSError:  # a file system without hard links
            if not target.exists():
                made.rename(target)
    finally:
        made.unlink(missing_ok=True)


def signs_of_loss(path: Path) -> list[str]:
    """Return what lies beside an empty database file and says that it held something; nothing for a new one."""
    target = Path(os.path.realpath(path))
    names = [f"{target.name}-wal", f"{target.name}-journal"]
    found = [name for name in names if _size(target.with_name(name))]
    found += sorted(each.name for each in target.parent.glob(f"{_escaped(target.name)}.backup*"))
    if path.name == "recollect.db":
        found += [name for name in _OF_A_HOME if _size(path.parent / name)]
    return found


def _size(path: Path) -> int:
    """Return how many bytes a file has, or how many files a folder has."""
    try:
        return len(os.listdir(path)) if path.is_dir() else path.stat().st_size  # noqa: PTH208 - a number is wanted
    except OSError:
        return 0


def _escaped(name: str) -> str:
    import glob

    return glob.escape(name)
