"""Does a review name the tests that fail? Functions of a Python project are broken one by one, and the review is asked.

    python bench/review.py [--root DIR] [--below src] [--tests tests/unit …] [--functions N] [--verify N] [--save]

The project is copied and its tests run once, with a note of which functions each test runs (bench/traced.py): a test
that runs a function fails if that raises. Then functions are drawn by chance, each made to raise in its first line, and
`git diff` is reviewed as a person would, with the index as it was before. Told are how many of the failing tests are
named, how many by the commands that a review proposes, how many of those fail, and which part of all tests that is.
`--verify` runs all tests for the first few broken functions, and takes those that do fail for the truth.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import random
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import mean, median
from typing import Any, NamedTuple

from measure import publish
from recollect import Engine
from recollect.code.code_records import Affected
from recollect.engine.diff_review import LEAST_RUN

BROKEN = 'raise RuntimeError("broken on purpose")'
SUITE_S = 3600


class Target(NamedTuple):
    """A function to break: its file from the root, its first line, and the tests that run it."""

    path: str
    line: int
    tests: frozenset[str]


class Outcome(NamedTuple):
    """What a review said of a broken function, in sets of tests without their parameters."""

    target: Target
    failing: frozenset[str]
    named: frozenset[str]
    run: frozenset[str]
    surest: frozenset[str]  # as many of the named, the surest first, as fail
    first: int  # place of the first failing test among the named; 0 if none is


def broken(source: str, line: int) -> str | None:
    """Return a source whose function at a line raises at once; None if there is no such function or no place for it."""
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
        body = node.body
        if first != line or body[0].lineno == node.lineno:
            continue
        docstring = isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant) and len(body) > 1
        start = body[1] if docstring else body[0]
        lines = source.split("\n")
        at = min([start.lineno, *(each.lineno for each in getattr(start, "decorator_list", ()))]) - 1
        return "\n".join([*lines[:at], " " * start.col_offset + BROKEN, *lines[at:]])
    return None


def suite(root: Path, tests: Sequence[str], *words: str, **environment: str) -> str:
    """Run tests of a copy and return what was printed."""
    here = str(Path(__file__).parent)
    paths = os.pathsep.join([here, str(root / "src"), str(root)])
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-n0", "--no-header", *words, *tests],
        cwd=root,
        env={**os.environ, "PYTHONPATH": paths, **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=SUITE_S,
    )
    return done.stdout


def traced(root: Path, below: str, tests: Sequence[str]) -> dict[str, list[str]]:
    """Return by test the functions it runs, as `path:line` from the root."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "trace.json"
        said = suite(
            root, tests, "-p", "traced", RECOLLECT_TRACE=str(out), RECOLLECT_TRACE_BELOW=os.path.realpath(root / below)
        )
        if not out.exists():
            raise SystemExit(f"the tests could not be run:\n{said[-2000:]}")
        ran: dict[str, list[str]] = json.loads(out.read_text(encoding="utf-8"))
    if not ran:
        raise SystemExit(f"no test was run:\n{said[-2000:]}")
    return {test: [f"{below}/{name}" for name in names] for test, names in ran.items()}


def targets(ran: Mapping[str, Iterable[str]]) -> list[Target]:
    """Return every function that a test runs."""
    tests: dict[str, set[str]] = {}
    for test, names in ran.items():
        for name in names:
            tests.setdefault(name, set()).add(plain(test))
    found = []
    for name, users in sorted(tests.items()):
        path, _, line = name.rpartition(":")
        found.append(Target(path, int(line), frozenset(users)))
    return found


def plain(test: str) -> str:
    """Return a test without its parameters."""
    return re.sub(r"\[.*\]$", "", test, flags=re.DOTALL)


def matching(rows: Iterable[Affected], every: Mapping[str, set[str]]) -> Iterator[str]:
    """Yield the tests that a review names, in its order; a file stands for all of its tests."""
    for row in rows:
        path, symbol = row.place.path, row.place.symbol.partition("#")[0].replace(".", "::")
        known = every.get(path, set())
        exact = f"{path}::{symbol}"
        inside = sorted(test for test in known if not symbol or test.startswith(exact + "::"))
        yield from [exact] if exact in known else inside


class Copy(NamedTuple):
    """A copy of a project: where it is, which tests are run, and every test by its file."""

    root: Path
    tests: Sequence[str]
    every: Mapping[str, set[str]]


def outcome(engine: Engine, copy: Copy, target: Target, *, verify: bool) -> Outcome | None:
    """Break a function, review the diff, and put it back; None if it cannot be broken."""
    root, tests, every = copy
    file = root / target.path
    source = file.read_text(encoding="utf-8")
    edited = broken(source, target.line)
    if edited is None:
        return None
    try:
        file.write_text(edited, encoding="utf-8")
        diff = subprocess.run(["git", "diff"], cwd=root, capture_output=True, text=True, check=True).stdout
        review = engine.survey.review(diff=diff, path=str(root), limit=1000)
        failing = failed(suite(root, tests, "-rfE")) if verify else target.tests
    finally:
        file.write_text(source, encoding="utf-8")
    named = list(dict.fromkeys(matching(review.tests, every)))
    run = frozenset(matching((row for row in review.tests if row.confidence >= LEAST_RUN), every))
    first = next((number for number, test in enumerate(named, 1) if test in failing), 0)
    surest = list(dict.fromkeys(matching(sorted(review.tests, key=lambda row: -row.confidence), every)))
    return Outcome(target, frozenset(failing), frozenset(named), run, frozenset(surest[: len(failing)]), first)


def failed(printed: str) -> frozenset[str]:
    """Return the tests that a run reports as failed."""
    # Parameters may hold blanks: what is printed ends at the first, so that they are cut where they begin.
    rows = re.finditer(r"^(?:FAILED|ERROR) ([^\s\[]+::[^\s\[]+)", printed, re.MULTILINE)
    return frozenset(match[1] for match in rows)


def summary(outcomes: Sequence[Outcome], total: int) -> dict[str, Any]:
    """Return how many of the failing tests were named, and how many of all."""
    told = [each for each in outcomes if each.failing]

    def recalled(kind: str) -> list[float]:
        return [len(each.failing & getattr(each, kind)) / len(each.failing) for each in told]

    def precision(kind: str) -> float:
        shares = [len(each.failing & chosen) / len(chosen) for each in told if (chosen := getattr(each, kind))]
        return round(mean(shares), 4) if shares else 0

    return {
        "functions": len(told),
        "tests": total,
        "failing, median": median(len(each.failing) for each in told) if told else 0,
        "recall, named": round(mean(recalled("named")), 4) if told else 0,
        "recall, run by the commands": round(mean(recalled("run")), 4) if told else 0,
        "at least one failing test named": round(mean(each.first > 0 for each in told), 4) if told else 0,
        "first failing test, median place": median(each.first for each in told if each.first) if told else 0,
        "precision, named": precision("named"),
        "precision, run by the commands": precision("run"),
        "precision, the surest as many as fail": precision("surest"),
        "share of tests named": round(mean(len(each.named) / max(total, 1) for each in told), 4) if told else 0,
        "share of tests run": round(mean(len(each.run) / max(total, 1) for each in told), 4) if told else 0,
    }


def missed(outcomes: Iterable[Outcome], most: int = 10) -> list[dict[str, Any]]:
    """Return the functions whose failing tests are named least."""
    worst = sorted(outcomes, key=lambda each: len(each.failing & each.named) / max(len(each.failing), 1))
    return [
        {
            "function": f"{each.target.path}:{each.target.line}",
            "failing": len(each.failing),
            "named": len(each.failing & each.named),
            "missed": sorted(each.failing - each.named)[:3],
        }
        for each in worst[:most]
        if each.failing - each.named
    ]


def measured(root: Path, options: argparse.Namespace) -> dict[str, Any]:
    """Return the result for a copy of a project."""
    ran = traced(root, options.below, options.tests)
    every: dict[str, set[str]] = {}
    for test in map(plain, ran):
        every.setdefault(test.partition("::")[0], set()).add(test)
    copy = Copy(root, options.tests, every)
    total = sum(map(len, every.values()))
    found = targets(ran)
    random.Random(options.seed).shuffle(found)
    outcomes: list[Outcome] = []
    with tempfile.TemporaryDirectory() as home, Engine(home=home, embed_provider="off") as engine:
        engine.code.index(str(root))
        for target in found:
            if len(outcomes) >= options.functions:
                break
            made = outcome(engine, copy, target, verify=len(outcomes) < options.verify)
            if made is not None:
                outcomes.append(made)
    checked, others = outcomes[: options.verify], outcomes[options.verify :]
    result = {"by tracing": summary(others, total), "missed": missed(outcomes)}
    return {**result, "by running": summary(checked, total)} if checked else result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=Path, default=Path(__file__).parent.parent)
    parser.add_argument("--below", default="src")
    parser.add_argument("--tests", nargs="+", default=["tests/unit"])
    parser.add_argument("--functions", type=int, default=100)
    parser.add_argument("--verify", type=int, default=0)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--save", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(os.path.realpath(folder)) / "copy"
        subprocess.run(["git", "clone", "--quiet", str(options.root), str(copy)], check=True)
        publish("review", measured(copy, options), save=options.save)


if __name__ == "__main__":
    main()
