"""Pointers: which files a report names, as frames of a traceback, by their paths, or as modules of dotted names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from recollect.code.search.report import Report, path_parts

# Files that stand for the folder they lie in.
_FOLDERS = frozenset({"__init__", "index", "mod"})
# A name that fits more files than this points to none of them.
MAX_FITTING = 6


class Matches(NamedTuple):
    """The places of the files that each frame, each named file and each module may be."""

    frames: list[list[int]]
    cited: list[list[int]]
    modules: list[list[int]]


def matched(report: Report, paths: Sequence[str]) -> Matches:
    """Return which of the paths each pointer of a report may be."""
    parts = [path_parts(path) for path in paths]
    by_stem: dict[str, list[int]] = {}
    for place, path in enumerate(parts):
        if not path:
            continue
        by_stem.setdefault(path[-1], []).append(place)
        if path[-1] in _FOLDERS and len(path) > 1:
            by_stem.setdefault(path[-2], []).append(place)
    return Matches(
        [_fitting(pointer, parts, by_stem, least=2) for pointer in report.frames],
        [_fitting(pointer, parts, by_stem, least=1) for pointer in report.cited],
        [_module(pointer, parts, by_stem) for pointer in report.modules],
    )


def _module(pointer: tuple[str, ...], parts: Sequence[tuple[str, ...]], by_stem: dict[str, list[int]]) -> list[int]:
    """Return the files of the longest beginning of a dotted name that is a module."""
    for length in range(len(pointer), 1, -1):
        found = _fitting(pointer[:length], parts, by_stem, least=2)
        if found:
            return found
    return []


def _fitting(
    pointer: tuple[str, ...], parts: Sequence[tuple[str, ...]], by_stem: dict[str, list[int]], least: int
) -> list[int]:
    """Return the files whose path ends most like the pointer: in so many parts at least, or in all that one has."""
    if not pointer:
        return []
    best: list[int] = []
    most = 0
    for place in by_stem.get(pointer[-1], ()):
        path = parts[place] if parts[place][-1] == pointer[-1] else parts[place][:-1]
        common = _common(pointer, path)
        if common < least and common < len(path):
            continue
        if common > most:
            best, most = [place], common
        elif common == most:
            best.append(place)
    return best if len(best) <= MAX_FITTING else []


def _common(one: tuple[str, ...], other: tuple[str, ...]) -> int:
    """Return how many of the last parts are the same."""
    count = 0
    for left, right in zip(reversed(one), reversed(other), strict=False):
        if left != right:
            break
        count += 1
    return count
