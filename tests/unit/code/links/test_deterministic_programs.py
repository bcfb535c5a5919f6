"""A program is a function of its file: every process that reads it writes the same one."""

from __future__ import annotations

import json
import os
import subprocess
import sys

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
FILES = {"store.js": JAVASCRIPT, "store.ts": JAVASCRIPT, "store.py": PYTHON}
READ = """
import hashlib, json, sys
from recollect.code.links.file_programs import translated
for path, source in json.load(sys.stdin).items():
    found = translated(path, source.encode())
    assert found.content, found.note
    print(path, hashlib.sha256(found.outline + found.face + found.content).hexdigest())
"""


def test_programs_do_not_depend_on_the_process_that_reads_them() -> None:
    found = [
        subprocess.run(
            [sys.executable, "-c", READ],
            input=json.dumps(FILES),
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.splitlines()
        for seed in ("1", "2", "3", "4")
    ]
    assert len(found[0]) == len(FILES)
    assert all(other == found[0] for other in found)
