"""Processes that read files, changed for a test."""

from __future__ import annotations

import pytest

from recollect.code.index import parallel_reader


def change_readers(monkeypatch: pytest.MonkeyPatch, statements: str) -> None:
    """Run statements in every worker that is started from now on: a worker is another process.

    They see the module `worker`, and its function `read` as `honest`.
    """
    patch = f"import recollect.code.index.worker as worker; honest = worker.read\n{statements}"
    start = "import sys; sys.path.insert(0, {!r}); exec(" + repr(patch).replace("{", "{{").replace("}", "}}")
    monkeypatch.setattr(parallel_reader, "_START", start + "); worker.main()")
    # The worker that is kept was started before, and none of these is to be kept for another test.
    monkeypatch.setattr(parallel_reader, "SPARE", parallel_reader.Spare())
    monkeypatch.setattr(parallel_reader, "IDLE_S", 0.0)
