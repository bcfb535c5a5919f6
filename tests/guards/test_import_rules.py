"""Who may import whom: the table of docs/architecture.md, enforced on the sources.

A row names what a unit (a module or folder directly below recollect, or memory_lib) may import of ours, besides
itself and `version`, which is free for all. `store.store_values` allows that one module of the folder; `store` allows
all of it. An import inside a function or under TYPE_CHECKING counts like any other.
"""

from __future__ import annotations

import ast
from collections.abc import Container
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from .conftest import Module

GROUND = {"model", "errors", "settings", "clock", "text", "files", "parsing"}
PROTOCOLS = {
    "store.sql",
    "store.store_values",
    "store.code_rows",
    "store.link_rows",
    "providers.provider_protocol",
}
STAGES = {"code", "capture", "patterns", "history", "importing", "graph", "recall", "consolidate"}

MAY_IMPORT: dict[str, set[str]] = {
    "recollect": {"engine", "errors", "model", "settings"},  # the package's own __init__: public names, loaded lazily
    "__main__": {"surface"},
    "version": set(),
    "model": set(),
    "errors": set(),
    "clock": set(),
    "progress": set(),
    "processes": set(),
    "git": {"files", "processes"},
    "hook": set(),
    "ask": {"surface"},
    "files": set(),
    "parsing": {"errors"},
    "toolset": set(),
    "settings": {"errors", "files", "parsing", "toolset"},
    "text": {"model", "errors"},
    "store": {*GROUND, "progress"},
    "providers": {*GROUND},
    "code": {*GROUND, *PROTOCOLS, "progress", "git", "processes"},
    "capture": {*GROUND, *PROTOCOLS, "progress"},
    "patterns": {*GROUND, "capture"},
    "history": {*GROUND, "progress", "git"},
    "importing": {*GROUND, "progress"},
    "graph": {*GROUND, *PROTOCOLS},
    "recall": {*GROUND, *PROTOCOLS, "graph"},
    "consolidate": {*GROUND, *PROTOCOLS, "graph", "recall", "progress"},
    "expected": {"errors"},
    "operations": {"model", "errors", "expected"},
    "render": {
        *{"model", "errors", "code.code_records", "hierarchy.model"},
        *{"text.token_count", "text.display", "text.passages", "text.redaction.redact"},
    },
    "engine": {*GROUND, *STAGES, "store", "providers", "operations", "progress", "git"},
    "hierarchy": {"engine", "model", "errors", "operations", "clock", "files", "parsing", "text.display"},
    "episodic": {"engine", "model", "errors"},
    "memory_lib": {"engine", "model", "errors", "files"},
    "capabilities": {"engine", "hierarchy", "operations"},
    "surface": {
        *{
            "capabilities",
            "engine",
            "operations",
            "render",
            "toolset",
            "progress",
            "processes",
            "code.code_records",
            "expected",
        },
        *GROUND - {"text"},
    },
}


def of_ours(module: Module, names: Container[str]) -> set[str]:
    """Return the modules of ours that `module` imports; `from recollect.model import Memory` gives recollect.model."""
    return {
        f"{origin}.{name}" if f"{origin}.{name}" in names else origin
        for origin, name in module.imports()
        if origin.split(".")[0] in ("recollect", "memory_lib")
    }


def allowed(module: Module, imported: str) -> bool:
    path = imported.removeprefix("recollect.")
    unit = path.split(".")[0]
    rules = MAY_IMPORT.get(module.unit, set())
    return unit in (module.unit, "version") or unit in rules or path in rules


def test_every_module_imports_only_what_its_row_allows(modules: dict[str, Module]) -> None:
    imports = {name: of_ours(module, modules) for name, module in modules.items()}
    assert sum(map(len, imports.values())) >= 20, "hardly an import found: is this guard still reading them?"
    broken = [
        f"{name} imports {imported}"
        for name, found in imports.items()
        for imported in sorted(found)
        if not allowed(modules[name], imported)
    ]
    assert broken == []


def test_every_unit_has_a_row(modules: dict[str, Module]) -> None:
    assert {module.unit for module in modules.values()} - set(MAY_IMPORT) == set()


def test_everything_imported_of_ours_exists(modules: dict[str, Module]) -> None:
    missing = {
        name: unknown for name, module in modules.items() if (unknown := of_ours(module, modules) - set(modules))
    }
    assert missing == {}


def test_nothing_imports_the_hook(modules: dict[str, Module]) -> None:
    assert [name for name, module in modules.items() if "recollect.hook" in of_ours(module, modules)] == []


def test_only_settings_surfaces_the_hook_and_git_read_the_environment(modules: dict[str, Module]) -> None:
    readers = {
        module.unit
        for module in modules.values()
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Attribute) and node.attr in ("environ", "getenv")
    }
    assert {"settings", "hook"} <= readers <= {"settings", "hook", "surface", "git"}


def test_the_rules_have_no_circle() -> None:
    remaining = {unit: {rule.split(".")[0] for rule in rules} for unit, rules in MAY_IMPORT.items()}
    remaining.pop("recollect")  # loads the engine lazily, so the engine may name the package
    while free := {unit for unit, rules in remaining.items() if not rules & set(remaining)}:
        for unit in free:
            del remaining[unit]
    assert remaining == {}


def test_the_architecture_document_shows_the_same_table(root: Path) -> None:
    text = (root / "docs" / "architecture.md").read_text(encoding="utf-8")
    table = text.partition("<!-- import rules -->")[2].partition("<!-- end -->")[0]
    rows = [[cell.replace("`", "").split() for cell in line.strip("| ").split("|")] for line in table.splitlines()]
    shown = {unit: set(cells[1]) for cells in rows[3:] if len(cells) == 2 for unit in cells[0]}
    expected = {unit: rules or {"nothing"} for unit, rules in MAY_IMPORT.items() if unit != "version"}
    assert shown == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("import recollect.store.sql", {"recollect.store.sql"}),
        ("from recollect import errors, model", {"recollect.errors", "recollect.model"}),
        ("from recollect.store.store_values import Range", {"recollect.store.store_values"}),
        ("from .store_values import Range", {"recollect.store.store_values"}),
        ("from . import sql", {"recollect.store.sql"}),
        ("from .. import model", {"recollect.model"}),
        ("def late():\n    from recollect.engine import Engine", {"recollect.engine"}),
        ("import importlib\nimportlib.import_module('recollect.surface')", {"recollect.surface"}),
        ("from recollect import Engine", {"recollect"}),
        ("from recollect.nowhere import nothing", {"recollect.nowhere"}),
        ("import os, numpy", set()),
    ],
)
def test_imports_are_read_in_every_form(modules: dict[str, Module], source: str, expected: set[str]) -> None:
    sample = modules["recollect.store"]._replace(
        name="recollect.store.sample", is_package=False, tree=ast.parse(source)
    )
    known = {
        f"recollect.{name}" for name in ("errors", "model", "engine", "surface", "store.sql", "store.store_values")
    }
    assert of_ours(sample, known) == expected
