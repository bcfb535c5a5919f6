"""Parts: the folders a project consists of, what each is for, which use which, and the layers that makes.

files ─► folders, the large ones divided ─► uses between them ─► circles drawn together ─► layers, users above
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import PurePosixPath
from typing import NamedTuple

from recollect.engine.file_uses import FileUses
from recollect.engine.sources import Source

# So many parts can be read at a glance; a part with less than this share of the code is not divided further.
MOST_PARTS = 28
LARGE = 0.06
# Below so many parts, single files are parts: the project is flat.
FEW_PARTS = 4
MOST_FILES = 24
# A use counts if it is at least this share of all uses between the two, either way: single backward uses (a type that
# is only named, a test helper) would make circles of everything.
ONE_WAY = 0.2
# Folders that are not what the project does.
ASIDE = frozenset(
    "bench benches benchmark benchmarks doc docs example examples fixtures sample samples script scripts vendor"
    " testdata third_party node_modules website tutorial tutorials tools hack build dist"
    " tests __tests__ spec specs".split()
)


class Part(NamedTuple):
    """A folder (its path ends with a slash), or a file, and the files that belong to it."""

    name: str
    files: tuple[str, ...]
    size_bytes: int


class Shape(NamedTuple):
    """The parts of a project by name, how often each uses another, the layers, users first, and what is in circles."""

    parts: dict[str, Part]
    uses: Counter[tuple[str, str]]
    layers: tuple[tuple[str, ...], ...]
    circles: tuple[tuple[str, ...], ...]


def is_aside(path: str) -> bool:
    """Tell whether a file lies beside what the project does: an example, a document, a script, data of tests."""
    folders = [word.lower() for word in PurePosixPath(path).parts[:-1]]
    return any(word in ASIDE or word.startswith(".") for word in folders) or folders[:1] == ["test"]


def short_names(names: Collection[str]) -> dict[str, str]:
    """Return a name for each part that is as short as it can be: its last word where no other part has it."""
    last = {name: PurePosixPath(name).name + ("/" if name.endswith("/") else "") for name in names}
    times = Counter(last.values())
    return {name: word if times[word] == 1 and word != "/" else name for name, word in last.items()}


def shape(files: Mapping[str, Source], found: FileUses) -> Shape:
    """Return how a project is made, of its code without tests and what lies aside."""
    parts = {part.name: part for part in _divided(files)}
    owner = {path: part.name for part in parts.values() for path in part.files}
    uses: Counter[tuple[str, str]] = Counter()
    for use in found.uses:
        one, other = owner.get(use.user), owner.get(use.used)
        if one is not None and other is not None and one != other:
            uses[one, other] += 1
    layers, circles = _layers(parts, _decided(uses))
    return Shape(parts, uses, layers, circles)


# --- folders ---


def _divided(files: Mapping[str, Source]) -> list[Part]:
    """Return the parts of a project: the largest folder is divided until all are small enough or they are many."""
    parts = [_part("", files, files)] if files else []
    whole = sum(source.size_bytes for source in files.values())
    done: set[str] = set()
    while len(parts) < MOST_PARTS:
        open_parts = [part for part in parts if (part.name not in done and part.name.endswith("/")) or part.name == ""]
        largest = max(open_parts, key=lambda part: (part.size_bytes, part.name), default=None)
        if largest is None or (largest.size_bytes < LARGE * whole and len(parts) >= FEW_PARTS):
            break
        smaller = _smaller(largest, files)
        if len(smaller) + len(parts) > MOST_PARTS + FEW_PARTS or (len(smaller) <= 1 and smaller[:1] == [largest]):
            done.add(largest.name)
            if largest.name == "":
                break
            continue
        parts = [part for part in parts if part != largest] + smaller
        done |= {part.name for part in smaller if part.name == largest.name}
    if len(parts) < FEW_PARTS:
        parts = [each for part in parts for each in _single_files(part, files)]
    return sorted(parts, key=lambda part: part.name)


def _smaller(part: Part, files: Mapping[str, Source]) -> list[Part]:
    """Return the folders of a folder, and the files that lie in it directly as one part of its name."""
    groups: dict[str, list[str]] = defaultdict(list)
    for path in part.files:
        rest = path.removeprefix(part.name)
        folder, slash, _ = rest.partition("/")
        groups[f"{part.name}{folder}/" if slash else part.name or "./"].append(path)
    return [_part(name, paths, files) for name, paths in sorted(groups.items())]


def _single_files(part: Part, files: Mapping[str, Source]) -> list[Part]:
    """Return the files of a part as parts, the largest ones; the others stay together."""
    if len(part.files) <= 1:
        return [part]
    order = sorted(part.files, key=lambda path: (-files[path].size_bytes, path))
    alone, others = order[:MOST_FILES], order[MOST_FILES:]
    made = [_part(path, [path], files) for path in alone]
    return [*made, _part(part.name or "./", others, files)] if others else made


def _part(name: str, paths: Iterable[str], files: Mapping[str, Source]) -> Part:
    chosen = tuple(sorted(paths))
    return Part(name, chosen, sum(files[path].size_bytes for path in chosen))


# --- layers ---


def _decided(uses: Counter[tuple[str, str]]) -> dict[str, set[str]]:
    """Return who uses whom, as far as that is not a single use against many the other way."""
    after: dict[str, set[str]] = defaultdict(set)
    for (one, other), count in uses.items():
        if count >= ONE_WAY * (count + uses.get((other, one), 0)):
            after[one].add(other)
    return after


def _layers(
    parts: Collection[str], after: Mapping[str, set[str]]
) -> tuple[tuple[tuple[str, ...], ...], tuple[tuple[str, ...], ...]]:
    """Return the parts in layers, those that nothing uses first, and the circles among them."""
    groups = _circles(sorted(parts), after)
    group = {name: number for number, names in enumerate(groups) for name in names}
    below = [
        sorted({group[other] for name in names for other in after.get(name, ()) if group[other] != number})
        for number, names in enumerate(groups)
    ]
    height: dict[int, int] = {}
    for number in range(len(groups)):  # in the order of _circles whatever is used comes first
        height[number] = 1 + max((height[other] for other in below[number]), default=-1)
    layers: dict[int, list[str]] = defaultdict(list)
    for number, names in enumerate(groups):
        layers[height[number]] += names
    made = tuple(tuple(sorted(layers[level])) for level in sorted(layers, reverse=True))
    return made, tuple(tuple(sorted(names)) for names in groups if len(names) > 1)


def _circles(names: Sequence[str], after: Mapping[str, set[str]]) -> list[list[str]]:
    """Return what uses each other in circles, each with all of its members; what is used before what uses it."""
    number: dict[str, int] = {}
    lowest: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(name: str) -> None:
        number[name] = lowest[name] = len(number)
        stack.append(name)
        for other in sorted(after.get(name, ())):
            if other not in number:
                visit(other)
                lowest[name] = min(lowest[name], lowest[other])
            elif other in stack:
                lowest[name] = min(lowest[name], number[other])
        if lowest[name] == number[name]:
            at = stack.index(name)
            found.append(stack[at:])
            del stack[at:]

    for name in names:  # as deep as there are parts, which are few
        if name not in number:
            visit(name)
    return found
