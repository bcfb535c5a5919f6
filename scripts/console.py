"""Write what commands print into the `console` blocks of README.md and docs/: run it when an answer looks different.

A line that starts with `$ ` is run; the lines below it are replaced by its output. The blocks of a page share one
temporary home and an empty folder. tests/e2e/test_docs.py runs the same blocks and compares.
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


def fresh(block: str, home: Path) -> str:
    """Return a block with the commands as they are and their output as it is now."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {"PATH": path, "HOME": str(home), "RECOLLECT_HOME": str(home / ".recollect")}
    text = ""
    for line in block.splitlines():
        if line.startswith("$ "):
            done = subprocess.run(line[2:], shell=True, cwd=home, env=environment, check=True, stdout=subprocess.PIPE)
            text += f"{line}\n{done.stdout.decode()}"
    return text


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
