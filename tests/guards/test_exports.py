"""The public names of the package: all of them resolve, and no others are offered."""

from __future__ import annotations

import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

import recollect


def test_every_public_name_resolves() -> None:
    assert len(recollect.__all__) >= 2
    for name in recollect.__all__:
        assert getattr(recollect, name) is not None


def test_the_package_offers_exactly_its_public_names() -> None:
    assert dir(recollect) == sorted(recollect.__all__)
    offered: dict[str, object] = {}
    exec("from recollect import *", offered)
    assert {name for name in offered if name != "__builtins__"} == set(recollect.__all__)


def test_the_names_are_these() -> None:
    """A public name is a promise to keep it: adding one is a decision, so it is written down here as well."""
    records = {"Hit", "Memory", "MemoryPage", "Packed", "Recall", "Session", "Stored"}
    errors = {"Conflict", "InvalidInput", "NotFound", "RecollectError", "StorageError"}
    assert set(recollect.__all__) == {"Engine", "Settings", *records, *errors, "__version__"}


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        recollect.nonsense  # noqa: B018


def test_an_engine_lists_its_nouns_and_not_its_internals(home: Path) -> None:
    with recollect.Engine() as engine:
        offered = dir(engine)
        assert {"memories", "recall", "code", "sessions", "settings", "close"} <= set(offered)
        assert {"store", "embedding", "errands", "write_roots", "_store"} & set(offered) == set()
        assert all(f"{name}" in (recollect.Engine.__doc__ or "") for name in offered if name != "start_background")


def test_a_memory_has_its_times_as_dates_in_utc(home: Path) -> None:
    with recollect.Engine() as engine:
        memory = engine.memories.store("The cache is emptied every night").memory
    assert memory.created == datetime.fromtimestamp(memory.created_at, UTC)
    assert memory.updated.tzinfo is UTC


def test_sources_and_a_program_of_a_user_type_check(root: Path) -> None:
    """A setting that were dynamic, or a public name without a type, would fail here."""
    result = subprocess.run([sys.executable, "-m", "mypy"], cwd=root, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout


def test_the_program_of_a_user_runs(root: Path, home: Path) -> None:
    command = [sys.executable, str(root / "tests" / "guards" / "typed_program.py")]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (result.returncode, result.stderr) == (0, "")
    assert "We use tabs in Makefiles 30.0" in result.stdout
