"""What fills a window before a task is begun: plain ways to do it, to compare the hierarchy with.

grep   for the names in the task: the files that hold most of them, whole; or for all of its words, rare ones and names
       counting more, which no grep does: that is a small search engine, and the hardest of these to beat
map    the repository map, around what the task names: what it names counts as outlined, or its files, opened
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from hierarchy_tasks import CODE, Lines
from recollect import Engine
from recollect.errors import RecollectError

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
