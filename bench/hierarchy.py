"""How much of what a task needs is in the window before anybody looked for it: levels 1 and 2 against plain ways.

    python bench/hierarchy.py --labels FILE … --repos DIR                     labelled issues, one file each
    python bench/hierarchy.py --history REPOSITORY … [--tasks N] [--seed N]   commits of the past, several files each
    python bench/hierarchy.py … --out HELD.jsonl                              one line per task and way: found, missed
    python bench/hierarchy.py --read HELD.jsonl … [--tasks N --seed N]        the report of what earlier runs wrote
    python bench/hierarchy.py … --embeddings                                  with vectors, which takes hours
    python bench/hierarchy.py … --ways hierarchy                              ours alone, without what stands beside it

A task is begun with its description alone, on the tree as it was, with the git history until then. Measured is the
share of the files it turned out to need that is there, within level 1 (50 KB) and within both levels (50 + 500 KB):

    there    in whatever form
    text     with the text that had to be changed: the whole file, or the symbols around one of the changed lines
    outline  by its signatures alone; with `text` this makes `there`

The other ways are `by_grep` to `by_opened_map`. Label files and checkouts are those of bench/code_search.py. Prints
tables, or with `--json` everything as JSON; `--save` prints the JSON and keeps it under bench/results.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, TextIO

import measure
import metrics
from code_search import Tree, checkout_of, git_folder, git_text, label_files, memory
from recollect import Engine
from recollect.errors import RecollectError
from recollect.hierarchy.project_window import MemoryManager

# --- hierarchy tasks ---

Lines = tuple[int, int]

# How many files a task may need: one file is what issues are about, and a change of more than this is no single task.
LEAST_FILES, MOST_FILES = 2, 8
# A message says what is to be done if it has this many words; of a longer one than this much is read.
LEAST_WORDS, MOST_CHARACTERS = 6, 4_000
# Commits that are looked at, newest first: a hundred tasks of one repository lie within a few years.
DEPTH = 1_500

# What ends in one of these is source code that somebody edits by hand.
CODE = tuple(
    ".py .pyi .pyx .js .jsx .ts .tsx .mjs .go .rs .java .kt .scala .c .h .cc .cpp .hpp .cs .rb .php .swift .ex .exs"
    " .hs .lua .zig .sh .bash".split()
)
# Nobody starts such work with a description of it.
_ROUTINE = re.compile(r"^(?:revert|merge|bump|release|version|update changelog|\[pre-commit|chore\(deps|blacken)", re.I)
# Lines of a message that say who, not what; and where to read more.
_TRAILER = re.compile(
    r"^(?:[A-Z][\w-]*-by|Change-Id|References|Fixes|Closes|Refs?|cc|Co-authored-by)\b.*$", re.I | re.M
)
_LINK = re.compile(r"https?://\S+")
_HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? ", re.M)


class Task(NamedTuple):
    """What somebody is to do, on which commit, and what it turned out to need.

    files: the files that were changed, each with the lines that were, as they were before; none where only functions
           are known
    functions: `path:Class.method` of what was changed, where the label says so
    """

    id: str
    source: str
    commit: str
    text: str
    files: dict[str, tuple[Lines, ...]]
    functions: tuple[str, ...] = ()


def issues(labels: dict[str, Any]) -> list[Task]:
    """Return the tasks of a label file."""
    return [
        Task(
            row["id"],
            row["source"],
            row["commit"],
            row["text"],
            dict.fromkeys(row["files"], ()),
            tuple(row.get("functions", ())),
        )
        for row in labels["instances"]
    ]


def commits(checkout: Path, count: int, seed: int) -> list[Task]:
    """Return tasks of a repository's past, in order of time, so that an index can follow; always the same ones."""
    git = git_folder(checkout)
    if git is None:
        return []
    fit = list(_fit(git))
    chosen = random.Random(seed).sample(fit, min(count, len(fit)))
    made = (_task(git, checkout.name, sha, text) for sha, text in sorted(chosen, key=fit.index, reverse=True))
    return [task for task in made if task is not None]


def _fit(git: Path) -> Iterator[tuple[str, str]]:
    """Yield the commits that can be tasks, with their messages."""
    told = git_text(
        git, "log", "--no-merges", f"-{DEPTH}", "--name-status", "--no-renames", "--format=%x1e%H%x1f%B%x1f"
    )
    for part in told.split("\x1e")[1:]:
        sha, message, names = part.split("\x1f", 2)
        changed = [line.split("\t", 1) for line in names.strip().splitlines() if "\t" in line]
        files = [path for how, path in changed if how == "M" and path.endswith(CODE)]
        text = _description(message)
        if (
            LEAST_FILES <= len(files) <= MOST_FILES
            and len(text.split()) >= LEAST_WORDS
            and not _ROUTINE.match(message)
            and sum(path.endswith(CODE) for _, path in changed) <= 2 * MOST_FILES
        ):
            yield sha, text


def _description(message: str) -> str:
    return _LINK.sub("", _TRAILER.sub("", message)).strip()[:MOST_CHARACTERS]


def _task(git: Path, name: str, sha: str, text: str) -> Task | None:
    parent = git_text(git, "rev-parse", f"{sha}^").strip()
    diff = git_text(git, "diff", "-U0", "--no-renames", "--no-ext-diff", "--diff-filter=M", parent, sha)
    files = {path: lines for path, lines in _changed(diff) if path.endswith(CODE)}
    return Task(f"{name}@{sha[:10]}", name, parent, text, files) if parent and files else None


def _changed(diff: str) -> Iterator[tuple[str, tuple[Lines, ...]]]:
    """Yield the files of a diff with the lines that were changed; what was only added counts where it came in."""
    for part in re.split(r"^diff --git ", diff, flags=re.M)[1:]:
        named = re.search(r"^--- a/(.+)$", part, re.M)
        if named:
            yield named[1], tuple(_lines(_HUNK.findall(part)))


def _lines(hunks: Sequence[tuple[str, str]]) -> Iterator[Lines]:
    for first, count in hunks:
        start = int(first)
        yield start, start + max(int(count or 1), 1) - 1


# --- hierarchy fillings ---

# What a token of a map is in bytes: maps are made by tokens, windows are measured in bytes.
TOKEN_BYTES = 3.2
# A file that has the word in its path counts as a person would count it, and tests by half for somebody who looks for
# what to change: the best of those tried, of 1 to 3 and of a half to all.
NAMED, TESTS = 3.0, 0.5
# Names that a map is drawn around.
MOST_NAMES = 20

_TOKEN = re.compile(r"[A-Za-z_][\w.]*\w|[A-Za-z]")
_SHAPED = re.compile(r"[a-z0-9][A-Z]|\w_\w|\w\.\w|^_")
_QUOTED = re.compile(r"[`'\"]+([\w.:/-]+)[`'\"]+")
# Words that are in every description and lead nowhere.
_COMMON = frozenset(
    """a about add added adding after all allow also always an and any are as at avoid be because been before being but
    by can cannot case change changed changes check could description did do does doesn don each error even example
    expected fail fails file files fix fixed fixes following for from function get give given had has have how if in
    instead into is issue it its just last like line make makes may method might modified more most must need needed
    new no not now of on one only or other our out problem remove removed same see set should since so some still
    such support test tests than that the their them then there these they this those to too true type up use used
    user uses using value want was way we were what when where whether which while who will with without work works
    would you your""".split()
)


class Held(NamedTuple):
    """What a window holds of a file.

    level: 1 or 2
    form: "whole", "split" (the lines given) or "outline"
    """

    path: str
    level: int
    form: str
    lines: tuple[Lines, ...] = ()


class Sizes(NamedTuple):
    """How many bytes each level may hold."""

    first: int
    second: int


def packed(ranked: Iterable[tuple[str, int]], sizes: Sizes) -> list[Held]:
    """Return what fits of whole files with their sizes, best first; one that does not fit is passed over."""
    held = []
    left = {1: sizes.first, 2: sizes.second}
    for path, size in ranked:
        level = next((level for level in (1, 2) if size <= left[level]), 0)
        if level:
            left[level] -= size
            held.append(Held(path, level, "whole"))
    return held


# --- grep ------------------------------------------------------------------------------------------------------------


class Grep:
    """A person who greps: every word of a task over the whole tree, in any case, inside other words, too."""

    def __init__(self, tree: Path) -> None:
        """Read the sources of a tree."""
        files = sorted(path for path in tree.rglob("*") if path.suffix in CODE and path.is_file())
        self._texts = {path.relative_to(tree).as_posix(): path.read_bytes().lower() for path in files}

    def ranked(self, text: str) -> list[tuple[str, int]]:
        """Return files and their sizes, those first that hold the most of the names, then most often.

        Names are what a person greps for; where a task has none of them, for its words.
        """
        worth = words(text)
        needles = [word.encode() for word in worth if worth[word] == max(worth.values())]
        counts = {path: [content.count(needle) for needle in needles] for path, content in self._texts.items()}
        held = {path: (sum(count > 0 for count in each), sum(each)) for path, each in counts.items()}
        order = sorted((path for path in held if any(held[path])), key=lambda path: (*(-n for n in held[path]), path))
        return self.sized(order)

    def weighed(self, text: str, *, tests_last: bool = False) -> list[tuple[str, int]]:
        """Return files and their sizes, those first that hold the rarest words, in their text and in their path."""
        scores = dict.fromkeys(self._texts, 0.0)
        for word, worth in words(text).items():
            needle = word.lower().encode()
            named = {path for path in self._texts if word.lower() in path.lower()}
            counts = {path: content.count(needle) for path, content in self._texts.items()}
            counts = {path: count for path, count in counts.items() if count}
            rarity = math.log((1 + len(scores)) / (1 + len(counts)))
            for path, count in counts.items():
                scores[path] += worth * rarity * (1 + math.log(count))
            for path in named:
                scores[path] += NAMED * worth * math.log((1 + len(scores)) / (1 + len(named)))
        if tests_last:
            scores = {path: score * (TESTS if "test" in path.lower() else 1) for path, score in scores.items()}
        order = sorted((path for path in scores if scores[path] > 0), key=lambda path: (-scores[path], path))
        return self.sized(order)

    def sized(self, paths: Iterable[str]) -> list[tuple[str, int]]:
        """Return sources with their sizes."""
        return [(path, len(self._texts[path])) for path in paths if path in self._texts]


def words(text: str) -> dict[str, float]:
    """Return what somebody would grep for, and what it is worth: names of the code twice as much as plain words."""
    found: dict[str, float] = {}
    quoted = {name.strip(".:/-") for name in _QUOTED.findall(text)}
    for token in (*quoted, *_TOKEN.findall(text)):
        is_name = token in quoted or bool(_SHAPED.search(token))
        for word in (token, *(token.split(".") if "." in token else ())):
            if len(word) >= 3 and word.lower() not in _COMMON:
                found[word.lower()] = max(found.get(word.lower(), 0.0), 2.0 if is_name else 1.0)
    return found


# --- map -------------------------------------------------------------------------------------------------------------


def mapped(engine: Engine, focus: Sequence[str], size: int) -> list[str]:
    """Return the files that a map of so many bytes names, the most central first."""
    drawn = engine.survey.map(tokens=int(size / TOKEN_BYTES), focus=tuple(focus))
    while len(drawn.text().encode()) > size:
        drawn = engine.survey.map(tokens=int(drawn.budget * 0.9), focus=tuple(focus))
    return [file.path for file in sorted(drawn.files, key=lambda file: (-file.rank, file.path))]


def named(engine: Engine, root: Path, text: str) -> list[str]:
    """Return what a task names and the index knows: names that look like code, and paths."""
    names = dict.fromkeys([*_QUOTED.findall(text), *_TOKEN.findall(text)])
    found = (name for name in names if _is_known(engine, root, name))
    return list(islice(found, MOST_NAMES))


def _is_known(engine: Engine, root: Path, name: str) -> bool:
    if "/" in name:
        return (root / name.lstrip("/")).is_file() and not name.startswith("/")
    try:
        return bool(_SHAPED.search(name) and engine.code.symbol(name))
    except RecollectError:
        return False


def outlined(paths: Iterable[str], level: int) -> list[Held]:
    """Return the files of a map as what a level holds: their outlines."""
    return [Held(path, level, "outline") for path in paths]


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
        window.complete_task()
    TOKENS.append(sum(use.tokens for use in filled.levels))
    return [Held(item.name, item.level, _FORMS[item.form], item.lines) for item in filled.items if item.form in _FORMS]


# The tokens of levels 1 and 2, of every task that ours was filled for.
TOKENS: list[float] = []
# One line about documentation, asked once in every repository.
DOCUMENTATION = "Fix a typo in the documentation"
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
        self.ways = {name: WAYS[name] for name in chosen.ways}
        self.typo_tokens: list[int] = []
        self.out = out
        self.judged: dict[str, dict[str, list[metrics.Scores]]] = {}
        self.sources: dict[str, set[str]] = {}
        self.cpu: dict[str, list[float]] = {name: [] for name in self.ways}
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
                _with_history(root, checkout, task.commit)
                engine.code.index(str(root), link=True)  # as a server has done it when a task begins
                if self.embeddings:
                    engine.code.embed()
                self._begin(group, Begun(engine, root, task, Grep(root)))
            if tasks:
                with MemoryManager(engine, str(root), profile="standard") as window:
                    levels = window.start_task(DOCUMENTATION).levels
                self.typo_tokens.append(sum(use.tokens for use in levels))

    def _begin(self, group: str, begun: Begun) -> None:
        gold = changed_lines(begun.engine, begun.task)
        self.sources.setdefault(group, set()).add(project(begun.task.id))
        rows = self.judged.setdefault(group, {name: [] for name in self.ways})
        for name, fill in self.ways.items():
            before = time.process_time_ns()
            held = fill(begun)
            self.cpu[name].append((time.process_time_ns() - before) / 1e6)
            found = {window: forms(held, levels, gold) for window, levels in WINDOWS.items()}
            rows[name].append(scores(found))
            if self.out:
                line = {"group": group, "task": begun.task.id, "way": name, "found": found}
                line |= {"tokens": TOKENS[-1]} if name == OURS else {}
                self.out.write(json.dumps(line) + "\n")
                self.out.flush()
        _say(f"{begun.task.id}: " + ", ".join(f"{name} {rows[name][-1][HEADLINE]:.2f}" for name in self.ways))

    def read(self, path: Path) -> None:
        """Take over what an earlier run wrote, of the tasks it finished."""
        lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        ways: dict[tuple[str, str], dict[str, metrics.Scores]] = {}
        for line in lines:
            ways.setdefault((line["group"], line["task"]), {})[line["way"]] = scores(line["found"])
            TOKENS.extend([line["tokens"]] if "tokens" in line else [])
        for (group, task), found in ways.items():
            if found.keys() == self.ways.keys():
                self.sources.setdefault(group, set()).add(project(task))
                rows = self.judged.setdefault(group, {name: [] for name in self.ways})
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
            **({"tokens": measure.summary(TOKENS)} if TOKENS else {}),
            **({"documentation_task_tokens": measure.summary(self.typo_tokens)} if self.typo_tokens else {}),
        }


def _with_history(root: Path, checkout: Path, commit: str) -> None:
    """Make a tree a checkout of a commit, with the commits before it and none after."""
    git = git_folder(checkout)
    if git is None or root == checkout.resolve():
        return
    own = root / ".git"
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    (own / "objects" / "info" / "alternates").write_text(f"{git.resolve() / 'objects'}\n", encoding="utf-8")
    (own / "HEAD").write_text(f"{commit}\n", encoding="utf-8")
    git_text(own, "read-tree", "HEAD")


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
    for name in ("tokens", "documentation_task_tokens"):
        if name in report:
            yield f"{name}: median {report[name]['p50']:,.0f}, p95 {report[name]['p95']:,.0f}"


def _say(text: str) -> None:
    sys.stderr.write(f"{text}\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--labels", type=Path, nargs="+", default=[], metavar="FILE", help="labelled issues")
    parser.add_argument("--repos", type=Path, metavar="DIR", help="one checkout per repository of the labels")
    parser.add_argument("--history", type=Path, nargs="+", default=[], metavar="REPOSITORY")
    parser.add_argument("--tasks", type=int, default=15, metavar="N", help="commits of each repository")
    parser.add_argument("--seed", type=int, default=7, metavar="N", help="chooses the commits")
    parser.add_argument("--ways", nargs="+", choices=list(WAYS), default=list(WAYS), help="ways to fill the window")
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
