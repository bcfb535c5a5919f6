"""Anchoring: link memories to the code they mention, when they are written or when that code is first indexed.

    given, or found in the text ─► place in the index ─► the file on disk ─► hash, sketch ─► Anchor, AnchorState

The hash is taken from the file on disk, not from the index: an assistant edits, then stores a memory, and the index may
follow minutes later. A name that no indexed file defines yet is stored as a `Mention` until a file defines it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from recollect import clock, progress
from recollect.engine.memory.anchor_drafts import (
    NOTHING,
    UNANCHORED,
    Draft,
    Origin,
    Prepared,
    distinct,
    first_state,
    spoken_text,
)
from recollect.errors import InvalidInput
from recollect.model import Anchor, AnchorState, File, Memory, Mention, Tree

if TYPE_CHECKING:
    from recollect.code.anchors.find import Code, Place
    from recollect.code.anchors.mention import Mentions
    from recollect.code.anchors.normalised_file import Form
    from recollect.engine.context import Context
    from recollect.engine.memory.past_anchoring import PastAnchoring
    from recollect.store.transaction import Transaction

# Anchors that may be named by hand: as many as are found in a text at most.
MAX_GIVEN = 8
# Memories per transaction while the code of a project is first indexed.
BATCH = 200
# Files kept in memory while memories are anchored one after the other: some 20 MB.
MAX_FORMS = 512


class Anchoring:
    """Anchors memories to code."""

    def __init__(self, context: Context) -> None:
        self._context = context

    # --- finding the code that a memory mentions ---

    def trees(self, namespace: str | None) -> list[Tree]:
        """Return the indexed trees of a namespace, None: all, the last indexed first.

        A tree whose folder is gone was moved or deleted: it counts only where there is no other.
        """
        where = {"namespace": namespace} if namespace is not None else None
        found = sorted(self._context.store.find(Tree, where), key=lambda tree: (-tree.indexed_at, -tree.id))
        present = [tree for tree in found if Path(tree.root).is_dir()]
        return present or found

    def prepare(self, text: str, namespace: str | None, given: Sequence[str] = ()) -> Prepared:
        """Return the anchors of a text, before its transaction is opened.

        given: places named by hand, as `path`, `path::symbol` or `path:line`. Raises InvalidInput for one that is not
        there; where nothing is indexed yet, it waits.
        """
        named = _checked(given)
        # One small query decides where nothing is indexed: storing a memory is not slower for it.
        is_indexed = self._context.store.code_generation() > 0
        trees = self.trees(namespace) if is_indexed else []
        if not trees:
            return Prepared(tuple(_waiting(text) for text in named))
        from recollect.code.anchors.mention import mentions

        spoken = mentions(text)
        if not spoken and not named:
            return NOTHING
        return self.prepared(self.code(trees), spoken, named)

    def prepare_update(self, old: Memory, new: Memory, given: Sequence[str] | None) -> Prepared | None:
        """Return the anchors of a changed memory; None if its text, and so its anchors, did not change.

        An updated memory is compared with the current code.
        """
        same = (spoken_text(old), old.namespace) == (spoken_text(new), new.namespace)
        if same and given is None:
            return None
        if given is None:
            kept = [row for row in self._context.store.find(Anchor, {"memory_id": old.id}) if row.origin == "given"]
            drafts = [self.retaken(row, new.namespace) for row in kept]
        else:
            drafts = []
        found = self.prepare(spoken_text(new), new.namespace, given or ())
        known = {(draft.path, draft.symbol): draft for draft in (*(row for row in drafts if row), *found.drafts)}
        return found._replace(drafts=tuple(known.values()))

    def retaken(self, anchor: Anchor, namespace: str | None) -> Draft | None:
        """Return an anchor at the current place of its code, with its current hash; None if gone."""
        state = next(iter(self._context.store.get(AnchorState, [anchor.id])), None)
        path, symbol = (anchor.path, anchor.symbol) if state is None else (state.path, state.symbol)
        if anchor.hash is None:
            return Draft(path, symbol, anchor.origin)
        from recollect.code.anchors.find import given

        code = self.code(self.trees(namespace))
        place = given(code, path if symbol is None else f"{path}::{symbol}") if code.trees else None
        return self._taken(place, anchor.origin, code) if place is not None else None

    def code(self, trees: Sequence[Tree]) -> Code:
        """Return the indexed code of some trees, to look places up in."""
        from recollect.code.anchors.find import Code

        return Code(self._context.store, trees)

    def prepared(self, code: Code, spoken: Mentions, named: Sequence[str] = ()) -> Prepared:
        """Return the anchors of mentions and of given places in some code."""
        from recollect.code.anchors.find import find, given

        found = find(code, spoken)
        places: list[tuple[Place, Origin]] = []
        for text in named:
            place = given(code, text)
            if place is None:
                raise _nowhere(text, code)
            places.append((place, "given"))
        places += [(place, "found") for place in found.places]
        taken = (self._taken(place, origin, code) for place, origin in places)
        kept = distinct(draft for draft in taken if draft is not None)
        return Prepared(tuple(kept)[:MAX_GIVEN], tuple(dict.fromkeys(found.unknown)))

    def _taken(self, place: Place, origin: Origin, code: Code) -> Draft | None:
        """Return the code of a place: on disk, or as indexed where the file cannot be read."""
        form = self.form_of(code, place.tree, place.file)
        if form is None:
            spot = code.spots(place.file).get(place.symbol or "")
            if spot is None:
                return None
            return Draft(spot.path, spot.symbol, origin, spot.kind, spot.hash, file_hash=place.file.hash)
        if place.symbol is None:
            return Draft(form.path, None, origin, form.kind, form.hash, form.sketch_of(None), form.file_hash)
        spot = form.spots().get(place.symbol)
        if spot is None:  # edited since it was indexed: the next index will know its name
            return None
        sketch = form.sketch_of(spot.symbol)
        return Draft(form.path, spot.symbol, origin, spot.kind, spot.hash, sketch, form.file_hash)

    def form_of(self, code: Code, tree: Tree, file: File) -> Form | None:
        """Return a file of some code as it is on disk, read once."""
        key = (tree.root, file.path)
        if key not in code.forms:
            if len(code.forms) >= MAX_FORMS:
                code.forms.clear()
            code.forms[key] = self.form(*key)
        return code.forms[key]

    def form(self, root: str, path: str) -> Form | None:
        """Return a file of a tree as it is on disk."""
        from recollect.code.anchors.normalised_file import form, read

        source = read(root, path, self._context.settings.index_max_file_bytes)
        return None if source is None else form(path, source)

    # --- writing it down ---

    def write(
        self,
        transaction: Transaction,
        memory: Memory,
        prepared: Prepared,
        *,
        new: bool = False,
        replace: bool = False,
        late: bool = False,
    ) -> None:
        """Write the prepared anchors of a memory; existing ones stay.

        new: the memory was made in this transaction and has none yet. Other writers wait for every question
        replace: the memory was rewritten: anchors are compared with the current code, and no others stay
        late: the memory was written before its code was indexed
        """
        found = [] if new else transaction.find(Anchor, {"memory_id": memory.id})
        known = {(row.path, row.symbol): row for row in found}
        for draft in prepared.drafts:
            row = known.pop((draft.path, draft.symbol), None)
            if row is None:
                self._insert(transaction, memory.id, memory.updated_at, draft, late=late)
            elif replace:
                self.retake(transaction, row, draft)
            elif draft.origin == "given":
                transaction.update(Anchor, row.id, {"origin": "given"})
        if replace:
            transaction.delete(Anchor, {"id": tuple(row.id for row in known.values())})
        if not new:
            transaction.delete(Mention, {"memory_id": memory.id})
        for name in prepared.unknown:
            transaction.insert(Mention(id=f"{memory.id}:{name}", memory_id=memory.id, name=name))

    def _insert(self, transaction: Transaction, memory_id: str, at: int, draft: Draft, *, late: bool = False) -> None:
        # An anchor written with its memory has the memory's time, however long the writing takes.
        now, stamp = clock.now() if late else at, self._context.store.code_generation()
        taken_at = draft.compared.taken_at if draft.compared is not None else now
        made = transaction.insert(
            Anchor(
                id=clock.new_id(),
                memory_id=memory_id,
                created_at=at,
                taken_at=taken_at if draft.hash is not None else 0,
                **draft.values(),
            )
        )
        if made.hash is not None:
            transaction.insert(first_state(made.id, memory_id, draft, now, stamp))

    def retake(self, transaction: Transaction, row: Anchor, draft: Draft) -> None:
        """Compare an anchor with the current code from now on; nothing changes where that is the same."""
        state = next(iter(transaction.get(AnchorState, [row.id])), None)
        values = draft.values()
        is_fresh = state is not None and state.verdict == "fresh"
        if draft.hash is None or (is_fresh and all(getattr(row, name) == value for name, value in values.items())):
            return
        # As a new row: what is taken of the code is not part of a change, and an undo must bring the old one back.
        transaction.delete(Anchor, {"id": row.id})
        self._insert(transaction, row.memory_id, clock.now(), draft)

    # --- catching up when code is indexed ---

    def catch_up(self, tree: Tree, defined: Iterable[str] = ()) -> list[str]:
        """Anchor memories to the code of a tree that was indexed after them; returns the ids of new anchors.

        Those are: memories stored or imported since the tree was last read, memories that wait for one of the
        names now defined, and places named by hand before there was an index.
        """
        from recollect.engine.memory.past_anchoring import PastAnchoring

        key, store = f"anchored/{tree.id}", self._context.store
        mark = int(store.setting(key) or 0)
        made: list[str] = []
        codes: dict[str | None, Code] = {}
        most = self._context.settings.index_max_file_bytes
        with PastAnchoring(tree, self.code(self.trees(tree.namespace)), self.form_of, max_bytes=most) as past:
            done, total = 0, store.count(Memory, _written_since(tree, mark))
            while rows := store.find(Memory, _written_since(tree, mark), order="rev", limit=BATCH):
                progress.report(done, total, "comparing with the code")
                tied = self._tied([row.id for row in rows])
                made += self._tie([row for row in rows if row.id not in tied], codes, past)
                done, mark = done + len(rows), max(row.rev for row in rows)
                store.keep_setting(key, str(mark))
            made += self._tie(self._waiting_for(tree, frozenset(defined)), codes, past)
        return made + self._place_given(tree)

    def _tied(self, ids: Sequence[str]) -> set[str]:
        """Return which of these memories have been anchored already."""
        where = {"memory_id": tuple(ids)}
        return {
            row[0] for kind in (Anchor, Mention) for row in self._context.store.columns(kind, ("memory_id",), where)
        }

    def _waiting_for(self, tree: Tree, names: frozenset[str]) -> list[Memory]:
        """Return the memories of a tree that wait for one of these names."""
        store = self._context.store
        if not names:
            return []
        waiting = store.columns(Mention, ("memory_id", "name"))
        ids = list(dict.fromkeys(memory_id for memory_id, name in waiting if name in names))
        return [memory for memory in store.get(Memory, ids) if memory.namespace in (tree.namespace, None)]

    def _tie(self, memories: Sequence[Memory], codes: dict[str | None, Code], past: PastAnchoring) -> list[str]:
        from recollect.code.anchors.mention import mentions

        made: list[str] = []
        for start in range(0, len(memories), BATCH):
            ready: list[tuple[Memory, Prepared]] = []
            for memory in memories[start : start + BATCH]:
                spoken = mentions(spoken_text(memory)) if memory.category not in UNANCHORED else None
                if spoken and (found := past.prepared(memory, spoken)) is not None:
                    ready.append((memory, found))
                elif spoken:
                    scope = memory.namespace
                    code = codes[scope] if scope in codes else codes.setdefault(scope, self.code(self.trees(scope)))
                    ready.append((memory, self.prepared(code, spoken)))
            ready = [row for row in ready if row[1] != NOTHING]
            if ready:
                made += self._write_all(ready)
        return made

    def _write_all(self, ready: Sequence[tuple[Memory, Prepared]]) -> list[str]:
        made: list[str] = []
        with self._context.store.transaction("anchor_memories") as transaction:
            present = {memory.id for memory in transaction.get(Memory, [memory.id for memory, _ in ready])}
            for memory, prepared in ready:
                if memory.id in present:
                    self.write(transaction, memory, prepared, late=True)
                    made += [row.id for row in transaction.find(Anchor, {"memory_id": memory.id})]
        return made

    def _place_given(self, tree: Tree) -> list[str]:
        """Take the hashes of given places that were not indexed yet."""
        from recollect.code.anchors.find import given

        store = self._context.store
        waiting = store.find(Anchor, {"hash": None})
        if not waiting:
            return []
        scopes = {row.id: row.namespace for row in store.get(Memory, [row.memory_id for row in waiting])}
        waiting = [row for row in waiting if scopes.get(row.memory_id, "") in (tree.namespace, None)]
        code = self.code(self.trees(tree.namespace))
        now, stamp = clock.now(), self._context.store.code_generation()
        made: list[str] = []
        with store.transaction("anchor_memories") as transaction:
            for row in transaction.get(Anchor, [row.id for row in waiting]):
                place = given(code, row.path if row.symbol is None else f"{row.path}::{row.symbol}")
                draft = self._taken(place, row.origin, code) if place is not None else None
                if draft is not None and draft.hash is not None:
                    transaction.update(Anchor, row.id, draft.values() | {"taken_at": now})
                    transaction.insert(first_state(row.id, row.memory_id, draft, now, stamp))
                    made.append(row.id)
        return made


def _written_since(tree: Tree, mark: int) -> dict[str, object]:
    from recollect.store.store_values import Range

    return {"namespace": (tree.namespace, None), "rev": Range(mark + 1)}


def _checked(given: Sequence[str]) -> list[str]:
    if isinstance(given, str) or not all(isinstance(text, str) for text in given):
        raise InvalidInput(
            "anchors must be a list of code locations", hint="For example src/a.py or src/a.py::Server.start."
        )
    named = list(dict.fromkeys(text.strip() for text in given))
    if len(named) > MAX_GIVEN:
        raise InvalidInput(
            f"{len(named)} anchors given; the limit is {MAX_GIVEN}",
            hint="Give only the most important ones.",
            field="anchors",
        )
    for text in named:
        if not text or "\0" in text or "\n" in text or ".." in text.split("/"):
            raise InvalidInput(
                f"{text!r} is not a code location",
                hint="Use path, path::symbol or path:line, relative to the project root.",
                field="anchors",
            )
    return named


def _waiting(text: str) -> Draft:
    """Return an anchor that waits for its code to be indexed."""
    from recollect.code.anchors.find import parted

    path, line, symbol = parted(text)
    if line is not None:
        raise InvalidInput(
            f"cannot resolve {text}: no code of this project is indexed",
            hint="Run `recollect index` first, or give the symbol: path::symbol.",
            field="anchors",
        )
    return Draft(path, symbol, "given")


def _nowhere(text: str, code: Code) -> InvalidInput:
    from recollect.code.anchors.find import parted

    path, _, symbol = parted(text)
    files = code.files_at([path])[path]
    if files and symbol is not None:
        name = symbol.replace("::", ".").rpartition(".")[2].lower()
        near = [known for known in code.spots(files[0]) if name in known.lower()][:3]
        told = f"Did you mean {', '.join(near)}?" if near else "If it is new, run `recollect index` first."
        return InvalidInput(f"no symbol {symbol} in {path}", hint=told, field="anchors")
    ends = code.ending(path.rpartition("/")[2])[:3]
    told = (
        f"Did you mean {', '.join(ends)}?"
        if ends
        else "Paths are relative to the project root. If the file is new, run `recollect index`."
    )
    return InvalidInput(f"{path} is not indexed", hint=told, field="anchors")
