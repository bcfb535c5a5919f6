"""The scripted month of bench/told.py: its sessions in order of time, its projects on disk.

The tables of bench/told/*.toml name the sessions of the main project that state something by their number; routine work
fills the numbers between. Projects are git repositories in a temporary folder; edits and commits happen there.
"""

from __future__ import annotations

import calendar
import os
import re
import subprocess
import time
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from recollect import clock

FOLDER = Path(__file__).parent / "told"
SPLITS = ("dev", "held", "third", "fourth", "fifth", "sixth")
BY = ("claude", "codex", "gemini", "opencode", "copilot")

BEGIN = calendar.timegm((2026, 10, 1, 8, 0, 0))
DAY = 86_400
DAYS = 30
# Sessions of the main project: so many that a preference of the first ones is asked for 60 sessions later.
SESSIONS = 66
# Sessions elsewhere begin in the afternoon.
AFTERNOON = 6 * 3600 + 120

_MARKS = re.compile(r"^\{([^}]*)\} ?")


class Step(NamedTuple):
    """One step of a session: what is done, its words, and the labels written before it."""

    verb: str
    words: tuple[str, ...]
    marks: tuple[str, ...] = ()


class Session(NamedTuple):
    """One session; number: its place among the sessions of its project, from 1."""

    project: str
    number: int
    at: int
    by: str
    branch: str
    steps: tuple[Step, ...]

    @property
    def name(self) -> str:
        return f"{self.project}-{self.number:03}-{self.by}"


def tables(split: str) -> dict[str, Any]:
    """Return the tables of a split."""
    return tomllib.loads((FOLDER / f"{split}.toml").read_text(encoding="utf-8"))


def sessions(rows: Mapping[str, Any]) -> list[Session]:
    """Return all sessions of a month in order of time."""
    written = {row["at"]: row for row in rows["session"]}
    routine = _routine(rows["routine"])
    found = []
    for number in range(1, SESSIONS + 1):
        row = written.get(number) or next(routine)
        at = BEGIN + (number - 1) * DAYS * DAY // SESSIONS
        found.append(_session(rows["main"], number, at, row))
    counts: dict[str, int] = {}
    for row in rows["elsewhere"]:
        counts[row["project"]] = number = counts.get(row["project"], 0) + 1
        found.append(_session(row["project"], number, BEGIN + (row["day"] - 1) * DAY + AFTERNOON, row))
    return sorted(found, key=lambda session: session.at)


def _session(project: str, number: int, at: int, row: Mapping[str, Any]) -> Session:
    by = row.get("by") or BY[number % len(BY)]
    return Session(project, number, at, by, row.get("branch", "main"), tuple(map(_step, row["steps"])))


def _routine(rows: Sequence[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """Yield sessions of routine work: all rows with their first wording, then all with the second."""
    for turn in range(2):
        for row in rows:
            marks = " ".join(f"?{name}" for name in row.get("about", ()))
            asked = f"> {{{marks}}} {row['ask'][turn]}"
            yield {"steps": [asked, *(step.replace("{n}", str(turn)) for step in row["steps"])]}


def _step(text: str) -> Step:
    verb, _, rest = text.partition(" ")
    found = _MARKS.match(rest)
    marks = tuple(found[1].split()) if found else ()
    rest = rest[found.end() :] if found else rest
    return Step(verb, (rest,) if verb in ("<", ">") else tuple(rest.split(" | ")), marks)


class Project:
    """A project on disk: a git repository with files, branches and commits."""

    def __init__(self, root: Path, row: Mapping[str, Any]) -> None:
        self.root = root
        self._areas: Mapping[str, Sequence[str]] = row["areas"]
        self._branches: Mapping[str, Sequence[str]] = row["branches"]
        self.branch = "main"
        self.recent: list[set[str]] = []
        root.mkdir(parents=True)
        self._git("init", "-q", "-b", "main")
        for path, text in row["files"].items():
            self.write(path, text)
        self.commit("Begin")

    def begin(self, branch: str) -> None:
        """Check out the branch of a session, at what was committed last, and begin to note which areas it touches."""
        self.recent = [*self.recent[-2:], set()]
        if branch != self.branch:
            self._git("checkout", "-q", "-B", branch)
            self.branch = branch

    def at_hand(self, branch: str) -> frozenset[str]:
        """Return the areas at hand when a session starts: of its branch, and of the last three sessions."""
        return frozenset().union(self._branches.get(branch, ()), *self.recent[-3:])

    def read(self, path: str) -> str:
        """Return the text of a file."""
        self._touch(path)
        return (self.root / path).read_text(encoding="utf-8")

    def write(self, path: str, text: str) -> None:
        """Write a file."""
        self._touch(path)
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")

    def commit(self, subject: str) -> None:
        """Commit everything that changed."""
        self._git("add", "-A")
        self._git("commit", "-q", "--allow-empty", "-m", subject)

    def _touch(self, path: str) -> None:
        if self.recent:
            self.recent[-1].update(
                area for area, folders in self._areas.items() if any(path.startswith(folder) for folder in folders)
            )

    def _git(self, *words: str) -> None:
        when = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(clock.now()))
        author = {f"GIT_{role}_{part}": value for role in ("AUTHOR", "COMMITTER")
                  for part, value in (("NAME", "Dev"), ("EMAIL", "dev@example.org"), ("DATE", when))}  # fmt: skip
        nothing = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
        subprocess.run(["git", *words], cwd=self.root, env={**os.environ, **nothing, **author}, check=True)
