"""Processes that read files, changed for a test."""

from __future__ import annotations

import pytest

from recollect.code import process_pool


def change_readers(monkeypatch: pytest.MonkeyPatch, statements: str) -> None:
    """Run statements in every child that is started from now on: a child is another process.

    They see the module `reader`, and its function `read` as `honest`.
    """
    patch = f"import recollect.code.index.parallel_reader as reader; honest = reader.read\n{statements}"
    start = "import sys; sys.path.insert(0, {!r}); exec(" + repr(patch).replace("{", "{{").replace("}", "}}")
    run = "); from recollect.code.process_pool import main; main()"
    monkeypatch.setattr(process_pool, "START", start + run)
    # The child that is kept was started before, and none of these may be kept for another test.
    monkeypatch.setattr(process_pool, "SPARE", process_pool.Spare())
    monkeypatch.setattr(process_pool, "IDLE_S", 0.0)
