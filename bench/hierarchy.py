"""How much of what a task needs is in the window before anybody looked for it: levels 1 and 2 against plain ways.

    python bench/hierarchy.py --labels FILE … --repos DIR                     labelled issues, one file each
    python bench/hierarchy.py --history REPOSITORY … [--tasks N] [--seed N]   commits of the past, several files each
    python bench/hierarchy.py … --out HELD.jsonl                              one line per task and way: found, missed
    python bench/hierarchy.py --read HELD.jsonl … [--tasks N --seed N]        the report of what earlier runs wrote
    python bench/hierarchy.py … --embeddings                                  with vectors, which takes hours

A task is begun with its description alone, on the tree as it was. Measured is the share of the files it turned out to
need that is there, within level 1 (50 KB) and within both levels (50 + 500 KB):

    there    in whatever form
    text     with the text that had to be changed: the whole file, or the symbols around one of the changed lines
    outline  by its signatures alone; with `text` this makes `there`

The other ways are what bench/hierarchy_fillings.py says. Label files and checkouts are as bench/code_search.py takes
them. Prints tables, or with `--json` everything as JSON; `--save` prints the JSON and keeps it under bench/results.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TextIO

import measure
import metrics
from code_search import Tree, checkout_of, label_files, memory
from hierarchy_fillings import Grep, Held, Sizes, mapped, named, outlined, packed
from hierarchy_tasks import Lines, Task, commits, issues
from recollect import Engine
from recollect.errors import RecollectError
from recollect.hierarchy.memory_manager import MemoryManager

Report = dict[str, Any]

LEVEL1, LEVEL2 = 50_000, 500_000
SIZES = Sizes(LEVEL1, LEVEL2)
WINDOWS = {"50 KB": (1,), "50 + 500 KB": (1, 2)}
OURS = "hierarchy"


class Begun(NamedTuple):
    """A task that is begun: the tree as it was, indexed."""

    engine: Engine
    root: Path
    task: Task
    grep: Grep


# --- ways to fill the window -----------------------------------------------------------------------------------------


def by_grep(begun: Begun) -> list[Held]:
    return packed(begun.grep.ranked(begun.task.text), SIZES)


def by_rare_words(begun: Begun) -> list[Held]:
    return packed(begun.grep.weighed(begun.task.text), SIZES)


def by_rare_words_tests_last(begun: Begun) -> list[Held]:
    return packed(begun.grep.weighed(begun.task.text, tests_last=True), SIZES)


def by_map(begun: Begun) -> list[Held]:
    """Return what the map of level 4 names, drawn around the task: as large as that level may be, and nothing else."""
    return outlined(_drawn(begun, LEVEL1), 1)


def by_large_map(begun: Begun) -> list[Held]:
    """Return the same map, and what one as large as both levels names beyond it."""
    small, large = _drawn(begun, LEVEL1), _drawn(begun, LEVEL1 + LEVEL2)
    return [*outlined(small, 1), *outlined(set(large) - set(small), 2)]


def by_opened_map(begun: Begun) -> list[Held]:
    """Return the files that the large map names, whole, the most central ones first."""
    return packed(begun.grep.sized(_drawn(begun, LEVEL1 + LEVEL2)), SIZES)


def _drawn(begun: Begun, size: int) -> list[str]:
    return mapped(begun.engine, named(begun.engine, begun.root, begun.task.text), size)


def by_hierarchy(begun: Begun) -> list[Held]:
    """Return what beginning the task put into levels 1 and 2."""
    with MemoryManager(begun.engine, str(begun.root), profile="standard") as window:
        filled = window.start_task(begun.task.text)
    return [Held(item.name, item.level, _FORMS[item.form], item.lines) for item in filled.items if item.form in _FORMS]


_FORMS = {"whole": "whole", "part": "split", "outline": "outline"}

WAYS: dict[str, Callable[[Begun], list[Held]]] = {
    "grep": by_grep,
    "map": by_map,
    "rare words": by_rare_words,
    "rare words, tests last": by_rare_words_tests_last,
    "map of 550 KB": by_large_map,
    "map, opened": by_opened_map,
    OURS: by_hierarchy,
}
# What people have without an index that knows the task: they grep, and tools hand them a map. The others are as good as
# such ways can be made; the better of them is a second bar.
PLAIN = ("grep", "map")


# --- judging ---------------------------------------------------------------------------------------------------------


def forms(held: Sequence[Held], levels: Sequence[int], gold: dict[str, tuple[Lines, ...]]) -> dict[str, str]:
    """Return in which form each needed file is there: "text", "outline" or "".

    A part of a file is text if it holds one of the lines that had to be changed; otherwise the rest of it is outlined.
    """
    found = dict.fromkeys(gold, "")
    for each in held:
        if each.path not in gold or each.level not in levels:
            continue
        is_text = each.form == "whole" or (each.form == "split" and _meet(each.lines, gold[each.path]))
        found[each.path] = "text" if is_text or found[each.path] == "text" else "outline"
    return found


def _meet(shown: Sequence[Lines], changed: Sequence[Lines]) -> bool:
    return any(first <= end and start <= last for first, last in shown for start, end in changed)


def scores(found_forms: dict[str, dict[str, str]]) -> metrics.Scores:
    """Return every measure of one task, of the forms of its files by window."""
    found: metrics.Scores = {}
    for window, by_path in found_forms.items():
        each = list(by_path.values())
        found[f"there, {window}"] = sum(form != "" for form in each) / len(each)
        found[f"text, {window}"] = each.count("text") / len(each)
        found[f"outline, {window}"] = each.count("outline") / len(each)
        found[f"all there, {window}"] = float("" not in each)
    return found


def changed_lines(engine: Engine, task: Task) -> dict[str, tuple[Lines, ...]]:
    """Return the files a task needs with the lines to change; where a label has functions, those of the functions."""
    gold = {path: list(lines) for path, lines in task.files.items()}
    for function in task.functions:
        path, _, name = function.partition(":")
        try:
            symbol = engine.code.symbol(f"{path}::{name}").symbol
        except RecollectError:
            continue  # it is not there yet: the fix adds it
        gold.setdefault(path, []).append((symbol.start_line, symbol.end_line))
    return {path: tuple(lines) for path, lines in gold.items()}


# --- the run ---------------------------------------------------------------------------------------------------------


class Run:
    """One run over all tasks."""

    def __init__(self, chosen: argparse.Namespace, out: TextIO | None) -> None:
        self.embeddings = chosen.embeddings
        self.out = out
        self.judged: dict[str, dict[str, list[metrics.Scores]]] = {}
        self.sources: dict[str, set[str]] = {}
        self.cpu: dict[str, list[float]] = {name: [] for name in WAYS}
        self.skipped: list[str] = []

    def labelled(self, tasks: Sequence[Task], repos: Path) -> None:
        """Begin the tasks of one label file, repository by repository."""
        for source in sorted({task.source for task in tasks}):
            checkout = checkout_of(repos, source, "")
            if checkout is None:
                self.skipped.append(source)
            else:
                self.over("issues", [task for task in tasks if task.source == source], checkout)

    def over(self, group: str, tasks: Sequence[Task], checkout: Path) -> None:
        """Begin tasks of one repository, one after another; the index follows."""
        with memory(embeddings=self.embeddings) as engine, tempfile.TemporaryDirectory() as folder:
            following = Tree(Path(folder))
            for task in tasks:
                root = following.at(checkout, task.commit).resolve()
                engine.code.index(str(root), link=True)  # as a server has done it when a task begins
                if self.embeddings:
                    engine.code.embed()
                self._begin(group, Begun(engine, root, task, Grep(root)))

    def _begin(self, group: str, begun: Begun) -> None:
        gold = changed_lines(begun.engine, begun.task)
        self.sources.setdefault(group, set()).add(project(begun.task.id))
        rows = self.judged.setdefault(group, {name: [] for name in WAYS})
        for name, fill in WAYS.items():
            before = time.process_time_ns()
            held = fill(begun)
            self.cpu[name].append((time.process_time_ns() - before) / 1e6)
            found = {window: forms(held, levels, gold) for window, levels in WINDOWS.items()}
            rows[name].append(scores(found))
            if self.out:
                line = {"group": group, "task": begun.task.id, "way": name, "found": found}
                self.out.write(json.dumps(line) + "\n")
                self.out.flush()
        _say(f"{begun.task.id}: " + ", ".join(f"{name} {rows[name][-1][HEADLINE]:.2f}" for name in WAYS))

    def read(self, path: Path) -> None:
        """Take over what an earlier run wrote, of the tasks it finished."""
        lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        ways: dict[tuple[str, str], dict[str, metrics.Scores]] = {}
        for line in lines:
            ways.setdefault((line["group"], line["task"]), {})[line["way"]] = scores(line["found"])
        for (group, task), found in ways.items():
            if found.keys() == WAYS.keys():
                self.sources.setdefault(group, set()).add(project(task))
                rows = self.judged.setdefault(group, {name: [] for name in WAYS})
                for name, measured in found.items():
                    rows[name].append(measured)

    def report(self) -> Report:
        """Return the means of every group and way, and how many times others ours are."""
        groups = {
            group: {name: metrics.mean(found) for name, found in ways.items()} for group, ways in self.judged.items()
        }
        return {
            "embeddings": self.embeddings,
            "groups": {group: {"ways": ways, "ratios": _ratios(ways)} for group, ways in groups.items()},
            "cpu_ms": {name: measure.summary(spent) for name, spent in self.cpu.items() if spent},
            "sources": {group: sorted(names) for group, names in self.sources.items()},
            "skipped": self.skipped,
        }


def project(task_id: str) -> str:
    """Return which project a task is of, by its id: `caddy@a72acd21b0`, `django__django-11039`."""
    return re.split(r"@|-(?=\d+$)", task_id)[0]


HEADLINE = "there, 50 + 500 KB"


def _ratios(ways: dict[str, Report]) -> dict[str, dict[str, float]]:
    """Return how many times the better of the plain ways ours are, and of all others, measure by measure."""
    found = {}
    for name, others in (
        ("the better of grep and map", PLAIN),
        ("the best other", [way for way in ways if way != OURS]),
    ):
        rows = [ways[way] for way in others if way in ways]
        best = {each: max(row[each] for row in rows) for each in rows[0] if each != "n"} if rows else {}
        found[name] = metrics.ratio(ways.get(OURS, {}), best)
    return found


def tables(report: Report) -> Iterator[str]:
    """Yield the report as tables."""
    for group, found in report["groups"].items():
        names = [name for name in next(iter(found["ways"].values())) if name != "n"]
        count = next(iter(found["ways"].values()))["n"]
        rows = [[way, *metrics.percents(row, names)] for way, row in found["ways"].items()]
        for what, ratio in found["ratios"].items():
            rows.append([f"{OURS} ÷ {what}", *(f"{ratio[name]:.2f}" if name in ratio else "" for name in names)])
        yield metrics.table([f"{group}, {count} tasks", *names], rows)


def _say(text: str) -> None:
    sys.stderr.write(f"{text}\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--labels", type=Path, nargs="+", default=[], metavar="FILE", help="labelled issues")
    parser.add_argument("--repos", type=Path, metavar="DIR", help="one checkout per repository of the labels")
    parser.add_argument("--history", type=Path, nargs="+", default=[], metavar="REPOSITORY")
    parser.add_argument("--tasks", type=int, default=15, metavar="N", help="commits of each repository")
    parser.add_argument("--seed", type=int, default=7, metavar="N", help="chooses the commits")
    parser.add_argument("--limit", type=int, metavar="N", help="issues of each label file, for a quick look")
    parser.add_argument("--out", type=Path, metavar="HELD", help="write what was found here, one JSON line per task")
    parser.add_argument("--read", type=Path, nargs="+", default=[], metavar="HELD", help="what earlier runs wrote")
    parser.add_argument("--embeddings", action="store_true", help="with vectors")
    parser.add_argument("--json", action="store_true", help="print JSON instead of tables")
    parser.add_argument("--save", action="store_true", help="keep the result under bench/results; prints JSON, too")
    chosen = parser.parse_args()
    if chosen.labels and not chosen.repos:
        parser.error("--labels needs --repos")
    out = chosen.out.open("w", encoding="utf-8") if chosen.out else None
    run = Run(chosen, out)
    for path in chosen.read:
        run.read(path)
    try:
        for _, labels in label_files(chosen.labels):
            run.labelled(issues(labels)[: chosen.limit], chosen.repos)
        for repository in chosen.history:
            run.over("commits", commits(repository, chosen.tasks, chosen.seed), repository)
    finally:
        if out:
            out.close()
    report = {**run.report(), "history": {"tasks": chosen.tasks, "seed": chosen.seed}}
    if not report["groups"]:
        parser.error("no task was found: are these git repositories, and are the checkouts there?")
    if not chosen.json:
        for text in tables(report):
            sys.stdout.write(text + "\n")
    if chosen.json or chosen.save:
        measure.publish("hierarchy", report, save=chosen.save)


if __name__ == "__main__":
    main()
