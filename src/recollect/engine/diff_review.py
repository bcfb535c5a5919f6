"""Review of a diff: what it changes, what that reaches, which tests to run, and what is remembered of it.

    diff ─► files, both sides ─► changed symbols ─┬─► blast radius: code, endpoints, tests, packages
                                                  ├─► memories anchored to it
                                                  └─► risk, by which all is sorted

The symbols are compared as they are in both states of the files, so they are right whatever the index knows; who uses
them comes from the index, and the notes say how old that is.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, cast

from recollect.code.code_records import Affected, ChangedSymbol, Review, RunTests
from recollect.code.diff.changed_symbols import SymbolChange, changed
from recollect.code.diff.file_sides import Sides, both, placed
from recollect.code.diff.runner_commands import Trial, commands
from recollect.code.diff.unified_diff import Diff, FileDiff, parse
from recollect.engine.blast import Around, Radius, Terrain, around, radius, seeds, terrain
from recollect.engine.risk import Weighed, risk
from recollect.engine.touched import Touched, touched
from recollect.model import File, Tree

if TYPE_CHECKING:
    from recollect.engine.root import Engine
    from recollect.store.link_protocol import LinkStore

# Changes whose surroundings are looked at one by one; a diff of more is a rewrite.
MOST_WEIGHED = 300
# Tests that command lines are made for: more than these and one runs all of them.
MOST_RUN = 500
# Less sure tests are named, and not run by the commands: over a chain of doubtful calls, or over two imports and more.
LEAST_RUN = 0.06
# What is told of what could not be looked at.
MOST_NAMED = 5


class Asked(NamedTuple):
    """A review request: the diff and its source, the folder its paths are relative to, and how much to show."""

    text: str
    source: str
    root: Path
    depth: int
    limit: int


def review(engine: Engine, asked: Asked, tree: Tree | None, notes: Sequence[str] = ()) -> Review:
    """Return the review of a diff. Raises InvalidInput for what is none."""
    diff = parse(asked.text)
    told = [*notes, *diff.notes]
    if not diff.files:
        return _nothing(asked, told)
    known = _known(engine, tree)
    files = _placed(asked.root, diff, known, told)
    sides = both(asked.root, files, engine.settings.index_max_file_bytes)
    changes = changed(sides)
    told += _unread(sides)
    if tree is None:
        told.append("this project is not indexed, so callers are unknown: run `recollect index`")
        land = None
    else:
        told += _age(sides, known)
        graph, linking = engine.links.graph()
        told += linking
        land = terrain(cast("LinkStore", engine.code_store), graph.code, tree, changes)
        if not land.is_linked:
            told.append("this code is not linked yet, so callers are unknown")
    memories = touched(engine.store, changes, tree.namespace if tree else None)
    return _review(engine, asked, _Found(land, files, changes, memories), told)


class _Found(NamedTuple):
    land: Terrain | None
    files: list[FileDiff]
    changes: list[SymbolChange]
    memories: Touched


def _nothing(asked: Asked, notes: Sequence[str]) -> Review:
    return Review(
        source=asked.source,
        root=str(asked.root),
        files=0,
        changes=(),
        changes_total=0,
        depth=asked.depth,
        notes=("the diff is empty: nothing changed", *notes),
    )


def _review(engine: Engine, asked: Asked, found: _Found, notes: list[str]) -> Review:
    weighed = _weighed(found, asked.depth)
    rows = [
        _row(change, weighed[number], found.memories.rules.get(number, 0))
        for number, change in enumerate(found.changes)
    ]
    rows.sort(key=lambda row: (-row.score, row.path, row.line))
    reached = _radius(found, asked.depth)
    shown = asked.limit
    return Review(
        source=asked.source,
        root=str(asked.root),
        files=len(found.files),
        changes=tuple(rows[:shown]),
        changes_total=len(rows),
        affected=tuple(reached.affected[:shown]),
        affected_total=len(reached.affected),
        tests=tuple(reached.tests[:shown]),
        tests_total=len(reached.tests),
        commands=_commands(asked.root, found, reached.tests),
        endpoints=tuple(reached.endpoints[:shown]),
        endpoints_total=len(reached.endpoints),
        packages=_packages(engine, found, reached),
        memories=tuple(found.memories.memories[:shown]),
        memories_total=len(found.memories.memories),
        depth=asked.depth,
        notes=tuple(notes),
    )


# --- the files of the diff ---


def _known(engine: Engine, tree: Tree | None) -> dict[str, File]:
    if tree is None:
        return {}
    return {file.path: file for file in engine.store.find(File, {"tree": tree.id})}


def _placed(root: Path, diff: Diff, known: dict[str, File], notes: list[str]) -> list[FileDiff]:
    found = [(file, placed(root, file, known.keys())) for file in diff.files]
    outside = [file.path for file, place in found if place is None]
    if outside:
        notes.append(f"outside the project, skipped: {_some(outside)}")
    return [place for _, place in found if place is not None]


def _unread(sides: Sequence[Sides]) -> list[str]:
    """Return notes about files whose symbols could not be compared."""
    binary = [side.file.path for side in sides if side.file.is_binary]
    unknown = [side.file.path for side in sides if side.origin == "unknown" and not side.file.is_binary]
    ahead = [side.file.path for side in sides if side.origin == "old on disk" and side.file.hunks]
    notes = []
    if binary:
        notes.append(f"binary, skipped: {_some(binary)}")
    if unknown:
        notes.append(f"no version of these files is available, so symbols are not compared: {_some(unknown)}")
    if ahead:
        notes.append(f"diff not applied yet, compared with its result: {_some(ahead)}")
    return notes


def _age(sides: Sequence[Sides], known: dict[str, File]) -> list[str]:
    """Return notes about how the index stands to the diff."""
    before: list[str] = []
    other: list[str] = []
    missing: list[str] = []
    for side in sides:
        file = known.get(side.file.path) or known.get(side.file.old)
        if side.origin == "unknown" or (side.new is None and file is None):
            continue
        if file is None:
            missing.append(side.file.path)
        elif not file.skipped and not _is(file, side.new):
            (before if _is(file, side.old) else other).append(side.file.path)
    notes = []
    if before:
        notes.append(f"indexed before this change, so callers are from that state: {_some(before)}")
    if other:
        notes.append(f"changed since indexing, so callers may be missing (run `recollect index`): {_some(other)}")
    if missing:
        notes.append(f"not indexed: {_some(missing)}")
    return notes


def _is(file: File, content: bytes | None) -> bool:
    return content is not None and hashlib.sha256(content).hexdigest() == file.hash


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - MOST_NAMED:,} more" if len(names) > MOST_NAMED else ""
    return ", ".join(names[:MOST_NAMED]) + more


# --- what depends on it ---


def _weighed(found: _Found, depth: int) -> list[Weighed]:
    land = found.land
    rows: list[Weighed] = []
    for number, change in enumerate(found.changes):
        if land is None or not land.is_linked or number >= MOST_WEIGHED:
            rows.append(Weighed(is_known=False))
            continue
        starts = seeds(land, change) if change.how != "cosmetic" else []
        counts = around(land, starts, depth) if starts else Around(0, 0, 0, 0)
        rows.append(Weighed(*counts, is_known=bool(starts)))
    return rows


def _row(change: SymbolChange, weighed: Weighed, rules: int) -> ChangedSymbol:
    score, level, why = risk(change, weighed._replace(rules=rules))
    row = change.row
    was = f"{change.old_path}::{change.old_key}" if change.old_key else change.old_path
    here = f"{change.path}::{change.key}" if change.key else change.path
    return ChangedSymbol(
        change=change.how,
        path=change.path,
        symbol=change.key,
        kind=row.kind if row else "File",  # type: ignore[arg-type]
        line=row.start_line if row else 1,
        risk=level,
        score=score,
        why=why,
        was=was if was != here else None,
        signature=row.signature if row else "",
        before=change.before.signature if change.before and change.how == "signature" else "",
        users=weighed.users,
        reached=weighed.reached,
        tests=weighed.tests,
    )


def _radius(found: _Found, depth: int) -> Radius:
    land = found.land
    real = [change for change in found.changes if change.how != "cosmetic"]
    if land is None or not real:
        return Radius([], [], [], [])
    # A new symbol has no callers except those in the same diff; a new test must be run.
    starts = {number: None for change in real if _matters(change) for number in seeds(land, change)}
    paths = {path for change in real if _matters(change) for path in (change.path, change.old_path)}
    return radius(land, list(starts), sorted(paths), depth)


def _matters(change: SymbolChange) -> bool:
    return change.how != "added" or (change.row is not None and (change.row.test or change.row.kind == "Method"))


def _commands(root: Path, found: _Found, tests: Sequence[Affected]) -> tuple[RunTests, ...]:
    run = [row for row in tests if row.confidence >= LEAST_RUN][:MOST_RUN]
    languages = _languages(found, run)
    trials = [Trial(row.place.path, languages.get(row.place.path, ""), row.place.symbol) for row in run]
    return commands(trials, _tools(root, run))


def _languages(found: _Found, rows: Iterable[Affected]) -> dict[str, str]:
    if found.land is None:
        return {}
    paths = sorted({row.place.path for row in rows})
    store, tree = found.land.store, found.land.tree
    told: dict[str, str] = {}
    for start in range(0, len(paths), 500):
        where = {"tree": tree.id, "path": tuple(paths[start : start + 500])}
        told.update((path, language or "") for path, language in store.columns(File, ("path", "language"), where))
    return told


def _tools(root: Path, rows: Iterable[Affected]) -> frozenset[str]:
    """Return the names of files in the root and in the folders above tests, which tell the tools of a project."""
    folders = {root}
    for row in rows:
        folders.update(parent for parent in (root / row.place.path).parents if parent.is_relative_to(root))
    names: set[str] = set()
    for folder in sorted(folders):
        try:
            names.update(entry.name for entry in folder.iterdir())
        except OSError:
            continue
    return frozenset(names)


def _packages(engine: Engine, found: _Found, reached: Radius) -> tuple[str, ...]:
    """Return the packages that what changed and what is reached belong to, by the manifest nearest above."""
    if found.land is None:
        return ()
    rows = engine.code_store.packages([found.land.tree.id])
    folders = {("" if row.folder in (".", "") else row.folder + "/"): row.label for row in rows}
    paths = {*reached.files, *(file.path for file in found.files)}
    labels: dict[str, None] = {}
    for path in sorted(paths):
        around_it = [folder for folder in folders if path.startswith(folder)]
        if around_it:
            labels[folders[max(around_it, key=len)]] = None
    return tuple(labels)
