"""Files and functions stay readable and have names that say what they are."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .conftest import Module

FILE_LINES = 800
FUNCTION_LINES = 80

# What is longer today and by how much: a number here may only go down. Empty is the goal.
LONGER_FILES: dict[str, int] = {}
LONGER_FUNCTIONS: dict[str, int] = {}

BANNED = {
    "base", "common", "data", "factory", "handler", "handlers", "helper", "helpers", "impl", "info", "manager", "misc",
    "processor", "util", "utils",
}  # fmt: skip


def python_files(root: Path, *folders: str) -> Iterator[tuple[str, str]]:
    """Yield the path from the root and the text of every Python file below the folders."""
    for folder in folders:
        for path in sorted((root / folder).rglob("*.py")):
            yield str(path.relative_to(root)), path.read_text(encoding="utf-8")


def functions(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """Yield the name and length of every function, nested ones and methods too, without decorators and docstring."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name, _lines(node) - (_lines(node.body[0]) if ast.get_docstring(node) else 0)


def _lines(node: ast.stmt) -> int:
    assert node.end_lineno is not None
    return node.end_lineno - node.lineno + 1


def hold(lengths: dict[str, int], limit: int, ratchet: dict[str, int]) -> None:
    """Fail for what is over its limit, and for a ratchet entry that is no longer needed or could be lower."""
    over = {name: length for name, length in lengths.items() if length > ratchet.get(name, limit)}
    slack = {name: most for name, most in ratchet.items() if lengths.get(name, 0) < most}
    assert over == {}, f"over {limit} lines"
    assert slack == {}, "shorter now: lower the number, or remove the row"


def test_files_stay_short(root: Path) -> None:
    files = dict(python_files(root, "src", "tests", "bench", "scripts", "examples"))
    assert len(files) >= 30, f"only {len(files)} files found"
    hold({name: text.count("\n") for name, text in files.items()}, FILE_LINES, LONGER_FILES)


def test_functions_stay_short(root: Path, modules: dict[str, Module]) -> None:
    lengths: dict[str, int] = {}
    trees = {str(module.path.relative_to(root)): module.tree for module in modules.values()}
    trees |= {path: ast.parse(text) for path, text in python_files(root, "bench", "scripts", "examples")}
    for path, tree in trees.items():
        for name, length in functions(tree):
            lengths[f"{path}:{name}"] = max(length, lengths.get(f"{path}:{name}", 0))
    assert len(lengths) >= 60, f"only {len(lengths)} functions found"
    hold(lengths, FUNCTION_LINES, LONGER_FUNCTIONS)


def test_no_file_has_a_name_that_explains_nothing(root: Path) -> None:
    parts = {
        part: path
        for path, _ in python_files(root, "src", "bench", "scripts", "examples")
        for piece in Path(path).with_suffix("").parts
        for part in piece.split("_")
    }
    assert len(parts) >= 15
    assert {part: path for part, path in parts.items() if part in BANNED} == {}


def test_a_docstring_does_not_make_a_function_long() -> None:
    source = 'class A:\n    @d\n    def f(self):\n        """One.\n\n        Two.\n        """\n        return 1\n'
    assert list(functions(ast.parse(source))) == [("f", 2)]
