"""The packages need what pyproject.toml declares: no development tool at run time, and nothing for show."""

from __future__ import annotations

import re
import sys
import tomllib
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from .conftest import Module

MODULE_OF = {"pystemmer": "Stemmer", "pyjwt": "jwt"}  # Where a distribution's name is not its module's.
OURS = {"recollect", "memory_lib", "ask"}  # ask: what the hook loads from its own folder, by its bare name


@pytest.fixture(scope="module")
def declared(root: Path) -> set[str]:
    """The modules of the declared run-time dependencies, those of extras included."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lines = [*project["dependencies"], *chain.from_iterable(project["optional-dependencies"].values())]
    names = [re.split(r"[^\w-]", line)[0].lower() for line in lines]
    assert len(names) >= 4
    return {MODULE_OF.get(name, name.replace("-", "_")) for name in names}


@pytest.fixture(scope="module")
def imported(modules: dict[str, Module]) -> dict[str, str]:
    """Every third-party module that src imports → one of the modules that does."""
    found = {
        top: name
        for name, module in modules.items()
        for origin, _ in module.imports()
        if (top := origin.split(".")[0]) not in OURS | sys.stdlib_module_names
    }
    assert "msgspec" in found, "not even msgspec is imported: is this guard still looking?"
    return found


def test_src_imports_only_declared_dependencies(declared: set[str], imported: dict[str, str]) -> None:
    assert {top: name for top, name in imported.items() if top not in declared} == {}


def test_every_declared_dependency_is_used(declared: set[str], imported: dict[str, str]) -> None:
    assert declared - set(imported) == set()


def test_the_hook_imports_the_standard_library_alone(modules: dict[str, Module]) -> None:
    tops = {origin.split(".")[0] for origin, _ in modules["recollect.hook"].imports()}
    assert tops and tops <= {"_signal", "ask", "os", "sys", "time"}


def test_the_wheel_ships_what_works_without_a_download(root: Path, tracked: list[Path]) -> None:
    """Hatch ships every file of these packages that git does not ignore."""
    packages = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"]["build"]["targets"]
    assert packages["wheel"] == {"packages": ["src/recollect", "src/memory_lib"]}
    shipped = {path.relative_to(root).as_posix() for path in tracked}
    model = "src/recollect/providers/minilm"
    files = ("model.onnx", "classifier.onnx", "query_table.bin", "languages.bin", "tokenizer.json", "LICENSE", "NOTICE")
    needed = {f"{model}/{name}" for name in files}
    needed |= {"src/recollect/py.typed", "src/memory_lib/py.typed", "src/recollect/surface/mcp/tools.jsonl"}
    assert needed - shipped == set()
    assert any(name.endswith(".sql") for name in shipped) and any(name.endswith(".scm") for name in shipped)
