"""The first steps with recollect, on the sample project in examples/ferry.

Each line that starts with $ runs as a process of its own. Everything happens in a temporary folder, which is removed at
the end.
"""
# ruff: noqa: S603, T201

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

COMMAND = Path(sys.executable).parent / "recollect"
SAMPLE = Path(__file__).resolve().parent / "ferry"

STEPS = """
# Ferry is a small sample project: a booking service. Import its decision records.
import-history . --only adr

# Store what no file says. An assistant does the same over MCP.
store "Prices include the harbour tax: never add tax at checkout" --type decision

# Index the code.
index . --vectors

# Later, in another session, ask in your own words.
search "what if the card company does not respond" --limit 1
search "is tax added to the price" --limit 1

# Ask about the code.
code "where is an expired seat released" --limit 1
impact charge

# Collect what an assistant should know before it starts a task, within a token budget.
pack "change how often a payment is retried" --tokens 400

# Check that everything works.
health
"""

NEXT = """
That ran in a temporary folder, which is gone now. Install the command with `pipx install .`, then, in your own project:

  recollect init              connect your assistants (asks first)
  recollect import-history .  import the git log, documents and past sessions
  recollect index .           index the code
  recollect search "..."      ask
"""


def main() -> int:
    """Run every step and return 0, or the exit code of the first that failed."""
    with tempfile.TemporaryDirectory(prefix="recollect-first-steps-") as folder:
        project = shutil.copytree(SAMPLE, Path(folder) / "ferry")
        environment = {**os.environ, "RECOLLECT_HOME": f"{folder}/home"}
        for line in STEPS.strip().splitlines():
            if not line or line.startswith("#"):
                print(line, flush=True)
                continue
            print(f"$ recollect {line}", flush=True)
            status = subprocess.run([COMMAND, *shlex.split(line)], env=environment, cwd=project, check=False).returncode
            if status:
                print(f"recollect ended with exit code {status}", file=sys.stderr)
                return status
    print(NEXT, end="")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
