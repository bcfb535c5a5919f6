"""Tool preferences: of several tools for one purpose, the one that is taken nearly always.

A purpose is a row of a table: its rivals, each by the words its command lines begin with. What is used without a rival
counts too, once it was used often enough: a project that only ever runs pnpm prefers it to npm.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from recollect.capture.fingerprint import same_command
from recollect.model import Observed, Pattern
from recollect.patterns.chance import surely
from recollect.patterns.seen import pattern, sessions

# The share of uses that can be counted on: 9 of 9, or 18 of 20. Below it, both are in use.
LEAST_SHARE = 0.7
# In one session everybody stays with what worked a minute ago.
LEAST_SESSIONS = 3


class Purpose(NamedTuple):
    """What rivals are for. is_project: a choice of the project, not a habit of the assistant."""

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

# The words that a command line may begin with → the purpose and the rival that they mean. Longer ones come first.
_STARTS: tuple[tuple[tuple[str, ...], str, str], ...] = tuple(
    sorted(
        (
            (tuple(words.split()), purpose.name, rival)
            for purpose in PURPOSES
            for rival, starts in purpose.rivals.items()
            for words in starts
        ),
        key=lambda row: -len(row[0]),
    )
)
_BY_FIRST: dict[str, list[tuple[tuple[str, ...], str, str]]] = defaultdict(list)
for _row in _STARTS:
    _BY_FIRST[_row[0][0]].append(_row)
_BEFORE = frozenset({"sudo", "time", "exec", "command", "env", "nice"})
PROJECT_PURPOSES = frozenset(purpose.name for purpose in PURPOSES if purpose.is_project)


def tool_preferences(rows: Iterable[Observed]) -> list[Pattern]:
    """Return the tools that are preferred for a purpose, surest first."""
    uses: dict[str, dict[str, list[Observed]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        for purpose, rival in chosen(row):
            uses[purpose][rival].append(row)
    found = []
    for purpose, rivals in uses.items():
        of = sum(map(len, rivals.values()))
        best = max(rivals, key=lambda rival: (len(rivals[rival]), rival))
        share = surely(len(rivals[best]), of)
        if share >= LEAST_SHARE and len(sessions(rivals[best])) >= LEAST_SESSIONS:
            others = ", ".join(sorted(rivals.keys() - {best}))
            told = f"for {purpose}, {best} was used {len(rivals[best])} of {of} times"
            told += f" (otherwise {others})" if others else ""
            found.append(pattern("tool_preference", f"{purpose}: {best}", told, share, rivals[best]))
    return sorted(found, key=lambda row: (-row.confidence, row.subject))


def chosen(row: Observed) -> Iterator[tuple[str, str]]:
    """Yield which tool was taken for which purpose; one that failed was not preferred."""
    if row.event != "tool" or row.outcome == "failed":
        return
    if row.tool != "shell":
        yield from _meant([f"<{row.tool}>"])
        return
    told: set[tuple[str, str]] = set()
    for part in re.split(r"&&|\|\||;", same_command(row.target)):
        words = part.partition("|")[0].split()
        while words and (words[0] in _BEFORE or re.fullmatch(r"[A-Z_][A-Z0-9_]*=\S*", words[0])):
            words = words[1:]
        told.update(_meant(words))
    yield from sorted(told)


def _meant(words: list[str]) -> Iterator[tuple[str, str]]:
    """Yield what the beginning of a command line means, for each purpose the longest: `uv run pytest` is both."""
    done = set()
    for start, purpose, rival in _BY_FIRST.get(words[0], ()) if words else ():
        if purpose not in done and tuple(words[: len(start)]) == start:
            done.add(purpose)
            yield purpose, rival
