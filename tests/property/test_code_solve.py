"""Programs of random statements: they are read and solved whatever they do, and always in the same way."""

from __future__ import annotations

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.code.links.file_programs import offer
from recollect.code.links.module_finder import Declared, Modules
from recollect.code.links.program import Unit, packed, read_program
from recollect.code.links.python_programs import unit
from recollect.code.links.solution import Solution
from recollect.code.links.solver import solve

NAMES = "abcf"
name = st.sampled_from(NAMES)
STATEMENTS = (
    "{0} = {1}",
    "{0} = {1}()",
    "{0}({1}, {2})",
    "{0}.{1} = {2}",
    "{0}.{1}()",
    "{0}[{1!r}] = {2}",
    "{0}[{1}]()",
    "{0} = [{1}, {2}]",
    "{0} = {{{1!r}: {2}}}",
    "for {0} in {1}: {0}({2})",
    "if {0}: {1} = {2}",
    "def {0}({1}, {2}=None): return {1}",
    "def {0}({1}): {2}(); yield {1}",
    "class {0}({1}):\n    def {2}(self): return self.{1}",
    "class {0}:\n    def __init__(self, {1}): self.{2} = {1}",
    "@{0}\ndef {1}({2}): return {0}",
    "{0} = lambda {1}: {2}({1})",
    "import m{0}",
    "from m{0} import {1}",
    "from m{0} import *",
    "global {0}",
    "with {0} as {1}: {1}.{2}()",
    "{0}, *{1} = {2}",
    "{0} = {1} or {2}",
    "{0}.update({{{1!r}: {2}}})",
)
statement = st.builds(lambda form, names: form.format(*names), st.sampled_from(STATEMENTS), st.tuples(name, name, name))
program = st.lists(statement, max_size=12).map("\n".join)
programs = st.dictionaries(name.map(lambda each: f"m{each}.py"), program, min_size=1, max_size=4)


def read(files: dict[str, str]) -> dict[str, Unit]:
    return {path: unit(text.encode(), path, ()) for path, text in files.items()}


def solved(units: dict[str, Unit]) -> Solution:
    told = {path: offer(each) for path, each in units.items()}
    return solve(units, Modules({path: Declared(each.language, "", each.names) for path, each in told.items()}))


@settings(max_examples=60)
@given(programs, st.randoms(use_true_random=False))
def test_the_order_of_files_changes_nothing(files: dict[str, str], chance: random.Random) -> None:
    paths = sorted(files)
    chance.shuffle(paths)
    assert solved(read({path: files[path] for path in paths})) == solved(read(files))


@settings(max_examples=60)
@given(programs)
def test_a_program_that_was_kept_is_solved_like_one_that_was_read(files: dict[str, str]) -> None:
    units = read(files)
    kept = {path: read_program(packed(each))[0] for path, each in units.items()}
    assert kept == units
    assert solved(kept) == solved(units)
