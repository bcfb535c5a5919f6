"""Statistics of a commit history: files that change together, hot files, and who knows which folder.

Commits come newest first, so a renamed file counts under its current name. Memory is bounded: pairs that were seen once
are dropped when there are too many.
"""

from __future__ import annotations

import posixpath
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from recollect.history.change_worth import is_aside
from recollect.history.commit_log import Commit
from recollect.history.history_record import Found, day
from recollect.text.display import plural

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
LISTED_FILES = 15
LISTED_PEOPLE = 4
# Folders with a list of people, their depth, and their least number of commits.
FOLDERS = 20
FOLDER_DEPTH = 2
FOLDER_COMMITS = 20
# A year before the newest commit.
LATELY_S = 365 * 86_400


class Changes(NamedTuple):
    """The number of changes, and the time of the last."""

    times: int = 0
    last: int = 0

    def again(self, at: int) -> Changes:
        return Changes(self.times + 1, max(self.last, at))


class Tally:
    """Counts over the commits of a history."""

    def __init__(self, present: Collection[str]) -> None:
        self._present = present
        self._names: dict[str, str] = {}
        self._pairs: Counter[tuple[str, str]] = Counter()
        self._files: dict[str, Changes] = defaultdict(Changes)
        self._lately: Counter[str] = Counter()
        self._fixed: Counter[str] = Counter()
        self._people: dict[str, dict[str, Changes]] = defaultdict(dict)
        self._commits = 0
        self._newest = 0
        self._oldest = 0

    def add(self, commit: Commit, *, is_fix: bool) -> None:
        """Count a commit."""
        self._commits += 1
        self._newest = max(self._newest, commit.at)
        self._oldest = min(self._oldest or commit.at, commit.at)
        paths = sorted({path for file in commit.files if (path := self._now(file.path)) in self._present})
        for file in commit.files:
            if file.before:
                self._names[file.before] = self._now(file.path)
        if not paths or len(paths) > MOST_FILES:
            return
        for path in paths:
            self._files[path] = self._files[path].again(commit.at)
            self._fixed[path] += is_fix
            self._lately[path] += commit.at > self._newest - LATELY_S
        for folder in {folder for path in paths for folder in _folders(path)}:
            known = self._people[folder]
            known[commit.author] = known.get(commit.author, Changes()).again(commit.at)
        for place, first in enumerate(paths):
            for second in paths[place + 1 :]:
                self._pairs[first, second] += 1
        if len(self._pairs) > MOST_PAIRS:
            self._pairs = Counter({pair: times for pair, times in self._pairs.items() if times > 1})

    def found(self) -> Iterator[Found]:
        """Yield the records of the statistics."""
        if not self._commits:
            return
        yield from self._together()
        yield from self._hot()
        yield from self._who()

    def _now(self, path: str) -> str:
        return self._names.get(path, path)

    # --- what changes together ---

    def _together(self) -> Iterator[Found]:
        partners: dict[str, list[tuple[int, str]]] = defaultdict(list)
        for (first, second), times in self._pairs.items():
            if times >= LEAST_SUPPORT:
                partners[first].append((times, second))
                partners[second].append((times, first))
        code = (path for path in partners if not is_aside((path,)))
        often = sorted(code, key=lambda path: (-self._files[path].times, path))
        for path in often[:TOLD_FILES]:
            of = self._files[path].times
            close = sorted(
                ((times, other) for times, other in partners[path] if times >= LEAST_CONFIDENCE * of),
                key=lambda row: (-row[0], row[1]),
            )[:PARTNERS]
            if close:
                yield self._pairing(path, of, close)

    def _pairing(self, path: str, of: int, close: list[tuple[int, str]]) -> Found:
        told = "; ".join(f"{other} (in {times} of its {of} commits, {100 * times // of} %)" for times, other in close)
        return Found(
            key=f"together:{path}",
            rule="together",
            title=f"Files that usually change with {path}",
            content=f"Files that usually change with {path}: {told}.",
            memory_type="pattern",
            at=self._files[path].last,
            importance=0.5,
            tags=("git", "co-change"),
            metadata={
                "path": path,
                "commits": of,
                "together": [{"path": other, "commits": times} for times, other in close],
            },
        )

    # --- what changes most ---

    def _hot(self) -> Iterator[Found]:
        times = {path: worked.times for path, worked in self._files.items()}
        since = f"{plural(self._commits, 'commit')} from {day(self._oldest)} to {day(self._newest)}"
        year = f"the year before {day(self._newest)}"
        for key, title, counted, of in (
            ("hot", "Most frequently changed files (hot spots)", times, since),
            ("hot-lately", "Most frequently changed files recently (hot spots)", self._lately, year),
            ("fixed", "Files with the most bug fixes", self._fixed, since),
        ):
            best = sorted(((count, path) for path, count in counted.items() if count > 1), key=lambda r: (-r[0], r[1]))
            if best:
                told = "; ".join(f"{path} ({plural(count, 'commit')})" for count, path in best[:LISTED_FILES])
                yield self._summed(key, title, f"{title}, in {of}: {told}.")

    # --- who knows what ---

    def _who(self) -> Iterator[Found]:
        size = {folder: sum(worked.times for worked in known.values()) for folder, known in self._people.items()}
        large = [
            folder
            for folder in size
            if size[folder] >= (FOLDER_COMMITS if folder else 2) and not is_aside((f"{folder}/file.py",))
        ]
        for folder in sorted(large, key=lambda name: (-size[name], name))[:FOLDERS]:
            known = self._people[folder]
            best = sorted(known, key=lambda name: (-known[name].times, name))[:LISTED_PEOPLE]
            told = "; ".join(
                f"{name} ({plural(known[name].times, 'commit')}, last {day(known[name].last)})" for name in best
            )
            where = f"{folder}/" if folder else "this project"
            title = f"Who knows {where}"
            more = f" and {len(known) - len(best)} more people" if len(known) > len(best) else ""
            content = f"People to ask about the code in {where}, by number of commits: {told}{more}."
            yield self._summed(f"who:{folder}", title, content, folder=folder)

    def _summed(self, key: str, title: str, content: str, **about: str) -> Found:
        return Found(
            key=key,
            rule="who" if key.startswith("who") else "hot",
            title=title,
            content=content,
            memory_type="context" if key.startswith("who") else "pattern",
            at=self._newest,
            importance=0.4,
            tags=("git", "people" if key.startswith("who") else "hot-files"),
            metadata={"commits": self._commits, **about},
        )


def _folders(path: str) -> Iterable[str]:
    """Return the folders of a file from the root ("") down to FOLDER_DEPTH."""
    parts = posixpath.dirname(path).split("/") if "/" in path else []
    return ["", *("/".join(parts[: depth + 1]) for depth in range(min(len(parts), FOLDER_DEPTH)))]
