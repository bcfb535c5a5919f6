"""One module starts programs."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .conftest import Module

MODULES = {"subprocess", "pty", "pexpect", "_posixsubprocess", "multiprocessing"}
# Functions of other modules that start a program.
CALLS = {"system", "popen", "fork", "forkpty", "posix_spawn", "posix_spawnp", "startfile"} | {
    f"{kind}{form}" for kind in ("exec", "spawn") for form in ("l", "le", "lp", "lpe", "v", "ve", "vp", "vpe")
} | {"create_subprocess_exec", "create_subprocess_shell", "subprocess_exec", "subprocess_shell"}  # fmt: skip


def starts_programs(module: Module) -> bool:
    if any(origin.split(".")[0] in MODULES for origin, _ in module.imports()):
        return True
    return any(isinstance(node, ast.Attribute) and node.attr in CALLS for node in ast.walk(module.tree))


def test_one_module_starts_programs(modules: dict[str, Module]) -> None:
    found = {name for name, module in modules.items() if starts_programs(module)}
    assert found == {"recollect.processes"}
