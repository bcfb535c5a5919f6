"""Tests wait for work, never for a time in which it should be done: a busy machine takes longer."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.waiting import PATIENCE_S

# They look again after a pause until another program is ready.
POLLING = {"postgres_server.py", "test_postgres_faults.py"}
WAITING = {"wait", "join", "acquire", "communicate", "result"}


def seconds(node: ast.AST) -> float:
    return float(node.value) if isinstance(node, ast.Constant) and isinstance(node.value, int | float) else 0.0


def times(source: str) -> Iterator[int]:
    """Yield the lines that sleep, or wait for a number of seconds; below one second a time-out is what is tested."""
    if not any(f"import {module}\n" in source for module in ("subprocess", "threading", "time")):
        return  # nobody to wait for: parsing all tests takes some seconds
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            given = [keyword.value for keyword in node.keywords if keyword.arg == "timeout"]
            given += node.args if node.func.attr in WAITING else []
            is_sleep = ast.unparse(node.func) == "time.sleep"
            if is_sleep or any(1 <= seconds(each) < PATIENCE_S for each in given):
                yield node.lineno


def test_no_test_sleeps_or_has_a_time_limit_of_its_own(root: Path) -> None:
    found = [
        f"{path.relative_to(root)}:{line}: use tests.waiting"
        for path in sorted((root / "tests").rglob("*.py"))
        if path.name not in POLLING and "golden" not in path.parts
        for line in times(path.read_text(encoding="utf-8"))
    ]
    assert found == []


def test_times_are_found_in_every_form() -> None:
    source = (
        "import time\ntime.sleep(0)\nprocess.wait(60)\nrun(words, timeout=9)\ndone.wait(0.1)\nthread.join(PATIENCE_S)\n"
    )
    assert [*times(source.replace("run(", "subprocess.run("))] == [2, 3, 4]
