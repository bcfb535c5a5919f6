"""Files that import all of each other: each is asked once for a name, not once for every way that leads to it."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.trees import write

from recollect import Engine
from recollect.code.resolve import members
from recollect.code.resolve.world import World

FILES = 7


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every question that a file was asked."""
    asked: list[str] = []
    offered = members._offered

    def counting(world: World, path: str, name: str, *rest: object) -> bool:
        asked.append(f"{path}: {name}")
        return offered(world, path, name, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(members, "_offered", counting)
    return asked


def test_a_name_is_looked_for_once_in_each_file(tmp_path: Path, counted: list[str]) -> None:
    files = {
        f"pack/m{number}.py": "".join(f"from pack.m{other} import *\n" for other in range(FILES) if other != number)
        + f"\n\ndef run_{number}():\n    nowhere_{number}()\n    run_{(number + 1) % FILES}()\n"
        for number in range(FILES)
    }
    write(tmp_path / "project", {"pack/__init__.py": "", **files})
    with Engine(home=str(tmp_path / "home"), embed_provider="off", index_workers=1) as engine:
        engine.code.index(str(tmp_path / "project"), link=True)
        found = engine.links.dependencies("run_0")
    assert "run_1" in str(found), "and what the others offer is found"
    for number in range(FILES):
        asked = [each for each in counted if each.endswith(f": nowhere_{number}")]
        assert len(asked) == len(set(asked)) > FILES / 2
