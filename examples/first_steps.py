"""The first steps with recollect, as a newcomer would type them: each line that begins with $ is a process of its own.

Everything happens in a temporary folder, which is removed at the end.
"""
# ruff: noqa: S603, T201

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

COMMAND = Path(sys.executable).parent / "recollect"
PROJECT = Path(__file__).resolve().parents[1]

STEPS = """
# Three things worth remembering, each stored by a process of its own.
store "We retry failed requests five times with exponential back-off and jitter" --memory-type decision --tags http
store "Makefiles are indented with tabs, everything else with four spaces" --memory-type style
store "The nightly build broke because the certificate of the package mirror had expired" --memory-type insight

# Another process finds them: by meaning, or by words.
search "what happens when the network is unreliable" --k 1
search "tabs or spaces?" --k 1

# The code of a project, here recollect's own, becomes searchable; what git ignores is left out.
index {project}
symbols sCT --language python --k 3
code "where are database migrations applied" --k 2

# What is stored, and whether everything is well.
stats
health
"""


def main() -> int:
    """Run every step and return 0, or the exit code of the first that failed."""
    with tempfile.TemporaryDirectory(prefix="recollect-first-steps-") as home:
        environment = {**os.environ, "RECOLLECT_HOME": home}
        for line in STEPS.format(project=shlex.quote(str(PROJECT))).strip().splitlines():
            if not line or line.startswith("#"):
                print(line, flush=True)
                continue
            print(f"$ recollect {line}", flush=True)
            status = subprocess.run([COMMAND, *shlex.split(line)], env=environment, check=False).returncode
            if status:
                print(f"recollect ended with exit code {status}", file=sys.stderr)
                return status
    print("\nThat was all in a temporary folder. Your own memories will be in ~/.recollect; see README.md.")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
