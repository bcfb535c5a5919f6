"""Anchor tracking: after a code change, compare the memories that mention the changed code with it.

    update ─► touched files ─► anchors there ─► same place, same hash?  fresh
                                                same place, another?    changed
                                                not there ─► follow     moved, or changed on the way, or gone

It compares the anchors of touched files, and anchors whose code was gone: the next save may put that code into another
file. A process that dies between indexing and comparing leaves a note. The next process that indexes the tree then
compares all anchors.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple, cast

import msgspec

from recollect import clock
from recollect.engine.memory.anchor_drafts import Draft, first_state
from recollect.engine.records.memory_rows import batches
from recollect.model import Anchor, AnchorState, File, Memory, Mention, Tree, Verdict
from recollect.store.store_values import Range

if TYPE_CHECKING:
    from recollect.code.anchors.find import Code
    from recollect.code.anchors.follow import Difference, Lost, Remembering, Went
    from recollect.code.anchors.normalised_file import Form, Spot
    from recollect.engine.context import Context
    from recollect.engine.memory.anchoring import Anchoring
    from recollect.store.sql import Store

# Touched files above which looking at every anchor is less work than asking for those of each file.
MANY_PATHS = 2_000
# Code that is gone for longer is not looked for in new code.
LOST_S = 90 * 86_400
# Symbols that are noted in case the anchored one of their content or name is deleted: the latest ones of a tree.
MAX_COPIES = 500


class Known(NamedTuple):
    """An anchor with what was last known of it."""

    anchor: Anchor
    state: AnchorState

    @property
    def first(self) -> tuple[str, str | None]:
        return self.anchor.path, self.anchor.symbol

    @property
    def last(self) -> tuple[str, str | None]:
        return self.state.path, self.state.symbol


class Seen(NamedTuple):
    """The current code of a place: its normalized hash, the hash of the file, and the file."""

    hash: str
    file_hash: str
    file: File | None = None


class AnchorTracking:
    """Keeps the verdicts on anchored memories up to date."""

    def __init__(self, context: Context, anchoring: Anchoring) -> None:
        self._context = context
        self._anchoring = anchoring

    @contextmanager
    def observed(self) -> Iterator[Store]:
        """Yield the store to index code through; afterwards memories are compared with what was written."""
        seen = self.remembering()
        yield cast("Store", seen)
        self.settle(seen)

    def remembering(self) -> Remembering:
        """Return the store to index code through; call `settle` after every update."""
        from recollect.code.anchors.follow import Remembering

        return Remembering(self._context.store, self._begin)

    def settle(self, seen: Remembering) -> None:
        """Compare memories with what was written since the last time, and forget it."""
        if seen.tree is not None and (rows := self._context.store.get(Tree, [seen.tree])):
            self.follow(rows[0], seen)
        seen.forget()

    def _begin(self, tree: int) -> bool:
        key = _unfinished(tree)
        store = self._context.store
        # Left by a process that died: then what it touched is not known, and everything is compared.
        store.keep_setting(key, "all" if store.setting(key) else "some")
        return store.count(Anchor) > 0

    def follow(self, tree: Tree, seen: Remembering) -> None:
        """Anchor waiting memories to the code of a tree, and compare the anchors that an update may have changed."""
        from recollect.code.anchors.follow import Difference

        store, anchoring = self._context.store, self._anchoring
        code = anchoring.code([tree])
        compares, waits = store.count(Anchor) > 0, store.count(Mention) > 0
        after: dict[str, dict[str, Spot]] = {}
        if compares or waits:
            files = code.files_at(sorted(seen.touched))
            code.rows([row for rows in files.values() for row in rows])
            after = {path: code.spots(rows[0]) for path, rows in files.items() if rows and not rows[0].skipped}
        defined = {spot.name for spots in after.values() for spot in spots.values()} if waits else set()
        made = set(anchoring.catch_up(tree, defined))
        renamed = self._renamed(tree, seen, after)
        if compares:
            changed = {path: spots for path, spots in after.items() if path not in seen.reread}
            difference = Difference(seen.before, changed, renamed)
            everything = store.setting(_unfinished(tree.id)) == "all"
            self._note_copies(tree, difference)
            self._judge(tree, difference, None if everything else seen.touched, made)
        store.keep_setting(_unfinished(tree.id), "")

    def _note_copies(self, tree: Tree, difference: Difference) -> None:
        """Remember new symbols with the content or the name of anchored ones.

        A person who moves code pastes it, saves, and deletes the original later.
        """
        from recollect.code.anchors.follow import copies

        store = self._context.store
        if not difference.new():
            return
        anchored: set[str] = set()
        for content, symbol in store.columns(AnchorState, ("hash", "symbol")):
            anchored |= {content, _name(symbol or "")}
        found = [
            (spot.hash, spot.path, spot.symbol)
            for spot in copies(difference)
            if spot.hash in anchored or spot.name in anchored
        ]
        if found:
            latest = [row for row in _copies(store, tree.id) if row not in found] + found
            store.keep_setting(f"copies/{tree.id}", msgspec.json.encode(latest[-MAX_COPIES:]).decode())

    def catch_up(self) -> None:
        """Anchor and compare memories that were imported or restored."""
        from recollect.code.anchors.follow import Difference

        if not self._context.store.code_generation():
            return
        for tree in self._context.store.find(Tree):
            self._anchoring.catch_up(tree)
        self._judge(None, Difference({}, {}), set(), set())

    def _renamed(self, tree: Tree, seen: Remembering, after: Mapping[str, object]) -> dict[str, str]:
        """Return the new paths of deleted files by git, which also knows those renamed and rewritten."""
        from recollect.code.diff.git_diff import head, renames

        store, key = self._context.store, f"head/{tree.id}"
        since = store.setting(key) or ""
        is_gone = any(path not in after for path in seen.before)
        found = renames(tree.root, since) if is_gone else {}
        now = head(tree.root)
        if now != since:
            store.keep_setting(key, now)
        return found

    # --- judging ---

    def _judge(self, tree: Tree | None, difference: Difference, touched: set[str] | None, made: set[str]) -> None:
        """Compare anchors again: those of touched files (None: all), those that were gone, and new ones."""
        known = [row for row in self._affected(touched) if row.anchor.id not in made]
        scopes = self._scopes(known)
        states: list[AnchorState] = []
        sketches: dict[str, str] = {}
        for scope in dict.fromkeys(scopes.values()):
            if tree is not None and scope not in (tree.namespace, None):
                continue
            trees = self._anchoring.trees(scope)
            group = [row for row in known if scopes.get(row.anchor.memory_id, "") == scope]
            if trees and group:
                code = self._anchoring.code(trees)
                judging = _Judging(self._anchoring, code, difference, is_blind=touched is None)
                states += judging.states(group)
                sketches |= judging.sketches
        self._keep(states, sketches)

    def _affected(self, touched: set[str] | None) -> list[Known]:
        store = self._context.store
        if touched is None or len(touched) > MANY_PATHS:
            anchors = store.find(Anchor)
        else:
            found: dict[str, Anchor] = {}
            lately = {"verdict": "gone", "since": Range(clock.now() - LOST_S)}
            ids = [row[0] for row in store.columns(AnchorState, ("id",), lately)] if touched else []
            for batch in batches(sorted(touched)):
                piece = {"path": batch}
                found |= {row.id: row for row in store.find(Anchor, piece)}
                ids += [row[0] for row in store.columns(AnchorState, ("id",), piece)]
            found |= {row.id: row for row in store.get(Anchor, [row for row in ids if row not in found])}
            found |= {row.id: row for row in store.get(Anchor, self._unjudged())}
            anchors = list(found.values())
        states = {state.id: state for state in store.get(AnchorState, [row.id for row in anchors])}
        # Without a hash it waits for its code; an empty one was never compared and cannot be.
        return [Known(row, states.get(row.id) or self._assumed(row)) for row in anchors if row.hash]

    def _unjudged(self) -> list[str]:
        store = self._context.store
        if store.count(Anchor) == store.count(AnchorState):
            return []
        judged = {row[0] for row in store.columns(AnchorState, ("id",))}
        return [row[0] for row in store.columns(Anchor, ("id",)) if row[0] not in judged]

    def _assumed(self, anchor: Anchor) -> AnchorState:
        """Return the state of an anchor that was never compared: fresh when it was made."""
        taken = Draft(anchor.path, anchor.symbol, anchor.origin, hash=anchor.hash)
        return first_state(anchor.id, anchor.memory_id, taken, anchor.taken_at, 0)

    def _scopes(self, known: Sequence[Known]) -> dict[str, str | None]:
        """Return the namespace of each memory; those that no longer hold need no verdict."""
        store = self._context.store
        ids = list(dict.fromkeys(row.anchor.memory_id for row in known))
        return {
            row[0]: row[1]
            for batch in batches(ids)
            for row in store.columns(Memory, ("id", "namespace"), {"id": batch})
        }

    def _keep(self, states: Sequence[AnchorState], sketches: Mapping[str, str]) -> None:
        if not states:
            return
        with self._context.store.transaction("judge_anchors") as transaction:
            present = {row.id for row in transaction.get(Anchor, [state.id for state in states])}
            known = {row.id for row in transaction.get(AnchorState, [state.id for state in states])}
            for state in states:
                if state.id in known:
                    transaction.update(AnchorState, state.id, msgspec.structs.asdict(state))
                elif state.id in present:
                    transaction.insert(state)
            for anchor_id, sketch in sketches.items():
                if anchor_id in present:
                    transaction.update(Anchor, anchor_id, {"sketch": sketch})


class _Judging:
    """One round of comparing anchors with the code of some trees."""

    def __init__(self, anchoring: Anchoring, code: Code, difference: Difference, *, is_blind: bool = False) -> None:
        """is_blind: what was there before is not known."""
        self._is_blind = is_blind
        self._anchoring = anchoring
        self._code = code
        self._difference = difference
        self._now, self._stamp = clock.now(), code.store.code_generation()
        self._files: dict[str, list[File]] = {}
        self._copies: list[Spot] | None = None
        self._forms: dict[str, Form | None] = {}
        # By id of the anchor: sketches to replace those that an earlier version took of the same code.
        self.sketches: dict[str, str] = {}

    def states(self, known: Sequence[Known]) -> list[AnchorState]:
        """Return the new state of each anchor."""
        paths = {path for row in known for path in (row.anchor.path, row.state.path)}
        self._files = self._code.files_at(sorted(paths))
        found: dict[str, AnchorState] = {}
        missing: dict[str, Known] = {}
        for row in known:
            state = self._in_place(row)
            if state is None:
                missing[row.anchor.id] = row
            else:
                found[row.anchor.id] = state
        went = self._followed(missing)
        for key, row in missing.items():
            found[key] = self._elsewhere(row, went[key]) if key in went else self._gone(row)
        return list(found.values())

    def _in_place(self, row: Known) -> AnchorState | None:
        """Return the state of an anchor at its first or last known place; None if both are gone."""
        there = {where: self._seen(where, row) for where in dict.fromkeys((row.first, row.last))}
        for where, seen in there.items():
            same = next((each for each in seen if self._is_same(row, where, each)), None)
            if same is not None:
                self._renew(row, where, same)
                return self._state(row, "fresh" if where == row.first else "moved", where, same)
        for where in (row.last, row.first):
            if there[where]:
                state = self._state(row, "changed", where, there[where][0], base=row.state.hash)
                return msgspec.structs.replace(state, different=self._different(row, where, there[where][0]))
        return None

    def _different(self, row: Known, where: tuple[str, str | None], seen: Seen) -> float:
        """Return how much of the code has changed; without a sketch, as much as was known."""
        from recollect.code.anchors.code_sketch import likeness

        now = self._sketch_at(where, seen)
        return round(1 - likeness(row.anchor.sketch, now), 3) if row.anchor.sketch and now else row.state.different

    def _is_same(self, row: Known, where: tuple[str, str | None], seen: Seen) -> bool:
        if seen.hash in (row.state.hash, row.anchor.hash):
            return True
        # The bytes are those that were judged: then only the way to take a hash is another one since.
        unchanged = seen.file_hash == row.state.file_hash != "" and where == row.last
        if unchanged and row.state.verdict in ("fresh", "moved"):
            return True
        # The hash is of the text. The sketch is of token values, which a formatter does not change.
        return self._sketch_at(where, seen) == row.anchor.sketch != ""

    def _renew(self, row: Known, where: tuple[str, str | None], seen: Seen) -> None:
        """Renew the sketch of unchanged code that an earlier version took."""
        from recollect.code.anchors.code_sketch import is_current

        if row.anchor.sketch and not is_current(row.anchor.sketch) and (sketch := self._sketch_at(where, seen)):
            self.sketches[row.anchor.id] = sketch

    def _sketch_at(self, where: tuple[str, str | None], seen: Seen) -> str:
        """Return the sketch of a place; empty where the file changed since it was indexed."""
        form = self._form(seen.file) if seen.file is not None else None
        return form.sketch_of(where[1]) if form is not None and form.file_hash == seen.file_hash else ""

    def _seen(self, where: tuple[str, str | None], row: Known) -> list[Seen]:
        path, symbol = where
        found = []
        for file in self._files.get(path, ()):
            if symbol is None:
                taken = self._whole(file, row)
            else:
                spot = self._code.spots(file).get(symbol) if not file.skipped else None
                taken = Seen(spot.hash, file.hash, file) if spot is not None else None
            if taken is not None:
                found.append(taken)
        return found

    def _whole(self, file: File, row: Known) -> Seen | None:
        """Return the hash of a whole file; the known one if the file is unchanged."""
        if file.hash and file.hash == row.state.file_hash and row.state.verdict in ("fresh", "moved"):
            return Seen(row.state.hash, file.hash, file)
        form = self._form(file)
        return Seen(form.hash, form.file_hash, file) if form is not None else None

    def _form(self, file: File) -> Form | None:
        root = self._code.tree(file).root
        key = f"{root}/{file.path}"
        if key not in self._forms:
            self._forms[key] = self._anchoring.form(root, file.path)
        return self._forms[key]

    # --- what is not where it was ---

    def _followed(self, missing: Mapping[str, Known]) -> dict[str, Went]:
        from recollect.code.anchors.follow import Lost, follow

        lost: dict[str, Lost] = {}
        for key, row in missing.items():
            if row.anchor.symbol is not None:
                before = self._difference.before.get(row.state.path, {}).get(row.state.symbol or "")
                lost[key] = Lost(before or _spot(row), row.anchor.sketch)
        went = follow(lost, self._difference, self._sketch)
        went |= self._by_name({key: row for key, row in missing.items() if key not in went})
        left = {key: row for key, row in lost.items() if key not in went}
        return {**self._edited_copies(left), **went}

    def _edited_copies(self, lost: Mapping[str, Lost]) -> dict[str, Went]:
        """Return where symbols are that were pasted in an earlier update and edited there."""
        from recollect.code.anchors.follow import Difference, follow

        new: dict[str, dict[str, Spot]] = {}
        for spot in self._noted() if lost else ():
            new.setdefault(spot.path, {})[spot.symbol] = spot
        return follow(lost, Difference({}, new), self._sketch)

    def _sketch(self, spot: Spot) -> str:
        files = self._code.files_at([spot.path])[spot.path]
        form = self._form(files[0]) if files else None
        return form.sketch_of(spot.symbol) if form is not None else ""

    def _by_name(self, missing: Mapping[str, Known]) -> dict[str, Went]:
        """Return where symbols are that this update did not move: copied before it, or never compared.

        Anchors that were never compared, since they were imported or a process died, are found by name and content.
        """
        from recollect.code.anchors.find import named
        from recollect.code.anchors.follow import Went, original

        found: dict[str, Went] = {}
        for key, row in missing.items():
            if row.anchor.symbol is None:
                continue
            spots = self._copied(row.state.hash)
            if not spots and (not row.state.stamp or self._is_blind):
                spots = named(self._code, row.state.symbol or "", row.state.hash)
            meant = original(_spot(row), spots)
            if meant is not None:
                found[key] = Went(meant, 1.0)
        return found

    def _copied(self, content: str) -> list[Spot]:
        """Return the copies of a content that were pasted in earlier updates and are still there."""
        return [spot for spot in self._noted() if spot.hash == content]

    def _noted(self) -> list[Spot]:
        """Return the symbols noted in earlier updates that are still there."""
        if self._copies is None:
            rows = [row for tree in self._code.trees for row in _copies(self._code.store, tree.id)]
            files = self._code.files_at(list(dict.fromkeys(path for _, path, _ in rows)))
            spots = [self._code.spots(file).get(symbol) for _, path, symbol in rows for file in files[path][:1]]
            self._copies = [spot for spot in dict.fromkeys(spots) if spot is not None]
        return self._copies

    def _elsewhere(self, row: Known, went: Went) -> AnchorState:
        spot = went.spot
        files = self._code.files_at([spot.path])[spot.path]
        seen = Seen(spot.hash, files[0].hash if files else "")
        # Alike in every pair of words but its own name, which a recursive function repeats: nothing was edited.
        is_same = spot.hash == row.state.hash or (went.likeness == 1.0 and row.state.verdict != "changed")
        verdict: Verdict = "moved" if is_same else "changed"
        base = spot.hash if is_same else row.state.hash
        state = self._state(row, verdict, (spot.path, spot.symbol), seen, base=base)
        return msgspec.structs.replace(state, different=0.0 if is_same else round(1 - went.likeness, 3))

    def _gone(self, row: Known) -> AnchorState:
        """Return the state of code that was not found; a file may have another name now."""
        if row.anchor.symbol is None and (found := self._renamed_file(row)) is not None:
            return found
        state = row.state
        since = state.since if state.verdict == "gone" else self._now
        return msgspec.structs.replace(state, verdict="gone", since=since, stamp=self._stamp)

    def _renamed_file(self, row: Known) -> AnchorState | None:
        """Return the state of a file under a new path, by its content, by its symbols, or by git."""
        from recollect.code.anchors.code_sketch import likeness
        from recollect.code.anchors.follow import ELSEWHERE

        after, before = self._difference.after, self._difference.before
        candidates = self._code.files_at([path for path in after if path not in before])
        files = [rows[0] for rows in candidates.values() if rows]
        same = [file for file in files if file.hash == row.state.file_hash]
        renames = self._difference.renames()
        renamed = renames.pop(row.state.path, None)
        meant = same[0] if same else next((file for file in files if file.path == renamed), None)
        files = [file for file in files if file.path not in renames.values()]
        if meant is None and files:
            ranked = [
                (likeness(row.anchor.sketch, form.sketch_of(None)), file.path, file)
                for file in files
                if (form := self._form(file))
            ]
            best = max(ranked, default=None)
            meant = best[2] if best is not None and best[0] >= ELSEWHERE else None
        form = self._form(meant) if meant is not None else None
        if meant is None or form is None:
            return None
        seen = Seen(form.hash, form.file_hash)
        same_content = form.hash == row.state.hash or meant in same
        return self._state(
            row,
            "moved" if same_content else "changed",
            (meant.path, None),
            seen,
            base="" if same_content else row.state.hash,
        )

    def _state(
        self, row: Known, verdict: Verdict, where: tuple[str, str | None], seen: Seen, *, base: str = ""
    ) -> AnchorState:
        """Return a state; base: the hash that the memory was written against, if it differs."""
        old = row.state
        path, symbol = where
        unchanged = (old.verdict, old.path, old.symbol) == (verdict, path, symbol)
        return AnchorState(
            id=row.anchor.id,
            memory_id=row.anchor.memory_id,
            verdict=verdict,
            path=path,
            symbol=symbol,
            hash=base or seen.hash,
            file_hash=seen.file_hash,
            since=old.since if unchanged else self._now,
            stamp=self._stamp,
        )


def _spot(row: Known) -> Spot:
    """Return what is known of a symbol that is not there any more."""
    from recollect.code.anchors.normalised_file import Spot

    symbol = row.state.symbol or ""
    return Spot(row.state.path, symbol, _name(symbol), row.anchor.kind, row.state.hash, 0, 0)


def _name(symbol: str) -> str:
    return symbol.replace("::", ".").replace("#", ".").rpartition(".")[2]


def _copies(store: Store, tree: int) -> list[tuple[str, str, str]]:
    """Return the symbols noted in a tree (see `_note_copies`): content, path, symbol; the latest last."""
    text = store.setting(f"copies/{tree}")
    return msgspec.json.decode(text, type=list[tuple[str, str, str]]) if text else []


def _unfinished(tree: int) -> str:
    return f"judging/{tree}"
