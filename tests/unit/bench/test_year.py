"""The months that benchmarks of consolidation capture: the same each time, and kept as hooks would have it."""

from __future__ import annotations

from pathlib import Path

import year
from recollect import Engine
from recollect.model import Memory

BEGIN = 1_700_000_000


def test_the_same_months_are_made_again_and_begin_in_order() -> None:
    work = year.sittings(projects=2, months=2)
    assert work == year.sittings(projects=2, months=2)
    assert [sitting.begins_s for sitting in work] == sorted(sitting.begins_s for sitting in work)
    assert len({sitting.name for sitting in work}) == len(work)
    assert len({sitting.folder for sitting in work}) == 2


def test_what_is_captured_comes_from_hooks_and_belongs_to_its_project(tmp_path: Path) -> None:
    with Engine(home=str(tmp_path), embed_provider="off") as engine:
        for sitting in year.sittings(projects=2, months=1)[:6]:
            year.capture(engine, sitting, BEGIN)
        rows = engine.store.find(Memory)
    assert len(rows) > 20
    assert {row.source for row in rows} == {"hook"}
    assert {row.namespace for row in rows} <= {f"{year.ROOT}-0", f"{year.ROOT}-1"}
    assert all(BEGIN <= row.created_at < BEGIN + year.DAYS * year.DAY for row in rows)
