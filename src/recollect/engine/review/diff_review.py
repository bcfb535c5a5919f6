"""Review a diff: changed symbols by risk, their callers, tests to run, and related memories.

    diff ─► files, both sides ─► changed symbols ─┬─► blast radius: code, endpoints, tests, packages
                                                  ├─► memories anchored to it
                                                  └─► risk, by which all is sorted

Symbols are compared in both states of the files, so they do not depend on the index. Their callers come from the index,
and the notes say how old that is.
"""

from __future__ import annotations

import hashlib
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from recollect.code.code_records import Affected, ChangedSymbol, Review, Risk, RunTests
from recollect.code.diff.changed_symbols import SymbolChange, changed
from recollect.code.diff.file_sides import Sides, both, placed
from recollect.code.diff.runner_commands import Trial, commands
from recollect.code.diff.unified_diff import Diff, FileDiff, parse
from recollect.engine.graph.code_nodes import code_node_id, code_nodes
from recollect.engine.review.diff_impact import (
    Impact,
    ImpactCounts,
    LinkedTree,
    changed_nodes,
    impact_counts,
    impact_of,
    linked_tree,
)
from recollect.engine.review.diff_memories import (
    CHANGED,
    RelatedMemories,
    ReviewedDiff,
    changed_lines,
    is_test_path,
    related_memories,
)
from recollect.engine.review.removed_uses import CALLED_OTHERWISE
from recollect.engine.review.test_order import LEAST_LIKELY, ranked
from recollect.model import File, Tree
from recollect.text.display import plural

if TYPE_CHECKING:
    from recollect.engine.code.code_links import Links
    from recollect.engine.context import Context


# Changes whose callers are counted one by one; a diff of more is a rewrite.
MOST_WEIGHED = 300
# Tests in command lines; with more, all tests are run.
MOST_RUN = 500
# Files listed in a note.
MOST_NAMED = 5


class Asked(NamedTuple):
    """A review request: the diff and its source, the folder its paths are relative to, and how much to show.

    since: the commit of the old side, by which git tells who wrote a line
    """

    text: str
    source: str
    root: Path
    depth: int
    limit: int
    since: str = "HEAD"


def review(context: Context, links: Links, asked: Asked, tree: Tree | None, notes: Sequence[str] = ()) -> Review:
    """Return the review of a diff. Raises InvalidInput for other text."""
    diff = parse(asked.text)
    told = [*notes, *diff.notes]
    if not diff.files:
        nothing = _Found(None, [], [], RelatedMemories([], 0, {}))
        return _review(asked, nothing, ["the diff is empty: nothing changed", *told])
    known = {file.path: file for file in context.store.find(File, {"tree": tree.id})} if tree is not None else {}
    files = _placed(asked.root, diff, known, told)
    sides = both(asked.root, files, context.settings.index_max_file_bytes)
    changes = changed(sides, str(asked.root))
    told += _unread(sides)
    if tree is None:
        told.append("this project is not indexed, so callers are unknown: run `recollect index`")
        linked = None
    else:
        told += _age(sides, known)
        graph, linking = links.graph()
        told += linking
        linked = linked_tree(context.store, graph.code, tree, changes)
        if not linked.is_linked:
            told.append("this code is not linked yet, so callers are unknown")
    memories = related_memories(
        context.store, ReviewedDiff(asked.root, asked.since, files, changes), tree.namespace if tree else None
    )
    return _review(asked, _Found(linked, files, changes, memories), told)


class _Found(NamedTuple):
    linked: LinkedTree | None
    files: list[FileDiff]
    changes: list[SymbolChange]
    memories: RelatedMemories


def _review(asked: Asked, found: _Found, notes: list[str]) -> Review:
    surroundings = _surroundings(found, asked.depth)
    rows = [
        _row(change, surroundings[number]._replace(rules=found.memories.rules.get(number, 0)))
        for number, change in enumerate(found.changes)
    ]
    rows.sort(key=lambda row: (-row.score, row.path, row.line))
    reached = _impact(found, asked.depth)
    shown = asked.limit
    root, most = str(asked.root), shown + shown // 4
    tests = ranked(reached.tests, found.changes, root, most)
    return Review(
        source=asked.source,
        root=root,
        files=len(found.files),
        changes=tuple(rows[:shown]),
        changes_total=len(rows),
        affected=tuple(reached.affected[:shown]),
        affected_total=len(reached.affected),
        tests=tuple(tests),
        tests_total=len(reached.tests),
        commands=tuple(_commands(asked.root, found, tests)),
        endpoints=tuple(reached.endpoints[:shown]),
        endpoints_total=len(reached.endpoints),
        packages=_packages(found, reached),
        memories=tuple(found.memories.memories),
        memories_total=found.memories.total,
        depth=asked.depth,
        notes=tuple(notes),
    )


# --- the files of the diff ---


def _placed(root: Path, diff: Diff, known: dict[str, File], notes: list[str]) -> list[FileDiff]:
    found = [(file, placed(root, file, known.keys())) for file in diff.files]
    notes += _notes({"outside the project, skipped": [file.path for file, place in found if place is None]})
    return [place for _, place in found if place is not None]


def _unread(sides: Sequence[Sides]) -> list[str]:
    """Return notes about files whose symbols could not be compared."""
    binary = [side.file.path for side in sides if side.file.is_binary]
    unknown = [side.file.path for side in sides if side.origin == "unknown" and not side.file.is_binary]
    ahead = [side.file.path for side in sides if side.origin == "old on disk" and side.file.hunks]
    return _notes(
        {
            "binary, skipped": binary,
            "no version of these files is available, so symbols are not compared": unknown,
            "diff not applied yet, compared with its result": ahead,
        }
    )


def _age(sides: Sequence[Sides], known: dict[str, File]) -> list[str]:
    """Return notes about the age of the index."""
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
    return _notes(
        {
            "indexed before this change, so callers are from that state": before,
            "changed since indexing, so callers may be missing (run `recollect index`)": other,
            "not indexed": missing,
        }
    )


def _is(file: File, content: bytes | None) -> bool:
    return content is not None and hashlib.sha256(content).hexdigest() == file.hash


def _notes(named: Mapping[str, Sequence[str]]) -> list[str]:
    """Return a note for each group of files that has any, with the first of them."""
    more = {said: f" and {len(names) - MOST_NAMED:,} more" for said, names in named.items() if len(names) > MOST_NAMED}
    return [f"{said}: {', '.join(names[:MOST_NAMED])}{more.get(said, '')}" for said, names in named.items() if names]


# --- what depends on it ---


def _surroundings(found: _Found, depth: int) -> list[Surroundings]:
    linked = found.linked
    rows: list[Surroundings] = []
    for number, change in enumerate(found.changes):
        if linked is None or not linked.is_linked or number >= MOST_WEIGHED:
            rows.append(Surroundings(is_known=False))
            continue
        starts = changed_nodes(linked, change) if change.how != "cosmetic" else []
        counts = impact_counts(linked, starts, depth) if starts else ImpactCounts(0, 0, 0, 0)
        lines = len(changed_lines(change, found.files)) if change.row else 0
        rows.append(Surroundings(*counts, is_known=bool(starts), lines=lines))
    return rows


def _row(change: SymbolChange, surroundings: Surroundings) -> ChangedSymbol:
    score, level, why = risk(change, surroundings)
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
        users=surroundings.users,
        reached=surroundings.reached,
        tests=surroundings.tests,
    )


def _impact(found: _Found, depth: int) -> Impact:
    linked = found.linked
    real = [change for change in found.changes if change.how != "cosmetic"]
    if linked is None or not real:
        return Impact([], [], [], [])
    # A new symbol has no callers except those in the same diff; a new test must be run.
    starts = {number: None for change in real if _matters(change) for number in changed_nodes(linked, change)}
    paths = {path for change in real if _matters(change) for path in (change.path, change.old_path)}
    otherwise = [change for change in real if change.how in CALLED_OTHERWISE]
    were = {
        code_node_id(linked.tree.root, *change.was): change.how != "signature" and not change.has_moved
        for change in otherwise
    }
    breaking = {linked.uses.index[node]: is_gone for node, is_gone in were.items() if node in linked.uses.index}
    return impact_of(linked, list(starts), breaking, sorted(paths), depth)


def _matters(change: SymbolChange) -> bool:
    return change.how != "added" or (change.row is not None and (change.row.test or change.row.kind == "Method"))


def _commands(root: Path, found: _Found, tests: Sequence[Affected]) -> Iterator[RunTests]:
    """Yield the commands that run tests; those of another repository begin with its folder."""
    run = [row for row in tests if row.confidence >= LEAST_LIKELY][:MOST_RUN]
    nodes = code_nodes(found.linked.store, [row.place.id for row in run]) if found.linked else {}
    trials: dict[str, list[Trial]] = {}
    for row in run:
        if node := nodes.get(row.place.id):
            trial = Trial(node.file.path, node.file.language or "", row.place.symbol)
            trials.setdefault(node.tree.root, []).append(trial)
    for place, held in trials.items():
        before = "" if place == str(root) else f"cd {shlex.quote(place)} && "
        for each in commands(held, _tools(Path(place), held)):
            yield msgspec.structs.replace(each, command=before + each.command)


def _tools(root: Path, trials: Iterable[Trial]) -> frozenset[str]:
    """Return the names of files in the root and above tests, by which test tools are recognised."""
    folders = {root}
    for trial in trials:
        folders.update(parent for parent in (root / trial.path).parents if parent.is_relative_to(root))
    names: set[str] = set()
    for folder in sorted(folders):
        try:
            names.update(entry.name for entry in folder.iterdir())
        except OSError:
            continue
    return frozenset(names)


def _packages(found: _Found, reached: Impact) -> tuple[str, ...]:
    """Return the packages of changed and reached files, by the nearest manifest above."""
    if found.linked is None:
        return ()
    rows = found.linked.store.packages([found.linked.tree.id])
    folders = {("" if row.folder in (".", "") else row.folder + "/"): row.label for row in rows}
    paths = {*reached.files, *(file.path for file in found.files)}
    labels: dict[str, None] = {}
    for path in sorted(paths):
        around_it = [folder for folder in folders if path.startswith(folder)]
        if around_it:
            labels[folders[max(around_it, key=len)]] = None
    return tuple(labels)


# --- risk: weight of the change · (0.4 + 0.6 · share of users) + what makes it worse; a rough order is enough ---

# Users of removed or renamed symbols break for certain.
WEIGHTS: Mapping[str, float] = {
    "removed": 0.9, "signature": 0.8, "renamed": 0.7, "moved": 0.6, "body": 0.5, "added": 0.1, "cosmetic": 0.0,
}  # fmt: skip
# Direct users that make half of a full score.
HALF = 3
# A changed test breaks no other code; module-level code is mostly imports.
TEST, LOADING = 0.3, 0.6
# What makes a change worse.
ENDPOINT, UNTESTED, PUBLIC, RULED = 0.15, 0.1, 0.1, 0.15
# A large change adds at most so much, all of it from so many lines on.
SIZE, LARGE = 0.1, 40
# Changes that external callers notice.
OUTSIDE = frozenset({"removed", "signature", "renamed", "moved"})

LEVELS: tuple[tuple[float, Risk], ...] = ((0.6, "high"), (0.3, "medium"), (0.001, "low"))


class Surroundings(NamedTuple):
    """The surroundings of a change; `users` are direct ones, without tests."""

    users: int = 0
    files: int = 0
    reached: int = 0
    tests: int = 0
    is_known: bool = True
    rules: int = 0
    lines: int = 0


def risk(change: SymbolChange, around: Surroundings) -> tuple[float, Risk, str]:
    """Return the score of a change, its level, and why in one line."""
    row = change.row
    score = WEIGHTS["signature" if change.is_required else change.how]
    if change.how == "cosmetic":
        return 0.0, "none", CHANGED["cosmetic"]
    words = [CHANGED[change.how] if row or change.how == "moved" else "module-level code changed"]
    words = ["re-export removed"] if change.is_export else words
    words += ["implementers have to define it"] if change.is_required else []
    is_test = is_test_path(change.path)
    if is_test:
        score *= TEST
    elif row is None:
        score *= LOADING
    score *= 0.4 + 0.6 * (around.users / (around.users + HALF))
    words.append(_users(around))
    if row and row.endpoint and not is_test:
        score += ENDPOINT
        words.append(f"handles {row.endpoint}")
    if row and row.visibility == "public" and change.how in OUTSIDE and not is_test:
        score += PUBLIC
        words.append("public")
    if around.is_known and change.how != "added" and not around.tests and not is_test:
        score += UNTESTED
        words.append("untested")
    if around.rules:
        score += RULED
        words.append("a memory has a rule about it")
    score += SIZE * min(around.lines / LARGE, 1.0) if not is_test else 0.0
    if around.lines >= LARGE:
        words.append(f"{plural(around.lines, 'line')} changed")
    score = round(min(score, 1.0), 3)
    level: Risk = next((name for least, name in LEVELS if score >= least), "none")
    return score, level, "; ".join(word for word in words if word)


def _users(around: Surroundings) -> str:
    if not around.is_known:
        return "callers unknown"
    if not around.users and not around.reached:
        return f"used only by {plural(around.tests, 'test')}" if around.tests else "no callers found"
    files = f" in {plural(around.files, 'file')}" if around.files else ""
    parts = [f"{plural(around.users, 'caller')}{files}"]
    if around.reached > around.users:
        parts.append(f"{around.reached - around.users:,} reached indirectly")
    if around.tests:
        parts.append(plural(around.tests, "test"))
    return ", ".join(parts)
