"""Which of the written pairs are changes."""

from __future__ import annotations

from pathlib import Path

import pytest

import changes
from recollect import Engine

PROJECT = """= mill
+ number | the sieve turns 40 times a minute | the sieve turns 55 times a minute now
- question | the sieve turns 40 times a minute | does the sieve turn too slowly?
- same | flour is stored in silo 3 | flour is still stored in silo 3
"""


def test_a_look_alike_may_name_the_older_statement_of_a_change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(changes, "FOLDER", tmp_path)
    (tmp_path / "dev.txt").write_text(PROJECT, encoding="utf-8")
    with Engine(home=str(tmp_path / "home"), embed_provider="off") as engine:
        stored = list(changes.store(engine, list(changes.lines("dev")), tmp_path, prompts=False))
    assert changes.report(stored) | {"changed_by_kind": {}} == {
        "changes": 1, "changed": 1, "look_alikes": 2, "wrong": 0, "changed_by_kind": {}, "wrong_by_kind": {},
    }  # fmt: skip
