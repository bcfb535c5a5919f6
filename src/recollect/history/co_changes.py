"""Files of a project that usually change together, counted over its commits.

Commits come newest first, so a renamed file counts under its current name. Memory is bounded: pairs that were seen once
are dropped when there are too many.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator
from itertools import combinations

from recollect.history.change_worth import is_aside
from recollect.history.commit_log import Commit
from recollect.history.history_record import Found

# Commits of more files are moves and reformattings.
MOST_FILES = 30
# About 60 MB.
MOST_PAIRS = 400_000
# The least number and share of common commits; less is chance, or tells an editor nothing.
LEAST_SUPPORT = 4
LEAST_CONFIDENCE = 0.4
# Partners listed for a file, and files with a list, the most changed first: a few of all memories.
PARTNERS = 5
TOLD_FILES = 40


class Tally:
    """Counts over the commits of a history."""

    def __init__(self, present: Collection[str]) -> None:
        self._present = present
        self._names: dict[str, str] = {}
        self._pairs: Counter[tuple[str, str]] = Counter()
        self._times: Counter[str] = Counter()
        self._last: dict[str, int] = {}

    def add(self, commit: Commit) -> None:
        """Count a commit."""
        paths = sorted({path for file in commit.files if (path := self._now(file.path)) in self._present})
        for file in commit.files:
            if file.before:
                self._names[file.before] = self._now(file.path)
        if not paths or len(paths) > MOST_FILES:
            return
        self._times.update(paths)
        for path in paths:
            self._last[path] = max(self._last.get(path, 0), commit.at)
        self._pairs.update(combinations(paths, 2))
        if len(self._pairs) > MOST_PAIRS:
            self._pairs = Counter({pair: times for pair, times in self._pairs.items() if times > 1})

    def found(self) -> Iterator[Found]:
        """Yield a record for each file that others change with."""
        partners: dict[str, list[tuple[int, str]]] = defaultdict(list)
        for (first, second), times in self._pairs.items():
            if times >= LEAST_SUPPORT:
                partners[first].append((times, second))
                partners[second].append((times, first))
        code = (path for path in partners if not is_aside((path,)))
        often = sorted(code, key=lambda path: (-self._times[path], path))
        for path in often[:TOLD_FILES]:
            least = LEAST_CONFIDENCE * self._times[path]
            close = sorted((row for row in partners[path] if row[0] >= least), key=lambda row: (-row[0], row[1]))
            if close:
                yield self._pairing(path, close[:PARTNERS])

    def _now(self, path: str) -> str:
        return self._names.get(path, path)

    def _pairing(self, path: str, close: list[tuple[int, str]]) -> Found:
        of = self._times[path]
        told = "; ".join(f"{other} (in {times} of its {of} commits, {100 * times // of} %)" for times, other in close)
        return Found(
            key=f"together:{path}",
            rule="together",
            title=f"Files that usually change with {path}",
            content=f"Files that usually change with {path}: {told}.",
            memory_type="pattern",
            at=self._last[path],
            importance=0.5,
            tags=("git", "co-change"),
            metadata={
                "path": path,
                "commits": of,
                "together": [{"path": other, "commits": times} for times, other in close],
            },
        )
