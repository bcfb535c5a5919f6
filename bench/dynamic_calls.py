"""Recall of calls that really happen while the tests of real Python projects run.

    python bench/dynamic_calls.py PROJECT:PACKAGE … [--python PYTHON] [--traces DIR] [--verbose] [--save]

PROJECT is a folder with tests, PACKAGE the path of its package from there (`flask:src/flask`). The tests run under
`sys.setprofile` in PYTHON, which has pytest and what the tests import. A call counts if both ends are named functions
of the package, and once however often it happens. A comprehension belongs to the function around it; generators and
coroutines start when something resumes them, so they count as callers only.

The index of PROJECT is then asked for the callees of each caller. The report gives recall for all calls and for
written calls: those whose callee is named in the caller's own code, a constructor by its class. With `--traces` a
traced project is not run again.
"""

from __future__ import annotations

import argparse
import ast
import inspect
import json
import os
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, NamedTuple

from measure import publish

BELOW, OUT = os.environ.get("RECOLLECT_CALLS_BELOW", ""), os.environ.get("RECOLLECT_CALLS", "")
INLINE = ("<listcomp>", "<setcomp>", "<dictcomp>")
RESUMED = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
TESTS = frozenset(("test", "tests"))  # folders of a package that are no part of it
SUITE_S = 1800

Function = tuple[str, int]  # path from the package, first line as Python counts it: that of the first decorator


# --- inside of pytest -------------------------------------------------------------------------------------------------

calls: set[tuple[Function, Function]] = set()
_functions: dict[CodeType, Function | None] = {}


def _function(code: CodeType) -> Function | None:
    if code not in _functions:
        path = os.path.realpath(code.co_filename)
        is_named = path.startswith(BELOW + os.sep) and not code.co_name.startswith("<")
        place = path[len(BELOW) + 1 :]
        is_counted = is_named and not TESTS.intersection(Path(place).parts)
        _functions[code] = (place, code.co_firstlineno) if is_counted else None
    return _functions[code]


def _profile(frame: FrameType, event: str, _argument: object) -> None:
    if event != "call" or frame.f_code.co_flags & RESUMED:
        return
    callee = _function(frame.f_code)
    if callee is None:
        return
    around = frame.f_back
    while around is not None and around.f_code.co_name in INLINE:
        around = around.f_back
    caller = _function(around.f_code) if around is not None else None
    if caller is not None:
        calls.add((caller, callee))


def pytest_configure() -> None:
    if OUT:
        threading.setprofile(_profile)
        sys.setprofile(_profile)


def pytest_unconfigure() -> None:
    if OUT:
        sys.setprofile(None)
        Path(OUT).write_text(json.dumps(sorted(calls)), encoding="utf-8")


# --- the index against the trace --------------------------------------------------------------------------------------


class Definition(NamedTuple):
    """A function as its file has it: name, class around, first and `def` line, names that its own code mentions."""

    name: str
    owner: str
    first: int
    line: int
    mentioned: frozenset[str]


def definitions(source: str) -> dict[int, Definition]:
    """Return the functions of a file by their first line."""
    found: dict[int, Definition] = {}

    def visit(node: ast.AST, owner: str) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
                first = min([child.lineno, *(each.lineno for each in child.decorator_list)])
                found[first] = Definition(child.name, owner, first, child.lineno, frozenset(_mentioned(child)))
                visit(child, "")
            else:
                visit(child, child.name if isinstance(child, ast.ClassDef) else owner)

    visit(ast.parse(source), "")
    return found


def _mentioned(node: ast.AST) -> set[str]:
    names: set[str] = set()
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Name):
            names.add(child.id)
        elif isinstance(child, ast.Attribute):
            names.add(child.attr)
        if not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            names |= _mentioned(child)
    return names


def traced(project: Path, package: str, python: str, kept: Path | None) -> list[tuple[Function, Function]]:
    """Run the tests of a project; return its calls."""
    kept = kept / f"{project.name}.json" if kept else None
    if kept is None or not kept.exists():
        with tempfile.TemporaryDirectory() as folder:
            out = kept or Path(folder) / "calls.json"
            below = os.path.realpath(project / package)
            path = os.pathsep.join([str(Path(__file__).parent), str(Path(below).parent), str(project)])
            environment = {
                **os.environ, "PYTHONPATH": path, "RECOLLECT_CALLS": str(out), "RECOLLECT_CALLS_BELOW": below,
            }  # fmt: skip
            command = [python, "-m", "pytest", "-q", "-p", "dynamic_calls", "-p", "no:cacheprovider"]
            command.append("--continue-on-collection-errors")
            subprocess.run(
                command, cwd=project, env=environment, timeout=SUITE_S, check=False, stdout=subprocess.DEVNULL
            )
            rows = json.loads(out.read_text(encoding="utf-8"))
    else:
        rows = json.loads(kept.read_text(encoding="utf-8"))
    return [((caller[0], caller[1]), (callee[0], callee[1])) for caller, callee in rows]


def measured(project: Path, package: str, python: str, kept: Path | None) -> tuple[dict[str, Any], list[str]]:
    """Return the recall of a project's calls, and the written calls that were missed."""
    from recollect import Engine, NotFound

    below = project / package
    prefix = f"{package}/" if package else ""
    wanted: dict[Function, list[Function]] = {}
    for caller, callee in traced(project, package, python, kept):
        wanted.setdefault(caller, []).append(callee)
    files: dict[str, dict[int, Definition]] = {}
    for path in {path for caller, callees in wanted.items() for path, _ in (caller, *callees)}:
        files[path] = definitions((below / path).read_text(encoding="utf-8"))
    counts = {"calls": 0, "found": 0, "written": 0, "written_found": 0}
    missed: list[str] = []
    with tempfile.TemporaryDirectory() as home, Engine(home=home, embed_provider="off") as engine:
        engine.code.index(str(project))
        for caller, callees in sorted(wanted.items()):
            asking = files[caller[0]].get(caller[1])
            if asking is None:
                continue
            try:
                place = f"{prefix}{caller[0]}:{asking.line}"
                answer = engine.links.dependencies(place, relationships=("CALLS",), limit=1000)
                uses = {(use.node.path, use.node.line) for use in answer.uses}
            except NotFound:
                uses = set()
            for path, first in callees:
                called = files[path].get(first)
                if called is None:
                    continue
                names = {called.name, called.owner} if called.name in ("__init__", "__new__") else {called.name}
                is_written = bool(names & asking.mentioned)
                is_found = any((prefix + path, line) in uses for line in range(called.first, called.line + 1))
                counts["calls"] += 1
                counts["found"] += is_found
                counts["written"] += is_written
                counts["written_found"] += is_written and is_found
                if is_written and not is_found:
                    missed.append(f"{caller[0]}:{asking.line} {asking.name} -> {path}:{called.line} {called.name}")
    return {**counts, **recalls(counts)}, missed


def recalls(counts: dict[str, int]) -> dict[str, float]:
    """Return the two shares of calls that were found."""
    return {
        "recall": round(counts["found"] / max(counts["calls"], 1), 4),
        "written_recall": round(counts["written_found"] / max(counts["written"], 1), 4),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("projects", nargs="+", metavar="PROJECT:PACKAGE")
    parser.add_argument("--python", default=sys.executable, help="the interpreter that runs the tests")
    parser.add_argument("--traces", type=Path, help="folder where traces are kept")
    parser.add_argument("--verbose", action="store_true", help="print the written calls that are missed")
    parser.add_argument("--save", action="store_true", help="keep the result under bench/results")
    options = parser.parse_args()
    if options.traces:
        options.traces.mkdir(parents=True, exist_ok=True)
    rows: dict[str, dict[str, Any]] = {}
    for each in options.projects:
        folder, _, package = each.partition(":")
        project = Path(folder).resolve()
        rows[project.name], missed = measured(project, package, options.python, options.traces)
        if options.verbose:
            print(*missed, sep="\n", file=sys.stderr)
    total = {key: sum(row[key] for row in rows.values()) for key in ("calls", "found", "written", "written_found")}
    publish("dynamic-calls", {"total": {**total, **recalls(total)}, "projects": rows}, save=options.save)


if __name__ == "__main__":
    main()
