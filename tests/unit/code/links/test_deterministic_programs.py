"""A program is a function of its file: every process that reads it writes the same one."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

# Many variables get another value on one of two ways: where the ways meet, each gets a version of its own.
NAMES = [f"name{number}" for number in range(40)]
JAVASCRIPT = f"""
export function create({", ".join(NAMES)}) {{
  if (typeof name0 === 'function') {{
    {" ".join(f"{name} = [{name}];" for name in NAMES)}
  }}
  return name0({", ".join(NAMES)});
}}
"""
PYTHON = """
def create(reducer, state, enhancer):
    if callable(state):
        enhancer, state, reducer = state, None, enhancer
    return {enhancer(reducer), state.a, reducer.b}
"""
READ = """
import hashlib, sys
from recollect.code.links.file_programs import translated
found = translated(sys.argv[1], sys.stdin.buffer.read())
assert found.content, found.note
print(hashlib.sha256(found.outline + found.face + found.content).hexdigest())
"""


@pytest.mark.parametrize(("path", "source"), [("store.js", JAVASCRIPT), ("store.ts", JAVASCRIPT), ("store.py", PYTHON)])
def test_programs_do_not_depend_on_the_process_that_reads_them(path: str, source: str) -> None:
    command = [sys.executable, "-c", READ, path]
    found = {
        subprocess.run(
            command, input=source.encode(), env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("1", "2", "3", "4")
    }
    assert len(found) == 1
