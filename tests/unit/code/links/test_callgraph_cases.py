"""The solver finds exactly the calls that callgraph.json lists for each program in tests/callgraph/<language>/.

A case is a folder with sources and that file, in the form and with the names of bench/callgraph.py. Adding a case is
adding a folder; adding a language is adding a folder of its name. NOT_SOLVED lists the known failures.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[4]
sys.path.insert(0, str(ROOT / "bench"))

import callgraph  # noqa: E402 - the benchmark is a script beside the package

SUITES = ROOT / "tests" / "callgraph"
FOLDERS = sorted(file.parent for file in SUITES.glob(f"*/**/{callgraph.EXPECTED}"))
# Cases that the solver does not get right, each with the reason. A case that passes must leave this table.
NOT_SOLVED = {
    "java/dispatch/asked_for_its_class": "wrong: `instanceof` in a condition does not narrow the variable",
    "java/lambdas/own_interface": "wrong: a lambda stands for every method of its interface, default ones included",
    "java/threads/executor": "missed: functions that an executor calls are not followed",
    "java/threads/thread": "missed: `start` of a thread does not lead to `run`",
    "java/reflection/constant_names": "missed: reflection is not followed",
    "javascript/async/promise_constructor": "missed: what a promise is resolved with is not followed",
    "javascript/classes/static_members": "missed: `new this()` in a static method makes no instance of the class",
    "javascript/closures/branches": "wrong: statements have no order",
    "javascript/closures/reassigned": "wrong: statements have no order",
    "javascript/destructuring/arrays": "missed: items of a rest element keep the positions of the whole array",
    "javascript/destructuring/swap": "wrong: statements have no order",
    "javascript/destructuring/spread_object": "wrong: a property after a spread does not replace the spread one",
    "javascript/objects/overwritten": "wrong: a second value of a property does not replace the first",
    "javascript/this-binding/borrowed_method": "missed: a method copied to another object keeps its first `this`",
    "python/classes/operators": "missed: an operator does not lead to the method that the language calls",
    "python/decorators/around_a_class": "wrong: a class stays itself, whatever its decorator returns",
    "python/decorators/wrapper_with_arguments": "missed: who calls a decorated function calls it, not its wrapper",
    "python/flow/captured_by_match": "missed: what a pattern of `match` binds is not followed",
    "python/order/field_is_what_was_stored": "wrong: statements have no order",
    "python/values/attribute_by_name": "missed: `getattr` with a constant name is not followed",
}
CASES = [
    pytest.param(
        folder,
        id=name,
        marks=[pytest.mark.xfail(strict=True, reason=NOT_SOLVED[name])] if name in NOT_SOLVED else [],
    )
    for folder in FOLDERS
    for name in [folder.relative_to(SUITES).as_posix()]
]


@pytest.mark.parametrize("folder", CASES)
def test_exactly_the_expected_calls_are_found(folder: Path) -> None:
    language = folder.relative_to(SUITES).parts[0]
    (case,) = callgraph.cases(folder, language)
    assert case.units, "no source of the language"
    found = callgraph.predicted(case, has_outside=False)
    assert callgraph.edges(found) == callgraph.edges(case.expected)


def test_there_are_cases_of_every_kind_of_program() -> None:
    counts = {folder.relative_to(SUITES).parts[0]: 0 for folder in FOLDERS}
    for folder in FOLDERS:
        counts[folder.relative_to(SUITES).parts[0]] += 1
    assert counts.get("javascript", 0) >= 60
    assert counts.get("typescript", 0) >= 16
