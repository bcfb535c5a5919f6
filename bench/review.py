"""Reviews of real commits, and of broken functions whose failing tests are known.

    python bench/review.py commits REPO@BASE … [--count N] [--home DIR] [--verdicts FILE] [--show] [--save]
    python bench/review.py mutants PROJECT … --python PYTHON [--count N] [--seed N] [--save]

commits: the history up to BASE is imported, then N later commits are reviewed one by one as diffs on their parent, so
no memory can be of the commit itself. Shown memories are judged by people: a line of commit, memory and verdict in
FILE. --show prints what is not judged yet. --home keeps what was imported for the next time.

    relevant    it says something that somebody who reviews this diff should know: a reason, a rule, a decision or an
                earlier defect of the very code or behaviour whose lines change
    unrelated   it only lies in the same file, class or release; it is about another behaviour; it says nothing; or its
                printed reason is not true

mutants: one word of a function is made another (bench/mutation.py), the project's own tests are run, and the failing
ones are looked for in all tests that a review finds, in the rows that it shows (a row may be a whole file), and in as
many single tests. PYTHON is an interpreter that has what the tests import.
"""

from __future__ import annotations

import argparse
import hashlib
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from measure import publish
from mutation import Target, changed
from recollect import Engine
from recollect.code.code_records import Affected, Review
from recollect.code.index.extract import outline
from recollect.code.index.languages import detect
from recollect.code.index.symbol_properties import is_test_file
from recollect.model import Memory

VERDICTS = Path(__file__).with_name("judged") / "review.tsv"
# Commits of more files are merges, releases and reformatting, which nobody reviews by symbol.
MOST_FILES = 30
# Seconds that the tests of a mutant may run: a loop that no longer ends is a failure of all of them.
MOST_SECONDS = 120
_FAILED = re.compile(r"^(?:FAILED|ERROR) (\S+?)(?:\[.*)?(?: - .*)?$", re.MULTILINE)
BY = ("-c", "user.name=bench", "-c", "user.email=bench@example.org")
PYTEST = ("-m", "pytest", "-q", "--tb=no", "-rfE", "-p", "no:cacheprovider", "--continue-on-collection-errors", "tests")


# --- commits ---


def reviews(spec: str, home: Path, count: int) -> Iterator[dict[str, Any]]:
    """Yield the review of some commits after the base, with its numbers."""
    repository, _, base = spec.rpartition("@")
    root = home / "tree"
    is_new = not root.exists()
    if is_new:
        subprocess.run(["git", "clone", "-q", repository, str(root)], check=True)
        _git(root, "checkout", "-qf", base)
    with Engine(home=str(home / "home"), embed_provider="off") as engine:
        if is_new:
            engine.code.index(str(root))
            engine.history.import_history(str(root))
        for commit in _chosen(root, repository, base, count):
            _git(root, "checkout", "-qf", f"{commit}^")
            engine.code.index(str(root), link=True)
            diff = _git(root, "diff", f"{commit}^", commit)
            before = time.process_time()
            found = engine.survey.review(diff=diff, path=str(root))
            spent = time.process_time() - before
            subject = _git(root, "log", "-1", "--format=%s", commit).strip()
            rows = engine.store.get(Memory, [row.memory_id for row in found.memories])
            contents = {row.id: row.content for row in rows}
            yield {"commit": commit[:10], "subject": subject, "review": found, "cpu": spent, "contents": contents}


def _chosen(root: Path, repository: str, base: str, count: int) -> list[str]:
    """Return commits after the base that change code, evenly spread."""
    head = _git(Path(repository), "rev-parse", "HEAD").strip()
    order = ["log", "--no-merges", "--reverse", "--ancestry-path", "--format=%H", f"{base}..{head}"]
    found = [commit for commit in _git(root, *order).split() if _is_code(root, commit)]
    step = max(len(found) / count, 1.0)
    return [found[int(number * step)] for number in range(min(count, len(found)))]


def _is_code(root: Path, commit: str) -> bool:
    paths = _git(root, "diff", "--name-only", f"{commit}^", commit).splitlines()
    kinds = [(path, kind) for path in paths if (kind := detect(path, b"")) and not kind.document]
    return any(not is_test_file(kind.name, path) for path, kind in kinds) and len(paths) <= MOST_FILES


def _git(root: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=root, check=True, capture_output=True)
    return done.stdout.decode("utf-8", "replace")


def key(commit: str, content: str) -> tuple[str, str]:
    """Return what a verdict is kept by."""
    return commit, hashlib.sha256(content.encode()).hexdigest()[:12]


def verdicts(path: Path) -> dict[tuple[str, str], str]:
    if not path.exists():
        return {}
    rows = (line.split("\t") for line in path.read_text(encoding="utf-8").splitlines() if line and line[0] != "#")
    return {(row[0], row[1]): row[2] for row in rows}


def commits(specs: Sequence[str], home: Path, count: int, judged: Path, *, show: bool) -> dict[str, Any]:
    """Print every review in one line, and what is to be judged; return the numbers of all."""
    known = verdicts(judged)
    shown: list[str] = []
    rows: list[Review] = []
    spent: list[float] = []
    for spec in specs:
        name = Path(spec.rpartition("@")[0]).name
        for made in reviews(spec, home / name, count):
            found: Review = made["review"]
            rows.append(found)
            memories = f"{len(found.memories)} memories of {found.memories_total}"
            tests = f"{len(found.tests)} rows of {found.tests_total} tests"
            print(f"{made['commit']} {made['subject'][:60]}: {found.changes_total} symbols, {memories}, {tests}")
            spent.append(made["cpu"])
            for row in found.memories:
                place = key(made["commit"], made["contents"][row.memory_id])
                shown.append(known.get(place, ""))
                if show and not shown[-1]:
                    print("\t".join((*place, "?", row.title[:70], f"[{row.relation}] {row.why}", row.sentence)))
    judged_ones = [verdict for verdict in shown if verdict]
    return {
        "reviews": len(rows),
        "memories_shown": len(shown),
        "judged": len(judged_ones),
        "relevant": round(judged_ones.count("relevant") / len(judged_ones), 3) if judged_ones else None,
        "median_cpu_s": round(statistics.median(spent), 2),
        "median_memories": statistics.median(len(row.memories) for row in rows),
        "median_tests": statistics.median(len(row.tests) for row in rows),
        "median_tests_found": statistics.median(row.tests_total for row in rows),
    }


# --- mutants ---


def mutants(project: Path, python: Path, count: int, seed: int) -> Iterator[dict[str, Any]]:
    """Yield broken functions of a project: the tests that fail, and those that the review shows and finds."""
    chance = random.Random(seed)
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch) / project.name
        shutil.copytree(project, root, symlinks=True, ignore=shutil.ignore_patterns(".git", ".tox", "docs"))
        for words in (("init", "-q"), ("add", "-A"), (*BY, "commit", "-qm", "one")):
            _git(root, *words)
        with Engine(home=f"{scratch}/home", embed_provider="off") as engine:
            engine.code.index(str(root), link=True)
            usual = failing(root, python)
            left = count
            for target in _targets(root, chance):
                edit = changed(target)
                if edit is None or left <= 0:
                    continue
                place = root / target.path
                place.write_bytes(edit.files[target.path] or b"")
                broken = failing(root, python) - usual
                if broken:
                    left -= 1
                    whole = engine.survey.review(path=str(root), limit=1000)
                    shown = engine.survey.review(path=str(root))
                    name = f"{target.path}::{target.symbol.qualified}"
                    yield {"mutant": name, "failing": sorted(broken), "whole": whole, "shown": shown}
                place.write_bytes(target.source)


def _targets(root: Path, chance: random.Random) -> list[Target]:
    """Return the functions of a project outside of its tests, in random order."""
    found = []
    for path in sorted(root.rglob("*.py")):
        name = path.relative_to(root).as_posix()
        source = path.read_bytes()
        language = detect(name, source[:1024])
        if language is None or language.name != "python" or is_test_file("python", name) or name.startswith("tests/"):
            continue
        every = outline(source, name, language).symbols
        rows = [row for row in every if row.kind in ("Function", "Method")]
        found += [Target(name, source, language, row, every, chance) for row in rows]
    chance.shuffle(found)
    return found


def failing(root: Path, python: Path) -> set[str]:
    """Return the tests of a project that fail, as path::Class::test; a file that cannot be read as its path."""
    source = "src" if (root / "src").is_dir() else "."
    environment = {"PATH": "/usr/bin:/bin", "PYTHONPATH": str(root / source), "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        done = subprocess.run(
            [python, *PYTEST], cwd=root, env=environment, capture_output=True, timeout=MOST_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return set()
    return set(_FAILED.findall(done.stdout.decode("utf-8", "replace")))


def covered(failed: Sequence[str], tests: Sequence[Affected]) -> float:
    """Return the share of failing tests among some rows, by themselves or with their class or file."""
    listed = {"::".join([row.place.path, *filter(None, row.place.symbol.split("."))]) for row in tests}
    # A file that cannot even be imported is found by any of its tests.
    files = {name.split("::")[0] for name in listed}
    found = 0
    for name in failed:
        around = {name.rsplit("::", less)[0] for less in range(name.count("::") + 1)}
        found += bool(around & listed) or ("::" not in name and name in files)
    return found / len(failed)


def broken(projects: Sequence[Path], python: Path, count: int, seed: int) -> dict[str, Any]:
    """Print every mutant in one line; return the numbers of all."""
    rows = []
    for project in projects:
        for made in mutants(project, python, count, seed):
            whole, shown = made["whole"].tests, made["shown"].tests
            shares = [covered(made["failing"], tests) for tests in (whole, shown, whole[: len(shown)])]
            rows.append((*shares, len(shown), len(whole)))
            found = ", ".join(f"{share:.2f}" for share in shares)
            print(
                f"{made['mutant']}: {len(made['failing'])} fail; {found} in {len(whole)}, {len(shown)} rows", flush=True
            )
    whole, shown, single = (statistics.fmean(row[place] for row in rows) for place in range(3))
    kept = sum(min(row[0], row[1]) for row in rows) / sum(row[0] for row in rows)
    return {
        "mutants": len(rows),
        "recall_of_all_found": round(whole, 3),
        "recall_of_rows_shown": round(shown, 3),
        "recall_of_as_many_single_tests": round(single, 3),
        "kept_of_what_all_found_have": round(kept, 3),
        "median_rows_shown": statistics.median(row[3] for row in rows),
        "median_found": statistics.median(row[4] for row in rows),
        "one_failing_test_shown": round(sum(row[1] > 0 for row in rows) / len(rows), 3),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    kinds = parser.add_subparsers(dest="kind", required=True)
    real = kinds.add_parser("commits")
    real.add_argument("repositories", nargs="+", metavar="REPO@BASE")
    real.add_argument("--home", type=Path)
    real.add_argument("--verdicts", type=Path, default=VERDICTS)
    real.add_argument("--show", action="store_true")
    edited = kinds.add_parser("mutants")
    edited.add_argument("projects", nargs="+", type=Path)
    edited.add_argument("--python", type=Path, default=Path(sys.executable))
    edited.add_argument("--seed", type=int, default=1)
    for each in (real, edited):
        each.add_argument("--count", type=int, default=20)
        each.add_argument("--save", action="store_true", help="write the numbers into bench/results")
    chosen = parser.parse_args()
    if chosen.kind == "mutants":
        report = broken(chosen.projects, chosen.python, chosen.count, chosen.seed)
    else:
        with tempfile.TemporaryDirectory() as scratch:
            home = chosen.home or Path(scratch)
            report = commits(chosen.repositories, home, chosen.count, chosen.verdicts, show=chosen.show)
    publish(f"review-{chosen.kind}", report, save=chosen.save)


if __name__ == "__main__":
    main()
