"""Patterns in observations: repeated searches, file hot spots, preferred tools, recurring errors.

Each detector counts sessions, not uses: ten edits in an afternoon are one task. `insights` renders
patterns as Markdown.
"""

from __future__ import annotations

import math
import re
import shlex
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count, pairwise
from typing import NamedTuple

from recollect.capture.error_fingerprint import same_command
from recollect.capture.invocation import is_looking
from recollect.capture.observation_lesson import code, line
from recollect.model import Observed, Pattern, PatternType
from recollect.patterns.pattern_counts import beyond, luck, pattern, rate, sessions, surely
from recollect.text.display import day, plural

# --- repeated searches ---

# Twice may be one session that was continued. The third time, the result should have been stored.
LEAST_SESSIONS = 3
# A name that is searched often recurs by luck. So many names with that many sessions may be expected by chance.
CHANCE = 0.05

_TOOLS = frozenset({"search", "find", "web"})
_WORD = re.compile(r"[^\W_][\w]*")
_ESCAPE = re.compile(r"\\[bBdDwWsSAZz]")
# Words by which code is declared, and endings of files: alone they look for nothing in particular.
_EMPTY = frozenset(
    "def class function func fn import from const let var type interface struct enum public private static async "
    "export return new self this the and for with src lib test tests py js ts tsx jsx rs go java md txt json yaml "
    "yml toml html css sh todo fixme xxx hack".split()
)
# Programs that search in a shell: grep takes its pattern first, find and fd after -name.
_GREPS = frozenset({"grep", "egrep", "fgrep", "rg", "ag", "ack", "zgrep"})
_FINDS = frozenset({"find", "fd", "fdfind"})
_PROGRAM = re.compile(r"grep|rg|ag|ack|find|fd")
# Options of those whose value follows as a word of its own.
_VALUED = frozenset({"-A", "-B", "-C", "-m", "-g", "-t", "-T", "--include", "--exclude", "--exclude-dir", "--glob",
                     "--type", "-d", "--max-depth", "-f", "--color"})  # fmt: skip


def repeated_searches(rows: Iterable[Observed]) -> list[Pattern]:
    """Return what was searched for in several sessions, most certain first.

    Spelling does not count: `def parse_config`, `parse_config(` and a grep for it in a shell search for the same.
    """
    uses: dict[str, list[Observed]] = defaultdict(list)
    spelt: dict[str, Counter[str]] = defaultdict(Counter)
    for row in rows:
        for words in searched(row):
            key = meant(words)
            if key:
                uses[key].append(row)
                spelt[key][words] += 1
    among = {key: len(sessions(found)) for key, found in uses.items()}
    # The base rate: searches that were not repeated occur in little more than one session each.
    ordinary = [times for times in among.values() if times < LEAST_SESSIONS]
    usual = sum(ordinary) / len(ordinary) if ordinary else 1.0
    least = _least(len(among), usual)
    found = []
    for key, times in among.items():
        if times >= least:
            subject = _usual_spelling(spelt[key])
            told = f"{code(subject)} was searched for {plural(len(uses[key]), 'time')} in {plural(times, 'session')}"
            found.append(pattern("repeated_search", subject, told, beyond(times, usual), uses[key]))
    return sorted(found, key=lambda row: (-row.confidence, row.subject))


def _least(seen: int, usual: float) -> int:
    """Return the number of sessions that exceeds chance, given the number of searches and their mean."""
    expected = rate(usual)
    if not expected:
        return LEAST_SESSIONS
    names = seen / -math.expm1(-expected)  # those that could have been searched for, seen or not
    return next(times for times in count(LEAST_SESSIONS) if names * luck(times, expected) < CHANCE)


def _usual_spelling(spelt: Counter[str]) -> str:
    most = max(spelt.values())
    return min((words for words in spelt if spelt[words] == most), key=lambda words: (len(words), words))


def searched(row: Observed) -> Iterator[str]:
    """Yield what an observation searched for: by a tool, or by a program in a shell."""
    if row.event != "tool" or row.outcome == "failed" or not row.target:
        return
    if row.tool in _TOOLS:
        yield row.target
    elif row.tool == "shell":
        yield from _in_shell(row.target)


def meant(words: str) -> str:
    """Return the words that distinguish a search, in lower case; empty if there are none."""
    plain = _ESCAPE.sub(" ", words)
    kept = [word.lower() for word in _WORD.findall(plain)]
    telling = [word for word in kept if word not in _EMPTY and len(word) > 2 and not word.isdecimal()]
    return " ".join(telling)


def _in_shell(command: str) -> Iterator[str]:
    for part in re.split(r"&&|\|\||;|\|", same_command(command) if _PROGRAM.search(command) else ""):
        if not _PROGRAM.search(part):
            continue
        try:
            words = shlex.split(part)
        except ValueError:  # a quote that is never closed
            continue
        if words[:2] == ["git", "grep"]:
            words = words[1:]
        name = words[0].rsplit("/", 1)[-1] if words else ""
        if name in _GREPS:
            yield from _arguments(words[1:])[:1]
        elif name in _FINDS:
            named = [after for before, after in pairwise(words) if before in ("-name", "-iname")]
            yield from named[:1] or (_arguments(words[1:])[:1] if name != "find" else [])


def _arguments(words: list[str]) -> list[str]:
    """Return the words of a command line that are neither options nor their values; a pattern after -e comes first."""
    found: list[str] = []
    skip = False
    for before, word in zip(["", *words], words, strict=False):
        if before in ("-e", "--regexp"):
            found.insert(0, word)
        elif skip:
            skip = False
        elif word.startswith("-") and len(word) > 1:
            skip = word in _VALUED
        else:
            found.append(word)
    return found


# --- file hot spots ---

# Fewer sessions are one task.
HOT_SESSIONS = 4
# Times the base rate: work is never spread evenly, and twice the mean is nothing remarkable.
LEAST_LIFT = 3.0
# A project of some hundred files has some that are touched often by luck: one false one in a hundred looks is fine.
LUCK = 0.01
# With fewer files there is no base rate.
LEAST_FILES = 3

CHANGING = frozenset({"edit", "write", "patch"})


def file_hotspots(rows: Iterable[Observed]) -> list[Pattern]:
    """Return the files of one project that were used in far more sessions than the others.

    The base rate is the mean of the project's other files: in a small project every file is used often.
    """
    uses: dict[str, list[Observed]] = defaultdict(list)
    for row in rows:
        if row.event == "tool" and row.target and row.outcome != "failed" and row.tool in (*CHANGING, "read"):
            uses[row.target].append(row)
    if len(uses) < LEAST_FILES:
        return []
    among = {path: len(sessions(found)) for path, found in uses.items()}
    total = sum(among.values())
    # A hotspot must not hide another by raising the mean: those that stand out are left out of it.
    ordinary = {path for path in among if among[path] < LEAST_LIFT * total / len(among)}
    usual = sum(among[path] for path in ordinary) / max(1, len(ordinary))
    found = []
    for path, times in among.items():
        is_often = times >= HOT_SESSIONS and times >= LEAST_LIFT * usual
        if is_often and luck(times, usual) * len(among) < LUCK:
            shown = path.removeprefix(f"{uses[path][0].namespace}/")
            changed = sum(row.tool in CHANGING for row in uses[path])
            told = f"{shown} was used in {times} sessions (changed {changed}×, read {len(uses[path]) - changed}×)"
            told += f"; average file: {usual:.1f} sessions"
            found.append(pattern("file_hotspot", shown, told, beyond(times, usual), uses[path]))
    return sorted(found, key=lambda row: (-row.confidence, row.subject))


# --- preferred tools ---

# The share of uses that can be counted on: 9 of 9, or 18 of 20. Below it, both are in use.
LEAST_SHARE = 0.7
# In one session everybody stays with what worked a minute ago.
PREFERRED_SESSIONS = 3


class Purpose(NamedTuple):
    """A purpose and its rival tools, each by how its command lines begin.

    is_project: a choice of the project, not a habit of the assistant
    """

    name: str
    rivals: Mapping[str, tuple[str, ...]]
    is_project: bool = True


PURPOSES: tuple[Purpose, ...] = (
    Purpose("JavaScript packages", {"npm": ("npm", "npx"), "pnpm": ("pnpm", "pnpx"), "yarn": ("yarn",),
                                    "bun": ("bun", "bunx")}),
    Purpose("Python packages and environments", {
        "uv": ("uv",), "poetry": ("poetry",), "pipenv": ("pipenv",), "conda": ("conda", "mamba"), "pdm": ("pdm",),
        "hatch": ("hatch",), "pip": ("pip", "pip3", "python -m pip", "python3 -m pip"),
    }),
    Purpose("Python tests", {"pytest": ("pytest", "py.test", "python -m pytest", "python3 -m pytest", "uv run pytest",
                                        "poetry run pytest"),
                             "unittest": ("python -m unittest", "python3 -m unittest"), "tox": ("tox",),
                             "nox": ("nox",)}),
    Purpose("JavaScript tests", {"jest": ("jest", "npx jest", "pnpm jest"),
                                 "vitest": ("vitest", "npx vitest", "pnpm vitest"),
                                 "mocha": ("mocha", "npx mocha")}),
    Purpose("Python checks", {"ruff": ("ruff", "uv run ruff", "python -m ruff"), "flake8": ("flake8",),
                              "pylint": ("pylint",)}),
    Purpose("Python types", {"mypy": ("mypy", "uv run mypy", "python -m mypy"), "pyright": ("pyright", "npx pyright"),
                             "ty": ("ty",)}),
    Purpose("JavaScript checks", {"eslint": ("eslint", "npx eslint"), "biome": ("biome", "npx biome")}),
    Purpose("tasks", {"make": ("make",), "just": ("just",), "task": ("task",)}),
    Purpose("containers", {"docker": ("docker",), "podman": ("podman",)}),
    Purpose("Java builds", {"gradle": ("gradle", "./gradlew"), "maven": ("mvn", "./mvnw"), "bazel": ("bazel",)}),
    Purpose("searching in files", {"the search tool": ("<search>",), "grep": ("grep",), "rg": ("rg",)}, False),
    Purpose("reading files", {"the read tool": ("<read>",), "cat and sed": ("cat", "sed", "head", "tail")}, False),
    Purpose("finding files", {"the find tool": ("<find>",), "find": ("find",), "ls": ("ls",), "fd": ("fd",)}, False),
    Purpose("changing files", {"edits": ("<edit>",), "whole files": ("<write>",), "patches": ("<patch>",)}, False),
    Purpose("fetching pages", {"the fetch tool": ("<fetch>",), "curl": ("curl",), "wget": ("wget",)}, False),
)  # fmt: skip

# By the first word of a command line: the words it may begin with, the purpose and the rival. Longer ones come first.
_BY_FIRST: dict[str, list[tuple[list[str], str, str]]] = defaultdict(list)
for _purpose in PURPOSES:
    for _rival, _starts in _purpose.rivals.items():
        for _words in map(str.split, _starts):
            _BY_FIRST[_words[0]].append((_words, _purpose.name, _rival))
for _rows in _BY_FIRST.values():
    _rows.sort(key=lambda row: -len(row[0]))
_BEFORE = frozenset({"sudo", "time", "exec", "command", "env", "nice"})
PROJECT_PURPOSES = frozenset(purpose.name for purpose in PURPOSES if purpose.is_project)


def tool_preferences(rows: Iterable[Observed]) -> list[Pattern]:
    """Return the tools that are preferred for a purpose, most certain first.

    A tool without a rival counts too: a project that only ever runs pnpm prefers it to npm.
    """
    uses: dict[str, dict[str, list[Observed]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        for purpose, rival in chosen(row):
            uses[purpose][rival].append(row)
    found = []
    for purpose, rivals in uses.items():
        of = sum(map(len, rivals.values()))
        best = max(rivals, key=lambda rival: (len(rivals[rival]), rival))
        share = surely(len(rivals[best]), of)
        if share >= LEAST_SHARE and len(sessions(rivals[best])) >= PREFERRED_SESSIONS:
            others = ", ".join(sorted(rivals.keys() - {best}))
            told = f"for {purpose}, {best} was used {len(rivals[best])} of {of} times"
            told += f" (otherwise {others})" if others else ""
            found.append(pattern("tool_preference", f"{purpose}: {best}", told, share, rivals[best]))
    return sorted(found, key=lambda row: (-row.confidence, row.subject))


def chosen(row: Observed) -> Iterator[tuple[str, str]]:
    """Yield purpose and tool of a successful use."""
    if row.event != "tool" or row.outcome == "failed":
        return
    if row.tool != "shell":
        yield from _purposes([f"<{row.tool}>"])
        return
    told: set[tuple[str, str]] = set()
    for part in re.split(r"&&|\|\||;", same_command(row.target)):
        words = part.partition("|")[0].split()
        while words and (words[0] in _BEFORE or re.fullmatch(r"[A-Z_][A-Z0-9_]*=\S*", words[0])):
            words = words[1:]
        told.update(_purposes(words))
    yield from sorted(told)


def _purposes(words: list[str]) -> Iterator[tuple[str, str]]:
    """Yield purpose and tool by the longest known beginning of a command line; `uv run pytest` has two."""
    done = set()
    for start, purpose, rival in _BY_FIRST.get(words[0], ()) if words else ():
        if purpose not in done and words[: len(start)] == start:
            done.add(purpose)
            yield purpose, rival


# --- recurring errors ---

# Every error is met twice while it is worked on.
LEAST_IN_SESSION = 3
SUBJECT_CHARACTERS = 160


def error_loops(rows: Iterable[Observed]) -> list[Pattern]:
    """Return the errors that recur in a session or after a fix, most certain first.

    Errors are compared by fingerprint. A search that finds nothing is no error.
    """
    ordered = sorted((row for row in rows if row.event == "tool"), key=lambda row: (row.at, row.id))
    failures: dict[str, list[Observed]] = defaultdict(list)
    worked: dict[tuple[str, str], list[Observed]] = defaultdict(list)
    for row in ordered:
        if row.outcome == "failed" and row.fingerprint and not (row.tool == "shell" and is_looking(row.target)):
            failures[row.fingerprint].append(row)
        elif row.outcome == "ok":
            worked[row.tool, row.target].append(row)
    found = []
    for times in failures.values():
        within = _most_in_one(times)
        after = _after_fix(times, worked)
        if within < LEAST_IN_SESSION and not after:
            continue
        subject = line(times[-1].told, SUBJECT_CHARACTERS)
        told = f"{subject}: {_ways(len(times), len(sessions(times)), within, after)}"
        # The first of each round is an error like any other: what comes after it is the loop.
        sure = max(beyond(within, 1) if within >= LEAST_IN_SESSION else 0.0, beyond(2 * after + 1, 1) if after else 0.0)
        found.append(pattern("error_loop", subject, told, sure, times))
    return sorted(found, key=lambda row: (-row.confidence, row.subject))


def _ways(times: int, among: int, within: int, after: int) -> str:
    """Return how an error recurred, in words."""
    ways = [f"{plural(times, 'time')} in {plural(among, 'session')}"] if among > 1 else []
    ways += [f"{plural(within, 'time')} in one session"] if within >= LEAST_IN_SESSION else []
    ways += [f"{plural(after, 'time')} again after a fix"] if after else []
    return ", ".join(ways)


def _most_in_one(times: list[Observed]) -> int:
    """Return the highest number of occurrences in one session."""
    among: dict[str, int] = defaultdict(int)
    for row in times:
        among[row.session_id or f"day-{row.at // 86_400}"] += 1
    return max(among.values())


def _after_fix(times: list[Observed], worked: dict[tuple[str, str], list[Observed]]) -> int:
    """Return how often an error recurred in a session after another session had fixed it."""
    count = 0
    for before, after in pairwise(times):
        if before.session_id == after.session_id:
            continue
        between = worked.get((before.tool, before.target), ())
        count += any(before.at <= row.at <= after.at and row.session_id == before.session_id for row in between)
    return count


# --- insights ---

# Patterns of each kind that are shown.
SHOWN = 8
TOLD_CHARACTERS = 300

# Heading and advice of each kind, the most costly kind first.
_ABOUT: Mapping[PatternType, tuple[str, str]] = {
    "error_loop": ("Recurring errors", "Fix the cause, or store the fix with `recollect store`."),
    "repeated_search": ("Repeated searches", "Store the answer with `recollect store`."),
    "file_hotspot": ("File hot spots", "Consider notes, tests or splitting these files."),
    "decision_chain": ("Decisions that changed", "`recollect patterns decisions` shows the history of each."),
    "tool_preference": ("Preferred tools", "Add them to the instructions file with `recollect patterns distil`."),
}


def insights(patterns: Sequence[Pattern]) -> str:
    """Return patterns as Markdown, a section for each kind; empty where there are none."""
    parts = []
    several = len({pattern.namespace for pattern in patterns}) > 1
    for kind, (heading, advice) in _ABOUT.items():
        found = [pattern for pattern in patterns if pattern.pattern_type == kind]
        if found:
            rows = [_item(pattern, several=several) for pattern in found[:SHOWN]]
            more = [f"- and {len(found) - SHOWN} more"] if len(found) > SHOWN else []
            parts.append("\n".join((f"## {heading}", "", *rows, *more, "", advice)))
    return "\n\n".join(parts)


def _item(pattern: Pattern, *, several: bool) -> str:
    when = day(pattern.last_at)
    where = f" in {_plain(pattern.namespace or 'no project')}" if several else ""
    sure = f"{round(100 * pattern.confidence)} % confidence"
    named = f"; session {_plain(pattern.sessions[0])}" if pattern.sessions else ""
    if pattern.pattern_type == "decision_chain" and pattern.evidence:
        named = f"; memory {_plain(pattern.evidence[0])}"
    return f"- {_plain(pattern.told)}{where} (last {when}, {sure}{named})"


def _plain(text: str) -> str:
    """Return a text that cannot form a heading, a list item or a link."""
    return line(text, TOLD_CHARACTERS).replace("](", "] (").replace("<", "‹").replace(">", "›")
