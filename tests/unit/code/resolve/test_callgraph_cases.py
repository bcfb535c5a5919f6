"""Every program below tests/callgraph/<language>/<category>/ has exactly the calls that its callgraph.json says.

A case is a folder with sources and that file, in the form and with the names of bench/callgraph.py. Adding a case is
adding a folder; adding a language is adding a folder of its name.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[4]
sys.path.insert(0, str(ROOT / "bench"))

import callgraph  # noqa: E402 - the benchmark is a script beside the package
import callgraph_names  # noqa: E402

SUITES = ROOT / "tests" / "callgraph"
FOLDERS = sorted(file.parent for file in SUITES.glob(f"*/**/{callgraph.EXPECTED}"))


@pytest.mark.parametrize("folder", FOLDERS, ids=[folder.relative_to(SUITES).as_posix() for folder in FOLDERS])
def test_exactly_the_expected_calls_are_found(folder: Path) -> None:
    language = folder.relative_to(SUITES).parts[0]
    (case,) = callgraph.cases(folder, language)
    assert case.units, "no source of the language"
    convention = callgraph_names.Choice(language, case.nodes(), [case.units]).of(case.nodes(), case.units)
    found = callgraph.predicted(case, convention, has_outside=False)
    assert callgraph.edges(found) == callgraph.edges(case.expected)


def test_there_are_cases_of_every_kind_of_program() -> None:
    counts = {folder.relative_to(SUITES).parts[0]: 0 for folder in FOLDERS}
    for folder in FOLDERS:
        counts[folder.relative_to(SUITES).parts[0]] += 1
    assert counts.get("javascript", 0) >= 60
    assert counts.get("typescript", 0) >= 16
