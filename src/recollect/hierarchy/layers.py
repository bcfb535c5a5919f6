"""Layers of a project: its components, their dependencies, cycles and the order that results.

files ─► folders, the large ones split ─► dependencies ─► cycles grouped ─► layers, dependents above
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from recollect.engine import FileUses, Source

if TYPE_CHECKING:
    from recollect.engine import Project, SymbolRow

# The maximum number of components; one below this share of the code is not split further.
MOST_PARTS = 28
LARGE = 0.06
# Below this many components the project is flat: single files are components, at most this many of a folder.
FEW_PARTS = 4
MOST_FILES = 24
# A dependency counts if it is at least this share of both directions: single backward uses (a type that is only named,
# a test helper) would turn everything into cycles.
ONE_WAY = 0.2
# Folders that are not the project's own code.
SECONDARY = frozenset(
    "bench benches benchmark benchmarks doc docs example examples fixtures sample samples script scripts vendor"
    " testdata third_party node_modules website tutorial tutorials tools hack build dist"
    " tests __tests__ spec specs".split()
)


class Component(NamedTuple):
    """A folder (its path ends with a slash) or a file, with its files and their size."""

    name: str
    files: tuple[str, ...]
    size_bytes: int


class Architecture(NamedTuple):
    """The components of a project by name, their dependencies with counts, layers and cycles."""

    components: dict[str, Component]
    uses: Counter[tuple[str, str]]
    layers: tuple[tuple[str, ...], ...]
    cycles: tuple[tuple[str, ...], ...]


def is_secondary(path: str) -> bool:
    """Return whether a file is not the project's own code: an example, a document, a script, test data."""
    folders = [word.lower() for word in PurePosixPath(path).parts[:-1]]
    return any(word in SECONDARY or word.startswith(".") for word in folders) or folders[:1] == ["test"]


def own_symbols(project: Project) -> dict[str, list[SymbolRow]]:
    """Return the symbols of a project's own code by path, without tests."""
    rows = project.symbols.items()
    return {path: rows for path, rows in rows if not project.code[path].is_test and not is_secondary(path)}


def short_names(names: Collection[str]) -> dict[str, str]:
    """Return the shortest unique name of each component: its last folder, or the whole path."""
    last = {name: PurePosixPath(name).name + ("/" if name.endswith("/") else "") for name in names}
    times = Counter(last.values())
    return {name: word if times[word] == 1 and word != "/" else name for name, word in last.items()}


def architecture(files: Mapping[str, Source], found: FileUses) -> Architecture:
    """Return the components and layers of a project's own code."""
    parts = {part.name: part for part in _divided(files)}
    owner = {path: part.name for part in parts.values() for path in part.files}
    uses: Counter[tuple[str, str]] = Counter()
    for use in found.uses:
        one, other = owner.get(use.user), owner.get(use.used)
        if one is not None and other is not None and one != other:
            uses[one, other] += 1
    layers, cycles = _layers(parts, _dependencies(uses))
    return Architecture(parts, uses, layers, cycles)


# --- folders ---


def _divided(files: Mapping[str, Source]) -> list[Component]:
    """Return the components: the largest folder is split until all are small or there are many."""
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


def _smaller(part: Component, files: Mapping[str, Source]) -> list[Component]:
    """Return the subfolders of a folder, and its own files as one component of its name."""
    groups: dict[str, list[str]] = defaultdict(list)
    for path in part.files:
        rest = path.removeprefix(part.name)
        folder, slash, _ = rest.partition("/")
        groups[f"{part.name}{folder}/" if slash else part.name or "./"].append(path)
    return [_part(name, paths, files) for name, paths in sorted(groups.items())]


def _single_files(part: Component, files: Mapping[str, Source]) -> list[Component]:
    """Return the largest files of a component as components; the others stay together."""
    if len(part.files) <= 1:
        return [part]
    order = sorted(part.files, key=lambda path: (-files[path].size_bytes, path))
    alone, others = order[:MOST_FILES], order[MOST_FILES:]
    made = [_part(path, [path], files) for path in alone]
    return [*made, _part(part.name or "./", others, files)] if others else made


def _part(name: str, paths: Iterable[str], files: Mapping[str, Source]) -> Component:
    chosen = tuple(sorted(paths))
    return Component(name, chosen, sum(files[path].size_bytes for path in chosen))


# --- layers ---


def _dependencies(uses: Counter[tuple[str, str]]) -> dict[str, set[str]]:
    """Return the dependencies of each component, without single uses against many backward ones."""
    after: dict[str, set[str]] = defaultdict(set)
    for (one, other), count in uses.items():
        if count >= ONE_WAY * (count + uses.get((other, one), 0)):
            after[one].add(other)
    return after


def _layers(
    parts: Collection[str], after: Mapping[str, set[str]]
) -> tuple[tuple[tuple[str, ...], ...], tuple[tuple[str, ...], ...]]:
    """Return the components in layers, unused ones first, and the cycles among them."""
    reached = {name: _reached(name, after) for name in parts}
    groups = {name: tuple(sorted(other for other in reached[name] if name in reached[other])) for name in parts}
    height: dict[tuple[str, ...], int] = {}
    # A dependency reaches fewer components than its dependents, so it comes first.
    for group in sorted(set(groups.values()), key=lambda group: (len(reached[group[0]]), group)):
        below = {groups[other] for other in reached[group[0]]} - {group}
        height[group] = 1 + max((height[other] for other in below), default=-1)
    layers: dict[int, list[str]] = defaultdict(list)
    for name in sorted(parts):
        layers[height[groups[name]]].append(name)
    made = tuple(tuple(layers[level]) for level in sorted(layers, reverse=True))
    return made, tuple(group for group in height if len(group) > 1)


def _reached(name: str, after: Mapping[str, set[str]]) -> set[str]:
    """Return a component with all that it depends on, directly or not."""
    found, waiting = {name}, [name]
    while waiting:
        new = after.get(waiting.pop(), set()) - found
        found |= new
        waiting += new
    return found
