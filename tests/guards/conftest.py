"""What the guards look at: the sources of the packages, read as syntax trees, never imported."""

from __future__ import annotations

import ast
import subprocess
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[2]


class Module(NamedTuple):
    """One source file: its dotted name, whether it is a package, its path and its tree."""

    name: str
    is_package: bool
    path: Path
    tree: ast.Module

    @property
    def unit(self) -> str:
        """What the import rules speak of: `recollect.store.sql` belongs to `store`, `memory_lib.x` to `memory_lib`."""
        parts = self.name.split(".")
        return parts[1] if parts[0] == "recollect" and len(parts) > 1 else parts[0]

    def imports(self) -> set[tuple[str, str]]:
        """Every import anywhere in the code: `import a.b` as ("a.b", ""), `from a import b` as ("a", "b")."""
        return _imports(self)

    def origin(self, node: ast.ImportFrom) -> str:
        """Return the module that an import names, relative ones resolved."""
        if not node.level:
            return node.module or ""
        parts = self.name.split(".")
        base = parts[: len(parts) - node.level + self.is_package]
        return ".".join([*base, *([node.module] if node.module else [])])


@cache
def _imports(module: Module) -> set[tuple[str, str]]:
    found: set[tuple[str, str]] = set()
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Import):
            found.update((alias.name, "") for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            found.update((module.origin(node), alias.name) for alias in node.names)
        elif isinstance(node, ast.Call):
            found.update((name, "") for name in _imported_by_call(node))
    return found


def _imported_by_call(node: ast.Call) -> list[str]:
    """Return the module named by `import_module("…")` or `__import__("…")`, or by a row of the language table."""
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    if name in ("Language", "_replace"):
        rows = [keyword.value for keyword in node.keywords if keyword.arg == "grammar"]
        return [row.value for row in rows if isinstance(row, ast.Constant) and isinstance(row.value, str)]
    argument = node.args[0] if node.args else None
    literal = isinstance(argument, ast.Constant) and isinstance(argument.value, str)
    return [argument.value] if literal and name in ("import_module", "__import__") else []


@pytest.fixture(scope="session")
def root() -> Path:
    return ROOT


@pytest.fixture(scope="session")
def modules() -> dict[str, Module]:
    """Every module of src by its dotted name."""
    found = {}
    for path in sorted((ROOT / "src").rglob("*.py")):
        parts = path.relative_to(ROOT / "src").with_suffix("").parts
        is_package = parts[-1] == "__init__"
        name = ".".join(parts[:-1] if is_package else parts)
        found[name] = Module(name, is_package, path, ast.parse(path.read_text(encoding="utf-8")))
    assert len(found) >= 15, f"only {len(found)} modules found under src: is this guard looking in the right place?"
    return found


@pytest.fixture(scope="session")
def tracked() -> list[Path]:
    """Every file that belongs to the project: what git tracks or would track; without git, all but caches."""
    command = ["git", "-c", "safe.directory=*", "ls-files", "-co", "--exclude-standard", "-z"]
    listing = subprocess.run(command, cwd=ROOT, capture_output=True, check=False)
    if listing.returncode == 0:
        files = [ROOT / name for name in listing.stdout.decode().split("\0") if name]
    else:
        inside = ((path, path.relative_to(ROOT).parts) for path in ROOT.rglob("*"))
        files = [path for path, parts in inside if not any(part[0] in "._" for part in parts[:-1])]
    files = [file for file in files if file.is_file()]
    assert len(files) >= 40, f"only {len(files)} files found"
    return files
