"""Precision of dead code: candidates of real repositories, judged by hand.

    python bench/dead_code.py REPOSITORY … [--most N] [--verdicts FILE] [--show] [--save]

Each repository is copied and indexed; up to N candidates of each, most certain first, are looked up in FILE, a table of
repository, path, symbol and verdict. --show prints those without one, with the reason that the answer gives.

    dead      nothing in the repository uses it, no documented interface promises it to users, and no framework, tool or
              language calls it: somebody who cleans up may delete it
    used      code, a test, a template, a configuration, a tool or a framework uses it, or users of the package may
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

from measure import publish
from recollect import Engine
from recollect.code.code_records import DeadCode

VERDICTS = Path(__file__).with_name("judged") / "dead_code.tsv"


def candidates(repository: Path, home: Path, most: int) -> tuple[DeadCode, float]:
    """Return the candidates of a repository, and the CPU seconds of the question."""
    root = home / repository.name
    if (repository / ".git").exists() or (repository / "HEAD").exists():
        subprocess.run(["git", "clone", "-q", str(repository), str(root)], check=True)
    else:
        shutil.copytree(repository, root)
        subprocess.run(["git", "init", "-q", str(root)], check=True)
    with Engine(home=str(home / "home"), embed_provider="off") as engine:
        engine.code.index(str(root), link=True)
        before = time.process_time()
        found = engine.survey.dead_code(namespace=str(root), limit=most)
        return found, time.process_time() - before


def verdicts(path: Path) -> dict[tuple[str, str, str], str]:
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    rows = [line.split("\t") for line in lines if line and not line.startswith("#")]
    return {(row[0], row[1], row[2]): row[3] for row in rows}


def measured(repository: Path, most: int, known: dict[tuple[str, str, str], str], *, show: bool) -> dict[str, Any]:
    """Return the numbers of one repository; print what is not judged yet."""
    with tempfile.TemporaryDirectory() as scratch:
        found, spent = candidates(repository, Path(scratch), most)
    told = []
    for row in found.symbols:
        key = (repository.name, row.symbol.path, row.symbol.qualified)
        told.append(known.get(key, ""))
        if show and not told[-1]:
            places = ", ".join(f"{place.path}:{place.line}" for place in row.mentions)
            print("\t".join((*key, "?", f"{row.confidence} {row.symbol.kind} {row.why} {places}")))
    dead, used = told.count("dead"), told.count("used")
    precision = round(dead / (dead + used), 3) if dead + used else None
    return {
        "repository": repository.name,
        "candidates": found.total,
        "dead": dead,
        "used": used,
        "not_judged": len(told) - dead - used,
        "precision": precision,
        "cpu_s": round(spent, 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repositories", nargs="+", type=Path)
    parser.add_argument("--most", type=int, default=50, help="candidates of each repository")
    parser.add_argument("--verdicts", type=Path, default=VERDICTS)
    parser.add_argument("--show", action="store_true", help="print candidates without a verdict")
    parser.add_argument("--save", action="store_true", help="write the numbers into bench/results")
    chosen = parser.parse_args()
    known = verdicts(chosen.verdicts)
    rows = [measured(each, chosen.most, known, show=chosen.show) for each in chosen.repositories]
    dead, used = (sum(row[name] for row in rows) for name in ("dead", "used"))
    total = {"judged": dead + used, "precision": round(dead / (dead + used), 3) if dead + used else None}
    publish("dead-code", {"repositories": rows, **total}, save=chosen.save)


if __name__ == "__main__":
    main()
