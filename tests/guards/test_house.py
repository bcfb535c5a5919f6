"""The plan of the sources: size, sub-packages, names and import direction."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .conftest import Module

# Lines of Python below src. It may only rise in a commit that says why.
LINE_BUDGET = 105_610

# Sub-packages of the engine in the order of imports: each imports only those before it, and `context`.
ENGINE = (
    "records", "models", "graph", "memory", "code", "retrieval", "sessions", "consolidation", "snippets",
    "hook_responses", "review", "importing", "admin",
)  # fmt: skip
LOOSE_FILES = 3


def ours(module: Module, names: dict[str, Module]) -> set[str]:
    """Return the modules of ours that a module imports, type-only imports included."""
    found = (f"{origin}.{name}" if f"{origin}.{name}" in names else origin for origin, name in module.imports())
    return {name for name in found if name in names and name != module.name}


def cycles(imports: dict[str, set[str]]) -> list[set[str]]:
    """Return the groups of modules that import each other."""
    reached = {name: _reachable(imports, name) for name in imports}
    groups = {frozenset(other for other in reached[name] if name in reached[other]) for name in imports}
    return [set(group) for group in groups if len(group) > 1]


def _reachable(imports: dict[str, set[str]], start: str) -> set[str]:
    seen, left = {start}, [start]
    while left:
        new = imports[left.pop()] - seen
        seen |= new
        left.extend(new)
    return seen


def line_count(root: Path) -> int:
    return sum(path.read_bytes().count(b"\n") for path in (root / "src").rglob("*.py"))


def test_the_sources_keep_to_their_line_budget(root: Path) -> None:
    assert line_count(root) <= LINE_BUDGET


def test_the_line_budget_is_not_generous(root: Path) -> None:
    assert LINE_BUDGET - line_count(root) < 500, "lower the budget"


def test_the_engine_has_its_sub_packages_and_few_loose_files(root: Path) -> None:
    engine = root / "src/recollect/engine"
    packages = {path.parent.name for path in engine.glob("*/__init__.py")}
    loose = {path.stem for path in engine.glob("*.py")} - {"__init__"}
    assert packages == set(ENGINE)
    assert len(packages) <= 13
    assert len(loose) <= LOOSE_FILES, loose


def test_no_module_name_occurs_twice(modules: dict[str, Module]) -> None:
    names = Counter(name.rpartition(".")[2] for name, module in modules.items() if not module.is_package)
    assert len(names) >= 15
    assert [name for name, count in names.items() if count > 1] == []


def test_no_modules_import_each_other(modules: dict[str, Module]) -> None:
    imports = {name: ours(module, modules) for name, module in modules.items()}
    assert sum(map(len, imports.values())) >= 20
    assert cycles(imports) == []


def test_a_cycle_would_be_found() -> None:
    assert cycles({"a": {"b"}, "b": {"c"}, "c": {"b"}}) == [{"b", "c"}]


def test_engine_packages_import_only_those_before_them(modules: dict[str, Module]) -> None:
    order = {f"recollect.engine.{name}": place for place, name in enumerate(ENGINE)}
    broken = [
        f"{name} imports {imported}"
        for name, module in modules.items()
        if (own := order.get(_package(name))) is not None
        for imported in ours(module, modules)
        if imported == "recollect.engine.root" or order.get(_package(imported), -1) > own
    ]
    assert broken == []


def test_facades_and_surfaces_use_public_names_of_the_engine(modules: dict[str, Module]) -> None:
    outside = ("recollect.surface", "recollect.episodic", "recollect.hierarchy", "memory_lib")
    broken = [
        f"{name} imports {imported}"
        for name, module in modules.items()
        if name.startswith(outside)
        for imported in ours(module, modules)
        if imported.startswith("recollect.engine.")
    ]
    assert broken == []


def _package(name: str) -> str:
    return ".".join(name.split(".")[:3])
