"""Files that import all of each other: each is asked once for a name, not once for every way that leads to it."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.trees import write

from recollect import Engine
from recollect.code.links import member_lookup
from recollect.code.links.solver_state import State

FILES = 7


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every question that a file was asked."""
    asked: list[str] = []
    offered = member_lookup._offered

    def counting(world: State, path: str, name: str, *rest: object) -> bool:
        asked.append(f"{path}: {name}")
        return offered(world, path, name, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(member_lookup, "_offered", counting)
    return asked


def test_a_name_is_looked_for_once_in_each_file(tmp_path: Path, counted: list[str]) -> None:
    files = {
        f"pack/m{number}.py": "".join(f"from pack.m{other} import *\n" for other in range(FILES) if other != number)
        + f"\n\ndef run_{number}():\n    nowhere_{number}()\n    run_{(number + 1) % FILES}()\n"
        for number in range(FILES)
    }
    other = "".join(f"def nowhere_{number}():\n    pass\n" for number in range(FILES))
    write(tmp_path / "project", {"pack/__init__.py": "", "pack/other.py": other, **files})
    with Engine(home=str(tmp_path / "home"), embed_provider="off", index_workers=1) as engine:
        engine.code.index(str(tmp_path / "project"), link=True)
        found = engine.links.dependencies("run_0")
    assert [use.node.label for use in found.uses] == ["run_1"], "and what the others offer is found"
    for number in range(FILES):
        asked = [each for each in counted if each.endswith(f": nowhere_{number}")]
        assert len(asked) == len(set(asked)) > FILES / 2


def test_a_name_that_no_file_offers_is_not_looked_for(tmp_path: Path, counted: list[str]) -> None:
    files = {"far.py": "def beam():\n    return 1\n", "here.py": "from far import *\n\nbeam()\nnothing_such()\n"}
    write(tmp_path / "project", files)
    with Engine(home=str(tmp_path / "home"), embed_provider="off", index_workers=1) as engine:
        engine.code.index(str(tmp_path / "project"), link=True)
    assert "far.py: beam" in counted
    assert "far.py: nothing_such" not in counted


KOTLIN = {
    "far/Far.kt": "package far\n\nfun beam() = 1\n",
    "near/Near.kt": "package near\n\nimport far.*\n\nfun lamp() = beam()\n",
    "here/Here.kt": "package here\n\nimport near.*\n\nfun first() = lamp()\n\nfun second() = beam()\n",
}
PYTHON = {
    "far.py": "def beam():\n    return 1\n",
    "near.py": "from far import *\n\n\ndef lamp():\n    return beam()\n",
    "here.py": "from near import *\n\n\ndef first():\n    return lamp()\n\n\ndef second():\n    return beam()\n",
}


@pytest.mark.parametrize(("files", "is_handed_on"), [(KOTLIN, False), (PYTHON, True)])
def test_star_imports_are_re_exported_where_the_language_does(
    tmp_path: Path, files: dict[str, str], is_handed_on: bool
) -> None:
    write(tmp_path / "project", files)
    with Engine(home=str(tmp_path / "home"), embed_provider="off") as engine:
        engine.code.index(str(tmp_path / "project"), link=True)
        found = {
            name: {use.node.label.rpartition(".")[2] for use in engine.links.dependencies(name).uses}
            for name in ("lamp", "first", "second")
        }
    assert found == {"lamp": {"beam"}, "first": {"lamp"}, "second": {"beam"} if is_handed_on else set()}
