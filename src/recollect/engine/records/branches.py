"""Branches: how the branches that memories were written on relate to the one that is checked out.

    written     branch, unless it is the default one, and commit of the work tree     kept with the memory
    recalled    here ─ ordinary ─ elsewhere                                           relative to the current branch

Memories of the current branch rank first. Memories of another branch are ordinary once it is merged here; until then
they are marked and rank lower, since they may never become true of this code.

Git is asked once per question whether commits, or all that they changed, are part of the current history; answers
are kept. It is never asked for longer than a recall may take, and fetches nothing. A caller that cannot wait for a
program (`asks_git = False`) uses the answers known so far.
"""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from recollect.engine.records import input_checks
from recollect.engine.records.checkout import Checkout, checkout, tip, work_tree
from recollect.engine.records.identity import is_path, namespace_of, project_root
from recollect.git import Folders, opened
from recollect.model import Branched, Hit, Memory
from recollect.store.store_values import Written

if TYPE_CHECKING:
    from recollect.settings import Settings


# Answers kept by a process: pairs of commits, a hundred bytes each.
MAX_KNOWN = 20_000
# Commits per question to git: more than a project has active branches.
MAX_ASKED = 200
# Branches whose changes are compared at a time: each takes git some 10 ms, once for each state of the repository.
MAX_COMPARED = 8
# Commits of a branch that are read: a longer branch is a project of its own.
MAX_OWN = 5_000
# Types of memories that hold on every branch: rules and preferences of people.
OF_THE_PROJECT = frozenset({"preference", "style"})
_THIS = re.compile(r"\b(?:this|the current) branch\b", re.IGNORECASE)
# Marks a commit below which there is none of the branch's own: what the memory is about came later.
LATER = "+"

_COMMIT = re.compile("[0-9a-f]{40}|[0-9a-f]{64}")
_NOTES: Mapping[str, str] = {
    "here": "written on this branch",
    "merged": "from branch {name}, merged here",
    "same": "from branch {name}, which has no commit of its own",
    "gone": "from branch {name}, now deleted",
    "elsewhere": "on branch {name}, not merged here",
    "lost": "on branch {name}, deleted and not merged here",
    "unknown": "on branch {name}",
}


class Position(NamedTuple):
    """The branch (None: the default one, or none) and the commit of a write."""

    branch: str | None = None
    head: str | None = None


NOWHERE = Position()


class Branches:
    """Relations of memories' branches to the one that is checked out."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        # The prompt hook has no time to run a program.
        self.asks_git = True
        self._known: dict[tuple[str, str, str], bool] = {}
        self._lock = threading.Lock()

    # --- writing ---

    def written(self, near: str | None, namespace: str | None) -> Position:
        """Return where a memory of a namespace is being written.

        near: what the caller named the project by; a folder of it says which work tree, else the current one does
        """
        found = self._seen_from(near, namespace) if namespace is not None else None
        return self.of(found)

    def of(self, found: Checkout | None) -> Position:
        """Return where something is that is written in a work tree."""
        if found is None or not found.head:
            return NOWHERE
        if not found.branch or found.is_default:
            return Position(None, found.head)
        main = tip(found.common, found.default)
        # A branch that was just made has nothing of its own: being part of the default branch says nothing then.
        is_later = main == found.head or (bool(main) and self._reach(found.common, main, [found.head])[found.head])
        return Position(found.branch, found.head + LATER * bool(is_later))

    def own(self, root: str) -> tuple[str | None, frozenset[str]]:
        """Return the branch of a work tree (None: the default one) and its own commits."""
        found = checkout(root)
        if found is None or not found.branch or found.is_default:
            return None, frozenset()
        main = tip(found.common, found.default)
        words = ("rev-list", f"--max-count={MAX_OWN}", found.head, *([f"^{main}"] if main else []))
        told = git(found.common, *words) if found.head and main else None
        return found.branch, frozenset((told or "").split())

    # --- recalling ---

    def marked(self, hits: Sequence[Hit], near: str | None) -> tuple[Hit, ...]:
        """Return hits with how the branches stand that they were written on."""
        told = {hit.memory.id: written for hit in hits if (written := written_on(hit.memory)) is not None}
        if not told:
            return tuple(hits)
        stands = self.standings(told.values(), near)
        return tuple(
            msgspec.structs.replace(hit, branch=stands[told[hit.memory.id]]) if hit.memory.id in told else hit
            for hit in hits
        )

    def standings(self, places: Iterable[Written], near: str | None) -> dict[Written, Branched]:
        """Return how the branches of memories stand to what is checked out.

        near: what the caller named the project by; a folder of it says which work tree, else the current one does
        """
        by_project: dict[str | None, list[Written]] = {}
        for place in dict.fromkeys(places):
            by_project.setdefault(place.namespace, []).append(place)
        found: dict[Written, Branched] = {}
        for namespace, rows in by_project.items():
            seen_from = self._seen_from(near, namespace) or _of_project(namespace)
            for place, standing in zip(rows, self._standings(seen_from, rows), strict=True):
                found[place] = _branched(place.branch, standing)
        return found

    def filter(self, branch: str | None, near: str | None) -> dict[str, object]:
        """Return the filter for memories that were written on a branch; default: all branches.

        near: what the caller named the project by. Its default branch holds memories written on no other.
        """
        name = input_checks.label("branch", branch)
        if name is None:
            return {}
        found = self._seen_from(near, namespace := namespace_of(near)) or _of_project(namespace)
        return {"branch": None if found is not None and name == found.default else name}

    def _seen_from(self, near: str | None, namespace: str | None) -> Checkout | None:
        """Return the caller's work tree of a project, or of any project without a namespace."""
        for folder in (near if near and is_path(near) else None, ".", self._settings.namespace):
            if not folder or not is_path(folder):
                continue
            with suppress(OSError, ValueError, RuntimeError):  # a folder that is gone, or the home of an unknown user
                root = work_tree(folder)
                if namespace is None or project_root(Path(root)) == namespace:
                    return checkout(root)
        return None

    def _standings(self, seen: Checkout | None, rows: Sequence[Written]) -> list[str]:
        if seen is None or not seen.head:
            return ["unknown"] * len(rows)
        tips = {row.branch: tip(seen.common, row.branch) for row in rows if row.branch != seen.branch}
        asked = {row.head.rstrip(LATER) for row in rows if row.branch in tips} | set(tips.values())
        reach = self._reach(seen.common, seen.head, sorted(commit for commit in asked if _COMMIT.fullmatch(commit)))
        # A branch that was squashed or rebased into this one has commits of its own, but no changes of its own.
        ends = dict.fromkeys(tips[row.branch] or row.head for row in rows if row.branch in tips)
        alone = [commit for commit in ends if reach.get(commit) is False][:MAX_COMPARED]
        for commit in alone:
            key = (f"held by {seen.common}", seen.head, commit)
            reach[commit] = self._answer(key, partial(is_held, seen.common, seen.head, commit))
        found = ["here" if row.branch == seen.branch else _standing(row, tips[row.branch], reach) for row in rows]
        return [
            "elsewhere" if standing == "lost" and self._is_alive(seen, row.head.rstrip(LATER)) else standing
            for row, standing in zip(rows, found, strict=True)
        ]

    def _answer(self, key: tuple[str, str, str], ask: Callable[[], bool]) -> bool:
        """Return what git answered once; false where it is not asked."""
        if key not in self._known and self.asks_git:
            self._known[key] = ask()
        return self._known.get(key, False)

    def _is_alive(self, seen: Checkout, commit: str) -> bool:
        """Tell whether a branch still has a commit: its own branch was renamed or continued."""
        key = (f"alive in {seen.common}", seen.head, commit)
        words = ("for-each-ref", "--count=1", "--format=x", f"--contains={commit}", "refs/heads")
        return self._answer(key, lambda: bool(git(seen.common, *words)))

    def _reach(self, common: Path, head: str, commits: Sequence[str]) -> dict[str, bool | None]:
        """Return whether commits are part of the history of `head`; None: unknown."""
        keys = {commit: (str(common), head, commit) for commit in commits}
        with self._lock:
            known: dict[str, bool | None] = {
                commit: True if commit == head else self._known.get(key) for commit, key in keys.items()
            }
        unknown = [commit for commit, is_part in known.items() if is_part is None][:MAX_ASKED]
        answers = part_of(common, head, unknown) if unknown and self.asks_git else {}
        with self._lock:
            if len(self._known) + len(answers) > MAX_KNOWN:
                self._known.clear()
            self._known.update({keys[commit]: is_part for commit, is_part in answers.items()})
        return known | answers


def written_on(memory: Memory) -> Written | None:
    """Return the branch of a memory; None for the default one, or none."""
    return Written(memory.namespace, memory.branch, memory.head or "") if memory.branch else None


def holds_everywhere(memory_type: str, text: str, branch: str | None) -> bool:
    """Tell whether a memory holds on every branch: a rule or a preference that names no branch."""
    return memory_type in OF_THE_PROJECT and not (_THIS.search(text) or (branch and branch in text))


def _standing(row: Written, now: str, reach: Mapping[str, bool | None]) -> str:
    """Return how a branch stands of which this was written.

    now: the commit that it is at, "" where there is no such branch any more
    """
    then, is_later = row.head.rstrip(LATER), row.head.endswith(LATER)
    was_merged = reach.get(then)
    if not now:
        if was_merged is None:
            return "unknown"
        return ("gone" if is_later else "merged") if was_merged else "lost"
    is_merged = reach.get(now)
    if is_merged is None:
        return "unknown"
    if is_merged:  # also where nothing was committed on the branch since it was made
        return "same" if is_later and now == then else "merged"
    return "merged" if was_merged and not is_later else "elsewhere"


def _branched(name: str, standing: str) -> Branched:
    note = _NOTES[standing].format(name=name)
    # A deleted branch was mostly squashed into another; it cannot be told from an abandoned one.
    short = {"gone": "merged", "same": "merged", "lost": "unknown"}.get(standing, standing)
    return Branched(name=name, standing=short, note=note)  # type: ignore[arg-type]


def _of_project(namespace: str | None) -> Checkout | None:
    """Return the first work tree of a project, for a caller outside of it."""
    return checkout(namespace) if namespace is not None and os.path.isabs(namespace) else None  # noqa: PTH117


# Asking git takes some milliseconds; a repository on a drive that hangs must not hang a recall.
GIT_TIMEOUT_S = 3.0
# Files of a branch that are compared, and commits that are searched for them: more is not a feature branch.
MAX_BRANCH_FILES = 300
MAX_SEARCHED = 1_000


def part_of(common: Path, head: str, commits: Sequence[str]) -> dict[str, bool]:
    """Return whether commits are part of the history of `head`; {} where git fails.

    A commit that the repository does not have any more is part of nothing.
    """
    told = git(common, "cat-file", "--batch-check=%(objectname) %(objecttype)", given=(head, *commits))
    if told is None:
        return {}
    there = {name for name, _, kind in (line.partition(" ") for line in told.split("\n")) if kind == "commit"}
    if head not in there:
        return {}
    asked = [commit for commit in commits if commit in there]
    # What is left of their histories without that of `head` begins with those that are not part of it.
    left = git(common, "rev-list", "--stdin", given=(*asked, f"^{head}")) if asked else ""
    if left is None:
        return {}
    outside = set(left.split("\n"))
    return {commit: commit in there and commit not in outside for commit in commits}


def is_held(common: Path, head: str, commit: str) -> bool:
    """Tell whether the history of `head` once had every file as a branch changed it up to a commit.

    So it is after the branch was squashed or rebased to be merged. Only the names of contents are compared.
    """
    base = (git(common, "merge-base", head, commit) or "").strip()
    if not base:
        return False
    raw = ("--raw", "-r", "-z", "--no-renames", "--no-abbrev")
    changed = set(_contents(git(common, "diff-tree", *raw, base, commit) or ""))
    if len(changed) > MAX_BRANCH_FILES:
        return False
    paths = sorted({path for path, _ in changed})
    words = ("log", *raw, "--format=", f"--max-count={MAX_SEARCHED}", f"{base}..{head}", "--", *paths)
    return changed <= set(_contents(git(common, *words) or ""))


def _contents(told: str) -> Iterator[tuple[str, str]]:
    """Yield the files of raw differences, each with the hash of its new content."""
    parts = iter(told.split("\0"))
    for part in parts:
        words = part.strip().split(" ")
        if words[0].startswith(":") and len(words) == 5:
            yield next(parts, ""), words[3]


def git(common: Path, *words: str, given: Collection[str] = ()) -> str | None:
    """Return what git prints; None where it fails, takes too long or is not there."""
    with opened(Folders(common.parent, common, common)) as repository:
        told = repository.run(*words, given="".join(f"{row}\n" for row in given).encode(), timeout_s=GIT_TIMEOUT_S)
    return told.text if not told.problem else None
