"""New databases for tests that are not about making one: copies of one that was migrated.

Migrating takes 20 ms of CPU time, copying a tenth of one, and thousands of tests make a database.
"""

from __future__ import annotations

import functools
import os
import tempfile
from contextlib import suppress
from pathlib import Path

import pytest

from recollect.store import sqlite


@functools.cache
def migrated() -> bytes:
    """Return the content of a database that was just made."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "new.db"
        made = sqlite.Sqlite(path, busy_timeout_ms=0)
        made.connection()
        made.close()
        return path.read_bytes()


@pytest.fixture(autouse=True)
def _copied_databases(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every new database of this process begin as a copy."""
    content = migrated()

    def copy(path: Path) -> None:
        target = Path(os.path.realpath(path))
        made = target.with_name(f".{target.name}.{os.urandom(4).hex()}")
        made.touch(mode=0o600)
        made.write_bytes(content)
        with suppress(FileExistsError):  # another thread was first
            os.link(made, target)
        made.unlink()

    monkeypatch.setattr(sqlite, "_create", copy)
