"""Write what commands print into the `console` blocks of README.md and docs/: run it when an answer looks different.

A line that starts with `$ ` is run; the lines below it are replaced by its output. The blocks of a page share one
temporary home and, in it, a project that is an empty git repository. tests/e2e/test_docs.py runs the same blocks and
compares.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
BLOCK = re.compile(r"(?<=^```console\n).*?(?=^```$)", re.MULTILINE | re.DOTALL)
ID = re.compile(r"\b[0-9a-f]{8}\b")


def fresh(block: str, home: Path) -> str:
    """Return a block with the commands as they are and their output as it is now."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {"PATH": path, "HOME": str(home), "RECOLLECT_HOME": str(home / ".recollect")}
    project = home / "project"
    subprocess.run(["git", "init", "--quiet", str(project)], check=True, env=environment)
    text = ""
    for line in block.splitlines():
        if line.startswith("$ "):
            done = subprocess.run(
                line[2:], shell=True, cwd=project, env=environment, check=True, stdout=subprocess.PIPE
            )
            text += f"{line}\n{done.stdout.decode()}"
    # The ids are others each time.
    return block if ID.sub("", text) == ID.sub("", block) else text


def main() -> int:
    """Rewrite every page whose output changed."""
    for page in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))):
        before = page.read_text(encoding="utf-8")
        with tempfile.TemporaryDirectory(prefix="recollect-console-") as folder:
            after = BLOCK.sub(lambda found, home=Path(folder): fresh(found[0], home), before)
        if after != before:
            page.write_text(after, encoding="utf-8")
            print(f"written: {page.name}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
