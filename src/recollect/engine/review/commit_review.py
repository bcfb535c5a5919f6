"""Find the memories that a range of commits makes doubtful, indexed or not.

    git diff A B ─► files that differ ─► their symbols in A and in B ─► follow ─► verdicts on the anchors there

A memory counts if its anchored code exists in A and differs or is gone in B. Drift before A does not matter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.code.anchors.follow import Difference, Lost, follow
from recollect.code.anchors.normalised_file import Form, Spot, form
from recollect.code.diff import git_diff
from recollect.engine.memory.freshness import summed
from recollect.errors import InvalidInput
from recollect.model import Anchor, Anchored, AnchorState, Freshness, Memory, Tree, Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recollect.store.sql import Store

# Files of a range that are compared.
MAX_FILES = 2_000


def review(store: Store, trees: Sequence[Tree], span: str) -> tuple[dict[str, Freshness], tuple[str, ...]]:
    """Return the freshness of each memory that a range of commits makes doubtful, and notes.

    Raises InvalidInput if none of the trees is a git work tree that knows the range.
    """
    trees = [tree for tree in trees if git_diff.head(tree.root)]
    if not trees:
        raise InvalidInput(
            "no indexed project is a git repository",
            hint="Run `recollect index` in the repository. With several, choose one with --project.",
            range=span,
        )
    found: dict[str, Freshness] = {}
    notes: list[str] = []
    refused: InvalidInput | None = None
    known = 0
    for tree in trees:
        try:
            fresh, told = _reviewed(store, tree, span)
        except InvalidInput as problem:  # another repository's commits
            refused = problem
            continue
        known += 1
        found |= fresh
        notes += told
    if not known and refused is not None:
        raise refused
    return found, tuple(notes)


def _reviewed(store: Store, tree: Tree, span: str) -> tuple[dict[str, Freshness], list[str]]:
    first, second, rows = git_diff.altered(tree.root, span)
    notes = []
    if len(rows) > MAX_FILES:
        notes.append(f"{len(rows):,} files differ: compared only the first {MAX_FILES:,}")
        rows = rows[:MAX_FILES]
    anchors = _anchors(store, tree, [row.old for row in rows if row.old])
    if not anchors:
        return {}, notes
    old = git_diff.contents(tree.root, first, [row.old for row in rows if row.old])
    new = git_diff.contents(tree.root, second, [row.new for row in rows if row.new])
    missing = {row.old for row in rows if (row.old and row.old not in old) or (row.new and row.new not in new)}
    if missing:
        # Without its content a file would count as gone.
        notes.append(f"{len(missing):,} files not compared: git has no content for them")
        anchors = [anchor for anchor in anchors if anchor.path not in missing]
    forms = [{path: form(path, source) for path, source in side.items()} for side in (old, new)]
    renamed = {row.old: row.new for row in rows if row.old and row.new and row.old != row.new}
    judged = _judged(anchors, forms[0], forms[1], renamed)
    by_memory: dict[str, list[Anchored]] = {}
    for anchor, verdict in judged:
        by_memory.setdefault(anchor.memory_id, []).append(verdict)
    return {memory_id: summed(shown) for memory_id, shown in by_memory.items()}, notes


def _anchors(store: Store, tree: Tree, paths: list[str]) -> list[Anchor]:
    """Return the anchors of a tree's memories at paths, original or current."""
    found: dict[str, Anchor] = {}
    for start in range(0, len(paths), 500):
        piece = {"path": tuple(paths[start : start + 500])}
        found |= {row.id: row for row in store.find(Anchor, piece)}
        ids = [row[0] for row in store.columns(AnchorState, ("id",), piece)]
        found |= {row.id: row for row in store.get(Anchor, ids)}
    scopes = {row.id: row.namespace for row in store.get(Memory, [row.memory_id for row in found.values()])}
    return [row for row in found.values() if scopes.get(row.memory_id, "") in (tree.namespace, None)]


def _judged(
    anchors: list[Anchor], old: dict[str, Form], new: dict[str, Form], renamed: dict[str, str]
) -> list[tuple[Anchor, Anchored]]:
    difference = Difference(
        {path: each.spots() for path, each in old.items()}, {path: each.spots() for path, each in new.items()}, renamed
    )
    found: list[tuple[Anchor, Anchored]] = []
    lost: dict[str, Lost] = {}
    for anchor in anchors:
        was = old.get(anchor.path)
        if was is None or (anchor.symbol is not None and anchor.symbol not in was.spots()):
            continue
        if anchor.symbol is None:
            found += _file(anchor, was, new.get(anchor.path) or new.get(renamed.get(anchor.path, "")))
            continue
        spot, now = was.spots()[anchor.symbol], new.get(anchor.path)
        there = now.spots().get(anchor.symbol) if now is not None else None
        if there is None:
            lost[anchor.id] = Lost(spot, was.sketch_of(anchor.symbol))
        elif there.hash != spot.hash and now is not None and not now.is_same(was, anchor.symbol):
            found.append((anchor, _shown(anchor, "changed")))
    went = follow(lost, difference, lambda spot: new[spot.path].sketch_of(spot.symbol))
    for anchor in (row for row in anchors if row.id in lost):
        place = went.get(anchor.id)
        same = place is not None and (place.spot.hash == lost[anchor.id].spot.hash or place.likeness == 1.0)
        if not same:
            found.append(
                (anchor, _shown(anchor, "gone" if place is None else "changed", place.spot if place else None))
            )
    return found


def _file(anchor: Anchor, was: Form, now: Form | None) -> list[tuple[Anchor, Anchored]]:
    if now is None:
        return [(anchor, _shown(anchor, "gone"))]
    if now.hash == was.hash or now.is_same(was, None):
        return []
    shown = Anchored(path=anchor.path, verdict="changed", now_path=now.path if now.path != anchor.path else None)
    return [(anchor, shown)]


def _shown(anchor: Anchor, verdict: Verdict, now: Spot | None = None) -> Anchored:
    return Anchored(
        path=anchor.path,
        symbol=anchor.symbol,
        verdict=verdict,
        now_path=now.path if now is not None else None,
        now_symbol=now.symbol if now is not None else None,
        taken_at=anchor.taken_at or None,
        late=anchor.taken_at > anchor.created_at,
    )
